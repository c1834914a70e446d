//! The engine: the next event, and the resource use so far.

use crate::calendar::{Appointment, Appointments};
use crate::error::{BuildError, EngineError};
use crate::fair::system::{Limit, System};
use crate::flows::Flows;
use crate::index::{ClassIndex, ResourceIndex, StationIndex};
use crate::paces::{Driver, Paces};
use crate::station::{Customer, Station, StationUsage};
use crate::sum::Sum;
use crate::time::{Instant, Time};

/// The common properties of all flows of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassSpec {
    /// Units of each resource used per unit of work; costs on the same resource are summed, zeros dropped.
    pub costs: Vec<(ResourceIndex, f64)>,
    /// Share relative to other flows, above zero; 1 is usual.
    pub weight: f64,
    /// Maximum rate of one flow, units of work/s: one thread, one TCP window.
    pub rate_cap: Option<f64>,
}

/// An event. Its time is [`Engine::now`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A flow has completed its work.
    FlowDone {
        /// The flow's class.
        class: ClassIndex,
        /// The tag given to [`Engine::start_flow`].
        tag: u64,
        /// When the flow started.
        started: Time,
    },
    /// A customer has been served and leaves a station.
    Served {
        /// The station.
        station: StationIndex,
        /// The tag given to [`Engine::enter_station`].
        tag: u64,
        /// When the customer arrived.
        arrived: Time,
    },
    /// A timer has run out.
    Timer {
        /// The tag given to [`Engine::start_timer`].
        tag: u64,
    },
}

/// Accounts of a class, in addition to its flows.
#[derive(Clone, Copy, Debug, Default)]
struct ClassBooks {
    /// Work served when the costs last changed; the use of resources at present costs counts from there.
    served_before: f64,
    counted: bool,
}

/// Accounts of a resource.
#[derive(Clone, Copy, Debug, Default)]
struct ResourceBooks {
    /// Units used at costs that have changed since.
    used_before: Sum,
    /// Integral of the capacity until `at`, units.
    offered: Sum,
    at: Instant,
}

/// A discrete-event simulation of flows, stations and timers. The caller pulls events one by one, and reacts
/// to each by starting new activities.
///
/// **Order.** Events come in order of time. At one instant, completions of flows come first (grouped by the
/// limiting resource, by class in order of creation, within a class by order of starting), then services and
/// timers in the order in which they were scheduled; activities started in response to an event come after
/// it. Nothing depends on addresses, hashing or threads.
///
/// **Time.** Events are ordered and scheduled at a finer step than a picosecond (2⁻³² ps); [`Engine::now`]
/// returns the picosecond of the last event.
///
/// **Rates** are solved just before time advances, once for all changes at an instant. Until then
/// [`Engine::class_rate`] and [`Engine::resource_rate`] return the rates that led up to this instant;
/// [`Engine::settle`] solves immediately.
///
/// **Faults.** Wrong arguments to methods without a result (work that is not above zero, an index of another
/// engine, an invalid change) stop the run: the next call of [`Engine::next`], [`Engine::next_before`] or
/// [`Engine::settle`] returns the error, and so does every later one.
///
/// ```
/// use bandgraph_engine::{ClassSpec, Engine, Event};
///
/// let mut engine = Engine::new();
/// let link = engine.add_resource(100.0)?;
/// let class = engine.add_class(ClassSpec { costs: vec![(link, 1.0)], weight: 1.0, rate_cap: None })?;
/// engine.start_flow(class, 100.0, 1);
/// engine.start_flow(class, 300.0, 2);
/// // Both share the link until the first is done; the second then has it alone.
/// let mut done = Vec::new();
/// while let Some(Event::FlowDone { tag, .. }) = engine.next()? {
///     done.push((tag, engine.now().as_seconds()));
/// }
/// assert_eq!(done, [(1, 2.0), (2, 4.0)]);
/// engine.audit()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Engine {
    now: Instant,
    system: System,
    flows: Vec<Flows>,
    class_books: Vec<ClassBooks>,
    resource_books: Vec<ResourceBooks>,
    paces: Paces,
    appointments: Appointments,
    stations: Vec<Station>,
    in_flight: u64,
    /// Classes whose flows changed since the last solve.
    changed: Vec<u32>,
    fault: Option<EngineError>,
}

