//! Comparison of results with older results.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use bandgraph_scenario::Metric;
use bandgraph_units::{QuantityKind, significant};

use super::{Figures, Finding, Record, SweepVerdict};

/// Older results to compare with. The values of its axes identify a point, in the form that result files use.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    rows: BTreeMap<Vec<String>, BaselineRow>,
    /// How many points were compared, how many of them deviate, and how many the baseline does not have.
    compared: u64,
    deviating: u64,
    unknown: u64,
}

/// One older result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BaselineRow {
    /// The figures, in base units; empty for a point that ended in an error.
    pub metrics: Vec<(Metric, f64)>,
    /// Whether the new sweep has this point.
    met: bool,
}

impl BaselineRow {
    /// An older result, not yet matched.
    pub fn new(metrics: Vec<(Metric, f64)>) -> Self {
        Self { metrics, met: false }
    }
}

/// The permitted deviation from the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// Permitted relative differences (0.02 is 2 %): of one metric, or of all metrics without an entry.
    /// Metrics without a tolerance are not compared.
    pub tolerances: Vec<(Option<Metric>, f64)>,
    /// Whether any improvement over the baseline is permitted.
    pub better_is_fine: bool,
}

impl Drift {
    /// The permitted deviation of a metric; `None` if it is not compared. Without a tolerance of their own,
    /// metrics that are neither better nor worse when they rise fail no improvement.
    fn tolerance(&self, metric: Metric) -> Option<f64> {
        let of = |wanted: Option<Metric>| self.tolerances.iter().find(|(of, _)| *of == wanted);
        let of_all = || of(None).filter(|_| !self.better_is_fine || has_better(metric));
        of(Some(metric)).or_else(of_all).map(|(_, tolerance)| *tolerance)
    }
}

impl Baseline {
    /// Adds an older result. False if there already is another with these values; samples may have a point
    /// twice.
    pub fn add(&mut self, values: Vec<String>, row: BaselineRow) -> bool {
        match self.rows.entry(values) {
            Entry::Occupied(there) => *there.get() == row,
            Entry::Vacant(free) => {
                free.insert(row);
                true
            }
        }
    }

    /// The number of older results.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no older results.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The deviations of a point from the baseline; none if the baseline does not have the point.
    pub fn judge(&mut self, values: &[String], record: &Record, drift: &Drift) -> Vec<Finding> {
        let Some(row) = self.rows.get_mut(values) else {
            self.unknown += 1;
            return Vec::new();
        };
        row.met = true;
        let finding = |message: String| Finding {
            gate: "baseline".to_owned(),
            message,
        };
        let found = match &record.result {
            // An error in both, or a fixed error: no regression.
            Ok(_) | Err(_) if row.metrics.is_empty() => Vec::new(),
            Err(error) => vec![finding(format!(
                "had a result, and now ends in an error: {}",
                error.message
            ))],
            Ok(figures) => row
                .metrics
                .iter()
                .filter_map(|old| difference(*old, figures, drift))
                .map(finding)
                .collect(),
        };
        self.compared += 1;
        self.deviating += u64::from(!found.is_empty());
        found
    }

    /// A note on the points that the baseline does not have; `None` if it has all.
    pub fn note(&self) -> Option<String> {
        (self.unknown > 0).then(|| format!("{} points are not in the baseline.", self.unknown))
    }

    /// The verdict on all points: at least one was compared, none deviates, and none of the baseline is
    /// missing.
    pub fn verdict(&self, drift: &Drift) -> SweepVerdict {
        /// The number of missing points in the message.
        const NAMED: usize = 5;
        let unmet = || self.rows.iter().filter(|(_, row)| !row.met);
        let missing = unmet().count() as u64;
        let tolerances = drift.tolerances.iter().map(|(of, share)| {
            let share = QuantityKind::Fraction.format(*share);
            of.map_or_else(|| share.clone(), |metric| format!("{share} in {metric}"))
        });
        let mut message = format!(
            "{} points {} by more than {}",
            self.deviating,
            if drift.better_is_fine {
                "are worse"
            } else {
                "differ"
            },
            tolerances.collect::<Vec<_>>().join(", ")
        );
        if missing > 0 {
            let named = unmet().take(NAMED).map(|(values, _)| values.join(", "));
            message = format!(
                "{message}; {missing} points of the baseline are not in this sweep ({})",
                named.collect::<Vec<_>>().join("; ")
            );
        }
        if self.compared == 0 {
            "it has none of the points of this sweep".clone_into(&mut message);
        }
        SweepVerdict {
            gate: "baseline".to_owned(),
            ok: self.deviating == 0 && missing == 0 && self.compared > 0,
            message,
            points: self.len() as u64,
            failed: self.deviating + missing,
        }
    }
}

/// A difference beyond the tolerance, in words.
fn difference((metric, old): (Metric, f64), figures: &Figures, drift: &Drift) -> Option<String> {
    let tolerance = drift.tolerance(metric)?;
    let Some(new) = figures.metric(metric) else {
        return Some(format!(
            "{metric} was {}, and is not told any more",
            metric.format(old)
        ));
    };
    let change = new - old;
    let small = change.abs() <= tolerance * old.abs();
    let better = if more_is_better(metric) {
        change >= 0.0
    } else {
        change <= 0.0
    };
    if small || (drift.better_is_fine && better) {
        return None;
    }
    let relative = change / old;
    let by = if relative.is_finite() {
        format!(
            " ({}{} %)",
            if relative > 0.0 { "+" } else { "" },
            significant(relative * 100.0, 3)
        )
    } else {
        String::new()
    };
    Some(format!(
        "{metric} was {}, and is {}{by}",
        metric.format(old),
        metric.format(new)
    ))
}

