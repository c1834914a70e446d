//! Logs, on log devices or on disks.
//!
//! The devices of a log write one batch at a time: of the operations that came during the last one, those
//! that fit into a block of each device, divided evenly among the devices (an assumption). What waits beyond
//! the limit of the devices is written to the disks, and so is all of a log without devices: in batches of
//! all that came during the last one.
//!
//! The ZFS of 2008 has one writer for each file system, which waits for all of its blocks, wherever they
//! are (`zil_commit_writer`); here the devices and the disks have one each. Since 2017 a file system has
//! several blocks in flight. Of an object store, each process has a log on its drive, with a writer of its
//! own: an operation is in some of these logs, next to each other from one that is drawn.

use std::collections::VecDeque;

use bandgraph_engine::Engine;
use bandgraph_model::Bound;
use bandgraph_model::storage::{LOG_LARGEST, Log};

use super::devices::{Devices, Owner, Place};

/// A log.
#[derive(Clone, Debug)]
pub(super) struct LogQueue {
    /// Operations that wait, with their bytes: at most a block, so that a larger one waits several times.
    waiting: VecDeque<(usize, f64)>,
    bytes: f64,
    /// The device for the next block.
    turn: usize,
}

impl LogQueue {
    /// Subtracts the bytes of operations that no longer wait.
    fn take(&mut self, bytes: f64) {
        self.bytes = if self.waiting.is_empty() {
            0.0
        } else {
            self.bytes - bytes
        };
    }
}

/// What writes a batch of a log at a time: its devices, or the disks.
#[derive(Clone, Debug)]
pub(super) struct LogWriter {
    /// The log of the scenario, and its number among equal ones.
    log: usize,
    number: usize,
    to_devices: bool,
    writing: Vec<usize>,
    /// Commands not yet completed, and the writes that follow them.
    pending: u64,
    more_writes: u64,
}

/// The logs of a scenario, equal ones one after another, and the two writers of each: that of its devices
/// first.
pub(super) fn logs_and_writers(bound: &Bound) -> (Vec<LogQueue>, Vec<LogWriter>) {
    let (mut logs, mut writers) = (Vec::with_capacity(bound.logs.len()), Vec::new());
    let numbered = bound.logs.iter().enumerate();
    for (log, number) in numbered.flat_map(|(log, spec)| (0..spec.logs).map(move |number| (log, number))) {
        writers.extend([true, false].map(|to_devices| LogWriter {
            log,
            number,
            to_devices,
            writing: Vec::new(),
            pending: 0,
            more_writes: 0,
        }));
        logs.push(LogQueue {
            waiting: VecDeque::new(),
            bytes: 0.0,
            turn: 0,
        });
    }
    (logs, writers)
}

impl Devices {
    /// Adds an operation to the logs that have its bytes.
    pub(super) fn enter_logs(
        &mut self,
        engine: &mut Engine,
        bound: &Bound,
        number: usize,
        (log, bytes, count): (usize, f64, f64),
    ) {
        let logs = bound.logs[log].logs;
        let (count, bytes) = bound.logs[log].entries(bytes, count);
        let (parts, _) = Log::blocks(bytes);
        let before: usize = bound.logs[..log].iter().map(|other| other.logs).sum();
        let (first, entries) = if logs == 1 {
            (0, 1)
        } else {
            (self.stream.below(logs as u64) as usize, self.whole(count).max(1))
        };
        self.operations[number].pending = parts as u64 * entries;
        for entry in 0..entries as usize {
            let log = before + (first + entry) % logs;
            let each = std::iter::repeat_n((number, bytes / parts), parts as usize);
            self.logs[log].waiting.extend(each);
            self.logs[log].bytes += bytes;
            for writer in [2 * log, 2 * log + 1] {
                if self.writers[writer].pending == 0 {
                    self.write_log(engine, bound, writer);
                }
            }
        }
    }

