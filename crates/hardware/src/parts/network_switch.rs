//! A network switch between clients and the server.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Time};

use crate::part::part;

part! {
    /// A network switch: ports for clients, faster ports for servers, and a backplane that all of them share.
    NetworkSwitchPart, NetworkSwitch = "network-switch" {
        /// Ports for clients.
        ports: u64 = 24, required, positive, at_most(65536.0);
        /// Rate of a client's port in each direction, on the wire.
        port_rate: Bandwidth = "1 Gbit/s", exact, in_bits, required, positive, at_least(1e3), at_most(1e13);
        /// Ports for servers; zero: servers use ports like those of clients.
        uplinks: u64 = 0, at_most(65536.0), because("servers use ports like those of clients");
        /// Rate of a server's port in each direction, on the wire.
        uplink_rate: Bandwidth = "10 Gbit/s", exact, in_bits, positive, at_least(1e3), at_most(1e13);
        /// Rate of all frames that the switch forwards, each counted once. Zero: never the limit.
        backplane: Bandwidth = "0 B/s", at_most(1e15), because("it forwards all ports at their rate"),
            assumed(AssumedRange(0.7, 1.0, "70 to 100 % of what its ports carry"));
        /// Time through the switch, one way, without the time of the bytes on the wire.
        latency: Time = "0 s", listed, at_most(1.0), because("less than what packets wait elsewhere"),
            assumed(AssumedRange(0.4, 2.5,
                "0.4 to 2.5 times: by size of frame, and by cut-through or store and forward"));
    }
}

impl NetworkSwitchPart {
    /// The number of ports for servers, and the rate of each.
    pub fn server_ports(&self) -> (u64, Bandwidth) {
        if self.uplinks > 0 {
            (self.uplinks, self.uplink_rate)
        } else {
            (self.ports, self.port_rate)
        }
    }
}
