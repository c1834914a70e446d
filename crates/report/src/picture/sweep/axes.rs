//! The axes of a sweep: which of them vary, and their values in words.

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_plot::{AxisTitle, Scale};
use bandgraph_units::{QuantityKind, significant};

use super::{Cell, Row, SweepTable};
use crate::picture::run::quantity_words;
use crate::sweep::file_name;

/// From this ratio of its largest to its smallest value an axis is logarithmic, and from this one if it has
/// sizes or powers of two.
const WIDE: f64 = 100.0;
const WIDE_POWERS: f64 = 8.0;

impl SweepTable {
    /// The axes that vary, without those that follow from one before them, as axes in step do.
    pub(super) fn free_axes(&self) -> Vec<usize> {
        let mut free: Vec<usize> = Vec::new();
        for axis in 0..self.axes.len() {
            let values = self.distinct(axis);
            if values.len() > 1 && !free.iter().any(|&before| self.follows(axis, before)) {
                free.push(axis);
            }
        }
        free
    }

    /// Whether every value of `axis` comes with one value of `before` alone, and the other way round. In a
    /// sample no value may come twice, so that this would hold by chance; there, values in step also grow or
    /// fall in step.
    pub(super) fn follows(&self, axis: usize, before: usize) -> bool {
        let mut forth: BTreeMap<String, &Cell> = BTreeMap::new();
        let mut back: BTreeMap<String, &Cell> = BTreeMap::new();
        self.rows.iter().all(|row| {
            let (one, other) = (&row.values[before], &row.values[axis]);
            *forth.entry(one.key()).or_insert(other) == other
                && *back.entry(other.key()).or_insert(one) == one
        }) && (forth.len() < self.rows.len() || self.is_monotonic(axis, before))
    }

    pub(super) fn is_monotonic(&self, axis: usize, before: usize) -> bool {
        let mut values: Vec<(f64, f64)> = self
            .rows
            .iter()
            .map(|row| (row.values[before].number(), row.values[axis].number()))
            .collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        values.is_sorted_by(|a, b| a.1 <= b.1) || values.is_sorted_by(|a, b| a.1 >= b.1)
    }

    pub(super) fn is_of_numbers(&self, axis: usize) -> bool {
        self.rows
            .iter()
            .all(|row| matches!(row.values[axis], Cell::Number(_)))
    }

    /// The values of an axis: numbers in their order, texts in the order of the rows.
    pub(super) fn distinct(&self, axis: usize) -> Vec<Cell> {
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

    pub(super) fn axis_title(&self, axis: usize) -> AxisTitle {
        let column = &self.axes[axis];
        let values = || self.rows.iter().map(|row| row.values[axis].number());
        let (low, high) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(0.0, f64::max),
        );
        let is_power = |value: f64| value > 0.0 && libm::log2(value).fract() == 0.0;
        let has_powers = column.kind == Some(QuantityKind::Bytes) || values().all(is_power);
        let ratio = if low > 0.0 { high / low } else { 0.0 };
        AxisTitle {
            name: column.name.clone(),
            kind: column.kind,
            scale: match has_powers {
                true if ratio >= WIDE_POWERS => Scale::PowersOfTwo,
                false if ratio >= WIDE => Scale::Logarithmic,
                _ => Scale::Linear,
            },
        }
    }

    pub(super) fn metric_title(&self) -> AxisTitle {
        AxisTitle {
            name: quantity_words(self.metric).to_owned(),
            kind: self.metric.kind(),
            scale: Scale::Linear,
        }
    }

    /// A value of an axis in words: of a file, its name.
    pub(super) fn words(&self, axis: usize, value: &Cell) -> String {
        match (value, self.axes[axis].kind) {
            (Cell::Text(text), _) => file_name(text).to_owned(),
            (Cell::Number(number), Some(kind @ QuantityKind::Bytes)) => kind.format_written(*number, false),
            (Cell::Number(number), Some(kind)) => kind.format(*number),
            (Cell::Number(number), None) => significant(*number, 3),
        }
    }

    /// The values of some axes at a row, in words. Plain numbers are told with what they count.
    pub(super) fn values(&self, row: &Row, axes: &[usize]) -> Vec<String> {
        let words = axes.iter().map(|&axis| {
            let (column, value) = (&self.axes[axis], &row.values[axis]);
            let words = self.words(axis, value);
            match value {
                Cell::Number(number) if column.kind.is_none() => {
                    let name = column.name.clone();
                    match name.strip_suffix('s') {
                        Some(one) if *number == 1.0 => format!("{words} {one}"),
                        _ => format!("{words} {name}"),
                    }
                }
                _ => words,
            }
        });
        words.collect()
    }
}
