//! A calibration for people.

use bandgraph_units::significant;

use super::{
    CalibrateDocument, CombinationDocument, CorrelationDocument, FitDocument, FittedParameterDocument,
};
use crate::comparison::in_words_of_unit;
use crate::text::{PREDICTED, provenance, short_hash, signed_percent};
use crate::validate::{errors_cells, errors_table};
use crate::view::{Table, View};

/// Digits of a fitted figure. More would say that the data know it better than they do.
const DIGITS: usize = 4;

/// A calibration for people.
pub fn calibrate_view(document: &CalibrateDocument) -> View {
    let fit = &document.fit;
    let mut page = View::new();
    page.title(&document.name);
    if !document.description.is_empty() {
        page.paragraph(&document.description);
    }
    page.paragraph(&format!("Fitted to {}.", fit.fitted_to.join(", ")));
    parameters(&mut page, fit);
    certainty(&mut page, fit);
    page.heading("Training points");
    page.table(points(fit, true));
    if fit.points.iter().any(|point| !point.seen) {
        page.heading("Other points");
        page.table(points(fit, false));
    }
    errors(&mut page, document);
    for without in &document.left_out {
        page.heading(format!("Fitted without {}", without.left_out()));
        page.table(points(without, false));
        page.paragraph(&lost(fit, without));
    }
    page.blank();
    let origin = format!(
        "figures of {}, {}, input {}",
        document.profile,
        document.file,
        short_hash(&document.input_hash)
    );
    provenance(&mut page, &document.bandgraph, PREDICTED, &[origin]);
    page
}

impl FitDocument {
    /// The system that was left out.
    fn left_out(&self) -> &str {
        self.without.as_deref().unwrap_or("none")
    }
}

impl FittedParameterDocument {
    fn interval(&self) -> Option<(f64, f64)> {
        self.interval_low.zip(self.interval_high)
    }

    /// A value of it in its unit.
    fn words(&self, value: f64) -> String {
        let number = significant(value, DIGITS);
        match &self.unit {
            Some(unit) => format!("{number} {unit}"),
            None => number,
        }
    }

    /// Its interval, or why there is none.
    fn interval_words(&self) -> String {
        match (self.at_bound.as_deref(), self.interval()) {
            (Some("low"), _) => "at its lower bound".to_owned(),
            (Some(_), _) => "at its upper bound".to_owned(),
            (None, None) => "too few points".to_owned(),
            (None, Some((low, high))) if low <= self.low && high >= self.high => {
                "anything in its range".to_owned()
            }
            (None, Some((low, high))) => {
                format!("{} to {}", significant(low, DIGITS), significant(high, DIGITS))
            }
        }
    }
}

fn parameters(page: &mut View, fit: &FitDocument) {
    page.heading("Parameters");
    let mut table =
        Table::of("parameter | >start | >fitted | ?95 % interval | ?range | ?source of the range");
    for fitted in &fit.parameters {
        table.plain([
            fitted.path.clone(),
            fitted.words(fitted.start),
            fitted.words(fitted.value),
            fitted.interval_words(),
            format!(
                "{} to {}",
                significant(fitted.low, DIGITS),
                fitted.words(fitted.high)
            ),
            fitted.source.clone(),
        ]);
    }
    page.table(table);
}

fn certainty(page: &mut View, fit: &FitDocument) {
    page.heading("What the data identify");
    page.paragraph(&condition(fit));
    for found in &fit.undetermined {
        page.paragraph(&undetermined(found));
    }
    for CorrelationDocument {
        first,
        second,
        correlation,
    } in &fit.correlated
    {
        page.paragraph(&format!(
            "{first} and {second} are known only together (correlation {correlation:+.2})."
        ));
    }
}

fn points(fit: &FitDocument, seen: bool) -> Table {
    let mut table = Table::of("id | >measured | >at the start | >fitted | >error | ?system");
    for point in fit.points.iter().filter(|point| point.seen == seen) {
        table.plain([
            point.id.clone(),
            point.measured_text.clone(),
            signed_percent(point.deviation_before),
            in_words_of_unit(&point.unit, point.after, &point.measured_text),
            signed_percent(point.deviation_after),
            point.system.clone(),
        ]);
    }
    table
}

