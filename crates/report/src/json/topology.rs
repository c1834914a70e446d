//! The JSON of a topology: its elements, its resources, and the routes between sockets.

use bandgraph_scenario::LoadedTopology;
use bandgraph_topology::{Bridge, Card, Jbod, Port, Resource, ResourceId, Socket, Switch, Topology};

/// Version of the format of [`TopologyDocument`].
pub const TOPOLOGY_SCHEMA_VERSION: u32 = 1;

documents! {
    /// A checked topology.
    pub struct TopologyDocument(topology: &Topology) {
        /// Version of this format.
        pub schema: u32 = TOPOLOGY_SCHEMA_VERSION,
        /// Version of the program that wrote this.
        #[serde(default)]
        pub bandgraph: String = crate::VERSION.to_owned(),
        /// Name of the server.
        pub name: String = topology.name().to_owned(),
        /// The file, as it was named; left out where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub file: Option<String> = None,
        /// The overrides of the command line, in order.
        #[serde(default)]
        pub overrides: Vec<String> = Vec::new(),
        /// Hash of everything that went in; left out where there is no file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub input_hash: Option<String> = None,
        /// What it is made of.
        pub server: ServerDocument = ServerDocument::new(topology),
        /// Everything with a capacity, in the order of the topology.
        pub resources: Vec<CapacityDocument> = topology
            .resources()
            .iter()
            .map(CapacityDocument::new)
            .collect(),
        /// A route for every pair of different sockets.
        pub routes: Vec<RouteDocument> = routes(topology),
    }
}

impl TopologyDocument {
    /// That of a file with overrides.
    pub fn of_file(read: &LoadedTopology, overrides: &[String]) -> Self {
        Self {
            file: Some(read.path.display().to_string()),
            overrides: overrides.to_vec(),
            input_hash: Some(read.input_hash.clone()),
            ..Self::new(&read.topology)
        }
    }
}

