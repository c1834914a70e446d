//! Links between sockets.
//!
//! The practical ceiling is 87 % of raw: AMD, *Performance Guidelines for AMD Athlon 64 and AMD Opteron ccNUMA
//! Multiprocessor Systems*, 40555, appendix A.2.2: links of 4 GB/s saturate at 3.5.

use bandgraph_units::{Bytes, Fraction, Frequency, Time};

use crate::parts::SocketLinkPart;

/// HyperTransport 1 sends 4 bytes of checksum in every 512.
const PERIODIC_CRC: f64 = 4.0 / 512.0;

pub(super) fn entries() -> Vec<SocketLinkPart> {
    vec![
        SocketLinkPart {
            name: "ht1-x16".to_owned(),
            technology: "HyperTransport".to_owned(),
            source: "hw-update-2009 (4 GB/s); AMD 40555 (ceiling); McCalpin 2010, AMD Opteron Local Memory Latency Chart \
                     (hop_latency: 33 ns for two more hops); HyperTransport 1 specification (checksum)"
                .to_owned(),
            width_bits: 16,
            clock: Frequency::new(1e9),
            ceiling: Fraction::new(0.87),
            crc_overhead: Fraction::new(PERIODIC_CRC),
            packet_checksum: Bytes::ZERO,
            packet_multiple: Bytes::new(4.0),
            hop_latency: Time::new(16.5e-9),
        },
        ht3(
            "ht3-x16",
            2.4e9,
            "AnandTech, Six-Core Opteron review, 2009 (Istanbul runs links at 2.4 GHz: 9.6 GB/s); which clock the 7410 \
             ran is not published",
        ),
        ht3(
            "ht3-x16-2200",
            2.2e9,
            "AnandTech, Six-Core Opteron review, 2009 (Shanghai runs links at 2.2 GHz: 8.8 GB/s)",
        ),
        qpi(),
        front_side_bus(),
        xgmi(),
        io_fabric(),
    ]
}

/// The link of Nehalem. Its rate counts the 16 of 20 lanes that carry what flits are for; the others carry the checksum
/// that every flit has. A flit is then 8 bytes: a header by itself, or 8 bytes of a line.
fn qpi() -> SocketLinkPart {
    SocketLinkPart {
        name: "qpi-6400".to_owned(),
        technology: "QPI".to_owned(),
        source: "Intel, An Introduction to the Intel QuickPath Interconnect, 320412, 2009 (6.4 GT/s, 12.8 GB/s each way, \
                 flits of 80 bits with 64 of payload); Molka et al., PACT 2009, Nehalem latencies (hop_latency: half of \
                 what a remote read takes longer than a local one, 41 ns); assumption: ceiling as on HyperTransport"
            .to_owned(),
        width_bits: 16,
        clock: Frequency::new(3.2e9),
        ceiling: Fraction::new(0.87),
        crc_overhead: Fraction::ZERO,
        packet_checksum: Bytes::ZERO,
        packet_multiple: Bytes::new(8.0),
        hop_latency: Time::new(20.5e-9),
    }
}

/// The front-side bus of Harpertown and the hub behind it, seen as a link between the two processors.
fn front_side_bus() -> SocketLinkPart {
    SocketLinkPart {
        name: "fsb-1066".to_owned(),
        technology: "front-side bus".to_owned(),
        source: "Intel Xeon 5400 series datasheet, 318589 (64 bits, 1066 MT/s); assumption: ceiling as on HyperTransport, \
                 10 ns through the hub. A bus goes one way at a time, and here each way has its rate to itself"
            .to_owned(),
        width_bits: 64,
        clock: Frequency::new(1600e6 / 3.0),
        hop_latency: Time::new(10e-9),
        ..SocketLinkPart::default()
    }
}

/// The link between sockets of 2023: serial lanes, 32 GT/s each.
fn xgmi() -> SocketLinkPart {
    SocketLinkPart {
        name: "xgmi3-x16".to_owned(),
        technology: "xGMI".to_owned(),
        source: "AMD EPYC 9004 Series Architecture Overview, 58015 (16 lanes of 32 GT/s: 64 GB/s each way); assumption: \
                 ceiling as on HyperTransport; packets as there, a checksum of 4 bytes on each, 45 ns a hop"
            .to_owned(),
        width_bits: 16,
        clock: Frequency::new(16e9),
        packet_checksum: Bytes::new(4.0),
        hop_latency: Time::new(45e-9),
        ..SocketLinkPart::default()
    }
}

/// What joins an I/O hub to the rest of its die: 64 bytes a cycle of the fabric, each way.
fn io_fabric() -> SocketLinkPart {
    SocketLinkPart {
        name: "infinity-fabric-io".to_owned(),
        technology: "Infinity Fabric".to_owned(),
        source: "assumption: 64 bytes a cycle at 1.8 GHz, 115 GB/s each way, of which all can be used"
            .to_owned(),
        width_bits: 256,
        clock: Frequency::new(1.8e9),
        ceiling: Fraction::new(1.0),
        hop_latency: Time::new(10e-9),
        ..SocketLinkPart::default()
    }
}

fn ht3(name: &str, clock: f64, rate_source: &str) -> SocketLinkPart {
    SocketLinkPart {
        name: name.to_owned(),
        technology: "HyperTransport".to_owned(),
        source: format!(
            "{rate_source}; AMD 40555 (ceiling, measured on HT1); assumption: hop_latency 14 ns; HyperTransport 3 \
             specification, retry mode (a checksum of 4 bytes on every packet)"
        ),
        width_bits: 16,
        clock: Frequency::new(clock),
        ceiling: Fraction::new(0.87),
        crc_overhead: Fraction::ZERO,
        packet_checksum: Bytes::new(4.0),
        packet_multiple: Bytes::new(4.0),
        hop_latency: Time::new(14e-9),
    }
}

#[cfg(test)]
mod tests {
    use crate::catalogue;

    /// QPI is 12.8 GB/s each way, and a line of 64 bytes takes nine flits: one for its header.
    #[test]
    fn packets_fill_whole_units_of_their_link() {
        let qpi = catalogue().socket_link("qpi-6400").expect("in the catalogue");
        assert_eq!(qpi.raw_bandwidth().get(), 12.8e9);
        for (packet, bytes) in [(8.0, 8.0), (4.0, 8.0), (68.0, 72.0), (72.0, 72.0)] {
            assert_eq!(qpi.packet_bytes(packet), bytes);
        }
        let xgmi = catalogue().socket_link("xgmi3-x16").expect("in the catalogue");
        assert_eq!(xgmi.raw_bandwidth().get(), 64e9);
        let retried = catalogue().socket_link("ht3-x16").expect("in the catalogue");
        assert_eq!(
            (retried.packet_bytes(4.0), retried.packet_bytes(68.0)),
            (8.0, 72.0)
        );
    }
}
