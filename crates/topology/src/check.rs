//! Constraints between the elements of a specification.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bandgraph_config::FieldValue;
use bandgraph_hardware::{BridgePart, Part};
use bandgraph_units::Bytes;
use petgraph::unionfind::UnionFind;

use crate::resolve::{Place, References};
use crate::spec::{SlotSpec, TopologySpec};
use crate::{ElementKind, ElementRef, TopologyError};
use crate::{MAX_CHAIN, MAX_ELEMENTS, MAX_LANES, MAX_SOCKETS};

/// The fields of an enclosure for the adapter and the port of each path.
const PATH_FIELDS: [[&str; 2]; 2] = [["hba", "port"], ["second_hba", "second_port"]];

/// The number of suitable slots that an error lists.
const LISTED_SLOTS: usize = 16;

/// Checks the numbers of elements, before any work whose cost depends on them.
pub(crate) fn counts(spec: &TopologySpec, errors: &mut Vec<TopologyError>) {
    if spec.sockets.is_empty() {
        errors.push(TopologyError::NoSockets);
    }
    let ways = spec
        .routes
        .iter()
        .flat_map(|route| [Some(&route.via), route.responses_via.as_ref()]);
    let longest_route = ways.flatten().map(Vec::len).max().unwrap_or(0);
    let sockets = if spec.is_divided() {
        "NUMA nodes"
    } else {
        "sockets"
    };
    for (what, count, limit) in [
        (sockets, spec.socket_of_nodes().len(), MAX_SOCKETS),
        ("elements", spec.elements(), MAX_ELEMENTS),
        ("sockets on one route", longest_route, MAX_SOCKETS),
    ] {
        if count > limit {
            errors.push(TopologyError::TooMany {
                what,
                count: count as u64,
                limit: limit as u64,
            });
        }
    }
}

/// Checks every value in isolation: the fields of all parts, memory, lanes.
pub(crate) fn values(spec: &TopologySpec, errors: &mut Vec<TopologyError>) {
    for (index, socket) in spec.sockets.iter().enumerate() {
        fields(&socket.part, ElementKind::Socket, index, errors);
        fields(&socket.memory.part, ElementKind::Memory, index, errors);
        if socket.memory.channels == 0 {
            errors.push(TopologyError::NoChannels {
                at: ElementRef::new(ElementKind::Memory, index, "channels"),
                socket: socket.id.clone(),
            });
        }
        let size = socket.memory.size;
        if !(size.get().is_finite() && size.get() > 0.0) {
            let at = ElementRef::new(ElementKind::Memory, index, "size");
            errors.push(TopologyError::InvalidMemorySize {
                at,
                socket: socket.id.clone(),
                size,
            });
        }
    }
    for (index, link) in spec.links.iter().enumerate() {
        fields(&link.part, ElementKind::Link, index, errors);
    }
    for (index, bridge) in spec.bridges.iter().enumerate() {
        fields(&bridge.part, ElementKind::Bridge, index, errors);
        if let Some(uplink) = &bridge.uplink {
            fields(uplink, ElementKind::Uplink, index, errors);
        }
    }
    for (index, slot) in spec.slots.iter().enumerate() {
        lanes(slot, index, errors);
        for (field, size) in [
            ("maximum_payload", slot.maximum_payload),
            ("maximum_read_request", slot.maximum_read_request),
        ] {
            packet_size(field, size, index, errors);
        }
    }
    for (index, switch) in spec.switches.iter().enumerate() {
        fields(&switch.part, ElementKind::Switch, index, errors);
        if !(1..=MAX_LANES).contains(&switch.pcie.lanes) {
            errors.push(TopologyError::InvalidLanes {
                at: ElementRef::new(ElementKind::Switch, index, "pcie"),
                lanes: switch.pcie.lanes,
            });
        }
    }
    for (index, card) in spec.cards.iter().enumerate() {
        fields(&*card.part, ElementKind::Card, index, errors);
    }
    for (index, jbod) in spec.jbods.iter().enumerate() {
        fields(&jbod.part, ElementKind::Jbod, index, errors);
        fields(jbod.disk.part(), ElementKind::Disk, index, errors);
    }
}

