//! A scenario that has been bound, and what can be asked of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use bandgraph_hardware::hypertransport::{Cause, PacketMix, ReleaseWords};
use bandgraph_topology::{Resource, ResourceKind, ResourceTable};
use bandgraph_workload::Schedule;

use super::SocketModel;
use crate::RunSettings;
use crate::batch::Batch;
use crate::demand::{BehindDemand, Class, FreeWork, SocketWork, ThreadGroup};
use crate::interrupts::Moderation;
use crate::latency::Fabric;
use crate::power::PowerModel;
use crate::storage::{Bank, CacheShares, GroupSettings, Log, Representative};

/// A scenario turned into resources and demands, ready to be predicted or simulated any number of times. Copies
/// of it share all but their classes and what is done behind these.
#[derive(Clone, Debug)]
pub struct Bound {
    /// All resources: those of the topology, of cards and devices, and of the clients.
    pub resources: Arc<ResourceTable>,
    /// The sockets, in the order of the topology.
    pub sockets: Arc<[SocketModel]>,
    /// The classes of operations with their demand vectors.
    pub classes: Vec<Class>,
    /// Who issues them.
    pub threads: Arc<[ThreadGroup]>,
    /// What is done behind operations, for all classes that name it.
    pub behind: Vec<BehindDemand>,
    /// Coefficient of variation of the work of operations of one kind on cores.
    pub work_variation: f64,
    /// How transaction groups are written.
    pub groups: GroupSettings,
    /// Ids of the workloads, in the order of the scenario.
    pub workloads: Arc<[String]>,
    /// Operations of all jobs of each workload; `None` for one without an end.
    pub batches: Arc<[Option<f64>]>,
    /// When each workload is there.
    pub schedules: Arc<[Schedule]>,
    /// Coefficient of variation of the pauses of each workload's threads.
    pub think_variations: Arc<[f64]>,
    /// Operations that a client of each workload lets be under way at a time.
    pub outstanding: Arc<[Option<u32>]>,
    /// The batch, where it is played job by job.
    pub batch: Option<Batch>,
    /// The ways of lines, and how long a miss takes on them.
    pub fabric: Arc<Fabric>,
    /// Packets on the links between sockets, by resource, for their residual service time.
    pub packets: Arc<[PacketMix]>,
    /// How links between sockets and those of bridges return buffers, by resource. Demands have the words of
    /// full links.
    pub release_words: Arc<[(usize, ReleaseWords)]>,
    /// Ports whose interrupts are fewer than those of lone operations, by index, in ascending order.
    pub moderation: Arc<[(usize, Moderation)]>,
    /// What its components draw.
    pub power: Arc<PowerModel>,
    /// What the cache does for each workload.
    pub caches: Arc<[CacheShares]>,
    /// Disks, and resources of clients, of which one stands for all in the demands.
    pub representatives: Arc<[Representative]>,
    /// Disks and SSDs that serve commands one at a time.
    pub banks: Arc<[Bank]>,
    /// The log of every pool.
    pub logs: Arc<[Log]>,
    /// How to run it.
    pub run: RunSettings,
    /// What its demands contradict themselves in, if anything: a defect of the program.
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

    /// How many threads all clients run together.
    pub fn threads(&self) -> u64 {
        let threads = |group: &ThreadGroup| u64::from(group.threads) * group.members as u64;
        self.threads.iter().map(threads).sum()
    }

    /// Whether the operations of a workload come at a rate.
    pub fn is_open(&self, workload: usize) -> bool {
        let mut groups = self.threads.iter();
        groups.any(|group| group.workload == workload && group.offered().is_some())
    }

    /// All simulated time, in seconds.
    pub fn run_seconds(&self) -> f64 {
        self.run.warm_up.get() + self.run.duration.get()
    }

    /// The usable capacity of every resource, in its unit.
    pub fn usable_capacities(&self) -> Vec<f64> {
        self.resources.iter().map(Resource::usable).collect()
    }

