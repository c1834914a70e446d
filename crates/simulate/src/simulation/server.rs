//! The server as the engine sees it: resources, classes of operations, and their costs under the load of the
//! moment.

use bandgraph_engine::{ClassIndex, ClassSpec, Engine, Event, ResourceIndex, Time as Instant};
use bandgraph_model::{Bound, SocketWork};
use bandgraph_solve::{RunError, SteadyState};

use super::devices::Devices;
use super::feedback::{Feedback, SETTLED_AFTER};
use super::sharing::Sharing;
use super::tag::Tag;

/// The tag of the feedback's timer; no driver uses it.
const FEEDBACK: u64 = u64::MAX;
/// Bits of a driver's tag; those above are for the class, of which there are far fewer than they could tell.
const TAG_BITS: u32 = 48;
/// Operations per second of one that has nothing to do but to wait for devices.
const AT_ONCE: f64 = 1e12;

/// A server in the engine.
pub(super) struct Server<'a> {
    pub(super) bound: &'a Bound,
    engine: Engine,
    /// The engine's resource for each that can hold a class back.
    resources: Vec<Option<ResourceIndex>>,
    /// The engine's classes, as far as it knows them.
    classes: Vec<Option<ClassIndex>>,
    /// The engine's classes of what is done behind operations.
    behind: Vec<ClassIndex>,
    sharing: Sharing,
    devices: Devices,
    /// Those that it knows, which follow the load.
    in_use: Vec<usize>,
    /// By class, whether it has yet to be told what it costs now: without operations it costs nobody
    /// anything.
    stale: Vec<bool>,
    /// What went wrong when an operation was started; it ends the run.
    failure: Option<RunError>,
    /// Operations completed, by class.
    completed: Vec<u64>,
    feedback: Feedback,
    /// When it was last read.
    read_at: Instant,
    /// Whether something began or ended since then.
    stirred: bool,
    /// Readings since something last did. After many there are no more until something does: the load stands
    /// still, and gaps of a trace cost nothing.
    quiet: u32,
}

impl<'a> Server<'a> {
    /// A server with nothing to do yet, whose miss latencies are those of the steady state, for a run of so
    /// many seconds.
    pub(super) fn new(bound: &'a Bound, steady: &SteadyState, run_seconds: f64) -> Result<Self, RunError> {
        let capacities = bound.usable_capacities();
        let sharing = Sharing::new(bound, &capacities);
        Self::with(bound, steady, run_seconds, sharing)
    }

    /// The same, but the engine is told of classes when they are first used: for traces, which have very many
    /// of which they use few.
    pub(super) fn of_used_classes(
        bound: &'a Bound,
        steady: &SteadyState,
        run_seconds: f64,
    ) -> Result<Self, RunError> {
        let capacities = bound.usable_capacities();
        let mut sharing = Sharing::new(bound, &capacities);
        sharing.cap_by_clients(bound, &capacities);
        Self::without_classes(bound, steady, run_seconds, sharing)
    }

    /// A server whose classes are known to the engine in a given way.
    pub(super) fn with(
        bound: &'a Bound,
        steady: &SteadyState,
        run_seconds: f64,
        sharing: Sharing,
    ) -> Result<Self, RunError> {
        let mut server = Self::without_classes(bound, steady, run_seconds, sharing)?;
        for class in 0..server.classes.len() {
            server.begin_use(class)?;
        }
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
        let mut server = Self {
            bound,
            devices: Devices::new(&mut engine, bound, &resources)?,
            resources,
            classes: vec![None; sharing.stands.len()],
            behind: Vec::new(),
            in_use: Vec::new(),
            stale: vec![false; sharing.stands.len()],
            failure: None,
            completed: vec![0; bound.classes.len()],
            feedback: Feedback::new(bound, steady, run_seconds),
            read_at: engine.now(),
            stirred: false,
            quiet: 0,
            engine,
            sharing,
        };
        for behind in 0..bound.behind.len() {
            let spec = server.spec_behind(behind);
            server.behind.push(server.engine.add_class(spec)?);
        }
        server.engine.start_timer(server.feedback.interval(), FEEDBACK);
        Ok(server)
    }

    /// The time of the last event.
    pub(super) fn now(&self) -> Instant {
        self.engine.now()
    }

    /// Has a driver's timer run out after a while, with the driver's tag.
    pub(super) fn wait(&mut self, delay: Instant, tag: u64) {
        self.engine.start_timer(delay, tag);
    }

    /// Starts an operation of a class, now; its completion comes with the driver's tag, below 2^48.
    pub(super) fn start(&mut self, class: usize, tag: u64) {
        if self.bound.classes[class].device_waits.is_empty() {
            self.move_data(class, tag);
        } else {
            self.devices.enter(&mut self.engine, self.bound, class, tag);
            self.move_ready();
        }
    }