impl Engine {
    /// An empty engine at time zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a resource of `capacity` units/s.
    ///
    /// # Errors
    /// [`BuildError::Capacity`] unless the capacity is finite and above zero.
    pub fn add_resource(&mut self, capacity: f64) -> Result<ResourceIndex, BuildError> {
        let index = self.system.add_resource(capacity)?;
        self.paces.add_resource(index);
        self.resource_books.push(ResourceBooks {
            at: self.now,
            ..ResourceBooks::default()
        });
        Ok(ResourceIndex(index))
    }

    /// Adds a flow class.
    ///
    /// # Errors
    /// Costs, weight or cap out of range, unknown resources, or neither a cost nor a cap.
    pub fn add_class(&mut self, spec: ClassSpec) -> Result<ClassIndex, BuildError> {
        let costs = spec
            .costs
            .into_iter()
            .map(|(resource, cost)| (resource.index(), cost));
        let index = self.system.add_class(costs, spec.weight, spec.rate_cap)?;
        self.flows.push(Flows::default());
        self.class_books.push(ClassBooks::default());
        self.paces.add_class(index);
        Ok(ClassIndex(index))
    }

    /// Adds a station with a number of identical servers and one queue.
    ///
    /// # Errors
    /// [`BuildError::NoServers`] for zero.
    pub fn add_station(&mut self, servers: u32) -> Result<StationIndex, BuildError> {
        if servers == 0 {
            return Err(BuildError::NoServers);
        }
        let index = u32::try_from(self.stations.len()).map_err(|_| BuildError::TooMany)?;
        self.stations.push(Station::new(servers));
        Ok(StationIndex(index))
    }

    /// Sets costs, weight and cap of a class from now on. Flows in flight keep their remaining work.
    pub fn set_class(&mut self, class: ClassIndex, spec: ClassSpec) {
        if !self.is_known("class", class.index(), self.flows.len()) {
            return;
        }
        let served = self.served(class.0);
        let since = self.served_at_present_costs(class.0);
        let used: Vec<_> = self
            .system
            .legs_of(class.0)
            .iter()
            .map(|leg| (leg.resource, leg.cost * since))
            .collect();
        let costs = spec
            .costs
            .into_iter()
            .map(|(resource, cost)| (resource.index(), cost));
        if let Err(reason) = self.system.set_class(class.0, costs, spec.weight, spec.rate_cap) {
            self.fail(EngineError::Change(reason));
            return;
        }
        self.class_books[class.index()].served_before = served;
        for (resource, units) in used {
            self.resource_books[resource as usize].used_before.add(units);
        }
        self.note_change(class.0);
    }

    /// Sets the capacity of a resource (units/s) from now on.
    pub fn set_capacity(&mut self, resource: ResourceIndex, capacity: f64) {
        if !self.is_known("resource", resource.index(), self.resource_books.len()) {
            return;
        }
        let old = self.system.resources[resource.index()].capacity;
        if let Err(reason) = self.system.set_capacity(resource.0, capacity) {
            self.fail(EngineError::Change(reason));
            return;
        }
        let books = &mut self.resource_books[resource.index()];
        books.offered.add(old * self.now.seconds_since(books.at));
        books.at = self.now;
    }

    /// Starts a flow with `work` units of work (above zero) now.
    pub fn start_flow(&mut self, class: ClassIndex, work: f64, tag: u64) {
        if !self.is_known("class", class.index(), self.flows.len()) {
            return;
        }
        if !(work.is_finite() && work > 0.0) {
            self.fail(EngineError::Work(work));
            return;
        }
        let reading = self.paces.reading(class.0, self.now);
        self.flows[class.index()].start(reading, self.now.floor(), work, tag);
        self.in_flight += 1;
        self.note_change(class.0);
    }

