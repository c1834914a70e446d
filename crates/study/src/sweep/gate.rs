//! Checks of a sweep's results against its expectations.

use bandgraph_scenario::{Metric, Over, SweepExpect, SweepFile};
use bandgraph_units::QuantityKind;

use super::{Design, Figures, Point, Record};

/// An unexpected result at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The id of the expectation, or `baseline`.
    pub gate: String,
    /// The deviation, in words.
    pub message: String,
}

/// The verdict on an expectation over the whole sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepVerdict {
    /// The id of the expectation.
    pub gate: String,
    /// Whether it holds.
    pub ok: bool,
    /// The expected and the actual value, in words.
    pub message: String,
    /// The number of points that it concerns.
    pub points: u64,
    /// The number of points that fail. An expectation over all points together fails for all or none.
    pub failed: u64,
}

/// Compares the records of a sweep, in the order of their numbers, with its expectations.
#[derive(Debug)]
pub struct Gate<'s> {
    sweep: &'s SweepFile,
    seen: Vec<Seen>,
    points: u64,
    errors: u64,
}

/// The statistics of one expectation.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    points: u64,
    failed: u64,
    values: u64,
    sum: f64,
    least: f64,
    greatest: f64,
}

impl<'s> Gate<'s> {
    /// A gate without records.
    pub fn new(sweep: &'s SweepFile) -> Self {
        Self {
            sweep,
            seen: vec![Seen::default(); sweep.expect.len()],
            points: 0,
            errors: 0,
        }
    }

    /// Adds a record. Returns its unexpected results.
    pub fn judge(&mut self, point: &Point, record: &Record) -> Vec<Finding> {
        self.points += 1;
        self.errors += u64::from(record.result.is_err());
        let mut findings = Vec::new();
        let certainty = record
            .result
            .as_ref()
            .ok()
            .and_then(|figures| figures.certainty.as_ref());
        let mut probabilities = certainty
            .into_iter()
            .flat_map(|found| found.probabilities.iter().copied());
        for (expect, seen) in self.sweep.expect.iter().zip(&mut self.seen) {
            // There is one probability for each expectation that asks for one.
            let asked = expect.bound.probability;
            let likely = asked.and_then(|_| probabilities.next()).flatten();
            if !expect
                .when
                .iter()
                .all(|comparison| comparison.holds(&point.values))
            {
                continue;
            }
            seen.points += 1;
            let value = record
                .result
                .as_ref()
                .ok()
                .and_then(|figures: &Figures| figures.metric(expect.bound.metric));
            if let Some(value) = value {
                seen.add(value);
            }
            if expect.over == Over::Each
                && let Some(message) = match asked {
                    Some(asked) => unlikely(expect, asked, likely),
                    None => complaint(expect, value),
                }
            {
                seen.failed += 1;
                findings.push(Finding {
                    gate: expect.id.clone(),
                    message,
                });
            }
        }
        findings
    }

    /// The verdict on every expectation, in file order, then on the number of errors if it is bounded or
    /// there is no expectation. A gate without points fails, with one verdict that says why.
    pub fn verdicts(&self) -> Vec<SweepVerdict> {
        if self.points == 0 {
            return vec![SweepVerdict {
                gate: "points".to_owned(),
                ok: false,
                message: Design::new(self.sweep).why_empty(),
                points: 0,
                failed: 0,
            }];
        }
        let mut verdicts: Vec<SweepVerdict> = self
            .sweep
            .expect
            .iter()
            .zip(&self.seen)
            .map(|(expect, seen)| verdict(expect, *seen))
            .collect();
        if let Some(allowed) = self.sweep.max_errors {
            let ok = self.errors <= allowed;
            verdicts.push(SweepVerdict {
                gate: "max_errors".to_owned(),
                ok,
                message: format!("{} points ended in an error; {allowed} may", self.errors),
                points: self.errors,
                failed: if ok { 0 } else { self.errors },
            });
        } else if self.errors > 0 && self.errors == self.points {
            verdicts.push(SweepVerdict {
                gate: "errors".to_owned(),
                ok: false,
                message: "every point ended in an error".to_owned(),
                points: self.points,
                failed: self.errors,
            });
        }
        verdicts
    }
}

