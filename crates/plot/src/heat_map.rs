//! A heat map: the colour of each cell of a grid is its value. It shows the use of resources over time, or a
//! metric over two axes of a sweep.

use crate::axis::{LinearAxis, words};
use crate::canvas::{Area, Canvas, Group, Side, Type, at};
use crate::colour_bar::ColourBar;
use crate::error::at_most;
use crate::font::Weight;
use crate::frame::{OVER, UNDER, check_values, draw_names, draw_outline, every_that_fits};
use crate::palette::Colour;
use crate::style::{LABEL, MARGIN, SMALL, cut, draw_title, text_width, title_height, widest};
use crate::{PlotError, palette};
use bandgraph_units::QuantityKind;

/// The maximum number of columns in a picture.
pub const COLUMNS_MAX: usize = 400;
/// The maximum number of rows in a picture.
pub const ROWS_MAX: usize = 64;

/// A grid of values.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// The title at the top, in bold.
    pub title: String,
    /// The text below the title; may be empty.
    pub subtitle: String,
    /// The name of the columns.
    pub x_name: String,
    /// One text per column. They are not drawn if `along` is set.
    pub columns: Vec<String>,
    /// The quantity along the columns, if there is one.
    pub along: Option<Along>,
    /// The name of the rows.
    pub y_name: String,
    /// One text per row, from the top.
    pub rows: Vec<String>,
    /// The name of the values.
    pub value_name: String,
    /// Their kind; `None` for plain numbers.
    pub kind: Option<QuantityKind>,
    /// The values with the darkest and the lightest colour; `None` for the range of the cells.
    pub range: Option<(f64, f64)>,
    /// The values, row by row; `None` for an empty cell.
    pub cells: Vec<Option<f64>>,
}

/// A quantity along the columns of a heat map.
#[derive(Clone, Debug, PartialEq)]
pub struct Along {
    /// Its kind; `None` for a plain number.
    pub kind: Option<QuantityKind>,
    /// The start of the first column, and the end of each column: ascending, one more than there are columns.
    pub edges: Vec<f64>,
    /// The position of a line through all rows, such as the end of a warm-up.
    pub mark: Option<f64>,
}

impl Along {
    fn axis(&self) -> LinearAxis {
        let end = |edge: Option<&f64>| edge.copied().unwrap_or_default();
        LinearAxis::between(end(self.edges.first()), end(self.edges.last()))
    }
}

const WIDTH: f64 = 900.0;
/// The height of a row: as available, within this range.
const ROW: std::ops::RangeInclusive<f64> = 20.0..=44.0;
/// The target height of all rows.
const HEIGHT: f64 = 360.0;
const VALUE: Type = Type {
    size: 12.0,
    weight: Weight::Regular,
    colour: palette::INK,
};

impl HeatMap {
    pub(crate) fn size(&self) -> (u32, u32) {
        let rows = self.row_height() * self.rows.len() as f64;
        let height = title_height(&self.subtitle) + OVER + rows + UNDER + MARGIN / 2.0;
        (WIDTH as u32, height.round() as u32)
    }

    fn row_height(&self) -> f64 {
        (HEIGHT / self.rows.len() as f64)
            .clamp(*ROW.start(), *ROW.end())
            .round()
    }

    pub(crate) fn check(&self) -> Result<(), PlotError> {
        if self.cells.iter().all(Option::is_none) || self.cells.len() != self.rows.len() * self.columns.len()
        {
            return Err(PlotError::Empty("no point that has a value"));
        }
        for (what, count, limit) in [
            ("columns", self.columns.len(), COLUMNS_MAX),
            ("rows", self.rows.len(), ROWS_MAX),
        ] {
            at_most(limit, count, what)?;
        }
        if let Some(Along { edges, mark, .. }) = &self.along {
            if edges.len() != self.columns.len() + 1 {
                return Err(PlotError::Empty("no place for every column"));
            }
            check_values(
                edges
                    .iter()
                    .chain(mark)
                    .map(|&value| (self.x_name.as_str(), value)),
            )?;
            if let Some(pair) = edges.windows(2).find(|pair| pair[0] >= pair[1]) {
                return Err(PlotError::Value {
                    of: self.x_name.clone(),
                    value: pair[1],
                });
            }
        }
        let ends = self.range.iter().flat_map(|&(low, high)| [low, high]);
        let values = ends.chain(self.cells.iter().flatten().copied());
        check_values(values.map(|value| (self.value_name.as_str(), value)))
    }

