//! Streams that take turns at the disks of a pool.
//!
//! A disk moves its arm for a run of a stream if the last run was of another stream, or a command was
//! elsewhere. These come in random order: a run follows one of its own stream with the probability that is
//! the share of that stream among the accesses of the disk. Streams of this kind are those of processes
//! that read, and one of everything that goes to disk with a transaction group. Shares follow from the rates
//! of the steady state; a stream that is served from the cache has none, and slows no other.

/// Accesses of an operation of a workload to the disks of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DiskRuns {
    /// Sequential streams of the workload.
    pub(super) streams: f64,
    /// Runs of its own stream.
    pub(super) streamed: f64,
    /// Runs in the stream of transaction groups.
    pub(super) grouped: f64,
    /// Accesses at places of their own.
    pub(super) single: f64,
}

/// The accesses of all workloads to the disks of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolRuns(pub(super) Vec<DiskRuns>);

/// Shares of streams in the accesses of the disks of a pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamShares {
    /// The share of transaction groups.
    pub(super) groups: f64,
    /// By workload, the share of all its streams.
    pub(super) workloads: Vec<f64>,
}

impl PoolRuns {
    /// Whether the shares depend on rates: several kinds of accesses, and some of them in streams.
    pub fn depends(&self) -> bool {
        let is_any = |of: fn(&DiskRuns) -> f64| self.0.iter().any(|runs| of(runs) > 0.0);
        let streams = self.0.iter().filter(|runs| runs.streamed > 0.0).count();
        let groups = usize::from(is_any(|runs| runs.grouped));
        let single = usize::from(is_any(|runs| runs.single));
        streams + groups > 0 && streams + groups + single > 1
    }

    /// The shares at these rates of all workloads, in operations/s.
    pub fn shares(&self, rates: &[f64]) -> StreamShares {
        let all = self.0.iter().zip(rates);
        let sum = |of: fn(&DiskRuns) -> f64| -> f64 { all.clone().map(|(runs, rate)| rate * of(runs)).sum() };
        let total = sum(|runs| runs.streamed + runs.grouped + runs.single);
        if total <= 0.0 {
            return self.equal();
        }
        StreamShares {
            groups: sum(|runs| runs.grouped) / total,
            workloads: all.map(|(runs, rate)| rate * runs.streamed / total).collect(),
        }
    }

    /// The shares if all streams have the same rate, and single accesses are infinitely many.
    pub(super) fn equal(&self) -> StreamShares {
        let own = |runs: &DiskRuns| if runs.streamed > 0.0 { runs.streams } else { 0.0 };
        let groups = f64::from(u8::from(self.0.iter().any(|runs| runs.grouped > 0.0)));
        let single = self.0.iter().any(|runs| runs.single > 0.0);
        let streams = if single {
            f64::INFINITY
        } else {
            groups + self.0.iter().map(own).sum::<f64>()
        };
        let share = |count: f64| if count > 0.0 { count / streams } else { 0.0 };
        StreamShares {
            groups: share(groups),
            workloads: self.0.iter().map(|runs| share(own(runs))).collect(),
        }
    }
}

impl StreamShares {
    /// The largest difference of a share.
    pub fn difference(&self, other: &Self) -> f64 {
        let workloads = self.workloads.iter().zip(&other.workloads);
        let differences = workloads.map(|(one, other)| (one - other).abs());
        differences.fold((self.groups - other.groups).abs(), f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READER: DiskRuns = DiskRuns {
        streams: 3.0,
        streamed: 0.25,
        grouped: 0.0,
        single: 0.0,
    };
    const WRITER: DiskRuns = DiskRuns {
        streams: 100.0,
        streamed: 0.0,
        grouped: 0.5,
        single: 0.0,
    };

    /// Streams of one kind share the disks evenly at every rate; of two kinds, each has what its rate says,
    /// which is as much as of one kind where all streams are equally fast.
    #[test]
    fn shares_follow_rates() {
        let readers = PoolRuns(vec![READER]);
        assert!(!readers.depends());
        assert_eq!(readers.equal().workloads, [1.0]);
        assert_eq!(readers.shares(&[7.0]), readers.equal());
        let both = PoolRuns(vec![READER, WRITER]);
        assert!(both.depends());
        // Each of the readers, and the groups, have 100 runs a second.
        let shares = both.shares(&[1200.0, 200.0]);
        assert!(shares.difference(&both.equal()) < 1e-12);
        assert_eq!((shares.groups, shares.workloads[0]), (0.25, 0.75));
        assert_eq!(both.shares(&[0.0, 200.0]).groups, 1.0);
        let cached = PoolRuns(vec![
            DiskRuns {
                streamed: 0.0,
                ..READER
            },
            WRITER,
        ]);
        assert!(!cached.depends());
        assert_eq!(cached.equal().groups, 1.0);
    }
}
