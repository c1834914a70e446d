//! Symmetry of placements: those that differ only by names count once.
//!
//! Two slots of one class are equivalent by construction. Two cards are equivalent if exchanging them changes
//! no load, except which port of the server serves which clients; then every steady state is the same. The
//! comparison uses the loads themselves, so that every real difference counts (other enclosures behind an
//! adapter, a group of clients that names a port).
//!
//! A placement is then a list of slot classes in a fixed order of cards, in which equivalent cards are
//! adjacent and have classes in ascending order.

use std::collections::BTreeMap;

use bandgraph_model::ThreadKind;
use bandgraph_topology::Topology;

use super::loads::Loads;
use super::seats::Seats;

/// Loads within this relative difference are equal.
const ROUNDING: f64 = 1e-6;
/// The maximum number of nodes that counting may visit, per placement that it may count.
const VISITS_PER_PLACEMENT: usize = 100;

/// The groups of equivalent cards, and the order in which cards are placed.
#[derive(Clone, Debug)]
pub(super) struct Symmetry {
    /// Cards in the order in which they are placed; equivalent ones are adjacent.
    pub(super) order: Vec<usize>,
    /// For each place in the order: whether its card is equivalent to the previous one.
    like_last: Vec<bool>,
}

impl Symmetry {
    /// Finds the cards that are equivalent in all scenarios, each given by its topology and loads.
    pub(super) fn find(scenarios: &[(&Topology, &Loads)], seats: &Seats) -> Self {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for card in 0..seats.cards.len() {
            let like = |other: usize| {
                seats.fits[card] == seats.fits[other]
                    && scenarios.iter().all(|(topology, loads)| {
                        Cards {
                            topology,
                            loads,
                            seats,
                        }
                        .alike(other, card)
                    })
            };
            match groups.iter_mut().find(|group| like(group[0])) {
                Some(group) => group.push(card),
                None => groups.push(vec![card]),
            }
        }
        // The card with the largest load on its slot is placed first: it matters most.
        let weight = |group: &Vec<usize>| {
            let loads = scenarios.iter().map(|(_, loads)| {
                let added = (0..seats.classes.len()).find_map(|class| loads.added(group[0], class));
                added.map_or(0.0, |added| added.own.iter().sum::<f64>())
            });
            loads.sum::<f64>()
        };
        groups.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a[0].cmp(&b[0])));
        let like_last = groups
            .iter()
            .flat_map(|group| (0..group.len()).map(|member| member > 0))
            .collect();
        Self {
            order: groups.into_iter().flatten().collect(),
            like_last,
        }
    }

    /// Groups of equivalent cards, by their indices among the movable ones; every card is in one group.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (&card, &like_last) in self.order.iter().zip(&self.like_last) {
            match groups.last_mut() {
                Some(group) if like_last => group.push(card),
                _ => groups.push(vec![card]),
            }
        }
        groups
    }

    /// The classes that the next card can take.
    pub(super) fn next<'a>(
        &'a self,
        placed: &'a [usize],
        seats: &'a Seats,
    ) -> impl Iterator<Item = usize> + 'a {
        let place = placed.len();
        let least = match placed.last() {
            Some(&last) if self.like_last[place] => last,
            _ => 0,
        };
        (least..seats.classes.len()).filter(move |&class| {
            let taken = placed.iter().filter(|&&other| other == class).count();
            seats.fits[self.order[place]][class] && taken < seats.classes[class].slots.len()
        })
    }

    /// All placements, or `None` if there are more than `most`.
    pub(super) fn all(&self, seats: &Seats, most: usize) -> Option<Vec<Vec<usize>>> {
        let (mut all, mut visits) = (Vec::new(), 0_usize);
        let mut open = vec![Vec::new()];
        while let Some(placed) = open.pop() {
            visits += 1;
            if all.len() > most || visits / VISITS_PER_PLACEMENT > most {
                return None;
            }
            if placed.len() == self.order.len() {
                all.push(placed);
                continue;
            }
            let next: Vec<usize> = self.next(&placed, seats).collect();
            for class in next.into_iter().rev() {
                let mut longer = placed.clone();
                longer.push(class);
                open.push(longer);
            }
        }
        (all.len() <= most).then_some(all)
    }

    /// The placement in which cards have these classes; equivalent cards get them in ascending order.
    pub(super) fn listed(&self, class_of: &[usize]) -> Vec<usize> {
        let mut classes: Vec<usize> = self.order.iter().map(|&card| class_of[card]).collect();
        let mut start = 0;
        for end in 1..=classes.len() {
            if end == classes.len() || !self.like_last[end] {
                classes[start..end].sort_unstable();
                start = end;
            }
        }
        classes
    }

    /// A class for each card of a placement, such that as many cards as possible stay in their present class.
    pub(super) fn class_of(&self, classes: &[usize], today: &[usize]) -> Vec<usize> {
        let mut class_of = vec![0; classes.len()];
        let mut start = 0;
        for group in self.groups() {
            let mut left: Vec<usize> = classes[start..start + group.len()].to_vec();
            start += group.len();
            let (mut staying, mut moving) = (Vec::new(), Vec::new());
            for card in group {
                match left.iter().position(|&class| class == today[card]) {
                    Some(at) => staying.push((card, left.remove(at))),
                    None => moving.push(card),
                }
            }
            for (card, class) in staying.into_iter().chain(moving.into_iter().zip(left)) {
                class_of[card] = class;
            }
        }
        class_of
    }
}

