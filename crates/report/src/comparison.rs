//! Measurements and expectations beside what was found.

use bandgraph_scenario::Metric;
use bandgraph_units::{QuantityKind, significant};

use crate::run_report::relative;

/// One measurement beside what was predicted for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Id of the measurement, if it has one.
    pub id: Option<String>,
    /// What was measured, by the name that files and JSON use.
    pub metric: String,
    /// The kind of quantity; `None` for a plain number, such as cycles per instruction.
    pub kind: Option<QuantityKind>,
    /// The value measured, in the base unit of its kind.
    pub measured: f64,
    /// The value as the file says it, as `2.06 GiB/s`: what was predicted is shown in the same unit.
    pub text: String,
    /// The value predicted, in the base unit; `None` where this run has none.
    pub predicted: Option<f64>,
    /// What kind of value was published: an average, a peak.
    pub statistic: Option<String>,
    /// Where the measurement comes from.
    pub source: Option<String>,
    /// Whether some figure of the model was fitted to it.
    pub calibrated: bool,
    /// The scenario file that the figure is a ratio to; a single run has no prediction of it.
    pub relative_to: Option<String>,
}

impl Comparison {
    /// (predicted − measured) / measured; `None` where there is no prediction or the measurement is 0.
    pub fn relative_error(&self) -> Option<f64> {
        relative(self.predicted?, self.measured)
    }

    /// The unit of `measured` and `predicted`: `bytes/s`, `s`, …; `1` for a plain number.
    pub fn unit(&self) -> &'static str {
        match Metric::from_name(&self.metric) {
            Some(metric) if self.relative_to.is_none() => metric.unit(),
            _ => self.kind.map_or("1", QuantityKind::base_unit),
        }
    }
}

/// One expectation against what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What is expected of, by the name that files and JSON use.
    pub metric: String,
    /// The kind of quantity; `None` for a plain number.
    pub kind: Option<QuantityKind>,
    /// The value found, in the base unit; `None` where this run has none.
    pub value: Option<f64>,
    /// The least value expected, in the base unit.
    pub min: Option<f64>,
    /// The greatest value expected, in the base unit.
    pub max: Option<f64>,
    /// How likely it must be that the true value is within the bounds, and how likely it is; the second is
    /// `None` where no figures were drawn.
    pub probability: Option<(f64, Option<f64>)>,
}

impl Verdict {
    /// Whether the value lies within the bounds, which belong to the range. A metric without a value does
    /// not. Where a probability is asked for, whether it is reached.
    pub fn ok(&self) -> bool {
        if let Some((asked, found)) = self.probability {
            return found.is_some_and(|found| found >= asked);
        }
        self.value.is_some_and(|value| {
            self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
        })
    }
}

/// `value` in words: in the unit of `like`, another value of the same kind in words.
pub(crate) fn in_words(kind: Option<QuantityKind>, value: f64, like: &str) -> String {
    let Some(kind) = kind else {
        return significant(value, 3);
    };
    let number = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '_' | ' ');
    let spelling = like.trim_start_matches(number);
    match kind.units().iter().find(|unit| unit.spelling() == spelling) {
        Some(unit) => format!("{} {unit}", significant(value / unit.in_base(), 3)),
        None => kind.format(value),
    }
}

/// As [`in_words`], of a figure with this unit in a result. The unit of a share is 1, as that of a plain
/// number: `like` says which it is.
pub(crate) fn in_words_of_unit(unit: &str, value: f64, like: &str) -> String {
    let share = like.ends_with('%').then_some(QuantityKind::Fraction);
    in_words(share.or_else(|| kind_of_unit(unit)), value, like)
}

/// The quantity of a figure by its unit in a result; `None` for plain numbers. A number without a unit may be
/// a share or, like cycles per instruction, not: it is a plain number.
pub(crate) fn kind_of_unit(unit: &str) -> Option<QuantityKind> {
    QuantityKind::ALL
        .into_iter()
        .find(|kind| *kind != QuantityKind::Fraction && kind.base_unit() == unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles per instruction are no percentage: 11.7 is not 1170 %.
    #[test]
    fn a_number_without_a_unit_is_a_plain_number() {
        assert_eq!(kind_of_unit("1"), None);
        assert_eq!(kind_of_unit("bytes/s"), Some(QuantityKind::Bandwidth));
    }

    fn verdict(value: Option<f64>, min: Option<f64>, max: Option<f64>) -> Verdict {
        Verdict {
            metric: "ops_per_s".to_owned(),
            kind: Some(QuantityKind::OperationRate),
            value,
            min,
            max,
            probability: None,
        }
    }

    #[test]
    fn a_probability_counts_instead_of_the_value() {
        for (found, ok) in [(Some(0.93), true), (Some(0.89), false), (None, false)] {
            let probability = Some((0.9, found));
            let verdict = verdict(Some(2.0), Some(1.0), None);
            assert_eq!(
                Verdict {
                    probability,
                    ..verdict
                }
                .ok(),
                ok,
                "{found:?}"
            );
        }
    }

    #[test]
    fn bounds_belong_to_the_range() {
        for (value, min, max, ok) in [
            (Some(2.0), Some(2.0), Some(2.0), true),
            (Some(2.0), None, None, true),
            (Some(2.0), Some(2.1), None, false),
            (Some(2.0), None, Some(1.9), false),
            // What has no value meets no expectation.
            (None, None, None, false),
            (Some(f64::NAN), Some(0.0), None, false),
        ] {
            assert_eq!(verdict(value, min, max).ok(), ok, "{value:?} {min:?} {max:?}");
        }
    }

    #[test]
    fn relative_error_is_over_the_measurement() {
        let mut row = Comparison {
            id: None,
            metric: "network_bytes_per_s".to_owned(),
            kind: Some(QuantityKind::Bandwidth),
            measured: 2.0e9,
            text: "2 GB/s".to_owned(),
            predicted: Some(2.5e9),
            statistic: None,
            source: None,
            calibrated: false,
            relative_to: None,
        };
        assert_eq!(row.relative_error(), Some(0.25));
        row.predicted = Some(1.5e9);
        assert_eq!(row.relative_error(), Some(-0.25));
        row.measured = 0.0;
        assert_eq!(row.relative_error(), None);
        row.predicted = None;
        assert_eq!(row.relative_error(), None);
    }

    #[test]
    fn predictions_are_worded_like_their_measurement() {
        let bandwidth = Some(QuantityKind::Bandwidth);
        assert_eq!(in_words(bandwidth, 3.08e9, "2.9 GiB/s"), "2.87 GiB/s");
        assert_eq!(in_words(bandwidth, 3.08e9, "2.9 GB/s"), "3.08 GB/s");
        assert_eq!(in_words(bandwidth, 1.25e9, "9.9 Gbit/s"), "10 Gbit/s");
        assert_eq!(in_words(bandwidth, 3.08e9, "2.5e9 bytes a second"), "3.08 GB/s");
        let operations = Some(QuantityKind::OperationRate);
        assert_eq!(in_words(operations, 23_046.0, "24041 ops/s"), "23046 ops/s");
        assert_eq!(in_words(None, 11.73, "11.73"), "11.7");
    }
}
