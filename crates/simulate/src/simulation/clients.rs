//! Which clients could use more of their own NICs and cores than there is.
//!
//! The operations of equal clients differ only in whose NIC and cores they use. As long as the operations
//! that a client has in flight cannot fill these, whatever the rates of operations do, they hold nothing
//! back, and the engine need not know whose an operation is: operations of all such clients are one class
//! there. Otherwise the client is *held*: its operations are classes of their own, which use its resources.
//!
//! What a client can use is bounded by a rate that no operation of a class exceeds: first the cap of the
//! class. Where many clients are held, it is twice the rate of the moment, which is watched from then on:
//! when a rate exceeds its bound, the bound is raised, and clients that could use more than there is are held
//! before time moves on. So the allocation is at every moment the one with all resources of all clients.

use bandgraph_model::Bound;

use super::sharing::Sharing;

/// Clients that are held without looking whether they need to be: few cost less than watching rates.
const FEW: usize = 8;
/// A bound over the rate that it was made for.
const HEADROOM: f64 = 2.0;

/// What one client has to itself.
#[derive(Clone, Debug, Default)]
struct Client {
    /// Classes of its operations.
    classes: Vec<usize>,
    /// How many resources it has.
    resources: usize,
    /// Its classes that have operations in flight, and how many.
    in_flight: Vec<(usize, u32)>,
    is_held: bool,
}

/// All clients whose resources can hold something back.
#[derive(Clone, Debug, Default)]
pub(super) struct Clients {
    all: Vec<Client>,
    /// By class: its client.
    of_class: Vec<Option<usize>>,
    /// By class: the share of each of its client's resources, by number, that an operation per second uses.
    shares: Vec<Vec<(usize, f64)>>,
    /// By class: that of the engine while its client is not held.
    engine_class: Vec<usize>,
    /// By class of the engine: the rate that no flow exceeds, and its cap.
    bounds: Vec<f64>,
    caps: Vec<f64>,
    held: usize,
    is_watched: bool,
    /// Most clients that are held without looking whether they need to be.
    pub(super) few: usize,
}

impl Clients {
    pub(super) fn new(bound: &Bound, capacities: &[f64], sharing: &Sharing) -> Self {
        let mut clients = Self {
            of_class: vec![None; bound.classes.len()],
            shares: vec![Vec::new(); bound.classes.len()],
            engine_class: sharing.engine_class.clone(),
            bounds: vec![f64::INFINITY; sharing.stands.len()],
            caps: vec![f64::INFINITY; sharing.stands.len()],
            few: FEW,
            ..Self::default()
        };
        let own = |class: usize| {
            let demand = bound.classes[class].moving_demand();
            demand.filter(|&(resource, _)| sharing.is_own(resource))
        };
        let machines = Machines::new(bound.resources.len(), (0..bound.classes.len()).map(own));
        // By resource: its number in its client, and by the first resource of a client: the client.
        let mut numbers = vec![None; bound.resources.len()];
        let mut known: Vec<Option<usize>> = vec![None; bound.resources.len()];
        for class in 0..bound.classes.len() {
            for (resource, units) in own(class) {
                let client = *known[machines.of(resource)].get_or_insert_with(|| {
                    clients.all.push(Client::default());
                    clients.all.len() - 1
                });
                let this = &mut clients.all[client];
                let number = *numbers[resource].get_or_insert_with(|| {
                    this.resources += 1;
                    this.resources - 1
                });
                if clients.of_class[class].is_none() {
                    this.classes.push(class);
                }
                clients.of_class[class] = Some(client);
                clients.shares[class].push((number, units / capacities[resource]));
            }
        }
        clients
    }

    /// An operation of a class begins. The client that it belongs to, if that has to be held now.
    pub(super) fn begin(&mut self, class: usize) -> Option<usize> {
        let client = self.of_class[class]?;
        let this = &mut self.all[client];
        match this.in_flight.iter_mut().find(|(of, _)| *of == class) {
            Some((_, flows)) => *flows += 1,
            None => this.in_flight.push((class, 1)),
        }
        (!this.is_held && !self.fits(client)).then_some(client)
    }

