//! Which sockets do the work of a class, by time.
//!
//! Free work is dealt to the sockets in fixed shares as long as their cores have time for it. Where those of
//! one are full, cores of others that are idle take what is left over. In the limit all sockets are equally
//! busy: with `t` the cycles that all free work of an operation takes on a socket, `p` those that are bound
//! there, and `C` the cycles that it has a second, the socket has the share `(L C − p) / t` of the free work,
//! where `L` is what makes these sum to 1. `L` operations' worth of all cores is what an operation takes
//! then: free work sees the cores of all sockets as one pool. A socket whose bound work alone is more than
//! that gets no free work.

use std::sync::Arc;

use bandgraph_model::{Bound, Class, InterruptWork, SocketModel, SocketWork};

/// What of the work on a socket is rounding, after the free part is taken off.
const ROUNDING: f64 = 1e-9;

/// Work by socket: bound there, and free, if all of that ran there.
#[derive(Clone, Debug, Default)]
struct Split {
    bound: Vec<SocketWork>,
    free: Vec<SocketWork>,
}

impl Split {
    fn new<'a>(work: &[SocketWork], shares: &[f64], free: impl Iterator<Item = &'a [SocketWork]>) -> Self {
        let mut sum = vec![SocketWork::default(); shares.len()];
        for part in free {
            for (sum, part) in sum.iter_mut().zip(part) {
                sum.instructions += part.instructions;
                sum.serial_misses += part.serial_misses;
            }
        }
        let rest = |all: f64, free: f64| {
            if all - free > ROUNDING * all {
                all - free
            } else {
                0.0
            }
        };
        let mut bound = work.to_vec();
        for ((bound, free), share) in bound.iter_mut().zip(&sum).zip(shares) {
            bound.instructions = rest(bound.instructions, share * free.instructions);
            bound.serial_misses = rest(bound.serial_misses, share * free.serial_misses);
        }
        Self { bound, free: sum }
    }
}

/// The work of a class of operations, and where it is done.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassWork {
    all: Split,
    /// Without what is done after the reply; `None` where nothing is.
    waited: Option<Split>,
    /// The part of that, and of what is waited for, that is interrupts; and the share of them that is not
    /// there because its port is busy.
    interrupts: Option<Arc<InterruptWork>>,
    saved: f64,
    /// Shares of the free work that are dealt to the sockets, and those with which all are equally busy.
    dealt: Vec<f64>,
    balanced: Vec<f64>,
    /// Cycles on each socket: bound, and free if all of that ran there.
    bound_cycles: Vec<f64>,
    free_cycles: Vec<f64>,
    /// The pool of all cores that an operation takes, as a share of what there is in a second.
    pub(crate) pool: f64,
    /// Of the free work, the part of the way from the dealt shares to the balanced ones.
    moved: f64,
}

impl ClassWork {
    pub(crate) fn new(bound: &Bound, class: &Class) -> Self {
        let dealt = class.free.shares.clone();
        let sockets = bound.sockets.len();
        let works = |free: &bandgraph_model::FreeWork| -> Vec<SocketWork> {
            free.on.iter().map(|load| load.work).collect()
        };
        let own = works(&class.free);
        let behind = class.behind.map(|behind| works(&bound.behind[behind].free));
        let of_all = [Some(&own), behind.as_ref()].into_iter().flatten();
        let shares = if dealt.is_empty() {
            vec![0.0; sockets]
        } else {
            dealt.clone()
        };
        let waited = behind
            .is_some()
            .then(|| Split::new(&class.waited.work, &shares, [own.as_slice()].into_iter()));
        Self {
            all: Split::new(&class.work, &shares, of_all.map(Vec::as_slice)),
            waited,
            interrupts: class.interrupts.clone(),
            saved: 0.0,
            balanced: dealt.clone(),
            dealt,
            bound_cycles: vec![0.0; sockets],
            free_cycles: vec![0.0; sockets],
            pool: 0.0,
            moved: 0.0,
        }
    }

    /// Has its port raise this share of the interrupts of lone operations.
    pub(crate) fn keep_interrupts(&mut self, kept: f64) {
        self.saved = self
            .interrupts
            .as_ref()
            .map_or(0.0, |interrupts| interrupts.saved(kept));
    }

