//! The closed loop: threads that wait for a reply, think, and issue the next operation.

use bandgraph_engine::Time as Instant;
use bandgraph_engine::streams::{Exponentials, Stream, Streams};
use bandgraph_model::Bound;
use bandgraph_solve::SteadyState;

use super::calls::Calls;
use super::divisions::Divisions;
use super::server::Server;
use super::tag::Tag;

/// All threads of all clients. Each owns one call.
pub(super) struct ClosedLoop {
    /// Draws the next operation from the mix of a thread.
    choices: Stream,
    /// Draws pauses.
    pauses: Exponentials,
    /// The stop time of each workload.
    stops: Vec<Instant>,
    /// By workload: the threads at its barrier, each with its group.
    waiting: Vec<Vec<(u32, usize)>>,
    /// Number of threads of each workload.
    threads: Vec<usize>,
    /// How writers of logs are divided into batches.
    pub(super) divisions: Divisions,
}

impl ClosedLoop {
    /// Starts every thread at a random point of its cycle, so that threads are not synchronised.
    pub(super) fn start(server: &mut Server<'_>, calls: &mut Calls, steady: &SteadyState) -> Self {
        let streams = Streams::new(server.bound.run.seed);
        let bound = server.bound;
        let mut closed = Self {
            choices: streams.stream("operations"),
            pauses: Exponentials::new(streams.stream("pauses")),
            stops: bound
                .schedules
                .iter()
                .map(|schedule| {
                    schedule
                        .stop
                        .map_or(Instant::MAX, |stop| Instant::from_seconds(stop.get()))
                })
                .collect(),
            waiting: vec![Vec::new(); bound.workloads.len()],
            threads: threads(bound),
            divisions: Divisions::new(bound, steady, streams),
        };
        let mut begun = vec![0.0; bound.workloads.len()];
        let mut starts = streams.stream("starts");
        for (group, of_group) in bound.threads.iter().enumerate() {
            let cycle = steady.cycle_seconds(of_group);
            let workload = of_group.workload;
            let schedule = &bound.schedules[workload];
            for _ in 0..of_group.threads {
                let number = calls.open(group);
                let ramp = schedule.ramp.get() * begun[workload] / closed.threads[workload] as f64;
                begun[workload] += 1.0;
                let start = schedule.start.get() + ramp + starts.uniform() * cycle;
                closed.issue(server, calls, number, group, start);
            }
        }
        closed
    }

    /// Makes a thread issue an operation after `seconds`.
    fn issue(&mut self, server: &mut Server<'_>, calls: &mut Calls, number: u32, group: usize, seconds: f64) {
        let bound = server.bound;
        let of_group = &bound.threads[group];
        let pause = Instant::from_seconds(seconds);
        if server.now() + pause >= self.stops[of_group.workload] {
            calls.close(number);
            return;
        }
        if pause > Instant::ZERO && calls.is_limited(group) {
            // The client's limit is checked at the end of the pause.
            server.wait(pause, Tag::Thread { number, group }.number());
            return;
        }
        let class = choose(&of_group.visits, &mut self.choices);
        calls.issue_after(server, number, class, pause);
    }

    /// The pause of a thread is over.
    pub(super) fn wake(&mut self, server: &mut Server<'_>, calls: &mut Calls, number: u32, group: usize) {
        self.issue(server, calls, number, group, 0.0);
    }

    /// Processes the reply to a thread: it waits at the barrier of its workload, if there is one, thinks, and
    /// issues the next operation.
    pub(super) fn reply(&mut self, server: &mut Server<'_>, calls: &mut Calls, number: u32, group: usize) {
        let of_group = &server.bound.threads[group];
        if !of_group.barrier {
            let mut pause = of_group.think;
            if pause > 0.0 {
                pause *= self
                    .pauses
                    .around_one(server.bound.think_variations[of_group.workload]);
            }
            pause += self.divisions.pause(number, group);
            self.issue(server, calls, number, group, pause);
            return;
        }
        let waiting = &mut self.waiting[of_group.workload];
        waiting.push((number, group));
        if waiting.len() == self.threads[of_group.workload] {
            for (number, group) in std::mem::take(waiting) {
                self.issue(server, calls, number, group, server.bound.threads[group].think);
            }
        }
    }

    /// The calls of threads that wait at a barrier.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u32> {
        self.waiting.iter().flatten().map(|&(number, _)| number)
    }
}

/// Number of threads of each workload.
fn threads(bound: &Bound) -> Vec<usize> {
    let mut threads = vec![0; bound.workloads.len()];
    for group in bound.threads.iter() {
        threads[group.workload] += group.threads as usize;
    }
    threads
}

/// Draws the class of the next operation of a group, by the shares of its visits.
pub(crate) fn choose(visits: &[(usize, f64)], choices: &mut Stream) -> usize {
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
