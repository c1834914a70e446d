//! The specification of a topology: elements that refer to each other by name, not checked yet.

use std::collections::BTreeSet;

use bandgraph_hardware::{
    BridgePart, CardHeight, CardPart, ChassisPart, DrivePart, JbodPart, MemoryPart, Part, PcieGeneration,
    PcieSlotSpec, PcieSwitchPart, SocketLinkPart, SocketPart,
};
use bandgraph_units::Bytes;

/// A server as a list of elements. Ids are unique over all kinds of elements: letters, digits, `_` and `-`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopologySpec {
    /// The name of the server: any text.
    pub name: String,
    /// Its chassis, if its power matters.
    pub chassis: Option<ChassisPart>,
    /// Processor sockets with their memory; at least one.
    pub sockets: Vec<SocketSpec>,
    /// Links between sockets.
    pub links: Vec<LinkSpec>,
    /// I/O bridges.
    pub bridges: Vec<BridgeSpec>,
    /// PCI Express switches.
    pub switches: Vec<SwitchSpec>,
    /// PCI Express slots.
    pub slots: Vec<SlotSpec>,
    /// Cards of all kinds.
    pub cards: Vec<CardSpec>,
    /// Disk enclosures.
    pub jbods: Vec<JbodSpec>,
    /// Given routes; the others are computed.
    pub routes: Vec<RouteSpec>,
    /// Ids of elements without an entry of their own in the file: those of an entry with a count.
    pub counted: BTreeSet<String>,
}

/// A processor socket.
#[derive(Clone, Debug, PartialEq)]
pub struct SocketSpec {
    /// Its id.
    pub id: String,
    /// The processor.
    pub part: SocketPart,
    /// The memory on its own controller.
    pub memory: MemorySpec,
    /// The NUMA nodes that firmware divides it in; `None` for a single one.
    pub nodes: Option<NodesSpec>,
}

/// The NUMA nodes of a divided socket.
#[derive(Clone, Debug, PartialEq)]
pub struct NodesSpec {
    /// Their number: a divisor of the memory channels.
    pub count: u32,
    /// The part that joins each of them to each other.
    pub link: SocketLinkPart,
}

/// The memory of one socket.
#[derive(Clone, Debug, PartialEq)]
pub struct MemorySpec {
    /// The modules on each channel.
    pub part: MemoryPart,
    /// Channels in use; at least one.
    pub channels: u32,
    /// The total size; above zero.
    pub size: Bytes,
}

/// A link between two sockets, with equal capacity in both directions. Several links may connect the same
/// sockets.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// The ids of two different sockets.
    pub ends: [String; 2],
    /// The kind of link.
    pub part: SocketLinkPart,
    /// Its weight among parallel links, which determines its share of their traffic; above zero.
    pub weight: f64,
}

/// An I/O bridge on a socket.
#[derive(Clone, Debug, PartialEq)]
pub struct BridgeSpec {
    /// Its id.
    pub id: String,
    /// The bridge.
    pub part: BridgePart,
    /// The id of its socket.
    pub uplink_to: String,
    /// The link to that socket; `None` for a root complex on the processor.
    pub uplink: Option<SocketLinkPart>,
}

/// A PCI Express switch on a bridge. Slots behind it share its link to the bridge.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchSpec {
    /// Its id.
    pub id: String,
    /// The switch.
    pub part: PcieSwitchPart,
    /// The id of its bridge.
    pub bridge: String,
    /// Wired generation and lanes from the bridge to the switch.
    pub pcie: PcieSlotSpec,
}

/// A PCI Express slot on a bridge, or behind a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotSpec {
    /// Its id.
    pub id: String,
    /// The id of its bridge; ignored for a slot behind a switch.
    pub bridge: String,
    /// The id of its switch; `None` for a slot directly on a bridge.
    pub switch: Option<String>,
    /// Wired generation and lanes.
    pub pcie: PcieSlotSpec,
    /// Lanes of the connector, at least as many as wired: a x16 connector may have x8 behind it. `None` for
    /// as many as wired.
    pub connector_lanes: Option<u32>,
    /// The maximum height of its card: a low-profile slot takes no full-height card.
    pub height: CardHeight,
    /// The maximum payload, if firmware sets less than bridge and card support; 128 to 4096 bytes.
    pub maximum_payload: Option<Bytes>,
    /// The maximum read request, if firmware or a driver sets less than bridge and card support; 128 to
    /// 4096 bytes.
    pub maximum_read_request: Option<Bytes>,
}

impl Default for SlotSpec {
    /// A slot with eight lanes of the first generation, without an id and a bridge.
    fn default() -> Self {
        Self {
            id: String::new(),
            bridge: String::new(),
            switch: None,
            pcie: PcieSlotSpec {
                generation: PcieGeneration::Gen1,
                lanes: 8,
            },
            connector_lanes: None,
            height: CardHeight::Full,
            maximum_payload: None,
            maximum_read_request: None,
        }
    }
}

/// A card in a slot, or ports on a bridge.
#[derive(Clone, Debug, PartialEq)]
pub struct CardSpec {
    /// Its id.
    pub id: String,
    /// Its part.
    pub part: CardPart,
    /// Its place.
    pub seat: Seat,
}

