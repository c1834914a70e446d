//! How far rates could grow before each limit holds them.
//!
//! Every limit holds every state: the model error of one kind of limit may exchange the limits, but lifts no
//! rate above what another resource, with its own model error, carries.

use std::collections::BTreeMap;

use bandgraph_model::{Bound, LimitGroup, Supply};
use bandgraph_scenario::Metric;
use bandgraph_solve::{SteadyState, Throughput};
use bandgraph_topology::{ClientResource, NetworkResource, ResourceKind, Role};
use bandgraph_units::QuantityKind;

use super::model_error::GROUPS;

/// Relative deviations below this are rounding.
pub(super) const NOTHING: f64 = 1e-6;

/// The saturation at which the fullest resource counts as the limit.
const FULL: f64 = 0.97;

/// The saturation of cores from which it matters what they would do with an idle memory: of two variants, one
/// may wait where the other does not. Errors of two kinds of limits do not reach twice the rate.
const BUSY: f64 = 0.5;

/// The share of payload on a wire with frames of 9,000 bytes: 8,948 bytes of 9,038 (IPv4, TCP with
/// timestamps, and Ethernet with preamble and gap). With 1,500 bytes it is 1,448 of 1,538.
const MOST_PAYLOAD: f64 = 8948.0 / 9038.0;

/// The factors by which all rates of a state could grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room {
    /// The group of limits of the fullest resource, if it is full; [`LimitGroup::Nothing`] otherwise.
    group: LimitGroup,
    /// By group of limits, before a limit of the group holds; infinite without one. 1 for the group of the
    /// fullest resource, if it is full, and for [`LimitGroup::Nothing`] otherwise.
    groups: [f64; GROUPS],
    /// By group of limits, the kind of its fullest resource.
    kinds: [Option<ResourceKind>; GROUPS],
    /// Before the cores hold if their memory is idle; `None` unless they are busy.
    pub(super) idle_cores: Option<f64>,
    /// Before a wire exceeds its signalling rate, whatever the model misses.
    pub(super) wires: f64,
    /// How many times the payload frames may carry; `None` if frames can be larger than assumed.
    pub(super) payload: Option<f64>,
    /// The share of their time in which threads think, if all wait for their replies.
    thinking: Option<f64>,
    /// Whether all operations come at given rates, which is no pace that clients could stay below.
    pub(super) arrives: bool,
}

/// The factors by which a metric could grow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// By group of limits, before a limit of the group holds; infinite without one.
    pub(super) groups: [f64; GROUPS],
    /// Whatever the model misses.
    pub(super) most: f64,
    /// Whether the metric is a time, which falls as rates grow.
    is_time: bool,
}

impl Held {
    /// A metric with one limit.
    pub(super) fn by(limit: LimitGroup, metric: Metric) -> Self {
        let mut groups = [f64::INFINITY; GROUPS];
        groups[limit as usize] = 1.0;
        Self {
            groups,
            most: f64::INFINITY,
            is_time: exponent(metric) < 0.0,
        }
    }

    /// The factor on the metric if the rates at which limits hold are off by these factors.
    pub(super) fn factor(&self, errors: &[f64; GROUPS]) -> f64 {
        let held = self.groups.iter().zip(errors).map(|(room, error)| room * error);
        let factor = held.fold(self.most, f64::min);
        if self.is_time { 1.0 / factor } else { factor }
    }

    /// A value of the metric, within what wires and clients permit in the draw with this value.
    pub(super) const fn within(&self, value: f64, drawn: f64) -> f64 {
        if self.is_time {
            value.max(drawn / self.most)
        } else {
            value.min(drawn * self.most)
        }
    }
}

/// The exponent of the model error in a metric: 1 for rates, −1 for times, and 0 for what is no result of the
/// rate.
pub(crate) fn exponent(metric: Metric) -> f64 {
    match metric.kind() {
        Some(QuantityKind::Bandwidth | QuantityKind::OperationRate) => 1.0,
        Some(QuantityKind::Time) => -1.0,
        _ => 0.0,
    }
}

