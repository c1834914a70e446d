//! Workloads: the operations of a group of clients.

use std::collections::BTreeMap;

use bandgraph_config::{FieldError, FieldValue, Figure, KnownFigure, Shape, printed, settings};
use bandgraph_units::{Bytes, Fraction, QuantityKind, Time};

use crate::arrivals::ARRIVAL_RATE;
use crate::invalid::{InvalidField, Problem, check_names, within_ranges};
use crate::{
    AccessPattern, Arrivals, ClientGroup, DataDirection, Job, MAX_IO_SIZE, Medium, Metadata, Mix,
    OperationKind, ProtocolKind, Schedule, Sizes, WorkPlacement,
};

/// The maximum number of threads per client.
pub const MAX_THREADS_PER_CLIENT: u32 = 1_000_000;
/// The maximum number of threads of a group: each may have an operation in flight, which needs memory.
pub const MAX_STREAMS: u64 = 10_000_000;
/// The largest working set: 1 EiB.
pub const MAX_WORKING_SET: Bytes = Bytes::new(1_152_921_504_606_846_976.0);
/// The longest pause between two operations of a thread: a day.
const MAX_THINK_TIME: f64 = 86_400.0;

settings! {
    /// What a group of clients asks for. Every thread sends one operation, waits for the reply, thinks, and
    /// sends the next; or, with a `rate`, operations come at that rate whether the server keeps up or not.
    pub struct Workload as "workload" by "id" {
        /// Its name, by which other entries, `--set` and reports call it.
        id: String as Shape::Id;
        /// The group of clients that issues its operations.
        clients: String as Shape::Reference("clients");
        /// The protocol; if left out and a named software profile does not have `nfs3-tcp`, its first one.
        protocol: ProtocolKind = "nfs3-tcp";
        /// The operations: one (`"read"`), a ready mix (`"specsfs2008"` and `"sfs97"` as published,
        /// `"streaming"`, `"random"`, `"metadata-heavy"`), or a table of operations with their weights (`{
        /// read = 70, write = 30 }`).
        mix: Mix, required_without("job_file");
        /// File data of each read or write.
        io_size: Bytes = "128 KiB", positive, at_least(1), at_most(MAX_IO_SIZE.get()), whole, uncertain;
        /// Sizes of reads with their weights, where not all are of `io_size`: "4 KiB=3, 64 KiB=1".
        read_sizes: Option<Sizes>;
        /// Sizes of writes with their weights, where not all are of `io_size`.
        write_sizes: Option<Sizes>;
        /// The order in which a thread visits its data.
        pattern: AccessPattern = "sequential";
        /// All data that the workload touches.
        working_set: Bytes = "1 GiB", positive, at_least(1), at_most(MAX_WORKING_SET.get()), whole, uncertain;
        /// Share of its reads that the cache in DRAM answers, where that is known from a measurement or a
        /// trace; from `working_set` if left out. Cache devices answer what they hold of the rest.
        hit_rate: Option<Fraction>, at_most(1), uncertain;
        /// Whether every write is on stable storage before its reply: in the log of the pool.
        synchronous: bool = false;
        /// Whether its reads and writes go past the cache of the server, as with `O_DIRECT`. Nothing is
        /// cached or read ahead then, and a write waits for its drive where the software has no transaction
        /// groups. Software that writes in place does so anyway.
        direct: bool = false;
        /// Data that a COMMIT finds not to be on stable storage, on average. From the mix if left out: what
        /// unstable writes bring from one COMMIT to the next, less what transaction groups have brought to
        /// disk.
        commit_bytes: Option<Bytes>, at_most(MAX_WORKING_SET.get()), whole, uncertain;
        /// The pool in which its data lies. Without it the data is spread over all pools, in proportion to
        /// their disks.
        pool: Option<String> as Shape::Reference("pool");
        /// The GPUs in whose memory its data are, in equal shares, or ranges (`gpu[0-3]`): other cards then
        /// read and write them there, past main memory and cores. Needs RDMA, or processes of the server
        /// itself. Main memory if left out.
        gpus: Vec<String> as Shape::References("card");
        /// Other GPUs that these read from and write to in place of main memory, in equal shares, or ranges:
        /// copies from GPU to GPU. For processes of the server itself without a pool.
        peers: Vec<String> as Shape::References("card");
        /// Threads of each client of the group.
        threads_per_client: u32 = 1, at_least(1), at_most(MAX_THREADS_PER_CLIENT), uncertain;
        /// Processes of each client that keep these threads' operations in flight by asynchronous I/O (fio's
        /// `numjobs` with `iodepth`). On a single server itself, one core does all work of a process;
        /// otherwise the client's library limits it (`stack.client_instructions_per_operation`). If left out,
        /// each thread is a process.
        processes_per_client: Option<u32>, at_least(1), at_most(MAX_THREADS_PER_CLIENT);
        /// Sequential streams of each client, where its threads are operations in flight of fewer streams.
        /// The arms of disks move between streams. If left out, each process is a stream, or each thread.
        streams_per_client: Option<u32>, at_least(1), at_most(MAX_THREADS_PER_CLIENT);
        /// The pause of a thread between a reply and its next operation.
        think_time: Time = "0 s", at_most(MAX_THINK_TIME), uncertain;
        /// Coefficient of variation of the pauses, 0 to 1, which a simulation draws; 0 where all are equal,
        /// as they are where threads meet at a barrier.
        think_variation: f64 = 0.3, at_most(1);
        /// Whether no thread thinks before all threads have their replies, as the processes of a training job
        /// that meet at a barrier after every step: all of their operations are in flight together.
        barrier: bool = false;
        /// Calls that a client has in flight at most; others wait in the client. No limit
        /// if left out.
        outstanding_per_client: Option<u32>, at_least(1), at_most(MAX_THREADS_PER_CLIENT), uncertain;
        /// Where its work is done; what is left out is as the software does it.
        placement: WorkPlacement, or_empty;
        flatten {
            /// Its names and attributes.
            metadata: Metadata;
            /// When in a run it is there.
            schedule: Schedule;
        }
        own {
            /// What makes clients issue operations.
            arrivals: Arrivals = Arrivals::Closed;
            /// What the threads compute, and how much data they are done after; endless where there is none.
            job: Option<Job> = None;
            /// The fields that a file gives with a range or a source, by their paths.
            figures: BTreeMap<String, Figure> = BTreeMap::new();
        }
    }
}

