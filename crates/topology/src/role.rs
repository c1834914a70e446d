//! Roles: which element a resource belongs to and what it is of that element. Code decides by roles; ids are
//! for people.

use crate::resource::ResourceKind;

/// A direction of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Toward the sockets of the server; of a client NIC, toward the client.
    In,
    /// Away from the sockets of the server; of a client NIC, away from the client.
    Out,
}

impl Direction {
    /// The last part of ids: `"in"`, `"out"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }
}

/// What of a card's slot a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotResource {
    /// A direction of its link.
    Link(Direction),
    /// The reads of memory that the card can have in flight.
    Reads,
}

/// What of a network port a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PortResource {
    /// A direction of it.
    Wire(Direction),
    /// What both directions share.
    Both,
    /// A direction of what all ports of its card share, of which this is the first.
    Card(Direction),
    /// One of the cores that serve it, by number.
    Core(u32),
}

/// What of a client NIC a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientResource {
    /// A direction of the NIC.
    Wire(Direction),
    /// What both directions share.
    Both,
    /// The cores of the client that work for the NIC.
    Cores,
    /// The cores of the client that take the NIC's interrupts.
    Interrupts,
}

/// What of a network switch a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetworkResource {
    /// What all its ports share.
    Backplane,
    /// A direction of the switch's port to a port of the server, by the index of that.
    ServerPort(usize, Direction),
}

/// What a resource is. Every resource of a run has a role of its own. Elements are indices into the lists of
/// a
/// [`Topology`](crate::Topology) or of the scenario on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A direction of a link between sockets: from one of its ends to the other.
    SocketLink {
        /// The link.
        link: usize,
        /// Which of its two ends the traffic comes from, 0 or 1.
        from_end: usize,
    },
    /// The memory controller of a socket.
    Memory {
        /// The socket.
        socket: usize,
    },
    /// The cores of a socket.
    Cpu {
        /// The socket.
        socket: usize,
    },
    /// A direction of the uplink of a bridge.
    Bridge {
        /// The bridge.
        bridge: usize,
        /// The direction.
        direction: Direction,
    },
    /// A direction of the uplink of a PCI Express switch.
    Switch {
        /// The switch.
        switch: usize,
        /// The direction.
        direction: Direction,
    },
    /// A slot with a card in it.
    Slot {
        /// The slot.
        slot: usize,
        /// What of it.
        resource: SlotResource,
    },
    /// An Ethernet or `InfiniBand` port of the server.
    Port {
        /// The port.
        port: usize,
        /// What of it.
        resource: PortResource,
    },
    /// A direction of a SAS wide port.
    Sas {
        /// The SAS port.
        port: usize,
        /// The direction.
        direction: Direction,
    },
    /// The processor of a disk adapter.
    Adapter {
        /// The card.
        card: usize,
    },
    /// A disk of an enclosure.
    Disk {
        /// The enclosure, or the drive that is a card.
        jbod: usize,
        /// The number of the disk in it, from 0.
        number: usize,
    },
    /// An SSD of the scenario's storage.
    Ssd {
        /// The SSD.
        ssd: usize,
    },
    /// A NIC of a client.
    Client {
        /// The NIC, counted over all clients of the scenario.
        nic: usize,
        /// What of it.
        resource: ClientResource,
    },
    /// A switch between clients and server.
    Network {
        /// The network of the scenario.
        network: usize,
        /// What of it.
        resource: NetworkResource,
    },
}

impl Role {
    /// Whether two roles are of one thing that is bought and changed as a whole: the two directions of a
    /// cable, of a slot's lanes or of a port.
    pub fn is_of_same_part(self, other: Self) -> bool {
        self.part() == other.part()
    }

    /// One of the roles of the same part, the same for all of them.
    const fn part(self) -> Self {
        let direction = Direction::In;
        match self {
            Self::SocketLink { link, .. } => Self::SocketLink { link, from_end: 0 },
            Self::Bridge { bridge, .. } => Self::Bridge { bridge, direction },
            Self::Switch { switch, .. } => Self::Switch { switch, direction },
            Self::Sas { port, .. } => Self::Sas { port, direction },
            Self::Slot {
                slot,
                resource: SlotResource::Link(_),
            } => Self::Slot {
                slot,
                resource: SlotResource::Link(direction),
            },
            Self::Port {
                port,
                resource: PortResource::Wire(_),
            } => Self::Port {
                port,
                resource: PortResource::Both,
            },
            Self::Client {
                nic,
                resource: ClientResource::Wire(_),
            } => Self::Client {
                nic,
                resource: ClientResource::Both,
            },
            other => other,
        }
    }

    /// The kind of resource that has this role; an Ethernet port's for all network ports.
    pub const fn kind(self) -> ResourceKind {
        match self {
            Self::SocketLink { .. } => ResourceKind::SocketLink,
            Self::Memory { .. } => ResourceKind::Memory,
            Self::Cpu { .. }
            | Self::Port {
                resource: PortResource::Core(_),
                ..
            } => ResourceKind::Cpu,
            Self::Bridge { .. } => ResourceKind::Bridge,
            Self::Switch { .. } | Self::Slot { .. } => ResourceKind::Pcie,
            Self::Port { .. } => ResourceKind::Port,
            Self::Sas { .. } => ResourceKind::Sas,
            Self::Adapter { .. } => ResourceKind::Adapter,
            Self::Disk { .. } | Self::Ssd { .. } => ResourceKind::Disk,
            Self::Client { .. } => ResourceKind::Client,
            Self::Network { .. } => ResourceKind::Network,
        }
    }
}
