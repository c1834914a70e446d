//! The server in the engine: resources, classes of operations, and their costs at the present load.

mod class_costs;

use bandgraph_engine::{ClassIndex, ClassSpec, Engine, Event, ResourceIndex, Time as Instant};
use bandgraph_model::Bound;
use bandgraph_solve::{RunError, SteadyState};

use self::class_costs::core_cycles;
use super::amounts::Amounts;
use super::beside::{Beside, Half, operation_of};
use super::clients::Clients;
use super::devices::{Devices, Owner};
use super::feedback::{Feedback, SETTLED_AFTER};
use super::sharing::Sharing;
use super::tag::Tag;

/// The tag of the feedback timer; no driver uses it.
const FEEDBACK: u64 = u64::MAX;
/// Bits of a driver's tag; the higher bits hold the class.
const TAG_BITS: u32 = 48;

/// A class in the engine.
#[derive(Clone, Copy, Debug)]
struct Known {
    index: ClassIndex,
    /// Its number in the [`Sharing`]; `None` for the class of a held client.
    number: Option<usize>,
    /// The class of the scenario that determines its costs.
    class: usize,
    /// Coefficient of variation of the duration of an operation, caused by its work.
    variation: f64,
    /// Whether the engine does not yet have the present costs; a class without operations is not updated.
    stale: bool,
}

/// A server in the engine.
pub(super) struct Server<'a> {
    pub(super) bound: &'a Bound,
    engine: Engine,
    /// The engine's resource for each resource that may limit a class, without those of clients.
    resources: Vec<Option<ResourceIndex>>,
    /// The engine's resources of clients that are or were held.
    own_resources: Vec<Option<ResourceIndex>>,
    /// The classes in the engine whose costs follow the load.
    known: Vec<Known>,
    /// Positions in `known`: by number in the [`Sharing`], and by class of a held client.
    shared_classes: Vec<Option<usize>>,
    own_classes: Vec<Option<usize>>,
    /// The engine's classes of deferred work.
    background: Vec<ClassIndex>,
    sharing: Sharing,
    pub(super) clients: Clients,
    /// Clients below this index have been checked for classes of their own; `None` if classes are only
    /// created at their first use.
    clients_with_classes: Option<usize>,
    devices: Devices,
    beside: Beside,
    /// An error at the start of an operation; it ends the run.
    failure: Option<RunError>,
    /// Work of the completed operations, by class; a mean operation counts as 1.
    completed: Vec<f64>,
    amounts: Amounts,
    feedback: Feedback,
    /// The time of the last reading.
    read_at: Instant,
    /// Whether an operation began or ended since then.
    stirred: bool,
    /// Readings since the last change. After many readings there are no more until the next change: the load
    /// is constant, and gaps of a trace cost nothing.
    quiet: u32,
}

impl<'a> Server<'a> {
    /// An idle server with the miss latencies of the steady state, for a run of `run_seconds`.
    pub(super) fn new(bound: &'a Bound, steady: &SteadyState, run_seconds: f64) -> Result<Self, RunError> {
        let capacities = bound.usable_capacities();
        let sharing = Sharing::new(bound, &capacities);
        Self::with(bound, steady, run_seconds, sharing)
    }

    /// As [`Self::new`], but classes are added to the engine at their first use: traces have very many
    /// classes and use few.
    pub(super) fn of_used_classes(
        bound: &'a Bound,
        steady: &SteadyState,
        run_seconds: f64,
    ) -> Result<Self, RunError> {
        let capacities = bound.usable_capacities();
        let sharing = Sharing::new(bound, &capacities);
        let mut server = Self::without_classes(bound, steady, run_seconds, sharing)?;
        server.amounts.fix();
        Ok(server)
    }

    /// A server with a given sharing of classes.
    pub(super) fn with(
        bound: &'a Bound,
        steady: &SteadyState,
        run_seconds: f64,
        sharing: Sharing,
    ) -> Result<Self, RunError> {
        let mut server = Self::without_classes(bound, steady, run_seconds, sharing)?;
        for number in 0..server.shared_classes.len() {
            server.shared_class(number)?;
        }
        server.clients_with_classes = Some(0);
        Ok(server)
    }

