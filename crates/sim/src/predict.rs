//! The steady state without events.
//!
//! Threads are a closed network: each is either in a delay (network, interrupts, think time) or has one operation in
//! flight, and the operations in flight share the resources as the engine's flows do. The steady state is the fixed
//! point of three relations that are solved together:
//!
//! 1. the rate of each operation in flight, from the fair shares of all of them;
//! 2. how many are in flight, from those rates and the delays (Little's law, per group of threads);
//! 3. how long a miss takes, hence how many cycles an operation costs, from the use of links and memory.
//!
//! Populations are averages, so this is the fluid limit of the simulation: exact where something is saturated or
//! where threads do not meet, and optimistic in between by what chance meetings of few threads cost.

use std::collections::BTreeMap;

use bandgraph_engine::fair::{FairClass, FairSolver};

use crate::RunError;
use crate::bind::Bound;
use crate::demand::ThreadGroup;
use crate::outcome::{Mode, Outcome};
use crate::tally::{ClassTotals, Tally};

/// Rounds after which the fixed point is given up. Typical scenarios take 20 to 60.
const ROUNDS_MAX: u32 = 4000;
/// The largest relative change in a round that counts as none.
const TOLERANCE: f64 = 1e-10;

/// Solves the steady state of a bound scenario.
///
/// # Errors
///
/// [`RunError::NotConverged`] where the fixed point is not found; [`RunError::Build`] where the engine refuses a
/// demand. Neither is a user's fault.
pub fn predict(bound: &Bound) -> Result<Outcome, RunError> {
    SteadyState::solve(bound, &bound.usable_capacities(), 1.0).map(|steady| steady.outcome(bound))
}

/// A solved steady state.
pub(crate) struct SteadyState {
    /// Operations per second of every class.
    pub(crate) class_rates: Vec<f64>,
    /// Seconds an operation of each class is in flight.
    class_seconds: Vec<f64>,
    /// Seconds a miss takes on each socket.
    pub(crate) miss_latencies: Vec<f64>,
    /// Use of every resource, in units per second.
    pub(crate) resource_rates: Vec<f64>,
    /// Whether the threads of every class are held back by the core they run on.
    pub(crate) core_bound: Vec<bool>,
}

impl SteadyState {
    /// Solves for given usable capacities, one per resource, and a multiple of the threads; both may differ from
    /// what was bound, to ask what would be.
    pub(crate) fn solve(bound: &Bound, capacities: &[f64], threads: f64) -> Result<Self, RunError> {
        Iteration::new(bound, capacities, threads).run()
    }

    /// Operations per second of all classes.
    pub(crate) fn operations(&self) -> f64 {
        self.class_rates.iter().sum()
    }

    /// Share of the threads' time in which the core that they run on is what holds them back.
    pub(crate) fn core_bound_share(&self, bound: &Bound) -> f64 {
        let (mut held, mut threads) = (0.0, 0.0);
        for group in &bound.threads {
            let on_core = group.visits.iter().filter(|&&(class, _)| self.core_bound[class]);
            let on_core: f64 = on_core
                .map(|&(class, share)| share * self.class_seconds[class])
                .sum();
            held += f64::from(group.threads) * on_core / self.cycle_seconds(group);
            threads += f64::from(group.threads);
        }
        held / threads
    }

    /// The steady state in the common shape of outcomes.
    pub(crate) fn outcome(&self, bound: &Bound) -> Outcome {
        let mut totals = vec![ClassTotals::default(); bound.classes.len()];
        for group in &bound.threads {
            for &(class, _) in &group.visits {
                totals[class].operations_per_second = self.class_rates[class];
                totals[class].mean_latency = group.delay + self.class_seconds[class];
            }
        }
        Tally {
            mode: Mode::Predict,
            totals: &totals,
            resource_rates: &self.resource_rates,
        }
        .outcome(bound)
    }

    /// Seconds from one operation of a thread to its next.
    pub(crate) fn cycle_seconds(&self, group: &ThreadGroup) -> f64 {
        let in_flight: f64 = group
            .visits
            .iter()
            .map(|&(class, share)| share * self.class_seconds[class])
            .sum();
        group.delay + group.think + in_flight
    }
}

