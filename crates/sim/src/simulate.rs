//! The simulation: every operation of every thread, event by event.
//!
//! A thread issues an operation, which first spends its share of delays (network, interrupts), then runs as one flow
//! over all resources of its class; when the flow is done the reply is on its way, and after think time the thread
//! issues the next. Two events per operation: a timer and a completion.
//!
//! Every [`FEEDBACK_INTERVAL`] the use of links and memory is read, the time that a miss takes is found from it, and
//! with it the cycles that operations cost.

use bandgraph_engine::{
    ClassIndex, ClassSpec, Engine, Event, ResourceIndex, Time as Instant,
    streams::{Stream, Streams},
};
use bandgraph_topology::ResourceKind;
use bandgraph_units::Time;
use hdrhistogram::Histogram;

use crate::RunError;
use crate::bind::Bound;
use crate::dominance::kept;
use crate::outcome::{Mode, Outcome, Percentiles, SimulatedRun};
use crate::predict::SteadyState;
use crate::tally::{ClassTotals, Tally};

/// How often miss latencies follow the load, in seconds: long against a miss, short against a run.
const FEEDBACK_INTERVAL: f64 = 1e-3;
/// How often they do so in a run at the most.
const FEEDBACKS_MAX: f64 = 200_000.0;
/// Operations that every thread gets through before measuring starts, and while it lasts, at the least.
const CYCLES_BEFORE: f64 = 2.0;
const CYCLES_MEASURED: f64 = 3.0;
/// The longest operation that a run is made longer for, in seconds.
const LONGEST_CYCLE: f64 = 3600.0;
/// Share of the newest reading in the smoothed use of resources.
const SMOOTHING: f64 = 0.25;
/// Relative change of a miss latency that is worth telling the engine about.
const LATENCY_STEP: f64 = 1e-3;
/// Significant digits of recorded latencies.
const LATENCY_DIGITS: u8 = 3;
/// Events between two reports of progress.
const EVENTS_PER_REPORT: u64 = 1 << 16;
/// The tag of the feedback timer; threads are numbered from zero and never get there.
const FEEDBACK: u64 = u64::MAX;

/// How far a simulation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Simulated time so far, warm-up included.
    pub done: Time,
    /// Simulated time in all.
    pub total: Time,
}

/// Simulates a bound scenario.
///
/// # Errors
///
/// [`RunError`]: none of its cases is a user's fault.
pub fn simulate(bound: &Bound) -> Result<Outcome, RunError> {
    simulate_with_progress(bound, &mut |_| {})
}

/// Simulates a bound scenario and reports how far it is now and then.
///
/// # Errors
///
/// [`RunError`]: none of its cases is a user's fault.
pub fn simulate_with_progress(bound: &Bound, report: &mut dyn FnMut(Progress)) -> Result<Outcome, RunError> {
    let steady = SteadyState::solve(bound, &bound.usable_capacities(), 1.0)?;
    Simulation::new(bound, &steady)?.run(report)
}

/// One thread of a client.
struct Thread {
    group: usize,
    class: usize,
    issued: Instant,
}

/// What completed in the measured window, by class.
#[derive(Clone, Copy, Debug, Default)]
struct Completed {
    operations: u64,
    latency_seconds: f64,
}

struct Simulation<'a> {
    bound: &'a Bound,
    engine: Engine,
    /// The engine's resource for each that can hold a class back.
    resources: Vec<Option<ResourceIndex>>,
    classes: Vec<ClassIndex>,
    threads: Vec<Thread>,
    /// Decides which operation of its mix a thread issues next.
    choices: Stream,
    load: Load,
    completed: Vec<Completed>,
    /// Latencies in nanoseconds, one histogram per workload.
    latencies: Vec<Histogram<u64>>,
    /// The slowest operation of every workload, in nanoseconds.
    slowest: Vec<u64>,
    window: Window,
    measuring: bool,
    events: u64,
}

/// When a run measures, in seconds.
#[derive(Clone, Copy, Debug)]
struct Window {
    warm_up: f64,
    duration: f64,
}

