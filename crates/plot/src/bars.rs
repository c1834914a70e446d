//! Bars in rows: the mark of every picture that compares values of named items. A row has a label, a note,
//! and shapes between values; groups of rows have a heading. The legend shows the same shapes.

use bandgraph_units::QuantityKind;

use crate::axis::{Axis, LinearAxis, Scale, words};
use crate::canvas::{Area, At, Canvas, Marker, Side, Type, at};
use crate::error::at_most;
use crate::frame::check_values;
use crate::style::{
    BOLD, HEADING, LABEL, MARGIN, SMALL, cut, draw_title, text_width, title_height, widest, wrapped,
};
use crate::{PlotError, palette};

/// The maximum number of rows in a picture.
pub const BARS_MAX: usize = 250;

/// The shape between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarShape {
    /// A bar in the colour of a series, by its index in the palette, which repeats after eleven.
    Solid(usize),
    /// The outline of such a bar, for a value of lower weight.
    Hollow(usize),
    /// A grey bar, for references.
    Grey,
    /// The background of a bar: its full range.
    Ground,
    /// A shade behind all rows.
    Band,
    /// A thin line with caps at both values.
    Interval,
    /// A stroke across the bar, midway between the values.
    Stroke,
    /// A filled circle, midway between the values.
    Circle,
    /// A hollow diamond, midway between the values.
    Diamond,
}

/// A shape with its values, in the unit of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarMark {
    /// The shape.
    pub shape: BarShape,
    /// The two values, in any order. A value beyond the axis is drawn at the nearer end.
    pub values: [f64; 2],
    /// The index of its bar in the row, from the top.
    pub lane: usize,
}

impl BarMark {
    /// A shape from zero to a value, in the first lane.
    pub const fn up_to(shape: BarShape, value: f64) -> Self {
        Self::between(shape, [0.0, value])
    }

    /// A shape at a value, in the first lane.
    pub const fn at(shape: BarShape, value: f64) -> Self {
        Self::between(shape, [value, value])
    }

    /// A shape between two values, in the first lane.
    pub const fn between(shape: BarShape, values: [f64; 2]) -> Self {
        Self {
            shape,
            values,
            lane: 0,
        }
    }
}

/// A row: one item with its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarRow {
    /// Its name.
    pub label: String,
    /// A text after or below it, such as the value.
    pub note: String,
    /// Whether it is emphasised: its label is bold, with an arrowhead if it is beside the bar.
    pub is_emphasised: bool,
    /// Its shapes, in drawing order.
    pub marks: Vec<BarMark>,
}

/// A group of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarGroup {
    /// The heading; none if empty.
    pub name: String,
    /// A text at the end of the heading; may be empty.
    pub note: String,
    /// The rows, from the top.
    pub rows: Vec<BarRow>,
}

/// The axis of all values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarAxis {
    /// The text below the axis; may be empty.
    pub name: String,
    /// The kind of the values; `None` for plain numbers.
    pub kind: Option<QuantityKind>,
    /// The ends of the axis in ascending order; `None` for an axis from zero that includes all values. An
    /// axis that starts below zero has a line at zero and signs at its values.
    pub range: Option<[f64; 2]>,
}

/// A picture of bars in rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The title at the top, in bold.
    pub title: String,
    /// The text below the title; may be empty.
    pub subtitle: String,
    /// Whether labels and notes are above their bars, because they are long; otherwise they are at both ends.
    pub is_labelled_above: bool,
    /// The axis; `None` if values are shares from 0 to 1 of a different total per row.
    pub axis: Option<BarAxis>,
    /// A range of values with a shade behind all rows.
    pub band: Option<[f64; 2]>,
    /// The rows in groups, at least one and at most [`BARS_MAX`].
    pub groups: Vec<BarGroup>,
    /// The meanings of shapes.
    pub legend: Vec<(BarShape, String)>,
    /// The text at the bottom; may be empty.
    pub footer: String,
    /// The missing item if there is no row, such as "no resource".
    pub if_empty: &'static str,
}

/// More rows than this are close together.
const DENSE: usize = 45;
/// The width of the picture.
const WIDTH: f64 = 900.0;
/// The distance between the end of a label and its bar, and between the bar and its note.
const GAP: f64 = 12.0;
/// The distance between lines of a legend or of a label.
const LINE: f64 = 20.0;
/// The most lines of a label above its bar; longer ones are truncated.
const LABEL_LINES: usize = 3;
/// The height of the heading of a group.
const HEADING_HEIGHT: f64 = 30.0;
/// The size of a sample in the legend; its distance from its text, and that of the text from the next sample.
const SAMPLE: (f64, f64) = (20.0, 12.0);
const SAMPLE_GAP: (f64, f64) = (6.0, 20.0);