    fn without_classes(
        bound: &'a Bound,
        steady: &SteadyState,
        run_seconds: f64,
        sharing: Sharing,
    ) -> Result<Self, RunError> {
        let mut engine = Engine::new();
        let capacities = bound.usable_capacities();
        let resources = (0..capacities.len()).map(|resource| {
            sharing
                .is_in_engine(resource)
                .then(|| engine.add_resource(capacities[resource]))
                .transpose()
        });
        let resources = resources.collect::<Result<Vec<_>, _>>()?;
        let feedback = Feedback::new(bound, steady, run_seconds);
        let rest = |index: usize| {
            let class = &bound.classes[index];
            let cycles = core_cycles(bound, &feedback, (class.waited_work(), class.homes));
            let work: f64 = cycles.map(|(socket, cycles)| cycles / socket.clock).sum();
            class.serial.seconds(work, sharing.transfer_seconds[index])
        };
        let mut server = Self {
            beside: Beside::new(bound, &capacities, rest),
            bound,
            devices: Devices::new(&mut engine, bound, steady, &resources)?,
            own_resources: vec![None; resources.len()],
            resources,
            known: Vec::new(),
            shared_classes: vec![None; sharing.stands.len()],
            own_classes: vec![None; bound.classes.len()],
            background: Vec::new(),
            clients: Clients::new(bound, &capacities, &sharing),
            clients_with_classes: None,
            failure: None,
            completed: vec![0.0; bound.classes.len()],
            amounts: Amounts::new(bound),
            feedback,
            read_at: engine.now(),
            stirred: false,
            quiet: 0,
            engine,
            sharing,
        };
        for index in 0..bound.background.len() {
            let spec = server.spec_background(index);
            server.background.push(server.engine.add_class(spec)?);
        }
        server.engine.start_timer(server.feedback.interval(), FEEDBACK);
        Ok(server)
    }

    /// The time of the last event.
    pub(super) fn now(&self) -> Instant {
        self.engine.now()
    }

    /// Starts a timer of a driver.
    pub(super) fn wait(&mut self, delay: Instant, tag: u64) {
        self.engine.start_timer(delay, tag);
    }

    /// Starts an operation of a class now; its completion carries the driver's tag, below 2^48.
    pub(super) fn start(&mut self, class: usize, tag: u64) {
        if self.bound.classes[class].device_waits.is_empty() {
            self.move_data(class, tag);
        } else {
            if self.beside.share(class) > 0.0 {
                let part = self.beside.start(tag);
                self.move_data(class, part);
            }
            self.devices.enter(&mut self.engine, self.bound, class, tag);
            self.move_ready();
        }
    }

    /// Starts the data movement of operations that have waited for devices.
    fn move_ready(&mut self) {
        while let Some((class, tag)) = self.devices.take_ready() {
            if self.beside.end(class, tag, Half::Waits) {
                self.move_data(class, tag);
            }
        }
    }

    /// Starts the flow of an operation over all resources except the devices that it has waited for, or of
    /// the part of it that moves beside these waits.
    fn move_data(&mut self, class: usize, tag: u64) {
        self.stir();
        if let Err(error) = self.start_flow(class, tag) {
            self.failure = Some(error);
        }
    }

    fn start_flow(&mut self, class: usize, tag: u64) -> Result<(), RunError> {
        let shared = self.shared_class(self.sharing.engine_class[class])?;
        let (share, part_of) = (self.beside.share(class), operation_of(tag));
        let is_first = part_of.is_some() || share == 0.0;
        if is_first && let Some(client) = self.clients.begin(class) {
            self.hold(client)?;
        }
        let position = if self.clients.is_held(class) {
            self.own_class(class)?
        } else {
            shared
        };
        let index = self.renewed(position);
        let amount = if is_first {
            let operation = part_of.unwrap_or(tag);
            let whole = self.amounts.draw(operation, self.known[position].variation);
            if part_of.is_some() { share * whole } else { whole }
        } else {
            (1.0 - share) * self.amounts.of(tag)
        };
        self.engine.start_flow(index, amount, tagged(class, tag));
        Ok(())
    }

