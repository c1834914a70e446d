//! A bound scenario and its properties.

use std::collections::BTreeMap;
use std::sync::Arc;

use bandgraph_hardware::hypertransport::{Cause, PacketMix, ReleaseWords};
use bandgraph_topology::{Resource, ResourceKind, ResourceTable};
use bandgraph_workload::Schedule;

use super::SocketModel;
use crate::RunSettings;
use crate::batch::Batch;
use crate::demand::{BackgroundDemand, Class, FreeWork, SocketWork, ThreadGroup};
use crate::interrupts::Moderation;
use crate::latency::Fabric;
use crate::power::PowerModel;
use crate::serial::{Serial, wire_seconds};
use crate::storage::{Bank, CacheShares, EqualResources, GroupSettings, Log, PoolRuns, Rewrites};

/// A scenario as resources and demands, for any number of predictions and simulations. Clones share
/// everything except the classes and the deferred work.
#[derive(Clone, Debug)]
pub struct Bound {
    /// All resources: of the topology, of cards and devices, and of the clients.
    pub resources: Arc<ResourceTable>,
    /// The sockets, in the order of the topology.
    pub sockets: Arc<[SocketModel]>,
    /// The classes of operations with their demand vectors.
    pub classes: Vec<Class>,
    /// The thread groups that issue operations.
    pub threads: Arc<[ThreadGroup]>,
    /// Deferred work, referenced by the classes.
    pub background: Vec<BackgroundDemand>,
    /// Coefficient of variation of the work on cores of operations of one kind.
    pub work_variation: f64,
    /// Settings of transaction groups.
    pub groups: GroupSettings,
    /// Ids of the workloads, in the order of the scenario.
    pub workloads: Arc<[String]>,
    /// Operations of all jobs of each workload; `None` for a workload without an end.
    pub batches: Arc<[Option<f64>]>,
    /// The schedule of each workload.
    pub schedules: Arc<[Schedule]>,
    /// Coefficient of variation of the think times of each workload.
    pub think_variations: Arc<[f64]>,
    /// Maximum number of operations in flight per client of each workload.
    pub outstanding: Arc<[Option<u32>]>,
    /// The batch, if it is simulated job by job.
    pub batch: Option<Batch>,
    /// The routes of cache lines and the latency of a miss.
    pub fabric: Arc<Fabric>,
    /// Packets on the links between sockets, by resource, for their residual service time.
    pub packets: Arc<[PacketMix]>,
    /// Buffer returns of socket links and bridge links, by resource. Demands contain the words of saturated
    /// links.
    pub release_words: Arc<[(usize, ReleaseWords)]>,
    /// Ports that raise fewer interrupts than isolated operations cause, by index, in ascending order.
    pub moderation: Arc<[(usize, Moderation)]>,
    /// The power of the components.
    pub power: Arc<PowerModel>,
    /// The use of the cache by each workload.
    pub caches: Arc<[CacheShares]>,
    /// Disks in the demands that represent several identical ones.
    pub representatives: Arc<[EqualResources]>,
    /// Disks and SSDs that serve single commands.
    pub banks: Arc<[Bank]>,
    /// The log of every pool.
    pub logs: Arc<[Log]>,
    /// The accesses to the disks of every pool.
    pub runs: Arc<[PoolRuns]>,
    /// By workload: the blocks that it writes again before they go to the disks. Binding at another than the
    /// default operating point leaves them out; `solve::operate` keeps those of the default one.
    pub rewrites: Arc<[Option<Rewrites>]>,
    /// Whether a pool has mirrors or parity.
    pub arrays: bool,
    /// Settings of the run.
    pub run: RunSettings,
    /// A contradiction in the demands, if any: a defect of the program.
    pub contradiction: Option<String>,
}

impl Bound {
    /// The resources: those of the topology, then those of the clients.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The classes of operations with their demand vectors.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Total number of threads of all clients.
    pub fn threads(&self) -> u64 {
        let threads = |group: &ThreadGroup| u64::from(group.threads) * group.members as u64;
        self.threads.iter().map(threads).sum()
    }

