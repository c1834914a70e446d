//! Blocks that are written again before they go to the disks.
//!
//! Written data stays in memory for some time, and a block that is written several times in that time goes
//! to the disks once. Random writes follow the order of fio: each block is written once, in random order, and
//! then again. The time is that of the software, or less if a part of its memory for them is full earlier. If
//! the disks are overloaded, more writes of a block are combined, until this memory is full; then writers
//! wait. If it has room for all blocks, overloaded disks do not delay the writers.

use bandgraph_workload::{AccessPattern, OperationKind, Workload};

use super::case::Work;
use super::plan::{Plan, Written};

/// The maximum utilisation of a disk by blocks that are rewritten: at 100 % their backlog would grow.
const FULL: f64 = 0.95;
/// Above this number of writes for each block, the disks have nothing to do.
const MANY: f64 = 1e9;
/// The share of the data of a transaction group that is not yet on disk, on average while it is written.
const OF_LAST: f64 = 0.5;

/// The blocks that a workload writes at random and that are in memory before they go to the disks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rewrites {
    /// Number of different blocks.
    pub(super) blocks: f64,
    /// Writes for an operation of the workload.
    pub(super) writes_per_operation: f64,
    /// Seconds for which a block is in memory.
    pub(super) seconds: f64,
    /// Seconds of the busiest disk, or of the software of an array, for an operation if every write goes to
    /// the disks, and those for an indirect block.
    pub(super) busy: f64,
    pub(super) busy_indirect: f64,
    /// Pointers in an indirect block, which changes with any of its blocks.
    pub(super) pointers: f64,
    /// Writes for each block from which the disks begin before that time, and from which writers wait for
    /// them: infinite if the memory for deferred writes has room for all blocks.
    pub(super) early: f64,
    pub(super) throttled: f64,
}

impl Rewrites {
    /// The share of the writes that go to the disks, and their indirect blocks for each write, at this rate
    /// of operations of the workload.
    pub fn written(&self, rate: f64) -> [f64; 2] {
        let writes = (rate * self.writes_per_operation * self.seconds / self.blocks).min(self.early);
        let writes = self.together(writes.max(1.0 / MANY), rate);
        [changed(writes) / writes, self.indirect(writes)]
    }

    /// The writes for each block that are combined at this rate: more than in the usual time if the disks are
    /// overloaded, up to the number from which writers wait.
    fn together(&self, writes: f64, rate: f64) -> f64 {
        let is_full = |writes: f64| {
            let data = self.busy * changed(writes) / writes;
            rate * (data + self.writes_per_operation * self.busy_indirect * self.indirect(writes)) > FULL
        };
        if is_full(writes) {
            bisect(writes, self.throttled.min(MANY).max(writes), is_full)
        } else {
            writes
        }
    }

    /// Indirect blocks for each write, with this number of writes for each block: blocks are drawn at
    /// random.
    fn indirect(&self, writes: f64) -> f64 {
        let of_each = writes * self.pointers;
        -libm::expm1(-of_each) / of_each
    }
}

