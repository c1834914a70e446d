//! Boxes of elements, with each resource where it belongs: one that leads from an element to another is a
//! wire between them, one that stays in an element is a gauge in its box. What belongs to no element is
//! outside.

use std::collections::BTreeMap;

use bandgraph_plot::{Block, Board, Branch, Cross, Gauge, Key, Link, Wire};
use bandgraph_units::{Bytes, Frequency};

use super::item::{Item, Meter, Pair, join};
use super::view::{Thing, View, number};
use crate::json::ServerDocument;
use crate::text::{kind_in_words, named, pattern};

/// The least number of equal boxes and ports that are drawn once.
const MANY: usize = 3;
/// Equal things are as full as each other, to this share.
const CLOSE: f64 = 0.02;

/// A drawing of a server, without its title.
pub(super) fn board(server: &ServerDocument, things: &[Thing], view: &View<'_>) -> Board {
    let mut builder = Builder {
        server,
        things,
        view,
        taken: vec![false; things.len()],
        between: BTreeMap::new(),
    };
    for (index, thing) in things.iter().enumerate() {
        let pair = (thing.from.as_str(), thing.to.as_str());
        builder.between.entry(pair).or_default().push(index);
    }
    let (links, sockets) = builder.sockets();
    let crosses = builder.crosses();
    let outside = builder.outside();
    Board {
        title: String::new(),
        subtitle: String::new(),
        sockets: sockets.into_iter().map(|item| item.block(&builder)).collect(),
        links,
        crosses,
        outside,
        key: Key::Capacities,
        footer: String::new(),
    }
}

struct Builder<'b> {
    server: &'b ServerDocument,
    things: &'b [Thing],
    view: &'b View<'b>,
    /// Which resources have a place.
    taken: Vec<bool>,
    /// Resources by the elements that they lead from and to.
    between: BTreeMap<(&'b str, &'b str), Vec<usize>>,
}

