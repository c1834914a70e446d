//! The fields of reference values of scenarios: measurements, and bounds for CI.

use bandgraph_solve::LimitKind;
use bandgraph_units::QuantityKind;

use super::{Field, Identity, Kind, MAX, MIN, Shape, of, optional, positive, required, share, with_default};
use crate::shapes::{MetricName, MetricQuantity};
use crate::{Dependence, Statistic};

fn statistics() -> Vec<&'static str> {
    Statistic::ALL
        .iter()
        .map(|statistic| statistic.as_str())
        .collect()
}

fn dependences() -> Vec<&'static str> {
    Dependence::ALL
        .iter()
        .map(|dependence| dependence.as_str())
        .collect()
}

fn limits() -> Vec<&'static str> {
    LimitKind::all().map(LimitKind::as_str).collect()
}

const SOURCE: Field = required("source", of(Shape::Text), "Where it was published.");
const NOTE: Field = optional(
    "note",
    of(Shape::Text),
    "Further information: conditions, and assumptions where the source is silent.",
);
const CALIBRATED: Field = with_default(
    "calibrated",
    of(Shape::Flag),
    "false",
    "Whether some figure of the model was fitted to it, or assumed so that it comes out: then it says nothing about how \
     well the model predicts.",
);

/// A published measurement.
pub(crate) static MEASURED: Kind = Kind {
    name: "measured",
    doc: "A measurement of the real machine, to be shown beside the prediction.",
    identity: Identity::Field("id"),
    groups: &[&[
        required(
            "id",
            of(Shape::Id),
            "The name of its row in the table of measurements.",
        ),
        required(
            "metric",
            of(Shape::Custom(&MetricName { of_resources: true })),
            "The figure.",
        ),
        optional(
            "resource",
            of(Shape::Text),
            "The id of the resource that it is of, as `port.nic0.0.out`; for metrics of one resource only.",
        ),
        optional(
            "relative_to",
            of(Shape::Text),
            "The path of another scenario: what was measured is the figure here over the figure there, a plain number.",
        ),
        required(
            "value",
            of(Shape::Custom(&MetricQuantity)),
            "What was measured, with its unit.",
        ),
        with_default(
            "statistic",
            of(Shape::Choice(statistics)),
            "\"average\"",
            "What kind of figure it is. A bound is kept by every prediction on its right side.",
        ),
        optional(
            "tolerance",
            positive(QuantityKind::Fraction),
            "How far the prediction may be off before `bandgraph validate` fails; 25 % if left out.",
        ),
        optional(
            "reason",
            of(Shape::Text),
            "Why the prediction may be off by more than 25 %; must be there if `tolerance` is more.",
        ),
        CALIBRATED,
        optional(
            "dependence",
            of(Shape::Choice(dependences)),
            "Why it does not count as unseen although nothing was fitted to it: a figure of the model was derived from it, \
             it is of the same run as another row, or hardly any figure of the model moves its prediction.",
        ),
        optional(
            "null_model",
            of(Shape::Custom(&MetricQuantity)),
            "What a rule without a model predicts, with its unit: `bandgraph validate` shows its errors beside those of the \
             model.",
        ),
        SOURCE,
        NOTE,
    ]],
    described: None,
};

/// A counter value of one link.
pub(crate) static MEASURED_LINK: Kind = Kind {
    name: "measured_link",
    doc: "What a counter of the real machine showed on one of its links, in one direction.",
    identity: Identity::Field("link"),
    groups: &[&[
        required(
            "link",
            of(Shape::Text),
            "The id of the resource, as `link.cpu0-cpu1` or `bridge.mcp55.out`.",
        ),
        required(
            "value",
            of(Shape::Quantity(QuantityKind::Bandwidth)),
            "What the counter showed.",
        ),
        required(
            "run",
            of(Shape::Id),
            "The name of the run in the table of measurements.",
        ),
        CALIBRATED,
        SOURCE,
        NOTE,
    ]],
    described: None,
};

/// The bottleneck of the machine according to the source.
pub(crate) static BOTTLENECK: Kind = Kind {
    name: "bottleneck",
    doc: "What held the real machine back, as its source says; `bandgraph validate` fails if the prediction names another.",
    identity: Identity::Single,
    groups: &[&[
        required("kind", of(Shape::Choice(limits)), "The kind of limit."),
        optional(
            "resources",
            of(Shape::Texts),
            "The ids of resources that the source names; the prediction must name one of them.",
        ),
        SOURCE,
        NOTE,
    ]],
    described: None,
};

pub(super) const PROBABILITY: Field = optional(
    "probability",
    share(),
    "Share of the draws of all uncertain figures that must be within the bounds, such as 0.9; for \
     rates and mean latency. Without it, the predicted or simulated value itself must be within \
     them.",
);

/// A bound on a result.
pub(crate) static EXPECT: Kind = Kind {
    name: "expect",
    doc: "A bound that a result must keep; `bandgraph run` ends with exit code 1 if it does not.",
    identity: Identity::Field("metric"),
    groups: &[&[
        required(
            "metric",
            of(Shape::Custom(&MetricName { of_resources: false })),
            "The figure.",
        ),
        MIN,
        MAX,
        PROBABILITY,
    ]],
    described: None,
};
