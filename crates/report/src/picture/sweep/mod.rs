//! Pictures of a sweep: a curve along its axis with what it cannot get past, or a surface over its axes.
//!
//! A table of the rows is filled by a sweep that runs, or read from what one has written (`read`); `axes`
//! finds what varies, and `curves` and `surface` say what becomes of it.

mod axes;
mod curves;
mod read;
mod surface;
#[cfg(test)]
mod tests;

use bandgraph_plot::Picture;
use bandgraph_scenario::{AxisKind, INTERVAL_COLUMNS, Metric, SweepFile, column_kind};
use bandgraph_study::{Point, Record};
use bandgraph_topology::ResourceKind;
use bandgraph_units::QuantityKind;
use serde_json::{Map, Value};

use super::{PictureError, PictureKind};
use crate::origin::Origin;
use crate::sweep::{saturation_column, sweep_cells, sweep_columns, sweep_origin};

/// Rows that a picture is made of. Of more, a picture would say no more.
const ROWS_OF_TABLE_MAX: usize = 20_000;
/// The rows of a sweep, as far as pictures need them.
#[derive(Clone, Debug)]
pub struct SweepTable {
    name: String,
    metric: Metric,
    axes: Vec<AxisColumn>,
    /// The column of the metric, and those that say how full kinds of resources are.
    metric_column: usize,
    /// The columns of the ends of its interval.
    interval_columns: Option<[usize; 2]>,
    saturation_columns: Vec<(ResourceKind, usize)>,
    rows: Vec<Row>,
    /// Rows beyond those that are kept.
    left_out: usize,
    /// What they are made from.
    origin: String,
}

#[derive(Clone, Debug)]
struct AxisColumn {
    name: String,
    kind: Option<QuantityKind>,
    column: usize,
}

#[derive(Clone, Debug)]
struct Row {
    values: Vec<Cell>,
    figure: f64,
    /// The ends of its interval.
    interval: Option<[f64; 2]>,
    /// What was measured there.
    measured: Option<f64>,
    /// In the order of the columns.
    saturations: Vec<f64>,
}

/// A value of an axis.
#[derive(Clone, Debug, PartialEq)]
enum Cell {
    Number(f64),
    Text(String),
}

impl SweepTable {
    /// A table without rows for what a sweep will find about a metric.
    ///
    /// # Errors
    ///
    /// The sweep does not tell the metric: predictions have no percentiles, for example.
    pub fn new(sweep: &SweepFile, metric: Metric) -> Result<Self, PictureError> {
        let columns = sweep_columns(sweep);
        let mut table = Self::of_columns(&columns, &sweep.name, metric)?;
        let origin = sweep_origin(sweep).map(|(name, _, cell)| (name.to_owned(), cell));
        let hash = ("input_hash".to_owned(), Value::from(sweep.sweep_hash.as_str()));
        table.origin = Origin::new(origin.chain([hash]).collect::<Map<_, _>>().into()).line();
        for (axis, column) in sweep.axes.iter().zip(&mut table.axes) {
            column.name.clone_from(&axis.id);
            column.kind = match axis.kind {
                AxisKind::Quantity(kind) => Some(kind),
                AxisKind::Number | AxisKind::Text => None,
            };
        }
        Ok(table)
    }

    /// Takes in the record of a point.
    pub fn add(&mut self, sweep: &SweepFile, point: &Point, record: &Record) {
        if self.rows.len() < ROWS_OF_TABLE_MAX {
            let measured = sweep.measured_at(self.metric, &point.values);
            self.push(&sweep_cells(sweep, point, record), measured);
        } else {
            self.left_out += 1;
        }
    }

