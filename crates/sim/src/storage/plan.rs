//! What the cache and the pools make of an operation: cases, each with its share and what goes to which device.
//!
//! * **Reads** that the cache answers touch no device. A random read that it does not answer reads the whole record (its
//!   checksum is over all of it) and waits for it. A stream is read ahead, so that nothing waits, in runs that lie on
//!   one disk each.
//! * **Writes** land in memory and go to disk with their transaction group, a few seconds later, sorted by place. Nobody
//!   waits for that: it is *behind* the operation, and others do it. A part of a record that is not cached is read first, and the whole record is
//!   written. Redundancy and metadata are on top.
//! * **Synchronous writes**, and operations that change names or attributes, also wait until they are in the log: on a
//!   log device, or on the disks of the pool where there is none.

use std::sync::Arc;

use bandgraph_topology::{Resource, Topology};
use bandgraph_units::Bytes;
use bandgraph_workload::{AccessPattern, OperationKind, Workload};

use super::cache::{self, CacheUse};
use super::layout::Layout;
use super::path::{Alike, Booking, Disks, Kin, Paths};
use super::{Pool, Storage, StorageCosts, StorageError};
use crate::{BindError, Scenario};

/// Runs that are read ahead of a stream: 32 MiB (`zfetch_block_cap`, 256 records of 128 KiB).
const READ_AHEAD: f64 = 64.0;
/// The largest command that adjacent transfers are merged into (`zfs_vdev_aggregation_limit`).
const AGGREGATED: f64 = 131_072.0;
/// The least that the log writes, and what its header takes.
const LOG_BLOCK: f64 = 4096.0;
const LOG_HEADER: f64 = 192.0;
/// Bytes that an operation on names or attributes logs, and later changes in metadata blocks.
const METADATA_RECORD: f64 = 512.0;
const METADATA_BLOCK: f64 = 4096.0;

/// Bytes that an operation moves to or from devices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Transfer {
    /// To the devices, not from them.
    pub(super) write: bool,
    pub(super) bytes: f64,
    pub(super) commands: f64,
    pub(super) work: Work,
}

/// Busy time that a transfer costs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Work {
    /// Of the disks of a pool together: in seconds, if all were of the first kin, of the second, and so on.
    Disks { pool: usize, seconds: Vec<f64> },
    /// Of one SSD.
    Ssd { ssd: usize, seconds: f64 },
}

/// One of the things that can happen to an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Case {
    /// How often it happens, 0 to 1; the shares of all cases sum to 1.
    pub(crate) share: f64,
    transfers: Vec<Transfer>,
    /// Instructions and missed lines on top of what the operation costs in any case.
    pub(crate) instructions: f64,
    pub(crate) misses: f64,
    /// What others do later, when its transaction group is written: nobody waits for that.
    pub(crate) behind: Behind,
    /// Seconds that the operation waits for devices.
    pub(crate) wait: f64,
}

/// What is done for an operation after its reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Behind {
    transfers: Vec<Transfer>,
    pub(crate) instructions: f64,
    pub(crate) misses: f64,
}

impl Behind {
    /// Whether nothing is left to be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.transfers.is_empty()
    }
}

impl Case {
    /// Bytes at the disks, log and cache devices excepted.
    pub(crate) fn disk_bytes(&self) -> f64 {
        let transfers = self.transfers.iter().chain(&self.behind.transfers);
        let at_disks = transfers.filter(|transfer| matches!(transfer.work, Work::Disks { .. }));
        at_disks.map(|transfer| transfer.bytes).sum()
    }
}

/// How transaction groups are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroupSettings {
    /// Seconds from one to the next.
    pub(crate) seconds: f64,
    /// Bytes of payload that one may hold.
    pub(crate) bytes_most: f64,
}

/// The storage of a scenario, ready to be asked what an operation does there.
#[derive(Clone, Debug)]
pub(crate) struct Plan<'a> {
    storage: &'a Storage,
    costs: &'a StorageCosts,
    topology: &'a Topology,
    paths: Paths,
    caches: Vec<CacheUse>,
    /// Threads of each workload.
    threads: Vec<f64>,
    alike: Vec<Alike>,
}

