//! What one operation puts on the network, in packets and bytes.

/// Packets of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Packets {
    /// How many per operation. May be a fraction, where several operations share a packet.
    pub count: f64,
    /// Bytes of each, from the IP header (on InfiniBand from the base transport header) to the end of the
    /// data, or of the checksum behind it: all that the link layer frames.
    pub ip_bytes_each: f64,
    /// Bytes of each that lie in the server's memory: all of them where software makes the headers, data
    /// alone where the card does.
    pub stored_bytes_each: f64,
    /// Descriptors or work requests that the card handles for each; less than 1 where one stands for many
    /// packets.
    pub requests_each: f64,
    /// Whether they carry data that RDMA takes from its place in memory, or puts there; others go through
    /// buffers of software.
    pub is_placed: bool,
}

impl Packets {
    /// Packets whose headers are made by software, each with a descriptor of its own.
    pub(crate) fn of_software(count: f64, ip_bytes_each: f64) -> Self {
        Self {
            count,
            ip_bytes_each,
            stored_bytes_each: ip_bytes_each,
            requests_each: 1.0,
            is_placed: false,
        }
    }

    /// Whether software makes their headers, so that all of each lies in memory.
    pub fn headers_are_of_software(&self) -> bool {
        self.stored_bytes_each >= self.ip_bytes_each
    }

    /// Bytes of all of them together.
    pub fn ip_bytes(&self) -> f64 {
        self.count * self.ip_bytes_each
    }
}

/// What one operation sends in one direction, averaged over many operations.
///
/// Bytes are counted below the link layer, which adds its own per frame: 18 B for what an Ethernet port
/// counts, 38 B for what the wire carries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Direction {
    /// Packets per operation, each one frame, acknowledgements included.
    pub frames: f64,
    /// Bytes per operation that the link layer frames: headers of network and transport, RPC and file
    /// protocol, data, acknowledgements.
    pub ip_bytes: f64,
    /// The same by size. The last group is pure acknowledgements, the others carry messages. Any may have
    /// count 0.
    pub packets: [Packets; PACKET_GROUPS],
}

/// How many sizes of packets are told apart in one direction.
pub const PACKET_GROUPS: usize = 8;

impl Direction {
    /// The sum of groups of packets: of messages, at most seven, and of acknowledgements.
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

    /// Packets that carry nothing but an acknowledgement, per operation.
    pub fn acknowledgements(&self) -> f64 {
        self.packets[PACKET_GROUPS - 1].count
    }

    /// Packets that carry data of a call or reply, per operation.
    pub fn data_segments(&self) -> f64 {
        self.frames - self.acknowledgements()
    }

    /// Bytes per operation with `per_frame` more for every frame: 18 for what an Ethernet port counts.
    pub fn bytes_with(&self, per_frame: f64) -> f64 {
        self.frames.mul_add(per_frame, self.ip_bytes)
    }
}

/// What one operation sends in both directions, and the file data that it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exchange {
    /// From the client to the server: the call, and acknowledgements of the reply.
    pub to_server: Direction,
    /// From the server to the client: the reply, and acknowledgements of the call.
    pub to_client: Direction,
    /// File data from the server to the client, in bytes.
    pub payload_read: f64,
    /// File data from the client to the server, in bytes.
    pub payload_written: f64,
    /// Calls that the operation takes: more than 1 where the protocol cuts it into requests; 0 where nothing
    /// is sent.
    pub calls: f64,
    /// Bytes of the call as the transport sees it: data, file protocol, RPC and record mark.
    pub call_bytes: f64,
    /// Bytes of the reply as the transport sees it.
    pub reply_bytes: f64,
}

impl Exchange {
    /// File data moved in either direction, in bytes.
    pub fn payload(&self) -> f64 {
        self.payload_read + self.payload_written
    }

    /// Bytes in both directions with `per_frame` more for every frame.
    pub fn bytes_with(&self, per_frame: f64) -> f64 {
        self.to_server.bytes_with(per_frame) + self.to_client.bytes_with(per_frame)
    }
}
