//! The replay of a trace: operations come when their records say, or as fast as they are answered.
//!
//! **As recorded**, with all times divided by a speed: records are read a few at a time, each with the pause
//! that is left until its start. With very many out, no more are read until some are done: what is not read
//! yet waits in the trace, which has the time from which it waits.
//!
//! **As fast as possible**, with the recorded concurrency: an operation of a client is issued as soon as that
//! client has fewer out than it had when the operation was recorded, itself counted. Clients do not wait for
//! each other, but for the room that is kept for records read ahead.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use bandgraph_engine::Time as Instant;
use bandgraph_engine::streams::Stream;
use bandgraph_workload::trace::Record;

use super::calls::Calls;
use super::server::Server;
use super::tag::Tag;

/// Records that are read together where times are as recorded.
const TOGETHER: u64 = 64;
/// Records that are read ahead at the most, where clients wait for each other's turn.
const MOST_WAITING: usize = 65_536;

/// Operations that are out at the most: what bounds the memory of a replay that the server does not keep up
/// with.
const MOST_OUT: u64 = 65_536;

/// What a record is replayed as: the group of threads that it comes by, and the class of its operation.
pub(crate) type Assigned = (usize, usize);

/// Says what a record is replayed as; `None` where it cannot be, which ends the replay.
pub(crate) type Assign<'t> = dyn FnMut(&Record, &mut Stream) -> Option<Assigned> + 't;

/// When operations come.
#[derive(Clone, Debug)]
pub(crate) enum Pace {
    /// When they were recorded, so many times as fast.
    Recorded(f64),
    /// As fast as they are answered; so many of each client at a time where the trace does not say.
    Fast(u32),
}

/// What a replay has seen of its trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traced {
    /// Operations issued.
    pub(crate) operations: u64,
    /// When the last one started, in the time of the trace.
    pub(crate) span_ns: u64,
    /// Operations that came later than recorded, since as many as may be were out.
    pub(crate) held: u64,
    /// Whether an operation would come later than the clock of a simulation goes.
    pub(crate) past_clock: bool,
    /// The start of an operation, after the beginning, until which other workloads would do more than is
    /// simulated.
    pub(crate) too_late: Option<Instant>,
}

/// A client of a trace.
#[derive(Clone, Debug, Default)]
struct Client {
    /// Operations out.
    out: u32,
    /// When those that were out in the trace ended, the earliest first.
    recorded_ends: BinaryHeap<Reverse<u64>>,
    /// Operations that wait for their turn, and how many may be out with them.
    waiting: VecDeque<(Assigned, u32)>,
}

/// A trace that is being replayed.
pub(crate) struct TraceLoop<'t> {
    records: &'t mut dyn Iterator<Item = Record>,
    assign: &'t mut Assign<'t>,
    draws: Stream,
    pace: Pace,
    clients: Vec<Client>,
    waiting: usize,
    /// By call: the client.
    client_of: Vec<u32>,
    out: u64,
    last_start: Instant,
    /// Whether reading waits for operations that are out.
    paused: bool,
    /// A record that is read, and waits for its time.
    next: Option<(Record, Assigned)>,
    /// When the trace begins, and when no more of it comes.
    begin: Instant,
    stop: Instant,
    /// How long other workloads may run beside it.
    longest: Instant,
    ended: bool,
    /// Whether the last operation has come.
    all_there: bool,
    traced: Traced,
    /// By class: seconds outside of all resources.
    delays: Vec<f64>,
}

impl<'t> TraceLoop<'t> {
    pub(crate) fn new(
        records: &'t mut dyn Iterator<Item = Record>,
        assign: &'t mut Assign<'t>,
        draws: Stream,
        pace: Pace,
        delays: Vec<f64>,
    ) -> Self {
        Self {
            delays,
            records,
            assign,
            draws,
            pace,
            clients: Vec::new(),
            waiting: 0,
            client_of: Vec::new(),
            out: 0,
            last_start: Instant::ZERO,
            paused: false,
            next: None,
            begin: Instant::ZERO,
            stop: Instant::MAX,
            longest: Instant::MAX,
            ended: false,
            all_there: false,
            traced: Traced::default(),
        }
    }

    /// Begins so many seconds after the start of the run, and, where its times are as recorded, stops.
    pub(crate) fn scheduled(mut self, begin: f64, stop: Option<f64>) -> Self {
        self.begin = Instant::from_seconds(begin);
        self.last_start = self.begin;
        self.stop = stop.map_or(Instant::MAX, Instant::from_seconds);
        self
    }

    /// Ends the trace where an operation would come later than so many seconds after the beginning.
    pub(super) fn end_after(&mut self, seconds: f64) {
        self.longest = Instant::from_seconds(seconds);
    }

    /// When the trace begins.
    pub(super) fn begin(&self) -> Instant {
        self.begin
    }

