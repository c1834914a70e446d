//! What a PCI Express link delivers over the size of transfers, as text, JSON and CSV.

use bandgraph_hardware::pcie::{Link, TransferPoint};
use bandgraph_units::Bandwidth;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::{Table, View};

/// The columns of [`pcie_csv`]; rates are payload in bytes per second.
pub const PCIE_COLUMNS: [&str; 4] = ["size_bytes", "read", "write", "read_and_write_each"];

/// The curve of a link as JSON writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcieDocument {
    /// Version of this format.
    pub schema: u32,
    /// Generation and lanes, such as `gen3 x8`.
    pub link: String,
    /// Largest payload of a packet, in bytes.
    pub maximum_payload_bytes: f64,
    /// Largest read requested at once, in bytes.
    pub read_request_bytes: f64,
    /// Data of a completion, in bytes.
    pub completion_bytes: f64,
    /// Bits of addresses.
    pub address_bits: u64,
    /// Whether packets end with an end-to-end checksum.
    pub end_to_end_checksum: bool,
    /// Packets per link layer packet that acknowledges.
    pub acknowledge_every: f64,
    /// Requests per link layer packet that returns credits.
    pub credits_every: f64,
    /// Maximum number of reads in flight.
    pub outstanding_reads: u64,
    /// Time from a read request to its last completion, in seconds; 0 if it is never the limit.
    pub round_trip_s: f64,
    /// Raw bandwidth of a direction, in bytes/s.
    pub raw: f64,
    /// What of it packets can use, in bytes/s.
    pub usable: f64,
    /// Payload per second of an endless stream.
    pub stream: PcieRates,
    /// The limit from the reads in flight, in bytes/s; null if they are never the limit.
    pub outstanding_limit: Option<f64>,
    /// The curve, smallest size first.
    pub points: Vec<PciePoint>,
}

/// Payload per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcieRates {
    /// Reads from memory alone, in bytes/s.
    pub read: f64,
    /// Writes to memory alone, in bytes/s.
    pub write: f64,
    /// Reads and writes at equal rates, each, in bytes/s.
    pub read_and_write_each: f64,
}

/// One size of transfers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PciePoint {
    /// Bytes of a transfer.
    pub size_bytes: u64,
    /// What back-to-back transfers of that size reach.
    pub rates: PcieRates,
}

fn rates_of(point: &TransferPoint) -> PcieRates {
    PcieRates {
        read: point.read.get(),
        write: point.write.get(),
        read_and_write_each: point.read_and_write.get(),
    }
}

/// The curve of `link` over `sizes`.
pub fn pcie_document(link: &Link, sizes: &[u64]) -> PcieDocument {
    let limit = link.tag_limit().get();
    PcieDocument {
        schema: 1,
        link: link.trained.to_string(),
        maximum_payload_bytes: link.maximum_payload.get(),
        read_request_bytes: link.read_request.get(),
        completion_bytes: link.completion.get(),
        address_bits: link.address_bits,
        end_to_end_checksum: link.end_to_end_checksum,
        acknowledge_every: link.acknowledge_every,
        credits_every: link.credits_every,
        outstanding_reads: link.outstanding_reads,
        round_trip_s: link.round_trip.get(),
        raw: link.raw().get(),
        usable: link.usable().get(),
        stream: PcieRates {
            read: link.read_bandwidth().get(),
            write: link.write_bandwidth().get(),
            read_and_write_each: link.equal_duplex().read.get(),
        },
        outstanding_limit: limit.is_finite().then_some(limit),
        points: sizes
            .iter()
            .map(|&size| PciePoint {
                size_bytes: size,
                rates: rates_of(&link.transfer_point(size)),
            })
            .collect(),
    }
}

/// The curve of `link` over `sizes` as CSV with a header row. Numbers are the shortest that read back as the
/// same number.
pub fn pcie_csv(link: &Link, sizes: &[u64]) -> String {
    let rows = sizes.iter().map(|&size| {
        let rates = rates_of(&link.transfer_point(size));
        format!(
            "{size},{},{},{}\n",
            rates.read, rates.write, rates.read_and_write_each
        )
    });
    [PCIE_COLUMNS.join(","), "\n".to_owned()]
        .into_iter()
        .chain(rows)
        .collect()
}