    /// The position of the class with a number in the sharing, added to the engine if necessary.
    fn shared_class(&mut self, number: usize) -> Result<usize, RunError> {
        if let Some(position) = self.shared_classes[number] {
            return Ok(position);
        }
        let (spec, variation) = self.spec(self.sharing.stands[number], false);
        self.clients
            .set_cap(number, spec.rate_cap.unwrap_or(f64::INFINITY));
        self.shared_classes[number] = Some(self.known.len());
        self.add((spec, variation), Some(number), self.sharing.stands[number])
    }

    /// The position of the class for operations of `class` while their client is held.
    fn own_class(&mut self, class: usize) -> Result<usize, RunError> {
        if let Some(position) = self.own_classes[class] {
            return Ok(position);
        }
        for (resource, _) in self.bound.classes[class].moving_demand() {
            if self.sharing.is_own(resource) && self.own_resources[resource].is_none() {
                let capacity = self.bound.resources[resource].usable();
                self.own_resources[resource] = Some(self.engine.add_resource(capacity)?);
            }
        }
        let spec = self.spec(class, true);
        self.own_classes[class] = Some(self.known.len());
        self.add(spec, None, class)
    }

    /// Adds a class to the engine; returns its position in `known`.
    #[cold]
    fn add(
        &mut self,
        (spec, variation): (ClassSpec, f64),
        number: Option<usize>,
        class: usize,
    ) -> Result<usize, RunError> {
        self.known.push(Known {
            index: self.engine.add_class(spec)?,
            variation,
            number,
            class,
            stale: false,
        });
        Ok(self.known.len() - 1)
    }

    /// Moves the operations of a client to its own resources.
    fn hold(&mut self, client: usize) -> Result<(), RunError> {
        self.make_own_classes(client)?;
        self.clients.set_held(client, true);
        for class in self.clients.in_flight(client) {
            let from = self.shared_class(self.sharing.engine_class[class])?;
            let to = self.own_class(class)?;
            self.move_flows(class, from, to);
        }
        Ok(())
    }

    /// Moves the operations of a client, which cannot fill its resources, to the shared classes.
    fn let_go(&mut self, client: usize) -> Result<(), RunError> {
        self.clients.set_held(client, false);
        for class in self.clients.in_flight(client) {
            let from = self.own_class(class)?;
            let to = self.shared_class(self.sharing.engine_class[class])?;
            self.move_flows(class, from, to);
        }
        Ok(())
    }

    fn move_flows(&mut self, class: usize, from: usize, to: usize) {
        let (from, to) = (self.known[from].index, self.renewed(to));
        self.engine.move_flows(from, to, |tag| untagged(tag).0 == class);
    }

    /// Adds the own classes of a client to the engine, together with those of as many other clients as have
    /// theirs: the engine sorts all its classes whenever it gets new ones.
    fn make_own_classes(&mut self, client: usize) -> Result<(), RunError> {
        let Some(made) = self.clients_with_classes else {
            return Ok(());
        };
        let until = (2 * made + 1).min(self.clients.count());
        let is_made = |&class: &usize| self.own_classes[class].is_some();
        if self.clients.classes(client).iter().all(is_made) {
            return Ok(());
        }
        self.clients_with_classes = Some(until);
        for client in (made..until).chain([client]) {
            for class in self.clients.classes(client).to_vec() {
                self.own_class(class)?;
            }
        }
        Ok(())
    }

    /// Holds the clients that may exceed their capacity at the present rates.
    fn watch_clients(&mut self) -> Result<(), RunError> {
        while self.clients.is_watched() {
            self.engine.settle()?;
            let mut raised = false;
            for &position in self.shared_classes.iter().flatten() {
                let known = self.known[position];
                if let Some(number) = known.number {
                    raised |= self.clients.raise(number, self.engine.class_rate(known.index));
                }
            }
            if !raised {
                break;
            }
            for client in self.clients.overflowing() {
                self.hold(client)?;
            }
        }
        Ok(())
    }

    /// If many clients are held, releases those that need not be.
    fn let_clients_go(&mut self) -> Result<(), RunError> {
        if !self.clients.are_many_held() {
            return Ok(());
        }
        self.engine.settle()?;
        for known in &self.known {
            if let Some(number) = known.number {
                self.clients.follow(number, self.engine.allowed_rate(known.index));
            }
        }
        for client in self.clients.fitting() {
            self.let_go(client)?;
        }
        Ok(())
    }