impl Window {
    /// The window that the scenario asks for, or a longer one where operations take so long that every thread would not
    /// get through a few of them: what is cut off at its ends would colour the result.
    fn new(bound: &Bound, steady: &SteadyState) -> Self {
        let cycles = bound.threads.iter().map(|group| steady.cycle_seconds(group));
        let cycle = cycles.fold(0.0, f64::max).min(LONGEST_CYCLE);
        Self {
            warm_up: bound.run.warm_up.get().max(CYCLES_BEFORE * cycle),
            duration: bound.run.duration.get().max(CYCLES_MEASURED * cycle),
        }
    }

    /// How often the feedback looks: seldom enough that a long run is not spent on it.
    fn feedback_interval(self) -> f64 {
        FEEDBACK_INTERVAL.max((self.warm_up + self.duration) / FEEDBACKS_MAX)
    }
}

/// The load on links and memory as the feedback sees it, and the miss latencies that follow from it.
struct Load {
    interval: Instant,
    miss_latencies: Vec<f64>,
    smoothed_rates: Vec<f64>,
    last_usage: Vec<f64>,
}

impl<'a> Simulation<'a> {
    fn new(bound: &'a Bound, steady: &SteadyState) -> Result<Self, RunError> {
        let mut engine = Engine::new();
        let capacities = bound.usable_capacities();
        let keep = kept(bound, &capacities);
        let resources = capacities
            .iter()
            .zip(&keep)
            .map(|(&capacity, &keep)| keep.then(|| engine.add_resource(capacity)).transpose());
        let resources = resources.collect::<Result<Vec<_>, _>>()?;
        let specs =
            (0..bound.classes.len()).map(|class| spec(bound, &resources, class, &steady.miss_latencies));
        let specs: Vec<ClassSpec> = specs.collect();
        let classes = specs
            .into_iter()
            .map(|spec| engine.add_class(spec))
            .collect::<Result<Vec<_>, _>>()?;
        let window = Window::new(bound, steady);
        let load = Load {
            interval: Instant::from_seconds(window.feedback_interval()),
            miss_latencies: steady.miss_latencies.clone(),
            smoothed_rates: steady.resource_rates.clone(),
            last_usage: vec![0.0; resources.len()],
        };
        let streams = Streams::new(bound.run.seed);
        let mut simulation = Self {
            bound,
            engine,
            resources,
            classes,
            threads: Vec::new(),
            choices: streams.stream("operations"),
            load,
            completed: vec![Completed::default(); bound.classes.len()],
            latencies: bound.workloads.iter().map(|_| empty_histogram()).collect(),
            slowest: vec![0; bound.workloads.len()],
            window,
            measuring: false,
            events: 0,
        };
        simulation.start_threads(streams, steady);
        simulation.engine.start_timer(simulation.load.interval, FEEDBACK);
        Ok(simulation)
    }

    /// Lets every thread issue its first operation at a random point of its cycle, so that threads do not march in
    /// step.
    fn start_threads(&mut self, streams: Streams, steady: &SteadyState) {
        let mut starts = streams.stream("starts");
        for (group, threads) in self.bound.threads.iter().enumerate() {
            let cycle = steady.cycle_seconds(threads);
            for _ in 0..threads.threads {
                let thread = self.threads.len();
                self.threads.push(Thread {
                    group,
                    class: 0,
                    issued: Instant::ZERO,
                });
                self.issue(thread, starts.uniform() * cycle);
            }
        }
    }

    /// Makes a thread issue an operation after a pause, in seconds.
    fn issue(&mut self, thread: usize, pause: f64) {
        let group = &self.bound.threads[self.threads[thread].group];
        let class = choose(&group.visits, &mut self.choices);
        let pause = Instant::from_seconds(pause);
        self.threads[thread].class = class;
        self.threads[thread].issued = self.engine.now() + pause;
        let wait = pause + Instant::from_seconds(group.delay);
        if wait == Instant::ZERO {
            self.engine.start_flow(self.classes[class], 1.0, thread as u64);
        } else {
            self.engine.start_timer(wait, thread as u64);
        }
    }

    fn run(mut self, report: &mut dyn FnMut(Progress)) -> Result<Outcome, RunError> {
        let warm_up = Instant::from_seconds(self.window.warm_up);
        let end = warm_up + Instant::from_seconds(self.window.duration);
        self.run_until(warm_up, end, report)?;
        let before = (self.usage(), self.work_done());
        self.measuring = true;
        self.run_until(end, end, report)?;
        let usage = differences(&self.usage(), &before.0);
        let work = differences(&self.work_done(), &before.1);
        self.engine.audit()?;
        self.check_conservation(&usage)?;
        Ok(self.outcome(&usage, &work))
    }