impl Room {
    /// No limit but that of nothing full.
    #[cfg(test)]
    pub(super) fn infinite() -> Self {
        Self::of_saturations(std::iter::empty())
    }

    /// The room in a steady state. Resources above their capacity have been relieved.
    pub(super) fn in_state(bound: &Bound, steady: &SteadyState) -> Self {
        let (saturations, idle_cores) = saturations(bound, steady);
        let saturations = bound.resources.iter().zip(saturations);
        // Most resources are unused.
        let used = saturations.filter(|&(_, share)| share > 0.0);
        let mut room = Self::of_saturations(used.map(|(resource, share)| Saturation {
            kind: resource.kind,
            group: LimitGroup::of(resource.role, bound.arrays),
            share,
        }));
        room.idle_cores = idle_cores;
        room.groups[LimitGroup::Pace as usize] = room_in_pace(bound, steady);
        room.wires = room_on_wires(bound, steady);
        room.payload = bound.payload_room();
        room.thinking = share_thinking(bound, steady);
        room.arrives = bound.threads.iter().all(|group| group.offered().is_some());
        room
    }

    /// The room with these saturations of resources, no wires, and clients that ask as soon as they can.
    fn of_saturations(saturations: impl Iterator<Item = Saturation>) -> Self {
        let (mut of_groups, mut kinds) = ([0.0; GROUPS], [None; GROUPS]);
        let (mut group_of_fullest, mut fullest) = (LimitGroup::Nothing, FULL);
        for Saturation { kind, group, share } in saturations.filter(|of| of.share <= 1.0 + NOTHING) {
            let of_group: &mut f64 = &mut of_groups[group as usize];
            if share > *of_group {
                (*of_group, kinds[group as usize]) = (share, Some(kind));
            }
            // Of equally full ones the first, which is the bottleneck of reports too.
            if share > fullest + NOTHING {
                (group_of_fullest, fullest) = (group, share);
            }
        }
        // What limits has no room, even if waiting keeps it from being entirely full.
        let is_full = group_of_fullest != LimitGroup::Nothing;
        let mut groups = of_groups.map(|saturation| {
            let is_fullest = is_full && saturation >= fullest - NOTHING;
            if is_fullest {
                1.0
            } else {
                (1.0 / saturation).max(1.0)
            }
        });
        if !is_full {
            groups[LimitGroup::Nothing as usize] = 1.0;
        }
        Self {
            group: group_of_fullest,
            groups,
            kinds,
            idle_cores: None,
            wires: f64::INFINITY,
            payload: None,
            thinking: None,
            arrives: false,
        }
    }

    /// The group of limits of a metric: the pace of the clients, if that alone decides it, or else the group
    /// of the fullest resource.
    pub(super) fn group_of(&self, metric: Metric) -> LimitGroup {
        if is_rate(metric) && self.groups[LimitGroup::Pace as usize] * FULL <= 1.0 {
            LimitGroup::Pace
        } else {
            self.group
        }
    }

    /// The kind of resource that limits the rate if the rates at which limits hold are off by these factors;
    /// `None` if the pace of the clients or no resource does.
    pub(super) fn limit_with(&self, errors: &[f64; GROUPS]) -> Option<ResourceKind> {
        let held = self.groups.iter().zip(errors).map(|(room, error)| room * error);
        let least = held.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let paced = self.groups[LimitGroup::Pace as usize] <= least.1;
        self.kinds[least.0].filter(|_| !paced)
    }

