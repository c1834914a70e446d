//! The simulation engine: *flows* through shared resources, customers at *stations*, and *timers*. It returns
//! one event after another. It knows nothing of storage, owns no clock, does no input or output, and reads no
//! environment.
//!
//! The layers, from the bottom:
//!
//! - [`Time`]: integer picoseconds; inside, 2⁻³² ps.
//! - [`fair`]: fair shares of flows that use several resources simultaneously. It is usable alone, for a
//!   prediction without events; the engine keeps one standing system and re-solves only the part that a
//!   change affects.
//! - Flows in *classes*: equal costs mean equal rates, so that a class needs one virtual clock for all its
//!   flows, and the cost of a completion is logarithmic in their number. All classes that one resource limits
//!   share one *pace*, so that the cost of a change of rates does not depend on their number.
//! - The calendar, and [`Engine`], which combines all this: [`Engine::next`] returns the next [`Event`], and
//!   the caller reacts by starting flows, services and timers.
//! - [`streams`]: named random streams for callers.
//!
//! Checks run also in release builds: time is monotonic, and every solution respects the capacities and the
//! definition of fairness; [`Engine::audit`] checks all conservation laws.

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
