//! Logs, on log devices or on disks.
//!
//! The devices of a log write one batch at a time: of the operations that came during the last one, those
//! that fit into a block of each device, divided evenly among the devices (an assumption). What waits beyond
//! the limit of the devices is written to the disks, and so is all of a log without devices: in batches of
//! all that came during the last one.
//!
//! The ZFS of 2008 has one writer for each file system, which waits for all of its blocks, wherever they
//! are (`zil_commit_writer`); here the devices and the disks have one each. Since 2017 a file system has
//! several blocks in flight.

use std::collections::VecDeque;

use bandgraph_engine::Engine;
use bandgraph_model::Bound;
use bandgraph_model::storage::{LOG_LARGEST, Log};

use super::devices::{Devices, Owner};

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
    log: usize,
    to_devices: bool,
    writing: Vec<usize>,
    /// Commands not yet completed.
    pending: u64,
}

/// The logs of a scenario, and the two writers of each: that of its devices first.
pub(super) fn logs_and_writers(bound: &Bound) -> (Vec<LogQueue>, Vec<LogWriter>) {
    let (mut logs, mut writers) = (Vec::with_capacity(bound.logs.len()), Vec::new());
    for log in 0..bound.logs.len() {
        writers.extend([true, false].map(|to_devices| LogWriter {
            log,
            to_devices,
            writing: Vec::new(),
            pending: 0,
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
    /// Adds an operation to a log.
    pub(super) fn enter_log(
        &mut self,
        engine: &mut Engine,
        bound: &Bound,
        log: usize,
        number: usize,
        bytes: f64,
    ) {
        let (parts, _) = Log::blocks(bytes);
        self.operations[number].pending = parts as u64;
        let each = std::iter::repeat_n((number, bytes / parts), parts as usize);
        self.logs[log].waiting.extend(each);
        self.logs[log].bytes += bytes;
        for writer in [2 * log, 2 * log + 1] {
            if self.writers[writer].pending == 0 {
                self.write_log(engine, bound, writer);
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
        let (log, queue) = (&bound.logs[writer.log], &mut self.logs[writer.log]);
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
                blocks.push((log.devices[queue.turn], Log::blocks(taken).1));
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
        let (log, queue) = (&bound.logs[writer.log], &mut self.logs[writer.log]);
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
        let mut last = None;
        for _block in 0..blocks as u64 {
            // Blocks go to groups drawn at random, flushes to all.
            let place = self.place(bound, &log.on_disks, last.filter(|_| each == 0.0));
            self.issue(engine, bound, &log.on_disks, place, command, owner);
            last = Some(place);
        }
    }
}
