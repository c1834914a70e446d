//! A sweep for people: a table of its points or of its ends, and bars along its axes.

use bandgraph_scenario::{GAIN_COLUMNS, INTERVAL_COLUMNS, Metric, SweepMode};
use bandgraph_study::Interval;
use bandgraph_units::significant;

use super::document::{SweepDocument, SweepExtremeDocument, SweepPointDocument, ends};
use super::row::file_name;
use crate::text::{
    PREDICTED, between, counted, difference_words, inputs, none, origin, provenance, statuses,
};
use crate::view::{Cell, Side, Table, Tone, View};

/// Rows of a table of all points. Of more points only the ends are shown.
const ROWS: usize = 40;
/// Failing points that are listed, and passing ones.
const LISTED: usize = 20;
/// Characters of a bar.
const BAR: usize = 20;
/// Characters of a bar on a narrow page.
const LEAST_BAR: usize = 5;

/// A sweep for people.
pub fn sweep_view(sweep: &SweepDocument) -> View {
    let mut page = View::new();
    page.title(&sweep.sweep);
    inputs(&mut page, [&sweep.software], &sweep.overrides);
    let verdict = format!("{}.", verdict_sentence(sweep));
    match (sweep.expectations.is_empty() && sweep.holds(), sweep.holds()) {
        (true, _) => page.paragraph(&verdict),
        (false, true) => page.toned(Tone::Good, &format!("PASSED: {verdict}")),
        (false, false) => page.toned(Tone::Alarm, &format!("FAILED: {verdict}")),
    }
    let has_table = sweep.count <= ROWS as u64;
    if has_table {
        if sweep.count > 0 {
            page.heading(format!("Points: {}", sweep.metric));
            page.table(points(sweep));
        }
    } else {
        extremes(&mut page, sweep, "Greatest", &sweep.greatest);
        extremes(&mut page, sweep, "Least", &sweep.least);
    }
    // With one axis, the table of points is the plot.
    if !has_table || sweep.axes.len() > 1 {
        axes(&mut page, sweep);
    }
    errors(&mut page, sweep);
    bottlenecks(&mut page, sweep);
    expectations(&mut page, sweep);
    failing(&mut page, sweep);
    if !has_table && sweep.points.len() as u64 == sweep.count {
        page.folded("All points", points(sweep));
    }
    if !sweep.notes.is_empty() {
        page.blank();
        for note in &sweep.notes {
            page.paragraph(note);
        }
    }
    page.blank();
    let how = if sweep.mode == SweepMode::Predict.as_str() {
        PREDICTED
    } else {
        "simulated"
    };
    let origin = origin(Some(&sweep.file), sweep.seed, &sweep.input_hash);
    statuses(&mut page, sweep.statuses.as_ref(), "the first point");
    provenance(&mut page, &sweep.bandgraph, how, &[origin]);
    page
}

/// One sentence on how it went.
fn verdict_sentence(sweep: &SweepDocument) -> String {
    let errors = match sweep.errors {
        0 => String::new(),
        1 => ", 1 of them ended in an error".to_owned(),
        errors => format!(", {errors} of them ended in an error"),
    };
    let all = counted(sweep.count as f64, "point");
    match (sweep.holds(), sweep.failing) {
        (true, _) if sweep.expectations.is_empty() => format!("{all}{errors}"),
        (true, _) => format!("{all}{errors}; all expectations hold"),
        (false, _) if sweep.count == 0 => format!("{all}{errors}; no point is left by `filter`"),
        (false, 0) => format!("{all}{errors}; an expectation over all points does not hold"),
        (false, 1) => format!("1 of {all} does not meet an expectation{errors}"),
        (false, failing) => format!("{failing} of {all} do not meet an expectation{errors}"),
    }
}

/// A value of the metric in words.
fn words(sweep: &SweepDocument, value: f64) -> String {
    Metric::from_name(&sweep.metric).map_or_else(|| significant(value, 3), |metric| metric.format(value))
}

/// A value as a share of the greatest of the sweep.
fn drawn(sweep: &SweepDocument, value: f64) -> Cell {
    let greatest = sweep.greatest.first().map_or(0.0, |extreme| extreme.value);
    Cell::Bar(if greatest > 0.0 { value / greatest } else { 0.0 })
}

