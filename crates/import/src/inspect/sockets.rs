//! How fast cards are distributed over sockets.

use super::Finding;
use super::rates::{Wire, gigabytes, name};
use crate::origin::Known;
use crate::resolve::{Card, CardKind, Machine};

/// Payload per direction from which a card counts as fast, in bytes/s: more than two ports of 1GbE.
const FAST: f64 = 0.7e9;
/// Cards that a finding names at most.
const MOST_NAMES: usize = 16;

pub(super) fn find(machine: &Machine, findings: &mut Vec<Finding>) {
    if machine.sockets.len() < 2 {
        return;
    }
    let hosts: Vec<Card> = machine.cards.iter().flat_map(Card::by_host).collect();
    let fast: Option<Vec<(&Card, u32, f64)>> = hosts
        .iter()
        .filter(|card| card.kind != CardKind::Gpu)
        .filter_map(|card| {
            let rate = Wire::in_force(&card.pcie)?.rate()?;
            let rate = super::rates::useful(card, rate);
            (rate >= FAST).then_some((card, rate))
        })
        .map(|(card, rate)| Some((card, card.socket.known()?, rate)))
        .collect();
    // One card whose socket is unknown can be the one that is elsewhere.
    let Some(fast) = fast.filter(|fast| fast.len() > 1) else {
        return;
    };
    let total: f64 = fast.iter().map(|(.., rate)| rate).sum();
    let origins = || fast.iter().map(|(card, ..)| card.socket.at());
    let mut names: Vec<String> = fast
        .iter()
        .take(MOST_NAMES)
        .map(|(card, ..)| name(card))
        .collect();
    if fast.len() > MOST_NAMES {
        names.push(format!("{} more", fast.len() - MOST_NAMES));
    }
    let first = fast[0].1;
    if fast.iter().all(|&(_, socket, _)| socket == first) {
        findings.push(
            Finding::note(
                "inspect::one_socket",
                format!(
                    "all {} fast cards ({} together) hang on socket {first}: {}",
                    fast.len(),
                    gigabytes(total),
                    names.join(", ")
                ),
            )
            .at(origins())
            .help("move some of them to slots of another socket, or keep the work on this one"),
        );
        return;
    }
    // Drives are storage as adapters are.
    let socket_of = |is_nic: bool| {
        let of_kind = fast
            .iter()
            .filter(|(card, ..)| (card.kind == CardKind::Nic) == is_nic);
        let mut sockets = of_kind.map(|&(_, socket, _)| socket);
        let first = sockets.next()?;
        sockets.all(|socket| socket == first).then_some(first)
    };
    if let (Some(network), Some(storage)) = (socket_of(true), socket_of(false))
        && network != storage
    {
        findings.push(
            Finding::note(
                "inspect::network_and_storage_apart",
                format!(
                    "all fast network cards hang on socket {network} and all storage on socket {storage}: \
                     every byte between them crosses a socket link"
                ),
            )
            .at(origins())
            .help(format!(
                "move the network cards to socket {storage}, or the storage to socket {network}"
            )),
        );
    }
}
