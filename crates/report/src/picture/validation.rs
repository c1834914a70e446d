//! Pictures of a validation: what was predicted against what was measured, how far apart they are, and what
//! links carried.

use std::collections::BTreeSet;

use bandgraph_plot::{
    AxisTitle, BarAxis, BarGroup, BarMark, BarRow, BarShape, Bars, Curve, Curves, MeasuredPoint, Picture,
    PredictedMeasured, Scale,
};
use bandgraph_units::{Fraction, QuantityKind, significant};
use serde_json::Value;

use super::points::{Off, errors, legend, median, panels, quantity, summary, with_left_out};
use super::{BAND, PictureError, PictureKind, document};
use crate::text::signed_percent;
use crate::validate::{
    VALIDATE_SCHEMA_VERSION, ValidateDocument, ValidateLinkDocument, ValidatePointDocument,
};

/// The picture of a validation; by default what was predicted against what was measured.
pub(super) fn picture(value: Value, kind: Option<PictureKind>) -> Result<Picture, PictureError> {
    let validation: ValidateDocument = document(value, VALIDATE_SCHEMA_VERSION)?;
    match kind.unwrap_or(PictureKind::Measured) {
        PictureKind::Measured => Ok(measured(&validation).into()),
        PictureKind::Errors => Ok(errors("Errors of predictions, by system", &offs(&validation)).into()),
        PictureKind::Coverage => Ok(coverage(&validation).into()),
        PictureKind::Links => Ok(links(&validation).into()),
        kind => Err(PictureError::Unsuitable {
            kind,
            of: "a validation",
        }),
    }
}

/// The error of a point; none where there is no prediction, or no error can be told.
fn off(point: &ValidatePointDocument) -> Option<Off> {
    let (predicted, error) = (point.predicted?, point.relative_error?);
    let words = |value: f64| {
        let kind = point.kind();
        kind.map_or_else(|| significant(value, 3), |kind| kind.format(value))
    };
    let sign = match point.statistic.as_str() {
        "lower bound" => "≥ ",
        "upper bound" => "≤ ",
        _ => "",
    };
    Some(Off {
        label: point.id.clone(),
        system: point.system.clone(),
        error: (!point.is_kept_bound()).then_some(error),
        interval: point
            .interval
            .map(|ends| ends.map(|end| end / point.measured - 1.0)),
        is_fitted: point.calibrated,
        figures: format!("{} for {sign}{}", words(predicted), words(point.measured)),
    })
}

fn offs(validation: &ValidateDocument) -> Vec<Off> {
    validation.points.iter().filter_map(off).collect()
}

/// A panel for each kind of quantity, in the order in which they first come.
fn measured(validation: &ValidateDocument) -> PredictedMeasured {
    let figures = validation.points.iter().filter_map(|point| {
        let entry = MeasuredPoint {
            title: String::new(),
            label: point.id.clone(),
            series: point.system.clone(),
            measured: point.measured,
            predicted: point.predicted?,
            interval: point.interval.filter(|[low, _]| *low > 0.0),
            is_fitted: point.calibrated,
        };
        let (kind, is_ratio) = (point.kind(), point.relative_to.is_some());
        Some((quantity(&point.metric, kind, is_ratio), kind, entry))
    });
    let (panels, left_out) = panels(figures);
    PredictedMeasured {
        title: "Predicted against measured".to_owned(),
        subtitle: with_left_out(&summary(offs(validation).iter()), left_out),
        panels,
        band: BAND,
    }
}

