//! Resolution of names to indices.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::MAX_ID;
use crate::spec::{Seat, TopologySpec};
use crate::{ElementKind, ElementRef, TopologyError};

/// The place of a card, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Slot(usize),
    Slots([usize; 2]),
    Bridge(usize),
}

impl Place {
    /// The slots, with the field that names each of them.
    pub(crate) fn slots(self) -> impl Iterator<Item = (usize, &'static str)> {
        let slots = match self {
            Self::Slot(slot) => [Some(slot), None],
            Self::Slots(slots) => slots.map(Some),
            Self::Bridge(_) => [None; 2],
        };
        slots
            .into_iter()
            .zip(["slot", "second_slot"])
            .filter_map(|(slot, field)| Some((slot?, field)))
    }
}

/// The elements above a slot, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Above {
    /// Its bridge; that of its switch if it has one.
    pub(crate) bridge: usize,
    /// The switch in between.
    pub(crate) switch: Option<usize>,
}

/// The references of a specification as indices; `None` for an unknown name.
#[derive(Default)]
pub(crate) struct References {
    /// The two sockets of each link.
    pub(crate) links: Vec<Option<[usize; 2]>>,
    /// The socket of each bridge.
    pub(crate) bridges: Vec<Option<usize>>,
    /// The bridge of each switch.
    pub(crate) switches: Vec<Option<usize>>,
    /// The elements above each slot.
    pub(crate) slots: Vec<Option<Above>>,
    /// The place of each card.
    pub(crate) cards: Vec<Option<Place>>,
    /// The card of each path of each enclosure.
    pub(crate) jbods: Vec<Vec<Option<usize>>>,
    /// All sockets of each route, including its ends.
    pub(crate) routes: Vec<Option<Vec<usize>>>,
    /// The same for responses, if their route differs.
    pub(crate) response_routes: Vec<Option<Vec<usize>>>,
}

/// The references of a specification that has no errors.
pub(crate) struct Resolved {
    pub(crate) links: Vec<[usize; 2]>,
    pub(crate) bridges: Vec<usize>,
    pub(crate) switches: Vec<usize>,
    pub(crate) slots: Vec<Above>,
    pub(crate) cards: Vec<Place>,
    pub(crate) jbods: Vec<Vec<usize>>,
    pub(crate) routes: Vec<Vec<usize>>,
    pub(crate) response_routes: Vec<Option<Vec<usize>>>,
}

impl References {
    /// All references, if none is missing.
    pub(crate) fn complete(self) -> Option<Resolved> {
        Some(Resolved {
            links: self.links.into_iter().collect::<Option<_>>()?,
            bridges: self.bridges.into_iter().collect::<Option<_>>()?,
            switches: self.switches.into_iter().collect::<Option<_>>()?,
            slots: self.slots.into_iter().collect::<Option<_>>()?,
            cards: self.cards.into_iter().collect::<Option<_>>()?,
            jbods: (self.jbods.into_iter())
                .map(|paths| paths.into_iter().collect())
                .collect::<Option<_>>()?,
            routes: self.routes.into_iter().collect::<Option<_>>()?,
            response_routes: self.response_routes,
        })
    }
}

/// The ids of one kind of element. All errors that contain the list, which may be thousands, share it.
struct Names {
    kind: ElementKind,
    by_id: BTreeMap<String, usize>,
    listed: Arc<[String]>,
}

impl Names {
    fn new<'a>(kind: ElementKind, ids: impl Iterator<Item = &'a String>) -> Self {
        let mut listed: Vec<String> = ids.cloned().collect();
        let mut by_id = BTreeMap::new();
        for (index, id) in listed.iter().enumerate() {
            // A duplicate id is a separate error; names refer to the first element.
            by_id.entry(id.clone()).or_insert(index);
        }
        // An element whose id could not be read is none that could be meant.
        listed.retain(|id| !id.is_empty());
        Self {
            kind,
            by_id,
            listed: listed.into(),
        }
    }

    fn find(&self, name: &str, at: ElementRef, errors: &mut Vec<TopologyError>) -> Option<usize> {
        let found = self.by_id.get(name).copied();
        if found.is_none() {
            errors.push(TopologyError::Unknown {
                at,
                expected: self.kind,
                name: shortened(name),
                known: Arc::clone(&self.listed),
            });
        }
        found
    }
}