    fn run_until(
        &mut self,
        limit: Instant,
        end: Instant,
        report: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        while let Some(event) = self.engine.next_before(limit)? {
            self.events += 1;
            match event {
                Event::Timer { tag: FEEDBACK } => self.feed_back(),
                Event::Timer { tag } => {
                    let class = self.classes[self.threads[tag as usize].class];
                    self.engine.start_flow(class, 1.0, tag);
                }
                Event::FlowDone { tag, .. } => self.complete(tag as usize),
                Event::Served { .. } => {}
            }
            if self.events.is_multiple_of(EVENTS_PER_REPORT) {
                report(Progress {
                    done: Time::new(self.engine.now().as_seconds()),
                    total: Time::new(end.as_seconds()),
                });
            }
        }
        Ok(())
    }

    fn complete(&mut self, thread: usize) {
        let Thread { group, class, issued } = self.threads[thread];
        if self.measuring {
            let latency = self.engine.now() - issued;
            let completed = &mut self.completed[class];
            completed.operations += 1;
            completed.latency_seconds += latency.as_seconds();
            let nanoseconds = (latency.as_seconds() * 1e9).round() as u64;
            let workload = self.bound.classes[class].workload;
            self.slowest[workload] = self.slowest[workload].max(nanoseconds);
            self.latencies[workload]
                .record(nanoseconds)
                .expect("a histogram that may grow takes any value");
        }
        self.issue(thread, self.bound.threads[group].think);
    }

    /// Lets miss latencies follow the load of the last interval, and starts the next.
    fn feed_back(&mut self) {
        let usage = self.usage();
        let interval = self.window.feedback_interval();
        let load = &mut self.load;
        for ((smoothed, now), last) in load.smoothed_rates.iter_mut().zip(&usage).zip(&load.last_usage) {
            *smoothed += SMOOTHING * ((now - last) / interval - *smoothed);
        }
        load.last_usage = usage;
        let latencies = self.bound.fabric.loaded_latencies(&load.smoothed_rates);
        let moved = |(old, new): (&f64, &f64)| (new - old).abs() > LATENCY_STEP * old;
        if load.miss_latencies.iter().zip(&latencies).any(moved) {
            load.miss_latencies = latencies;
            for (index, &class) in self.classes.iter().enumerate() {
                let spec = spec(self.bound, &self.resources, index, &load.miss_latencies);
                self.engine.set_class(class, spec);
            }
        }
        self.engine.start_timer(self.load.interval, FEEDBACK);
    }

    /// Units of every resource used since the start: from the engine's books for those that it has, and from the work
    /// done for the others.
    fn usage(&self) -> Vec<f64> {
        let in_engine = self.engine.resource_usages();
        let mut usage = vec![0.0; self.resources.len()];
        for (class, work) in self.bound.classes.iter().zip(self.work_done()) {
            for &(resource, units) in &class.demand {
                usage[resource] += units * work;
            }
        }
        for (usage, resource) in usage.iter_mut().zip(&self.resources) {
            if let Some(resource) = resource {
                *usage = in_engine[resource.index()];
            }
        }
        usage
    }

    /// Operations of every class done since the start, those in flight by the part of them that is done.
    fn work_done(&self) -> Vec<f64> {
        self.classes
            .iter()
            .map(|&class| self.engine.class_work(class).1)
            .collect()
    }

    /// Bytes at the ports must be those of the operations that completed, give or take what is in flight.
    fn check_conservation(&self, usage: &[f64]) -> Result<(), RunError> {
        for (resource, &ports) in usage.iter().enumerate() {
            let (mut operations, mut largest) = (0.0, 0.0_f64);
            for (class, completed) in self.bound.classes.iter().zip(&self.completed) {
                let units = class
                    .demand
                    .iter()
                    .find(|&&(used, _)| used == resource)
                    .map_or(0.0, |&(_, units)| units);
                operations += units * completed.operations as f64;
                largest = largest.max(units);
            }
            // Flows in flight at the start of the window and at its end, each done in part outside of it.
            let in_flight = largest * self.threads.len() as f64;
            let is_core = self.bound.resources[resource].kind == ResourceKind::Cpu;
            if !is_core && (ports - operations).abs() > in_flight * (1.0 + 1e-9) + 1e-6 * ports {
                return Err(RunError::Conservation {
                    resource: self.bound.resources[resource].id.clone(),
                    carried: ports,
                    accounted: operations,
                });
            }
        }
        Ok(())
    }

