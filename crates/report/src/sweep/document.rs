//! A sweep as one document: what was asked, what was found along its axes, and its points while they are few.

use std::collections::BTreeMap;

use bandgraph_scenario::{GAIN_COLUMNS, INTERVAL_COLUMNS, Metric, SweepFile};
use bandgraph_study::{AxisSummary, Extreme, Finding, Group, Point, Record, SweepSummary, SweepVerdict};
use serde_json::Value;

use super::row::{cells, label, origin, point_label, sweep_columns};
use crate::json::{SoftwareDocument, StatusesDocument};
use crate::text::counted;

/// The version of the JSON of a sweep. It grows when a field is renamed or removed, or changes its meaning.
pub(crate) const SWEEP_SCHEMA_VERSION: u32 = 1;

/// Points that a document lists at most; of a sweep with more, only those that are not as expected.
pub const MAXIMUM_CASES: usize = 10_000;

/// The cells of a point by their columns.
type SweepCells = BTreeMap<String, Value>;

/// The ends of an interval of a metric in the columns that end like this.
pub(super) fn ends(row: &SweepCells, metric: &str, columns: [&str; 2]) -> Option<[f64; 2]> {
    let [low, high] = columns.map(|end| row.get(&format!("{metric}{end}")).and_then(Value::as_f64));
    Some([low?, high?])
}

/// Columns of rows that a document says in other places, beside those of the origin.
const ELSEWHERE: [&str; 4] = ["point", "error_id", "error", "input_hash"];