/// Checks the fields of a part against their ranges.
fn fields(part: &dyn Part, kind: ElementKind, index: usize, errors: &mut Vec<TopologyError>) {
    for info in part.kind().fields() {
        if let Some(value) = part.get(info.name)
            && let Err(error) = info.check(&value)
        {
            errors.push(TopologyError::InvalidField {
                at: ElementRef::new(kind, index, info.name),
                error,
            });
        }
    }
}

/// Checks a packet size of a slot, with the range of bridges.
fn packet_size(field: &'static str, size: Option<Bytes>, index: usize, errors: &mut Vec<TopologyError>) {
    let info = BridgePart::FIELDS.iter().find(|info| info.name == field);
    if let (Some(info), Some(size)) = (info, size)
        && let Err(error) = info.check(&FieldValue::Quantity(size.get()))
    {
        errors.push(TopologyError::InvalidField {
            at: ElementRef::new(ElementKind::Slot, index, field),
            error,
        });
    }
}

fn lanes(slot: &SlotSpec, index: usize, errors: &mut Vec<TopologyError>) {
    let at = |field| ElementRef::new(ElementKind::Slot, index, field);
    let possible = 1..=MAX_LANES;
    let wired = slot.pcie.lanes;
    let connector = slot.connector_lanes.unwrap_or(wired);
    if !possible.contains(&wired) {
        errors.push(TopologyError::InvalidLanes {
            at: at("pcie"),
            lanes: wired,
        });
    } else if !possible.contains(&connector) {
        errors.push(TopologyError::InvalidLanes {
            at: at("connector_lanes"),
            lanes: connector,
        });
    } else if connector < wired {
        errors.push(TopologyError::NarrowConnector {
            at: at("connector_lanes"),
            slot: slot.id.clone(),
            wired,
            connector,
        });
    }
}

/// Checks links: different ends, enough link ports on each socket, every socket connected to the first.
pub(crate) fn links(spec: &TopologySpec, references: &References, errors: &mut Vec<TopologyError>) {
    let mut used = vec![0_u64; spec.sockets.len()];
    let mut joined = UnionFind::new(spec.sockets.len());
    for (index, ends) in references.links.iter().enumerate() {
        let Some([first, second]) = *ends else { continue };
        if first == second {
            errors.push(TopologyError::SelfLink {
                at: ElementRef::new(ElementKind::Link, index, "ends"),
                socket: spec.sockets[first].id.clone(),
            });
        } else {
            joined.union(first, second);
            used[first] += 1;
            used[second] += 1;
        }
    }
    let bridges = spec.bridges.iter().zip(&references.bridges);
    for socket in bridges.filter_map(|(bridge, socket)| bridge.uplink.as_ref().and(*socket)) {
        used[socket] += 1;
    }
    for (index, (socket, links)) in spec.sockets.iter().zip(used).enumerate() {
        let ports = socket.part.link_ports;
        if links > ports {
            errors.push(TopologyError::TooManyLinks {
                at: ElementRef::new(ElementKind::Socket, index, "id"),
                socket: socket.id.clone(),
                part: socket.part.name.clone(),
                links,
                ports,
            });
        }
    }
    // A link with an unknown name might be the connecting one.
    if references.links.iter().all(Option::is_some) {
        for (index, socket) in spec.sockets.iter().enumerate().skip(1) {
            if !joined.equiv(0, index) {
                errors.push(TopologyError::UnreachableSocket {
                    at: ElementRef::new(ElementKind::Socket, index, "id"),
                    socket: socket.id.clone(),
                    first: spec.sockets[0].id.clone(),
                });
            }
        }
    }
}

