//! Elements of a specification, as errors and edits refer to them.

use std::fmt;

/// A kind of element of a [`TopologySpec`](crate::TopologySpec).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementKind {
    /// The topology itself.
    Topology,
    /// A socket.
    Socket,
    /// The memory of a socket; its index is that of the socket.
    Memory,
    /// A link between sockets.
    Link,
    /// A bridge.
    Bridge,
    /// The uplink of a bridge; its index is that of the bridge.
    Uplink,
    /// A PCI Express switch.
    Switch,
    /// A slot.
    Slot,
    /// A card.
    Card,
    /// A disk enclosure.
    Jbod,
    /// The disks of an enclosure; its index is that of the enclosure.
    Disk,
    /// A given route.
    Route,
}

impl ElementKind {
    /// Its name: `"socket"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Topology => "topology",
            Self::Socket => "socket",
            Self::Memory => "memory",
            Self::Link => "link",
            Self::Bridge => "bridge",
            Self::Uplink => "uplink",
            Self::Switch => "switch",
            Self::Slot => "slot",
            Self::Card => "card",
            Self::Jbod => "jbod",
            Self::Disk => "disk",
            Self::Route => "route",
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The location of an error in a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementRef {
    /// The list.
    pub kind: ElementKind,
    /// The index in the list.
    pub index: usize,
    /// The field, by its name in files; `""` for the whole element.
    pub field: &'static str,
}

impl ElementRef {
    pub(crate) const fn new(kind: ElementKind, index: usize, field: &'static str) -> Self {
        Self { kind, index, field }
    }
}
