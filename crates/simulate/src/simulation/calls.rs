//! Operations in flight, independent of their driver.
//!
//! A call is issued, waits in its client until fewer calls are in flight than the client permits, spends its
//! delays (network, interrupts), and runs as one flow over all resources of its class; the call completes
//! with the flow. The number of a call is the tag of its timers and flows.

use std::collections::{BTreeMap, VecDeque};

use bandgraph_engine::Time as Instant;
use bandgraph_model::Bound;
use bandgraph_solve::{RunError, SteadyState};

use super::server::Server;

/// An operation in flight, or one with a known time of issue in the future.
#[derive(Clone, Copy, Debug)]
struct Call {
    group: u32,
    class: u32,
    /// [`Instant::MAX`] without an operation.
    issued: Instant,
}

/// A completed call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) group: usize,
    pub(super) class: usize,
    pub(super) issued: Instant,
}

/// The limit of calls in flight per client, or of an open loop that overloads the server, and the calls that
/// wait for a free slot.
#[derive(Clone, Debug)]
struct Gate {
    most: u32,
    free: u32,
    waiting: VecDeque<u32>,
}

/// All calls, by number.
pub(super) struct Calls {
    all: Vec<Call>,
    /// Calls issued since the start, by workload.
    issued: Vec<u64>,
    /// By class: sums of the issue times and of the completion times, ps.
    times: Vec<(i128, i128)>,
    unused: Vec<u32>,
    gates: Vec<Gate>,
    /// The gate of each group of threads, if its clients have one.
    gate_of: Vec<Option<usize>>,
    /// By class: seconds outside all resources, if these differ from those of the group.
    delays: Vec<f64>,
}

impl Calls {
    pub(super) fn new(bound: &Bound, steady: &SteadyState) -> Self {
        let mut gates = Vec::new();
        let mut known: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let gate_of = bound.threads.iter().enumerate().map(|(index, group)| {
            let of_client = bound.outstanding[group.workload];
            let most = of_client.or_else(|| steady.in_service(bound, index))?;
            let place = of_client.map_or(index, |_| group.client);
            let gate = *known.entry((group.workload, place)).or_insert_with(|| {
                gates.push(Gate {
                    most,
                    free: most,
                    waiting: VecDeque::new(),
                });
                gates.len() - 1
            });
            Some(gate)
        });
        let gate_of = gate_of.collect();
        Self {
            all: Vec::new(),
            issued: vec![0; bound.workloads.len()],
            times: vec![(0, 0); bound.classes.len()],
            unused: Vec::new(),
            gates,
            gate_of,
            delays: Vec::new(),
        }
    }

    /// Sets the seconds outside all resources by class, instead of by group.
    pub(super) fn set_delays(&mut self, seconds: Vec<f64>) {
        self.delays = seconds;
    }

    /// Allocates a number for calls of a group of threads.
    pub(super) fn open(&mut self, group: usize) -> u32 {
        let call = Call {
            group: group as u32,
            class: 0,
            issued: Instant::MAX,
        };
        if let Some(number) = self.unused.pop() {
            self.all[number as usize] = call;
            return number;
        }
        self.all.push(call);
        (self.all.len() - 1) as u32
    }

    /// Frees a number.
    pub(super) fn close(&mut self, number: u32) {
        self.all[number as usize].issued = Instant::MAX;
        self.unused.push(number);
    }

    /// Maximum number of allocated calls so far, including idle threads.
    pub(super) fn most(&self) -> usize {
        self.all.len()
    }

    /// Whether the clients of a group limit their calls in flight.
    pub(super) fn is_limited(&self, group: usize) -> bool {
        self.gate_of[group].is_some()
    }

    /// Issues an operation of a class after a fixed pause. Clients that limit their calls must have none.
    pub(super) fn issue_after(&mut self, server: &mut Server<'_>, number: u32, class: usize, pause: Instant) {
        self.issue_at(server, number, class, server.now() + pause);
    }

    /// Issues an operation of a class at time `issued`. If that is in the past, the operation has waited
    /// since.
    pub(super) fn issue_at(&mut self, server: &mut Server<'_>, number: u32, class: usize, issued: Instant) {
        let call = &mut self.all[number as usize];
        call.class = class as u32;
        call.issued = issued;
        self.times[class].0 += i128::from(issued.as_picoseconds());
        self.issued[server.bound.threads[call.group as usize].workload] += 1;
        if let Some(gate) = self.gate_of[call.group as usize] {
            let gate = &mut self.gates[gate];
            if gate.free == 0 {
                gate.waiting.push_back(number);
                return;
            }
            gate.free -= 1;
        }
        self.depart(server, number, issued - server.now());
    }

