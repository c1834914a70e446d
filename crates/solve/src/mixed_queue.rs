//! Commands of several workloads at one device.
//!
//! Their commands take different times. A command finds what others have there: of every group its seconds
//! of service that wait and that are in service, without those of the thread itself (the arrival theorem in
//! the approximation of Bard and Schweitzer, with classes). Two properties of long commands of others are not
//! in it:
//!
//! * A thread that comes back soon has waited for one of them and then finds the next from its beginning: it
//!   waits for all of it except for the time that the thread was away, and not for half on average.
//! * It waits for each of them once. Between two of its commands at a device no more can come before the
//!   second than arrives there in that time: the use of the device by the group, times the time between the
//!   two. Parallel commands of one operation to several devices count as one.

use crate::banks::BankState;
use crate::waits::met;

/// What one thread of a workload takes of each device of a bank.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Own {
    /// Commands per second.
    pub(crate) commands: f64,
    /// Seconds of service per second.
    pub(crate) busy: f64,
    /// Squares of seconds of service per second, with their variation.
    pub(crate) squares: f64,
    /// Seconds of service per second, each times the commands that an operation has in parallel.
    pub(crate) parallel: f64,
    /// Seconds of service per second of logs that it waits for, whose batches are not among the commands.
    pub(crate) with_log: f64,
    /// Seconds that a command waited in the last round.
    pub(crate) waited: f64,
}

impl Own {
    /// Adds commands per second of a thread, with their mean seconds of service, its squared coefficient of
    /// variation, and the commands that an operation has in parallel.
    pub(crate) fn add(&mut self, commands: f64, service: f64, variation: f64, parallel: f64) {
        self.commands += commands;
        self.busy += commands * service;
        self.squares += commands * service * service * (1.0 + variation);
        self.parallel += commands * service * parallel;
    }
}

impl BankState {
    /// Seconds that commands of some threads of a workload, which begin at once, wait for those of others, at
    /// the shortest queue of several copies. `threads` are those of all groups.
    pub(crate) fn wait_among_groups(&self, group: usize, together: f64, threads: &[f64], copies: f64) -> f64 {
        let others = |threads: &f64, is_own: bool| (threads - if is_own { together } else { 0.0 }).max(0.0);
        let groups = || self.own.iter().zip(threads).enumerate();
        let with_log = (self.busy_with_log - self.own[group].with_log).max(0.0);
        let (mut waited, mut busy) = (0.0, with_log);
        for (at, (own, threads)) in groups() {
            waited += threads * own.commands * own.waited;
            busy += others(threads, at == group) * own.busy;
        }
        if busy <= 0.0 {
            return 0.0;
        }
        let asking = &self.own[group];
        let between = 1.0 / asking.commands;
        let away = (between * (1.0 - asking.busy) - asking.waited).max(0.0);
        // Of the commands that wait, each group has as many as come during its wait.
        let waiting = if waited > 0.0 { self.waiting / waited } else { 0.0 };
        let meets = met(busy.min(1.0), copies) / busy;
        let of_groups = groups().map(|(at, (own, threads))| {
            let queued = waiting * own.waited * own.busy;
            if at == group || own.commands <= 0.0 {
                return others(threads, at == group) * (queued + meets * own.squares / 2.0);
            }
            let rest = (own.squares / 2.0).max(own.busy * (own.busy / own.commands - away));
            let places = own.parallel / own.busy;
            threads * (queued + meets * rest).min(own.busy * between / places)
        });
        let service = self.log_service();
        let of_log = with_log * (meets * (service / 2.0).max(service - away)).min(between);
        of_log + of_groups.sum::<f64>()
    }

    /// Mean seconds of a command of a log whose commands are not among those of operations.
    fn log_service(&self) -> f64 {
        let commands = self.log_commands - (self.counted - self.commands);
        if commands > 0.0 {
            self.busy_with_log / commands
        } else {
            0.0
        }
    }
}
