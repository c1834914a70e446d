//! The division of the work of a class between sockets.
//!
//! Free work is assigned to the sockets in fixed shares as long as their cores have time for it. If the cores
//! of one socket are saturated, idle cores of others take the rest. In the limit all sockets have equal
//! utilisation: if all free work of an operation takes `t` cycles on a socket, the bound work there `p`, and
//! the socket has `C` cycles/s, its share of the free work is `(L C − p) / t`, where `L` makes the sum of all
//! shares 1. An operation then takes `L` of the total capacity of all cores: free work sees the cores of all
//! sockets as one pool. A socket whose bound work alone exceeds that gets no free work. What classes without
//! free work take of the cores of a socket is not there for others: `C` is the rest.

use bandgraph_hardware::cpu::Pace;
use bandgraph_model::{Bound, Class, FreeWork, InterruptWork, SocketModel, SocketWork};

/// Work on a socket that is a rounding error, after the free part is subtracted.
const ROUNDING: f64 = 1e-9;
/// The share of its cycles that a socket has at least for free work: next to nothing.
const LEAST: f64 = 1e-9;

/// Work on a socket: bound to it, and free if all of it ran there.
#[derive(Clone, Copy, Debug, Default)]
struct Split {
    bound: SocketWork,
    free: SocketWork,
}

impl Split {
    /// `work` is what a socket has with its `share` of the free work; no share without free work.
    fn new<'a>(
        work: SocketWork,
        socket: usize,
        share: Option<f64>,
        parts: impl Iterator<Item = &'a FreeWork>,
    ) -> Self {
        let mut free = SocketWork::default();
        for load in parts.filter_map(|part| part.on.get(socket)) {
            free.instructions += load.work.instructions;
            free.serial_misses += load.work.serial_misses;
        }
        let rest = |all: f64, free: f64| {
            if all - free > ROUNDING * all {
                all - free
            } else {
                0.0
            }
        };
        let bound = share.map_or(work, |share| SocketWork {
            instructions: rest(work.instructions, share * free.instructions),
            serial_misses: rest(work.serial_misses, share * free.serial_misses),
        });
        Self { bound, free }
    }
}

/// The work of a class on one socket.
#[derive(Clone, Copy, Debug)]
struct OnSocket {
    all: Split,
    /// The part before the reply, if something is deferred.
    waited: Split,
    /// The share of the free work with equal utilisation of all sockets.
    balanced: f64,
    /// Cycles, as in a split.
    bound_cycles: f64,
    free_cycles: f64,
}

/// The work of a class of operations, and its sockets.
#[derive(Clone, Debug)]
pub(crate) struct ClassWork<'a> {
    sockets: Vec<OnSocket>,
    defers: bool,
    /// The part of it for interrupts, and the share of them that is saved because the port is busy.
    interrupts: Option<&'a InterruptWork>,
    saved: f64,
    /// Shares of the sockets in the free work, as assigned; empty without any.
    dealt: &'a [f64],
    /// Use of the pool of all cores by an operation, as a share of its cycles per second.
    pub(crate) pool: f64,
    /// Position of the free work between the assigned shares (0) and the balanced ones (1).
    moved: f64,
}

impl<'a> ClassWork<'a> {
    pub(crate) fn new(bound: &'a Bound, class: &'a Class) -> Self {
        let dealt = &class.free.shares;
        let background = class
            .background
            .map(|background| &bound.background[background].free);
        let own = [&*class.free].into_iter();
        let sockets = class.work.iter().enumerate().map(|(socket, &work)| {
            let share = dealt.get(socket).copied();
            let waited = background.map(|_| class.waited.work[socket]);
            OnSocket {
                all: Split::new(work, socket, share, own.clone().chain(background)),
                waited: waited.map_or_else(Split::default, |waited| {
                    Split::new(waited, socket, share, own.clone())
                }),
                balanced: share.unwrap_or(0.0),
                bound_cycles: 0.0,
                free_cycles: 0.0,
            }
        });
        Self {
            sockets: sockets.collect(),
            defers: background.is_some(),
            interrupts: class.interrupts.as_deref(),
            saved: 0.0,
            dealt,
            pool: 0.0,
            moved: 0.0,
        }
    }

    /// Sets the share of interrupts that its port raises, relative to isolated operations.
    pub(crate) fn keep_interrupts(&mut self, kept: f64) {
        self.saved = self.interrupts.map_or(0.0, |interrupts| interrupts.saved(kept));
    }

