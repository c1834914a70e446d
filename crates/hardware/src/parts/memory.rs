//! Memory modules, as one channel of a controller sees them.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Fraction, Power};

use crate::memory::LatencyCurve;
use crate::part::part;

part! {
    /// The memory modules on one channel.
    MemoryPart, Memory = "memory" {
        /// Peak transfer rate of one channel.
        transfer_rate: Bandwidth = "1 GB/s", exact, required, positive, at_least(1e6), at_most(1e13);
        /// Share of the peak rate that a controller sustains when it only reads: refresh and row misses take
        /// the rest. What a mix of reads and writes leaves of it is a matter of the processor
        /// (`mixed_memory`).
        sustainable: Fraction = "80 %", listed, positive, at_least(0.01), at_most(1.0),
            measured("`mlc --max_bandwidth`, or STREAM, over the rate of the modules"),
            because("as DDR3 and DDR4 sustain it"),
            assumed(AssumedRange(0.88, 1.08, "−12 to +8 %: machines of one generation that were measured"));
        /// What is sustained of writes alone, as a share of reads alone, for modules whose media write slower
        /// than they read. Zero where only turnarounds of the bus cost something, which is a matter of the
        /// processor.
        write_share: Fraction = "0 %", at_most(1.0),
            because("turnarounds are a matter of the processor, and DRAM writes as fast as it reads");
        /// How long a read takes under load, if that was measured: points of utilisation (of the peak rate)
        /// and nanoseconds, such as "0:80 0.5:95 0.75:160", utilisation rising. Empty for the processor's
        /// idle latency and `latency_shape`.
        loaded_latency: LatencyCurve = "", because("no measurement is known: `latency_shape` applies");
        /// How many times its idle latency a read takes under load, where `loaded_latency` does not say it:
        /// points of load, as a share of what the controller sustains, and that factor. The default is the
        /// median of ten machines with DDR3 to DDR5 (results of Intel Memory Latency Checker).
        latency_shape: LatencyCurve = "0:1 0.25:1.09 0.5:1.23 0.7:1.43 0.8:1.59 0.9:1.94 0.95:2.2 1:2.95",
            because("the median of ten machines with DDR3 to DDR5, measured by Intel Memory Latency Checker");
        /// Modules on each channel; power is counted per module.
        modules_per_channel: u64 = 1, positive, at_most(16.0), because("one; a topology gives its own");
        /// Power of one module when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: by ranks, density and width of the chips"));
        /// Power of one module when its channel is fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: by ranks, density and width of the chips"));
    }
}

/// Rates that differ by less are those of one grade, rounded.
const ROUNDED: f64 = 0.005;

impl MemoryPart {
    /// The words of its name without numbers: "ddr4", or "ddr2" and "fbdimm". Modules with the same words
    /// have the same connector.
    pub fn technology(&self) -> impl Iterator<Item = &str> {
        let words = self.name.split('-');
        words.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Whether both are of a known generation, "ddr2" and "ddr5", and of different ones.
    pub fn is_of_another_generation(&self, other: &Self) -> bool {
        let generation = |part: &'_ Self| {
            part.technology()
                .find(|word| word.starts_with("ddr"))
                .map(str::to_owned)
        };
        matches!((generation(self), generation(other)), (Some(own), Some(its)) if own != its)
    }

    /// Whether it has a higher grade than other memory.
    pub fn is_faster_than(&self, other: &Self) -> bool {
        self.transfer_rate.get() > other.transfer_rate.get() * (1.0 + ROUNDED)
    }
}