/// Resolves every name.
pub(crate) fn references(spec: &TopologySpec, errors: &mut Vec<TopologyError>) -> References {
    let sockets = Names::new(ElementKind::Socket, spec.sockets.iter().map(|socket| &socket.id));
    let bridges = Names::new(ElementKind::Bridge, spec.bridges.iter().map(|bridge| &bridge.id));
    let switches = Names::new(ElementKind::Switch, spec.switches.iter().map(|switch| &switch.id));
    let slots = Names::new(ElementKind::Slot, spec.slots.iter().map(|slot| &slot.id));
    let cards = Names::new(ElementKind::Card, spec.cards.iter().map(|card| &card.id));
    let at = ElementRef::new;
    let mut found = References::default();
    for (index, link) in spec.links.iter().enumerate() {
        let place = at(ElementKind::Link, index, "ends");
        let ends = link.ends.each_ref().map(|end| sockets.find(end, place, errors));
        found.links.push(if let [Some(first), Some(second)] = ends {
            Some([first, second])
        } else {
            None
        });
    }
    for (index, bridge) in spec.bridges.iter().enumerate() {
        let place = at(ElementKind::Uplink, index, "to");
        let node = spec.socket_with_node(&bridge.uplink_to);
        let socket = node.map_or(&bridge.uplink_to, |socket| &socket.id);
        found.bridges.push(sockets.find(socket, place, errors));
    }
    for (index, switch) in spec.switches.iter().enumerate() {
        let place = at(ElementKind::Switch, index, "bridge");
        found.switches.push(bridges.find(&switch.bridge, place, errors));
    }
    for (index, slot) in spec.slots.iter().enumerate() {
        let above = match &slot.switch {
            None => bridges
                .find(&slot.bridge, at(ElementKind::Slot, index, "bridge"), errors)
                .map(|bridge| Above { bridge, switch: None }),
            // An unknown bridge of a switch is already reported.
            Some(name) => switches
                .find(name, at(ElementKind::Slot, index, "switch"), errors)
                .and_then(|switch| {
                    Some(Above {
                        bridge: found.switches[switch]?,
                        switch: Some(switch),
                    })
                }),
        };
        found.slots.push(above);
    }
    for (index, card) in spec.cards.iter().enumerate() {
        found.cards.push(match &card.seat {
            Seat::Slot(slot) => slots
                .find(slot, at(ElementKind::Card, index, "slot"), errors)
                .map(Place::Slot),
            Seat::Slots([first, second]) => {
                let first = slots.find(first, at(ElementKind::Card, index, "slot"), errors);
                let second = slots.find(second, at(ElementKind::Card, index, "second_slot"), errors);
                first
                    .zip(second)
                    .map(|(first, second)| Place::Slots([first, second]))
            }
            Seat::Bridge(bridge) => bridges
                .find(bridge, at(ElementKind::Card, index, "bridge"), errors)
                .map(Place::Bridge),
        });
    }
    for (index, jbod) in spec.jbods.iter().enumerate() {
        let first = cards.find(&jbod.hba, at(ElementKind::Jbod, index, "hba"), errors);
        let second = jbod.second_path.as_ref().map(|path| match &path.hba {
            None => first,
            Some(hba) => cards.find(hba, at(ElementKind::Jbod, index, "second_hba"), errors),
        });
        found.jbods.push([first].into_iter().chain(second).collect());
    }
    for (index, route) in spec.routes.iter().enumerate() {
        let mut named =
            |name: &String, field| sockets.find(name, at(ElementKind::Route, index, field), errors);
        let from = named(&route.from, "from");
        let mut way = |names: &[String], field| -> Option<Vec<usize>> {
            let found: Vec<_> = names.iter().map(|name| named(name, field)).collect();
            found.into_iter().collect()
        };
        let via = way(&route.via, "via");
        let responses_via = route.responses_via.as_deref();
        let responses_via = responses_via.and_then(|names| way(names, "responses_via"));
        let to = named(&route.to, "to");
        let path = |via: Vec<usize>| Some([from?].into_iter().chain(via).chain([to?]).collect());
        found.response_routes.push(responses_via.and_then(path));
        found.routes.push(via.and_then(path));
    }
    found
}

/// Checks that ids are valid and unique.
pub(crate) fn ids(spec: &TopologySpec, errors: &mut Vec<TopologyError>) {
    let mut first_of: BTreeMap<&str, ElementRef> = BTreeMap::new();
    let all = (spec
        .sockets
        .iter()
        .map(|socket| &socket.id)
        .enumerate()
        .map(tag(ElementKind::Socket)))
    .chain(
        spec.bridges
            .iter()
            .map(|bridge| &bridge.id)
            .enumerate()
            .map(tag(ElementKind::Bridge)),
    )
    .chain(
        spec.switches
            .iter()
            .map(|switch| &switch.id)
            .enumerate()
            .map(tag(ElementKind::Switch)),
    )
    .chain(
        spec.slots
            .iter()
            .map(|slot| &slot.id)
            .enumerate()
            .map(tag(ElementKind::Slot)),
    )
    .chain(
        spec.cards
            .iter()
            .map(|card| &card.id)
            .enumerate()
            .map(tag(ElementKind::Card)),
    )
    .chain(
        spec.jbods
            .iter()
            .map(|jbod| &jbod.id)
            .enumerate()
            .map(tag(ElementKind::Jbod)),
    );
    for (at, id) in all {
        if !is_id(id) {
            errors.push(TopologyError::InvalidId {
                at,
                id: shortened(id),
            });
        }
        match first_of.get(id.as_str()) {
            Some(&first) => errors.push(TopologyError::DuplicateId {
                at,
                first,
                id: shortened(id),
            }),
            None => {
                first_of.insert(id, at);
            }
        }
    }
}

/// Adds its position to an id in a list.
fn tag<'a>(kind: ElementKind) -> impl Fn((usize, &'a String)) -> (ElementRef, &'a String) {
    move |(index, id)| (ElementRef::new(kind, index, "id"), id)
}

fn is_id(text: &str) -> bool {
    (1..=MAX_ID).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// A name for a message, shortened: names from files can have any length.
fn shortened(name: &str) -> String {
    if name.chars().count() <= MAX_ID {
        name.to_owned()
    } else {
        name.chars().take(MAX_ID).chain("...".chars()).collect()
    }
}
