//! Pictures of a validation: what was predicted against what was measured, how far apart they are, and what
//! links carried.

use bandgraph_plot::{
    BarAxis, BarGroup, BarMark, BarRow, BarShape, Bars, MeasuredPoint, Picture, PredictedMeasured,
};
use bandgraph_scenario::Metric;
use bandgraph_units::{Fraction, QuantityKind, significant};
use serde::Deserialize;
use serde_json::Value;

use super::points::{Off, errors, kind_of_unit, legend, median, panels, summary, with_left_out};
use super::run::quantity_words;
use super::{BAND, PictureError, PictureKind, not_a_result};
use crate::text::signed_percent;

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
    #[serde(default)]
    interval: Option<[f64; 2]>,
    relative_error: Option<f64>,
    /// As the relative error, but 0 of a bound that is kept.
    #[serde(default)]
    deviation: Option<f64>,
    #[serde(default)]
    statistic: String,
    #[serde(default)]
    calibrated: bool,
}

#[derive(Debug, Deserialize)]
struct Link {
    run: String,
    #[serde(rename = "link")]
    id: String,
    measured: f64,
    predicted: Option<f64>,
    #[serde(default)]
    calibrated: bool,
}

/// The picture of a validation; by default what was predicted against what was measured.
pub(super) fn picture(value: Value, kind: Option<PictureKind>) -> Result<Picture, PictureError> {
    let validation: Validation = serde_json::from_value(value).map_err(not_a_result)?;
    match kind.unwrap_or(PictureKind::Measured) {
        PictureKind::Measured => Ok(measured(&validation).into()),
        PictureKind::Errors => {
            Ok(errors("Errors of predictions, by system".to_owned(), &validation.offs()).into())
        }
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
            None => kind_of_unit(&self.unit),
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

    /// The measurement in words; of a bound, with its sign.
    fn measured_words(&self) -> String {
        let sign = match self.statistic.as_str() {
            "lower bound" => "≥ ",
            "upper bound" => "≤ ",
            _ => "",
        };
        format!("{sign}{}", self.words(self.measured))
    }

    /// Its error; none where there is no prediction, or no error can be told.
    fn off(&self) -> Option<Off> {
        let (predicted, error) = (self.predicted?, self.relative_error?);
        let deviation = self.deviation.unwrap_or(error);
        let is_kept_bound = deviation == 0.0 && error != 0.0;
        Some(Off {
            label: self.id.clone(),
            system: self.system.clone(),
            error: (!is_kept_bound).then_some(error),
            interval: self
                .interval
                .map(|ends| ends.map(|end| end / self.measured - 1.0)),
            is_fitted: self.calibrated,
            figures: format!("{} for {}", self.words(predicted), self.measured_words()),
        })
    }
}

impl Validation {
    fn offs(&self) -> Vec<Off> {
        self.points.iter().filter_map(Point::off).collect()
    }
}

/// A panel for each kind of quantity, in the order in which they first come.
fn measured(validation: &Validation) -> PredictedMeasured {
    let figures = validation.points.iter().filter_map(|point| {
        let entry = MeasuredPoint {
            label: point.id.clone(),
            series: point.system.clone(),
            measured: point.measured,
            predicted: point.predicted?,
            interval: point.interval.filter(|[low, _]| *low > 0.0),
            is_fitted: point.calibrated,
        };
        Some((point.quantity(), point.kind(), entry))
    });
    let (panels, left_out) = panels(figures);
    PredictedMeasured {
        title: "Predicted against measured".to_owned(),
        subtitle: with_left_out(&summary(validation.offs().iter()), left_out),
        panels,
        band: BAND,
    }
}

/// A group for each run, in the order in which runs first come.
fn links(validation: &Validation) -> Bars {
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
            label: link.id.clone(),
            note: link.error().map_or_else(
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
        subtitle: median(validation.links.iter().filter_map(Link::error)).map_or_else(String::new, |error| {
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

impl Link {
    fn error(&self) -> Option<f64> {
        (self.measured > 0.0).then_some(self.predicted? / self.measured - 1.0)
    }
}
