//! The steady state without events.
//!
//! Threads are a closed network: each is either in a delay (network, interrupts, think time) or has one
//! operation in flight, and the operations in flight share the resources as the engine's flows do. The steady
//! state is the fixed point of three relations that are solved together:
//!
//! 1. the rate of each operation in flight, from the fair shares of all of them;
//! 2. how many are in flight, from those rates and the delays (Little's law, per group of threads);
//! 3. how long a miss takes, hence how many cycles an operation costs, from the use of links and memory; and
//!    how many interrupts, from how often they come to a port.
//!
//! Populations are averages. Where nothing is saturated, more operations are in flight at some moments than a
//! resource takes at full speed. Threads of a closed loop then take as long as in a network in product form
//! ([`slowdown`]); what such meetings cost an open loop is added to its latency ([`meeting`]). Threads that
//! meet at a barrier are in flight together, and think together: their operations share the resources with
//! those of the other threads that have no reply yet, for a part of the time (`barrier.rs`).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use bandgraph_engine::fair::{FairClass, FairSolver};
use bandgraph_model::{Bound, Class, Fabric, OPEN_HORIZON, Supply, ThreadGroup, Times};
use bandgraph_units::OperationRate;
use bandgraph_workload::Schedule;

use crate::RunError;
use crate::backlog::{Arriving, Overload};
use crate::barrier::{AtBarrier, step_seconds};
use crate::by_class::{Kind, Place, met, seconds_by_kind};
use crate::class_work::ClassWork;
use crate::dominance::essential;
use crate::fixed_point::{Anderson, CarefulSteps, newton};
use crate::meetings::{FULL, Loop, Meetings, Own, QUITE_FULL, meeting};
use crate::moving_demand::{MovingDemand, add_places};
use crate::outcome::{Mode, Offered, Outcome, Totals};
use crate::play::{ORDERS, play_into};
use crate::queues::{Load, Queues};
use crate::tally::{ClassTotals, Tally};

/// Rounds after which the fixed point is given up. Typical scenarios take 4 to 30.
const ROUNDS_MAX: u32 = 4000;
/// Rounds that go the whole way that they guess.
const EAGER: u32 = 40;
/// Rounds of which the last ones say where to go. The others take careful steps.
const GUESSED: u32 = 400;
/// Rounds from which careful steps go no more than a part of the way.
const CAREFUL: [(u32, f64); 4] = [(1000, 0.1), (1800, 0.02), (3000, 0.1), (3500, 1.0)];
/// Rounds after which Newton's method is tried, and again after each time twice as many, and the unknowns up
/// to which: each of its steps takes as many rounds and more.
const CIRCLING: u32 = 600;
const NEWTON_UNKNOWNS: usize = 200;
/// Rounds at one point, until what is remembered of other points is gone, and the change that is none.
const REPEATED: u32 = 12;
const REPEATS: f64 = 1e-12;
/// The change at which the rounds show whether all cores together are full.
const ROUGH: f64 = 1e-3;
/// How much more than all of its cycles a socket may be dealt: rounding.
const CORES_FULL: f64 = 1e-9;
/// The share of an open loop's operations below which those not served are rounding.
const OVERLOAD: f64 = 1e-5;
/// The use of a resource that holds an overloaded open loop back.
const FULL_PLACE: f64 = 0.98;
/// How long an operation of an open loop is first taken to stay, in seconds.
const FIRST_STAY: f64 = 1e-3;
/// The largest relative change in a round that counts as none.
const TOLERANCE: f64 = 1e-10;
/// The change that is accepted on either side of a jump. Where a figure of the model jumps with the load, as
/// the operations that fill a block of the log do, the steady state alternates between both sides and is at
/// the jump on average. Far less than any interval.
const AT_A_JUMP: f64 = 3e-3;
/// Relative rounding error of sums.
const ROUNDING: f64 = 1e-9;
/// The change that is accepted where Newton's method finds no less, as [`left`](Iteration::left) counts it.
const CLOSE: f64 = 5e-3;

/// The same after all rounds. In three loads on full disks with a full log whose steady state was found by
/// way of similar loads, the rate of such a point was off by at most 0.5 %.
const AT_LAST: f64 = 2e-2;

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
    class_seconds: Vec<f64>,
    /// Seconds it waits in its client before that, until others have returned.
    class_waits: Vec<f64>,
    /// By group, the operations of an open loop that the server works on at a time if more come than it can
    /// do; infinite in a closed loop.
    in_service: Vec<f64>,
    /// Seconds a miss takes on each socket.
    pub miss_latencies: Vec<f64>,
    /// By group, whether that limits it.
    held: Vec<bool>,
    /// Use of every resource, in units per second.
    pub resource_rates: Vec<f64>,
    /// Whether the threads of every class are held back by the core they run on.
    pub core_bound: Vec<bool>,
    /// By class, the share of its free work that each socket does, where that is elsewhere than dealt; empty
    /// for a class whose work stays.
    shares: Option<Vec<Vec<f64>>>,
    /// By port that moderates its interrupts, the share of them that it raises.
    kept: Vec<f64>,
    /// Where the search for it ended.
    point: Vec<f64>,
    /// The scenario with that work where it is done, once it is asked for.
    balanced: OnceLock<Box<Bound>>,
}

impl SteadyState {
    /// Solves a bound scenario.
    ///
    /// # Errors
    ///
    /// [`RunError::NotConverged`] where the fixed point is not found; [`RunError::Build`] where the engine
    /// refuses a demand. Neither is a user's fault.
    pub fn solve(bound: &Bound) -> Result<Self, RunError> {
        Self::solve_over(bound, &bound.fabric, &bound.usable_capacities(), 1.0)
    }

    /// Solves for given usable capacities, one per resource, a multiple of the threads, and other ways of the
    /// lines over links and to memory; all may differ from what was bound, to ask what would be.
    pub fn solve_over(
        bound: &Bound,
        fabric: &Fabric,
        capacities: &[f64],
        threads: f64,
    ) -> Result<Self, RunError> {
        let question = Question {
            bound,
            fabric,
            capacities,
            threads,
        };
        question.solve(None)?.with_overload_held(&question)
    }

    /// The steady state in which the server works on a limited number of operations of an overloaded open
    /// loop at a time, if other loads share it.
    fn with_overload_held(self, question: &Question<'_>) -> Result<Self, RunError> {
        if self.held.iter().any(|&held| held) {
            question.solve(Some(&self))
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
    ) -> Result<Self, RunError> {
        let question = Question {
            bound,
            fabric,
            capacities,
            threads,
        };
        let mut near = question.iteration(self.shares.is_some(), None);
        if near.point().len() == self.point.len() {
            near.move_to(&self.point);
            let found = near
                .run_to_end(capacities)
                .and_then(|()| near.finish().with_overload_held(&question));
            if found.is_ok() {
                return found;
            }
        }
        Self::solve_over(bound, fabric, capacities, threads)
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
    pub(crate) fn workload_rates(&self, bound: &Bound) -> Vec<f64> {
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
    fn iteration(&self, moving: bool, limits: Option<&SteadyState>) -> Iteration<'a> {
        let mut iteration = Iteration::new(self.bound, self.fabric, self.capacities, self.threads, moving);
        if let Some(limits) = limits {
            iteration.hold(limits);
        }
        iteration
    }

    fn solve(&self, limits: Option<&SteadyState>) -> Result<SteadyState, RunError> {
        let mut iteration = self.iteration(false, limits);
        iteration.begin_idle();
        iteration.run_to_end(self.capacities)?;
        Ok(iteration.finish())
    }
}

/// Groups of threads that the fixed point treats as one, because nothing tells them apart but which client
/// they are.
struct FlowGroup<'a> {
    group: &'a ThreadGroup,
    /// How many groups this one stands for.
    members: f64,
    /// Threads of all of them together.
    threads: f64,
    /// Operations that their clients let be under way at a time, or the server of an overloaded open loop.
    slots: f64,
    /// What the server works on at a time if the open loop overloads it, once that is found.
    in_service: Option<f64>,
}

impl FlowGroup<'_> {
    /// Operations per second when each is in flight for so many seconds: Little's law for all threads, or for
    /// the calls that their clients let be under way, whichever is less.
    fn throughput(&self, in_flight: f64) -> f64 {
        let away = self.group.delay + in_flight;
        (self.threads / (self.group.think + away)).min(self.slots / away)
    }

