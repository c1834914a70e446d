//! A card behind a PCI Express switch: two links in series.
//!
//! A switch forwards packets unchanged: it neither splits nor joins them, so that all sizes are the minimum
//! over bridge, switch and card. Each link has its own link layer packets. The switch adds its latency in
//! both directions to a read, and without cut-through also the time to receive a request from below and a
//! completion from above. Source: PCI Express Base Specification, sections 1.3.3 and 2.2.

use bandgraph_units::{Bytes, Time};

use super::{Link, PcieSlotSpec};
use crate::parts::{BridgePart, PcieEndpoint, PcieSwitchPart};

/// The links of a card behind a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwitchedLink {
    /// Between the bridge and the switch; all slots of the switch share it.
    pub above: Link,
    /// Between the switch and the card, with the round trip to memory.
    pub below: Link,
}

impl SwitchedLink {
    /// The links of a card in a slot of a switch whose uplink is `uplink`. `memory_latency` is that of
    /// [`Link::between`].
    pub fn between(
        bridge: &BridgePart,
        uplink: PcieSlotSpec,
        switch: &PcieSwitchPart,
        slot: PcieSlotSpec,
        card: &PcieEndpoint,
        memory_latency: Time,
    ) -> Self {
        let trained_above = uplink.at_most(switch.generation).at_most(bridge.generation);
        let trained_below = slot.at_most(switch.generation).train(card.connector);
        let maximum_payload = bridge
            .maximum_payload
            .min(switch.maximum_payload)
            .min(card.maximum_payload);
        let above = Link::without_round_trip(bridge, trained_above, maximum_payload, card);
        let below = Link {
            trained: trained_below,
            reserved: trained_below.generation.ordered_sets(),
            ..above
        };
        let held = if switch.cut_through {
            Time::ZERO
        } else {
            below.request_time() + above.completion_time()
        };
        let way = (bridge.latency + switch.latency) * 2.0 + memory_latency + held;
        let data = above.data_time().max(below.data_time());
        let round_trip = way + data;
        Self {
            above: Link { round_trip, ..above },
            below: Link { round_trip, ..below },
        }
    }
}

impl Link {
    /// Transmission time of a read request.
    fn request_time(&self) -> Time {
        Time::new(self.read_traffic(0.0, 1.0, 0.0).toward_host / self.raw().get())
    }

    /// Transmission time of one completion.
    fn completion_time(&self) -> Time {
        Time::new(self.read_traffic(self.completion.get(), 0.0, 1.0).toward_card / self.raw().get())
    }

    /// Transmission time of all completions of a full read.
    pub fn data_time(&self) -> Time {
        let size: Bytes = self.read_request;
        Time::new(self.read_transfer(size.get() as u64).traffic.toward_card / self.raw().get())
    }
}
