//! Cases of an operation at the cache and the pools, each with its share and its device accesses.
//!
//! This file assigns workloads to pools; `at_pool` computes the accesses of an operation to one of them,
//! `case` represents the results.

use std::sync::Arc;

use bandgraph_hardware::DrivePart;
use bandgraph_topology::{ResourceTable, Topology};
use bandgraph_units::Bytes;
use bandgraph_workload::{AccessPattern, ClientGroup, OperationKind, Workload};

use super::at_pool::AtPool;
use super::bank::Bank;
use super::case::{Case, Work};
use super::check::{check_pools_of, first_of};
use super::costs::WriteMethod;
use super::metadata::{self, Missed};
use super::path::{Booking, EqualResources, Paths};
use super::shares::{self, CacheShares, record_size};
use super::streams::{DiskRuns, PoolRuns, StreamShares};
use super::{HitRateMethod, PoolKind, Storage, StorageCosts};
use crate::{BindError, Scenario};

/// Settings of transaction groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupSettings {
    /// Seconds between two groups.
    pub seconds: f64,
    /// Maximum bytes of payload in a group.
    pub bytes_most: f64,
}

/// Quantities that demands depend on and that follow from the rates of the steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperatingPoint<'a> {
    /// By workload: what becomes of the data that it writes.
    pub written: &'a [Written],
    /// By workload: the cache results; `None` with warm caches.
    pub caches: Option<&'a [CacheShares]>,
    /// By pool: the shares of streams; `None` if all are equally fast.
    pub streams: Option<&'a [StreamShares]>,
}

/// What becomes of the data that a workload writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written {
    /// The share of its unstable data that a COMMIT finds only in memory, 0 to 1.
    pub uncommitted: f64,
    /// The share of what it writes to memory at random that goes to the disks before it is written again.
    pub distinct: f64,
    /// Indirect blocks that change for each of its writes at random.
    pub indirect: f64,
}

impl Default for Written {
    fn default() -> Self {
        Self {
            uncommitted: 1.0,
            distinct: 1.0,
            indirect: 0.0,
        }
    }
}

/// The use of the cache by a workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheLoad {
    /// The results of the warm cache.
    pub warm: CacheShares,
    /// Bytes in the cache touched per operation that moves data.
    pub data: f64,
    /// Bytes of metadata in the cache touched per operation, on average over the mix.
    pub metadata: f64,
}

/// The devices of a scenario's storage, independent of its workloads.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(super) paths: Paths,
    representatives: Vec<EqualResources>,
}

impl Devices {
    /// Checks the storage of a scenario and builds its paths. SSDs become resources.
    pub(crate) fn new(scenario: &Scenario, resources: &mut ResourceTable) -> Result<Self, BindError> {
        let (storage, topology) = (&scenario.storage, &scenario.topology);
        first_of(scenario.storage_errors())?;
        let mut representatives = Vec::new();
        let paths = Paths::new(
            storage,
            &scenario.stack.storage,
            topology,
            resources,
            &mut representatives,
        )?;
        Ok(Self {
            paths,
            representatives,
        })
    }

    /// The devices that serve single commands, with the share of each that the working sets of a scenario
    /// take, and the commands that its software sorts.
    fn filled(&self, scenario: &Scenario) -> Arc<[Bank]> {
        let mut banks = Arc::clone(&self.paths.banks);
        let costs = &scenario.stack.storage;
        let rooms: Vec<f64> = scenario
            .storage
            .pools
            .iter()
            .map(|pool| pool.room(&scenario.topology, costs).get())
            .collect();
        for (pool, disks) in scenario.storage.pools.iter().zip(&self.paths.pools) {
            let taken = scenario
                .workloads
                .iter()
                .filter(|workload| pool.serves(workload))
                .map(|workload| {
                    let own = scenario.storage.pools.iter().zip(&rooms);
                    let room: f64 = own
                        .filter(|(pool, _)| pool.serves(workload))
                        .map(|(_, room)| room)
                        .sum();
                    workload.working_set.get() / room
                });
            // A trace has no working set.
            let taken = taken.reduce(|all, one| all + one).unwrap_or(1.0).min(1.0);
            let most = pool.most_of_drive(&scenario.topology, costs);
            for group in &disks.groups {
                let span = pool.span(&group.part, most, taken);
                if span != banks[group.bank].span {
                    Arc::make_mut(&mut banks)[group.bank].span = span;
                }
                let sorted = costs.sorted_commands as f64;
                if sorted != banks[group.bank].sorted {
                    Arc::make_mut(&mut banks)[group.bank].sorted = sorted;
                }
            }
        }
        banks
    }
}