    /// Cycles of a part of it on a socket, bound there and free, without the interrupts that are saved.
    fn cycles_of(&self, split: &Split, socket: usize, model: &SocketModel, latency: f64) -> [f64; 2] {
        let cycles = [&split.bound, &split.free].map(|work| model.cycles(&work[socket], latency));
        let Some(interrupts) = self.interrupts.as_ref().filter(|_| self.saved > 0.0) else {
            return cycles;
        };
        let dealt = self.dealt.get(socket).copied().unwrap_or(0.0);
        let bound = interrupts.dealt[socket] - dealt * interrupts.free;
        let saved = [bound.max(0.0), interrupts.free].map(|all| model.executing(self.saved * all));
        [0, 1].map(|part| (cycles[part] - saved[part]).max(0.0))
    }

    /// Whether any core may do a part of it.
    pub(crate) fn is_free(&self) -> bool {
        !self.dealt.is_empty()
    }

    /// Whether a part of it is bound to sockets.
    pub(crate) fn is_bound(&self) -> bool {
        let works = self.all.bound.iter();
        works
            .into_iter()
            .any(|work| work.instructions > 0.0 || work.serial_misses > 0.0)
    }

    /// Finds the cycles for these miss latencies, and the balanced shares for sockets with so many cycles a
    /// second.
    pub(crate) fn charge(
        &mut self,
        sockets: &[SocketModel],
        latencies: &[f64],
        capacities: &[f64],
        moved: f64,
    ) {
        self.moved = moved;
        for (socket, (model, &latency)) in sockets.iter().zip(latencies).enumerate() {
            [self.bound_cycles[socket], self.free_cycles[socket]] =
                self.cycles_of(&self.all, socket, model, latency);
        }
        if self.is_free() && self.free_cycles.iter().all(|&cycles| cycles > 0.0) {
            self.balance(capacities);
        }
    }

    fn balance(&mut self, capacities: &[f64]) {
        // Sockets come out one by one, the one with the most bound work for its size first.
        self.balanced.fill(1.0);
        loop {
            let (mut work, mut room) = (1.0, 0.0);
            for (socket, &capacity) in capacities.iter().enumerate() {
                if self.balanced[socket] > 0.0 {
                    work += self.bound_cycles[socket] / self.free_cycles[socket];
                    room += capacity / self.free_cycles[socket];
                }
            }
            self.pool = work / room;
            let mut out = None;
            let mut most = self.pool;
            for (socket, &capacity) in capacities.iter().enumerate() {
                let taken = self.bound_cycles[socket] / capacity;
                if self.balanced[socket] > 0.0 && taken > most {
                    (out, most) = (Some(socket), taken);
                }
            }
            match out {
                Some(socket) => self.balanced[socket] = 0.0,
                None => break,
            }
        }
        for (socket, &capacity) in capacities.iter().enumerate() {
            if self.balanced[socket] > 0.0 {
                self.balanced[socket] =
                    (self.pool * capacity - self.bound_cycles[socket]) / self.free_cycles[socket];
            }
        }
    }

    /// Cycles that are bound to a socket.
    pub(crate) fn bound_cycles(&self, socket: usize) -> f64 {
        self.bound_cycles[socket]
    }

    /// Cycles on a socket, as work is dealt and as it is balanced.
    pub(crate) fn cycles(&self, socket: usize) -> [f64; 2] {
        let of = |shares: &[f64]| {
            self.bound_cycles[socket]
                + shares
                    .get(socket)
                    .map_or(0.0, |share| share * self.free_cycles[socket])
        };
        [of(&self.dealt), of(&self.balanced)]
    }

    /// The share of the free work that a socket has.
    fn share(&self, socket: usize) -> f64 {
        let dealt = self.dealt[socket];
        dealt + self.moved * (self.balanced[socket] - dealt)
    }

    /// The share of the free work that a socket has above what is dealt to it.
    pub(crate) fn more(&self, socket: usize) -> f64 {
        self.moved * (self.balanced[socket] - self.dealt[socket])
    }

    /// The shares of all sockets; empty where nothing is free.
    pub(crate) fn shares(&self) -> Vec<f64> {
        (0..self.dealt.len()).map(|socket| self.share(socket)).collect()
    }

    /// Seconds that an operation is on cores, one after the other, before its reply.
    pub(crate) fn core_seconds(&self, sockets: &[SocketModel], latencies: &[f64]) -> f64 {
        let mut seconds = 0.0;
        for (socket, (model, &latency)) in sockets.iter().zip(latencies).enumerate() {
            let share = if self.is_free() { self.share(socket) } else { 0.0 };
            let cycles = match &self.waited {
                None => self.bound_cycles[socket] + share * self.free_cycles[socket],
                Some(split) => {
                    let [bound, free] = self.cycles_of(split, socket, model, latency);
                    bound + share * free
                }
            };
            seconds += cycles / model.clock;
        }
        seconds
    }
}
