//! Value types of clients and workloads.

mod compute;
mod mix;
mod mtu;
mod ports;
mod sizes;
mod text;

pub(crate) use mtu::Mtu;
pub(crate) use ports::Ports;