    /// Moves flows in flight, chosen by tag, from one class to another, with their remaining work.
    pub fn move_flows(&mut self, from: ClassIndex, to: ClassIndex, is_chosen: impl FnMut(u64) -> bool) {
        let classes = self.flows.len();
        if !(self.is_known("class", from.index(), classes) && self.is_known("class", to.index(), classes)) {
            return;
        }
        let reading = self.paces.reading(from.0, self.now);
        let moved = self.flows[from.index()].take(reading, is_chosen);
        if moved.is_empty() {
            return;
        }
        let reading = self.paces.reading(to.0, self.now);
        for flow in moved {
            self.flows[to.index()].take_in(reading, flow);
        }
        self.note_change(from.0);
        self.note_change(to.0);
    }

    /// Sends a customer to a station, where its service takes the time `service`.
    pub fn enter_station(&mut self, station: StationIndex, service: Time, tag: u64) {
        if !self.is_known("station", station.index(), self.stations.len()) {
            return;
        }
        let customer = Customer {
            service,
            tag,
            arrived: self.now,
        };
        if let Some(customer) = self.stations[station.index()].enter(customer) {
            self.begin_service(station.0, customer);
        }
    }

    /// Starts a timer.
    pub fn start_timer(&mut self, delay: Time, tag: u64) {
        self.appointments
            .schedule(self.now.after(delay), Appointment::Timer { tag });
    }

    /// The time of the last event, or the limit last reached by [`Engine::next_before`].
    #[inline]
    pub fn now(&self) -> Time {
        self.now.floor()
    }