    /// A writer has completed a command: after the last one it writes what waits, and its operations go on.
    pub(super) fn written(&mut self, engine: &mut Engine, bound: &Bound, number: usize) {
        let writer = &mut self.writers[number];
        writer.pending -= 1;
        if writer.pending > 0 {
            return;
        }
        if writer.more_writes > 0 {
            writer.more_writes -= 1;
            writer.pending = 1;
            let (log, own) = (&bound.logs[writer.log], writer.number);
            let place = self.place_of_log(bound, log, own, None);
            self.issue(
                engine,
                bound,
                &log.on_disks,
                place,
                log.least(),
                Owner::Log(number),
            );
            return;
        }
        let written = std::mem::take(&mut writer.writing);
        self.write_log(engine, bound, number);
        for operation in written {
            self.operations[operation].pending -= 1;
            if self.operations[operation].pending == 0 {
                self.next_wait(engine, bound, operation);
            }
        }
    }

    /// Writes what waits for an idle writer of a log, if anything does.
    fn write_log(&mut self, engine: &mut Engine, bound: &Bound, number: usize) {
        if self.writers[number].to_devices {
            self.write_to_devices(engine, bound, number);
        } else {
            self.write_to_disks(engine, bound, number);
        }
    }

    /// Writes those that came first: a block to each device.
    fn write_to_devices(&mut self, engine: &mut Engine, bound: &Bound, number: usize) {
        let (writer, owner) = (&mut self.writers[number], Owner::Log(number));
        let (log, queue) = (&bound.logs[writer.log], &mut self.logs[number / 2]);
        let mut blocks = Vec::with_capacity(log.devices.len());
        for left in (1..=log.devices.len()).rev() {
            let share = queue.bytes / left as f64;
            let mut taken = 0.0;
            while let Some(&(operation, bytes)) = queue.waiting.front()
                && (taken == 0.0 || (taken + bytes / 2.0 <= share && taken + bytes <= LOG_LARGEST))
            {
                taken += bytes;
                writer.writing.push(operation);
                queue.waiting.pop_front();
            }
            queue.take(taken);
            if taken > 0.0 {
                blocks.push((
                    log.devices[queue.turn],
                    Log::blocks((taken + log.commit_bytes).min(LOG_LARGEST)).1,
                ));
                queue.turn = (queue.turn + 1) % log.devices.len();
            }
        }
        // Count all commands before the first can complete.
        writer.pending = blocks.len() as u64;
        for (bank, bytes) in blocks {
            self.queue(engine, bound, bank, 0, log.on_disks.command.of(bytes), owner);
        }
    }

    /// Writes those that came last beyond the limit of the devices.
    fn write_to_disks(&mut self, engine: &mut Engine, bound: &Bound, number: usize) {
        let (writer, owner) = (&mut self.writers[number], Owner::Log(number));
        let (log, queue) = (&bound.logs[writer.log], &mut self.logs[number / 2]);
        let mut taken = 0.0;
        while (log.devices.is_empty() || queue.bytes - taken > log.devices_most)
            && let Some((operation, bytes)) = queue.waiting.pop_back()
        {
            taken += bytes;
            writer.writing.push(operation);
        }
        if writer.writing.is_empty() {
            return;
        }
        queue.take(taken);
        let (blocks, each) = log.blocks_on_disks(taken);
        writer.pending = blocks as u64 * log.on_disks.devices.count() as u64;
        let command = log.on_disks.command.of(each * log.share_on_disk);
        let (own, more_writes) = (writer.number, log.more_writes);
        self.writers[number].more_writes = self.whole(more_writes);
        let mut last = None;
        for _block in 0..blocks as u64 {
            // Blocks go to groups drawn at random, flushes to all.
            let place = self.place_of_log(bound, log, own, last.filter(|_| each == 0.0));
            self.issue(engine, bound, &log.on_disks, place, command, owner);
            last = Some(place);
        }
    }

    /// Where a block of a log goes: to any disks of the pool, or to those after another place; or to the
    /// device of one of several logs.
    fn place_of_log(&mut self, bound: &Bound, log: &Log, number: usize, after: Option<Place>) -> Place {
        if log.logs == 1 {
            return self.place(bound, &log.on_disks, after);
        }
        let banks = log.on_disks.banks.iter().map(|&(bank, _)| bank);
        let mut device = number % banks.clone().map(|bank| bound.banks[bank].devices).sum::<usize>();
        for bank in banks {
            let spec = &bound.banks[bank];
            if device < spec.devices {
                let (group, first) = (device / spec.group, device % spec.group);
                return Place { bank, group, first };
            }
            device -= spec.devices;
        }
        unreachable!("the number is below that of the devices")
    }
}
