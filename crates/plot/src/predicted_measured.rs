//! What was predicted against what was measured, on logarithmic axes: a panel for each kind of quantity, with the line
//! on which both are equal and a band around it.

use bandgraph_units::QuantityKind;
use plotters::prelude::DrawingBackend;
use plotters::style::Color;

use crate::axis::{LogAxis, words};
use crate::canvas::{Area, At, Canvas, Marker, Side, at};
use crate::labels::{Labelled, place};
use crate::style::{HEADING, MARGIN, POINT_LABEL, SMALL, draw_title, text_width, title_height};
use crate::{PlotError, palette};

/// One figure, measured and predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredPoint {
    /// What it is called.
    pub label: String,
    /// What it belongs to, such as a system; points of one series have one colour and one shape.
    pub series: String,
    /// What was measured, in base units, above zero.
    pub measured: f64,
    /// What was predicted, in base units, above zero.
    pub predicted: f64,
}

/// Figures of one kind of quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What the figures are, such as `network throughput`.
    pub quantity: String,
    /// Their kind; `None` for plain numbers.
    pub kind: Option<QuantityKind>,
    /// The figures; at least one.
    pub points: Vec<MeasuredPoint>,
}

/// Predictions against measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedMeasured {
    /// Above everything, in bold.
    pub title: String,
    /// Under the title; may be empty.
    pub subtitle: String,
    /// One panel for each kind of quantity, at least one and at most 10.
    pub panels: Vec<Panel>,
    /// Half the width of the band around equality, as a share of the measurement; above 0 and below 1.
    pub band: f64,
}

/// The most panels of one picture.
const PANELS_MAX: usize = 10;
/// The most points of one panel.
const POINTS_MAX: usize = 500;
/// Panels in a row.
const ACROSS: usize = 2;

const PANEL: f64 = 520.0;
/// Room left of a panel for its ticks and its name, and under it.
const LEFT: f64 = 100.0;
const UNDER: f64 = 52.0;
const PANEL_TITLE: f64 = 30.0;
const RADIUS: f64 = 5.0;
const LABEL_HEIGHT: f64 = 15.0;
const LEGEND_ROW: f64 = 24.0;

impl PredictedMeasured {
    pub(crate) fn size(&self) -> Result<(u32, u32), PlotError> {
        self.check()?;
        let rows = self.panels.len().div_ceil(ACROSS) as f64;
        let height = self.top()
            + rows * (PANEL_TITLE + PANEL + UNDER)
            + self.legend()?.len() as f64 * LEGEND_ROW
            + MARGIN;
        Ok((self.width() as u32, height.round() as u32))
    }

    fn width(&self) -> f64 {
        2.0 * MARGIN + self.panels.len().min(ACROSS) as f64 * (LEFT + PANEL)
    }

    fn top(&self) -> f64 {
        title_height(&self.subtitle)
    }