    /// The limits of a metric. The scenario may assume smaller frames than there are, but payload never
    /// exceeds what the wires can carry of it. By Little's law threads that wait for their replies wait for
    /// at least as long as the wires need for the operations of all.
    pub(super) fn of(&self, metric: Metric, throughput: &Throughput) -> Held {
        let [nothing, pace] = [LimitGroup::Nothing, LimitGroup::Pace].map(|group| group as usize);
        let (mut groups, mut most) = (self.groups, f64::INFINITY);
        let on_wires = match (metric, self.payload) {
            (Metric::NetworkBytesPerSecond, _) => 1.0,
            (_, Some(payload)) => payload,
            _ if throughput.payload.get() > 0.0 => {
                (MOST_PAYLOAD * throughput.network.get() / throughput.payload.get()).max(1.0)
            }
            _ => f64::INFINITY,
        };
        let by_wires = self.wires * on_wires;
        if is_rate(metric) {
            most = by_wires.min(self.groups[pace]);
            if self.group_of(metric) == LimitGroup::Pace {
                groups[nothing] = f64::INFINITY;
            }
            if self.arrives {
                groups[pace] = f64::INFINITY;
            }
        } else {
            groups[pace] = f64::INFINITY;
            if let (Metric::LatencyMean, Some(thinking)) = (metric, self.thinking) {
                // At 1 / thinking times the rate there would be no time left to wait.
                let away = 1.0 / by_wires - thinking;
                most = if away > 0.0 {
                    (1.0 - thinking) / away
                } else {
                    f64::INFINITY
                };
            }
        }
        Held {
            groups,
            most,
            is_time: exponent(metric) < 0.0,
        }
    }
}

/// Whether a metric is a rate of all operations.
pub(super) fn is_rate(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::OperationsPerSecond | Metric::PayloadBytesPerSecond | Metric::NetworkBytesPerSecond
    )
}

/// The use of a resource.
#[derive(Clone, Copy, Debug)]
struct Saturation {
    kind: ResourceKind,
    group: LimitGroup,
    /// Its rate over its usable capacity.
    share: f64,
}

/// The saturation of every resource, and the factor by which rates could grow before the cores hold if their
/// memory is idle, where some are busy.
///
/// Cores that wait for memory or links which are full are busy all the time, but limit nothing: they count
/// as full as they would be at the same rates with an idle memory.
fn saturations(bound: &Bound, steady: &SteadyState) -> (Vec<f64>, Option<f64>) {
    let resources = bound.resources.iter();
    let uses = resources.zip(&steady.resource_rates);
    let mut saturations: Vec<f64> = uses.map(|(resource, rate)| rate / resource.usable()).collect();
    let is_full = |saturation: f64| saturation > FULL && saturation <= 1.0 + NOTHING;
    let lines_wait = bound
        .fabric
        .resources()
        .iter()
        .any(|&line| is_full(saturations[line]));
    let busy = bound.resources.iter().zip(&saturations).enumerate();
    let busy = busy.filter(|&(_, (_, share))| *share > BUSY && *share <= 1.0 + NOTHING);
    let busy_cores = busy.filter(|(_, (resource, _))| resource.kind == ResourceKind::Cpu);
    let busy_cores: Vec<usize> = busy_cores.map(|(index, _)| index).collect();
    if busy_cores.is_empty() {
        return (saturations, None);
    }
    let idle = bound.fabric.idle_memory(&steady.miss_latencies);
    let idle = steady.balanced(bound).resource_rates(&steady.class_rates, &idle);
    // Sockets share their work, in shares that depend on the load: together they count as one.
    let (mut fullest, mut used, mut usable): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for core in busy_cores {
        let capacity = bound.resources[core].usable();
        let idle = idle[core] / capacity;
        if matches!(bound.resources[core].role, Role::Cpu { .. }) {
            used += idle * capacity;
            usable += capacity;
        } else {
            fullest = fullest.max(idle);
        }
        if lines_wait && is_full(saturations[core]) {
            saturations[core] = saturations[core].min(idle);
        }
    }
    if usable > 0.0 {
        fullest = fullest.max(used / usable);
    }
    (saturations, Some(1.0 / fullest))
}

