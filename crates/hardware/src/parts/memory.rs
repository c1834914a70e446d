//! Memory modules, as one channel of a controller sees them.

use bandgraph_units::{Bandwidth, Fraction, Power};

use crate::part::part;

part! {
    /// The memory modules on one channel.
    MemoryPart, Memory = "memory" {
        /// Peak transfer rate of one channel.
        transfer_rate: Bandwidth = "1 GB/s", exact, required, positive, at_least(1e6), at_most(1e13);
        /// Share of the peak rate that a controller sustains under a mix of reads and writes: refresh, turn-around
        /// between reading and writing, and row misses take the rest.
        sustainable: Fraction = "80 %", listed, positive, at_least(0.01), at_most(1.0);
        /// How long a read takes under load, if that was measured: points of utilisation (of the peak rate) and
        /// nanoseconds, such as "0:80 0.5:95 0.75:160", utilisation rising. Empty for the processor's idle latency
        /// and the wait of a queue ([`LatencyCurve`](crate::memory::LatencyCurve) reads it).
        loaded_latency: String = "";
        /// Modules on each channel: what power is counted by.
        modules_per_channel: u64 = 1, positive, at_most(16.0);
        /// Power of one module when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6);
        /// Power of one module when its channel is fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6);
    }
}