    /// Operations at the server.
    pub(super) fn flows_in_flight(&self) -> u64 {
        self.engine.flows_in_flight() + self.devices.count() as u64 - self.beside.running
    }

    /// Starts the deferred work of a number of operations; its completion carries the tag.
    pub(super) fn start_background(&mut self, index: usize, operations: f64, tag: u64) {
        self.stir();
        let tag = tagged(self.bound.classes.len() + index, tag);
        self.engine.start_flow(self.background[index], operations, tag);
    }

    /// Operations whose deferred work of this kind is started and not completed.
    pub(super) fn background_left(&self, index: usize) -> f64 {
        let (taken_in, done) = self.engine.class_work(self.background[index]);
        (taken_in - done).max(0.0)
    }

    /// The next event for a driver before `limit`; if there is none, time advances to `limit` and the result
    /// is `None`.
    pub(super) fn next_before(
        &mut self,
        limit: Instant,
        events: &mut u64,
    ) -> Result<Option<Event>, RunError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let commands = self.bound.classes.len() + self.bound.background.len();
        loop {
            self.watch_clients()?;
            let Some(event) = self.engine.next_before(limit)? else {
                return Ok(None);
            };
            *events += 1;
            match event {
                Event::Timer { tag: FEEDBACK } => self.feed_back()?,
                Event::Timer { tag } if let Tag::Device { bank, device } = Tag::of(tag) => {
                    self.devices.streamed(&mut self.engine, self.bound, bank, device);
                }
                Event::Timer { tag } if let Tag::Served { to_log, number } = Tag::of(tag) => {
                    let (engine, bound) = (&mut self.engine, self.bound);
                    self.devices
                        .answered(engine, bound, Owner::of(to_log, number as usize));
                    self.move_ready();
                }
                Event::FlowDone { tag, .. } if untagged(tag).0 >= commands => {
                    let (of_bank, device) = untagged(tag);
                    let (engine, bound) = (&mut self.engine, self.bound);
                    self.devices
                        .done(engine, bound, of_bank - commands, device as usize);
                    self.move_ready();
                }
                Event::FlowDone { class, tag, started } => {
                    self.stir();
                    let (of_scenario, tag) = untagged(tag);
                    let is_deferred = of_scenario >= self.completed.len();
                    if let Some(operation) = operation_of(tag).filter(|_| !is_deferred) {
                        if self.beside.end(of_scenario, operation, Half::Part) {
                            self.move_data(of_scenario, operation);
                        }
                        continue;
                    }
                    // Deferred work has no replies.
                    if let Some(completed) = self.completed.get_mut(of_scenario) {
                        *completed += self.amounts.of(tag);
                        self.clients.end(of_scenario);
                    }
                    return Ok(Some(Event::FlowDone { class, tag, started }));
                }
                _ => return Ok(Some(event)),
            }
        }
    }

    /// Adapts miss latencies to the load of the last interval, and starts the next interval.
    fn feed_back(&mut self) -> Result<(), RunError> {
        let known = self.known.iter();
        let done = known.map(|known| (known.class, self.engine.class_work(known.index).1));
        let work = |&class: &ClassIndex| self.engine.class_work(class).1;
        let background = self.background.iter().map(work);
        let first = self.bound.classes.len();
        let done = done.chain((first..).zip(background));
        let (now, interval) = (self.engine.now(), self.feedback.interval());
        let passed = now.as_picoseconds() - self.read_at.as_picoseconds();
        let intervals = (passed as f64 / interval.as_picoseconds() as f64).round();
        self.read_at = now;
        if self.feedback.read(self.bound, intervals, done) {
            for position in 0..self.known.len() {
                let known = &mut self.known[position];
                known.stale = true;
                if self.engine.flows_in(known.index) > 0 {
                    self.renewed(position);
                }
            }
            for index in 0..self.background.len() {
                let spec = self.spec_background(index);
                self.engine.set_class(self.background[index], spec);
            }
        }
        self.quiet = if self.stirred { 0 } else { self.quiet + 1 };
        self.stirred = false;
        if self.quiet < SETTLED_AFTER {
            self.engine.start_timer(interval, FEEDBACK);
        }
        self.let_clients_go()
    }

    /// Marks the shares stale. If readings had stopped, the next one is on the original grid.
    fn stir(&mut self) {
        self.stirred = true;
        if self.quiet >= SETTLED_AFTER {
            self.quiet = 0;
            let interval = self.feedback.interval().as_picoseconds();
            let passed = self.engine.now().as_picoseconds() - self.read_at.as_picoseconds();
            let until = interval - passed % interval;
            self.engine
                .start_timer(Instant::from_picoseconds(until), FEEDBACK);
        }
    }

    /// A class of the engine, with its costs updated.
    fn renewed(&mut self, position: usize) -> ClassIndex {
        let Known {
            index,
            number,
            class,
            stale,
            ..
        } = self.known[position];
        if stale {
            let (spec, variation) = self.spec(class, number.is_none());
            if let (Some(number), Some(cap)) = (number, spec.rate_cap) {
                self.clients.set_cap(number, cap);
            }
            self.engine.set_class(index, spec);
            self.known[position].stale = false;
            self.known[position].variation = variation;
        }
        index
    }

    /// Units of every resource used since the start: from the engine for its resources, and from the work
    /// done for the others. Deferred work counts when it is done.
    pub(super) fn usage(&self) -> Vec<f64> {
        let mut usage = vec![0.0; self.resources.len()];
        let mut add = |demand: &mut dyn Iterator<Item = (usize, f64)>, operations: f64| {
            for (resource, units) in demand {
                usage[resource] += units * operations;
            }
        };
        for (class, work) in self.bound.classes.iter().zip(self.work_done()) {
            add(&mut class.moving_demand(), work);
        }
        for (background, &class) in self.bound.background.iter().zip(&self.background) {
            add(
                &mut background.demand.iter().copied(),
                self.engine.class_work(class).1,
            );
        }
        self.devices.add_usage(&self.engine, self.bound, &mut usage);
        let in_engine = self.engine.resource_usages();
        for (usage, resource) in usage.iter_mut().zip(&self.resources) {
            if let Some(resource) = resource {
                *usage = in_engine[resource.index()];
            }
        }
        usage
    }

    /// Operations of every class done since the start, by work; those in flight count by their completed
    /// fraction.
    pub(super) fn work_done(&self) -> Vec<f64> {
        let mut done = self.completed.clone();
        for (class, tag) in self.beside.moved() {
            done[class] += self.beside.share(class) * self.amounts.of(tag);
        }
        for known in &self.known {
            for (tag, left) in self.engine.flows(known.index) {
                let (class, tag) = untagged(tag);
                done[class] += match operation_of(tag) {
                    Some(operation) => self.beside.share(class) * self.amounts.of(operation) - left,
                    None => self.amounts.of(tag) - left,
                };
            }
        }
        done
    }

    /// The numbers of the calls with flows in flight or active timers, once for each flow and timer.
    pub(super) fn calls(&self) -> impl Iterator<Item = u32> {
        let flows = self.known.iter().flat_map(|known| self.engine.flows(known.index));
        let timers = self.engine.timers().filter_map(|tag| match Tag::of(tag) {
            Tag::Call(number) | Tag::Slowed(number) | Tag::Thread { number, .. } => Some(number),
            Tag::Arrival(_) | Tag::Groups | Tag::Trace | Tag::Device { .. } | Tag::Served { .. } => None,
        });
        // Those beside waits for devices are with the devices.
        let flows = flows.filter_map(|(tag, _)| {
            let (class, tag) = untagged(tag);
            match operation_of(tag) {
                Some(operation) => self.beside.is_left(class, operation).then_some(operation as u32),
                None => Some(tag as u32),
            }
        });
        flows
            .chain(timers)
            .chain(self.devices.waiting().map(|tag| tag as u32))
    }

    /// Runs the audit of the engine.
    pub(super) fn audit(&self) -> Result<(), RunError> {
        Ok(self.engine.audit()?)
    }
}

/// The engine's tag of an operation: the class above the driver's tag.
pub(super) fn tagged(class: usize, tag: u64) -> u64 {
    assert!(tag < 1 << TAG_BITS, "drivers number their operations below 2^48");
    (class as u64) << TAG_BITS | tag
}

/// The class of an operation and the driver's tag.
fn untagged(tag: u64) -> (usize, u64) {
    ((tag >> TAG_BITS) as usize, tag & ((1 << TAG_BITS) - 1))
}
