//! Resources: what has a capacity.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::role::Role;

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
    /// One direction of the network cards of a client, or its cores. No topology has these: they come with
    /// the clients.
    Client,
    /// One direction of an `InfiniBand` port.
    Infiniband,
    /// A switch between clients and the server. No topology has these either.
    Network,
    /// The processor of a disk adapter.
    Adapter,
}

impl ResourceKind {
    /// Every kind, in the order of the table.
    pub const ALL: [Self; 12] = [
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
        Self::Adapter,
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
            Self::Adapter => "adapter",
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

/// Something with a capacity that work uses. Clones share what it is; each has its own capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    what: Arc<Description>,
    /// Raw capacity in `unit`, finite and above zero.
    pub capacity: f64,
    /// The share of the raw capacity that can be used in practice, above 0 and at most 1.
    pub ceiling: f64,
}

/// What a resource is.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The id that people read, unique in a run: `link.cpu0-cpu1`, `slot.s1.out`.
    pub id: String,
    /// Which element it belongs to and what it is of that, unique in a run as well.
    pub role: Role,
    /// What kind of thing it is.
    pub kind: ResourceKind,
    /// The id of the element its traffic comes from; that of its own element where there is no direction.
    pub from: String,
    /// The id of the element its traffic goes to, or `"network"`; that of its own element where there is no
    /// direction.
    pub to: String,
    /// What the capacity counts.
    pub unit: Unit,
    /// The technology of a link between sockets, in words: `HyperTransport`, `QPI`; `None` for any other
    /// resource.
    pub technology: Option<String>,
    /// What the capacity follows from, in words: a part, or the width of a slot.
    pub detail: String,
}

impl Resource {
    /// A resource whose whole capacity can be used, from one element to another.
    pub fn new(
        id: String,
        role: Role,
        [from, to]: [&str; 2],
        capacity: f64,
        unit: Unit,
        detail: impl Into<String>,
    ) -> Self {
        let what = Description {
            id,
            role,
            kind: role.kind(),
            from: from.to_owned(),
            to: to.to_owned(),
            unit,
            technology: None,
            detail: detail.into(),
        };
        Self {
            what: Arc::new(what),
            capacity,
            ceiling: 1.0,
        }
    }

    /// The same resource with something else in its description.
    #[must_use]
    pub fn described(mut self, change: impl FnOnce(&mut Description)) -> Self {
        change(Arc::make_mut(&mut self.what));
        self
    }

    /// The capacity that can be used in practice.
    pub fn usable(&self) -> f64 {
        self.capacity * self.ceiling
    }
}

impl Deref for Resource {
    type Target = Description;

    fn deref(&self) -> &Description {
        &self.what
    }
}

/// The resources of a server or of a run, which count them by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceTable(Vec<Resource>);

impl ResourceTable {
    /// Adds a resource; returns its index.
    pub fn add(&mut self, resource: Resource) -> usize {
        self.0.push(resource);
        self.0.len() - 1
    }

    /// Multiplies the capacity of a resource.
    pub fn scale(&mut self, index: usize, factor: f64) {
        self.0[index].capacity *= factor;
    }

    /// Gives a resource another capacity.
    pub(crate) fn set_capacity(&mut self, index: usize, capacity: f64, ceiling: f64) {
        let resource = &mut self.0[index];
        resource.capacity = capacity;
        resource.ceiling = ceiling;
    }

    /// The same table with other resources in the first places.
    #[must_use]
    pub fn with_first(&self, first: &Self) -> Self {
        let rest = self.0.iter().skip(first.0.len());
        Self(first.0.iter().chain(rest).cloned().collect())
    }

    /// Adds copies of a resource until there are `count`, where only their number matters.
    pub fn pad(&mut self, count: usize, resource: Resource) {
        self.0.resize(count, resource);
    }
}

impl Deref for ResourceTable {
    type Target = [Resource];

    fn deref(&self) -> &Self::Target {
        &self.0
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
                "network",
                "adapter"
            ]
        );
        assert_eq!(ResourceKind::Port.to_string(), "ethernet");
        assert_eq!(Unit::CyclesPerSecond.to_string(), "cycles/s");
    }
}
