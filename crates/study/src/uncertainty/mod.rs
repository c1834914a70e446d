//! How certain a prediction is.
//!
//! Every figure of the parts and of the stack has a range. All figures are drawn together, many times, and
//! each draw is predicted. The spread of the predictions is the interval of the answer; their correlation
//! with the figures says which of them matter.

mod alone;
#[cfg(test)]
mod calibrated;
mod drawing;
mod draws;
mod figures;
mod gain;
mod interval;
mod learn;
mod learned;
mod left_out;
mod model_error;
mod points;
mod posterior;
mod room;
mod server;
mod weights;

use std::collections::BTreeMap;
use std::error::Error;

use bandgraph_model::{ModelError, Scenario};
use bandgraph_scenario::{Expect, Metric};
use bandgraph_topology::ResourceKind;
use thiserror::Error;

use drawing::{Drawing, Drawn};
use room::NOTHING;
use weights::weights_of;

pub use figures::{UncertainFigure, uncertain_figures};
pub use gain::{CommonDraws, Gain, Verdict};
pub use interval::Interval;
pub use learn::OwnMachine;
pub(crate) use learned::listed;
pub use learned::{Earlier, Learned, LearnedError, LearnedFigure};
pub use left_out::LeftOutPoint;
pub use model_error::{Missed, ModelErrors};
pub use points::elapsed_interval;
pub(crate) use points::{PointDraws, point_draws};
pub(crate) use room::exponent;
pub use weights::{Weight, weights};

/// The answer if the resource that limits had no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relieved {
    /// The gain in operations per second, relative.
    pub gain: Interval,
    /// Operations per second.
    pub operations: Interval,
    /// Bytes at the network ports per second.
    pub network: Interval,
}

/// How certain a prediction is.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertainty {
    /// The number of draws with an answer.
    pub draws: u32,
    /// The number of other draws, which have no steady state.
    pub unsteady: u32,
    /// The answers, with the model error.
    answers: Vec<Drawn>,
    /// Operations per second.
    pub operations: Interval,
    /// Bytes of payload per second.
    pub payload: Interval,
    /// Bytes at the network ports per second.
    pub network: Interval,
    /// Mean latency, in seconds.
    pub latency: Interval,
    /// The answer without the limit; `None` if no resource limits, or too few draws have an answer.
    pub relief: Option<Relieved>,
    /// The share of the draws in which each kind of resource limits the rate, with the model error, the most
    /// frequent first; `None` if no resource does.
    pub limits: Vec<(Option<ResourceKind>, f64)>,
    /// The sources of the spread, the largest first: the figures that the answer depends on, and the model
    /// error.
    pub weights: Vec<Weight>,
    /// The model errors of this machine that the software profile has from a calibration.
    pub learned: Vec<ModelError>,
}

impl Uncertainty {
    /// The share of the draws in which a metric is within bounds, after multiplication of all values by
    /// `factor`; `None` if the metric has no interval.
    pub fn probability(&self, expect: &Expect, factor: f64) -> Option<f64> {
        share_within(self.answers.iter(), expect, factor)
    }
}

/// The share of answers in which a metric is within bounds, after multiplication of all values by `factor`;
/// `None` if there are no answers or the metric has no interval.
fn share_within<'d>(answers: impl Iterator<Item = &'d Drawn>, expect: &Expect, factor: f64) -> Option<f64> {
    let (mut all, mut within) = (0.0, 0.0);
    for answer in answers {
        all += 1.0;
        if expect.holds(answer.value(expect.metric)? * factor) {
            within += 1.0;
        }
    }
    (all > 0.0).then_some(within / all)
}

/// The reason why a prediction has no interval: too few of the draws have an answer.
#[derive(Debug, Error)]
#[error(
    "{answered} of {draws} draws of the uncertain figures have a steady state; the first other one: {cause}"
)]
pub struct NoInterval {
    draws: u32,
    answered: usize,
    #[source]
    cause: Box<dyn Error + Send + Sync>,
}

/// The metrics of [`Relieved`] but for the gain.
const RELIEVED: [Metric; 2] = [Metric::OperationsPerSecond, Metric::NetworkBytesPerSecond];

