//! The balance of the packets of a line's transaction, socket by socket.
//!
//! A consistency check of the messages and their routes: a message from one socket to another leaves every
//! third socket that it reaches, and a third socket answers as often as it is probed.

use bandgraph_hardware::Probing;
use bandgraph_hardware::hypertransport::{Cause, Sizes, Transaction};
use bandgraph_topology::Topology;

use crate::coherence::Crossing;

/// Tolerance for rounding of shares of parallel links.
const ROUNDED: f64 = 1e-9;

/// Packets that arrive at a socket and leave it.
#[derive(Clone, Copy, Default)]
struct Packets {
    arrived: f64,
    left: f64,
}

impl Packets {
    fn ended(self) -> f64 {
        self.arrived - self.left
    }
}

/// The imbalance of the packets of a transaction, if any.
pub(crate) fn fault(
    topology: &Topology,
    transaction: Transaction,
    sizes: &Sizes,
    crossings: &[Crossing],
) -> Option<String> {
    // Its data may come from any socket.
    if matches!(transaction, Transaction::SharedRead { .. }) {
        return None;
    }
    let (requester, home) = transaction.ends();
    let sockets = topology.sockets();
    let (mut probes, mut answers, mut others) = (
        vec![Packets::default(); sockets.len()],
        vec![Packets::default(); sockets.len()],
        vec![Packets::default(); sockets.len()],
    );
    for link in topology.links() {
        for (resource, [from, to]) in link
            .resources
            .iter()
            .zip([link.ends, [link.ends[1], link.ends[0]]])
        {
            let here = crossings
                .iter()
                .filter(|crossing| crossing.resource == resource.index());
            for crossing in here {
                let packets = match crossing.cause {
                    Cause::Probe | Cause::DmaProbe => &mut probes,
                    Cause::Response | Cause::DmaResponse => &mut answers,
                    Cause::Release => continue,
                    _ => &mut others,
                };
                packets[from].left += crossing.share;
                packets[to].arrived += crossing.share;
            }
        }
    }
    // A broadcast is copied at branches, so that every socket receives its copy.
    let is_copied = sockets[home].part.probes != Probing::Snoop;
    let third = (0..sockets.len()).filter(|&socket| socket != requester && socket != home);
    for socket in third {
        let probed = if is_copied {
            probes[socket].arrived
        } else {
            probes[socket].ended()
        };
        let answered = 0.0 - answers[socket].ended();
        // Some technologies have no such message.
        let answers = sizes.response > 0.0;
        if (answers && (probed - answered).abs() > ROUNDED) || others[socket].ended().abs() > ROUNDED {
            return Some(format!(
                "in {transaction:?}, `{}` gets {probed} probes, gives {answered} answers and keeps {} other \
                 packets",
                sockets[socket].id,
                others[socket].ended()
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bandgraph_testkit::random::servers;
    use bandgraph_testkit::{Generation, seven_four_ten_topology};
    use proptest::prelude::*;

    use super::*;
    use crate::coherence::{Coherence, Ledger, LineTable};

    fn transactions(requester: usize, home: usize) -> [Transaction; 8] {
        let bridge_socket = requester;
        [
            Transaction::LineRead { requester, home },
            Transaction::SharedRead { requester, home },
            Transaction::Store { requester, home },
            Transaction::WriteBack { requester, home },
            Transaction::DmaRead { bridge_socket, home },
            Transaction::DmaWrite { bridge_socket, home },
            Transaction::PeerRead {
                bridge_socket,
                home,
                link: 0,
            },
            Transaction::PeerWrite {
                bridge_socket,
                home,
                link: 1,
            },
        ]
    }

    fn fault_of_any(topology: &Topology) -> Option<String> {
        let coherence = Coherence::new(topology, Arc::new(LineTable::new(topology)), None);
        let mut ledger = Ledger::new(topology, topology.resources().len());
        let sockets = topology.sockets().len();
        for (requester, home) in (0..sockets).flat_map(|from| (0..sockets).map(move |to| (from, to))) {
            for transaction in transactions(requester, home) {
                coherence.book(&mut ledger, transaction, 1.0);
            }
        }
        coherence.fault().map(str::to_owned)
    }

    #[test]
    fn what_is_sent_on_a_7410_arrives() {
        for generation in [Generation::Barcelona, Generation::Istanbul] {
            assert_eq!(fault_of_any(&seven_four_ten_topology(generation)), None);
        }
    }

    proptest! {
        #[test]
        fn what_is_sent_on_any_server_arrives(spec in servers(6)) {
            let topology = Topology::build(spec).expect("a valid server");
            prop_assert_eq!(fault_of_any(&topology), None);
        }
    }

    /// Every omitted packet to or from a third socket is found.
    #[test]
    fn a_packet_that_is_missing_is_found() {
        let topology = seven_four_ten_topology(Generation::Istanbul);
        let line = topology.sockets()[0].part.line_size;
        let sizes = topology.links()[0].part.sizes(line);
        let table = LineTable::new(&topology);
        let transaction = Transaction::LineRead {
            requester: 0,
            home: 3,
        };
        let crossings = table.of(&topology, transaction);
        assert_eq!(fault(&topology, transaction, &sizes, &crossings), None);
        let mut found = 0;
        for left_out in 0..crossings.len() {
            let mut others = crossings.to_vec();
            let removed = others.remove(left_out);
            let directions = topology.links().iter().flat_map(|link| {
                let [a, b] = link.ends;
                link.resources.into_iter().zip([[a, b], [b, a]])
            });
            let mut here = directions.filter(|(resource, _)| resource.index() == removed.resource);
            let (_, ends) = here.next().expect("packets are on links");
            let [leaves, arrives] = ends.map(|end| ![0, 3].contains(&end));
            // A third socket does not miss the copies of a probe that it forwards.
            let is_seen = arrives || (leaves && removed.cause != Cause::Probe);
            if removed.cause == Cause::Release || !is_seen {
                continue;
            }
            let message = fault(&topology, transaction, &sizes, &others);
            assert!(message.is_some(), "{removed:?}");
            found += 1;
        }
        assert!(found > 4, "{found}");
    }
}
