//! The packets of messages on InfiniBand.
//!
//! A message is split into packets of at most the path's MTU. Every packet has a base transport header of 12
//! bytes and an invariant checksum of 4. The first packet of an RDMA write, and the request of an RDMA read,
//! carry 16 bytes with the address of the data; datagrams carry 8 bytes with the destination queue;
//! acknowledgements, and the first and last packet of an RDMA read response, carry 4. Data is padded to a
//! multiple of 4 bytes. On a reliable connection each message has one acknowledgement, the minimum of the
//! standard (assumption: adapters send no more).
//!
//! Adapters make all headers: only data is in memory. A message is one work request and one completion queue
//! entry.
//!
//! RDMA over Ethernet (RoCE version 2, annex A17 of the specification) has the same packets after IPv4 and
//! UDP headers of 28 bytes. Its MTU is the largest `InfiniBand` MTU that fits the Ethernet MTU. Drivers
//! subtract 84 bytes for all possible headers, so that 1500 becomes 1024, and 9000 becomes 4096.
//!
//! Source: `InfiniBand` Architecture Specification, volume 1, release 1.2, chapter 9.

use bandgraph_units::Bytes;

use crate::exchange::Packets;
use crate::{INFINIBAND_MTUS, NetworkSettings};

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
/// Headers of IPv4 and UDP, on Ethernet.
const ROCE: f64 = 20.0 + 8.0;
/// Bytes that drivers reserve in an Ethernet MTU for headers: a global route header, a base transport header,
/// and the longest extensions (`iboe_get_mtu` of Linux).
const ROCE_RESERVED: f64 = 84.0;

/// The packets of one message: at most three sizes.
pub(crate) type Message = [Packets; 3];

/// The maximum data of a packet: at least 1 byte with any settings.
fn mtu(settings: &NetworkSettings) -> f64 {
    if settings.roce {
        let room = settings.mtu.get() - ROCE_RESERVED;
        let fitting = INFINIBAND_MTUS.into_iter().rev().find(|mtu| mtu.get() <= room);
        return fitting.unwrap_or(INFINIBAND_MTUS[0]).get();
    }
    settings.infiniband_mtu.get().floor().max(1.0)
}

fn packet(count: f64, headers: f64, data: f64, requests: f64, settings: &NetworkSettings) -> Packets {
    let outer = if settings.roce { ROCE } else { 0.0 };
    Packets {
        count,
        ip_bytes_each: outer + BASE + headers + (data / 4.0).ceil() * 4.0 + CHECKSUM,
        stored_bytes_each: data,
        requests_each: requests,
        is_placed: false,
    }
}

/// The same packets as data that the card reads or writes in place.
fn placed(message: Message) -> Message {
    message.map(|packets| Packets {
        is_placed: true,
        ..packets
    })
}

/// A message of `bytes` with these headers in its first and last packet; `only` is the header if it has one
/// packet.
fn message(bytes: f64, settings: &NetworkSettings, first: f64, last: f64, only: f64) -> Message {
    let mtu = mtu(settings);
    let full = (bytes / mtu).floor();
    let rest = bytes - full * mtu;
    let packets = full + if rest > 0.0 { 1.0 } else { 0.0 };
    if packets <= 1.0 {
        let whole = packet(1.0, only, bytes, 1.0, settings);
        return [whole, Packets::default(), Packets::default()];
    }
    let last_data = if rest > 0.0 { rest } else { mtu };
    [
        packet(1.0, first, mtu, 1.0, settings),
        packet(packets - 2.0, 0.0, mtu, 0.0, settings),
        packet(1.0, last, last_data, 0.0, settings),
    ]
}

/// A message into a buffer that the receiver posted.
pub(crate) fn send(bytes: Bytes, settings: &NetworkSettings) -> Message {
    message(bytes.get(), settings, 0.0, 0.0, 0.0)
}

/// An RDMA write into the peer's memory.
pub(crate) fn rdma_write(bytes: Bytes, settings: &NetworkSettings) -> Message {
    placed(message(bytes.get(), settings, RDMA_ADDRESS, 0.0, RDMA_ADDRESS))
}

/// The request of an RDMA read from the peer's memory.
pub(crate) fn rdma_read_request(settings: &NetworkSettings) -> Packets {
    Packets {
        stored_bytes_each: 0.0,
        ..packet(1.0, RDMA_ADDRESS, 0.0, 1.0, settings)
    }
}

/// The response of an RDMA read, whose first and last packets acknowledge the request. It is not a work
/// request.
pub(crate) fn rdma_read_response(bytes: Bytes, settings: &NetworkSettings) -> Message {
    placed(message(
        bytes.get(),
        settings,
        ACKNOWLEDGEMENT,
        ACKNOWLEDGEMENT,
        ACKNOWLEDGEMENT,
    ))
    .map(|packets| Packets {
        requests_each: 0.0,
        ..packets
    })
}

/// The acknowledgements of `messages`. The adapter makes them without memory accesses.
pub(crate) fn acknowledgements(messages: f64, settings: &NetworkSettings) -> Packets {
    Packets {
        requests_each: 0.0,
        ..packet(messages, ACKNOWLEDGEMENT, 0.0, 0.0, settings)
    }
}

/// One datagram per packet.
pub(crate) fn datagrams(packets: Packets, settings: &NetworkSettings) -> Packets {
    packet(packets.count, DATAGRAM, packets.ip_bytes_each, 1.0, settings)
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

    /// By hand, with an MTU of 2048: 128 KiB are 64 packets with 12 + 4 bytes each, and 16 bytes once.
    #[test]
    fn rdma_writes_by_hand() {
        let settings = NetworkSettings::default();
        let write = rdma_write(Bytes::new(131_072.0), &settings);
        assert_eq!(total(&write), (64.0, 131_072.0 + 64.0 * 16.0 + 16.0, 131_072.0));
        // 2049 bytes: a full packet, and one with one byte of data, padded to four.
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
        // Exactly two packets, both of which acknowledge.
        let response = rdma_read_response(Bytes::new(8192.0), &settings);
        assert_eq!(total(&response), (2.0, 8192.0 + 2.0 * 20.0, 8192.0));
        assert_eq!(rdma_read_request(&settings).ip_bytes(), 32.0);
        assert_eq!(acknowledgements(2.0, &settings).ip_bytes(), 40.0);
        let datagram = datagrams(Packets::of_software(3.0, 100.0), &settings);
        assert_eq!((datagram.ip_bytes_each, datagram.count), (124.0, 3.0));
    }

    /// By hand: with an Ethernet MTU of 1500, packets carry 1024 bytes after 28 of IP and UDP; with 9000,
    /// 4096.
    #[test]
    fn packets_on_ethernet_by_hand() {
        for (ethernet, packets) in [(1500.0, 64.0), (2200.0, 32.0), (4200.0, 16.0), (9000.0, 16.0)] {
            let settings = NetworkSettings {
                mtu: Bytes::new(ethernet),
                roce: true,
                ..NetworkSettings::default()
            };
            let write = rdma_write(Bytes::new(65_536.0), &settings);
            assert_eq!(
                total(&write),
                (packets, 65_536.0 + packets * (28.0 + 16.0) + 16.0, 65_536.0)
            );
            let largest = write.iter().map(|group| group.ip_bytes_each).fold(0.0, f64::max);
            assert!(largest <= ethernet, "{largest}");
        }
    }
}
