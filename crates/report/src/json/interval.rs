//! How sure an answer is, as JSON.

use bandgraph_config::Status;
use bandgraph_hardware::source;
use bandgraph_model::ModelError;
use bandgraph_scenario::{Loaded, Metric};
use bandgraph_study::{Gain, Interval, UncertainFigure, Uncertainty, Weight};
use bandgraph_topology::ResourceKind;

use super::run::{ModeDocument, SoftwareDocument};
use crate::text::SLIGHT_WEIGHT;

/// What narrows the error of the model.
const MODEL_MEASURED: &str =
    "loads with this limit on the machine itself, for `bandgraph calibrate SCENARIO --own --measured FILE`";

/// Figures named in the result of a run.
const NAMED: usize = 3;

documents! {
    /// Between which values an answer lies, and what that comes from.
    pub struct IntervalDocument(found: &Uncertainty, factors: impl Fn(Metric) -> [f64; 2]) {
        let ends = |interval: Interval, metric: Metric| {
            let [low, high] = factors(metric);
            [interval.low * low, interval.high * high]
        };

        /// How likely it is that the true value is between the two of each interval: 0.9.
        pub belief: f64 = 0.9,
        /// How many sets of figures were drawn and predicted.
        pub draws: u32 = found.draws,
        /// How many more were drawn and have no answer: no steady state, or less memory than the load needs.
        #[serde(default)]
        pub unsteady: u32 = found.unsteady,
        /// Completed operations per second: low, high.
        pub ops_per_s: [f64; 2] = ends(found.operations, Metric::OperationsPerSecond),
        /// Payload in bytes per second: low, high.
        pub payload_bytes_per_s: [f64; 2] = ends(found.payload, Metric::PayloadBytesPerSecond),
        /// Bytes per second at the network ports: low, high.
        pub network_bytes_per_s: [f64; 2] = ends(found.network, Metric::NetworkBytesPerSecond),
        /// Mean latency in seconds: low, high.
        pub latency_mean_s: [f64; 2] = ends(found.latency, Metric::LatencyMean),
        /// The gain if the bottleneck were relieved, as `throughput_gain` of `next_bottleneck`: low, high;
        /// null if no resource is the bottleneck.
        #[serde(default)]
        pub relief: Option<[f64; 2]> = found.relief.map(|relief| [relief.gain.low, relief.gain.high]),
        /// Completed operations per second after that relief: low, high.
        #[serde(default)]
        pub relieved_ops_per_s: Option<[f64; 2]> =
            found.relief.map(|relief| ends(relief.operations, Metric::OperationsPerSecond)),
        /// Bytes per second at the network ports after that relief: low, high.
        #[serde(default)]
        pub relieved_network_bytes_per_s: Option<[f64; 2]> =
            found.relief.map(|relief| ends(relief.network, Metric::NetworkBytesPerSecond)),
        /// What limits the rate in which share of the draws, the most frequent first.
        pub limits: Vec<LimitShareDocument> = found
            .limits
            .iter()
            .map(LimitShareDocument::new)
            .collect(),
        /// The errors of the model on this machine that its software profile has from a calibration.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub learned: Vec<ModelErrorDocument> = found.learned.iter().map(ModelErrorDocument::new).collect(),
        /// The figures that the width comes from most; the one without a name is what the model itself
        /// misses.
        pub figures: Vec<FigureWeightDocument> =
            found.weights.iter().take(NAMED).map(FigureWeightDocument::new).collect(),
        /// How the figures were found: how many there are of each status.
        pub statuses: StatusesDocument = StatusesDocument::new(&found.weights),
    }

    /// What something brings over something else, in common draws of uncertain figures.
    #[derive(Copy)]
    pub struct GainDocument(gain: &Gain) {
        /// How likely it is that the true gain is between `low` and `high`: 0.9.
        pub belief: f64 = 0.9,
        /// Operations per second over those of the other, less one: the lower end.
        pub low: f64 = gain.interval.low,
        /// The upper end.
        pub high: f64 = gain.interval.high,
        /// The share of the draws in which it is more by 0.1 % at least.
        pub more: f64 = gain.more,
        /// The share of the draws in which it is less by 0.1 % at least.
        pub less: f64 = gain.less,
    }
}

impl StatusesDocument {
    /// The counts of the figures that a study with draws depends on; `None` without draws, and if it depends
    /// on no figure.
    pub(crate) fn of_draws(weights: &[Weight]) -> Option<Self> {
        Some(Self::new(weights)).filter(|counts| *counts != Self::default())
    }
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
}

