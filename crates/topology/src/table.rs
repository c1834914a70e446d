//! The table of resources, and the elements with the indices of their resources.

use std::collections::BTreeMap;
use std::sync::Arc;

use bandgraph_hardware::{LinkLayer, PcieSlotSpec, SocketLinkPart};

use crate::MAX_RESOURCES;
use crate::check::connector_lanes;
use crate::model::{
    Bridge, Card, DrivePath, Jbod, Link, Port, SasPort, Seated, Slot, Socket, Switch, Uplink,
};
use crate::resolve::{Above, Place, Resolved};
use crate::resource::{Resource, ResourceId, ResourceKind, ResourceTable, Unit};
use crate::role::{Direction, PortResource, Role, SlotResource};
use crate::spec::TopologySpec;
use crate::{ElementKind, ElementRef, TopologyError};

/// All elements with resources, and the resources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) resources: ResourceTable,
    /// Shared by all tables that differ only in figures of parts.
    pub(crate) by_id: Arc<BTreeMap<String, ResourceId>>,
    pub(crate) sockets: Vec<Socket>,
    pub(crate) links: Vec<Link>,
    pub(crate) bridges: Vec<Bridge>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) cards: Vec<Card>,
    pub(crate) ports: Vec<Port>,
    pub(crate) sas_ports: Vec<SasPort>,
    pub(crate) jbods: Vec<Jbod>,
    /// Per pair of sockets (from × sockets + home): the transactions in flight of cores and of cards.
    pub(crate) remote: Vec<Option<[ResourceId; 2]>>,
}

/// Builds the table of a specification that has passed all other checks.
///
/// Each of its sockets is one of the whole server, or a NUMA node of the one at the place in `socket_of`.
pub(crate) fn build(
    spec: &TopologySpec,
    socket_of: &[usize],
    resolved: &Resolved,
) -> Result<Table, Vec<TopologyError>> {
    let count = spec.resource_count();
    if count > MAX_RESOURCES {
        return Err(vec![TopologyError::TooMany {
            what: "resources",
            count,
            limit: MAX_RESOURCES,
        }]);
    }
    let mut builder = Builder {
        spec,
        resolved,
        table: Table::default(),
        errors: Vec::new(),
    };
    builder.links();
    builder.sockets(socket_of);
    builder.bridges();
    builder.switches();
    builder.cards();
    builder.ports();
    builder.sas_ports();
    builder.disks();
    builder.drives();
    builder.remote();
    if builder.errors.is_empty() {
        builder.table.set_capacities();
        Ok(builder.table)
    } else {
        Err(builder.errors)
    }
}

/// The provisional capacity of a resource, until all elements exist.
pub(crate) const NOT_YET: f64 = 1.0;

impl Table {
    /// Replaces the parts by those of a specification that differs only in figures of parts.
    pub(crate) fn take_parts_of(&mut self, spec: &TopologySpec) {
        for (socket, (part, memory)) in self.sockets.iter_mut().zip(spec.parts_of_sockets()) {
            socket.part.clone_from(&part);
            socket.memory.part.clone_from(memory);
        }
        for (link, part) in self.links.iter_mut().zip(spec.parts_of_links()) {
            link.part.clone_from(part);
        }
        for (bridge, spec) in self.bridges.iter_mut().zip(&spec.bridges) {
            bridge.part.clone_from(&spec.part);
            if let (Some(uplink), Some(part)) = (&mut bridge.uplink, &spec.uplink) {
                uplink.part.clone_from(part);
            }
        }
        for (switch, spec) in self.switches.iter_mut().zip(&spec.switches) {
            switch.part.clone_from(&spec.part);
        }
        for (card, spec) in self.cards.iter_mut().zip(&spec.cards) {
            card.part.clone_from(&spec.part);
        }
        for port in &mut self.ports {
            if let Some(kind) = self.cards[port.card].part.network() {
                port.kind = kind;
            }
        }
        for (jbod, spec) in self.jbods.iter_mut().zip(&spec.jbods) {
            if let Some(part) = &mut jbod.part {
                part.clone_from(&spec.part);
            }
            jbod.disk.clone_from(&spec.disk);
        }
        for jbod in &mut self.jbods {
            if let Some(drive) = jbod.card().and_then(|card| self.cards[card].part.drive()) {
                jbod.disk = drive;
            }
        }
        self.set_capacities();
    }
}

