//! The simulation engine. It moves *flows* through shared resources, customers through *stations*, and
//! *timers* towards their end, and says what happens next. It knows nothing of storage, owns no clock, does
//! no input or output, and reads no environment.
//!
//! The layers, from the bottom:
//!
//! - [`Time`]: integer picoseconds; inside, 2⁻³² ps.
//! - [`fair`]: who gets how much of what, when flows use several resources at once. Usable alone, for a
//!   prediction without events; the engine keeps a standing system of the same kind and re-solves only the
//!   part that a change reaches.
//! - flows in *classes*: equal costs mean equal rates, so a class keeps one virtual clock for all its flows,
//!   and a completion costs the logarithm of their number. All classes that one resource holds back are
//!   driven by one *pace*, so that a change of rates costs the same however many they are.
//! - the calendar, and [`Engine`], which pulls all this together: [`Engine::next`] gives the next [`Event`],
//!   the caller answers by starting flows, services and timers.
//! - [`streams`]: random numbers by name, for those who drive the engine.
//!
//! While it runs, also in release builds, the engine checks that time never goes back and that every solution
//! keeps to capacities and to the definition of fairness; [`Engine::audit`] balances the books in full.

pub mod fair;
pub mod streams;

mod audit;
mod calendar;
mod engine;
mod error;
mod flows;
mod index;
mod paces;
mod station;
mod sum;
mod time;

pub use engine::{ClassSpec, Engine, Event};
pub use error::{BuildError, EngineError, SolveError};
pub use index::{ClassIndex, ResourceIndex, StationIndex};
pub use station::StationUsage;
pub use streams::{Stream, Streams};
pub use time::Time;