/// The storage of a scenario, for the computation of cases.
#[derive(Clone, Debug)]
pub(crate) struct Plan<'a> {
    pub(super) storage: &'a Storage,
    pub(super) costs: &'a StorageCosts,
    pub(super) processes_per_drive: f64,
    pub(super) workloads: &'a [Workload],
    topology: &'a Topology,
    pub(super) devices: Arc<Devices>,
    /// Devices that serve single commands, with the share of each that the working sets take.
    banks: Arc<[Bank]>,
    caches: Vec<CacheShares>,
    /// By workload: what becomes of the data that it writes.
    pub(super) written: Vec<Written>,
    /// Number of sequential streams of each workload, and of its operations that may be in flight.
    sequential: Vec<f64>,
    outstanding: Vec<f64>,
    /// By pool: the accesses to its disks, and the shares of streams in them.
    runs: Vec<PoolRuns>,
    streams: Vec<StreamShares>,
}

impl<'a> Plan<'a> {
    /// The storage of a scenario on the paths built for it.
    pub(crate) fn new(scenario: &'a Scenario, devices: Arc<Devices>) -> Result<Self, BindError> {
        first_of(check_pools_of(&scenario.workloads, &scenario.storage))?;
        let workloads = scenario.workloads.iter();
        let mut plan = Self {
            storage: &scenario.storage,
            costs: &scenario.stack.storage,
            processes_per_drive: scenario.stack.processes_per_drive,
            workloads: &scenario.workloads,
            topology: &scenario.topology,
            banks: devices.filled(scenario),
            devices,
            caches: shares::uses(scenario)?,
            written: vec![Written::default(); scenario.workloads.len()],
            sequential: workloads
                .clone()
                .map(|workload| {
                    let group = group_of(scenario, workload);
                    group.map_or(1.0, |group| workload.sequential_streams(group))
                })
                .collect(),
            outstanding: workloads
                .map(|workload| outstanding(scenario, workload))
                .collect(),
            runs: Vec::new(),
            streams: vec![StreamShares::default(); scenario.storage.pools.len()],
        };
        plan.find_streams(None);
        Ok(plan)
    }

    /// The settings of transaction groups.
    pub(crate) fn groups(&self) -> GroupSettings {
        let sockets = self.topology.sockets().iter();
        let dram: f64 = sockets.map(|socket| socket.memory.size.get()).sum();
        let bytes = match self.costs.group_bytes {
            0.0 => f64::INFINITY,
            bytes => bytes,
        };
        GroupSettings {
            seconds: self.costs.group_seconds,
            bytes_most: bytes.min(dram * self.costs.group_memory),
        }
    }

    /// A pool that would not survive the failures that its kind tolerates, if there is one.
    pub(crate) fn fault(&self) -> Option<String> {
        let mut pools = self.storage.pools.iter().zip(&self.devices.paths.pools);
        let (pool, _) = pools.find(|(pool, disks)| !disks.layout.survives(pool.record_size.get()))?;
        Some(format!(
            "records of pool `{}` are not on its disks without those that it may lose",
            pool.id
        ))
    }

    /// Devices that serve single commands.
    pub(crate) const fn banks(&self) -> &Arc<[Bank]> {
        &self.banks
    }

    /// The bank of an SSD of the scenario.
    pub(super) fn bank_of_ssd(&self, ssd: usize) -> usize {
        self.devices.paths.bank_of_ssd(ssd)
    }

    /// The cache results of each workload.
    pub(crate) fn caches(&self) -> &[CacheShares] {
        &self.caches
    }

    /// Sets the operating point, instead of warm caches and COMMITs that find no data on disk.
    pub(crate) fn operate_at(&mut self, point: OperatingPoint<'_>) {
        point.written.clone_into(&mut self.written);
        if let Some(caches) = point.caches {
            caches.clone_into(&mut self.caches);
        }
        if point.caches.is_some() || point.streams.is_some() {
            self.find_streams(point.streams);
        }
    }