    /// Advances to the next event. `None` if nothing is pending; time does not advance until an activity
    /// starts.
    ///
    /// # Errors
    /// A fault noted earlier, an event beyond the end of time, or a failed check.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator would have to end or repeat itself after an error"
    )]
    pub fn next(&mut self) -> Result<Option<Event>, EngineError> {
        self.advance(Instant::NEVER)
    }

    /// Advances to the next event before `limit`; if there is none, advances to `limit` and returns `None`.
    /// (Events exactly at `limit` stay pending. A limit in the past changes nothing.)
    ///
    /// # Errors
    /// As [`Engine::next`].
    pub fn next_before(&mut self, limit: Time) -> Result<Option<Event>, EngineError> {
        let limit = Instant::from(limit);
        let event = self.advance(limit)?;
        if event.is_none() && limit > self.now {
            self.now = limit;
        }
        Ok(event)
    }

    /// Solves the rates for all changes at this instant now, instead of just before time advances. Useful
    /// before [`Engine::class_rate`] and [`Engine::resource_rate`].
    ///
    /// # Errors
    /// A fault noted earlier, or no fair rates found.
    pub fn settle(&mut self) -> Result<(), EngineError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if self.changed.is_empty() && self.system.is_settled() {
            return Ok(());
        }
        for position in 0..self.changed.len() {
            let class = self.changed[position];
            self.system
                .set_flows(class, self.flows[class as usize].len() as f64);
        }
        if let Err(reason) = self.system.settle() {
            return Err(self.fail(EngineError::Rates {
                now: self.now(),
                reason,
            }));
        }
        self.follow_levels();
        for class in self.changed.drain(..) {
            self.class_books[class as usize].counted = false;
            self.paces.set_due(class, self.flows[class as usize].due());
        }
        self.paces.update_calendar(self.now, &mut self.flows);
        Ok(())
    }

    /// Updates the paces to the levels and limits just settled.
    fn follow_levels(&mut self) {
        for &resource in self.system.relevelled() {
            self.paces
                .set_level(resource, self.now, self.system.resources[resource as usize].level);
        }
        for &class in self.system.relimited() {
            let of_class = &self.system.classes[class as usize];
            let driver = match of_class.limit {
                Limit::Resource(resource) => Driver::Resource(resource),
                Limit::Cap | Limit::None => Driver::Cap,
            };
            let flows = &mut self.flows[class as usize];
            self.paces
                .drive(class, self.now, driver, of_class.factor, of_class.cap, flows);
            let books = &mut self.class_books[class as usize];
            if !books.counted {
                books.counted = true;
                self.changed.push(class);
            }
        }
    }

    /// Rate of one flow of a class, units of work/s, as last solved; 0 if the class has no flows.
    pub fn class_rate(&self, class: ClassIndex) -> f64 {
        if self.flows_in(class) == 0 {
            0.0
        } else {
            self.system.rate(class.0)
        }
    }

    /// Work per second of all flows of a class, as last solved.
    pub fn work_rate(&self, class: ClassIndex) -> f64 {
        self.system.work_rate(class.0)
    }

    /// Rate that the resources and the cap of a class permit for its flows; infinite without a limit.
    pub fn allowed_rate(&self, class: ClassIndex) -> f64 {
        self.system.allowed_by_levels(class.0).0
    }

    /// The resource that limits the flows of a class, as last solved; `None` if their own rate cap limits or
    /// there are none.
    pub fn class_bottleneck(&self, class: ClassIndex) -> Option<ResourceIndex> {
        match self.system.classes[class.index()].limit {
            Limit::Resource(resource) if self.flows_in(class) > 0 => Some(ResourceIndex(resource)),
            _ => None,
        }
    }

    /// Flows of a class in flight.
    pub fn flows_in(&self, class: ClassIndex) -> u64 {
        self.flows[class.index()].len() as u64
    }

    /// Flows of all classes in flight.
    pub fn flows_in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Units of a resource used since the start. The difference of two readings over capacity × time is the
    /// utilisation of a window. The cost is proportional to the number of classes that may use the resource;
    /// [`Engine::resource_usages`] is faster for many resources.
    pub fn resource_usage(&self, resource: ResourceIndex) -> f64 {
        let mut sum = self.resource_books[resource.index()].used_before;
        self.system.for_each_user(resource.0, |class, cost| {
            sum.add(self.served_at_present_costs(class) * cost);
        });
        sum.value()
    }

    /// [`Engine::resource_usage`] of all resources in order of creation, in one pass over the classes.
    pub fn resource_usages(&self) -> Vec<f64> {
        let mut sums: Vec<Sum> = self
            .resource_books
            .iter()
            .map(|books| books.used_before)
            .collect();
        for class in 0..self.flows.len() as u32 {
            let served = self.served_at_present_costs(class);
            for leg in self.system.legs_of(class) {
                sums[leg.resource as usize].add(served * leg.cost);
            }
        }
        sums.into_iter().map(Sum::value).collect()
    }

    /// Work that a class has done, including flows in flight.
    fn served(&self, class: u32) -> f64 {
        self.flows[class as usize].served(self.paces.reading(class, self.now))
    }

    /// Number of solves so far that needed the slower method; see
    /// [`FairSolver::fallbacks`](crate::fair::FairSolver::fallbacks).
    pub fn fallbacks(&self) -> u64 {
        self.system.fallbacks()
    }

    /// Work that a class has done since its costs last changed.
    fn served_at_present_costs(&self, class: u32) -> f64 {
        self.served(class) - self.class_books[class as usize].served_before
    }

    /// Use of a resource, units/s, as last solved.
    pub fn resource_rate(&self, resource: ResourceIndex) -> f64 {
        self.system.resources[resource.index()].usage
    }

    /// Capacity of a resource now, units/s.
    pub fn resource_capacity(&self, resource: ResourceIndex) -> f64 {
        self.system.resources[resource.index()].capacity
    }

    /// The accounts of a station so far.
    pub fn station_usage(&self, station: StationIndex) -> StationUsage {
        self.stations[station.index()].usage(self.now)
    }

    /// Work of all flows of a class since the start: taken in, and done (including flows in flight).
    pub fn class_work(&self, class: ClassIndex) -> (f64, f64) {
        (self.flows[class.index()].taken_in(), self.served(class.0))
    }

    /// The flows of a class in flight, in no particular order: the tag and the remaining work of each.
    pub fn flows(&self, class: ClassIndex) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.flows[class.index()].left(self.paces.reading(class.0, self.now))
    }

    /// The tags of the active timers, in no particular order.
    pub fn timers(&self) -> impl Iterator<Item = u64> + '_ {
        self.appointments
            .iter()
            .filter_map(|appointment| match appointment {
                Appointment::Timer { tag } => Some(tag),
                Appointment::Service { .. } => None,
            })
    }

    /// Audits all conservation laws: for every class, work taken in = work done + work in flight; for every
    /// resource, use at most capacity over the elapsed time; for every station Little's law, exactly. The
    /// cost is proportional to all flows in flight, so that it suits the end of a run and occasional checks.
    /// (Monotonic time, and the agreement of uses with capacities and levels after each solve, are always
    /// checked.)
    ///
    /// # Errors
    /// The first check that fails.
    pub fn audit(&self) -> Result<(), EngineError> {
        for (class, flows) in self.flows.iter().enumerate() {
            let reading = self.paces.reading(class as u32, self.now);
            crate::audit::class(
                class,
                flows.taken_in(),
                flows.served(reading),
                flows.in_flight(reading),
                flows.rounding(),
            )?;
        }
        for (index, usage) in self.resource_usages().into_iter().enumerate() {
            let books = &self.resource_books[index];
            let mut offered = books.offered;
            offered.add(self.system.resources[index].capacity * self.now.seconds_since(books.at));
            crate::audit::resource(index, usage, offered.value())?;
        }
        crate::audit::stations(&self.stations, self.now)
    }

    /// Takes the next event before `limit`.
    fn advance(&mut self, limit: Instant) -> Result<Option<Event>, EngineError> {
        self.settle()?;
        let completion = self.paces.first();
        let appointment = self.appointments.first();
        let (at, class) = match (completion, appointment) {
            (None, None) => return Ok(None),
            (Some((at, class)), appointment) if appointment.is_none_or(|appointed| at <= appointed) => {
                (at, Some(class))
            }
            (_, appointment) => (appointment.unwrap_or(Instant::NEVER), None),
        };
        if at >= limit {
            if at == Instant::NEVER && limit == Instant::NEVER {
                return Err(self.fail(EngineError::EndOfTime { now: self.now() }));
            }
            return Ok(None);
        }
        if at < self.now {
            return Err(self.fail(EngineError::TimeWentBack { now: self.now() }));
        }
        self.now = at;
        Ok(match class {
            Some(class) => self.complete_flow(class),
            None => self.appointments.take().map(|what| self.keep(what)),
        })
    }

    fn complete_flow(&mut self, class: u32) -> Option<Event> {
        let reading = self.paces.complete(class, self.now);
        let flow = self.flows[class as usize].finish(reading)?;
        self.in_flight -= 1;
        self.note_change(class);
        Some(Event::FlowDone {
            class: ClassIndex(class),
            tag: flow.tag,
            started: flow.started,
        })
    }

    fn keep(&mut self, what: Appointment) -> Event {
        match what {
            Appointment::Timer { tag } => Event::Timer { tag },
            Appointment::Service {
                station,
                tag,
                arrived,
            } => {
                if let Some(next) = self.stations[station as usize].leave(self.now, arrived) {
                    self.begin_service(station, next);
                }
                Event::Served {
                    station: StationIndex(station),
                    tag,
                    arrived: arrived.floor(),
                }
            }
        }
    }

    fn begin_service(&mut self, station: u32, customer: Customer) {
        let Customer {
            service,
            tag,
            arrived,
        } = customer;
        self.appointments.schedule(
            self.now.after(service),
            Appointment::Service {
                station,
                tag,
                arrived,
            },
        );
    }

    fn note_change(&mut self, class: u32) {
        let books = &mut self.class_books[class as usize];
        if !books.counted {
            books.counted = true;
            self.changed.push(class);
        }
    }

    fn is_known(&mut self, what: &'static str, index: usize, count: usize) -> bool {
        if index >= count {
            self.fail(EngineError::Unknown { what, index });
        }
        index < count
    }

    /// Records the first fault; the run ends with it.
    fn fail(&mut self, error: EngineError) -> EngineError {
        self.fault.get_or_insert(error).clone()
    }
}
