//! Pictures of a validation: what was predicted against what was measured, how far apart they are, and what links carried.

use bandgraph_plot::{
    ErrorBar, ErrorBars, ErrorGroup, LinkBar, LinkBars, LinkGroup, MeasuredPoint, Panel, Picture,
    PredictedMeasured,
};
use bandgraph_scenario::Metric;
use bandgraph_units::{Fraction, QuantityKind, significant};
use serde::Deserialize;
use serde_json::Value;

use super::run::quantity_words;
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
    metric: String,
    unit: String,
    /// What a ratio is to.
    #[serde(default)]
    relative_to: Option<String>,
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

impl Point {
    /// The kind of quantity; `None` for plain numbers.
    fn kind(&self) -> Option<QuantityKind> {
        if self.relative_to.is_some() {
            return None;
        }
        match Metric::from_name(&self.metric) {
            Some(metric) => metric.kind(),
            None => QuantityKind::ALL
                .into_iter()
                .find(|kind| kind.base_unit() == self.unit),
        }
    }

    /// What figures of its kind are, in words for people.
    fn quantity(&self) -> String {
        match self.kind() {
            _ if self.relative_to.is_some() => "ratios".to_owned(),
            Some(QuantityKind::Bandwidth) => "throughput".to_owned(),
            Some(QuantityKind::OperationRate) => "operations".to_owned(),
            Some(QuantityKind::Fraction) => "shares".to_owned(),
            Some(kind) => kind.name().to_owned(),
            None => Metric::from_name(&self.metric)
                .map_or_else(|| self.metric.clone(), |metric| quantity_words(metric).to_owned()),
        }
    }

    fn words(&self, value: f64) -> String {
        match self.kind() {
            Some(kind) => kind.format(value),
            None => significant(value, 3),
        }
    }
}

/// An error with its sign; none of nothing.
fn percent(error: f64) -> String {
    let text = format!("{:+.1} %", error * 100.0);
    match text.as_str() {
        "+0.0 %" | "-0.0 %" => "0.0 %".to_owned(),
        _ => text,
    }
}

/// A panel for each kind of quantity, in the order in which they first come.
fn measured(validation: &Validation) -> PredictedMeasured {
    let mut panels: Vec<Panel> = Vec::new();
    for point in &validation.points {
        let Some(predicted) = point.predicted else {
            continue;
        };
        let quantity = point.quantity();
        let entry = MeasuredPoint {
            label: point.id.clone(),
            series: point.system.clone(),
            measured: point.measured,
            predicted,
        };
        match panels.iter_mut().find(|panel| panel.quantity == quantity) {
            Some(panel) => panel.points.push(entry),
            None => panels.push(Panel {
                kind: point.kind(),
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
        let bar = ErrorBar {
            label: point.id.clone(),
            error,
            is_fitted: point.calibrated,
            note: format!(
                "{}   {} for {}",
                percent(error),
                point.words(predicted),
                point.words(point.measured)
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
