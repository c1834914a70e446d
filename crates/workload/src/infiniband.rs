//! How messages become InfiniBand packets.
//!
//! A message is cut into packets of at most the path's MTU. Every packet has a base transport header of 12
//! bytes and an invariant checksum of 4; the first packet of an RDMA write, and a request for an RDMA read,
//! carry 16 bytes that say where the data goes or is; datagrams carry 8 that say to which queue;
//! acknowledgements, and the first and last packet that answer an RDMA read, carry 4. Data is filled up to a
//! multiple of 4 bytes. On a reliable connection a message is acknowledged as a whole, which is the least
//! that the standard allows (assumption: adapters do no more).
//!
//! Adapters make all of this themselves: only data lies in memory. A message is one work request, and so is
//! one entry in a completion queue.
//!
//! Source: `InfiniBand` Architecture Specification, volume 1, release 1.2, chapter 9.

use bandgraph_units::Bytes;

use crate::NetworkSettings;
use crate::exchange::Packets;

/// Base transport header.
const BASE: f64 = 12.0;
/// Address, key and length of an RDMA operation.
const RDMA_ADDRESS: f64 = 16.0;
/// Queue key and source queue of a datagram.
const DATAGRAM: f64 = 8.0;
/// Syndrome and sequence number of an acknowledgement.
const ACKNOWLEDGEMENT: f64 = 4.0;
/// Invariant checksum.
const CHECKSUM: f64 = 4.0;

/// Sizes that the packets of one message have, at most.
pub(crate) type Message = [Packets; 3];

/// Data of a packet at most. At least 1, whatever the settings.
fn mtu(settings: &NetworkSettings) -> f64 {
    settings.infiniband_mtu.get().floor().max(1.0)
}

fn packet(count: f64, headers: f64, data: f64, requests: f64) -> Packets {
    Packets {
        count,
        ip_bytes_each: BASE + headers + (data / 4.0).ceil() * 4.0 + CHECKSUM,
        stored_bytes_each: data,
        requests_each: requests,
    }
}

/// A message of `bytes` whose first packet, middle packets and last packet have these headers; `only` is that
/// of a message of one packet.
fn message(bytes: f64, mtu: f64, first: f64, last: f64, only: f64) -> Message {
    let full = (bytes / mtu).floor();
    let rest = bytes - full * mtu;
    let packets = full + if rest > 0.0 { 1.0 } else { 0.0 };
    if packets <= 1.0 {
        let whole = packet(1.0, only, bytes, 1.0);
        return [whole, Packets::default(), Packets::default()];
    }
    let last_data = if rest > 0.0 { rest } else { mtu };
    [
        packet(1.0, first, mtu, 1.0),
        packet(packets - 2.0, 0.0, mtu, 0.0),
        packet(1.0, last, last_data, 0.0),
    ]
}

/// A message into a buffer that the receiver has posted.
pub(crate) fn send(bytes: Bytes, settings: &NetworkSettings) -> Message {
    message(bytes.get(), mtu(settings), 0.0, 0.0, 0.0)
}

/// Data into the other side's memory.
pub(crate) fn rdma_write(bytes: Bytes, settings: &NetworkSettings) -> Message {
    message(bytes.get(), mtu(settings), RDMA_ADDRESS, 0.0, RDMA_ADDRESS)
}

/// The request for data out of the other side's memory.
pub(crate) fn rdma_read_request() -> Packets {
    Packets {
        stored_bytes_each: 0.0,
        ..packet(1.0, RDMA_ADDRESS, 0.0, 1.0)
    }
}

/// The data that answers such a request; its first and last packets acknowledge. It is no work request of its
/// own.
pub(crate) fn rdma_read_response(bytes: Bytes, settings: &NetworkSettings) -> Message {
    message(
        bytes.get(),
        mtu(settings),
        ACKNOWLEDGEMENT,
        ACKNOWLEDGEMENT,
        ACKNOWLEDGEMENT,
    )
    .map(|packets| Packets {
        requests_each: 0.0,
        ..packets
    })
}

/// Acknowledgements of so many messages. The adapter makes them without memory.
pub(crate) fn acknowledgements(messages: f64) -> Packets {
    Packets {
        requests_each: 0.0,
        ..packet(messages, ACKNOWLEDGEMENT, 0.0, 0.0)
    }
}

/// A datagram for each of these packets.
pub(crate) fn datagrams(packets: Packets) -> Packets {
    packet(packets.count, DATAGRAM, packets.ip_bytes_each, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(message: &Message) -> (f64, f64, f64) {
        message.iter().fold((0.0, 0.0, 0.0), |sum, group| {
            (
                sum.0 + group.count,
                sum.1 + group.ip_bytes(),
                sum.2 + group.count * group.stored_bytes_each,
            )
        })
    }

    /// By hand, with an MTU of 2048: 128 KiB are 64 packets, each with 12 + 4 bytes, and 16 once.
    #[test]
    fn rdma_writes_by_hand() {
        let settings = NetworkSettings::default();
        let write = rdma_write(Bytes::new(131_072.0), &settings);
        assert_eq!(total(&write), (64.0, 131_072.0 + 64.0 * 16.0 + 16.0, 131_072.0));
        // 2049 bytes: a full packet, and one with a byte, filled up to four.
        let short = rdma_write(Bytes::new(2049.0), &settings);
        assert_eq!(total(&short), (2.0, 2048.0 + 4.0 + 2.0 * 16.0 + 16.0, 2049.0));
        let requests: f64 = write.iter().map(|group| group.count * group.requests_each).sum();
        assert_eq!(requests, 1.0);
    }

    #[test]
    fn other_messages_by_hand() {
        let settings = NetworkSettings {
            infiniband_mtu: Bytes::new(4096.0),
            ..NetworkSettings::default()
        };
        assert_eq!(total(&send(Bytes::new(200.0), &settings)), (1.0, 216.0, 200.0));
        assert_eq!(total(&send(Bytes::ZERO, &settings)), (1.0, 16.0, 0.0));
        // Two packets exactly, each of which acknowledges.
        let response = rdma_read_response(Bytes::new(8192.0), &settings);
        assert_eq!(total(&response), (2.0, 8192.0 + 2.0 * 20.0, 8192.0));
        assert_eq!(rdma_read_request().ip_bytes(), 32.0);
        assert_eq!(acknowledgements(2.0).ip_bytes(), 40.0);
        let datagram = datagrams(Packets::of_software(3.0, 100.0));
        assert_eq!((datagram.ip_bytes_each, datagram.count), (124.0, 3.0));
    }
}