    /// The values with the darkest and the lightest colour.
    fn ends(&self) -> (f64, f64) {
        let (low, high) = self.range.unwrap_or_else(|| {
            let values = self.cells.iter().flatten();
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
                (low.min(value), high.max(value))
            })
        });
        if high > low {
            (low, high)
        } else {
            (low, low + low.abs().max(1.0))
        }
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        draw_title(canvas, &self.title, &self.subtitle, WIDTH);
        let names = widest(&self.rows, LABEL).min(WIDTH / 3.0);
        let (low, high) = self.ends();
        let bar = ColourBar::new(&self.value_name, self.kind, low, high);
        let top = title_height(&self.subtitle) + OVER;
        let area = Area::between(
            at((MARGIN + names + 10.0).round(), top),
            at(
                (WIDTH - MARGIN - bar.room()).round(),
                top + self.row_height() * self.rows.len() as f64,
            ),
        );
        canvas.group(Group::fixed(), |canvas| self.draw_cells(canvas, &area));
        self.draw_texts(canvas, &area, names);
        draw_outline(canvas, area);
        draw_names(canvas, area, &self.x_name, &self.y_name);
        bar.draw(canvas, &area, WIDTH - MARGIN);
    }

    fn column_edge(&self, area: &Area, column: usize) -> f64 {
        let share = match &self.along {
            Some(along) => along.axis().place(along.edges[column]),
            None => column as f64 / self.columns.len() as f64,
        };
        (area.left + area.width() * share).round()
    }

    fn draw_cells(&self, canvas: &mut Canvas, area: &Area) {
        let (low, high) = self.ends();
        let row_height = self.row_height();
        let texts: Vec<Option<String>> = self
            .cells
            .iter()
            .map(|cell| cell.map(|value| words(self.kind, value)))
            .collect();
        // Values are drawn only if every one fits its cell.
        let room = area.width() / self.columns.len() as f64 - 8.0;
        let writes = widest(texts.iter().flatten(), VALUE) <= room;
        let colour = |cell: Option<f64>| {
            cell.map_or(palette::SHADE, |value| {
                palette::gradient((value - low) / (high - low))
            })
        };
        let mut index = 0;
        while index < self.cells.len() {
            let (row, column) = (index / self.columns.len(), index % self.columns.len());
            // Adjacent cells of one colour are one rectangle, so that files of large pictures stay small.
            let rest = &self.cells[index..index + self.columns.len() - column];
            let colour_here = colour(rest[0]);
            let alike = if writes {
                1
            } else {
                rest.iter()
                    .take_while(|cell| colour(**cell) == colour_here)
                    .count()
            };
            let cell_area = Area::between(
                at(self.column_edge(area, column), area.top + row_height * row as f64),
                at(
                    self.column_edge(area, column + alike),
                    area.top + row_height * (row + 1) as f64,
                ),
            );
            canvas.rectangle(cell_area, colour_here);
            if let (true, Some(text)) = (writes, &texts[index]) {
                let middle = at(
                    f64::midpoint(cell_area.left, cell_area.right),
                    f64::midpoint(cell_area.top, cell_area.bottom),
                );
                let look = Type {
                    colour: text_on(colour_here),
                    ..VALUE
                };
                canvas.text(text, middle, Side::Centre, look);
            }
            index += alike;
        }
    }

    /// Draws the texts of rows and columns.
    fn draw_texts(&self, canvas: &mut Canvas, area: &Area, room: f64) {
        for (row, text) in self.rows.iter().enumerate() {
            let y = area.top + self.row_height() * (row as f64 + 0.5);
            let text = cut(text, room + 1.0, LABEL);
            canvas.text(&text, at(area.left - 8.0, y), Side::Right, LABEL);
        }
        match &self.along {
            Some(along) => draw_along(canvas, area, along),
            None => self.draw_columns(canvas, area),
        }
    }

    fn draw_columns(&self, canvas: &mut Canvas, area: &Area) {
        let places = (0..self.columns.len())
            .map(|column| f64::midpoint(self.column_edge(area, column), self.column_edge(area, column + 1)));
        draw_row_of_texts(canvas, area, self.columns.iter().map(String::as_str).zip(places));
    }
}

/// Draws round values of the quantity along the columns, and its mark.
fn draw_along(canvas: &mut Canvas, area: &Area, along: &Along) {
    let axis = along.axis();
    let x = |value: f64| area.left + axis.place(value) * area.width();
    let ticks = axis.ticks();
    let texts: Vec<String> = ticks.iter().map(|tick| words(along.kind, *tick)).collect();
    draw_row_of_texts(
        canvas,
        area,
        texts
            .iter()
            .map(String::as_str)
            .zip(ticks.iter().map(|tick| x(*tick))),
    );
    if let Some(mark) = along.mark.filter(|mark| (0.0..=1.0).contains(&axis.place(*mark))) {
        let line = (at(x(mark), area.top), at(x(mark), area.bottom));
        canvas.line(&[line.0, line.1], 3.0, palette::INK);
        canvas.line(&[line.0, line.1], 1.0, palette::PAPER);
    }
}

/// Draws texts below the columns at their positions, as many as fit.
fn draw_row_of_texts<'t>(
    canvas: &mut Canvas,
    area: &Area,
    texts: impl Iterator<Item = (&'t str, f64)> + Clone,
) {
    let spans = texts
        .clone()
        .map(|(text, middle)| (middle, text_width(text, SMALL)));
    let every = every_that_fits(&spans.collect::<Vec<_>>());
    for (text, middle) in texts.step_by(every) {
        canvas.line(
            &[at(middle, area.bottom), at(middle, area.bottom + 4.0)],
            1.0,
            palette::FAINT,
        );
        canvas.text(text, at(middle, area.bottom + 17.0), Side::Centre, SMALL);
    }
}

/// The colour of text on a background: ink or paper, whichever has more contrast.
fn text_on(ground: Colour) -> Colour {
    let Colour(red, green, blue) = ground;
    // Luma of ITU-R BT.601, which is precise enough to choose between two.
    let luma = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
    if luma < 140.0 {
        palette::PAPER
    } else {
        palette::INK
    }
}