impl<'a> Plan<'a> {
    /// Checks the storage of a scenario and works out its paths. SSDs become resources.
    pub(crate) fn new(
        scenario: &'a Scenario,
        resources: &mut Vec<Arc<Resource>>,
        details: &mut Vec<String>,
    ) -> Result<Self, BindError> {
        let storage = &scenario.storage;
        check(storage, &scenario.topology)?;
        check_pools_of(&scenario.workloads, storage)?;
        let mut alike = Vec::new();
        let paths = Paths::new(storage, &scenario.topology, resources, details, &mut alike)?;
        Ok(Self {
            storage,
            costs: &scenario.stack.storage,
            topology: &scenario.topology,
            paths,
            caches: cache::uses(scenario)?,
            threads: scenario
                .workloads
                .iter()
                .map(|workload| threads(scenario, workload))
                .collect(),
            alike,
        })
    }

    /// How transaction groups are written.
    pub(crate) fn groups(&self) -> GroupSettings {
        let sockets = self.topology.sockets().iter();
        let dram: f64 = sockets.map(|socket| socket.memory.size.get()).sum();
        GroupSettings {
            seconds: self.costs.group_seconds,
            bytes_most: dram * self.costs.group_memory,
        }
    }

    /// What the cache does for each workload.
    pub(crate) fn caches(&self) -> &[CacheUse] {
        &self.caches
    }

    /// The same with other uses of the cache than those of the steady state.
    pub(crate) fn set_caches(&mut self, caches: Vec<CacheUse>) {
        self.caches = caches;
    }

    /// Bytes that an operation of the workload, of the kinds that move data, brings into the cache or finds there.
    pub(crate) fn touched(&self, workload: &Workload) -> f64 {
        let bytes = workload.io_size.get();
        if workload.pattern == AccessPattern::Sequential {
            return bytes;
        }
        let pools = self.storage.pools.iter().zip(&self.paths.pools);
        let pools = pools.filter(|(pool, _)| uses_pool(workload, pool));
        let all: f64 = pools.clone().map(|(_, disks)| disks.count).sum();
        pools
            .map(|(pool, disks)| bytes.max(pool.record_size.get()) * disks.count / all)
            .sum()
    }

    /// Disks for which one stands in the demands.
    pub(crate) fn alike(&self) -> &[Alike] {
        &self.alike
    }

    /// Everything that can happen to an operation of the workload of this index.
    ///
    /// # Errors
    ///
    /// [`BindError::NeedsDisks`] for an operation that ends on disks where there is no pool.
    pub(crate) fn cases(
        &self,
        index: usize,
        workload: &Workload,
        operation: OperationKind,
    ) -> Result<Vec<Case>, BindError> {
        self.cases_with(index, workload, operation, &self.caches[index])
    }

    /// [`Plan::cases`] with another use of the cache than that of the workload's steady state.
    pub(crate) fn cases_with(
        &self,
        index: usize,
        workload: &Workload,
        operation: OperationKind,
        cache: &CacheUse,
    ) -> Result<Vec<Case>, BindError> {
        let cached = vec![Case {
            share: 1.0,
            ..Case::default()
        }];
        if !workload.protocol.serves_files() {
            return Ok(cached);
        }
        if !changes_files(operation) && (operation != OperationKind::Read || self.storage.pools.is_empty()) {
            return Ok(cached);
        }
        if self.storage.pools.is_empty() {
            return Err(BindError::NeedsDisks {
                workload: workload.id.clone(),
                operation: operation.name().to_owned(),
            });
        }
        let pools = self.paths.pools.iter().enumerate();
        let pools = pools.filter(|&(pool, _)| uses_pool(workload, &self.storage.pools[pool]));
        let all: f64 = pools.clone().map(|(_, disks)| disks.count).sum();
        let mut cases = Vec::new();
        for (pool, disks) in pools {
            let share = disks.count / all;
            let at = AtPool {
                plan: self,
                pool,
                spec: &self.storage.pools[pool],
                disks,
                layout: Layout::new(&self.storage.pools[pool]),
                outstanding: self.threads[index] * share / disks.count,
            };
            let here = match operation {
                OperationKind::Read => at.read(workload, cache),
                OperationKind::Write => at.write(workload, cache),
                _ => vec![at.change_names()],
            };
            cases.extend(here.into_iter().map(|case| at.charged(case, share)));
        }
        // Most reads may be answered by the cache, whatever pool they would go to.
        let mut merged: Vec<Case> = Vec::new();
        for case in cases.into_iter().filter(|case| case.share > 0.0) {
            let same = |other: &&mut Case| other.transfers == case.transfers && other.behind == case.behind;
            match merged.iter_mut().find(same) {
                Some(other) => other.share += case.share,
                None => merged.push(case),
            }
        }
        Ok(merged)
    }

