//! The JSON of a calibration. Its fields are a contract like those of a run: more may be added, none renamed
//! or removed while `schema` is 1.

use bandgraph_study::{AtBound, ErrorSummary, Fit, FittedParameter, FittedPoint};
use bandgraph_units::QuantityKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CalibrateReport;
use crate::VERSION;
use crate::json::schema_of;
use crate::validate::{ValidateErrorsDocument, errors};

/// The version of the JSON of a calibration. It grows when a field is renamed or removed, or changes its
/// meaning.
pub const CALIBRATE_SCHEMA_VERSION: u32 = 1;

/// Figures of the model fitted to measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Bandgraph calibration result")]
pub struct CalibrateDocument {
    /// Version of this format.
    pub schema: u32,
    /// Version of the program that wrote this.
    pub bandgraph: String,
    /// Name of the calibration.
    pub name: String,
    /// What it is about; may be empty.
    #[serde(default)]
    pub description: String,
    /// The fit to everything, or to the systems that were asked for.
    pub fit: FitDocument,
    /// Fits without one system each.
    pub left_out: Vec<FitDocument>,
    /// The errors on all points that were left out, each predicted by the fit that has not seen it; left out
    /// itself where none were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_errors: Option<ValidateErrorsDocument>,
}

/// One fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FitDocument {
    /// The system that was left out; null where none was on purpose.
    pub without: Option<String>,
    /// The systems that it is fitted to.
    pub fitted_to: Vec<String>,
    /// The parameters.
    pub parameters: Vec<FittedParameterDocument>,
    /// All points, also those that the fit has not seen.
    pub points: Vec<FittedPointDocument>,
    /// The errors that are left on points that the fit has seen.
    pub seen: ValidateErrorsDocument,
    /// The errors on points that it has not seen.
    pub unseen: ValidateErrorsDocument,
    /// Largest over smallest singular value of the Jacobian; null where something has no influence at all.
    pub condition: Option<f64>,
    /// Standard deviation of what the fit leaves, over the stated uncertainty; null where there are no more
    /// points than parameters.
    pub deviation: Option<f64>,
    /// Pairs of parameters that are known only together.
    pub correlated: Vec<CorrelationDocument>,
    /// Combinations of parameters that the data do not know.
    pub undetermined: Vec<CombinationDocument>,
}

/// A fitted parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FittedParameterDocument {
    /// The field, as `--set` takes it.
    pub path: String,
    /// The unit of the values; null for plain numbers.
    pub unit: Option<String>,
    /// Where the fit began.
    pub start: f64,
    /// The fitted value.
    pub value: f64,
    /// The least that it may be.
    pub low: f64,
    /// The most that it may be.
    pub high: f64,
    /// `low` or `high` where it ended at that bound; null elsewhere.
    pub at_bound: Option<String>,
    /// Lower end of the 95 % interval, within the bounds; null where there is none.
    pub interval_low: Option<f64>,
    /// Upper end of the 95 % interval, within the bounds; null where there is none.
    pub interval_high: Option<f64>,
    /// Where the bounds come from.
    pub source: String,
}

/// A point and what is predicted for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FittedPointDocument {
    /// Id of the measurement; of a link, its run and its id.
    pub id: String,
    /// What tables of measurements call the server.
    pub system: String,
    /// Name of the scenario.
    pub scenario: String,
    /// What was measured, with the name that files have for it.
    #[serde(default)]
    pub metric: String,
    /// Whether it is a ratio to the same figure of another scenario.
    #[serde(default)]
    pub is_ratio: bool,
    /// Unit of the values; `1` for plain numbers.
    pub unit: String,
    /// Whether the fit has seen it.
    pub seen: bool,
    /// The value measured.
    pub measured: f64,
    /// The same as its file has it, such as `2.06 GiB/s`.
    #[serde(default)]
    pub measured_text: String,
    /// What is predicted with the starts of the parameters.
    pub before: f64,
    /// What is predicted with their fitted values.
    pub after: f64,
    /// How far `before` is off, as a share of `measured`; 0 for a bound that is kept.
    pub deviation_before: f64,
    /// How far `after` is off.
    pub deviation_after: f64,
}

