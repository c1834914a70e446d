//! The sockets that the home of a line probes.

use bandgraph_config::words;

words! {
    /// Whom the home of a line asks, before it gives the line away.
    #[derive(Default)]
    pub enum Probing: "a way of probing" {
        /// All other sockets, the one that asked among them, as HyperTransport without a probe filter does.
        #[default]
        Broadcast = "broadcast",
        /// All other sockets but the one that asked, as processors with QPI do.
        Snoop = "snoop",
        /// Nobody, but for lines that another cache may hold: a probe filter or a directory knows which.
        Filter = "filter",
    }
}
