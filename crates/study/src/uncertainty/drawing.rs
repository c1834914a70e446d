//! Predictions of servers with drawn figures.
//!
//! A draw gives every uncertain figure of a scenario a value. The server is built and bound once; draws
//! change its figures and share resource names, routes and the link traffic of cache lines.

use std::error::Error;
use std::f64::consts::LN_2;
use std::sync::Arc;

use bandgraph_model::{Bound, Correlations, LimitGroup, Scenario};
use bandgraph_scenario::{Measured, Metric};
use bandgraph_solve::{Bottleneck, Outcome, SearchMemory, SteadyState, Totals, play_into};
use bandgraph_topology::ResourceKind;
use rayon::prelude::*;

use super::draws::JointDraws;
use super::figures::{UncertainFigure, names_of_draws, uncertain_figures};
use super::model_error::{GROUPS, LogFactor, ModelErrors, exponents, factors};
use super::room::{Held, Room, exponent, is_rate};
use super::server::Server;
use crate::metric_value::{figure, metric_value};

/// The number of orders in which a batch of jobs is scheduled, per draw: the same one in each, so that only
/// figures differ.
const ORDERS: u32 = 1;

/// How much slower a scenario may be that counts as fast as another: an upgrade may cost as much where work
/// moves to other sockets.
const AS_FAST: f64 = 0.02;

/// The reason why a draw has no answer: there is no such server, or it has no steady state.
pub(super) type NoAnswer = Box<dyn Error + Send + Sync>;

/// The answer to one draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drawn {
    pub(super) totals: Totals,
    /// How far rates could grow.
    pub(super) room: Room,
    /// By group of limits, the factor on rates for the model error.
    errors: [f64; GROUPS],
    /// By group of limits, the exponent of a ratio of up to two for the model error of a difference.
    exponents: [f64; GROUPS],
}

impl Drawn {
    /// The value of a metric that has an interval, in the base unit of its kind, with the model error.
    pub(super) fn value(&self, metric: Metric) -> Option<f64> {
        Some(self.nominal(metric)? * self.held(metric).factor(&self.errors))
    }

    /// The ratio of a metric to that of another scenario in the same draw.
    ///
    /// The limit of the other scenario holds this one too: without a resource of that kind, and where
    /// clients or threads limit the other scenario, this one would do at least as much as it does. So a
    /// model error may exchange the limits, but does not let a faster part reduce the rate. If both have the
    /// same kind of limit, the model errs nearly equally about both ([`exponents`]). `None` without an
    /// interval or a finite ratio.
    pub(super) fn ratio_to(&self, other: &Self, metric: Metric) -> Option<f64> {
        let of = |this: &Self, that: &Self| {
            let nominal = this.nominal(metric)?;
            let mut room = this.room;
            // The frames that one of two gives are the question, and not an uncertainty of the other.
            let given = [room.payload, that.room.payload].into_iter().flatten();
            room.payload = given.reduce(f64::min);
            let mut held = room.of(metric, &this.totals.throughput);
            let of_that = &mut held.groups[that.group_of(metric) as usize];
            if of_that.is_infinite() {
                let ratio = that.nominal(metric).map_or(1.0, |that| that / nominal);
                *of_that = libm::pow(ratio, exponent(metric)).max(1.0);
            }
            let [here, there] = [this, that].map(|of| of.totals.throughput.operations.get());
            let idle = this.room.idle_cores.filter(|_| here <= there * (1.0 + AS_FAST));
            if let (Some(idle), Some(that_idle)) = (idle, that.room.idle_cores) {
                // Cores that may wait for what is full hold no rate above that of a scenario at least as
                // fast, as far as they work as fast with an idle memory.
                let cores = LimitGroup::Cores as usize;
                let ratio = idle / that_idle;
                held.groups[cores] = held.groups[cores].min(that.held(metric).groups[cores] * ratio);
            }
            Some(nominal * held.factor(&this.errors))
        };
        let mut ratio = of(self, other)? / of(other, self)?;
        let group = self.group_of(metric);
        if group == other.group_of(metric) {
            let difference = libm::log(ratio);
            let known = difference.clamp(-LN_2, LN_2);
            let lifted = libm::exp(difference + known * (self.exponents[group as usize] - 1.0));
            // No error lifts a rate above its wires.
            let most = if is_rate(metric) {
                self.nominal(metric)? * self.held(metric).most / other.value(metric)?
            } else {
                f64::INFINITY
            };
            ratio = lifted.min(most.max(ratio));
        }
        ratio.is_finite().then_some(ratio)
    }