    /// Seconds that an operation waits in its client for a call to return.
    fn wait(&self, classes: &[FlowGroupClass<'_>]) -> f64 {
        if self.slots.is_infinite() || self.group.barrier {
            return 0.0;
        }
        let in_flight: f64 = classes.iter().map(|class| class.share * class.seconds()).sum();
        let away = self.group.delay + in_flight;
        let cycle = self.threads / self.throughput(in_flight);
        (cycle - self.group.think - away).max(0.0)
    }

    /// Threads whose operations may be at the server.
    fn present(&self) -> f64 {
        self.threads.min(self.slots)
    }

    /// Whether its threads wait for their replies.
    fn is_closed(&self) -> bool {
        matches!(self.group.supply, Supply::Closed)
    }

    /// Whether its operations come at a rate of their own.
    fn is_offered(&self) -> bool {
        self.group.offered().is_some()
    }

    /// Whether its operations come at random.
    fn comes_at_random(&self) -> bool {
        matches!(self.group.supply, Supply::Open { poisson: true, .. })
    }

    /// The share of the operations of an open loop that are not served.
    fn refused(&self, classes: &[FlowGroupClass<'_>]) -> f64 {
        let served: f64 = classes.iter().map(|class| class.throughput).sum();
        (1.0 - served * self.group.think / self.threads).max(0.0)
    }

    /// Operations in flight that the search for the steady state begins with.
    fn first_guess(&self) -> f64 {
        match self.group.supply {
            Supply::Closed | Supply::Trace { rate: None } => self.threads,
            Supply::Open { .. } | Supply::Trace { rate: Some(_) } => self.threads / OPEN_HORIZON * FIRST_STAY,
        }
    }
}

/// Shares that are used of the capacities of the fair shares, by position, and of the resources of clients.
type Uses = (Vec<f64>, Vec<f64>);

/// All open loops together.
struct OpenLoops {
    /// What they use, and what all use.
    by_open: Uses,
    all: Uses,
    /// By position, what an operation of each uses, times the use.
    squares: Vec<f64>,
    /// Operations that the server does a second, and works on at a time if they overload it.
    served: f64,
    in_service: f64,
    /// Whether there are no other loads.
    are_alone: bool,
}

/// A resource where operations of an open loop meet others.
struct Meeting {
    /// Seconds that they take longer there in the steady state.
    seconds: f64,
    arriving: Arriving,
    /// Operations that share it if it is overloaded.
    in_service: f64,
    /// Its use by all loads.
    used: f64,
}

/// The state of the fixed-point iteration.
struct Iteration<'a> {
    bound: &'a Bound,
    fabric: &'a Fabric,
    flow_groups: Vec<FlowGroup<'a>>,
    /// The flow group of every group of the bound scenario.
    flow_group_of: Vec<usize>,
    /// The classes of all flow groups, those of one together.
    classes: Vec<FlowGroupClass<'a>>,
    /// Where the classes of each flow group start; one more at the end.
    starts: Vec<usize>,
    /// Capacities of the resources that can hold anything back: essential ones, the pool of all cores, the
    /// cores of every socket, those of ports.
    capacities: Vec<f64>,
    /// The same classes as the fair solver sees them; costs of cores come last.
    fair: Vec<FairClass>,
    /// The position among the capacities of the pool of all cores, and of the first socket, where a class
    /// uses them.
    pool: Option<usize>,
    first_socket: Option<usize>,
    /// Which of the capacities are of clients: each client has its own.
    own: Vec<bool>,
    /// Usable cycles per second of the cores of every socket.
    cycles: Vec<f64>,
    /// Those that classes without free work took of them in the last round, where work moves.
    taken: Vec<f64>,
    /// The largest change of these in a round, as a share of the cycles of a socket.
    taken_anew: f64,
    /// Whether idle cores take work from full ones, and how much of it: 0 as it is dealt, 1 where all sockets
    /// are equally busy.
    moving: bool,
    moved: f64,
    /// How far apart these two leave the use of a socket, as a share of it.
    spread: f64,
    miss_latencies: Vec<f64>,
    /// By port that moderates its interrupts, the share of them that it raises.
    kept: Vec<f64>,
    /// The resources that misses wait for, and by resource the use of those.
    waited_for: Vec<usize>,
    resource_rates: Vec<f64>,
    times: Times,
    loaded: Vec<f64>,
    /// The queues of disks and logs, and by class what one waits for them where there is no load.
    queues: Queues<'a>,
    idle_waits: Vec<f64>,
    /// By capacity, what is used of it; and by resource of a client.
    used: Vec<f64>,
    of_clients: Vec<f64>,
    meetings: Meetings,
}

/// A class of a flow group.
struct FlowGroupClass<'a> {
    /// The class of the flow group's first group, which stands for all.
    class: &'a Class,
    /// The flow group.
    flow_group: usize,
    /// What of its demand misses wait for.
    crossed: Vec<(usize, f64)>,
    /// Its port among those that moderate their interrupts, if it is.
    moderated: Option<usize>,
    work: ClassWork,
    /// Where work moves: its demand, and the positions there of its costs and of what misses wait for.
    moving: MovingDemand,
    costs_at: Vec<usize>,
    crossed_at: Vec<usize>,
    /// Share of the threads' operations.
    share: f64,
    /// Where the costs of cores begin among those that the fair solver sees.
    first_core: usize,
    /// By place in those before, the share that an operation waits for: the rest is deferred. Empty if it waits
    /// for everything.
    waited: Vec<f64>,
    /// Operations per second at which a lone operation is held back by the resources it crosses, cores
    /// excepted.
    alone: f64,
    /// Seconds of the transfer of its data between client and port.
    transfer: f64,
    /// The resources of its client, with their capacities and what it takes of them.
    clients: Vec<(usize, f64, f64)>,
    /// Seconds of a lone operation, without those that it waits for devices.
    lone: f64,
    /// Operations per second of a thread that has a core to itself.
    core_cap: f64,
    /// Operations per second of one operation in flight, among as many as on average.
    rate: f64,
    /// How many times as long it takes because more meet at some moments.
    stretch: f64,
    /// Operations per second of all members together.
    throughput: f64,
}

impl FlowGroupClass<'_> {
    /// Seconds that an operation is in flight.
    fn seconds(&self) -> f64 {
        self.stretch / self.rate
    }

    /// The costs that an operation waits for, where it can meet others: it does not wait for deferred work.
    fn waited<'c>(&'c self, fair: &'c FairClass) -> impl Iterator<Item = (usize, f64)> + 'c {
        let costs = fair.costs.iter().enumerate().map(|(place, &(position, units))| {
            let share = self.waited.get(place).copied().unwrap_or(1.0);
            (position, share * units)
        });
        costs.filter(|&(_, units)| units > 0.0)
    }
}

/// The share of a class's demand on a resource that its operations wait for.
fn waited_share(class: &Class, resource: usize) -> f64 {
    let of = |demand: &[(usize, f64)]| {
        let at = demand.binary_search_by_key(&resource, |&(resource, _)| resource);
        at.map_or(0.0, |at| demand[at].1)
    };
    let (all, waited) = (of(&class.demand), of(class.waited_demand()));
    // Less is rounding.
    if all > 0.0 && waited > ROUNDING * all {
        (waited / all).min(1.0)
    } else {
        0.0
    }
}