    /// Books what a case moves between memory and devices before its reply, or what of it is moved behind that.
    pub(crate) fn book<'b>(
        &self,
        case: &Case,
        behind: bool,
        ledger: &mut crate::coherence::Ledger,
        coherence: &mut crate::coherence::Coherence<'b>,
        cards: &crate::cards::Cards<'b>,
        homes: &[f64],
    ) {
        let mut booking = Booking {
            topology: self.topology,
            cards,
            coherence,
            ledger,
            homes,
        };
        let transfers = if behind {
            &case.behind.transfers
        } else {
            &case.transfers
        };
        self.paths.book(&mut booking, transfers);
    }
}

/// Whether the data of a workload lies in a pool.
pub(super) fn uses_pool(workload: &Workload, pool: &Pool) -> bool {
    workload.pool.as_ref().is_none_or(|id| *id == pool.id)
}

/// Whether an operation ends on disks or log devices, whatever is cached.
fn changes_files(operation: OperationKind) -> bool {
    use OperationKind as Op;
    !matches!(
        operation,
        Op::Read
            | Op::Getattr
            | Op::Lookup
            | Op::Access
            | Op::Readlink
            | Op::Readdir
            | Op::Readdirplus
            | Op::Fsstat
            | Op::Fsinfo
            | Op::Pathconf
            | Op::Null
    )
}

/// Operations at one pool.
struct AtPool<'a> {
    plan: &'a Plan<'a>,
    pool: usize,
    spec: &'a Pool,
    disks: &'a Disks,
    layout: Layout,
    /// Operations under way per disk, at most.
    outstanding: f64,
}

