//! What scenarios are held against: measurements of real machines, and bounds for CI.

use bandgraph_config::words;
use bandgraph_solve::{Limit, LimitKind};
use std::path::PathBuf;

use bandgraph_diagnostics::Place;

use crate::Metric;

/// How far a prediction may be off if a measurement does not say, as a share. What may be off by more needs a
/// reason.
pub const DEFAULT_TOLERANCE: f64 = 0.25;

words! {
    /// What kind of figure was published.
    pub enum Statistic: "a statistic" {
        /// The mean over the run.
        Average = "average",
        /// The highest value of the run.
        Peak = "peak",
        /// The best of several runs.
        Maximum = "maximum",
        /// The real figure is this or more.
        LowerBound = "lower bound",
        /// The real figure is this or less.
        UpperBound = "upper bound",
        /// A figure that its author rounded.
        Rounded = "rounded",
        /// Said without a number of its own, as "the same" or "line rate".
        Stated = "stated",
        /// One reading of a counter.
        Sample = "sample",
        /// One run, as of a batch.
        SingleRun = "single run",
        /// The result of a standard benchmark.
        Published = "published",
        /// Worked out from a standard, not measured.
        Theoretical = "theoretical",
    }
}

words! {
    /// Why a measurement says little about how well the model predicts, besides that something was fitted to
    /// it.
    pub enum Dependence: "a dependence" {
        /// A figure of the model was derived from it.
        Derived = "derived",
        /// It follows from another row: the same run, or the same prediction. One of them counts.
        SameRun = "same run",
        /// Hardly any figure of the model moves its prediction: a constant, or what an assumed input
        /// saturates.
        Insensitive = "insensitive",
    }
}

/// A measurement of the real machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The name of its row in the table of measurements.
    pub id: String,
    /// The figure.
    pub metric: Metric,
    /// The resource that it is of, where it is of one.
    pub resource: Option<String>,
    /// The scenario whose figure it is a multiple of: `value` is then a plain number.
    pub relative_to: Option<PathBuf>,
    /// What was measured, in the base unit of the metric's kind.
    pub value: f64,
    /// The same as the file writes it: `"2.87 GiB/s"`.
    pub text: String,
    /// What kind of figure it is.
    pub statistic: Statistic,
    /// How far the prediction may be off, as a share.
    pub tolerance: f64,
    /// Why it may be off by that much.
    pub reason: Option<String>,
    /// Whether some figure of the model was fitted to it.
    pub calibrated: bool,
    /// Why it does not count as unseen, besides that.
    pub dependence: Option<Dependence>,
    /// What a rule without a model predicts, in the unit of the value.
    pub null_model: Option<f64>,
    /// Where it was published.
    pub source: String,
    /// What else is to be known.
    pub note: Option<String>,
    /// Where it stands.
    pub place: Place,
}

impl Measured {
    /// How far a prediction is off, as a share of what was measured, positive where it is too high; 0 where
    /// what was measured is a bound, and the prediction keeps it. Not a number where nothing was measured but
    /// zero.
    pub fn deviation(&self, predicted: f64) -> f64 {
        let error = predicted / self.value - 1.0;
        match self.statistic {
            Statistic::LowerBound => error.min(0.0),
            Statistic::UpperBound => error.max(0.0),
            _ => error,
        }
    }

    /// Whether a prediction is within the tolerance.
    pub fn admits(&self, predicted: f64) -> bool {
        self.deviation(predicted).abs() <= self.tolerance
    }

    /// Whether it says how well the model predicts: nothing was fitted to it or derived from it, and it
    /// repeats no other.
    pub fn is_unseen(&self) -> bool {
        !self.calibrated && self.dependence.is_none()
    }

    /// Whether any value on the right side would do.
    pub fn is_bound(&self) -> bool {
        matches!(self.statistic, Statistic::LowerBound | Statistic::UpperBound)
    }
}

/// What a counter of the real machine showed on one of its links, in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredLink {
    /// The id of the resource.
    pub link: String,
    /// What the counter showed, in bytes per second.
    pub value: f64,
    /// The name of the run in the table of measurements.
    pub run: String,
    /// Whether some figure of the model was fitted to it.
    pub calibrated: bool,
    /// Where it was published.
    pub source: String,
    /// What else is to be known.
    pub note: Option<String>,
}

