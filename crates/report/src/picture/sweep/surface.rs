//! Surfaces of a sweep: a value for every combination of two or more axes, in colour.

use std::collections::BTreeMap;

use bandgraph_plot::{ColouredPoints, HeatMap, Picture, ROWS_MAX};

use super::{Row, SweepTable};
use crate::picture::PictureError;
use crate::picture::run::quantity_words;

impl SweepTable {
    /// A surface: a heat map where points are a grid, or else each point in its colour.
    pub(super) fn surface(&self, axes: &[usize]) -> Result<Picture, PictureError> {
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

    pub(super) fn heat_map(&self, axis: usize, others: &[usize]) -> Result<HeatMap, PictureError> {
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
            let label = self.values(row, &by_row).join(", ");
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
        let name = |axis: usize| self.axes[axis].name.clone();
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
            along: None,
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

    pub(super) fn coloured(&self, x: usize, y: usize, axes: usize) -> ColouredPoints {
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