    /// Lets operations that have waited for devices move their data.
    fn move_ready(&mut self) {
        while let Some((class, tag)) = self.devices.take_ready() {
            self.move_data(class, tag);
        }
    }

    /// Starts the flow of an operation over all resources but the devices that it has waited for.
    fn move_data(&mut self, class: usize, tag: u64) {
        self.stir();
        let number = self.sharing.engine_class[class];
        let known = match self.classes[number] {
            Some(known) => Ok(known),
            None => self.begin_use(number),
        };
        if self.stale[number] {
            self.renew(number);
        }
        match known {
            Ok(known) => self.engine.start_flow(known, 1.0, tagged(class, tag)),
            Err(error) => self.failure = Some(error),
        }
    }

    /// Tells the engine of a class, with the costs that it has now.
    #[cold]
    fn begin_use(&mut self, number: usize) -> Result<ClassIndex, RunError> {
        let spec = self.spec(number);
        let class = self.engine.add_class(spec)?;
        self.classes[number] = Some(class);
        self.in_use.push(number);
        Ok(class)
    }

    /// Operations at the server.
    pub(super) fn flows_in_flight(&self) -> u64 {
        self.engine.flows_in_flight() + self.devices.count() as u64
    }

    /// Starts what is left to be done behind so many operations; its completion comes with the tag.
    pub(super) fn start_behind(&mut self, behind: usize, operations: f64, tag: u64) {
        self.stir();
        let tag = tagged(self.bound.classes.len() + behind, tag);
        self.engine.start_flow(self.behind[behind], operations, tag);
    }

    /// Operations whose rest, of this kind, is being done behind them and not done yet.
    pub(super) fn behind_left(&self, behind: usize) -> f64 {
        let (taken_in, done) = self.engine.class_work(self.behind[behind]);
        (taken_in - done).max(0.0)
    }

    /// The next event before `limit` that is for a driver; `None` when there is none, and time is `limit`.
    pub(super) fn next_before(
        &mut self,
        limit: Instant,
        events: &mut u64,
    ) -> Result<Option<Event>, RunError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let commands = self.bound.classes.len() + self.bound.behind.len();
        while let Some(event) = self.engine.next_before(limit)? {
            *events += 1;
            match event {
                Event::Timer { tag: FEEDBACK } => self.feed_back(),
                Event::Timer { tag } if let Tag::Device { bank, device } = Tag::of(tag) => {
                    self.devices.streamed(&mut self.engine, self.bound, bank, device);
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
                    // What is done behind operations has no replies.
                    if let Some(completed) = self.completed.get_mut(of_scenario) {
                        *completed += 1;
                    }
                    return Ok(Some(Event::FlowDone { class, tag, started }));
                }
                _ => return Ok(Some(event)),
            }
        }
        Ok(None)
    }

    /// Lets miss latencies follow the load of the last interval, and starts the next.
    fn feed_back(&mut self) {
        let done = self.in_use.iter().filter_map(|&number| {
            let done = self.engine.class_done(self.classes[number]?);
            Some((self.sharing.stands[number], done))
        });
        let behind = self.behind.iter().map(|&class| self.engine.class_done(class));
        let first = self.bound.classes.len();
        let done = done.chain((first..).zip(behind));
        let (now, interval) = (self.engine.now(), self.feedback.interval());
        let passed = now.as_picoseconds() - self.read_at.as_picoseconds();
        let intervals = (passed as f64 / interval.as_picoseconds() as f64).round();
        self.read_at = now;
        if self.feedback.read(self.bound, intervals, done) {
            for position in 0..self.in_use.len() {
                let number = self.in_use[position];
                let flows = self.classes[number].map_or(0, |class| self.engine.flows_in(class));
                if flows > 0 {
                    self.renew(number);
                } else {
                    self.stale[number] = true;
                }
            }
            for behind in 0..self.behind.len() {
                let spec = self.spec_behind(behind);
                self.engine.set_class(self.behind[behind], spec);
            }
        }
        self.quiet = if self.stirred { 0 } else { self.quiet + 1 };
        self.stirred = false;
        if self.quiet < SETTLED_AFTER {
            self.engine.start_timer(interval, FEEDBACK);
        }
    }

    /// Something begins or ends. The next reading is where it would be if they had gone on.
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

    /// Tells the engine what a class that it knows costs now.
    fn renew(&mut self, number: usize) {
        let spec = self.spec(number);
        if let Some(class) = self.classes[number] {
            self.engine.set_class(class, spec);
        }
        self.stale[number] = false;
    }

    /// Units of every resource used since the start: from the engine's books for those that it has, and from
    /// the work done for the others. What operations leave to be done counts when it is done.
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
        for (behind, &class) in self.bound.behind.iter().zip(&self.behind) {
            add(&mut behind.demand.iter().copied(), self.engine.class_done(class));
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

    /// Operations of every class done since the start, those in flight by the part of them that is done.
    pub(super) fn work_done(&self) -> Vec<f64> {
        let mut done: Vec<f64> = self.completed.iter().map(|&completed| completed as f64).collect();
        for &class in self.classes.iter().flatten() {
            for (tag, left) in self.engine.flows(class) {
                done[untagged(tag).0] += 1.0 - left;
            }
        }
        done
    }

    /// The calls whose flows are in flight or whose timers run, by number, as often as that.
    pub(super) fn calls(&self) -> impl Iterator<Item = u32> {
        let classes = self.classes.iter().flatten();
        let flows = classes.flat_map(|&class| self.engine.flows(class));
        let timers = self.engine.timers().filter_map(|tag| match Tag::of(tag) {
            Tag::Call(number) | Tag::Slowed(number) | Tag::Thread { number, .. } => Some(number),
            Tag::Arrival(_) | Tag::Groups | Tag::Trace | Tag::Device { .. } => None,
        });
        let flows = flows.map(|(tag, _)| untagged(tag).1 as u32);
        flows
            .chain(timers)
            .chain(self.devices.waiting().map(|tag| tag as u32))
    }

    /// A class of the engine as its costs are now.
    fn spec(&self, class: usize) -> ClassSpec {
        let class = self.sharing.stands[class];
        let alone_rate = self.sharing.alone_rates[class];
        let latencies = self.feedback.miss_latencies();
        spec(self.bound, &self.resources, class, alone_rate, latencies)
    }

    /// What is done behind operations, as its costs are now. It is not held to one core a stream: completions
    /// of devices are among it, and run wherever they interrupt.
    fn spec_behind(&self, behind: usize) -> ClassSpec {
        let behind = &self.bound.behind[behind];
        let latencies = self.feedback.miss_latencies();
        let (demand, work) = (&behind.demand, &behind.work);
        let demand = demand.iter().copied();
        let (costs, _) = costs(self.bound, &self.resources, demand, work, latencies);
        ClassSpec {
            costs,
            weight: 1.0,
            rate_cap: None,
        }
    }

    /// The engine's checks of its books.
    pub(super) fn audit(&self) -> Result<(), RunError> {
        Ok(self.engine.audit()?)
    }
}

