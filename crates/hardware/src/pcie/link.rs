//! A trained link, and the bytes of reads and writes on its two directions.

use bandgraph_units::{Bandwidth, Bytes, Fraction, Time};

use super::PcieSlotSpec;
use crate::parts::{BridgePart, PcieEndpoint};

/// Overhead of a packet with a three-word header: framing, sequence number, header, checksum.
const PACKET: f64 = 20.0;
/// Additional bytes of a 64-bit address in the header of a request.
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
    /// The bytes in the busier direction.
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

/// A trained link between a bridge and a card, with all parameters of its throughput. Sizes and
/// `acknowledge_every` must be above zero; otherwise costs and rates are NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Generation and lanes after training.
    pub trained: PcieSlotSpec,
    /// Maximum payload of a packet.
    pub maximum_payload: Bytes,
    /// Maximum size of a read request of the card.
    pub read_request: Bytes,
    /// Data bytes of a completion.
    pub completion: Bytes,
    /// Bits of addresses in requests: above 32, their headers are 4 bytes longer.
    pub address_bits: u64,
    /// Whether packets end with an end-to-end checksum of 4 bytes.
    pub end_to_end_checksum: bool,
    /// Packets per acknowledgement, a link layer packet of 8 bytes in the opposite direction; infinite for
    /// none.
    pub acknowledge_every: f64,
    /// Requests (reads and writes) per return of credits, a link layer packet of 8 bytes; infinite for none.
    /// A card has unlimited credits for completions (PCI Express Base Specification, section 2.6.1).
    pub credits_every: f64,
    /// Share of the raw bandwidth that packets cannot use: ordered sets, and periodic link layer packets.
    pub reserved: Fraction,
    /// Outstanding reads of the card.
    pub outstanding_reads: u64,
    /// Time from a read request to its last completion, on an idle machine. Zero: no limit.
    pub round_trip: Time,
}

impl Link {
    /// The link of a card in a slot of a bridge. A parameter that both sides have to agree on is the smaller
    /// of the two.
    ///
    /// `memory_latency` is the time of a line read beyond the bridge; the round trip adds two passages
    /// through the bridge and the transmission time of the data.
    pub fn between(
        bridge: &BridgePart,
        slot: PcieSlotSpec,
        card: &PcieEndpoint,
        memory_latency: Time,
    ) -> Self {
        let trained = slot.at_most(bridge.generation).train(card.connector);
        let maximum_payload = bridge.maximum_payload.min(card.maximum_payload);
        let link = Self::without_round_trip(bridge, trained, maximum_payload, card);
        Self {
            round_trip: bridge.latency * 2.0 + memory_latency + link.data_time(),
            ..link
        }
    }

    /// A trained link below a bridge, for packets between it and a card.
    pub(super) fn without_round_trip(
        bridge: &BridgePart,
        trained: PcieSlotSpec,
        maximum_payload: Bytes,
        card: &PcieEndpoint,
    ) -> Self {
        let read_request = bridge.maximum_read_request.min(card.maximum_read_request);
        Self {
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
        }
    }

    /// This link for packets of another card: sizes are limited by both links, and the requests are those of
    /// that card.
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

    /// This link for packets and read requests of at most `most` bytes.
    #[must_use]
    pub fn with_packets_of(&self, most: Bytes) -> Self {
        Self {
            maximum_payload: self.maximum_payload.min(most),
            read_request: self.read_request.min(most),
            completion: self.completion.min(most),
            ..*self
        }
    }

    /// Raw bandwidth of one direction, after encoding.
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

    /// The bytes on the link of a DMA read of `bytes` (from memory to the card).
    ///
    /// Numbers of packets are fractions: the average over a long stream, as a steady state needs it.
    /// [`Link::read_transfer`] counts whole packets.
    pub fn read_cost(&self, bytes: f64) -> Traffic {
        self.read_traffic(
            bytes,
            bytes / self.read_request.get(),
            bytes / self.completion.get(),
        )
    }

    /// The bytes on the link of a DMA write of `bytes` (from the card to memory), with fractional packets.
    pub fn write_cost(&self, bytes: f64) -> Traffic {
        self.write_traffic(bytes, bytes / self.maximum_payload.get())
    }

    /// Bytes of a read of `bytes` with these numbers of requests and completions.
    pub(super) fn read_traffic(&self, bytes: f64, requests: f64, completions: f64) -> Traffic {
        Traffic {
            toward_card: bytes + completions * self.completion_overhead() + self.answering(requests),
            toward_host: requests * self.request_overhead() + self.acknowledging(completions),
        }
    }

    /// Bytes of a write of `bytes` in this number of packets.
    pub(super) fn write_traffic(&self, bytes: f64, packets: f64) -> Traffic {
        Traffic {
            toward_card: self.answering(packets),
            toward_host: bytes + packets * self.request_overhead(),
        }
    }

    /// Overhead of a completion.
    fn completion_overhead(&self) -> f64 {
        PACKET + self.checksum()
    }

    /// Size of a read request, and overhead of a write.
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

    /// Link layer bytes that acknowledge this number of requests and return their credits.
    fn answering(&self, requests: f64) -> f64 {
        let credits = if self.trained.generation.acknowledgements_cost() {
            requests / self.credits_every * LINK_LAYER_PACKET
        } else {
            0.0
        };
        self.acknowledging(requests) + credits
    }

    /// Link layer bytes that acknowledge this number of packets.
    fn acknowledging(&self, packets: f64) -> f64 {
        if self.trained.generation.acknowledgements_cost() {
            packets / self.acknowledge_every * LINK_LAYER_PACKET
        } else {
            0.0
        }
    }
}
