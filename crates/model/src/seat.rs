//! A card in a slot: its links, and what transfers take of them.

use bandgraph_hardware::pcie::{Link, SwitchedLink, Transfer};
use bandgraph_topology::{Card, Detail, Resource, ResourceTable, Role, Seated, SlotResource, Topology, Unit};
use bandgraph_units::{Bytes, Time};

use crate::coherence::Ledger;

/// A link and its resources.
#[derive(Clone, Debug)]
pub(crate) struct Direct {
    pub(crate) link: Link,
    /// The resource toward the card.
    outbound: usize,
    /// The resource toward the host.
    inbound: usize,
}

/// A card in a slot.
#[derive(Debug)]
pub(crate) struct Seat {
    /// The bridge of the slot.
    pub(crate) bridge: usize,
    /// The switch of the slot.
    switch: Option<usize>,
    /// The link that ends at the card.
    pub(crate) below: Direct,
    /// The link above the switch.
    above: Option<Direct>,
    /// The packets of its own copies, if these have a size of their own.
    own: Option<Link>,
    /// Largest payload of packets that other cards send to it through its bridge, if that splits them.
    forwarded: Option<Bytes>,
    /// The resource of outstanding reads; `None` if their number never limits.
    reads: Option<usize>,
}

impl Seat {
    /// Whether packets between both cards stay below the bridge, in a common switch.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        self.switch.is_some() && self.switch == other.switch
    }

    /// Books `count` transfers of `size` bytes with a card in another slot, which is `way` away over links
    /// between sockets: up the links of one, and down those of the other.
    pub(crate) fn book_peer(
        &self,
        ledger: &mut Ledger,
        target: &Self,
        write: bool,
        (size, count): (u64, f64),
        way: Time,
    ) {
        let beside = self.is_beside(target);
        let copies = self.own.as_ref().unwrap_or(&self.below.link);
        let packets = target.below.link.for_packets_of(copies);
        // A root may split packets between its ports, a switch may not (PCI Express Base Specification,
        // section 1.3.1).
        let whole = Link {
            maximum_payload: copies.maximum_payload,
            ..packets
        };
        let own = if beside { &packets } else { &whole };
        let split = target.forwarded.filter(|_| !beside);
        let packets = split.map_or(packets, |most| packets.with_packets_of(most));
        let requests = self.below.carrying(own).book(ledger, write, size, count);
        if let Some(above) = self.above.as_ref().filter(|_| !beside) {
            above.carrying(own).book(ledger, write, size, count);
        }
        target.book_as_target(ledger, &packets, beside, write, size, count);
        if !write {
            self.book_reads(ledger, count * requests as f64, way);
        }
    }

    /// Books reads and writes by other cards of the card in this slot, in packets of their link.
    pub(crate) fn book_as_target(
        &self,
        ledger: &mut Ledger,
        packets: &Link,
        beside: bool,
        write: bool,
        size: u64,
        count: f64,
    ) {
        let above = self.above.as_ref().filter(|_| !beside);
        for link in above.into_iter().chain([&self.below]) {
            link.carrying(packets).turned().book(ledger, write, size, count);
        }
    }

    /// Books `count` transfers of `size` bytes with memory, which is `way` away over links between sockets.
    pub(crate) fn book(&self, ledger: &mut Ledger, write: bool, size: u64, count: f64, way: Time) {
        let book = |link: &Direct, ledger: &mut Ledger| match &self.own {
            Some(packets) => link.carrying(packets).book(ledger, write, size, count),
            None => link.book(ledger, write, size, count),
        };
        let requests = book(&self.below, ledger);
        if let Some(above) = &self.above {
            book(above, ledger);
        }
        if !write {
            self.book_reads(ledger, count * requests as f64, way);
        }
    }

    /// Books reads of the card in flight, longer if their data are `way` away.
    fn book_reads(&self, ledger: &mut Ledger, requests: f64, way: Time) {
        if let Some(reads) = self.reads {
            let longer = 1.0 + way.get() / self.below.link.round_trip.get();
            ledger.units[reads] += requests * longer;
        }
    }
}

impl Direct {
    /// The link with the packets of another link.
    fn carrying(&self, packets: &Link) -> Self {
        Self {
            link: self.link.for_packets_of(packets),
            ..self.clone()
        }
    }

    /// The link with exchanged directions, as for a sender on the host side.
    fn turned(self) -> Self {
        Self {
            outbound: self.inbound,
            inbound: self.outbound,
            ..self
        }
    }

    /// Books `count` transfers of `size` bytes; returns the requests per transfer.
    fn book(&self, ledger: &mut Ledger, write: bool, size: u64, count: f64) -> u64 {
        let Transfer {
            requests, traffic, ..
        } = if write {
            self.link.write_transfer(size)
        } else {
            self.link.read_transfer(size)
        };
        ledger.units[self.outbound] += count * traffic.toward_card;
        ledger.units[self.inbound] += count * traffic.toward_host;
        requests
    }
}

/// A seat of a card; `None` for ports without a link, which are in no slot.
pub(crate) fn seat(
    topology: &Topology,
    card: &Card,
    seated: Seated,
    resources: &mut ResourceTable,
) -> Option<Seat> {
    let mut endpoint = card.part.endpoint()?;
    let slot = &topology.slots()[seated.slot];
    let bridge = &topology.bridges()[slot.bridge];
    if let Some(size) = slot.maximum_payload {
        endpoint.maximum_payload = endpoint.maximum_payload.min(size);
    }
    if let Some(size) = slot.maximum_read_request {
        endpoint.maximum_read_request = endpoint.maximum_read_request.min(size);
    }
    let memory_latency = topology.sockets()[bridge.socket].part.local_latency;
    let (link, above) = match slot.switch.map(|switch| &topology.switches()[switch]) {
        None => (
            Link::between(&bridge.part, slot.pcie, &endpoint, memory_latency),
            None,
        ),
        Some(switch) => {
            let links = SwitchedLink::between(
                &bridge.part,
                switch.pcie,
                &switch.part,
                slot.pcie,
                &endpoint,
                memory_latency,
            );
            let above = Direct {
                link: links.above,
                outbound: switch.outbound.index(),
                inbound: switch.inbound.index(),
            };
            (links.below, Some(above))
        }
    };
    let own = card.part.copy_packet().map(|most| link.with_packets_of(most));
    let rate = link.read_rate_limit();
    let reads = rate.is_finite().then(|| {
        resources.add(Resource::new(
            format!("slot.{}.reads", slot.id),
            Role::Slot {
                slot: seated.slot,
                resource: SlotResource::Reads,
            },
            [&bridge.id, &card.id],
            rate,
            Unit::OperationsPerSecond,
            Detail::Reads {
                in_flight: link.outstanding_reads,
                each: link.round_trip,
            },
        ))
    });
    Some(Seat {
        bridge: slot.bridge,
        switch: slot.switch,
        below: Direct {
            link,
            outbound: seated.outbound.index(),
            inbound: seated.inbound.index(),
        },
        above,
        own,
        forwarded: Some(bridge.part.forwarded_payload).filter(|most| most.get() > 0.0),
        reads,
    })
}
