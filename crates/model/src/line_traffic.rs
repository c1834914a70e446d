//! What a known load of misses and card traffic puts on every link: for holding the model against hardware
//! counters, which show links but not operations.

use std::cell::Ref;
use std::sync::Arc;

use bandgraph_hardware::hypertransport::{Cause, Transaction};
use bandgraph_topology::{ResourceKind, Topology};
use bandgraph_units::Bandwidth;

use crate::coherence::{Coherence, Ledger, LineTable, MissedLines, release_words};
use crate::demand::LineUse;
use crate::placement::Placement;
use crate::{BindError, Stack};

/// What the cards behind one bridge move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CardTraffic {
    /// The bridge, as an index into those of the topology.
    pub bridge: usize,
    /// Bytes per second that cards read from memory: what a server sends.
    pub reads: Bandwidth,
    /// Bytes per second that cards write to memory: what a server receives.
    pub writes: Bandwidth,
}

/// A load of which only rates are known.
#[derive(Clone, Debug, PartialEq)]
pub struct LineLoad {
    /// Lines per second that all cores together store past their caches. Placed as misses are.
    pub stores_per_second: f64,
    /// Lines per second that all cores together miss. Placement of threads and homes, and the share that is
    /// written back, are the stack's.
    pub misses_per_second: f64,
    /// What cards move, one entry or more for a bridge.
    pub cards: Vec<CardTraffic>,
}

/// Bytes that crossed one socket link in one direction, by what they were for.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkTraffic {
    /// The link's id.
    pub id: String,
    /// Bytes per second for each cause, in the order of [`Cause::ALL`].
    pub by_cause: Vec<(Cause, Bandwidth)>,
}

/// Bytes per second on every directed link between sockets and on every bridge's own link, by cause, in the
/// order of the topology's resources: what a counter of commands, data and buffer releases shows.
///
/// # Errors
///
/// [`BindError::OutOfRange`] where the stack gives shares for another number of sockets.
pub fn line_traffic(
    topology: &Topology,
    stack: &Stack,
    load: &LineLoad,
) -> Result<Vec<LinkTraffic>, BindError> {
    let placement = Placement::new(topology, stack, "stack")?;
    let mut ledger = Ledger::new(topology, topology.resources().len());
    let coherence = Coherence::new(topology, Arc::new(LineTable::new(topology)));
    coherence.book_misses(
        &mut ledger,
        &placement,
        &vec![load.misses_per_second; topology.sockets().len()],
        stack.misses_on(topology.sockets().len()).shared_share,
        stack.written_share,
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
    // Links that are not full return buffers with more words.
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
            by_cause: Cause::ALL.into_iter().zip(by_cause.map(Bandwidth::new)).collect(),
        })
        .collect())
}

impl Coherence<'_> {
    /// Books lines that cores miss, wherever they run and live, and the share of them that goes back to
    /// memory. `misses` is what would be missed if all threads ran on that socket, for every socket;
    /// `shared` the share of the lines that another socket's cache answers.
    pub(crate) fn book_misses(
        &self,
        ledger: &mut Ledger,
        placement: &Placement,
        misses: &[f64],
        shared: f64,
        written: f64,
    ) {
        let lines = self.missed(placement, shared, written);
        for ((line, misses), share) in lines.iter().zip(misses).zip(&placement.cores) {
            ledger.add_lines(misses * share, line);
        }
    }

    /// What one line uses that each socket misses, wherever it lives.
    pub(crate) fn missed(&self, placement: &Placement, shared: f64, written: f64) -> Ref<'_, [Arc<LineUse>]> {
        let is_known = |known: &MissedLines| {
            (known.shared, known.written) == (shared, written) && known.homes == placement.homes
        };
        if !self.missed.borrow().as_ref().is_some_and(is_known) {
            let lines = self.missed_lines(&placement.homes, shared, written);
            self.missed.replace(Some(lines));
        }
        Ref::map(self.missed.borrow(), |missed| {
            missed.as_ref().map_or(&[][..], |missed| &missed.by_requester)
        })
    }

    fn missed_lines(&self, homes: &[f64], shared: f64, written: f64) -> MissedLines {
        let sockets = self.topology.sockets().len();
        let of_requester = |requester: usize| {
            let mut ledger = Ledger::new(self.topology, self.topology.resources().len());
            for home in 0..sockets {
                let lines = homes[requester * sockets + home];
                if lines > 0.0 {
                    let read = Transaction::LineRead { requester, home };
                    let from_cache = Transaction::SharedRead { requester, home };
                    self.book(&mut ledger, read, lines * (1.0 - shared));
                    if shared > 0.0 {
                        self.book(&mut ledger, from_cache, lines * shared);
                    }
                    // A line that another cache takes over changed is its to write back, once for all.
                    let back = Transaction::WriteBack { requester, home };
                    self.book(&mut ledger, back, lines * (1.0 - shared) * written);
                }
            }
            Arc::new(LineUse::of(ledger))
        };
        MissedLines {
            homes: homes.to_vec(),
            shared,
            written,
            by_requester: (0..sockets).map(of_requester).collect(),
        }
    }

    /// Books lines stored past the caches, wherever cores run and lines live.
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
