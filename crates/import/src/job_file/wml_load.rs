//! The operations of NFS that one round of a thread's flowops causes.
//!
//! | flowop | operations |
//! |---|---|
//! | `openfile` | LOOKUP, and GETATTR: a client asks anew whenever a file is opened (close-to-open consistency) |
//! | `createfile` | LOOKUP, CREATE |
//! | `closefile`, `fsync` | COMMIT, if anything was written since the last one |
//! | `deletefile` | LOOKUP, REMOVE |
//! | `statfile` | GETATTR |
//! | `listdir` | READDIRPLUS |
//! | `makedir`, `removedir` | MKDIR, RMDIR |
//! | `readwholefile`, `writewholefile` | READ or WRITE of `iosize` each until the file is through |
//! | `read`, `write`, `aiowrite`, `appendfile`, `appendfilerand` | one READ or WRITE |
//!
//! The client caches nothing else: its caches are not modelled.

use std::collections::BTreeMap;

use bandgraph_units::Bytes;

use super::wml::Names;
use super::wml_syntax::Block;
use super::{Job, Rate, Sourced};
use bandgraph_workload::{AccessPattern, MAX_IO_SIZE, OperationKind, Sizes, SizesError};

/// The maximum number of lengths that represent a range.
const RANDOM_LENGTHS: u32 = 8;

/// Files of one kind.
#[derive(Clone, Debug)]
pub(super) struct Fileset {
    file_size: f64,
    bytes: f64,
}

impl Fileset {
    /// `None` if the size is zero or exceeds 64 bits.
    pub(super) fn new(entries: u64, file_size: u64) -> Option<Self> {
        let bytes = entries.checked_mul(file_size)?;
        (bytes > 0).then_some(Self {
            file_size: file_size as f64,
            bytes: bytes as f64,
        })
    }
}

/// The operations of one round of a thread.
#[derive(Default)]
pub(super) struct ThreadLoad {
    /// Operations per round, sorted by kind.
    operations: BTreeMap<OperationKind, f64>,
    bytes: f64,
    /// Sizes of reads, and of writes, with the number of each.
    reads: Vec<(Bytes, f64)>,
    writes: Vec<(Bytes, f64)>,
    random: bool,
    stable: bool,
    /// Whether there is written data that is not on stable storage.
    dirty: bool,
    pause_s: f64,
    rate: Option<Sourced<Rate>>,
    /// Rounds per second.
    rounds: Option<Sourced<f64>>,
    filesets: Vec<f64>,
    /// The size of the current files.
    file_size: f64,
}

impl ThreadLoad {
    /// Counts the flowops of a thread; `None` if one has a problem.
    pub(super) fn read(names: &mut Names<'_>, thread: &Block) -> Option<Self> {
        let mut load = Self::default();
        let before = names.file.problems.len();
        for flowop in &thread.blocks {
            load.flowop(names, flowop);
        }
        (names.file.problems.len() == before).then_some(load)
    }

    fn add(&mut self, operation: OperationKind, count: f64) {
        if count > 0.0 {
            *self.operations.entry(operation).or_insert(0.0) += count;
        }
    }

    /// Adds a COMMIT if there is uncommitted data.
    fn commit(&mut self, times: f64) {
        if std::mem::take(&mut self.dirty) {
            self.add(OperationKind::Commit, times);
        }
    }

    /// Adds `count` reads or writes of `size` each.
    fn data(&mut self, operation: OperationKind, count: f64, size: f64) {
        self.add(operation, count);
        if count > 0.0 {
            self.bytes += count * size;
            let sizes = if operation == OperationKind::Read {
                &mut self.reads
            } else {
                &mut self.writes
            };
            sizes.push((Bytes::new(size.round().max(1.0)), count));
        }
    }

