//! Network cards.

use bandgraph_units::{Bandwidth, Bytes, Time};

use crate::parts::{CardHeight, NicPart};
use crate::pcie::PcieGeneration;

const GIGABIT: f64 = 125e6;

pub(super) fn entries() -> Vec<NicPart> {
    vec![
        NicPart {
            name: "neptune-dual-10gbe".to_owned(),
            source: "hw-update-2009 (dual-port 10 GbE, PCIe gen1 x8); The Inquirer, Project Neptune, 2007 (low profile, \
                     24 transmit rings); network-2008-2009 (transmit rings); assumption: 128-byte payload, 512-byte \
                     read request, 16 reads under way, 16 bytes of descriptor a frame, 25 us between interrupts"
                .to_owned(),
            ports: 2,
            port_rate: Bandwidth::new(10.0 * GIGABIT),
            integrated: false,
            pcie_generation: PcieGeneration::Gen1,
            pcie_lanes: 8,
            maximum_payload: Bytes::new(128.0),
            maximum_read_request: Bytes::new(512.0),
            address_bits: 64,
            outstanding_reads: 16,
            descriptor_bytes: Bytes::new(16.0),
            interrupt_interval: Time::new(25e-6),
            transmit_rings: 24,
            height: CardHeight::Low,
        },
        NicPart {
            name: "onboard-1gbe".to_owned(),
            source: "IEEE 802.3 (rate); hw-update-2009 (1 GbE ports on the board add to the slots); assumption: the \
                     bridge's own network ports take no PCIe slot; assumption: 16 bytes of descriptor, 50 us between \
                     interrupts"
                .to_owned(),
            ports: 1,
            port_rate: Bandwidth::new(GIGABIT),
            integrated: true,
            descriptor_bytes: Bytes::new(16.0),
            interrupt_interval: Time::new(50e-6),
            ..NicPart::default()
        },
        NicPart {
            name: "generic-1gbe".to_owned(),
            source: "IEEE 802.3 (rate); assumption: PCIe gen1 x1 and every other figure".to_owned(),
            ports: 1,
            port_rate: Bandwidth::new(GIGABIT),
            pcie_lanes: 1,
            interrupt_interval: Time::new(50e-6),
            ..NicPart::default()
        },
        modern("dual-25gbe-gen3-x8", 25.0, PcieGeneration::Gen3, 8),
        modern("dual-100gbe-gen4-x16", 100.0, PcieGeneration::Gen4, 16),
    ]
}

/// A card whose figures are arithmetic: the rate from the Ethernet standard, the connector from the PCIe standard.
fn modern(name: &str, gigabits: f64, generation: PcieGeneration, lanes: u64) -> NicPart {
    NicPart {
        name: name.to_owned(),
        source:
            "IEEE 802.3 (rate); PCI Express Base Specification (connector); assumption: every other figure"
                .to_owned(),
        ports: 2,
        port_rate: Bandwidth::new(gigabits * GIGABIT),
        pcie_generation: generation,
        pcie_lanes: lanes,
        maximum_payload: Bytes::new(256.0),
        maximum_read_request: Bytes::new(512.0),
        outstanding_reads: 256,
        interrupt_interval: Time::new(10e-6),
        transmit_rings: 64,
        ..NicPart::default()
    }
}