/// The layout of the picture.
struct Layout {
    /// The area of the bars.
    plot: Area,
    axis: Axis,
    /// The height of a bar and of a row.
    bar: f64,
    row: f64,
    /// The number of bars in a row.
    lanes: usize,
    /// Whether notes are on separate lines below the labels.
    has_note_lines: bool,
    /// The lines of the longest label.
    label_lines: usize,
    /// The height of the axis name, the left end and height of each sample of the legend, and the height of
    /// the footer.
    name: f64,
    samples: Vec<(f64, f64)>,
    footer: f64,
    height: f64,
}

impl Layout {
    fn x(&self, value: f64) -> f64 {
        let share = self.axis.place(value).clamp(0.0, 1.0);
        (self.plot.left + share * self.plot.width()).round()
    }

    /// The area of a mark in a row that starts at `top`: at least one unit wide, unless its values are equal.
    fn area(&self, is_labelled_above: bool, top: f64, mark: &BarMark) -> Area {
        let height = self.bar * self.lanes as f64 + (self.lanes - 1) as f64;
        let first = if is_labelled_above {
            top + self.row - height - 10.0
        } else {
            top + (self.row - height) / 2.0
        };
        let top = first + mark.lane as f64 * (self.bar + 1.0);
        let [from, to] = mark.values;
        let left = self.x(from.min(to));
        let least = if (to - from).abs() > 0.0 { 1.0 } else { 0.0 };
        Area::between(
            at(left, top),
            at(self.x(from.max(to)).max(left + least), top + self.bar),
        )
    }
}

impl Bars {
    fn rows(&self) -> impl Iterator<Item = &BarRow> + Clone {
        self.groups.iter().flat_map(|group| &group.rows)
    }

    pub(crate) fn check(&self) -> Result<(), PlotError> {
        let count = self.rows().count().max(self.groups.len());
        if self.rows().next().is_none() {
            return Err(PlotError::Empty(self.if_empty));
        }
        at_most(BARS_MAX, count, "bars")?;
        let of_rows = self.rows().flat_map(|row| {
            let values = row.marks.iter().flat_map(|mark| mark.values);
            values.map(|value| (row.label.as_str(), value))
        });
        let range = self.axis.iter().filter_map(|axis| axis.range);
        let of_all = range.chain(self.band).flatten().map(|value| ("the axis", value));
        check_values(of_rows.chain(of_all))
    }

    fn layout(&self) -> Layout {
        let count = self.rows().count();
        let marks = self.rows().flat_map(|row| &row.marks);
        let lanes = marks.clone().map(|mark| mark.lane + 1).max().unwrap_or(1);
        let labels = || self.rows().map(|row| row.label.as_str());
        let notes = || self.rows().map(|row| row.note.as_str());
        let (mut has_note_lines, mut label_lines, inner) = (false, 1, WIDTH - 2.0 * MARGIN);
        let (bar, row, left, right) = if self.is_labelled_above {
            for (label, note) in labels().zip(notes()) {
                has_note_lines |= text_width(label, BOLD) + 2.0 * GAP + text_width(note, SMALL) > inner;
            }
            if has_note_lines {
                for label in labels() {
                    label_lines = label_lines.max(wrapped(label, inner, BOLD).len().min(LABEL_LINES));
                }
            }
            let lines = label_lines + usize::from(has_note_lines);
            (14.0, 28.0 + LINE * lines as f64, MARGIN, WIDTH - MARGIN)
        } else {
            let (bar, row) = match lanes {
                1 if count <= 20 => (16.0, 26.0),
                1 if count <= DENSE => (12.0, 20.0),
                1 => (10.0, 16.0),
                _ => (9.0, 10.0 * lanes as f64 + 6.0),
            };
            // Bars keep at least a third of the picture; longer texts are truncated.
            let label = widest(labels(), BOLD).min(WIDTH / 3.0);
            let note = widest(notes(), SMALL).min(WIDTH / 3.0);
            (bar, row, MARGIN + label + 2.0 * GAP, WIDTH - MARGIN - note - GAP)
        };
        let headings = self.groups.iter().filter(|group| !group.name.is_empty()).count();
        let top = title_height(&self.subtitle);
        let bottom = (top + row * count as f64 + HEADING_HEIGHT * headings as f64).round();
        let axis = match &self.axis {
            None => Axis::Linear(LinearAxis::between(0.0, 1.0)),
            Some(BarAxis {
                range: Some([low, high]),
                ..
            }) => Axis::Linear(LinearAxis::between(*low, *high)),
            Some(_) => Axis::around(Scale::Linear, marks.flat_map(|mark| mark.values)),
        };

        let mut y = bottom;
        let mut down = |is_there: bool, by: f64| {
            y += if is_there { by } else { 0.0 };
            y
        };
        down(self.axis.is_some(), 16.0);
        let name = down(self.axis.as_ref().is_some_and(|axis| !axis.name.is_empty()), 22.0);
        let mut line = down(!self.legend.is_empty(), 26.0);
        let (mut samples, mut from) = (Vec::new(), MARGIN);
        for (_, text) in &self.legend {
            let width = SAMPLE.0 + SAMPLE_GAP.0 + text_width(text, SMALL);
            if from > MARGIN && from + width > WIDTH - MARGIN {
                (from, line) = (MARGIN, down(true, LINE));
            }
            samples.push((from, line));
            from += width + SAMPLE_GAP.1;
        }
        let footer = down(!self.footer.is_empty(), 24.0);
        Layout {
            plot: Area::between(at(left.round(), top), at(right.round(), bottom)),
            axis,
            bar,
            row,
            lanes,
            has_note_lines,
            label_lines,
            name,
            samples,
            footer,
            height: footer + MARGIN,
        }
    }