impl<'a> Iteration<'a> {
    fn new(bound: &'a Bound, fabric: &'a Fabric, capacities: &[f64], threads: f64, moving: bool) -> Self {
        let (flow_groups, flow_group_of) = flow_groups(bound, threads);
        let mut classes = Vec::new();
        let mut starts = vec![0];
        for (number, flow_group) in flow_groups.iter().enumerate() {
            for &(class, share) in &flow_group.group.visits {
                let class = &bound.classes[class];
                // What is done behind it holds no operation up, as long as it keeps up on average.
                let alone = class
                    .moving_demand()
                    .map(|(resource, units)| capacities[resource] / units);
                let clients = class
                    .moving_demand()
                    .filter(|&(resource, _)| bound.is_client(resource));
                let clients = clients.map(|(resource, units)| (resource, capacities[resource], units));
                classes.push(FlowGroupClass {
                    class,
                    flow_group: number,
                    crossed: Vec::new(),
                    moderated: bound.moderated(class),
                    work: ClassWork::new(bound, class),
                    moving: MovingDemand::default(),
                    costs_at: Vec::new(),
                    crossed_at: Vec::new(),
                    share,
                    first_core: 0,
                    waited: Vec::new(),
                    alone: alone.fold(1.0 / class.client_seconds, f64::min),
                    transfer: bound.transfer_seconds(class, capacities),
                    clients: clients.collect(),
                    lone: 0.0,
                    core_cap: f64::INFINITY,
                    rate: 0.0,
                    stretch: 1.0,
                    throughput: 0.0,
                });
            }
            starts.push(classes.len());
        }
        let threads: Vec<f64> = flow_groups.iter().map(FlowGroup::present).collect();
        let queues = Queues::new(bound, capacities, threads);
        let idle = |class: &FlowGroupClass<'_>| queues.wait(class.class, class.flow_group, OPEN_HORIZON);
        let idle_waits = classes.iter().map(idle).collect();
        let mut iteration = Self {
            bound,
            fabric,
            flow_groups,
            flow_group_of,
            classes,
            starts,
            capacities: Vec::new(),
            fair: Vec::new(),
            pool: None,
            first_socket: None,
            own: Vec::new(),
            cycles: bound
                .sockets
                .iter()
                .map(|socket| capacities[socket.cpu])
                .collect(),
            taken: vec![0.0; bound.sockets.len()],
            taken_anew: 0.0,
            of_clients: vec![0.0; capacities.len()],
            moving,
            moved: 0.0,
            spread: 0.0,
            miss_latencies: vec![0.0; fabric.latencies()],
            kept: vec![1.0; bound.moderation.len()],
            waited_for: fabric.resources(),
            resource_rates: vec![0.0; capacities.len()],
            times: Times::default(),
            loaded: Vec::new(),
            queues,
            idle_waits,
            used: Vec::new(),
            meetings: Meetings::default(),
        };
        iteration.set_costs(capacities);
        iteration
    }

    /// Sets the costs of all classes on the resources that can hold one back, for work that moves or does not.
    fn set_costs(&mut self, capacities: &[f64]) {
        let (bound, moving, classes) = (self.bound, self.moving, &mut self.classes);
        let mut is_waited_for = vec![false; capacities.len()];
        for &resource in &self.waited_for {
            is_waited_for[resource] = true;
        }
        let queued = Queues::alone(bound);
        let mut demands = Vec::with_capacity(classes.len());
        for class in classes.iter() {
            let members = self.flow_groups[class.flow_group].members;
            // One client's link in the costs stands for as many as the flow group has members.
            let demand = class.class.demand.iter();
            let mut lumped = Vec::with_capacity(class.class.demand.len());
            lumped.extend(
                demand
                    .filter(|&&(resource, _)| !queued[resource])
                    .map(|&(resource, units)| {
                        let of_client = bound.is_client(resource);
                        (resource, if of_client { units / members } else { units })
                    }),
            );
            if moving {
                add_places(bound, class.class, &mut lumped);
            }
            demands.push(lumped);
        }
        let mut lists: Vec<&[(usize, f64)]> = demands.iter().map(Vec::as_slice).collect();
        // What holds back deferred work is not where operations meet.
        let deferring = classes.iter().filter(|class| class.class.background.is_some());
        lists.extend(deferring.map(|class| class.class.waited_demand()));
        // What can hold a class back depends on where work goes: its costs are between those with all of its
        // free work on one socket.
        let mut on_one_socket: Vec<Vec<(usize, f64)>> = Vec::new();
        if moving {
            for (class, demand) in classes.iter_mut().zip(&demands) {
                class.moving = MovingDemand::new(bound, class.class, demand);
                let first = on_one_socket.len();
                on_one_socket.extend(class.moving.on_one_socket(&class.class.free.shares));
                if class.class.background.is_some() {
                    let waited = |&(resource, units)| (resource, units * waited_share(class.class, resource));
                    let demands = on_one_socket[first..].iter();
                    let waited: Vec<_> = demands.map(|all| all.iter().map(waited).collect()).collect();
                    on_one_socket.extend(waited);
                }
            }
            lists.extend(on_one_socket.iter().map(Vec::as_slice));
        }
        let essential = essential(&lists, capacities);
        // By resource, its position among the essential ones.
        let mut position_of = vec![None; capacities.len()];
        for (position, &resource) in essential.iter().enumerate() {
            position_of[resource] = Some(position);
        }
        // Free work uses the pool of all cores, bound work those of its socket; and what is bound to a core
        // of a port, that core.
        let any_free = classes.iter().any(|class| class.work.is_free());
        let any_bound = classes.iter().any(|class| class.work.is_bound());
        let cpus: Vec<usize> = bound.sockets.iter().map(|socket| socket.cpu).collect();
        let port_cores = bound.port_cores();
        let of = |resources: &[usize]| -> Vec<f64> {
            resources.iter().map(|&resource| capacities[resource]).collect()
        };
        let mut solved = of(&essential);
        let mut own: Vec<bool> = essential
            .iter()
            .map(|&resource| bound.is_client(resource))
            .collect();
        let pool = any_free.then_some(solved.len());
        solved.extend(pool.map(|_| 1.0));
        let first_socket = any_bound.then_some(solved.len());
        if any_bound {
            solved.extend(of(&cpus));
        }
        let first_port = solved.len();
        solved.extend(of(&port_cores));
        own.resize(solved.len(), false);
        let mut fair = Vec::with_capacity(classes.len());
        for (demand, class) in demands.iter().zip(classes.iter_mut()) {
            let kept = demand
                .iter()
                .filter_map(|&(resource, units)| Some((position_of[resource]?, units)));
            // Those of cores follow.
            let mut costs = Vec::with_capacity(essential.len() + 2 + cpus.len());
            costs.extend(kept);
            class.first_core = costs.len();
            if moving {
                let places = |is_kept: &dyn Fn(&usize) -> bool| -> Vec<usize> {
                    let resources = demand.iter().map(|(resource, _)| resource).enumerate();
                    resources
                        .filter(|(_, resource)| is_kept(resource))
                        .map(|(at, _)| at)
                        .collect()
                };
                class.costs_at = places(&|&resource| position_of[resource].is_some());
                class.crossed_at = places(&|&resource| is_waited_for[resource]);
            }
            let crossed = demand.iter().filter(|&&(resource, _)| is_waited_for[resource]);
            class.crossed = crossed.copied().collect();
            if class.class.background.is_some() {
                let places = costs.iter().map(|&(position, _)| essential[position]);
                class.waited = places
                    .map(|resource| waited_share(class.class, resource))
                    .collect();
            }
            costs.extend(pool.map(|pool| (pool, 0.0)));
            if let Some(first) = first_socket {
                costs.extend((0..cpus.len()).map(|socket| (first + socket, 0.0)));
            }
            let port_core = class
                .class
                .port_core
                .and_then(|core| port_cores.binary_search(&core).ok());
            costs.extend(port_core.map(|core| (first_port + core, 0.0)));
            fair.push(FairClass {
                costs,
                weight: 1.0,
                cap: None,
                flows: self.flow_groups[class.flow_group].first_guess() * class.share,
            });
        }
        self.used = vec![0.0; solved.len()];
        (self.fair, self.own, self.capacities) = (fair, own, solved);
        (self.pool, self.first_socket) = (pool, first_socket);
    }

