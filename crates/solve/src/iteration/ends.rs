//! What a found steady state says: rates, and times of all classes.

use std::sync::OnceLock;

use bandgraph_topology::ResourceKind;

use super::flow_groups::{FlowGroup, FlowGroupClass};
use super::{Iteration, ROUNDING, Uses};
use crate::by_class::{Kind, Place, met, seconds_by_kind};
use crate::meetings::QUITE_FULL;
use crate::predict::SteadyState;
use crate::queues::{DISKS_FIT, Load};

/// Load of a disk beyond its capacity up to which a prediction is approximate; more is a defect.
const MOST_BEYOND: f64 = 0.25;

impl Iteration<'_> {
    /// What some classes use of each capacity that the fair shares are of.
    fn use_of_shared(&self, is_counted: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut used = vec![0.0; self.capacities.len()];
        for index in (0..self.classes.len()).filter(|&index| is_counted(index)) {
            let (class, fair) = (&self.classes[index], &self.fair[index]);
            for &(position, units) in &fair.costs {
                used[position] += class.throughput * units / self.capacities[position];
            }
        }
        used
    }

    /// The same, and what they use of the resources of clients.
    pub(super) fn use_by(&self, is_counted: impl Fn(usize) -> bool) -> Uses {
        let used = self.use_of_shared(&is_counted);
        let mut of_clients = vec![0.0; self.memory.rates.len()];
        for index in (0..self.classes.len()).filter(|&index| is_counted(index)) {
            let class = &self.classes[index];
            let members = self.flow_groups[class.flow_group].members;
            for &(resource, capacity, units) in &class.clients {
                of_clients[resource] += class.throughput / members * units / capacity;
            }
        }
        (used, of_clients)
    }

    /// Whether a full resource holds a class back, rather than its own work.
    pub(super) fn is_held(&self, index: usize) -> bool {
        self.fair[index]
            .cap
            .is_none_or(|cap| self.classes[index].rate < QUITE_FULL * cap)
    }

    /// Limits open loops as another steady state says.
    pub(crate) fn hold(&mut self, limits: &SteadyState) {
        for (group, &flow_group) in self.flow_group_of.iter().enumerate() {
            let flow_group = &mut self.flow_groups[flow_group];
            if limits.held[group] {
                flow_group.in_service = Some(limits.in_service[group]);
                flow_group.slots = limits.in_service[group] * flow_group.members;
            }
        }
    }

    /// Seconds in flight of every class.
    pub(super) fn seconds(&self) -> Vec<f64> {
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
    pub(super) fn kind(&self, index: usize) -> Kind {
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
    pub(super) fn met(&self, index: usize, in_flight: f64, all: &Uses, held: &Uses) -> f64 {
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

    /// Lets no resource carry more than it can: at an end of the search that is close to the fixed point, a
    /// full one may be exceeded by what is left there.
    fn fit_into_capacities(&mut self) {
        for _ in 0..self.capacities.len() {
            let used = self.use_of_shared(|_| true);
            let fullest = used
                .into_iter()
                .enumerate()
                .max_by(|(_, a), (_, b)| a.total_cmp(b));
            let Some((position, used)) = fullest.filter(|&(_, used)| used > 1.0 + ROUNDING) else {
                return;
            };
            for (class, fair) in self.classes.iter_mut().zip(&self.fair) {
                let is_used = |&(at, units): &(usize, f64)| at == position && units > 0.0;
                if fair.costs.iter().any(is_used) {
                    class.throughput /= used;
                }
            }
        }
    }

    pub(crate) fn finish(mut self, capacities: &[f64]) -> SteadyState {
        self.fit_into_capacities();
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
        let (kept, latencies) = (&self.kept, &self.miss_latencies);
        bound.save_rates(
            kept,
            shares.as_deref(),
            &class_rates,
            latencies,
            &mut resource_rates,
        );
        let loads = self.classes.iter().map(|class| Load {
            class: class.class,
            throughput: class.throughput,
        });
        self.queues.correct(loads, &mut resource_rates);
        // Waits for disks are approximations: what they load beyond full is what they are known to.
        let disks = bound.resources.iter().zip(&resource_rates).zip(capacities);
        let disks = disks.filter(|((resource, _), _)| resource.kind == ResourceKind::Disk);
        let beyond = disks.map(|((_, rate), capacity)| rate / capacity - 1.0);
        let beyond = beyond.fold(0.0, f64::max);
        if (DISKS_FIT..=MOST_BEYOND).contains(&beyond) {
            self.unsettled = self.unsettled.max(beyond);
        }
        if self.is_at_jump || self.unsettled > 0.0 {
            for (rate, capacity) in resource_rates.iter_mut().zip(capacities) {
                *rate = rate.min(*capacity);
            }
        }
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
            unsettled: self.unsettled,
            miss_latencies: self.miss_latencies,
            kept: self.kept,
            shares,
            balanced: OnceLock::new(),
        }
    }
}
