//! Placements that are mirror images of each other.
//!
//! Where the sockets and bridges of a server can take each other's places and nothing changes, a placement and its image
//! come to the same. What could be exchanged is found in the graph of the server (`Topology::automorphisms`); that it
//! changes nothing is found from all that steady states are solved from (`Seatings::stay_as_they_are`), so that routes,
//! shares of threads, of interrupts and of memory, and cards that stay where they are count as they should.

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_hardware::Part;
use bandgraph_solve::{Renaming, Seatings};
use bandgraph_topology::{Automorphism, Card, CardPart, NodeKind, ResourceId, Topology};

use super::seats::{Seats, SlotClass};

/// Exchanges that are looked at in each scenario.
const CANDIDATES_MAX: usize = 256;
/// Exchanges that are known at most, with those that come from doing one after the other. Where there are more, some images
/// count as placements of their own.
const MIRRORS_MAX: usize = 1024;

/// The exchanges that leave every placement as good as it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Mirrors {
    /// For each exchange, the class of slots that takes the place of each.
    pub(super) images: Vec<Vec<usize>>,
    /// The elements that take each other's places, by id, of exchanges that are not made of others.
    pub(super) exchanged: Vec<Vec<(String, String)>>,
}

/// One way to exchange elements of one scenario.
struct Candidate {
    renaming: Renaming,
    exchanged: Vec<(String, String)>,
}

impl Mirrors {
    /// Finds the exchanges that change nothing in any of the scenarios.
    pub(super) fn find(scenarios: &[(&Topology, &Seatings)], seats: &Seats) -> Self {
        let candidates = scenarios.iter().map(|(topology, _)| candidates(topology, seats));
        let candidates: Vec<BTreeMap<Vec<usize>, Vec<Candidate>>> = candidates.collect();
        let Some(first) = candidates.first() else {
            return Self::default();
        };
        let identity: Vec<usize> = (0..seats.classes.len()).collect();
        let mut known = BTreeSet::from([identity]);
        let mut exchanged = Vec::new();
        for images in first.keys() {
            if known.contains(images) || known.len() >= MIRRORS_MAX {
                continue;
            }
            let unchanged = |of: &BTreeMap<Vec<usize>, Vec<Candidate>>, seatings: &Seatings| {
                let mut those = of.get(images).into_iter().flatten();
                let found = those.find(|candidate| seatings.stay_as_they_are(&candidate.renaming, images));
                found.map(|candidate| candidate.exchanged.clone())
            };
            let all = candidates.iter().zip(scenarios);
            let words: Option<Vec<_>> = all.map(|(of, (_, seatings))| unchanged(of, seatings)).collect();
            if let Some(words) = words.and_then(|words| words.into_iter().next()) {
                exchanged.push(words);
                extend(&mut known, images);
            }
        }
        let changes = |images: &Vec<usize>| images.iter().enumerate().any(|(class, &image)| class != image);
        Self {
            images: known.into_iter().filter(changes).collect(),
            exchanged,
        }
    }
}

/// Adds an exchange, and all that come from doing it before and after those that are known.
fn extend(known: &mut BTreeSet<Vec<usize>>, images: &[usize]) {
    let after =
        |first: &[usize], then: &[usize]| -> Vec<usize> { first.iter().map(|&class| then[class]).collect() };
    let mut generators: Vec<Vec<usize>> = known.iter().cloned().collect();
    generators.push(images.to_vec());
    let mut open = generators.clone();
    while let Some(next) = open.pop() {
        known.insert(next.clone());
        for generator in &generators {
            let both = after(&next, generator);
            if known.len() < MIRRORS_MAX && known.insert(both.clone()) {
                open.push(both);
            }
        }
    }
}

/// What could be exchanged in a topology, by the class of slots that takes the place of each.
fn candidates(topology: &Topology, seats: &Seats) -> BTreeMap<Vec<usize>, Vec<Candidate>> {
    let label = |kind: NodeKind, index: usize| {
        let slots = topology.slots().iter();
        let slots = slots.filter(|slot| host(slot.bridge, slot.switch) == (kind, index));
        slots.count()
    };
    let mut found: BTreeMap<Vec<usize>, Vec<Candidate>> = BTreeMap::new();
    for automorphism in topology.automorphisms(label, CANDIDATES_MAX) {
        let exchange = Exchange {
            topology,
            seats,
            automorphism,
        };
        if let Some((images, candidate)) = exchange.candidate() {
            found.entry(images).or_default().push(candidate);
        }
    }
    found
}

/// What a slot hangs on.
fn host(bridge: usize, switch: Option<usize>) -> (NodeKind, usize) {
    switch.map_or((NodeKind::Bridge, bridge), |switch| (NodeKind::Switch, switch))
}

/// An exchange of sockets, bridges and switches, to be gone on with to all that hangs on them.
struct Exchange<'a> {
    topology: &'a Topology,
    seats: &'a Seats,
    automorphism: Automorphism,
}

