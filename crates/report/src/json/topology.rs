//! The JSON of a topology: its elements, its resources, and the routes between sockets.

use bandgraph_topology::Topology;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A checked topology.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TopologyDocument {
    /// Version of this format.
    pub schema: u32,
    /// Name of the server.
    pub name: String,
    /// Its sockets.
    pub sockets: Vec<TopologySocketDocument>,
    /// Its bridges.
    pub bridges: Vec<BridgeDocument>,
    /// Its slots, empty ones included.
    pub slots: Vec<SlotDocument>,
    /// Its cards.
    pub cards: Vec<CardDocument>,
    /// Everything with a capacity, in the order of the topology.
    pub resources: Vec<CapacityDocument>,
    /// A route for every pair of different sockets.
    pub routes: Vec<RouteDocument>,
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
    /// Memory in bytes.
    pub memory_bytes: f64,
    /// Memory channels.
    pub memory_channels: u32,
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
            sockets: topology
                .sockets()
                .iter()
                .map(|socket| TopologySocketDocument {
                    id: socket.id.clone(),
                    part: socket.part.name.clone(),
                    cores: socket.part.cores,
                    clock_hz: socket.part.clock.get(),
                    memory_bytes: socket.memory.size.get(),
                    memory_channels: socket.memory.channels,
                })
                .collect(),
            bridges: topology
                .bridges()
                .iter()
                .map(|bridge| BridgeDocument {
                    id: bridge.id.clone(),
                    part: bridge.part.name.clone(),
                    socket: topology.sockets()[bridge.socket].id.clone(),
                })
                .collect(),
            slots: slots(topology),
            cards: cards(topology),
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

/// `topology` as JSON.
pub fn topology_json(topology: &Topology) -> String {
    super::pretty(&TopologyDocument::new(topology))
}

fn slots(topology: &Topology) -> Vec<SlotDocument> {
    topology
        .slots()
        .iter()
        .map(|slot| {
            let card = slot.card.map(|card| &topology.cards()[card]);
            SlotDocument {
                id: slot.id.clone(),
                bridge: topology.bridges()[slot.bridge].id.clone(),
                pcie: slot.pcie.to_string(),
                connector_lanes: slot.connector_lanes,
                card: card.map(|card| card.id.clone()),
                trained: card
                    .and_then(|card| card.seated)
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