impl AtPool<'_> {
    fn record(&self) -> f64 {
        self.spec.record_size.get()
    }

    fn span(&self) -> f64 {
        self.spec.spread.get()
    }

    /// Busy time of the disks, by kin.
    fn at_disks(&self, seconds: impl Fn(&Kin) -> f64) -> Work {
        Work::Disks {
            pool: self.pool,
            seconds: self.disks.kin.iter().map(seconds).collect(),
        }
    }

    /// Time of a stream of bytes on the disks: runs, each of them after a seek on every disk that it lies on.
    fn streamed(&self, kin: &Kin, write: bool, bytes: f64, queue: f64) -> f64 {
        let run = self.spec.run.get();
        let pieces = self.layout.pieces_of_run();
        let each = Bytes::new(run / pieces);
        let access = kin.part.random_access(write, each, self.span(), queue);
        bytes / run * pieces * access.get()
    }

    /// Time of one command at a random place of a disk.
    fn access(&self, kin: &Kin, write: bool, bytes: f64) -> f64 {
        kin.part
            .random_access(write, Bytes::new(bytes), self.span(), self.outstanding)
            .get()
    }

    /// The same, on average over the disks.
    fn mean_access(&self, write: bool, bytes: f64) -> f64 {
        let access = |kin: &Kin| self.access(kin, write, bytes);
        self.disks.kin.iter().map(access).sum::<f64>() / self.disks.kin.len() as f64
    }

    fn read(&self, workload: &Workload, cache: &CacheUse) -> Vec<Case> {
        let (first, second) = (cache.hit_rate.get(), cache.second_level_hit_rate.get());
        let hit = Case {
            share: first,
            ..Case::default()
        };
        let miss = match workload.pattern {
            AccessPattern::Sequential => self.stream(workload.io_size.get()),
            AccessPattern::Random => self.random_records(workload.io_size.get()),
        };
        let mut cases = vec![
            hit,
            Case {
                share: 1.0 - first - second,
                ..miss
            },
        ];
        if second > 0.0 {
            cases.push(Case {
                share: second,
                ..self.second_level(workload.io_size.get())
            });
        }
        cases
    }

    /// A read of a stream: nothing waits, since it was read ahead.
    fn stream(&self, bytes: f64) -> Case {
        let read = self.layout.read(self.record());
        let queue = self.outstanding * READ_AHEAD;
        let passed = bytes * self.layout.passed();
        Case {
            transfers: vec![Transfer {
                write: false,
                bytes,
                commands: bytes / self.record() * read.commands,
                work: self.at_disks(|kin| self.streamed(kin, false, passed, queue)),
            }],
            ..Case::default()
        }
    }

    /// Records that an operation of so many bytes at a random place touches; operations are aligned to their size.
    fn records(&self, bytes: f64) -> f64 {
        (bytes / self.record()).max(1.0)
    }

    fn random_records(&self, bytes: f64) -> Case {
        let records = self.records(bytes);
        let read = self.layout.read(self.record());
        let each = read.bytes / read.commands;
        Case {
            transfers: vec![Transfer {
                write: false,
                bytes: records * read.bytes,
                commands: records * read.commands,
                work: self.at_disks(|kin| records * read.commands * self.access(kin, false, each)),
            }],
            // Records of one operation are read at the same time, from different groups.
            wait: self.mean_access(false, each),
            ..Case::default()
        }
    }

    /// Reads from the pool's cache devices, or from those of all pools where it has none, evenly.
    fn second_level(&self, bytes: f64) -> Case {
        let own = &self.spec.cache;
        let all = self.plan.storage.pools.iter().flat_map(|pool| &pool.cache);
        let names: Vec<&String> = if own.is_empty() {
            all.collect()
        } else {
            own.iter().collect()
        };
        let records = self.records(bytes);
        self.on_ssds(
            names.len(),
            names.into_iter(),
            false,
            records * self.record(),
            records,
        )
    }

    /// A transfer spread evenly over some SSDs; it waits for one command.
    fn on_ssds<'n>(
        &self,
        count: usize,
        names: impl Iterator<Item = &'n String>,
        write: bool,
        bytes: f64,
        commands: f64,
    ) -> Case {
        let mut case = Case::default();
        for name in names {
            let ssds = &self.plan.storage.ssds;
            let ssd = ssds
                .iter()
                .position(|ssd| ssd.id == *name)
                .expect("names of SSDs have been checked");
            let each = Bytes::new(bytes / commands);
            let part = &ssds[ssd].part;
            let time = if write { part.write(each) } else { part.read(each) }.get();
            let share = 1.0 / count as f64;
            case.wait += time * share;
            case.transfers.push(Transfer {
                write,
                bytes: bytes * share,
                commands: commands * share,
                work: Work::Ssd {
                    ssd,
                    seconds: commands * share * time,
                },
            });
        }
        case
    }

    fn write(&self, workload: &Workload, cache: &CacheUse) -> Vec<Case> {
        let bytes = workload.io_size.get();
        let partial = workload.pattern == AccessPattern::Random && bytes < self.record();
        // A stream fills its records before they are written; a random write changes a record that is written whole.
        let new = if partial { self.record() } else { bytes };
        let mut written = self.group_write(new);
        if workload.synchronous {
            written = together(written, self.log(bytes));
        }
        written.behind.instructions += self.plan.costs.instructions_per_written_byte * bytes;
        written.behind.misses += self.plan.costs.misses_per_written_byte * bytes;
        if !partial {
            return vec![Case {
                share: 1.0,
                ..written
            }];
        }
        let cached = cache.hit_rate.get();
        let read_first = together(self.random_records(bytes), written.clone());
        vec![
            Case {
                share: cached,
                ..written
            },
            Case {
                share: 1.0 - cached,
                ..read_first
            },
        ]
    }

    /// Data that goes to the disks with its transaction group.
    fn group_write(&self, bytes: f64) -> Case {
        let whole = self.layout.written(self.record().min(bytes.max(1.0)));
        let record = self.record().min(bytes.max(1.0));
        let on_disks = bytes / record * whole.bytes * (1.0 + self.plan.costs.metadata_share);
        behind(self.sorted_write(on_disks, bytes / record * whole.commands))
    }

    /// Writes that are sorted by place before they go to the disks.
    fn sorted_write(&self, bytes: f64, pieces: f64) -> Transfer {
        // The disk always has a full queue to choose from.
        let queue = f64::INFINITY;
        Transfer {
            write: true,
            bytes,
            commands: (bytes / AGGREGATED).min(pieces),
            work: self.at_disks(|kin| self.streamed(kin, true, bytes, queue)),
        }
    }

    /// A write to the log that the operation waits for.
    fn log(&self, bytes: f64) -> Case {
        let blocks = ((bytes + LOG_HEADER) / LOG_BLOCK).ceil() * LOG_BLOCK;
        if !self.spec.log.is_empty() {
            return self.on_ssds(self.spec.log.len(), self.spec.log.iter(), true, blocks, 1.0);
        }
        let written = self.layout.written(blocks);
        let each = written.bytes / written.commands;
        Case {
            transfers: vec![Transfer {
                write: true,
                bytes: written.bytes,
                commands: written.commands,
                work: self.at_disks(|kin| written.commands * self.access(kin, true, each)),
            }],
            wait: self.mean_access(true, each),
            ..Case::default()
        }
    }

    /// An operation that changes names or attributes: logged, then written with its group, in two copies.
    fn change_names(&self) -> Case {
        let block = self.layout.written(METADATA_BLOCK);
        let group = behind(self.sorted_write(2.0 * block.bytes, 2.0 * block.commands));
        Case {
            share: 1.0,
            ..together(group, self.log(METADATA_RECORD))
        }
    }

    /// Adds what the transfers of a case cost the cores, and takes its share at this pool.
    fn charged(&self, mut case: Case, share: f64) -> Case {
        let costs = self.plan.costs;
        let cost = |transfers: &[Transfer]| {
            let bytes: f64 = transfers.iter().map(|transfer| transfer.bytes).sum();
            let commands: f64 = transfers.iter().map(|transfer| transfer.commands).sum();
            (
                costs.instructions_per_byte * bytes + costs.instructions_per_command * commands,
                costs.misses_per_byte * bytes + costs.misses_per_command * commands,
            )
        };
        let (instructions, misses) = cost(&case.transfers);
        case.instructions += instructions;
        case.misses += misses;
        let (instructions, misses) = cost(&case.behind.transfers);
        case.behind.instructions += instructions;
        case.behind.misses += misses;
        case.share *= share;
        case
    }
}

