//! The error of the model on one machine, by kind of limit, as a calibration learns it from measurements.

use bandgraph_config::{settings, words};
use bandgraph_topology::ResourceKind;

words! {
    /// Kinds of limits with a common model error.
    pub enum LimitGroup: "a kind of limit" {
        /// PCI Express, network ports, `InfiniBand`.
        Cards = "PCIe and ports",
        /// Links between sockets, uplinks of bridges, memory.
        Links = "links and memory",
        /// Cores of the server.
        Cores = "cores",
        /// Disks and the ports that they are on.
        Storage = "disks",
        /// Clients and switches.
        Clients = "clients",
        /// The pace of the clients: the server keeps up with the operations that they ask for.
        Pace = "pace of clients",
        /// No resource is saturated: too few concurrent operations, or serial work of one thread.
        Nothing = "nothing full",
    }
}

impl LimitGroup {
    /// The group of a kind of resource; `None` if no resource is saturated.
    pub const fn of(limit: Option<ResourceKind>) -> Self {
        match limit {
            Some(ResourceKind::Pcie | ResourceKind::Port | ResourceKind::Infiniband) => Self::Cards,
            Some(ResourceKind::SocketLink | ResourceKind::Bridge | ResourceKind::Memory) => Self::Links,
            Some(ResourceKind::Cpu) => Self::Cores,
            Some(ResourceKind::Disk | ResourceKind::Sas | ResourceKind::Adapter) => Self::Storage,
            Some(ResourceKind::Client | ResourceKind::Network) => Self::Clients,
            None => Self::Nothing,
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
    }
}
