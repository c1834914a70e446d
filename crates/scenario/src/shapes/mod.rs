//! Types of values that only scenarios and topologies have.

mod ends;
mod metric;
mod stack;

pub(crate) use ends::Ends;
pub(crate) use metric::{MetricName, MetricQuantity};
pub(crate) use stack::StackFields;
