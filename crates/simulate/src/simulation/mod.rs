//! The simulation: every operation of every client, event by event.
//!
//! A thread, or the arrivals of an open loop, issue an operation. It first spends its delays (network,
//! interrupts), then runs as one flow over all resources of its class. The end of the flow is the reply;
//! after its think time the thread issues the next operation. An operation takes two events: a timer and a
//! completion.
//!
//! * `server` is the engine with the resources and classes of the scenario;
//! * `sharing` finds classes that are equivalent as long as `clients` cannot fill their own resources;
//! * `feedback` adapts the costs of operations to the load;
//! * `devices` are disks and SSDs with their queues, `flash` the dies of SSDs, `logs` the logs on them;
//! * `calls` are the operations in flight, from issue to reply;
//! * drivers issue calls: `closed_loop`, `open_loop`, and `trace_loop`, which `whole_trace` runs to its end;
//! * `divisions` divide the writers of a log into batches anew from time to time;
//! * `write_back` writes deferred work in transaction groups;
//! * `completions` count completions in the `window`, `batches` compute their precision, and `checks`
//!   compare them with the capacities of resources.

mod amounts;
mod batches;
mod beside;
mod calls;
mod checks;
mod clients;
mod closed_loop;
mod commands;
mod completion_stats;
mod devices;
mod divisions;
mod estimate;
mod feedback;
mod flash;
mod logs;
mod open_loop;
mod server;
mod sharing;
mod tag;
#[cfg(test)]
mod tests;
mod timeline;
mod trace_loop;
mod whole_trace;
mod window;
mod write_back;

use std::ops::Add;

use bandgraph_engine::{Event, Time as Instant};
use bandgraph_model::{Bound, Supply};
use bandgraph_solve::{
    Effort, Latency, Offered, Outcome, RunError, SimulatedRun, SteadyState, Throughput, play_into,
};
use bandgraph_units::Time;

use batches::{Batches, Mark};
use calls::Calls;
use closed_loop::ClosedLoop;
pub(crate) use closed_loop::choose;
use completion_stats::CompletionStats;
pub(crate) use completion_stats::distribution;
pub use estimate::effort_of;
pub(crate) use estimate::rate_beside_trace;
use open_loop::OpenLoop;
use server::Server;
use tag::Tag;
use timeline::Sampler;
pub use timeline::{Stretch, Timeline};
pub(crate) use trace_loop::{Pace, TraceLoop, Traced};
pub(crate) use whole_trace::{ReplayedTrace, simulate_trace};
use window::{GROUP_WAIT, Window};
use write_back::{GROUP, WriteBack};

/// Events between two progress reports.
const EVENTS_PER_REPORT: u64 = 1 << 16;

/// Maximum factor by which a window is extended to reach the precision of the scenario, and the maximum
/// number of events of a run that is extended.
const LONGEST: f64 = 16.0;
const MOST_EVENTS: u64 = 1_000_000;

/// Progress of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Simulated time so far, including the warm-up.
    pub done: Time,
    /// Total simulated time.
    pub total: Time,
}

/// Simulates a bound scenario, starting from its steady state.
///
/// # Errors
///
/// [`RunError`]: [too large](effort_of), or an internal error.
pub fn simulate(bound: &Bound, steady: &SteadyState) -> Result<Outcome, RunError> {
    simulate_with_progress(bound, steady, &mut |_| {})
}

/// As [`simulate`], with periodic progress reports.
///
/// # Errors
///
/// [`RunError`]: [too large](effort_of), or an internal error.
pub fn simulate_with_progress(
    bound: &Bound,
    steady: &SteadyState,
    report: &mut dyn FnMut(Progress),
) -> Result<Outcome, RunError> {
    let mut outcome = Simulation::new(bound, steady)?.run(report)?;
    play_into(bound, 1, &mut outcome)?;
    Ok(outcome)
}

