//! Changes of data that stays in its place, with its copies or parity.

use bandgraph_workload::AccessPattern;

use super::PoolKind;
use super::at_pool::AtPool;
use super::case::{Case, together};
use super::layout::{Footprint, SECTOR};

impl AtPool<'_> {
    /// Commands that change data in place. With parity, a part of a row needs the old data and the old
    /// parity first, or the data that does not change if that is less (Patterson, Gibson and Katz, 1988); a
    /// whole row does not. A part of a sector needs the old sector first.
    pub(super) fn change(&self, bytes: f64, pattern: AccessPattern, waits: bool) -> Case {
        let kind = self.spec.kind;
        let parity = f64::from(kind.parity());
        let random = pattern == AccessPattern::Random;
        let row = if kind.is_chunked() {
            self.disks.layout.data_columns()
        } else {
            1.0
        };
        let is_whole = !random || bytes >= self.record() * row;
        let pieces = self.pieces_in_place(bytes, row);
        let is_part = random && bytes / pieces < SECTOR;
        let piece = (bytes / pieces).max(SECTOR);
        let single = Footprint {
            bytes: piece,
            commands: 1.0,
        };
        // Each part of a row changes with the parity of the row.
        let with_parity = Footprint {
            bytes: piece * (1.0 + parity),
            commands: 1.0 + parity,
        };
        let changed = pieces + parity;
        let (count, written) = match kind {
            PoolKind::Stripe => (pieces, single),
            PoolKind::Mirror => (pieces, self.disks.layout.written(piece)),
            _ if is_whole => (pieces, self.disks.layout.written(piece)),
            _ if kind.is_chunked() => (changed, single),
            _ => (pieces, with_parity),
        };
        let write = self.commands(true, random, count, &written, waits);
        if parity > 0.0 && !is_whole {
            let (count, old) = if kind.is_chunked() {
                (changed.min(row - pieces), single)
            } else {
                (pieces, with_parity)
            };
            together(self.commands(false, random, count, &old, waits), write)
        } else if is_part {
            let sector = Footprint {
                bytes: SECTOR,
                commands: 1.0,
            };
            together(self.commands(false, random, pieces, &sector, waits), write)
        } else {
            write
        }
    }
}