/// Groups of threads that the fixed point treats as one, because nothing tells them apart but which client they are.
struct Lump<'a> {
    group: &'a ThreadGroup,
    /// How many groups this one stands for.
    members: f64,
    /// Threads of all of them together.
    threads: f64,
}

/// The state of the fixed-point iteration.
struct Iteration<'a> {
    bound: &'a Bound,
    capacities: Vec<f64>,
    lumps: Vec<Lump<'a>>,
    /// The lump of every group of the bound scenario.
    lump_of: Vec<usize>,
    /// Per lump and visit, flattened: the bound class, the share of visits, and the class as the solver sees it.
    classes: Vec<usize>,
    shares: Vec<f64>,
    /// Where the classes of each lump start in the flattened lists; one more at the end.
    starts: Vec<usize>,
    fair: Vec<FairClass>,
    /// Where in each fair class the costs of cores start: they are the last, one per socket.
    miss_latencies: Vec<f64>,
    rates: Vec<f64>,
    throughput: Vec<f64>,
    core_caps: Vec<f64>,
}

impl<'a> Iteration<'a> {
    fn new(bound: &'a Bound, capacities: &[f64], threads: f64) -> Self {
        let mut lumps: Vec<Lump<'a>> = Vec::new();
        let mut lump_of = Vec::with_capacity(bound.threads.len());
        let mut index_of: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for group in &bound.threads {
            let index = *index_of
                .entry((group.workload, group.kind))
                .or_insert(lumps.len());
            if index == lumps.len() {
                lumps.push(Lump {
                    group,
                    members: 0.0,
                    threads: 0.0,
                });
            }
            lumps[index].members += 1.0;
            lumps[index].threads += threads * f64::from(group.threads);
            lump_of.push(index);
        }
        let mut iteration = Self {
            bound,
            lump_of,
            classes: Vec::new(),
            shares: Vec::new(),
            starts: vec![0],
            fair: Vec::new(),
            miss_latencies: bound.fabric.idle_latencies(),
            rates: Vec::new(),
            throughput: Vec::new(),
            core_caps: Vec::new(),
            lumps,
            capacities: capacities.to_vec(),
        };
        for lump in &iteration.lumps {
            for &(class, share) in &lump.group.visits {
                let flows = lump.threads * share;
                let demand = &bound.classes[class].demand;
                let mut costs: Vec<(usize, f64)> = Vec::with_capacity(demand.len() + bound.sockets.len());
                for &(resource, units) in demand {
                    // One client's link in the costs stands for as many as the lump has members.
                    if bound.is_client(resource) {
                        costs.push((resource, units / lump.members));
                    } else {
                        costs.push((resource, units));
                    }
                }
                costs.extend(bound.sockets.iter().map(|socket| (socket.cpu, 0.0)));
                iteration.fair.push(FairClass {
                    costs,
                    weight: 1.0,
                    cap: None,
                    flows,
                });
                iteration.classes.push(class);
                iteration.shares.push(share);
            }
            iteration.starts.push(iteration.classes.len());
        }
        iteration.rates = vec![0.0; iteration.classes.len()];
        iteration.core_caps = vec![0.0; iteration.classes.len()];
        iteration.throughput = vec![0.0; iteration.classes.len()];
        iteration
    }

    fn run(mut self) -> Result<SteadyState, RunError> {
        let mut solver = FairSolver::new();
        let mut change = f64::INFINITY;
        for round in 0..ROUNDS_MAX {
            self.charge_cores();
            self.share(&mut solver)?;
            // Damping that grows when the plain iteration does not settle.
            let step = match round {
                0..100 => 0.5,
                100..500 => 0.2,
                _ => 0.05,
            };
            change = self.settle_populations(step).max(self.settle_latencies(step));
            if change < TOLERANCE {
                return Ok(self.finish());
            }
        }
        Err(RunError::NotConverged {
            iterations: ROUNDS_MAX,
            change,
        })
    }

