//! What was learned of a machine, for people.

use bandgraph_study::{Learned, LearnedError, LeftOutPoint};
use bandgraph_units::{Fraction, significant};

use crate::text::{percent, span};
use crate::view::{Table, View};

/// What was learned, and how well points that were left out are predicted by the others.
pub fn learned_view(name: &str, found: &Learned, left_out: &[LeftOutPoint]) -> View {
    let mut page = View::new();
    page.title(format!("What {} measurements say of {name}", found.points));
    let [before, after] = found.errors.map(Fraction::new);
    page.paragraph(&format!(
        "Predictions were off by {before} before and are by {after} now (root mean square of logarithms)."
    ));
    page.heading("Figures that are better known now");
    let mut table = Table::of("of | figure | >before | 90 % belief | >now | 90 % belief");
    for one in &found.figures {
        let words = |value: f64| one.figure.text_of(value);
        table.plain([
            one.figure.name.clone(),
            one.figure.field.to_owned(),
            one.figure.texts[0].clone(),
            span(&one.figure.texts[1], &one.figure.texts[2]),
            words(one.value),
            span(&words(one.range[0]), &words(one.range[1])),
        ]);
    }
    page.table(table);
    model_errors(&mut page, &found.model);
    if left_out.is_empty() {
        return page;
    }
    page.heading("Each measurement, predicted from the others");
    let mut table =
        Table::of("id | >measured | >before | 90 % interval | >now | 90 % interval | >narrower by");
    for point in left_out {
        let kind = point.measured.metric.kind();
        let words = |value: f64| crate::comparison::in_words(kind, value, &point.measured.text);
        let cells = |(value, interval): (f64, bandgraph_study::Interval)| {
            [words(value), span(&words(interval.low), &words(interval.high))]
        };
        let ([before, around], [now, narrow]) = (cells(point.before), cells(point.after));
        table.plain([
            point.measured.id.clone(),
            point.measured.text.clone(),
            before,
            around,
            now,
            narrow,
            format!("{}x", significant(point.factor(), 2)),
        ]);
    }
    page.table(table);
    let inside = left_out
        .iter()
        .filter(|point| point.after.1.contains(point.measured.value));
    let mean = left_out.iter().map(LeftOutPoint::factor).sum::<f64>() / left_out.len() as f64;
    page.paragraph(&format!(
        "{} of {} are within their interval; on average, intervals are narrower by a factor of {}.",
        inside.count(),
        left_out.len(),
        significant(mean, 2)
    ));
    page
}

/// How far the model is off on this machine, by kind of limit.
fn model_errors(page: &mut View, errors: &[LearnedError]) {
    page.heading("Error of the model on this machine");
    let mut table = Table::of("limit | >before | >now | rates are then");
    // To the ends of a 90 % interval.
    let width = |deviation: f64| format!("±{}", percent(1.645 * deviation));
    for one in errors {
        table.plain([
            one.limit.as_str().to_owned(),
            width(one.before),
            width(one.now[1]),
            format!("multiplied by {}", significant(one.factor(), 3)),
        ]);
    }
    page.table(table);
    page.paragraph(
        "A part of the error of the model belongs to the machine and not to the load, so that a measurement says \
         something about other loads with the same kind of limit.",
    );
}
