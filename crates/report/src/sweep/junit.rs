//! `JUnit` XML, as CI systems read it: one test case a point, and one for every expectation.
//!
//! Points that are fine are left out where there are more than [`MAXIMUM_CASES`] points in all, as are
//! failing points beyond as many; the counts are those of the cases that are there.

use std::fmt::Write as _;

use super::SweepReport;
use super::sweep_report::{FailingPoint, MAXIMUM_CASES};

/// A sweep as `JUnit` XML.
///
/// A point that is not as expected is a failure, or an error if it has no figures. One that has no figures
/// and is not expected to have any is skipped: a sweep may go where a server cannot.
pub fn sweep_junit(report: &SweepReport<'_>) -> String {
    let name = escaped(&report.sweep.name);
    let mut cases = Vec::new();
    for verdict in &report.verdicts {
        let problem = (!verdict.ok).then(|| ("failure", verdict.message.clone(), String::new()));
        cases.push((
            0,
            case(&format!("{name}: expectations"), &escaped(&verdict.gate), problem),
        ));
    }
    for point in &report.failing {
        cases.push((
            point.number,
            case(&name, &escaped(&point.label), Some(problem(point))),
        ));
    }
    if report.summary.points <= MAXIMUM_CASES as u64 {
        let passing = report.passing.iter();
        cases.extend(passing.map(|(number, label)| (*number, case(&name, &escaped(label), None))));
    }
    let expectations = report.verdicts.len();
    cases[expectations..].sort_by_key(|(number, _)| *number);
    let body: String = cases.iter().map(|(_, case)| case.as_str()).collect();
    let count = |element: &str| body.matches(&format!("      <{element} message=")).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.len(),
        count("failure"),
        count("error"),
        count("skipped")
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"bandgraph sweep\" {counts}>\n  \
         <testsuite name=\"{name}\" {counts}>\n{body}  </testsuite>\n</testsuites>\n"
    )
}

/// The element, its message and its text.
fn problem(point: &FailingPoint) -> (&'static str, String, String) {
    let findings: Vec<String> = point
        .findings
        .iter()
        .map(|finding| format!("{}: {}", finding.gate, finding.message))
        .collect();
    match &point.error {
        Some(error) if findings.is_empty() => ("skipped", error.clone(), String::new()),
        Some(error) => ("error", error.clone(), findings.join("\n")),
        None => (
            "failure",
            findings.first().cloned().unwrap_or_default(),
            findings.join("\n"),
        ),
    }
}

fn case(class: &str, name: &str, problem: Option<(&str, String, String)>) -> String {
    let mut case = format!("    <testcase classname=\"{class}\" name=\"{name}\"");
    match problem {
        None => case.push_str("/>\n"),
        Some((element, message, text)) => {
            let _ = write!(case, ">\n      <{element} message=\"{}\"", escaped(&message));
            if text.is_empty() {
                case.push_str("/>\n    </testcase>\n");
            } else {
                let _ = write!(case, ">{}</{element}>\n    </testcase>\n", escaped(&text));
            }
        }
    }
    case
}

/// A text that can stand in an attribute or an element. What XML cannot hold at all becomes a question mark.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_leave_its_place() {
        assert_eq!(
            escaped("a<b>&\"c'\n\u{1b}[0m"),
            "a&lt;b&gt;&amp;&quot;c&apos;&#10;?[0m"
        );
    }
}