/// The cards of one scenario, for comparison.
struct Cards<'a> {
    topology: &'a Topology,
    loads: &'a Loads,
    seats: &'a Seats,
}

impl Cards<'_> {
    fn alike(&self, a: usize, b: usize) -> bool {
        let parts = self.topology.spec();
        let part = |card: usize| &parts.cards[self.seats.cards[card].index].part;
        if part(a) != part(b) {
            return false;
        }
        let Some(pairs) = self.matched(a, b) else {
            return false;
        };
        let of_either: Vec<usize> = pairs.iter().flat_map(|&(one, other)| [one, other]).collect();
        let kinds = 0..self.loads.kinds.len();
        let same = kinds.filter(|kind| !of_either.contains(kind));
        // For other kinds of threads the exchanged cards change places; those at the two cards are exchanged
        // with them.
        same.map(|kind| (kind, kind))
            .chain(pairs.iter().copied())
            .all(|(one, other)| self.adds_alike((a, one), (b, other)))
    }

    /// Pairs of the kinds of threads at the ports of two cards that an exchange of the cards would exchange.
    fn matched(&self, a: usize, b: usize) -> Option<Vec<(usize, usize)>> {
        let (of_a, mut of_b) = (self.at_ports(a), self.at_ports(b));
        if of_a.len() != of_b.len() {
            return None;
        }
        let mut pairs = Vec::new();
        for here in of_a {
            let at = of_b
                .iter()
                .position(|there| self.ports_alike((a, &here), (b, there)))?;
            pairs.extend(here.into_iter().zip(of_b.remove(at)));
        }
        Some(pairs)
    }

    /// The kinds of threads at each used port of a card.
    fn at_ports(&self, card: usize) -> Vec<Vec<usize>> {
        let index = self.seats.cards[card].index;
        let mut ports: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, kind) in self.loads.kinds.iter().enumerate() {
            let here = kind
                .port
                .filter(|&port| self.topology.ports()[port].card == index);
            if let Some(port) = here {
                ports.entry(port).or_default().push(at);
            }
        }
        ports.into_values().collect()
    }

    fn ports_alike(&self, (a, here): (usize, &[usize]), (b, there): (usize, &[usize])) -> bool {
        let kinds = &self.loads.kinds;
        let joined = |list: &[usize]| -> Vec<usize> {
            let first = |kind: &usize| {
                list.iter()
                    .position(|other| kinds[*other].client_kind == kinds[*kind].client_kind)
            };
            list.iter().filter_map(first).collect()
        };
        here.len() == there.len()
            && joined(here) == joined(there)
            && here.iter().zip(there).all(|(&one, &other)| {
                threads_alike(&kinds[one], &kinds[other]) && self.elsewhere_alike((a, one), (b, other))
            })
    }

    /// Whether two kinds of threads have the same loads on everything except the two cards.
    fn elsewhere_alike(&self, (a, one): (usize, usize), (b, other): (usize, usize)) -> bool {
        let third = (0..self.seats.cards.len()).filter(|&card| card != a && card != b);
        self.loads.alike_elsewhere(one, other)
            && third
                .into_iter()
                .all(|card| self.adds_alike((card, one), (card, other)))
    }

    /// Whether two cards add the same load for two kinds of threads, in every class of slots.
    fn adds_alike(&self, (a, one): (usize, usize), (b, other): (usize, usize)) -> bool {
        (0..self.seats.classes.len()).all(|class| {
            match (self.loads.added(a, class), self.loads.added(b, class)) {
                (None, None) => true,
                (Some(a), Some(b)) => {
                    self.loads.columns_alike((&a.shared, one), (&b.shared, other))
                        && self.loads.columns_alike((&a.own, one), (&b.own, other))
                }
                _ => false,
            }
        })
    }
}

fn threads_alike(a: &ThreadKind, b: &ThreadKind) -> bool {
    a.workload == b.workload
        && [
            (a.client_nics, b.client_nics),
            (a.threads, b.threads),
            (a.delay_s, b.delay_s),
            (a.think_s, b.think_s),
            (a.service_s, b.service_s),
            (a.payload, b.payload),
            (a.network, b.network),
        ]
        .into_iter()
        .all(|(a, b)| near(a, b))
}

/// Whether two loads are equal except for rounding.
pub(super) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs())
}