    fn of_columns(columns: &[String], name: &str, metric: Metric) -> Result<Self, PictureError> {
        let missing = || PictureError::Missing(format!("these results do not tell `{metric}`"));
        let metric_column = columns
            .iter()
            .position(|column| column == metric.as_str())
            .ok_or_else(missing)?;
        let end = |end: &str| {
            columns
                .iter()
                .position(|column| *column == format!("{metric}{end}"))
        };
        let interval_columns = INTERVAL_COLUMNS.map(end);
        let is_metric = |column: &String| Metric::from_name(column).is_some();
        let first = columns.iter().position(is_metric).unwrap_or(metric_column);
        let axes = columns[..first].iter().enumerate().skip(1);
        let axes = axes.map(|(column, name)| {
            let (name, kind) = column_kind(name);
            AxisColumn {
                name: name.to_owned(),
                kind,
                column,
            }
        });
        let saturations = columns.iter().enumerate().filter_map(|(column, name)| {
            let mut kinds = ResourceKind::ALL.iter().copied();
            Some((kinds.find(|&kind| saturation_column(kind) == *name)?, column))
        });
        Ok(Self {
            name: name.to_owned(),
            metric,
            axes: axes.collect(),
            metric_column,
            interval_columns: interval_columns[0]
                .zip(interval_columns[1])
                .map(<[usize; 2]>::from),
            saturation_columns: saturations.collect(),
            rows: Vec::new(),
            left_out: 0,
            origin: String::new(),
        })
    }

    /// Takes in a row, unless it has no figure, as that of a point that ended in an error.
    fn push(&mut self, cells: &[Value], measured: Option<f64>) {
        let Some(figure) = cells.get(self.metric_column).and_then(Value::as_f64) else {
            return;
        };
        if self.rows.len() == ROWS_OF_TABLE_MAX {
            self.left_out += 1;
            return;
        }
        let value = |axis: &AxisColumn| match cells.get(axis.column) {
            Some(Value::Number(number)) => Cell::Number(number.as_f64().unwrap_or_default()),
            Some(Value::String(text)) => Cell::Text(text.clone()),
            other => Cell::Text(other.map_or_else(String::new, Value::to_string)),
        };
        let end = |column: usize| cells.get(column).and_then(Value::as_f64);
        let interval = self.interval_columns;
        let interval = interval.and_then(|[low, high]| Some([end(low)?, end(high)?]));
        let saturation = |(_, column): &(ResourceKind, usize)| cells.get(*column).and_then(Value::as_f64);
        self.rows.push(Row {
            values: self.axes.iter().map(value).collect(),
            figure,
            interval,
            measured,
            saturations: self
                .saturation_columns
                .iter()
                .map(|column| saturation(column).unwrap_or_default())
                .collect(),
        });
    }

    /// The picture: by default a curve for one axis of numbers, and a surface for more.
    ///
    /// # Errors
    ///
    /// [`PictureError`], where there is nothing that varies, or too much of it.
    pub fn picture(&self, kind: Option<PictureKind>) -> Result<Picture, PictureError> {
        Ok(Picture {
            origin: self.origin.clone(),
            ..self.drawing(kind)?
        })
    }

    fn drawing(&self, kind: Option<PictureKind>) -> Result<Picture, PictureError> {
        if self.left_out > 0 {
            return Err(PictureError::Missing(format!(
                "a picture is made of {ROWS_OF_TABLE_MAX} points at most, and there are {}",
                self.rows.len() + self.left_out
            )));
        }
        let axes = self.free_axes();
        let first_numbers = axes.iter().position(|&axis| self.is_of_numbers(axis));
        match (kind, axes.len(), first_numbers) {
            (_, 0, _) => Err(PictureError::Missing(
                "nothing varies over the points of this sweep that have figures".to_owned(),
            )),
            (Some(PictureKind::Curves), _, None) => Err(PictureError::Missing(
                "no axis of this sweep is one of numbers, so there is nothing to draw a curve along"
                    .to_owned(),
            )),
            (Some(PictureKind::Curves), _, Some(along)) | (None, 1, Some(along)) => {
                self.curves(&axes, along).map(Picture::from)
            }
            (None | Some(PictureKind::Surface), ..) => self.surface(&axes),
            (Some(kind), ..) => Err(PictureError::Unsuitable { kind, of: "a sweep" }),
        }
    }
}

impl Cell {
    /// What tells values apart.
    fn key(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => format!("\"{text}"),
        }
    }

    /// The number; zero for a text, which is asked for none.
    fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Text(_) => 0.0,
        }
    }
}
