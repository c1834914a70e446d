//! The state of the search, and what an operation costs on cores and of other resources.

use bandgraph_engine::fair::FairClass;
use bandgraph_model::{Bound, Fabric, OPEN_HORIZON};

use super::Iteration;
use super::flow_groups::{FlowGroupClass, at_devices, flow_groups, waited_share};
use super::memory::{SearchMemory, reset};
use crate::class_work::ClassWork;
use crate::dominance::essential;
use crate::lines::apart;
use crate::moving_demand::{MovingDemand, add_places};
use crate::queues::Queues;
use crate::slowest::last_delay;

impl<'a> Iteration<'a> {
    pub(crate) fn new(
        bound: &'a Bound,
        fabric: &'a Fabric,
        capacities: &[f64],
        threads: f64,
        moving: bool,
        memory: &'a mut SearchMemory,
    ) -> Self {
        reset(&mut memory.rates, capacities.len(), 0.0);
        reset(&mut memory.of_clients, capacities.len(), 0.0);
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
                    last: 0.0,
                    core_cap: f64::INFINITY,
                    rate: 0.0,
                    stretch: 1.0,
                    throughput: 0.0,
                });
            }
            starts.push(classes.len());
        }
        let queues = Queues::new(bound, capacities, at_devices(bound, &flow_groups));
        let idle = |class: &FlowGroupClass<'_>| queues.wait(class.class, OPEN_HORIZON);
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
            moving,
            moved: 0.0,
            spread: 0.0,
            miss_latencies: vec![0.0; fabric.latencies()],
            kept: vec![1.0; bound.moderation.len()],
            waited_for: fabric.resources(),
            queues,
            idle_waits,
            given: Vec::new(),
            images: 0,
            unsettled: 0.0,
            is_at_jump: false,
            memory,
        };
        iteration.set_costs(capacities);
        iteration
    }

    /// Sets the costs of all classes on the resources that can hold one back, for work that moves or does
    /// not.
    pub(super) fn set_costs(&mut self, capacities: &[f64]) {
        let (bound, moving, classes) = (self.bound, self.moving, &mut self.classes);
        let SearchMemory {
            used,
            is_waited_for,
            position_of,
            ..
        } = &mut *self.memory;
        reset(is_waited_for, capacities.len(), false);
        for &resource in &self.waited_for {
            is_waited_for[resource] = true;
        }
        // Clients differ in their own resources only: one uses the devices that all do.
        let is_apart = apart(bound, classes.iter().map(|class| class.class));
        let mut demands = Vec::with_capacity(classes.len());
        for class in classes.iter() {
            let members = self.flow_groups[class.flow_group].members;
            // One client's link in the costs stands for as many as the flow group has members.
            let demand = class.class.demand.iter();
            let mut lumped = Vec::with_capacity(class.class.demand.len());
            lumped.extend(
                demand
                    .filter(|&&(resource, _)| !is_apart[resource])
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
        reset(position_of, capacities.len(), None);
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
            class.crossed.clear();
            class.crossed.reserve(self.waited_for.len());
            class.crossed.extend(crossed);
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
        reset(used, solved.len(), 0.0);
        (self.fair, self.own, self.capacities) = (fair, own, solved);
        (self.pool, self.first_socket) = (pool, first_socket);
    }

    /// Finds what classes without free work take of the cores.
    pub(super) fn take_cores(&mut self) {
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
    pub(super) fn charge_cores(&mut self) {
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
            let paces = self.fabric.of(class.class.homes, &self.miss_latencies);
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
                        alone = alone.min(self.cycles[socket] / class.class.serial.own_work(*cost));
                    }
                }
                next += sockets.len();
            }
            if class.class.port_core.is_some() {
                let (position, cost) = &mut costs[next];
                *cost = self.bound.bound_cycles(class.class, &self.miss_latencies);
                if let Some(at) = class.moderated {
                    let kept = self.kept[at];
                    let saved = self
                        .bound
                        .saved_cycles(class.class, kept, &[], &self.miss_latencies);
                    *cost = (*cost - saved.sum::<f64>()).max(0.0);
                }
                alone = alone.min(self.capacities[*position] / *cost);
            }
            // An operation works on a core, moves its data and waits for devices, one after the other.
            let core_seconds = work.core_seconds(sockets, paces);
            let served = class.class.serial.seconds(core_seconds, class.transfer);
            let group = self.flow_groups[class.flow_group].group;
            let rest = group.delay + group.think + served;
            let line = self.queues.lines.wait(class.class);
            let wait = line + self.queues.wait(class.class, rest + line);
            let serial_cap = 1.0 / (served + wait);
            class.core_cap = if wait + served < 2.0 * class.class.serial.own_work(core_seconds) {
                serial_cap
            } else {
                f64::INFINITY
            };
            if group.barrier {
                let threads = self.queues.together(class.class) * class.share;
                let work = class.class.serial.own_work(core_seconds);
                let drawn = last_delay(work, self.bound.work_variation, threads) - work;
                let longer = self.queues.longer(class.class, threads.max(1.0));
                let squares: f64 = longer.map(|seconds| seconds * seconds).sum();
                class.last = served + wait + (squares + drawn * drawn).sqrt();
            }
            class.lone = served.max(1.0 / alone);
            // A lone operation cannot be faster than each of its resources, however few are in flight on
            // average.
            fair.cap = Some(serial_cap.min(alone));
        }
    }
}
