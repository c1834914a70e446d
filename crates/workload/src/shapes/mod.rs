//! Value types of clients and workloads.

mod compute;
mod mix;
mod mtu;
mod ports;
mod sizes;

pub(crate) use compute::ComputeShape;
pub(crate) use mtu::Mtu;
pub(crate) use ports::Ports;
