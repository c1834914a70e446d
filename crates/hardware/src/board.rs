//! What fits a board: the processors, the memory and the links between sockets that can replace its own.

use crate::catalogue::catalogue;
use crate::parts::{MemoryPart, SocketLinkPart, SocketPart};

impl SocketPart {
    /// Whether it fits a board that was made for another processor: the same package, no earlier generation,
    /// and at least the memory channels and PCIe lanes that the board wires.
    pub fn fits_board_of(&self, other: &Self) -> bool {
        !self.package.is_empty()
            && self.package == other.package
            && self.year >= other.year
            && self.memory_channels >= other.memory_channels
            && self.pcie_generation >= other.pcie_generation
            && self.pcie_lanes >= other.pcie_lanes
    }

    /// Whether it takes this memory: the kind of modules of its fastest memory, and no faster ones. Unknown
    /// memory is taken.
    pub fn takes(&self, memory: &MemoryPart) -> bool {
        catalogue().memory(&self.memory).is_none_or(|fastest| {
            memory.technology().eq(fastest.technology()) && !memory.is_faster_than(fastest)
        })
    }

    /// Whether its links to other sockets can be this one: of the same technology, and no faster than its
    /// fastest. Unknown links can be anything.
    pub fn joins_by(&self, link: &SocketLinkPart) -> bool {
        catalogue().socket_link(&self.socket_link).is_none_or(|own| {
            own.technology == link.technology && link.raw_bandwidth() <= own.raw_bandwidth()
        })
    }
}
