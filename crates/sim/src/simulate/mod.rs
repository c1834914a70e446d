//! The simulation: every operation of every thread, event by event.
//!
//! A thread issues an operation, which first spends its share of delays (network, interrupts), then runs as one flow
//! over all resources of its class; when the flow is done the reply is on its way, and after think time the thread
//! issues the next. Two events per operation: a timer and a completion.
//!
//! * `server` is the engine with the resources and classes of the scenario;
//! * `sharing` finds classes that the engine need not tell apart;
//! * `feedback` lets the costs of operations follow the load;
//! * drivers issue operations: `closed_loop`;
//! * `books` count what completed in the `window`.

mod books;
mod closed_loop;
mod feedback;
mod server;
mod sharing;
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
        let server = Server::new(bound, steady, window.total())?;
        Ok(Self::on(server, steady, window))
    }

    fn on(mut server: Server<'a>, steady: &SteadyState, window: Window) -> Self {
        let closed = ClosedLoop::start(&mut server, steady);
        Self {
            closed,
            books: Books::new(server.bound),
            server,
            window,
            measuring: false,
            events: 0,
        }
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

#[cfg(test)]
mod tests {
    use bandgraph_testkit::{Generation, seven_four_ten_topology};
    use bandgraph_units::Bytes;
    use bandgraph_workload::{ClientGroup, ClientNics, Mix, NetworkSettings, OperationKind, Workload};

    use super::sharing::Sharing;
    use super::*;
    use crate::{RunSettings, Scenario, Stack, Storage};

    /// 20 clients with two NICs each read from the cache, and a few of them ask for attributes.
    fn bound(threads: u32) -> Bound {
        let nics = ClientNics {
            count: 2,
            ..ClientNics::default()
        };
        let group = |id: &str, count| ClientGroup {
            count,
            nics,
            ..ClientGroup::new(id)
        };
        let reads = Workload {
            io_size: Bytes::new(1_048_576.0),
            threads_per_client: threads,
            ..Workload::new("read", "many", Mix::single(OperationKind::Read))
        };
        let getattrs = Workload {
            threads_per_client: 6,
            ..Workload::new("getattr", "few", Mix::single(OperationKind::Getattr))
        };
        let scenario = Scenario {
            name: "lone".to_owned(),
            topology: seven_four_ten_topology(Generation::Barcelona),
            stack: Stack::fishworks_2009(),
            networks: Vec::new(),
            storage: Storage::default(),
            clients: vec![group("many", 20), group("few", 3)],
            workloads: vec![reads, getattrs],
            run: RunSettings {
                seed: 1,
                warm_up: Time::new(0.05),
                duration: Time::new(0.5),
                network: NetworkSettings::default(),
                network_latency: Time::new(20e-6),
            },
        };
        Bound::bind(&scenario).expect("a sound scenario")
    }

    fn classes_told_apart(bound: &Bound) -> usize {
        let capacities = bound.usable_capacities();
        let keep = crate::dominance::kept(bound, &capacities);
        Sharing::new(bound, &capacities, &keep).stands.len()
    }

    #[test]
    fn clients_with_a_thread_on_each_nic_are_told_apart_by_port_alone() {
        // 40 NICs of readers on four ports, and 6 of the others, which carry three threads each.
        assert_eq!(bound(2).classes.len(), 46);
        assert!(classes_told_apart(&bound(2)) <= 4 + 6);
        assert_eq!(classes_told_apart(&bound(4)), 46);
    }

    #[test]
    fn what_is_not_told_apart_comes_out_as_if_it_were() {
        let bound = bound(2);
        let steady = SteadyState::solve(&bound, &bound.usable_capacities(), 1.0).expect("a steady state");
        let window = Window::new(&bound, &steady);
        let outcome = |server: Server<'_>| {
            let simulation = Simulation::on(server, &steady, window);
            simulation.run(&mut |_| {}).expect("a sound run")
        };
        let together = outcome(Server::new(&bound, &steady, window.total()).expect("a server"));
        let apart = Server::with(&bound, &steady, window.total(), Sharing::none(&bound)).expect("a server");
        let apart = outcome(apart);
        // Sums are formed in another order, and rounding decides which of two operations that end together is first: the
        // runs part after a while, and only their averages are the same.
        let near = |a: f64, b: f64, what: &str| {
            assert!(
                (a - b).abs() <= 1e-4 * a.abs().max(b.abs()),
                "{what}: {a} and {b}"
            );
        };
        for (one, other) in together.workloads.iter().zip(&apart.workloads) {
            near(
                one.throughput.operations.get(),
                other.throughput.operations.get(),
                &one.id,
            );
            near(one.latency.mean.get(), other.latency.mean.get(), &one.id);
        }
        for (one, other) in together.resources.iter().zip(&apart.resources) {
            near(one.rate, other.rate, &one.id);
        }
    }
}