    /// The value of a metric that has an interval, without the model error.
    fn nominal(&self, metric: Metric) -> Option<f64> {
        let throughput = &self.totals.throughput;
        Some(match metric {
            Metric::OperationsPerSecond => throughput.operations.get(),
            Metric::PayloadBytesPerSecond => throughput.payload.get(),
            Metric::NetworkBytesPerSecond => throughput.network.get(),
            Metric::LatencyMean => self.totals.mean_latency.get(),
            _ => return None,
        })
    }

    /// The kind of resource that limits the rate, with the model error.
    pub(super) fn limit(&self) -> Option<ResourceKind> {
        self.room.limit_with(&self.errors)
    }

    /// The limits of a metric.
    fn held(&self, metric: Metric) -> Held {
        self.room.of(metric, &self.totals.throughput)
    }

    /// The group of limits of a metric.
    pub(super) fn group_of(&self, metric: Metric) -> LimitGroup {
        self.room.group_of(metric)
    }
}

/// Deviations of all figures: for the prediction itself, and in each draw.
pub(super) struct Given {
    pub(super) base: Vec<f64>,
    pub(super) draws: Vec<Vec<f64>>,
}

/// A scenario with uncertain figures.
pub(super) struct Drawing {
    pub(super) figures: Vec<UncertainFigure>,
    /// The names of their draws.
    pub(super) names: Vec<String>,
    /// Deviations that replace those of its own draws.
    pub(super) given: Option<Given>,
    pub(super) server: Server,
    /// The answer with all figures at their nominal values.
    pub(super) base: Drawn,
    /// Whether the answer is a batch that is scheduled job by job.
    pub(super) is_batch: bool,
}

impl Drawing {
    /// Binds and predicts the scenario itself.
    ///
    /// # Errors
    ///
    /// The server cannot be built, or it has no steady state.
    pub(super) fn new(scenario: &Scenario) -> Result<Self, NoAnswer> {
        let mut server = Server::of(scenario);
        let (bound, steady) = server.solved()?;
        server.steady = Some(Arc::new(steady.clone()));
        let figures = uncertain_figures(scenario);
        Ok(Self {
            base: drawn(&bound, &steady, NO_ERROR, NO_ERROR),
            is_batch: bound.batch.is_some(),
            names: names_of_draws(&figures, &scenario.stack),
            figures,
            given: None,
            server,
        })
    }

    /// What is assumed of each assumed figure, and the name of its draws.
    pub(super) fn assumptions(&self) -> Vec<(String, String)> {
        let all = self.figures.iter().zip(&self.names);
        all.filter_map(|(figure, name)| Some((figure.assumption()?, name.clone())))
            .collect()
    }

    /// Draws as another scenario does where this one has the same assumption about another part.
    pub(super) fn share(&mut self, assumptions: &[(String, String)]) {
        let is_there = |name: &String| assumptions.iter().any(|(_, known)| known == name);
        for (figure, name) in self.figures.iter().zip(&mut self.names) {
            let assumed = figure.assumption().filter(|_| !is_there(name));
            let same = assumed.and_then(|assumed| assumptions.iter().find(|(known, _)| *known == assumed));
            if let Some((_, same)) = same {
                name.clone_from(same);
            }
        }
    }

    /// The logarithm of the model error's factor, by group of limits: that of this machine as far as its
    /// profile has it.
    pub(super) fn errors(&self) -> [LogFactor; GROUPS] {
        ModelErrors::KNOWN.by_group_on(&self.server.scenario.stack)
    }

