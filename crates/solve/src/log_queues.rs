//! Waits for logs among the queues of devices.
//!
//! The log of a pool has one writer for its disks: a thread that returns at once from a batch meets the next
//! one. The logs of the processes of an object store are many, and an operation is in a few of them that are
//! drawn: it comes at random, finds a batch in progress with a probability that follows from what arrives
//! during one, and waits for the rest of that and for its own batch, in the last of its logs.

use bandgraph_hardware::DrivePart;
use bandgraph_model::storage::Log;

use crate::logs::{DeviceTimes, LogState};
use crate::queues::{Queues, commands_of};
use crate::slowest::{longest_rest, most_at_one, slowest};

impl Queues<'_> {
    /// Sets the times of the devices of all logs from what waits for them.
    pub(crate) fn set_device_times(&mut self) {
        for (index, log) in self.bound.logs.iter().enumerate() {
            if self.logs[index].used && !log.devices.is_empty() {
                self.logs[index].devices = self.device_times(log, &self.logs[index]);
            }
        }
    }

    fn device_times(&self, log: &Log, state: &LogState) -> DeviceTimes {
        let devices = log.devices.len() as f64;
        let (parts, in_block) = (state.parts(), state.most_in_block());
        let full = devices * in_block / parts;
        let each = state.at_devices.max(1.0) * parts / devices;
        let together = each.clamp(1.0, in_block);
        let block = self.block_seconds(log, state.block_bytes(together));
        DeviceTimes {
            per_second: full / self.block_seconds(log, state.block_bytes(in_block)),
            most: full.max(log.devices_most / state.bytes),
            together,
            block,
            written: block * (each / together).max(1.0),
        }
    }

    /// Mean seconds of a block on the devices of a log: a faster one writes more of them.
    fn block_seconds(&self, log: &Log, bytes: f64) -> f64 {
        let per_second = log.devices.iter().map(|&device| {
            let delay = self.delay(device, usize::MAX, &log.on_disks.command, 1.0);
            let service = self.log_service(log, device, bytes, 1.0) / self.banks[device].room();
            1.0 / (service + delay)
        });
        log.devices.len() as f64 / per_second.sum::<f64>()
    }

    /// The commands of a log to disks that have others as well.
    pub(crate) fn commands_of_log(&mut self, index: usize) {
        let (log, state) = (&self.bound.logs[index], &self.logs[index]);
        let (_, on_disks) = state.written_by();
        if on_disks <= 0.0 {
            return;
        }
        let batches = on_disks * log.logs as f64 / state.disk_batch();
        let (blocks, _) = state.disk_blocks(state.disk_batch());
        let writes = blocks + log.more_writes;
        for &(bank, share) in &log.on_disks.banks {
            let commands = batches * writes * share * commands_of(&log.on_disks);
            self.banks[bank].log_commands += commands / self.bound.banks[bank].devices as f64;
        }
    }

    /// The busy time of the devices that a log takes.
    pub(crate) fn load_of_log(&mut self, index: usize) {
        let (log, state) = (&self.bound.logs[index], &self.logs[index]);
        if state.rate <= 0.0 {
            return;
        }
        let (on_devices, on_disks) = state.written_by();
        if on_devices > 0.0 {
            let blocks = on_devices * state.parts() / state.devices.together;
            let each = state.block_bytes(state.devices.together);
            for &device in &log.devices {
                let service = self.log_service(log, device, each, 1.0);
                let busy = blocks / log.devices.len() as f64 * service;
                self.banks[device].add_log(&self.logs[index], busy);
            }
        }
        if on_disks > 0.0 {
            let state = &self.logs[index];
            let batches = on_disks * log.logs as f64 / state.disk_batch();
            let (blocks, each) = state.disk_blocks(state.disk_batch());
            for &(bank, share) in &log.on_disks.banks {
                // What a block finds of its batch at its disk, and itself. One of several logs has one
                // device.
                let groups = if log.logs > 1 {
                    1.0
                } else {
                    self.groups(log, bank).max(1.0)
                };
                let together = 1.0 + (blocks * share - 1.0).max(0.0) / groups;
                let service = self.log_service(log, bank, each * log.share_on_disk, together);
                let more = log.more_writes * self.log_service(log, bank, log.least().bytes, 1.0);
                let batches =
                    batches * share * commands_of(&log.on_disks) / self.bound.banks[bank].devices as f64;
                let busy = batches * (blocks * service + more);
                let (bank, state) = (&mut self.banks[bank], &self.logs[index]);
                if state.crowded {
                    bank.add_commands_of(state, batches * (blocks + log.more_writes), busy);
                } else {
                    bank.add_log(state, busy);
                }
            }
        }
    }

    /// Groups of disks of a bank to one of which a block of the log goes.
    fn groups(&self, log: &Log, bank: usize) -> f64 {
        self.bound.banks[bank].devices as f64 / log.on_disks.devices.count() as f64
    }

    /// Variance of the time of blocks at a device one after another, over that of one.
    fn spread_of(&self, bank: usize, blocks: f64) -> f64 {
        match &self.bound.banks[bank].part {
            DrivePart::Disk(disk) => disk.spread_together(blocks),
            DrivePart::Ssd(_) => 1.0,
        }
    }

    /// Seconds of one of several commands to the log that come together: the arm comes back to it after
    /// commands to other places.
    fn log_service(&self, log: &Log, bank: usize, bytes: f64, together: f64) -> f64 {
        let command = log.on_disks.command.of(bytes);
        let (spec, state) = (&self.bound.banks[bank], &self.banks[bank]);
        let detour = state.elsewhere() * spec.detour(self.choices(bank), &state.positionings);
        (spec.seconds(&command, together) + detour) / state.speed
    }

    /// Seconds per batch of the disks of a log, or until the last of the batches of several equal ones.
    pub(crate) fn batch_seconds(&self, index: usize, several: f64) -> f64 {
        let (log, state) = (&self.bound.logs[index], &self.logs[index]);
        let (blocks, each) = state.disk_blocks(state.disk_batch());
        let writes = 1.0 + log.more_writes;
        let command = log.on_disks.command.of(each * log.share_on_disk);
        let seconds = log.on_disks.banks.iter().map(|&(bank, share)| {
            let (rounds, commands) = if state.at_random {
                (blocks, several)
            } else {
                // Each block goes to a group of disks drawn at random, some of them to the same one.
                let drawn = if each > 0.0 { blocks * share } else { 1.0 };
                let rounds = most_at_one(drawn, self.groups(log, bank));
                (rounds, blocks * commands_of(&log.on_disks))
            };
            // Batch follows on batch: streams get their share of the time of each.
            let service = self.log_service(log, bank, command.bytes, rounds) / self.banks[bank].room();
            let more = log.more_writes * self.log_service(log, bank, log.least().bytes, 1.0);
            let devices = self.bound.banks[bank].devices as f64;
            // Roots of distances from the middle vary by 1/36 of the span, others by 11/225.
            let span = 0.57 * self.bound.banks[bank].span * self.banks[bank].elsewhere();
            let turn = self.bound.banks[bank].part.access_variance(span).sqrt() / self.banks[bank].speed;
            let queue = self.queueing(bank, self.own_of_batch(bank, state), None);
            // Blocks on the same disk wait behind each other, in rounds, and not each in its own queue.
            let at_once = commands.min(devices);
            let deviation = turn * (writes - 1.0 + self.spread_of(bank, rounds)).sqrt();
            let last = slowest(service, deviation, queue * writes, at_once)
                + writes * self.banks[bank].behind_streams(&self.bound.banks[bank], at_once);
            let delay = self.delay(bank, usize::MAX, &command, commands);
            share * (rounds * service + more / self.banks[bank].room() + (last - service) + writes * delay)
        });
        seconds.sum()
    }

    /// The same for the operations of a batch of a log: none of them has other commands meanwhile.
    fn own_of_batch(&self, bank: usize, log: &LogState) -> f64 {
        let waiting = log.shares.iter().zip(&self.threads).enumerate();
        let waiting = waiting.filter(|(_, (share, _))| **share > 0.0);
        let own: f64 = waiting
            .map(|(group, (_, threads))| self.own(bank, group) * threads)
            .sum();
        own * log.disk_batch() / log.threads.max(1.0)
    }

    /// The share of the operations for a log that are not of one thread of a workload, and how many others
    /// come between two of it, each once.
    fn other_threads(&self, log: &LogState, workload: usize) -> (f64, f64) {
        let own = log.shares[workload];
        if own <= 0.0 {
            // As of a workload that is no other.
            return (1.0, log.threads);
        }
        let of_workloads = log.shares.iter().zip(&self.threads).enumerate();
        let threads = of_workloads.map(|(other, (share, threads))| {
            let others = threads - f64::from(u8::from(other == workload));
            others.max(0.0) * (share / own).min(1.0)
        });
        (1.0 - own, threads.sum())
    }

    /// Seconds that an operation waits for flushes of others, at its device and then for the log. Where
    /// every write goes to all devices that are flushed, it comes back to them during a flush, and the
    /// next one, for what was written before, is asked for when that ends. The last of three threads or
    /// more is then always late: each of its operations waits for the rest of one flush and for all of the
    /// next, before its own. On more devices, these end at different times, and writes come between.
    fn flushes_of_others(&self, index: usize, others: f64, rest: f64) -> f64 {
        let (log, state) = (&self.bound.logs[index], &self.logs[index]);
        let [(bank, _)] = log.on_disks.banks[..] else {
            return 0.0;
        };
        let spec = &self.bound.banks[bank];
        let is_one = spec.devices == 1 || spec.mirrored && spec.devices == spec.group;
        if state.bytes > 0.0 || !is_one {
            return 0.0;
        }
        let away = rest + spec.delay(&log.least());
        (others - 1.0).clamp(0.0, 1.0) * (2.0 * state.batch - away)
    }

    /// Seconds that an operation of a workload waits for a log, or for some of several equal ones, if it
    /// spends `rest` seconds of its cycle away from devices and `accesses` at them before it comes.
    pub(crate) fn log_wait(
        &self,
        index: usize,
        workload: usize,
        several: f64,
        [rest, accesses]: [f64; 2],
    ) -> f64 {
        let state = &self.logs[index];
        let (share, others) = self.other_threads(state, workload);
        if state.at_random {
            let several = several.min(self.bound.logs[index].logs as f64);
            let busy = state.busy(share);
            return state.batch * longest_rest(busy, several) + self.batch_seconds(index, several);
        }
        // The writer is busy: threads that return at once have just missed the beginning of a batch, which
        // others made that waited for the one before. What is written in place goes to the drives that are
        // flushed after it, and is no time away from these.
        let accesses = if state.bytes > 0.0 { accesses } else { 0.0 };
        let missed = |seconds: f64, arrived: f64| {
            let at_once = others.min(1.0) * (1.0 - (rest + accesses) / seconds).max(0.0);
            let by_chance = (arrived * share).min(1.0);
            by_chance.max(at_once) * rest_of_batch(seconds, rest, accesses)
        };
        let missed_on_disks = missed(state.batch, state.at_disks());
        let on_disks = state.batch + missed_on_disks.max(self.flushes_of_others(index, others, rest));
        if self.bound.logs[index].devices.is_empty() {
            return on_disks;
        }
        let times = &state.devices;
        let arrived = state.at_devices.min(times.most) * times.block / times.written;
        let on_devices = times.written + missed(times.block, arrived);
        let by_disks = state.overflow / state.batch;
        on_devices + by_disks / (times.per_second + by_disks) * (on_disks - on_devices)
    }
}

