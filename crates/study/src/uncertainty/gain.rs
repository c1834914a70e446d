//! How certain the difference between two scenarios is.
//!
//! Variants have common draws: a figure has the same value in the same draw of each variant, and so has the
//! model error for one kind of limit, except for an error of the difference itself. Common uncertainty
//! cancels, so that the interval of a difference is narrower than the intervals of the two rates suggest.

use bandgraph_model::Scenario;
use bandgraph_scenario::{Expect, Metric};

use super::drawing::{Drawing, Drawn};
use super::interval::Interval;
use super::share_within;

/// Relative differences below this are negligible.
const NOTICED: f64 = 1e-3;

/// A scenario predicted in each draw of its figures.
#[derive(Clone, Debug)]
pub struct CommonDraws {
    /// The prediction with all figures at their nominal values.
    base: Drawn,
    answers: Vec<Option<Drawn>>,
    /// What is assumed of each assumed figure, and the name of its draws.
    assumptions: Vec<(String, String)>,
}

/// The gain of a variant over another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// The 90 % interval of its rate over that of the other, less one.
    pub interval: Interval,
    /// The share of the draws in which it is higher by more than 0.1 %.
    pub more: f64,
    /// The share of the draws in which it is lower by more than 0.1 %.
    pub less: f64,
}

/// The statement that a gain permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval is above zero.
    More,
    /// The whole interval is below zero.
    Less,
    /// Any difference is negligible.
    Equal,
    /// It may be a gain or a loss.
    Open,
}

impl CommonDraws {
    /// Predicts a scenario in `draws` draws; `None` if it has no steady state, in itself or in more than half
    /// of the draws, or if its answer is a batch that is scheduled job by job.
    pub fn of(scenario: &Scenario, draws: u32) -> Option<Self> {
        Self::beside(None, scenario, draws)
    }

    /// The same for comparison with a base: a part that replaces another one shares the draws of assumptions
    /// that the program has about both.
    pub fn beside(base: Option<&Self>, scenario: &Scenario, draws: u32) -> Option<Self> {
        let mut drawing = Drawing::new(scenario).ok()?;
        if let Some(base) = base {
            drawing.share(&base.assumptions);
        }
        let answers = (!drawing.is_batch).then(|| drawing.answers(draws))?;
        let answers: Vec<Option<Drawn>> = answers.into_iter().map(Result::ok).collect();
        let base = drawing.base;
        let steady = answers.iter().flatten().count();
        (steady * 2 >= answers.len()).then(|| Self {
            base,
            answers,
            assumptions: drawing.assumptions(),
        })
    }

    /// The prediction of a metric with all figures at their nominal values; `None` if the metric has no
    /// interval.
    pub fn base(&self, metric: Metric) -> Option<f64> {
        self.base.value(metric)
    }

    /// The interval of a metric; `None` if it has none.
    pub fn interval(&self, metric: Metric) -> Option<Interval> {
        let values = self.answers.iter().flatten();
        Interval::of(values.map(|answer| answer.value(metric)).collect::<Option<_>>()?)
    }

    /// The share of the draws in which a metric is within bounds, after multiplication of all values by
    /// `factor`; `None` if the metric has no interval.
    pub fn probability(&self, expect: &Expect, factor: f64) -> Option<f64> {
        share_within(self.answers.iter().flatten(), expect, factor)
    }

    /// The gain in a metric over another scenario with as many draws; `None` if the metric has no interval,
    /// or fewer than half of the draws have an answer in both.
    pub fn gain_over(&self, other: &Self, metric: Metric) -> Option<Gain> {
        Gain::of(self.ratios(other, metric).into_iter())
    }

    /// The ratio of a metric to that of another scenario, by draw.
    pub(crate) fn ratios(&self, other: &Self, metric: Metric) -> Vec<Option<f64>> {
        let both = self.answers.iter().zip(&other.answers);
        both.map(|(here, there)| here.as_ref()?.ratio_to(there.as_ref()?, metric))
            .collect()
    }
}

