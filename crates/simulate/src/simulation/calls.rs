//! Operations under way, whoever issued them.
//!
//! A call is issued, waits in its client until fewer are out than the client allows, spends its share of
//! delays (network, interrupts), and runs as one flow over all resources of its class; when the flow is done,
//! so is the call. Calls are known by number, which is the tag of their timers and flows.

use std::collections::{BTreeMap, VecDeque};

use bandgraph_engine::Time as Instant;
use bandgraph_model::Bound;
use bandgraph_solve::RunError;

use super::server::Server;

/// One operation under way, or to be issued at a time already known.
#[derive(Clone, Copy, Debug)]
struct Call {
    group: u32,
    class: u32,
    /// [`Instant::MAX`] where there is none.
    issued: Instant,
}

/// A call that is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) group: usize,
    pub(super) class: usize,
    pub(super) issued: Instant,
}

/// How many calls a client lets be under way, and those that wait for one to return.
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
    /// By class: the sums of the times at which calls were issued and answered, in picoseconds.
    times: Vec<(i128, i128)>,
    unused: Vec<u32>,
    gates: Vec<Gate>,
    /// The gate of every group of threads, where its clients have one.
    gate_of: Vec<Option<usize>>,
    /// By class, the seconds that its operations spend outside of all resources, where these are not those of
    /// their group.
    delays: Vec<f64>,
}

impl Calls {
    pub(super) fn new(bound: &Bound) -> Self {
        let mut gates = Vec::new();
        let mut known: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let gate_of = bound.threads.iter().map(|group| {
            let most = bound.outstanding[group.workload]?;
            let gate = *known.entry((group.workload, group.client)).or_insert_with(|| {
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

    /// Has operations spend other times outside of all resources than those of their groups: these, by class.
    pub(super) fn set_delays(&mut self, seconds: Vec<f64>) {
        self.delays = seconds;
    }

    /// A number for calls of a group of threads.
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

    /// Gives a number back.
    pub(super) fn close(&mut self, number: u32) {
        self.all[number as usize].issued = Instant::MAX;
        self.unused.push(number);
    }

    /// The most calls that have been out at a time so far, idle threads included.
    pub(super) fn most(&self) -> usize {
        self.all.len()
    }

    /// Whether the clients of a group limit their calls.
    pub(super) fn is_limited(&self, group: usize) -> bool {
        self.gate_of[group].is_some()
    }

    /// Issues an operation of a class after a pause that nothing shortens: clients that limit their calls
    /// must have none.
    pub(super) fn issue_after(&mut self, server: &mut Server<'_>, number: u32, class: usize, pause: Instant) {
        self.issue_at(server, number, class, server.now() + pause);
    }

    /// Issues an operation of a class at a time. If that is past, the operation has waited since.
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

    /// A call leaves its client after a pause.
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

    /// A call has come to the server.
    pub(super) fn arrive(&self, server: &mut Server<'_>, number: u32) {
        server.start(self.all[number as usize].class as usize, u64::from(number));
    }

    /// The class of a call.
    pub(super) fn class_of(&self, number: u32) -> usize {
        self.all[number as usize].class as usize
    }

    /// A call is done; another may take its place on the way.
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

    /// Calls answered since the start, by workload: those that were issued less those that are out or about
    /// to be.
    pub(super) fn answered(&self, bound: &Bound) -> Vec<u64> {
        let mut answered = self.issued.clone();
        for call in self.all.iter().filter(|call| call.issued != Instant::MAX) {
            answered[bound.threads[call.group as usize].workload] -= 1;
        }
        answered
    }

    /// Seconds that the calls of every class were out that have been answered since the start: by Little's
    /// law the integral of how many were out, without those that still are.
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

    /// That no client has more calls out than it allows, and that every thread and every call is in one
    /// place: waiting in its client for a call to return, or `elsewhere`, which lists the calls that are on
    /// their way, at the server or paused.
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
            // Those that wait are issued, and take no place.
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

    /// The workload of every call that is out at a time, and when it was issued.
    pub(super) fn out_at<'c>(
        &'c self,
        bound: &'c Bound,
        time: Instant,
    ) -> impl Iterator<Item = (usize, Instant)> + 'c {
        let out = self.all.iter().filter(move |call| call.issued <= time);
        out.map(|call| (bound.threads[call.group as usize].workload, call.issued))
    }
}
