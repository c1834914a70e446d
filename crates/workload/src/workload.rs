//! What a group of clients asks for.

use bandgraph_units::{Bytes, Fraction, Time};

use crate::invalid::{InvalidField, Printed, Problem, Range};
use crate::{
    AccessPattern, Arrivals, ClientGroup, DataDirection, Job, MAX_IO_SIZE, MAX_RATE, Medium, Metadata, Mix,
    OperationKind, ProtocolKind, Schedule, Sizes,
};

/// The most threads of one client.
pub const MAX_THREADS_PER_CLIENT: u32 = 1_000_000;
/// The most threads of all clients of a group together: each may have an operation under way, which takes
/// memory.
pub const MAX_STREAMS: u64 = 10_000_000;
/// The largest working set: 1 EiB.
pub const MAX_WORKING_SET: Bytes = Bytes::new(1_152_921_504_606_846_976.0);
/// The longest pause between two operations of a thread: a day.
const MAX_THINK_TIME: Time = Time::new(86_400.0);

/// What a group of clients asks for. In a closed loop every thread issues one operation at a time: it waits
/// for the reply, pauses for the think time, and issues the next. In an open loop operations come at a rate,
/// and nobody waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The workload's id, not empty.
    pub id: String,
    /// The id of the group of clients that runs it.
    pub clients: String,
    /// How operations are said.
    pub protocol: ProtocolKind,
    /// Which operations.
    pub mix: Mix,
    /// File data of each read or write: whole bytes, 1 B to [`MAX_IO_SIZE`]. Of no meaning, and unchecked,
    /// where no operation moves data.
    pub io_size: Bytes,
    /// The sizes of reads, where these are not all of `io_size`.
    pub read_sizes: Option<Sizes>,
    /// The sizes of writes, where these are not all of `io_size`.
    pub write_sizes: Option<Sizes>,
    /// The order in which a thread visits its data.
    pub pattern: AccessPattern,
    /// All data that the workload touches: at least one I/O, at most [`MAX_WORKING_SET`]. Unchecked where no
    /// operation moves data.
    pub working_set: Bytes,
    /// The share of its reads that the cache answers, 0 to 1, where that is known; worked out from the
    /// working set if `None`.
    pub hit_rate: Option<Fraction>,
    /// Its names and attributes.
    pub metadata: Metadata,
    /// Whether every write is on stable storage before its reply.
    pub synchronous: bool,
    /// Data that a COMMIT finds not to be on stable storage yet, at most [`MAX_WORKING_SET`]; from the mix if
    /// `None`.
    pub commit_bytes: Option<Bytes>,
    /// The id of the server's pool in which its data lies; in all of them, in proportion to their disks, if
    /// `None`.
    pub pool: Option<String>,
    /// What makes clients issue operations.
    pub arrivals: Arrivals,
    /// Threads of each client, 1 to [`MAX_THREADS_PER_CLIENT`]; of jobs, all their processes. Of no meaning
    /// in an open loop.
    pub threads_per_client: u32,
    /// The pause of a thread between a reply and its next operation: 0 (as fast as it can) to a day.
    pub think_time: Time,
    /// Calls that a client has on the way at the most, 1 to [`MAX_THREADS_PER_CLIENT`]; others wait in the
    /// client for their turn. As many as there are if `None`.
    pub outstanding_per_client: Option<u32>,
    /// When in a run it is there.
    pub schedule: Schedule,
    /// What the threads compute, and how much data they are done after; endless where there is none.
    pub job: Option<Job>,
}

