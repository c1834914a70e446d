//! Validations: every measurement beside its prediction, as text, CSV, Markdown and JSON.

mod csv;
mod json;
mod markdown;
mod page;
mod text;

use bandgraph_study::{ErrorSummary, ValidatedPoint, Validation};

pub use csv::{VALIDATE_COLUMNS, validate_csv};
pub(crate) use json::errors;
pub use json::{
    VALIDATE_SCHEMA_VERSION, ValidateBottleneckDocument, ValidateDocument, ValidateErrorsDocument,
    ValidateGroupDocument, ValidateLinkDocument, ValidateLinkRunDocument, ValidatePointDocument,
    ValidateSummaryDocument, validate_json, validate_schema,
};
pub use markdown::validate_markdown;
pub use page::validation_page;
pub use text::validate_text;

use crate::NotFinite;

/// A validation, gathered for reporting. See to it that its numbers pass [`ValidateReport::check`], then hand it to any
/// format.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidateReport {
    /// What was found.
    pub validation: Validation,
    /// How many scenarios had nothing to be held against.
    pub without_measurements: usize,
}

/// The errors of the points that have something in common.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorGroup {
    /// What they have in common: a system, a metric.
    pub name: String,
    /// Their errors.
    pub errors: ErrorSummary,
    /// The errors of those of them that nothing was fitted to.
    pub unseen: ErrorSummary,
}

impl ValidateReport {
    /// Checks that every number can be reported.
    ///
    /// # Errors
    ///
    /// The first number that is not finite.
    pub fn check(&self) -> Result<(), NotFinite> {
        let points = self.validation.points.iter();
        let points = points.map(|point| {
            (
                &point.measured.id,
                point.measured.metric.as_str(),
                point.predicted,
            )
        });
        let links = self.validation.links.iter();
        let links = links.map(|link| (&link.measured.link, "bytes_per_s", link.predicted));
        match points
            .chain(links)
            .find(|(_, _, value)| value.is_some_and(|value| !value.is_finite()))
        {
            Some((subject, metric, value)) => Err(NotFinite {
                subject: subject.clone(),
                metric: metric.to_owned(),
                value: value.unwrap_or_default(),
            }),
            None => Ok(()),
        }
    }

    /// The errors of all points.
    pub fn errors(&self) -> ErrorSummary {
        ErrorSummary::of(&self.validation.points)
    }

    /// The errors of the points that nothing was fitted to.
    pub fn unseen(&self) -> ErrorSummary {
        ErrorSummary::of(
            self.validation
                .points
                .iter()
                .filter(|point| !point.measured.calibrated),
        )
    }

    /// The errors for each system, in the order in which systems first come.
    pub fn by_system(&self) -> Vec<ErrorGroup> {
        self.groups(|point| &point.system)
    }

    /// The errors for each metric, in the order in which metrics first come.
    pub fn by_metric(&self) -> Vec<ErrorGroup> {
        self.groups(|point| point.measured.metric.as_str())
    }

    fn groups<'r>(&'r self, name: impl Fn(&'r ValidatedPoint) -> &'r str) -> Vec<ErrorGroup> {
        let points = &self.validation.points;
        let mut names: Vec<&str> = Vec::new();
        for point in points {
            if !names.contains(&name(point)) {
                names.push(name(point));
            }
        }
        let of = |wanted: &str, unseen: bool| {
            let members = points.iter().filter(|point| name(point) == wanted);
            ErrorSummary::of(members.filter(|point| !(unseen && point.measured.calibrated)))
        };
        let group = |wanted: &str| ErrorGroup {
            name: wanted.to_owned(),
            errors: of(wanted, false),
            unseen: of(wanted, true),
        };
        names.into_iter().map(group).collect()
    }

    /// How many bounds are kept, which no error can be told of.
    pub fn kept_bounds(&self) -> usize {
        self.validation
            .points
            .iter()
            .filter(|point| point.is_kept_bound())
            .count()
    }

    /// The same in words, without a stop.
    pub(crate) fn kept_bounds_sentence(&self) -> String {
        match self.kept_bounds() {
            1 => "One bound is kept; it does not count, because no error can be told of it".to_owned(),
            count => {
                format!("{count} bounds are kept; they do not count, because no error can be told of them")
            }
        }
    }

    /// Points that are off by more than they may be, or have no prediction.
    pub fn outside(&self) -> Vec<&ValidatedPoint> {
        self.validation
            .points
            .iter()
            .filter(|point| !point.is_within())
            .collect()
    }

    /// The verdict in a sentence.
    pub fn verdict_sentence(&self) -> String {
        let outside = self.outside().len();
        let wrong = self
            .validation
            .bottlenecks
            .iter()
            .filter(|named| !named.holds())
            .count();
        let points = self.validation.points.len();
        let named = self.validation.bottlenecks.len();
        let points = match outside {
            0 => format!("all {points} points are within their tolerance"),
            1 => format!("1 of {points} points is outside its tolerance"),
            _ => format!("{outside} of {points} points are outside their tolerance"),
        };
        match (named, wrong) {
            (0, _) => points,
            (1, 0) => format!("{points}; the bottleneck is the one that the source names"),
            (_, 0) => format!("{points}; all {named} bottlenecks are those that the sources name"),
            (_, 1) => format!("{points}; 1 of {named} bottlenecks is another than the source names"),
            _ => format!("{points}; {wrong} of {named} bottlenecks are others than the sources name"),
        }
    }
}

/// What stands beside a point: whether something was fitted to it, what kind of bound it is, and that it is outside.
fn remarks(point: &ValidatedPoint) -> Vec<&'static str> {
    let mut remarks = Vec::new();
    if point.measured.calibrated {
        remarks.push("fitted");
    }
    if point.measured.is_bound() {
        remarks.push(point.measured.statistic.as_str());
    }
    if !point.is_within() {
        remarks.push("OUTSIDE");
    }
    remarks
}

/// What was measured, in words; of a ratio, the plain number.
fn measured_words(point: &ValidatedPoint) -> String {
    point.measured.text.clone()
}

/// What is predicted, in the unit of what was measured.
fn predicted_words(point: &ValidatedPoint) -> Option<String> {
    let kind = point
        .measured
        .metric
        .kind()
        .filter(|_| point.measured.relative_to.is_none());
    Some(crate::comparison::in_words(
        kind,
        point.predicted?,
        &point.measured.text,
    ))
}
