//! How sure an answer is, as JSON.

use bandgraph_config::Status;
use bandgraph_hardware::source;
use bandgraph_scenario::Metric;
use bandgraph_study::{Gain, Interval, UncertainFigure, Uncertainty, Weight};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::SLIGHT_WEIGHT;

/// Figures named in the result of a run.
const NAMED: usize = 3;

/// Between which values an answer lies, and what that comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalDocument {
    /// How likely it is that the true value is between the two of each interval: 0.9.
    pub belief: f64,
    /// How many sets of figures were drawn and predicted.
    pub draws: u32,
    /// How many more were drawn and have no steady state.
    #[serde(default)]
    pub unsteady: u32,
    /// Completed operations per second: low, high.
    pub ops_per_s: [f64; 2],
    /// Payload in bytes per second: low, high.
    pub payload_bytes_per_s: [f64; 2],
    /// Bytes per second at the network ports: low, high.
    pub network_bytes_per_s: [f64; 2],
    /// Mean latency in seconds: low, high.
    pub latency_mean_s: [f64; 2],
    /// What is full in which share of the draws, the most frequent first.
    pub limits: Vec<LimitShareDocument>,
    /// The figures that the width comes from most; the one without a name is what the model itself misses.
    pub figures: Vec<FigureWeightDocument>,
    /// How the figures were found: how many there are of each status.
    pub statuses: StatusesDocument,
}

/// What something brings over something else, in common draws of uncertain figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GainDocument {
    /// How likely it is that the true gain is between `low` and `high`: 0.9.
    pub belief: f64,
    /// Operations per second over those of the other, less one: the lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The share of the draws in which it is more by 0.1 % at least.
    pub more: f64,
    /// The share of the draws in which it is less by 0.1 % at least.
    pub less: f64,
}

impl GainDocument {
    /// What it is the twin of.
    pub(crate) const fn gain(&self) -> Gain {
        Gain {
            interval: Interval {
                low: self.low,
                high: self.high,
            },
            more: self.more,
            less: self.less,
        }
    }

    pub(crate) fn of(gain: &Gain) -> Self {
        Self {
            belief: 0.9,
            low: gain.interval.low,
            high: gain.interval.high,
            more: gain.more,
            less: gain.less,
        }
    }
}

/// How often a kind of resource is full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitShareDocument {
    /// The kind of resource; `none` where nothing is full.
    pub kind: String,
    /// The share of the draws, 0 to 1.
    pub share: f64,
}

/// How much of the spread comes from a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureWeightDocument {
    /// What it is a figure of: a kind of part, `stack`, or `model` for what the model itself misses.
    pub of: String,
    /// The name of the part or of the stack; null for the model.
    pub name: Option<String>,
    /// The field; null for the model.
    pub field: Option<String>,
    /// Its value as files write it; null for the model.
    pub value: Option<String>,
    /// Between which values the true one is with 90 % belief; null for the model.
    pub range: Option<[String; 2]>,
    /// How it was found: `sourced`, `derived`, `fitted` or `assumed`; null for the model.
    pub status: Option<String>,
    /// The full reference of its source; null where it is assumed.
    pub source: Option<String>,
    /// How it follows from its source; null where it does not say.
    pub note: Option<String>,
    /// The share of the variance of the throughput that it explains, 0 to 1.
    pub weight: f64,
}

/// How many figures with a weight of at least 0.1 % were found in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusesDocument {
    /// By a data sheet, a standard or a measurement.
    pub sourced: u32,
    /// Computed from other figures.
    pub derived: u32,
    /// By a calibration.
    pub fitted: u32,
    /// Not at all.
    pub assumed: u32,
}

/// The uncertain figures of a scenario, those with most weight first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Bandgraph figures")]
pub struct FiguresDocument {
    /// Version of this format.
    pub schema: u32,
    /// Version of the program that wrote this.
    pub bandgraph: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Hash of everything that went in.
    pub input_hash: String,
    /// How many sets of figures were drawn and predicted.
    pub draws: u32,
    /// The figures.
    pub figures: Vec<FigureWeightDocument>,
}

impl IntervalDocument {
    /// Of metrics that are `factor` times those predicted.
    pub(super) fn new(found: &Uncertainty, factor: impl Fn(Metric) -> f64) -> Self {
        let ends = |interval: Interval, metric: Metric| {
            let scaled = interval.scaled(factor(metric));
            [scaled.low, scaled.high]
        };
        Self {
            belief: 0.9,
            draws: found.draws,
            unsteady: found.unsteady,
            ops_per_s: ends(found.operations, Metric::OperationsPerSecond),
            payload_bytes_per_s: ends(found.payload, Metric::PayloadBytesPerSecond),
            network_bytes_per_s: ends(found.network, Metric::NetworkBytesPerSecond),
            latency_mean_s: ends(found.latency, Metric::LatencyMean),
            limits: found
                .limits
                .iter()
                .map(|(limit, share)| LimitShareDocument {
                    kind: limit.map_or("none", |kind| kind.as_str()).to_owned(),
                    share: *share,
                })
                .collect(),
            figures: found.weights.iter().take(NAMED).map(figure_weight).collect(),
            statuses: statuses(&found.weights),
        }
    }
}

/// How many figures that matter there are of each status.
fn statuses(weights: &[Weight]) -> StatusesDocument {
    let count = |status: Status| {
        let weights = weights.iter().filter(|weight| weight.share >= SLIGHT_WEIGHT);
        let figures = weights.filter_map(|weight| weight.figure.as_ref());
        figures.filter(|figure| figure.status == status).count() as u32
    };
    StatusesDocument {
        sourced: count(Status::Sourced),
        derived: count(Status::Derived),
        fitted: count(Status::Fitted),
        assumed: count(Status::Assumed),
    }
}

fn figure_weight(weight: &Weight) -> FigureWeightDocument {
    let figure = weight.figure.as_ref();
    let of = |text: fn(&UncertainFigure) -> String| figure.map(text);
    FigureWeightDocument {
        of: figure.map_or("model", |figure| figure.kind).to_owned(),
        name: of(|figure| figure.name.clone()),
        field: of(|figure| figure.field.to_owned()),
        value: of(|figure| figure.texts[0].clone()),
        range: figure.map(|figure| [figure.texts[1].clone(), figure.texts[2].clone()]),
        status: of(|figure| figure.status.as_str().to_owned()),
        source: figure
            .and_then(|figure| figure.source.as_deref())
            .map(|key| source(key).map_or_else(|| key.to_owned(), ToString::to_string)),
        note: figure.and_then(|figure| figure.note.clone()),
        weight: weight.share,
    }
}

/// The uncertain figures of a scenario as JSON.
pub fn figures_json(scenario: &str, input_hash: &str, found: &Uncertainty) -> String {
    super::pretty(&FiguresDocument {
        schema: 1,
        bandgraph: crate::VERSION.to_owned(),
        scenario: scenario.to_owned(),
        input_hash: input_hash.to_owned(),
        draws: found.draws,
        figures: found.weights.iter().map(figure_weight).collect(),
    })
}

/// The JSON Schema of [`figures_json`], draft 2020-12.
pub fn figures_schema() -> serde_json::Value {
    super::schema_of::<FiguresDocument>()
}
