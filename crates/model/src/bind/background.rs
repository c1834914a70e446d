//! Deferred work: the part of an operation that is done after its reply.

use std::sync::Arc;

use super::Binding;
use crate::cards::Buffers;
use crate::coherence::{Ledger, MissedShares};
use crate::demand::{BackgroundDemand, FreeWork, SocketLoad, SocketWork, Waited};
use crate::placement::Placement;
use crate::storage::Case;
use crate::work::streamed;

impl Binding<'_> {
    /// Splits off the deferred work of a case, which is already part of the ledger and the work. Returns its
    /// index, the demand that is waited for, and the total work.
    pub(super) fn background(
        &mut self,
        case: &Case,
        workload: usize,
        placement: &Placement,
        ledger: &mut Ledger,
        mut work: Vec<SocketWork>,
    ) -> (Option<usize>, Waited, Vec<SocketWork>) {
        if case.background.is_empty() {
            return (None, Waited::default(), work);
        }
        let waited = Waited {
            demand: ledger.demand(),
            work: work.clone(),
        };
        let stack = &*self.places[workload].stack;
        let mut later = Ledger::new(self.topology, self.clients.resources.len());
        let sockets = self.topology.sockets().len();
        let on = stack.misses_on(self.topology.spec().sockets.len());
        let (instructions, misses) = (case.background.instructions, case.background.misses * on.relative);
        let everywhere = vec![misses; sockets];
        let shares = MissedShares::of(stack, self.topology);
        self.coherence
            .book_misses(&mut later, placement, &everywhere, shares);
        let buffers = Buffers {
            homes: &placement.buffers,
            at_drives: placement.at_drives,
            cards: &self.gpus[workload],
        };
        self.storage
            .book(case, true, &mut later, &self.coherence, &self.cards, buffers);
        let all = streamed(stack, self.topology, instructions, misses);
        let shares = placement.cores.iter();
        let dealt = shares.zip(&all).map(|(share, work)| times(work, *share));
        let free = placement.free;
        let on_socket = all.iter().map(|work| (times(work, free), free * misses));
        let demand = later.demand();
        ledger.add_all(later);
        let background = BackgroundDemand {
            demand,
            work: dealt.collect(),
            free: self.free_work(workload, placement, &on_socket.collect::<Vec<_>>()),
            homes: self.places[workload].homes,
        };
        for (sum, later) in work.iter_mut().zip(&background.work) {
            sum.instructions += later.instructions;
            sum.serial_misses += later.serial_misses;
        }
        let known = self.background.iter().position(|other| *other == background);
        let index = known.unwrap_or_else(|| {
            self.background.push(background);
            self.background.len() - 1
        });
        (Some(index), waited, work)
    }

    /// Free work of an operation: for each socket, the work and the misses if all of it ran there.
    pub(super) fn free_work(
        &self,
        workload: usize,
        placement: &Placement,
        on_socket: &[(SocketWork, f64)],
    ) -> FreeWork {
        let sockets = self.topology.sockets().len();
        if sockets == 1 || placement.free <= 0.0 {
            return FreeWork::default();
        }
        let stack = &*self.places[workload].stack;
        let shares = MissedShares::of(stack, self.topology);
        let missed = self.coherence.missed(placement, shares);
        let on = on_socket
            .iter()
            .zip(&missed.by_requester)
            .map(|(&(work, lines), line)| SocketLoad {
                work,
                lines,
                line: Arc::clone(line),
            });
        FreeWork {
            on: on.collect(),
            shares: placement.dealt.clone(),
        }
    }
}

fn times(work: &SocketWork, factor: f64) -> SocketWork {
    SocketWork {
        instructions: factor * work.instructions,
        serial_misses: factor * work.serial_misses,
    }
}
