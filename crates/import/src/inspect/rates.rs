//! What links carry, as the physics of the catalogue has it.

use bandgraph_hardware::pcie::Link;
use bandgraph_hardware::{BridgePart, PcieSlotSpec, catalogue};
use bandgraph_units::{Bytes, Time};

use crate::origin::Known;
use crate::resolve::{Card, CardKind, PcieLink};

/// Payload of a packet where no file says it, in bytes.
const PAYLOAD: u32 = 256;
/// Read request where no file says it, in bytes.
const READ_REQUEST: u32 = 512;

/// Rates below this are as good as equal, in bytes/s.
pub(super) const NEGLIGIBLE: f64 = 1e6;

/// A generation and a number of lanes, with the sizes of packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wire {
    pub generation: u8,
    pub lanes: u8,
    pub payload: u32,
    pub read_request: u32,
}

impl Wire {
    /// A link with packets of the usual sizes.
    pub(super) const fn usual(generation: u8, lanes: u8) -> Self {
        Self {
            generation,
            lanes,
            payload: PAYLOAD,
            read_request: READ_REQUEST,
        }
    }

    /// The link of a card as it is in force.
    pub(super) fn in_force(link: &PcieLink) -> Option<Self> {
        Some(Self {
            generation: link.generation.known()?,
            lanes: link.lanes.known()?,
            payload: link.payload.known().unwrap_or(PAYLOAD),
            read_request: link.read_request.known().unwrap_or(READ_REQUEST),
        })
    }

    /// The link that a card can have, with packets as they are in force.
    pub(super) fn capable(link: &PcieLink) -> Option<Self> {
        Some(Self {
            generation: link.generation_capable.known()?,
            lanes: link.lanes_capable.known()?,
            ..Self::in_force(link)?
        })
    }

    /// The same packets on a link that is no better than `generation` and `lanes`.
    pub(super) fn at_most(self, generation: u8, lanes: u8) -> Self {
        Self {
            generation: self.generation.min(generation),
            lanes: self.lanes.min(lanes),
            ..self
        }
    }

    /// Payload per second and direction, with both directions busy, in bytes/s.
    pub(super) fn rate(self) -> Option<f64> {
        Some(self.link()?.equal_duplex().read.get())
    }

    /// Payload per second toward memory, with nothing in the other direction, in bytes/s.
    pub(super) fn write_rate(self) -> Option<f64> {
        Some(self.link()?.write_bandwidth().get())
    }

    fn link(self) -> Option<Link> {
        let trained: PcieSlotSpec = self.to_string().parse().ok()?;
        let bytes = |size: u32| Bytes::new(f64::from(size));
        Some(Link {
            trained,
            maximum_payload: bytes(self.payload),
            read_request: bytes(self.read_request),
            completion: trained.generation.usual_completion(),
            address_bits: 64,
            end_to_end_checksum: false,
            acknowledge_every: trained.generation.usual_acknowledge_every(),
            credits_every: BridgePart::default().credits_every,
            reserved: trained.generation.ordered_sets(),
            outstanding_reads: 32,
            round_trip: Time::ZERO,
        })
    }
}

impl std::fmt::Display for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "gen{} x{}", self.generation, self.lanes)
    }
}

/// Payload per second and direction of a link with both directions busy and packets of the usual sizes, in
/// bytes/s.
pub(crate) fn slot_rate(generation: u8, lanes: u8) -> Option<f64> {
    Wire::usual(generation, lanes).rate()
}

/// What the ports of a network card carry per direction, in bytes/s: no more than the card does.
pub(super) fn ports_rate(card: &Card) -> Option<f64> {
    let rate = card.port_rate.known()? / 8.0 * f64::from(card.ports.known()?);
    let part = card.part.and_then(|part| catalogue().nic(part));
    let of_card = part.map(|part| part.card_rate.get()).filter(|&rate| rate > 0.0);
    (card.kind == CardKind::Nic).then_some(of_card.map_or(rate, |of_card| of_card.min(rate)))
}

/// What a card could use of a link, in bytes/s: never more than its ports carry.
pub(super) fn useful(card: &Card, rate: f64) -> f64 {
    ports_rate(card).map_or(rate, |ports| ports.min(rate))
}

/// `2.9 GB/s`.
pub(super) fn gigabytes(rate: f64) -> String {
    if rate < 0.095e9 {
        format!("{:.0} MB/s", rate / 1e6)
    } else {
        format!("{:.1} GB/s", rate / 1e9)
    }
}

/// A card by name, address and slot: `X520 (04:00.0, slot PCI1)`.
pub(super) fn name(card: &Card) -> String {
    let name = card
        .name
        .as_ref()
        .map_or(card.kind.as_str(), |name| name.value.as_str());
    let address = card.address.map(|address| address.to_string());
    let slot = card.slot.as_ref().map(|slot| format!("slot {}", slot.value));
    let places: Vec<String> = [address, slot].into_iter().flatten().collect();
    if places.is_empty() {
        return name.to_owned();
    }
    format!("{name} ({})", places.join(", "))
}
