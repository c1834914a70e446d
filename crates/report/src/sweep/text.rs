//! A sweep as text for people: a table of its points or of its ends, and plots of bars along its axes.

use bandgraph_study::Extreme;

use super::SweepReport;
use super::row::{file_stem, label};
use crate::text::none;
use crate::view::{Cell, Side, Table, Tone, View};

/// Failing points that are listed.
const LISTED: usize = 20;
/// Characters of a bar.
const BAR: usize = 20;

/// A sweep as text.
pub fn sweep_view(report: &SweepReport<'_>) -> View {
    let mut page = View::new();
    page.title(&report.sweep.name);
    let gated = !report.verdicts.is_empty() || !report.holds();
    let verdict = format!("{}.", report.verdict_sentence());
    match (gated, report.holds()) {
        (false, _) => page.paragraph(&verdict),
        (true, true) => page.toned(Tone::Good, &format!("PASSED: {verdict}")),
        (true, false) => page.toned(Tone::Alarm, &format!("FAILED: {verdict}")),
    }
    match report.table() {
        Some(_) => table(&mut page, report),
        None => ends(&mut page, report),
    }
    // With one axis, the table of points is the plot.
    if report.table().is_none() || report.summary.axes.len() > 1 {
        axes(&mut page, report);
    }
    bottlenecks(&mut page, report);
    expectations(&mut page, report);
    failing(&mut page, report);
    if !report.notes.is_empty() {
        page.blank();
        for note in &report.notes {
            page.paragraph(note);
        }
    }
    page
}

/// A value as a share of the greatest of the sweep.
fn drawn(report: &SweepReport<'_>, value: f64) -> Cell {
    let greatest = report
        .summary
        .greatest
        .first()
        .map_or(0.0, |extreme| extreme.value);
    let share = if greatest > 0.0 { value / greatest } else { 0.0 };
    Cell::share(share)
}

/// A column for each axis that varies, so that the values of points stand under each other.
fn table(page: &mut View, report: &SweepReport<'_>) {
    let metric = report.summary.metric;
    let rows = report.table().unwrap_or_default();
    let varies = |axis: &usize| {
        rows.iter()
            .any(|row| row.values.get(*axis) != rows[0].values.get(*axis))
    };
    let all = 0..report.sweep.axes.len();
    // A sweep of one point varies nothing; then the first axis names it.
    let shown: Vec<usize> = all.clone().filter(varies).collect();
    let shown = if shown.is_empty() {
        all.take(1).collect()
    } else {
        shown
    };
    page.heading(format!("Points: {metric}"));
    let mut table = Table::default();
    for &axis in &shown {
        table = table.column(report.sweep.axes[axis].id.clone(), Side::Left);
    }
    table = table
        .column("", Side::Right)
        .bars("", BAR..=BAR)
        .optional("bottleneck", Side::Left);
    for row in rows {
        let tone = if row.failing { Tone::Alarm } else { Tone::Plain };
        let value = row.value.map_or("-".to_owned(), |value| metric.format(value));
        let bar = row.value.map_or(Cell::nothing(), |value| drawn(report, value));
        let values = shown
            .iter()
            .map(|&axis| Cell::from(row.values.get(axis).cloned().unwrap_or_default()));
        table.row(
            tone,
            values.chain([value.into(), bar, row.bottleneck.clone().into()]),
        );
    }
    page.table(table);
}

fn ends(page: &mut View, report: &SweepReport<'_>) {
    let summary = &report.summary;
    let mut part = |heading: &str, extremes: &[Extreme]| {
        page.heading(format!("{heading} {}", summary.metric));
        let mut table = Table::default()
            .column("point", Side::Right)
            .column("", Side::Left)
            .column("", Side::Right)
            .bars("", BAR..=BAR);
        for extreme in extremes {
            table.row(
                Tone::Plain,
                [
                    extreme.number.to_string().into(),
                    label(report.sweep, &extreme.values).into(),
                    summary.metric.format(extreme.value).into(),
                    drawn(report, extreme.value),
                ],
            );
        }
        page.table(table);
    };
    part("Greatest", &summary.greatest);
    part("Least", &summary.least);
}

fn axes(page: &mut View, report: &SweepReport<'_>) {
    let metric = report.summary.metric;
    for axis in &report.summary.axes {
        page.heading(format!("{metric} by {}", axis.axis));
        let mut table = Table::default()
            .column("", Side::Left)
            .column("mean", Side::Right)
            .bars("", BAR..=BAR)
            .optional("least", Side::Right)
            .optional("greatest", Side::Right);
        for group in &axis.groups {
            let name = Cell::from(file_stem(&group.label).to_owned());
            let cells = match group.mean() {
                Some(mean) => [
                    name,
                    metric.format(mean).into(),
                    drawn(report, mean),
                    metric.format(group.least).into(),
                    metric.format(group.greatest).into(),
                ],
                None => [
                    name,
                    none().into(),
                    Cell::nothing(),
                    Cell::nothing(),
                    Cell::nothing(),
                ],
            };
            table.row(Tone::Plain, cells);
        }
        page.table(table);
    }
}

fn bottlenecks(page: &mut View, report: &SweepReport<'_>) {
    if report.summary.bottlenecks.is_empty() {
        return;
    }
    page.heading("Bottlenecks");
    let mut table = Table::default()
        .column("kind", Side::Left)
        .column("points", Side::Right);
    for (kind, count) in &report.summary.bottlenecks {
        table.row(Tone::Plain, [kind.clone(), count.to_string()]);
    }
    page.table(table);
}

fn expectations(page: &mut View, report: &SweepReport<'_>) {
    if report.verdicts.is_empty() {
        return;
    }
    page.heading("Expectations");
    let mut table = Table::default()
        .column("", Side::Left)
        .column("", Side::Left)
        .column("", Side::Left);
    for verdict in &report.verdicts {
        let (tone, word) = if verdict.ok {
            (Tone::Good, "ok")
        } else {
            (Tone::Alarm, "FAILED")
        };
        table.row(
            tone,
            [word.to_owned(), verdict.gate.clone(), verdict.message.clone()],
        );
    }
    page.table(table);
}

fn failing(page: &mut View, report: &SweepReport<'_>) {
    if report.failing_count == 0 {
        return;
    }
    page.heading("Failing points");
    for point in report.unexpected().take(LISTED) {
        page.paragraph(&format!("point {}: {}", point.number, point.label));
        for finding in &point.findings {
            page.paragraph(&format!("  {}: {}", finding.gate, finding.message));
        }
    }
    let more = report.failing_count.saturating_sub(LISTED as u64);
    if more > 0 {
        page.paragraph(&format!("and {more} more"));
    }
}