impl Workload {
    /// One thread per client of `clients` that issues `mix` over NFS version 3 without think time, 128 KiB at
    /// a time, sequentially through 1 GiB.
    pub fn new(id: impl Into<String>, clients: impl Into<String>, mix: Mix) -> Self {
        Self {
            id: id.into(),
            clients: clients.into(),
            mix,
            ..Self::default()
        }
    }

    /// Its figures with their values, each with the path of its field.
    pub fn known_figures(&self) -> impl Iterator<Item = (&str, KnownFigure)> {
        self.figures.iter().filter_map(|(path, figure)| {
            let (field, value) = match path.strip_prefix("job.") {
                Some(field) => (Job::KIND.field(field)?, self.job.as_ref()?.get(field)?),
                None => (Self::KIND.field(path)?, self.get(path)?),
            };
            Some((path.as_str(), KnownFigure::new(field, value, figure.clone())))
        })
    }

    /// Sets the field at a path of [`figures`](Self::figures).
    ///
    /// # Errors
    ///
    /// The field does not exist, or does not permit the value; nothing changes then.
    pub fn set_at(&mut self, path: &str, value: FieldValue) -> Result<(), FieldError> {
        match (path.strip_prefix("job."), &mut self.job) {
            (Some(field), Some(job)) => job.set(field, value),
            _ => self.set(path, value),
        }
    }

    /// Whether it runs in processes on the server itself, without a network.
    pub fn is_local(&self) -> bool {
        self.protocol.medium() == Medium::None
    }

    /// Threads of all clients of `group`: the maximum number of operations in flight in a closed loop.
    pub fn streams(&self, group: &ClientGroup) -> u64 {
        u64::from(self.threads_per_client) * u64::from(group.count)
    }