    /// Iterates to the fixed point, with work that moves if it must.
    fn run_to_end(&mut self, capacities: &[f64]) -> Result<(), RunError> {
        if self.run()? {
            return Ok(());
        }
        let from = self.point();
        let threads = self.flow_groups.iter().map(FlowGroup::present);
        self.queues = Queues::new(self.bound, capacities, threads.collect());
        self.moving = true;
        self.set_costs(capacities);
        self.move_to(&from);
        self.run().map(|_| ())
    }

    /// Iterates to the fixed point. Returns whether it is one: if not, work must move.
    fn run(&mut self) -> Result<bool, RunError> {
        let mut solver = FairSolver::new();
        let mut anderson = Anderson::default();
        let mut careful = CarefulSteps::default();
        let mut change = f64::INFINITY;
        let (mut point, mut image) = (self.point(), Vec::new());
        let mut nearest = (Vec::new(), f64::INFINITY);
        let mut weight = None;
        for round in 0..ROUNDS_MAX {
            self.charge_cores();
            self.share(&mut solver, round == 0)?;
            self.image(&mut image);
            change = self.change(point.iter().zip(&image).map(|(before, after)| after - before));
            change = change.max(self.taken_anew);
            if change < TOLERANCE {
                return Ok(self.has_room());
            }
            if !self.moving && change < ROUGH && self.must_move() {
                return Ok(false);
            }
            let is_circling = round.is_multiple_of(CIRCLING) && (round / CIRCLING).is_power_of_two();
            let is_circling = is_circling && nearest.1 >= CLOSE;
            if is_circling && self.by_newton_or_nearer(&mut solver, &point, &mut nearest)? {
                return Ok(self.has_room());
            }
            // Where guessing ahead does not settle, small steps do.
            let step = if round < EAGER { 1.0 } else { 0.3 };
            if round < GUESSED {
                let weight = *weight.get_or_insert(self.spread.max(ROUNDING));
                let last = point.len() - 1;
                if self.moving {
                    point[last] *= weight;
                    image[last] *= weight;
                }
                anderson.advance(&mut point, &image, step);
                if self.moving {
                    point[last] = (point[last] / weight).clamp(0.0, 1.0);
                }
            } else {
                let left = self.left(&point, &image);
                if left < nearest.1 {
                    nearest = (point.clone(), left);
                }
                let longest = CAREFUL.iter().rev().find(|(from, _)| round >= *from);
                careful.advance(&mut point, &image, longest.map_or(1.0, |(_, part)| *part));
                if careful.is_at_a_jump(AT_A_JUMP) {
                    return Ok(self.has_room());
                }
            }
            self.move_to(&point);
        }
        // From there Newton's method finds fixed points that it did not find from where rounds happened to
        // be.
        if nearest.1 >= CLOSE && !nearest.0.is_empty() {
            let from = nearest.0.clone();
            if self.by_newton_or_nearer(&mut solver, &from, &mut nearest)? {
                return Ok(self.has_room());
            }
        }
        if nearest.1 < AT_LAST {
            self.image_of(&mut solver, &nearest.0)?;
            return Ok(self.has_room());
        }
        Err(RunError::NotConverged {
            iterations: ROUNDS_MAX,
            change,
        })
    }

    /// The largest of the changes of all coordinates. Where work goes matters by what it does to the use of a
    /// socket.
    fn change(&self, changes: impl ExactSizeIterator<Item = f64>) -> f64 {
        let last = changes.len() - 1;
        let weighed = changes.enumerate().map(|(coordinate, change)| {
            let weight = if self.moving && coordinate == last {
                self.spread
            } else {
                1.0
            };
            change.abs() * weight
        });
        weighed.fold(0.0, f64::max)
    }

    /// The change that is left at a point, for what it matters. Where two queues are full at the same rate,
    /// a small one is what the large one leaves of all threads: hardly determined, and of no effect on the
    /// rate. Populations count on the scale of one operation, therefore.
    fn left(&self, point: &[f64], image: &[f64]) -> f64 {
        let populations = self.fair.len();
        let changes = point.iter().zip(image).enumerate();
        self.change(changes.map(|(coordinate, (before, after))| {
            let population = libm::exp(*before);
            let weight = if coordinate < populations {
                population / (1.0 + population)
            } else {
                1.0
            };
            weight * (after - before)
        }))
    }

    /// Whether Newton's method finds the fixed point. If not, its end is the nearest point, should it be that.
    fn by_newton_or_nearer(
        &mut self,
        solver: &mut FairSolver,
        from: &[f64],
        nearest: &mut (Vec<f64>, f64),
    ) -> Result<bool, RunError> {
        let (end, is_found, left) = self.by_newton(solver, from)?;
        if !is_found && left < nearest.1 {
            *nearest = (end, left);
        }
        Ok(is_found)
    }

    /// Where Newton's method ends, whether that is the fixed point, and the change that is [left](Self::left)
    /// there. If it is not, all is as before.
    fn by_newton(
        &mut self,
        solver: &mut FairSolver,
        from: &[f64],
    ) -> Result<(Vec<f64>, bool, f64), RunError> {
        let mut point = from.to_vec();
        if point.len() > NEWTON_UNKNOWNS {
            self.image_of(solver, from)?;
            return Ok((point, false, f64::INFINITY));
        }
        let this = RefCell::new(self);
        let size_of = |residual: &[f64]| this.borrow().change(residual.iter().copied());
        let change = newton(&mut point, TOLERANCE, size_of, |point| {
            this.borrow_mut().image_of(solver, point)
        })?;
        let this = this.into_inner();
        let image = this.image_of(solver, &point)?;
        let is_found = change < TOLERANCE;
        let left = this.left(&point, &image);
        if !is_found {
            this.image_of(solver, from)?;
        }
        Ok((point, is_found, left))
    }

    /// The image of a point and nothing else: queues remember the load of the last round, which is repeated
    /// until they do not matter.
    fn image_of(&mut self, solver: &mut FairSolver, point: &[f64]) -> Result<Vec<f64>, RunError> {
        let (mut image, mut before) = (Vec::new(), Vec::new());
        self.move_to(point);
        for _ in 0..REPEATED {
            self.charge_cores();
            self.share(solver, false)?;
            std::mem::swap(&mut image, &mut before);
            self.image(&mut image);
            let repeats = |(now, before): (&f64, &f64)| (now - before).abs() < REPEATS;
            if image.len() == before.len() && image.iter().zip(&before).all(repeats) {
                break;
            }
        }
        Ok(image)
    }

    /// Use of a socket over its capacity, as work is dealt and as it is balanced.
    fn uses(&self, socket: usize) -> [f64; 2] {
        let mut uses = [0.0; 2];
        for class in &self.classes {
            for (sum, cycles) in uses.iter_mut().zip(class.work.cycles(socket)) {
                *sum += class.throughput * cycles;
            }
        }
        uses.map(|cycles| cycles / self.cycles[socket])
    }

    /// Whether the cores of all sockets have time for the work that is dealt to them, or it moves.
    fn has_room(&self) -> bool {
        let is_below = |socket: usize| self.uses(socket)[0] <= 1.0 + CORES_FULL;
        self.moving || self.pool.is_none() || (0..self.cycles.len()).all(is_below)
    }

    /// Whether all cores together are full, and one socket more than others as work is dealt.
    fn must_move(&self) -> bool {
        let is_full = self.pool.is_some_and(|pool| self.used[pool] >= 1.0 - ROUNDING);
        is_full && self.to_move().1 > CORES_FULL
    }

    /// How much of the work must move so that no socket has too much, and how far that moves the use of one.
    fn to_move(&self) -> (f64, f64) {
        let (mut moved, mut spread) = (0.0_f64, 0.0_f64);
        for socket in 0..self.cycles.len() {
            let [dealt, balanced] = self.uses(socket);
            spread = spread.max((dealt - balanced).abs());
            if dealt > 1.0 && dealt > balanced {
                moved = moved.max((dealt - 1.0) / (dealt - balanced));
            }
        }
        (moved.min(1.0), spread)
    }

