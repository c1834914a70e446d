//! Pictures of a calibration: what it found within the ranges that its parameters may have, and how far its
//! figures are off.

use bandgraph_plot::{BarGroup, BarMark, BarRow, BarShape, Bars, MeasuredPoint, Picture, PredictedMeasured};
use bandgraph_scenario::Metric;
use bandgraph_units::{QuantityKind, significant};
use serde_json::Value;

use super::points::{Off, errors, legend, panels, quantity, summary, with_left_out};
use super::{BAND, PictureError, PictureKind, document};
use crate::calibrate::{
    CALIBRATE_SCHEMA_VERSION, CalibrateDocument, FittedParameterDocument, FittedPointDocument,
};
use crate::comparison::kind_of_unit;

/// The picture of a calibration; by default of its parameters.
pub(super) fn picture(value: Value, kind: Option<PictureKind>) -> Result<Picture, PictureError> {
    let calibration: CalibrateDocument = document(value, CALIBRATE_SCHEMA_VERSION)?;
    match kind.unwrap_or(PictureKind::Parameters) {
        PictureKind::Parameters => Ok(parameters(&calibration).into()),
        PictureKind::Measured => Ok(measured(&calibration).into()),
        PictureKind::Errors => Ok(errors(&calibration.name, &offs(&calibration)).into()),
        kind => Err(PictureError::Unsuitable {
            kind,
            of: "a calibration",
        }),
    }
}

fn parameters(calibration: &CalibrateDocument) -> Bars {
    let fit = &calibration.fit;
    let seen = fit.points.iter().filter(|point| point.seen).count();
    let entries = [
        (BarShape::Ground, "allowed range", true),
        (INTERVAL, "95 % interval of the fit", true),
        (BarShape::Circle, "fitted", true),
        (BarShape::Diamond, "start", true),
    ];
    Bars {
        title: calibration.name.clone(),
        subtitle: format!(
            "what the fit to {seen} figures found, each parameter over the range that it may have"
        ),
        is_labelled_above: true,
        groups: vec![BarGroup {
            rows: fit.parameters.iter().map(parameter).collect(),
            ..BarGroup::default()
        }],
        legend: legend(&entries),
        if_empty: "no parameter",
        ..Bars::default()
    }
}

/// The interval of a parameter: sky blue.
const INTERVAL: BarShape = BarShape::Solid(4);

/// A parameter over its range.
fn parameter(found: &FittedParameterDocument) -> BarRow {
    let words = |value: f64| match found.unit.as_deref() {
        // A parameter without a quantity has no unit at all, so that one of 1 is a share.
        Some("1") => QuantityKind::Fraction.format(value),
        Some(unit) => kind_of_unit(unit).map_or_else(
            || format!("{} {unit}", significant(value, 4)),
            |kind| kind.format(value),
        ),
        None => significant(value, 4),
    };
    let interval = found.interval_low.zip(found.interval_high);
    let known = match (interval, &found.at_bound) {
        (_, Some(_)) => "at the end of its range".to_owned(),
        (Some((low, high)), None) => format!("{} to {}", words(low), words(high)),
        (None, None) => "not identified by the data".to_owned(),
    };
    let share = |value: f64| (value - found.low) / (found.high - found.low);
    let shown = interval.map(|(low, high)| BarMark::between(INTERVAL, [share(low), share(high)]));
    BarRow {
        label: found.path.clone(),
        note: format!(
            "{} ({known}); allowed {} to {}",
            words(found.value),
            words(found.low),
            words(found.high)
        ),
        is_emphasised: false,
        marks: std::iter::once(BarMark::up_to(BarShape::Ground, 1.0))
            .chain(shown)
            .chain([
                BarMark::at(BarShape::Diamond, share(found.start)),
                BarMark::at(BarShape::Circle, share(found.value)),
            ])
            .collect(),
    }
}

/// The kind of quantity of a point; `None` for plain numbers and ratios.
fn kind(point: &FittedPointDocument) -> Option<QuantityKind> {
    match Metric::from_name(&point.metric) {
        Some(metric) => metric.kind().filter(|_| !point.is_ratio),
        // A result of an earlier version does not say what was measured.
        None => kind_of_unit(&point.unit),
    }
}

/// A panel for each kind of quantity, in the order in which they first come.
fn measured(calibration: &CalibrateDocument) -> PredictedMeasured {
    let figures = calibration.fit.points.iter().map(|point| {
        let kind = kind(point);
        let quantity = quantity(&point.metric, kind, point.is_ratio);
        let entry = MeasuredPoint {
            title: String::new(),
            label: point.id.clone(),
            series: point.system.clone(),
            measured: point.measured,
            predicted: point.after,
            interval: None,
            is_fitted: point.seen,
        };
        (quantity, kind, entry)
    });
    let (panels, left_out) = panels(figures);
    PredictedMeasured {
        title: calibration.name.clone(),
        subtitle: with_left_out(&summary(offs(calibration).iter()), left_out),
        panels,
        band: BAND,
    }
}

fn offs(calibration: &CalibrateDocument) -> Vec<Off> {
    let off = |point: &FittedPointDocument| {
        let words = |value: f64| kind(point).map_or_else(|| significant(value, 3), |kind| kind.format(value));
        Off {
            label: point.id.clone(),
            system: point.system.clone(),
            error: Some(point.deviation_after),
            interval: None,
            is_fitted: point.seen,
            figures: format!("{} for {}", words(point.after), words(point.measured)),
        }
    };
    calibration.fit.points.iter().map(off).collect()
}