    /// The correlations of its figures and model errors, of its software profile.
    pub(super) fn correlations(&self) -> &Correlations {
        &self.server.scenario.stack.correlations
    }

    /// By draw, the factors on rates for the model error, by group of limits.
    pub(super) fn factors(&self, draws: u32) -> impl Fn(u32) -> [f64; GROUPS] + Sync + use<> {
        factors(self.errors(), self.correlations(), draws)
    }

    /// Applies `take` to the steady state of each draw.
    fn of_draws<T: Send>(
        &self,
        draws: u32,
        take: impl Fn(u32, &Bound, &SteadyState, &mut SearchMemory) -> Result<T, NoAnswer> + Sync,
    ) -> Vec<Result<T, NoAnswer>> {
        let named = self.figures.iter().zip(&self.names);
        let named = named.map(|(figure, name)| (figure.path(), name.as_str()));
        let joint = JointDraws::new(named, self.correlations(), draws);
        let answers = (0..draws).into_par_iter().map_init(
            || self.server.clone(),
            |server, draw| {
                let own;
                let normals = if let Some(given) = &self.given {
                    &given.draws[draw as usize]
                } else {
                    own = joint.normals(draw);
                    &own
                };
                let (bound, steady) = server.solved_with(&self.figures, normals)?;
                take(draw, &bound, &steady, &mut server.memory)
            },
        );
        answers.collect()
    }

    /// The answers to all draws, with the model error.
    pub(super) fn answers(&self, draws: u32) -> Vec<Result<Drawn, NoAnswer>> {
        let (errors, exponents) = (self.factors(draws), exponents(self.errors(), draws));
        self.of_draws(draws, |draw, bound, steady, _| {
            Ok(drawn(bound, steady, errors(draw), exponents(draw)))
        })
    }

    /// The answers to all draws and, where a resource limits the scenario, those without that limit; all with
    /// the model error.
    pub(super) fn answers_and_relieved(&self, draws: u32) -> Vec<Result<(Drawn, Option<Drawn>), NoAnswer>> {
        let base = self.server.clone().solved();
        let limit = base.and_then(|(bound, steady)| Ok(Bottleneck::of(&bound, &steady)?));
        // Without a limit there are answers still.
        let limit = limit.unwrap_or(None);
        let (errors, exponents) = (self.factors(draws), exponents(self.errors(), draws));
        self.of_draws(draws, |draw, bound, steady, memory| {
            let (errors, exponents) = (errors(draw), exponents(draw));
            let missed = |steady: &SteadyState| drawn(bound, steady, errors, exponents);
            let relieved = limit
                .as_ref()
                .and_then(|limit| limit.relieved(bound, memory).ok());
            Ok((missed(steady), relieved.as_ref().map(missed)))
        })
    }

    /// The predictions of measured figures with all figures at their nominal values and in every draw,
    /// without the model error.
    pub(super) fn measured(&self, rows: &[Measured], draws: u32) -> Vec<MeasuredDraws> {
        self.of_outcomes(rows, |row| row.metric, figure, draws)
    }

    /// The same for the time that all jobs take together.
    pub(super) fn elapsed(&self, draws: u32) -> Option<MeasuredDraws> {
        let metric = |metric: &Metric| *metric;
        let value = |metric: &Metric, outcome: &Outcome| metric_value(*metric, outcome);
        self.of_outcomes(&[Metric::Elapsed], metric, value, draws).pop()
    }

