//! A solid-state device.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use super::DriveInterface;
use crate::part::part;

part! {
    /// A solid-state device: a pool's log, its second-level read cache, or what fills a shelf in place of disks.
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
        /// Time that a write keeps the device busy, without that of its bytes, until it is on stable storage.
        write_time: Time = "0.2 ms", at_most(10.0), because("five thousand writes a second"),
            assumed(AssumedRange(0.7, 1.3,
                "±30 %: firmware, capacity and how full the drive was in the data sheet's test"));
        /// What a lone read waits beyond that: the device serves others meanwhile.
        read_latency: Time = "0 s", at_most(10.0),
            measured("`fio --rw=randread --bs=4k --iodepth=1` on one drive"), because("part of `read_time`");
        /// What a lone write waits beyond that: the device serves others meanwhile.
        write_latency: Time = "0 s", at_most(10.0), because("part of `write_time`");
        /// Coefficient of variation of `read_latency`: pages of a cell are read at different speeds, and dies
        /// are busy.
        read_variation: f64 = 0.1, at_most(1),
            because("one in a hundred lone reads takes 1.4 times the median"), assumed(AssumedRange(0.5, 3.0,
                "half to three times: data sheets give 1.2 to 2.3 times the median for one in a hundred"));
        /// Coefficient of variation of `write_latency`.
        write_variation: f64 = 0.2, at_most(1),
            because("one in a hundred lone writes takes 1.8 times the median"),
            assumed(AssumedRange(0.25, 2.5,
                "a quarter to 2.5 times: data sheets give 1.2 to 3.3 times the median for one in a \
                 hundred"));
        /// Reads that its flash serves at the same time: dies, times the planes of a die that read
        /// independently. Each read goes to one of them, and waits for the reads before it. Zero: any number,
        /// without a wait.
        read_units: u64 = 0, at_most(65536.0), because("no count of dies is known");
        /// Time for which a die that writes or erases lets no read in. A read meets that with the probability
        /// that is the share of the drive's time taken by writes, and waits for half of it on average.
        program_time: Time = "0 s", at_most(1.0), because("no time is known");
        /// Flash beyond the capacity, as a share of the capacity. Random writes leave old data in every
        /// block, which has to be written again before the block is erased: the more often, the less spare
        /// flash there is. Zero: random writes cost as much as sequential ones.
        spare: f64 = 0.0, at_most(10), because("writes in a steady state are those of its data sheet");
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: data sheets give typical or highest power, by capacity"));
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: data sheets give typical or highest power, by capacity"));
    }
}