documents! {
    /// How often a kind of resource is full.
    pub struct LimitShareDocument(one: &(Option<ResourceKind>, f64)) {
        let (limit, share) = one;

        /// The kind of resource; `none` where nothing is full.
        pub kind: String = limit.map_or("none", |kind| kind.as_str()).to_owned(),
        /// The share of the draws, 0 to 1.
        pub share: f64 = *share,
    }

    /// The error of the model on one machine for a kind of limit.
    pub struct ModelErrorDocument(one: &ModelError) {
        /// The kind of limit.
        pub kind: String = one.limit.as_str().to_owned(),
        /// The rates of the machine over those of the model.
        pub factor: f64 = one.factor,
        /// The standard deviation of its logarithm.
        pub deviation: f64 = one.deviation,
    }

    /// How much of the spread comes from a figure.
    pub struct FigureWeightDocument(weight: &Weight) {
        let figure = weight.figure.as_ref();
        let of = |text: fn(&UncertainFigure) -> String| figure.map(text);

        /// What it is a figure of: a kind of part, `stack`, or `model` for what the model itself misses.
        pub of: String = figure.map_or("model", |figure| figure.kind).to_owned(),
        /// The name of the part or of the stack; null for the model.
        pub name: Option<String> = of(|figure| figure.name.clone()),
        /// The field; null for the model.
        pub field: Option<String> = of(|figure| figure.field.to_owned()),
        /// Its value as files write it; null for the model.
        pub value: Option<String> = of(|figure| figure.texts[0].clone()),
        /// Between which values the true one is with a probability of 90 %; null for the model. Draws use a
        /// quarter of a range that comes with the program, and all of one that the scenario gives.
        pub range: Option<[String; 2]> =
            figure.map(|figure| [figure.texts[1].clone(), figure.texts[2].clone()]),
        /// How it was found: `sourced`, `derived`, `fitted` or `assumed`; null for the model.
        pub status: Option<String> = of(|figure| figure.status.as_str().to_owned()),
        /// The full reference of its source; null where it is assumed.
        pub source: Option<String> = figure
            .and_then(|figure| figure.source.as_deref())
            .map(|key| source(key).map_or_else(|| key.to_owned(), ToString::to_string)),
        /// How it follows from its source; null where it does not say.
        pub note: Option<String> = figure.and_then(|figure| figure.note.clone()),
        /// What measures it on a machine, a command or a counter; null where that is not known.
        #[serde(default)]
        pub measure: Option<String> = match figure {
            Some(figure) => figure.measured.map(str::to_owned),
            None => Some(MODEL_MEASURED.to_owned()),
        },
        /// The share of the variance of the throughput that it explains, 0 to 1; of the mean latency where
        /// all operations arrive at a given rate.
        pub weight: f64 = weight.share,
    }

    /// How many figures with a weight of at least 0.1 % were found in which way.
    #[derive(Copy, Default, Eq)]
    pub struct StatusesDocument(weights: &[Weight]) {
        let count = |status: Status| {
            let weights = weights.iter().filter(|weight| weight.share >= SLIGHT_WEIGHT);
            let figures = weights.filter_map(|weight| weight.figure.as_ref());
            figures.filter(|figure| figure.status == status).count() as u32
        };

        /// By a data sheet, a standard or a measurement.
        pub sourced: u32 = count(Status::Sourced),
        /// Computed from other figures.
        pub derived: u32 = count(Status::Derived),
        /// By a calibration.
        pub fitted: u32 = count(Status::Fitted),
        /// Not at all.
        pub assumed: u32 = count(Status::Assumed),
    }

    /// The uncertain figures of a scenario, those with most weight first.
    #[schemars(title = "Bandgraph figures")]
    pub struct FiguresDocument(loaded: &Loaded, found: &Uncertainty) {
        /// Version of this format.
        pub schema: u32 = 1,
        /// Version of the program that wrote this.
        pub bandgraph: String = crate::VERSION.to_owned(),
        /// Name of the scenario.
        pub scenario: String = loaded.name.clone(),
        /// The scenario file, as it was named.
        #[serde(default)]
        pub file: Option<String> = Some(loaded.path.display().to_string()),
        /// Seed of all random streams.
        #[serde(default)]
        pub seed: u64 = loaded.scenario.run.seed,
        /// How it was found: always by prediction.
        #[serde(default)]
        pub mode: ModeDocument = ModeDocument::Predict,
        /// The overrides of the command line, in order.
        #[serde(default)]
        pub overrides: Vec<String> = loaded.overrides.clone(),
        /// The software that the server runs.
        #[serde(default)]
        pub software: SoftwareDocument = SoftwareDocument::of(&loaded.scenario),
        /// Hash of everything that went in.
        pub input_hash: String = loaded.input_hash.clone(),
        /// How many sets of figures were drawn and predicted.
        pub draws: u32 = found.draws,
        /// The figures.
        pub figures: Vec<FigureWeightDocument> =
            found.weights.iter().map(FigureWeightDocument::new).collect(),
    }
}
