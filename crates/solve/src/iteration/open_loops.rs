//! The time of operations of open loops: what those that meet, queues and an overload add.

use super::flow_groups::FlowGroup;
use super::{Iteration, OVERLOAD, Uses};
use crate::backlog::{Arriving, Overload};
use crate::meetings::{FULL, meeting};

/// The use of a resource that holds an overloaded open loop back.
const FULL_PLACE: f64 = 0.98;

/// All open loops together.
pub(super) struct OpenLoops {
    /// What they use, and what all use.
    pub(super) by_open: Uses,
    pub(super) all: Uses,
    /// By position, what an operation of each uses, times the use.
    pub(super) squares: Vec<f64>,
    /// Operations that the server does a second, and works on at a time if they overload it.
    pub(super) served: f64,
    pub(super) in_service: f64,
    /// Whether there are no other loads.
    pub(super) are_alone: bool,
}

/// A resource where operations of an open loop meet others.
pub(super) struct Meeting {
    /// Seconds that they take longer there in the steady state.
    pub(super) seconds: f64,
    pub(super) arriving: Arriving,
    /// Operations that share it if it is overloaded.
    pub(super) in_service: f64,
    /// Its use by all loads.
    pub(super) used: f64,
}

impl Iteration<'_> {
    /// The operations of a group of an open loop that the server works on at a time if more come than it can
    /// do: several times as many as are in flight on an idle server, and several for each operation of closed
    /// loops that is in flight beside them, so that those leave the open loop most of the server.
    pub(super) fn in_service(&self, index: usize) -> f64 {
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
        let closed = self.classes.iter();
        let closed = closed.filter(|class| self.flow_groups[class.flow_group].is_closed());
        let closed: f64 = closed.map(|class| class.throughput * class.seconds()).sum();
        let open = self.flow_groups.iter().filter(|other| other.is_offered());
        let open: f64 = open.map(|other| other.members).sum();
        let of_group = (in_flight / flow_group.members).max(closed / open);
        (AMPLE * of_group).max(least)
    }

    /// Whether an open loop would have more operations at the server than that works on at a time, beside
    /// other loads.
    pub(super) fn is_to_be_held(&self, index: usize, in_service: f64) -> bool {
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

    /// Seconds that a lone operation of a class waits for devices.
    pub(super) fn waits_for_devices(&self, index: usize) -> f64 {
        let seconds = self.fair[index].cap.map_or(0.0, |cap| 1.0 / cap);
        (seconds - self.classes[index].lone).max(0.0)
    }

    /// Seconds from the arrival of an operation to its end, with those of closed loops as they are in
    /// `seconds`: threads that wait for their replies give way to open loops.
    pub(super) fn seconds_of_open_loops(&self, seconds: &[f64], in_service: &[f64]) -> Vec<f64> {
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
    pub(super) fn open_seconds(&self, index: usize, seconds: f64, open: &OpenLoops) -> f64 {
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
        let in_line = self.queues.lines.wait(class.class);
        let queued = (self.waits_for_devices(index) - self.idle_waits[index] - in_line).max(0.0);
        let at_devices = self.queues.busiest(class.class);
        // Evenly spaced operations that go to one of many devices at random arrive there nearly at random.
        let at_devices = at_devices.map(|(service, of_work, devices)| Arriving {
            of_arrivals: if is_random { 1.0 } else { 1.0 - 1.0 / devices },
            ..arriving(service, of_work)
        });
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
    pub(super) fn burst(&self, index: usize, used: &[f64]) -> f64 {
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
}