impl Plan<'_> {
    /// By workload: the blocks that it writes at random and that are in memory before they go to the disks.
    pub(crate) fn rewrites(&self) -> Vec<Option<Rewrites>> {
        if self.written.iter().any(|written| *written != Written::default()) {
            return Vec::new();
        }
        let all = self.workloads.iter().enumerate();
        let mut found: Vec<Option<Rewrites>> = all.map(|(index, of)| self.rewritten(index, of)).collect();
        let groups = self.groups();
        let written = self
            .workloads
            .iter()
            .zip(&found)
            .filter(|(_, found)| found.is_some());
        let bytes: f64 = written.map(|(workload, _)| workload.working_set.get()).sum();
        // A page cache is written block by block in cycles, while other blocks change. A transaction group is
        // written as a whole, while the next one is filled.
        let of_last = if self.costs.dirty_seconds > 0.0 {
            0.0
        } else {
            OF_LAST
        };
        for rewrites in found.iter_mut().flatten() {
            rewrites.early = until(groups.bytes_most * self.costs.group_start / bytes, of_last);
            rewrites.throttled = until(groups.bytes_most / bytes, of_last);
        }
        found
    }

    /// The blocks of one workload, as if memory had room for all.
    fn rewritten(&self, index: usize, workload: &Workload) -> Option<Rewrites> {
        let share = workload.mix.share(OperationKind::Write).get();
        if share == 0.0 || workload.pattern != AccessPattern::Random || self.storage.pools.is_empty() {
            return None;
        }
        // Binding reports errors.
        let cases = self
            .cases(index, workload, OperationKind::Write)
            .unwrap_or_default();
        let pools = &self.devices.paths.pools;
        let indirect = self.costs.indirect_bytes;
        // Copies of indirect blocks take as long as other data that is sorted.
        let busy = cases.iter().flat_map(|case| {
            let all = &case.background.transfers;
            all.iter().filter_map(move |transfer| match &transfer.work {
                Work::Disks { pool, seconds }
                    if self.storage.pools[*pool].defers_in_memory(self.costs, workload) =>
                {
                    let disks = &pools[*pool];
                    let groups = disks.groups.iter().zip(seconds);
                    let each = groups.map(|(group, seconds)| seconds * group.share / group.devices as f64);
                    let slowest = each.fold(0.0, f64::max);
                    let of_array = disks.array.map_or(0.0, |array| array.seconds(transfer, all));
                    let seconds = case.share * slowest.max(of_array);
                    let copies = 2.0 * disks.layout.written(indirect).bytes;
                    Some([seconds, seconds * copies / transfer.bytes])
                }
                _ => None,
            })
        });
        let [busy, busy_indirect] = busy.fold([0.0; 2], |sums, one| [sums[0] + one[0], sums[1] + one[1]]);
        (busy > 0.0).then(|| Rewrites {
            blocks: (workload.working_set.get() / self.touched(workload)).max(1.0),
            writes_per_operation: share,
            seconds: self.costs.group_seconds.max(self.costs.dirty_seconds),
            busy: share * busy,
            busy_indirect,
            pointers: self.costs.indirect_pointers,
            early: f64::INFINITY,
            throttled: f64::INFINITY,
        })
    }
}

/// The share of all blocks that change with this number of writes for each, from any moment on. Parts *a* and
/// *b* of two rounds have *ab* blocks in common; in a whole round all blocks change.
fn changed(writes: f64) -> f64 {
    if writes <= 1.0 {
        writes - writes.powi(3) / 6.0
    } else {
        1.0 - (2.0 - writes).max(0.0).powi(3) / 6.0
    }
}

/// The mean of [`changed`] from no writes to this number for each block.
fn changed_on_average(writes: f64) -> f64 {
    let sum = if writes <= 1.0 {
        writes * writes / 2.0 - writes.powi(4) / 24.0
    } else {
        writes - 7.0 / 12.0 + (2.0 - writes).max(0.0).powi(4) / 24.0
    };
    sum / writes
}

/// The writes for each block in a cycle at which this share of all blocks waits for the disks on average:
/// those changed since the cycle began, and the share `of_last` of those changed in the cycle before.
/// Infinite if no number of writes is enough.
fn until(share: f64, of_last: f64) -> f64 {
    let is_less = |writes: f64| changed_on_average(writes) + of_last * changed(writes) < share;
    if is_less(MANY) {
        return f64::INFINITY;
    }
    bisect(1.0 / MANY, MANY, is_less)
}