documents! {
    /// A sweep: what was asked and what was found.
    ///
    /// All quantities are in SI base units. Shares are 0 to 1, never percent.
    #[schemars(title = "Bandgraph sweep result")]
    pub struct SweepDocument {
        /// Version of this format.
        pub schema: u32,
        /// Version of the program that wrote this.
        pub bandgraph: String,
        /// Name of the sweep.
        pub sweep: String,
        /// What it is about; empty if the file does not say.
        pub description: String,
        /// The sweep file, as it was asked for.
        pub file: String,
        /// How points are answered: `predict` or `simulate`.
        pub mode: String,
        /// Seed of all random streams; of the first point where an axis varies it.
        #[serde(default)]
        pub seed: u64,
        /// The overrides of the command line, in their order.
        pub overrides: Vec<String>,
        /// The software that the server runs; without a name where points differ in it.
        #[serde(default)]
        pub software: SoftwareDocument,
        /// How the uncertain figures that matter for the first point were found; left out without draws,
        /// and if none matters for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub statuses: Option<StatusesDocument>,
        /// Hash of the sweep with all its files and overrides.
        pub input_hash: String,
        /// The metric that tables and pictures show.
        pub metric: String,
        /// The unit of that metric; `1` for shares, ratios and counts.
        pub unit: String,
        /// How many points there are.
        pub count: u64,
        /// How many of them ended in an error.
        pub errors: u64,
        /// At how many of them the load exceeds the capacity, so that there is no steady state and no
        /// latency.
        #[serde(default)]
        pub overloaded: u64,
        /// How many of them are not as expected.
        pub failing: u64,
        /// The metric along each axis, in file order.
        pub axes: Vec<SweepAxisDocument>,
        /// The points with the greatest values of the metric, the greatest first.
        pub greatest: Vec<SweepExtremeDocument>,
        /// The points with the least values of the metric, the least first.
        pub least: Vec<SweepExtremeDocument>,
        /// How many points each kind of bottleneck limits.
        pub bottlenecks: Vec<SweepBottleneckDocument>,
        /// Expectations, and the comparison with a baseline if there was one.
        pub expectations: Vec<SweepExpectationDocument>,
        /// The columns of `row` of every point, in the order of the CSV.
        pub columns: Vec<String>,
        /// The points, in the order of their numbers; of more than 10,000 only those that are not as
        /// expected.
        pub points: Vec<SweepPointDocument>,
        /// What else there is to say, such as points that the baseline does not have.
        pub notes: Vec<String>,
    }

    /// The metric along one axis, over all values of the others.
    pub struct SweepAxisDocument(axis: &AxisSummary, unit: &str) {
        /// Name of the axis.
        pub id: String = axis.axis.clone(),
        /// Its values, or ranges of them, in their order.
        pub values: Vec<SweepValueDocument> =
            axis.groups.iter().map(|group| SweepValueDocument::new(group, unit)).collect(),
    }

    /// The points with one value of an axis, or with values in one range.
    pub struct SweepValueDocument(group: &Group, unit: &str) {
        /// The value, or the first and the last of the range, in words.
        pub id: String = group.label.clone(),
        /// The unit of the figures.
        pub unit: String = unit.to_owned(),
        /// How many points have a value of the metric.
        pub count: u64 = group.points,
        /// Its mean; null without points.
        pub mean: Option<f64> = group.mean(),
        /// Its least value; null without points.
        pub low: Option<f64> = group.mean().map(|_| group.least),
        /// Its greatest value; null without points.
        pub high: Option<f64> = group.mean().map(|_| group.greatest),
    }

    /// A point at an end of the metric.
    pub struct SweepExtremeDocument(extreme: &Extreme, sweep: &SweepFile, row: &SweepCells, metric: Metric) {
        /// The values of its axes, in words.
        pub id: String = label(sweep, &extreme.values),
        /// Its number.
        pub point: u64 = extreme.number,
        /// Its value of the metric.
        pub value: f64 = extreme.value,
        /// The unit of the value.
        #[serde(default)]
        pub unit: String = metric.unit().to_owned(),
        /// Its 90 % interval: low, high; left out without draws.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub interval: Option<[f64; 2]> = ends(row, metric.as_str(), INTERVAL_COLUMNS),
        /// The 90 % interval of its gain over the reference: low, high; left out without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub gain: Option<[f64; 2]> = ends(row, metric.as_str(), GAIN_COLUMNS),
    }

    /// Points with one kind of bottleneck.
    #[derive(Eq)]
    pub struct SweepBottleneckDocument {
        /// The kind.
        pub kind: String,
        /// How many points there are.
        pub count: u64,
    }

    /// An expectation over the sweep.
    #[derive(Eq)]
    pub struct SweepExpectationDocument(verdict: SweepVerdict) {
        /// Its id; `baseline` for the comparison with one.
        pub id: String = verdict.gate,
        /// Whether it holds.
        pub ok: bool = verdict.ok,
        /// What was expected and what was found.
        pub message: String = verdict.message,
        /// How many points it is about.
        pub count: u64 = verdict.points,
        /// For how many of them it does not hold.
        pub failed: u64 = verdict.failed,
    }

    /// One point.
    pub struct SweepPointDocument {
        /// The values of its axes, in words: what tells it from others.
        pub id: String,
        /// Its number.
        pub point: u64,
        /// The value of each axis, in words.
        pub values: Vec<String>,
        /// Its figures by column; null where it has none.
        pub row: SweepCells,
        /// What is not as expected.
        pub findings: Vec<SweepFindingDocument>,
        /// Why it has no figures; null where it has them.
        pub error: Option<String>,
    }

    /// What is not as expected of a point.
    #[derive(Eq)]
    pub struct SweepFindingDocument {
        /// What found it: the id of an expectation, or `baseline`.
        pub gate: String,
        /// What is wrong.
        pub message: String,
    }
}

impl SweepDocument {
    /// Whether every expectation holds, and nothing deviates from the baseline.
    pub fn holds(&self) -> bool {
        self.failing == 0 && self.expectations.iter().all(|expectation| expectation.ok)
    }
}

/// A document under construction: records come one at a time, so that a sweep of millions is never in memory.
#[derive(Debug)]
pub(super) struct SweepReport<'s> {
    sweep: &'s SweepFile,
    summary: SweepSummary,
    columns: Vec<String>,
    /// Columns that are no cells of points.
    elsewhere: Vec<&'static str>,
    failing: u64,
    points: Vec<SweepPointDocument>,
    /// How many of `points` are as expected.
    passing: usize,
}

impl<'s> SweepReport<'s> {
    /// A report of nothing yet, whose tables show a metric.
    pub(super) fn new(sweep: &'s SweepFile, metric: Metric) -> Self {
        Self {
            sweep,
            summary: SweepSummary::new(sweep, metric),
            columns: sweep_columns(sweep),
            elsewhere: ELSEWHERE
                .into_iter()
                .chain(origin(sweep).map(|(name, ..)| name))
                .collect(),
            failing: 0,
            points: Vec::new(),
            passing: 0,
        }
    }

