//! I/O bridges.

use bandgraph_units::{Bytes, Time};

use crate::parts::BridgePart;
use crate::pcie::PcieGeneration;

pub(super) fn entries() -> Vec<BridgePart> {
    let nforce = |name: &str, origin: &str| BridgePart {
        name: name.to_owned(),
        source: format!(
            "{origin}; assumption: acknowledge_every 4, from the specification's acknowledgement table for gen1 x8; \
             assumption: latency 250 ns"
        ),
        generation: PcieGeneration::Gen1,
        read_completion: Bytes::new(64.0),
        maximum_payload: Bytes::new(256.0),
        maximum_read_request: Bytes::new(512.0),
        acknowledge_every: 4.0,
        host_line: Bytes::new(64.0),
        latency: Time::new(250e-9),
        ..BridgePart::default()
    };
    vec![
        nforce(
            "mcp55",
            "lspci of an MCP55 board, in facts.md, PCIe (256-byte payload, 512-byte read request, 64-byte completions)",
        ),
        nforce(
            "io55",
            "taken as the MCP55, of which the IO55 is the companion without south bridge (facts.md, PCIe)",
        ),
        BridgePart {
            name: "intel-5520".to_owned(),
            source: "Intel 5520 and 5500 I/O Hub datasheet, 321328 (gen2, 256-byte payload); assumption: completions of 64 \
                     bytes, 512-byte read request, acknowledge_every 4, latency 200 ns"
                .to_owned(),
            generation: PcieGeneration::Gen2,
            read_completion: Bytes::new(64.0),
            maximum_payload: Bytes::new(256.0),
            maximum_read_request: Bytes::new(512.0),
            acknowledge_every: 4.0,
            host_line: Bytes::new(64.0),
            latency: Time::new(200e-9),
            ..BridgePart::default()
        },
        BridgePart {
            name: "root-complex-gen3".to_owned(),
            source: "Neugebauer et al., SIGCOMM 2018, pcie-bench model defaults (256-byte payload, 512-byte read request, \
                     completions of the payload size); assumption: acknowledge_every 4, latency 150 ns"
                .to_owned(),
            generation: PcieGeneration::Gen3,
            read_completion: Bytes::new(256.0),
            maximum_payload: Bytes::new(256.0),
            maximum_read_request: Bytes::new(512.0),
            acknowledge_every: 4.0,
            host_line: Bytes::new(64.0),
            latency: Time::new(150e-9),
            ..BridgePart::default()
        },
        BridgePart {
            name: "root-complex-gen5".to_owned(),
            source: "PCI Express Base Specification 5.0 (rates); assumption: 512-byte payload and read request, completions \
                     of the payload size up to 256 bytes, acknowledge_every 4, latency 150 ns"
                .to_owned(),
            generation: PcieGeneration::Gen5,
            read_completion: Bytes::new(256.0),
            maximum_payload: Bytes::new(512.0),
            maximum_read_request: Bytes::new(512.0),
            latency: Time::new(150e-9),
            ..BridgePart::default()
        },
        BridgePart {
            name: "intel-5000p".to_owned(),
            source: "Intel 5000P Memory Controller Hub datasheet, 313071 (gen1, 256-byte payload); assumption: completions \
                     of 64 bytes, 512-byte read request, acknowledge_every 4, latency 250 ns"
                .to_owned(),
            maximum_payload: Bytes::new(256.0),
            ..BridgePart::default()
        },
    ]
}
