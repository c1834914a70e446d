//! A solid-state device.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use super::{DriveInterface, Flash};
use crate::part::part;

part! {
    /// A solid-state device: a pool's log, its second-level read cache, or what fills a shelf in place of
    /// disks.
    SsdPart, Ssd = "ssd" {
        /// Capacity.
        capacity: Bytes = "100 GB", exact, required, positive, at_most(1e18);
        /// What it speaks, which decides the adapters that take it.
        interface: DriveInterface = "sata", because("most such drives are for it");
        /// Rate of long reads.
        read_rate: Bandwidth = "200 MB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=read --bs=128k --iodepth=32` on one drive"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: drives that were sold for this use differ by as much"));
        /// Rate of long writes.
        write_rate: Bandwidth = "100 MB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=write --bs=128k --iodepth=32` on one drive, filled before"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: drives that were sold for this use differ by as much"));
        /// Time that a read keeps the device busy, without that of its bytes.
        read_time: Time = "0.1 ms", at_most(10.0), because("ten thousand reads a second"),
            assumed(AssumedRange(0.7, 1.3,
                "±30 %: firmware, capacity and the queue of the data sheet's test"));
        /// Time that a random write keeps the device busy, without that of its bytes, until it is on stable
        /// storage. What it takes longer than a read is garbage collection, if `spare` is above zero: a
        /// stream does not need it.
        write_time: Time = "0.2 ms", at_most(10.0), because("five thousand writes a second"),
            assumed(AssumedRange(0.7, 1.3,
                "±30 %: firmware, capacity and how full the drive was in the data sheet's test"));
        /// What a lone read waits beyond that: the device serves others meanwhile.
        read_latency: Time = "0 s", at_most(10.0),
            measured("`fio --rw=randread --bs=4k --iodepth=1` on one drive"), because("part of `read_time`");
        /// What a lone write waits beyond its time in a stream: the device serves others meanwhile.
        write_latency: Time = "0 s", at_most(10.0), because("part of `write_time`");
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: data sheets give typical or highest power, by capacity"));
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: data sheets give typical or highest power, by capacity"));
        flatten {
            /// Its flash.
            flash: Flash;
        }
    }
}