/// Checks that every card fits its slot, and that no slot has two cards.
pub(crate) fn seats(spec: &TopologySpec, references: &References, errors: &mut Vec<TopologyError>) {
    let slots_of = |place: &Option<Place>| place.iter().flat_map(|place| place.slots()).collect::<Vec<_>>();
    let mut taken: BTreeMap<usize, (usize, &str)> = BTreeMap::new();
    for (index, place) in references.cards.iter().enumerate() {
        for (slot, field) in slots_of(place) {
            taken.entry(slot).or_insert((index, field));
        }
    }
    let free: Arc<[String]> = (spec.slots.iter().enumerate())
        .filter(|(slot, _)| !taken.contains_key(slot))
        .map(|(_, slot)| slot.id.clone())
        .collect();
    for (index, (card, place)) in spec.cards.iter().zip(&references.cards).enumerate() {
        let at = |field| ElementRef::new(ElementKind::Card, index, field);
        if let (Some(Place::Bridge(bridge)), Some(_)) = (place, card.part.endpoint()) {
            errors.push(TopologyError::NeedsSlot {
                at: at("bridge"),
                card: card.id.clone(),
                part: card.part.name().to_owned(),
                bridge: spec.bridges[*bridge].id.clone(),
            });
        }
        for (slot, field) in slots_of(place) {
            let at = at(field);
            let Some(endpoint) = card.part.endpoint() else {
                errors.push(TopologyError::IntegratedInSlot {
                    at,
                    card: card.id.clone(),
                    part: card.part.name().to_owned(),
                });
                continue;
            };
            let (width, connector) = (endpoint.connector.lanes, connector_lanes(&spec.slots[slot]));
            if width > connector {
                errors.push(TopologyError::CardTooWide {
                    at,
                    card: card.id.clone(),
                    lanes: width,
                    slot: spec.slots[slot].id.clone(),
                    connector,
                    wide_enough: wide_enough(spec, width),
                });
            }
            if !card.part.height().fits(spec.slots[slot].height) {
                errors.push(TopologyError::CardTooHigh {
                    at,
                    card: card.id.clone(),
                    slot: spec.slots[slot].id.clone(),
                });
            }
            let (first, first_field) = taken[&slot];
            if (first, first_field) != (index, field) {
                errors.push(TopologyError::SlotTaken {
                    at,
                    first: ElementRef::new(ElementKind::Card, first, first_field),
                    slot: spec.slots[slot].id.clone(),
                    first_card: spec.cards[first].id.clone(),
                    free: Arc::clone(&free),
                });
            }
        }
    }
}

/// The number of lanes of a slot's connector.
pub(crate) fn connector_lanes(slot: &SlotSpec) -> u32 {
    slot.connector_lanes.unwrap_or(slot.pcie.lanes)
}

fn wide_enough(spec: &TopologySpec, width: u32) -> Vec<String> {
    let fitting = spec.slots.iter().filter(|slot| connector_lanes(slot) >= width);
    fitting.take(LISTED_SLOTS).map(|slot| slot.id.clone()).collect()
}

