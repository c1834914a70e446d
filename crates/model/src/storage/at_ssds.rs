//! The log of a pool, on its SSDs or its disks, and the SSDs that cache what it holds.

use bandgraph_units::Bytes;

use super::at_pool::AtPool;
use super::bank::{Access, Command, Devices, LOG_BLOCK, LOG_LARGEST, Wait};
use super::case::{Case, Transfer, Work};
use super::path::DriveGroup;

/// Overhead of a log record.
const LOG_HEADER: f64 = 192.0;

impl AtPool<'_> {
    /// Reads from the pool's cache devices, or evenly from those of all pools if it has none.
    pub(super) fn second_level(&self, bytes: f64) -> Case {
        let records = self.records(bytes);
        let held = records * self.record() / self.spec.cached_ratio(self.plan.costs);
        self.on_cache_devices(held, records)
    }

    pub(super) fn on_cache_devices(&self, bytes: f64, commands: f64) -> Case {
        let own = &self.spec.cache;
        let all = self.plan.storage.pools.iter().flat_map(|pool| &pool.cache);
        let names: Vec<&String> = if own.is_empty() {
            all.collect()
        } else {
            own.iter().collect()
        };
        self.on_ssds(names.len(), names.into_iter(), false, bytes, commands)
    }

    /// A transfer spread evenly over several SSDs; it waits for one command.
    fn on_ssds<'n>(
        &self,
        count: usize,
        names: impl Iterator<Item = &'n String>,
        write: bool,
        bytes: f64,
        commands: f64,
    ) -> Case {
        let mut case = Case::default();
        let mut banks = Vec::new();
        for name in names {
            let ssds = &self.plan.storage.ssds;
            let ssd = ssds
                .iter()
                .position(|ssd| ssd.id == *name)
                .expect("names of SSDs have been checked");
            let each = Bytes::new(bytes / commands);
            let part = &ssds[ssd].part;
            let (time, latency) = if write {
                (part.write(each), part.write_latency)
            } else {
                (part.read(each), part.read_latency)
            };
            let share = 1.0 / count as f64;
            case.wait += (time + latency).get() * share;
            case.transfers.push(Transfer {
                write,
                bytes: bytes * share,
                commands: commands * share,
                queued: true,
                work: Work::Ssd {
                    ssd,
                    seconds: commands * share * time.get(),
                },
            });
            banks.push((self.plan.bank_of_ssd(ssd), share));
        }
        case.waits = vec![Wait::Access(Access {
            banks,
            rounds: 1.0,
            groups: commands.max(1.0),
            neighbours: false,
            devices: Devices::Shortest,
            command: Command::for_data(write, true, bytes / commands),
        })];
        case
    }

    /// A write to the log that the operation waits for. Waiting writes are combined into blocks of maximum
    /// size: that is their cost on busy devices. The log has a command for each; what those of an object
    /// store take is part of the work of a write.
    pub(super) fn log(&self, bytes: f64) -> Case {
        let bytes = bytes + LOG_HEADER;
        let alone = (bytes / LOG_BLOCK).ceil() * LOG_BLOCK;
        let blocks = bytes / LOG_LARGEST;
        let of_drives = self.plan.costs.has_drive_journals(self.method);
        let commands = if of_drives { blocks } else { blocks.max(1.0) };
        // Each copy or part of the pool is of a process of its own.
        let written = self.disks.layout.written(LOG_LARGEST);
        let count = if of_drives { written.commands } else { 1.0 };
        let mut case = if self.spec.log.is_empty() {
            let each = written.bytes / written.commands;
            let command = Command {
                write: true,
                log: true,
                random: false,
                bytes: each,
            };
            let bank = |group: &DriveGroup| &self.plan.banks()[group.bank];
            let least = Command {
                bytes: alone * each / LOG_LARGEST,
                ..command
            };
            Case {
                transfers: vec![Transfer {
                    write: true,
                    bytes: blocks * written.bytes,
                    commands: commands * written.commands,
                    queued: true,
                    work: self
                        .at_disks(|group| blocks * written.commands * bank(group).seconds(&command, 1.0)),
                }],
                wait: self.disks.mean(|group| bank(group).seconds(&least, 1.0)),
                ..Case::default()
            }
        } else {
            let (names, devices) = (self.spec.log.iter(), self.spec.log.len());
            let wait = self.on_ssds(devices, names.clone(), true, alone, 1.0).wait;
            let mut case = self.on_ssds(devices, names, true, count * bytes, count * blocks);
            for transfer in &mut case.transfers {
                transfer.commands = count * commands / devices as f64;
            }
            Case { wait, ..case }
        };
        if self.spec.log.is_empty() && self.disks.keeps_writes() {
            return case.deferred();
        }
        case.waits = vec![Wait::Log {
            log: self.pool,
            bytes,
            count,
        }];
        case
    }
}
