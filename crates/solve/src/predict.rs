//! The steady state of a bound scenario, and its prediction.

use std::sync::OnceLock;

use bandgraph_model::{Bound, Fabric, ThreadGroup};
use bandgraph_units::OperationRate;
use bandgraph_workload::Schedule;

use crate::RunError;
use crate::iteration::{Iteration, OVERLOAD, SearchMemory};
use crate::outcome::{Mode, Offered, Outcome, Totals};
use crate::play::{ORDERS, play_into};
use crate::tally::{ClassTotals, Tally};

/// Predicts a bound scenario: the outcome of its steady state.
///
/// # Errors
///
/// As [`SteadyState::solve`].
pub fn predict(bound: &Bound) -> Result<Outcome, RunError> {
    SteadyState::solve(bound)?.prediction(bound)
}

/// The solved steady state of a bound scenario. Its methods take that same scenario.
#[derive(Clone, Debug)]
pub struct SteadyState {
    /// Operations per second of every class, of all groups of threads that its group stands for.
    pub class_rates: Vec<f64>,
    /// Seconds an operation of each class is in flight.
    pub(crate) class_seconds: Vec<f64>,
    /// Seconds it waits in its client before that, until others have returned.
    pub(crate) class_waits: Vec<f64>,
    /// By group, the operations of an open loop that the server works on at a time if more come than it can
    /// do; infinite in a closed loop.
    pub(crate) in_service: Vec<f64>,
    /// Seconds a miss takes on each socket.
    pub miss_latencies: Vec<f64>,
    /// By group, whether that limits it.
    pub(crate) held: Vec<bool>,
    /// Use of every resource, in units per second.
    pub resource_rates: Vec<f64>,
    /// Whether the threads of every class are held back by the core they run on.
    pub core_bound: Vec<bool>,
    /// By class, the share of its free work that each socket does, where that is elsewhere than dealt; empty
    /// for a class whose work stays.
    pub(crate) shares: Option<Vec<Vec<f64>>>,
    /// By port that moderates its interrupts, the share of them that it raises.
    pub(crate) kept: Vec<f64>,
    /// Where the search for it ended.
    pub(crate) point: Vec<f64>,
    /// The relative change that a further round makes there: zero, unless no fixed point was found and this
    /// is the nearest point.
    pub(crate) unsettled: f64,
    /// The scenario with that work where it is done, once it is asked for.
    pub(crate) balanced: OnceLock<Box<Bound>>,
}

impl SteadyState {
    /// Solves a bound scenario.
    ///
    /// # Errors
    ///
    /// [`RunError::NotConverged`] where the fixed point is not found; [`RunError::Build`] where the engine
    /// refuses a demand. Neither is a user's fault.
    pub fn solve(bound: &Bound) -> Result<Self, RunError> {
        let memory = &mut SearchMemory::default();
        Self::solve_over(bound, &bound.fabric, &bound.usable_capacities(), 1.0, memory)
    }

    /// Share of the time that a device of a bank of the scenario spends on writes.
    pub fn writing_share(&self, bound: &Bound, bank: usize) -> f64 {
        let resource = bound.banks[bank].resources[0];
        let classes = bound.classes.iter().zip(&self.class_rates);
        let written: f64 = classes.map(|(class, rate)| rate * class.written(resource)).sum();
        (written / bound.resources[resource].usable()).min(1.0)
    }

    /// Solves for given usable capacities, one per resource, a multiple of the threads, and other ways of the
    /// lines over links and to memory; all may differ from what was bound, to ask what would be.
    pub fn solve_over(
        bound: &Bound,
        fabric: &Fabric,
        capacities: &[f64],
        threads: f64,
        memory: &mut SearchMemory,
    ) -> Result<Self, RunError> {
        let question = Question {
            bound,
            fabric,
            capacities,
            threads,
        };
        question
            .solve(None, memory)?
            .with_overload_held(&question, memory)
    }

    /// The steady state in which the server works on a limited number of operations of an overloaded open
    /// loop at a time, if other loads share it.
    fn with_overload_held(
        self,
        question: &Question<'_>,
        memory: &mut SearchMemory,
    ) -> Result<Self, RunError> {
        if self.held.iter().any(|&held| held) {
            question.solve(Some(&self), memory)
        } else {
            Ok(self)
        }
    }