struct Builder<'a> {
    spec: &'a TopologySpec,
    resolved: &'a Resolved,
    table: Table,
    errors: Vec<TopologyError>,
}

impl Builder<'_> {
    /// Adds a resource, and checks that its id is unique.
    fn add(&mut self, at: ElementRef, resource: Resource) -> ResourceId {
        let id = ResourceId(self.table.resources.len() as u32);
        let ids = Arc::make_mut(&mut self.table.by_id);
        if ids.insert(resource.id.clone(), id).is_some() {
            self.errors.push(TopologyError::AmbiguousId {
                at,
                resource: resource.id.clone(),
            });
        }
        self.table.resources.add(resource);
        id
    }

    /// Adds the two directions of a resource, `in` first. `out` is its id without the direction.
    fn add_in_and_out(
        &mut self,
        at: ElementRef,
        out: Resource,
        role: impl Fn(Direction) -> Role,
    ) -> (ResourceId, ResourceId) {
        let id = |direction: Direction| format!("{}.{}", out.id, direction.as_str());
        let inward = out.clone().described(|of| {
            of.id = id(Direction::In);
            of.role = role(Direction::In);
            std::mem::swap(&mut of.from, &mut of.to);
        });
        let outward = id(Direction::Out);
        let inbound = self.add(at, inward);
        let outward = out.described(|of| {
            of.id = outward;
            of.role = role(Direction::Out);
        });
        (inbound, self.add(at, outward))
    }

    fn links(&mut self) {
        let mut seen: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (index, (link, &ends)) in self.spec.links.iter().zip(&self.resolved.links).enumerate() {
            let pair = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let earlier = seen.entry(pair).or_default();
            let suffix = suffix(*earlier);
            *earlier += 1;
            let at = ElementRef::new(ElementKind::Link, index, "ends");
            let [first, second] = &link.ends;
            let resources = [(0, first, second), (1, second, first)].map(|(from_end, from, to)| {
                let id = format!("link.{from}-{to}{suffix}");
                let role = Role::SocketLink {
                    link: index,
                    from_end,
                };
                let raw = raw_link(&link.part, id, role, [from, to]);
                let technology = Some(link.part.technology.clone());
                self.add(at, raw.described(|of| of.technology = technology))
            });
            self.table.links.push(Link {
                id: format!("{first}-{second}{suffix}"),
                ends,
                part: link.part.clone(),
                weight: link.weight,
                resources,
            });
        }
    }

    /// Adds the memory of all sockets, then the cores of all sockets.
    fn sockets(&mut self, socket_of: &[usize]) {
        let memories: Vec<ResourceId> = (self.spec.sockets.iter().enumerate())
            .map(|(index, socket)| {
                let memory = &socket.memory;
                self.add(
                    ElementRef::new(ElementKind::Memory, index, "channels"),
                    Resource::new(
                        format!("memory.{}", socket.id),
                        Role::Memory { socket: index },
                        [&socket.id; 2],
                        NOT_YET,
                        Unit::BytesPerSecond,
                        &memory.part.name,
                    ),
                )
            })
            .collect();
        for (index, (socket, memory_resource)) in self.spec.sockets.iter().zip(memories).enumerate() {
            let cpu_resource = self.add(
                ElementRef::new(ElementKind::Socket, index, "cores"),
                Resource::new(
                    format!("cpu.{}", socket.id),
                    Role::Cpu { socket: index },
                    [&socket.id; 2],
                    NOT_YET,
                    Unit::CyclesPerSecond,
                    &socket.part.name,
                ),
            );
            let die_resources = socket.part.die_rates().map(|_| {
                let role = |direction| Role::Dies {
                    socket: index,
                    direction,
                };
                let at = ElementRef::new(ElementKind::Socket, index, "l3_slices");
                let (inbound, outbound) = self.add_in_and_out(
                    at,
                    Resource::new(
                        format!("dies.{}", socket.id),
                        role(Direction::Out),
                        [&socket.id; 2],
                        NOT_YET,
                        Unit::BytesPerSecond,
                        &socket.part.name,
                    ),
                    role,
                );
                [inbound, outbound]
            });
            let bus_resource = (socket.part.front_side_bus.get() > 0.0).then(|| {
                self.add(
                    ElementRef::new(ElementKind::Socket, index, "part"),
                    Resource::new(
                        format!("bus.{}", socket.id),
                        Role::FrontSideBus { socket: index },
                        [&socket.id; 2],
                        NOT_YET,
                        Unit::BytesPerSecond,
                        &socket.part.name,
                    ),
                )
            });
            self.table.sockets.push(Socket {
                id: socket.id.clone(),
                of: socket_of[index],
                part: socket.part.clone(),
                memory: socket.memory.clone(),
                memory_resource,
                die_resources,
                bus_resource,
                cpu_resource,
            });
        }
    }

    fn bridges(&mut self) {
        for (index, (bridge, &socket)) in self.spec.bridges.iter().zip(&self.resolved.bridges).enumerate() {
            let at = ElementRef::new(ElementKind::Uplink, index, "part");
            let role = |direction| Role::Bridge {
                bridge: index,
                direction,
            };
            let uplink = bridge.uplink.as_ref().map(|part| {
                let id = format!("bridge.{}", bridge.id);
                let ends = [bridge.uplink_to.as_str(), &bridge.id];
                let link = raw_link(part, id, role(Direction::Out), ends);
                let (inbound, outbound) = self.add_in_and_out(at, link, role);
                Uplink {
                    part: part.clone(),
                    inbound,
                    outbound,
                }
            });
            self.table.bridges.push(Bridge {
                id: bridge.id.clone(),
                part: bridge.part.clone(),
                uplink,
                socket,
            });
        }
    }

    /// Adds PCI Express switches with the links to their bridges.
    fn switches(&mut self) {
        for (index, (switch, &bridge)) in self.spec.switches.iter().zip(&self.resolved.switches).enumerate() {
            let above = self.spec.bridges[bridge].part.generation;
            let trained = switch.pcie.at_most(switch.part.generation).at_most(above);
            let at = ElementRef::new(ElementKind::Switch, index, "pcie");
            let role = |direction| Role::Switch {
                switch: index,
                direction,
            };
            let id = format!("switch.{}", switch.id);
            let ends = [switch.bridge.as_str(), &switch.id];
            let uplink = raw_pcie(trained, id, role(Direction::Out), ends);
            let (inbound, outbound) = self.add_in_and_out(at, uplink, role);
            self.table.switches.push(Switch {
                id: switch.id.clone(),
                part: switch.part.clone(),
                bridge,
                pcie: switch.pcie,
                trained,
                inbound,
                outbound,
            });
        }
    }

    /// Adds slots, and cards with their PCI Express links: resources in the order of the slots.
    fn cards(&mut self) {
        let mut in_slot: Vec<Option<Seated>> = vec![None; self.spec.slots.len()];
        let mut card_in = vec![None; self.spec.slots.len()];
        for (card, place) in self.resolved.cards.iter().enumerate() {
            for (slot, _) in place.slots() {
                card_in[slot] = Some(card);
            }
        }
        for (index, (slot, &above)) in self.spec.slots.iter().zip(&self.resolved.slots).enumerate() {
            if let Some(card) = card_in[index] {
                in_slot[index] = self.seat(card, index, above);
            }
            self.table.slots.push(Slot {
                id: slot.id.clone(),
                bridge: above.bridge,
                switch: above.switch,
                pcie: slot.pcie,
                connector_lanes: connector_lanes(slot),
                maximum_payload: slot.maximum_payload,
                maximum_read_request: slot.maximum_read_request,
                card: card_in[index],
            });
        }
        for (card, place) in self.spec.cards.iter().zip(&self.resolved.cards) {
            let bridge = match *place {
                Place::Slot(slot) | Place::Slots([slot, _]) => self.resolved.slots[slot].bridge,
                Place::Bridge(bridge) => bridge,
            };
            let mut seats = place.slots().map(|(slot, _)| in_slot[slot]);
            let (seated, second) = (seats.next().flatten(), seats.next().flatten());
            self.table.cards.push(Card {
                id: card.id.clone(),
                part: card.part.clone(),
                bridge,
                socket: self.resolved.bridges[bridge],
                seated,
                second,
                processor: None,
                ports: 0..0,
            });
        }
    }

    /// The link of a card in a slot of a bridge or a switch. `None` for integrated ports, which the checks
    /// exclude from slots.
    fn seat(&mut self, card: usize, slot: usize, above: Above) -> Option<Seated> {
        let (card_spec, slot_spec) = (&self.spec.cards[card], &self.spec.slots[slot]);
        let endpoint = card_spec.part.endpoint()?;
        let (generation, from) = if let Some(switch) = above.switch {
            let switch = &self.spec.switches[switch];
            (switch.part.generation, &switch.id)
        } else {
            let bridge = &self.spec.bridges[above.bridge];
            (bridge.part.generation, &bridge.id)
        };
        let trained = slot_spec.pcie.at_most(generation).train(endpoint.connector);
        let at = ElementRef::new(ElementKind::Slot, slot, "pcie");
        let role = |direction| Role::Slot {
            slot,
            resource: SlotResource::Link(direction),
        };
        let id = format!("slot.{}", slot_spec.id);
        let link = raw_pcie(trained, id, role(Direction::Out), [from, &card_spec.id]);
        let (inbound, outbound) = self.add_in_and_out(at, link, role);
        Some(Seated {
            slot,
            trained,
            inbound,
            outbound,
        })
    }

    fn ports(&mut self) {
        for (card, spec) in self.spec.cards.iter().enumerate() {
            let Some(kind) = spec.part.network() else { continue };
            let first = self.table.ports.len();
            for number in 0..kind.count as u32 {
                let id = format!("{}.{number}", spec.id);
                let port = self.table.ports.len();
                let role = |direction| Role::Port {
                    port,
                    resource: PortResource::Wire(direction),
                };
                let (inbound, outbound) = self.add_in_and_out(
                    ElementRef::new(ElementKind::Card, card, "part"),
                    Resource::new(
                        format!("port.{id}"),
                        role(Direction::Out),
                        [&spec.id, "network"],
                        NOT_YET,
                        Unit::BytesPerSecond,
                        spec.part.name(),
                    )
                    .described(|of| {
                        of.kind = match kind.link_layer {
                            LinkLayer::Ethernet => ResourceKind::Port,
                            LinkLayer::Infiniband => ResourceKind::Infiniband,
                        };
                    }),
                    role,
                );
                self.table.ports.push(Port {
                    id,
                    card,
                    number,
                    kind,
                    inbound,
                    outbound,
                });
            }
            self.table.cards[card].ports = first..self.table.ports.len();
        }
    }

    fn sas_ports(&mut self) {
        let adapters = self.spec.cards.iter().enumerate();
        for (card, spec) in adapters.filter(|(_, spec)| spec.part.processor().is_some()) {
            let (id, role) = (format!("adapter.{}", spec.id), Role::Adapter { card });
            let (ends, part) = ([spec.id.as_str(); 2], spec.part.name());
            let resource = Resource::new(id, role, ends, NOT_YET, Unit::BytesPerSecond, part);
            let at = ElementRef::new(ElementKind::Card, card, "part");
            self.table.cards[card].processor = Some(self.add(at, resource));
        }
        let mut chains: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
        for (jbod, (spec, cards)) in self.spec.jbods.iter().zip(&self.resolved.jbods).enumerate() {
            for (&card, port) in cards.iter().zip(spec.ports()) {
                chains.entry((card, port)).or_default().push(jbod);
            }
        }
        for ((card, number), jbods) in chains {
            let spec = &self.spec.cards[card];
            let Some(ports) = spec.part.wide_ports() else {
                continue;
            };
            let id = format!("{}.{number}", spec.id);
            let port = self.table.sas_ports.len();
            let role = |direction| Role::Sas { port, direction };
            let (inbound, outbound) = self.add_in_and_out(
                ElementRef::new(ElementKind::Card, card, "part"),
                Resource::new(
                    format!("sas.{id}"),
                    role(Direction::Out),
                    [&spec.id, &self.spec.jbods[jbods[0]].id],
                    NOT_YET,
                    Unit::BytesPerSecond,
                    spec.part.name(),
                )
                .described(|of| of.technology = Some(ports.technology)),
                role,
            );
            self.table.sas_ports.push(SasPort {
                id,
                card,
                number,
                jbods,
                inbound,
                outbound,
            });
        }
    }

    fn disks(&mut self) {
        let ports = self.table.sas_ports.iter().enumerate();
        let ports: BTreeMap<(usize, u32), usize> = ports
            .map(|(index, port)| ((port.card, port.number), index))
            .collect();
        for (index, (jbod, cards)) in self.spec.jbods.iter().zip(&self.resolved.jbods).enumerate() {
            let paths = cards.iter().copied().zip(jbod.ports());
            let paths = paths.map(|path| DrivePath::Sas(ports[&path])).collect();
            let at = ElementRef::new(ElementKind::Disk, index, "outer_rate");
            let disks = (0..jbod.part.disks)
                .map(|number| {
                    self.add(
                        at,
                        Resource::new(
                            format!("disk.{}.{number}", jbod.id),
                            Role::Disk {
                                jbod: index,
                                number: number as usize,
                            },
                            [&jbod.id; 2],
                            NOT_YET,
                            Unit::BytesPerSecond,
                            jbod.disk.part().name(),
                        )
                        .described(|of| of.technology = jbod.disk.technology()),
                    )
                })
                .collect();
            self.table.jbods.push(Jbod {
                id: jbod.id.clone(),
                part: Some(jbod.part.clone()),
                disk: jbod.disk.clone(),
                paths,
                disks,
            });
        }
    }

    /// Adds the drives that are cards.
    fn drives(&mut self) {
        for (index, card) in self.spec.cards.iter().enumerate() {
            let Some(disk) = card.part.drive() else { continue };
            let role = Role::Disk {
                jbod: self.table.jbods.len(),
                number: 0,
            };
            let resource = self.add(
                ElementRef::new(ElementKind::Card, index, "part"),
                Resource::new(
                    format!("disk.{}", card.id),
                    role,
                    [&card.id; 2],
                    NOT_YET,
                    Unit::BytesPerSecond,
                    card.part.name(),
                )
                .described(|of| of.technology = disk.technology()),
            );
            self.table.jbods.push(Jbod {
                id: card.id.clone(),
                part: None,
                disk,
                paths: vec![DrivePath::Card(index)],
                disks: vec![resource],
            });
        }
    }

    /// Adds the transactions that sockets have in flight at the memory of others, where their number limits.
    fn remote(&mut self) {
        for pair in self.table.remote_pairs() {
            let added = pair.map(|at_home| {
                at_home.map(|resource| self.add(ElementRef::new(ElementKind::Socket, 0, "part"), resource))
            });
            self.table.remote.push(added);
        }
    }
}

/// A direction of a socket link or an uplink.
fn raw_link(part: &SocketLinkPart, id: String, role: Role, ends: [&str; 2]) -> Resource {
    Resource::new(id, role, ends, NOT_YET, Unit::BytesPerSecond, &part.name)
}

/// A direction of a PCI Express link.
fn raw_pcie(trained: PcieSlotSpec, id: String, role: Role, ends: [&str; 2]) -> Resource {
    Resource::new(id, role, ends, NOT_YET, Unit::BytesPerSecond, trained.to_string())
}

/// The suffix of parallel links: none for the first, then `.b`, `.c` to `.z`, `.27` and so on.
fn suffix(earlier: usize) -> String {
    match earlier {
        0 => String::new(),
        1..=25 => format!(".{}", char::from(b'a' + earlier as u8)),
        _ => format!(".{}", earlier + 1),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn parallel_links_are_lettered() {
        assert_eq!([0, 1, 25].map(super::suffix), ["", ".b", ".z"]);
        assert_eq!(super::suffix(26), ".27");
    }
}
