//! The fields of pools, their devices and the cache, in a scenario file.

use bandgraph_hardware::{PartFields, PartKind, PartShape};
use bandgraph_model::storage::replay::Replacement;
use bandgraph_model::storage::{PoolKind, WriteMethod};
use bandgraph_units::QuantityKind;

use super::{
    ID, Identity, Kind, POSITIVE_SIZE, Shape, count, of, optional, optional_reference, positive, required,
    with_default,
};

fn kinds() -> Vec<&'static str> {
    PoolKind::ALL.iter().map(|kind| kind.name()).collect()
}

fn methods() -> Vec<&'static str> {
    WriteMethod::ALL.iter().map(|method| method.as_str()).collect()
}

fn policies() -> Vec<&'static str> {
    Replacement::WORDS.to_vec()
}

/// A pool of disks.
pub(crate) static POOL: Kind = Kind {
    name: "pool",
    doc: "A pool of disks. Workloads use all pools, in proportion to their disks, or the one that they name.",
    identity: Identity::Field("id"),
    groups: &[&[
        ID,
        with_default(
            "kind",
            of(Shape::Choice(kinds)),
            "\"mirror\"",
            "How it protects its data.",
        ),
        optional(
            "width",
            count(1, 255),
            "Disks of a group: copies of a mirror, data and parity columns of RAID-Z. 1 for a stripe, 2 for a mirror, 4, \
             6 and 12 for RAID-Z with one, two and three parities if left out. A stripe with more has a piece of every record on \
             each. Groups must take up all disks but spares.",
        ),
        optional(
            "jbods",
            of(Shape::References("jbod")),
            "The enclosures and NVMe drives whose disks it has, or ranges (`nvme[0-11]`); all if left out.",
        ),
        optional(
            "disks_per_jbod",
            count(1, 1024),
            "Disks that it has of each enclosure; all of them if left out.",
        ),
        with_default(
            "spares",
            count(0, 1_000_000),
            "0",
            "Spare disks, which carry no data.",
        ),
        with_default(
            "record_size",
            POSITIVE_SIZE,
            "\"128 KiB\"",
            "The unit of checksums and of the cache: a power of two from 512 B to 1 MiB.",
        ),
        optional(
            "writes",
            of(Shape::Choice(methods)),
            "How data gets to its place on its disks: in transaction groups to free space, in place while \
             the operation waits, or in place some time after it. As `stack.writes` says if left out.",
        ),
        optional(
            "run",
            POSITIVE_SIZE,
            "Bytes of a stream, or of a file that is written, that lie together before the arms move on: on \
             one disk, or in pieces on each disk of a striped group. If left out, at least 512 KiB, as much as \
             the read-ahead of a stream puts on a disk, and arms move on only where streams take turns.",
        ),
        with_default(
            "spread",
            positive(QuantityKind::Fraction),
            "\"100 %\"",
            "Share of each disk, from the outermost track, over which data lies: how far seeks go, and how fast the tracks \
             are.",
        ),
        optional(
            "log",
            of(Shape::References("ssd")),
            "SSDs that take synchronous writes before these go to the disks.",
        ),
        optional(
            "cache",
            of(Shape::References("ssd")),
            "SSDs that cache what the DRAM has no room for.",
        ),
    ]],
    described: None,
};

/// A log or cache device.
pub(crate) static SSD: Kind = Kind {
    name: "ssd",
    doc: "An SSD that a pool names as a log or cache device.",
    identity: Identity::Field("id"),
    groups: &[&[
        ID,
        part!(&[PartKind::Ssd], "The kind of SSD."),
        optional_reference(
            "jbod",
            "jbod",
            "The enclosure that it sits in, behind that enclosure's adapter.",
        ),
        optional_reference(
            "bridge",
            "bridge",
            "The I/O bridge of an adapter that is on the board itself.",
        ),
    ]],
    described: Some(&PartFields(&[PartKind::Ssd])),
};

/// The cache in DRAM.
pub(crate) static CACHE: Kind = Kind {
    name: "cache",
    doc: "The cache in DRAM, and how cache devices are filled from it.",
    identity: Identity::Single,
    groups: &[&[
        with_default(
            "policy",
            of(Shape::Choice(policies)),
            "\"arc\"",
            "How it chooses what to drop.",
        ),
        optional(
            "size",
            POSITIVE_SIZE,
            "Its size; what the stack leaves of the DRAM if left out.",
        ),
        with_default(
            "feed_rate",
            positive(QuantityKind::Bandwidth),
            "\"8 MiB/s\"",
            "How fast cache devices are filled from DRAM, all of them together (`l2arc_write_max` every `l2arc_feed_secs`). \
             It determines how long they take to fill, and with `cache = \"cold\"` of the run what they hold.",
        ),
        with_default(
            "feed_boost",
            of(Shape::Quantity(QuantityKind::Bandwidth)),
            "\"8 MiB/s\"",
            "What is added to that as long as the DRAM has not been full (`l2arc_write_boost`).",
        ),
    ]],
    described: None,
};
