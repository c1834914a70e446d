//! The two network types of ports.

use bandgraph_config::words;

words! {
    /// What frames the packets on a network port.
    #[derive(Default)]
    pub enum LinkLayer: "a kind of network" {
        /// Ethernet frames.
        #[default]
        Ethernet = "ethernet",
        /// InfiniBand packets.
        Infiniband = "infiniband",
    }
}