    /// Whether a workload is an open loop.
    pub fn is_open(&self, workload: usize) -> bool {
        let mut groups = self.threads.iter();
        groups.any(|group| group.workload == workload && group.offered().is_some())
    }

    /// Total simulated time, seconds.
    pub fn run_seconds(&self) -> f64 {
        self.run.warm_up.get() + self.run.duration.get()
    }

    /// How many times the payload frames may carry, if the scenario says how large they are, but not whether
    /// segments of TCP have timestamps. `None` if it does not say how large they are.
    pub fn payload_room(&self) -> Option<f64> {
        let network = &self.run.network;
        let headers = |size: f64| network.mtu.get() - size;
        let room = if network.timestamps_are_given || !network.tcp_timestamps {
            1.0
        } else {
            headers(40.0) / headers(52.0)
        };
        network.mtu_is_given.then_some(room)
    }

    /// The usable capacity of every resource, in its unit.
    pub fn usable_capacities(&self) -> Vec<f64> {
        self.resources.iter().map(Resource::usable).collect()
    }

    /// Expands the rates of representatives in the demands to all identical disks.
    pub fn with_represented(&self, rates: &[f64]) -> Vec<f64> {
        let mut rates = rates.to_vec();
        for representatives in self.representatives.iter() {
            for &resource in &representatives.all {
                rates[resource] = rates[representatives.index];
            }
        }
        rates
    }

    /// Additional bytes/s of buffer returns that are not in `rates`, by resource: links that are not
    /// saturated send more of them than the demands contain. `rates` are those of all resources at the given
    /// rates of the classes.
    pub fn further_release_bytes(&self, class_rates: impl Iterator<Item = f64>, rates: &[f64]) -> Vec<f64> {
        let mut bytes = vec![0.0; self.resources.len()];
        for (class, rate) in self.classes.iter().zip(class_rates) {
            for traffic in class.traffic.iter() {
                bytes[traffic.resource] += rate * traffic.by_cause[Cause::Release as usize];
            }
        }
        let mut further = vec![0.0; self.resources.len()];
        for &(resource, words) in self.release_words.iter() {
            let usable = self.resources[resource].usable();
            let more = words.relative_to_full(rates[resource] / usable) - 1.0;
            // Buffer returns only use free capacity.
            let free = (usable - rates[resource]).max(0.0);
            further[resource] = (bytes[resource] * more).min(free);
        }
        further
    }

    /// The resources of cores that serve ports, in ascending order.
    pub fn port_cores(&self) -> Vec<usize> {
        let mut cores: Vec<usize> = self.classes.iter().filter_map(|class| class.port_core).collect();
        cores.sort_unstable();
        cores.dedup();
        cores
    }

    /// Cycles of an operation on the core of its connection, for given miss latencies of the sockets.
    pub fn bound_cycles(&self, class: &Class, miss_latencies: &[f64]) -> f64 {
        let sockets = self
            .sockets
            .iter()
            .zip(class.bound_work.iter())
            .zip(self.fabric.of(class.homes, miss_latencies));
        sockets
            .map(|((socket, work), pace)| socket.cycles(work, pace))
            .sum()
    }

    /// Seconds of the transfer of the data of a lone operation between its client and its port, with these
    /// capacities; zero for a local one.
    pub fn transfer_seconds(&self, class: &Class, capacities: &[f64]) -> f64 {
        if class.serial == Serial::default() {
            return 0.0;
        }
        let wires = wire_seconds(class, &self.resources, |resource| capacities[resource]);
        wires.max(class.client_seconds)
    }

    /// The index into `moderation` of the port of a class.
    pub fn moderated(&self, class: &Class) -> Option<usize> {
        let port = class.interrupts.as_ref()?.port;
        self.moderation
            .binary_search_by_key(&port, |&(port, _)| port)
            .ok()
    }

