//! How a record lies on the disks of a pool.
//!
//! A mirror keeps whole copies. RAID-Z writes every record as a stripe of its own (Bonwick, *RAID-Z*, 2005):
//! its sectors fill data columns row by row, and every row has its parity sectors, so that no write reads old
//! data first, and short records pay more parity. What is allocated is rounded up to a multiple of parity + 1
//! sectors; the padding is not written.

use super::{Pool, PoolKind};

/// Bytes of a disk sector.
const SECTOR: f64 = 512.0;

/// What one record, or a part of one, puts on the disks of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Footprint {
    /// Bytes on all disks together.
    pub(super) bytes: f64,
    /// Disks that take part, each with a command.
    pub(super) commands: f64,
}

/// How records lie on a group of disks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    kind: PoolKind,
    width: f64,
}

impl Layout {
    pub(super) fn new(pool: &Pool) -> Self {
        Self {
            kind: pool.kind,
            width: f64::from(pool.width()),
        }
    }

    fn data_columns(&self) -> f64 {
        self.width - f64::from(self.kind.parity())
    }

    /// Writing a record of so many bytes.
    pub(super) fn written(&self, bytes: f64) -> Footprint {
        match self.kind {
            PoolKind::Stripe => Footprint {
                bytes,
                commands: self.width,
            },
            PoolKind::Mirror => Footprint {
                bytes: bytes * self.width,
                commands: self.width,
            },
            _ => {
                let parity = f64::from(self.kind.parity());
                let sectors = (bytes / SECTOR).ceil();
                let rows = (sectors / self.data_columns()).ceil();
                Footprint {
                    bytes: (sectors + parity * rows) * SECTOR,
                    commands: sectors.min(self.data_columns()) + parity,
                }
            }
        }
    }

    /// Whether a record can be read without the disks that a group may lose: the bytes that writing it puts on
    /// the others, on average over which these are, are no fewer than its own.
    pub(super) fn survives(&self, record: f64) -> bool {
        let lost = match self.kind {
            PoolKind::Mirror => self.width - 1.0,
            kind => f64::from(kind.parity()),
        };
        self.written(record).bytes * (self.width - lost) >= record * self.width * (1.0 - 1e-9)
    }

    /// Reading a whole record: its checksum is over all of it, so all data columns are read, and no parity.
    pub(super) fn read(&self, bytes: f64) -> Footprint {
        let commands = match self.kind {
            PoolKind::Stripe => self.width,
            PoolKind::Mirror => 1.0,
            _ => (bytes / SECTOR).ceil().min(self.data_columns()),
        };
        Footprint { bytes, commands }
    }

    /// Disks over which a run of a stream is spread.
    pub(super) fn pieces_of_run(&self) -> f64 {
        match self.kind {
            PoolKind::Stripe => self.width,
            _ => 1.0,
        }
    }

    /// Disks of a group that have each a part of a run, beyond the pieces of [`Self::pieces_of_run`].
    pub(super) fn columns_of_run(&self) -> f64 {
        match self.kind {
            PoolKind::Stripe | PoolKind::Mirror => 1.0,
            _ => self.data_columns(),
        }
    }

    /// Bytes that pass under the heads for every byte read in a stream: parity lies between the data and is
    /// passed over.
    pub(super) fn passed(&self) -> f64 {
        match self.kind {
            PoolKind::Stripe | PoolKind::Mirror => 1.0,
            _ => self.width / self.data_columns(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(kind: PoolKind, width: u32) -> Layout {
        Layout::new(&Pool {
            kind,
            width: Some(width),
            ..Pool::new("p")
        })
    }

    const RECORD: f64 = 131_072.0;

    #[test]
    fn mirrors_write_whole_copies_and_read_one() {
        let mirror = layout(PoolKind::Mirror, 3);
        assert_eq!(
            mirror.written(RECORD),
            Footprint {
                bytes: 3.0 * RECORD,
                commands: 3.0
            }
        );
        assert_eq!(
            mirror.read(RECORD),
            Footprint {
                bytes: RECORD,
                commands: 1.0
            }
        );
    }

    /// By hand: 256 sectors over 4 data columns are 64 rows with 2 parity sectors each.
    #[test]
    fn double_parity_over_six_disks_writes_half_as_much_again() {
        let raidz2 = layout(PoolKind::Raidz2, 6);
        assert_eq!(
            raidz2.written(RECORD),
            Footprint {
                bytes: 1.5 * RECORD,
                commands: 6.0
            }
        );
        assert_eq!(
            raidz2.read(RECORD),
            Footprint {
                bytes: RECORD,
                commands: 4.0
            }
        );
        assert_eq!(raidz2.passed(), 1.5);
    }

    /// By hand: 9 sectors over 4 columns are 3 rows: 9 + 3 sectors.
    #[test]
    fn rows_that_are_not_full_have_parity_too() {
        let raidz1 = layout(PoolKind::Raidz1, 5);
        assert_eq!(raidz1.written(9.0 * 512.0).bytes, 12.0 * 512.0);
        assert_eq!(
            raidz1.written(512.0),
            Footprint {
                bytes: 1024.0,
                commands: 2.0
            }
        );
        assert_eq!(layout(PoolKind::Raidz3, 12).written(512.0).bytes, 2048.0);
    }

    /// What `survives` relies on: a group of any kind has as much on fewer disks as records are long.
    #[test]
    fn records_survive_the_disks_that_their_pool_may_lose() {
        for record in [1.0, 512.0, 513.0, 4096.0, 8192.0, 9.0 * 512.0, RECORD] {
            for width in 4..20 {
                for kind in [
                    PoolKind::Mirror,
                    PoolKind::Raidz1,
                    PoolKind::Raidz2,
                    PoolKind::Raidz3,
                ] {
                    assert!(layout(kind, width).survives(record), "{kind:?} {width} {record}");
                }
            }
        }
        assert!(layout(PoolKind::Stripe, 1).survives(RECORD));
    }

    #[test]
    fn a_stripe_adds_nothing() {
        let stripe = layout(PoolKind::Stripe, 1);
        assert_eq!(stripe.written(RECORD), stripe.read(RECORD));
    }
}