/// The factor by which all rates could grow before a wire exceeds its signalling rate, which no model error
/// can change: a port of the server, of a switch, or of a SAS adapter, or the NICs of all clients together.
fn room_on_wires(bound: &Bound, steady: &SteadyState) -> f64 {
    let (mut room, mut relieved) = (f64::INFINITY, false);
    // By NIC, the bytes of all that it represents, and the room of its fuller direction.
    let mut clients = BTreeMap::<usize, (f64, f64)>::new();
    let rates = bound.resources.iter().zip(&steady.resource_rates);
    // Most resources are unused.
    for (resource, &rate) in rates.filter(|&(_, rate)| *rate > 0.0) {
        let of_wire = resource.capacity / rate;
        let is_relieved = of_wire < 1.0 - NOTHING;
        match (resource.kind, resource.role) {
            (
                _,
                Role::Client {
                    nic,
                    resource: ClientResource::Wire(_),
                },
            ) => {
                relieved |= is_relieved;
                let (bytes, least) = clients.entry(nic).or_insert((0.0, f64::INFINITY));
                *bytes += rate * f64::from(resource.count);
                *least = least.min(of_wire);
            }
            (ResourceKind::Port | ResourceKind::Infiniband | ResourceKind::Sas, _)
            | (
                _,
                Role::Network {
                    resource: NetworkResource::ServerPort(..),
                    ..
                },
            ) if !is_relieved => room = room.min(of_wire),
            _ => {}
        }
    }
    let clients = || clients.values().filter(|(bytes, _)| *bytes > 0.0);
    let all: f64 = clients().map(|(bytes, _)| bytes).sum();
    if all > 0.0 && !relieved {
        room = room.min(clients().map(|(bytes, least)| bytes * least).sum::<f64>() / all);
    }
    room.max(1.0)
}

/// The share of their time in which all threads think; `None` if some operations come at a rate of their
/// own, or threads wait for each other.
fn share_thinking(bound: &Bound, steady: &SteadyState) -> Option<f64> {
    let (mut thinking, mut threads) = (0.0, 0.0);
    for group in bound.threads.iter() {
        if group.supply != Supply::Closed || group.barrier {
            return None;
        }
        thinking += group.members * steady.served(group) * group.think;
        threads += group.members * group.population;
    }
    (threads > 0.0).then_some(thinking / threads)
}

/// The factor by which all rates could grow before the clients do more than they ask for: operations that
/// arrive, and those of threads that only pause. Infinite if a client asks as soon as it has its reply.
fn room_in_pace(bound: &Bound, steady: &SteadyState) -> f64 {
    let rooms = bound.threads.iter().map(|group| {
        let paced = group.offered().unwrap_or(group.population / group.think);
        paced / steady.served(group)
    });
    rooms.reduce(f64::max).unwrap_or(f64::INFINITY).max(1.0)
}

#[cfg(test)]
mod tests {
    use bandgraph_topology::Direction;
    use bandgraph_units::Bandwidth;

    use super::*;

    const PORT: Saturation = Saturation {
        kind: ResourceKind::Port,
        group: LimitGroup::Cards,
        share: 1.0,
    };

    /// A port of a client is like one of the server; its cores are not.
    #[test]
    fn ports_of_clients_are_ports() {
        let group = |resource| LimitGroup::of(Role::Client { nic: 0, resource }, false);
        assert_eq!(group(ClientResource::Wire(Direction::In)), LimitGroup::Cards);
        assert_eq!(group(ClientResource::Both), LimitGroup::Cards);
        assert_eq!(group(ClientResource::Cores), LimitGroup::Clients);
        assert_eq!(group(ClientResource::Connections), LimitGroup::Clients);
    }

