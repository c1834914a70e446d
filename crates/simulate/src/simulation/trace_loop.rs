//! The replay of a trace: operations start at their recorded times, or as fast as replies arrive.
//!
//! **As recorded**, with all times divided by a speed: records are read in small batches, each with the
//! remaining pause until its start. With very many operations in flight, reading pauses until some complete:
//! unread operations wait in the trace, which has the time at which their wait began.
//!
//! **As fast as possible**, with the recorded concurrency: an operation of a client is issued as soon as the
//! client has fewer in flight than when the operation was recorded (including itself). Clients do not wait
//! for each other, except for space in the read-ahead buffer.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use bandgraph_engine::Time as Instant;
use bandgraph_engine::streams::Stream;
use bandgraph_workload::Record;

use super::calls::Calls;
use super::server::Server;
use super::tag::Tag;

/// Records per batch with recorded times.
const TOGETHER: u64 = 64;
/// Maximum number of records read ahead without recorded times.
const MOST_WAITING: usize = 65_536;

/// Maximum number of operations in flight; it bounds the memory of a replay on an overloaded server.
const MOST_OUT: u64 = 65_536;

/// The group of threads and the class of a replayed record.
pub(crate) type Assigned = (usize, usize);

/// Assigns a record; `None` if that is impossible, which ends the replay.
pub(crate) type Assign<'t> = dyn FnMut(&Record, &mut Stream) -> Option<Assigned> + 't;

/// Times at which operations are issued.
#[derive(Clone, Debug)]
pub(crate) enum Pace {
    /// At the recorded times, divided by this speed.
    Recorded(f64),
    /// As fast as replies arrive; this many in flight per client if the trace does not determine it.
    Fast(u32),
}

/// Observations of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traced {
    /// Operations issued.
    pub(crate) operations: u64,
    /// Start of the last operation, in the time of the trace, ns.
    pub(crate) span_ns: u64,
    /// Operations delayed because the maximum number was in flight.
    pub(crate) held: u64,
    /// Whether an operation would start beyond the range of the simulation clock.
    pub(crate) past_clock: bool,
    /// The start of an operation, relative to the beginning, by which other workloads would exceed the limit
    /// of simulated operations.
    pub(crate) too_late: Option<Instant>,
}

/// A client of a trace.
#[derive(Clone, Debug, Default)]
struct Client {
    /// Operations in flight.
    out: u32,
    /// Recorded end times of the operations in flight, earliest first.
    recorded_ends: BinaryHeap<Reverse<u64>>,
    /// Waiting operations, each with its maximum number in flight (including itself).
    waiting: VecDeque<(Assigned, u32)>,
}

/// A trace in replay.
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
    /// Whether reading waits for completions.
    paused: bool,
    /// The record that was read and waits for its time.
    next: Option<(Record, Assigned)>,
    /// The beginning of the trace, and the time at which it is cut off.
    begin: Instant,
    stop: Instant,
    /// Maximum time of other workloads in parallel.
    longest: Instant,
    ended: bool,
    /// Whether the last operation has been issued.
    all_there: bool,
    traced: Traced,
    /// By class: seconds outside all resources.
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

    /// Sets the beginning in seconds after the start of the run, and the stop time of a trace with recorded
    /// times.
    pub(crate) fn scheduled(mut self, begin: f64, stop: Option<f64>) -> Self {
        self.begin = Instant::from_seconds(begin);
        self.last_start = self.begin;
        self.stop = stop.map_or(Instant::MAX, Instant::from_seconds);
        self
    }

    /// Ends the trace at the first operation later than `seconds` after the beginning.
    pub(super) fn end_after(&mut self, seconds: f64) {
        self.longest = Instant::from_seconds(seconds);
    }

    /// When the trace begins.
    pub(super) fn begin(&self) -> Instant {
        self.begin
    }

    /// Takes the seconds outside all resources, by class, for the calls.
    pub(super) fn take_delays(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.delays)
    }

    /// Whether all recorded operations are completed.
    pub(super) fn is_done(&self) -> bool {
        self.ended && self.out == 0 && self.waiting == 0
    }

    /// Whether the last operation has been issued; the load decreases from then on.
    pub(super) fn is_all_there(&self) -> bool {
        self.all_there
    }

    /// The observations of the trace.
    pub(super) fn finish(self) -> Traced {
        self.traced
    }

    /// Reads more records, and issues those that may be issued.
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
            // A client with a limit of calls counts those scheduled for issue.
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

    /// An operation completes.
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

/// The time of a record relative to the beginning of the trace.
fn since_begin(record: &Record, speed: f64) -> Instant {
    Instant::from_seconds(record.start_ns as f64 * 1e-9 / speed)
}

impl Client {
    /// Operations in flight of this client at the start of a record (including itself); `None` if the trace
    /// has no latency.
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

    /// Takes the operation that has waited longest, if it may be issued now; it then counts as in flight.
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
