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
            source: "hw-update-2009 (4 GB/s); AMD 40555 (ceiling); McCalpin 2010, AMD Opteron Local Memory Latency Chart \
                     (hop_latency: 33 ns for two more hops); HyperTransport 1 specification (checksum)"
                .to_owned(),
            width_bits: 16,
            clock: Frequency::new(1e9),
            ceiling: Fraction::new(0.87),
            crc_overhead: Fraction::new(PERIODIC_CRC),
            packet_checksum: Bytes::ZERO,
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
    ]
}

fn ht3(name: &str, clock: f64, rate_source: &str) -> SocketLinkPart {
    SocketLinkPart {
        name: name.to_owned(),
        source: format!(
            "{rate_source}; AMD 40555 (ceiling, measured on HT1); assumption: hop_latency 14 ns; HyperTransport 3 \
             specification, retry mode (a checksum of 4 bytes on every packet)"
        ),
        width_bits: 16,
        clock: Frequency::new(clock),
        ceiling: Fraction::new(0.87),
        crc_overhead: Fraction::ZERO,
        packet_checksum: Bytes::new(4.0),
        hop_latency: Time::new(14e-9),
    }
}
