//! Types of values that only scenarios and topologies have.

mod ends;
mod metric;
mod mix;
mod mtu;
mod ports;
mod stack;

pub(crate) use ends::Ends;
pub(crate) use metric::{MetricName, MetricQuantity};
pub(crate) use mix::MixShape;
pub(crate) use mtu::Mtu;
pub(crate) use ports::Ports;
pub(crate) use stack::StackFields;
