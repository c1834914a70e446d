//! Pictures of a sweep: a curve along its axis with what it cannot get past, or a surface over its axes.
//!
//! What a kind of resource lets through at a point is what the point delivers over how full the fullest resource of that
//! kind is: with the demands of that point, more does not fit. That is exact for everything whose demand does not depend
//! on load. Cores wait longer where links are fuller, so their ceiling is an upper bound.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use bandgraph_plot::{
    AxisTitle, CURVES_MAX, ColouredPoints, Curve, Curves, HeatMap, Knee, Picture, ROWS_MAX, Scale,
};
use bandgraph_scenario::{AxisKind, Metric, SATURATION_COLUMNS, SweepFile, column_kind};
use bandgraph_study::{Point, Record};
use bandgraph_topology::ResourceKind;
use bandgraph_units::{QuantityKind, significant};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::run::quantity_words;
use super::{PictureError, PictureKind, not_a_result};
use crate::sweep::{sweep_cells, sweep_columns};
use crate::text::kind_in_words;

/// Rows that a picture is made of. Of more, a picture would say no more.
const ROWS_OF_TABLE_MAX: usize = 20_000;
/// Ceilings of a picture, the lowest ones.
const CEILINGS: usize = 6;
/// From this ratio of its largest to its smallest value an axis is logarithmic. Sizes are so from the first on.
const WIDE: f64 = 100.0;
const WIDE_SIZES: f64 = 8.0;

/// The rows of a sweep, as far as pictures need them.
#[derive(Clone, Debug)]
pub struct SweepTable {
    name: String,
    metric: Metric,
    axes: Vec<AxisColumn>,
    /// The column of the metric, and those that say how full kinds of resources are.
    metric_column: usize,
    saturation_columns: Vec<(String, usize)>,
    rows: Vec<Row>,
    /// Rows beyond those that are kept.
    left_out: usize,
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
    pub fn new(sweep: &SweepFile, metric: Metric) -> Self {
        let columns = sweep_columns(sweep);
        let mut table = Self::of_columns(&columns, &sweep.name, metric)
            .expect("a sweep has columns for its axes and for the metrics that it tells");
        for (axis, column) in sweep.axes.iter().zip(&mut table.axes) {
            column.name.clone_from(&axis.id);
            column.kind = match axis.kind {
                AxisKind::Quantity(kind) => Some(kind),
                AxisKind::Number | AxisKind::Text => None,
            };
        }
        table
    }

    /// Takes in the record of a point.
    pub fn add(&mut self, sweep: &SweepFile, point: &Point, record: &Record) {
        if self.rows.len() < ROWS_OF_TABLE_MAX {
            self.push(&sweep_cells(sweep, point, record));
        } else {
            self.left_out += 1;
        }
    }