impl Gain {
    /// The gain from the ratios of the draws.
    pub(crate) fn of(ratios: impl ExactSizeIterator<Item = Option<f64>>) -> Option<Self> {
        let all = ratios.len();
        let gains: Vec<f64> = ratios.flatten().map(|ratio| ratio - 1.0).collect();
        if gains.is_empty() || gains.len() * 2 < all {
            return None;
        }
        let share = |is: &dyn Fn(f64) -> bool| {
            gains.iter().filter(|gain| is(**gain)).count() as f64 / gains.len() as f64
        };
        Some(Self {
            more: share(&|gain| gain > NOTICED),
            less: share(&|gain| gain < -NOTICED),
            interval: Interval::of(gains.clone())?,
        })
    }

    /// The statement that this gain permits.
    pub fn verdict(&self) -> Verdict {
        self.interval.verdict()
    }
}

impl Interval {
    /// The statement that a relative difference with this interval permits.
    pub fn verdict(&self) -> Verdict {
        let Self { low, high } = *self;
        if low > NOTICED {
            Verdict::More
        } else if high < -NOTICED {
            Verdict::Less
        } else if low >= -NOTICED && high <= NOTICED {
            Verdict::Equal
        } else {
            Verdict::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_solve::{SteadyState, bind};

    use super::*;
    use crate::uncertainty::drawing::tests::{barcelona_reads, shipped_with};

    const OPERATIONS: Metric = Metric::OperationsPerSecond;

    #[test]
    fn a_scenario_is_equal_to_itself() {
        let draws = CommonDraws::of(&barcelona_reads(), 40).expect("there is an answer");
        let gain = draws.gain_over(&draws, OPERATIONS).expect("there are draws");
        assert_eq!(gain.interval, Interval { low: 0.0, high: 0.0 });
        assert_eq!((gain.more, gain.less, gain.verdict()), (0.0, 0.0, Verdict::Equal));
    }

    /// Links are faster by a tenth and limit: the gain is about a tenth in each draw, although the
    /// uncertainty of each rate is larger.
    #[test]
    fn what_is_uncertain_of_both_cancels() {
        let base = barcelona_reads();
        let mut faster = base.clone();
        let mut spec = base.topology.spec().clone();
        for link in &mut spec.links {
            link.part.clock = bandgraph_units::Frequency::new(link.part.clock.get() * 1.1);
        }
        faster.topology = bandgraph_topology::Topology::build(spec).expect("it is sound");
        let of = |scenario: &Scenario| {
            let bound = bind(scenario).expect("it can be bound");
            let steady = SteadyState::solve(&bound).expect("it has a steady state");
            steady.totals(&bound).throughput.operations.get()
        };
        let expected = of(&faster) / of(&base) - 1.0;
        let [base, faster] =
            [&base, &faster].map(|scenario| CommonDraws::of(scenario, 100).expect("there is an answer"));
        let gain = faster.gain_over(&base, OPERATIONS).expect("there are draws");
        assert!(gain.interval.contains(expected), "{gain:?} {expected}");
        assert!(gain.interval.high - gain.interval.low < 0.1, "{gain:?}");
        assert_eq!(gain.verdict(), Verdict::More);
    }

    /// Drives limit, and then cores and ports. The model may err about the kinds of limits by more than lies
    /// between them, but a faster part takes nothing, and a slower one brings nothing.
    #[test]
    fn a_faster_part_brings_no_loss_and_a_slower_one_no_gain() {
        for (name, set) in [
            ("nvme-2-socket/fio.toml", "card.*.part=nvme-gen5"),
            ("7410-barcelona/cached-read.toml", "link.*.part=ht3-x16"),
            (
                "7410-istanbul/cached-read.toml",
                "workload.*.threads_per_client=1",
            ),
        ] {
            let draws = |sets: &[String]| {
                CommonDraws::of(&shipped_with(name, sets), 100).expect("there is an answer")
            };
            let (base, changed) = (draws(&[]), draws(&[set.to_owned()]));
            let [one, other] = [
                changed.gain_over(&base, OPERATIONS),
                base.gain_over(&changed, OPERATIONS),
            ]
            .map(|gain| gain.expect("there are draws"));
            let (faster, slower) = if one.more > 0.5 {
                (one, other)
            } else {
                (other, one)
            };
            assert_eq!(
                (faster.less, slower.more),
                (0.0, 0.0),
                "{name}: {faster:?} {slower:?}"
            );
            assert!(faster.interval.high > 0.1, "{name}: {faster:?}");
        }
    }

    /// Cores that wait for full links: the model may err about either, but a faster part loses nothing.
    #[test]
    fn cores_that_wait_are_the_same_cores_when_they_wait_less() {
        for name in ["7410-istanbul/job-file.toml", "7410-barcelona/launch-peak.toml"] {
            let draws = |sets: &[&str]| {
                let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
                CommonDraws::of(&shipped_with(name, &sets), 100).expect("there is an answer")
            };
            let base = draws(&[]);
            for upgrade in ["link.*.clock=4 GHz", "link.*.ceiling=100 %"] {
                let gain = draws(&[upgrade])
                    .gain_over(&base, OPERATIONS)
                    .expect("there are draws");
                assert!(gain.interval.low > -0.005, "{name}, {upgrade}: {gain:?}");
            }
        }
    }

    /// Two ports of twice the rate: the model errs nearly equally about both variants, and no more than about
    /// two loads of one machine: 1.645 √1.2 of the model error of ports, about 16 %, around a doubling.
    #[test]
    fn a_doubling_is_not_certain_to_the_last_digit() {
        let draws = |rate: &str| {
            let sets = ["clients.*.nics.rate=400 Gbit/s", rate].map(str::to_owned);
            CommonDraws::of(&shipped_with("../examples/first/scenario.toml", &sets), 100)
        };
        let [base, faster] = ["card.*.port_rate=20 Gbit/s", "card.*.port_rate=40 Gbit/s"]
            .map(|rate| draws(rate).expect("there is an answer"));
        let gain = faster.gain_over(&base, OPERATIONS).expect("there are draws");
        let Interval { low, high } = gain.interval;
        assert!(
            (0.55..0.95).contains(&low) && (1.05..2.0).contains(&high),
            "{gain:?}"
        );
        assert_eq!(gain.verdict(), Verdict::More);
    }

    /// Full ports: larger frames bring what their headers no longer take, although the scenario does not say
    /// what frames it has today.
    #[test]
    fn larger_frames_lose_nothing() {
        let draws = |sets: &[&str]| {
            let sets: Vec<String> = ["clients.*.nics.rate=400 Gbit/s", "card.*.port_rate=20 Gbit/s"]
                .iter()
                .chain(sets)
                .map(|&set| set.to_owned())
                .collect();
            let scenario = shipped_with("../examples/first/scenario.toml", &sets);
            CommonDraws::of(&scenario, 100).expect("there is an answer")
        };
        let gain = draws(&["run.mtu=9000"]).gain_over(&draws(&[]), OPERATIONS);
        let gain = gain.expect("there are draws");
        assert!(gain.interval.low > 0.03 && gain.interval.high < 0.085, "{gain:?}");
    }

    /// The program assumes the same about the interrupts of both cards: one that replaces the other waits no
    /// longer for them.
    #[test]
    fn an_assumption_about_both_parts_is_one() {
        let name = "../examples/first/scenario.toml";
        let set = |part: &str| [format!("card.nic0.part={part}")];
        let base = shipped_with(name, &set("connectx6-dx-dual-100gbe"));
        let other = shipped_with(name, &set("connectx7-dual-200gbe"));
        let base = Drawing::new(&base).expect("it has an answer");
        let mut other = Drawing::new(&other).expect("it has an answer");
        other.share(&base.assumptions());
        let of_interrupts = "nic connectx6-dx-dual-100gbe interrupt_interval";
        let shared = other.assumptions();
        assert!(shared.iter().any(|(_, name)| name == of_interrupts), "{shared:?}");
    }

    #[test]
    fn verdicts_follow_the_interval() {
        for (low, high, verdict) in [
            (0.1, 0.2, Verdict::More),
            (-0.2, -0.1, Verdict::Less),
            (-0.0005, 0.0005, Verdict::Equal),
            (-0.1, 0.2, Verdict::Open),
        ] {
            let gain = Gain {
                interval: Interval { low, high },
                more: 0.0,
                less: 0.0,
            };
            assert_eq!(gain.verdict(), verdict);
        }
    }
}
