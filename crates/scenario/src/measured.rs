//! Reference values of scenarios: measurements of real machines, and bounds for CI.

use bandgraph_config::words;
use bandgraph_solve::{Limit, LimitKind};
use std::path::PathBuf;

use bandgraph_diagnostics::Place;

use crate::Metric;

/// Default tolerance of a measurement, as a share. A larger tolerance needs a reason.
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
    /// Its row in the table of measurements.
    pub id: String,
    /// The measured metric.
    pub metric: Metric,
    /// The resource, for a metric of one resource.
    pub resource: Option<String>,
    /// The scenario whose figure is the reference of a ratio: `value` is then a plain number.
    pub relative_to: Option<PathBuf>,
    /// The value, in the base unit of the metric's kind.
    pub value: f64,
    /// The value as written in the file: `"2.87 GiB/s"`.
    pub text: String,
    /// The kind of statistic.
    pub statistic: Statistic,
    /// Maximum relative deviation of the prediction.
    pub tolerance: f64,
    /// The reason for a large tolerance.
    pub reason: Option<String>,
    /// Whether a parameter of the model was fitted to it.
    pub calibrated: bool,
    /// Another reason why it does not count as unseen.
    pub dependence: Option<Dependence>,
    /// The prediction of a rule without a model, in the unit of the value.
    pub null_model: Option<f64>,
    /// The publication.
    pub source: String,
    /// Further remarks.
    pub note: Option<String>,
    /// Its place in the file.
    pub place: Place,
}

impl Measured {
    /// Relative deviation of a prediction from the measurement, positive if it is too high; 0 if the
    /// measurement is a bound that the prediction satisfies. NaN if both are zero.
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

    /// Whether it tests the model: no parameter was fitted to it or derived from it, and it does not repeat
    /// another measurement.
    pub fn is_unseen(&self) -> bool {
        !self.calibrated && self.dependence.is_none()
    }

    /// Whether the measurement is only a lower or an upper bound.
    pub fn is_bound(&self) -> bool {
        matches!(self.statistic, Statistic::LowerBound | Statistic::UpperBound)
    }
}

/// A counter value of one link of the real machine, in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredLink {
    /// The id of the resource.
    pub link: String,
    /// The counter value, bytes/s.
    pub value: f64,
    /// The name of the run in the table of measurements.
    pub run: String,
    /// Whether a parameter of the model was fitted to it.
    pub calibrated: bool,
    /// The publication.
    pub source: String,
    /// Further remarks.
    pub note: Option<String>,
}

/// The bottleneck of the real machine according to the source.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedBottleneck {
    /// The kind of limit.
    pub kind: LimitKind,
    /// The resources named by the source; empty if it names none.
    pub resources: Vec<String>,
    /// The publication.
    pub source: String,
    /// Further remarks.
    pub note: Option<String>,
}

impl NamedBottleneck {
    /// Whether a limit is the one named by the source: of the same kind, and one of its resources if it names
    /// any.
    pub fn is(&self, limit: &Limit) -> bool {
        let among = |id: &String| limit.resources.iter().any(|resource| resource.id == *id);
        self.kind == limit.kind && (self.resources.is_empty() || self.resources.iter().any(among))
    }
}

/// A bound on a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The metric.
    pub metric: Metric,
    /// The minimum, in the base unit of the metric's kind.
    pub min: Option<f64>,
    /// The maximum, in the base unit of the metric's kind.
    pub max: Option<f64>,
    /// The required probability that the bound holds; `None` if the prediction itself must satisfy it.
    pub probability: Option<f64>,
    /// Its place in the file.
    pub place: Place,
}

impl Expect {
    /// Whether a value satisfies the bound. NaN does not.
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
            together: Vec::new(),
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
