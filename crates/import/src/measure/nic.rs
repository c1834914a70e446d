//! `/proc/net/dev` and `ethtool -S`: bytes that interfaces received and sent since the machine was started.

use super::{Count, Reader, Subject};
use crate::formats::Line;
use crate::origin::Origin;

pub(super) const PROC_NET_DEV: Reader = Reader {
    name: "/proc/net/dev",
    is_seen: true,
    recognises: |text| text.trim_start().starts_with("Inter-|"),
    read: |text, _, taken| {
        for (name, line) in text.lines().filter_map(Line::key_value) {
            let numbers: Vec<f64> = (line.text.split_whitespace())
                .map_while(|number| number.parse().ok())
                .collect();
            let [received, .., sent, _, _, _, _, _, _, _] = numbers[..] else {
                continue;
            };
            if numbers.len() == 16 && super::is_physical(name) {
                taken.counts.extend(both(name, received, sent, line.at));
            }
        }
    },
};

/// What is to be known of counts of interfaces.
pub(super) const NOTE: &str =
    "bytes as the driver counts them; most leave out the checksum of frames, 4 bytes a packet";

fn both(name: &str, received: f64, sent: f64, at: Origin) -> [Count; 2] {
    [(true, received), (false, sent)].map(|(receives, value)| Count {
        subject: Subject::Port {
            name: name.to_owned(),
            receives,
        },
        value,
        at,
    })
}

/// Names of drivers for bytes that a port received and sent, those on the wire first.
const BYTES: [[&str; 2]; 5] = [
    ["rx_bytes_phy", "tx_bytes_phy"],
    ["port.rx_bytes", "port.tx_bytes"],
    ["rx_bytes_nic", "tx_bytes_nic"],
    ["rx_octets", "tx_octets"],
    ["rx_bytes", "tx_bytes"],
];

pub(super) const ETHTOOL: Reader = Reader {
    name: "ethtool -S",
    is_seen: false,
    recognises: |text| text.trim_start().starts_with("NIC statistics:"),
    read: |text, _, taken| {
        // The output does not name its interface; the collector names files after it.
        let value = |wanted: &str| {
            let mut lines = text.lines().filter_map(Line::key_value);
            lines.find_map(|(name, number)| number.number::<f64>().filter(|_| name == wanted))
        };
        let found = BYTES
            .iter()
            .find_map(|[received, sent]| Some((value(received)?, value(sent)?)));
        if let Some((received, sent)) = found {
            taken
                .counts
                .extend(both("", received.value, sent.value, received.at));
        }
    },
};
