//! What `inspect` found, as Markdown and HTML.

use std::fmt::Write as _;

use bandgraph_diagnostics::Sources;
use bandgraph_import::{Finding, Machine};

use crate::view::{cell, plain};

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
        let cost = cost(finding);
        let _ = writeln!(
            text,
            "| {cost} | {} | {} | {} |",
            cell(&finding.message),
            cell(finding.help.as_deref().unwrap_or_default()),
            cell(&places(finding, sources))
        );
    }
    text
}

/// A page of tables, one for each machine, that needs no other file. Each finding shows the line that says it.
#[derive(Debug, Default)]
pub struct FindingsHtml {
    body: String,
}

const HEAD: &str = "\
<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<title>Findings</title>
<style>
body { font-family: sans-serif; margin: 2em; max-width: 70em; }
table { border-collapse: collapse; }
th, td { border-top: 1px solid #ccc; padding: 0.4em 0.8em; text-align: left; vertical-align: top; }
td:first-child { text-align: right; white-space: nowrap; }
pre { margin: 0.3em 0 0; color: #555; white-space: pre-wrap; }
</style>
</head>
<body>
";

impl FindingsHtml {
    /// Adds the table of a machine.
    pub fn add(&mut self, machine: &Machine, findings: &[Finding], sources: &Sources) {
        let name = machine.name.as_ref().map_or("Machine", |name| &name.value);
        let body = &mut self.body;
        let _ = writeln!(body, "<h2>{}</h2>", escaped(name));
        if findings.is_empty() {
            body.push_str("<p>Nothing found.</p>\n");
            return;
        }
        body.push_str("<table>\n<tr><th>cost</th><th>finding</th><th>what to do</th><th>where</th></tr>\n");
        for finding in findings {
            let line = finding.at.first().map_or("", |at| {
                let text = sources.text(at.source);
                let line = text.get(at.start..).and_then(|rest| rest.lines().next());
                line.unwrap_or_default()
            });
            let _ = writeln!(
                body,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}<pre>{}</pre></td></tr>",
                cost(finding),
                escaped(&finding.message),
                escaped(finding.help.as_deref().unwrap_or_default()),
                escaped(&places(finding, sources)),
                escaped(&line.chars().take(120).collect::<String>()),
            );
        }
        body.push_str("</table>\n");
    }

    /// The page.
    pub fn page(&self) -> String {
        format!("{HEAD}{}</body>\n</html>\n", self.body)
    }
}

fn cost(finding: &Finding) -> String {
    let cost = finding.costs_bytes_per_s;
    cost.map_or(String::new(), |cost| format!("{:.2} GB/s", cost / 1e9))
}

/// The lines that say it: `dmidecode.txt:17, pciconf.txt:4`.
fn places(finding: &Finding, sources: &Sources) -> String {
    let places = finding.at.iter().map(|at| {
        let line = sources.line_column(at.source, at.start).line;
        format!("{}:{line}", sources.name(at.source))
    });
    places.collect::<Vec<_>>().join(", ")
}

/// A text without the characters of HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}
