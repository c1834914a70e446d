//! The error of the model on one machine, by kind of limit, as a calibration learns it from measurements.

use bandgraph_config::{settings, words};
use bandgraph_topology::{ClientResource, ResourceKind, Role};

words! {
    /// Kinds of limits with a common model error.
    pub enum LimitGroup: "a kind of limit" {
        /// PCI Express, network ports, also those of clients, `InfiniBand`.
        Cards = "PCIe and ports",
        /// Links between sockets, uplinks of bridges, memory.
        Links = "links and memory",
        /// Cores of the server.
        Cores = "cores",
        /// Disks, adapters and the ports between them.
        Storage = "disks",
        /// The same where pools have mirrors or parity: file systems and cards decide what disks carry.
        Arrays = "arrays",
        /// Cores and connections of clients, and switches.
        Clients = "clients",
        /// The pace of the clients: the server keeps up with the operations that they ask for.
        Pace = "pace of clients",
        /// No resource is saturated: too few concurrent operations, or serial work of one thread.
        Nothing = "nothing full",
    }
}

impl LimitGroup {
    /// The group of a resource, of a server whose pools have redundancy (`arrays`) or not. A port of a client
    /// is one like those of the server.
    pub const fn of(role: Role, arrays: bool) -> Self {
        if let Role::Client {
            resource: ClientResource::Wire(_) | ClientResource::Both,
            ..
        } = role
        {
            return Self::Cards;
        }
        match role.kind() {
            ResourceKind::Pcie | ResourceKind::Port | ResourceKind::Infiniband => Self::Cards,
            ResourceKind::SocketLink | ResourceKind::Bridge | ResourceKind::Memory => Self::Links,
            ResourceKind::Cpu => Self::Cores,
            ResourceKind::Disk | ResourceKind::Sas | ResourceKind::Adapter if arrays => Self::Arrays,
            ResourceKind::Disk | ResourceKind::Sas | ResourceKind::Adapter => Self::Storage,
            ResourceKind::Client | ResourceKind::Network => Self::Clients,
        }
    }
}

settings! {
    /// The error of the model on the machine that this software runs on, for one kind of limit. `bandgraph
    /// calibrate --own` learns it from measurements; intervals have it instead of the error that the model
    /// has on a machine without measurements.
    pub struct ModelError as "model_error" by "limit" {
        /// What limits: the error is that of rates with this kind of limit.
        limit: LimitGroup;
        /// The rates of this machine, over those that the model predicts.
        factor: f64 = 1, at_least(0.001), at_most(1000);
        /// How uncertain that factor is: the standard deviation of its logarithm.
        deviation: f64, at_most(10);
        /// The share of its variance that all loads of the machine have in common. The rest differs from load
        /// to load.
        common: f64 = 0.3, at_most(1);
        /// How many measurements of the machine have this limit: a later calibration weights what it knows
        /// with their number.
        measurements: u32 = 0;
    }
}

impl ModelError {
    /// The standard deviations of the part that all loads of the machine have in common, and of the rest.
    pub fn parts(&self) -> [f64; 2] {
        [self.common, 1.0 - self.common].map(|share| libm::sqrt(share) * self.deviation)
    }
}
