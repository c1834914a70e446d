//! The JSON of a validation. Its fields are a contract like those of a run: more may be added, none renamed
//! or removed while `schema` is 1.

use bandgraph_config::InputHasher;
use bandgraph_model::LimitGroup;
use bandgraph_scenario::{Loaded, Metric, Statistic};
use bandgraph_study::{
    Coverage, ErrorSummary, LinkRun, ModelErrors, ValidatedBottleneck, ValidatedLink, ValidatedPoint,
};
use bandgraph_units::QuantityKind;

use super::ValidateReport;
use crate::VERSION;
use crate::json::{ModeDocument, SoftwareDocument};

/// The version of the JSON of a validation. It grows when a field is renamed or removed, or changes its
/// meaning.
pub const VALIDATE_SCHEMA_VERSION: u32 = 1;

documents! {
    /// Measurements beside predictions.
    ///
    /// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
    /// percent.
    #[schemars(title = "Bandgraph validation result")]
    pub struct ValidateDocument(report: &ValidateReport) {
        let validation = &report.validation;

        /// Version of this format.
        pub schema: u32 = VALIDATE_SCHEMA_VERSION,
        /// Version of the program that wrote this.
        pub bandgraph: String = VERSION.to_owned(),
        /// How the scenarios were answered.
        #[serde(default)]
        pub mode: ModeDocument = ModeDocument::of(report.method),
        /// The folders and scenarios that were asked for.
        #[serde(default)]
        pub files: Vec<String> = report.files.clone(),
        /// The overrides of the command line, in order.
        #[serde(default)]
        pub overrides: Vec<String> = report.overrides.clone(),
        /// The scenarios with measurements, and what each was made from, in order.
        #[serde(default)]
        pub scenarios: Vec<ValidateScenarioDocument> = report.scenarios.clone(),
        /// Hash of everything that went in: of the `input_hash` of each scenario.
        #[serde(default)]
        pub input_hash: String = {
            let hashes = report.scenarios.iter().map(|scenario| scenario.input_hash.as_bytes());
            InputHasher::default().hash_of(hashes)
        },
        /// Every `[[measured]]` entry, in the order of scenarios.
        pub points: Vec<ValidatePointDocument> =
            validation.points.iter().map(ValidatePointDocument::new).collect(),
        /// Every `[[measured_link]]` entry.
        pub links: Vec<ValidateLinkDocument> =
            validation.links.iter().map(ValidateLinkDocument::new).collect(),
        /// Every `[bottleneck]` that a source names.
        pub bottlenecks: Vec<ValidateBottleneckDocument> =
            validation.bottlenecks.iter().map(ValidateBottleneckDocument::new).collect(),
        /// All of it in a few figures.
        pub summary: ValidateSummaryDocument = ValidateSummaryDocument::new(report),
    }

    /// What a scenario with measurements was made from.
    pub struct ValidateScenarioDocument(loaded: &Loaded) {
        /// Its name.
        pub name: String = loaded.name.clone(),
        /// What tables of measurements call the server.
        pub system: String = loaded.system.clone(),
        /// Its file.
        pub file: String = loaded.path.display().to_string(),
        /// Seed of all random streams.
        pub seed: u64 = loaded.scenario.run.seed,
        /// The software that the server runs.
        pub software: SoftwareDocument = SoftwareDocument::of(&loaded.scenario),
        /// Hash of everything that went in.
        pub input_hash: String = loaded.input_hash.clone(),
    }

    /// One measurement beside its prediction.
    pub struct ValidatePointDocument(point: &ValidatedPoint) {
        let measured = &point.measured;
        let is_ratio = measured.relative_to.is_some();

        /// Id of the measurement.
        pub id: String = measured.id.clone(),
        /// What tables of measurements call the server.
        pub system: String = point.system.clone(),
        /// Name of the scenario.
        pub scenario: String = point.scenario.clone(),
        /// File of the scenario.
        pub file: String = point.path.display().to_string(),
        /// What was measured.
        pub metric: String = measured.metric.as_str().to_owned(),
        /// Id of the resource that it is of; null for figures of the whole run.
        pub resource: Option<String> = measured.resource.clone(),
        /// File of the scenario that it is relative to; null where it is a figure by itself.
        pub relative_to: Option<String> =
            measured.relative_to.as_ref().map(|path| path.display().to_string()),
        /// Unit of `measured` and `predicted`; `1` for shares, ratios and plain numbers.
        pub unit: String = if is_ratio { "1" } else { measured.metric.unit() }.to_owned(),
        /// The value measured.
        pub measured: f64 = measured.value,
        /// The same as its file has it, such as `2.06 GiB/s`.
        #[serde(default)]
        pub measured_text: String = measured.text.clone(),
        /// The value predicted; null where there is none.
        pub predicted: Option<f64> = point.predicted,
        /// Between which two values the true one is with a probability of 90 %, in `unit`; left out where no
        /// interval was drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub interval: Option<[f64; 2]> =
            point.interval.map(|found| [found.interval.low, found.interval.high]),
        /// The share of the draws below the measurement, 0 to 1; left out as `interval`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub place: Option<f64> = point.interval.map(|found| found.place),
        /// What limits, by which points count together: `cores`, `links and memory`, ...; left out as
        /// `interval`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub limit: Option<String> = point.interval.map(|found| found.limit.as_str().to_owned()),
        /// (predicted - measured) / measured; null where there is no prediction or the measurement is 0.
        pub relative_error: Option<f64> = point.relative_error(),
        /// As the relative error, but 0 where the measurement is a bound and the prediction keeps it.
        pub deviation: Option<f64> = point.deviation(),
        /// What kind of value was published, such as `average`, `lower bound`.
        pub statistic: String = measured.statistic.as_str().to_owned(),
        /// How large the deviation may be.
        pub tolerance: f64 = measured.tolerance,
        /// Why it may be that large; null where nothing is said.
        pub reason: Option<String> = measured.reason.clone(),
        /// Whether the deviation is within the tolerance.
        pub within: bool = point.is_within(),
        /// Whether some figure of the model was fitted to this measurement.
        pub calibrated: bool = measured.calibrated,
        /// Another reason why it does not count as unseen: `derived`, `same run` or `insensitive`; left out
        /// where it does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub dependence: Option<String> = measured.dependence.map(|dependence| dependence.as_str().to_owned()),
        /// What a rule without a model predicts, in `unit`; left out where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub null_model: Option<f64> = measured.null_model,
        /// Where the measurement comes from.
        pub source: String = measured.source.clone(),
        /// What else is to be known; null where nothing is said.
        pub note: Option<String> = measured.note.clone(),
    }
}

