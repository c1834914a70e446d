//! What `inspect` found, as Markdown.

use std::fmt::Write as _;

use bandgraph_diagnostics::Sources;
use bandgraph_import::{Finding, Machine};

use crate::markdown::{cell, plain};

/// A table of the findings, the costliest first.
pub fn findings_markdown(machine: &Machine, findings: &[Finding], sources: &Sources) -> String {
    let name = machine.name.as_ref().map_or("Machine", |name| &name.value);
    let mut text = format!("## {}\n\n", plain(name));
    if findings.is_empty() {
        text.push_str("Nothing found.\n");
        return text;
    }
    text.push_str("| cost | finding | what to do | where |\n|---:|---|---|---|\n");
    for finding in findings {
        let cost = finding
            .costs_bytes_per_s
            .map_or(String::new(), |cost| format!("{:.2} GB/s", cost / 1e9));
        let places: Vec<String> = finding
            .at
            .iter()
            .map(|at| {
                let line = sources.line_column(at.source, at.start).line;
                format!("{}:{line}", sources.name(at.source))
            })
            .collect();
        let _ = writeln!(
            text,
            "| {cost} | {} | {} | {} |",
            cell(&finding.message),
            cell(finding.help.as_deref().unwrap_or_default()),
            cell(&places.join(", "))
        );
    }
    text
}
