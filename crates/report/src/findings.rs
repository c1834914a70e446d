//! What `inspect` found, as a table.

use bandgraph_diagnostics::{Diagnostic, Severity, Sources, render, summary};
use bandgraph_import::Finding;
use bandgraph_units::Bandwidth;

use crate::csv::csv_lines;
use crate::view::{Table, TextOptions, View};

/// The most of a line that is quoted, in characters.
const QUOTED: usize = 120;

/// The columns of [`findings_csv`].
pub const FINDINGS_COLUMNS: [&str; 8] = [
    "machine",
    "id",
    "severity",
    "costs_bytes_per_s",
    "message",
    "help",
    "places",
    "line",
];

/// Findings as CSV with a header row, a finding a row, the costliest of each machine first. `places` are the
/// files and lines that show it; `line` is the first of them.
pub fn findings_csv<'a>(machines: impl IntoIterator<Item = (String, &'a [Finding], &'a Sources)>) -> String {
    let header = FINDINGS_COLUMNS.map(str::to_owned).to_vec();
    let rows = machines.into_iter().flat_map(|(machine, findings, sources)| {
        findings.iter().map(move |finding| {
            vec![
                machine.clone(),
                finding.id.to_owned(),
                Severity::name(finding.severity).to_owned(),
                finding
                    .costs_bytes_per_s
                    .map_or_else(String::new, |cost| cost.to_string()),
                finding.message.clone(),
                finding.help.clone().unwrap_or_default(),
                places(finding, sources),
                line(finding, sources),
            ]
        })
    });
    csv_lines(std::iter::once(header).chain(rows))
}

/// Machines with their findings, the costliest of each first, each with the line that shows it.
pub fn findings_view<'a>(machines: impl IntoIterator<Item = (String, &'a [Finding], &'a Sources)>) -> View {
    let mut page = View::new();
    page.title("Findings");
    for (name, findings, sources) in machines {
        page.heading(name);
        if findings.is_empty() {
            page.paragraph("Nothing found.");
            continue;
        }
        let mut table = Table::of(">cost | finding | what to do | where | what it says");
        for finding in findings {
            let cost = finding.costs_bytes_per_s;
            let cells = [
                cost.map_or_else(String::new, |cost| Bandwidth::new(cost).decimal()),
                finding.message.clone(),
                finding.help.clone().unwrap_or_default(),
                places(finding, sources),
                line(finding, sources),
            ];
            table.plain(cells);
        }
        page.table(table);
    }
    page
}

/// The findings of one machine with the lines that show them and a summary, as text.
pub fn findings_text(name: &str, findings: &[Finding], sources: &Sources, options: &TextOptions) -> String {
    let diagnostics: Vec<Diagnostic> = findings.iter().map(Finding::diagnostic).collect();
    let found = summary(&diagnostics).unwrap_or_else(|| "nothing found".to_owned());
    // One at a time: the costliest first, not in the order of their places.
    let one = |one| render::within(options.width, std::slice::from_ref(one), sources, options.colour);
    let parts: Vec<String> = diagnostics.iter().map(one).collect();
    format!("{}\n{name}: {found}\n", parts.join("\n"))
}

/// The lines that say it: `dmidecode.txt:17, pciconf.txt:4`.
fn places(finding: &Finding, sources: &Sources) -> String {
    let places = finding.at.iter().map(|at| {
        let line = sources.line_column(at.source, at.start).line;
        format!("{}:{line}", sources.name(at.source))
    });
    places.collect::<Vec<_>>().join(", ")
}

/// The first of those lines.
fn line(finding: &Finding, sources: &Sources) -> String {
    let text = finding.at.first().map_or("", |at| {
        sources.text(at.source).get(at.start..).unwrap_or_default()
    });
    text.lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(QUOTED)
        .collect()
}
