//! Transfers of a given size, in whole packets: the saw-tooth curves of effective bandwidth over transfer
//! size.

use bandgraph_units::Bandwidth;

use super::{Link, Traffic};

/// One transfer in whole packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// Packets from the card to the host with a request or data.
    pub requests: u64,
    /// Completions from the host to the card.
    pub completions: u64,
    /// Bytes on both directions.
    pub traffic: Traffic,
}

/// The bandwidth of back-to-back transfers of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransferPoint {
    /// Bytes of one transfer.
    pub size: u64,
    /// Bandwidth of reads from memory.
    pub read: Bandwidth,
    /// Bandwidth of writes to memory.
    pub write: Bandwidth,
    /// Bandwidth of each of reads and writes, at equal rates.
    pub read_and_write: Bandwidth,
}

impl Link {
    /// A DMA read of `size` bytes that starts at a line: whole requests, each answered by whole completions.
    pub fn read_transfer(&self, size: u64) -> Transfer {
        let requests = packets(size, self.read_request.get());
        let full = self.read_request.get().max(1.0) as u64;
        let last = size - requests.saturating_sub(1).saturating_mul(full).min(size);
        let completions = requests.saturating_sub(1) * packets(full, self.completion.get())
            + packets(last, self.completion.get());
        Transfer {
            requests,
            completions,
            traffic: self.read_traffic(size as f64, requests as f64, completions as f64),
        }
    }

    /// A DMA write of `size` bytes in whole packets.
    pub fn write_transfer(&self, size: u64) -> Transfer {
        let requests = packets(size, self.maximum_payload.get());
        Transfer {
            requests,
            completions: 0,
            traffic: self.write_traffic(size as f64, requests as f64),
        }
    }

    /// The bandwidth of back-to-back transfers of `size` bytes, in whole packets. All zero for a size of
    /// zero.
    pub fn transfer_point(&self, size: u64) -> TransferPoint {
        let read = self.read_transfer(size);
        let write = self.write_transfer(size);
        let rate = |traffic: Traffic| {
            if size == 0 {
                Bandwidth::ZERO
            } else {
                self.usable() * (size as f64 / traffic.peak())
            }
        };
        // A short read occupies a tag as long as a full one.
        let under_way = self.outstanding_reads as f64 * size as f64 / read.requests.max(1) as f64;
        let tags = self.tag_rate(under_way);
        TransferPoint {
            size,
            read: rate(read.traffic).min(tags),
            write: rate(write.traffic),
            read_and_write: rate(read.traffic + write.traffic).min(tags),
        }
    }
}

/// The number of packets for `size` bytes.
fn packets(size: u64, each: f64) -> u64 {
    size.div_ceil(each.max(1.0) as u64)
}