/// The share of unseen measurements within intervals of each probability, of all and by kind of limit, with
/// the band that contains nine of ten such shares if the intervals are right.
fn coverage(validation: &ValidateDocument) -> Curves {
    /// The least number of points of a curve.
    const POINTS: usize = 8;
    let title = |name: &str| AxisTitle {
        name: name.to_owned(),
        kind: Some(QuantityKind::Fraction),
        scale: Scale::Linear,
    };
    // The narrowest interval around the middle of the draws that contains a measurement has this probability.
    let counted = validation.points.iter().filter_map(|point| {
        let counts = point.is_unseen() && !point.is_kept_bound();
        let place = point.place.filter(|_| counts)?;
        Some((
            point.limit.as_deref().unwrap_or_default(),
            (2.0 * place - 1.0).abs(),
        ))
    });
    let counted: Vec<(&str, f64)> = counted.collect();
    let curve = |name: &str, mut needed: Vec<f64>| {
        needed.sort_by(f64::total_cmp);
        let count = needed.len();
        let inside = needed.iter().filter(|&&at| at <= 0.9).count();
        let share = |inside: usize| inside as f64 / count as f64;
        let steps = needed.iter().enumerate();
        let points = steps.flat_map(|(inside, &at)| [(at, share(inside)), (at, share(inside + 1))]);
        Curve {
            // Long enough for a key below the picture: all curves end at one place.
            label: format!("{name}: {inside} of {count} measurements within their 90 % intervals"),
            points: [(0.0, 0.0)]
                .into_iter()
                .chain(points)
                .chain([(1.0, 1.0)])
                .collect(),
            band: Vec::new(),
        }
    };
    let all: Vec<f64> = counted.iter().map(|&(_, needed)| needed).collect();
    let chance = |at: f64| {
        let half = 1.645 * libm::sqrt(at * (1.0 - at) / all.len() as f64);
        (at, [(at - half).max(0.0), (at + half).min(1.0)])
    };
    let exact = Curve {
        label: "as stated".to_owned(),
        points: vec![(0.0, 0.0), (1.0, 1.0)],
        band: (0..=40).map(|part| chance(f64::from(part) / 40.0)).collect(),
    };
    let limits: BTreeSet<&str> = counted.iter().map(|&(limit, _)| limit).collect();
    let of_limits = limits.into_iter().map(|limit| {
        let of_limit = counted.iter().filter(|(of, _)| *of == limit);
        (limit, of_limit.map(|&(_, needed)| needed).collect::<Vec<_>>())
    });
    let of_limits = of_limits.filter(|(_, needed)| needed.len() >= POINTS);
    let mut curves = Vec::new();
    if !all.is_empty() {
        curves.extend([exact, curve("all", all.clone())]);
        curves.extend(of_limits.map(|(limit, needed)| curve(limit, needed)));
    }
    Curves {
        title: "Coverage: measurements within intervals of each probability".to_owned(),
        subtitle: "unseen measurements; in the band, the difference is chance".to_owned(),
        x: title("probability of the interval"),
        y: title("share of measurements within it"),
        curves,
        ceilings: Vec::new(),
        knee: None,
    }
}

/// A group for each run, in the order in which runs first come.
fn links(validation: &ValidateDocument) -> Bars {
    let words = |rate| QuantityKind::Bandwidth.format(rate);
    let mut groups: Vec<BarGroup> = Vec::new();
    for link in &validation.links {
        let Some(predicted) = link.predicted else { continue };
        let figures = format!("{} for {}", words(predicted), words(link.measured));
        let predicted_shape = if link.calibrated {
            BarShape::Hollow(0)
        } else {
            BarShape::Solid(0)
        };
        let row = BarRow {
            label: link.link.clone(),
            note: error(link).map_or_else(
                || figures.clone(),
                |error| format!("{figures}, {}", signed_percent(error)),
            ),
            is_emphasised: false,
            marks: vec![
                BarMark::up_to(BarShape::Grey, link.measured),
                BarMark {
                    lane: 1,
                    ..BarMark::up_to(predicted_shape, predicted)
                },
            ],
        };
        match groups.iter_mut().find(|group| group.name == link.run) {
            Some(group) => group.rows.push(row),
            None => groups.push(BarGroup {
                name: link.run.clone(),
                rows: vec![row],
                ..BarGroup::default()
            }),
        }
    }
    let fitted = validation.links.iter().filter(|link| link.calibrated).count();
    let fits = match fitted {
        0 => String::new(),
        all if all == validation.links.len() => {
            "; shares of memory and threads were fitted to all of them".to_owned()
        }
        some => format!(
            "; shares of memory and threads were fitted to {some} of {}",
            validation.links.len()
        ),
    };
    let shown = || validation.links.iter().filter(|link| link.predicted.is_some());
    let entries = [
        (BarShape::Grey, "counted", true),
        (
            BarShape::Solid(0),
            "predicted",
            shown().any(|link| !link.calibrated),
        ),
        (
            BarShape::Hollow(0),
            "fitted to the counters",
            shown().any(|link| link.calibrated),
        ),
    ];
    Bars {
        title: "Traffic of links: counted and predicted".to_owned(),
        subtitle: median(validation.links.iter().filter_map(error)).map_or_else(String::new, |error| {
            format!("median error {}{fits}", Fraction::new(error))
        }),
        axis: Some(BarAxis {
            kind: Some(QuantityKind::Bandwidth),
            ..BarAxis::default()
        }),
        groups,
        legend: legend(&entries),
        if_empty: "no link that is both measured and predicted",
        ..Bars::default()
    }
}

/// The error of a link, which one that carried nothing does not have.
fn error(link: &ValidateLinkDocument) -> Option<f64> {
    link.relative_error.filter(|_| link.measured > 0.0)
}
