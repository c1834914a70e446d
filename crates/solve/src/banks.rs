//! Banks in the steady state: the commands, the streams and the transaction groups of equal devices.
//!
//! Disks serve commands before transaction groups. A group is one flow over all devices, and a command needs
//! no more than its own device: it waits for the group only as one of as many flows as there are devices, and
//! the group. Streams have their share of a full device, like any other flow.

use bandgraph_model::storage::{Bank, Positionings};

use crate::logs::LogState;
use crate::mixed_queue::Own;
use crate::slowest::longest_rest;

/// The least share of its time that a device has for commands: more than streams need is not theirs.
const LEAST_ROOM: f64 = 0.005;
/// The least share of its time that streams and logs leave for commands: no more than rounding.
const LEAST_LEFT: f64 = 1e-9;

/// A bank in the steady state. Lengths and utilisations are those of one device, on average.
#[derive(Clone, Debug, Default)]
pub(crate) struct BankState {
    /// Whether operations wait for it.
    pub(crate) used: bool,
    /// Usable capacity over that of the part.
    pub(crate) speed: f64,
    /// Mean number of waiting commands.
    pub(crate) waiting: f64,
    /// Share of the time in service of commands that operations wait for.
    pub(crate) busy: f64,
    /// The same for a log only.
    pub(crate) busy_with_log: f64,
    /// Share of the time used by streams and transaction groups.
    pub(crate) streaming: f64,
    /// The part of it for transaction groups whose writers wait for them.
    pub(crate) deferred: f64,
    /// Share of the time used by writes of any kind.
    pub(crate) writing: f64,
    /// Reads per second that operations wait for, and the units of flash that serve them, if these are
    /// queues.
    pub(crate) reads: f64,
    pub(crate) units: f64,
    /// Mean number of reads that wait at one of them.
    pub(crate) at_dies: f64,
    /// Devices of the bank.
    pub(crate) devices: f64,
    /// Commands per second, and those of logs among them.
    pub(crate) commands: f64,
    pub(crate) log_commands: f64,
    /// Commands per second that threads wait for one by one: also those of crowded logs.
    pub(crate) counted: f64,
    /// Mean seconds of service, and its squared coefficient of variation.
    pub(crate) service: f64,
    pub(crate) variation: f64,
    /// By workload, what one of its threads takes, and whether several groups do.
    pub(crate) own: Vec<Own>,
    pub(crate) is_mixed: bool,
    /// Positioning times, if operations wait for commands at it.
    pub(crate) positionings: Positionings,
}

impl BankState {
    /// An idle bank, of this usable capacity over that of the part, for this number of workloads.
    pub(crate) fn idle(bank: &Bank, speed: f64, workloads: usize) -> Self {
        Self {
            speed,
            units: bank.part.read_units() as f64,
            devices: bank.devices as f64,
            own: vec![Own::default(); workloads],
            ..Self::default()
        }
    }

    /// Computes the positioning times, unless they are known.
    pub(crate) fn position(&mut self, bank: &Bank) {
        if self.positionings.is_empty() {
            self.positionings = bank.positionings();
        }
    }

    /// Counts the commands per second of a log, which take a share of the time, among those of operations.
    /// The threads that wait for it have parts of them by their operations.
    pub(crate) fn add_commands_of(&mut self, log: &LogState, commands: f64, busy: f64) {
        self.busy += busy;
        if commands <= 0.0 {
            return;
        }
        self.counted += commands;
        self.service = (self.busy - self.busy_with_log) / self.counted;
        let waiting = self.own.iter_mut().zip(&log.shares);
        for (own, share) in waiting.filter(|(_, share)| **share > 0.0) {
            own.add(commands * share, busy / commands, 0.0, 1.0);
        }
    }

    /// Counts the share of the time of a log that is not for commands of operations. The threads that wait
    /// for it have parts of it by their operations.
    pub(crate) fn add_log(&mut self, log: &LogState, busy: f64) {
        self.busy += busy;
        self.busy_with_log += busy;
        for (own, share) in self.own.iter_mut().zip(&log.shares) {
            own.with_log += busy * share;
        }
    }

    /// Share of the time that streams and transaction groups leave for commands.
    fn left(&self) -> f64 {
        1.0 - (self.streaming - self.deferred) - self.deferred.min(self.share_of_a_flow())
    }

    /// Share of the time that is left for commands of a log.
    pub(crate) fn room(&self) -> f64 {
        self.left().max(LEAST_ROOM)
    }

    /// Share of the time that is left for commands of operations.
    pub(crate) fn room_of_commands(&self) -> f64 {
        (self.left() - self.busy_with_log).max(LEAST_LEFT)
    }

    /// Share of the time that is left for transaction groups.
    pub(crate) fn room_of_groups(&self) -> f64 {
        (1.0 - self.busy).max(self.share_of_a_flow())
    }

    /// Seconds that the last of several commands to different devices waits for the run of a stream or
    /// transaction group there. A group is at all devices at the same time.
    pub(crate) fn behind_streams(&self, bank: &Bank, commands: f64) -> f64 {
        if self.streaming <= 0.0 {
            return 0.0;
        }
        let idle = 1.0 - self.busy.min(1.0);
        let deferred = self.deferred.min(1.0);
        let streams = (self.streaming - self.deferred).clamp(0.0, 1.0);
        let runs = deferred * longest_rest(idle, commands)
            + (1.0 - deferred) * longest_rest(streams * idle, commands);
        runs * bank.run_seconds / self.speed
    }

    /// Share of the time that a transaction group has beside a command at each device.
    fn share_of_a_flow(&self) -> f64 {
        1.0 / (self.devices + 1.0)
    }

    /// Share of the commands that are not to a log.
    pub(crate) fn elsewhere(&self) -> f64 {
        let all = self.commands + self.log_commands;
        if all > 0.0 { self.commands / all } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads have 50 commands/s each at a device, and share a log of 60 batches/s there; four others
    /// share one of 40. Together all threads have all commands.
    #[test]
    fn two_crowded_logs_of_a_device_are_divided_among_their_own_threads() {
        let log = |shares: [f64; 2]| LogState {
            shares: shares.to_vec(),
            ..LogState::default()
        };
        let mut bank = BankState {
            own: vec![Own::default(); 2],
            commands: 100.0,
            counted: 100.0,
            busy: 0.1,
            ..BankState::default()
        };
        bank.own[0].add(50.0, 1e-3, 0.0, 1.0);
        bank.add_commands_of(&log([0.5, 0.0]), 60.0, 0.3);
        bank.add_commands_of(&log([0.0, 0.25]), 40.0, 0.2);
        assert_eq!(bank.own[0].commands, 50.0 + 60.0 / 2.0);
        assert_eq!(bank.own[1].commands, 40.0 / 4.0);
        assert_eq!(
            bank.counted,
            2.0 * bank.own[0].commands + 4.0 * bank.own[1].commands
        );
        assert!((bank.service - 0.6 / 200.0).abs() < 1e-15);
    }
}