    /// Width and height, in units.
    pub fn size(&self) -> (u32, u32) {
        (WIDTH as u32, self.layout().height.round() as u32)
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        let layout = self.layout();
        let (plot, inner) = (layout.plot, WIDTH - 2.0 * MARGIN);
        draw_title(canvas, &self.title, &self.subtitle, WIDTH);
        if let Some(band) = self.band {
            let [left, right] = band.map(|value| layout.x(value));
            canvas.rectangle(Area { left, right, ..plot }, palette::SKY.mix(0.18));
        }
        if let Some(axis) = &self.axis {
            for tick in layout.axis.ticks() {
                let sign = if layout.has_signs() && tick > 0.0 { "+" } else { "" };
                let (x, text) = (layout.x(tick), words(axis.kind, tick));
                canvas.line(&[at(x, plot.top), at(x, plot.bottom + 4.0)], 1.0, palette::GRID);
                let place = at(x, plot.bottom + 16.0);
                canvas.text(&format!("{sign}{text}"), place, Side::Centre, SMALL);
            }
            let name = cut(&axis.name, inner, SMALL);
            canvas.text(&name, at(WIDTH / 2.0, layout.name), Side::Centre, SMALL);
        }
        let (mut top, mut headings) = (plot.top, Vec::new());
        for group in &self.groups {
            if !group.name.is_empty() {
                headings.push((group, top + HEADING_HEIGHT / 2.0 + 2.0));
                top += HEADING_HEIGHT;
            }
            for row in &group.rows {
                if self.is_labelled_above {
                    draw_label_above(canvas, &layout, row, top);
                } else {
                    draw_label_beside(canvas, &layout, row, top + layout.row / 2.0);
                }
                for mark in &row.marks {
                    draw_shape(canvas, mark.shape, layout.area(self.is_labelled_above, top, mark));
                }
                top += layout.row;
            }
        }
        if layout.has_signs() {
            let zero = layout.x(0.0);
            canvas.line(&[at(zero, plot.top), at(zero, plot.bottom)], 1.0, palette::INK);
        }
        for (group, y) in headings {
            draw_heading(canvas, group, y);
        }
        for ((shape, text), &(left, y)) in self.legend.iter().zip(&layout.samples) {
            let sample = Area::between(
                at(left, y - SAMPLE.1 / 2.0),
                at(left + SAMPLE.0, y + SAMPLE.1 / 2.0),
            );
            draw_shape(canvas, *shape, sample);
            let text = cut(text, inner - SAMPLE.0 - SAMPLE_GAP.0, SMALL);
            canvas.text(&text, at(sample.right + SAMPLE_GAP.0, y), Side::Left, SMALL);
        }
        let footer = cut(&self.footer, inner, SMALL);
        canvas.text(&footer, at(MARGIN, layout.footer), Side::Left, SMALL);
    }
}

impl Layout {
    /// Whether zero is inside the axis, so that values have signs.
    fn has_signs(&self) -> bool {
        self.axis.place(0.0) > 0.0
    }
}

fn draw_heading(canvas: &mut Canvas, group: &BarGroup, y: f64) {
    let note = cut(&group.note, WIDTH / 2.0 - MARGIN, SMALL);
    let noted = text_width(&note, SMALL);
    let name = cut(&group.name, WIDTH - 2.0 * (MARGIN + GAP) - noted, HEADING);
    draw_on_clear_ground(canvas, &note, SMALL, at(WIDTH - MARGIN - noted, y));
    draw_on_clear_ground(canvas, &name, HEADING, at(MARGIN, y));
}