    fn check(&self) -> Result<(), PlotError> {
        let too_much = |what, count, limit| Err(PlotError::TooMuch { what, count, limit });
        if self.panels.is_empty() || self.panels.iter().any(|panel| panel.points.is_empty()) {
            return Err(PlotError::Empty("no figure that is both measured and predicted"));
        }
        if self.panels.len() > PANELS_MAX {
            return too_much("kinds of quantities", self.panels.len(), PANELS_MAX);
        }
        if !(self.band > 0.0 && self.band < 1.0) {
            return Err(PlotError::Value {
                of: "the band".to_owned(),
                value: self.band,
            });
        }
        for panel in &self.panels {
            if panel.points.len() > POINTS_MAX {
                return too_much("figures of one kind", panel.points.len(), POINTS_MAX);
            }
            for point in &panel.points {
                for value in [point.measured, point.predicted] {
                    // Beyond these, logarithms and pixels lose their meaning.
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

    /// All series, in the order in which they first come.
    fn series(&self) -> Vec<&str> {
        let mut series: Vec<&str> = Vec::new();
        for point in self.panels.iter().flat_map(|panel| &panel.points) {
            if !series.contains(&point.series.as_str()) {
                series.push(&point.series);
            }
        }
        series
    }

    /// The rows of the legend: for each series its position and where it begins. One series needs no legend.
    fn legend(&self) -> Result<Vec<Vec<(usize, f64)>>, PlotError> {
        let series = self.series();
        let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
        if series.len() < 2 {
            return Ok(rows);
        }
        let mut x = f64::INFINITY;
        for (position, name) in series.iter().enumerate() {
            let needed = 16.0 + text_width(name, SMALL)?;
            if x + needed > self.width() - MARGIN {
                rows.push(Vec::new());
                x = MARGIN;
            }
            if let Some(row) = rows.last_mut() {
                row.push((position, x));
            }
            x += needed + 20.0;
        }
        Ok(rows)
    }

    pub(crate) fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<DB>) -> Result<(), PlotError> {
        self.check()?;
        draw_title(canvas, &self.title, &self.subtitle, self.width())?;
        let series = self.series();
        for (index, panel) in self.panels.iter().enumerate() {
            let left = MARGIN + LEFT + (index % ACROSS) as f64 * (LEFT + PANEL);
            let top = self.top() + PANEL_TITLE + (index / ACROSS) as f64 * (PANEL_TITLE + PANEL + UNDER);
            let area = Area {
                left,
                top,
                right: left + PANEL - MARGIN,
                bottom: top + PANEL - MARGIN,
            };
            PanelView::new(panel, area, self.band).draw(canvas, &series)?;
        }
        let rows = self.panels.len().div_ceil(ACROSS) as f64;
        let first = self.top() + rows * (PANEL_TITLE + PANEL + UNDER);
        for (row, entries) in self.legend()?.iter().enumerate() {
            let y = first + row as f64 * LEGEND_ROW;
            for &(position, x) in entries {
                let marker = Marker::of_series(position);
                canvas.marker(at(x + RADIUS, y), RADIUS, marker, palette::series(position))?;
                canvas.text(series[position], at(x + 16.0, y), Side::Left, SMALL)?;
            }
        }
        Ok(())
    }
}

/// A panel with its axes.
struct PanelView<'a> {
    panel: &'a Panel,
    area: Area,
    axis: LogAxis,
    band: f64,
}

impl<'a> PanelView<'a> {
    fn new(panel: &'a Panel, area: Area, band: f64) -> Self {
        let values = panel
            .points
            .iter()
            .flat_map(|point| [point.measured, point.predicted]);
        Self {
            panel,
            area,
            axis: LogAxis::around(values),
            band,
        }
    }

    /// Where a measurement and its prediction are.
    fn at(&self, measured: f64, predicted: f64) -> At {
        self.at_shares(self.axis.place(measured), self.axis.place(predicted))
    }

    fn at_shares(&self, x: f64, y: f64) -> At {
        at(
            self.area.left + x * self.area.width(),
            self.area.bottom - y * self.area.height(),
        )
    }

    fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, series: &[&str]) -> Result<(), PlotError> {
        let Area {
            left,
            top,
            right,
            bottom,
        } = self.area;
        self.draw_band(canvas)?;
        self.draw_grid(canvas)?;
        canvas.dashes(
            self.at_shares(0.0, 0.0),
            self.at_shares(1.0, 1.0),
            1.0,
            palette::FAINT,
        )?;
        let frame = [
            at(left, top),
            at(right, top),
            at(right, bottom),
            at(left, bottom),
            at(left, top),
        ];
        canvas.line(&frame, 1.0, palette::FAINT)?;
        canvas.text(
            "measured",
            at(f64::midpoint(left, right), bottom + 40.0),
            Side::Centre,
            SMALL,
        )?;
        canvas.text_upward(
            "predicted",
            at(left - LEFT + 14.0, f64::midpoint(top, bottom)),
            SMALL,
        )?;
        self.draw_points(canvas, series)
    }

    /// The band around equality, cut off at the frame.
    fn draw_band<DB: DrawingBackend>(&self, canvas: &Canvas<DB>) -> Result<(), PlotError> {
        let one = self.axis.place(1.0);
        let above = (self.axis.place(1.0 + self.band) - one).min(1.0);
        let below = (one - self.axis.place(1.0 - self.band)).min(1.0);
        let corners = [
            (0.0, 0.0),
            (0.0, above),
            (1.0 - above, 1.0),
            (1.0, 1.0),
            (1.0, 1.0 - below),
            (below, 0.0),
        ];
        canvas.polygon(
            &corners.map(|(x, y)| self.at_shares(x, y)),
            palette::SKY.mix(0.18),
        )?;
        Ok(())
    }

    /// Above the frame: what the panel shows, what the band is, and how many labels are missing.
    fn draw_heading<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<DB>,
        unlabelled: usize,
    ) -> Result<(), PlotError> {
        const SWATCH: f64 = 12.0;
        let y = self.area.top - 14.0;
        canvas.text(&self.panel.quantity, at(self.area.left, y), Side::Left, HEADING)?;
        let band = format!("±{:.0} %", self.band * 100.0);
        canvas.text(&band, at(self.area.right, y), Side::Right, SMALL)?;
        let right = self.area.right - text_width(&band, SMALL)? - 5.0;
        let swatch = Area {
            left: right - SWATCH,
            right,
            top: y - SWATCH / 2.0,
            bottom: y + SWATCH / 2.0,
        };
        canvas.rectangle(swatch, palette::SKY.mix(0.35))?;
        if unlabelled > 0 {
            let note = format!("{unlabelled} without a label");
            canvas.text(&note, at(right - SWATCH - 16.0, y), Side::Right, SMALL)?;
        }
        Ok(())
    }