/// Computes how certain the prediction of a scenario is, from `draws` draws of its figures (at least two).
///
/// All figures are drawn together. In addition, each is moved alone to the ends of its range. Its weight is
/// the share of the variance that this explains, which is exact as far as the answer is linear in the
/// figures (`weights.rs` says which share a correlated figure has); a figure without influence has no weight.
///
/// # Errors
///
/// The scenario has no steady state, or more than half of the draws have none.
pub fn uncertainty(scenario: &Scenario, draws: u32) -> Result<Uncertainty, NoInterval> {
    let refused = |answered, cause| NoInterval {
        draws,
        answered,
        cause,
    };
    let drawing = Drawing::new(scenario).map_err(|cause| refused(0, cause))?;
    let (mut answers, mut cause) = (Vec::with_capacity(draws as usize), None);
    let (mut gains, mut reached_by_draw) = (Vec::new(), [const { Vec::new() }; RELIEVED.len()]);
    for answer in drawing.answers_and_relieved(draws) {
        match answer {
            Ok((answer, relieved)) => {
                let ratios = RELIEVED.map(|metric| {
                    let ratio = relieved.and_then(|more| more.ratio_to(&answer, metric))?;
                    // Below one is rounding.
                    Some(if ratio < 1.0 + NOTHING { 1.0 } else { ratio })
                });
                for ((values, metric), ratio) in reached_by_draw.iter_mut().zip(RELIEVED).zip(ratios) {
                    // Work of the server itself has no network.
                    let reached = |now: f64| if now > 0.0 { Some(now * ratio?) } else { Some(0.0) };
                    values.extend(answer.value(metric).and_then(reached));
                }
                let [of_operations, _] = ratios;
                gains.push(of_operations);
                answers.push(answer);
            }
            Err(why) => cause = cause.or(Some(why)),
        }
    }
    let enough = answers.len() * 2 >= draws as usize;
    let interval = |metric| {
        let values = answers.iter().filter_map(|answer| answer.value(metric));
        enough.then(|| Interval::of(values.collect())).flatten()
    };
    let [Some(operations), Some(payload), Some(network), Some(latency)] = [
        Metric::OperationsPerSecond,
        Metric::PayloadBytesPerSecond,
        Metric::NetworkBytesPerSecond,
        Metric::LatencyMean,
    ]
    .map(interval) else {
        let cause = cause.unwrap_or_else(|| "nothing was drawn".into());
        return Err(refused(answers.len(), cause));
    };
    let [reached_operations, reached_network] = reached_by_draw.map(Interval::of);
    let relief = Gain::of(gains.into_iter()).and_then(|gain| {
        Some(Relieved {
            gain: gain.interval,
            operations: reached_operations?,
            network: reached_network?,
        })
    });
    let weights = weights_of(drawing);
    Ok(Uncertainty {
        draws: answers.len() as u32,
        unsteady: draws - answers.len() as u32,
        operations,
        payload,
        network,
        latency,
        relief,
        limits: frequencies(answers.iter().map(Drawn::limit)),
        answers,
        weights,
        learned: scenario.stack.model_errors.clone(),
    })
}

