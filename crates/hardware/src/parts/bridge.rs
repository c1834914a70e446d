//! An I/O bridge: a socket link on one side, PCIe on the other.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bytes, Power, Time};

use crate::part::part;
use crate::pcie::PcieGeneration;

part! {
    /// An I/O bridge, or the root complex of a processor: where DMA enters and leaves the coherent part of a
    /// machine.
    BridgePart, Bridge = "bridge" {
        /// Fastest PCIe generation that its slots support.
        generation: PcieGeneration = "gen1", required;
        /// Data bytes of the completions with which it answers reads by cards. Many bridges answer in pieces
        /// of the read completion boundary, whatever payload they could send.
        read_completion: Bytes = "64 B", exact, positive, at_least(16.0), at_most(4096.0),
            because("answers in pieces of the read completion boundary, as the MCP55 does");
        /// Largest payload of a packet it takes or sends.
        maximum_payload: Bytes = "128 B", listed, exact, at_least(128.0), at_most(4096.0),
            stated_by("pcie-base"), because("the least that every device takes");
        /// Largest payload of the packets that it forwards from one card to another; as they come if zero.
        forwarded_payload: Bytes = "0 B", exact, at_most(4096.0), because("packets keep their size");
        /// Largest read that it lets a card request at once.
        maximum_read_request: Bytes = "512 B", exact, at_least(128.0), at_most(4096.0),
            stated_by("pcie-base"), because("what devices are set to after a reset");
        /// Packets that one 8-byte link-layer packet acknowledges. The standard only says how late an
        /// acknowledgement may be; implementations choose.
        acknowledge_every: f64 = 4.0, at_least(0.25), at_most(1e6);
        /// Requests of cards, reads and writes, for which one 8-byte link-layer packet returns credits.
        /// Implementations choose; completions need no credits.
        credits_every: f64 = 2.75, at_least(0.25), at_most(1e6), because("as derived for the MCP55"),
            assumed(AssumedRange(0.5, 3.0,
                "half to three times: other bridges collect more before they return credits"));
        /// The unit in which its DMA reaches memory: a transfer is split into lines of this size.
        host_line: Bytes = "64 B", exact, positive, at_least(16.0), at_most(4096.0),
            stated_by("hwloc-machines"), because("a line of the caches");
        /// Time through the bridge, one way.
        latency: Time = "250 ns", listed, at_most(1e-3), because("as the MCP55"),
            assumed(AssumedRange(0.6, 1.4, "±40 %: bridges of its time take 150 to 350 ns"));
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: no power of its own is published"));
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: no power of its own is published"));
    }
}