    /// Cycles of a part of the work on a socket, bound and free, without saved interrupts.
    fn cycles_of(&self, split: &Split, socket: usize, model: &SocketModel, pace: Pace) -> [f64; 2] {
        let cycles = [&split.bound, &split.free].map(|work| model.cycles(work, pace));
        let Some(interrupts) = self.interrupts.filter(|_| self.saved > 0.0) else {
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
        let mut works = self.sockets.iter().map(|socket| socket.all.bound);
        works.any(|work| work.instructions > 0.0 || work.serial_misses > 0.0)
    }

    /// Computes the cycles at these paces of the sockets.
    pub(crate) fn charge(&mut self, sockets: &[SocketModel], paces: impl Iterator<Item = Pace>) {
        for (socket, (model, pace)) in sockets.iter().zip(paces).enumerate() {
            let [bound, free] = self.cycles_of(&self.sockets[socket].all, socket, model, pace);
            let here = &mut self.sockets[socket];
            (here.bound_cycles, here.free_cycles) = (bound, free);
        }
    }

    /// Computes the use of the pool, and the balanced shares, for sockets with the given cycles/s, of which
    /// `taken` are not there for free work; `moved` of the free work is where that leads.
    pub(crate) fn divide(&mut self, capacities: &[f64], taken: &[f64], moved: f64) {
        self.moved = moved;
        let all: f64 = capacities.iter().sum();
        if !self.is_free() {
            self.pool = self.sockets.iter().map(|here| here.bound_cycles).sum::<f64>() / all;
        } else if self.sockets.iter().all(|here| here.free_cycles > 0.0) {
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
        for here in &mut self.sockets {
            here.balanced = 1.0;
        }
        loop {
            let (mut work, mut room) = (1.0, 0.0);
            for (here, &capacity) in self.sockets.iter().zip(capacities) {
                if here.balanced > 0.0 {
                    work += here.bound_cycles / here.free_cycles;
                    room += capacity / here.free_cycles;
                }
            }
            self.pool = work / room;
            let mut out = None;
            let mut most = self.pool;
            for (here, &capacity) in self.sockets.iter_mut().zip(capacities) {
                let taken = here.bound_cycles / capacity;
                if here.balanced > 0.0 && taken > most {
                    (out, most) = (Some(here), taken);
                }
            }
            match out {
                Some(here) => here.balanced = 0.0,
                None => break,
            }
        }
        for (here, &capacity) in self.sockets.iter_mut().zip(capacities) {
            if here.balanced > 0.0 {
                here.balanced = (self.pool * capacity - here.bound_cycles) / here.free_cycles;
            }
        }
    }

    /// Cycles bound to a socket.
    pub(crate) fn bound_cycles(&self, socket: usize) -> f64 {
        self.sockets[socket].bound_cycles
    }

    /// Cycles on a socket with the assigned shares and with the balanced ones.
    pub(crate) fn cycles(&self, socket: usize) -> [f64; 2] {
        let here = &self.sockets[socket];
        let dealt = self.dealt.get(socket);
        let shares = dealt.map_or([0.0; 2], |dealt| [*dealt, here.balanced]);
        shares.map(|share| here.bound_cycles + share * here.free_cycles)
    }

    /// Cycles on a socket with its share of the free work.
    pub(crate) fn cycles_now(&self, socket: usize) -> f64 {
        let here = &self.sockets[socket];
        here.bound_cycles + self.share(socket) * here.free_cycles
    }

    /// The share of the free work that a socket has.
    fn share(&self, socket: usize) -> f64 {
        if !self.is_free() {
            return 0.0;
        }
        let dealt = self.dealt[socket];
        dealt + self.moved * (self.sockets[socket].balanced - dealt)
    }

    /// The share of the free work that a socket has in excess of its assigned share.
    pub(crate) fn more(&self, socket: usize) -> f64 {
        self.moved * (self.sockets[socket].balanced - self.dealt[socket])
    }

    /// The shares of all sockets; empty without free work.
    pub(crate) fn shares(&self) -> Vec<f64> {
        (0..self.dealt.len()).map(|socket| self.share(socket)).collect()
    }

    /// Seconds of an operation on cores before its reply, in sequence.
    pub(crate) fn core_seconds(&self, sockets: &[SocketModel], paces: impl Iterator<Item = Pace>) -> f64 {
        let mut seconds = 0.0;
        for (socket, (model, pace)) in sockets.iter().zip(paces).enumerate() {
            let cycles = if self.defers {
                let [bound, free] = self.cycles_of(&self.sockets[socket].waited, socket, model, pace);
                bound + self.share(socket) * free
            } else {
                self.cycles_now(socket)
            };
            seconds += cycles / model.clock;
        }
        seconds
    }
}