/// As [`simulate_with_progress`], and also returns the use of each resource in each of `stretches` intervals
/// of the run. The outcome is the same.
///
/// # Errors
///
/// [`RunError`]: [too large](effort_of), or an internal error.
pub fn simulate_with_timeline(
    bound: &Bound,
    steady: &SteadyState,
    stretches: u32,
    report: &mut dyn FnMut(Progress),
) -> Result<(Outcome, Timeline), RunError> {
    // The length of the run depends on the precision of its figures.
    let found = Simulation::new(bound, steady)?.run(report)?;
    let seconds = found
        .simulated
        .map_or(0.0, |run| run.warm_up.get() + run.measured.get());
    let mut simulation = Simulation::new(bound, steady)?;
    simulation.sampler = Some(Sampler::new(&simulation.server, seconds, stretches));
    let (outcome, timeline) = simulation.sampled(report)?;
    Ok((outcome, timeline.unwrap_or_default()))
}

struct Simulation<'a> {
    server: Server<'a>,
    calls: Calls,
    closed: ClosedLoop,
    open: OpenLoop,
    write_back: WriteBack,
    trace: Option<TraceLoop<'a>>,
    completions: CompletionStats,
    window: Window,
    measuring: bool,
    events: u64,
    /// Maximum number of operations in flight.
    most_in_flight: u32,
    /// Reads the use of each resource, if requested.
    sampler: Option<Sampler>,
    /// The batches of the window.
    batches: Option<Batches>,
    /// Whether the loads are constant and within the capacity.
    is_steady: bool,
}

/// The values read at both ends of the window.
struct Reading {
    usage: Vec<f64>,
    work: Vec<f64>,
    arrived: Vec<u64>,
    /// Operations in flight, by workload.
    out: Vec<u64>,
    /// Completed calls since the start, by workload.
    answered: Vec<u64>,
    /// Total latency of the calls completed since the start, by class, seconds.
    seconds_out: Vec<f64>,
    in_flight: f64,
}

impl<'a> Simulation<'a> {
    fn new(bound: &'a Bound, steady: &'a SteadyState) -> Result<Self, RunError> {
        let bound = steady.balanced(bound);
        if let Some(group) = bound.threads.iter().find(|group| group.members > 1.0) {
            let workload = &bound.workloads[group.workload];
            let what = format!(
                "the simulation of `{workload}` would have one client for {}",
                group.members
            );
            return Err(RunError::Inconsistent { what });
        }
        effort_of(bound, steady)?;
        let window = Window::new(bound, steady);
        let server = Server::new(bound, steady, window.total())?;
        Ok(Self::on(server, steady, window))
    }

    fn on(mut server: Server<'a>, steady: &SteadyState, window: Window) -> Self {
        let mut calls = Calls::new(server.bound, steady);
        let closed = ClosedLoop::start(&mut server, &mut calls, steady);
        let open = OpenLoop::start(&mut server);
        let write_back = WriteBack::start(&mut server, steady);
        let is_steady = steady.lasts(server.bound);
        Self {
            is_steady,
            batches: None,
            calls,
            closed,
            open,
            write_back,
            trace: None,
            completions: CompletionStats::new(server.bound, Instant::from_seconds(window.warm_up)),
            server,
            window,
            measuring: false,
            events: 0,
            most_in_flight: Effort::MOST_IN_FLIGHT,
            sampler: None,
        }
    }

    fn run(self, report: &mut dyn FnMut(Progress)) -> Result<Outcome, RunError> {
        self.sampled(report).map(|(outcome, _)| outcome)
    }

    /// Runs, and returns the timeline of the sampler if there is one.
    fn sampled(mut self, report: &mut dyn FnMut(Progress)) -> Result<(Outcome, Option<Timeline>), RunError> {
        let warm_up = Instant::from_seconds(self.window.warm_up);
        let end = warm_up + Instant::from_seconds(self.window.duration);
        self.run_until(warm_up, end, false, report)?;
        let run = &self.server.bound.run;
        if !run.keep_warm_up {
            self.run_to_group(end, report)?;
        }
        let begin = self.server.now();
        let bound = self.server.bound;
        self.completions = CompletionStats::new(bound, begin);
        let before = self.read();
        self.sample()?;
        self.measuring = true;
        let first = self.mark(begin);
        self.batches = Some(match self.write_back.seconds() {
            Some(_) => Batches::of_groups(begin, first),
            None => Batches::of_time(begin, first, self.window.duration),
        });
        let mut times = 1.0;
        loop {
            let end = begin + Instant::from_seconds(times * self.window.duration);
            self.run_until(end, end, false, report)?;
            if !run.keep_duration {
                self.run_to_group(end, report)?;
            }
            self.end_batch();
            if self.is_exact(times) {
                break;
            }
            times *= 2.0;
        }
        let end = self.server.now();
        self.window.warm_up = begin.as_seconds();
        self.window.duration = (end - begin).as_seconds();
        let after = self.read();
        self.sample()?;
        let bound = self.server.bound;
        let timeline = self.sampler.take().map(Sampler::finish);
        let simulated = self.measure(&before, &after)?;
        let mut outcome = simulated.outcome(bound);
        checks::links_add_up(bound, &outcome, simulated.in_flight)?;
        simulated.note_offered(&mut outcome, bound, &before, &after);
        Ok((outcome, timeline))
    }

