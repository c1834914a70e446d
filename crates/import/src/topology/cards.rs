//! Cards of a topology file.

use std::fmt::Write as _;

use bandgraph_config::FieldValue;
use bandgraph_hardware::{LinkLayer, Part, catalogue};

use super::slots::Bridges;
use super::unknown::{AssumedCard, port_rate};
use super::writer::{Writer, bytes, generation, quoted};
use crate::origin::Known;
use crate::resolve::{Card, CardKind, Machine};

/// Writes a card, and returns whether there is one: accelerators are left out.
pub(super) fn card(
    writer: &mut Writer<'_>,
    machine: &Machine,
    card: &Card,
    index: u32,
    slots: &[String],
    bridges: &Bridges<'_>,
) -> bool {
    let slot = slots.first();
    let name = card
        .name
        .as_ref()
        .map_or_else(|| card.kind.as_str().to_owned(), |name| name.value.clone());
    let place = (card.address).map_or_else(String::new, |address| format!(" at {address}"));
    let comment: String = name.chars().filter(|letter| !letter.is_control()).collect();
    let like = like(card, slot.is_some());
    let assumed = AssumedCard::of(machine, card, index);
    let left_out = match card.kind {
        CardKind::Gpu => Some(""),
        CardKind::Nvme if slot.is_none() => Some(", without a slot"),
        _ => None,
    };
    if let Some(why) = left_out {
        let _ = write!(writer.text, "\n# Not modelled{why}: {comment}{place}.\n");
        return false;
    }
    let prefix = card.kind.as_str();
    let _ = write!(writer.text, "\n# {comment}\n[[card]]\nid = \"{prefix}{index}\"\n");
    if let Some(assumed) = &assumed {
        writer.field("part", quoted(&assumed.name), assumed.why.clone());
    } else if let (Some(part), Some(ids)) = (card.part, &card.ids) {
        writer.field("part", quoted(part), ids.at);
    } else {
        let why = format!("the catalogue has no part for it; what is not given here is that of {like}");
        writer.field("part", quoted(like), why);
    }
    if let Some(slot) = slot {
        let _ = writeln!(writer.text, "slot = {}", quoted(slot));
        if let (Some(second), Some(board)) = (slots.get(1), &card.board) {
            writer.field("second_slot", quoted(second), board.at);
        }
    } else {
        let why = if card.internal {
            "it is inside the chipset"
        } else {
            "no file says its link: it may be inside the chipset"
        };
        writer.field("integrated", true, why);
        let (bridge, because) = bridges.on(&card.socket, card.address);
        writer.field("bridge", bridge, because);
    }
    if card.part.is_none() && card.kind != CardKind::Nvme {
        let assumed = (1, "no file says how many");
        writer.fact("ports", &card.ports, |ports| ports.max(1), assumed);
    }
    let is_written = assumed.is_some_and(|assumed| assumed.has("port_rate"));
    if card.kind == CardKind::Nic && !is_written && rate_of_part(card) != card.port_rate.known() {
        let rate = |rate: f64| quoted(format!("{} Gbit/s", rate / 1e9));
        writer.known("port_rate", &card.port_rate, rate);
    }
    let part = catalogue().nic(part_like(card, true));
    if part.is_some_and(|part| part.link_layer == LinkLayer::Ethernet) {
        writer.known("link_layer", &card.is_infiniband, |_| quoted("infiniband"));
    }
    if slot.is_some() {
        writer.known("pcie_generation", &card.pcie.generation_capable, generation);
        writer.known("pcie_lanes", &card.pcie.lanes_capable, |lanes| lanes);
        writer.known("maximum_payload", &card.pcie.payload_capable, bytes);
        writer.known("maximum_read_request", &card.pcie.read_request, bytes);
    }
    true
}

/// The rate of a port of the entry of the catalogue that a network card is, in bit/s.
fn rate_of_part(card: &Card) -> Option<f64> {
    Some(catalogue().nic(card.part?)?.port_rate.get() * 8.0)
}

/// The part whose figures a card takes that the catalogue does not have.
fn like(card: &Card, in_slot: bool) -> &'static str {
    match card.kind {
        CardKind::Nic | CardKind::Gpu => nic_like(card),
        CardKind::Hba if in_slot => match card.pcie.generation_capable.known() {
            Some(1) => "sas-hba-x8-gen1",
            Some(2) => "lsi-9211-8i",
            Some(3) | None => "broadcom-9300-8e",
            Some(_) => "broadcom-9500-8e",
        },
        CardKind::Hba => "ich10-sata",
        CardKind::Nvme => match (card.pcie.generation_capable.known()).or(card.pcie.generation.known()) {
            Some(1..=3) | None => "nvme-gen3",
            Some(4) => "nvme-gen4",
            Some(_) => "nvme-gen5",
        },
    }
}

/// The part of the catalogue that a card is, or else the one whose figures it takes.
pub(super) fn part_like(card: &Card, in_slot: bool) -> &'static str {
    card.part.unwrap_or_else(|| like(card, in_slot))
}

/// The lanes of the part that a card in a slot is written as.
pub(super) fn lanes_of_part(card: &Card) -> Option<u8> {
    match catalogue().get(part_like(card, true))?.get("pcie_lanes")? {
        FieldValue::Count(lanes) => u8::try_from(lanes).ok(),
        _ => None,
    }
}

/// The network card of the catalogue whose figures come nearest.
fn nic_like(card: &Card) -> &'static str {
    let ports = card.ports.known().map_or(1.0, f64::from);
    let rate = card.port_rate.known().unwrap_or_else(|| port_rate(card, ports).0);
    match rate {
        90e9.. => "dual-100gbe-gen4-x16",
        20e9.. => "dual-25gbe-gen3-x8",
        5e9.. => "single-10gbe-82598eb",
        _ => "generic-1gbe",
    }
}
