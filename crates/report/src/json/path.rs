//! The way of one operation through a server: what it uses, in the order in which it gets there.
//!
//! The demands of an operation are sums over its life, without an order. The order is that of its stages: the
//! request arrives, cores work, storage is asked and answers, data goes through memory and between sockets,
//! the reply leaves. In a stage, the order is that of the way from the clients to the sockets, or back.

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_model::{Bound, Class};
use bandgraph_topology::{
    ClientResource, Direction, NetworkResource, PortResource, Resource, Role, SlotResource, Unit,
};

use super::topology::ServerDocument;
use crate::text::listed;

documents! {
    /// The way of one operation, on average over those who issue it.
    pub struct PathDocument {
        /// The kind of operation, such as `read`.
        pub operation: String,
        /// Its steps, in their order.
        pub steps: Vec<PathStepDocument>,
    }

    /// A step of an operation: one hop, over all parts among which operations are spread.
    pub struct PathStepDocument {
        /// Its number, from 1.
        pub number: u64,
        /// What it belongs to, in words.
        pub stage: String,
        /// Where it begins, in words.
        pub from: String,
        /// Where it ends, in words; as `from` where it goes nowhere.
        pub to: String,
        /// The sum of what its resources are used for, in `unit`.
        pub amount: f64,
        /// What `amount` counts: `bytes`, `instructions` or `ops`.
        pub unit: String,
        /// The resources of this hop.
        pub uses: Vec<PathUseDocument>,
    }

    /// The use of a resource by one operation.
    pub struct PathUseDocument {
        /// Id of the resource.
        pub id: String,
        /// All that one operation uses of it, in `unit`; where it comes by again, in both steps together.
        pub amount: f64,
        /// What `amount` counts.
        pub unit: String,
        /// The time that it takes at the usable capacity of the resource, in seconds: of cores, at one
        /// instruction per cycle.
        pub busy_s: f64,
    }
}

/// What an operation does, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Request,
    DataIn,
    Work,
    ToStorage,
    FromStorage,
    DataOut,
    Reply,
}

impl Stage {
    /// A hop of this stage in words, by the role of its resources.
    const fn words(self, role: Role) -> &'static str {
        match (role, self) {
            (Role::Cpu { .. } | Role::Processes { .. } | Role::ServerProcesses | Role::Array { .. }, _) => {
                "work of cores"
            }
            (Role::Memory { .. }, _) => "memory",
            (Role::Dies { .. } | Role::FrontSideBus { .. }, _) => "between cores and memory",
            (Role::SocketLink { .. }, _) => "data and cache lines between sockets",
            (Role::Disk { .. } | Role::Ssd { .. }, _) => "drives",
            (_, Self::Request) => "the request",
            (_, Self::ToStorage) => "to storage",
            (_, Self::FromStorage) => "from storage",
            (_, Self::Reply) => "the reply",
            (_, Self::Work | Self::DataIn | Self::DataOut) => "",
        }
    }
}

/// The place of a hop in an operation: whether no operation waits for it, its stage, and its distance
/// from the start of that.
type Place = (bool, Stage, u8);

/// The paths of all kinds of operations of a scenario.
pub(crate) fn paths(bound: &Bound, server: &ServerDocument) -> Vec<PathDocument> {
    let operations: BTreeSet<&str> = bound.classes.iter().map(|class| class.operation.name()).collect();
    let paths = operations
        .into_iter()
        .map(|operation| path(bound, server, operation));
    paths.filter(|path| !path.steps.is_empty()).collect()
}

