//! The division of the work of a class between sockets.
//!
//! Free work is assigned to the sockets in fixed shares as long as their cores have time for it. If the cores
//! of one socket are saturated, idle cores of others take the rest. In the limit all sockets have equal
//! utilisation: if all free work of an operation takes `t` cycles on a socket, the bound work there `p`, and
//! the socket has `C` cycles/s, its share of the free work is `(L C − p) / t`, where `L` makes the sum of all
//! shares 1. An operation then takes `L` of the total capacity of all cores: free work sees the cores of all
//! sockets as one pool. A socket whose bound work alone exceeds that gets no free work. What classes without
//! free work take of the cores of a socket is not there for others: `C` is the rest.

use std::sync::Arc;

use bandgraph_hardware::cpu::Pace;
use bandgraph_model::{Bound, Class, FreeWork, InterruptWork, SocketModel, SocketWork};

/// Work on a socket that is a rounding error, after the free part is subtracted.
const ROUNDING: f64 = 1e-9;
/// The share of its cycles that a socket has at least for free work: next to nothing.
const LEAST: f64 = 1e-9;

/// Work by socket: bound there, and free if all of it ran there.
#[derive(Clone, Debug, Default)]
struct Split {
    bound: Vec<SocketWork>,
    free: Vec<SocketWork>,
}

impl Split {
    /// `shares` are those of the sockets in the free work; empty without any.
    fn new<'a>(work: &[SocketWork], shares: &[f64], free: impl Iterator<Item = &'a FreeWork>) -> Self {
        let mut sum = vec![SocketWork::default(); work.len()];
        for part in free {
            for (sum, load) in sum.iter_mut().zip(&part.on) {
                sum.instructions += load.work.instructions;
                sum.serial_misses += load.work.serial_misses;
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

/// The work of a class of operations, and its sockets.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassWork {
    all: Split,
    /// The part before the reply; `None` if nothing is deferred.
    waited: Option<Split>,
    /// The part of both for interrupts, and the share of them that is saved because the port is busy.
    interrupts: Option<Arc<InterruptWork>>,
    saved: f64,
    /// Shares of the sockets in the free work: as assigned, and with equal utilisation of all sockets.
    dealt: Vec<f64>,
    balanced: Vec<f64>,
    /// Cycles on each socket: bound, and free if all of it ran there.
    bound_cycles: Vec<f64>,
    free_cycles: Vec<f64>,
    /// Use of the pool of all cores by an operation, as a share of its cycles per second.
    pub(crate) pool: f64,
    /// Position of the free work between the assigned shares (0) and the balanced ones (1).
    moved: f64,
}

impl ClassWork {
    pub(crate) fn new(bound: &Bound, class: &Class) -> Self {
        let dealt = class.free.shares.clone();
        let sockets = bound.sockets.len();
        let own = [&*class.free].into_iter();
        let background = class
            .background
            .map(|background| &bound.background[background].free);
        let waited = background.map(|_| Split::new(&class.waited.work, &dealt, own.clone()));
        Self {
            all: Split::new(&class.work, &dealt, own.chain(background)),
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

    /// Sets the share of interrupts that its port raises, relative to isolated operations.
    pub(crate) fn keep_interrupts(&mut self, kept: f64) {
        self.saved = self
            .interrupts
            .as_ref()
            .map_or(0.0, |interrupts| interrupts.saved(kept));
    }

    /// Cycles of a part of the work on a socket, bound and free, without saved interrupts.
    fn cycles_of(&self, split: &Split, socket: usize, model: &SocketModel, pace: Pace) -> [f64; 2] {
        let cycles = [&split.bound, &split.free].map(|work| model.cycles(&work[socket], pace));
        let Some(interrupts) = self.interrupts.as_ref().filter(|_| self.saved > 0.0) else {
            return cycles;
        };
        let dealt = self.dealt.get(socket).copied().unwrap_or(0.0);
        let bound = interrupts.dealt[socket] - dealt * interrupts.free;
        let saved =
            [bound.max(0.0), interrupts.free].map(|all| model.executing(self.saved * all, pace.speed));
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

    /// Computes the cycles at these paces of the sockets.
    pub(crate) fn charge(&mut self, sockets: &[SocketModel], paces: impl Iterator<Item = Pace>) {
        for (socket, (model, pace)) in sockets.iter().zip(paces).enumerate() {
            [self.bound_cycles[socket], self.free_cycles[socket]] =
                self.cycles_of(&self.all, socket, model, pace);
        }
    }

    /// Computes the use of the pool, and the balanced shares, for sockets with the given cycles/s, of which
    /// `taken` are not there for free work; `moved` of the free work is where that leads.
    pub(crate) fn divide(&mut self, capacities: &[f64], taken: &[f64], moved: f64) {
        self.moved = moved;
        let all: f64 = capacities.iter().sum();
        if !self.is_free() {
            self.pool = self.bound_cycles.iter().sum::<f64>() / all;
        } else if self.free_cycles.iter().all(|&cycles| cycles > 0.0) {
            if taken.iter().all(|&taken| taken == 0.0) {
                self.balance(capacities);
                return;
            }
            let left = capacities.iter().zip(taken);
            let left: Vec<f64> = left.map(|(all, taken)| (all - taken).max(LEAST * all)).collect();
            self.balance(&left);
            self.pool *= left.iter().sum::<f64>() / all;
        }
    }

    fn balance(&mut self, capacities: &[f64]) {
        // Sockets are removed one by one, the one with the most bound work relative to its capacity first.
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

    /// Cycles bound to a socket.
    pub(crate) fn bound_cycles(&self, socket: usize) -> f64 {
        self.bound_cycles[socket]
    }

    /// Cycles on a socket with the assigned shares and with the balanced ones.
    pub(crate) fn cycles(&self, socket: usize) -> [f64; 2] {
        let of = |shares: &[f64]| {
            self.bound_cycles[socket]
                + shares
                    .get(socket)
                    .map_or(0.0, |share| share * self.free_cycles[socket])
        };
        [of(&self.dealt), of(&self.balanced)]
    }

    /// Cycles on a socket with its share of the free work.
    pub(crate) fn cycles_now(&self, socket: usize) -> f64 {
        self.bound_cycles[socket] + self.share(socket) * self.free_cycles[socket]
    }

    /// The share of the free work that a socket has.
    fn share(&self, socket: usize) -> f64 {
        if !self.is_free() {
            return 0.0;
        }
        let dealt = self.dealt[socket];
        dealt + self.moved * (self.balanced[socket] - dealt)
    }

    /// The share of the free work that a socket has in excess of its assigned share.
    pub(crate) fn more(&self, socket: usize) -> f64 {
        self.moved * (self.balanced[socket] - self.dealt[socket])
    }

    /// The shares of all sockets; empty without free work.
    pub(crate) fn shares(&self) -> Vec<f64> {
        (0..self.dealt.len()).map(|socket| self.share(socket)).collect()
    }

    /// Seconds of an operation on cores before its reply, in sequence.
    pub(crate) fn core_seconds(&self, sockets: &[SocketModel], paces: impl Iterator<Item = Pace>) -> f64 {
        let mut seconds = 0.0;
        for (socket, (model, pace)) in sockets.iter().zip(paces).enumerate() {
            let cycles = match &self.waited {
                None => self.cycles_now(socket),
                Some(split) => {
                    let [bound, free] = self.cycles_of(split, socket, model, pace);
                    bound + self.share(socket) * free
                }
            };
            seconds += cycles / model.clock;
        }
        seconds
    }
}