    /// Active threads of one client of `group`, by its number: all its threads, or those for its part of the
    /// batch's jobs, which are assigned round-robin.
    #[inline]
    pub fn threads_of(&self, client: u32, group: &ClientGroup) -> u32 {
        let Some(job) = &self.job else {
            return self.threads_per_client;
        };
        let slots = (self.threads_per_client / job.cores).max(1);
        let jobs = job.count / group.count + u32::from(client < job.count % group.count);
        slots.min(jobs) * job.cores
    }

    /// Active threads of all clients of `group`.
    pub fn threads(&self, group: &ClientGroup) -> u64 {
        let (first, last) = (self.threads_of(0, group), self.threads_of(group.count - 1, group));
        let Some(job) = &self.job else {
            return self.streams(group);
        };
        // The numbers of jobs per client differ by one at most, and the first clients have more.
        let more = u64::from(job.count % group.count);
        if first == last {
            u64::from(first) * u64::from(group.count)
        } else {
            u64::from(first) * more + u64::from(last) * (u64::from(group.count) - more)
        }
    }

    /// Sequential streams of all clients of `group`. An open loop has infinitely many threads, and as many
    /// streams where it does not give their number.
    pub fn sequential_streams(&self, group: &ClientGroup) -> f64 {
        let threads = match self.arrivals.rate() {
            Some(_) => f64::INFINITY,
            None => self.threads(group) as f64,
        };
        let given = self.streams_per_client.or(self.processes_per_client);
        given.map_or(threads, |each| {
            threads.min(f64::from(each) * f64::from(group.count))
        })
    }

    /// Mean data of unstable writes between two COMMITs; zero if writes are stable or there is no COMMIT.
    pub fn unstable_bytes(&self) -> Bytes {
        let commits = self.mix.share(OperationKind::Commit).get();
        if self.synchronous || commits <= 0.0 {
            return Bytes::ZERO;
        }
        let size = self.write_sizes.as_ref().map_or(self.io_size, Sizes::mean);
        size * (self.mix.share(OperationKind::Write).get() / commits)
    }

    /// The size distribution of a kind of operation, unless all have `io_size`.
    pub fn sizes_of(&self, operation: OperationKind) -> Option<&Sizes> {
        match operation.data() {
            DataDirection::None => None,
            DataDirection::Read => self.read_sizes.as_ref(),
            DataDirection::Write => self.write_sizes.as_ref(),
        }
    }

    /// Mean file data of the operations that move any.
    pub fn mean_io_size(&self) -> Bytes {
        if self.read_sizes.is_none() && self.write_sizes.is_none() {
            return self.io_size;
        }
        let moving = self.mix.shares().iter().filter(|(kind, _)| kind.moves_data());
        let (mut bytes, mut all) = (0.0, 0.0);
        for (kind, share) in moving {
            bytes += self.sizes_of(*kind).map_or(self.io_size, Sizes::mean).get() * share.get();
            all += share.get();
        }
        Bytes::new(bytes / all)
    }

    /// The size of the largest read or write.
    fn largest(&self) -> Bytes {
        let moving = self.mix.shares().iter().filter(|(kind, _)| kind.moves_data());
        let sizes = moving.map(|(kind, _)| self.sizes_of(*kind).map_or(self.io_size, Sizes::largest).get());
        Bytes::new(sizes.fold(0.0, f64::max))
    }

    /// The number of operations that move the data of one job; `None` without a job.
    pub fn operations_per_job(&self) -> Option<f64> {
        let job = self.job.as_ref()?;
        let moving: f64 = self
            .mix
            .shares()
            .iter()
            .filter(|(kind, _)| kind.moves_data())
            .map(|(_, share)| share.get())
            .sum();
        Some(job.all_data().get() / (self.mean_io_size().get() * moving))
    }

