//! Switches: of PCI Express below a bridge, of networks between clients and the server.

use bandgraph_units::{Bandwidth, Bytes, Time};

use crate::infiniband::LaneRate;
use crate::parts::{NetworkSwitchPart, PcieSwitchPart};
use crate::pcie::PcieGeneration;

const GIGABIT: f64 = 125e6;

pub(super) fn pcie() -> Vec<PcieSwitchPart> {
    let switch = |generation: PcieGeneration, nanoseconds: f64, cut_through: bool| {
        PcieSwitchPart {
        name: format!("pcie-switch-{generation}"),
        source: "PCI Express Base Specification (rates); assumption: latency, payload and forwarding of a typical \
                 switch of the generation"
            .to_owned(),
        generation,
        maximum_payload: Bytes::new(256.0),
        latency: Time::new(nanoseconds * 1e-9),
        cut_through,
    }
    };
    vec![
        switch(PcieGeneration::Gen1, 300.0, false),
        switch(PcieGeneration::Gen2, 150.0, true),
        switch(PcieGeneration::Gen3, 150.0, true),
        switch(PcieGeneration::Gen4, 110.0, true),
        switch(PcieGeneration::Gen5, 110.0, true),
    ]
}

pub(super) fn network() -> Vec<NetworkSwitchPart> {
    vec![
        NetworkSwitchPart {
            name: "switch-48x1gbe-4x10gbe".to_owned(),
            source: "IEEE 802.3 (rates); assumption: number of ports, a backplane that carries all of them in both \
                     directions, 5 us of latency"
                .to_owned(),
            ports: 48,
            port_rate: Bandwidth::new(GIGABIT),
            uplinks: 4,
            uplink_rate: Bandwidth::new(10.0 * GIGABIT),
            backplane: Bandwidth::new((48.0 + 4.0 * 10.0) * GIGABIT),
            latency: Time::new(5e-6),
        },
        NetworkSwitchPart {
            name: "switch-24x10gbe".to_owned(),
            source: "IEEE 802.3 (rates); assumption: number of ports, a backplane that carries all of them in both \
                     directions, 1 us of latency"
                .to_owned(),
            ports: 24,
            port_rate: Bandwidth::new(10.0 * GIGABIT),
            uplinks: 0,
            uplink_rate: Bandwidth::new(10.0 * GIGABIT),
            backplane: Bandwidth::new(24.0 * 10.0 * GIGABIT),
            latency: Time::new(1e-6),
        },
        NetworkSwitchPart {
            name: "infiniband-switch-24xddr".to_owned(),
            source: "infiniband-2009 (Sun Datacenter 3x24 switches); InfiniBand Architecture Specification (rates); \
                     assumption: every port at its rate at once, 200 ns of latency"
                .to_owned(),
            ports: 24,
            port_rate: LaneRate::Double.bandwidth(4),
            uplinks: 0,
            uplink_rate: LaneRate::Double.bandwidth(4),
            backplane: LaneRate::Double.bandwidth(4) * 24.0,
            latency: Time::new(200e-9),
        },
    ]
}