    /// The accesses to the disks of every pool.
    pub(crate) fn runs(&self) -> &[PoolRuns] {
        &self.runs
    }

    /// Counts the accesses to the disks of every pool, and sets the shares of streams.
    fn find_streams(&mut self, shares: Option<&[StreamShares]>) {
        self.runs = (0..self.storage.pools.len())
            .map(|pool| self.runs_at(pool))
            .collect();
        self.streams = match shares {
            Some(shares) => shares.to_vec(),
            None => self.runs.iter().map(PoolRuns::equal).collect(),
        };
    }

    /// The accesses of operations of all workloads to the disks of a pool; none where it does not matter
    /// whose turn it is. Each run of infinitely many streams is a single access.
    fn runs_at(&self, pool: usize) -> PoolRuns {
        let spec = &self.storage.pools[pool];
        let disks = &self.devices.paths.pools[pool];
        let mut groups = disks.groups.iter();
        if spec.run.is_some() || !groups.any(|group| matches!(group.part, DrivePart::Disk(_))) {
            return PoolRuns(Vec::new());
        }
        let pieces = disks.layout.pieces_of_run();
        let is_grouped = spec.method(self.costs) == WriteMethod::Groups;
        let all = self.workloads.iter().enumerate();
        let of_workload = all.map(|(index, workload)| {
            let mut runs = DiskRuns {
                streams: self.sequential[index],
                ..DiskRuns::default()
            };
            for (kind, share) in workload.mix.shares() {
                // Binding reports errors.
                let cases = self.cases(index, workload, *kind).unwrap_or_default();
                let transfers = cases.iter().flat_map(|case| {
                    let all = case.transfers.iter().chain(&case.background.transfers);
                    all.map(move |transfer| (share.get() * case.share, transfer))
                });
                for (share, transfer) in transfers {
                    let is_here = matches!(transfer.work, Work::Disks { pool: at, .. } if at == pool);
                    let is_stream = workload.pattern == AccessPattern::Sequential;
                    if !is_here || is_stream && transfer.queued {
                        continue;
                    }
                    let in_run = share * transfer.bytes / spec.run().get() * pieces;
                    if !is_stream {
                        runs.single += share * transfer.commands;
                    } else if is_grouped && transfer.write {
                        runs.grouped += in_run;
                    } else if self.sequential[index].is_infinite() {
                        runs.single += in_run;
                    } else {
                        runs.streamed += in_run;
                    }
                }
            }
            runs
        });
        PoolRuns(of_workload.collect())
    }

    /// The use of the cache by the workloads of the scenario.
    pub(crate) fn cache_loads(&self, workloads: &[Workload]) -> Vec<CacheLoad> {
        let loads = workloads.iter().zip(&self.caches);
        loads
            .map(|(workload, &warm)| CacheLoad {
                warm,
                data: self.touched(workload),
                metadata: self.metadata_touched(workload),
            })
            .collect()
    }

    /// Bytes in the cache touched per operation of the workload that moves data.
    pub(super) fn touched(&self, workload: &Workload) -> f64 {
        let bytes = workload.mean_io_size().get();
        if workload.pattern == AccessPattern::Sequential {
            return bytes;
        }
        let all = self.disks_of(workload);
        let pools = self.storage.pools.iter().zip(&self.devices.paths.pools);
        pools
            .filter(|(pool, _)| pool.serves(workload))
            .map(|(pool, disks)| pool.touched(self.costs, bytes) * disks.count / all)
            .sum()
    }

    /// Bytes of metadata in the cache touched per operation of the workload, on average over its mix.
    fn metadata_touched(&self, workload: &Workload) -> f64 {
        let record = record_size(self.storage, workload);
        metadata::touches_of_mix(workload, self.costs, record) * self.costs.metadata_block
    }

    /// Disks that represent others in the demands.
    pub(crate) fn representatives(&self) -> &[EqualResources] {
        &self.devices.representatives
    }

    /// All cases of an operation of the workload of this index.
    ///
    /// # Errors
    ///
    /// [`BindError::NeedsDisks`] for an operation that needs disks without a pool.
    pub(crate) fn cases(
        &self,
        index: usize,
        workload: &Workload,
        operation: OperationKind,
    ) -> Result<Vec<Case>, BindError> {
        self.cases_with(index, workload, operation, &self.caches[index])
    }

