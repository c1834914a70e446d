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
        (None, None) => "too few points".to_owned(),
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

/// Which parameters a fit does not know for want of what was left out of it, in a sentence: those that it
/// cannot tell, or that end outside of what the fit to everything says of them.
pub(super) fn lost(all: &Fit, without: &Fit) -> String {
    let pairs = all.parameters.iter().zip(&without.parameters);
    let lost: Vec<String> = pairs
        .filter(|(all, without)| is_lost(all, without))
        .map(|(all, without)| {
            format!(
                "{} ({}, {}, instead of {})",
                without.parameter.path,
                value(without, without.value),
                interval(without),
                value(all, all.value)
            )
        })
        .collect();
    match lost.split_last() {
        None => "Every parameter ends where the fit to everything has it.".to_owned(),
        Some((only, [])) => format!("What is lost is {only}."),
        Some((last, others)) => format!("What is lost are {} and {last}.", others.join(", ")),
    }
}

fn is_lost(all: &FittedParameter, without: &FittedParameter) -> bool {
    let parameter = &without.parameter;
    let unknown = without
        .interval
        .is_none_or(|(low, high)| low <= parameter.low && high >= parameter.high);
    let elsewhere = all
        .interval
        .is_some_and(|(low, high)| !(low..=high).contains(&without.value));
    (unknown && all.interval.is_some()) || elsewhere
}

/// How well the fit is known as a whole, in a sentence.
pub(super) fn condition(fit: &Fit) -> String {
    let condition = if fit.certainty.condition.is_finite() {
        format!(
            "The condition number of the problem is {}",
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
            format!("{condition}; there are no more points than parameters, so that there are no intervals.")
        }
    }
}

/// The rows of the table of errors: names and figures. Where systems were left out, the last row is of all of
/// them together, each predicted by the fit that has not seen it.
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

#[cfg(test)]
mod tests {
    use bandgraph_scenario::Parameter;
    use bandgraph_study::Certainty;

    use super::*;

    /// A parameter: its path, value, bound and interval.
    type Ended = (&'static str, f64, Option<AtBound>, Option<(f64, f64)>);

    fn fit(parameters: &[Ended]) -> Fit {
        let fitted = |&(path, value, at_bound, interval): &Ended| FittedParameter {
            parameter: Parameter {
                path: path.to_owned(),
                low: 0.0,
                high: 10.0,
                start: 5.0,
                unit: None,
                profiles: Vec::new(),
                source: String::new(),
            },
            value,
            at_bound,
            interval,
        };
        Fit {
            fitted_to: Vec::new(),
            parameters: parameters.iter().map(fitted).collect(),
            points: Vec::new(),
            certainty: Certainty {
                half_widths: Vec::new(),
                correlated: Vec::new(),
                undetermined: Vec::new(),
                condition: 1.0,
                deviation: None,
            },
        }
    }

    #[test]
    fn what_ends_elsewhere_or_is_not_known_is_lost() {
        let known = Some((2.0, 4.0));
        let all = fit(&[
            ("kept", 3.0, None, known),
            ("moved", 3.0, None, known),
            ("unknown", 3.0, None, known),
            ("bound", 3.0, None, known),
            ("never", 3.0, None, None),
        ]);
        assert_eq!(
            lost(&all, &all),
            "Every parameter ends where the fit to everything has it."
        );
        let without = fit(&[
            ("kept", 3.5, None, known),
            ("moved", 6.0, None, Some((5.0, 7.0))),
            ("unknown", 3.0, None, Some((0.0, 10.0))),
            ("bound", 10.0, Some(AtBound::High), None),
            ("never", 5.0, None, None),
        ]);
        assert_eq!(
            lost(&all, &without),
            "What is lost are moved (6, 5 to 7, instead of 3), unknown (3, anything in its range, instead of 3) and bound (10, at \
             its upper bound, instead of 3)."
        );
    }
}
