//! Shapes of values specific to scenarios and topologies.

mod ends;
mod metric;

pub(crate) use ends::Ends;
pub(crate) use metric::{MetricName, MetricQuantity};
