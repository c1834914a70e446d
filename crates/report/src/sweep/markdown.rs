//! A summary in Markdown, short enough for the page of a CI step however large the sweep is.

use std::fmt::Write as _;

use bandgraph_study::Extreme;

use super::SweepReport;
use super::row::label;
use crate::markdown::cell;

/// Failing points that are listed.
const LISTED: usize = 20;

/// A sweep as Markdown: the verdict, what is not as expected, and the ends of the results.
pub fn sweep_markdown(report: &SweepReport<'_>) -> String {
    let mut page = format!("### Sweep: {}\n\n", cell(&report.sweep.name));
    let mark = if report.holds() {
        "**PASSED**"
    } else {
        "**FAILED**"
    };
    let gated = !report.verdicts.is_empty() || !report.holds();
    let _ = write!(
        page,
        "{}{}\n\n",
        if gated { format!("{mark}: ") } else { String::new() },
        report.verdict_sentence()
    );
    expectations(&mut page, report);
    failing(&mut page, report);
    ends(&mut page, report);
    for note in &report.notes {
        let _ = write!(page, "{}\n\n", cell(note));
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn expectations(page: &mut String, report: &SweepReport<'_>) {
    if report.verdicts.is_empty() {
        return;
    }
    page.push_str("| expectation | | |\n|---|---|---|\n");
    for verdict in &report.verdicts {
        let mark = if verdict.ok { "ok" } else { "**failed**" };
        let _ = writeln!(
            page,
            "| {} | {mark} | {} |",
            cell(&verdict.gate),
            cell(&verdict.message)
        );
    }
    page.push('\n');
}

fn failing(page: &mut String, report: &SweepReport<'_>) {
    if report.failing_count == 0 {
        return;
    }
    page.push_str("| failing point | | what is not as expected |\n|---:|---|---|\n");
    for point in report.unexpected().take(LISTED) {
        let findings: Vec<String> = point
            .findings
            .iter()
            .map(|finding| format!("{}: {}", finding.gate, finding.message))
            .collect();
        let _ = writeln!(
            page,
            "| {} | {} | {} |",
            point.number,
            cell(&point.label),
            cell(&findings.join("; "))
        );
    }
    let more = report.failing_count.saturating_sub(LISTED as u64);
    if more > 0 {
        let _ = write!(page, "\n… and {more} more.\n");
    }
    page.push('\n');
}

fn ends(page: &mut String, report: &SweepReport<'_>) {
    let summary = &report.summary;
    let (Some(least), Some(greatest)) = (summary.least.first(), summary.greatest.first()) else {
        return;
    };
    let _ = write!(page, "| {} | point | |\n|---:|---:|---|\n", summary.metric);
    let mut row = |extreme: &Extreme| {
        let value = summary.metric.format(extreme.value);
        let _ = writeln!(
            page,
            "| {value} | {} | {} |",
            extreme.number,
            cell(&label(report.sweep, &extreme.values))
        );
    };
    row(greatest);
    if greatest != least {
        row(least);
    }
    page.push('\n');
}
