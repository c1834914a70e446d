//! Types of values that only clients and workloads have.

mod compute;
mod mix;
mod mtu;
mod ports;
mod sizes;

pub(crate) use compute::ComputeShape;
pub(crate) use mtu::Mtu;
pub(crate) use ports::Ports;
