//! Resources: everything with a capacity.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use bandgraph_config::words;
use bandgraph_units::Time;

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

words! {
    /// The kind of a resource.
    pub enum ResourceKind {
        /// One direction of a link between sockets.
        SocketLink = "socket-link",
        /// A memory controller with its channels, or what lies between it and cores: the links of dies, or
        /// the transactions in flight of another socket.
        Memory = "memory",
        /// The cores of a socket.
        Cpu = "cpu",
        /// One direction of the link between a bridge and its socket.
        Bridge = "bridge",
        /// One direction of the PCI Express link of a card in a slot.
        Pcie = "pcie",
        /// One direction of a network port.
        Port = "ethernet",
        /// One direction of a SAS wide port.
        Sas = "sas",
        /// A disk.
        Disk = "disk",
        /// One direction of the network cards of a client, or its cores. Only runs have these resources, not
        /// topologies.
        Client = "client",
        /// One direction of an `InfiniBand` port.
        Infiniband = "infiniband",
        /// A switch between clients and the server. Only runs have these resources, not topologies.
        Network = "network",
        /// The processor of a disk adapter.
        Adapter = "adapter",
    }
}

words! {
    /// The unit of a capacity.
    pub enum Unit {
        /// Bytes per second.
        BytesPerSecond = "bytes/s",
        /// Clock cycles per second, of all cores together.
        CyclesPerSecond = "cycles/s",
        /// Operations per second.
        OperationsPerSecond = "ops/s",
    }
}

/// A resource with a capacity, which work uses. Clones share the description; each has its own capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    what: Arc<Description>,
    /// Raw capacity in `unit`, finite and above zero.
    pub capacity: f64,
    /// The usable share of the raw capacity, above 0 and at most 1.
    pub ceiling: f64,
    /// The number of equal resources that it represents, each with this capacity and the same use: in a
    /// prediction those of equal clients; 1 for all others.
    pub count: u32,
}

/// The description of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The unique id for people: `link.cpu0-cpu1`, `slot.s1.out`.
    pub id: String,
    /// Its element and its role in it, unique in a run.
    pub role: Role,
    /// Its kind.
    pub kind: ResourceKind,
    /// The id of the element at which its traffic starts; without a direction, that of its own element.
    pub from: String,
    /// The id of the element at which its traffic ends, or `"network"`; without a direction, that of its own
    /// element.
    pub to: String,
    /// The unit of the capacity.
    pub unit: Unit,
    /// The technology of a link between sockets, of a port to disks, or of a drive: `HyperTransport`, `NVMe`,
    /// `SSD`; for what lies between cores and memory or is the link of several slots, what it is; `None` for
    /// rotating disks and other resources.
    pub technology: Option<String>,
    /// The origin of the capacity.
    pub detail: Detail,
}

/// The origin of a capacity. Drawn figures change some of it in every draw, so that it becomes text only on
/// request.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// In words: a part, or the width of a slot.
    Words(String),
    /// The reads of a card in flight, and the time of each.
    Reads {
        /// Their maximum number.
        in_flight: u64,
        /// The round trip of one.
        each: Time,
    },
}

impl From<&str> for Detail {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

impl From<&String> for Detail {
    fn from(words: &String) -> Self {
        Self::Words(words.clone())
    }
}

impl From<String> for Detail {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Reads { in_flight, each } => write!(f, "{in_flight} reads under way, {each} each"),
        }
    }
}

impl Resource {
    /// A resource from one element to another, whose whole capacity is usable.
    pub fn new(
        id: String,
        role: Role,
        [from, to]: [&str; 2],
        capacity: f64,
        unit: Unit,
        detail: impl Into<Detail>,
    ) -> Self {
        let what = Description {
            id,
            role,
            kind: role.kind(),
            from: from.to_owned(),
            to: to.to_owned(),
            unit,
            technology: role.technology().map(str::to_owned),
            detail: detail.into(),
        };
        Self {
            what: Arc::new(what),
            capacity,
            ceiling: 1.0,
            count: 1,
        }
    }

    /// The same resource with a changed description.
    #[must_use]
    pub fn described(mut self, change: impl FnOnce(&mut Description)) -> Self {
        change(Arc::make_mut(&mut self.what));
        self
    }

    /// The usable capacity.
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

/// The resources of a server or of a run, by index.
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

    /// Sets the capacity of a resource.
    pub(crate) fn set_capacity(&mut self, index: usize, capacity: f64, ceiling: f64) {
        let resource = &mut self.0[index];
        resource.capacity = capacity;
        resource.ceiling = ceiling;
    }

    /// The same table with the first resources replaced by those of `first`.
    #[must_use]
    pub fn with_first(&self, first: &Self) -> Self {
        let rest = self.0.iter().skip(first.0.len());
        Self(first.0.iter().chain(rest).cloned().collect())
    }

    /// Adds copies of a resource until there are `count`, for tables in which only the number matters.
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
