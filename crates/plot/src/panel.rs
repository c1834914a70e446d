//! A panel of predictions over measurements: its axes, its points, and their labels, with a key for labels
//! that do not fit beside their points.

use crate::axis::{LogAxis, words};
use crate::canvas::{Area, At, Canvas, Dash, Group, Marker, Side, at};
use crate::frame::{draw_outline, every_that_fits};
use crate::labels::{Labelled, Placed, place};
use crate::palette;
use crate::predicted_measured::{MeasuredPoint, Panel};
use crate::style::{HEADING, POINT_LABEL, SMALL, cut, text_width};

/// The size of a point.
pub(crate) const RADIUS: f64 = 5.0;
const LABEL_HEIGHT: f64 = 15.0;
/// The distance from the axis to the first row of the key, and between rows.
const KEY_TOP: f64 = 62.0;
const KEY_ROW: f64 = 17.0;
/// The width of the name of the vertical axis, to the left of the frame.
const UPWARD: f64 = 86.0;

/// A panel with its axes and the positions of its labels.
pub(crate) struct PanelView<'a> {
    panel: &'a Panel,
    area: Area,
    axis: LogAxis,
    band: f64,
    labels: Vec<Option<Placed>>,
    /// The key of the numbers that replace labels: each entry with its position, row by row.
    key: Vec<(At, String)>,
    key_rows: usize,
}

impl<'a> PanelView<'a> {
    /// The panel in a square area.
    pub(crate) fn new(panel: &'a Panel, area: Area, band: f64) -> Self {
        let values = panel
            .points
            .iter()
            .flat_map(|point| [point.measured, point.predicted]);
        let mut view = Self {
            panel,
            area,
            axis: LogAxis::around(values),
            band,
            labels: Vec::new(),
            key: Vec::new(),
            key_rows: 0,
        };
        view.place_labels();
        view.lay_out_key();
        view
    }

    /// The height of the key below the name of the axis.
    pub(crate) fn key_height(&self) -> f64 {
        self.key_rows as f64 * KEY_ROW
    }

    fn place_labels(&mut self) {
        let short_width = text_width("00", POINT_LABEL);
        let labels = self.panel.points.iter().map(|point| Labelled {
            point: self.at(point.measured, point.predicted),
            width: text_width(&point.label, POINT_LABEL),
            short_width,
        });
        let labels: Vec<Labelled> = labels.collect();
        let inside = self.area.inset(3.0);
        let avoid = |area: &Area| self.on_equality(area);
        self.labels = place(&labels, &inside, LABEL_HEIGHT, RADIUS + 1.0, avoid);
        for (placed, point) in self.labels.iter_mut().zip(&self.panel.points) {
            if point.label.is_empty() {
                *placed = None;
            }
        }
    }

    /// The text at each point: its label, its number in the key, or nothing.
    fn texts(&self) -> Vec<Option<String>> {
        let mut number = 0;
        let texts = self.labels.iter().zip(&self.panel.points).map(|(placed, point)| {
            placed.map(|placed| {
                if placed.is_short {
                    number += 1;
                    number.to_string()
                } else {
                    point.label.clone()
                }
            })
        });
        texts.collect()
    }

    fn lay_out_key(&mut self) {
        let (left, right) = (self.area.left - UPWARD / 2.0, self.area.right);
        let mut x = f64::INFINITY;
        for entry in self.key_entries() {
            let entry = cut(&entry, right - left, POINT_LABEL);
            let width = text_width(&entry, POINT_LABEL);
            if x + width > right {
                x = left;
                self.key_rows += 1;
            }
            let y = self.area.bottom + KEY_TOP + (self.key_rows - 1) as f64 * KEY_ROW;
            self.key.push((at(x, y), entry));
            x += width + 16.0;
        }
    }

    /// The entries of the key, followed by the points without a number.
    fn key_entries(&self) -> Vec<String> {
        /// The maximum number of listed points without a label.
        const NAMED: usize = 20;
        let texts = self.texts();
        let all = || texts.iter().zip(&self.labels).zip(&self.panel.points);
        let numbered = all().filter_map(|((text, placed), point)| {
            let number = placed.filter(|placed| placed.is_short).and(text.as_ref())?;
            Some(format!("{number} {}", point.label))
        });
        let unmarked = || {
            all()
                .filter(|((text, _), point)| text.is_none() && !point.label.is_empty())
                .map(|(_, point)| point.label.as_str())
        };
        let mut entries: Vec<String> = numbered.collect();
        let count = unmarked().count();
        for (index, name) in unmarked().take(NAMED).enumerate() {
            let heading = if index == 0 { "not labelled: " } else { "" };
            entries.push(format!("{heading}{name}"));
        }
        if count > NAMED {
            entries.push(format!("and {} more", count - NAMED));
        }
        entries
    }

    /// The position of a pair of measurement and prediction.
    fn at(&self, measured: f64, predicted: f64) -> At {
        self.at_shares(self.axis.place(measured), self.axis.place(predicted))
    }