    /// Closes the completions of the window between two readings, and checks them.
    fn measure(mut self, before: &Reading, after: &Reading) -> Result<Simulated, RunError> {
        let bound = self.server.bound;
        let end = self.server.now();
        for (workload, issued) in self.calls.out_at(bound, end) {
            self.completions.still_out(workload, issued, end);
        }
        let usage = differences(&after.usage, &before.usage);
        let operations = self.completions.operations();
        let in_flight = before.in_flight.max(after.in_flight);
        self.server.audit()?;
        let elsewhere = self.server.calls().chain(self.closed.waiting());
        self.calls.check_places(bound, elsewhere)?;
        checks::are_answered(bound, &before.answered, &after.answered, &operations)?;
        let latencies = self.completions.by_class().map(|(_, seconds)| seconds);
        checks::latencies_add_up(bound, &before.seconds_out, &after.seconds_out, latencies)?;
        let seconds = self.window.duration;
        checks::threads_are_kept(bound, self.completions.presence(), &operations, seconds)?;
        checks::within_capacity(bound, &before.usage, &after.usage, self.window.duration)?;
        let work = differences(&after.work, &before.work);
        // Deferred work and that of devices follow the number of operations, and all else their drawn work.
        let completed = self.completions.by_class().map(|(completed, _)| completed as f64);
        let drawn: f64 = work
            .iter()
            .zip(completed)
            .map(|(work, of)| (work - of).abs())
            .sum();
        let in_flight = in_flight + self.write_back.most() + drawn;
        checks::is_accounted_for(bound, &usage, &work, in_flight)?;
        let run = SimulatedRun {
            warm_up: Time::new(self.window.warm_up),
            measured: Time::new(self.window.duration),
            operations: operations.iter().sum(),
            events: self.events,
            short: self.window.short,
            precision: self.batches.as_ref().and_then(Batches::precision),
        };
        Ok(Simulated {
            work,
            completions: self.completions,
            usage,
            in_flight,
            run,
            batches: self.batches,
        })
    }

    fn read(&self) -> Reading {
        let bound = self.server.bound;
        let mut out = vec![0; bound.workloads.len()];
        for (workload, _) in self.calls.out_at(bound, self.server.now()) {
            out[workload] += 1;
        }
        Reading {
            usage: self.server.usage(),
            work: self.server.work_done(),
            arrived: self.open.arrived().to_vec(),
            out,
            answered: self.calls.answered(bound),
            seconds_out: self.calls.seconds_out(),
            in_flight: self.server.flows_in_flight() as f64,
        }
    }

    /// The cumulative values of the window that started at `begin`.
    fn mark(&self, begin: Instant) -> Mark {
        let bound = self.server.bound;
        let mut mark = Mark {
            at: (self.server.now() - begin).as_seconds(),
            work: vec![0.0; bound.workloads.len()],
            completed: vec![0.0; bound.workloads.len()],
            latency: vec![0.0; bound.workloads.len()],
        };
        let classes = bound
            .classes
            .iter()
            .zip(self.server.work_done())
            .zip(self.completions.by_class());
        for ((class, work), (completed, seconds)) in classes {
            mark.work[class.workload] += work;
            mark.completed[class.workload] += completed as f64;
            mark.latency[class.workload] += seconds;
        }
        mark
    }

