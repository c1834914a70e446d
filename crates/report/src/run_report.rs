//! Everything that a report of one run says, whatever its format.

use bandgraph_import::trace::{Format, Skipped};
use bandgraph_scenario::{Expect, Loaded, Measured, Metric};
use bandgraph_simulate::{ReplaySummary, Timeline};
use bandgraph_solve::{Explained, Outcome};
use bandgraph_study::{Interval, Uncertainty};

use crate::apart::Apart;
use crate::json::{PathDocument, ServerDocument, SoftwareDocument, paths};
use crate::warnings::warnings;
use crate::{Comparison, Verdict, measured_value, metric_value};

/// One run, gathered for its [document](crate::RunDocument).
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the topology.
    pub topology: String,
    /// What the server is made of, if that is known.
    pub server: Option<ServerDocument>,
    /// The way of each kind of operation through the server.
    pub paths: Vec<PathDocument>,
    /// The scenario file, as it was named.
    pub file: Option<String>,
    /// The overrides of the command line, in order.
    pub overrides: Vec<String>,
    /// The software that the server runs.
    pub software: SoftwareDocument,
    /// Number of servers of the cluster, all with the same load; 1 for a server alone.
    pub servers: u32,
    /// Seed of all random streams.
    pub seed: u64,
    /// Hash of everything that went in.
    pub input_hash: String,
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
    /// The interval of the time that all jobs take together, as predicted, if there are any.
    pub elapsed_interval: Option<Interval>,
    /// In which figures simulation and prediction differ too much for one interval.
    pub apart: Apart,
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

impl RunReport {
    /// Gathers the outcome of `loaded`. Measurements and expectations are held against `outcome`, not against
    /// the prediction beside it.
    pub fn new(loaded: &Loaded, outcome: Outcome, explained: Explained, prediction: Option<Outcome>) -> Self {
        let server = ServerDocument::new(&loaded.scenario.topology);
        let (warnings, apart) = warnings(&loaded.scenario, &outcome, prediction.as_ref());
        Self {
            scenario: loaded.name.clone(),
            topology: loaded.scenario.topology.name().to_owned(),
            paths: paths(&loaded.bound, &server),
            server: Some(server),
            file: Some(loaded.path.display().to_string()),
            overrides: loaded.overrides.clone(),
            software: SoftwareDocument::of(&loaded.scenario),
            servers: loaded.scenario.cluster.servers,
            seed: loaded.scenario.run.seed,
            input_hash: loaded.input_hash.clone(),
            explained,
            measured: loaded
                .measured
                .iter()
                .map(|row| comparison(row, &outcome))
                .collect(),
            warnings,
            prediction,
            replay: None,
            timeline: None,
            uncertainty: None,
            elapsed_interval: None,
            apart,
            expect: loaded.expect.iter().map(|row| verdict(row, &outcome)).collect(),
            outcome,
        }
    }

    /// Adds how sure the prediction is, and how likely what the scenario expects is.
    pub fn set_uncertainty(&mut self, found: Uncertainty, expected: &[Expect]) {
        let factors: Vec<[f64; 2]> = expected
            .iter()
            .map(|row| self.interval_factors(row.metric))
            .collect();
        for ((verdict, row), factor) in self.expect.iter_mut().zip(expected).zip(factors) {
            if let Some((_, likely)) = &mut verdict.probability {
                // If it is unknown which of the two methods is right, the less favourable one counts.
                let each = factor.map(|factor| found.probability(row, factor));
                *likely = each[0].zip(each[1]).map(|(one, other)| one.min(other));
            }
        }
        self.uncertainty = Some(found);
    }

    /// Says why the answer has no interval.
    pub fn has_no_interval(&mut self, reason: impl std::fmt::Display) {
        self.warnings.push(format!("there is no interval: {reason}"));
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

    /// What the two ends of the interval of a predicted metric are multiplied with to be those of the
    /// outcome: a simulation is as sure as the prediction of the same scenario. Where the two differ by more
    /// than the bound of the warning, the interval holds both.
    pub(crate) fn interval_factors(&self, metric: Metric) -> [f64; 2] {
        let found = metric_value(metric, &self.outcome);
        let predicted = self
            .prediction
            .as_ref()
            .and_then(|outcome| metric_value(metric, outcome));
        let factor = found.zip(predicted).map(|(found, predicted)| found / predicted);
        let factor = factor.filter(|factor| factor.is_finite()).unwrap_or(1.0);
        if self.apart.of(metric) {
            [factor.min(1.0), factor.max(1.0)]
        } else {
            [factor; 2]
        }
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
        relative_to: row.relative_to.as_ref().map(|path| path.display().to_string()),
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