impl Workload {
    /// One thread per client of `clients` that issues `mix` over NFS version 3 as fast as it can, 128 KiB at
    /// a time, sequentially through 1 GiB.
    pub fn new(id: impl Into<String>, clients: impl Into<String>, mix: Mix) -> Self {
        Self {
            id: id.into(),
            clients: clients.into(),
            protocol: ProtocolKind::Nfs3Tcp,
            mix,
            io_size: Bytes::new(131_072.0),
            read_sizes: None,
            write_sizes: None,
            pattern: AccessPattern::Sequential,
            working_set: Bytes::new(1_073_741_824.0),
            hit_rate: None,
            metadata: Metadata::default(),
            commit_bytes: None,
            synchronous: false,
            pool: None,
            arrivals: Arrivals::Closed,
            threads_per_client: 1,
            think_time: Time::ZERO,
            job: None,
            outstanding_per_client: None,
            schedule: Schedule::default(),
        }
    }

    /// Whether it runs in processes on the server itself, and not over a network.
    pub fn is_local(&self) -> bool {
        self.protocol.medium() == Medium::None
    }

    /// Threads of all clients of `group` together: the most operations that can be under way in a closed
    /// loop.
    pub fn streams(&self, group: &ClientGroup) -> u64 {
        u64::from(self.threads_per_client) * u64::from(group.count)
    }

    /// Threads of one client of `group`, by its number: all that it may run, or as many as the jobs of the
    /// batch need that fall to it in turn.
    pub fn threads_of(&self, client: u32, group: &ClientGroup) -> u32 {
        let Some(job) = &self.job else {
            return self.threads_per_client;
        };
        let slots = (self.threads_per_client / job.cores).max(1);
        let jobs = job.count / group.count + u32::from(client < job.count % group.count);
        slots.min(jobs) * job.cores
    }

    /// Threads of all clients of `group` that have something to do.
    pub fn threads(&self, group: &ClientGroup) -> u64 {
        let (first, last) = (self.threads_of(0, group), self.threads_of(group.count - 1, group));
        let Some(job) = &self.job else {
            return self.streams(group);
        };
        // Clients differ by one job at the most, and the first have more.
        let more = u64::from(job.count % group.count);
        if first == last {
            u64::from(first) * u64::from(group.count)
        } else {
            u64::from(first) * more + u64::from(last) * (u64::from(group.count) - more)
        }
    }

    /// Data that unstable writes bring from one COMMIT to the next, on average; none where writes are stable,
    /// or there is no COMMIT.
    pub fn unstable_bytes(&self) -> Bytes {
        let commits = self.mix.share(OperationKind::Commit).get();
        if self.synchronous || commits <= 0.0 {
            return Bytes::ZERO;
        }
        let size = self.write_sizes.as_ref().map_or(self.io_size, Sizes::mean);
        size * (self.mix.share(OperationKind::Write).get() / commits)
    }

    /// The sizes of operations of a kind with their shares, where they are not all of `io_size`.
    pub fn sizes_of(&self, operation: OperationKind) -> Option<&Sizes> {
        match operation.data() {
            DataDirection::None => None,
            DataDirection::Read => self.read_sizes.as_ref(),
            DataDirection::Write => self.write_sizes.as_ref(),
        }
    }

    /// File data of each operation that moves any, on average.
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

    /// The largest read or write.
    fn largest(&self) -> Bytes {
        let moving = self.mix.shares().iter().filter(|(kind, _)| kind.moves_data());
        let sizes = moving.map(|(kind, _)| self.sizes_of(*kind).map_or(self.io_size, Sizes::largest).get());
        Bytes::new(sizes.fold(0.0, f64::max))
    }

    /// Operations of one job: as many as move its data. `None` where the workload has no job.
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