impl Seen {
    fn add(&mut self, value: f64) {
        if self.values == 0 {
            (self.least, self.greatest) = (value, value);
        }
        self.values += 1;
        self.sum += value;
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }

    fn over(&self, over: Over) -> Option<f64> {
        (self.values > 0).then_some(match over {
            Over::Each | Over::Minimum => self.least,
            Over::Maximum => self.greatest,
            Over::Mean => self.sum / self.values as f64,
        })
    }
}

fn verdict(expect: &SweepExpect, seen: Seen) -> SweepVerdict {
    let wanted = wanted(expect);
    let (ok, message) = match expect.over {
        _ if seen.points == 0 => {
            let when: Vec<&str> = expect
                .when
                .iter()
                .map(|comparison| comparison.text.as_str())
                .collect();
            let when = when.join("` and `");
            (
                false,
                format!("`when` matches no point: `{when}`; nothing was held against {wanted}"),
            )
        }
        Over::Each => (
            seen.failed == 0,
            match seen.failed {
                0 => format!("{wanted}: holds at all {} points", seen.points),
                failed => format!(
                    "{wanted}: fails at {failed} of {} points, holds at {}",
                    seen.points,
                    seen.points - failed
                ),
            },
        ),
        over => {
            let value = seen.over(over);
            let found = value.map_or("no value".to_owned(), |value| shown(expect, value));
            let ok = complaint(expect, value).is_none();
            let without = match seen.points - seen.values {
                0 => String::new(),
                without => format!(" ({without} more have no {})", expect.bound.metric),
            };
            (
                ok,
                format!(
                    "{} of {} points{without} is {found}: {wanted}",
                    over.as_str(),
                    seen.values
                ),
            )
        }
    };
    let failed = if expect.over == Over::Each {
        seen.failed
    } else if ok {
        0
    } else {
        seen.points
    };
    SweepVerdict {
        gate: expect.id.clone(),
        ok,
        message,
        points: seen.points,
        failed,
    }
}

/// The complaint about a probability that is too low, if it is.
fn unlikely(expect: &SweepExpect, asked: f64, likely: Option<f64>) -> Option<String> {
    let percent = |share: f64| QuantityKind::Fraction.format(share);
    let Some(likely) = likely else {
        return Some(format!(
            "{} has no interval: {}",
            expect.bound.metric,
            wanted(expect)
        ));
    };
    (likely < asked).then(|| format!("in {} of the draws: {}", percent(likely), wanted(expect)))
}

/// The complaint about a value out of bounds, if it is.
fn complaint(expect: &SweepExpect, value: Option<f64>) -> Option<String> {
    let metric = expect.bound.metric;
    let Some(value) = value else {
        let why = metric
            .why_missing()
            .map_or_else(String::new, |why| format!(" ({why})"));
        return Some(format!("there is no {metric}{why}: {}", wanted(expect)));
    };
    let is_kept = expect.bound.holds(value);
    (!is_kept).then(|| format!("{metric} is {}: {}", shown(expect, value), wanted(expect)))
}

fn shown(expect: &SweepExpect, value: f64) -> String {
    in_words(expect.bound.metric, value)
}

/// A value in both of its units if there are two, so that a difference is visible.
fn in_words(metric: Metric, value: f64) -> String {
    let decimal = metric
        .kind()
        .map_or_else(|| metric.format(value), |kind| kind.format_digits(value, 4));
    match metric.kind().map(|kind| kind.format_binary(value)) {
        Some(binary) if binary.contains("iB") => format!("{decimal} ({binary})"),
        _ => decimal,
    }
}

fn wanted(expect: &SweepExpect) -> String {
    let metric = expect.bound.metric;
    let bounds = match (expect.bound.min, expect.bound.max) {
        (Some(min), Some(max)) => format!(" from {} to {}", in_words(metric, min), in_words(metric, max)),
        (Some(min), None) => format!(" at least {}", in_words(metric, min)),
        (None, Some(max)) => format!(" at most {}", in_words(metric, max)),
        (None, None) => String::new(),
    };
    let with = expect.bound.probability.map_or_else(String::new, |probability| {
        format!(" with {}", QuantityKind::Fraction.format(probability))
    });
    format!("{metric}{bounds}{with}")
}