    /// Puts the cycles that an operation costs now into its costs and its cap.
    fn charge_cores(&mut self) {
        let sockets = &self.bound.sockets;
        for (index, fair) in self.fair.iter_mut().enumerate() {
            let work = &self.bound.classes[self.classes[index]].work;
            let first_core = fair.costs.len() - sockets.len();
            let mut core_seconds = 0.0;
            for (socket, (model, work)) in sockets.iter().zip(work).enumerate() {
                let cycles = model.cycles(work, self.miss_latencies[socket]);
                fair.costs[first_core + socket].1 = cycles;
                core_seconds += cycles / model.clock;
            }
            self.core_caps[index] = 1.0 / core_seconds;
            // A lone operation cannot be faster than each of its resources, however few are in flight on average.
            let alone = fair
                .costs
                .iter()
                .map(|&(resource, units)| self.capacities[resource] / units);
            let lump = self.starts.partition_point(|&start| start <= index) - 1;
            let members = self.lumps[lump].members;
            let slowest = alone.fold(f64::INFINITY, f64::min);
            // Client links were scaled by the lump's members; a lone operation has only its own client's link.
            let own_link = fair
                .costs
                .iter()
                .filter(|&&(resource, _)| self.bound.is_client(resource))
                .map(|&(resource, units)| self.capacities[resource] / (units * members))
                .fold(f64::INFINITY, f64::min);
            fair.cap = Some(self.core_caps[index].min(slowest).min(own_link));
        }
    }

    fn share(&mut self, solver: &mut FairSolver) -> Result<(), RunError> {
        let allocation = solver.solve(&self.capacities, &self.fair)?;
        self.rates.copy_from_slice(&allocation.rates);
        Ok(())
    }

    /// Moves the populations towards Little's law; returns the largest relative change.
    fn settle_populations(&mut self, step: f64) -> f64 {
        let mut change: f64 = 0.0;
        for (index, lump) in self.lumps.iter().enumerate() {
            let range = self.starts[index]..self.starts[index + 1];
            let group = lump.group;
            let in_flight: f64 = range
                .clone()
                .map(|class| self.shares[class] / self.rates[class])
                .sum();
            let throughput = lump.threads / (group.delay + group.think + in_flight);
            for class in range {
                let flows = throughput * self.shares[class] / self.rates[class];
                let old = self.fair[class].flows;
                change = change.max((flows - old).abs() / old);
                self.fair[class].flows = old + step * (flows - old);
                self.throughput[class] = throughput * self.shares[class];
            }
        }
        change
    }

    /// Moves the miss latencies towards those under the present load; returns the largest relative change.
    fn settle_latencies(&mut self, step: f64) -> f64 {
        let rates = self.resource_rates();
        let loaded = self.bound.fabric.loaded_latencies(&rates);
        let mut change: f64 = 0.0;
        for (latency, loaded) in self.miss_latencies.iter_mut().zip(loaded) {
            change = change.max((loaded - *latency).abs() / *latency);
            *latency += step * (loaded - *latency);
        }
        change
    }

    /// Use of every resource, in units per second, with client links as if each lump had one.
    fn resource_rates(&self) -> Vec<f64> {
        let mut rates = vec![0.0; self.capacities.len()];
        for (fair, throughput) in self.fair.iter().zip(&self.throughput) {
            for &(resource, units) in &fair.costs {
                rates[resource] += units * throughput;
            }
        }
        rates
    }

    fn finish(self) -> SteadyState {
        let bound = self.bound;
        let mut class_rates = vec![0.0; bound.classes.len()];
        let mut class_seconds = vec![0.0; bound.classes.len()];
        let mut core_bound = vec![false; bound.classes.len()];
        for (group, &lump) in bound.threads.iter().zip(&self.lump_of) {
            let start = self.starts[lump];
            for (visit, &(class, _)) in group.visits.iter().enumerate() {
                let index = start + visit;
                class_rates[class] += self.throughput[index] / self.lumps[lump].members;
                class_seconds[class] = 1.0 / self.rates[index];
                core_bound[class] = self.rates[index] >= self.core_caps[index] * (1.0 - 1e-6);
            }
        }
        let resource_rates = bound.resource_rates(&class_rates, &self.miss_latencies);
        SteadyState {
            class_rates,
            class_seconds,
            miss_latencies: self.miss_latencies,
            resource_rates,
            core_bound,
        }
    }
}