    /// Every field that is out of its range; empty if all is well.
    pub fn validate(&self) -> Vec<InvalidField> {
        let mut invalid = Vec::new();
        for (field, text) in [("id", &self.id), ("clients", &self.clients)] {
            if text.is_empty() {
                invalid.push(InvalidField {
                    field,
                    problem: Problem::Empty,
                });
            }
        }
        for (kind, _) in self.mix.shares() {
            if !self.protocol.has(*kind) {
                let problem = Problem::NoSuchOperation {
                    protocol: self.protocol.name(),
                    operation: kind.name(),
                };
                invalid.push(InvalidField {
                    field: "mix",
                    problem,
                });
            }
        }
        if self.mix.moves_data() {
            self.validate_sizes(&mut invalid);
        }
        Range::count(1, MAX_THREADS_PER_CLIENT).check(
            "threads_per_client",
            f64::from(self.threads_per_client),
            &mut invalid,
        );
        Range::time(MAX_THINK_TIME).check("think_time", self.think_time.get(), &mut invalid);
        if let Some(job) = &self.job {
            job.validate(&mut invalid);
            if !self.mix.moves_data() {
                invalid.push(InvalidField {
                    field: "job",
                    problem: Problem::NoJobData,
                });
            }
        }
        if let Some(hit_rate) = self.hit_rate {
            Range::number(0.0, 1.0).check("hit_rate", hit_rate.get(), &mut invalid);
        }
        self.metadata.check(&mut invalid);
        if let Some(bytes) = self.commit_bytes {
            Range::bytes(Bytes::ZERO, MAX_WORKING_SET).check("commit_bytes", bytes.get(), &mut invalid);
        }
        if let Some(rate) = self.arrivals.rate() {
            Range::operations(MAX_RATE).check("rate", rate.get(), &mut invalid);
        }
        if let Some(outstanding) = self.outstanding_per_client {
            Range::count(1, MAX_THREADS_PER_CLIENT).check(
                "outstanding_per_client",
                f64::from(outstanding),
                &mut invalid,
            );
        }
        self.schedule.check(&mut invalid);
        invalid
    }

    fn validate_sizes(&self, invalid: &mut Vec<InvalidField>) {
        let before = invalid.len();
        Range::bytes(Bytes::new(1.0), MAX_IO_SIZE)
            .positive()
            .check("io_size", self.io_size.get(), invalid);
        Range::bytes(Bytes::new(1.0), MAX_WORKING_SET).positive().check(
            "working_set",
            self.working_set.get(),
            invalid,
        );
        let largest = self.largest();
        if invalid.len() == before && largest > self.working_set {
            let problem = Problem::LargerThanWorkingSet {
                io_size: Printed::bytes(largest),
                working_set: Printed::bytes(self.working_set),
            };
            invalid.push(InvalidField {
                field: "working_set",
                problem,
            });
        }
    }

    /// What is wrong between the workload and its group of clients: too many threads in all.
    pub fn validate_with(&self, group: &ClientGroup) -> Vec<InvalidField> {
        if self.streams(group) <= MAX_STREAMS {
            return Vec::new();
        }
        let problem = Problem::TooManyStreams {
            clients: group.count,
            threads: self.threads_per_client,
            maximum: MAX_STREAMS,
        };
        vec![InvalidField {
            field: "threads_per_client",
            problem,
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Job, OperationKind};

    fn reads() -> Workload {
        Workload::new("reads", "clients", Mix::single(OperationKind::Read))
    }

    fn problems(workload: &Workload) -> Vec<(&'static str, &'static str)> {
        workload
            .validate()
            .iter()
            .map(|invalid| (invalid.field, invalid.problem.id()))
            .collect()
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
            [
                ("id", "workload::empty"),
                ("clients", "workload::empty"),
                ("io_size", "workload::not_positive"),
                ("working_set", "workload::not_finite"),
                ("threads_per_client", "workload::too_small"),
                ("think_time", "workload::not_finite"),
            ]
        );
        let fraction = Workload {
            io_size: Bytes::new(4096.5),
            ..reads()
        };
        assert_eq!(problems(&fraction), [("io_size", "workload::not_whole")]);
        let huge = Workload {
            io_size: Bytes::new(2e9),
            working_set: Bytes::new(1e19),
            ..reads()
        };
        assert_eq!(
            problems(&huge),
            [
                ("io_size", "workload::too_large"),
                ("working_set", "workload::too_large")
            ]
        );
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
            [("job", "workload::no_job_data")]
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
            [("working_set", "workload::larger_than_working_set")]
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
