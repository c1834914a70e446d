//! The JSON of a topology: its elements, its resources, and the routes between sockets.

use bandgraph_topology::{Jbod, Socket, Topology};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A checked topology.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TopologyDocument {
    /// Version of this format.
    pub schema: u32,
    /// Name of the server.
    pub name: String,
    /// What it is made of.
    pub server: ServerDocument,
    /// Everything with a capacity, in the order of the topology.
    pub resources: Vec<CapacityDocument>,
    /// A route for every pair of different sockets.
    pub routes: Vec<RouteDocument>,
}

/// What a server is made of: enough to draw it, with what `resources` say of each element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerDocument {
    /// Its sockets.
    pub sockets: Vec<TopologySocketDocument>,
    /// Its bridges.
    pub bridges: Vec<BridgeDocument>,
    /// Its PCI Express switches.
    pub switches: Vec<SwitchDocument>,
    /// Its slots, empty ones included.
    pub slots: Vec<SlotDocument>,
    /// Its cards.
    pub cards: Vec<CardDocument>,
    /// Its network ports, in the order of their resources.
    pub ports: Vec<PortDocument>,
    /// Its disk enclosures.
    pub enclosures: Vec<EnclosureDocument>,
}

/// A socket with its memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TopologySocketDocument {
    /// Id.
    pub id: String,
    /// Name of the part.
    pub part: String,
    /// Cores.
    pub cores: u64,
    /// Clock in cycles per second.
    pub clock_hz: f64,
    /// Size of the last-level cache in bytes; 0 where it is not known.
    pub cache_bytes: f64,
    /// Memory in bytes.
    pub memory_bytes: f64,
    /// Memory channels.
    pub memory_channels: u32,
    /// Name of the part on each channel.
    pub memory_part: String,
}

/// A PCI Express switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SwitchDocument {
    /// Id.
    pub id: String,
    /// Name of the part.
    pub part: String,
    /// Id of its bridge.
    pub bridge: String,
    /// Generation and lanes of its link to the bridge.
    pub trained: String,
}

/// A network port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PortDocument {
    /// Id, such as `nic0.0`.
    pub id: String,
    /// Id of its card.
    pub card: String,
}

/// A disk enclosure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnclosureDocument {
    /// Id.
    pub id: String,
    /// Name of the part.
    pub part: String,
    /// Name of the drives in it.
    pub drive: String,
    /// How many drives.
    pub drives: u64,
    /// What it hangs on, for each of its paths: the id of a card, or of the enclosure before it in a chain.
    pub on: Vec<String>,
}

/// An I/O bridge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BridgeDocument {
    /// Id.
    pub id: String,
    /// Name of the part.
    pub part: String,
    /// Id of its socket.
    pub socket: String,
}

/// A PCIe slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlotDocument {
    /// Id.
    pub id: String,
    /// Id of its bridge.
    pub bridge: String,
    /// Id of the switch that it is behind; null where it is right on its bridge.
    #[serde(default)]
    pub switch: Option<String>,
    /// Generation and lanes that are wired, such as `gen1 x8`.
    pub pcie: String,
    /// Lanes of the connector.
    pub connector_lanes: u32,
    /// Id of the card in it; null where it is empty.
    pub card: Option<String>,
    /// Generation and lanes of the link with the card; null where the slot is empty.
    pub trained: Option<String>,
}

/// A network card or host bus adapter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CardDocument {
    /// Id.
    pub id: String,
    /// Name of the part.
    pub part: String,
    /// Id of its slot; null where it sits on the bridge itself.
    pub slot: Option<String>,
    /// Id of the second slot of a card with links to two hosts; null of others.
    pub second_slot: Option<String>,
    /// Id of its bridge.
    pub bridge: String,
    /// Id of the socket of that bridge.
    pub socket: String,
    /// Ports on the card.
    pub ports: u64,
}

/// Something with a capacity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityDocument {
    /// Id, such as `link.cpu0-cpu1`.
    pub id: String,
    /// Kind of resource.
    pub kind: String,
    /// The technology of a link between sockets, such as `HyperTransport` or `QPI`; left out of all other
    /// resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub technology: Option<String>,
    /// Where its traffic comes from.
    pub from: String,
    /// Where its traffic goes.
    pub to: String,
    /// Raw capacity, in `unit`.
    pub capacity: f64,
    /// The share of it that can be used in practice, 0 to 1.
    pub ceiling: f64,
    /// Unit of the capacity.
    pub unit: String,
}

