//! Predictions over measurements, on logarithmic axes: a panel for each kind of quantity, with the line of
//! equality and a band around it.

use bandgraph_units::QuantityKind;

use crate::canvas::{Area, Canvas, Marker, Side, at};
use crate::error::at_most;
use crate::panel::{PanelView, RADIUS};
use crate::style::{MARGIN, SMALL, cut, draw_title, text_width, title_height};
use crate::{PlotError, palette};

/// One figure, measured and predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredPoint {
    /// Its name; a point without a name has no label.
    pub label: String,
    /// What a viewer says of it where the pointer is; nothing if empty.
    pub title: String,
    /// Its series, such as a system; the points of a series have one colour and one shape.
    pub series: String,
    /// The measurement, in base units, above zero.
    pub measured: f64,
    /// The prediction, in base units, above zero.
    pub predicted: f64,
    /// Both ends of the interval of the prediction, above zero; `None` without an interval.
    pub interval: Option<[f64; 2]>,
    /// Whether a fit used the figure, which makes its position less significant; such points are hollow.
    pub is_fitted: bool,
}

/// Figures of one kind of quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The name of the figures, such as `network throughput`.
    pub quantity: String,
    /// Their kind; `None` for plain numbers.
    pub kind: Option<QuantityKind>,
    /// The figures; at least one.
    pub points: Vec<MeasuredPoint>,
}

/// Predictions against measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedMeasured {
    /// The title at the top, in bold.
    pub title: String,
    /// The text below the title; may be empty.
    pub subtitle: String,
    /// One panel for each kind of quantity, at least one and at most 10.
    pub panels: Vec<Panel>,
    /// Half the width of the band around equality, as a share of the measurement; between 0 and 1, exclusive.
    pub band: f64,
}

/// The maximum number of panels in a picture.
const PANELS_MAX: usize = 10;
/// The maximum number of points in a panel.
const POINTS_MAX: usize = 2000;
/// Panels in a row.
const ACROSS: usize = 3;

const PANEL: f64 = 420.0;
/// The space to the left of a panel for its ticks and its name, above it for its heading, and below it for
/// its axis.
const LEFT: f64 = 100.0;
const PANEL_TITLE: f64 = 30.0;
const UNDER: f64 = 52.0;
const LEGEND_ROW: f64 = 24.0;

/// An entry of the legend: a series by its index, the meaning of a hollow point, or that of a line through
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Series(usize),
    Fitted,
    Interval,
}

/// A row of the legend: each entry with its text and its left end.
type LegendRow = Vec<(Entry, String, f64)>;

impl PredictedMeasured {
    pub(crate) fn size(&self) -> (u32, u32) {
        let (_, bottom) = self.views();
        let height = bottom + self.legend().len() as f64 * LEGEND_ROW + MARGIN;
        (self.width() as u32, height.round() as u32)
    }

    fn width(&self) -> f64 {
        2.0 * MARGIN + self.panels.len().min(ACROSS) as f64 * (LEFT + PANEL)
    }

    pub(crate) fn check(&self) -> Result<(), PlotError> {
        if self.panels.is_empty() || self.panels.iter().any(|panel| panel.points.is_empty()) {
            return Err(PlotError::Empty("no figure that is both measured and predicted"));
        }
        at_most(PANELS_MAX, self.panels.len(), "kinds of quantities")?;
        if !(self.band > 0.0 && self.band < 1.0) {
            return Err(PlotError::Value {
                of: "the band".to_owned(),
                value: self.band,
            });
        }
        for panel in &self.panels {
            at_most(POINTS_MAX, panel.points.len(), "figures of one kind")?;
            for point in &panel.points {
                let ends = point.interval.into_iter().flatten();
                for value in [point.measured, point.predicted].into_iter().chain(ends) {
                    // Outside this range, logarithms and pixels have no meaning.
                    if !(1e-30..=1e30).contains(&value) {
                        return Err(PlotError::Value {
                            of: point.label.clone(),
                            value,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// All series, in the order of their first points.
    fn series(&self) -> Vec<&str> {
        let mut series: Vec<&str> = Vec::new();
        for point in self.panels.iter().flat_map(|panel| &panel.points) {
            if !series.contains(&point.series.as_str()) {
                series.push(&point.series);
            }
        }
        series
    }

    /// The panels with their areas, and the lower end of their last row.
    fn views(&self) -> (Vec<PanelView<'_>>, f64) {
        let mut views = Vec::with_capacity(self.panels.len());
        let mut top = title_height(&self.subtitle);
        for row in self.panels.chunks(ACROSS) {
            let mut keys: f64 = 0.0;
            for (column, panel) in row.iter().enumerate() {
                let left = MARGIN + LEFT + column as f64 * (LEFT + PANEL);
                let area = Area::between(
                    at(left, top + PANEL_TITLE),
                    at(left + PANEL - MARGIN, top + PANEL_TITLE + PANEL - MARGIN),
                );
                let view = PanelView::new(panel, area, self.band);
                keys = keys.max(view.key_height());
                views.push(view);
            }
            top += PANEL_TITLE + PANEL + UNDER + keys;
        }
        (views, top)
    }

    /// The rows of the legend. A single series needs none.
    fn legend(&self) -> Vec<LegendRow> {
        let series = self.series();
        let named = series
            .iter()
            .enumerate()
            .map(|(position, name)| (Entry::Series(position), *name));
        let mut entries: Vec<(Entry, &str)> = named.collect();
        if entries.len() < 2 {
            entries.clear();
        }
        let points = || self.panels.iter().flat_map(|panel| &panel.points);
        if points().any(|point| point.is_fitted) {
            entries.push((Entry::Fitted, "hollow: used in a fit"));
        }
        if points().any(|point| point.interval.is_some()) {
            entries.push((Entry::Interval, "line: 90 % interval of the prediction"));
        }
        let mut rows: Vec<LegendRow> = Vec::new();
        let mut x = f64::INFINITY;
        for (entry, text) in entries {
            let text = cut(text, self.width() - 2.0 * MARGIN - 16.0, SMALL);
            let needed = 16.0 + text_width(&text, SMALL);
            if x + needed > self.width() - MARGIN {
                rows.push(Vec::new());
                x = MARGIN;
            }
            if let Some(row) = rows.last_mut() {
                row.push((entry, text, x));
            }
            x += needed + 20.0;
        }
        rows
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        draw_title(canvas, &self.title, &self.subtitle, self.width());
        let series = self.series();
        let (views, bottom) = self.views();
        for view in &views {
            view.draw(canvas, &series);
        }
        for (row, entries) in self.legend().iter().enumerate() {
            let y = bottom + row as f64 * LEGEND_ROW;
            for &(entry, ref text, x) in entries {
                let place = at(x + RADIUS, y);
                match entry {
                    Entry::Series(position) => {
                        canvas.marker(
                            place,
                            RADIUS,
                            Marker::of_series(position),
                            palette::series(position),
                        );
                    }
                    Entry::Fitted => canvas.hollow_marker(place, RADIUS, Marker::Circle, palette::FAINT),
                    Entry::Interval => {
                        let ends = [at(place.x, y - RADIUS), at(place.x, y + RADIUS)];
                        canvas.line(&ends, 1.0, palette::FAINT);
                    }
                }
                canvas.text(text, at(x + 16.0, y), Side::Left, SMALL);
            }
        }
    }
}
