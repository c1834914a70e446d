//! A sweep as text for people: a table of its points or of its ends, and plots of bars along its axes.

use bandgraph_study::Extreme;

use super::SweepReport;
use super::row::{file_stem, label};
use crate::TextOptions;
use crate::text::bar::bar;
use crate::text::columns::{Columns, Side};
use crate::text::options::Tone;
use crate::text::page::Page;

/// Failing points that are listed.
const LISTED: usize = 20;
/// Characters of a bar.
const BAR: usize = 20;

/// A sweep as text.
pub fn sweep_text(report: &SweepReport<'_>, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    page.toned(Tone::Heading, &report.sweep.name);
    page.paragraph(&format!("{}.", report.verdict_sentence()));
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
    page.finish()
}

/// A value as a share of the greatest of the sweep.
fn drawn(report: &SweepReport<'_>, value: f64, page: &Page) -> String {
    let greatest = report
        .summary
        .greatest
        .first()
        .map_or(0.0, |extreme| extreme.value);
    let share = if greatest > 0.0 { value / greatest } else { 0.0 };
    bar(share, 1.0, BAR, page.options().ascii)
}

/// A column for each axis that varies, so that the values of points stand under each other.
fn table(page: &mut Page, report: &SweepReport<'_>) {
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
    page.heading(&format!("Points: {metric}"));
    let mut table = Columns::default();
    for &axis in &shown {
        table = table.column(report.sweep.axes[axis].id.clone(), Side::Left);
    }
    table = table
        .column("", Side::Right)
        .optional("", Side::Left)
        .optional("bottleneck", Side::Left);
    for row in rows {
        let tone = if row.failing { Tone::Alarm } else { Tone::Plain };
        let value = row.value.map_or("-".to_owned(), |value| metric.format(value));
        let bar = row
            .value
            .map_or(String::new(), |value| drawn(report, value, page));
        let values = shown
            .iter()
            .map(|&axis| row.values.get(axis).cloned().unwrap_or_default());
        table.row(tone, values.chain([value, bar, row.bottleneck.clone()]));
    }
    page.table(&table);
}

fn ends(page: &mut Page, report: &SweepReport<'_>) {
    let summary = &report.summary;
    let mut part = |heading: &str, extremes: &[Extreme]| {
        page.heading(&format!("{heading} {}", summary.metric));
        let mut table = Columns::default()
            .column("point", Side::Right)
            .column("", Side::Left)
            .column("", Side::Right)
            .optional("", Side::Left);
        for extreme in extremes {
            table.row(
                Tone::Plain,
                [
                    extreme.number.to_string(),
                    label(report.sweep, &extreme.values),
                    summary.metric.format(extreme.value),
                    drawn(report, extreme.value, page),
                ],
            );
        }
        page.table(&table);
    };
    part("Greatest", &summary.greatest);
    part("Least", &summary.least);
}

fn axes(page: &mut Page, report: &SweepReport<'_>) {
    let metric = report.summary.metric;
    for axis in &report.summary.axes {
        page.heading(&format!("{metric} by {}", axis.axis));
        let mut table = Columns::default()
            .column("", Side::Left)
            .column("mean", Side::Right)
            .optional("", Side::Left)
            .optional("least", Side::Right)
            .optional("greatest", Side::Right);
        for group in &axis.groups {
            let cells = match group.mean() {
                Some(mean) => [
                    file_stem(&group.label).to_owned(),
                    metric.format(mean),
                    drawn(report, mean, page),
                    metric.format(group.least),
                    metric.format(group.greatest),
                ],
                None => [
                    file_stem(&group.label).to_owned(),
                    "-".to_owned(),
                    String::new(),
                    String::new(),
                    String::new(),
                ],
            };
            table.row(Tone::Plain, cells);
        }
        page.table(&table);
    }
}

fn bottlenecks(page: &mut Page, report: &SweepReport<'_>) {
    if report.summary.bottlenecks.is_empty() {
        return;
    }
    page.heading("Bottlenecks");
    let mut table = Columns::default()
        .column("kind", Side::Left)
        .column("points", Side::Right);
    for (kind, count) in &report.summary.bottlenecks {
        table.row(Tone::Plain, [kind.clone(), count.to_string()]);
    }
    page.table(&table);
}

fn expectations(page: &mut Page, report: &SweepReport<'_>) {
    if report.verdicts.is_empty() {
        return;
    }
    page.heading("Expectations");
    let mut table = Columns::default()
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
    page.table(&table);
}

fn failing(page: &mut Page, report: &SweepReport<'_>) {
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
