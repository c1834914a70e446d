//! The JSON of a calibration. Its fields are a contract like those of a run: more may be added, none renamed
//! or removed while `schema` is 1.

use bandgraph_study::{AtBound, Correlated, ErrorSummary, Fit, FittedParameter, FittedPoint, Undetermined};

use super::CalibrateReport;
use crate::VERSION;
use crate::validate::ValidateErrorsDocument;

/// The version of the JSON of a calibration. It grows when a field is renamed or removed, or changes its
/// meaning.
pub const CALIBRATE_SCHEMA_VERSION: u32 = 1;

documents! {
    /// Figures of the model fitted to measurements.
    #[schemars(title = "Bandgraph calibration result")]
    pub struct CalibrateDocument(report: &CalibrateReport) {
        let left_out = || report.left_out.iter().flat_map(|(_, fit)| fit.deviations(false));

        /// Version of this format.
        pub schema: u32 = CALIBRATE_SCHEMA_VERSION,
        /// Version of the program that wrote this.
        pub bandgraph: String = VERSION.to_owned(),
        /// Name of the calibration.
        pub name: String = report.name.clone(),
        /// What it is about; may be empty.
        #[serde(default)]
        pub description: String = report.description.clone(),
        /// The calibration file, as it was named.
        #[serde(default)]
        pub file: String = report.file.clone(),
        /// The software profile whose figures are fitted.
        #[serde(default)]
        pub profile: String = report.profile.clone(),
        /// Hash of the calibration and of the scenarios of its data.
        #[serde(default)]
        pub input_hash: String = report.input_hash.clone(),
        /// The fit to everything, or to the systems that were asked for.
        pub fit: FitDocument = FitDocument::new(&report.fit, None),
        /// Fits without one system each.
        pub left_out: Vec<FitDocument> =
            report.left_out.iter().map(|(without, one)| FitDocument::new(one, Some(without))).collect(),
        /// The errors on all points that were left out, each predicted by the fit that has not seen it; left
        /// out itself where none were.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub left_out_errors: Option<ValidateErrorsDocument> =
            (!report.left_out.is_empty())
                .then(|| ValidateErrorsDocument::new(ErrorSummary::of_errors(left_out()))),
    }

    /// One fit.
    pub struct FitDocument(fit: &Fit, without: Option<&str>) {
        let name = |number: usize| fit.parameters[number].parameter.path.clone();

        /// The system that was left out; null where none was on purpose.
        pub without: Option<String> = without.map(str::to_owned),
        /// The systems that it is fitted to.
        pub fitted_to: Vec<String> = fit.fitted_to.clone(),
        /// The parameters.
        pub parameters: Vec<FittedParameterDocument> =
            fit.parameters.iter().map(FittedParameterDocument::new).collect(),
        /// All points, also those that the fit has not seen.
        pub points: Vec<FittedPointDocument> = fit.points.iter().map(FittedPointDocument::new).collect(),
        /// The errors that are left on points that the fit has seen.
        pub seen: ValidateErrorsDocument = ValidateErrorsDocument::new(fit.errors(true)),
        /// The errors on points that it has not seen.
        pub unseen: ValidateErrorsDocument = ValidateErrorsDocument::new(fit.errors(false)),
        /// Largest over smallest singular value of the Jacobian; null where something has no influence at
        /// all.
        pub condition: Option<f64> = finite(fit.certainty.condition),
        /// Standard deviation of what the fit leaves, over the stated uncertainty; null where there are no
        /// more points than parameters.
        pub deviation: Option<f64> = fit.certainty.deviation,
        /// Pairs of parameters that are known only together.
        pub correlated: Vec<CorrelationDocument> = fit
            .certainty
            .correlated
            .iter()
            .map(|pair| CorrelationDocument::new(pair, name))
            .collect(),
        /// Combinations of parameters that the data do not know.
        pub undetermined: Vec<CombinationDocument> = fit
            .certainty
            .undetermined
            .iter()
            .map(|found| CombinationDocument::new(found, name))
            .collect(),
    }

    /// A fitted parameter.
    pub struct FittedParameterDocument(fitted: &FittedParameter) {
        let parameter = &fitted.parameter;

        /// The field, as `--set` takes it.
        pub path: String = parameter.path.clone(),
        /// The unit of the values; null for plain numbers.
        pub unit: Option<String> = parameter.unit.clone(),
        /// Where the fit began.
        pub start: f64 = parameter.start,
        /// The fitted value.
        pub value: f64 = fitted.value,
        /// The least that it may be.
        pub low: f64 = parameter.low,
        /// The most that it may be.
        pub high: f64 = parameter.high,
        /// `low` or `high` where it ended at that bound; null elsewhere.
        pub at_bound: Option<String> = fitted.at_bound.map(|bound| match bound {
            AtBound::Low => "low".to_owned(),
            AtBound::High => "high".to_owned(),
        }),
        /// Lower end of the 95 % interval, within the bounds; null where there is none.
        pub interval_low: Option<f64> = fitted.interval.map(|(low, _)| low),
        /// Upper end of the 95 % interval, within the bounds; null where there is none.
        pub interval_high: Option<f64> = fitted.interval.map(|(_, high)| high),
        /// Where the bounds come from.
        pub source: String = parameter.source.clone(),
    }

    /// A point and what is predicted for it.
    pub struct FittedPointDocument(found: &FittedPoint) {
        let point = &found.point;

        /// Id of the measurement; of a link, its run and its id.
        pub id: String = point.id.clone(),
        /// What tables of measurements call the server.
        pub system: String = point.system.clone(),
        /// Name of the scenario.
        pub scenario: String = point.scenario.clone(),
        /// What was measured, with the name that files have for it.
        #[serde(default)]
        pub metric: String = point.metric.to_string(),
        /// Whether it is a ratio to the same figure of another scenario.
        #[serde(default)]
        pub is_ratio: bool = point.is_ratio,
        /// Unit of the values; `1` for plain numbers.
        pub unit: String = if point.is_ratio { "1" } else { point.metric.unit() }.to_owned(),
        /// Whether the fit has seen it.
        pub seen: bool = found.seen,
        /// The value measured.
        pub measured: f64 = point.measured,
        /// The same as its file has it, such as `2.06 GiB/s`.
        #[serde(default)]
        pub measured_text: String = point.text.clone(),
        /// What is predicted with the starts of the parameters.
        pub before: f64 = found.before,
        /// What is predicted with their fitted values.
        pub after: f64 = found.after,
        /// How far `before` is off, as a share of `measured`; 0 for a bound that is kept.
        pub deviation_before: f64 = found.deviation_before,
        /// How far `after` is off.
        pub deviation_after: f64 = found.deviation_after,
    }

    /// Two parameters that are known only together.
    pub struct CorrelationDocument(pair: &Correlated, name: impl Fn(usize) -> String) {
        /// The first.
        pub first: String = name(pair.first),
        /// The second.
        pub second: String = name(pair.second),
        /// From -1 to 1.
        pub correlation: f64 = pair.correlation,
    }

    /// A combination of parameters that the data do not know.
    pub struct CombinationDocument(found: &Undetermined, name: impl Fn(usize) -> String) {
        /// The parameters, the one with the largest part first.
        pub parameters: Vec<String> = found.parts.iter().map(|(number, _)| name(*number)).collect(),
        /// Their parts in the direction, in units of their ranges.
        pub parts: Vec<f64> = found.parts.iter().map(|(_, part)| *part).collect(),
        /// How far one can go in it, as a share of the ranges, in one standard deviation; null where it has
        /// no end.
        pub deviation: Option<f64> = finite(found.deviation),
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
