//! Metrics and their values.

use std::sync::Arc;

use bandgraph_config::{Custom, Decoded, Decoder, Field, FieldValue, Made, Node, Shape};
use serde_json::{Value as Json, json};

use crate::Metric;

/// The name of a metric. Reads as a [`Metric`].
#[derive(Debug)]
pub(crate) struct MetricName {
    /// Whether metrics of single resources are valid too, in addition to those of whole runs.
    pub(crate) of_resources: bool,
}

impl MetricName {
    fn words(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        let of_resources = self.of_resources;
        let all = Metric::ALL.iter();
        all.filter(move |metric| of_resources || !metric.is_of_resource())
            .map(|metric| metric.as_str())
    }
}

impl Custom for MetricName {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        let name = decoder.text(field.name, node)?;
        if !self.words().any(|word| word == name) {
            decoder.unknown(
                "reference::unknown_metric",
                "there is no metric",
                &name,
                self.words(),
                node,
            );
            return None;
        }
        Some(Arc::new(Metric::from_name(&name)?))
    }

    fn schema(&self) -> Json {
        json!({ "enum": self.words().collect::<Vec<_>>() })
    }

    fn reference(&self) -> String {
        "name of a metric".to_owned()
    }
}

/// A quantity whose kind follows from the `metric` of the same entry. Reads as a number in base units.
#[derive(Debug)]
pub(crate) struct MetricQuantity;

impl Custom for MetricQuantity {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, decoded: &Decoded) -> Option<Made> {
        let metric: &Metric = decoded.custom("metric")?;
        // Relative to another scenario, it is a plain number.
        let ratio = decoded.fields.contains_key("relative_to");
        let shape = metric
            .kind()
            .filter(|_| !ratio)
            .map_or(Shape::Number, Shape::Quantity);
        let (FieldValue::Quantity(number) | FieldValue::Number(number)) =
            decoder.single(&Field::new(field.name, shape, field.doc), node)?
        else {
            return None;
        };
        Some(Arc::new(number))
    }

    fn schema(&self) -> Json {
        json!({ "type": ["string", "number"] })
    }

    fn reference(&self) -> String {
        "quantity of the metric".to_owned()
    }
}
