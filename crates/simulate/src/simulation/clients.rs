//! Clients that may saturate their own NICs or cores.
//!
//! The operations of identical clients differ only in the NIC and cores that they use. As long as the
//! operations in flight of a client cannot fill these at any rates, the client limits nothing, and the engine
//! need not distinguish it: the operations of all such clients are one class in the engine. Otherwise the
//! client is *held*: its operations have their own classes, which use its resources.
//!
//! The use of a client is bounded by an upper bound of the rate of each class: at first the cap of the class.
//! If many clients are held, it is twice the present rate, which is then watched: if a rate exceeds its
//! bound, the bound rises, and clients that may exceed their capacity are held before time advances. The
//! allocation therefore always equals the one with all resources of all clients.

use bandgraph_model::Bound;

use super::sharing::Sharing;

/// Number of clients that are held without a check: few clients cost less than watched rates.
const FEW: usize = 8;
/// Ratio of a bound to the rate at the time of its choice.
const HEADROOM: f64 = 2.0;

/// The private resources and the state of one client.
#[derive(Clone, Debug, Default)]
struct Client {
    /// Classes of its operations.
    classes: Vec<usize>,
    /// Number of its resources.
    resources: usize,
    /// Its classes with operations in flight, and their number.
    in_flight: Vec<(usize, u32)>,
    is_held: bool,
}

/// All clients with resources that may limit.
#[derive(Clone, Debug, Default)]
pub(super) struct Clients {
    all: Vec<Client>,
    /// By class: its client.
    of_class: Vec<Option<usize>>,
    /// By class: the share of each resource of its client, by number, per operation/s.
    shares: Vec<Vec<(usize, f64)>>,
    /// By class: the class of the engine while its client is not held.
    engine_class: Vec<usize>,
    /// By class of the engine: the upper bound of the rate of a flow, and the cap.
    bounds: Vec<f64>,
    caps: Vec<f64>,
    held: usize,
    is_watched: bool,
    /// Maximum number of clients that are held without a check.
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
        // By resource: its number in its client; and by the first resource of a client: the client.
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

    /// Registers an operation of a class; returns its client if that must be held now.
    pub(super) fn begin(&mut self, class: usize) -> Option<usize> {
        let client = self.of_class[class]?;
        let this = &mut self.all[client];
        match this.in_flight.iter_mut().find(|(of, _)| *of == class) {
            Some((_, flows)) => *flows += 1,
            None => this.in_flight.push((class, 1)),
        }
        (!this.is_held && !self.fits(client)).then_some(client)
    }

    /// Removes a completed operation of a class.
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

    /// Whether the operations in flight of a client cannot fill any of its resources.
    fn fits(&self, client: usize) -> bool {
        let this = &self.all[client];
        // The cap of a class is at most the rate that its client's resources permit for one operation.
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

    /// Whether the client of a class is held, so that the class has its own class in the engine.
    pub(super) fn is_held(&self, class: usize) -> bool {
        self.of_class[class].is_some_and(|client| self.all[client].is_held)
    }

    /// Marks a client as held or not.
    pub(super) fn set_held(&mut self, client: usize, held: bool) {
        self.all[client].is_held = held;
        if held {
            self.held += 1;
        } else {
            self.held -= 1;
        }
    }

    /// The classes of a client with operations in flight.
    pub(super) fn in_flight(&self, client: usize) -> Vec<usize> {
        self.all[client]
            .in_flight
            .iter()
            .map(|&(class, _)| class)
            .collect()
    }

    /// All classes of a client; empty if there is no such client.
    pub(super) fn classes(&self, client: usize) -> &[usize] {
        self.all.get(client).map_or(&[], |client| &client.classes)
    }

    /// Number of clients.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Sets the cap of a class of the engine. A cap above the bound of an unwatched class raises the bound.
    pub(super) fn set_cap(&mut self, number: usize, cap: f64) {
        self.caps[number] = cap;
        if self.bounds[number] == f64::INFINITY {
            self.bounds[number] = cap;
        } else if cap > self.bounds[number] {
            self.is_watched = true;
        }
    }

    /// Whether rates may exceed their bounds.
    pub(super) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Raises the bound of a class of the engine if its rate exceeds it; returns whether it did.
    pub(super) fn raise(&mut self, number: usize, rate: f64) -> bool {
        let raised = rate > self.bounds[number];
        if raised {
            self.bounds[number] = (HEADROOM * rate).min(self.caps[number].max(rate));
        }
        raised
    }

    /// The clients that must be held at the present bounds.
    pub(super) fn overflowing(&self) -> Vec<usize> {
        let all = 0..self.all.len();
        all.filter(|&client| !self.all[client].is_held && !self.fits(client))
            .collect()
    }

    /// Whether more clients are held than are worth a check.
    pub(super) fn are_many_held(&self) -> bool {
        self.held > self.few
    }

    /// Sets the bound of a class of the engine from the rate permitted for its flows.
    pub(super) fn follow(&mut self, number: usize, allowed: f64) {
        self.bounds[number] = (HEADROOM * allowed).min(self.caps[number]);
        self.is_watched = true;
    }

    /// The held clients that need not be held at the present bounds.
    pub(super) fn fitting(&self) -> Vec<usize> {
        let all = 0..self.all.len();
        all.filter(|&client| self.all[client].is_held && self.fits(client))
            .collect()
    }
}

/// Union-find of the resources of one client, identified by the first of them.
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