    /// An operation of a class is done.
    pub(super) fn end(&mut self, class: usize) {
        let Some(client) = self.of_class[class] else {
            return;
        };
        let in_flight = &mut self.all[client].in_flight;
        if let Some(position) = in_flight.iter().position(|(of, _)| *of == class) {
            in_flight[position].1 -= 1;
            if in_flight[position].1 == 0 {
                in_flight.swap_remove(position);
            }
        }
    }

    /// Whether what a client has in flight cannot fill any of its resources.
    fn fits(&self, client: usize) -> bool {
        let this = &self.all[client];
        // The cap of a class is no more than the resources of a client let one operation have.
        if let [] | [(_, 1)] = this.in_flight[..] {
            return true;
        }
        (0..this.resources).all(|resource| {
            let uses = this.in_flight.iter().map(|&(class, flows)| {
                let own = self.shares[class]
                    .iter()
                    .filter(|(number, _)| *number == resource);
                let share: f64 = own.map(|(_, share)| share).sum();
                f64::from(flows) * share * self.bounds[self.engine_class[class]]
            });
            // Written so that NaN does not fit.
            uses.sum::<f64>() <= 1.0
        })
    }

    /// Whether a client of a class is held, so that the class is one of its own in the engine.
    pub(super) fn is_held(&self, class: usize) -> bool {
        self.of_class[class].is_some_and(|client| self.all[client].is_held)
    }

    /// Holds a client, or lets it go.
    pub(super) fn set_held(&mut self, client: usize, held: bool) {
        self.all[client].is_held = held;
        if held {
            self.held += 1;
        } else {
            self.held -= 1;
        }
    }

    /// The classes of a client that have operations in flight.
    pub(super) fn in_flight(&self, client: usize) -> Vec<usize> {
        self.all[client]
            .in_flight
            .iter()
            .map(|&(class, _)| class)
            .collect()
    }

    /// All classes of a client; empty where there is no such client.
    pub(super) fn classes(&self, client: usize) -> &[usize] {
        self.all.get(client).map_or(&[], |client| &client.classes)
    }

    /// How many clients there are.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// A class of the engine has a cap. A cap above the bound of one that is not watched raises it.
    pub(super) fn set_cap(&mut self, number: usize, cap: f64) {
        self.caps[number] = cap;
        if self.bounds[number] == f64::INFINITY {
            self.bounds[number] = cap;
        } else if cap > self.bounds[number] {
            self.is_watched = true;
        }
    }

    /// Whether rates can exceed their bounds.
    pub(super) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Raises the bound of a class of the engine if its rate exceeds it. Whether it did.
    pub(super) fn raise(&mut self, number: usize, rate: f64) -> bool {
        let raised = rate > self.bounds[number];
        if raised {
            self.bounds[number] = (HEADROOM * rate).min(self.caps[number].max(rate));
        }
        raised
    }

    /// The clients that have to be held under the bounds of now.
    pub(super) fn overflowing(&self) -> Vec<usize> {
        let all = 0..self.all.len();
        all.filter(|&client| !self.all[client].is_held && !self.fits(client))
            .collect()
    }

    /// Whether so many clients are held that it is worth looking which need to be.
    pub(super) fn are_many_held(&self) -> bool {
        self.held > self.few
    }

    /// Has the bound of a class of the engine follow the rate that its flows are allowed.
    pub(super) fn follow(&mut self, number: usize, allowed: f64) {
        self.bounds[number] = (HEADROOM * allowed).min(self.caps[number]);
        self.is_watched = true;
    }

    /// The clients that need not be held under the bounds of now.
    pub(super) fn fitting(&self) -> Vec<usize> {
        let all = 0..self.all.len();
        all.filter(|&client| self.all[client].is_held && self.fits(client))
            .collect()
    }
}

/// Resources that operations use together, by the first of them: those of one client.
struct Machines(Vec<usize>);

impl Machines {
    fn new<Own: Iterator<Item = (usize, f64)>>(resources: usize, classes: impl Iterator<Item = Own>) -> Self {
        let mut machines = Self((0..resources).collect());
        for own in classes {
            let mut first = None;
            for (resource, _) in own {
                let machine = machines.of(resource);
                let first = *first.get_or_insert(machine);
                let (one, other) = (machines.of(first), machine);
                machines.0[one.max(other)] = one.min(other);
            }
        }
        machines
    }

    fn of(&self, resource: usize) -> usize {
        let mut machine = resource;
        while self.0[machine] != machine {
            machine = self.0[machine];
        }
        machine
    }
}
