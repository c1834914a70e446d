//! Curves of a sweep along one of its axes, with what they cannot get past, and where they bend.
//!
//! What a kind of resource lets through at a point is what the point delivers over how full the fullest
//! resource of that kind is: with the demands of that point, more does not fit. That is exact for everything
//! whose demand does not depend on load. Cores wait longer where links are fuller, so their ceiling is an
//! upper bound.

use bandgraph_plot::{CURVES_MAX, Curve, Curves, Knee};
use bandgraph_topology::ResourceKind;
use bandgraph_units::{QuantityKind, significant};

use super::{Row, SweepTable};
use crate::picture::PictureError;
use crate::text::kind_in_words;

/// Ceilings of a picture, the lowest ones.
const CEILINGS: usize = 6;
/// What the areas around curves are.
const BAND: &str = "pale areas: where the true value is with a probability of 90 %";

impl SweepTable {
    /// Curves along one axis, one for all values of the others.
    pub(super) fn curves(&self, axes: &[usize], along: usize) -> Result<Curves, PictureError> {
        let axis = axes[along];
        let others: Vec<usize> = axes.iter().copied().filter(|&other| other != axis).collect();
        let mut groups: Vec<(Vec<String>, Vec<&Row>)> = Vec::new();
        for row in &self.rows {
            let label = self.values(row, &others);
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
        let curves = groups.iter().map(|(label, rows)| {
            let points = rows.iter().map(|row| (row.values[axis].number(), row.figure));
            let band = rows
                .iter()
                .filter_map(|row| Some((row.values[axis].number(), row.interval?)));
            (label.clone(), points.collect(), band.collect())
        });
        let mut curves = without_covered(curves.collect());
        let measured: Vec<Curve> = groups
            .iter()
            .filter_map(|(label, rows)| measured(label, rows, axis))
            .collect();
        if let [only] = &mut curves[..]
            && only.label.is_empty()
            && !measured.is_empty()
        {
            "modelled".clone_into(&mut only.label);
        }
        curves.extend(measured);
        curves.truncate(CURVES_MAX);
        let broken = match (ceilings.is_empty(), curves.len()) {
            (true, _) => "",
            (false, 1) => "broken lines: what each kind of part lets through",
            (false, _) => "broken lines: what each kind of part lets through, for the highest curve",
        };
        Ok(Curves {
            title: self.name.clone(),
            subtitle: match (self.interval_columns, broken) {
                (None, broken) => broken.to_owned(),
                (Some(_), "") => BAND.to_owned(),
                (Some(_), broken) => format!("{broken}; {BAND}"),
            },
            x: self.axis_title(axis),
            y: self.metric_title(),
            ceilings,
            knee,
            curves,
        })
    }

    /// What each kind of resource lets through, the lowest first.
    pub(super) fn ceilings(&self, axis: usize, rows: &[&Row]) -> Vec<Curve> {
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
            if *kind == ResourceKind::Client || rows.iter().any(|row| row.saturations[index] <= 0.0) {
                continue;
            }
            let points: Vec<(f64, f64)> = rows
                .iter()
                .map(|row| (row.values[axis].number(), row.figure / row.saturations[index]))
                .collect();
            let lowest = points.iter().map(|&(_, y)| y).fold(f64::INFINITY, f64::min);
            let label = kind_in_words(kind.as_str()).to_owned();
            let band = Vec::new();
            ceilings.push((lowest, Curve { label, points, band }));
        }
        ceilings.sort_by(|a, b| a.0.total_cmp(&b.0));
        ceilings
            .into_iter()
            .take(CEILINGS)
            .map(|(_, ceiling)| ceiling)
            .collect()
    }

    /// Where throughput over a count of something, such as clients, bends: where the line through its first
    /// point meets the most that it reaches. With one client nobody waits for another, so that line is what
    /// there would be without limits.
    pub(super) fn knee(&self, axis: usize, rows: &[&Row]) -> Option<Knee> {
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
        let name = self.axes[axis].name.clone();
        Some(Knee {
            label: format!("knee at {} {name}", significant(x, 3)),
            x,
            y: most,
        })
    }
}

/// What was measured along an axis at the points of a curve; `None` where nothing was.
fn measured(label: &[String], rows: &[&Row], axis: usize) -> Option<Curve> {
    let points = rows
        .iter()
        .filter_map(|row| Some((row.values[axis].number(), row.measured?)));
    let points: Vec<(f64, f64)> = points.collect();
    let mut words = label.to_vec();
    words.push("measured".to_owned());
    (!points.is_empty()).then(|| Curve {
        label: words.join(", "),
        points,
        band: Vec::new(),
    })
}