    fn flowop(&mut self, names: &mut Names<'_>, flowop: &Block) {
        use OperationKind::{Create, Getattr, Lookup, Mkdir, Read, Readdirplus, Remove, Rmdir, Write};

        let times = names.count(flowop, &["iters"], 1).value as f64;
        let flag = |names: &mut Names<'_>, name: &str| {
            flowop.attribute(&[name]).is_some()
                && names.number(flowop, &[name]).is_none_or(|flag| flag.value != 0.0)
        };
        let fileset = names.fileset(flowop);
        if let Some(fileset) = &fileset
            && !self.filesets.contains(&fileset.bytes)
        {
            self.filesets.push(fileset.bytes);
        }
        // A flowop without files uses those that the thread opened last.
        if let Some(fileset) = fileset {
            self.file_size = fileset.file_size;
        }
        match flowop.word.as_str() {
            "openfile" => {
                self.add(Lookup, times);
                self.add(Getattr, times);
            }
            "createfile" => {
                self.add(Lookup, times);
                self.add(Create, times);
            }
            "deletefile" => {
                self.add(Lookup, times);
                self.add(Remove, times);
            }
            "closefile" => self.commit(1.0),
            "statfile" => self.add(Getattr, times),
            "listdir" => self.add(Readdirplus, times),
            "makedir" => self.add(Mkdir, times),
            "removedir" => self.add(Rmdir, times),
            "fsync" | "fsyncset" => self.commit(times),
            "readwholefile" | "writewholefile" => {
                let operation = if flowop.word == "readwholefile" {
                    Read
                } else {
                    Write
                };
                let size = self.file_size.max(1.0);
                // Without an I/O size the whole file is one operation, up to the maximum size.
                let io_size = Self::io_size(names, flowop, "iosize").unwrap_or(size).min(size);
                // The last piece of a file is its remainder.
                let whole = (size / io_size).floor();
                self.data(operation, times * whole, io_size);
                let rest = size - whole * io_size;
                if rest >= 1.0 {
                    self.data(operation, times, rest);
                }
                self.dirty |= operation == Write;
            }
            "read" | "write" | "aiowrite" | "appendfile" | "appendfilerand" => {
                let operation = if flowop.word == "read" { Read } else { Write };
                let size = Self::io_size(names, flowop, "iosize").unwrap_or(8192.0);
                if flowop.word == "appendfilerand" {
                    // All lengths up to the maximum are equally likely.
                    let parts = RANDOM_LENGTHS.min(size as u32);
                    for part in 0..parts {
                        let middle = (f64::from(part) + 0.5) / f64::from(parts);
                        self.data(operation, times / f64::from(parts), size * middle);
                    }
                } else {
                    self.data(operation, times, size);
                }
                self.random |= flag(names, "random");
                let stable = flag(names, "dsync");
                self.stable |= stable;
                self.dirty |= operation == Write && !stable;
            }
            "delay" => {
                let seconds = names.number(flowop, &["value"]);
                self.pause_s += times * seconds.map_or(0.0, |seconds| seconds.value);
            }
            "opslimit" | "iopslimit" | "eventlimit" => self.limit(names, flowop),
            other => {
                let message = match other {
                    "hog" | "semblock" | "sempost" | "block" | "wakeup" | "aiowait" | "bwlimit"
                    | "finishoncount" | "finishonbytes" | "opennext" | "testrandvar" => {
                        format!("`{other}` is ignored")
                    }
                    _ => {
                        names.file.problem(
                            "job_file::not_modelled",
                            format!("the flowop `{other}` is not known"),
                            flowop.range.clone(),
                        );
                        return;
                    }
                };
                names.file.remark(message, flowop.range.clone());
            }
        }
    }

    fn io_size(names: &mut Names<'_>, flowop: &Block, name: &str) -> Option<f64> {
        let size = names.number(flowop, &[name])?;
        if size.value >= 1.0 && size.value <= MAX_IO_SIZE.get() {
            return Some(size.value);
        }
        names
            .file
            .problem("job_file::value", "an I/O size is 1 byte to 1 GiB", size.range);
        None
    }

    /// An operation rate limit, which applies to all threads of the file together.
    fn limit(&mut self, names: &mut Names<'_>, flowop: &Block) {
        let own = names.number(flowop, &["rate", "value"]);
        let own = own.filter(|rate| rate.value > 0.0);
        // Every round consumes one event of `eventgen`.
        if own.is_none() && flowop.word == "eventlimit" && names.events.is_some() {
            self.rounds.clone_from(&names.events);
        } else if let Some(rate) = own {
            let limit = Rate {
                operations_per_s: rate.value,
                poisson: false,
            };
            self.rate = Some(Sourced::new(limit, rate.range));
        } else {
            names.file.remark(
                format!("`{}` without a rate is ignored", flowop.word),
                flowop.range.clone(),
            );
        }
    }

    /// The job of `threads` such threads.
    pub(super) fn job(
        self,
        names: &mut Names<'_>,
        name: Sourced<String>,
        threads: Sourced<u64>,
        runtime_s: Option<Sourced<f64>>,
    ) -> Option<Job> {
        let range = name.range.clone();
        let all: f64 = self.operations.values().sum();
        if all == 0.0 {
            names.file.remark(
                format!("`{}` asks nothing of a server and is left out", name.value),
                range,
            );
            return None;
        }
        let of_rounds = self.rounds.map(|rounds| {
            let rate = Rate {
                operations_per_s: rounds.value * all,
                poisson: false,
            };
            Sourced::new(rate, rounds.range)
        });
        let rate = self.rate.or(of_rounds);
        let moves: f64 = self
            .operations
            .iter()
            .filter(|(operation, _)| operation.moves_data())
            .map(|(_, count)| *count)
            .sum();
        let io_size = (moves > 0.0).then(|| (self.bytes / moves).round().max(1.0) as u64);
        let sourced_sizes = |sizes: &[(Bytes, f64)]| match Sizes::new(sizes) {
            Ok(sizes)
                if Some(sizes.shares())
                    != io_size
                        .map(|size| [(Bytes::new(size as f64), 1.0)])
                        .as_ref()
                        .map(|one| &one[..]) =>
            {
                Some(Sourced::new(sizes, range.clone()))
            }
            _ => None,
        };
        let (read_sizes, write_sizes) = (sourced_sizes(&self.reads), sourced_sizes(&self.writes));
        for sizes in [&self.reads, &self.writes] {
            if let Err(SizesError::Count(count)) = Sizes::new(sizes)
                && count > 0
            {
                names.file.remark(
                    format!("reads or writes of {count} sizes are taken as of their mean each"),
                    range.clone(),
                );
            }
        }
        let working_set: f64 = self.filesets.iter().sum();
        let sourced = |value: u64| Sourced::new(value, range.clone());
        Some(Job {
            mix: Sourced::new(self.operations.into_iter().collect(), range.clone()),
            pattern: Sourced::new(
                if self.random {
                    AccessPattern::Random
                } else {
                    AccessPattern::Sequential
                },
                range.clone(),
            ),
            io_size: io_size.map(sourced),
            read_sizes,
            write_sizes,
            working_set: (working_set > 0.0 && io_size.is_some()).then(|| sourced(working_set as u64)),
            threads,
            processes: None,
            // The pause of a round is divided by its operations.
            think_time_s: (self.pause_s > 0.0).then(|| Sourced::new(self.pause_s / all, range.clone())),
            direct: None,
            synchronous: self.stable.then(|| Sourced::new(true, range.clone())),
            rate,
            runtime_s,
            ramp_s: None,
            start_s: None,
            stop_s: None,
            stonewall: None,
            name,
        })
    }
}
