//! The record of an answered point.

use bandgraph_scenario::{Metric, SweepFile};
use bandgraph_solve::{Limits, Outcome};
use bandgraph_topology::ResourceKind;

use crate::{CommonDraws, Interval, metric_value};

/// The result of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The number of the point.
    pub number: u64,
    /// Hash of the complete input, identical to that of `bandgraph run`.
    pub input_hash: String,
    /// The figures, or the error.
    pub result: Result<Figures, PointError>,
}

/// The figures of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// One value per metric, in the order of [`Metric::ALL`] and in the base unit of its kind; `None` for a
    /// metric that the mode does not provide.
    pub metrics: Vec<Option<f64>>,
    /// The bottleneck, if requested.
    pub bottleneck: Option<Bottleneck>,
    /// How certain the figures are, if the sweep has draws; `None` also for results without intervals, such
    /// as batches of jobs.
    pub certainty: Option<PointCertainty>,
}

/// How certain the figures of a point are.
#[derive(Clone, Debug, PartialEq)]
pub struct PointCertainty {
    /// The 90 % interval of each of [`Metric::with_interval`], in base units.
    pub intervals: Vec<Option<[f64; 2]>>,
    /// The interval of each relative to the reference, less one; empty without a reference.
    pub gains: Vec<Option<[f64; 2]>>,
    /// The probability, 0 to 1, that each expectation with a required probability holds, in their order.
    pub probabilities: Vec<Option<f64>>,
}

/// The bottleneck at a point, and the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottleneck {
    /// The id of its first resource, or its kind if it is not a resource.
    pub id: String,
    /// Its kind: `socket-link`, `pcie`, …
    pub kind: String,
    /// Rate over usable capacity, 0 to 1.
    pub utilisation: f64,
    /// The next bottleneck, and the relative gain in throughput when the first is relieved; `None` if it
    /// cannot be relieved.
    pub next: Option<(String, f64)>,
    /// The saturation of the fullest resource of each kind, in the order of [`ResourceKind::ALL`]: rate over
    /// usable capacity, 0 to 1. `None` if there is none of the kind.
    pub saturations: Vec<Option<f64>>,
}

/// Why a point has no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointError {
    /// The stable id of the error.
    pub id: String,
    /// The error, in words.
    pub message: String,
}

impl PointError {
    /// The prefix of error ids that are defects of the program.
    const INTERNAL: &'static str = "internal::";

    /// An error that is a defect of the program.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self {
            id: format!("{}check_failed", Self::INTERNAL),
            message: message.into(),
        }
    }

    /// Whether it is a defect of the program, not of the input.
    pub fn is_internal(&self) -> bool {
        self.id.starts_with(Self::INTERNAL)
    }
}

impl Figures {
    /// The figures of an outcome.
    ///
    /// # Errors
    ///
    /// A figure that is not finite, which is a defect of the model.
    pub(crate) fn new(outcome: &Outcome, limits: Option<&Limits>) -> Result<Self, PointError> {
        let metrics: Vec<Option<f64>> = Metric::ALL
            .iter()
            .map(|metric| metric_value(*metric, outcome).filter(|_| has(*metric, outcome)))
            .collect();
        for (metric, value) in Metric::ALL.iter().zip(&metrics) {
            if value.is_some_and(|value| !value.is_finite()) {
                return Err(PointError::internal(format!("{metric} is not a finite number")));
            }
        }
        let bottleneck = limits.map(|limits| Bottleneck {
            id: limits.bottleneck.id().to_owned(),
            kind: limits.bottleneck.kind.as_str().to_owned(),
            utilisation: limits.bottleneck.utilisation,
            next: limits
                .next
                .as_ref()
                .map(|(next, gain)| (next.id().to_owned(), *gain)),
            saturations: saturations(outcome),
        });
        let numbers = bottleneck.iter().flat_map(|found| {
            [
                Some(found.utilisation),
                found.next.as_ref().map(|(_, gain)| *gain),
            ]
            .into_iter()
            .flatten()
            .chain(found.saturations.iter().flatten().copied())
        });
        if numbers.into_iter().any(|number| !number.is_finite()) {
            return Err(PointError::internal(
                "a figure of the bottleneck is not a finite number",
            ));
        }
        Ok(Self {
            metrics,
            bottleneck,
            certainty: None,
        })
    }

    /// Whether the load exceeds the capacity, so that there is no steady state, and so no latency of it.
    pub fn is_overloaded(&self) -> bool {
        self.metric(Metric::LatencyMean).is_none()
    }

    /// The value of a metric.
    pub fn metric(&self, metric: Metric) -> Option<f64> {
        let index = Metric::ALL.iter().position(|known| *known == metric)?;
        self.metrics.get(index).copied().flatten()
    }
}

impl PointCertainty {
    /// The certainty of a point of a sweep from its draws; `reference` are the draws of the scenario that the
    /// point is compared with.
    pub(super) fn new(
        sweep: &SweepFile,
        figures: &Figures,
        draws: &CommonDraws,
        reference: Option<&CommonDraws>,
    ) -> Self {
        // A simulated figure gets the relative interval of its prediction.
        let factor = |metric| {
            let factor = figures.metric(metric)? / draws.base(metric)?;
            factor.is_finite().then_some(factor)
        };
        let interval = |metric| {
            let Interval { low, high } = draws.interval(metric)?.scaled(factor(metric)?);
            finite([low, high])
        };
        let gain = |metric| {
            let Interval { low, high } = draws.gain_over(reference?, metric)?.interval;
            finite([low, high])
        };
        let asked = sweep.likely().map(|expect| &expect.bound);
        Self {
            intervals: Metric::with_interval().map(interval).collect(),
            gains: if sweep.has_reference() {
                Metric::with_interval().map(gain).collect()
            } else {
                Vec::new()
            },
            probabilities: asked
                .map(|bound| draws.probability(bound, factor(bound.metric)?))
                .collect(),
        }
    }
}

/// Whether an outcome has a metric: an overloaded one has no latency, since that grows for as long as the
/// overload lasts.
fn has(metric: Metric, outcome: &Outcome) -> bool {
    let is_latency = matches!(
        metric,
        Metric::LatencyMean
            | Metric::LatencyP50
            | Metric::LatencyP95
            | Metric::LatencyP99
            | Metric::LatencyMax
    );
    !(is_latency && outcome.is_overloaded())
}

fn finite(ends: [f64; 2]) -> Option<[f64; 2]> {
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}

/// The saturation of the fullest resource of each kind.
fn saturations(outcome: &Outcome) -> Vec<Option<f64>> {
    let mut fullest = vec![None; ResourceKind::ALL.len()];
    for resource in &outcome.resources {
        let of_kind = &mut fullest[resource.kind as usize];
        let saturation = resource.saturation();
        *of_kind = Some(of_kind.map_or(saturation, |fullest: f64| fullest.max(saturation)));
    }
    fullest
}
