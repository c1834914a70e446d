//! The closed loop: threads that wait for their reply, pause, and issue the next operation.

use bandgraph_engine::Time as Instant;
use bandgraph_engine::streams::{Stream, Streams};

use super::server::Server;
use crate::predict::SteadyState;

/// One thread of a client.
struct Thread {
    group: usize,
    class: usize,
    issued: Instant,
}

/// All threads of all clients. Their numbers are the tags of their timers and flows.
pub(super) struct ClosedLoop {
    threads: Vec<Thread>,
    /// Decides which operation of its mix a thread issues next.
    choices: Stream,
}

impl ClosedLoop {
    /// Lets every thread issue its first operation at a random point of its cycle, so that threads do not march in
    /// step.
    pub(super) fn start(server: &mut Server<'_>, steady: &SteadyState) -> Self {
        let streams = Streams::new(server.bound.run.seed);
        let mut closed = Self {
            threads: Vec::new(),
            choices: streams.stream("operations"),
        };
        let mut starts = streams.stream("starts");
        for (group, threads) in server.bound.threads.iter().enumerate() {
            let cycle = steady.cycle_seconds(threads);
            for _ in 0..threads.threads {
                let thread = closed.threads.len();
                closed.threads.push(Thread {
                    group,
                    class: 0,
                    issued: Instant::ZERO,
                });
                closed.issue(server, thread, starts.uniform() * cycle);
            }
        }
        closed
    }

    /// The most operations that can be in flight.
    pub(super) fn in_flight_most(&self) -> f64 {
        self.threads.len() as f64
    }

    /// Makes a thread issue an operation after a pause, in seconds.
    fn issue(&mut self, server: &mut Server<'_>, thread: usize, pause: f64) {
        let group = &server.bound.threads[self.threads[thread].group];
        let class = choose(&group.visits, &mut self.choices);
        let pause = Instant::from_seconds(pause);
        self.threads[thread].class = class;
        self.threads[thread].issued = server.now() + pause;
        let wait = pause + Instant::from_seconds(group.delay);
        if wait == Instant::ZERO {
            server.start(class, thread as u64);
        } else {
            server.wait(wait, thread as u64);
        }
    }

    /// A thread's call has come to the server.
    pub(super) fn arrive(&mut self, server: &mut Server<'_>, thread: usize) {
        server.start(self.threads[thread].class, thread as u64);
    }

    /// A thread's operation is done, and the next is on its way: the class of the one done, and how long it took.
    pub(super) fn complete(&mut self, server: &mut Server<'_>, thread: usize) -> (usize, Instant) {
        let Thread { group, class, issued } = self.threads[thread];
        self.issue(server, thread, server.bound.threads[group].think);
        (class, server.now() - issued)
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
