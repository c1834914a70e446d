//! Roles: the element of a resource, and its function in that element. Code decides by roles; ids are for
//! people.

use bandgraph_config::words;

use crate::resource::ResourceKind;

words! {
    /// A direction of traffic.
    pub enum Direction {
        /// Toward the sockets of the server; of a client NIC, toward the client.
        In = "in",
        /// Away from the sockets of the server; of a client NIC, away from the client.
        Out = "out",
    }
}

/// The resources of a card's slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotResource {
    /// A direction of its link.
    Link(Direction),
    /// The outstanding memory reads of the card.
    Reads,
}

/// The resources of a network port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PortResource {
    /// A direction of the wire.
    Wire(Direction),
    /// A limit on both directions together.
    Both,
    /// A direction of a limit that all ports of its card share; this is the first of them.
    Card(Direction),
    /// One of the cores that serve it, by number.
    Core(u32),
}

/// The resources of a client NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientResource {
    /// A direction of the NIC.
    Wire(Direction),
    /// A limit on both directions together.
    Both,
    /// The cores of the client that process the NIC's traffic.
    Cores,
    /// The cores of the client that take the NIC's interrupts.
    Interrupts,
    /// The threads that serve its connections, one for each.
    Connections,
}

/// The resources of a network switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetworkResource {
    /// The capacity that all its ports share.
    Backplane,
    /// A direction of the switch's port to a server port, by the index of that port.
    ServerPort(usize, Direction),
}

/// The role of a resource. Every resource of a run has a different role. Elements are indices into the lists
/// of a [`Topology`](crate::Topology) or of the scenario on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A direction of a link between sockets.
    SocketLink {
        /// The link.
        link: usize,
        /// The end at which the traffic starts, 0 or 1.
        from_end: usize,
    },
    /// The memory controller of a socket.
    Memory {
        /// The socket.
        socket: usize,
    },
    /// A direction of the links between the dies of cores of a socket and its memory controllers: in to the
    /// cores.
    Dies {
        /// The socket.
        socket: usize,
        /// The direction.
        direction: Direction,
    },
    /// The front-side bus between the cores of a socket and the hub with its memory.
    FrontSideBus {
        /// The socket.
        socket: usize,
    },
    /// The transactions that a socket has in flight at the memory of another.
    Remote {
        /// The socket that has them.
        from: usize,
        /// The socket with the memory.
        home: usize,
        /// Whether its root complexes have them, and not its cores.
        cards: bool,
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
        /// The resource of the slot.
        resource: SlotResource,
    },
    /// An Ethernet or `InfiniBand` port of the server.
    Port {
        /// The port.
        port: usize,
        /// The resource of the port.
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
    /// The cores of the processes of a workload, one for each.
    Processes {
        /// The workload of the scenario.
        workload: usize,
    },
    /// The cores that the processes of the server use at the most.
    ServerProcesses,
    /// The threads of the arrays of a pool, which make parity, and the locks that reads hold.
    Array {
        /// The pool of the scenario.
        pool: usize,
    },
    /// A NIC of a client.
    Client {
        /// The NIC, counted over all clients of the scenario.
        nic: usize,
        /// The resource of the NIC.
        resource: ClientResource,
    },
    /// A switch between clients and server.
    Network {
        /// The network of the scenario.
        network: usize,
        /// The resource of the switch.
        resource: NetworkResource,
    },
}

impl Role {
    /// The representative of all roles of one part that is bought and changed as a whole: the two directions
    /// of a cable, of a slot's lanes or of a port.
    #[must_use]
    pub const fn part(self) -> Self {
        let direction = Direction::In;
        match self {
            Self::SocketLink { link, .. } => Self::SocketLink { link, from_end: 0 },
            Self::Bridge { bridge, .. } => Self::Bridge { bridge, direction },
            Self::Switch { switch, .. } => Self::Switch { switch, direction },
            Self::Sas { port, .. } => Self::Sas { port, direction },
            Self::Dies { socket, .. } => Self::Dies { socket, direction },
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

    /// What tells a resource from others of its kind, where the role alone says it.
    pub const fn technology(self) -> Option<&'static str> {
        match self {
            Self::Dies { .. } => Some("links of dies"),
            Self::FrontSideBus { .. } => Some("front-side bus"),
            Self::Remote { .. } => Some("lines in flight"),
            Self::Switch { .. } => Some("shared uplink"),
            _ => None,
        }
    }

    /// The kind of resource with this role; for all network ports, that of an Ethernet port.
    pub const fn kind(self) -> ResourceKind {
        match self {
            Self::SocketLink { .. } => ResourceKind::SocketLink,
            Self::Memory { .. } | Self::Dies { .. } | Self::FrontSideBus { .. } | Self::Remote { .. } => {
                ResourceKind::Memory
            }
            Self::Cpu { .. }
            | Self::Processes { .. }
            | Self::ServerProcesses
            | Self::Array { .. }
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
