//! The logs of pools: one for all of a pool, or one for each process of an object store, on its drive.

use super::bank::{Access, Command, Devices as Which, LOG_LARGEST, Log};
use super::path::Disks;
use super::plan::Plan;
use super::{Pool, WriteMethod};

impl Plan<'_> {
    /// The logs of every pool.
    pub(crate) fn logs(&self) -> Vec<Log> {
        let pools = self.storage.pools.iter().zip(&self.devices.paths.pools);
        pools
            .map(|(pool, disks)| self.logs_of_pool(pool, disks))
            .collect()
    }

    fn logs_of_pool(&self, pool: &Pool, disks: &Disks) -> Log {
        let written = disks.layout.written(LOG_LARGEST);
        let each = written.bytes / written.commands;
        let ssds = self.storage.ssds.iter().enumerate();
        let devices = ssds.filter(|(_, ssd)| pool.log.contains(&ssd.id));
        let devices: Vec<usize> = devices.map(|(ssd, _)| self.bank_of_ssd(ssd)).collect();
        let command = Command {
            write: true,
            log: true,
            random: false,
            bytes: each,
        };
        let on_disks = Access {
            banks: disks.banks(),
            rounds: 1.0,
            groups: 1.0,
            neighbours: true,
            devices: Which::Several(written.commands as usize),
            command,
        };
        let log = Log {
            logs: 1,
            more_writes: 0.0,
            devices,
            devices_most: 0.0,
            on_disks,
            share_on_disk: each / LOG_LARGEST,
            commit_bytes: if pool.method(self.costs) == WriteMethod::WriteBack {
                self.costs.journal_commit_bytes
            } else {
                0.0
            },
            groups: (disks.count / written.commands).floor().max(1.0),
        };
        if self.costs.has_drive_journals(pool.method(self.costs)) {
            return self.of_drives(log, disks);
        }
        let full = Command {
            bytes: LOG_LARGEST,
            ..command
        };
        let slowest = |banks: &mut dyn Iterator<Item = usize>, command| {
            let seconds = banks.map(|bank| self.banks()[bank].slowest(command));
            seconds.fold(0.0, f64::max)
        };
        let block = slowest(&mut log.devices.iter().copied(), &full);
        let on_disks = slowest(&mut disks.groups.iter().map(|kin| kin.bank), &command);
        let rounds = if block > 0.0 {
            (on_disks / block).floor().max(1.0)
        } else {
            0.0
        };
        Log {
            devices_most: rounds * log.devices.len() as f64 * LOG_LARGEST,
            ..log
        }
    }

    /// The same for each process of the drives: on its drive, or on one of the log devices.
    fn of_drives(&self, mut log: Log, disks: &Disks) -> Log {
        let devices = std::mem::take(&mut log.devices);
        if !devices.is_empty() {
            let share = 1.0 / devices.len() as f64;
            log.on_disks.banks = devices.into_iter().map(|bank| (bank, share)).collect();
        }
        log.on_disks.devices = Which::Several(1);
        log.logs = (disks.count * self.processes_per_drive).round().max(1.0) as usize;
        log.more_writes = self.costs.journal_writes - 1.0;
        log
    }
}