    /// Ends a batch of the window.
    fn end_batch(&mut self) {
        let mark = self.batches.as_ref().map(|batches| self.mark(batches.begin));
        if let (Some(batches), Some(mark)) = (&mut self.batches, mark) {
            batches.end(mark);
        }
    }

    /// Whether the window is long enough; it is `times` the requested length.
    fn is_exact(&self, times: f64) -> bool {
        let run = &self.server.bound.run;
        let precision = self.batches.as_ref().and_then(Batches::precision);
        run.keep_duration
            || !self.is_steady
            || times >= LONGEST
            || 2 * self.events > MOST_EVENTS
            || precision.is_none_or(|found| found.throughput <= run.precision.get())
    }

    /// Runs until a pending transaction group is on disk. If the disks throttle writers, these write in
    /// bursts: a window contains as many bursts as groups only if it begins and ends with a group.
    fn run_to_group(&mut self, end: Instant, report: &mut dyn FnMut(Progress)) -> Result<(), RunError> {
        let Some(seconds) = self.write_back.seconds() else {
            return Ok(());
        };
        let limit = self.server.now() + Instant::from_seconds(GROUP_WAIT * seconds);
        self.run_until(limit, end.max(limit), true, report)
    }

    /// Runs to `limit`, or until a transaction group is on disk.
    fn run_until(
        &mut self,
        limit: Instant,
        end: Instant,
        to_group: bool,
        report: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        let groups = self.write_back.completed();
        let mut written = groups;
        while !(to_group && self.write_back.completed() > groups) {
            let Some(event) = self.server.next_before(limit, &mut self.events)? else {
                break;
            };
            self.take(event)?;
            if let Some(sampler) = &mut self.sampler {
                sampler.pass(&self.server)?;
            }
            let now = self.server.now();
            let group_written = self.write_back.completed() > written;
            written = self.write_back.completed();
            let ends = group_written && self.closed.divisions.begin(now);
            if self
                .batches
                .as_ref()
                .is_some_and(|batches| batches.is_due(now, ends))
            {
                self.end_batch();
            }
            if self.events.is_multiple_of(EVENTS_PER_REPORT) {
                report(Progress {
                    done: Time::new(self.server.now().as_seconds()),
                    total: Time::new(end.as_seconds()),
                });
            }
        }
        Ok(())
    }

    /// Ends an interval of the timeline, if there is one: the window consists of whole intervals.
    fn sample(&mut self) -> Result<(), RunError> {
        match &mut self.sampler {
            Some(sampler) => sampler.end_stretch(&self.server),
            None => Ok(()),
        }
    }

    fn take(&mut self, event: Event) -> Result<(), RunError> {
        match event {
            Event::Timer { tag } => self.ring(Tag::of(tag)),
            Event::FlowDone { tag, .. } if tag & GROUP != 0 => {
                let background = (tag & !GROUP) as usize;
                self.write_back.written(&mut self.server, background);
            }
            Event::FlowDone { tag, .. } => {
                let number = tag as u32;
                let class = self.calls.class_of(number);
                if let Some(until) = self.write_back.slow(&self.server, class) {
                    let pause = until - self.server.now();
                    self.server.wait(pause, Tag::Slowed(number).number());
                } else {
                    self.write_back.join(&mut self.server, class);
                    self.complete(number);
                }
            }
            Event::Served { .. } => {}
        }
        if self.calls.most() > self.most_in_flight as usize {
            return Err(RunError::TooManyInFlight {
                most: self.most_in_flight,
                at: Time::new(self.server.now().as_seconds()),
            });
        }
        Ok(())
    }

    /// Handles a timer.
    fn ring(&mut self, tag: Tag) {
        if let Tag::Slowed(number) = tag {
            let class = self.calls.class_of(number);
            self.write_back.join_slowed(&mut self.server, class);
            self.complete(number);
            return;
        }
        let (server, calls) = (&mut self.server, &mut self.calls);
        match tag {
            Tag::Call(number) => calls.arrive(server, number),
            Tag::Thread { number, group } => self.closed.wake(server, calls, number, group),
            Tag::Arrival(source) => self.open.arrive(server, calls, source),
            Tag::Groups => self.write_back.close(server),
            // Handled by the server.
            Tag::Slowed(_) | Tag::Device { .. } | Tag::Served { .. } => {}
            Tag::Trace => {
                if let Some(trace) = &mut self.trace {
                    trace.issue(server, calls);
                }
            }
        }
    }