impl ValidatePointDocument {
    /// The kind of quantity of its values; `None` of ratios and plain numbers.
    pub(crate) fn kind(&self) -> Option<QuantityKind> {
        let metric = Metric::from_name(&self.metric)?;
        metric.kind().filter(|_| self.relative_to.is_none())
    }

    /// Whether it says how well the model predicts: nothing was fitted to it, and it follows from no other.
    pub(crate) fn is_unseen(&self) -> bool {
        !self.calibrated && self.dependence.is_none()
    }

    /// Whether any value on the right side would do.
    pub(crate) fn is_bound(&self) -> bool {
        [Statistic::LowerBound, Statistic::UpperBound]
            .iter()
            .any(|bound| self.statistic == bound.as_str())
    }

    /// Whether it is a bound that the prediction keeps: right, but without an error.
    pub(crate) fn is_kept_bound(&self) -> bool {
        self.is_bound() && self.deviation == Some(0.0)
    }
}

documents! {
    /// One counter of a link beside its prediction.
    pub struct ValidateLinkDocument(link: &ValidatedLink) {
        /// Name of the run in the table of measurements.
        pub run: String = link.measured.run.clone(),
        /// What tables of measurements call the server.
        pub system: String = link.system.clone(),
        /// Name of the scenario.
        pub scenario: String = link.scenario.clone(),
        /// Id of the link.
        pub link: String = link.measured.link.clone(),
        /// Whether it joins two sockets; the others lead to I/O bridges.
        pub between_sockets: bool = link.between_sockets,
        /// What the counter showed, in bytes per second.
        pub measured: f64 = link.measured.value,
        /// What is predicted, in bytes per second; null where there is no such link.
        pub predicted: Option<f64> = link.predicted,
        /// (predicted - measured) / measured; null where there is no prediction or the measurement is 0.
        pub relative_error: Option<f64> = link.relative_error(),
        /// Whether some figure of the model was fitted to this counter.
        pub calibrated: bool = link.measured.calibrated,
        /// Where the measurement comes from.
        pub source: String = link.measured.source.clone(),
    }

    /// The bottleneck that a source names beside the one predicted.
    pub struct ValidateBottleneckDocument(found: &ValidatedBottleneck) {
        /// What tables of measurements call the server.
        pub system: String = found.system.clone(),
        /// Name of the scenario.
        pub scenario: String = found.scenario.clone(),
        /// The kind of limit that the source names.
        pub kind: String = found.named.kind.as_str().to_owned(),
        /// The technology of the resources that the source names, as that of a run; left out without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub technology: Option<String> = found.named_technology.clone(),
        /// The resources that it names; empty if it names none.
        pub resources: Vec<String> = found.named.resources.clone(),
        /// The kind of limit predicted.
        pub predicted_kind: String = found.predicted.kind.as_str().to_owned(),
        /// The technology of what limits; left out without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub predicted_technology: Option<String> = found.predicted.technology().map(str::to_owned),
        /// The resources that are predicted to be full together, the fullest first.
        pub predicted_resources: Vec<String> = found.predicted.ids(),
        /// Whether both are the same.
        pub ok: bool = found.holds(),
        /// Where the statement comes from.
        pub source: String = found.named.source.clone(),
    }

    /// Errors of several points, without their signs. Bounds that are kept do not count.
    #[derive(Copy)]
    pub struct ValidateErrorsDocument(summary: ErrorSummary) {
        let told = |value: f64| (summary.points > 0).then_some(value);

        /// How many points count.
        pub points: usize = summary.points,
        /// Half of the errors are no larger; null without points.
        pub median: Option<f64> = told(summary.median),
        /// Their mean; null without points.
        pub mean: Option<f64> = told(summary.mean),
        /// The largest; null without points.
        pub max: Option<f64> = told(summary.max),
    }

    /// Errors of the points that have something in common.
    pub struct ValidateGroupDocument {
        /// What they have in common: a system or a metric.
        pub name: String,
        /// The errors of all of them.
        pub all: ValidateErrorsDocument,
        /// The errors of those that are unseen.
        pub unseen: ValidateErrorsDocument,
    }

    /// The links between sockets of one run of the counters.
    pub struct ValidateLinkRunDocument(run: &LinkRun) {
        /// Name of the run in the table of measurements.
        pub run: String = run.run.clone(),
        /// How many links were compared.
        pub links: usize = run.links,
        /// How many of them some figure of the model was fitted to.
        #[serde(default)]
        pub calibrated: usize = run.calibrated,
        /// Mean error without sign.
        pub mean: f64 = run.mean,
        /// The largest error without sign.
        pub max: f64 = run.max,
        /// The link that carried most.
        pub hottest_measured: String = run.hottest_measured.clone(),
        /// The link that is predicted to carry most.
        pub hottest_predicted: String = run.hottest_predicted.clone(),
    }

    /// A validation in a few figures.
    pub struct ValidateSummaryDocument(report: &ValidateReport) {
        let validation = &report.validation;
        let points = &validation.points;
        let unseen = || points.iter().filter(|point| point.is_unseen());
        let by_system = groups(points, |point| &point.system);
        let means = by_system.iter().filter_map(|system| system.unseen.mean);
        let with_null_model = || unseen().filter(|point| point.measured.null_model.is_some());
        let outside = points.iter().filter(|point| !point.is_within());
        let coverage =
            report.model_errors.map_or_else(Vec::new, |missed| coverage(points, &by_system, missed));

        /// Whether every point is within its tolerance and every bottleneck the one that its source names.
        pub ok: bool = validation.holds(),
        /// The errors of all points.
        pub all: ValidateErrorsDocument = ValidateErrorsDocument::new(ErrorSummary::of(points)),
        /// The errors of the unseen points: nothing was fitted to them or derived from them, and they repeat
        /// no other.
        pub unseen: ValidateErrorsDocument = ValidateErrorsDocument::new(ErrorSummary::of(unseen())),
        /// The mean errors of unseen points with each system counted once: `points` are systems.
        pub unseen_by_system: ValidateErrorsDocument =
            ValidateErrorsDocument::new(ErrorSummary::of_errors(means)),
        /// The errors of the unseen points for which there is a rule without a model.
        pub beside_null_model: ValidateErrorsDocument =
            ValidateErrorsDocument::new(ErrorSummary::of(with_null_model())),
        /// The errors of that rule.
        pub null_model: ValidateErrorsDocument = ValidateErrorsDocument::new(ErrorSummary::of_errors(
            with_null_model().filter_map(ValidatedPoint::deviation_of_null_model),
        )),
        /// How many bounds are kept, which no error can be told of.
        pub kept_bounds: usize = points.iter().filter(|point| point.is_kept_bound()).count(),
        /// Ids of points outside their tolerance.
        pub outside: Vec<String> = outside.map(|point| point.measured.id.clone()).collect(),
        /// For each system.
        pub by_system: Vec<ValidateGroupDocument>,
        /// For each metric.
        pub by_metric: Vec<ValidateGroupDocument> = groups(points, |point| point.measured.metric.as_str()),
        /// For each run of link counters.
        pub links: Vec<ValidateLinkRunDocument> =
            LinkRun::all(&validation.links).iter().map(ValidateLinkRunDocument::new).collect(),
        /// How many points are within their 90 % intervals: of all, by what limits, by system; empty where no
        /// intervals were drawn.
        #[serde(default)]
        pub coverage: Vec<ValidateCoverageDocument>,
    }

    /// How many points of a group are within their 90 % intervals.
    pub struct ValidateCoverageDocument {
        /// `all`, what limits, or a system.
        pub name: String,
        /// Of all points.
        pub all: CoverageDocument,
        /// Of those that are unseen.
        pub unseen: CoverageDocument,
        /// What the model misses there: the standard deviation of the logarithm of predicted over measured;
        /// left out for `all` and for systems.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub model_error: Option<f64>,
        /// How far figures are from their values, as a share of what the program's own ranges allow; of `all`
        /// alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub ranges: Option<f64>,
    }

    /// How many of some points are within their intervals.
    #[derive(Copy)]
    pub struct CoverageDocument(found: Coverage) {
        let told = |value: f64| (found.points > 0).then_some(value);

        /// How many count: bounds that are kept do not.
        pub points: usize = found.points,
        /// How many are within their interval.
        pub inside: usize = found.inside,
        /// The mean of half the widths, as shares of the predictions; null without points.
        pub half_width: Option<f64> = told(found.half_width),
        /// The least constant share that has as many inside; null without points.
        pub constant: Option<f64> = told(found.constant),
    }
}

