//! Binds a topology, a workload and a stack into demands. This crate solves nothing.
//!
//! [`Scenario`] contains checked values without files or spans, which belong to `scenario`. [`Bound`] is the
//! scenario as resources and *demand vectors*: the units of every directed resource used by one operation.
//! [`Binder::bind_at`] converts one into the other, at a given [operating point](storage::OperatingPoint);
//! the operating point itself follows from the rates of a steady state, found by `solve`.
//!
//! Nothing here reads a file, a clock or the environment.

mod batch;
mod bind;
mod cards;
mod coherence;
mod connections;
mod correlation;
mod delays;
mod demand;
mod error;
mod framing;
mod interrupts;
mod latency;
mod line_balance;
mod line_traffic;
mod model_error;
mod network;
mod packets;
mod placement;
mod power;
mod procedures;
mod profiles;
mod scaled;
mod scenario;
mod seat;
mod serial;
mod stack;
pub mod storage;
mod thread_kinds;
mod work;
mod work_parts;

pub use batch::{Batch, Machine};
pub use bind::{
    Answer, Binder, Bound, Found, ONE_CORE, SocketModel, TraceClasses, TraceKind, TraceProfile, Way,
};
pub use correlation::{Coefficients, Correlation, CorrelationError, Correlations};
pub use demand::{
    BackgroundDemand, Class, DeviceUse, FreeWork, LineUse, MemoryBytes, OPEN_HORIZON, SocketLoad, SocketWork,
    Supply, ThreadGroup, Traffic, Waited,
};
pub use error::{BindError, EXPLANATIONS};
pub use interrupts::{InterruptWork, Moderation};
pub use latency::{Fabric, Times};
pub use line_traffic::{CardTraffic, LineLoad, LinkTraffic, line_traffic};
pub use model_error::{LimitGroup, ModelError};
pub use network::{Network, PROCESS_OF_CLIENT};
pub use packets::PacketCosts;
pub use power::{PowerModel, PowerUse, ServerPower};
pub use procedures::ProcedureCosts;
pub use profiles::{STACK, general_profiles, profile, profile_names, usual_profile};
pub use scenario::{RunSettings, Scenario};
pub use serial::Serial;
pub use stack::Stack;
pub use storage::{CacheUse, Storage, StorageError};
pub use thread_kinds::ThreadKind;
pub use work_parts::WorkParts;
