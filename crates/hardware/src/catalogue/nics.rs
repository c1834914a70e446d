//! Network cards.

use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use crate::infiniband::LaneRate;
use crate::parts::{CardHeight, LinkLayer, NicPart};
use crate::pcie::PcieGeneration;

const GIGABIT: f64 = 125e6;

pub(super) fn entries() -> Vec<NicPart> {
    vec![
        NicPart {
            name: "neptune-dual-10gbe".to_owned(),
            source: "hw-update-2009 (dual-port 10 GbE, PCIe gen1 x8); The Inquirer, Project Neptune, 2007 (low profile, \
                     24 transmit rings for the card); network-2008-2009 (intervals between interrupts of 25 us, the \
                     least); illumos nxge driver, nxge_rxdma.h (ticks of 25 us, interrupts after 32 frames); \
                     assumption: 128-byte payload, 512-byte read request, 16 reads under way, 16 bytes of \
                     descriptor a frame, 12 W idle and 15 W in use"
                .to_owned(),
            ports: 2,
            port_rate: Bandwidth::new(10.0 * GIGABIT),
            duplex_rate: Bandwidth::ZERO,
            link_layer: LinkLayer::Ethernet,
            integrated: false,
            pcie_generation: PcieGeneration::Gen1,
            pcie_lanes: 8,
            maximum_payload: Bytes::new(128.0),
            maximum_read_request: Bytes::new(512.0),
            address_bits: 64,
            outstanding_reads: 16,
            descriptor_bytes: Bytes::new(16.0),
            interrupt_interval: Time::new(25e-6),
            interrupt_frames: 32,
            transmit_rings: 12,
            height: CardHeight::Low,
            idle_power: Power::new(12.0),
            active_power: Power::new(15.0),
        },
        NicPart {
            name: "onboard-1gbe".to_owned(),
            source: "IEEE 802.3 (rate); hw-update-2009 (1 GbE ports on the board add to the slots); assumption: the \
                     bridge's own network ports take no PCIe slot; assumption: 16 bytes of descriptor, 50 us between \
                     interrupts, 1.5 W idle and 2 W in use"
                .to_owned(),
            ports: 1,
            port_rate: Bandwidth::new(GIGABIT),
            integrated: true,
            descriptor_bytes: Bytes::new(16.0),
            interrupt_interval: Time::new(50e-6),
            idle_power: Power::new(1.5),
            active_power: Power::new(2.0),
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
        infinihost(),
        oplin(),
        quad_gigabit(),
        modern("dual-25gbe-gen3-x8", 25.0, PcieGeneration::Gen3, 8),
        modern("dual-100gbe-gen4-x16", 100.0, PcieGeneration::Gen4, 16),
        connectx7(),
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

/// A card of 2023, whose ports speak Ethernet or `InfiniBand` (`link_layer`).
fn connectx7() -> NicPart {
    NicPart {
        name: "connectx7-dual-200g".to_owned(),
        source: "NVIDIA ConnectX-7 datasheet (two ports of 200 Gbit/s, Ethernet or InfiniBand, PCIe gen5 x16); assumption: \
                 512-byte payload, 4-KiB read request, 256 reads under way, 10 us between interrupts, 15 W idle and 25 W \
                 in use"
            .to_owned(),
        maximum_payload: Bytes::new(512.0),
        maximum_read_request: Bytes::new(4096.0),
        idle_power: Power::new(15.0),
        active_power: Power::new(25.0),
        ..modern("", 200.0, PcieGeneration::Gen5, 16)
    }
}

/// The channel adapter of the `InfiniBand` tests.
fn infinihost() -> NicPart {
    NicPart {
        name: "dual-ddr-infiniband-x8-gen1".to_owned(),
        source: "infiniband-2009 (dual-port DDR, PCIe 1.0); InfiniBand Architecture Specification (rate of four lanes at \
                 double data rate); facts.md, PCIe (x8); assumption: 128-byte payload, 512-byte read request, 16 reads \
                 under way, 128 bytes of work queue and completion entries a request, interrupts at once, 10 W idle and 12 W \
                 in use"
            .to_owned(),
        ports: 2,
        port_rate: LaneRate::Double.bandwidth(4),
        link_layer: LinkLayer::Infiniband,
        pcie_generation: PcieGeneration::Gen1,
        pcie_lanes: 8,
        descriptor_bytes: Bytes::new(128.0),
        interrupt_interval: Time::ZERO,
        idle_power: Power::new(10.0),
        active_power: Power::new(12.0),
        ..NicPart::default()
    }
}

/// Intel's 10GbE card of the Nehalem and grid tests.
fn oplin() -> NicPart {
    NicPart {
        name: "single-10gbe-82598eb".to_owned(),
        source: "network-2008-2009 (82598EB, PCIe gen1); Intel 82598EB datasheet (x8, 32 transmit queues, 16-byte \
                 descriptors); assumption: 128-byte payload, 512-byte read request, 16 reads under way, 50 us between \
                 interrupts, 5 W idle and 7 W in use"
            .to_owned(),
        ports: 1,
        port_rate: Bandwidth::new(10.0 * GIGABIT),
        pcie_generation: PcieGeneration::Gen1,
        pcie_lanes: 8,
        descriptor_bytes: Bytes::new(16.0),
        interrupt_interval: Time::new(50e-6),
        transmit_rings: 32,
        idle_power: Power::new(5.0),
        active_power: Power::new(7.0),
        ..NicPart::default()
    }
}

/// The card with four gigabit ports that was installed in the Netra X4250 and left idle.
fn quad_gigabit() -> NicPart {
    NicPart {
        name: "quad-1gbe-x8".to_owned(),
        source: "bestperf-2009 (X4447A-Z: four ports of 1 GbE, x8); assumption: gen1, 50 us between interrupts, 8 W idle \
                 and 12 W in use"
            .to_owned(),
        ports: 4,
        port_rate: Bandwidth::new(GIGABIT),
        pcie_generation: PcieGeneration::Gen1,
        pcie_lanes: 8,
        interrupt_interval: Time::new(50e-6),
        idle_power: Power::new(8.0),
        active_power: Power::new(12.0),
        ..NicPart::default()
    }
}
