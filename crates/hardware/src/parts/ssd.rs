//! A solid-state device.

use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use super::DriveInterface;
use crate::part::part;

part! {
    /// A solid-state device: a pool's log, its second-level read cache, or what fills a shelf in place of disks.
    SsdPart, Ssd = "ssd" {
        /// Capacity.
        capacity: Bytes = "100 GB", exact, required, positive, at_most(1e18);
        /// What it speaks, which decides the adapters that take it.
        interface: DriveInterface = "sata";
        /// Rate of long reads.
        read_rate: Bandwidth = "200 MB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=read --bs=128k --iodepth=32` on one drive");
        /// Rate of long writes.
        write_rate: Bandwidth = "100 MB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=write --bs=128k --iodepth=32` on one drive, filled before");
        /// Time that a read keeps the device busy, without that of its bytes.
        read_time: Time = "0.1 ms", at_most(10.0);
        /// Time that a write keeps the device busy, without that of its bytes, until it is on stable storage.
        write_time: Time = "0.2 ms", at_most(10.0);
        /// What a lone read waits beyond that: the device serves others meanwhile.
        read_latency: Time = "0 s", at_most(10.0),
            measured("`fio --rw=randread --bs=4k --iodepth=1` on one drive");
        /// What a lone write waits beyond that: the device serves others meanwhile.
        write_latency: Time = "0 s", at_most(10.0);
        /// Coefficient of variation of `read_latency`: pages of a cell are read at different speeds, and dies
        /// are busy.
        read_variation: f64 = 0.1, at_most(1);
        /// Coefficient of variation of `write_latency`.
        write_variation: f64 = 0.2, at_most(1);
        /// Reads that its flash serves at the same time: dies, times the planes of a die that read
        /// independently. Each read goes to one of them, and waits for the reads before it. Zero: any number,
        /// without a wait.
        read_units: u64 = 0, at_most(65536.0);
        /// Time for which a die that writes or erases lets no read in. A read meets that with the probability
        /// that is the share of the drive's time taken by writes, and waits for half of it on average.
        program_time: Time = "0 s", at_most(1.0);
        /// Flash beyond the capacity, as a share of the capacity. Random writes leave old data in every
        /// block, which has to be written again before the block is erased: the more often, the less spare
        /// flash there is. Zero: random writes cost as much as sequential ones.
        spare: f64 = 0.0, at_most(10);
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6);
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6);
    }
}
