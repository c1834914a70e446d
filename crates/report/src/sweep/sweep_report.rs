//! Everything that the formats of a whole sweep say.

use bandgraph_scenario::SweepFile;
use bandgraph_study::{Finding, Point, Record, SweepSummary, SweepVerdict};

use super::row::{file_stem, point_label};

/// Points that are told one by one at most; of more, the rest is counted.
pub const MAXIMUM_CASES: usize = 10_000;

/// Rows of a table of all points. Of more points only the ends are shown.
const ROWS: usize = 40;

/// A sweep, gathered for reporting one record at a time.
#[derive(Debug)]
pub struct SweepReport<'s> {
    /// The sweep.
    pub sweep: &'s SweepFile,
    /// All points together.
    pub summary: SweepSummary,
    /// Expectations, and the comparison with a baseline if there is one.
    pub verdicts: Vec<SweepVerdict>,
    /// What to say besides: points that are not in the baseline, and the like.
    pub notes: Vec<String>,
    /// Points that are not as expected: the first of them.
    pub(crate) failing: Vec<FailingPoint>,
    pub(crate) failing_count: u64,
    /// All points that are fine, as long as they are few.
    pub(crate) passing: Vec<(u64, String)>,
    /// All points, as long as they are few.
    pub(crate) rows: Vec<SweepRow>,
}

/// A point that is not as expected, or that ended in an error.
#[derive(Clone, Debug)]
pub struct FailingPoint {
    /// Its number.
    pub number: u64,
    /// Its values, in words.
    pub label: String,
    /// What is not as expected.
    pub findings: Vec<Finding>,
    /// Why it has no figures.
    pub error: Option<String>,
}

/// A row of a table of all points.
#[derive(Clone, Debug)]
pub(crate) struct SweepRow {
    /// The values of the axes, in words.
    pub(crate) values: Vec<String>,
    pub(crate) value: Option<f64>,
    pub(crate) bottleneck: String,
    pub(crate) failing: bool,
}

impl<'s> SweepReport<'s> {
    /// A report of nothing yet.
    pub fn new(sweep: &'s SweepFile, summary: SweepSummary) -> Self {
        Self {
            sweep,
            summary,
            verdicts: Vec::new(),
            notes: Vec::new(),
            failing: Vec::new(),
            failing_count: 0,
            passing: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Takes in a record and what was found about it. Records come in the order of their numbers.
    pub fn add(&mut self, point: &Point, record: &Record, findings: Vec<Finding>) {
        self.summary.add(point, record);
        let error = record
            .result
            .as_ref()
            .err()
            .map(|error| format!("{}: {}", error.id, error.message));
        let failing = !findings.is_empty();
        self.failing_count += u64::from(failing);
        let label = || point_label(self.sweep, point);
        if self.rows.len() <= ROWS {
            let figures = record.result.as_ref().ok();
            let bottleneck = figures.and_then(|figures| figures.bottleneck.as_ref());
            self.rows.push(SweepRow {
                values: point
                    .values
                    .iter()
                    .map(|value| file_stem(&value.text).to_owned())
                    .collect(),
                value: figures.and_then(|figures| figures.metric(self.summary.metric)),
                bottleneck: match (&error, bottleneck) {
                    (Some(error), _) => error.clone(),
                    (None, Some(found)) => found.id.clone(),
                    (None, None) => String::new(),
                },
                failing: failing || error.is_some(),
            });
        }
        if failing || error.is_some() {
            if self.failing.len() < MAXIMUM_CASES {
                self.failing.push(FailingPoint {
                    number: point.number,
                    label: label(),
                    findings,
                    error,
                });
            }
        } else if self.passing.len() < MAXIMUM_CASES {
            self.passing.push((point.number, label()));
        }
    }

    /// Whether every expectation holds, and nothing parts from the baseline.
    pub fn holds(&self) -> bool {
        self.failing_count == 0 && self.verdicts.iter().all(|verdict| verdict.ok)
    }

    /// All points, if they are few enough for a table.
    pub(crate) fn table(&self) -> Option<&[SweepRow]> {
        (self.rows.len() <= ROWS).then_some(&self.rows)
    }

    /// Points that are not as expected, without those that merely ended in an error.
    pub(crate) fn unexpected(&self) -> impl Iterator<Item = &FailingPoint> {
        self.failing.iter().filter(|point| !point.findings.is_empty())
    }

    /// One sentence on how it went.
    pub(crate) fn verdict_sentence(&self) -> String {
        let points = self.summary.points;
        let errors = match self.summary.errors {
            0 => String::new(),
            1 => ", 1 of them ended in an error".to_owned(),
            errors => format!(", {errors} of them ended in an error"),
        };
        let gate = match (self.holds(), self.verdicts.is_empty()) {
            (true, true) => String::new(),
            (true, false) => "; all expectations hold".to_owned(),
            (false, _) => match self.failing_count {
                0 => "; an expectation over all points does not hold".to_owned(),
                1 => "; 1 point is not as expected".to_owned(),
                count => format!("; {count} points are not as expected"),
            },
        };
        let noun = if points == 1 { "point" } else { "points" };
        format!("{points} {noun}{errors}{gate}")
    }
}