fn path(bound: &Bound, server: &ServerDocument, operation: &str) -> PathDocument {
    let uses = Uses::of(bound, operation);
    let used: Vec<(usize, &Resource)> = (bound.resources().iter().enumerate())
        .filter(|(index, _)| uses.units[*index] > 0.0)
        .collect();
    let layout = Layout::of(server, &used);
    let wire = |wanted: Direction| -> f64 {
        let of_port = |resource: &Resource| {
            let wire = PortResource::Wire(wanted);
            matches!(resource.role, Role::Port { resource, .. } if resource == wire)
        };
        let ports = used.iter().filter(|(_, resource)| of_port(resource));
        ports.map(|(index, _)| uses.units[*index]).sum()
    };
    let brings_data = wire(Direction::In) > wire(Direction::Out);
    let mut hops: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    for &(index, resource) in &used {
        let is_later = uses.is_later(index);
        for (stage, hop) in layout.places(resource, brings_data) {
            hops.entry((is_later, stage, hop)).or_default().push(index);
        }
    }
    let step = |(number, ((is_later, stage, _), resources)): (usize, (Place, Vec<usize>))| {
        let list = |end: fn(&Resource) -> (&str, usize)| {
            let ends: BTreeMap<&str, usize> =
                (resources.iter().map(|&index| end(&bound.resources()[index]))).collect();
            listed(ends)
        };
        let uses: Vec<PathUseDocument> = (resources.iter())
            .map(|&index| uses.document(index, &bound.resources()[index]))
            .collect();
        let later = if is_later {
            ", later: no operation waits"
        } else {
            ""
        };
        PathStepDocument {
            number: number as u64 + 1,
            stage: format!("{}{later}", stage.words(bound.resources()[resources[0]].role)),
            from: list(|resource| (&resource.from, clients_at(resource, Direction::Out))),
            to: list(|resource| (&resource.to, clients_at(resource, Direction::In))),
            amount: uses.iter().map(|one| one.amount).sum(),
            unit: uses.first().map_or_else(String::new, |one| one.unit.clone()),
            uses,
        }
    };
    PathDocument {
        operation: operation.to_owned(),
        steps: hops.into_iter().enumerate().map(step).collect(),
    }
}

/// The number of clients at the end of a resource from which this direction of theirs leads, or to which: the
/// ones that it represents. One at ends that are no clients'.
fn clients_at(resource: &Resource, wanted: Direction) -> usize {
    match resource.role {
        Role::Client {
            resource: ClientResource::Wire(direction),
            ..
        } if direction == wanted => resource.count as usize,
        _ => 1,
    }
}

/// What one operation of a kind uses of each resource, by index: units of demand, instructions of cores.
struct Uses {
    units: Vec<f64>,
    /// The part of the units that the operation waits for.
    waited: Vec<f64>,
    /// Bytes at devices, whose units are the time that they work.
    bytes: Vec<f64>,
}

impl Uses {
    fn of(bound: &Bound, operation: &str) -> Self {
        let nothing = || vec![0.0; bound.resources().len()];
        let (mut units, mut waited, mut bytes) = (nothing(), nothing(), nothing());
        let mut weights = 0.0;
        for group in bound.threads.iter() {
            for &(class, share) in &group.visits {
                let weight = group.population * group.members * share;
                let class: &Class = &bound.classes[class];
                if class.operation.name() != operation || weight <= 0.0 {
                    continue;
                }
                weights += weight;
                let add = |to: &mut [f64], demand: &[(usize, f64)]| {
                    for &(resource, units) in demand {
                        to[resource] += weight * units;
                    }
                };
                add(&mut units, &class.demand);
                let is_split = class.background.is_some();
                add(
                    &mut waited,
                    if is_split {
                        &class.waited.demand
                    } else {
                        &class.demand
                    },
                );
                for device in class.devices.iter() {
                    bytes[device.resource] += weight * device.bytes;
                }
                for (socket, work) in bound.sockets.iter().zip(class.work.iter()) {
                    units[socket.cpu] += weight * work.instructions;
                    waited[socket.cpu] += weight * work.instructions;
                }
            }
        }
        let mean = |sums: Vec<f64>| {
            let divided: Vec<f64> = sums
                .iter()
                .map(|sum| sum / f64::max(weights, f64::MIN_POSITIVE))
                .collect();
            bound.with_represented(&divided)
        };
        Self {
            units: mean(units),
            waited: mean(waited),
            bytes: mean(bytes),
        }
    }

    fn is_later(&self, index: usize) -> bool {
        self.waited[index] <= 0.0
    }

    fn document(&self, index: usize, resource: &Resource) -> PathUseDocument {
        let is_device = matches!(resource.role, Role::Disk { .. } | Role::Ssd { .. });
        let (amount, unit) = match resource.unit {
            _ if is_device => (self.bytes[index], "bytes"),
            Unit::BytesPerSecond => (self.units[index], "bytes"),
            Unit::OperationsPerSecond => (self.units[index], "ops"),
            Unit::CyclesPerSecond => (self.units[index], "instructions"),
        };
        PathUseDocument {
            id: resource.id.clone(),
            amount,
            unit: unit.to_owned(),
            busy_s: self.units[index] / resource.usable(),
        }
    }
}