/// The way between two sockets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RouteDocument {
    /// Id of the socket it starts at.
    pub from: String,
    /// Id of the socket it ends at.
    pub to: String,
    /// The links that it uses, in order.
    pub links: Vec<RouteLinkDocument>,
}

/// One link of a route.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RouteLinkDocument {
    /// Id of the resource.
    pub id: String,
    /// The share of the traffic that uses it, less than 1 where parallel links share it.
    pub share: f64,
}

impl TopologyDocument {
    /// The twin of `topology`.
    pub fn new(topology: &Topology) -> Self {
        Self {
            schema: 1,
            name: topology.name().to_owned(),
            server: ServerDocument::new(topology),
            resources: topology
                .resources()
                .iter()
                .map(|resource| CapacityDocument {
                    id: resource.id.clone(),
                    kind: resource.kind.as_str().to_owned(),
                    technology: resource.technology.clone(),
                    from: resource.from.clone(),
                    to: resource.to.clone(),
                    capacity: resource.capacity,
                    ceiling: resource.ceiling,
                    unit: resource.unit.as_str().to_owned(),
                })
                .collect(),
            routes: routes(topology),
        }
    }
}

impl ServerDocument {
    /// What `topology` is made of.
    pub fn new(topology: &Topology) -> Self {
        Self {
            sockets: topology.sockets().iter().map(socket).collect(),
            bridges: topology
                .bridges()
                .iter()
                .map(|bridge| BridgeDocument {
                    id: bridge.id.clone(),
                    part: bridge.part.name.clone(),
                    socket: topology.sockets()[bridge.socket].id.clone(),
                })
                .collect(),
            switches: topology
                .switches()
                .iter()
                .map(|switch| SwitchDocument {
                    id: switch.id.clone(),
                    part: switch.part.name.clone(),
                    bridge: topology.bridges()[switch.bridge].id.clone(),
                    trained: switch.trained.to_string(),
                })
                .collect(),
            slots: slots(topology),
            cards: cards(topology),
            ports: topology
                .ports()
                .iter()
                .map(|port| PortDocument {
                    id: port.id.clone(),
                    card: topology.cards()[port.card].id.clone(),
                })
                .collect(),
            enclosures: enclosures(topology),
        }
    }
}

/// `topology` as JSON.
pub fn topology_json(topology: &Topology) -> String {
    super::pretty(&TopologyDocument::new(topology))
}

fn socket(socket: &Socket) -> TopologySocketDocument {
    TopologySocketDocument {
        id: socket.id.clone(),
        part: socket.part.name.clone(),
        cores: socket.part.cores,
        clock_hz: socket.part.clock.get(),
        cache_bytes: socket.part.l3.get(),
        memory_bytes: socket.memory.size.get(),
        memory_channels: socket.memory.channels,
        memory_part: socket.memory.part.name.clone(),
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

fn slots(topology: &Topology) -> Vec<SlotDocument> {
    topology
        .slots()
        .iter()
        .enumerate()
        .map(|(index, slot)| {
            let card = slot.card.map(|card| &topology.cards()[card]);
            SlotDocument {
                id: slot.id.clone(),
                bridge: topology.bridges()[slot.bridge].id.clone(),
                switch: slot.switch.map(|switch| topology.switches()[switch].id.clone()),
                pcie: slot.pcie.to_string(),
                connector_lanes: slot.connector_lanes,
                card: card.map(|card| card.id.clone()),
                trained: card
                    .and_then(|card| card.seat_in(index))
                    .map(|seated| seated.trained.to_string()),
            }
        })
        .collect()
}

fn cards(topology: &Topology) -> Vec<CardDocument> {
    topology
        .cards()
        .iter()
        .map(|card| CardDocument {
            id: card.id.clone(),
            part: card.part.name().to_owned(),
            slot: card.seated.map(|seated| topology.slots()[seated.slot].id.clone()),
            second_slot: card.second.map(|seated| topology.slots()[seated.slot].id.clone()),
            bridge: topology.bridges()[card.bridge].id.clone(),
            socket: topology.sockets()[card.socket].id.clone(),
            ports: card.part.ports(),
        })
        .collect()
}

fn routes(topology: &Topology) -> Vec<RouteDocument> {
    let count = topology.sockets().len();
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    pairs
        .filter(|(from, to)| from != to)
        .map(|(from, to)| RouteDocument {
            from: topology.sockets()[from].id.clone(),
            to: topology.sockets()[to].id.clone(),
            links: topology
                .route(from, to)
                .iter()
                .map(|(id, share)| RouteLinkDocument {
                    id: topology.resources()[id.index()].id.clone(),
                    share: *share,
                })
                .collect(),
        })
        .collect()
}
