//! The fields of reference values of scenarios: measurements, and bounds for CI.

use bandgraph_solve::LimitKind;
use bandgraph_units::QuantityKind;

use super::{Field, FieldType, Identity, MAX, MIN, Shape, kinds};
use crate::shapes::{MetricName, MetricQuantity};
use crate::{Dependence, Statistic};

fn limits() -> Vec<&'static str> {
    LimitKind::all().map(LimitKind::as_str).collect()
}

const SOURCE: Field = Field::new("source", Shape::Text, "Where it was published.");
const NOTE: Field = Field::new(
    "note",
    Shape::Text,
    "Further information: conditions, and assumptions where the source is silent.",
)
.optional();
const CALIBRATED: Field = Field::new("calibrated", Shape::Flag, "Whether some figure of the model was fitted to it, or assumed so that it comes out: then it says nothing about how well the model predicts.").default("false");

kinds! {
    /// A measurement of the real machine, to be shown beside the prediction.
    pub(crate) static MEASURED("measured", Identity::Field("id")) {
        /// The name of its row in the table of measurements.
        id: Shape::Id;
        /// The figure.
        metric: Shape::Custom(&MetricName { of_resources: true });
        /// The id of the resource that it is of, as `port.nic0.0.out`; for metrics of one resource only.
        resource: Shape::Text, optional;
        /// The path of another scenario: what was measured is the figure here over the figure there, a plain
        /// number.
        relative_to: Shape::Text, optional;
        /// What was measured, with its unit.
        value: Shape::Custom(&MetricQuantity);
        /// What kind of figure it is. A bound is kept by every prediction on its right side.
        statistic: Statistic::SHAPE, default("average");
        /// How far the prediction may be off before `bandgraph validate` fails; 25 % if left out.
        tolerance: Shape::Quantity(QuantityKind::Fraction), optional, positive;
        /// Why the prediction may be off by more than 25 %; must be there if `tolerance` is more.
        reason: Shape::Text, optional;
        CALIBRATED;
        /// Why it does not count as unseen although nothing was fitted to it: a figure of the model was
        /// derived from it, it is of the same run as another row, or hardly any figure of the model moves its
        /// prediction.
        dependence: Dependence::SHAPE, optional;
        /// What a rule without a model predicts, with its unit: `bandgraph validate` shows its errors beside
        /// those of the model.
        null_model: Shape::Custom(&MetricQuantity), optional;
        SOURCE;
        NOTE;
    }

    /// What a counter of the real machine showed on one of its links, in one direction.
    pub(crate) static MEASURED_LINK("measured_link", Identity::Field("link")) {
        /// The id of the resource, as `link.cpu0-cpu1` or `bridge.mcp55.out`.
        link: Shape::Text;
        /// What the counter showed.
        value: Shape::Quantity(QuantityKind::Bandwidth);
        /// The name of the run in the table of measurements.
        run: Shape::Id;
        CALIBRATED;
        SOURCE;
        NOTE;
    }

    /// What held the real machine back, as its source says; `bandgraph validate` fails if the prediction
    /// names another.
    pub(crate) static BOTTLENECK("bottleneck") {
        /// The kind of limit.
        kind: Shape::Choice(limits);
        /// The ids of resources that the source names; the prediction must name one of them.
        resources: Shape::Texts, optional;
        SOURCE;
        NOTE;
    }
}

pub(super) const PROBABILITY: Field = Field::new("probability", Shape::Number, "Share of the draws of all uncertain figures that must be within the bounds, such as `\"90 %\"` or 0.9; for rates and mean latency. Without it, the predicted or simulated value itself must be within them.").optional().at_most(1.0);

kinds! {
    /// A bound that a result must keep; `bandgraph run` ends with exit code 1 if it does not.
    pub(crate) static EXPECT("expect", Identity::Field("metric")) {
        /// The figure.
        metric: Shape::Custom(&MetricName { of_resources: false });
        MIN;
        MAX;
        PROBABILITY;
    }
}