    /// Full wires, with frames of 1,500 bytes: payload cannot exceed what they carry in frames of 9,000.
    #[test]
    fn payload_fits_the_wires_that_carry_it() {
        let mut room = Room::of_saturations([PORT].into_iter());
        room.wires = 1.0;
        for (payload, most) in [(1448.0 / 1538.0, 0.99004), (0.995, 0.995), (0.5, 0.99004)] {
            let throughput = Throughput {
                network: Bandwidth::new(12.5e9),
                payload: Bandwidth::new(12.5e9 * payload),
                ..Throughput::default()
            };
            let of = |metric| room.of(metric, &throughput).most;
            assert!((payload * of(Metric::PayloadBytesPerSecond) / most - 1.0).abs() < 1e-5);
            assert_eq!(of(Metric::OperationsPerSecond), of(Metric::PayloadBytesPerSecond));
            assert_eq!(of(Metric::NetworkBytesPerSecond), 1.0);
            // With frames of a given size, that share of the wires is payload, and timestamps at most.
            let given = Room {
                payload: Some(1460.0 / 1448.0),
                ..room
            };
            let most = given.of(Metric::PayloadBytesPerSecond, &throughput).most;
            assert_eq!(most, 1460.0 / 1448.0);
        }
    }

    /// Little's law: 10 threads that think for 1 of 5 seconds have 2 operations/s. Without more on full
    /// wires the latency of 4 s cannot fall; at 1.25 times the rate each takes 4 s together, 3 of them away.
    #[test]
    fn latency_is_at_least_what_the_wires_need_for_all_threads() {
        let least = |wires: f64, thinking: Option<f64>| {
            let mut room = Room::infinite();
            (room.wires, room.thinking, room.payload) = (wires, thinking, Some(1.0));
            let held = room.of(Metric::LatencyMean, &Throughput::default());
            held.factor(&[1e9; GROUPS])
        };
        assert_eq!(least(1.0, Some(0.2)), 1.0);
        assert!((least(1.25, Some(0.2)) - 0.75).abs() < 1e-12);
        assert!((least(1.25, Some(0.0)) - 0.8).abs() < 1e-12);
        assert!(least(5.0, Some(0.2)) < 1e-8);
        assert!(least(1.0, None) < 1e-8);
    }

    /// A full port, and memory that is 80 % full: memory limits if ports carry 30 % more than in the model,
    /// and nothing does if the clients ask for no more.
    #[test]
    fn the_error_of_the_model_exchanges_limits() {
        let memory = Saturation {
            kind: ResourceKind::Memory,
            group: LimitGroup::Links,
            share: 0.8,
        };
        let mut room = Room::of_saturations([PORT, memory].into_iter());
        let limit = |room: &Room, ports: f64| {
            let mut errors = [1.0; GROUPS];
            errors[LimitGroup::Cards as usize] = ports;
            room.limit_with(&errors)
        };
        assert_eq!(limit(&room, 1.2), Some(ResourceKind::Port));
        assert_eq!(limit(&room, 1.3), Some(ResourceKind::Memory));
        room.groups[LimitGroup::Pace as usize] = 1.1;
        assert_eq!(limit(&room, 1.3), None);
        assert_eq!(limit(&room, 1.0), Some(ResourceKind::Port));
    }

    /// Which of two full resources is the fullest by rounding changes nothing, nor does their order.
    #[test]
    fn rounding_decides_no_limit() {
        let errors: [f64; GROUPS] = std::array::from_fn(|group| 1.0 + 0.1 * group as f64);
        let factor = |port: f64, disk: f64| {
            let saturations = [
                Saturation {
                    kind: ResourceKind::Memory,
                    group: LimitGroup::Links,
                    share: 0.5,
                },
                Saturation { share: port, ..PORT },
                Saturation {
                    kind: ResourceKind::Disk,
                    group: LimitGroup::Storage,
                    share: disk,
                },
            ];
            let room = Room::of_saturations(saturations.into_iter());
            assert_eq!(room.limit_with(&[1.0; GROUPS]), Some(ResourceKind::Port));
            room.of(Metric::LatencyMean, &Throughput::default())
                .factor(&errors)
        };
        let (more, less) = (factor(1.0 + 1e-10, 1.0), factor(1.0, 1.0 + 1e-10));
        assert!((more / less - 1.0).abs() < 1e-9, "{more} {less}");
        assert!(
            (more - 1.0 / errors[LimitGroup::Cards as usize]).abs() < 1e-9,
            "{more}"
        );
    }
}