    /// Every field that is out of its range; empty if there is none.
    pub fn validate(&self) -> Vec<InvalidField> {
        let mut invalid = within_ranges(|found| self.check("", found));
        if !self.mix.moves_data() {
            // Sizes are unused if no data moves.
            invalid.retain(|found| found.field != "io_size" && found.field != "working_set");
        }
        for (field, text) in [("id", &self.id), ("clients", &self.clients)] {
            if text.is_empty() {
                invalid.push(Problem::Empty.of(field));
            }
        }
        check_names("gpus", &self.gpus, &mut invalid);
        check_names("peers", &self.peers, &mut invalid);
        for (kind, _) in self.mix.shares() {
            if !self.protocol.has(*kind) {
                let problem = Problem::NoSuchOperation {
                    protocol: self.protocol.name(),
                    operation: kind.name(),
                };
                invalid.push(problem.of("mix"));
            }
        }
        if let Some(job) = &self.job {
            job.validate(&mut invalid);
            if !self.mix.moves_data() {
                invalid.push(Problem::NoJobData.of("job"));
            }
        }
        if let Some(rate) = self.arrivals.rate()
            && let Some(problem) = ARRIVAL_RATE.range.problem(rate.get(), ARRIVAL_RATE.quantity())
        {
            invalid.push(Problem::Range(problem).of("rate"));
        }
        if self.barrier
            && (self.arrivals.rate().is_some()
                || self.job.is_some()
                || self.outstanding_per_client.is_some()
                || !self.schedule.is_constant())
        {
            invalid.push(Problem::NoBarrier.of("barrier"));
        }
        if self.processes_per_client.is_some() && self.job.is_some() {
            invalid.push(Problem::NoProcesses.of("processes_per_client"));
        }
        self.schedule.check_order(&mut invalid);
        self.check_working_set(&mut invalid);
        invalid
    }

    /// Checks that an operation fits the working set, if both are in range.
    fn check_working_set(&self, invalid: &mut Vec<InvalidField>) {
        let out_of_range = |found: &InvalidField| found.field == "io_size" || found.field == "working_set";
        let largest = self.largest();
        if self.mix.moves_data() && largest > self.working_set && !invalid.iter().any(out_of_range) {
            let size = |size: Bytes| printed(size.get(), Some(QuantityKind::Bytes));
            let problem = Problem::LargerThanWorkingSet {
                io_size: size(largest),
                working_set: size(self.working_set),
            };
            invalid.push(problem.of("working_set"));
        }
    }