    /// What is iterated: logarithms of the populations, of the miss latencies and of the shares of the
    /// interrupts, and how much work moves.
    fn point(&self) -> Vec<f64> {
        let flows = self.fair.iter().map(|fair| libm::log(fair.flows));
        let latencies = self.miss_latencies.iter().map(|latency| libm::log(*latency));
        let kept = self.kept.iter().map(|kept| libm::log(*kept));
        let mut point: Vec<f64> = flows.chain(latencies).chain(kept).collect();
        self.queues.point(&mut point);
        point.extend(self.moving.then_some(self.moved));
        point
    }

    /// Begins the search with the miss latencies of an idle server.
    fn begin_idle(&mut self) {
        let (times, latencies) = (&mut self.times, &mut self.miss_latencies);
        self.fabric
            .loaded_latencies(&self.resource_rates, times, latencies);
    }

    fn move_to(&mut self, point: &[f64]) {
        let flows = self.fair.iter_mut().map(|fair| &mut fair.flows);
        let logarithms = flows.chain(&mut self.miss_latencies).chain(&mut self.kept);
        let mut coordinates = point.iter();
        for (value, logarithm) in logarithms.zip(&mut coordinates) {
            *value = libm::exp(*logarithm);
        }
        self.queues.move_to(&mut coordinates);
        if let Some(moved) = coordinates.next() {
            self.moved = moved.clamp(0.0, 1.0);
        }
    }

    /// Finds what classes without free work take of the cores.
    fn take_cores(&mut self) {
        self.taken_anew = 0.0;
        for (socket, taken) in self.taken.iter_mut().enumerate() {
            let bound = self.classes.iter().filter(|class| !class.work.is_free());
            let now: f64 = bound
                .map(|class| class.throughput * class.work.bound_cycles(socket))
                .sum();
            let change = (now - *taken).abs() / self.cycles[socket];
            self.taken_anew = self.taken_anew.max(change);
            *taken = now;
        }
    }

    /// Puts the cycles that an operation costs now into its costs and its cap, and what its misses use where
    /// it is done.
    fn charge_cores(&mut self) {
        let sockets = &self.bound.sockets;
        for class in &mut self.classes {
            let work = &mut class.work;
            if let Some(at) = class.moderated {
                work.keep_interrupts(self.kept[at]);
            }
            work.charge(sockets, self.fabric.of(class.class.homes, &self.miss_latencies));
        }
        for (class, fair) in self.classes.iter_mut().zip(&mut self.fair) {
            let work = &mut class.work;
            let latencies = self.fabric.of(class.class.homes, &self.miss_latencies);
            work.divide(&self.cycles, &self.taken, self.moved);
            if self.moving && work.is_free() {
                class.moving.shift(|socket| work.more(socket));
                let demand = &class.moving.demand;
                for ((_, units), &at) in fair.costs.iter_mut().zip(&class.costs_at) {
                    *units = demand[at].1;
                }
                for ((_, units), &at) in class.crossed.iter_mut().zip(&class.crossed_at) {
                    *units = demand[at].1;
                }
            }
            let costs = &mut fair.costs[class.first_core..];
            let mut alone = class.alone;
            let mut next = 0;
            if self.pool.is_some() {
                costs[0].1 = work.pool;
                next = 1;
            }
            if self.first_socket.is_some() {
                for (socket, (_, cost)) in costs[next..].iter_mut().take(sockets.len()).enumerate() {
                    *cost = work.bound_cycles(socket);
                    if class.class.background.is_none() {
                        alone = alone.min(self.cycles[socket] / *cost);
                    }
                }
                next += sockets.len();
            }
            if class.class.port_core.is_some() {
                let (position, cost) = &mut costs[next];
                *cost = self.bound.bound_cycles(class.class, &self.miss_latencies);
                if let Some(at) = class.moderated {
                    let saved = self.bound.saved_cycles(class.class, self.kept[at], &[]);
                    *cost = (*cost - saved.sum::<f64>()).max(0.0);
                }
                alone = alone.min(self.capacities[*position] / *cost);
            }
            // An operation works on a core, moves its data and waits for devices, one after the other.
            let core_seconds = work.core_seconds(sockets, latencies);
            let served = class.class.serial.seconds(core_seconds, class.transfer);
            let group = self.flow_groups[class.flow_group].group;
            let rest = group.delay + group.think + served;
            let wait = self.queues.wait(class.class, class.flow_group, rest);
            let serial_cap = 1.0 / (served + wait);
            class.core_cap = if wait + served < 2.0 * core_seconds {
                serial_cap
            } else {
                f64::INFINITY
            };
            class.lone = served.max(1.0 / alone);
            // A lone operation cannot be faster than each of its resources, however few are in flight on
            // average.
            fair.cap = Some(serial_cap.min(alone));
        }
    }

    /// Shares the resources among the populations. From one round to the next only populations, cycles and
    /// caps change.
    fn share(&mut self, solver: &mut FairSolver, first: bool) -> Result<(), RunError> {
        let allocation = if first {
            solver.solve(&self.capacities, &self.fair)?
        } else {
            for (index, (class, fair)) in self.classes.iter().zip(&self.fair).enumerate() {
                let first = if self.moving { 0 } else { class.first_core };
                let charged = &fair.costs[first..];
                solver.change(index, fair.flows, fair.cap, charged)?;
            }
            solver.solve_again()?
        };
        for (class, &rate) in self.classes.iter_mut().zip(&allocation.rates) {
            class.rate = rate;
        }
        Ok(())
    }

    /// The image of the point: populations by Little's law, and miss latencies under the load of those
    /// populations.
    fn image(&mut self, image: &mut Vec<f64>) {
        image.clear();
        self.use_capacities();
        let mut meetings = std::mem::take(&mut self.meetings);
        for index in 0..self.flow_groups.len() {
            let met = self.meetings_of_threads(index, &mut meetings);
            let group = self.flow_groups[index].group;
            let step = group.barrier.then(|| self.step(group.workload));
            let classes = &mut self.classes[self.starts[index]..self.starts[index + 1]];
            let flow_group = &self.flow_groups[index];
            let on_average: f64 = classes.iter().map(|class| class.share / class.rate).sum();
            let in_flight = on_average.max(met);
            let throughput = step.map_or_else(
                || flow_group.throughput(in_flight),
                |seconds| flow_group.threads / seconds,
            );
            for class in classes {
                class.stretch = in_flight / on_average;
                class.throughput = throughput * class.share;
                // Threads at a barrier are in flight for a part of each step.
                let together = step.map_or(1.0, |seconds| seconds / (seconds - group.think - group.delay));
                let population = class.throughput * class.seconds() * together;
                image.push(libm::log(population));
            }
        }
        self.meetings = meetings;
        for &resource in &self.waited_for {
            self.resource_rates[resource] = 0.0;
        }
        for class in &self.classes {
            for &(resource, units) in &class.crossed {
                self.resource_rates[resource] += units * class.throughput;
            }
        }
        let (times, loaded) = (&mut self.times, &mut self.loaded);
        self.fabric.loaded_latencies(&self.resource_rates, times, loaded);
        image.extend(loaded.iter().map(|latency| libm::log(*latency)));
        let events = self.interrupt_events();
        let ports = self.bound.moderation.iter().zip(events);
        image.extend(ports.map(|((_, moderation), events)| libm::log(moderation.kept(events))));
        let classes = &self.classes;
        let loads = classes.iter().map(|class| Load {
            class: class.class,
            flow_group: class.flow_group,
            throughput: class.throughput,
        });
        self.queues.image(loads, image);
        if self.moving {
            self.take_cores();
            let (moved, spread) = self.to_move();
            self.spread = spread;
            image.push(moved);
        }
    }

    /// Interrupts a second that lone operations would have, by port that moderates its.
    fn interrupt_events(&self) -> Vec<f64> {
        let mut events = vec![0.0; self.kept.len()];
        for class in &self.classes {
            if let (Some(at), Some(interrupts)) = (class.moderated, &class.class.interrupts) {
                events[at] += class.throughput * interrupts.announced;
            }
        }
        events
    }