    /// Reads the JSON lines of a sweep, for a picture of `metric` or else of the first metric that there is.
    pub(super) fn read_json_lines(
        text: &str,
        name: &str,
        metric: Option<Metric>,
    ) -> Result<Self, PictureError> {
        let mut table: Option<Self> = None;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let Fields(fields) = serde_json::from_str(line).map_err(not_a_result)?;
            let (names, values): (Vec<String>, Vec<Value>) = fields.into_iter().unzip();
            let table = match &mut table {
                Some(table) => table,
                none => none.insert(Self::of_columns(&names, name, metric_of(&names, metric)?)?),
            };
            table.push(&values);
        }
        table.ok_or_else(|| not_a_result("it has no rows"))
    }

    /// Reads the CSV of a sweep, for a picture of `metric` or else of the first metric that there is.
    pub(super) fn read_csv(text: &str, name: &str, metric: Option<Metric>) -> Result<Self, PictureError> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().map_err(not_a_result)?;
        let columns: Vec<String> = header.iter().map(str::to_owned).collect();
        let mut table = Self::of_columns(&columns, name, metric_of(&columns, metric)?)?;
        for row in reader.records() {
            let row = row.map_err(not_a_result)?;
            let cells: Vec<Value> = row
                .iter()
                .map(|cell| match cell.parse::<f64>() {
                    Ok(number) if number.is_finite() => Value::from(number),
                    _ if cell.is_empty() => Value::Null,
                    _ => Value::from(cell),
                })
                .collect();
            table.push(&cells);
        }
        Ok(table)
    }

    fn of_columns(columns: &[String], name: &str, metric: Metric) -> Result<Self, PictureError> {
        let missing = || not_a_result(format!("it has no column `{metric}`"));
        let metric_column = columns
            .iter()
            .position(|column| column == metric.as_str())
            .ok_or_else(missing)?;
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
            let kind = name.strip_prefix(SATURATION_COLUMNS)?;
            Some((kind.to_owned(), column))
        });
        Ok(Self {
            name: name.to_owned(),
            metric,
            axes: axes.collect(),
            metric_column,
            saturation_columns: saturations.collect(),
            rows: Vec::new(),
            left_out: 0,
        })
    }

    /// Takes in a row, unless it has no figure, as that of a point that ended in an error.
    fn push(&mut self, cells: &[Value]) {
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
        let saturation = |(_, column): &(String, usize)| cells.get(*column).and_then(Value::as_f64);
        self.rows.push(Row {
            values: self.axes.iter().map(value).collect(),
            figure,
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

    /// The axes that vary, without those that follow from one before them, as axes in step do.
    fn free_axes(&self) -> Vec<usize> {
        let mut free: Vec<usize> = Vec::new();
        for axis in 0..self.axes.len() {
            let values = self.distinct(axis);
            if values.len() > 1 && !free.iter().any(|&before| self.follows(axis, before)) {
                free.push(axis);
            }
        }
        free
    }

    /// Whether every value of `axis` comes with one value of `before` alone, and the other way round. In a sample no value
    /// may come twice, so that this would hold by chance; there, values in step also grow or fall in step.
    fn follows(&self, axis: usize, before: usize) -> bool {
        let mut forth: BTreeMap<String, &Cell> = BTreeMap::new();
        let mut back: BTreeMap<String, &Cell> = BTreeMap::new();
        self.rows.iter().all(|row| {
            let (one, other) = (&row.values[before], &row.values[axis]);
            *forth.entry(one.key()).or_insert(other) == other
                && *back.entry(other.key()).or_insert(one) == one
        }) && (forth.len() < self.rows.len() || self.is_monotonic(axis, before))
    }

    fn is_monotonic(&self, axis: usize, before: usize) -> bool {
        let mut values: Vec<(f64, f64)> = self
            .rows
            .iter()
            .map(|row| (row.values[before].number(), row.values[axis].number()))
            .collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        values.is_sorted_by(|a, b| a.1 <= b.1) || values.is_sorted_by(|a, b| a.1 >= b.1)
    }

    fn is_of_numbers(&self, axis: usize) -> bool {
        self.rows
            .iter()
            .all(|row| matches!(row.values[axis], Cell::Number(_)))
    }

    /// The values of an axis: numbers in their order, texts in the order of the rows.
    fn distinct(&self, axis: usize) -> Vec<Cell> {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut values: Vec<Cell> = Vec::new();
        for row in &self.rows {
            let value = &row.values[axis];
            if seen.insert(value.key()) {
                values.push(value.clone());
            }
        }
        if self.is_of_numbers(axis) {
            values.sort_by(|a, b| a.number().total_cmp(&b.number()));
        }
        values
    }

    fn axis_title(&self, axis: usize) -> AxisTitle {
        let column = &self.axes[axis];
        let values = || self.rows.iter().map(|row| row.values[axis].number());
        let (low, high) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(0.0, f64::max),
        );
        let wide = if column.kind == Some(QuantityKind::Bytes) {
            WIDE_SIZES
        } else {
            WIDE
        };
        AxisTitle {
            name: column.name.replace('_', " "),
            kind: column.kind,
            scale: if low > 0.0 && high / low >= wide {
                Scale::Logarithmic
            } else {
                Scale::Linear
            },
        }
    }

    fn metric_title(&self) -> AxisTitle {
        AxisTitle {
            name: quantity_words(self.metric).to_owned(),
            kind: self.metric.kind(),
            scale: Scale::Linear,
        }
    }

    /// A value of an axis in words: of a file, its name.
    fn words(&self, axis: usize, value: &Cell) -> String {
        match (value, self.axes[axis].kind) {
            (Cell::Text(text), _) => match text.strip_suffix(".toml") {
                Some(path) => path.rsplit('/').next().unwrap_or(path).to_owned(),
                None => text.clone(),
            },
            (Cell::Number(number), Some(QuantityKind::Bytes)) => QuantityKind::Bytes.format_binary(*number),
            (Cell::Number(number), Some(kind)) => kind.format(*number),
            (Cell::Number(number), None) => significant(*number, 3),
        }
    }

    /// The values of some axes at a row, in words. Plain numbers are told with what they count.
    fn group(&self, row: &Row, axes: &[usize]) -> String {
        let words = axes.iter().map(|&axis| {
            let (column, value) = (&self.axes[axis], &row.values[axis]);
            let words = self.words(axis, value);
            match value {
                Cell::Number(number) if column.kind.is_none() => {
                    let name = column.name.replace('_', " ");
                    match name.strip_suffix('s') {
                        Some(one) if *number == 1.0 => format!("{words} {one}"),
                        _ => format!("{words} {name}"),
                    }
                }
                _ => words,
            }
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// Curves along one axis, one for all values of the others.
    fn curves(&self, axes: &[usize], along: usize) -> Result<Curves, PictureError> {
        let axis = axes[along];
        let others: Vec<usize> = axes.iter().copied().filter(|&other| other != axis).collect();
        let mut groups: Vec<(String, Vec<&Row>)> = Vec::new();
        for row in &self.rows {
            let label = self.group(row, &others);
            match groups.iter_mut().find(|(known, _)| *known == label) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((label, vec![row])),
            }
            if groups.len() > CURVES_MAX {
                return Err(PictureError::Missing(format!(
                    "more than {CURVES_MAX} curves cannot be told apart; there is the picture `surface`"
                )));
            }
        }
        let greatest = |rows: &[&Row]| rows.iter().map(|row| row.figure).fold(0.0, f64::max);
        let highest = groups
            .iter()
            .max_by(|a, b| greatest(&a.1).total_cmp(&greatest(&b.1)));
        let highest = highest.map_or(&[][..], |(_, rows)| rows.as_slice());
        let ceilings = self.ceilings(axis, highest);
        let knee = self.knee(axis, highest);
        let broken = if ceilings.is_empty() {
            ""
        } else {
            "broken lines: what each kind of part lets through"
        };
        let curves: Vec<Curve> = groups
            .iter()
            .map(|(label, rows)| Curve {
                label: label.clone(),
                points: rows
                    .iter()
                    .map(|row| (row.values[axis].number(), row.figure))
                    .collect(),
            })
            .collect();
        Ok(Curves {
            title: self.name.clone(),
            subtitle: broken.to_owned(),
            x: self.axis_title(axis),
            y: self.metric_title(),
            ceilings,
            knee,
            curves: without_covered(curves),
        })
    }

    /// What each kind of resource lets through, the lowest first.
    fn ceilings(&self, axis: usize, rows: &[&Row]) -> Vec<Curve> {
        let is_throughput = matches!(
            self.metric.kind(),
            Some(QuantityKind::Bandwidth | QuantityKind::OperationRate)
        );
        if !is_throughput {
            return Vec::new();
        }
        let mut ceilings: Vec<(f64, Curve)> = Vec::new();
        for (index, (kind, _)) in self.saturation_columns.iter().enumerate() {
            // Clients are what asks, not what holds back.
            if kind == ResourceKind::Client.as_str() || rows.iter().any(|row| row.saturations[index] <= 0.0) {
                continue;
            }
            let points: Vec<(f64, f64)> = rows
                .iter()
                .map(|row| (row.values[axis].number(), row.figure / row.saturations[index]))
                .collect();
            let lowest = points.iter().map(|&(_, y)| y).fold(f64::INFINITY, f64::min);
            let label = kind_in_words(kind).to_owned();
            ceilings.push((lowest, Curve { label, points }));
        }
        ceilings.sort_by(|a, b| a.0.total_cmp(&b.0));
        ceilings
            .into_iter()
            .take(CEILINGS)
            .map(|(_, ceiling)| ceiling)
            .collect()
    }

    /// Where throughput over a count of something, such as clients, bends: where the line through its first point meets
    /// the most that it reaches. With one client nobody waits for another, so that line is what there would be without
    /// limits.
    fn knee(&self, axis: usize, rows: &[&Row]) -> Option<Knee> {
        let is_throughput = matches!(
            self.metric.kind(),
            Some(QuantityKind::Bandwidth | QuantityKind::OperationRate)
        );
        if self.axes[axis].kind.is_some() || !is_throughput || rows.len() < 3 {
            return None;
        }
        let places = || rows.iter().map(|row| (row.values[axis].number(), row.figure));
        let first = places().min_by(|a, b| a.0.total_cmp(&b.0))?;
        let most = places().map(|(_, figure)| figure).fold(0.0, f64::max);
        let last = places().map(|(x, _)| x).fold(0.0, f64::max);
        let x = most / first.1 * first.0;
        if !(first.0 > 0.0 && first.1 > 0.0 && x > first.0 && x < last) {
            return None;
        }
        let name = self.axes[axis].name.replace('_', " ");
        Some(Knee {
            label: format!("knee at {} {name}", significant(x, 3)),
            x,
            y: most,
        })
    }

    /// A surface: a heat map where points are a grid, or else each point in its colour.
    fn surface(&self, axes: &[usize]) -> Result<Picture, PictureError> {
        // What has most values runs along.
        let sizes: Vec<usize> = axes.iter().map(|&axis| self.distinct(axis).len()).collect();
        let numbers: Vec<usize> = axes
            .iter()
            .copied()
            .filter(|&axis| self.is_of_numbers(axis))
            .collect();
        let full: f64 = sizes.iter().map(|&size| size as f64).product();
        if self.rows.len() as f64 * 2.0 < full
            && let [x, y, ..] = numbers[..]
        {
            return Ok(self.coloured(x, y, axes.len()).into());
        }
        let preferred = |position: &usize| {
            let is_of_numbers = self.is_of_numbers(axes[*position]);
            (is_of_numbers, sizes[*position], std::cmp::Reverse(*position))
        };
        let along = (0..axes.len()).max_by_key(preferred).unwrap_or(0);
        let others: Vec<usize> = axes.iter().copied().filter(|&axis| axis != axes[along]).collect();
        self.heat_map(axes[along], &others).map(Picture::from)
    }

    fn heat_map(&self, axis: usize, others: &[usize]) -> Result<HeatMap, PictureError> {
        let columns = self.distinct(axis);
        // With one axis alone its values are the rows, so that texts have room.
        let (columns, by_row) = if others.is_empty() {
            (Vec::new(), vec![axis])
        } else {
            (columns, others.to_vec())
        };
        let column_of: BTreeMap<String, usize> = columns
            .iter()
            .enumerate()
            .map(|(index, cell)| (cell.key(), index))
            .collect();
        let mut order: Vec<&Row> = self.rows.iter().collect();
        if let [only] = by_row[..]
            && self.is_of_numbers(only)
        {
            // Numbers grow upward.
            order.sort_by(|a, b| b.values[only].number().total_cmp(&a.values[only].number()));
        }
        let mut rows: Vec<String> = Vec::new();
        let mut cells: Vec<Option<f64>> = Vec::new();
        let width = columns.len().max(1);
        for row in order {
            let label = self.group(row, &by_row);
            let place = rows.iter().position(|known| *known == label);
            let place = place.unwrap_or_else(|| {
                rows.push(label);
                cells.resize(rows.len() * width, None);
                rows.len() - 1
            });
            if rows.len() > ROWS_MAX {
                return Err(PictureError::Missing(format!(
                    "a picture can show {ROWS_MAX} combinations of the other axes, and there are more"
                )));
            }
            let column = column_of.get(&row.values[axis].key()).copied().unwrap_or(0);
            cells[place * width + column] = Some(row.figure);
        }
        let name = |axis: usize| self.axes[axis].name.replace('_', " ");
        let quantity = quantity_words(self.metric).to_owned();
        Ok(HeatMap {
            title: self.name.clone(),
            subtitle: format!("{quantity} by {}", {
                let names: Vec<String> = std::iter::once(axis)
                    .chain(others.iter().copied())
                    .map(name)
                    .collect();
                names.join(", ")
            }),
            x_name: if others.is_empty() {
                String::new()
            } else {
                name(axis)
            },
            columns: if others.is_empty() {
                vec![String::new()]
            } else {
                columns.iter().map(|value| self.words(axis, value)).collect()
            },
            y_name: match by_row[..] {
                [only] => name(only),
                _ => String::new(),
            },
            rows,
            value_name: quantity,
            kind: self.metric.kind(),
            range: None,
            cells,
        })
    }

    fn coloured(&self, x: usize, y: usize, axes: usize) -> ColouredPoints {
        let title = |axis| self.axis_title(axis);
        let others = if axes > 2 {
            format!("; {} more axes vary from point to point", axes - 2)
        } else {
            String::new()
        };
        ColouredPoints {
            title: self.name.clone(),
            subtitle: format!("{} points{others}", self.rows.len()),
            x: title(x),
            y: title(y),
            value: self.metric_title(),
            points: self
                .rows
                .iter()
                .map(|row| (row.values[x].number(), row.values[y].number(), row.figure))
                .collect(),
        }
    }
}

/// Curves that lie on each other as one, with the names of all: where more of something changes nothing, one line is seen
/// in any case.
fn without_covered(curves: Vec<Curve>) -> Vec<Curve> {
    /// How far apart curves may be that count as one, as a share of the greatest value: less than the width of a line.
    const SAME: f64 = 0.002;
    let values = curves.iter().flat_map(|curve| &curve.points);
    let near = SAME * values.map(|&(_, y)| y.abs()).fold(0.0, f64::max);
    let mut kept: Vec<(Curve, Vec<String>)> = Vec::new();
    for curve in curves {
        let covers = |other: &Curve| {
            other.points.len() == curve.points.len()
                && other
                    .points
                    .iter()
                    .zip(&curve.points)
                    .all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= near)
        };
        if let Some((_, labels)) = kept.iter_mut().find(|(other, _)| covers(other)) {
            labels.push(curve.label);
        } else {
            let labels = vec![curve.label.clone()];
            kept.push((curve, labels));
        }
    }
    let joined = kept.into_iter().map(|(curve, labels)| Curve {
        label: joined(&labels),
        ..curve
    });
    joined.collect()
}

/// Labels as one. What they end in alike is said once: `4, 8, 16 threads`.
fn joined(labels: &[String]) -> String {
    let ends: Vec<Option<(&str, &str)>> = labels.iter().map(|label| label.split_once(' ')).collect();
    let same = |end: &&str| {
        ends.iter()
            .all(|other| other.is_some_and(|(_, other)| other == *end))
    };
    let shared = ends.first().copied().flatten().map(|(_, end)| end).filter(same);
    match shared {
        Some(end) if labels.len() > 1 => {
            let starts: Vec<&str> = ends.iter().flatten().map(|(start, _)| *start).collect();
            format!("{} {end}", starts.join(", "))
        }
        _ => labels.join("; "),
    }
}

/// The metric that a picture of rows shows: the one that is asked for, or else the first that they have.
fn metric_of(columns: &[String], asked: Option<Metric>) -> Result<Metric, PictureError> {
    let first = || columns.iter().find_map(|column| Metric::from_name(column));
    asked
        .or_else(first)
        .ok_or_else(|| not_a_result("it has no column of a metric"))
}

/// The fields of a JSON object in the order in which they stand.
struct Fields(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the row of a point")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// Columns of a sweep of reads: size, threads, throughput, and how full slots and links are.
    fn table(rows: &[(f64, f64, f64, f64, f64)]) -> SweepTable {
        let mut csv =
            "point,io_size_bytes,threads,network_bytes_per_s,saturation_hypertransport,saturation_pcie\n"
                .to_owned();
        for (number, (size, threads, rate, link, slot)) in rows.iter().enumerate() {
            writeln!(csv, "{number},{size},{threads},{rate},{link},{slot}").expect("a text takes all");
        }
        SweepTable::read_csv(&csv, "reads", None).expect("a sweep")
    }

    fn curves(rows: &[(f64, f64, f64, f64, f64)]) -> Curves {
        match table(rows).picture(Some(PictureKind::Curves)) {
            Ok(Picture::Curves(curves)) => curves,
            other => panic!("{other:?}"),
        }
    }

    /// At half of its capacity a kind lets twice as much through, at each point on its own.
    #[test]
    fn a_ceiling_is_what_a_full_resource_would_let_through() {
        let found = curves(&[(4096.0, 1.0, 1e9, 0.5, 0.25), (8192.0, 1.0, 2e9, 0.8, 1.0)]);
        let ceilings: Vec<(&str, &[(f64, f64)])> = found
            .ceilings
            .iter()
            .map(|ceiling| (ceiling.label.as_str(), ceiling.points.as_slice()))
            .collect();
        assert_eq!(
            ceilings,
            [
                ("HyperTransport", &[(4096.0, 2e9), (8192.0, 2.5e9)][..]),
                ("PCIe", &[(4096.0, 4e9), (8192.0, 2e9)][..]),
            ]
        );
    }

    /// One thread does 1 GB/s, and 3 GB/s is the most: without waiting, three threads would do that.
    #[test]
    fn the_knee_is_where_the_first_slope_meets_the_greatest() {
        let rows =
            [1.0, 2.0, 4.0, 8.0].map(|threads: f64| (4096.0, threads, threads.min(3.0) * 1e9, 0.1, 0.1));
        let knee = curves(&rows).knee.expect("a knee");
        assert_eq!(
            (knee.x, knee.y, knee.label.as_str()),
            (3.0, 3e9, "knee at 3 threads")
        );
        // A curve that has not bent has no knee.
        let rows = [1.0, 2.0, 4.0].map(|threads: f64| (4096.0, threads, threads * 1e9, 0.1, 0.1));
        assert_eq!(curves(&rows).knee, None);
    }

    #[test]
    fn curves_on_each_other_are_one() {
        let mut rows = Vec::new();
        for threads in [1.0, 2.0, 4.0] {
            for size in [4096.0, 8192.0] {
                rows.push((size, threads, if threads > 1.0 { 2e9 } else { 1e9 }, 0.5, 0.5));
            }
        }
        let found = curves(&rows);
        let labels: Vec<&str> = found.curves.iter().map(|curve| curve.label.as_str()).collect();
        assert_eq!(labels, ["1 thread", "2, 4 threads"]);
    }

    #[test]
    fn two_axes_are_a_surface_and_one_a_curve() {
        let two = table(&[
            (4096.0, 1.0, 1e9, 0.5, 0.5),
            (4096.0, 2.0, 2e9, 0.5, 0.5),
            (8192.0, 1.0, 3e9, 0.5, 0.5),
            (8192.0, 2.0, 4e9, 0.5, 0.5),
        ]);
        let Ok(Picture::HeatMap(map)) = two.picture(None) else {
            panic!("no heat map");
        };
        assert_eq!(map.columns, ["4 KiB", "8 KiB"]);
        assert_eq!(map.rows, ["2 threads", "1 thread"]);
        assert_eq!(map.cells, [Some(2e9), Some(4e9), Some(1e9), Some(3e9)]);
        let one = table(&[(4096.0, 1.0, 1e9, 0.5, 0.5), (8192.0, 1.0, 2e9, 0.5, 0.5)]);
        assert!(matches!(one.picture(None), Ok(Picture::Curves(_))));
        let step = table(&[(4096.0, 1.0, 1e9, 0.5, 0.5), (8192.0, 2.0, 2e9, 0.5, 0.5)]);
        assert!(
            matches!(step.picture(None), Ok(Picture::Curves(_))),
            "axes in step are one"
        );
        let none = table(&[(4096.0, 1.0, 1e9, 0.5, 0.5)]);
        assert!(matches!(none.picture(None), Err(PictureError::Missing(_))));
    }

    /// Points of which no two have a value in common are no grid.
    #[test]
    fn a_sample_is_points_in_colour() {
        let rows: Vec<_> = (1..20_i32)
            .map(|n| (f64::from(n) * 4096.0, f64::from(n * 7 % 19), 1e9, 0.5, 0.5))
            .collect();
        assert!(matches!(
            table(&rows).picture(None),
            Ok(Picture::ColouredPoints(_))
        ));
    }

    #[test]
    fn json_lines_are_read_in_the_order_of_their_fields() {
        let text = "{\"point\":0,\"z\":1,\"a\":\"x.toml\",\"network_bytes_per_s\":1e9}\n\
                    {\"point\":1,\"z\":2,\"a\":\"x.toml\",\"network_bytes_per_s\":null}\n";
        let table = SweepTable::read_json_lines(text, "x", None).expect("a sweep");
        let names: Vec<&str> = table.axes.iter().map(|axis| axis.name.as_str()).collect();
        assert_eq!(names, ["z", "a"]);
        assert_eq!(table.rows.len(), 1, "a point without a figure is no row");
    }
}