    fn outcome(&self, usage: &[f64], work: &[f64]) -> Outcome {
        let seconds = self.window.duration;
        let resource_rates: Vec<f64> = usage.iter().map(|units| units / seconds).collect();
        let totals = self
            .completed
            .iter()
            .zip(work)
            .map(|(completed, work)| ClassTotals {
                // By work done, not by completions: a window cuts through operations at both ends.
                operations_per_second: work / seconds,
                mean_latency: if completed.operations == 0 {
                    0.0
                } else {
                    completed.latency_seconds / completed.operations as f64
                },
            });
        let totals: Vec<ClassTotals> = totals.collect();
        let tally = Tally {
            mode: Mode::Simulate,
            totals: &totals,
            resource_rates: &resource_rates,
        };
        let mut outcome = tally.outcome(self.bound);
        let mut all = empty_histogram();
        let recorded = self.latencies.iter().zip(&self.slowest);
        for (workload, (histogram, &slowest)) in outcome.workloads.iter_mut().zip(recorded) {
            workload.latency.percentiles = Some(percentiles(histogram, slowest));
            all.add(histogram)
                .expect("histograms of equal precision grow as they need");
        }
        outcome.latency.percentiles =
            Some(percentiles(&all, self.slowest.iter().copied().max().unwrap_or(0)));
        outcome.simulated = Some(SimulatedRun {
            warm_up: Time::new(self.window.warm_up),
            measured: Time::new(self.window.duration),
            operations: self.completed.iter().map(|completed| completed.operations).sum(),
            events: self.events,
        });
        outcome
    }
}

/// The class as the engine sees it, for given miss latencies.
fn spec(
    bound: &Bound,
    resources: &[Option<ResourceIndex>],
    class: usize,
    miss_latencies: &[f64],
) -> ClassSpec {
    let class = &bound.classes[class];
    let mut costs: Vec<(ResourceIndex, f64)> = class
        .demand
        .iter()
        .filter_map(|&(resource, units)| Some((resources[resource]?, units)))
        .collect();
    let (mut core_seconds, mut all_cycles) = (0.0, 0.0);
    for ((socket, work), &latency) in bound.sockets.iter().zip(&class.work).zip(miss_latencies) {
        let cycles = socket.cycles(work, latency);
        core_seconds += cycles / socket.clock;
        all_cycles += cycles;
        costs.extend(resources[socket.cpu].map(|core| (core, cycles)));
    }
    let of_port = class.port_cores.and_then(|cores| resources[cores]);
    costs.extend(of_port.map(|cores| (cores, all_cycles)));
    // One thread runs on one core at a time, and waits for devices besides.
    let serial_seconds = core_seconds + class.device_wait;
    let rate_cap = (serial_seconds > 0.0).then(|| 1.0 / serial_seconds);
    ClassSpec {
        costs,
        weight: 1.0,
        rate_cap,
    }
}

/// The class of a thread's next operation, by the shares of its visits.
fn choose(visits: &[(usize, f64)], choices: &mut Stream) -> usize {
    let (&(last, _), others) = visits.split_last().expect("every group of threads has a class");
    if others.is_empty() {
        return last;
    }
    let mut point = choices.uniform();
    for &(class, share) in others {
        if point < share {
            return class;
        }
        point -= share;
    }
    last
}

fn differences(after: &[f64], before: &[f64]) -> Vec<f64> {
    after
        .iter()
        .zip(before)
        .map(|(after, before)| after - before)
        .collect()
}

fn empty_histogram() -> Histogram<u64> {
    Histogram::new(LATENCY_DIGITS).expect("three significant digits are allowed")
}

fn percentiles(histogram: &Histogram<u64>, slowest: u64) -> Percentiles {
    // Cells of the histogram have a width: none of their edges is slower than the slowest operation.
    let slowest = slowest as f64 * 1e-9;
    let at = |quantile| Time::new((histogram.value_at_quantile(quantile) as f64 * 1e-9).min(slowest));
    Percentiles {
        p50: at(0.50),
        p95: at(0.95),
        p99: at(0.99),
        max: Time::new(slowest),
    }
}
