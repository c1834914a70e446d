//! Logs, on log devices or on disks.
//!
//! A log device writes one block at a time. Operations that come meanwhile wait, and the first device that
//! is idle again writes those that fit into a block. What waits beyond the limit of the devices is written
//! to the disks, and so is all of a log without devices: in batches of all that came during the last one.
//!
//! The ZFS of 2008 has one writer for each file system, which waits for all of its blocks, wherever they
//! are (`zil_commit_writer`); the writers of different file systems do not wait for each other. Since 2017
//! a file system has several blocks in flight.

use std::collections::VecDeque;
use std::ops::Range;

use bandgraph_engine::Engine;
use bandgraph_model::Bound;
use bandgraph_model::storage::{DevicesOfGroup, LOG_LARGEST, Log};

use super::devices::{Devices, Owner};

/// A log.
#[derive(Clone, Debug)]
pub(super) struct LogQueue {
    /// Operations that wait, with their bytes: at most a block, so that a larger one waits several times.
    waiting: VecDeque<(usize, f64)>,
    bytes: f64,
    /// Its writers: one for each device, then the one for the disks.
    writers: Range<usize>,
    /// The device for the next block, if several are idle.
    turn: usize,
}

/// What writes a log: a log device, a block at a time, or the disks, a batch at a time.
#[derive(Clone, Debug)]
pub(super) struct LogWriter {
    log: usize,
    /// The bank of the device; `None` for the disks.
    bank: Option<usize>,
    writing: Vec<usize>,
    /// Commands not yet completed.
    pending: u64,
}

/// The logs of a scenario and all of their writers, idle.
pub(super) fn logs_and_writers(bound: &Bound) -> (Vec<LogQueue>, Vec<LogWriter>) {
    let (mut logs, mut writers) = (Vec::with_capacity(bound.logs.len()), Vec::new());
    for (log, spec) in bound.logs.iter().enumerate() {
        let first = writers.len();
        let banks = spec.devices.iter().copied().map(Some).chain([None]);
        writers.extend(banks.map(|bank| LogWriter {
            log,
            bank,
            writing: Vec::new(),
            pending: 0,
        }));
        logs.push(LogQueue {
            waiting: VecDeque::new(),
            bytes: 0.0,
            writers: first..writers.len(),
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
        for writer in self.idle_writers(log) {
            self.write_log(engine, bound, writer);
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

    /// The idle writers of a log, beginning with the device for the next block; the disks are last.
    fn idle_writers(&self, log: usize) -> Vec<usize> {
        let LogQueue { writers, turn, .. } = &self.logs[log];
        let devices = writers.len() - 1;
        let in_turn = (0..devices).map(|offset| writers.start + (turn + offset) % devices);
        let all = in_turn.chain([writers.end - 1]);
        all.filter(|&writer| self.writers[writer].pending == 0).collect()
    }

    /// Writes what waits for an idle writer of a log, if anything does: a device takes a block of those
    /// that came first, the disks take what came last beyond the limit of the devices.
    fn write_log(&mut self, engine: &mut Engine, bound: &Bound, number: usize) {
        let writer = &mut self.writers[number];
        let (log, queue) = (&bound.logs[writer.log], &mut self.logs[writer.log]);
        let mut taken = 0.0;
        if writer.bank.is_some() {
            while let Some(&(operation, bytes)) = queue.waiting.front()
                && (taken == 0.0 || taken + bytes <= LOG_LARGEST)
            {
                taken += bytes;
                writer.writing.push(operation);
                queue.waiting.pop_front();
            }
        } else {
            while queue.bytes - taken > log.devices_most
                && let Some((operation, bytes)) = queue.waiting.pop_back()
            {
                taken += bytes;
                writer.writing.push(operation);
            }
        }
        if taken == 0.0 {
            return;
        }
        queue.bytes = if queue.waiting.is_empty() {
            0.0
        } else {
            queue.bytes - taken
        };
        let mut command = log.on_disks.command;
        let (blocks, each) = Log::blocks(taken);
        let owner = Owner::Log(number);
        if let Some(bank) = writer.bank {
            writer.pending = 1;
            queue.turn = number + 1 - queue.writers.start;
            command.bytes = each;
            self.queue(engine, bound, bank, 0, command, owner);
        } else {
            let copies = match log.on_disks.devices {
                DevicesOfGroup::Shortest => 1,
                DevicesOfGroup::Several(several) => several as u64,
            };
            // Count all commands before the first can complete.
            writer.pending = blocks as u64 * copies;
            command.bytes = each * log.share_on_disk;
            for _block in 0..blocks as u64 {
                let place = self.place(bound, &log.on_disks, None);
                self.issue(engine, bound, &log.on_disks, place, command, owner);
            }
        }
    }
}
