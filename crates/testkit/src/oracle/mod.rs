//! Slow and simple solutions, as references for fast ones.

mod closed_fcfs;
mod queues;
mod rational;
mod routes;
mod sharing;

pub use closed_fcfs::{ClosedFcfs, Service};
pub use queues::{ClosedNetwork, erlang_c, mm1_wait, mmc_wait, shared_server};
pub use rational::Rational;
pub use routes::{routes_by_listing, shortest_paths};
pub use sharing::max_min;