    /// Cycles that an operation saves on each socket if its port raises the share `kept` of the interrupts of
    /// isolated operations: for work on its assigned sockets, and for free work moved by the given shares.
    pub fn saved_cycles<'b>(
        &'b self,
        class: &'b Class,
        kept: f64,
        more: &'b [f64],
        miss_latencies: &'b [f64],
    ) -> impl Iterator<Item = f64> + 'b {
        let interrupts = class.interrupts.iter();
        interrupts.flat_map(move |interrupts| {
            let saved = interrupts.saved(kept);
            let paces = self.fabric.of(class.homes, miss_latencies);
            let sockets = self.sockets.iter().zip(paces).zip(&interrupts.dealt).enumerate();
            sockets.map(move |(index, ((socket, pace), dealt))| {
                let more = more.get(index).copied().unwrap_or(0.0);
                socket.executing(saved * (dealt + more * interrupts.free), pace.speed)
            })
        })
    }

    /// The same scenario with the given shares of interrupts at the ports that moderate them.
    #[must_use]
    pub fn with_interrupts(&self, kept: &[f64]) -> Self {
        let mut moderated = self.clone();
        // Classes of one port differ only in their client, which is irrelevant here.
        let mut first: BTreeMap<*const SocketWork, usize> = BTreeMap::new();
        for index in 0..self.classes.len() {
            let (before, class) = moderated.classes.split_at_mut(index);
            let class = &mut class[0];
            let Some(at) = self.moderated(class) else { continue };
            let of_port = class.work.as_ptr();
            if let Some(first) = first.get(&of_port) {
                let first = &before[*first];
                class.work = Arc::clone(&first.work);
                class.free = Arc::clone(&first.free);
                class.bound_work = Arc::clone(&first.bound_work);
                class.waited.work.clone_from(&first.waited.work);
            } else if let Some(interrupts) = class.interrupts.clone() {
                class.save_interrupts(&interrupts, interrupts.saved(kept[at]));
                first.insert(of_port, index);
            }
        }
        moderated
    }

    /// The same scenario with the free work of every class on other sockets: by class, the new share of each
    /// socket; empty if unchanged. Deferred work moves with the first class that has it.
    #[must_use]
    pub fn with_work_on(&self, shares: &[Vec<f64>]) -> Self {
        let mut moved = self.clone();
        let mut more_background: Vec<Option<Vec<f64>>> = vec![None; self.background.len()];
        // Classes of one port differ only in their client, which is irrelevant here.
        let mut moved_first: BTreeMap<*const SocketWork, (usize, Class)> = BTreeMap::new();
        for (index, (class, shares_here)) in moved.classes.iter_mut().zip(shares).enumerate() {
            if shares_here.is_empty() {
                continue;
            }
            let more = class.free.more(shares_here);
            let free = Arc::clone(&class.free);
            free.move_demand(&more, &mut class.demand);
            let of_port = class.work.as_ptr();
            if let Some((first, moved)) = moved_first.get(&of_port)
                && self.classes[*first].has_work_of(class)
                && shares[*first] == *shares_here
            {
                class.work = Arc::clone(&moved.work);
                class.traffic = Arc::clone(&moved.traffic);
                class.memory = Arc::clone(&moved.memory);
                continue;
            }
            let work = Arc::make_mut(&mut class.work);
            let mut traffic = class.traffic.to_vec();
            free.move_work(&more, work);
            free.move_traffic(&more, &mut traffic);
            let memory = Arc::make_mut(&mut class.memory);
            free.move_memory(&more, memory);
            if let Some(background) = class.background {
                free.move_demand(&more, &mut class.waited.demand);
                free.move_work(&more, &mut class.waited.work);
                let more = more_background[background].get_or_insert(more);
                let free = &self.background[background].free;
                free.move_demand(more, &mut class.demand);
                free.move_work(more, work);
                free.move_traffic(more, &mut traffic);
                free.move_memory(more, memory);
            }
            class.traffic = traffic.into();
            moved_first.insert(of_port, (index, class.clone()));
        }
        for (background, more) in moved.background.iter_mut().zip(more_background) {
            if let Some(more) = more {
                background.free.move_demand(&more, &mut background.demand);
                background.free.move_work(&more, &mut background.work);
            }
        }
        moved
    }

    /// Subtracts from the rates of all resources the savings of moderated interrupts, for given rates of the
    /// classes and shares of the interrupts; `shares` are those of free work that moves.
    pub fn save_rates(
        &self,
        kept: &[f64],
        shares: Option<&[Vec<f64>]>,
        class_rates: &[f64],
        miss_latencies: &[f64],
        rates: &mut [f64],
    ) {
        for (index, (class, rate)) in self.classes.iter().zip(class_rates).enumerate() {
            let Some(at) = self.moderated(class) else { continue };
            let shares = shares
                .map(|shares| &shares[index])
                .filter(|shares| !shares.is_empty());
            let more = shares.map_or_else(Vec::new, |shares| class.free.more(shares));
            let saved = self.saved_cycles(class, kept[at], &more, miss_latencies);
            for (socket, cycles) in self.sockets.iter().zip(saved) {
                rates[socket.cpu] = (rates[socket.cpu] - rate * cycles).max(0.0);
            }
            if let Some(core) = class.port_core {
                let cycles: f64 = self.saved_cycles(class, kept[at], &[], miss_latencies).sum();
                rates[core] = (rates[core] - rate * cycles).max(0.0);
            }
        }
    }

    /// Adds to the rates of all resources the changes due to moved free work, for given rates of the classes
    /// and miss latencies of the sockets.
    pub fn move_rates(
        &self,
        shares: &[Vec<f64>],
        class_rates: &[f64],
        miss_latencies: &[f64],
        rates: &mut [f64],
    ) {
        let mut move_part = |(free, homes): (&FreeWork, usize), more: &[f64], rate: f64| {
            let paces = self.fabric.of(homes, miss_latencies);
            let loads = self.sockets.iter().zip(paces).zip(&free.on).zip(more);
            for (((socket, pace), load), more) in loads {
                for (resource, units) in load.demand() {
                    rates[resource] += rate * more * units;
                }
                rates[socket.cpu] += rate * more * socket.cycles(&load.work, pace);
            }
        };
        let mut more_background: Vec<Option<Vec<f64>>> = vec![None; self.background.len()];
        for ((class, shares), &rate) in self.classes.iter().zip(shares).zip(class_rates) {
            if shares.is_empty() {
                continue;
            }
            let more = class.free.more(shares);
            move_part((&class.free, class.homes), &more, rate);
            if let Some(background) = class.background {
                move_part(
                    (
                        &self.background[background].free,
                        self.background[background].homes,
                    ),
                    more_background[background].get_or_insert(more),
                    rate,
                );
            }
        }
        // Negative remainders are rounding errors.
        for rate in rates {
            *rate = rate.max(0.0);
        }
    }

    /// Whether a resource belongs to a client.
    pub fn is_client(&self, resource: usize) -> bool {
        self.resources[resource].kind == ResourceKind::Client
    }

    /// Demand of an operation on the memory resource of every socket, from the bytes that it moves there:
    /// resource and units.
    pub fn memory_units<'b>(&'b self, class: &'b Class) -> impl Iterator<Item = (usize, f64)> + 'b {
        let sockets = self.sockets.iter().zip(class.memory.iter());
        sockets.map(|(socket, bytes)| (socket.memory, socket.memory_units(*bytes)))
    }

    /// Use of every resource, in units/s, for given rates of the classes and miss latencies of the sockets.
    /// A client's resource that represents several has the use of each.
    pub fn resource_rates(&self, class_rates: &[f64], miss_latencies: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.resources.len()];
        for (class, &rate) in self.classes.iter().zip(class_rates) {
            for &(resource, units) in &class.demand {
                rates[resource] += match self.resources[resource].count {
                    1 => units * rate,
                    count => units * (rate / f64::from(count)),
                };
            }
            let paces = self.fabric.of(class.homes, miss_latencies);
            for ((socket, work), pace) in self.sockets.iter().zip(class.work.iter()).zip(paces) {
                rates[socket.cpu] += socket.cycles(work, pace) * rate;
            }
            if let Some(core) = class.port_core {
                rates[core] += self.bound_cycles(class, miss_latencies) * rate;
            }
        }
        rates
    }
}
