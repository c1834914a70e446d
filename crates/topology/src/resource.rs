//! Resources: what has a capacity.

use std::fmt;

/// A resource of a topology, as an index into [`Topology::resources`](crate::Topology::resources).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(pub(crate) u32);

impl ResourceId {
    /// The index into the table of resources.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What kind of thing a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceKind {
    /// One direction of a link between sockets.
    SocketLink,
    /// A memory controller with its channels.
    Memory,
    /// The cores of a socket.
    Cpu,
    /// One direction of the link between a bridge and its socket.
    Bridge,
    /// One direction of the PCI Express link of a card in a slot.
    Pcie,
    /// One direction of a network port.
    Port,
    /// One direction of a SAS wide port.
    Sas,
    /// A disk.
    Disk,
    /// One direction of the network cards of a client, or its cores. No topology has these: they come with the clients.
    Client,
    /// One direction of an `InfiniBand` port.
    Infiniband,
    /// A switch between clients and the server. No topology has these either.
    Network,
}

impl ResourceKind {
    /// Every kind, in the order of the table.
    pub const ALL: [Self; 11] = [
        Self::SocketLink,
        Self::Memory,
        Self::Cpu,
        Self::Bridge,
        Self::Pcie,
        Self::Port,
        Self::Sas,
        Self::Disk,
        Self::Client,
        Self::Infiniband,
        Self::Network,
    ];

    /// The name in reports: `"socket-link"`, `"ethernet"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SocketLink => "socket-link",
            Self::Memory => "memory",
            Self::Cpu => "cpu",
            Self::Bridge => "bridge",
            Self::Pcie => "pcie",
            Self::Port => "ethernet",
            Self::Sas => "sas",
            Self::Disk => "disk",
            Self::Client => "client",
            Self::Infiniband => "infiniband",
            Self::Network => "network",
        }
    }
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a capacity counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bytes per second.
    BytesPerSecond,
    /// Clock cycles per second, of all cores together.
    CyclesPerSecond,
    /// Operations per second.
    OperationsPerSecond,
}

impl Unit {
    /// The name in reports: `"bytes/s"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BytesPerSecond => "bytes/s",
            Self::CyclesPerSecond => "cycles/s",
            Self::OperationsPerSecond => "ops/s",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Something with a capacity that work uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// The id, unique in the topology: `link.cpu0-cpu1`, `slot.s1.out`.
    pub id: String,
    /// What it is.
    pub kind: ResourceKind,
    /// The id of the element its traffic comes from; that of its own element where there is no direction.
    pub from: String,
    /// The id of the element its traffic goes to, or `"network"`; that of its own element where there is no
    /// direction.
    pub to: String,
    /// Raw capacity in `unit`, finite and above zero.
    pub capacity: f64,
    /// The share of the raw capacity that can be used in practice, above 0 and at most 1.
    pub ceiling: f64,
    /// What `capacity` counts.
    pub unit: Unit,
    /// The technology of a link between sockets, in words: `HyperTransport`, `QPI`; `None` for any other resource.
    pub technology: Option<String>,
}

impl Resource {
    /// The capacity that can be used in practice.
    pub fn usable(&self) -> f64 {
        self.capacity * self.ceiling
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_reports() {
        let names: Vec<_> = ResourceKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(
            names,
            [
                "socket-link",
                "memory",
                "cpu",
                "bridge",
                "pcie",
                "ethernet",
                "sas",
                "disk",
                "client",
                "infiniband",
                "network"
            ]
        );
        assert_eq!(ResourceKind::Port.to_string(), "ethernet");
        assert_eq!(Unit::CyclesPerSecond.to_string(), "cycles/s");
    }
}