/// A curve before it has its label: the words of its values, its points and the intervals around them.
type Unlabelled = (Vec<String>, Places, Band);

/// The intervals around the points of a curve.
type Band = Vec<(f64, [f64; 2])>;

/// The points of a curve.
type Places = Vec<(f64, f64)>;

/// Curves that lie on each other as one, which is labelled by the values of all: where more of something
/// changes nothing, one line is seen in any case.
fn without_covered(curves: Vec<Unlabelled>) -> Vec<Curve> {
    /// How far apart curves may be that count as one, as a share of the greatest value: less than the width
    /// of a line.
    const SAME: f64 = 0.002;
    let values = curves.iter().flat_map(|(_, points, _)| points);
    let near = SAME * values.map(|&(_, y)| y.abs()).fold(0.0, f64::max);
    let all: Vec<Vec<String>> = curves.iter().map(|(label, ..)| label.clone()).collect();
    let mut kept: Vec<(Places, Band, Vec<Vec<String>>)> = Vec::new();
    for (label, points, band) in curves {
        let covers = |other: &[(f64, f64)]| {
            other.len() == points.len()
                && other
                    .iter()
                    .zip(&points)
                    .all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= near)
        };
        if let Some((.., labels)) = kept.iter_mut().find(|(other, ..)| covers(other)) {
            labels.push(label);
        } else {
            kept.push((points, band, vec![label]));
        }
    }
    let joined = kept.into_iter().map(|(points, band, labels)| Curve {
        label: joined(&labels, &all),
        points,
        band,
    });
    joined.collect()
}

/// The labels of curves that lie on each other, as one; `all` are those of all curves. Where every value of
/// one axis comes with every value of the others, each axis is said once, and one of which all values are
/// there not at all.
fn joined(labels: &[Vec<String>], all: &[Vec<String>]) -> String {
    let different = |labels: &[Vec<String>], axis: usize| {
        let mut different: Vec<String> = Vec::new();
        for label in labels {
            if !different.contains(&label[axis]) {
                different.push(label[axis].clone());
            }
        }
        different
    };
    let axes = all.first().map_or(0, Vec::len);
    let values: Vec<Vec<String>> = (0..axes).map(|axis| different(labels, axis)).collect();
    let product: usize = values.iter().map(Vec::len).product();
    if labels.len() != product {
        let labels: Vec<String> = labels.iter().map(|label| label.join(", ")).collect();
        return labels.join("; ");
    }
    let telling = values.iter().enumerate().filter(|(axis, values)| {
        let count = different(all, *axis).len();
        count > 1 && values.len() < count
    });
    let mut said: Vec<String> = telling.map(|(_, values)| either(values)).collect();
    if said.is_empty() && all.len() > 1 {
        said.push("all".to_owned());
    }
    said.join(", ")
}

/// Values of one axis. A common ending is said once: `4, 8 or 16 threads`.
fn either(values: &[String]) -> String {
    let ends: Vec<Option<(&str, &str)>> = values.iter().map(|value| value.split_once(' ')).collect();
    let same = |end: &&str| {
        ends.iter()
            .all(|other| other.is_some_and(|(_, other)| other == *end))
    };
    let shared = ends.first().copied().flatten().map(|(_, end)| end).filter(same);
    let listed = |values: &[&str]| match values {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        values => values.join(", "),
    };
    match shared {
        Some(end) if values.len() > 1 => {
            let starts: Vec<&str> = ends.iter().flatten().map(|(start, _)| *start).collect();
            format!("{} {end}", listed(&starts))
        }
        _ => listed(&values.iter().map(String::as_str).collect::<Vec<_>>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(labels: &[[&str; 2]]) -> Vec<Vec<String>> {
        let owned = |label: &[&str; 2]| label.iter().map(|word| (*word).to_owned()).collect();
        labels.iter().map(owned).collect()
    }

    /// Two lines for four combinations say what tells them apart, and only that.
    #[test]
    fn curves_that_lie_on_each_other_are_told_apart_by_what_differs() {
        let all = labels(&[["ht1", "gen1"], ["ht1", "gen2"], ["ht3", "gen1"], ["ht3", "gen2"]]);
        assert_eq!(joined(&all[..2], &all), "ht1");
        assert_eq!(joined(&all[2..3], &all), "ht3, gen1");
        assert_eq!(joined(&all[1..3], &all), "ht1, gen2; ht3, gen1");
        let threads = labels(&[["4 threads", "a"], ["8 threads", "a"], ["16 threads", "a"]]);
        assert_eq!(joined(&threads[1..], &threads), "8 or 16 threads");
        assert_eq!(joined(&threads, &threads), "all");
    }
}
