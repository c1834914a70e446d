//! Numbers that no part can have: damaged files and firmware print them. They are unknown.
//!
//! The ranges are those that parts of a topology declare, so that `check` takes what an import writes.

use bandgraph_config::{Field, Kind, Shape};
use bandgraph_hardware::{
    BridgePart, HbaPart, MemoryPart, NicPart, PcieGeneration, PcieSlotPart, SocketLinkPart, SocketPart,
};

use crate::facts::{Facts, OutOfRange};
use crate::origin::Fact;
use crate::resolve::{Card, CardKind, Socket};

/// The numbers that a part can have.
struct Range {
    /// What messages call the number.
    what: &'static str,
    field: &'static Field,
}

impl Range {
    fn of(what: &'static str, kind: &'static Kind, field: &str) -> Self {
        let field = kind.field(field).expect("each part declares the field");
        Self { what, field }
    }

    /// Makes a fact unknown if its number, in base units, is out of range.
    fn hold<T: Copy>(&self, fact: &mut Fact<T>, number: impl Fn(T) -> f64, found: &mut Vec<OutOfRange>) {
        let Some(said) = fact else { return };
        let unit = match self.field.shape {
            Shape::Quantity(unit) => Some(unit),
            _ => None,
        };
        if let Some(problem) = self.field.range.problem(number(said.value), unit) {
            found.push(OutOfRange {
                message: format!("{} {problem}: it is taken as unknown", self.what),
                at: said.at,
            });
            *fact = None;
        }
    }
}

/// Makes a fact unknown if there is no such generation of PCI Express.
fn hold_generation(fact: &mut Fact<u8>, found: &mut Vec<OutOfRange>) {
    let last = PcieGeneration::ALL.len();
    let wrong = |value: u8| !(1..=last).contains(&usize::from(value));
    if let Some(said) = fact.take_if(|said| wrong(said.value)) {
        let message = format!(
            "the generation of PCI Express must be from 1 to {last}, not {}: it is taken as unknown",
            said.value
        );
        found.push(OutOfRange { message, at: said.at });
    }
}

/// Makes what a file says unknown where no part can have it.
pub(crate) fn hold(facts: &mut Facts) {
    let found = &mut facts.out_of_range;
    let cores = Range::of("the number of cores", SocketPart::KIND, "cores");
    let clock = Range::of("the clock", SocketPart::KIND, "clock");
    let link_clock = Range::of("the clock of the link", SocketLinkPart::KIND, "clock");
    for processor in &mut facts.processors {
        cores.hold(&mut processor.cores, f64::from, found);
        clock.hold(&mut processor.clock_mhz, |mhz| mhz * 1e6, found);
        link_clock.hold(&mut processor.external_clock_mhz, |mhz| mhz * 1e6, found);
    }
    let transfers = Range::of("what the memory transfers", MemoryPart::KIND, "transfer_rate");
    for dimm in &mut facts.dimms {
        for rate in [&mut dimm.rate, &mut dimm.configured_rate] {
            transfers.hold(rate, |rate| rate * 8e6, found);
        }
    }
    let lanes = Range::of("the number of lanes", PcieSlotPart::KIND, "lanes");
    let payload = Range::of("the payload of packets", BridgePart::KIND, "maximum_payload");
    let request = Range::of("the read request", BridgePart::KIND, "maximum_read_request");
    for device in &mut facts.devices {
        for own in [&mut device.lanes, &mut device.lanes_capable] {
            lanes.hold(own, f64::from, found);
        }
        for generation in [&mut device.generation, &mut device.generation_capable] {
            hold_generation(generation, found);
        }
        for bytes in [&mut device.payload, &mut device.payload_capable] {
            payload.hold(bytes, f64::from, found);
        }
        request.hold(&mut device.read_request, f64::from, found);
    }
    for slot in &mut facts.slots {
        for own in [&mut slot.lanes, &mut slot.connector_lanes] {
            lanes.hold(own, f64::from, found);
        }
        hold_generation(&mut slot.generation, found);
    }
    let rate = Range::of("the rate of a port", NicPart::KIND, "port_rate");
    for interface in &mut facts.interfaces {
        for bits in [&mut interface.rate, &mut interface.rate_capable] {
            rate.hold(bits, |bits| bits / 8.0, found);
        }
    }
    let width = Range::of("the width of the link", SocketLinkPart::KIND, "width_bits");
    for link in &mut facts.hypertransport {
        width.hold(&mut link.width, f64::from, found);
        link_clock.hold(&mut link.clock_hz, |hertz| hertz, found);
    }
}

/// The same for what follows from several facts.
pub(crate) fn hold_derived(sockets: &mut [Socket], cards: &mut [Card], found: &mut Vec<OutOfRange>) {
    let channels = Range::of(
        "the number of memory channels in use",
        SocketPart::KIND,
        "memory_channels",
    );
    for socket in sockets {
        channels.hold(&mut socket.memory.channels_used, f64::from, found);
    }
    let of_nic = Range::of("the number of ports", NicPart::KIND, "ports");
    let of_hba = Range::of("the number of ports", HbaPart::KIND, "ports");
    for card in cards {
        let ports = if card.kind == CardKind::Hba {
            &of_hba
        } else {
            &of_nic
        };
        ports.hold(&mut card.ports, f64::from, found);
    }
}