documents! {
    /// What a server is made of: enough to draw it, with what `resources` say of each element.
    #[derive(Default)]
    pub struct ServerDocument(topology: &Topology) {
        /// Its sockets.
        pub sockets: Vec<TopologySocketDocument> =
            topology.sockets().iter().map(|socket| TopologySocketDocument::new(socket, topology)).collect(),
        /// Its bridges.
        pub bridges: Vec<BridgeDocument> = topology
            .bridges()
            .iter()
            .map(|bridge| BridgeDocument::new(bridge, topology))
            .collect(),
        /// Its PCI Express switches.
        pub switches: Vec<SwitchDocument> = topology
            .switches()
            .iter()
            .map(|switch| SwitchDocument::new(switch, topology))
            .collect(),
        /// Its slots, empty ones included.
        pub slots: Vec<SlotDocument> =
            (0..topology.slots().len()).map(|index| SlotDocument::new(index, topology)).collect(),
        /// Its cards.
        pub cards: Vec<CardDocument> =
            topology.cards().iter().map(|card| CardDocument::new(card, topology)).collect(),
        /// Its network ports, in the order of their resources.
        pub ports: Vec<PortDocument> = topology
            .ports()
            .iter()
            .map(|port| PortDocument::new(port, topology))
            .collect(),
        /// Its disk enclosures.
        pub enclosures: Vec<EnclosureDocument> = enclosures(topology),
    }

    /// A socket with its memory, or a NUMA node of a socket that is divided.
    pub struct TopologySocketDocument(socket: &Socket, topology: &Topology) {
        /// Id.
        pub id: String = socket.id.clone(),
        /// Id of the socket that it is a NUMA node of; not given for a whole socket.
        pub node_of: Option<String> = (topology.spec().sockets.get(socket.of))
            .map(|whole| whole.id.clone())
            .filter(|whole| *whole != socket.id),
        /// Name of the part.
        pub part: String = socket.part.name.clone(),
        /// Cores.
        pub cores: u64 = socket.part.cores,
        /// Clock in cycles per second.
        pub clock_hz: f64 = socket.part.clock.get(),
        /// Size of the last-level cache in bytes; 0 where it is not known.
        pub cache_bytes: f64 = socket.part.l3.get(),
        /// Memory in bytes.
        pub memory_bytes: f64 = socket.memory.size.get(),
        /// Memory channels.
        pub memory_channels: u32 = socket.memory.channels,
        /// Name of the part on each channel.
        pub memory_part: String = socket.memory.part.name.clone(),
    }

    /// A PCI Express switch.
    pub struct SwitchDocument(switch: &Switch, topology: &Topology) {
        /// Id.
        pub id: String = switch.id.clone(),
        /// Name of the part.
        pub part: String = switch.part.name.clone(),
        /// Id of its bridge.
        pub bridge: String = topology.bridges()[switch.bridge].id.clone(),
        /// Generation and lanes of its link to the bridge.
        pub trained: String = switch.trained.to_string(),
    }

    /// A network port.
    pub struct PortDocument(port: &Port, topology: &Topology) {
        /// Id, such as `nic0.0`.
        pub id: String = port.id.clone(),
        /// Id of its card.
        pub card: String = topology.cards()[port.card].id.clone(),
    }

    /// A disk enclosure.
    pub struct EnclosureDocument {
        /// Id.
        pub id: String,
        /// Name of the part.
        pub part: String,
        /// Name of the drives in it.
        pub drive: String,
        /// How many drives.
        pub drives: u64,
        /// What it hangs on, for each of its paths: the id of a card, or of the enclosure before it in a
        /// chain.
        pub on: Vec<String>,
    }

    /// An I/O bridge.
    pub struct BridgeDocument(bridge: &Bridge, topology: &Topology) {
        /// Id.
        pub id: String = bridge.id.clone(),
        /// Name of the part.
        pub part: String = bridge.part.name.clone(),
        /// Id of its socket.
        pub socket: String = topology.sockets()[bridge.socket].id.clone(),
    }

    /// A PCIe slot.
    pub struct SlotDocument(index: usize, topology: &Topology) {
        let slot = &topology.slots()[index];
        let card = slot.card.map(|card| &topology.cards()[card]);

        /// Id.
        pub id: String = slot.id.clone(),
        /// Id of its bridge.
        pub bridge: String = topology.bridges()[slot.bridge].id.clone(),
        /// Id of the switch that it is behind; null where it is right on its bridge.
        #[serde(default)]
        pub switch: Option<String> = slot.switch.map(|switch| topology.switches()[switch].id.clone()),
        /// Generation and lanes that are wired, such as `gen1 x8`.
        pub pcie: String = slot.pcie.to_string(),
        /// Lanes of the connector.
        pub connector_lanes: u32 = slot.connector_lanes,
        /// Id of the card in it; null where it is empty.
        pub card: Option<String> = card.map(|card| card.id.clone()),
        /// Generation and lanes of the link with the card; null where the slot is empty.
        pub trained: Option<String> =
            card.and_then(|card| card.seat_in(index)).map(|seated| seated.trained.to_string()),
    }

    /// A network card or host bus adapter.
    pub struct CardDocument(card: &Card, topology: &Topology) {
        /// Id.
        pub id: String = card.id.clone(),
        /// Name of the part.
        pub part: String = card.part.name().to_owned(),
        /// Id of its slot; null where it sits on the bridge itself.
        pub slot: Option<String> = card.seated.map(|seated| topology.slots()[seated.slot].id.clone()),
        /// Id of the second slot of a card with links to two hosts; null of others.
        pub second_slot: Option<String> = card.second.map(|seated| topology.slots()[seated.slot].id.clone()),
        /// Id of its bridge.
        pub bridge: String = topology.bridges()[card.bridge].id.clone(),
        /// Id of the socket of that bridge.
        pub socket: String = topology.sockets()[card.socket].id.clone(),
        /// Ports on the card.
        pub ports: u64 = card.part.ports(),
    }

    /// Something with a capacity.
    pub struct CapacityDocument(resource: &Resource) {
        /// Id, such as `link.cpu0-cpu1`.
        pub id: String = resource.id.clone(),
        /// Kind of resource.
        pub kind: String = resource.kind.as_str().to_owned(),
        /// The technology of a link between sockets, of a port to disks or of a drive, such as
        /// `HyperTransport`, `NVMe` or `SSD`; left out of all other resources.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub technology: Option<String> = resource.technology.clone(),
        /// Where its traffic comes from.
        pub from: String = resource.from.clone(),
        /// Where its traffic goes.
        pub to: String = resource.to.clone(),
        /// Raw capacity, in `unit`.
        pub capacity: f64 = resource.capacity,
        /// The share of it that can be used in practice, 0 to 1.
        pub ceiling: f64 = resource.ceiling,
        /// Unit of the capacity.
        pub unit: String = resource.unit.as_str().to_owned(),
    }

    /// The way between two sockets.
    pub struct RouteDocument(from: usize, to: usize, topology: &Topology) {
        /// Id of the socket it starts at.
        pub from: String = topology.sockets()[from].id.clone(),
        /// Id of the socket it ends at.
        pub to: String = topology.sockets()[to].id.clone(),
        /// The links that it uses, in order.
        pub links: Vec<RouteLinkDocument> =
            topology.route(from, to).iter().map(|link| RouteLinkDocument::new(link, topology)).collect(),
    }

    /// One link of a route.
    pub struct RouteLinkDocument(link: &(ResourceId, f64), topology: &Topology) {
        let (resource, share) = *link;

        /// Id of the resource.
        pub id: String = topology.resources()[resource.index()].id.clone(),
        /// The share of the traffic that uses it, less than 1 where parallel links share it.
        pub share: f64,
    }
}

/// The enclosures; a drive that is a card is among the cards.
fn enclosures(topology: &Topology) -> Vec<EnclosureDocument> {
    let enclosure = |(index, jbod): (usize, &Jbod)| {
        let part = jbod.part.as_ref()?;
        let on = |port: usize| {
            let port = &topology.sas_ports()[port];
            let place = port.jbods.iter().position(|other| *other == index);
            match place.and_then(|place| place.checked_sub(1)) {
                Some(before) => topology.jbods()[port.jbods[before]].id.clone(),
                None => topology.cards()[port.card].id.clone(),
            }
        };
        Some(EnclosureDocument {
            id: jbod.id.clone(),
            part: part.name.clone(),
            drive: jbod.disk.part().name().to_owned(),
            drives: jbod.disks.len() as u64,
            on: jbod.sas_ports().map(on).collect(),
        })
    };
    topology
        .jbods()
        .iter()
        .enumerate()
        .filter_map(enclosure)
        .collect()
}

fn routes(topology: &Topology) -> Vec<RouteDocument> {
    let count = topology.sockets().len();
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    pairs
        .filter(|(from, to)| from != to)
        .map(|(from, to)| RouteDocument::new(from, to, topology))
        .collect()
}