    fn draw_grid<DB: DrawingBackend>(&self, canvas: &Canvas<DB>) -> Result<(), PlotError> {
        let Area {
            left,
            top,
            right,
            bottom,
        } = self.area;
        let ticks = self.axis.ticks();
        let every = self.words_that_fit(&ticks)?;
        for (index, &tick) in ticks.iter().enumerate() {
            let place = self.at(tick, tick);
            canvas.line(&[at(place.x, top), at(place.x, bottom + 4.0)], 1.0, palette::GRID)?;
            canvas.line(&[at(left - 4.0, place.y), at(right, place.y)], 1.0, palette::GRID)?;
            let words = words(self.panel.kind, tick);
            canvas.text(&words, at(left - 8.0, place.y), Side::Right, SMALL)?;
            if index % every == 0 {
                canvas.text(&words, at(place.x, bottom + 17.0), Side::Centre, SMALL)?;
            }
        }
        Ok(())
    }

    /// How many ticks lie between one with words and the next, so that words under the axis do not run into each other.
    fn words_that_fit(&self, ticks: &[f64]) -> Result<usize, PlotError> {
        const CLEARANCE: f64 = 6.0;
        let spans = ticks.iter().map(|&tick| {
            let half = text_width(&words(self.panel.kind, tick), SMALL)? / 2.0 + CLEARANCE / 2.0;
            let middle = self.at(tick, tick).x;
            Ok((middle - half, middle + half))
        });
        let spans: Vec<(f64, f64)> = spans.collect::<Result<_, PlotError>>()?;
        let fits = |every: &usize| {
            let chosen: Vec<&(f64, f64)> = spans.iter().step_by(*every).collect();
            chosen.windows(2).all(|pair| pair[0].1 <= pair[1].0)
        };
        Ok((1..=ticks.len()).find(fits).unwrap_or(1))
    }

    fn draw_points<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, series: &[&str]) -> Result<(), PlotError> {
        let points = &self.panel.points;
        let labels = points.iter().map(|point| {
            Ok(Labelled {
                point: self.at(point.measured, point.predicted),
                width: text_width(&point.label, POINT_LABEL)?,
            })
        });
        let labels: Vec<Labelled> = labels.collect::<Result<_, PlotError>>()?;
        let inside = Area {
            left: self.area.left + 3.0,
            top: self.area.top + 3.0,
            right: self.area.right - 3.0,
            bottom: self.area.bottom - 3.0,
        };
        let placed = place(&labels, &inside, LABEL_HEIGHT, RADIUS + 1.0, |area| {
            self.on_equality(area)
        });
        for (label, placed) in labels.iter().zip(&placed) {
            if let Some(placed) = placed.filter(|placed| placed.led) {
                canvas.line(&[label.point, placed.lead_end], 1.0, palette::FAINT)?;
            }
        }
        for (label, point) in labels.iter().zip(points) {
            let position = series.iter().position(|name| *name == point.series).unwrap_or(0);
            canvas.marker(
                label.point,
                RADIUS,
                Marker::of_series(position),
                palette::series(position),
            )?;
        }
        for (placed, point) in placed.iter().zip(points) {
            if let Some(placed) = placed {
                canvas.text(&point.label, placed.at, placed.side, POINT_LABEL)?;
            }
        }
        self.draw_heading(canvas, placed.iter().filter(|placed| placed.is_none()).count())
    }

    /// Whether something covers a part of the line of equality.
    fn on_equality(&self, area: &Area) -> bool {
        // Above the line where positive; the frame is square.
        let above = |x: f64, y: f64| {
            (self.area.bottom - y) / self.area.height() - (x - self.area.left) / self.area.width()
        };
        above(area.left, area.top) > 0.0 && above(area.right, area.bottom) < 0.0
    }
}
