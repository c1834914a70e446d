//! Whether nothing but names changes where elements of a server take each other's places, and its cards with them.
//!
//! What is compared is all that a steady state is solved from: demands and work of every class, threads, capacities,
//! packets on links, and the paths of lines. Demands are linear in the cards, so that two things prove it for all
//! placements: it holds of one, and of all that part from that one in where one card is.

use std::collections::BTreeMap;

use bandgraph_hardware::hypertransport::PacketMix;
use bandgraph_model::rounding::{ROUNDING, near};
use bandgraph_model::{Bound, Class, SocketWork, ThreadGroup};
use bandgraph_units::Bandwidth;

use super::{SeatingScratch, Seatings};

/// Which elements take each other's place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renaming {
    /// The socket that takes the place of each socket.
    pub sockets: Vec<usize>,
    /// The port that takes the place of each port of the server.
    pub ports: Vec<usize>,
    /// The ids of resources with what takes their place, or what ids begin with up to their last dot (`port.nic0.0`);
    /// whatever is not named keeps its place.
    pub resources: BTreeMap<String, String>,
}

impl Renaming {
    /// The id of what takes the place of a resource, where something else does.
    fn image(&self, id: &str) -> Option<String> {
        let of_element = || {
            let (element, rest) = id.rsplit_once('.')?;
            Some(format!("{}.{rest}", self.resources.get(element)?))
        };
        self.resources.get(id).cloned().or_else(of_element)
    }
}

impl Seatings {
    /// Whether it leaves every steady state as it is if elements take each other's places and every card goes from its
    /// kind of slots to the one in `kinds`. The cards themselves, and what is in their own slots, keep their names.
    pub fn stay_as_they_are(&self, renaming: &Renaming, kinds: &[usize]) -> bool {
        let Some(resources) = self.renamed(renaming) else {
            return false;
        };
        let first: Option<Vec<usize>> = self
            .added
            .iter()
            .map(|of_card| of_card.iter().position(Option::is_some))
            .collect();
        let Some(first) = first else { return false };
        let (mut before, mut after) = (self.scratch(), self.scratch());
        let mut holds = |seats: &[usize]| {
            let images: Vec<usize> = seats.iter().map(|&kind| kinds[kind]).collect();
            match (self.seat(seats, &mut before), self.seat(&images, &mut after)) {
                (true, true) => Comparison {
                    renaming,
                    before: &before,
                    after: &after,
                    resources: resources.clone(),
                }
                .holds(),
                (fits, image_fits) => fits == image_fits,
            }
        };
        let others = self.added.iter().enumerate().flat_map(|(card, of_card)| {
            let first = &first;
            (0..of_card.len()).map(move |kind| {
                let mut seats = first.clone();
                seats[card] = kind;
                seats
            })
        });
        let fabric = &self.parked.fabric;
        sockets_alike(&self.parked, &renaming.sockets)
            && fabric.is_like(fabric, &renaming.sockets, &resources)
            && holds(&first)
            && others.into_iter().all(|seats| holds(&seats))
    }

    /// The resource that takes the place of each; `None` where one is not there, or would take two places.
    fn renamed(&self, renaming: &Renaming) -> Option<Vec<usize>> {
        let mut resources: Vec<usize> = (0..self.capacities.len()).collect();
        for (id, &resource) in &self.index_of {
            if let Some(image) = renaming.image(id) {
                resources[resource] = *self.index_of.get(&image)?;
            }
        }
        is_permutation(&resources).then_some(resources)
    }
}

fn is_permutation(images: &[usize]) -> bool {
    let mut taken = vec![false; images.len()];
    images
        .iter()
        .all(|&image| !std::mem::replace(&mut taken[image], true))
}

/// Whether the cores of sockets that take each other's place are the same but for their names.
fn sockets_alike(bound: &Bound, images: &[usize]) -> bool {
    images.len() == bound.sockets.len()
        && bound
            .sockets
            .iter()
            .zip(images)
            .all(|(socket, &image)| socket.is_same_part(&bound.sockets[image]))
}

/// Two placements of the cards, the second with the elements renamed.
struct Comparison<'a> {
    renaming: &'a Renaming,
    before: &'a SeatingScratch,
    after: &'a SeatingScratch,
    /// The resource that takes the place of each.
    resources: Vec<usize>,
}