/// Seconds until the end of a batch, of those that follow on each other every `seconds`, for a thread that
/// was away for `rest` seconds since the end of its own and then for a random time with a mean of `accesses`:
/// the mean over an exponential distribution, and at least half a batch.
fn rest_of_batch(seconds: f64, rest: f64, accesses: f64) -> f64 {
    let (rest, begun) = if accesses > 0.0 {
        let passed = (rest.min(seconds) - seconds) / accesses;
        let further = seconds * libm::exp(passed) / (1.0 - libm::exp(-seconds / accesses));
        (rest + accesses, further)
    } else {
        (rest, 0.0)
    };
    (seconds - rest + begun).max(seconds / 2.0)
}

#[cfg(test)]
mod tests {
    use super::rest_of_batch;

    /// By hand: at once, the whole next batch; after a long random time, half of one; after one of a mean
    /// batch, 1 / (e - 1) of it.
    #[test]
    fn a_thread_that_was_away_waits_for_the_rest_of_a_batch() {
        for (rest, accesses, expected) in [
            (0.0, 0.0, 2.0),
            (0.5, 0.0, 1.5),
            (1.7, 0.0, 1.0),
            (0.5, 1e-3, 1.499),
            (0.0, 2.0, 1.163_953_413_7),
            (0.0, 1e4, 1.000_033_333_3),
        ] {
            let found = rest_of_batch(2.0, rest, accesses);
            assert!((found - expected).abs() < 1e-6, "{rest} {accesses}: {found}");
        }
    }

    /// The mean of equally likely parts of the distribution.
    #[test]
    fn a_sum_agrees() {
        const PARTS: u32 = 100_000;
        for (rest, accesses) in [(0.3, 0.8), (0.0, 3.0), (0.9, 0.2)] {
            let parts = (0..PARTS).map(|part| {
                let place = (f64::from(part) + 0.5) / f64::from(PARTS);
                let away: f64 = rest - accesses * libm::log(1.0 - place);
                1.0 - away % 1.0
            });
            let mean = parts.sum::<f64>() / f64::from(PARTS);
            let found = rest_of_batch(1.0, rest, accesses);
            assert!(
                (found - mean.max(0.5)).abs() < 1e-3,
                "{rest} {accesses}: {found} {mean}"
            );
        }
    }
}