/// A column for each axis that varies, so that equal axes are in one column.
fn points(sweep: &SweepDocument) -> Table {
    let value = |point: &SweepPointDocument, axis: usize| {
        let text = point.values.get(axis).map_or("", String::as_str);
        short_numbers(file_name(text))
    };
    let varies = |axis: &usize| {
        let mut values = sweep.points.iter().map(|point| value(point, *axis));
        let first = values.next();
        values.any(|other| Some(other) != first)
    };
    let mut shown: Vec<usize> = (0..sweep.axes.len()).filter(varies).collect();
    if shown.is_empty() && !sweep.axes.is_empty() {
        // A sweep of one point varies nothing; then the first axis names it.
        shown.push(0);
    }
    let mut table = Table::default();
    for &axis in &shown {
        table = table.column(sweep.axes[axis].id.clone(), Side::Left);
    }
    table = table
        .column("(value)", Side::Right)
        .optional("90 % interval", Side::Left)
        .bars("", LEAST_BAR..=BAR)
        .optional("against the reference", Side::Left)
        .optional("bottleneck", Side::Left);
    for point in &sweep.points {
        let is_failing = point.error.is_some() || !point.findings.is_empty();
        let figure = point.row.get(&sweep.metric).and_then(serde_json::Value::as_f64);
        let bottleneck = point.row.get("bottleneck").and_then(serde_json::Value::as_str);
        let bottleneck = point.error.as_deref().or(bottleneck).unwrap_or_default();
        let values = shown.iter().map(|&axis| Cell::from(value(point, axis)));
        table.row(
            if is_failing { Tone::Alarm } else { Tone::Plain },
            values.chain([
                figure
                    .map_or("-".to_owned(), |figure| words(sweep, figure))
                    .into(),
                interval(sweep, ends(&point.row, &sweep.metric, INTERVAL_COLUMNS)),
                figure.map_or(Cell::nothing(), |figure| drawn(sweep, figure)),
                gain(ends(&point.row, &sweep.metric, GAIN_COLUMNS)),
                bottleneck.to_owned().into(),
            ]),
        );
    }
    table
}

/// A text with its long fractions to four digits: a sampled value has twelve, which CSV and JSON have.
fn short_numbers(text: &str) -> String {
    const LONG: usize = 6;
    let short = |word: &str| {
        let (number, comma) = word.strip_suffix(',').map_or((word, ""), |number| (number, ","));
        let is_long = number.contains('.') && number.len() > LONG;
        let value = number.parse::<f64>().ok().filter(|_| is_long);
        value.map_or_else(
            || word.to_owned(),
            |value| format!("{}{comma}", significant(value, 4)),
        )
    };
    text.split(' ').map(short).collect::<Vec<_>>().join(" ")
}

fn interval(sweep: &SweepDocument, ends: Option<[f64; 2]>) -> Cell {
    ends.map_or(Cell::nothing(), |ends| {
        between(ends, |end| words(sweep, end)).into()
    })
}

fn gain(ends: Option<[f64; 2]>) -> Cell {
    ends.map_or(Cell::nothing(), |[low, high]| {
        difference_words(Interval { low, high }).into()
    })
}

fn extremes(page: &mut View, sweep: &SweepDocument, heading: &str, extremes: &[SweepExtremeDocument]) {
    page.heading(format!("{heading} {}", sweep.metric));
    let mut table = Table::of(">point | (id) | >(value) | ?90 % interval")
        .bars("", LEAST_BAR..=BAR)
        .optional("against the reference", Side::Left);
    for extreme in extremes {
        table.plain([
            extreme.point.to_string().into(),
            short_numbers(&extreme.id).into(),
            words(sweep, extreme.value).into(),
            interval(sweep, extreme.interval),
            drawn(sweep, extreme.value),
            gain(extreme.gain),
        ]);
    }
    page.table(table);
}