/// The place of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seat {
    /// In the slot with this id.
    Slot(String),
    /// In two slots: a card with links to two hosts, which share its ports.
    Slots([String; 2]),
    /// On the bridge with this id, without a slot: integrated ports.
    Bridge(String),
}

/// A disk enclosure on one or two ports of host bus adapters. Several enclosures on one port form a chain in
/// file order, and share the port.
#[derive(Clone, Debug, PartialEq)]
pub struct JbodSpec {
    /// Its id.
    pub id: String,
    /// The enclosure.
    pub part: JbodPart,
    /// The part of its drives, which [`JbodPart::disk`] names.
    pub disk: DrivePart,
    /// The id of the host bus adapter.
    pub hba: String,
    /// The adapter's port, from 0.
    pub port: u32,
    /// The second path. Disks have two ports, so that there are no further paths. Data is spread evenly over
    /// both.
    pub second_path: Option<SecondPath>,
}

impl JbodSpec {
    /// The ports of its paths, each on the adapter of its path.
    pub(crate) fn ports(&self) -> impl Iterator<Item = u32> {
        [Some(self.port), self.second_path.as_ref().map(|path| path.port)]
            .into_iter()
            .flatten()
    }
}

/// The second path to a disk enclosure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondPath {
    /// The id of its host bus adapter; `None` for that of the first path.
    pub hba: Option<String>,
    /// The adapter's port, from 0.
    pub port: u32,
}

/// A given route between two sockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteSpec {
    /// The id of the first socket.
    pub from: String,
    /// The id of the last socket.
    pub to: String,
    /// The ids of the sockets in between, in order; empty for a direct link.
    pub via: Vec<String>,
    /// The sockets in between for responses (read data, responses of caches), if their route differs.
    pub responses_via: Option<Vec<String>>,
}

impl TopologySpec {
    /// The maximum number of resources of the specification.
    pub(crate) fn resource_count(&self) -> u64 {
        // Two directions of each port and of the slot, the drive, and the processor of an adapter.
        let cards = self.cards.iter().map(|card| {
            let [drive, processor] = [card.part.drive().is_some(), card.part.processor().is_some()];
            let others = 2 + u64::from(drive) + u64::from(processor);
            card.part.ports().saturating_mul(2).saturating_add(others)
        });
        let disks = self.jbods.iter().map(|jbod| jbod.part.disks);
        // Memory, cores, links of dies, and transactions in flight at each other.
        let sockets = self.sockets.len() * (self.sockets.len() + 1);
        let pairs = self.links.len() + sockets + self.bridges.len() + self.switches.len();
        cards.chain(disks).fold(2 * pairs as u64, u64::saturating_add)
    }

    /// The parts of the server, each as often as elements have it, in the order of the elements.
    pub fn parts(&self) -> Vec<&dyn Part> {
        let mut parts: Vec<&dyn Part> = Vec::new();
        for socket in &self.sockets {
            parts.push(&socket.part);
            parts.push(&socket.memory.part);
            parts.extend(socket.nodes.iter().map(|nodes| &nodes.link as &dyn Part));
        }
        parts.extend(self.links.iter().map(|link| &link.part as &dyn Part));
        for bridge in &self.bridges {
            parts.push(&bridge.part);
            parts.extend(bridge.uplink.as_ref().map(|uplink| uplink as &dyn Part));
        }
        parts.extend(self.switches.iter().map(|switch| &switch.part as &dyn Part));
        parts.extend(self.cards.iter().map(|card| &*card.part as &dyn Part));
        for jbod in &self.jbods {
            parts.push(&jbod.part);
            parts.push(jbod.disk.part());
        }
        parts
    }

    /// The same parts in the same order, for changes.
    pub fn parts_mut(&mut self) -> Vec<&mut dyn Part> {
        let mut parts: Vec<&mut dyn Part> = Vec::new();
        for socket in &mut self.sockets {
            parts.push(&mut socket.part);
            parts.push(&mut socket.memory.part);
            parts.extend(
                socket
                    .nodes
                    .iter_mut()
                    .map(|nodes| &mut nodes.link as &mut dyn Part),
            );
        }
        parts.extend(self.links.iter_mut().map(|link| &mut link.part as &mut dyn Part));
        for bridge in &mut self.bridges {
            parts.push(&mut bridge.part);
            parts.extend(bridge.uplink.as_mut().map(|uplink| uplink as &mut dyn Part));
        }
        parts.extend(
            self.switches
                .iter_mut()
                .map(|switch| &mut switch.part as &mut dyn Part),
        );
        parts.extend(self.cards.iter_mut().map(|card| &mut *card.part as &mut dyn Part));
        for jbod in &mut self.jbods {
            parts.push(&mut jbod.part);
            parts.push(jbod.disk.part_mut());
        }
        parts
    }

    /// The overrides for these elements; none if one of the elements has no entry of its own.
    pub fn overrides<'i>(&self, sets: impl IntoIterator<Item = (&'i str, String)>) -> Vec<String> {
        let each = sets.into_iter();
        let sets = each.map(|(id, set)| (!self.counted.contains(id)).then_some(set));
        sets.collect::<Option<_>>().unwrap_or_default()
    }

    /// The total number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.sockets.len()
            + self.links.len()
            + self.bridges.len()
            + self.switches.len()
            + self.slots.len()
            + self.cards.len()
            + self.jbods.len()
            + self.routes.len()
    }
}