    /// Sends a call from its client after a pause.
    fn depart(&self, server: &mut Server<'_>, number: u32, pause: Instant) {
        let call = self.all[number as usize];
        let delay = match self.delays.get(call.class as usize) {
            Some(&delay) => delay,
            None => server.bound.threads[call.group as usize].delay,
        };
        let wait = pause + Instant::from_seconds(delay);
        if wait == Instant::ZERO {
            server.start(call.class as usize, u64::from(number));
        } else {
            server.wait(wait, u64::from(number));
        }
    }

    /// A call arrives at the server.
    pub(super) fn arrive(&self, server: &mut Server<'_>, number: u32) {
        server.start(self.all[number as usize].class as usize, u64::from(number));
    }

    /// The class of a call.
    pub(super) fn class_of(&self, number: u32) -> usize {
        self.all[number as usize].class as usize
    }

    /// Completes a call; a waiting one may take its slot.
    pub(super) fn finish(&mut self, server: &mut Server<'_>, number: u32) -> Done {
        let call = &mut self.all[number as usize];
        let done = Done {
            group: call.group as usize,
            class: call.class as usize,
            issued: call.issued,
        };
        call.issued = Instant::MAX;
        self.times[done.class].1 += i128::from(server.now().as_picoseconds());
        if let Some(gate) = self.gate_of[done.group] {
            let gate = &mut self.gates[gate];
            match gate.waiting.pop_front() {
                Some(next) => self.depart(server, next, Instant::ZERO),
                None => gate.free += 1,
            }
        }
        done
    }

    /// Completed calls since the start, by workload: issued calls minus calls in flight or scheduled.
    pub(super) fn answered(&self, bound: &Bound) -> Vec<u64> {
        let mut answered = self.issued.clone();
        for call in self.all.iter().filter(|call| call.issued != Instant::MAX) {
            answered[bound.threads[call.group as usize].workload] -= 1;
        }
        answered
    }

    /// Total latency of the calls completed since the start, by class, seconds: by Little's law the integral
    /// of the number in flight, without those still in flight.
    pub(super) fn seconds_out(&self) -> Vec<f64> {
        let mut times = self.times.clone();
        for call in self.all.iter().filter(|call| call.issued != Instant::MAX) {
            times[call.class as usize].0 -= i128::from(call.issued.as_picoseconds());
        }
        let seconds = times
            .into_iter()
            .map(|(issued, answered)| (answered - issued) as f64);
        seconds.map(|picoseconds| picoseconds * 1e-12).collect()
    }

    /// Checks that no client exceeds its limit of calls in flight, and that every thread and every call is in
    /// exactly one place: in the queue of its client, or in `elsewhere`, which lists the calls in transit, at
    /// the server or paused.
    pub(super) fn check_places(
        &self,
        bound: &Bound,
        elsewhere: impl Iterator<Item = u32>,
    ) -> Result<(), RunError> {
        let mut out = vec![0; self.gates.len()];
        for call in self.all.iter().filter(|call| call.issued != Instant::MAX) {
            if let Some(gate) = self.gate_of[call.group as usize] {
                out[gate] += 1;
            }
        }
        for (gate, out) in self.gates.iter().zip(out) {
            // Waiting calls are issued, but occupy no slot.
            if out + gate.free as usize != gate.most as usize + gate.waiting.len() {
                let departed = out - gate.waiting.len();
                return Err(RunError::Inconsistent {
                    what: format!(
                        "{departed} calls of a client are out, of {} that it allows",
                        gate.most
                    ),
                });
            }
        }
        let mut places = vec![0_u32; self.all.len()];
        let waiting = self.gates.iter().flat_map(|gate| gate.waiting.iter().copied());
        for number in waiting.chain(elsewhere) {
            places[number as usize] += 1;
        }
        let mut right = vec![1; self.all.len()];
        for &number in &self.unused {
            right[number as usize] = 0;
        }
        match self
            .all
            .iter()
            .zip(places)
            .zip(right)
            .find(|((_, places), right)| places != right)
        {
            None => Ok(()),
            Some(((call, places), _)) => Err(RunError::LostCall {
                workload: bound.workloads[bound.threads[call.group as usize].workload].clone(),
                places,
            }),
        }
    }

    /// The workload and the time of issue of every call in flight at `time`.
    pub(super) fn out_at<'c>(
        &'c self,
        bound: &'c Bound,
        time: Instant,
    ) -> impl Iterator<Item = (usize, Instant)> + 'c {
        let out = self.all.iter().filter(move |call| call.issued <= time);
        out.map(|call| (bound.threads[call.group as usize].workload, call.issued))
    }
}