/// What held the real machine back, as its source says.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedBottleneck {
    /// The kind of limit.
    pub kind: LimitKind,
    /// The resources that the source names; empty if it names none.
    pub resources: Vec<String>,
    /// Where it was published.
    pub source: String,
    /// What else is to be known.
    pub note: Option<String>,
}

impl NamedBottleneck {
    /// Whether a limit that was found is the one that the source names: of the same kind, and one of its
    /// resources if it names any.
    pub fn is(&self, limit: &Limit) -> bool {
        let among = |id: &String| limit.resources.iter().any(|resource| resource.id == *id);
        self.kind == limit.kind && (self.resources.is_empty() || self.resources.iter().any(among))
    }
}

/// A bound that a result must keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The figure.
    pub metric: Metric,
    /// The least that it may be, in the base unit of the metric's kind.
    pub min: Option<f64>,
    /// The most that it may be, in the base unit of the metric's kind.
    pub max: Option<f64>,
    /// How likely it must be that it is; `None` where the prediction itself must be within the bounds.
    pub probability: Option<f64>,
    /// Where it stands.
    pub place: Place,
}

impl Expect {
    /// Whether a value keeps the bound. A value that is not a number does not.
    pub fn holds(&self, value: f64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max) && !value.is_nan()
    }
}

#[cfg(test)]
mod tests {

    use bandgraph_diagnostics::Sources;
    use bandgraph_topology::{Direction, Resource, ResourceKind, Role, SlotResource, Unit};

    use super::*;

    fn measured(statistic: Statistic) -> Measured {
        Measured {
            id: "row".to_owned(),
            metric: Metric::OperationsPerSecond,
            resource: None,
            relative_to: None,
            value: 200.0,
            text: "200 ops/s".to_owned(),
            statistic,
            tolerance: 0.1,
            reason: None,
            calibrated: false,
            dependence: None,
            null_model: None,
            source: "a test".to_owned(),
            note: None,
            place: Place::new(Sources::new().add("x", String::new()), 0..0),
        }
    }

    #[test]
    fn a_bound_is_kept_on_its_right_side() {
        for (statistic, predicted, deviation, admitted) in [
            (Statistic::Average, 210.0, 0.05, true),
            (Statistic::Average, 150.0, -0.25, false),
            (Statistic::LowerBound, 600.0, 0.0, true),
            (Statistic::LowerBound, 150.0, -0.25, false),
            (Statistic::UpperBound, 1.0, 0.0, true),
            (Statistic::UpperBound, 250.0, 0.25, false),
        ] {
            let row = measured(statistic);
            assert!(
                (row.deviation(predicted) - deviation).abs() < 1e-12,
                "{statistic:?} {predicted}"
            );
            assert_eq!(row.admits(predicted), admitted, "{statistic:?} {predicted}");
        }
        assert!(!measured(Statistic::Average).admits(f64::NAN));
    }

    #[test]
    fn a_limit_is_the_one_named_by_kind_and_one_of_its_resources() {
        let slot_out = |slot: usize| {
            let resource = SlotResource::Link(Direction::Out);
            let role = Role::Slot { slot, resource };
            let id = format!("slot.s{slot}.out");
            let ends = ["io55", "nic0"];
            Resource::new(id, role, ends, 1e9, Unit::BytesPerSecond, "")
        };
        let limit = Limit {
            kind: LimitKind::Resource(ResourceKind::Pcie),
            resources: vec![slot_out(1), slot_out(3)],
            utilisation: 1.0,
            explanation: String::new(),
        };
        let named = |kind, resources: &[&str]| NamedBottleneck {
            kind,
            resources: resources.iter().map(|&id| id.to_owned()).collect(),
            source: "a test".to_owned(),
            note: None,
        };
        let pcie = LimitKind::Resource(ResourceKind::Pcie);
        assert!(named(pcie, &[]).is(&limit));
        assert!(named(pcie, &["slot.s3.out"]).is(&limit));
        assert!(!named(pcie, &["slot.s2.out"]).is(&limit));
        assert!(!named(LimitKind::Core, &[]).is(&limit));
    }
}
