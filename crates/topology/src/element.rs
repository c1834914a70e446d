//! Elements of a specification, as errors and edits refer to them.

use bandgraph_config::words;

words! {
    /// A kind of element of a [`TopologySpec`](crate::TopologySpec).
    pub enum ElementKind {
        /// The topology itself.
        Topology = "topology",
        /// A socket.
        Socket = "socket",
        /// The memory of a socket; its index is that of the socket.
        Memory = "memory",
        /// A link between sockets.
        Link = "link",
        /// A bridge.
        Bridge = "bridge",
        /// The uplink of a bridge; its index is that of the bridge.
        Uplink = "uplink",
        /// A PCI Express switch.
        Switch = "switch",
        /// A slot.
        Slot = "slot",
        /// A card.
        Card = "card",
        /// A disk enclosure.
        Jbod = "jbod",
        /// The disks of an enclosure; its index is that of the enclosure.
        Disk = "disk",
        /// A given route.
        Route = "route",
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
