//! `JUnit` XML, as CI systems read it: one test case a point, and one for every expectation.
//!
//! Of more than [`MAXIMUM_CASES`](super::MAXIMUM_CASES) points only those that are not as expected are there.

use std::fmt::Write as _;

use super::{SweepDocument, SweepPointDocument};

/// A sweep as `JUnit` XML.
///
/// A point that is not as expected is a failure, or an error if it has no figures. One that has no figures
/// and is not expected to have any is skipped: a sweep may go where a server cannot.
pub fn sweep_junit(sweep: &SweepDocument) -> String {
    let name = escaped(&sweep.sweep);
    let mut cases = Vec::new();
    for found in &sweep.expectations {
        let problem = (!found.ok).then(|| ("failure", found.message.clone(), String::new()));
        cases.push(case(
            &format!("{name}: expectations"),
            &escaped(&found.id),
            problem,
        ));
    }
    let points = sweep.points.iter();
    cases.extend(points.map(|point| case(&name, &escaped(&point.id), problem(point))));
    let body = cases.concat();
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
fn problem(point: &SweepPointDocument) -> Option<(&'static str, String, String)> {
    let findings: Vec<String> = point
        .findings
        .iter()
        .map(|finding| format!("{}: {}", finding.gate, finding.message))
        .collect();
    match (&point.error, findings.first()) {
        (None, None) => None,
        (Some(error), None) => Some(("skipped", error.clone(), String::new())),
        (Some(error), _) => Some(("error", error.clone(), findings.join("\n"))),
        (None, Some(first)) => Some(("failure", first.clone(), findings.join("\n"))),
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