/// Draws a text to the right of a point, with nothing behind it: no line crosses it.
fn draw_on_clear_ground(canvas: &mut Canvas, text: &str, look: Type, place: At) {
    if text.is_empty() {
        return;
    }
    let ground = Area::between(
        at(place.x, place.y - 9.0),
        at(place.x + text_width(text, look), place.y + 9.0),
    );
    canvas.rectangle(ground, palette::PAPER);
    canvas.text(text, place, Side::Left, look);
}

/// Draws the label before a bar and the note after it.
fn draw_label_beside(canvas: &mut Canvas, layout: &Layout, row: &BarRow, y: f64) {
    let Area { left, right, .. } = layout.plot;
    if row.is_emphasised {
        let tip = left - 3.0;
        let corners = [at(tip - 7.0, y - 5.0), at(tip, y), at(tip - 7.0, y + 5.0)];
        canvas.polygon(&corners, palette::INK);
    }
    let look = if row.is_emphasised { BOLD } else { LABEL };
    let label = cut(&row.label, left - MARGIN - 2.0 * GAP, look);
    canvas.text(&label, at(left - GAP - 3.0, y), Side::Right, look);
    let note = cut(&row.note, WIDTH - MARGIN - right - GAP + 1.0, SMALL);
    canvas.text(&note, at(right + GAP, y), Side::Left, SMALL);
}

/// Draws the label above a bar, and the note at the end of its line or below it. The background is cleared,
/// so that no line crosses the text.
fn draw_label_above(canvas: &mut Canvas, layout: &Layout, row: &BarRow, top: f64) {
    let Area { left, right, .. } = layout.plot;
    let look = if row.is_emphasised { BOLD } else { LABEL };
    let note = cut(&row.note, layout.plot.width(), SMALL);
    let noted = text_width(&note, SMALL);
    let last = top + 14.0 + LINE * (layout.label_lines - 1) as f64;
    let (room, note_from, note_y) = if layout.has_note_lines {
        (right - left, left, last + LINE)
    } else {
        (right - left - noted - 2.0 * GAP, right - noted, last)
    };
    let mut lines = wrapped(&row.label, room, look);
    if let Some(rest) = lines.get(layout.label_lines - 1..).filter(|rest| rest.len() > 1) {
        lines[layout.label_lines - 1] = cut(&rest.join(" "), room, look);
        lines.truncate(layout.label_lines);
    }
    let first = last - LINE * lines.len().saturating_sub(1) as f64;
    let lines = lines.into_iter().enumerate();
    let labels = lines.map(|(line, text)| (text, look, left, first + LINE * line as f64));
    for (text, look, left, y) in labels.chain([(note, SMALL, note_from, note_y)]) {
        draw_on_clear_ground(canvas, &text, look, at(left, y));
    }
}

/// Draws a shape in its area.
fn draw_shape(canvas: &mut Canvas, shape: BarShape, area: Area) {
    const EDGE: f64 = 1.5;
    let middle = area.middle();
    match shape {
        BarShape::Hollow(series) if area.width() > 2.0 * EDGE => {
            canvas.rectangle(area, palette::PAPER);
            canvas.edge(area, EDGE, palette::series(series));
        }
        BarShape::Solid(series) | BarShape::Hollow(series) => canvas.rectangle(area, palette::series(series)),
        BarShape::Grey => canvas.rectangle(area, palette::GREY),
        BarShape::Ground => canvas.rectangle(area, palette::SHADE),
        BarShape::Band => canvas.rectangle(area, palette::SKY.mix(0.3)),
        BarShape::Interval => {
            let half = area.height() / 4.0;
            canvas.line(
                &[at(area.left, middle.y), at(area.right, middle.y)],
                1.0,
                palette::INK,
            );
            for end in [area.left, area.right] {
                let ends = [at(end, middle.y - half), at(end, middle.y + half)];
                canvas.line(&ends, 1.0, palette::INK);
            }
        }
        BarShape::Stroke => {
            let ends = [at(middle.x, area.top - 2.0), at(middle.x, area.bottom + 2.0)];
            canvas.line(&ends, 2.0, palette::INK);
        }
        BarShape::Circle => canvas.marker(middle, 5.0, Marker::Circle, palette::BLUE),
        BarShape::Diamond => canvas.hollow_marker(middle, 5.0, Marker::Diamond, palette::INK),
    }
}