impl Comparison<'_> {
    fn holds(&mut self) -> bool {
        self.threads_alike()
            && is_permutation(&self.resources)
            && self.capacities_alike()
            && self.packets_alike()
    }

    fn capacities_alike(&self) -> bool {
        let capacities = self.before.capacities.iter().zip(&self.resources);
        let mut pairs = capacities.map(|(&capacity, &image)| (capacity, self.after.capacities[image]));
        pairs.all(|(a, b)| a == b || near(a, b))
    }

    fn packets_alike(&self) -> bool {
        // What matters of packets is how long one that arrives has to wait for the one under way.
        let residual = |packets: &PacketMix| packets.residual(Bandwidth::new(1.0)).get();
        let (before, after) = (&self.before.bound, &self.after.bound);
        before.fabric.links().all(|link| {
            let image = self.resources[link];
            near(residual(&before.packets[link]), residual(&after.packets[image]))
        })
    }

    /// Finds for all threads those that take their place. Their client NICs then take each other's place as well.
    fn threads_alike(&mut self) -> bool {
        let mut taken = vec![false; self.after.bound.threads.len()];
        let (before, after) = (&self.before.bound, &self.after.bound);
        before.threads.iter().all(|group| {
            let found = after.threads.iter().enumerate().position(|(index, image)| {
                if taken[index] || !self.same_supply(group, image) {
                    return false;
                }
                let clients = self.with_clients(group, image);
                let alike = clients.filter(|resources| self.visits_alike(group, image, resources));
                alike.is_some_and(|resources| {
                    self.resources = resources;
                    true
                })
            });
            found.is_some_and(|index| !std::mem::replace(&mut taken[index], true))
        })
    }

    fn same_supply(&self, a: &ThreadGroup, b: &ThreadGroup) -> bool {
        a.workload == b.workload
            && a.port.map(|port| self.renaming.ports[port]) == b.port
            && a.supply == b.supply
            && a.visits.len() == b.visits.len()
            && [
                (a.members, b.members),
                (a.population, b.population),
                (a.delay, b.delay),
                (a.think, b.think),
            ]
            .into_iter()
            .all(|(a, b)| near(a, b))
            && (a.slots == b.slots || near(a.slots, b.slots))
    }

    /// The renaming in which what clients of one group of threads use takes the place of what those of another do.
    fn with_clients(&self, a: &ThreadGroup, b: &ThreadGroup) -> Option<Vec<usize>> {
        let (here, there) = (clients(&self.before.bound, a), clients(&self.after.bound, b));
        if here.len() != there.len() {
            return None;
        }
        let mut resources = self.resources.clone();
        for (client, image) in here.into_iter().zip(there) {
            resources[client] = image;
        }
        Some(resources)
    }

    fn visits_alike(&self, a: &ThreadGroup, b: &ThreadGroup, resources: &[usize]) -> bool {
        let mut visits = a.visits.iter().zip(&b.visits);
        visits.all(|(&(one, share), &(other, image_share))| {
            let (one, other) = (&self.before.bound.classes[one], &self.after.bound.classes[other]);
            near(share, image_share) && self.classes_alike(one, other, resources)
        })
    }

    fn classes_alike(&self, a: &Class, b: &Class, resources: &[usize]) -> bool {
        a.operation == b.operation
            && a.behind.is_some() == b.behind.is_some()
            && a.port_core.map(|core| resources[core]) == b.port_core
            && [
                (a.payload, b.payload),
                (a.network, b.network),
                (a.disk, b.disk),
                (a.device_wait, b.device_wait),
            ]
            .into_iter()
            .all(|(a, b)| near(a, b))
            && self.demands_alike(&a.demand, &b.demand, resources)
            && self.demands_alike(a.waited_demand(), b.waited_demand(), resources)
            && self.works_alike(&a.work, &b.work)
            && self.works_alike(&a.bound_work, &b.bound_work)
            && self.works_alike(a.waited_work(), b.waited_work())
    }

    fn works_alike(&self, a: &[SocketWork], b: &[SocketWork]) -> bool {
        let mut sockets = a.iter().zip(&self.renaming.sockets);
        a.len() == b.len()
            && sockets.all(|(work, &image)| {
                near(work.instructions, b[image].instructions)
                    && near(work.serial_misses, b[image].serial_misses)
            })
    }

    /// Whether two demands are of the same parts of capacities, but for less than rounding of the greatest of them.
    fn demands_alike(&self, a: &[(usize, f64)], b: &[(usize, f64)], resources: &[usize]) -> bool {
        let mut difference: BTreeMap<usize, f64> = BTreeMap::new();
        let mut most: f64 = 0.0;
        for &(resource, units) in a {
            let load = units / self.before.capacities[resource];
            most = most.max(load);
            *difference.entry(resources[resource]).or_default() += load;
        }
        for &(resource, units) in b {
            *difference.entry(resource).or_default() -= units / self.after.capacities[resource];
        }
        difference
            .values()
            .all(|difference| difference.abs() <= ROUNDING * most)
    }
}

/// The resources of clients that operations of some threads use, in ascending order.
fn clients(bound: &Bound, group: &ThreadGroup) -> Vec<usize> {
    let classes = group.visits.iter().map(|&(class, _)| &bound.classes[class]);
    let demands = classes.flat_map(|class| class.demand.iter());
    let mut clients: Vec<usize> = demands
        .map(|&(resource, _)| resource)
        .filter(|&resource| bound.is_client(resource))
        .collect();
    clients.sort_unstable();
    clients.dedup();
    clients
}