impl CoverageDocument {
    /// The share of the points that are within their interval; `None` without points.
    pub(crate) fn share(&self) -> Option<f64> {
        (self.points > 0).then(|| self.inside as f64 / self.points as f64)
    }
}

/// The errors of points by what they have in common, in the order in which it first comes.
fn groups<'p>(
    points: &'p [ValidatedPoint],
    name: impl Fn(&'p ValidatedPoint) -> &'p str,
) -> Vec<ValidateGroupDocument> {
    let mut names: Vec<&str> = Vec::new();
    for point in points {
        if !names.contains(&name(point)) {
            names.push(name(point));
        }
    }
    let group = |wanted: &str| {
        let members = || points.iter().filter(|point| name(point) == wanted);
        ValidateGroupDocument {
            name: wanted.to_owned(),
            all: ValidateErrorsDocument::new(ErrorSummary::of(members())),
            unseen: ValidateErrorsDocument::new(ErrorSummary::of(
                members().filter(|point| point.is_unseen()),
            )),
        }
    };
    names.into_iter().map(group).collect()
}

/// How many points are within their intervals: of all, by what limits, then by system.
fn coverage(
    points: &[ValidatedPoint],
    systems: &[ValidateGroupDocument],
    missed: ModelErrors,
) -> Vec<ValidateCoverageDocument> {
    let group = |name: &str, model_error, is_of: &dyn Fn(&ValidatedPoint) -> bool| {
        let members = || points.iter().filter(|point| is_of(point));
        ValidateCoverageDocument {
            name: name.to_owned(),
            all: CoverageDocument::new(Coverage::of(members())),
            unseen: CoverageDocument::new(Coverage::of(members().filter(|point| point.is_unseen()))),
            model_error,
            ranges: (name == "all").then_some(missed.ranges),
        }
    };
    let by_limit = LimitGroup::ALL.iter().copied().map(|limit| {
        let is_of = |point: &ValidatedPoint| point.interval.is_some_and(|found| found.limit == limit);
        group(limit.as_str(), Some(missed.of(limit)), &is_of)
    });
    let by_system = systems
        .iter()
        .map(|system| group(&system.name, None, &|point| point.system == system.name));
    std::iter::once(group("all", None, &|_| true))
        .chain(by_limit)
        .chain(by_system)
        .filter(|group| group.all.points > 0)
        .collect()
}