    /// As [`solve_over`](Self::solve_over) for a scenario and capacities that differ little from those of
    /// this steady state: the search begins here.
    pub fn solve_near(
        &self,
        bound: &Bound,
        fabric: &Fabric,
        capacities: &[f64],
        threads: f64,
        memory: &mut SearchMemory,
    ) -> Result<Self, RunError> {
        let question = Question {
            bound,
            fabric,
            capacities,
            threads,
        };
        let mut near = question.iteration(self.shares.is_some(), None, memory);
        if near.point().len() == self.point.len() {
            near.move_to(&self.point);
            if near.run_to_end(capacities).is_ok()
                && let Ok(found) = near.finish(capacities).with_overload_held(&question, memory)
                && found.unsettled == 0.0
            {
                return Ok(found);
            }
        }
        Self::solve_over(bound, fabric, capacities, threads, memory)
    }

    /// The scenario that was solved, with its work on the cores that do it and as many interrupts as there
    /// are: the same as was bound, unless idle cores took what others had no time for, or ports moderate
    /// their interrupts.
    pub fn balanced<'a>(&'a self, bound: &'a Bound) -> &'a Bound {
        if self.shares.is_none() && self.kept.is_empty() {
            return bound;
        }
        self.balanced.get_or_init(|| {
            let moderated = bound.with_interrupts(&self.kept);
            let moved = self
                .shares
                .as_deref()
                .map(|shares| moderated.with_work_on(shares));
            Box::new(moved.unwrap_or(moderated))
        })
    }

