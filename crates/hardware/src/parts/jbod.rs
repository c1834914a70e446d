//! A shelf of disks.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Fraction, Power};

use crate::part::part;

part! {
    /// A shelf of disks behind SAS wide ports.
    JbodPart, Jbod = "jbod" {
        /// Disks in the shelf.
        disks: u64 = 24, required, positive, at_most(1024.0);
        /// Name of the part that fills it: a disk or an SSD.
        disk: String = "sata-1tb-7200", required;
        /// Wide ports that can carry data at the same time: one for each path to it.
        ports: u64 = 1, positive, at_most(16.0), because("one cable");
        /// Data rate of a wide port of its expander in each direction; as fast as the adapter's if zero. The
        /// link to the adapter runs at the slower of both.
        port_rate: Bandwidth = "0 B/s", at_most(1e12), because("as fast as its adapter");
        /// Power of the enclosure without its disks: fans and expanders. Unknown if zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: fans follow the temperature of the room"));
        /// Share of what its own power supplies draw that reaches it and its disks. Zero if the server feeds
        /// it.
        supply_efficiency: Fraction = "0 %", at_most(1.0), because("the server feeds it");
    }
}