    /// Seconds from one step to the next of a workload whose threads meet at a barrier: the last one decides.
    fn step(&self, workload: usize) -> f64 {
        let flow_groups = self.flow_groups.iter().enumerate();
        let of_workload = flow_groups.filter(|(_, flow_group)| flow_group.group.workload == workload);
        let at_barrier = of_workload.map(|(index, flow_group)| {
            let away = flow_group.group.think + flow_group.group.delay;
            let classes = self.classes[self.starts[index]..self.starts[index + 1]].iter();
            AtBarrier {
                threads: flow_group.threads,
                times: classes
                    .map(|class| (class.share, away + 1.0 / class.rate))
                    .collect(),
            }
        });
        step_seconds(&at_barrier.collect::<Vec<_>>())
    }

    /// What the operations in flight use of each capacity that the fair shares are of, and of the resources
    /// of clients.
    fn use_capacities(&mut self) {
        self.used.fill(0.0);
        for &(resource, ..) in self.classes.iter().flat_map(|class| &class.clients) {
            self.of_clients[resource] = 0.0;
        }
        for (class, fair) in self.classes.iter().zip(&self.fair) {
            let throughput = fair.flows * class.rate;
            for &(position, units) in &fair.costs {
                self.used[position] += throughput * units / self.capacities[position];
            }
            let members = self.flow_groups[class.flow_group].members;
            for &(resource, capacity, units) in &class.clients {
                self.of_clients[resource] += throughput / members * units / capacity;
            }
        }
    }