    /// The prediction of the scenario: the steady state in the common shape of outcomes, and its batch of
    /// jobs played.
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve), for a steady state of some of the jobs.
    pub fn prediction(&self, bound: &Bound) -> Result<Outcome, RunError> {
        let mut outcome = self.outcome(bound);
        play_into(bound, ORDERS, &mut outcome)?;
        Ok(outcome)
    }

    /// Operations per second of all classes.
    pub fn operations(&self) -> f64 {
        self.class_rates.iter().sum()
    }

    /// Operations per second of every workload.
    pub fn workload_rates(&self, bound: &Bound) -> Vec<f64> {
        let mut rates = vec![0.0; bound.workloads.len()];
        for (class, rate) in bound.classes.iter().zip(&self.class_rates) {
            rates[class.workload] += rate;
        }
        rates
    }

    /// Share of the threads' time in which the core that they run on is what holds them back.
    pub fn core_bound_share(&self, bound: &Bound) -> f64 {
        let (mut held, mut threads) = (0.0, 0.0);
        for group in bound.threads.iter() {
            let on_core = group.visits.iter().filter(|&&(class, _)| self.core_bound[class]);
            let on_core: f64 = on_core
                .map(|&(class, share)| share * self.class_seconds[class])
                .sum();
            held += group.members * group.population * on_core / self.cycle_seconds(group);
            threads += group.members * group.population;
        }
        held / threads
    }

    /// The steady state in the common shape of outcomes.
    pub fn outcome(&self, bound: &Bound) -> Outcome {
        let bound = self.balanced(bound);
        let totals = self.class_totals(bound);
        let mut outcome = self.tally(&totals).outcome(bound);
        outcome.unsettled = self.unsettled;
        for (index, workload) in outcome.workloads.iter_mut().enumerate() {
            workload.offered = self.offered(bound, index, workload.outstanding);
        }
        outcome
    }

    /// The figures of the whole server alone. They do not depend on which cores do the work.
    pub fn totals(&self, bound: &Bound) -> Totals {
        let totals = self.class_totals(bound);
        self.tally(&totals).totals(bound)
    }

    fn tally<'a>(&'a self, totals: &'a [ClassTotals]) -> Tally<'a> {
        Tally {
            mode: Mode::Predict,
            totals,
            resource_rates: &self.resource_rates,
        }
    }

    fn class_totals(&self, bound: &Bound) -> Vec<ClassTotals> {
        let mut totals = vec![ClassTotals::default(); bound.classes.len()];
        for group in bound.threads.iter() {
            for &(class, _) in &group.visits {
                totals[class].operations_per_second = self.class_rates[class];
                let wait = match self.overload(group) {
                    None => self.class_waits[class],
                    // The backlog's is in the other.
                    Some(_) => 0.0,
                };
                totals[class].mean_latency = group.delay + wait + self.class_seconds[class];
            }
        }
        totals
    }

    /// What an open loop asks for, and whether the server keeps up; `outstanding` are its operations out at a
    /// time if it does.
    fn offered(&self, bound: &Bound, workload: usize, outstanding: f64) -> Option<Offered> {
        let groups = bound.threads.iter().filter(|group| group.workload == workload);
        let open: Vec<&ThreadGroup> = groups.filter(|group| group.offered().is_some()).collect();
        if open.is_empty() {
            return None;
        }
        let offered = |group: &&ThreadGroup| group.members * group.offered().unwrap_or(0.0);
        let rate: f64 = open.iter().map(offered).sum();
        let saturated = open.iter().any(|group| self.overload(group).is_some());
        let served: f64 = open.iter().map(|group| group.members * self.served(group)).sum();
        let growth = if saturated { rate - served } else { 0.0 };
        Some(Offered {
            rate: OperationRate::new(rate),
            backlog: if saturated {
                growth * bound.run_seconds()
            } else {
                outstanding
            },
            growth,
            saturated,
        })
    }

    /// Seconds from one operation of a thread to its next.
    pub fn cycle_seconds(&self, group: &ThreadGroup) -> f64 {
        let in_flight: f64 = group
            .visits
            .iter()
            .map(|&(class, share)| share * self.class_seconds[class])
            .sum();
        let wait = group
            .visits
            .first()
            .map_or(0.0, |&(class, _)| self.class_waits[class]);
        group.delay + group.think + wait + in_flight
    }

    /// Operations per second that the server does of what a group asks for; of one, where it stands for
    /// several.
    pub fn served(&self, group: &ThreadGroup) -> f64 {
        let of_classes = group.visits.iter().map(|&(class, _)| self.class_rates[class]);
        of_classes.sum::<f64>() / group.members
    }

    /// Whether all loads are there all the time and the server keeps up with them: only then does a
    /// simulation have this steady state.
    pub fn lasts(&self, bound: &Bound) -> bool {
        bound.schedules.iter().all(Schedule::is_constant)
            && bound.threads.iter().all(|group| self.overload(group).is_none())
    }

    /// The operations of an overloaded open loop that a server works on at a time; those that arrive
    /// meanwhile wait in order of arrival, as they do for threads of a server. `None` where the server keeps
    /// up.
    ///
    /// The number does not matter as long as it fills the server. If all were served at once, each would take
    /// longer and longer, and none would be complete.
    pub fn in_service(&self, bound: &Bound, group: usize) -> Option<u32> {
        self.overload(&bound.threads[group])?;
        Some(self.in_service[group].ceil() as u32)
    }

    /// The share of its operations that the server does not keep up with; `None` in a closed loop, and where
    /// it does.
    pub fn overload(&self, group: &ThreadGroup) -> Option<f64> {
        let refused = 1.0 - self.served(group) / group.offered()?;
        (refused > OVERLOAD).then_some(refused)
    }
}

/// What a steady state is asked for.
struct Question<'a> {
    bound: &'a Bound,
    fabric: &'a Fabric,
    capacities: &'a [f64],
    threads: f64,
}

impl<'a> Question<'a> {
    /// The search for it, with the limits of overloaded open loops that another one found.
    fn iteration<'m>(
        &self,
        moving: bool,
        limits: Option<&SteadyState>,
        memory: &'m mut SearchMemory,
    ) -> Iteration<'m>
    where
        'a: 'm,
    {
        let mut iteration = Iteration::new(
            self.bound,
            self.fabric,
            self.capacities,
            self.threads,
            moving,
            memory,
        );
        if let Some(limits) = limits {
            iteration.hold(limits);
        }
        iteration
    }

    fn solve(
        &self,
        limits: Option<&SteadyState>,
        memory: &mut SearchMemory,
    ) -> Result<SteadyState, RunError> {
        let mut iteration = self.iteration(false, limits, memory);
        iteration.begin_idle();
        iteration.run_to_end(self.capacities)?;
        Ok(iteration.finish(self.capacities))
    }
}
