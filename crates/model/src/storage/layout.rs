//! The layout of a record on the disks of a pool.
//!
//! A mirror keeps whole copies. RAID-Z writes every record as a separate stripe (Bonwick, *RAID-Z*, 2005):
//! its sectors fill data columns row by row, and every row has its parity sectors, so that no write reads
//! old data first, and short records have more parity. Allocations are rounded up to a multiple of the
//! parity and one (`vdev_raidz_asize`); the padding is written too, because it fills the gap between two
//! records that are written together (openzfs-5931). RAID with chunks has each record on one disk, and
//! parity for every row of them, in turn on each disk (Patterson, Gibson and Katz, 1988).

use bandgraph_units::Bytes;

use super::{Pool, PoolKind};

/// The least that a drive moves: a logical sector of usually 512 bytes in ATA and SCSI, and at least that in
/// NVMe (its specification: the minimum of LBA Data Size is 9, for 2^9 bytes).
pub(super) const SECTOR: f64 = 512.0;

/// The access of one record, or a part of one, to the disks of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Footprint {
    /// Bytes on all disks together.
    pub(super) bytes: f64,
    /// Number of disks involved, each with a command.
    pub(super) commands: f64,
}

/// The layout of records on a group of disks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    kind: PoolKind,
    width: f64,
    /// Bytes that RAID-Z allocates at least on a disk.
    sector: f64,
}

impl Layout {
    pub(super) fn new(pool: &Pool, sector: Bytes) -> Self {
        Self {
            kind: pool.kind,
            width: f64::from(pool.width()),
            sector: sector.get(),
        }
    }

    /// Sectors of RAID-Z that hold this many bytes.
    fn sectors(&self, bytes: f64) -> f64 {
        (bytes / self.sector).ceil()
    }

    /// Records of a row that has parity of its own.
    pub(super) fn data_columns(&self) -> f64 {
        self.width - f64::from(self.kind.parity())
    }

    /// Bytes of data for each byte that is written, with copies or the parity of whole rows.
    pub(super) fn data_share(&self) -> f64 {
        match self.kind {
            PoolKind::Mirror => 1.0 / self.width,
            _ => self.data_columns() / self.width,
        }
    }