/// The curve of `link` over `sizes` for people.
pub fn pcie_view(link: &Link, sizes: &[u64]) -> View {
    let mut page = View::new();
    page.title(format!("PCI Express {}", link.trained));
    page.paragraph(&settings(link));
    page.blank();
    let mut table = Table::of(">transfer | >DMA read | ?>of raw | >DMA write | ?>of raw | >both, each");
    let raw = link.raw();
    let share = |rate: Bandwidth| format!("{:.1} %", 100.0 * rate.get() / raw.get());
    let mut row = |name: String, read: Bandwidth, write: Bandwidth, both: Bandwidth| {
        table.plain([
            name,
            read.decimal(),
            share(read),
            write.decimal(),
            share(write),
            both.decimal(),
        ]);
    };
    for &size in sizes {
        let point = link.transfer_point(size);
        row(format!("{size} B"), point.read, point.write, point.read_and_write);
    }
    row(
        "stream".to_owned(),
        link.read_bandwidth(),
        link.write_bandwidth(),
        link.equal_duplex().read,
    );
    page.table(table);
    page.blank();
    page.paragraph(
        "Payload of back-to-back transfers in whole packets. Reads go from memory to the card, writes from the card to \
         memory; `both` is reads and writes at equal rates.",
    );
    page
}

/// `packet`, or `4 packets`.
fn several(count: f64, word: &str) -> String {
    if count == 1.0 {
        word.to_owned()
    } else {
        format!("{count} {word}s")
    }
}

/// What decides the curve, in a sentence or two.
fn settings(link: &Link) -> String {
    let limit = link.tag_limit();
    let under_way = if limit.get().is_finite() {
        format!(
            " {} reads in flight for {} each allow {} of reads.",
            link.outstanding_reads,
            link.round_trip,
            limit.decimal()
        )
    } else {
        String::new()
    };
    format!(
        "{} raw and {} usable in each direction; payload {} B, read request {} B, completion {} B, {}-bit addresses, {}, \
         an acknowledgement for every {}, credits for every {}.{under_way}",
        link.raw().decimal(),
        link.usable().decimal(),
        link.maximum_payload.get(),
        link.read_request.get(),
        link.completion.get(),
        link.address_bits,
        if link.end_to_end_checksum {
            "end-to-end checksums"
        } else {
            "no end-to-end checksums"
        },
        several(link.acknowledge_every, "packet"),
        several(link.credits_every, "request"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_units::{Bytes, Fraction, Time};

    /// gen1 x8 with nothing but packets and their acknowledgements on it.
    fn link() -> Link {
        Link {
            trained: "gen1 x8".parse().expect("a link"),
            maximum_payload: Bytes::new(128.0),
            read_request: Bytes::new(512.0),
            completion: Bytes::new(64.0),
            address_bits: 64,
            end_to_end_checksum: false,
            acknowledge_every: 4.0,
            credits_every: 1e9,
            reserved: Fraction::ZERO,
            outstanding_reads: 2,
            round_trip: Time::new(1e-6),
        }
    }

    /// By hand: two reads of 512 bytes a microsecond; a write of 512 bytes is 4 packets of 128 + 24 toward
    /// the host, at 2 GB/s.
    #[test]
    fn formats_tell_the_same() {
        let document = pcie_document(&link(), &[64, 512]);
        assert_eq!(document.outstanding_limit, Some(1.024e9));
        assert_eq!(document.points[1].rates.read, 1.024e9);
        let write = 2e9 * 512.0 / 608.0;
        assert!((document.points[1].rates.write - write).abs() < 1.0);
        let csv = pcie_csv(&link(), &[64, 512]);
        let last: Vec<&str> = csv.lines().last().expect("two rows").split(',').collect();
        assert_eq!(last[..2], ["512", "1024000000"]);
        assert_eq!(csv.lines().count(), 3);
        let text = pcie_view(&link(), &[64, 512]).text(&crate::TextOptions::default());
        assert!(text.contains("1.02 GB/s"), "{text}");
        assert!(text.replace("\n  ", " ").contains("2 reads in flight"), "{text}");
        assert!(
            text.lines()
                .all(|line| line.chars().count() <= crate::TextOptions::default().width)
        );
    }

    /// JSON has no infinity: a link that never waits says so.
    #[test]
    fn no_limit_is_null() {
        let endless = Link {
            round_trip: Time::ZERO,
            ..link()
        };
        assert_eq!(pcie_document(&endless, &[64]).outstanding_limit, None);
    }
}