/// What the used parts of a server are for: network or storage.
struct Layout<'s> {
    /// Used cards, and the bridges and switches above them, of both kinds.
    network: BTreeSet<&'s str>,
    storage: BTreeSet<&'s str>,
}

impl<'s> Layout<'s> {
    fn of(server: &'s ServerDocument, used: &[(usize, &Resource)]) -> Self {
        let mut layout = Self {
            network: BTreeSet::new(),
            storage: BTreeSet::new(),
        };
        for card in &server.cards {
            let ports: Vec<&str> = (server.ports.iter())
                .filter(|port| port.card == card.id)
                .map(|port| port.id.as_str())
                .collect();
            let is_of_card = |id: &str| id == card.id || ports.contains(&id);
            let uses_card = |resource: &Resource| is_of_card(&resource.from) || is_of_card(&resource.to);
            if !used.iter().any(|(_, resource)| uses_card(resource)) {
                continue;
            }
            let slots = server
                .slots
                .iter()
                .filter(|slot| slot.card.as_ref() == Some(&card.id));
            let switches = slots.filter_map(|slot| slot.switch.as_deref());
            let above = [card.id.as_str(), card.bridge.as_str()]
                .into_iter()
                .chain(switches);
            let kind = if ports.is_empty() {
                &mut layout.storage
            } else {
                &mut layout.network
            };
            kind.extend(above);
        }
        layout
    }

    /// When a resource is used: its stages, and how far it is in each; none of what is no hop.
    fn places(&self, resource: &Resource, brings_data: bool) -> Vec<(Stage, u8)> {
        let data = if brings_data {
            Stage::DataIn
        } else {
            Stage::DataOut
        };
        // From the clients to the sockets, or from memory to the edge.
        let inward = |hop: u8| if brings_data { 9 - hop } else { hop };
        let both = |direction: Direction, depth: u8| {
            // The end that is farther from the sockets says what it is for. Depth is the distance from these.
            let (outer, of_network, of_storage, hop) = match direction {
                Direction::In => (&*resource.from, Stage::Request, Stage::FromStorage, 9 - depth),
                Direction::Out => (&*resource.to, Stage::Reply, Stage::ToStorage, depth),
            };
            let network = self.network.contains(outer).then_some((of_network, hop));
            let storage = self.storage.contains(outer).then_some((of_storage, hop));
            network.into_iter().chain(storage).collect()
        };
        match resource.role {
            Role::SocketLink { .. } => vec![(data, inward(2))],
            Role::Dies { .. } | Role::FrontSideBus { .. } => vec![(data, inward(1))],
            Role::Memory { .. } => vec![(data, inward(0))],
            Role::Cpu { .. } | Role::Processes { .. } | Role::ServerProcesses | Role::Array { .. } => {
                vec![(Stage::Work, 0)]
            }
            Role::Bridge { direction, .. } => both(direction, 1),
            Role::Switch { direction, .. } => both(direction, 2),
            Role::Slot {
                resource: SlotResource::Link(direction),
                ..
            } => both(direction, 3),
            Role::Adapter { .. } => vec![(Stage::ToStorage, 4)],
            Role::Sas { direction, .. } => match direction {
                Direction::In => vec![(Stage::FromStorage, 4)],
                Direction::Out => vec![(Stage::ToStorage, 5)],
            },
            Role::Disk { .. } | Role::Ssd { .. } => vec![(Stage::ToStorage, 6)],
            Role::Port {
                resource: PortResource::Wire(direction),
                ..
            } => vec![network(direction, 5)],
            Role::Network {
                resource: NetworkResource::ServerPort(_, direction),
                ..
            } => vec![network(direction, 6)],
            // A client's directions are those of the client.
            Role::Client {
                resource: ClientResource::Wire(direction),
                ..
            } => vec![match direction {
                Direction::Out => network(Direction::In, 8),
                Direction::In => network(Direction::Out, 8),
            }],
            // Limits on several hops together.
            Role::Remote { .. }
            | Role::Slot { .. }
            | Role::Port { .. }
            | Role::Network { .. }
            | Role::Client { .. } => Vec::new(),
        }
    }
}

/// A hop of the network at a distance from the sockets.
fn network(direction: Direction, depth: u8) -> (Stage, u8) {
    match direction {
        Direction::In => (Stage::Request, 9 - depth),
        Direction::Out => (Stage::Reply, depth),
    }
}
