//! The traffic of a known load of misses and card transfers on every link, for comparison with hardware
//! counters, which count link traffic but not operations.

use std::sync::Arc;

use bandgraph_hardware::hypertransport::{Cause, Transaction};
use bandgraph_topology::{ResourceKind, Topology};
use bandgraph_units::Bandwidth;

use crate::coherence::{Coherence, Ledger, LineTable, MissedLines, MissedShares, release_words};
use crate::demand::LineUse;
use crate::placement::Placement;
use crate::{BindError, Stack};

/// The transfers of the cards behind one bridge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CardTraffic {
    /// Index into the bridges of the topology.
    pub bridge: usize,
    /// Bytes/s read from memory by cards: outgoing data of a server.
    pub reads: Bandwidth,
    /// Bytes/s written to memory by cards: incoming data of a server.
    pub writes: Bandwidth,
}

/// A load given by rates only.
#[derive(Clone, Debug, PartialEq)]
pub struct LineLoad {
    /// Lines/s stored past the caches by all cores together, placed like misses.
    pub stores_per_second: f64,
    /// Lines/s missed by all cores together. The stack determines the placement of threads and homes, and the
    /// share written back.
    pub misses_per_second: f64,
    /// Transfers of cards, one entry or more per bridge.
    pub cards: Vec<CardTraffic>,
}

/// Bytes that crossed one socket link in one direction, by cause.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkTraffic {
    /// The link's id.
    pub id: String,
    /// Bytes/s for each cause, in the order of [`Cause::ALL`].
    pub by_cause: Vec<(Cause, Bandwidth)>,
}

/// Bytes/s on every directed socket link and every bridge link, by cause, in the order of the topology's
/// resources, as in a counter of commands, data and buffer releases.
///
/// # Errors
///
/// [`BindError::OutOfRange`] if the stack has shares for another number of sockets.
pub fn line_traffic(
    topology: &Topology,
    stack: &Stack,
    load: &LineLoad,
) -> Result<Vec<LinkTraffic>, BindError> {
    let placement = Placement::new(topology, stack, "stack")?;
    let mut ledger = Ledger::new(topology, topology.resources().len());
    let coherence = Coherence::new(topology, Arc::new(LineTable::new(topology)), None);
    coherence.book_misses(
        &mut ledger,
        &placement,
        &vec![load.misses_per_second; topology.sockets().len()],
        MissedShares::of(stack, topology),
    );
    coherence.book_stores(&mut ledger, &placement, load.stores_per_second);
    let line = coherence.line();
    for cards in &load.cards {
        for (write, rate) in [(false, cards.reads), (true, cards.writes)] {
            coherence.book_dma(
                &mut ledger,
                cards.bridge,
                write,
                rate.get() / line,
                &placement.buffers,
            );
        }
    }
    // Links that are not saturated return buffers with more words.
    let release = Cause::Release as usize;
    for (resource, words) in release_words(topology) {
        let saturation = ledger.units[resource] / topology.resources()[resource].usable();
        ledger.causes[resource][release] *= words.relative_to_full(saturation);
    }
    let links = topology
        .resources()
        .iter()
        .enumerate()
        .filter_map(|(index, resource)| match resource.kind {
            ResourceKind::SocketLink | ResourceKind::Bridge => Some((resource, ledger.causes[index])),
            _ => None,
        });
    Ok(links
        .map(|(resource, by_cause)| LinkTraffic {
            id: resource.id.clone(),
            by_cause: Cause::ALL
                .iter()
                .copied()
                .zip(by_cause.map(Bandwidth::new))
                .collect(),
        })
        .collect())
}

impl Coherence<'_> {
    /// Books lines missed by cores at any placement, and the share of them written back to memory. `misses`
    /// is by socket: the number of misses if all threads ran there.
    pub(crate) fn book_misses(
        &self,
        ledger: &mut Ledger,
        placement: &Placement,
        misses: &[f64],
        shares: MissedShares,
    ) {
        let lines = self.missed(placement, shares);
        for ((line, misses), share) in lines.by_requester.iter().zip(misses).zip(&placement.cores) {
            ledger.add_lines(misses * share, line);
        }
    }

    /// The use of one line missed by each socket, over all homes.
    pub(crate) fn missed(&self, placement: &Placement, shares: MissedShares) -> Arc<MissedLines> {
        let is_known = |known: &&Arc<MissedLines>| known.shares == shares && known.homes == placement.homes;
        let mut last = self.missed.borrow_mut();
        let known = last.as_ref().filter(is_known).cloned();
        let lines = known.unwrap_or_else(|| Arc::new(self.missed_lines(&placement.homes, shares)));
        *last = Some(Arc::clone(&lines));
        lines
    }

    fn missed_lines(&self, homes: &[f64], shares: MissedShares) -> MissedLines {
        let MissedShares {
            shared,
            written,
            directory,
        } = shares;
        let sockets = self.topology.sockets().len();
        let of_requester = |requester: usize| {
            let mut ledger = Ledger::new(self.topology, self.topology.resources().len());
            for home in 0..sockets {
                let lines = homes[requester * sockets + home];
                if lines > 0.0 {
                    let read = Transaction::LineRead { requester, home };
                    let from_cache = Transaction::SharedRead { requester, home };
                    self.book_noted(&mut ledger, read, lines * (1.0 - shared), directory);
                    if shared > 0.0 {
                        self.book(&mut ledger, from_cache, lines * shared);
                    }
                    // The cache that takes over a modified line writes it back once.
                    let back = Transaction::WriteBack { requester, home };
                    self.book(&mut ledger, back, lines * (1.0 - shared) * written);
                }
            }
            Arc::new(LineUse::of(ledger))
        };
        MissedLines {
            homes: homes.to_vec(),
            shares,
            by_requester: (0..sockets).map(of_requester).collect(),
        }
    }

    /// Books lines stored past the caches, for the placement of cores and lines.
    fn book_stores(&self, ledger: &mut Ledger, placement: &Placement, lines: f64) {
        let sockets = placement.cores.len();
        for (requester, share) in placement.cores.iter().enumerate() {
            for home in 0..sockets {
                let lines = lines * share * placement.homes[requester * sockets + home];
                if lines > 0.0 {
                    self.book(ledger, Transaction::Store { requester, home }, lines);
                }
            }
        }
    }
}