    /// [`Plan::cases`] with other cache results than those of the workload's steady state.
    pub(crate) fn cases_with(
        &self,
        index: usize,
        workload: &Workload,
        operation: OperationKind,
        cache: &CacheShares,
    ) -> Result<Vec<Case>, BindError> {
        let cached = vec![Case {
            share: 1.0,
            ..Case::default()
        }];
        // Without a pool, operations on GPU memory end there.
        let ends_in_gpus = self.storage.pools.is_empty() && !workload.gpus.is_empty();
        if !workload.protocol.serves_files() || ends_in_gpus {
            return Ok(cached);
        }
        let missed = self.missed_metadata(workload, operation, cache);
        let reads = operation == OperationKind::Read && !self.storage.pools.is_empty();
        if !operation.changes_files() && !reads && missed.share == 0.0 {
            return Ok(cached);
        }
        if self.storage.pools.is_empty() {
            return self.in_memory(workload, operation);
        }
        let pools = self.devices.paths.pools.iter().enumerate();
        let pools = pools.filter(|&(pool, _)| self.storage.pools[pool].serves(workload));
        let all = self.disks_of(workload);
        let direct = shares::is_direct(self.storage, self.costs, workload);
        let mut cases = Vec::new();
        for (pool, disks) in pools {
            let share = disks.count / all;
            let spec = &self.storage.pools[pool];
            let at = AtPool {
                streams: self.streams(index, operation, pool),
                plan: self,
                pool,
                spec,
                disks,
                method: spec.method_for(self.costs, workload),
                direct,
                written: self.written[index],
                streaming: self.streaming(index, pool),
                queued: match workload.arrivals.rate() {
                    Some(_) => f64::INFINITY,
                    None => 1.0 + self.outstanding[index] / all,
                },
            };
            let here = match operation {
                OperationKind::Read => at.read(workload, &cache.data),
                OperationKind::Write => {
                    let committed = at.method == WriteMethod::WriteBack;
                    let share = if committed {
                        self.committed(index, workload)
                    } else {
                        0.0
                    };
                    let cases = at.write(workload, &cache.data).into_iter();
                    cases.map(|case| case.committed(share)).collect()
                }
                OperationKind::Commit => vec![at.commit(self.commit_bytes(index, workload))],
                changing if changing.changes_files() => vec![at.change_names(changing)],
                _ => cached.clone(),
            };
            let here = here.into_iter().flat_map(|case| at.with_metadata(case, &missed));
            cases.extend(here.map(|case| at.charged(case, share)));
        }
        // Most reads may hit the cache, independent of their pool.
        let mut merged: Vec<Case> = Vec::new();
        for case in cases.into_iter().filter(|case| case.share > 0.0) {
            let same = |other: &&mut Case| {
                other.transfers == case.transfers
                    && other.background == case.background
                    && other.waits == case.waits
            };
            match merged.iter_mut().find(same) {
                Some(other) => other.share += case.share,
                None => merged.push(case),
            }
        }
        Ok(merged)
    }

    /// The cases of an operation that changes files on a RAM disk.
    fn in_memory(&self, workload: &Workload, operation: OperationKind) -> Result<Vec<Case>, BindError> {
        if self.costs.writes != WriteMethod::Memory {
            return Err(BindError::NeedsDisks {
                workload: workload.id.clone(),
                operation: operation.name().to_owned(),
            });
        }
        let bytes = match operation {
            OperationKind::Write => workload.io_size.get(),
            _ => 0.0,
        };
        let [instructions, misses] = self.costs.of_written(bytes);
        Ok(vec![Case {
            share: 1.0,
            instructions,
            misses,
            ..Case::default()
        }])
    }

    /// Number of disks of the pools of a workload.
    fn disks_of(&self, workload: &Workload) -> f64 {
        let pools = self.storage.pools.iter().zip(&self.devices.paths.pools);
        let own = pools.filter(|(pool, _)| pool.serves(workload));
        own.map(|(_, disks)| disks.count).sum()
    }