/// Errors of points seen and not seen; where systems were left out, the last row is of all of them together.
fn errors(page: &mut View, document: &CalibrateDocument) {
    page.heading("Absolute errors");
    let mut table = errors_table();
    let mut row = |name: &str, errors| table.plain(errors_cells(name, errors));
    row("seen", &document.fit.seen);
    if document.fit.points.iter().any(|point| !point.seen) {
        row("not seen", &document.fit.unseen);
    }
    for fit in &document.left_out {
        row(&format!("without {}: seen", fit.left_out()), &fit.seen);
        row(&format!("without {}: not seen", fit.left_out()), &fit.unseen);
    }
    if let Some(together) = &document.left_out_errors {
        row("all that were left out: not seen", together);
    }
    page.table(table);
}

/// What the data cannot tell apart, in a sentence.
fn undetermined(found: &CombinationDocument) -> String {
    match &found.parameters[..] {
        [] => "The data do not know some combination of all parameters.".to_owned(),
        [alone] => format!("The data do not know {alone}."),
        several => {
            let parts = several.iter().zip(&found.parts);
            let words: Vec<String> = parts
                .map(|(path, part)| format!("{} {path}", if *part > 0.0 { "more" } else { "less" }))
                .collect();
            format!(
                "The data cannot tell apart: {} changes next to nothing.",
                words.join(" with ")
            )
        }
    }
}

/// Which parameters a fit does not know for want of what was left out of it, in a sentence: those that it
/// cannot tell, or that end outside of what the fit to everything says of them.
fn lost(all: &FitDocument, without: &FitDocument) -> String {
    let pairs = all.parameters.iter().zip(&without.parameters);
    let lost: Vec<String> = pairs
        .filter(|(all, without)| is_lost(all, without))
        .map(|(all, without)| {
            format!(
                "{} ({}, {}, instead of {})",
                without.path,
                without.words(without.value),
                without.interval_words(),
                all.words(all.value)
            )
        })
        .collect();
    match lost.split_last() {
        None => "Every parameter ends where the fit to everything has it.".to_owned(),
        Some((only, [])) => format!("What is lost is {only}."),
        Some((last, others)) => format!("What is lost are {} and {last}.", others.join(", ")),
    }
}

fn is_lost(all: &FittedParameterDocument, without: &FittedParameterDocument) -> bool {
    let unknown = without
        .interval()
        .is_none_or(|(low, high)| low <= without.low && high >= without.high);
    let elsewhere = all
        .interval()
        .is_some_and(|(low, high)| !(low..=high).contains(&without.value));
    (unknown && all.interval().is_some()) || elsewhere
}

/// How well the fit is known as a whole, in a sentence.
fn condition(fit: &FitDocument) -> String {
    let condition = match fit.condition {
        Some(condition) => format!(
            "The condition number of the problem is {}",
            significant(condition, 3)
        ),
        None => "Some combination of parameters has no influence at all".to_owned(),
    };
    match fit.deviation {
        Some(deviation) => format!(
            "{condition}; the fit leaves a standard deviation of {} times the stated uncertainty.",
            significant(deviation, 2)
        ),
        None => {
            format!("{condition}; there are no more points than parameters, so that there are no intervals.")
        }
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_study::ErrorSummary;

    use super::*;

    /// A parameter: its path, value, bound and interval.
    type Ended = (&'static str, f64, Option<&'static str>, Option<(f64, f64)>);

    fn fit(parameters: &[Ended]) -> FitDocument {
        let fitted = |&(path, value, at_bound, interval): &Ended| FittedParameterDocument {
            path: path.to_owned(),
            unit: None,
            start: 5.0,
            value,
            low: 0.0,
            high: 10.0,
            at_bound: at_bound.map(str::to_owned),
            interval_low: interval.map(|(low, _)| low),
            interval_high: interval.map(|(_, high)| high),
            source: String::new(),
        };
        let none = crate::validate::ValidateErrorsDocument::new(ErrorSummary::default());
        FitDocument {
            without: None,
            fitted_to: Vec::new(),
            parameters: parameters.iter().map(fitted).collect(),
            points: Vec::new(),
            seen: none,
            unseen: none,
            condition: None,
            deviation: None,
            correlated: Vec::new(),
            undetermined: Vec::new(),
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
            ("bound", 10.0, Some("high"), None),
            ("never", 5.0, None, None),
        ]);
        assert_eq!(
            lost(&all, &without),
            "What is lost are moved (6, 5 to 7, instead of 3), unknown (3, anything in its range, instead of 3) and bound (10, at \
             its upper bound, instead of 3)."
        );
    }
}