/// Two parameters that are known only together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CorrelationDocument {
    /// The first.
    pub first: String,
    /// The second.
    pub second: String,
    /// From -1 to 1.
    pub correlation: f64,
}

/// A combination of parameters that the data do not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CombinationDocument {
    /// The parameters, the one with the largest part first.
    pub parameters: Vec<String>,
    /// Their parts in the direction, in units of their ranges.
    pub parts: Vec<f64>,
    /// How far one can go in it, as a share of the ranges, in one standard deviation; null where it has no
    /// end.
    pub deviation: Option<f64>,
}

/// `report` as a document.
pub fn calibrate_document(report: &CalibrateReport) -> CalibrateDocument {
    let left_out = || report.left_out.iter().flat_map(|(_, fit)| fit.deviations(false));
    CalibrateDocument {
        schema: CALIBRATE_SCHEMA_VERSION,
        bandgraph: VERSION.to_owned(),
        name: report.name.clone(),
        description: report.description.clone(),
        left_out_errors: (!report.left_out.is_empty()).then(|| errors(ErrorSummary::of_errors(left_out()))),
        fit: fit(&report.fit, None),
        left_out: report
            .left_out
            .iter()
            .map(|(without, one)| fit(one, Some(without)))
            .collect(),
    }
}

/// The JSON Schema of [`CalibrateDocument`].
pub fn calibrate_schema() -> serde_json::Value {
    schema_of::<CalibrateDocument>()
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn fit(fit: &Fit, without: Option<&str>) -> FitDocument {
    let name = |number: usize| fit.parameters[number].parameter.path.clone();
    FitDocument {
        without: without.map(str::to_owned),
        fitted_to: fit.fitted_to.clone(),
        parameters: fit.parameters.iter().map(parameter).collect(),
        points: fit.points.iter().map(point).collect(),
        seen: errors(fit.errors(true)),
        unseen: errors(fit.errors(false)),
        condition: finite(fit.certainty.condition),
        deviation: fit.certainty.deviation,
        correlated: fit
            .certainty
            .correlated
            .iter()
            .map(|pair| CorrelationDocument {
                first: name(pair.first),
                second: name(pair.second),
                correlation: pair.correlation,
            })
            .collect(),
        undetermined: fit
            .certainty
            .undetermined
            .iter()
            .map(|found| CombinationDocument {
                parameters: found.parts.iter().map(|(number, _)| name(*number)).collect(),
                parts: found.parts.iter().map(|(_, part)| *part).collect(),
                deviation: finite(found.deviation),
            })
            .collect(),
    }
}

fn parameter(fitted: &FittedParameter) -> FittedParameterDocument {
    let parameter = &fitted.parameter;
    FittedParameterDocument {
        path: parameter.path.clone(),
        unit: parameter.unit.clone(),
        start: parameter.start,
        value: fitted.value,
        low: parameter.low,
        high: parameter.high,
        at_bound: fitted.at_bound.map(|bound| match bound {
            AtBound::Low => "low".to_owned(),
            AtBound::High => "high".to_owned(),
        }),
        interval_low: fitted.interval.map(|(low, _)| low),
        interval_high: fitted.interval.map(|(_, high)| high),
        source: parameter.source.clone(),
    }
}

fn point(found: &FittedPoint) -> FittedPointDocument {
    let point = &found.point;
    FittedPointDocument {
        id: point.id.clone(),
        system: point.system.clone(),
        scenario: point.scenario.clone(),
        metric: point.metric.to_string(),
        is_ratio: point.is_ratio,
        unit: point.kind.map_or("1", QuantityKind::base_unit).to_owned(),
        seen: found.seen,
        measured: point.measured,
        measured_text: point.text.clone(),
        before: found.before,
        after: found.after,
        deviation_before: found.deviation_before,
        deviation_after: found.deviation_after,
    }
}