impl Builder<'_> {
    /// The resources from one element to another that have no place yet; they have one now.
    fn take(&mut self, from: &str, to: &str, is_wanted: impl Fn(&Thing) -> bool) -> Vec<usize> {
        let mut taken = Vec::new();
        for &index in self.between.get(&(from, to)).into_iter().flatten() {
            if !self.taken[index] && is_wanted(&self.things[index]) {
                self.taken[index] = true;
                taken.push(index);
            }
        }
        taken
    }

    /// The wires from one element to another: the directions in pairs, in their order.
    fn wires(&mut self, from: &str, to: &str) -> Vec<Pair> {
        let is_rate = |thing: &Thing| thing.unit == "bytes/s";
        let mut out = self.take(from, to, is_rate).into_iter();
        let mut back = self.take(to, from, is_rate).into_iter();
        let mut pairs = Vec::new();
        loop {
            let (out, back) = (out.next(), back.next());
            if out.is_none() && back.is_none() {
                break;
            }
            pairs.push(Pair {
                out: out.into_iter().collect(),
                back: back.into_iter().collect(),
            });
        }
        self.merged(pairs)
    }

    /// Equal wires as one.
    fn merged(&self, pairs: Vec<Pair>) -> Vec<Pair> {
        let equal = |a: &Pair, b: &Pair| self.close(&a.out, &b.out) && self.close(&a.back, &b.back);
        if pairs.len() < 2 || !pairs.iter().all(|pair| equal(pair, &pairs[0])) {
            return pairs;
        }
        let mut one = Pair::default();
        for pair in pairs {
            one.out.extend(pair.out);
            one.back.extend(pair.back);
        }
        vec![one]
    }

    /// Whether resources can do the same, and are about as full.
    fn close(&self, a: &[usize], b: &[usize]) -> bool {
        let weight = |index: usize| self.view.weight(self.things, index);
        a.len() == b.len()
            && a.iter().zip(b).all(|(&a, &b)| {
                let (one, other) = (&self.things[a], &self.things[b]);
                one.capacity == other.capacity
                    && one.unit == other.unit
                    && (weight(a) - weight(b)).abs() <= CLOSE
            })
    }

    /// The gauges of an element, equal resources as one.
    fn meters(&mut self, id: &str, name: &dyn Fn(&Thing) -> Option<String>) -> Vec<Meter> {
        let mut meters: Vec<Meter> = Vec::new();
        for index in self.take(id, id, |_| true) {
            let thing = &self.things[index];
            let named = name(thing);
            let equal = |meter: &&mut Meter| {
                let other = &self.things[meter.resources[0]];
                other.kind == thing.kind
                    && other.capacity == thing.capacity
                    && other.unit == thing.unit
                    && pattern(&other.id) == pattern(&thing.id)
            };
            match meters.iter_mut().find(equal) {
                Some(meter) => {
                    meter.resources.push(index);
                    if named.is_none() {
                        meter.names.push(thing.id.clone());
                    }
                }
                None => meters.push(Meter {
                    names: vec![named.unwrap_or_else(|| thing.id.clone())],
                    resources: vec![index],
                }),
            }
        }
        meters
    }

    /// The sockets with all that hangs on them, and what joins them.
    fn sockets(&mut self) -> (Vec<Link>, Vec<Item>) {
        let server = self.server;
        let mut links = Vec::new();
        for (a, one) in server.sockets.iter().enumerate() {
            for (b, other) in server.sockets.iter().enumerate().skip(a + 1) {
                let wires = self.wires(&one.id, &other.id);
                if !wires.is_empty() {
                    let wires = wires.iter().map(|pair| self.wire(pair)).collect();
                    links.push(Link { ends: [a, b], wires });
                }
            }
        }
        let sockets = server.sockets.iter().map(|socket| {
            let memory = format!(
                "memory {}, {} x {}",
                Bytes::new(socket.memory_bytes).binary(),
                socket.memory_channels,
                socket.memory_part
            );
            let cores = format!("{} cores, {}", socket.cores, Frequency::new(socket.clock_hz));
            let cache = if socket.cache_bytes > 0.0 {
                format!(", {} of cache", Bytes::new(socket.cache_bytes).binary())
            } else {
                String::new()
            };
            // A package of several dies has their connections too, whose kind is that of the memory.
            let mut named = vec![
                (format!("memory.{}", socket.id), memory.as_str()),
                (format!("cpu.{}", socket.id), cores.as_str()),
                (format!("dies.{}.in", socket.id), "core dies, in"),
                (format!("dies.{}.out", socket.id), "core dies, out"),
            ];
            for other in &server.sockets {
                let pair = format!("remote.{}-{}", other.id, socket.id);
                named.push((format!("{pair}.cores"), "lines of other cores"));
                named.push((format!("{pair}.cards"), "lines of other cards"));
            }
            let mut meters = self.meters(&socket.id, &|thing| {
                let found = named.iter().find(|(id, _)| *id == thing.id);
                found.map(|(_, words)| (*words).to_owned())
            });
            // Cores first.
            meters.sort_by_key(|meter| meter.names[0] != cores);
            let bridges = (server.bridges.iter()).filter(|bridge| bridge.socket == socket.id);
            let bridges: Vec<(Vec<Pair>, Item)> = bridges
                .map(|bridge| {
                    (
                        self.hung(&socket.id, &bridge.id),
                        self.bridge(&bridge.id, &bridge.part),
                    )
                })
                .collect();
            Item {
                kind: "socket",
                ids: vec![socket.id.clone()],
                lines: vec![format!("{}{cache}", socket.part)],
                meters,
                branches: self.grouped(bridges),
                ..Item::default()
            }
        });
        let sockets = sockets.collect();
        (links, sockets)
    }

    /// What something hangs by: at least a plain connection.
    fn hung(&mut self, from: &str, to: &str) -> Vec<Pair> {
        let wires = self.wires(from, to);
        if wires.is_empty() {
            vec![Pair::default()]
        } else {
            wires
        }
    }

    fn bridge(&mut self, id: &str, part: &str) -> Item {
        let server = self.server;
        let meters = self.meters(id, &|_| None);
        let mut branches = Vec::new();
        for switch in server.switches.iter().filter(|switch| switch.bridge == id) {
            let wires = self.hung(id, &switch.id);
            let meters = self.meters(&switch.id, &|_| None);
            let behind = self.slots(&switch.id, id, Some(&switch.id));
            let item = Item {
                kind: "switch",
                tier: 2,
                ids: vec![switch.id.clone()],
                lines: vec![switch.part.clone(), switch.trained.clone()],
                meters,
                branches: self.grouped(behind),
                ..Item::default()
            };
            branches.push((wires, item));
        }
        branches.extend(self.slots(id, id, None));
        let onboard = (server.cards.iter()).filter(|card| card.bridge == id && card.slot.is_none());
        for card in onboard {
            let wires = self.hung(id, &card.id);
            branches.push((wires, self.card(&card.id, id)));
        }
        Item {
            kind: "bridge",
            tier: 1,
            ids: vec![id.to_owned()],
            lines: if part == id {
                Vec::new()
            } else {
                vec![part.to_owned()]
            },
            meters,
            branches: self.grouped(branches),
            ..Item::default()
        }
    }

    /// The slots on a bridge, or behind a switch, with what is in them.
    fn slots(&mut self, above: &str, bridge: &str, switch: Option<&str>) -> Vec<(Vec<Pair>, Item)> {
        let server = self.server;
        let slots =
            (server.slots.iter()).filter(|slot| slot.bridge == bridge && slot.switch.as_deref() == switch);
        slots
            .map(|slot| {
                let item = match &slot.card {
                    Some(card) => {
                        let wires = self.hung(above, card);
                        let mut cards = server.cards.iter();
                        let is_second = cards.any(|one| one.second_slot.as_ref() == Some(&slot.id));
                        let item = if is_second {
                            Item {
                                kind: "card",
                                tier: 3,
                                ids: vec![slot.id.clone()],
                                lines: vec![format!("second link of {card}")],
                                ..Item::default()
                            }
                        } else {
                            self.card(card, above)
                        };
                        (wires, item)
                    }
                    None => (
                        vec![Pair::default()],
                        Item {
                            kind: "slot",
                            tier: 3,
                            ids: vec![slot.id.clone()],
                            is_empty: true,
                            ..Item::default()
                        },
                    ),
                };
                let trained = slot.trained.as_deref().filter(|trained| *trained != slot.pcie);
                let (wires, item) = item;
                let pcie = trained.map_or_else(
                    || slot.pcie.clone(),
                    |trained| format!("{}, runs {trained}", slot.pcie),
                );
                (
                    wires,
                    Item {
                        slots: vec![slot.id.clone()],
                        slot: pcie,
                        ..item
                    },
                )
            })
            .collect()
    }

    /// A card with its ports and what hangs on them; `above` is what it hangs on.
    fn card(&mut self, id: &str, above: &str) -> Item {
        let server = self.server;
        let card = server.cards.iter().find(|card| card.id == id);
        let part = card.map_or("", |card| card.part.as_str());
        let mut meters = self.ports(id);
        meters.extend(self.meters(id, &|thing| (thing.kind == "disk").then(|| "drive".to_owned())));
        // What is no rate, such as reads in flight.
        for (from, to) in [(above, id), (id, above)] {
            for index in self.take(from, to, |thing| thing.unit != "bytes/s") {
                // The slot is named above.
                let name = self.things[index].id.rsplit('.').next().unwrap_or_default();
                meters.push(Meter {
                    names: vec![name.to_owned()],
                    resources: vec![index],
                });
            }
        }
        for port in server.ports.iter().filter(|port| port.card == id) {
            meters.extend(self.meters(&port.id, &|_| None));
        }
        let hanging =
            (server.enclosures.iter()).filter(|enclosure| enclosure.on.first().is_some_and(|on| on == id));
        let hanging: Vec<(Vec<Pair>, Item)> = hanging
            .map(|enclosure| (self.hung(id, &enclosure.id), self.enclosure(&enclosure.id, 4)))
            .collect();
        Item {
            kind: "card",
            tier: 3,
            ids: vec![id.to_owned()],
            lines: vec![part.to_owned()],
            meters,
            branches: self.grouped(hanging),
            ..Item::default()
        }
    }

    /// The network ports of a card: a gauge for each direction, of many equal ports one.
    fn ports(&mut self, card: &str) -> Vec<Meter> {
        let server = self.server;
        let ports: Vec<&str> = (server.ports.iter())
            .filter(|port| port.card == card)
            .map(|port| port.id.as_str())
            .collect();
        let mut directions = Vec::new();
        for (from, to, word) in [("network", card, "in"), (card, "network", "out")] {
            let resources = self.take(from, to, |_| true);
            let name = |number: usize, index: usize| {
                let port = ports
                    .get(number)
                    .map_or(self.things[index].id.as_str(), |port| *port);
                format!("{port} {word}")
            };
            let meters: Vec<Meter> = (resources.iter().enumerate())
                .map(|(number, &index)| Meter {
                    names: vec![name(number, index)],
                    resources: vec![index],
                })
                .collect();
            let is_one = meters.len() >= MANY
                && (meters.iter()).all(|meter| self.close(&meter.resources, &meters[0].resources));
            directions.push(if is_one {
                vec![Meter {
                    names: meters.iter().flat_map(|meter| meter.names.clone()).collect(),
                    resources,
                }]
            } else {
                meters
            });
        }
        // Both directions of a port are next to each other.
        let mut meters = Vec::new();
        let most = directions.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..most {
            meters.extend(directions.iter().filter_map(|meters| meters.get(number).cloned()));
        }
        meters
    }

    /// An enclosure with those behind it in the chain.
    fn enclosure(&mut self, id: &str, tier: usize) -> Item {
        let server = self.server;
        let Some(enclosure) = server.enclosures.iter().find(|enclosure| enclosure.id == id) else {
            return Item::default();
        };
        let drives = match enclosure.drives {
            1 => enclosure.drive.clone(),
            count => format!("{count} x {}", enclosure.drive),
        };
        let meters = self.meters(id, &|thing| {
            (thing.kind == "disk" && thing.id.starts_with("disk.")).then(|| drives.clone())
        });
        let next = (server.enclosures.iter()).filter(|other| {
            tier < 4 + server.enclosures.len() && other.on.first().is_some_and(|on| on == id)
        });
        let behind: Vec<(Vec<Pair>, Item)> = next
            .map(|next| (self.hung(id, &next.id), self.enclosure(&next.id, tier + 1)))
            .collect();
        Item {
            kind: "enclosure",
            tier,
            ids: vec![id.to_owned()],
            lines: vec![enclosure.part.clone()],
            meters,
            branches: behind,
            ..Item::default()
        }
    }

    /// Equal things as one, where they are many.
    fn grouped(&self, branches: Vec<(Vec<Pair>, Item)>) -> Vec<(Vec<Pair>, Item)> {
        let mut groups: Vec<Vec<(Vec<Pair>, Item)>> = Vec::new();
        for branch in branches {
            match groups.iter_mut().find(|group| self.equal(&group[0], &branch)) {
                Some(group) => group.push(branch),
                None => groups.push(vec![branch]),
            }
        }
        let mut grouped = Vec::new();
        for mut group in groups {
            if group.len() < MANY {
                grouped.append(&mut group);
                continue;
            }
            let mut the_rest = group.into_iter();
            if let Some(mut one) = the_rest.next() {
                for other in the_rest {
                    join(&mut one, other);
                }
                grouped.push(one);
            }
        }
        grouped
    }

    fn equal(&self, (wires, item): &(Vec<Pair>, Item), (others, other): &(Vec<Pair>, Item)) -> bool {
        let same_wires = wires.len() == others.len()
            && wires
                .iter()
                .zip(others)
                .all(|(a, b)| self.close(&a.out, &b.out) && self.close(&a.back, &b.back));
        same_wires
            && (item.kind, item.tier, item.is_empty) == (other.kind, other.tier, other.is_empty)
            && (&item.slot, &item.lines) == (&other.slot, &other.lines)
            && item.meters.len() == other.meters.len()
            && (item.meters.iter().zip(&other.meters)).all(|(a, b)| self.close(&a.resources, &b.resources))
            && item.branches.len() == other.branches.len()
            && (item.branches.iter().zip(&other.branches)).all(|(a, b)| self.equal(a, b))
            && !self.is_crossed(item)
            && !self.is_crossed(other)
    }

    /// Whether an enclosure that hangs there has a second path.
    fn is_crossed(&self, item: &Item) -> bool {
        let mut enclosures = self.server.enclosures.iter();
        let crossed = enclosures.any(|enclosure| {
            enclosure.on.len() > 1
                && (item.ids.contains(&enclosure.id) || enclosure.on.iter().any(|on| item.ids.contains(on)))
        });
        crossed || item.branches.iter().any(|(_, item)| self.is_crossed(item))
    }

    /// The second paths to enclosures, which hang on the first.
    fn crosses(&mut self) -> Vec<Cross> {
        let server = self.server;
        let mut crosses = Vec::new();
        for enclosure in &server.enclosures {
            for on in enclosure.on.iter().skip(1) {
                // Both paths may come from one card; its wires are then drawn already.
                let wires = self.wires(on, &enclosure.id);
                let is_same = enclosure.on.first() == Some(on);
                let wires = match (wires.is_empty(), is_same) {
                    (true, true) => continue,
                    (true, false) => vec![Pair::default()],
                    _ => wires,
                };
                crosses.extend(wires.iter().map(|pair| Cross {
                    from: on.clone(),
                    to: enclosure.id.clone(),
                    wire: self.wire(pair),
                }));
            }
        }
        crosses
    }

    /// Resources without a place on the board, by their kind.
    fn outside(&mut self) -> Vec<Block> {
        let mut kinds: BTreeMap<&str, BTreeMap<String, Vec<usize>>> = BTreeMap::new();
        for (index, thing) in self.things.iter().enumerate() {
            if !self.taken[index] {
                let of_kind = kinds.entry(&thing.kind).or_default();
                of_kind.entry(pattern(&thing.id)).or_default().push(index);
            }
        }
        let block = |(kind, patterns): (&str, BTreeMap<String, Vec<usize>>)| Block {
            kind: "outside",
            ids: vec![kind.to_owned()],
            name: match kind {
                "client" => "Clients".to_owned(),
                "network" => "Network".to_owned(),
                other => kind_in_words(other).to_owned(),
            },
            gauges: patterns
                .values()
                .map(|resources| {
                    let names = resources.iter().map(|&index| self.things[index].id.clone());
                    self.gauge(&names.collect::<Vec<_>>(), resources)
                })
                .collect(),
            ..Block::default()
        };
        kinds.into_iter().map(block).collect()
    }

    fn gauge(&self, names: &[String], resources: &[usize]) -> Gauge {
        let represented = number(self.things, resources) - resources.len();
        Gauge {
            name: named(names, names.len() + represented),
            load: self.view.load(self.things, resources),
        }
    }

    fn wire(&self, pair: &Pair) -> Wire {
        let load = |resources: &[usize]| {
            let mut load = (!resources.is_empty()).then(|| self.view.load(self.things, resources))?;
            // What an operation uses is said of all of them together.
            let count = number(self.things, resources);
            if count > 1
                && !matches!(self.view, View::Path(_))
                && let Some(first) = load.words.first_mut()
            {
                *first = format!("{count} x {first}");
            }
            Some(load)
        };
        Wire {
            out: load(&pair.out),
            back: load(&pair.back),
        }
    }
}

impl Item {
    fn block(self, builder: &Builder<'_>) -> Block {
        let frame = match named(&self.slots, self.slots.len()) {
            none if none.is_empty() => none,
            slots => format!("{slots}: {}", self.slot),
        };
        Block {
            kind: self.kind,
            frame,
            name: named(&self.ids, self.ids.len()),
            ids: self.ids,
            lines: self.lines,
            gauges: (self.meters.iter())
                .map(|meter| builder.gauge(&meter.names, &meter.resources))
                .collect(),
            is_empty: self.is_empty,
            tier: self.tier,
            branches: (self.branches.into_iter())
                .map(|(wires, item)| Branch {
                    wires: wires.iter().map(|pair| builder.wire(pair)).collect(),
                    block: item.block(builder),
                })
                .collect(),
        }
    }
}