/// The last number between two with which a condition holds that holds for the first of them.
fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(high) {
        return high;
    }
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By hand: as many writes as blocks are parts a and 1 - a of two rounds, which have 1/6 of all blocks
    /// in common on average.
    #[test]
    fn several_writes_of_a_block_go_to_the_disks_once() {
        assert!((changed(1.0) - 5.0 / 6.0).abs() < 1e-12);
        assert_eq!(
            (changed(2.0), changed(10.0), until(1.0, 0.0), until(1.5, 0.5)),
            (1.0, 1.0, f64::INFINITY, f64::INFINITY)
        );
        let rewrites = Rewrites {
            blocks: 1000.0,
            writes_per_operation: 0.5,
            seconds: 5.0,
            busy: 1e-4,
            busy_indirect: 0.0,
            pointers: 100.0,
            early: f64::INFINITY,
            throttled: 1.0,
        };
        let share = |of: &Rewrites, rate| of.written(rate)[0];
        // 400 operations a second are 1,000 writes in 5 s, and 4,000 are ten for each block.
        assert!((share(&rewrites, 400.0) - 5.0 / 6.0).abs() < 1e-12);
        assert!((share(&rewrites, 4000.0) - 0.1).abs() < 1e-12);
        // Ten of a thousand blocks are in as many indirect ones of 100, of which 1 - 1/e change.
        let [_, indirect] = rewrites.written(4.0);
        assert!((indirect - 0.632_120_558_8).abs() < 1e-9);
        // A disk that would be 200 % busy with 20,000 is 95 % busy where all fit.
        let slow = Rewrites {
            seconds: 0.0,
            ..rewrites
        };
        // The same where writers wait with one write for each block: these have 5/6 of the blocks.
        assert!((share(&slow, 20_000.0) - 5.0 / 6.0).abs() < 1e-12);
        let fit = Rewrites {
            throttled: f64::INFINITY,
            ..slow
        };
        assert!((share(&fit, 20_000.0) - 0.475).abs() < 1e-12);
        // Indirect blocks take 1 ms each, so that 5,000 writes a second have 0.19 of them in 95 % of the
        // time: as many writes are combined as this takes, or as fit into memory.
        let slow = Rewrites {
            busy: 0.0,
            busy_indirect: 1e-3,
            ..slow
        };
        assert!((slow.written(10_000.0)[1] - 0.19).abs() < 1e-9);
        let few = Rewrites {
            pointers: 2.0,
            ..slow
        };
        assert!((few.written(10_000.0)[1] - 0.432_332_358_4).abs() < 1e-9);
        // The disks begin when half of the blocks have changed.
        let early = until(0.5, 0.0);
        let full = Rewrites { early, ..rewrites };
        assert!((share(&full, 4000.0) - changed(early) / early).abs() < 1e-12);
    }

    /// By hand: after two writes for each block, all have changed. The integral of the share that had not is
    /// 7/12: 1/2 + 1/24 over the first write for each block, and 1/24 over the second. Over 58 writes for
    /// each block, this is 1 %.
    #[test]
    fn a_set_a_little_larger_than_memory_is_hardly_slower() {
        assert!((until(0.99, 0.0) - 700.0 / 12.0).abs() < 1e-9);
        assert!((until(1.49, 0.5) - 700.0 / 12.0).abs() < 1e-9);
        // Few blocks: half of those that change in a cycle wait on average, and all of a group.
        assert!((until(0.001, 0.0) - 0.002).abs() < 1e-8);
        assert!((until(0.001, 0.5) - 0.001).abs() < 1e-8);
    }

    /// Counted: rounds in drawn orders, seen from every moment.
    #[test]
    fn a_count_agrees() {
        const BLOCKS: usize = 64;
        let rounds: Vec<usize> = (0..40)
            .flat_map(|round| (0..BLOCKS).map(move |at| (at * (2 * round + 1) + 7 * round * round) % BLOCKS))
            .collect();
        for writes in [16, 48, 64, 80, 112, 128] {
            let windows = rounds.windows(writes);
            let number = windows.len() as f64;
            let found: f64 = windows
                .map(|window| window.iter().collect::<std::collections::BTreeSet<_>>().len() as f64)
                .sum();
            let found = found / number / BLOCKS as f64;
            let expected = changed(writes as f64 / BLOCKS as f64);
            assert!((found - expected).abs() < 0.02, "{writes}: {found} {expected}");
        }
    }

    proptest! {
        #[test]
        fn more_writes_change_more_blocks(writes in 1e-9..10.0_f64, more in 1.0..10.0_f64) {
            let (few, many) = (changed(writes), changed(more * writes));
            prop_assert!(few <= many + 1e-12 && many <= 1.0 + 1e-12);
            prop_assert!(many / more <= few + 1e-12);
            let waiting = changed_on_average(writes) + 0.5 * few;
            prop_assert!((until(waiting, 0.5) / writes - 1.0).abs() < 1e-6);
            // The rule of midpoints.
            let steps = 200.0;
            let sum: f64 = (0..200).map(|step| changed(writes * (f64::from(step) + 0.5) / steps)).sum();
            prop_assert!((sum / steps - changed_on_average(writes)).abs() < 1e-4);
        }
    }
}