    /// Seconds that operations of a closed loop are in flight where they meet by chance.
    fn meetings_of_threads(&self, index: usize, meetings: &mut Meetings) -> f64 {
        let flow_group = &self.flow_groups[index];
        if !flow_group.is_closed() || flow_group.group.barrier {
            return 0.0;
        }
        let range = self.starts[index]..self.starts[index + 1];
        let (classes, fair) = (&self.classes[range.clone()], &self.fair[range]);
        let mean = |of: &dyn Fn(&FlowGroupClass<'_>, &FairClass) -> f64| -> f64 {
            let both = classes.iter().zip(fair);
            both.map(|(class, fair)| class.share * of(class, fair)).sum()
        };
        let lone = mean(&|class, _| class.lone);
        if lone <= 0.0 {
            return 0.0;
        }
        let with_waits = mean(&|_, fair| fair.cap.map_or(0.0, |cap| 1.0 / cap));
        let throughput = mean(&|class, fair| fair.flows * class.rate / class.share);
        // All operations of a lone client meet both at it and at the server.
        let is_lone = flow_group.members <= 1.0;
        meetings.own.clear();
        for class in classes.iter().filter(|_| !is_lone) {
            let times = class
                .clients
                .iter()
                .map(|(resource, capacity, units)| (*resource, units / capacity));
            let slowest = times.max_by(|one, other| one.1.total_cmp(&other.1));
            let Some((resource, seconds)) = slowest.filter(|&(_, seconds)| seconds > 0.0) else {
                continue;
            };
            let [seconds, lone] = [class.share * seconds, class.share * class.lone];
            match meetings.own.iter_mut().find(|own| own.resource == resource) {
                Some(own) => (own.seconds, own.lone) = (own.seconds + seconds, own.lone + lone),
                None => meetings.own.push(Own {
                    resource,
                    seconds,
                    lone,
                    used: self.of_clients[resource],
                }),
            }
        }
        // By position, the share of a capacity that one operation a second takes.
        let shares = &mut meetings.shares;
        shares.clear();
        for (class, fair) in classes.iter().zip(fair) {
            let costs = class
                .waited(fair)
                .filter(|&(position, _)| is_lone || !self.own[position]);
            shares.extend(
                costs.map(|(position, units)| (position, class.share * units / self.capacities[position])),
            );
        }
        if classes.len() > 1 {
            shares.sort_unstable_by_key(|&(position, _)| position);
            shares.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0.0 };
                same
            });
        }
        let more = meetings.cost(
            &Loop {
                threads: flow_group.present(),
                members: flow_group.members,
                away: (flow_group.group.delay + flow_group.group.think + with_waits - lone) / lone,
                lone,
                throughput,
            },
            &self.used,
        );
        with_waits + lone * more
    }

    /// What some classes use of each capacity that the fair shares are of, and of the resources of clients.
    fn use_by(&self, is_counted: impl Fn(usize) -> bool) -> Uses {
        let mut used = vec![0.0; self.capacities.len()];
        let mut of_clients = vec![0.0; self.resource_rates.len()];
        for index in (0..self.classes.len()).filter(|&index| is_counted(index)) {
            let (class, fair) = (&self.classes[index], &self.fair[index]);
            for &(position, units) in &fair.costs {
                used[position] += class.throughput * units / self.capacities[position];
            }
            let members = self.flow_groups[class.flow_group].members;
            for &(resource, capacity, units) in &class.clients {
                of_clients[resource] += class.throughput / members * units / capacity;
            }
        }
        (used, of_clients)
    }

    /// Whether a full resource holds a class back, rather than its own work.
    fn is_held(&self, index: usize) -> bool {
        self.fair[index]
            .cap
            .is_none_or(|cap| self.classes[index].rate < QUITE_FULL * cap)
    }

    /// The operations of a group of an open loop that the server works on at a time if more come than it can
    /// do: several times as many as are in flight on an idle server, and several for each of closed loops, so
    /// that those leave the open loop most of the server.
    fn in_service(&self, index: usize) -> f64 {
        /// The factor on what is in flight on an idle server, and the least number.
        const AMPLE: f64 = 4.0;
        const LEAST: f64 = 16.0;
        /// The least number with devices, which have queues to fill.
        const LEAST_OF_DEVICES: f64 = 1024.0;
        let flow_group = &self.flow_groups[index];
        if !flow_group.is_offered() {
            return f64::INFINITY;
        }
        if let Some(found) = flow_group.in_service {
            return found;
        }
        let (mut in_flight, mut least) = (0.0, LEAST);
        for class in self.classes_of(index) {
            in_flight += class.throughput * class.lone;
            if !class.class.device_waits.is_empty() {
                least = LEAST_OF_DEVICES;
            }
        }
        let closed = (0..self.flow_groups.len()).filter(|&other| self.flow_groups[other].is_closed());
        let closed: f64 = closed
            .map(|other| {
                let classes = self.classes_of(other).iter();
                let lone: f64 = classes.map(|class| class.share * class.lone).sum();
                self.flow_groups[other].throughput(lone) * lone
            })
            .sum();
        let open = self.flow_groups.iter().filter(|other| other.is_offered());
        let open: f64 = open.map(|other| other.members).sum();
        let of_group = (in_flight / flow_group.members).max(closed / open);
        (AMPLE * of_group).max(least)
    }

    /// Whether an open loop would have more operations at the server than that works on at a time, beside
    /// other loads.
    fn is_to_be_held(&self, index: usize, in_service: f64) -> bool {
        let flow_group = &self.flow_groups[index];
        let is_held = flow_group.in_service.is_some() || flow_group.slots.is_finite();
        if is_held || !flow_group.is_offered() || self.flow_groups.len() == 1 {
            return false;
        }
        let range = self.starts[index]..self.starts[index + 1];
        // Waits for devices are not in it.
        let sharing = range.map(|at| {
            let class = &self.classes[at];
            class.throughput * (class.seconds() - self.waits_for_devices(at))
        });
        flow_group.refused(self.classes_of(index)) > OVERLOAD
            || sharing.sum::<f64>() > in_service * flow_group.members
    }

    /// Limits open loops as another steady state says.
    fn hold(&mut self, limits: &SteadyState) {
        for (group, &flow_group) in self.flow_group_of.iter().enumerate() {
            let flow_group = &mut self.flow_groups[flow_group];
            if limits.held[group] {
                flow_group.in_service = Some(limits.in_service[group]);
                flow_group.slots = limits.in_service[group] * flow_group.members;
            }
        }
    }

    fn classes_of(&self, flow_group: usize) -> &[FlowGroupClass<'a>] {
        &self.classes[self.starts[flow_group]..self.starts[flow_group + 1]]
    }

    /// Seconds that a lone operation of a class waits for devices.
    fn waits_for_devices(&self, index: usize) -> f64 {
        let seconds = self.fair[index].cap.map_or(0.0, |cap| 1.0 / cap);
        (seconds - self.classes[index].lone).max(0.0)
    }

    /// Seconds from the arrival of an operation to its end, with those of closed loops as they are in
    /// `seconds`: threads that wait for their replies give way to open loops.
    fn seconds_of_open_loops(&self, seconds: &[f64], in_service: &[f64]) -> Vec<f64> {
        let is_offered = |index: usize| self.flow_groups[self.classes[index].flow_group].is_offered();
        let by_open = self.use_by(is_offered);
        let mut squares = vec![0.0; self.capacities.len()];
        for index in (0..self.classes.len()).filter(|&index| is_offered(index)) {
            let (class, fair) = (&self.classes[index], &self.fair[index]);
            for &(position, units) in &fair.costs {
                let members = if self.own[position] {
                    self.flow_groups[class.flow_group].members
                } else {
                    1.0
                };
                let share = units / self.capacities[position];
                squares[position] += class.throughput * share * share * members;
            }
        }
        let open = OpenLoops {
            all: self.use_by(|_| true),
            served: (0..self.classes.len())
                .filter(|&index| is_offered(index))
                .map(|index| self.classes[index].throughput)
                .sum(),
            in_service: (self.flow_groups.iter().zip(in_service))
                .filter(|(flow_group, _)| flow_group.is_offered())
                .map(|(flow_group, each)| {
                    flow_group.members * each.min(flow_group.slots / flow_group.members)
                })
                .sum(),
            by_open,
            squares,
            are_alone: self.flow_groups.iter().all(FlowGroup::comes_at_random),
        };
        let each = (0..self.classes.len()).map(|index| {
            if is_offered(index) {
                self.open_seconds(index, seconds[index], &open)
            } else {
                seconds[index]
            }
        });
        each.collect()
    }

    /// The same for one class of an open loop, which takes `seconds` among as many as there are on average.
    fn open_seconds(&self, index: usize, seconds: f64, open: &OpenLoops) -> f64 {
        let class = &self.classes[index];
        let flow_group = &self.flow_groups[class.flow_group];
        let refused = flow_group.refused(self.classes_of(class.flow_group));
        let is_overloaded = refused > OVERLOAD;
        // What others leave of a full resource is all that open loops have.
        let of_left = |work: f64, used: f64| if is_overloaded { work / (used * used) } else { work };
        let is_random = flow_group.comes_at_random();
        let arriving = |service: f64, of_work: f64| Arriving {
            service,
            of_work,
            of_arrivals: f64::from(u8::from(is_random)),
        };
        let of_work = self.bound.work_variation * self.bound.work_variation;
        let run = &self.bound.run;
        let at_capacity = Overload {
            from: run.warm_up.get(),
            seconds: run.duration.get(),
            drift: 0.0,
        };
        // Places where it meets others: seconds longer in the steady state, the work that arrives, those in
        // service there, and the use by all.
        let place = |used: f64, all: f64, share: f64, work: f64, in_service: f64| Meeting {
            seconds: class.lone * meeting(used, class.lone / share),
            arriving: arriving(work, of_work),
            in_service,
            used: all,
        };
        let at_client = class.clients.iter().map(|&(resource, capacity, units)| {
            let (share, used) = (units / capacity, open.by_open.1[resource]);
            let in_service = open.in_service / flow_group.members;
            place(
                used,
                open.all.1[resource],
                share,
                of_left(share * used, used),
                in_service,
            )
        });
        let costs = class
            .waited(&self.fair[index])
            .filter(|&(position, _)| !self.own[position]);
        let at_server = costs.map(|(position, units)| {
            let (share, used) = (units / self.capacities[position], open.by_open.0[position]);
            let work = of_left(open.squares[position], used);
            place(used, open.all.0[position], share, work, open.in_service)
        });
        let (at_client, at_server): (Vec<_>, Vec<_>) = (at_client.collect(), at_server.collect());
        let longest = |places: &[Meeting]| {
            let seconds = places.iter().map(|place| {
                place
                    .seconds
                    .min(at_capacity.shared(place.arriving, place.in_service))
            });
            if is_random {
                seconds.fold(0.0, f64::max)
            } else {
                0.0
            }
        };
        let fullest = |places: &[Meeting]| places.iter().map(|place| place.used).fold(0.0, f64::max);
        let queued = (self.waits_for_devices(index) - self.idle_waits[index]).max(0.0);
        let at_devices = self.queues.busiest(class.class);
        let at_devices = at_devices.map(|(service, of_work)| arriving(service, of_work));
        if !is_overloaded {
            let most = at_devices.map_or(f64::INFINITY, |arriving| at_capacity.in_order(arriving));
            // Operations of a lone client meet at it and at the server together.
            let met = if flow_group.members > 1.0 {
                longest(&at_client) + longest(&at_server)
            } else {
                longest(&at_client).max(longest(&at_server))
            };
            let by_chance = if is_random {
                self.queues.wait_by_chance(class.class)
            } else {
                0.0
            };
            let burst = self.burst(index, &open.by_open.0);
            let lone = class.lone + self.waits_for_devices(index);
            // Without others, what it shares with is a backlog, and in what it meets already.
            let seconds = if open.are_alone {
                seconds.min(lone)
            } else {
                seconds
            };
            return seconds - (queued - queued.min(most)) + met + by_chance + burst;
        }
        let overload = Overload {
            drift: refused / (1.0 - refused),
            ..at_capacity
        };
        let alone = class.lone + self.idle_waits[index];
        let full = fullest(&at_client).max(fullest(&at_server));
        let is_full = |place: &&Meeting| place.used >= full;
        let backlog = |places: &[Meeting]| {
            let place = places.iter().find(is_full);
            place.map(|place| overload.shared(place.arriving, place.in_service))
        };
        let (at, beside) = if full < FULL_PLACE {
            let arriving = at_devices.unwrap_or_else(|| arriving(1.0 / open.served, of_work));
            let beside = longest(&at_client) + longest(&at_server);
            (overload.in_order(arriving), beside)
        } else if let Some(wait) = backlog(&at_server) {
            (wait, longest(&at_client))
        } else {
            (backlog(&at_client).unwrap_or(0.0), longest(&at_server))
        };
        let beside = if flow_group.members > 1.0 { beside } else { 0.0 };
        alone + at + beside
    }

    /// Seconds that an operation of an open loop takes longer because those that were written to a log
    /// together complete their writes together, and then share the resources of the server. Until the next
    /// ones come, a resource works on them for a share of the time that is their use of it, over what others
    /// leave. With processor sharing an operation of mean work is complete at the end of that time if all
    /// have the same work; the mean over drawn work is shorter by half of the variation (the Gini
    /// coefficient of a constant and an exponential part).
    fn burst(&self, index: usize, used: &[f64]) -> f64 {
        let class = &self.classes[index];
        if !self.flow_groups[class.flow_group].is_offered() {
            return 0.0;
        }
        let Some((log, together, seconds)) = self.queues.released(class.class) else {
            return 0.0;
        };
        let of_log = self.classes.iter().zip(&self.fair);
        let of_log = of_log.filter(|(other, _)| other.class.device_waits.iter().any(|wait| wait.is_for(log)));
        let mut own = vec![0.0; used.len()];
        for (other, fair) in of_log {
            for (position, units) in other.waited(fair) {
                own[position] += other.throughput * units / self.capacities[position];
            }
        }
        let costs = class.waited(&self.fair[index]);
        let times = costs
            .filter(|&(position, _)| !self.own[position])
            .map(|(position, units)| {
                let at_once = self.capacities[position] * class.lone / units;
                let left = 1.0 - (used[position] - own[position]).clamp(0.0, FULL);
                (1.0 - at_once / together).max(0.0) * own[position] / left
            });
        seconds * times.fold(0.0, f64::max) * (1.0 - self.bound.work_variation / 2.0)
    }

    /// Seconds in flight of every class.
    fn seconds(&self) -> Vec<f64> {
        let mut seconds: Vec<f64> = self.classes.iter().map(FlowGroupClass::seconds).collect();
        let mixes = self.flow_groups.iter().enumerate().filter(|(index, flow_group)| {
            let is_mix = self.starts[index + 1] - self.starts[*index] > 1;
            is_mix && flow_group.is_closed() && !flow_group.group.barrier
        });
        let mut uses = None;
        for (flow_group, _) in mixes {
            let range = self.starts[flow_group]..self.starts[flow_group + 1];
            let mut kinds: Vec<Kind> = range.clone().map(|index| self.kind(index)).collect();
            if kinds.iter().all(|kind| kind.beyond() <= ROUNDING * kind.seconds) {
                continue;
            }
            let [all, held] =
                uses.get_or_insert_with(|| [self.use_by(|_| true), self.use_by(|index| self.is_held(index))]);
            let in_flight: f64 = kinds.iter().map(|kind| kind.share * kind.seconds).sum();
            for (kind, index) in kinds
                .iter_mut()
                .zip(range.clone())
                .filter(|(kind, _)| !kind.is_held)
            {
                kind.met = self.met(index, in_flight, all, held);
            }
            for (of_class, found) in seconds[range].iter_mut().zip(seconds_by_kind(&kinds)) {
                *of_class = found;
            }
        }
        seconds
    }

    /// A class of a mix, before it meets others.
    fn kind(&self, index: usize) -> Kind {
        let class = &self.classes[index];
        Kind {
            share: class.share,
            seconds: class.seconds(),
            lone: self.fair[index].cap.map_or(0.0, |cap| 1.0 / cap),
            met: 0.0,
            is_held: self.is_held(index),
        }
    }

    /// Seconds that an operation of a closed loop takes longer where it meets others, at its client and at
    /// the server, with the mean time in flight of the loop and the use by all classes and by those that a
    /// full resource holds back.
    fn met(&self, index: usize, in_flight: f64, all: &Uses, held: &Uses) -> f64 {
        let class = &self.classes[index];
        let flow_group = &self.flow_groups[class.flow_group];
        let cycle = (flow_group.group.think + flow_group.group.delay + in_flight) / class.share;
        let threads = flow_group.present();
        let members = flow_group.members;
        let at_client = class.clients.iter().map(|&(resource, capacity, units)| Place {
            seconds: units / capacity,
            own: class.throughput / members * units / capacity,
            all: all.1[resource],
            held: held.1[resource],
        });
        let at_client = met(at_client, class.lone, cycle, threads / members);
        let costs = class
            .waited(&self.fair[index])
            .filter(|&(position, _)| !self.own[position]);
        let at_server = costs.map(|(position, units)| Place {
            seconds: units / self.capacities[position],
            own: class.throughput * units / self.capacities[position],
            all: all.0[position],
            held: held.0[position],
        });
        let at_server = met(at_server, class.lone, cycle, threads);
        // Operations of a lone client meet at both.
        if members > 1.0 {
            at_client + at_server
        } else {
            at_client.max(at_server)
        }
    }

    fn finish(mut self) -> SteadyState {
        let bound = self.bound;
        let mut class_rates = vec![0.0; bound.classes.len()];
        let mut class_seconds = vec![0.0; bound.classes.len()];
        let mut class_waits = vec![0.0; bound.classes.len()];
        let mut core_bound = vec![false; bound.classes.len()];
        for (group, &flow_group) in bound.threads.iter().zip(&self.flow_group_of) {
            let start = self.starts[flow_group];
            let wait = self.flow_groups[flow_group].wait(&self.classes[start..self.starts[flow_group + 1]]);
            for (visit, &(class, _)) in group.visits.iter().enumerate() {
                class_waits[class] = wait;
                let lumped = &self.classes[start + visit];
                class_rates[class] +=
                    group.members * lumped.throughput / self.flow_groups[flow_group].members;
                core_bound[class] = lumped.rate >= lumped.core_cap * QUITE_FULL;
            }
        }
        let shares = self.moving.then(|| {
            let mut shares = vec![Vec::new(); bound.classes.len()];
            for (group, &flow_group) in bound.threads.iter().zip(&self.flow_group_of) {
                let classes = &self.classes[self.starts[flow_group]..];
                for (&(class, _), lumped) in group.visits.iter().zip(classes) {
                    shares[class] = lumped.work.shares();
                }
            }
            shares
        });
        let mut resource_rates = bound.resource_rates(&class_rates, &self.miss_latencies);
        if let Some(shares) = &shares {
            bound.move_rates(shares, &class_rates, &self.miss_latencies, &mut resource_rates);
        }
        bound.save_rates(&self.kept, shares.as_deref(), &class_rates, &mut resource_rates);
        let loads = self.classes.iter().map(|class| Load {
            class: class.class,
            flow_group: class.flow_group,
            throughput: class.throughput,
        });
        self.queues.correct(loads, &mut resource_rates);
        let seconds = self.seconds();
        for (group, &flow_group) in bound.threads.iter().zip(&self.flow_group_of) {
            for (&(class, _), seconds) in group.visits.iter().zip(&seconds[self.starts[flow_group]..]) {
                class_seconds[class] = *seconds;
            }
        }
        let in_service: Vec<f64> = (0..self.flow_groups.len())
            .map(|flow_group| self.in_service(flow_group))
            .collect();
        let held = self.flow_group_of.iter();
        let held = held.map(|&flow_group| self.is_to_be_held(flow_group, in_service[flow_group]));
        let held = held.collect();
        if self.flow_groups.iter().any(FlowGroup::is_offered) {
            let seconds = self.seconds_of_open_loops(&seconds, &in_service);
            for (group, &flow_group) in bound.threads.iter().zip(&self.flow_group_of) {
                for (&(class, _), seconds) in group.visits.iter().zip(&seconds[self.starts[flow_group]..]) {
                    class_seconds[class] = *seconds;
                }
            }
        }
        let per_group = self.flow_group_of.iter();
        let per_group = per_group.map(|&flow_group| in_service[flow_group]);
        SteadyState {
            class_rates,
            class_seconds,
            class_waits,
            in_service: per_group.collect(),
            held,
            resource_rates,
            core_bound,
            point: self.point(),
            miss_latencies: self.miss_latencies,
            kept: self.kept,
            shares,
            balanced: OnceLock::new(),
        }
    }
}

/// Makes flow groups of threads; also returns the flow group of every group of threads. `threads` multiplies
/// those of closed loops; without any, it multiplies the rates of open loops.
fn flow_groups(bound: &Bound, threads: f64) -> (Vec<FlowGroup<'_>>, Vec<usize>) {
    let mut flow_groups: Vec<FlowGroup<'_>> = Vec::new();
    let mut index_of: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let is_open = |group: &ThreadGroup| group.offered().is_some();
    let all_open = bound.threads.iter().all(is_open);
    let flow_group_of = bound.threads.iter().map(|group| {
        let key = (group.workload, group.kind);
        let index = *index_of.entry(key).or_insert(flow_groups.len());
        if index == flow_groups.len() {
            flow_groups.push(FlowGroup {
                group,
                members: 0.0,
                threads: 0.0,
                slots: 0.0,
                in_service: None,
            });
        }
        let more = if all_open || !is_open(group) { threads } else { 1.0 };
        flow_groups[index].members += group.members;
        flow_groups[index].threads += group.members * more * group.population;
        flow_groups[index].slots += group.members * more * group.slots;
        index
    });
    let flow_group_of = flow_group_of.collect();
    (flow_groups, flow_group_of)
}