/// Whether a metric is better one way and worse the other, whatever else changes: fewer headers reduce the
/// bytes of the network at the same work, and more work keeps processors busier.
fn has_better(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::PayloadBytesPerSecond
            | Metric::OperationsPerSecond
            | Metric::LatencyMean
            | Metric::LatencyP50
            | Metric::LatencyP95
            | Metric::LatencyP99
            | Metric::LatencyMax
            | Metric::Elapsed
            | Metric::OperationsPerWatt
    )
}

/// Whether more is better: true for throughput, also by power; false for times, cycles and utilisation.
fn more_is_better(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::NetworkBytesPerSecond
            | Metric::PayloadBytesPerSecond
            | Metric::DiskBytesPerSecond
            | Metric::OperationsPerSecond
            | Metric::OperationsPerWatt
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(operations: f64) -> Record {
        let metrics = Metric::ALL
            .iter()
            .map(|metric| (*metric == Metric::OperationsPerSecond).then_some(operations))
            .collect();
        Record {
            number: 0,
            input_hash: String::new(),
            result: Ok(Figures {
                metrics,
                bottleneck: None,
                certainty: None,
            }),
        }
    }

    fn findings(old: f64, new: f64, better_is_fine: bool) -> usize {
        let mut baseline = Baseline::default();
        let key = vec!["4096".to_owned()];
        assert!(baseline.add(
            key.clone(),
            BaselineRow::new(vec![(Metric::OperationsPerSecond, old)])
        ));
        let drift = Drift {
            tolerances: vec![(None, 0.02)],
            better_is_fine,
        };
        let found = baseline.judge(&key, &record(new), &drift);
        let verdict = baseline.verdict(&drift);
        assert_eq!((verdict.ok, baseline.note()), (found.is_empty(), None));
        found.len()
    }

    #[test]
    fn what_is_within_the_tolerance_passes() {
        for (new, found) in [(100.0, 0), (101.9, 0), (98.1, 0), (97.9, 1), (102.1, 1), (0.0, 1)] {
            assert_eq!(findings(100.0, new, false), found, "{new}");
        }
        assert_eq!(findings(100.0, 200.0, true), 0);
        assert_eq!(findings(100.0, 97.9, true), 1);
        assert_eq!(findings(0.0, 0.0, false), 0);
        assert_eq!(findings(0.0, 1.0, false), 1);
    }

    /// More operations with fewer headers and busier processors are better.
    #[test]
    fn an_improvement_fails_no_figure_without_a_better_side() {
        let drift = |of: Option<Metric>, better_is_fine| Drift {
            tolerances: vec![(of, 0.02)],
            better_is_fine,
        };
        for metric in [
            Metric::NetworkBytesPerSecond,
            Metric::CyclesPerInstruction,
            Metric::CpuBusy,
        ] {
            assert_eq!(drift(None, true).tolerance(metric), None, "{metric}");
            assert_eq!(
                drift(Some(metric), true).tolerance(metric),
                Some(0.02),
                "{metric}"
            );
            assert_eq!(drift(None, false).tolerance(metric), Some(0.02), "{metric}");
        }
        assert_eq!(drift(None, true).tolerance(Metric::LatencyP99), Some(0.02));
    }

    #[test]
    fn only_figures_with_a_tolerance_are_compared() {
        let drift = |tolerances: &[(Option<Metric>, f64)]| Drift {
            tolerances: tolerances.to_vec(),
            better_is_fine: false,
        };
        let network = Some(Metric::NetworkBytesPerSecond);
        let other = Some(Metric::OperationsPerSecond);
        for (tolerances, expected) in [
            (&[(network, 0.1), (None, 0.5)][..], Some(0.1)),
            (&[(other, 0.1), (None, 0.5)], Some(0.5)),
            (&[(other, 0.1)], None),
        ] {
            let found = drift(tolerances).tolerance(Metric::NetworkBytesPerSecond);
            assert_eq!(found, expected, "{tolerances:?}");
        }
    }

    #[test]
    fn missing_points_fail_the_verdict() {
        let mut baseline = Baseline::default();
        assert!(baseline.add(vec!["a".to_owned()], BaselineRow::new(Vec::new())));
        assert!(baseline.add(vec!["a".to_owned()], BaselineRow::new(Vec::new())));
        let other = BaselineRow::new(vec![(Metric::OperationsPerSecond, 1.0)]);
        assert!(!baseline.add(vec!["a".to_owned()], other));
        let drift = Drift {
            tolerances: vec![(None, 0.0)],
            better_is_fine: false,
        };
        assert!(baseline.judge(&["b".to_owned()], &record(1.0), &drift).is_empty());
        assert_eq!(
            baseline.note().as_deref(),
            Some("1 points are not in the baseline.")
        );
        let verdict = baseline.verdict(&drift);
        assert_eq!((verdict.ok, verdict.failed), (false, 1));
        assert_eq!(verdict.message, "it has none of the points of this sweep");
    }
}