    /// Takes in a record and what was found about it. Records come in the order of their numbers.
    pub(super) fn add(&mut self, point: &Point, record: &Record, findings: Vec<Finding>) {
        self.summary.add(point, record);
        self.failing += u64::from(!findings.is_empty());
        let is_listed = if findings.is_empty() && record.result.is_ok() {
            self.passing += 1;
            self.passing <= MAXIMUM_CASES
        } else {
            self.points.len() - self.passing.min(MAXIMUM_CASES) < MAXIMUM_CASES
        };
        if is_listed {
            self.points.push(self.listed(point, record, findings));
        }
    }

    fn listed(&self, point: &Point, record: &Record, findings: Vec<Finding>) -> SweepPointDocument {
        let row = self.columns.iter().zip(cells(self.sweep, point, record));
        let error = record.result.as_ref().err();
        SweepPointDocument {
            id: point_label(self.sweep, point),
            point: point.number,
            values: point.values.iter().map(|value| value.text.clone()).collect(),
            row: row
                .filter(|(column, _)| !self.elsewhere.contains(&column.as_str()))
                .map(|(column, cell)| (column.clone(), cell))
                .collect(),
            findings: findings
                .into_iter()
                .map(|Finding { gate, message }| SweepFindingDocument { gate, message })
                .collect(),
            error: error.map(|error| format!("{}: {}", error.id, error.message)),
        }
    }

    /// How many points ended in a defect of the program.
    pub(super) fn internal_errors(&self) -> u64 {
        self.summary.internal_errors
    }

    /// The document, of a sweep with these verdicts and notes.
    pub(super) fn document(mut self, verdicts: Vec<SweepVerdict>, mut notes: Vec<String>) -> SweepDocument {
        let (sweep, summary) = (self.sweep, self.summary);
        if summary.overloaded > 0 {
            notes.push(format!(
                "The load exceeds the capacity at {}: there is no steady state, and so no latency of it.",
                counted(summary.overloaded as f64, "point")
            ));
        }
        if summary.points > MAXIMUM_CASES as u64 {
            self.points
                .retain(|point| point.error.is_some() || !point.findings.is_empty());
        }
        let unit = summary.metric.unit();
        let nothing = SweepCells::new();
        let extremes = |found: &[Extreme]| {
            let extreme = |extreme: &Extreme| {
                // Of a sweep of very many points not all are kept.
                let mut points = self.points.iter();
                let point = points.find(|point| point.point == extreme.number);
                let row = point.map_or(&nothing, |point| &point.row);
                SweepExtremeDocument::new(extreme, sweep, row, summary.metric)
            };
            found.iter().map(extreme).collect::<Vec<_>>()
        };
        let (greatest, least) = (extremes(&summary.greatest), extremes(&summary.least));
        SweepDocument {
            schema: SWEEP_SCHEMA_VERSION,
            bandgraph: crate::VERSION.to_owned(),
            sweep: sweep.name.clone(),
            description: sweep.description.clone(),
            file: sweep.path.display().to_string(),
            mode: sweep.mode.as_str().to_owned(),
            seed: sweep.seed(),
            overrides: sweep.overrides.clone(),
            software: SoftwareDocument::of_all(&sweep.servers),
            statuses: StatusesDocument::of_draws(&summary.weights),
            input_hash: sweep.sweep_hash.clone(),
            metric: summary.metric.to_string(),
            unit: unit.to_owned(),
            count: summary.points,
            errors: summary.errors,
            overloaded: summary.overloaded,
            failing: self.failing,
            axes: summary
                .axes
                .iter()
                .map(|axis| SweepAxisDocument::new(axis, unit))
                .collect(),
            greatest,
            least,
            bottlenecks: summary
                .bottlenecks
                .iter()
                .map(|(kind, &count)| SweepBottleneckDocument {
                    kind: kind.clone(),
                    count,
                })
                .collect(),
            expectations: verdicts.into_iter().map(SweepExpectationDocument::new).collect(),
            columns: self
                .columns
                .into_iter()
                .filter(|column| !self.elsewhere.contains(&column.as_str()))
                .collect(),
            points: self.points,
            notes,
        }
    }
}
