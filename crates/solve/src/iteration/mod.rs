//! The steady state without events.
//!
//! Threads are a closed network: each is either in a delay (network, interrupts, think time) or has one
//! operation in flight, and the operations in flight share the resources as the engine's flows do. The steady
//! state is the fixed point of three relations that are solved together:
//!
//! 1. the rate of each operation in flight, from the fair shares of all of them;
//! 2. how many are in flight, from those rates and the delays (Little's law, per group of threads);
//! 3. how long a miss takes and how fast the clock is, hence how many cycles an operation costs, from the use
//!    of links, memory and cores; and how many interrupts, from how often they come to a port.
//!
//! Populations are averages. Where nothing is saturated, more operations are in flight at some moments than a
//! resource takes at full speed. Threads of a closed loop then take as long as in a network in product form
//! ([`slowdown`]); what such meetings cost an open loop is added to its latency ([`meeting`]). Threads that
//! meet at a barrier are in flight together, and think together: their operations share the resources with
//! those of the other threads that have no reply yet, for a part of the time (`barrier.rs`).

mod by_wait;
mod costs;
mod ends;
mod flow_groups;
mod in_line;
mod memory;
mod open_loops;
mod search;

use bandgraph_engine::fair::FairClass;
use bandgraph_model::{Bound, Fabric};

pub use self::memory::SearchMemory;

use self::flow_groups::{FlowGroup, FlowGroupClass};
use crate::RunError;
use crate::barrier::{AtBarrier, step_seconds};
use crate::meetings::{Loop, Meetings, Own};
use crate::queues::{Load, Queues};

/// How much more than all of its cycles a socket may be dealt: rounding.
const CORES_FULL: f64 = 1e-9;
/// The share of an open loop's operations below which those not served are rounding.
pub(crate) const OVERLOAD: f64 = 1e-5;
/// Relative rounding error of sums.
const ROUNDING: f64 = 1e-9;

/// Shares that are used of the capacities of the fair shares, by position, and of the resources of clients.
type Uses = (Vec<f64>, Vec<f64>);

/// The state of the fixed-point iteration.
pub(crate) struct Iteration<'a> {
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
    /// The resources that misses wait for.
    waited_for: Vec<usize>,
    /// The queues of disks and logs, and by class what one waits for them where there is no load.
    queues: Queues<'a>,
    idle_waits: Vec<f64>,
    /// The waits in the first lines where they are given, in the unit of a point.
    given: Vec<f64>,
    /// Images so far.
    images: u32,
    /// The change that is left at the end of the search, where it found no fixed point.
    unsettled: f64,
    /// Whether it ended where a figure of the model jumps, on one side of it.
    is_at_jump: bool,
    memory: &'a mut SearchMemory,
}

impl<'a> Iteration<'a> {
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
        let is_full = self
            .pool
            .is_some_and(|pool| self.memory.used[pool] >= 1.0 - ROUNDING);
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
    pub(crate) fn point(&self) -> Vec<f64> {
        let flows = self.fair.iter().map(|fair| libm::log(fair.flows));
        let latencies = self.miss_latencies.iter().map(|latency| libm::log(*latency));
        let kept = self.kept.iter().map(|kept| libm::log(*kept));
        let mut point: Vec<f64> = flows.chain(latencies).chain(kept).collect();
        self.queues.point(&mut point);
        point.extend(self.moving.then_some(self.moved));
        point
    }

    /// Begins the search with the miss latencies of an idle server.
    pub(crate) fn begin_idle(&mut self) {
        let SearchMemory { rates, times, .. } = &mut *self.memory;
        self.fabric
            .loaded_latencies(rates, times, &mut self.miss_latencies);
    }

    pub(crate) fn move_to(&mut self, point: &[f64]) {
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

    /// Shares the resources among the populations. From one round to the next only populations, cycles and
    /// caps change.
    fn share(&mut self, first: bool) -> Result<(), RunError> {
        let solver = &mut self.memory.solver;
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
        self.images += 1;
        self.use_capacities();
        let mut meetings = std::mem::take(&mut self.memory.meetings);
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
        self.memory.meetings = meetings;
        let SearchMemory {
            rates, times, loaded, ..
        } = &mut *self.memory;
        for &resource in &self.waited_for {
            rates[resource] = 0.0;
        }
        for class in &self.classes {
            for &(resource, units) in &class.crossed {
                rates[resource] += units * class.throughput;
            }
        }
        for (socket, cpu) in self.fabric.turbos() {
            let classes = self.classes.iter();
            rates[cpu] = classes
                .map(|class| class.throughput * class.work.cycles_now(socket))
                .sum();
        }
        self.fabric.loaded_latencies(rates, times, loaded);
        image.extend(loaded.iter().map(|latency| libm::log(*latency)));
        let events = self.interrupt_events();
        let ports = self.bound.moderation.iter().zip(events);
        image.extend(ports.map(|((_, moderation), events)| libm::log(moderation.kept(events))));
        let classes = &self.classes;
        let loads = classes.iter().map(|class| Load {
            class: class.class,
            throughput: class.throughput,
        });
        self.queues.image(loads, image);
        for line in 0..self.queues.lines.len() {
            image.push(self.queues.image_of_line(line, &self.writers(line)));
        }
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
                    .map(|class| (class.share, away + class.last.max(1.0 / class.rate)))
                    .collect(),
            }
        });
        step_seconds(&at_barrier.collect::<Vec<_>>())
    }

    /// What the operations in flight use of each capacity that the fair shares are of, and of the resources
    /// of clients.
    fn use_capacities(&mut self) {
        let SearchMemory { used, of_clients, .. } = &mut *self.memory;
        used.fill(0.0);
        for &(resource, ..) in self.classes.iter().flat_map(|class| &class.clients) {
            of_clients[resource] = 0.0;
        }
        for (class, fair) in self.classes.iter().zip(&self.fair) {
            let throughput = fair.flows * class.rate;
            for &(position, units) in &fair.costs {
                used[position] += throughput * units / self.capacities[position];
            }
            let members = self.flow_groups[class.flow_group].members;
            for &(resource, capacity, units) in &class.clients {
                of_clients[resource] += throughput / members * units / capacity;
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
        meetings.own.clear();
        for class in classes {
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
                    used: self.memory.of_clients[resource],
                }),
            }
        }
        // All operations of a lone client meet both at it and at the server, so that its resource counts as one
        // of the server. Several that its operations divide among them are a network of queues.
        let is_lone = flow_group.members <= 1.0 && (meetings.own.len() < 2 || !meetings.delays_at_client());
        if is_lone {
            meetings.own.clear();
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
                away: (flow_group.group.delay + flow_group.idle(classes) + with_waits - lone) / lone,
                lone,
                throughput,
            },
            &self.memory.used,
        );
        with_waits + lone * more
    }

    fn classes_of(&self, flow_group: usize) -> &[FlowGroupClass<'a>] {
        &self.classes[self.starts[flow_group]..self.starts[flow_group + 1]]
    }
}