    /// Checks the workload with its group of clients: the total number of threads.
    pub fn validate_with(&self, group: &ClientGroup) -> Vec<InvalidField> {
        if self.streams(group) <= MAX_STREAMS {
            return Vec::new();
        }
        let problem = Problem::TooManyStreams {
            clients: group.count,
            threads: self.threads_per_client,
            maximum: MAX_STREAMS,
        };
        vec![problem.of("threads_per_client")]
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_units::OperationRate;

    use super::*;
    use crate::invalid::{ids, named};
    use crate::{Job, OperationKind, Spacing};

    fn reads() -> Workload {
        Workload::new("reads", "clients", Mix::single(OperationKind::Read))
    }

    fn problems(workload: &Workload) -> Vec<(String, &'static str)> {
        ids(workload.validate())
    }

    #[test]
    fn defaults_are_valid() {
        assert_eq!(problems(&reads()), []);
        assert_eq!(
            problems(&Workload {
                io_size: Bytes::new(1.0),
                ..reads()
            }),
            []
        );
    }

    #[test]
    fn every_field_has_its_range() {
        let bad = Workload {
            id: String::new(),
            clients: String::new(),
            io_size: Bytes::ZERO,
            working_set: Bytes::new(f64::INFINITY),
            threads_per_client: 0,
            think_time: Time::new(f64::NAN),
            ..reads()
        };
        assert_eq!(
            problems(&bad),
            named(&[
                ("io_size", "workload::not_positive"),
                ("working_set", "workload::not_finite"),
                ("threads_per_client", "workload::too_small"),
                ("think_time", "workload::not_finite"),
                ("id", "workload::empty"),
                ("clients", "workload::empty"),
            ])
        );
        let fraction = Workload {
            io_size: Bytes::new(4096.5),
            ..reads()
        };
        assert_eq!(problems(&fraction), named(&[("io_size", "workload::not_whole")]));
        let huge = Workload {
            io_size: Bytes::new(2e9),
            working_set: Bytes::new(1e19),
            ..reads()
        };
        assert_eq!(
            problems(&huge),
            named(&[
                ("io_size", "workload::too_large"),
                ("working_set", "workload::too_large")
            ])
        );
    }

    #[test]
    fn streams_are_processes_or_threads() {
        let group = ClientGroup {
            count: 3,
            ..ClientGroup::default()
        };
        let streams = |processes, streams, rate: Option<f64>| {
            let mut workload = Workload {
                threads_per_client: 8,
                processes_per_client: processes,
                streams_per_client: streams,
                ..reads()
            };
            if let Some(rate) = rate {
                workload.arrivals = Arrivals::Open {
                    rate: OperationRate::new(rate),
                    spacing: Spacing::Poisson,
                };
            }
            workload.sequential_streams(&group)
        };
        assert_eq!(streams(None, None, None), 24.0);
        assert_eq!(streams(Some(2), None, None), 6.0);
        assert_eq!(streams(Some(2), Some(1), None), 3.0);
        assert_eq!(streams(Some(100), None, None), 24.0);
        assert_eq!(streams(None, None, Some(9.0)), f64::INFINITY);
        assert_eq!(streams(None, Some(1), Some(9.0)), 3.0);
    }

    #[test]
    fn only_processes_that_do_nothing_but_io_share_a_core() {
        let local = Workload {
            protocol: ProtocolKind::Host,
            processes_per_client: Some(2),
            ..reads()
        };
        assert_eq!(problems(&local), []);
        let computing = Workload {
            job: Some(Job::new(Time::new(1.0), Bytes::new(1e9))),
            ..local
        };
        let expected = named(&[("processes_per_client", "workload::no_processes")]);
        assert_eq!(problems(&computing), expected);
    }

    #[test]
    fn a_barrier_is_one_of_threads_that_are_always_there() {
        let all = || Workload {
            barrier: true,
            ..reads()
        };
        assert_eq!(problems(&all()), []);
        let others = [
            Workload {
                outstanding_per_client: Some(2),
                ..all()
            },
            Workload {
                job: Some(Job::new(Time::new(1.0), Bytes::new(1e9))),
                ..all()
            },
            Workload {
                arrivals: Arrivals::Open {
                    rate: OperationRate::new(10.0),
                    spacing: Spacing::default(),
                },
                ..all()
            },
            Workload {
                schedule: Schedule {
                    ramp: Time::new(1.0),
                    ..Schedule::default()
                },
                ..all()
            },
        ];
        for other in others {
            assert_eq!(problems(&other), named(&[("barrier", "workload::no_barrier")]));
        }
    }

    #[test]
    fn the_data_of_a_job_needs_operations_that_move_it() {
        let job = Job::new(Time::new(1.0), Bytes::new(1e9));
        let of = |operation| Workload {
            mix: Mix::single(operation),
            job: Some(job.clone()),
            ..reads()
        };
        assert_eq!(problems(&of(OperationKind::Read)), []);
        assert_eq!(
            problems(&of(OperationKind::Getattr)),
            named(&[("job", "workload::no_job_data")])
        );
    }

    #[test]
    fn operations_fit_their_working_set() {
        let tight = Workload {
            io_size: Bytes::new(4096.0),
            working_set: Bytes::new(4096.0),
            ..reads()
        };
        assert_eq!(problems(&tight), []);
        let short = Workload {
            working_set: Bytes::new(4095.0),
            ..tight
        };
        assert_eq!(
            problems(&short),
            named(&[("working_set", "workload::larger_than_working_set")])
        );
        assert_eq!(
            short.validate()[0].to_string(),
            "working_set: 4096 B at a time do not fit a working set of 4095 B"
        );
    }

    #[test]
    fn sizes_mean_nothing_where_no_data_moves() {
        let names = Workload {
            io_size: Bytes::ZERO,
            working_set: Bytes::ZERO,
            mix: Mix::single(OperationKind::Lookup),
            ..reads()
        };
        assert_eq!(problems(&names), []);
    }

    #[test]
    fn threads_in_all_are_bounded() {
        let mut group = ClientGroup::new("clients");
        group.count = 20;
        let workload = Workload {
            threads_per_client: 10,
            ..reads()
        };
        assert_eq!(workload.streams(&group), 200);
        assert_eq!(workload.validate_with(&group), []);
        group.count = 1_000_000;
        assert_eq!(workload.validate_with(&group), []);
        let most = Workload {
            threads_per_client: 1_000_000,
            ..reads()
        };
        assert_eq!(
            most.validate_with(&group)[0].problem.id(),
            "workload::too_many_streams"
        );
    }
}
