//! Figures of a fit in words.

use bandgraph_study::{AtBound, Correlated, ErrorSummary, Fit, FittedParameter, Undetermined};
use bandgraph_units::significant;

use super::CalibrateReport;
use crate::text::{none, percent};

/// Digits of a fitted figure. More would say that the data know it better than they do.
const DIGITS: usize = 4;

/// A value of a parameter in its unit.
pub(super) fn value(fitted: &FittedParameter, value: f64) -> String {
    let number = significant(value, DIGITS);
    match &fitted.parameter.unit {
        Some(unit) => format!("{number} {unit}"),
        None => number,
    }
}

/// The bounds of a parameter.
pub(super) fn range(fitted: &FittedParameter) -> String {
    let parameter = &fitted.parameter;
    format!(
        "{} to {}",
        significant(parameter.low, DIGITS),
        value(fitted, parameter.high)
    )
}

/// The interval of a parameter, or why there is none.
pub(super) fn interval(fitted: &FittedParameter) -> String {
    match (fitted.at_bound, fitted.interval) {
        (Some(AtBound::Low), _) => "at its lower bound".to_owned(),
        (Some(AtBound::High), _) => "at its upper bound".to_owned(),
        (None, None) => "too few points to tell".to_owned(),
        (None, Some((low, high))) => {
            let parameter = &fitted.parameter;
            if low <= parameter.low && high >= parameter.high {
                "anything in its range".to_owned()
            } else {
                format!("{} to {}", significant(low, DIGITS), significant(high, DIGITS))
            }
        }
    }
}

/// What the data cannot tell apart, in a sentence.
pub(super) fn undetermined(fit: &Fit, found: &Undetermined) -> String {
    let name = |number: usize| fit.parameters[number].parameter.path.as_str();
    match &found.parts[..] {
        [] => "The data do not know some combination of all parameters.".to_owned(),
        [(alone, _)] => format!("The data do not know {}.", name(*alone)),
        parts => {
            let words: Vec<String> = parts
                .iter()
                .map(|(number, part)| {
                    format!("{} {}", if *part > 0.0 { "more" } else { "less" }, name(*number))
                })
                .collect();
            format!(
                "The data cannot tell apart: {} changes next to nothing.",
                words.join(" with ")
            )
        }
    }
}

/// Two parameters that go together, in a sentence.
pub(super) fn correlated(fit: &Fit, found: &Correlated) -> String {
    let name = |number: usize| fit.parameters[number].parameter.path.as_str();
    format!(
        "{} and {} are known only together (correlation {:+.2}).",
        name(found.first),
        name(found.second),
        found.correlation
    )
}

/// How well the fit is known as a whole, in a sentence.
pub(super) fn condition(fit: &Fit) -> String {
    let condition = if fit.certainty.condition.is_finite() {
        format!(
            "The condition of the problem is {}",
            significant(fit.certainty.condition, 3)
        )
    } else {
        "Some combination of parameters has no influence at all".to_owned()
    };
    match fit.certainty.deviation {
        Some(deviation) => format!(
            "{condition}; the fit leaves a standard deviation of {} times the stated uncertainty.",
            significant(deviation, 2)
        ),
        None => {
            format!("{condition}; there are no more points than parameters, so that no interval can be told.")
        }
    }
}

/// The rows of the table of errors: names and figures. Where systems were left out, the last row is of all of them
/// together, each predicted by the fit that has not seen it.
pub(super) fn error_rows(report: &CalibrateReport) -> Vec<(String, [String; 4])> {
    let mut rows = vec![("seen".to_owned(), errors(report.fit.errors(true)))];
    if report.fit.points.iter().any(|point| !point.seen) {
        rows.push(("not seen".to_owned(), errors(report.fit.errors(false))));
    }
    for (left_out, fit) in &report.left_out {
        rows.push((format!("without {left_out}: seen"), errors(fit.errors(true))));
        rows.push((format!("without {left_out}: not seen"), errors(fit.errors(false))));
    }
    if !report.left_out.is_empty() {
        let unseen = report.left_out.iter().flat_map(|(_, fit)| fit.deviations(false));
        let together = ErrorSummary::of_errors(unseen);
        rows.push(("all that were left out: not seen".to_owned(), errors(together)));
    }
    rows
}

fn errors(errors: ErrorSummary) -> [String; 4] {
    let told = |value: f64| {
        if errors.points > 0 { percent(value) } else { none() }
    };
    [
        errors.points.to_string(),
        told(errors.median),
        told(errors.mean),
        told(errors.max),
    ]
}