/// The class as the engine sees it, for given miss latencies. `alone_rate` is what resources let through that
/// it has to itself.
fn spec(
    bound: &Bound,
    resources: &[Option<ResourceIndex>],
    class: usize,
    alone_rate: f64,
    miss_latencies: &[f64],
) -> ClassSpec {
    let class = &bound.classes[class];
    let (mut costs, core_seconds) = costs(
        bound,
        resources,
        class.moving_demand(),
        class.waited_work(),
        miss_latencies,
    );
    let of_port = class.port_core.and_then(|core| resources[core]);
    costs.extend(of_port.map(|core| (core, bound.bound_cycles(class, miss_latencies))));
    // One thread runs on one core at a time.
    let mut cap = alone_rate.min(1.0 / core_seconds);
    if costs.is_empty() {
        cap = cap.min(AT_ONCE);
    }
    ClassSpec {
        costs,
        weight: 1.0,
        rate_cap: (cap < f64::INFINITY).then_some(cap),
    }
}

/// The costs of a demand in the engine, cores included, and the seconds that its work takes on a core.
fn costs(
    bound: &Bound,
    resources: &[Option<ResourceIndex>],
    demand: impl Iterator<Item = (usize, f64)>,
    work: &[SocketWork],
    miss_latencies: &[f64],
) -> (Vec<(ResourceIndex, f64)>, f64) {
    let mut costs: Vec<(ResourceIndex, f64)> = demand
        .filter_map(|(resource, units)| Some((resources[resource]?, units)))
        .collect();
    let mut core_seconds = 0.0;
    for ((socket, work), &latency) in bound.sockets.iter().zip(work).zip(miss_latencies) {
        let cycles = socket.cycles(work, latency);
        core_seconds += cycles / socket.clock;
        costs.extend(resources[socket.cpu].map(|core| (core, cycles)));
    }
    (costs, core_seconds)
}

/// The engine's tag of an operation: its class above the driver's tag.
pub(super) fn tagged(class: usize, tag: u64) -> u64 {
    assert!(tag < 1 << TAG_BITS, "drivers number their operations below 2^48");
    (class as u64) << TAG_BITS | tag
}

/// The class of an operation, and the driver's tag.
fn untagged(tag: u64) -> (usize, u64) {
    ((tag >> TAG_BITS) as usize, tag & ((1 << TAG_BITS) - 1))
}
