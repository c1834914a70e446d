//! The network traffic of one operation, in packets and bytes.

/// Packets of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Packets {
    /// Packets per operation; a fraction if several operations share a packet.
    pub count: f64,
    /// Bytes per packet that the link layer frames: from the IP header (on InfiniBand from the base transport
    /// header) to the end of the data or of the checksum after it.
    pub ip_bytes_each: f64,
    /// Bytes per packet in the server's memory: all of them if software makes the headers, only the data if
    /// the card does.
    pub stored_bytes_each: f64,
    /// Descriptors or work requests of the card per packet; less than 1 if one covers several packets.
    pub requests_each: f64,
    /// Whether RDMA reads or writes their data in place; other packets go through software buffers.
    pub is_placed: bool,
}

impl Packets {
    /// Packets with headers made by software, each with a descriptor of its own.
    pub(crate) fn of_software(count: f64, ip_bytes_each: f64) -> Self {
        Self {
            count,
            ip_bytes_each,
            stored_bytes_each: ip_bytes_each,
            requests_each: 1.0,
            is_placed: false,
        }
    }

    /// Whether software makes their headers, so that complete packets are in memory.
    pub fn headers_are_of_software(&self) -> bool {
        self.stored_bytes_each >= self.ip_bytes_each
    }

    /// Bytes of all packets.
    pub fn ip_bytes(&self) -> f64 {
        self.count * self.ip_bytes_each
    }
}

/// The traffic of one operation in one direction, averaged over many operations.
///
/// Bytes do not include those of the link layer, which adds its own per frame: 18 B at the counters of an
/// Ethernet port, 38 B on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OneWay {
    /// Packets per operation, one frame each, including acknowledgements.
    pub frames: f64,
    /// Bytes per operation that the link layer frames: headers of network, transport, RPC and file protocol,
    /// data, acknowledgements.
    pub ip_bytes: f64,
    /// The same by packet size. The last group is pure acknowledgements, the others carry messages. Any count
    /// may be 0.
    pub packets: [Packets; PACKET_GROUPS],
}

/// The number of packet sizes per direction.
pub const PACKET_GROUPS: usize = 8;

impl OneWay {
    /// The sum of at most seven groups of message packets, and of acknowledgements.
    pub(crate) fn of(messages: &[Packets], acknowledgements: Packets) -> Self {
        let mut packets = [Packets::default(); PACKET_GROUPS];
        let mut groups = messages.iter().filter(|group| group.count > 0.0);
        for (slot, group) in packets[..PACKET_GROUPS - 1].iter_mut().zip(&mut groups) {
            *slot = *group;
        }
        assert!(
            groups.next().is_none(),
            "a protocol has at most seven sizes of messages"
        );
        packets[PACKET_GROUPS - 1] = acknowledgements;
        Self {
            frames: packets.iter().map(|group| group.count).sum(),
            ip_bytes: packets.iter().map(Packets::ip_bytes).sum(),
            packets,
        }
    }

    /// Pure acknowledgements, in packets per operation.
    pub fn acknowledgements(&self) -> f64 {
        self.packets[PACKET_GROUPS - 1].count
    }

    /// Packets per operation with data of a call or reply.
    pub fn data_segments(&self) -> f64 {
        self.frames - self.acknowledgements()
    }

    /// Bytes per operation plus `per_frame` for every frame: 18 at the counters of an Ethernet port.
    pub fn bytes_with(&self, per_frame: f64) -> f64 {
        self.frames.mul_add(per_frame, self.ip_bytes)
    }
}

/// The traffic of one operation in both directions, and the file data that it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exchange {
    /// From the client to the server: the call, and acknowledgements of the reply.
    pub to_server: OneWay,
    /// From the server to the client: the reply, and acknowledgements of the call.
    pub to_client: OneWay,
    /// File data from the server to the client, in bytes.
    pub payload_read: f64,
    /// File data from the client to the server, in bytes.
    pub payload_written: f64,
    /// Calls of the operation: more than 1 if the protocol splits it into requests; 0 if nothing is sent.
    pub calls: f64,
    /// Bytes of the call at the transport: data, file protocol, RPC and record mark.
    pub call_bytes: f64,
    /// Bytes of the reply at the transport.
    pub reply_bytes: f64,
}

impl Exchange {
    /// File data moved in either direction, in bytes.
    pub fn payload(&self) -> f64 {
        self.payload_read + self.payload_written
    }

    /// The same as seen by the one that asks: what it sends is received, and what is read is written.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            to_server: self.to_client,
            to_client: self.to_server,
            payload_read: self.payload_written,
            payload_written: self.payload_read,
            ..self
        }
    }

    /// The traffic of a number of these operations; `calls` and the bytes of a call stay.
    #[must_use]
    pub fn times(self, count: f64) -> Self {
        let times = |way: OneWay| OneWay {
            frames: way.frames * count,
            ip_bytes: way.ip_bytes * count,
            packets: way.packets.map(|group| Packets {
                count: group.count * count,
                ..group
            }),
        };
        Self {
            to_server: times(self.to_server),
            to_client: times(self.to_client),
            payload_read: self.payload_read * count,
            payload_written: self.payload_written * count,
            ..self
        }
    }

    /// Bytes in both directions plus `per_frame` for every frame.
    pub fn bytes_with(&self, per_frame: f64) -> f64 {
        self.to_server.bytes_with(per_frame) + self.to_client.bytes_with(per_frame)
    }
}
