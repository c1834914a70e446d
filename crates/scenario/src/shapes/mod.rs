//! Types of values that only scenarios and topologies have.

mod ends;
mod metric;

pub(crate) use ends::Ends;
pub(crate) use metric::{MetricName, MetricQuantity};