    /// Completes a call.
    fn complete(&mut self, number: u32) {
        let (server, calls) = (&mut self.server, &mut self.calls);
        let done = calls.finish(server, number);
        let group = &server.bound.threads[done.group];
        if self.measuring {
            self.completions
                .record(group.workload, done.class, done.issued, server.now());
        }
        match group.supply {
            Supply::Closed => self.closed.reply(server, calls, number, done.group),
            Supply::Open { .. } => calls.close(number),
            Supply::Trace { .. } => {
                calls.close(number);
                if let Some(trace) = &mut self.trace {
                    trace.complete(server, calls, number);
                }
            }
        }
    }
}

/// The measurements of a window, before their conversion into an outcome; the scenario may be extended first.
pub(crate) struct Simulated {
    completions: CompletionStats,
    usage: Vec<f64>,
    work: Vec<f64>,
    /// Maximum number of operations in flight at the ends of the window, including those not yet written.
    in_flight: f64,
    run: SimulatedRun,
    batches: Option<Batches>,
}

impl Simulated {
    /// Length of the window, simulated seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.run.measured.get()
    }

    /// The outcome for a scenario with the same classes and resources.
    pub(crate) fn outcome(&self, bound: &Bound) -> Outcome {
        let mut outcome = self.completions.outcome(bound, &self.usage, &self.work, self.run);
        if !is_drawn(bound) && !is_spread(&outcome.latency) {
            let of_workloads = outcome.workloads.iter_mut().map(|workload| &mut workload.latency);
            for latency in of_workloads.chain([&mut outcome.latency]) {
                latency.percentiles = None;
                latency.histogram.clear();
            }
        }
        for (index, workload) in outcome.workloads.iter_mut().enumerate() {
            workload.precision = self
                .batches
                .as_ref()
                .and_then(|batches| batches.of_workload(index));
        }
        outcome
    }

    /// Adds the offered load of open loops to an outcome. For an overloaded loop, completions count instead
    /// of work, part of which went into operations that are not completed.
    fn note_offered(&self, outcome: &mut Outcome, bound: &Bound, before: &Reading, after: &Reading) {
        let seconds = self.run.measured.get();
        for (index, workload) in outcome.workloads.iter_mut().enumerate() {
            if !bound.is_open(index) {
                continue;
            }
            let arrived = (after.arrived[index] - before.arrived[index]) as f64;
            let out = [before.out[index] as f64, after.out[index] as f64];
            let offered = Offered::measured(arrived, seconds, out);
            workload.offered = Some(offered);
            if offered.saturated {
                workload.throughput = self.completions.completed(bound, index, seconds);
            }
        }
        let mut workloads = outcome.workloads.iter();
        if workloads.any(|workload| workload.offered.is_some_and(|offered| offered.saturated)) {
            let own = outcome.workloads.iter().map(|workload| workload.throughput);
            outcome.throughput = own.fold(Throughput::default(), Add::add);
        }
    }
}

/// Whether single operations have random properties other than their work: the choice, the time of arrival,
/// or the service of a device.
fn is_drawn(bound: &Bound) -> bool {
    let threads = bound.threads.iter();
    threads
        .clone()
        .any(|group| group.visits.len() > 1 || group.supply != Supply::Closed)
        || bound.classes.iter().any(|class| !class.device_waits.is_empty())
}

/// Whether random work or transaction groups have spread the latencies. Otherwise all operations take the
/// mean, as with a limiting client link, and the model has no information on the spread: the random start of
/// threads alone spreads them by less.
fn is_spread(latency: &Latency) -> bool {
    let points = latency.percentiles;
    points.is_some_and(|points| points.p99.get() > 1.01 * points.p50.get())
}

fn differences(after: &[f64], before: &[f64]) -> Vec<f64> {
    after
        .iter()
        .zip(before)
        .map(|(after, before)| after - before)
        .collect()
}
