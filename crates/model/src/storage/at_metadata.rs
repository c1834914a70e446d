//! The accesses of one operation to the metadata of one pool, and those of COMMITs and journals.

use bandgraph_workload::{AccessPattern, OperationKind};

use super::at_pool::AtPool;
use super::bank::Wait;
use super::case::{Case, background, together};
use super::costs::WriteMethod;
use super::metadata::{self, Missed};

/// Bytes logged by an operation on names or attributes.
const LOGGED: f64 = 512.0;

impl AtPool<'_> {
    /// A case, split by whether blocks of metadata miss.
    pub(super) fn with_metadata(&self, case: Case, missed: &Missed) -> Vec<Case> {
        if missed.share == 0.0 {
            return vec![case];
        }
        let there = Case {
            share: case.share * (1.0 - missed.share),
            ..case.clone()
        };
        let mut read = together(self.metadata_from_disks(missed.from_disks), case.clone());
        read.share = case.share * missed.share;
        let from_devices = missed.from_devices;
        if from_devices > 0.0 {
            let bytes = from_devices * self.plan.costs.metadata_block_on_disk;
            let mut devices = self.on_cache_devices(bytes, from_devices);
            devices.wait *= from_devices;
            for wait in &mut devices.waits {
                if let Wait::Access(access) = wait {
                    (access.rounds, access.groups) = (from_devices, 1.0);
                }
            }
            let share = read.share;
            read = together(devices, read);
            read.share = share;
        }
        vec![there, read]
    }

    /// Reads of metadata blocks, in sequence.
    fn metadata_from_disks(&self, blocks: f64) -> Case {
        if blocks <= 0.0 {
            return Case::default();
        }
        let read = self.disks.layout.read(self.plan.costs.metadata_block_on_disk);
        self.random_reads(blocks, 1.0, &read)
    }

    /// A COMMIT of bytes that are only in memory: to the log, or to where they belong and then to the
    /// journal. Data that is written in place is there already.
    pub(super) fn commit(&self, bytes: f64) -> Case {
        let written = match self.method {
            _ if bytes <= 0.0 => Case::default(),
            WriteMethod::Groups => self.log(bytes),
            WriteMethod::WriteBack => self.journaled(
                self.change(bytes, AccessPattern::Sequential, !self.disks.keeps_writes()),
                0.0,
            ),
            WriteMethod::InPlace | WriteMethod::WholeObjects | WriteMethod::Memory => Case::default(),
        };
        Case {
            share: 1.0,
            ..written
        }
    }

    /// A write with the commit of the journal of its file system or object store, after its data, or with
    /// some data in it; without a journal, with a flush of the write caches of the drives.
    pub(super) fn journaled(&self, written: Case, data: f64) -> Case {
        let journal = self.plan.costs.journal_bytes;
        if journal > 0.0 && matches!(self.method, WriteMethod::WriteBack | WriteMethod::WholeObjects) {
            return together(written, self.log(journal + data));
        }
        let flushes = self
            .disks
            .groups
            .iter()
            .map(|group| group.part.flush_time().get());
        let flush = flushes.fold(0.0, f64::max);
        if flush <= 0.0 || self.disks.keeps_writes() || !self.spec.log.is_empty() {
            return written;
        }
        let flushed = Case {
            wait: flush,
            waits: vec![Wait::Log {
                log: self.pool,
                bytes: 0.0,
                count: 1.0,
            }],
            ..Case::default()
        };
        together(written, flushed)
    }

    /// An operation that changes names or attributes: logged, then written with its group, in two copies.
    pub(super) fn change_names(&self, operation: OperationKind) -> Case {
        let block = self.disks.layout.written(self.plan.costs.metadata_block_on_disk);
        let copies = 2.0 * metadata::changed(operation);
        let group = background(self.sorted_write(copies * block.bytes, copies * block.commands));
        Case {
            share: 1.0,
            ..together(group, self.log(LOGGED))
        }
    }
}
