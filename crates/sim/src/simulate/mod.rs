//! The simulation: every operation of every thread, event by event.
//!
//! A thread issues an operation, which first spends its share of delays (network, interrupts), then runs as one flow
//! over all resources of its class; when the flow is done the reply is on its way, and after think time the thread
//! issues the next. Two events per operation: a timer and a completion.
//!
//! * `server` is the engine with the resources and classes of the scenario;
//! * `feedback` lets the costs of operations follow the load;
//! * drivers issue operations: `closed_loop`;
//! * `books` count what completed in the `window`.

mod books;
mod closed_loop;
mod feedback;
mod server;
mod window;

use bandgraph_engine::{Event, Time as Instant};
use bandgraph_units::Time;

use crate::RunError;
use crate::bind::Bound;
use crate::outcome::{Outcome, SimulatedRun};
use crate::predict::SteadyState;
use books::Books;
use closed_loop::ClosedLoop;
use server::Server;
use window::Window;

/// Events between two reports of progress.
const EVENTS_PER_REPORT: u64 = 1 << 16;

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

struct Simulation<'a> {
    server: Server<'a>,
    closed: ClosedLoop,
    books: Books,
    window: Window,
    measuring: bool,
    events: u64,
}

impl<'a> Simulation<'a> {
    fn new(bound: &'a Bound, steady: &SteadyState) -> Result<Self, RunError> {
        let window = Window::new(bound, steady);
        let mut server = Server::new(bound, steady, window.total())?;
        let closed = ClosedLoop::start(&mut server, steady);
        Ok(Self {
            server,
            closed,
            books: Books::new(bound),
            window,
            measuring: false,
            events: 0,
        })
    }

    fn run(mut self, report: &mut dyn FnMut(Progress)) -> Result<Outcome, RunError> {
        let warm_up = Instant::from_seconds(self.window.warm_up);
        let end = warm_up + Instant::from_seconds(self.window.duration);
        self.run_until(warm_up, end, report)?;
        let before = (self.server.usage(), self.server.work_done());
        self.measuring = true;
        self.run_until(end, end, report)?;
        let usage = differences(&self.server.usage(), &before.0);
        let work = differences(&self.server.work_done(), &before.1);
        let operations = self.books.operations();
        self.server
            .audit(&usage, &operations, self.closed.in_flight_most())?;
        let run = SimulatedRun {
            warm_up: Time::new(self.window.warm_up),
            measured: Time::new(self.window.duration),
            operations: operations.iter().sum(),
            events: self.events,
        };
        Ok(self.books.outcome(self.server.bound, &usage, &work, run))
    }

    fn run_until(
        &mut self,
        limit: Instant,
        end: Instant,
        report: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        while let Some(event) = self.server.next_before(limit, &mut self.events)? {
            match event {
                Event::Timer { tag } => self.closed.arrive(&mut self.server, tag as usize),
                Event::FlowDone { tag, .. } => self.complete(tag as usize),
                Event::Served { .. } => {}
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

    fn complete(&mut self, thread: usize) {
        let (class, latency) = self.closed.complete(&mut self.server, thread);
        if self.measuring {
            self.books.record(self.server.bound, class, latency);
        }
    }
}

fn differences(after: &[f64], before: &[f64]) -> Vec<f64> {
    after
        .iter()
        .zip(before)
        .map(|(after, before)| after - before)
        .collect()
}