    /// Footprint of a write of `bytes`, of whole rows where these have parity of their own.
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
            PoolKind::Raid5 | PoolKind::Raid6 => {
                let row = self.width / self.data_columns();
                Footprint {
                    bytes: bytes * row,
                    commands: row,
                }
            }
            _ => {
                let parity = f64::from(self.kind.parity());
                let sectors = self.sectors(bytes);
                let rows = (sectors / self.data_columns()).ceil();
                let unit = parity + 1.0;
                Footprint {
                    bytes: ((sectors + parity * rows) / unit).ceil() * unit * self.sector,
                    commands: sectors.min(self.data_columns()) + parity,
                }
            }
        }
    }

    /// Whether a record survives the loss of the number of disks that a group tolerates: the bytes written to
    /// the remaining disks, on average over the lost ones, are at least the size of the record.
    pub(super) fn survives(&self, record: f64) -> bool {
        let lost = match self.kind {
            PoolKind::Mirror => self.width - 1.0,
            kind => f64::from(kind.parity()),
        };
        self.written(record).bytes * (self.width - lost) >= record * self.width * (1.0 - 1e-9)
    }

    /// Footprint of a read of a whole record: its checksum covers all of it, so all data columns are read,
    /// without parity.
    pub(super) fn read(&self, bytes: f64) -> Footprint {
        let sectors = self.sectors(bytes);
        let (bytes, commands) = match self.kind {
            PoolKind::Stripe => (bytes, self.width),
            PoolKind::Mirror | PoolKind::Raid5 | PoolKind::Raid6 => (bytes, 1.0),
            _ => (sectors * self.sector, sectors.min(self.data_columns())),
        };
        Footprint { bytes, commands }
    }

    /// Number of disks over which a run of a stream is spread.
    pub(super) fn pieces_of_run(&self) -> f64 {
        match self.kind {
            PoolKind::Stripe => self.width,
            _ => 1.0,
        }
    }

    /// Number of disks of a group with a part of a run each, in addition to the pieces of
    /// [`Self::pieces_of_run`].
    pub(super) fn columns_of_run(&self) -> f64 {
        match self.kind {
            PoolKind::Stripe | PoolKind::Mirror => 1.0,
            PoolKind::Raid5 | PoolKind::Raid6 => self.width,
            _ => self.data_columns(),
        }
    }

    /// Bytes under the heads for records of `bytes` that are read in a stream: parity and padding are
    /// interleaved with the data and passed over.
    pub(super) fn passed(&self, bytes: f64) -> f64 {
        match self.kind {
            PoolKind::Stripe | PoolKind::Mirror => bytes,
            _ => self.written(bytes).bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(kind: PoolKind, width: u32) -> Layout {
        of_sectors(512.0, kind, width)
    }

    fn of_sectors(sector: f64, kind: PoolKind, width: u32) -> Layout {
        let pool = Pool {
            kind,
            width: Some(width),
            ..Pool::new("p")
        };
        Layout::new(&pool, Bytes::new(sector))
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
        assert_eq!(raidz2.passed(RECORD), 1.5 * RECORD);
    }

    /// Sectors that `vdev_raidz_asize` of ZFS allocates for a record, and the data columns of which a read
    /// of it needs some, worked by hand from its three lines. On 4 KiB sectors, 4 and 8 KiB take twice
    /// their size on RAID-Z1 and three times on RAID-Z2, on any width (zfsonlinux issue 6056: "200 %
    /// overhead").
    #[test]
    fn records_are_allocated_in_sectors_with_parity_and_padding() {
        for (sector, kind, width, record, allocated, read) in [
            (4096.0, PoolKind::Raidz1, 4, 4096.0, 2.0, 1.0),
            (4096.0, PoolKind::Raidz1, 4, 8192.0, 4.0, 2.0),
            (4096.0, PoolKind::Raidz2, 6, 4096.0, 3.0, 1.0),
            (4096.0, PoolKind::Raidz2, 6, 8192.0, 6.0, 2.0),
            (4096.0, PoolKind::Raidz2, 6, 16_384.0, 6.0, 4.0),
            (4096.0, PoolKind::Raidz2, 12, RECORD, 42.0, 10.0),
            (4096.0, PoolKind::Raidz3, 12, 8192.0, 8.0, 2.0),
            (8192.0, PoolKind::Raidz1, 4, 4096.0, 2.0, 1.0),
            (512.0, PoolKind::Raidz1, 4, 8192.0, 22.0, 3.0),
            (512.0, PoolKind::Raidz2, 6, 8192.0, 24.0, 4.0),
        ] {
            let layout = of_sectors(sector, kind, width);
            let written = layout.written(record);
            assert_eq!(written.bytes, allocated * sector, "{kind} {width} {record}");
            assert_eq!(layout.read(record).commands, read, "{kind} {width} {record}");
        }
    }

    /// By hand: 9 sectors over 4 columns are 3 rows: 9 + 3 sectors, an even number.
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

    /// The assumption of `survives`: fewer disks of any kind of group still hold at least the length of a
    /// record.
    #[test]
    fn records_survive_the_disks_that_their_pool_may_lose() {
        for record in [1.0, 512.0, 513.0, 4096.0, 8192.0, 9.0 * 512.0, RECORD] {
            for width in 4..20 {
                for kind in [
                    PoolKind::Mirror,
                    PoolKind::Raidz1,
                    PoolKind::Raidz2,
                    PoolKind::Raidz3,
                    PoolKind::Raid5,
                    PoolKind::Raid6,
                ] {
                    assert!(layout(kind, width).survives(record), "{kind:?} {width} {record}");
                }
            }
        }
        assert!(layout(PoolKind::Stripe, 1).survives(RECORD));
    }

    /// By hand: a row of 4 chunks with 2 of parity writes half as much again, and a read none of it.
    #[test]
    fn rows_of_chunks_have_their_parity() {
        let raid6 = layout(PoolKind::Raid6, 6);
        let written = raid6.written(RECORD);
        assert_eq!((4.0 * written.bytes, 4.0 * written.commands), (6.0 * RECORD, 6.0));
        let read = Footprint {
            bytes: RECORD,
            commands: 1.0,
        };
        assert_eq!(raid6.read(RECORD), read);
    }

    #[test]
    fn a_stripe_adds_nothing() {
        let stripe = layout(PoolKind::Stripe, 1);
        assert_eq!(stripe.written(RECORD), stripe.read(RECORD));
    }
}