fn axes(page: &mut View, sweep: &SweepDocument) {
    for axis in &sweep.axes {
        page.heading(format!("{} by {}", sweep.metric, axis.id));
        let is_even = axis.values.windows(2).all(|pair| pair[0].count == pair[1].count);
        if !is_even {
            page.paragraph(
                "The values have different numbers of points: their means are over different points.",
            );
        }
        let mut table = Table::of(if is_even {
            "(value) | >mean"
        } else {
            "(value) | >points | >mean"
        })
        .bars("", BAR..=BAR)
        .optional("least", Side::Right)
        .optional("greatest", Side::Right);
        for group in &axis.values {
            let told = |value: Option<f64>| value.map_or(Cell::nothing(), |value| words(sweep, value).into());
            let count = (!is_even).then(|| Cell::from(group.count.to_string()));
            let figures = [
                group.mean.map_or_else(none, |mean| words(sweep, mean)).into(),
                group.mean.map_or(Cell::nothing(), |mean| drawn(sweep, mean)),
                told(group.low),
                told(group.high),
            ];
            let cells = std::iter::once(Cell::from(file_name(&group.id).to_owned()));
            table.row(Tone::Plain, cells.chain(count).chain(figures));
        }
        page.table(table);
    }
}

/// Why points have no answer: each reason once, with how many have it and the first of them.
fn errors(page: &mut View, sweep: &SweepDocument) {
    let mut reasons: Vec<(&str, &SweepPointDocument, usize)> = Vec::new();
    for point in &sweep.points {
        let Some(error) = point.error.as_deref() else {
            continue;
        };
        match reasons.iter_mut().find(|(reason, ..)| *reason == error) {
            Some((.., count)) => *count += 1,
            None => reasons.push((error, point, 1)),
        }
    }
    if reasons.is_empty() {
        return;
    }
    page.heading("Errors");
    for (reason, first, count) in reasons.iter().take(LISTED) {
        let more = match count {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        page.paragraph(&format!("point {}{more}: {reason}", first.point));
    }
    if let Some(more) = reasons.len().checked_sub(LISTED).filter(|&more| more > 0) {
        page.paragraph(&format!("and {} more", counted(more as f64, "reason")));
    }
}

fn bottlenecks(page: &mut View, sweep: &SweepDocument) {
    if sweep.bottlenecks.is_empty() {
        return;
    }
    page.heading("Bottlenecks");
    let mut table = Table::of("kind | >points");
    for found in &sweep.bottlenecks {
        table.plain([found.kind.clone(), found.count.to_string()]);
    }
    page.table(table);
}

fn expectations(page: &mut View, sweep: &SweepDocument) {
    if sweep.expectations.is_empty() {
        return;
    }
    page.heading("Expectations");
    let mut table = Table::of("(result) | (expectation) | (found)");
    for found in &sweep.expectations {
        let (tone, word) = if found.ok {
            (Tone::Good, "ok")
        } else {
            (Tone::Alarm, "FAILED")
        };
        table.row(tone, [word.to_owned(), found.id.clone(), found.message.clone()]);
    }
    page.table(table);
}

fn failing(page: &mut View, sweep: &SweepDocument) {
    if sweep.failing == 0 {
        return;
    }
    page.heading("Failing points");
    let failing = sweep.points.iter().filter(|point| !point.findings.is_empty());
    for point in failing.take(LISTED) {
        page.paragraph(&format!("point {}: {}", point.point, short_numbers(&point.id)));
        for finding in &point.findings {
            page.paragraph(&format!("  {}: {}", finding.gate, finding.message));
        }
    }
    more_than_listed(page, sweep.failing);
    let passing = sweep.count - sweep.errors.min(sweep.count);
    let passing = passing.saturating_sub(sweep.failing);
    let is_passing = |point: &&SweepPointDocument| point.error.is_none() && point.findings.is_empty();
    let listed: Vec<&SweepPointDocument> = sweep.points.iter().filter(is_passing).take(LISTED).collect();
    if listed.is_empty() {
        return;
    }
    page.heading("Passing points");
    for point in listed {
        page.paragraph(&format!("point {}: {}", point.point, short_numbers(&point.id)));
    }
    more_than_listed(page, passing);
}

fn more_than_listed(page: &mut View, count: u64) {
    let more = count.saturating_sub(LISTED as u64);
    if more > 0 {
        page.paragraph(&format!("and {more} more"));
    }
}
