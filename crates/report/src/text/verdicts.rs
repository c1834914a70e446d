//! What was measured beside what is predicted, and what was expected beside what came.

use bandgraph_scenario::Metric;
use bandgraph_units::{QuantityKind, significant, span};

use super::words::{none, percent, signed_percent};
use crate::RunDocument;
use crate::comparison::in_words;
use crate::json::{ExpectDocument, MeasuredDocument};
use crate::view::{Table, Tone, View};

pub(super) fn measured(page: &mut View, run: &RunDocument) {
    if run.measured.is_empty() {
        return;
    }
    page.heading("Measured against predicted");
    let mut table = Table::of("id | metric | >measured | >predicted | >error | ?statistic | ?source");
    let (ratios, figures): (Vec<_>, Vec<_>) = run.measured.iter().partition(|row| row.relative_to.is_some());
    for row in &figures {
        let predicted = row
            .predicted
            .map_or_else(none, |value| in_words(kind_of(row), value, &row.text));
        table.plain([
            row.id.clone().unwrap_or_else(none),
            row.metric.clone(),
            row.text.clone(),
            predicted,
            row.relative_error.map_or_else(none, signed_percent),
            row.statistic.clone().unwrap_or_default(),
            row.source.clone().unwrap_or_default(),
        ]);
    }
    if !figures.is_empty() {
        page.table(table);
    }
    for row in figures.iter().filter(|row| row.predicted.is_none()) {
        let why = Metric::from_name(&row.metric).and_then(Metric::why_missing);
        if let Some(why) = why {
            let id = row.id.clone().unwrap_or_else(none);
            page.paragraph(&format!("{id}: there is no prediction of {}: {why}.", row.metric));
        }
    }
    for row in ratios {
        let Some(file) = &row.relative_to else { continue };
        page.paragraph(&format!(
            "{}: {} is {} times that of {file}; `bandgraph validate` predicts both.",
            row.id.clone().unwrap_or_else(none),
            row.metric,
            row.text,
        ));
    }
}

pub(super) fn expectations(page: &mut View, run: &RunDocument) {
    if run.expect.is_empty() {
        return;
    }
    page.heading("Expectations");
    let mut table = Table::of("(result) | (metric) | (value) | (expected)");
    for verdict in &run.expect {
        let kind = Metric::from_name(&verdict.metric).and_then(Metric::kind);
        let digits = telling_digits(verdict, kind);
        let words = |value: f64| in_digits(kind, value, digits);
        let bounds = match (verdict.min, verdict.max) {
            (Some(min), Some(max)) => format!("expected {}", span(&words(min), &words(max))),
            (Some(min), None) => format!("expected at least {}", words(min)),
            (None, Some(max)) => format!("expected at most {}", words(max)),
            (None, None) => String::new(),
        };
        let bounds = match verdict.probability {
            None => bounds,
            Some(asked) => format!(
                "{bounds} in {} of the draws: in {}",
                percent(asked),
                verdict.likelihood.map_or_else(none, percent)
            ),
        };
        let missing = Metric::from_name(&verdict.metric).filter(|_| verdict.value.is_none());
        let bounds = match missing.and_then(Metric::why_missing) {
            Some(why) => format!("{bounds}, but {why}"),
            None => bounds,
        };
        let (word, tone) = if verdict.ok {
            ("ok", Tone::Good)
        } else {
            ("FAILED", Tone::Alarm)
        };
        table.row(
            tone,
            [
                word.to_owned(),
                verdict.metric.clone(),
                verdict.value.map_or_else(none, words),
                bounds,
            ],
        );
    }
    page.table(table);
}

/// Digits enough that a value out of its bounds does not look as if it were one of them.
fn telling_digits(verdict: &ExpectDocument, kind: Option<QuantityKind>) -> usize {
    const MOST: usize = 9;
    let Some(value) = verdict.value else {
        return 3;
    };
    let tells = |digits: usize| {
        [verdict.min, verdict.max]
            .into_iter()
            .flatten()
            .all(|bound| in_digits(kind, bound, digits) != in_digits(kind, value, digits))
    };
    if verdict.ok {
        3
    } else {
        (3..MOST).find(|digits| tells(*digits)).unwrap_or(MOST)
    }
}

/// The kind of quantity that a measurement is; `None` for a plain number.
fn kind_of(row: &MeasuredDocument) -> Option<QuantityKind> {
    let kind = Metric::from_name(&row.metric).and_then(Metric::kind);
    kind.filter(|kind| kind.base_unit() == row.unit)
}

fn in_digits(kind: Option<QuantityKind>, value: f64, digits: usize) -> String {
    kind.map_or_else(
        || significant(value, digits),
        |kind| kind.format_digits(value, digits),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_miss_is_told_apart() {
        let digits = |value: Option<f64>, ok| {
            let verdict = ExpectDocument {
                metric: "cpi".to_owned(),
                ok,
                value,
                min: Some(6.0),
                max: None,
                probability: None,
                likelihood: None,
            };
            telling_digits(&verdict, None)
        };
        assert_eq!(digits(Some(5.9996), false), 5);
        assert_eq!(digits(Some(6.0004), true), 3);
        assert_eq!(digits(None, false), 3);
    }
}