    /// The seconds that operations spend outside of all resources, by class, for whoever sends them.
    pub(super) fn take_delays(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.delays)
    }

    /// Whether all that was recorded has been done.
    pub(super) fn is_done(&self) -> bool {
        self.ended && self.out == 0 && self.waiting == 0
    }

    /// Whether the last operation has come: from then on there is less and less to do.
    pub(super) fn is_all_there(&self) -> bool {
        self.all_there
    }

    /// What was seen of the trace.
    pub(super) fn finish(self) -> Traced {
        self.traced
    }

    /// Reads more records, and issues what can be.
    pub(super) fn issue(&mut self, server: &mut Server<'_>, calls: &mut Calls) {
        match self.pace {
            Pace::Recorded(speed) => self.issue_as_recorded(server, calls, speed),
            Pace::Fast(unknown) => self.read_ahead(server, calls, unknown),
        }
    }

    fn next(&mut self) -> Option<(Record, Assigned)> {
        let next = self.records.next();
        if let (Some(record), &Pace::Recorded(speed)) = (&next, &self.pace) {
            let start = self.begin + since_begin(record, speed);
            self.traced.past_clock |= start == Instant::MAX && self.stop == Instant::MAX;
            if start >= self.stop {
                self.ended = true;
                return None;
            }
            if start - self.begin > self.longest {
                self.traced.too_late = Some(start - self.begin);
                self.ended = true;
                return None;
            }
        }
        let next = next.and_then(|record| Some((record, (self.assign)(&record, &mut self.draws)?)));
        let Some((record, assigned)) = next else {
            self.ended = true;
            return None;
        };
        self.traced.operations += 1;
        self.traced.span_ns = record.start_ns;
        Some((record, assigned))
    }

    fn issue_as_recorded(&mut self, server: &mut Server<'_>, calls: &mut Calls, speed: f64) {
        if self.ended {
            self.all_there = true;
            return;
        }
        for _ in 0..TOGETHER {
            if self.out >= MOST_OUT {
                self.paused = true;
                return;
            }
            let Some((record, assigned)) = self.next.take().or_else(|| self.next()) else {
                server.wait(self.last_start - server.now(), Tag::Trace.number());
                return;
            };
            self.last_start = self.last_start.max(self.begin + since_begin(&record, speed));
            // A client that limits its calls counts what is on its way to be issued.
            if calls.is_limited(assigned.0) && self.last_start > server.now() {
                self.next = Some((record, assigned));
                break;
            }
            self.traced.held += u64::from(self.last_start < server.now());
            self.send(server, calls, assigned, record.client, self.last_start);
        }
        server.wait(self.last_start - server.now(), Tag::Trace.number());
    }

    fn send(
        &mut self,
        server: &mut Server<'_>,
        calls: &mut Calls,
        (group, class): Assigned,
        client: u32,
        issued: Instant,
    ) {
        let number = calls.open(group);
        if self.client_of.len() <= number as usize {
            self.client_of.resize(number as usize + 1, 0);
        }
        self.client_of[number as usize] = client;
        self.out += 1;
        calls.issue_at(server, number, class, issued);
    }

    fn read_ahead(&mut self, server: &mut Server<'_>, calls: &mut Calls, unknown: u32) {
        while !self.ended && self.waiting < MOST_WAITING {
            let Some((record, assigned)) = self.next() else {
                return;
            };
            let number = record.client as usize;
            if self.clients.len() <= number {
                self.clients.resize_with(number + 1, Client::default);
            }
            let client = &mut self.clients[number];
            let together = client.recorded_concurrency(&record).unwrap_or(unknown);
            if client.waiting.is_empty() && client.out < together {
                client.out += 1;
                self.send(server, calls, assigned, record.client, server.now());
            } else {
                client.waiting.push_back((assigned, together));
                self.waiting += 1;
            }
        }
    }

    /// An operation is done.
    pub(super) fn complete(&mut self, server: &mut Server<'_>, calls: &mut Calls, number: u32) {
        self.out -= 1;
        if matches!(self.pace, Pace::Recorded(_)) {
            if self.paused && self.out + TOGETHER <= MOST_OUT {
                self.paused = false;
                self.issue(server, calls);
            }
            return;
        }
        let client = self.client_of[number as usize];
        self.clients[client as usize].out -= 1;
        while let Some(assigned) = self.clients[client as usize].next_to_send() {
            self.waiting -= 1;
            self.send(server, calls, assigned, client, server.now());
        }
        if self.waiting < MOST_WAITING / 2 {
            self.issue(server, calls);
        }
    }
}

/// From the beginning of the trace to a record.
fn since_begin(record: &Record, speed: f64) -> Instant {
    Instant::from_seconds(record.start_ns as f64 * 1e-9 / speed)
}

impl Client {
    /// Operations that this client had out when a record started, itself counted; `None` where the trace does
    /// not say.
    fn recorded_concurrency(&mut self, record: &Record) -> Option<u32> {
        let latency = record.latency_ns?;
        while self
            .recorded_ends
            .peek()
            .is_some_and(|end| end.0 <= record.start_ns)
        {
            self.recorded_ends.pop();
        }
        if self.recorded_ends.len() as u64 >= MOST_OUT {
            self.recorded_ends.pop();
        }
        self.recorded_ends
            .push(Reverse(record.start_ns.saturating_add(latency)));
        Some(self.recorded_ends.len() as u32)
    }

    /// The operation that waits longest, if it may go now; it counts as out then.
    fn next_to_send(&mut self) -> Option<Assigned> {
        let &(assigned, together) = self.waiting.front()?;
        if self.out >= together {
            return None;
        }
        self.waiting.pop_front();
        self.out += 1;
        Some(assigned)
    }
}
