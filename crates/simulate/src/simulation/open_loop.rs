//! The open loop: operations arrive at a given rate, independent of the server.
//!
//! An ideal counter integrates the arrival rate of each client NIC, including a ramp. The next operation
//! arrives when the counter has advanced by 1, or, for random arrivals, by an exponential variate of mean 1:
//! this is a Poisson process with a rate that changes over time.

use bandgraph_engine::Time as Instant;
use bandgraph_engine::streams::{Stream, Streams};
use bandgraph_model::{Bound, Supply};

use super::calls::Calls;
use super::closed_loop::choose;
use super::server::Server;
use super::tag::Tag;

/// The arrivals on one client NIC.
struct Source {
    group: usize,
    /// Arrivals/s after the ramp.
    rate: f64,
    /// Seconds.
    start: f64,
    ramp: f64,
    stop: Instant,
    /// The counter at the next arrival.
    counter: f64,
    poisson: bool,
    stream: Stream,
}

impl Source {
    /// Returns the time of the next arrival in seconds, and advances to the one after it.
    fn next(&mut self) -> f64 {
        let at = self.time_of(self.counter);
        self.counter += if self.poisson {
            self.stream.exponential(1.0)
        } else {
            1.0
        };
        at
    }

    /// The time at which the counter reaches a value: during the ramp it grows with the square of time.
    fn time_of(&self, counter: f64) -> f64 {
        let by_ramp = self.rate * self.ramp / 2.0;
        self.start
            + if counter < by_ramp {
                (2.0 * counter * self.ramp / self.rate).sqrt()
            } else {
                self.ramp / 2.0 + counter / self.rate
            }
    }
}

/// All open loops.
pub(super) struct OpenLoop {
    sources: Vec<Source>,
    /// Arrivals so far, by workload.
    arrived: Vec<u64>,
}

impl OpenLoop {
    /// Schedules the first arrivals.
    pub(super) fn start(server: &mut Server<'_>) -> Self {
        let bound = server.bound;
        let mut open = Self {
            sources: sources(bound),
            arrived: vec![0; bound.workloads.len()],
        };
        for source in 0..open.sources.len() {
            open.wait(server, source);
        }
        open
    }

    /// Arrivals so far, by workload.
    pub(super) fn arrived(&self) -> &[u64] {
        &self.arrived
    }

    fn wait(&mut self, server: &mut Server<'_>, number: usize) {
        let source = &mut self.sources[number];
        let at = Instant::from_seconds(source.next());
        if at < source.stop {
            server.wait(at - server.now().min(at), Tag::Arrival(number as u32).number());
        }
    }

    /// An operation arrives.
    pub(super) fn arrive(&mut self, server: &mut Server<'_>, calls: &mut Calls, number: u32) {
        let source = &mut self.sources[number as usize];
        let bound = server.bound;
        let group = &bound.threads[source.group];
        self.arrived[group.workload] += 1;
        let class = choose(&group.visits, &mut source.stream);
        let call = calls.open(source.group);
        calls.issue_after(server, call, class, Instant::ZERO);
        self.wait(server, number as usize);
    }
}

fn sources(bound: &Bound) -> Vec<Source> {
    let streams = Streams::new(bound.run.seed);
    let open = bound.threads.iter().enumerate();
    let open = open.filter_map(|(group, of_group)| match of_group.supply {
        Supply::Closed | Supply::Trace { .. } => None,
        Supply::Open { rate, poisson } => Some((group, of_group.workload, rate, poisson)),
    });
    let open: Vec<_> = open.collect();
    let mut of_workload = vec![0_u32; bound.workloads.len()];
    for &(_, workload, ..) in &open {
        of_workload[workload] += 1;
    }
    let mut taken = vec![0_u32; bound.workloads.len()];
    let sources = open.into_iter().map(|(group, workload, rate, poisson)| {
        let position = taken[workload];
        taken[workload] += 1;
        let schedule = &bound.schedules[workload];
        let name = format!("arrivals.{}.{position}", bound.workloads[workload]);
        let mut stream = streams.stream(&name);
        Source {
            group,
            rate,
            start: schedule.start.get(),
            ramp: schedule.ramp.get(),
            stop: schedule
                .stop
                .map_or(Instant::MAX, |stop| Instant::from_seconds(stop.get())),
            // Even arrivals alternate between the NICs.
            counter: if poisson {
                stream.exponential(1.0)
            } else {
                (f64::from(position) + 0.5) / f64::from(of_workload[workload])
            },
            poisson,
            stream,
        }
    });
    sources.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(ramp: f64) -> Source {
        Source {
            group: 0,
            rate: 100.0,
            start: 2.0,
            ramp,
            stop: Instant::MAX,
            counter: 0.0,
            poisson: false,
            stream: Streams::new(1).stream("test"),
        }
    }

    /// By hand: a ramp of 4 s to 100/s yields 200 arrivals; a quarter of them in its first half.
    #[test]
    fn a_ramp_brings_half_of_what_comes_without_it() {
        let ramped = source(4.0);
        assert_eq!(ramped.time_of(50.0), 4.0);
        assert_eq!(ramped.time_of(200.0), 6.0);
        assert_eq!(ramped.time_of(300.0), 7.0);
        assert_eq!(source(0.0).time_of(300.0), 5.0);
    }

    #[test]
    fn even_arrivals_are_even() {
        let mut even = source(0.0);
        let times: Vec<f64> = (0..4).map(|_| even.next()).collect();
        assert_eq!(times, [2.0, 2.01, 2.02, 2.03]);
    }
}