/// Checks that enclosures are on existing ports of adapters, with different paths, in chains of limited
/// length.
pub(crate) fn jbods(spec: &TopologySpec, references: &References, errors: &mut Vec<TopologyError>) {
    let adapters: Arc<[String]> = (spec.cards.iter())
        .filter(|card| card.part.wide_ports().is_some())
        .map(|card| card.id.clone())
        .collect();
    let mut chains: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    for (index, (jbod, cards)) in spec.jbods.iter().zip(&references.jbods).enumerate() {
        let at = |field| ElementRef::new(ElementKind::Jbod, index, field);
        let paths = cards.len() as u64;
        if paths > jbod.part.ports {
            errors.push(TopologyError::TooManyPaths {
                at: at("second_port"),
                jbod: jbod.id.clone(),
                part: jbod.part.name.clone(),
                ports: jbod.part.ports,
            });
        }
        let mut first = None;
        for ((card, port), fields) in (cards.iter().zip(jbod.ports())).zip(PATH_FIELDS) {
            let Some(card_index) = *card else { continue };
            let card = &spec.cards[card_index];
            let [hba_field, port_field] = fields;
            let Some(ports) = card.part.wide_ports() else {
                let (card, known) = (card.id.clone(), Arc::clone(&adapters));
                errors.push(TopologyError::NotAnHba {
                    at: at(hba_field),
                    card,
                    known,
                });
                // A second path on the same card would repeat the error.
                break;
            };
            let name = card.id.clone();
            if first.is_none() && !ports.take(jbod.disk.interface()) {
                errors.push(TopologyError::WrongInterface {
                    at: at(hba_field),
                    disk: jbod.disk.part().name().to_owned(),
                    interface: jbod.disk.interface().to_string().to_uppercase(),
                    card: name,
                    part: card.part.name().to_owned(),
                    technology: ports.technology,
                });
                break;
            }
            if u64::from(port) >= ports.count {
                errors.push(TopologyError::NoSuchPort {
                    at: at(port_field),
                    card: name,
                    port,
                    ports: ports.count,
                });
                continue;
            }
            if first == Some((card_index, port)) {
                errors.push(TopologyError::SamePath {
                    at: at(port_field),
                    jbod: jbod.id.clone(),
                    card: name,
                    port,
                });
                continue;
            }
            first = Some((card_index, port));
            let chain = chains.entry((card_index, port)).or_default();
            *chain += 1;
            if *chain == MAX_CHAIN + 1 {
                errors.push(TopologyError::ChainTooLong {
                    at: at(port_field),
                    card: name,
                    port,
                });
            }
        }
    }
}

/// Checks that given routes use existing links, end at another socket, have no cycles, and are unique per
/// pair.
pub(crate) fn routes(spec: &TopologySpec, references: &References, errors: &mut Vec<TopologyError>) {
    let Some(links) = references.links.iter().copied().collect::<Option<Vec<_>>>() else {
        // A link with an unknown name might be part of the route.
        return;
    };
    let linked: BTreeSet<[usize; 2]> = links.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
    let mut first_of: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (index, (route, path)) in spec.routes.iter().zip(&references.routes).enumerate() {
        let Some(path) = path else { continue };
        let at = |field| ElementRef::new(ElementKind::Route, index, field);
        let (from, to) = (route.from.clone(), route.to.clone());
        let ends = (path[0], path[path.len() - 1]);
        if ends.0 == ends.1 {
            errors.push(TopologyError::RouteToItself {
                at: at("to"),
                socket: from,
            });
            continue;
        }
        if let Some(&first) = first_of.get(&ends) {
            let first = ElementRef::new(ElementKind::Route, first, "from");
            errors.push(TopologyError::DuplicateRoute {
                at: at("from"),
                first,
                from,
                to,
            });
            continue;
        }
        first_of.insert(ends, index);
        way(spec, &linked, (index, "via"), path, errors);
        if let Some(path) = &references.response_routes[index] {
            way(spec, &linked, (index, "responses_via"), path, errors);
        }
    }
}

/// Checks that one direction of a route uses existing links and visits no socket twice.
fn way(
    spec: &TopologySpec,
    linked: &BTreeSet<[usize; 2]>,
    (route, field): (usize, &'static str),
    path: &[usize],
    errors: &mut Vec<TopologyError>,
) {
    let at = ElementRef::new(ElementKind::Route, route, field);
    let (from, to) = (spec.routes[route].from.clone(), spec.routes[route].to.clone());
    let name = |socket: usize| spec.sockets[socket].id.clone();
    if let Some(again) = (1..path.len()).find(|&place| path[..place].contains(&path[place])) {
        let socket = name(path[again]);
        errors.push(TopologyError::RouteRevisits { at, from, to, socket });
    } else if let Some(hop) = path.windows(2).find(|hop| !linked.contains(&[hop[0], hop[1]])) {
        let (hop_from, hop_to) = (name(hop[0]), name(hop[1]));
        errors.push(TopologyError::RouteWithoutLink {
            at,
            from,
            to,
            hop_from,
            hop_to,
        });
    }
}
