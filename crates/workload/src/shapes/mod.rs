//! Types of values that only clients and workloads have.

mod compute;
mod mix;
mod mtu;
mod ports;

pub(crate) use mtu::Mtu;
pub(crate) use ports::Ports;
