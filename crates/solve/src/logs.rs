//! Logs in the steady state: the operations of a block on a log device, and of a batch on disks.

use bandgraph_model::storage::Log;

/// Squared coefficient of variation below which all operations on a log count as one size.
const ONE_SIZE: f64 = 1e-9;

/// A log in the steady state, or one of several equal ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogState {
    pub(crate) used: bool,
    /// Groups of disks that a batch without bytes flushes.
    pub(crate) groups: f64,
    /// Bytes of a batch in addition to those of its operations.
    pub(crate) commit_bytes: f64,
    /// Whether it is one of several: operations come to it at random, and not all of those that were written
    /// together.
    pub(crate) at_random: bool,
    /// Whether devices have several of equal logs: their batches are commands among others there.
    pub(crate) crowded: bool,
    /// Seconds per batch of the disks, and the operations that arrive for the disks during one, beside
    /// devices.
    pub(crate) batch: f64,
    pub(crate) overflow: f64,
    /// Operations that its devices write or are to write next, and the times that follow from them.
    pub(crate) at_devices: f64,
    pub(crate) devices: DeviceTimes,
    /// Operations per second that wait for it, bytes of one of them, and their standard deviation.
    pub(crate) rate: f64,
    pub(crate) bytes: f64,
    pub(crate) deviation: f64,
    /// By workload, the share of the operations that wait for it which is of one thread, and the threads of
    /// those that have any.
    pub(crate) shares: Vec<f64>,
    pub(crate) threads: f64,
}

impl LogState {
    /// An unused log on this number of devices, for this number of workloads.
    pub(crate) fn idle(log: &Log, devices: usize, workloads: usize) -> Self {
        Self {
            groups: log.groups,
            commit_bytes: log.commit_bytes,
            at_random: log.logs > 1,
            crowded: log.logs > devices.max(1),
            shares: vec![0.0; workloads],
            ..Self::default()
        }
    }

    /// Sets the size of an operation and its deviation from bytes per second, and from the sum of their
    /// squares.
    pub(crate) fn set_sizes(&mut self, bytes: f64, squares: f64) {
        if self.rate > 0.0 {
            self.bytes = bytes / self.rate;
            let variance = squares / self.rate - self.bytes * self.bytes;
            // Less is rounding.
            let is_one_size = variance <= ONE_SIZE * self.bytes * self.bytes;
            self.deviation = if is_one_size { 0.0 } else { variance.sqrt() };
        }
    }

    /// Mean number of parts that an operation is divided into, so that each fits into a block.
    pub(crate) fn parts(&self) -> f64 {
        Log::mean_blocks(self.bytes, self.deviation).0
    }

    /// Mean number of parts that fit into a block.
    pub(crate) fn most_in_block(&self) -> f64 {
        let parts = self.parts();
        Log::fit_into_block(self.bytes / parts, self.deviation / parts)
    }

    /// Operations that arrive for the disks during a batch: all, without devices.
    pub(crate) fn at_disks(&self) -> f64 {
        if self.devices.per_second == 0.0 {
            self.rate * self.batch
        } else {
            self.overflow
        }
    }

    /// Operations per batch on disk. At random, a batch has those that came during the last one, or the next
    /// one if none came (with Poisson arrivals, of probability e^-n).
    pub(crate) fn disk_batch(&self) -> f64 {
        let arrived = self.at_disks();
        if self.at_random {
            arrived + libm::exp(-arrived)
        } else {
            arrived.max(1.0)
        }
    }

    /// Probability that an operation finds one of several logs busy, if others make this share of its
    /// operations.
    pub(crate) fn busy(&self, others: f64) -> f64 {
        let arrived = self.at_disks() * others;
        arrived / (arrived + libm::exp(-arrived))
    }

    /// Operations per second that the devices write, and those that the disks write.
    pub(crate) fn written_by(&self) -> (f64, f64) {
        let on_devices = self.rate.min(self.devices.per_second);
        (on_devices, self.rate - on_devices)
    }

    /// Mean bytes of a block of some parts: it has a whole number of them, on average one of the two closest
    /// to the mean.
    pub(crate) fn block_bytes(&self, together: f64) -> f64 {
        let parts = self.parts();
        let (bytes, deviation) = (self.bytes / parts, self.deviation / parts);
        let most = self.most_in_block().min(self.threads * parts);
        let of = |whole: f64| {
            let variance = whole * deviation.powi(2) + by_chance(whole, most) * bytes.powi(2);
            Log::mean_block(whole * bytes + self.commit_bytes, variance.sqrt())
        };
        let fewer = together.floor();
        let more = together - fewer;
        if more == 0.0 {
            return of(fewer);
        }
        let of_fewer = of(fewer);
        of_fewer + more * (of(fewer + 1.0) - of_fewer)
    }

    /// The blocks of a batch of some operations to the disks, and the bytes of each: a batch has a whole
    /// number of operations, on average one of the two closest to the mean.
    pub(crate) fn disk_blocks(&self, operations: f64) -> (f64, f64) {
        if self.bytes <= 0.0 {
            return (self.groups, 0.0);
        }
        let blocks_of = |operations: f64| {
            let by_chance = by_chance(operations, self.threads);
            let variance = operations * self.deviation.powi(2) + by_chance * self.bytes.powi(2);
            Log::mean_blocks(operations * self.bytes + self.commit_bytes, variance.sqrt())
        };
        let fewer = operations.floor();
        let more = operations - fewer;
        let (blocks, each) = blocks_of(fewer);
        if more == 0.0 {
            return (blocks, each);
        }
        let (blocks_of_more, each_of_more) = blocks_of(fewer + 1.0);
        let mean = |of_fewer: f64, of_more: f64| of_fewer + more * (of_more - of_fewer);
        let all = mean(blocks, blocks_of_more);
        (all, mean(blocks * each, blocks_of_more * each_of_more) / all)
    }
}

/// The variance of the number of operations that are written together, of at most some: each but the first is
/// there with the same probability.
fn by_chance(together: f64, most: f64) -> f64 {
    let others = together - 1.0;
    others * (1.0 - others / (most - 1.0).max(others).max(1.0))
}

/// How fast the devices of a log write: all zero without any.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceTimes {
    /// Operations per second of full devices, and how many may wait for them: all others go to the disks.
    pub(crate) per_second: f64,
    pub(crate) most: f64,
    /// Parts of operations in a block of a device, and the seconds that it takes.
    pub(crate) together: f64,
    pub(crate) block: f64,
    /// Seconds in which the devices write what waits for them.
    pub(crate) written: f64,
}
