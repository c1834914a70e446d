//! Everything that a report of one run says, whatever its format.

use bandgraph_scenario::{Expect, Loaded, Measured, Metric};
use bandgraph_simulate::{ReplaySummary, Timeline};
use bandgraph_solve::{Explained, Outcome};
use bandgraph_study::Uncertainty;
use bandgraph_workload::trace::{Format, Skipped};

use crate::json::ServerDocument;
use crate::warnings::warnings;
use crate::{Comparison, Verdict, figures, measured_value, metric_value};

/// One run, gathered for reporting. See to it that its numbers pass [`RunReport::check`], then hand it to any
/// format.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the topology.
    pub topology: String,
    /// What the server is made of, if that is known.
    pub server: Option<ServerDocument>,
    /// Seed of all random streams.
    pub seed: u64,
    /// Hash of everything that went in.
    pub input_hash: String,
    /// What it was asked of.
    pub provenance: Provenance,
    /// What was found.
    pub outcome: Outcome,
    /// Why it is what it is.
    pub explained: Explained,
    /// The prediction beside a simulation; `None` where the outcome itself is the prediction.
    pub prediction: Option<Outcome>,
    /// The scenario's measurements beside what was found.
    pub measured: Vec<Comparison>,
    /// The scenario's expectations against what was found.
    pub expect: Vec<Verdict>,
    /// What to know before relying on the result.
    pub warnings: Vec<String>,
    /// The trace that was replayed, if one was.
    pub replay: Option<ReplayReport>,
    /// How much of each resource was used from one moment to the next, if that was asked for.
    pub timeline: Option<Timeline>,
    /// How sure the prediction is, if that was asked for.
    pub uncertainty: Option<Uncertainty>,
}

/// What a result is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The file, as it was asked for; empty where there is none.
    pub file: String,
    /// The profile of the software.
    pub profile: String,
    /// Whether the file names no profile, so that this is the default.
    pub is_default: bool,
    /// Overrides of fields, as `PATH=VALUE`.
    pub sets: Vec<String>,
}

impl Provenance {
    fn of(loaded: &Loaded) -> Self {
        Self {
            file: loaded.path.display().to_string(),
            profile: loaded.scenario.stack.name.clone(),
            is_default: loaded.profile_is_default,
            sets: loaded.sets.clone(),
        }
    }
}

/// A trace that was replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayReport {
    /// Where it came from, as it was named.
    pub name: String,
    /// What it is written in.
    pub format: Format,
    /// The workload that it stood for.
    pub workload: String,
    /// What was seen of it.
    pub summary: ReplaySummary,
    /// What was not taken as it stands.
    pub skipped: Skipped,
}

/// A number that is not finite: a defect of the model, never of its input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{metric} of {subject} is {value}, not a finite number")]
pub struct NotFinite {
    /// What the number is of.
    pub subject: String,
    /// What the number says.
    pub metric: String,
    /// The number: an infinity or not a number.
    pub value: f64,
}

impl RunReport {
    /// Gathers the outcome of `loaded`. Measurements and expectations are held against `outcome`, not against
    /// the prediction beside it.
    pub fn new(loaded: &Loaded, outcome: Outcome, explained: Explained, prediction: Option<Outcome>) -> Self {
        Self {
            scenario: loaded.name.clone(),
            topology: loaded.scenario.topology.name().to_owned(),
            server: Some(ServerDocument::new(&loaded.scenario.topology)),
            seed: loaded.scenario.run.seed,
            input_hash: loaded.input_hash.clone(),
            provenance: Provenance::of(loaded),
            explained,
            measured: loaded
                .measured
                .iter()
                .map(|row| comparison(row, &outcome))
                .collect(),
            warnings: warnings(loaded, &outcome, prediction.as_ref()),
            prediction,
            replay: None,
            timeline: None,
            uncertainty: None,
            expect: loaded.expect.iter().map(|row| verdict(row, &outcome)).collect(),
            outcome,
        }
    }

    /// Adds how sure the prediction is, and how likely what the scenario expects is.
    pub fn set_uncertainty(&mut self, found: Uncertainty, expected: &[Expect]) {
        let [rates, latency] = self.interval_factors();
        for (verdict, row) in self.expect.iter_mut().zip(expected) {
            let factor = if row.metric == Metric::LatencyMean {
                latency
            } else {
                rates
            };
            if let Some((_, likely)) = &mut verdict.probability {
                *likely = found.probability(row, factor);
            }
        }
        self.uncertainty = Some(found);
    }

    /// Checks that every number can be reported. JSON has no way to say infinity, and nobody wants to read
    /// it.
    ///
    /// # Errors
    ///
    /// The first number that is not finite.
    pub fn check(&self) -> Result<(), NotFinite> {
        match figures(self).into_iter().find(|figure| !figure.value.is_finite()) {
            None => Ok(()),
            Some(figure) => Err(NotFinite {
                subject: figure.subject,
                metric: figure.metric,
                value: figure.value,
            }),
        }
    }

    /// Whether every expectation holds. True where nothing is expected.
    pub fn expectations_hold(&self) -> bool {
        self.expect.iter().all(Verdict::ok)
    }

    /// Operations per second found over those predicted, less one; `None` without a prediction, or with one
    /// of 0.
    pub fn throughput_difference(&self) -> Option<f64> {
        let predicted = self.prediction.as_ref()?.throughput.operations.get();
        relative(self.outcome.throughput.operations.get(), predicted)
    }

    /// What intervals of predicted rates and latencies are multiplied with to be those of the outcome: a
    /// simulation is as sure as the prediction of the same scenario.
    pub(crate) fn interval_factors(&self) -> [f64; 2] {
        let factor = |difference: Option<f64>| 1.0 + difference.unwrap_or(0.0);
        [
            factor(self.throughput_difference()),
            factor(self.latency_difference()),
        ]
    }

    /// Mean latency found over that predicted, less one; `None` without a prediction, or with one of 0.
    pub fn latency_difference(&self) -> Option<f64> {
        let predicted = self.prediction.as_ref()?.latency.mean.get();
        relative(self.outcome.latency.mean.get(), predicted)
    }
}

fn comparison(row: &Measured, outcome: &Outcome) -> Comparison {
    Comparison {
        id: Some(row.id.clone()),
        metric: row.metric.as_str().to_owned(),
        kind: row.metric.kind().filter(|_| row.relative_to.is_none()),
        measured: row.value,
        text: row.text.clone(),
        predicted: measured_value(row, outcome),
        statistic: Some(row.statistic.as_str().to_owned()),
        source: Some(row.source.clone()),
        calibrated: row.calibrated,
    }
}

fn verdict(row: &Expect, outcome: &Outcome) -> Verdict {
    Verdict {
        metric: row.metric.as_str().to_owned(),
        kind: row.metric.kind(),
        value: metric_value(row.metric, outcome),
        min: row.min,
        max: row.max,
        probability: row.probability.map(|asked| (asked, None)),
    }
}

/// `value` over `reference`, less one; `None` where the reference is 0 or the quotient is out of range.
pub(crate) fn relative(value: f64, reference: f64) -> Option<f64> {
    let relative = (value - reference) / reference;
    relative.is_finite().then_some(relative)
}