    fn of_outcomes<R: Sync>(
        &self,
        rows: &[R],
        metric: impl Fn(&R) -> Metric,
        value: impl Fn(&R, &Outcome) -> Option<f64> + Sync,
        draws: u32,
    ) -> Vec<MeasuredDraws> {
        let of = |bound: &Bound, steady: &SteadyState| {
            let mut outcome = steady.outcome(bound);
            play_into(bound, ORDERS, &mut outcome)?;
            let values = rows.iter().map(|row| value(row, &outcome)).collect::<Vec<_>>();
            // A measured client can have stayed below the rate that it was meant to have.
            let mut room = Room::in_state(bound, steady);
            room.arrives = false;
            Ok((values, outcome.throughput, room))
        };
        let values = self.given.as_ref().map(|given| given.base.clone());
        let values = values.unwrap_or_else(|| vec![0.0; self.figures.len()]);
        let base = self.server.clone().solved_with(&self.figures, &values);
        let base = base.and_then(|(bound, steady)| of(&bound, &steady));
        let drawn = self.of_draws(draws, |_, bound, steady, _| of(bound, steady));
        let of_row = |row: usize, found: &Result<(Vec<_>, _, Room), NoAnswer>| {
            let (values, throughput, room) = found.as_ref().ok()?;
            Some(((*values.get(row)?)?, room.of(metric(&rows[row]), throughput)))
        };
        let answered = if base.is_ok() { rows.len() } else { 0 };
        let rows = (0..answered).map(|row| MeasuredDraws {
            base: of_row(row, &base),
            draws: drawn.iter().map(|drawn| of_row(row, drawn)).collect(),
        });
        rows.collect()
    }

    /// The logarithms of the predictions of measured figures, with the figures of the model at these
    /// deviations; `None` if a prediction is missing.
    pub(super) fn logarithms_at(&self, rows: &[Measured], normals: &[f64]) -> Option<Vec<f64>> {
        let (bound, steady) = self.server.clone().solved_with(&self.figures, normals).ok()?;
        let mut outcome = steady.outcome(&bound);
        play_into(&bound, ORDERS, &mut outcome).ok()?;
        let logarithms = rows.iter().map(|row| {
            let logarithm = libm::log(figure(row, &outcome)?);
            logarithm.is_finite().then_some(logarithm)
        });
        logarithms.collect()
    }

    /// Applies `of` to the index of each figure, in parallel.
    pub(super) fn each_figure<T: Send>(&self, of: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        (0..self.figures.len()).into_par_iter().map(of).collect()
    }
}

/// The predictions of a measured figure.
#[derive(Clone, Debug)]
pub(super) struct MeasuredDraws {
    /// The prediction with all figures at their nominal values, and its limits.
    pub(super) base: Option<(f64, Held)>,
    /// The same by draw.
    pub(super) draws: Vec<Option<(f64, Held)>>,
}

/// The factors for no model error.
const NO_ERROR: [f64; GROUPS] = [1.0; GROUPS];