impl Exchange<'_> {
    /// The class that takes the place of each, and what else does of what; `None` where something has nothing to take its
    /// place.
    fn candidate(&self) -> Option<(Vec<usize>, Candidate)> {
        let classes = self.seats.classes.iter();
        let images: Option<Vec<usize>> = classes.map(|class| self.class_image(class)).collect();
        let images = images?;
        let mut of_cards = self.seats.fits.iter();
        let fits = of_cards.all(|fits| (0..images.len()).all(|class| fits[class] == fits[images[class]]));
        let cards = self.card_images();
        if !fits {
            return None;
        }
        let mut names = Names::new(self.topology);
        self.name_server(&mut names);
        let mut ports: Vec<usize> = (0..self.topology.ports().len()).collect();
        for (card, &image) in cards.iter().enumerate().filter(|(card, image)| card != *image) {
            self.name_card(card, image, &mut names, &mut ports)?;
        }
        let exchanged = self.words(&cards);
        let renaming = Renaming {
            sockets: self.automorphism.sockets.clone(),
            ports,
            resources: names.changed,
        };
        Some((images, Candidate { renaming, exchanged }))
    }

    fn host_image(&self, (kind, index): (NodeKind, usize)) -> (NodeKind, usize) {
        match kind {
            NodeKind::Switch => (kind, self.automorphism.switches[index]),
            _ => (kind, self.automorphism.bridges[index]),
        }
    }

    fn class_host(&self, class: &SlotClass) -> (NodeKind, usize) {
        let slot = &self.topology.slots()[class.slots[0]];
        host(slot.bridge, slot.switch)
    }

    fn class_image(&self, class: &SlotClass) -> Option<usize> {
        let host = self.host_image(self.class_host(class));
        self.seats.classes.iter().position(|image| {
            self.class_host(image) == host
                && image.settings == class.settings
                && image.slots.len() == class.slots.len()
        })
    }

    /// The card that takes the place of each. Cards that may move keep their names, and so do those of which there is none
    /// on the other side: whether they matter is found with all else.
    fn card_images(&self) -> Vec<usize> {
        let cards = self.topology.cards();
        let moves = |card: usize| self.seats.cards.iter().any(|movable| movable.index == card);
        let mut images: Vec<Option<usize>> = vec![None; cards.len()];
        for card in (0..cards.len()).filter(|&card| !moves(card)) {
            let takes = |&image: &usize| {
                !moves(image)
                    && !images.contains(&Some(image))
                    && self.takes_place(&cards[card], &cards[image])
            };
            images[card] = (0..cards.len()).find(takes);
        }
        // Of cards that take each other's places in turn, all do or none.
        let whole = |card: usize| {
            let turns = std::iter::successors(Some(card), |&card| images[card]);
            turns.skip(1).take(cards.len()).any(|image| image == card)
        };
        (0..cards.len())
            .map(|card| images[card].filter(|_| whole(card)).unwrap_or(card))
            .collect()
    }

    /// Whether a card that stays where it is sits where another one comes to be.
    fn takes_place(&self, card: &Card, image: &Card) -> bool {
        let slots = self.topology.slots();
        let slot = |card: &Card| card.seated.map(|seated| &slots[seated.slot]);
        let seat = |card: &Card| {
            slot(card).map_or((NodeKind::Bridge, card.bridge), |slot| {
                host(slot.bridge, slot.switch)
            })
        };
        let settings = |card: &Card| {
            slot(card).map(|slot| {
                (
                    slot.pcie,
                    slot.connector_lanes,
                    slot.maximum_payload,
                    slot.maximum_read_request,
                )
            })
        };
        self.host_image(seat(card)) == seat(image)
            && settings(card) == settings(image)
            && nameless(&card.part) == nameless(&image.part)
    }

    /// Names what is exchanged of sockets, links, bridges and switches.
    fn name_server(&self, names: &mut Names<'_>) {
        let topology = self.topology;
        let Automorphism {
            sockets,
            bridges,
            switches,
        } = &self.automorphism;
        for (socket, &image) in topology.sockets().iter().zip(sockets) {
            let image = &topology.sockets()[image];
            names.pair(socket.memory_resource, image.memory_resource);
            names.pair(socket.cpu_resource, image.cpu_resource);
        }
        for (bridge, &image) in topology.bridges().iter().zip(bridges) {
            let image = &topology.bridges()[image];
            names.pair(bridge.inbound, image.inbound);
            names.pair(bridge.outbound, image.outbound);
        }
        for (switch, &image) in topology.switches().iter().zip(switches) {
            let image = &topology.switches()[image];
            names.pair(switch.inbound, image.inbound);
            names.pair(switch.outbound, image.outbound);
        }
        for link in topology.links() {
            let [from, to] = link.ends;
            let ends = [sockets[from], sockets[to]];
            let place = self
                .parallel(link.ends)
                .iter()
                .position(|&other| other == &link.id);
            let images = self.parallel(ends);
            let image = place.and_then(|place| images.get(place));
            let image = image.and_then(|id| topology.links().iter().find(|link| link.id == **id));
            if let Some(image) = image {
                let [mut forward, mut backward] = image.resources;
                if image.ends != ends {
                    std::mem::swap(&mut forward, &mut backward);
                }
                names.pair(link.resources[0], forward);
                names.pair(link.resources[1], backward);
            }
        }
    }

    /// The links between two sockets, the slowest first.
    fn parallel(&self, ends: [usize; 2]) -> Vec<&String> {
        let [from, to] = ends;
        let links = self.topology.links().iter();
        let mut links: Vec<_> = links
            .filter(|link| link.ends == [from, to] || link.ends == [to, from])
            .collect();
        let capacity = |resource: ResourceId| self.topology.resources()[resource.index()].capacity;
        links.sort_by(|a, b| capacity(a.resources[0]).total_cmp(&capacity(b.resources[0])));
        links.into_iter().map(|link| &link.id).collect()
    }

    /// Names what is exchanged of two cards that stay where they are: slots, ports, enclosures.
    fn name_card(&self, card: usize, image: usize, names: &mut Names<'_>, ports: &mut [usize]) -> Option<()> {
        let topology = self.topology;
        let (here, there) = (&topology.cards()[card], &topology.cards()[image]);
        if let (Some(here), Some(there)) = (here.seated, there.seated) {
            let id = |slot: usize| format!("slot.{}", topology.slots()[slot].id);
            names.element(id(here.slot), id(there.slot));
        }
        for (port, image) in here.ports.clone().zip(there.ports.clone()) {
            ports[port] = image;
            let id = |port: usize| format!("port.{}", topology.ports()[port].id);
            names.element(id(port), id(image));
        }
        let sas = |card: usize| topology.sas_ports().iter().filter(move |port| port.card == card);
        if sas(card).count() != sas(image).count() {
            return None;
        }
        for (port, image) in sas(card).zip(sas(image)) {
            if port.number != image.number || port.jbods.len() != image.jbods.len() {
                return None;
            }
            names.pair(port.inbound, image.inbound);
            names.pair(port.outbound, image.outbound);
            for (&jbod, &image) in port.jbods.iter().zip(&image.jbods) {
                let (disks, images) = (&topology.jbods()[jbod].disks, &topology.jbods()[image].disks);
                if disks.len() != images.len() {
                    return None;
                }
                for (&disk, &image) in disks.iter().zip(images) {
                    names.pair(disk, image);
                }
            }
        }
        Some(())
    }

    /// What takes whose place, by id: of two that exchange theirs, once.
    fn words(&self, cards: &[usize]) -> Vec<(String, String)> {
        let topology = self.topology;
        let sockets: Vec<&str> = topology
            .sockets()
            .iter()
            .map(|socket| socket.id.as_str())
            .collect();
        let bridges: Vec<&str> = topology
            .bridges()
            .iter()
            .map(|bridge| bridge.id.as_str())
            .collect();
        let switches: Vec<&str> = topology
            .switches()
            .iter()
            .map(|switch| switch.id.as_str())
            .collect();
        let kept: Vec<&str> = topology.cards().iter().map(|card| card.id.as_str()).collect();
        [
            (sockets, self.automorphism.sockets.as_slice()),
            (bridges, &self.automorphism.bridges),
            (switches, &self.automorphism.switches),
            (kept, cards),
        ]
        .into_iter()
        .flat_map(|(ids, images)| {
            let changed = images.iter().enumerate();
            let changed = changed.filter(|&(at, &image)| at < image || at > image && images[image] != at);
            let pairs = changed.map(|(at, &image)| (ids[at].to_owned(), ids[image].to_owned()));
            pairs.collect::<Vec<_>>()
        })
        .collect()
    }
}

/// A part without its name and source.
fn nameless(part: &CardPart) -> CardPart {
    let mut part = part.clone();
    match &mut part {
        CardPart::Nic(nic) => nic.rename("", ""),
        CardPart::Hba(hba) => hba.rename("", ""),
    }
    part
}

/// Resources that take each other's places, by id.
struct Names<'a> {
    topology: &'a Topology,
    changed: BTreeMap<String, String>,
}

impl<'a> Names<'a> {
    fn new(topology: &'a Topology) -> Self {
        Self {
            topology,
            changed: BTreeMap::new(),
        }
    }

    fn pair(&mut self, resource: ResourceId, image: ResourceId) {
        let id = |resource: ResourceId| self.topology.resources()[resource.index()].id.clone();
        self.changed.insert(id(resource), id(image));
    }

    /// All resources of an element, which begin with its name.
    fn element(&mut self, element: String, image: String) {
        self.changed.insert(element, image);
    }
}
