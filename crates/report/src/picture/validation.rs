//! Pictures of a validation: what was predicted against what was measured, how far apart they are, and what links carried.

use bandgraph_plot::{
    ErrorBar, ErrorBars, ErrorGroup, LinkBar, LinkBars, LinkGroup, MeasuredPoint, Panel, Picture,
    PredictedMeasured,
};
use bandgraph_units::{Fraction, QuantityKind, significant};
use serde::Deserialize;
use serde_json::Value;

use super::{BAND, PictureError, PictureKind, not_a_result};

/// What pictures need of the JSON of a validation.
#[derive(Debug, Deserialize)]
struct Validation {
    points: Vec<Point>,
    #[serde(default)]
    links: Vec<Link>,
}

#[derive(Debug, Deserialize)]
struct Point {
    id: String,
    system: String,
    unit: String,
    measured: f64,
    predicted: Option<f64>,
    relative_error: Option<f64>,
    #[serde(default)]
    calibrated: bool,
}

#[derive(Debug, Deserialize)]
struct Link {
    run: String,
    #[serde(rename = "link")]
    id: String,
    measured: f64,
    predicted: f64,
}

/// The picture of a validation; by default what was predicted against what was measured.
pub(super) fn picture(value: Value, kind: Option<PictureKind>) -> Result<Picture, PictureError> {
    let validation: Validation = serde_json::from_value(value).map_err(not_a_result)?;
    match kind.unwrap_or(PictureKind::Measured) {
        PictureKind::Measured => Ok(measured(&validation).into()),
        PictureKind::Errors => Ok(errors(&validation).into()),
        PictureKind::Links => Ok(links(&validation).into()),
        kind => Err(PictureError::Unsuitable {
            kind,
            of: "a validation",
        }),
    }
}

fn kind_of(unit: &str) -> Option<QuantityKind> {
    QuantityKind::ALL
        .into_iter()
        .find(|kind| kind.base_unit() == unit)
}

/// What figures of a unit are, in words for people.
fn quantity_words(unit: &str) -> String {
    match kind_of(unit) {
        Some(QuantityKind::Bandwidth) => "throughput".to_owned(),
        Some(QuantityKind::OperationRate) => "operations".to_owned(),
        Some(QuantityKind::Time) => "time".to_owned(),
        Some(QuantityKind::Power) => "power".to_owned(),
        Some(QuantityKind::Fraction) => "shares and ratios".to_owned(),
        Some(kind) => kind.name().to_owned(),
        None => unit.to_owned(),
    }
}

/// A panel for each unit, in the order in which units first come.
fn measured(validation: &Validation) -> PredictedMeasured {
    let mut panels: Vec<Panel> = Vec::new();
    for point in &validation.points {
        let Some(predicted) = point.predicted else {
            continue;
        };
        let quantity = quantity_words(&point.unit);
        let entry = MeasuredPoint {
            label: point.id.clone(),
            series: point.system.clone(),
            measured: point.measured,
            predicted,
        };
        match panels.iter_mut().find(|panel| panel.quantity == quantity) {
            Some(panel) => panel.points.push(entry),
            None => panels.push(Panel {
                kind: kind_of(&point.unit),
                points: vec![entry],
                quantity,
            }),
        }
    }
    PredictedMeasured {
        title: "Predicted against measured".to_owned(),
        subtitle: summary(validation.points.iter()),
        panels,
        band: BAND,
    }
}

/// How far all figures are apart, in words.
fn summary<'p>(points: impl Iterator<Item = &'p Point> + Clone) -> String {
    let figures = points.clone().filter_map(|point| point.relative_error).count();
    let fitted = points.clone().filter(|point| point.calibrated).count();
    let fits = match fitted {
        0 => String::new(),
        count => format!(", {count} of them used in a fit"),
    };
    match median(points.filter_map(|point| point.relative_error)) {
        Some(median) => {
            let noun = if figures == 1 { "figure" } else { "figures" };
            format!("{figures} {noun}{fits}; median error {}", Fraction::new(median))
        }
        None => String::new(),
    }
}

/// The median of what errors are, whatever their sign.
fn median(errors: impl Iterator<Item = f64>) -> Option<f64> {
    let mut errors: Vec<f64> = errors.map(f64::abs).collect();
    errors.sort_by(f64::total_cmp);
    let (low, high) = (errors.len().checked_sub(1)? / 2, errors.len() / 2);
    Some(f64::midpoint(errors[low], errors[high]))
}

/// A group for each system, in the order in which systems first come.
fn errors(validation: &Validation) -> ErrorBars {
    let mut groups: Vec<ErrorGroup> = Vec::new();
    for point in &validation.points {
        let (Some(predicted), Some(error)) = (point.predicted, point.relative_error) else {
            continue;
        };
        let words = |value: f64| match kind_of(&point.unit) {
            Some(kind) => kind.format(value),
            None => significant(value, 3),
        };
        let bar = ErrorBar {
            label: point.id.clone(),
            error,
            is_fitted: point.calibrated,
            note: format!(
                "{:+.1} %   {} for {}",
                error * 100.0,
                words(predicted),
                words(point.measured)
            ),
        };
        match groups.iter_mut().find(|group| group.name == point.system) {
            Some(group) => group.bars.push(bar),
            None => groups.push(ErrorGroup {
                name: point.system.clone(),
                note: summary(
                    validation
                        .points
                        .iter()
                        .filter(|other| other.system == point.system),
                ),
                bars: vec![bar],
            }),
        }
    }
    ErrorBars {
        title: "Errors of predictions, by system".to_owned(),
        subtitle: summary(validation.points.iter()),
        groups,
        band: BAND,
    }
}

/// A group for each run, in the order in which runs first come.
fn links(validation: &Validation) -> LinkBars {
    let mut groups: Vec<LinkGroup> = Vec::new();
    for link in &validation.links {
        let bar = LinkBar {
            label: link.id.clone(),
            measured: link.measured,
            predicted: link.predicted,
        };
        match groups.iter_mut().find(|group| group.name == link.run) {
            Some(group) => group.links.push(bar),
            None => groups.push(LinkGroup {
                name: link.run.clone(),
                links: vec![bar],
            }),
        }
    }
    let errors = validation.links.iter().filter(|link| link.measured > 0.0);
    let error = median(errors.map(|link| link.predicted / link.measured - 1.0));
    LinkBars {
        title: "Traffic of links: counted and predicted".to_owned(),
        subtitle: error.map_or_else(String::new, |error| {
            format!("median error {}", Fraction::new(error))
        }),
        groups,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_the_one_in_the_middle() {
        assert_eq!(median([0.1, -0.3, 0.2].into_iter()), Some(0.2));
        assert_eq!(median([0.1, -0.3].into_iter()), Some(0.2));
        assert_eq!(median(std::iter::empty()), None);
    }
}