/// The shares of equal values, the most frequent first.
fn frequencies(limits: impl Iterator<Item = Option<ResourceKind>>) -> Vec<(Option<ResourceKind>, f64)> {
    let mut counts: BTreeMap<Option<ResourceKind>, u32> = BTreeMap::new();
    let mut all = 0;
    for limit in limits {
        *counts.entry(limit).or_default() += 1;
        all += 1;
    }
    let mut shares: Vec<_> = counts
        .into_iter()
        .map(|(limit, count)| (limit, f64::from(count) / f64::from(all)))
        .collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

#[cfg(test)]
mod tests {
    use bandgraph_units::Time;

    use super::*;
    use crate::uncertainty::drawing::tests::{barcelona_reads, shipped_with};

    /// A profile with a number of cores: draws are whole, and no more than a small server has.
    #[test]
    fn every_draw_of_a_whole_figure_has_an_answer() {
        for cores in [4, 64] {
            let sets = [
                format!("socket.*.cores={cores}"),
                "stack.profile=linux-tcp-2020".to_owned(),
                "workload.*.working_set=4 GiB".to_owned(),
            ];
            let scenario = shipped_with("server-2023/cached-read.toml", &sets);
            let found = uncertainty(&scenario, 100).expect("it has an interval");
            assert_eq!(found.unsteady, 0, "with {cores} cores a socket");
        }
    }

    /// Drives and the host may each be wrong by more than lies between their limits.
    #[test]
    fn the_relief_of_a_limit_takes_nothing() {
        let found = uncertainty(&shipped_with("nvme-2-socket/fio.toml", &[]), 100);
        let found = found.expect("it has an interval");
        let relief = found.relief.expect("a resource limits it");
        let Relieved { gain, operations, .. } = relief;
        assert!(gain.low == 0.0 && gain.high > 0.1, "{gain:?}");
        assert!(operations.low >= found.operations.low && operations.high > found.operations.high);
    }

    /// 80 GiB of 128 GiB fit if the system keeps at most 37.5 %. The given range puts that 0.72 standard
    /// deviations above the value, which 23.6 % of a normal distribution exceed: 47 of 200 stratified draws.
    #[test]
    fn draws_without_an_answer_are_counted() {
        let sets = [
            "workload.*.working_set=80 GiB",
            "stack.memory_reserve={ value = 0.2, range = [0.1, 0.6] }",
        ];
        let scenario = shipped_with("7410-barcelona/cached-read.toml", &sets.map(str::to_owned));
        let found = uncertainty(&scenario, 200).expect("most draws have an answer");
        assert_eq!((found.draws, found.unsteady), (153, 47));
    }

    /// Threads that never think: their number over the most that full wires carry is the least latency.
    #[test]
    fn the_ends_of_latency_and_rate_fit_each_other() {
        for name in [
            "server-2023/nvme-read.toml",
            "7410-istanbul/cached-read-onboard.toml",
        ] {
            let scenario = shipped_with(name, &[]);
            let found = uncertainty(&scenario, 100).expect("it has an interval");
            let predicted = Drawing::new(&scenario).expect("it has an answer").base.totals;
            let threads = predicted.throughput.operations.get() * predicted.mean_latency.get();
            for (rate, latency) in [
                (found.operations.high, found.latency.low),
                (found.operations.low, found.latency.high),
            ] {
                assert!(
                    (rate * latency / threads - 1.0).abs() < 2e-3,
                    "{name}: {rate} {latency}"
                );
            }
        }
    }

    /// A name is no figure.
    #[test]
    fn the_draws_of_a_stack_do_not_depend_on_its_name() {
        let of = |sets: &[String]| {
            let scenario = shipped_with("7410-barcelona/cached-read.toml", sets);
            uncertainty(&scenario, 40).expect("it has an interval").operations
        };
        assert_eq!(of(&["stack.name=foo".to_owned()]), of(&[]));
    }

    /// What full wires carry is payload with headers.
    #[test]
    fn the_ends_of_payload_and_network_fit_each_other() {
        for name in [
            "server-2023/cached-read.toml",
            "7410-istanbul/cached-read.toml",
            "x4270/tcp-tx.toml",
        ] {
            let found = uncertainty(&shipped_with(name, &[]), 100).expect("it has an interval");
            for (payload, network) in [
                (found.payload.low, found.network.low),
                (found.payload.high, found.network.high),
            ] {
                assert!(payload < 0.991 * network, "{name}: {payload} of {network}");
            }
        }
    }

    #[test]
    fn the_reason_says_why_there_is_no_interval() {
        let mut scenario = barcelona_reads();
        scenario.run.network_latency = Time::new(-1.0);
        let reason = uncertainty(&scenario, 100).map(|found| found.draws);
        let reason = reason.expect_err("it is invalid").to_string();
        assert!(reason.starts_with("0 of 100 draws"), "{reason}");
        assert!(reason.contains("run.network_latency"), "{reason}");
    }

    #[test]
    fn the_interval_contains_the_prediction_and_threads_do_not_matter() {
        let scenario = barcelona_reads();
        let found = uncertainty(&scenario, 100).expect("there is an answer");
        let predicted = Drawing::new(&scenario).expect("it has an answer").base.totals;
        let network = predicted.throughput.network.get();
        assert!(
            found.network.low < network && network < found.network.high,
            "{found:?}"
        );
        // Some draws are servers without a solution.
        assert!(found.draws >= 95, "{}", found.draws);
        let bound = bandgraph_solve::bind(&scenario).expect("it can be bound");
        let steady = bandgraph_solve::SteadyState::solve(&bound).expect("it has a steady state");
        let limits = bandgraph_solve::limits_of(&bound, &steady, &steady.outcome(&bound));
        let (_, gain) = limits
            .expect("it has limits")
            .next
            .expect("links can be relieved");
        let relief = found.relief.expect("a resource limits it");
        let Interval { low, high } = relief.gain;
        assert!(low >= 0.0 && relief.gain.contains(gain), "{relief:?} {gain}");
        assert!(high - low < 0.5, "{relief:?}");
        assert!(
            relief
                .operations
                .contains(predicted.throughput.operations.get() * (1.0 + gain)),
            "{relief:?}"
        );
        assert!(relief.network.contains(network * (1.0 + gain)), "{relief:?}");
        let shares: f64 = found.limits.iter().map(|(_, share)| share).sum();
        assert!((shares - 1.0).abs() < 1e-12);
        assert_eq!(found.limits[0].0, Some(ResourceKind::SocketLink));
        assert!(
            found
                .weights
                .windows(2)
                .all(|pair| pair[0].share >= pair[1].share)
        );
        let weights: f64 = found.weights.iter().map(|weight| weight.share).sum();
        assert!((weights - 1.0).abs() < 1e-12, "{weights}");
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .expect("a pool");
        let alone = pool
            .install(|| uncertainty(&scenario, 100))
            .expect("there is an answer");
        assert_eq!(alone, found);
    }

    /// The example of docs/intervals.md.
    #[test]
    fn a_figure_that_the_user_gives_with_a_range_has_that_range() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../scenarios/7410-barcelona/cached-read.toml");
        let own = "socket.cpu0.base_cpi={ value = 1.2, range = [1.15, 1.25], status = \"sourced\" }";
        let loaded = bandgraph_scenario::load(
            &path,
            &[own.to_owned()],
            &mut bandgraph_diagnostics::Sources::new(),
        );
        let scenario = loaded
            .map_err(|found| format!("{found:?}"))
            .expect("it is sound")
            .scenario;
        let figures = uncertain_figures(&scenario);
        let cpi: Vec<_> = figures
            .iter()
            .filter(|figure| figure.field == "base_cpi")
            .collect();
        assert_eq!(cpi.len(), 2, "{cpi:?}");
        let own = cpi
            .iter()
            .find(|figure| figure.value == 1.2)
            .expect("it is there");
        assert_eq!(
            (own.range, &own.owner),
            ([1.15, 1.25], &figures::Owner::Parts(vec![0]))
        );
    }

    /// Clients that think for ten seconds: the rate is the number of threads over that time.
    #[test]
    fn a_load_may_have_a_range() {
        let sets = [
            "workload.read.think_time=10 s",
            "workload.read.threads_per_client={ value = 10, range = [5, 20], status = \"assumed\" }",
            "clients.blades.nics.interrupt_delay={ value = \"1 ms\", range = [\"1 ms\", \"2 ms\"] }",
        ];
        let scenario = shipped_with("7410-istanbul/cached-read.toml", &sets.map(str::to_owned));
        let figures = uncertain_figures(&scenario);
        let of_load = figures
            .iter()
            .filter(|figure| matches!(figure.kind, "workload" | "clients"));
        let names: Vec<String> = of_load.map(UncertainFigure::id).collect();
        let expected = [
            "clients blades interrupt_delay",
            "workload read threads_per_client",
        ];
        assert_eq!(names, expected);
        let found = uncertainty(&scenario, 200).expect("there is an answer");
        let first = found.weights[0].figure.as_ref().map(UncertainFigure::id);
        assert_eq!(first.as_deref(), Some(expected[1]));
        for (end, rate) in [(found.operations.low, 10.0), (found.operations.high, 40.0)] {
            assert!((end / rate - 1.0).abs() < 0.1, "{end} for {rate}");
        }
    }

    #[test]
    fn a_figure_that_the_user_gives_is_certain() {
        let has = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
            let all = uncertain_figures(&shipped_with("7410-barcelona/cached-read.toml", &sets));
            all.iter()
                .any(|figure| figure.id().ends_with("fishworks-2009 misses_per_byte"))
        };
        assert!(has(&[]));
        assert!(!has(&["stack.misses_per_byte=0.08"]));
        // The value of the profile, given by the user, is as certain as another.
        assert!(!has(&["stack.misses_per_byte=0.055"]));
    }
}
