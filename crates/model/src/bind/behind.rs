//! What is done behind an operation, after its reply.

use super::Binding;
use crate::coherence::Ledger;
use crate::demand::{BehindDemand, SocketWork, Waited};
use crate::storage::Case;
use crate::work::anywhere;

impl Binding<'_> {
    /// Books what is done after the reply, besides what the ledger and the work have already: its number,
    /// what is waited for without it, and the work with it.
    pub(super) fn behind(
        &mut self,
        case: &Case,
        ledger: &mut Ledger,
        mut work: Vec<SocketWork>,
    ) -> (Option<usize>, Waited, Vec<SocketWork>) {
        if case.behind.is_empty() {
            return (None, Waited::default(), work);
        }
        let waited = Waited {
            demand: ledger.demand(),
            work: work.clone(),
        };
        let stack = &self.scenario.stack;
        let mut later = Ledger::new(self.topology, self.clients.resources.len());
        let misses = vec![case.behind.misses; self.topology.sockets().len()];
        self.coherence
            .book_misses(&mut later, &self.placement, &misses, stack.written_share);
        let homes = &self.placement.buffers;
        self.storage
            .book(case, true, &mut later, &self.coherence, &self.cards, homes);
        ledger.add_all(&later);
        let (instructions, misses) = (case.behind.instructions, case.behind.misses);
        let behind = BehindDemand {
            demand: later.demand(),
            work: anywhere(stack, self.topology, &self.placement, instructions, misses),
        };
        for (sum, later) in work.iter_mut().zip(&behind.work) {
            sum.instructions += later.instructions;
            sum.serial_misses += later.serial_misses;
        }
        let known = self.behind.iter().position(|other| *other == behind);
        let index = known.unwrap_or_else(|| {
            self.behind.push(behind);
            self.behind.len() - 1
        });
        (Some(index), waited, work)
    }
}
