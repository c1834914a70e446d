//! The fields of pools, their devices and the cache, in a scenario file.

use bandgraph_hardware::{PartFields, PartKind, PartShape};
use bandgraph_model::storage::replay::Replacement;
use bandgraph_model::storage::{PoolKind, WriteMethod};
use bandgraph_units::QuantityKind;

use super::{FieldType, ID, Identity, Shape, kinds};

kinds! {
    /// A pool of disks. Workloads use all pools, in proportion to their disks, or the one that they name.
    pub(crate) static POOL("pool", Identity::Field("id")) {
        ID;
        /// How it protects its data.
        kind: PoolKind::SHAPE, default("mirror");
        /// Disks of a group: copies of a mirror, data and parity columns of RAID-Z. 1 for a stripe, 2 for a
        /// mirror, 4, 6 and 12 for RAID-Z with one, two and three parities if left out. A stripe with more
        /// has a piece of every record on each. Groups must take up all disks but spares.
        width: Shape::Count, optional, at_least(1), at_most(255);
        /// The enclosures and NVMe drives whose disks it has, or ranges (`nvme[0-11]`); all if left out.
        jbods: Shape::References("jbod"), optional;
        /// Disks that it has of each enclosure; all of them if left out.
        disks_per_jbod: Shape::Count, optional, at_least(1), at_most(1024);
        /// Spare disks, which carry no data.
        spares: Shape::Count, default(0), at_most(1_000_000);
        /// The unit of checksums and of the cache: a power of two from 512 B to 1 MiB.
        record_size: Shape::Quantity(QuantityKind::Bytes), default("128 KiB"), positive;
        /// How data gets to its place on its disks: in transaction groups to free space, in place while the
        /// operation waits, or in place some time after it. As `stack.writes` says if left out.
        writes: WriteMethod::SHAPE, optional;
        /// Bytes of a stream, or of a file that is written, that lie together before the arms move on: on one
        /// disk, or in pieces on each disk of a striped group. If left out, at least 512 KiB, as much as the
        /// read-ahead of a stream puts on a disk, and arms move on only where streams take turns.
        run: Shape::Quantity(QuantityKind::Bytes), optional, positive;
        /// Share of each disk, from the outermost track, over which data lies: how far seeks go, and how fast
        /// the tracks are.
        spread: Shape::Quantity(QuantityKind::Fraction), default("100 %"), positive;
        /// SSDs that take synchronous writes before these go to the disks.
        log: Shape::References("ssd"), optional;
        /// SSDs that cache what the DRAM has no room for.
        cache: Shape::References("ssd"), optional;
    }

    /// An SSD that a pool names as a log or cache device.
    pub(crate) static SSD("ssd", Identity::Field("id"), PartFields(&[PartKind::Ssd])) {
        ID;
        /// The kind of SSD.
        part: Shape::Custom(&PartShape(&[PartKind::Ssd]));
        /// The enclosure that it sits in, behind that enclosure's adapter.
        jbod: Shape::Reference("jbod"), optional;
        /// The I/O bridge of an adapter that is on the board itself.
        bridge: Shape::Reference("bridge"), optional;
    }

    /// The cache in DRAM, and how cache devices are filled from it.
    pub(crate) static CACHE("cache") {
        /// How it chooses what to drop.
        policy: Replacement::SHAPE, default("arc");
        /// Its size; what the stack leaves of the DRAM if left out.
        size: Shape::Quantity(QuantityKind::Bytes), optional, positive;
        /// How fast cache devices are filled from DRAM, all of them together (`l2arc_write_max` every
        /// `l2arc_feed_secs`). It determines how long they take to fill, and with `cache = "cold"` of the run
        /// what they hold.
        feed_rate: Shape::Quantity(QuantityKind::Bandwidth), default("8 MiB/s"), positive;
        /// What is added to that as long as the DRAM has not been full (`l2arc_write_boost`).
        feed_boost: Shape::Quantity(QuantityKind::Bandwidth), default("8 MiB/s");
    }
}
