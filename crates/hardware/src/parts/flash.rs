//! The flash behind the controller of a solid-state drive.

use bandgraph_config::{AssumedRange, settings};
use bandgraph_units::Time;

settings! {
    /// The flash of a solid-state drive of any interface.
    pub struct Flash as "flash" {
        /// Coefficient of variation of `read_latency`, without the time for which the read keeps the drive
        /// busy: pages of a cell are read at different speeds, and dies are busy.
        read_variation: f64 = 0.1, at_most(1),
            because("one in a hundred lone reads takes 1.4 times the median"), assumed(AssumedRange(0.5, 3.0,
                "half to three times: data sheets give 1.2 to 2.3 times the median for one in a hundred"));
        /// The same of `write_latency`.
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
        /// Time in which the drive empties a write cache that a power failure would lose, once a write is
        /// to be stable. It does nothing else meanwhile. Zero: its cache outlasts that, and nothing flushes
        /// it.
        flush_time: Time = "0 s", at_most(10.0),
            measured("`fio --rw=write --bs=4k --direct=1 --fdatasync=1` on one drive, less a lone write"),
            because("a write is stable in its buffer");
        /// Flash beyond the capacity, as a share of the capacity. Random writes leave old data in every
        /// block, which has to be written again before the block is erased: the more often, the less spare
        /// flash there is. Zero: random writes cost as much as sequential ones.
        spare: f64 = 0.0, at_most(10), because("writes in a steady state are those of its data sheet");
    }
}