    /// Operations on streams that may be in flight for each disk of a pool: those of a workload, and of all
    /// others that read streams from its disks.
    fn streaming(&self, own: usize, pool: usize) -> f64 {
        let all = self.workloads.iter().enumerate();
        let here = all.filter(|&(index, workload)| {
            let hits = &self.caches[index].data;
            let misses = hits.hit_rate.get() + hits.second_level_hit_rate.get() < 1.0;
            let reads = workload.mix.share(OperationKind::Read).get() > 0.0;
            let streams = workload.pattern == AccessPattern::Sequential && workload.protocol.serves_files();
            index == own || self.storage.pools[pool].serves(workload) && streams && reads && misses
        });
        here.map(|(index, workload)| self.outstanding[index] / self.disks_of(workload))
            .sum()
    }

    /// Number of streams at each disk of a pool for an operation, as many as there were if all were as fast
    /// as its own. All that goes to disk with a transaction group is one stream, however many threads wrote
    /// it: it is allocated in the order in which it is written. On single drives without a file system each
    /// stream has its own drive. Random operations count as infinitely many.
    fn streams(&self, workload: usize, operation: OperationKind, pool: usize) -> f64 {
        let (of, spec) = (&self.workloads[workload], &self.storage.pools[pool]);
        let method = spec.method(self.costs);
        let is_written = method == WriteMethod::Groups && operation != OperationKind::Read;
        let own = self.sequential[workload];
        if of.pattern != AccessPattern::Sequential || (!is_written && own.is_infinite()) {
            return f64::INFINITY;
        }
        let shares = &self.streams[pool];
        let streams = if is_written {
            1.0 / shares.groups
        } else {
            own / shares.workloads.get(workload).copied().unwrap_or(0.0)
        };
        let raw = method.waits_for_drives() && spec.kind == PoolKind::Stripe && spec.width() == 1;
        if raw {
            streams / self.devices.paths.pools[pool].count
        } else {
            streams
        }
    }

    /// Metadata blocks that an operation misses.
    fn missed_metadata(&self, workload: &Workload, operation: OperationKind, cache: &CacheShares) -> Missed {
        let touched = metadata::touches(
            workload,
            operation,
            self.costs,
            record_size(self.storage, workload),
        );
        // A single operation with a known miss: its blocks are all in the cache or all missing.
        let known = cache.metadata.method == HitRateMethod::Blocks && touched > 0.0;
        Missed::of(if known { touched.max(1.0) } else { touched }, &cache.metadata)
    }

    /// Data that a COMMIT finds not yet on stable storage.
    fn commit_bytes(&self, index: usize, workload: &Workload) -> f64 {
        let from_mix = || workload.unstable_bytes().get() * self.written[index].uncommitted;
        workload.commit_bytes.map_or_else(from_mix, Bytes::get)
    }

    /// Share of the unstable data that COMMITs write.
    fn committed(&self, index: usize, workload: &Workload) -> f64 {
        let unstable = workload.unstable_bytes().get();
        if unstable > 0.0 {
            (self.commit_bytes(index, workload) / unstable).min(1.0)
        } else {
            0.0
        }
    }

    /// Books the transfers of a case between memory and devices before its reply, or the deferred ones.
    pub(crate) fn book<'b>(
        &self,
        case: &Case,
        background: bool,
        ledger: &mut crate::coherence::Ledger,
        coherence: &crate::coherence::Coherence<'b>,
        cards: &crate::cards::Cards<'b>,
        buffers: crate::cards::Buffers<'_>,
    ) {
        let mut booking = Booking {
            topology: self.topology,
            cards,
            coherence,
            ledger,
            buffers,
        };
        let transfers = if background {
            &case.background.transfers
        } else {
            &case.transfers
        };
        self.devices.paths.book(&mut booking, transfers);
    }
}

/// The group of clients of a workload.
fn group_of<'a>(scenario: &'a Scenario, workload: &Workload) -> Option<&'a ClientGroup> {
    scenario.clients.iter().find(|group| group.id == workload.clients)
}

/// Number of threads of a workload on all its clients.
pub(super) fn threads(scenario: &Scenario, workload: &Workload) -> f64 {
    group_of(scenario, workload).map_or(1.0, |group| workload.threads(group) as f64)
}

/// Number of operations of a workload that all its clients may have in flight.
fn outstanding(scenario: &Scenario, workload: &Workload) -> f64 {
    let group = group_of(scenario, workload);
    let slots = workload.outstanding_per_client.map_or(f64::INFINITY, f64::from);
    let clients = group.map_or(1.0, |group| f64::from(group.count));
    threads(scenario, workload).min(slots * clients)
}
