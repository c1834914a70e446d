//! A trained link, and what reads and writes cost on its two directions.

use bandgraph_units::{Bandwidth, Bytes, Fraction, Time};

use super::PcieSlotSpec;
use crate::parts::{BridgePart, PcieEndpoint};

/// Bytes around the data of a packet with a header of three words: framing, sequence number, header,
/// checksum.
const PACKET: f64 = 20.0;
/// Bytes that a 64-bit address adds to the header of a request.
const LONG_ADDRESS: f64 = 4.0;
/// Bytes of the optional end-to-end checksum.
const END_TO_END_CHECKSUM: f64 = 4.0;
/// Bytes of a link layer packet with its framing.
const LINK_LAYER_PACKET: f64 = 8.0;

/// Bytes on the two directions of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Bytes from the host to the card.
    pub toward_card: f64,
    /// Bytes from the card to the host.
    pub toward_host: f64,
}

impl Traffic {
    /// The bytes on the busier direction.
    pub fn peak(self) -> f64 {
        self.toward_card.max(self.toward_host)
    }
}

impl std::ops::Add for Traffic {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            toward_card: self.toward_card + other.toward_card,
            toward_host: self.toward_host + other.toward_host,
        }
    }
}

impl std::ops::Mul<f64> for Traffic {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self {
            toward_card: self.toward_card * factor,
            toward_host: self.toward_host * factor,
        }
    }
}

/// A trained link between a bridge and a card, with all that decides what it delivers. Sizes and
/// `acknowledge_every` are above zero; costs and rates are not numbers otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Generation and lanes after training.
    pub trained: PcieSlotSpec,
    /// Largest payload of a packet.
    pub maximum_payload: Bytes,
    /// Largest read that the card requests at once.
    pub read_request: Bytes,
    /// Data bytes of a completion.
    pub completion: Bytes,
    /// Bits of addresses in requests: above 32, their headers are 4 bytes longer.
    pub address_bits: u64,
    /// Whether packets end with an end-to-end checksum of 4 bytes.
    pub end_to_end_checksum: bool,
    /// Packets for which one link layer packet of 8 bytes acknowledges in the opposite direction; infinite
    /// for none.
    pub acknowledge_every: f64,
    /// Requests, reads and writes, for which one link layer packet of 8 bytes returns credits; infinite for
    /// none. A card has unlimited credits for completions (PCI Express Base Specification, section 2.6.1).
    pub credits_every: f64,
    /// Share of the raw bandwidth that is never free for packets: ordered sets, and link layer packets sent
    /// by the clock rather than by traffic.
    pub reserved: Fraction,
    /// Reads that the card keeps in flight.
    pub outstanding_reads: u64,
    /// Time from a read request to its last completion, on an idle machine. Zero: never the limit.
    pub round_trip: Time,
}

impl Link {
    /// The link of a card in a slot of a bridge. Whatever both sides must agree on is the smaller of the two.
    ///
    /// `memory_latency` is the time the read of a line takes beyond the bridge; with two passages through the
    /// bridge and the time that the data is on the link it makes up the round trip.
    pub fn between(
        bridge: &BridgePart,
        slot: PcieSlotSpec,
        card: &PcieEndpoint,
        memory_latency: Time,
    ) -> Self {
        let trained = slot
            .train(PcieSlotSpec {
                generation: bridge.generation,
                lanes: slot.lanes,
            })
            .train(card.connector);
        let maximum_payload = bridge.maximum_payload.min(card.maximum_payload);
        let read_request = bridge.maximum_read_request.min(card.maximum_read_request);
        let link = Self {
            trained,
            maximum_payload,
            read_request,
            completion: bridge.read_completion.min(maximum_payload).min(read_request),
            address_bits: card.address_bits,
            end_to_end_checksum: false,
            acknowledge_every: bridge.acknowledge_every,
            credits_every: bridge.credits_every,
            reserved: trained.generation.ordered_sets(),
            outstanding_reads: card.outstanding_reads,
            round_trip: Time::ZERO,
        };
        Self {
            round_trip: bridge.latency * 2.0 + memory_latency + link.data_time(),
            ..link
        }
    }

    /// The link, for packets of a card behind another one: no larger than both carry, with that card's
    /// requests.
    #[must_use]
    pub fn for_packets_of(&self, requester: &Self) -> Self {
        Self {
            maximum_payload: self.maximum_payload.min(requester.maximum_payload),
            read_request: requester.read_request,
            completion: self.completion.min(requester.completion),
            address_bits: requester.address_bits,
            ..*self
        }
    }

    /// Raw bandwidth of one direction, encoding taken off.
    pub fn raw(&self) -> Bandwidth {
        self.trained.raw_bandwidth()
    }

    /// Share of the raw bandwidth that packets can use.
    pub fn usable_share(&self) -> Fraction {
        Fraction::new(1.0) - self.reserved
    }

    /// Bandwidth of one direction that packets can use.
    pub fn usable(&self) -> Bandwidth {
        self.raw() * self.usable_share().get()
    }

    /// What a DMA read of `bytes` (from memory to the card) puts on the link.
    ///
    /// Packets are counted as fractions: this is the share of a long stream, the right figure for a steady
    /// state.
    /// [`Link::read_transfer`] counts whole packets.
    pub fn read_cost(&self, bytes: f64) -> Traffic {
        self.read_traffic(
            bytes,
            bytes / self.read_request.get(),
            bytes / self.completion.get(),
        )
    }

    /// What a DMA write of `bytes` (from the card to memory) puts on the link, with packets as fractions.
    pub fn write_cost(&self, bytes: f64) -> Traffic {
        self.write_traffic(bytes, bytes / self.maximum_payload.get())
    }

    /// Bytes of a read of `bytes` that takes so many requests and completions.
    pub(super) fn read_traffic(&self, bytes: f64, requests: f64, completions: f64) -> Traffic {
        Traffic {
            toward_card: bytes + completions * self.completion_overhead() + self.answering(requests),
            toward_host: requests * self.request_overhead() + self.acknowledging(completions),
        }
    }

    /// Bytes of a write of `bytes` in so many packets.
    pub(super) fn write_traffic(&self, bytes: f64, packets: f64) -> Traffic {
        Traffic {
            toward_card: self.answering(packets),
            toward_host: bytes + packets * self.request_overhead(),
        }
    }

    /// Bytes around the data of a completion.
    fn completion_overhead(&self) -> f64 {
        PACKET + self.checksum()
    }

    /// Bytes of a read request, and bytes around the data of a write.
    fn request_overhead(&self) -> f64 {
        let address = if self.address_bits > 32 { LONG_ADDRESS } else { 0.0 };
        PACKET + address + self.checksum()
    }

    fn checksum(&self) -> f64 {
        if self.end_to_end_checksum {
            END_TO_END_CHECKSUM
        } else {
            0.0
        }
    }

    /// Link layer bytes that acknowledge so many requests and return their credits.
    fn answering(&self, requests: f64) -> f64 {
        let credits = if self.trained.generation.acknowledgements_cost() {
            requests / self.credits_every * LINK_LAYER_PACKET
        } else {
            0.0
        };
        self.acknowledging(requests) + credits
    }

    /// Link layer bytes that acknowledge so many packets.
    fn acknowledging(&self, packets: f64) -> f64 {
        if self.trained.generation.acknowledgements_cost() {
            packets / self.acknowledge_every * LINK_LAYER_PACKET
        } else {
            0.0
        }
    }
}