    fn at_shares(&self, x: f64, y: f64) -> At {
        at(
            self.area.left + x * self.area.width(),
            self.area.bottom - y * self.area.height(),
        )
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas, series: &[&str]) {
        let (left, right) = (self.area.left, self.area.right);
        let (top, bottom) = (self.area.top, self.area.bottom);
        self.draw_band(canvas);
        self.draw_grid(canvas);
        let equality = (self.at_shares(0.0, 0.0), self.at_shares(1.0, 1.0));
        canvas.dashes(equality, 0.0, Dash::PLAIN, 1.0, palette::FAINT);
        draw_outline(canvas, self.area);
        canvas.text(
            "measured",
            at(f64::midpoint(left, right), bottom + 40.0),
            Side::Centre,
            SMALL,
        );
        canvas.text_upward("predicted", at(left - UPWARD, f64::midpoint(top, bottom)), SMALL);
        self.draw_points(canvas, series);
        for (place, entry) in &self.key {
            canvas.text(entry, *place, Side::Left, POINT_LABEL);
        }
        self.draw_heading(canvas, self.texts().iter().filter(|text| text.is_none()).count());
    }

    /// Draws the band around equality, clipped at the frame.
    fn draw_band(&self, canvas: &mut Canvas) {
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
        );
    }

    /// Draws the heading above the frame: title, band, and number of missing labels.
    fn draw_heading(&self, canvas: &mut Canvas, unlabelled: usize) {
        const SWATCH: f64 = 12.0;
        let y = self.area.top - 14.0;
        canvas.text(&self.panel.quantity, at(self.area.left, y), Side::Left, HEADING);
        let band = format!("±{:.0} %", self.band * 100.0);
        canvas.text(&band, at(self.area.right, y), Side::Right, SMALL);
        let right = self.area.right - text_width(&band, SMALL) - 5.0;
        let swatch = Area::between(at(right - SWATCH, y - SWATCH / 2.0), at(right, y + SWATCH / 2.0));
        canvas.rectangle(swatch, palette::SKY.mix(0.35));
        if unlabelled > 0 {
            let noun = if unlabelled == 1 { "point" } else { "points" };
            let note = format!("{unlabelled} {noun} not labelled");
            canvas.text(&note, at(right - SWATCH - 16.0, y), Side::Right, SMALL);
        }
    }

    fn draw_grid(&self, canvas: &mut Canvas) {
        let (left, right) = (self.area.left, self.area.right);
        let (top, bottom) = (self.area.top, self.area.bottom);
        let ticks = self.axis.ticks();
        let texts: Vec<String> = ticks.iter().map(|&tick| words(self.panel.kind, tick)).collect();
        let spans = ticks
            .iter()
            .zip(&texts)
            .map(|(&tick, text)| (self.at(tick, tick).x, text_width(text, SMALL)));
        let every = every_that_fits(&spans.collect::<Vec<_>>());
        for (index, (&tick, text)) in ticks.iter().zip(&texts).enumerate() {
            let place = self.at(tick, tick);
            canvas.line(&[at(place.x, top), at(place.x, bottom + 4.0)], 1.0, palette::GRID);
            canvas.line(&[at(left - 4.0, place.y), at(right, place.y)], 1.0, palette::GRID);
            canvas.text(text, at(left - 8.0, place.y), Side::Right, SMALL);
            if index % every == 0 {
                canvas.text(text, at(place.x, bottom + 17.0), Side::Centre, SMALL);
            }
        }
    }

    fn draw_points(&self, canvas: &mut Canvas, series: &[&str]) {
        let points = &self.panel.points;
        let place = |point: &MeasuredPoint| self.at(point.measured, point.predicted);
        for (point, placed) in points.iter().zip(&self.labels) {
            if let Some(placed) = placed.filter(|placed| placed.led) {
                canvas.line(&[place(point), placed.lead_end], 1.0, palette::FAINT);
            }
        }
        for point in points {
            if let Some([low, high]) = point.interval {
                let inside = |end: f64| {
                    let place = self.at(point.measured, end);
                    at(place.x, place.y.clamp(self.area.top, self.area.bottom))
                };
                canvas.line(&[inside(low), inside(high)], 1.0, palette::FAINT);
            }
        }
        for point in points {
            let position = series.iter().position(|name| *name == point.series).unwrap_or(0);
            let (marker, colour) = (Marker::of_series(position), palette::series(position));
            let about = Group {
                class: "point",
                title: point.title.clone(),
                ..Group::default()
            };
            canvas.group(about, |canvas| {
                if point.is_fitted {
                    canvas.hollow_marker(place(point), RADIUS, marker, colour);
                } else {
                    canvas.marker(place(point), RADIUS, marker, colour);
                }
            });
        }
        for (placed, text) in self.labels.iter().zip(&self.texts()) {
            if let (Some(placed), Some(text)) = (placed, text) {
                canvas.text(text, placed.at, placed.side, POINT_LABEL);
            }
        }
    }

    /// Whether an area covers a part of the line of equality.
    fn on_equality(&self, area: &Area) -> bool {
        // Positive above the line; the frame is square.
        let above = |x: f64, y: f64| {
            (self.area.bottom - y) / self.area.height() - (x - self.area.left) / self.area.width()
        };
        above(area.left, area.top) > 0.0 && above(area.right, area.bottom) < 0.0
    }
}
