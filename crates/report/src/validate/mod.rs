//! Validations: every measurement beside its prediction, as text, CSV, Markdown and JSON.

mod csv;
mod json;
mod page;
mod text;

use bandgraph_study::{Coverage, ErrorSummary, LimitGroup, ModelErrors, ValidatedPoint, Validation};

pub use csv::{VALIDATE_COLUMNS, validate_csv};
pub(crate) use json::errors;
pub use json::{
    VALIDATE_SCHEMA_VERSION, ValidateBottleneckDocument, ValidateCoverageDocument, ValidateDocument,
    ValidateErrorsDocument, ValidateGroupDocument, ValidateLinkDocument, ValidateLinkRunDocument,
    ValidatePointDocument, ValidateSummaryDocument, validate_document, validate_schema,
};
pub use page::validation_page;
pub use text::validate_view;

use crate::text::percent;

/// A validation, gathered for reporting.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidateReport {
    /// What was found.
    pub validation: Validation,
    /// How many scenarios had nothing to be held against.
    pub without_measurements: usize,
    /// What the model misses, as its unseen points say; `None` where no intervals were drawn.
    pub model_errors: Option<ModelErrors>,
}

/// How many points of a group are within their intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct CoverageGroup {
    /// What they have in common: what limits, or a system.
    pub name: String,
    /// Of all of them.
    pub all: Coverage,
    /// Of those that are unseen.
    pub unseen: Coverage,
    /// What the model misses there, as a share of a prediction; `None` of a group by something else than
    /// what limits.
    pub model_error: Option<f64>,
}

/// The errors of the points that have something in common.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorGroup {
    /// What they have in common: a system, a metric.
    pub name: String,
    /// Their errors.
    pub errors: ErrorSummary,
    /// The errors of those of them that are unseen.
    pub unseen: ErrorSummary,
}

impl ValidateReport {
    /// The errors of all points.
    pub fn errors(&self) -> ErrorSummary {
        ErrorSummary::of(&self.validation.points)
    }

    /// The errors of the unseen points: nothing was fitted to them or derived from them, and they repeat no
    /// other.
    pub fn unseen(&self) -> ErrorSummary {
        ErrorSummary::of(self.unseen_points())
    }

    fn unseen_points(&self) -> impl Iterator<Item = &ValidatedPoint> {
        self.validation.points.iter().filter(|point| point.is_unseen())
    }

    /// The mean errors of unseen points, each system counted once: its points are the systems that have some.
    pub fn unseen_by_system(&self) -> ErrorSummary {
        let systems = self.by_system().into_iter();
        let with_some = systems.filter(|system| system.unseen.points > 0);
        ErrorSummary::of_errors(with_some.map(|system| system.unseen.mean))
    }

    /// The errors of the unseen points for which there is a rule without a model, and those of that rule.
    pub fn beside_null_model(&self) -> [ErrorSummary; 2] {
        let points = || {
            self.unseen_points()
                .filter(|point| point.measured.null_model.is_some())
        };
        let null = points().filter_map(ValidatedPoint::deviation_of_null_model);
        [ErrorSummary::of(points()), ErrorSummary::of_errors(null)]
    }

    /// How far unseen points are off, in a sentence; `None` without any.
    pub(crate) fn unseen_sentence(&self) -> Option<String> {
        let (points, systems) = (self.unseen(), self.unseen_by_system());
        (points.points > 0).then(|| {
            format!(
                "{} unseen points of {} systems, systems weighted equally: off by {} on average, median {}; single points: median \
                 {}, mean {}, largest {}",
                points.points,
                systems.points,
                percent(systems.mean),
                percent(systems.median),
                percent(points.median),
                percent(points.mean),
                percent(points.max),
            )
        })
    }

    /// The same of a rule without a model beside the model, in a sentence; `None` where there is none.
    pub(crate) fn null_model_sentence(&self) -> Option<String> {
        let [model, null] = self.beside_null_model();
        (null.points > 0).then(|| {
            format!(
                "For {} of them there is a rule without a model: it has a median of {} and a mean of {}, the model {} and {}",
                null.points,
                percent(null.median),
                percent(null.mean),
                percent(model.median),
                percent(model.mean),
            )
        })
    }

    /// How many points are within their intervals: of all, by what limits, then by system. None where no
    /// intervals were drawn.
    pub fn coverage(&self) -> Vec<CoverageGroup> {
        let Some(errors) = self.model_errors else {
            return Vec::new();
        };
        let group = |name: &str, model_error, is_of: &dyn Fn(&ValidatedPoint) -> bool| {
            let of = |unseen: bool| {
                let points = self.validation.points.iter().filter(|point| is_of(point));
                Coverage::of(points.filter(|point| !unseen || point.is_unseen()))
            };
            CoverageGroup {
                name: name.to_owned(),
                all: of(false),
                unseen: of(true),
                model_error,
            }
        };
        let by_limit = LimitGroup::ALL.into_iter().map(|limit| {
            let is_of = |point: &ValidatedPoint| point.interval.is_some_and(|found| found.limit == limit);
            group(limit.as_str(), Some(errors.of(limit)), &is_of)
        });
        let systems = self.by_system().into_iter();
        let by_system = systems.map(|system| {
            let is_of = |point: &ValidatedPoint| point.system == system.name;
            group(&system.name, None, &is_of)
        });
        [group("all", None, &|_| true)]
            .into_iter()
            .chain(by_limit)
            .chain(by_system)
            .filter(|group| group.all.points > 0)
            .collect()
    }

    /// How many points are within their intervals, in a sentence without a stop; `None` where no intervals
    /// were drawn.
    pub(crate) fn coverage_sentence(&self) -> Option<String> {
        let groups = self.coverage();
        let CoverageGroup { all, unseen, .. } = groups.first()?;
        let of = |found: &Coverage| {
            format!(
                "{} of {} ({}), with a mean width of ±{}; a constant ±{} has as many inside",
                found.inside,
                found.points,
                percent(found.share()),
                percent(found.half_width),
                percent(found.constant)
            )
        };
        Some(format!(
            "Within their 90 % interval are, of unseen points, {}; of all points, {}",
            of(unseen),
            of(all)
        ))
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
            ErrorSummary::of(members.filter(|point| !unseen || point.is_unseen()))
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

/// What stands beside a point: whether something was fitted to it, what kind of bound it is, and that it is
/// outside.
fn remarks(point: &ValidatedPoint) -> Vec<&'static str> {
    let mut remarks = Vec::new();
    if point.measured.calibrated {
        remarks.push("fitted");
    }
    if let Some(dependence) = point.measured.dependence {
        remarks.push(dependence.as_str());
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

/// The interval of what is predicted, in the unit of what was measured.
fn interval_words(point: &ValidatedPoint) -> Option<String> {
    let found = point.interval?.interval;
    let of = |value: f64| in_words_of(point, crate::text::rounded(value));
    Some(crate::text::span(&of(found.low), &of(found.high)))
}

fn in_words_of(point: &ValidatedPoint, value: f64) -> String {
    let kind = point
        .measured
        .metric
        .kind()
        .filter(|_| point.measured.relative_to.is_none());
    crate::comparison::in_words(kind, value, &point.measured.text)
}

/// What is predicted, in the unit of what was measured.
fn predicted_words(point: &ValidatedPoint) -> Option<String> {
    Some(in_words_of(point, point.predicted?))
}