/// A transfer that nobody waits for.
fn behind(transfer: Transfer) -> Case {
    Case {
        behind: Behind {
            transfers: vec![transfer],
            ..Behind::default()
        },
        ..Case::default()
    }
}

/// Two things that happen to one operation, one after the other.
fn together(mut first: Case, second: Case) -> Case {
    first.transfers.extend(second.transfers);
    first.behind.transfers.extend(second.behind.transfers);
    first.behind.instructions += second.behind.instructions;
    first.behind.misses += second.behind.misses;
    first.instructions += second.instructions;
    first.misses += second.misses;
    first.wait += second.wait;
    first
}

/// Threads of a workload on all its clients.
pub(super) fn threads(scenario: &Scenario, workload: &Workload) -> f64 {
    let group = scenario.clients.iter().find(|group| group.id == workload.clients);
    group.map_or(1.0, |group| workload.threads(group) as f64)
}

/// Checks ids and references.
fn check(storage: &Storage, topology: &Topology) -> Result<(), StorageError> {
    for (what, ids) in [
        (
            "pool",
            storage.pools.iter().map(|pool| &pool.id).collect::<Vec<_>>(),
        ),
        ("ssd", storage.ssds.iter().map(|ssd| &ssd.id).collect()),
    ] {
        let twice = ids.iter().enumerate().find(|&(at, id)| ids[..at].contains(id));
        if let Some((_, id)) = twice {
            return Err(StorageError::Duplicate {
                what,
                id: (*id).clone(),
            });
        }
    }
    let mut taken: Vec<(&str, &Pool)> = Vec::new();
    let mut devices: Vec<(&str, &Pool, &'static str)> = Vec::new();
    for pool in &storage.pools {
        check_sizes(pool)?;
        let all: Vec<&str> = topology.jbods().iter().map(|jbod| jbod.id.as_str()).collect();
        let own: Vec<&str> = if pool.jbods.is_empty() {
            all.clone()
        } else {
            pool.jbods.iter().map(String::as_str).collect()
        };
        for jbod in own {
            if !all.contains(&jbod) {
                return Err(StorageError::UnknownJbod {
                    pool: pool.id.clone(),
                    jbod: jbod.to_owned(),
                    known: all.iter().map(|&id| id.to_owned()).collect(),
                });
            }
            if let Some((_, first)) = taken.iter().find(|(other, _)| *other == jbod) {
                return Err(StorageError::JbodTwice {
                    jbod: jbod.to_owned(),
                    first: first.id.clone(),
                    second: pool.id.clone(),
                });
            }
            taken.push((jbod, pool));
        }
        for (role, names) in [("log", &pool.log), ("cache", &pool.cache)] {
            for name in names {
                if !storage.ssds.iter().any(|ssd| ssd.id == *name) {
                    return Err(StorageError::UnknownSsd {
                        pool: pool.id.clone(),
                        ssd: name.clone(),
                        role,
                        known: storage.ssds.iter().map(|ssd| ssd.id.clone()).collect(),
                    });
                }
                if let Some((_, first, first_role)) = devices.iter().find(|(other, ..)| other == name) {
                    return Err(StorageError::SsdTwice {
                        ssd: name.clone(),
                        first: first.id.clone(),
                        first_role,
                        pool: pool.id.clone(),
                        role,
                    });
                }
                devices.push((name, pool, role));
            }
        }
    }
    Ok(())
}

/// Workloads name pools that are there.
fn check_pools_of(workloads: &[Workload], storage: &Storage) -> Result<(), StorageError> {
    for workload in workloads {
        let Some(name) = &workload.pool else { continue };
        if !storage.pools.iter().any(|pool| pool.id == *name) {
            return Err(StorageError::UnknownPool {
                workload: workload.id.clone(),
                pool: name.clone(),
                known: storage.pools.iter().map(|pool| pool.id.clone()).collect(),
            });
        }
    }
    Ok(())
}

fn check_sizes(pool: &Pool) -> Result<(), StorageError> {
    let record = pool.record_size.get();
    if !(512.0..=1_048_576.0).contains(&record) || record.log2().fract() != 0.0 {
        return Err(StorageError::RecordSize {
            pool: pool.id.clone(),
            record_size: pool.record_size.to_string(),
        });
    }
    let run = pool.run.get();
    if !(pool.record_size.get()..=1_073_741_824.0).contains(&run) {
        return Err(StorageError::Run {
            pool: pool.id.clone(),
            run: pool.run.to_string(),
        });
    }
    let spread = pool.spread.get();
    if !(spread > 0.0 && spread <= 1.0) {
        return Err(StorageError::Spread {
            pool: pool.id.clone(),
            spread: pool.spread.to_string(),
        });
    }
    Ok(())
}
