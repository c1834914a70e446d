//! The fields of pools, their devices and the cache, in a scenario file.

use bandgraph_hardware::{PartFields, PartKind, PartShape};
use bandgraph_model::storage::replay::Replacement;
use bandgraph_units::QuantityKind;

use super::topology::COUNT;
use super::{FieldType, ID, Identity, Shape, kinds};

kinds! {
    /// An SSD that a pool names as a log or cache device.
    pub(crate) static SSD("ssd", Identity::Numbered, PartFields(&[PartKind::Ssd])) {
        ID;
        COUNT;
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