/// The prediction with factors for the model error, and exponents for that of differences.
fn drawn(bound: &Bound, steady: &SteadyState, errors: [f64; GROUPS], exponents: [f64; GROUPS]) -> Drawn {
    Drawn {
        totals: steady.totals(bound),
        room: Room::in_state(bound, steady),
        errors,
        exponents,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use bandgraph_diagnostics::Sources;
    use bandgraph_scenario::load;
    use bandgraph_topology::Topology;

    use super::super::interval::Interval;
    use super::*;

    pub(in super::super) fn shipped(name: &str) -> Scenario {
        shipped_with(name, &[])
    }

    pub(in super::super) fn shipped_with(name: &str, sets: &[String]) -> Scenario {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let loaded = load(&folder.join(name), sets, &mut Sources::new());
        loaded.expect("it is sound").scenario
    }

    pub(in super::super) fn barcelona_reads() -> Scenario {
        shipped("7410-barcelona/cached-read.toml")
    }

    /// A full port carries its wire rate in every draw, for any model error; a server with half-empty ports
    /// has the full model error.
    #[test]
    fn no_error_of_the_model_makes_a_wire_faster() {
        let drawing = Drawing::new(&shipped("barcelona-4-socket/tcp-uperf.toml")).expect("it has an answer");
        let wire = drawing.base.totals.throughput.network.get() * drawing.base.room.wires;
        assert!(drawing.base.room.wires < 1.02, "{:?}", drawing.base.room);
        let rates = drawing.answers(100).into_iter().flatten();
        let rates = rates.map(|drawn| drawn.value(Metric::NetworkBytesPerSecond));
        let interval = Interval::of(rates.flatten().collect()).expect("it has draws");
        assert!(interval.high <= wire * (1.0 + 1e-9), "{interval:?} of {wire}");
        assert!(interval.low < 0.95 * wire, "{interval:?} of {wire}");
        let free = Drawing::new(&shipped("7410-barcelona/cached-read.toml")).expect("it has an answer");
        let answers = free.answers(100).into_iter().flatten();
        let metric = Metric::NetworkBytesPerSecond;
        let errors = answers.filter_map(|drawn| {
            let factor = drawn.value(metric)? / drawn.nominal(metric)?;
            Some(factor / drawn.errors[drawn.group_of(metric) as usize])
        });
        // Where it is less, another limit holds.
        let whole = errors.filter(|share| (share - 1.0).abs() < 1e-9).count();
        assert!(whole > 50, "{whole}");
    }

    /// The NICs of clients are wires too, and a further client has no less of them. Four of 10 Gbit/s carry
    /// 5 GB/s.
    #[test]
    fn no_error_of_the_model_makes_the_wires_of_clients_faster() {
        let highest = |clients: u32| {
            let sets = [
                "clients.*.nics.rate=10 Gbit/s".to_owned(),
                format!("clients.*.count={clients}"),
            ];
            let scenario = shipped_with("../examples/first/scenario.toml", &sets);
            let drawing = Drawing::new(&scenario).expect("it has an answer");
            let rates = drawing.answers(100).into_iter().flatten();
            let rates = rates.filter_map(|drawn| drawn.value(Metric::PayloadBytesPerSecond));
            Interval::of(rates.collect()).expect("it has draws").high
        };
        assert!(highest(4) <= 5e9, "{}", highest(4));
        assert!(highest(12) < highest(13), "{} {}", highest(12), highest(13));
    }

    /// 15 of 18 cores are busy all the time, since they wait for full memory. All 18 are 88 % busy, and the
    /// error of cores is the same for both: none.
    #[test]
    fn cores_that_wait_for_full_memory_limit_nothing() {
        let low = |cores: u32| {
            let sets = [format!("socket.*.cores={cores}")];
            let drawing = Drawing::new(&shipped_with("modern/mlc.toml#mlc-hsw-all", &sets));
            let drawing = drawing.expect("it has an answer");
            assert_eq!(drawing.base.limit(), Some(ResourceKind::Memory));
            let rates = drawing.answers(100).into_iter().flatten();
            let rates = rates.filter_map(|drawn| drawn.value(Metric::PayloadBytesPerSecond));
            let interval = Interval::of(rates.collect()).expect("it has draws");
            interval.low / drawing.base.totals.throughput.payload.get()
        };
        let (few, all) = (low(15), low(18));
        assert!(few > all - 0.05, "{few} {all}: the error of cores is 20 %");
    }

    /// No interval ends above the rate at which another limit holds, with the model error of that limit.
    #[test]
    fn no_interval_exceeds_what_another_limit_carries() {
        for name in [
            "7410-barcelona/cached-read.toml",
            "7410-istanbul/cached-read.toml",
            "nvme-2-socket/fio.toml",
            "server-2023/cached-read.toml",
            "x4270/tcp-tx.toml",
        ] {
            let drawing = Drawing::new(&shipped(name)).expect("it has an answer");
            let answers: Vec<Drawn> = drawing.answers(60).into_iter().flatten().collect();
            for metric in [Metric::OperationsPerSecond, Metric::NetworkBytesPerSecond] {
                let interval = |of: &dyn Fn(&Drawn) -> Option<f64>| {
                    Interval::of(answers.iter().filter_map(of).collect()).expect("it has draws")
                };
                let whole = interval(&|drawn| drawn.value(metric));
                for &group in LimitGroup::ALL {
                    let held = interval(&|drawn| {
                        let room = drawn.held(metric).groups[group as usize].min(1e9);
                        Some(drawn.nominal(metric)? * room * drawn.errors[group as usize])
                    });
                    assert!(whole.high <= held.high, "{name}: {whole:?} {group:?} {held:?}");
                }
            }
        }
    }

    /// Clients that pause most of the time, and operations that arrive, set the rate: the server never does
    /// more than they ask for, and its latency has the error of the server.
    #[test]
    fn no_error_of_the_model_makes_clients_ask_for_more() {
        let name = "7410-istanbul/cached-read.toml";
        let full = Drawing::new(&shipped(name)).expect("it has an answer");
        assert_ne!(full.base.group_of(Metric::OperationsPerSecond), LimitGroup::Pace);
        // 20 clients with 10 threads each.
        for set in ["workload.*.think_time=200 s", "workload.*.rate=1 ops/s"] {
            let scenario = shipped_with(name, &[set.to_owned()]);
            let drawing = Drawing::new(&scenario).expect("it has an answer");
            assert_eq!(
                drawing.base.group_of(Metric::OperationsPerSecond),
                LimitGroup::Pace
            );
            assert_eq!(drawing.base.group_of(Metric::LatencyMean), LimitGroup::Nothing);
            let answers = drawing.answers(100);
            let rates = answers.iter().flatten();
            let rates = rates.filter_map(|drawn| drawn.value(Metric::OperationsPerSecond));
            let interval = Interval::of(rates.collect()).expect("it has draws");
            assert!(interval.high <= 1.0 + 2e-9, "{interval:?}");
            // Threads may pause for longer than they are said to, but arrivals do not wait for replies.
            let stays_below = interval.low < 0.9;
            assert_eq!(stays_below, set.contains("think_time"), "{interval:?}");
            assert!(stays_below || interval.low >= 1.0 - 1e-9, "{interval:?}");
        }
    }

    /// The search ends within its tolerance of the same state from any start.
    fn assert_close(found: Totals, expected: Totals, name: &str) {
        for metric in [
            Metric::OperationsPerSecond,
            Metric::NetworkBytesPerSecond,
            Metric::LatencyMean,
        ] {
            let value = |totals| {
                let drawn = Drawn {
                    totals,
                    room: Room::infinite(),
                    errors: NO_ERROR,
                    exponents: NO_ERROR,
                };
                drawn.value(metric).expect("it has an interval")
            };
            let (found, expected) = (value(found), value(expected));
            assert!(
                (found - expected).abs() <= 1e-8 * expected.abs(),
                "{name}: {found} and {expected}"
            );
        }
    }

    /// The state that draws share, and every answer, is identical to that of a server built from scratch.
    #[test]
    fn drawn_servers_are_those_that_are_built_anew() {
        for name in [
            "7410-barcelona/cached-read.toml",
            "7410-istanbul/disk-write.toml",
            "7410-infiniband/rdma-read.toml",
            "x4270/tcp-tx.toml",
            "server-2023/cached-read.toml",
            "modern/mlc.toml#mlc-lat-clx-snc-at-99",
        ] {
            let scenario = shipped(name);
            let drawing = Drawing::new(&scenario).expect("it has an answer");
            assert!(drawing.figures.len() > 20, "{}", drawing.figures.len());
            let mut server = drawing.server.clone();
            for normal in [-1.0, 0.0, 0.7] {
                let normals = vec![normal; drawing.figures.len()];
                let found = server.solved_with(&drawing.figures, &normals);
                let (bound, steady) = found.expect("it has an answer");
                let found = steady.totals(&bound);
                let drawn = &server.scenario;
                let built = Topology::build(drawn.topology.spec().clone()).expect("it is sound");
                let all = |topology: &Topology| {
                    let elements = (topology.sockets(), topology.links(), topology.bridges());
                    let seated = (topology.slots(), topology.cards(), topology.ports());
                    let storage = (topology.sas_ports(), topology.jbods(), topology.switches());
                    format!("{:?} {elements:?} {seated:?} {storage:?}", topology.resources())
                };
                assert_eq!(all(&drawn.topology), all(&built), "{name}");
                let anew = Scenario {
                    topology: built,
                    ..drawn.clone()
                };
                let expected = Drawing::new(&anew).expect("it has an answer").base.totals;
                assert_close(found, expected, name);
                if normal == 0.0 {
                    assert_close(found, drawing.base.totals, name);
                }
            }
        }
    }
}
