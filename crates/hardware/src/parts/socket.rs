//! A processor socket: cores, their stall behaviour, coherence.

use bandgraph_units::{Bytes, Frequency, Power, Time};

use crate::part::part;

part! {
    /// A processor with its cores, its memory controller's latency, and how it keeps caches coherent.
    SocketPart, Socket = "socket" {
        /// Cores in the socket.
        cores: u64 = 1, required, positive, at_most(1024.0);
        /// Threads that share a core at the same time (simultaneous multithreading). While one waits for memory the
        /// others work.
        threads_per_core: u64 = 1, positive, at_most(16.0);
        /// Clock of the cores.
        clock: Frequency = "1 GHz", required, positive, at_least(1e6), at_most(1e11);
        /// Cycles per instruction when no instruction waits for memory. What waits for nearer caches is in it.
        base_cpi: f64 = 1.4, positive, at_most(1000.0);
        /// Cache misses that a core has under way on average while it is stalled: each stalls it for its latency
        /// divided by this.
        misses_in_flight: f64 = 2.0, positive, at_least(0.01), at_most(1000.0);
        /// Latency of an idle read of local memory as a core sees it, when it waits for no probe.
        local_latency: Time = "80 ns", positive, at_most(1e-3);
        /// What a probed read costs besides the hops of its request, probe and response: from the core to the
        /// memory controller that sends the probe, the look-up in the probed caches, and back up to the core.
        probe_latency: Time = "60 ns", at_most(1e-3);
        /// Whether a probe filter (HT Assist) saves the broadcast of probes.
        probe_filter: bool = false;
        /// Size of a cache line, the unit of coherent transfers.
        line_size: Bytes = "64 B", exact, positive, at_least(16.0), at_most(4096.0);
        /// Ports for links to other sockets and to bridges.
        link_ports: u64 = 3, at_most(64.0);
        /// Size of the last-level cache.
        l3: Bytes = "0 B", exact;
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6);
        /// Power when all cores are busy. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6);
    }
}

impl SocketPart {
    /// Cycles per second of all cores together.
    pub fn cycles_per_second(&self) -> Frequency {
        self.clock * self.cores as f64
    }
}