    /// Rates of all resources from those in the demands, where one disk or client stands for all that are
    /// identical.
    pub fn with_represented(&self, rates: &[f64]) -> Vec<f64> {
        let mut rates = rates.to_vec();
        for representatives in self.representatives.iter() {
            for &resource in &representatives.all {
                rates[resource] = rates[representatives.index];
            }
        }
        rates
    }

    /// Bytes per second of the words that return buffers and are not in `rates`, by resource: links that are
    /// not full send more of them than demands have. `rates` are those of all resources, for given rates of
    /// the classes.
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
            // Words wait for gaps.
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
            .map(|((socket, work), &latency)| socket.cycles(work, latency))
            .sum()
    }

    /// Where the port of a class is among those that moderate its interrupts.
    pub fn moderated(&self, class: &Class) -> Option<usize> {
        let port = class.interrupts.as_ref()?.port;
        self.moderation
            .binary_search_by_key(&port, |&(port, _)| port)
            .ok()
    }

    /// Cycles that an operation saves on each socket where its port raises this share of the interrupts of
    /// lone ones, of work as it is dealt and of its free work with so much more on each socket.
    pub fn saved_cycles<'b>(
        &'b self,
        class: &'b Class,
        kept: f64,
        more: &'b [f64],
    ) -> impl Iterator<Item = f64> + 'b {
        let interrupts = class.interrupts.iter();
        interrupts.flat_map(move |interrupts| {
            let saved = interrupts.saved(kept);
            let sockets = self.sockets.iter().zip(&interrupts.dealt).enumerate();
            sockets.map(move |(index, (socket, dealt))| {
                let more = more.get(index).copied().unwrap_or(0.0);
                socket.executing(saved * (dealt + more * interrupts.free))
            })
        })
    }

    /// The same scenario where the ports that moderate interrupts raise these shares of them.
    #[must_use]
    pub fn with_interrupts(&self, kept: &[f64]) -> Self {
        let mut moderated = self.clone();
        // Classes of one port differ in their client, which takes no part in this.
        let mut first: BTreeMap<*const SocketWork, Class> = BTreeMap::new();
        for class in &mut moderated.classes {
            let Some(at) = self.moderated(class) else { continue };
            let of_port = class.work.as_ptr();
            if let Some(first) = first.get(&of_port) {
                class.work = Arc::clone(&first.work);
                class.free = Arc::clone(&first.free);
                class.bound_work = Arc::clone(&first.bound_work);
                class.waited.work.clone_from(&first.waited.work);
            } else if let Some(interrupts) = class.interrupts.clone() {
                class.save_interrupts(&interrupts, interrupts.saved(kept[at]));
                first.insert(of_port, class.clone());
            }
        }
        moderated
    }

    /// The same scenario with the free work of every class on other sockets: by class, the share of it that
    /// each socket has then; empty for what stays where it is. What is done behind operations goes where that
    /// of the first class goes that leaves it.
    #[must_use]
    pub fn with_work_on(&self, shares: &[Vec<f64>]) -> Self {
        let mut moved = self.clone();
        let mut more_behind: Vec<Option<Vec<f64>>> = vec![None; self.behind.len()];
        // Classes of one port differ in their client, which takes no part in this.
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
            if let Some(behind) = class.behind {
                free.move_demand(&more, &mut class.waited.demand);
                free.move_work(&more, &mut class.waited.work);
                let more = more_behind[behind].get_or_insert(more);
                let free = &self.behind[behind].free;
                free.move_demand(more, &mut class.demand);
                free.move_work(more, work);
                free.move_traffic(more, &mut traffic);
                free.move_memory(more, memory);
            }
            class.traffic = traffic.into();
            moved_first.insert(of_port, (index, class.clone()));
        }
        for (behind, more) in moved.behind.iter_mut().zip(more_behind) {
            if let Some(more) = more {
                behind.free.move_demand(&more, &mut behind.demand);
                behind.free.move_work(&more, &mut behind.work);
            }
        }
        moved
    }

    /// Takes from the rates of all resources what moderated interrupts save, for given rates of the classes
    /// and shares of the interrupts; `shares` of free work where it moves.
    pub fn save_rates(
        &self,
        kept: &[f64],
        shares: Option<&[Vec<f64>]>,
        class_rates: &[f64],
        rates: &mut [f64],
    ) {
        for (index, (class, rate)) in self.classes.iter().zip(class_rates).enumerate() {
            let Some(at) = self.moderated(class) else { continue };
            let shares = shares
                .map(|shares| &shares[index])
                .filter(|shares| !shares.is_empty());
            let more = shares.map_or_else(Vec::new, |shares| class.free.more(shares));
            for (socket, cycles) in self.sockets.iter().zip(self.saved_cycles(class, kept[at], &more)) {
                rates[socket.cpu] = (rates[socket.cpu] - rate * cycles).max(0.0);
            }
            if let Some(core) = class.port_core {
                let cycles: f64 = self.saved_cycles(class, kept[at], &[]).sum();
                rates[core] = (rates[core] - rate * cycles).max(0.0);
            }
        }
    }

    /// Adds to the rates of all resources what that changes, for given rates of the classes and miss
    /// latencies of the sockets.
    pub fn move_rates(
        &self,
        shares: &[Vec<f64>],
        class_rates: &[f64],
        miss_latencies: &[f64],
        rates: &mut [f64],
    ) {
        let mut move_part = |(free, homes): (&FreeWork, usize), more: &[f64], rate: f64| {
            let latencies = self.fabric.of(homes, miss_latencies);
            let loads = self.sockets.iter().zip(latencies).zip(&free.on).zip(more);
            for (((socket, &latency), load), more) in loads {
                for (resource, units) in load.demand() {
                    rates[resource] += rate * more * units;
                }
                rates[socket.cpu] += rate * more * socket.cycles(&load.work, latency);
            }
        };
        let mut more_behind: Vec<Option<Vec<f64>>> = vec![None; self.behind.len()];
        for ((class, shares), &rate) in self.classes.iter().zip(shares).zip(class_rates) {
            if shares.is_empty() {
                continue;
            }
            let more = class.free.more(shares);
            move_part((&class.free, class.homes), &more, rate);
            if let Some(behind) = class.behind {
                move_part(
                    (&self.behind[behind].free, self.behind[behind].homes),
                    more_behind[behind].get_or_insert(more),
                    rate,
                );
            }
        }
        // What is left where all has gone is rounding.
        for rate in rates {
            *rate = rate.max(0.0);
        }
    }

    /// Whether a resource is of a client.
    pub fn is_client(&self, resource: usize) -> bool {
        self.resources[resource].kind == ResourceKind::Client
    }

    /// Units of the memory resource of every socket that an operation takes by the bytes that it moves there:
    /// resource and units.
    pub fn memory_units<'b>(&'b self, class: &'b Class) -> impl Iterator<Item = (usize, f64)> + 'b {
        let sockets = self.sockets.iter().zip(class.memory.iter());
        sockets.map(|(socket, bytes)| (socket.memory, socket.memory_units(*bytes)))
    }

    /// Use of every resource, in units per second, for given rates of the classes and miss latencies of the
    /// sockets. Of the clients that a class stands for, one has resources in its demand.
    pub fn resource_rates(&self, class_rates: &[f64], miss_latencies: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.resources.len()];
        let mut members = vec![1.0; self.classes.len()];
        for group in self.threads.iter() {
            for &(class, _) in &group.visits {
                members[class] = group.members;
            }
        }
        for ((class, &rate), members) in self.classes.iter().zip(class_rates).zip(members) {
            for &(resource, units) in &class.demand {
                let rate = if members > 1.0 && self.is_client(resource) {
                    rate / members
                } else {
                    rate
                };
                rates[resource] += units * rate;
            }
            let latencies = self.fabric.of(class.homes, miss_latencies);
            for ((socket, work), &latency) in self.sockets.iter().zip(class.work.iter()).zip(latencies) {
                rates[socket.cpu] += socket.cycles(work, latency) * rate;
            }
            if let Some(core) = class.port_core {
                rates[core] += self.bound_cycles(class, miss_latencies) * rate;
            }
        }
        rates
    }
}
