//! The messages of the transaction of one line.

use bandgraph_config::words;
use bandgraph_units::Bytes;

use super::Sizes;
use crate::parts::Probing;

words! {
    /// The cause of traffic on a link.
    pub enum Cause {
        /// A processor requests a line.
        Request = "request",
        /// The home probes the other caches for a line that a processor requests.
        Probe = "probe",
        /// Responses of those caches, and the requester's completion message.
        Response = "response",
        /// A line on its way to a processor.
        Data = "data",
        /// A line on its way back to memory, and its acknowledgement.
        WriteBack = "write-back",
        /// A bridge asks for a line.
        DmaRequest = "dma request",
        /// A line between memory and a bridge.
        DmaData = "dma data",
        /// The home probes the caches for a line that a bridge reads or writes.
        DmaProbe = "dma probe",
        /// Responses of those caches, and the end of a DMA write.
        DmaResponse = "dma response",
        /// Returned flow-control buffers for packets in the opposite direction.
        Release = "release",
    }
}

/// The route of a message, by index of the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// From one socket to another, over the hops of that route. The two always differ.
    Unicast {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
    },
    /// To every other socket: one copy on each edge of the sender's routing tree, the union of its unicast
    /// routes. On `n` sockets that is `n - 1` edges.
    Broadcast {
        /// The sender.
        from: usize,
    },
}

/// The virtual channel of a message. A machine may have different routes per channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Requests, and writes with their data.
    Request,
    /// Probes.
    Probe,
    /// Responses: read data, responses of caches, ends of transactions.
    Response,
}

/// A message of a transaction on links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// Its channel.
    pub channel: Channel,
    /// The number of buffers that it occupies at the far end of each link: one for its command, and one more
    /// for data.
    pub buffers: f64,
    /// Its route.
    pub route: Route,
    /// Its bytes on each link it crosses.
    pub bytes: f64,
    /// Messages per line: 1, or less if only a share of lines needs it.
    pub share: f64,
    /// Its cause.
    pub cause: Cause,
}

/// A transaction of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// A core reads a line after a miss.
    LineRead {
        /// The socket of the core.
        requester: usize,
        /// The socket whose memory holds the line.
        home: usize,
    },
    /// A core reads a line that the cache of another socket holds modified. The owner is unknown: data comes
    /// from all other sockets with equal probability, without a read of the home's memory.
    SharedRead {
        /// The socket of the core.
        requester: usize,
        /// The socket whose memory the line belongs to.
        home: usize,
    },
    /// A core stores a whole line with a non-temporal store. It is probed like a read, since other caches may
    /// hold the line, but no cache reads it first.
    Store {
        /// The socket of the core.
        requester: usize,
        /// The socket whose memory takes the line.
        home: usize,
    },
    /// A cache writes a modified line back.
    WriteBack {
        /// The socket of the cache.
        requester: usize,
        /// The socket whose memory takes the line.
        home: usize,
    },
    /// A card reads a line from memory.
    DmaRead {
        /// The socket of the card's bridge.
        bridge_socket: usize,
        /// The socket whose memory holds the line.
        home: usize,
    },
    /// A card writes a line to memory.
    DmaWrite {
        /// The socket of the card's bridge.
        bridge_socket: usize,
        /// The socket whose memory takes the line.
        home: usize,
    },
    /// A card reads a line of data from another card: without memory and probes.
    PeerRead {
        /// The socket of the reading card's bridge.
        bridge_socket: usize,
        /// The socket of the other card's bridge.
        home: usize,
        /// The number of the link that carries it, of those in parallel: what two cards exchange stays in
        /// order.
        link: usize,
    },
    /// A card writes a line of data to another card.
    PeerWrite {
        /// The socket of the writing card's bridge.
        bridge_socket: usize,
        /// The socket of the other card's bridge.
        home: usize,
        /// The number of the link that carries it, of those in parallel.
        link: usize,
    },
}

impl Transaction {
    /// The socket that asks, of a core or of a card's bridge, and the home of the line.
    pub const fn ends(self) -> (usize, usize) {
        match self {
            Self::LineRead { requester, home }
            | Self::SharedRead { requester, home }
            | Self::Store { requester, home }
            | Self::WriteBack { requester, home } => (requester, home),
            Self::DmaRead { bridge_socket, home }
            | Self::DmaWrite { bridge_socket, home }
            | Self::PeerRead {
                bridge_socket, home, ..
            }
            | Self::PeerWrite {
                bridge_socket, home, ..
            } => (bridge_socket, home),
        }
    }
}

/// Appends the messages between sockets for the transaction of one line. `sockets` is the number of sockets;
/// the indices in `transaction` must be below it; `probing` is that of the home. `out` is not cleared, so
/// that one buffer serves many lines.
///
/// A DMA read has no done message: the bridge's socket ends the transaction with the last response. A DMA
/// write is probed like a read, since a cache may hold the line; the responses go to the home, which has the
/// data, and the home notifies the bridge's socket when the write is visible.
pub fn messages(
    transaction: Transaction,
    sockets: usize,
    probing: Probing,
    sizes: &Sizes,
    out: &mut Vec<Message>,
) {
    let mut line = Line {
        sockets,
        probing,
        share: 1.0,
        sizes,
        out,
    };
    match transaction {
        Transaction::LineRead { requester, home } => {
            line.request(requester, home, Cause::Request);
            line.probes(home, requester, requester, Cause::Probe, Cause::Response);
            line.data(home, requester, Cause::Data);
            line.response(requester, home, sizes.done, Cause::Response);
        }
        Transaction::SharedRead { requester, home } => {
            line.request(requester, home, Cause::Request);
            line.probes(home, requester, requester, Cause::Probe, Cause::Response);
            let owners = sockets.saturating_sub(1) as f64;
            for owner in (0..sockets).filter(|&owner| owner != requester) {
                line.share = 1.0 / owners;
                line.data(owner, requester, Cause::Data);
                if probing == Probing::Filter {
                    line.unicast(home, owner, sizes.probe, 1.0, Channel::Probe, Cause::Probe);
                }
            }
            line.share = 1.0;
            line.response(requester, home, sizes.done, Cause::Response);
        }
        Transaction::Store { requester, home } => {
            line.write(requester, home, Cause::WriteBack);
            line.probes(home, requester, home, Cause::Probe, Cause::Response);
            line.response(home, requester, sizes.done, Cause::Response);
        }
        Transaction::WriteBack { requester, home } => {
            line.write(requester, home, Cause::WriteBack);
            line.response(home, requester, sizes.done, Cause::WriteBack);
        }
        Transaction::DmaRead { bridge_socket, home } => {
            line.request(bridge_socket, home, Cause::DmaRequest);
            line.probes(
                home,
                bridge_socket,
                bridge_socket,
                Cause::DmaProbe,
                Cause::DmaResponse,
            );
            line.data(home, bridge_socket, Cause::DmaData);
        }
        Transaction::DmaWrite { bridge_socket, home } => {
            line.write(bridge_socket, home, Cause::DmaData);
            line.probes(home, bridge_socket, home, Cause::DmaProbe, Cause::DmaResponse);
            line.response(home, bridge_socket, sizes.done, Cause::DmaResponse);
        }
        Transaction::PeerRead {
            bridge_socket, home, ..
        } => {
            line.request(bridge_socket, home, Cause::DmaRequest);
            line.data(home, bridge_socket, Cause::DmaData);
        }
        Transaction::PeerWrite {
            bridge_socket, home, ..
        } => line.write(bridge_socket, home, Cause::DmaData),
    }
}

/// Collects the messages of one line.
struct Line<'a> {
    sockets: usize,
    probing: Probing,
    /// Messages per line, for the next messages.
    share: f64,
    sizes: &'a Sizes,
    out: &'a mut Vec<Message>,
}

impl Line<'_> {
    fn request(&mut self, from: usize, to: usize, cause: Cause) {
        self.unicast(from, to, self.sizes.request, 1.0, Channel::Request, cause);
    }

    fn write(&mut self, from: usize, to: usize, cause: Cause) {
        self.unicast(from, to, self.sizes.write(), 2.0, Channel::Request, cause);
    }

    fn data(&mut self, from: usize, to: usize, cause: Cause) {
        self.unicast(from, to, self.sizes.data(), 2.0, Channel::Response, cause);
    }

    fn response(&mut self, from: usize, to: usize, bytes: f64, cause: Cause) {
        self.unicast(from, to, bytes, 1.0, Channel::Response, cause);
    }

    /// Adds a message to another socket. Messages within a socket use no link.
    fn unicast(&mut self, from: usize, to: usize, bytes: f64, buffers: f64, channel: Channel, cause: Cause) {
        if from != to && bytes > 0.0 {
            self.out.push(Message {
                channel,
                buffers,
                route: Route::Unicast { from, to },
                bytes,
                share: self.share,
                cause,
            });
        }
    }

    /// Adds probes from `home`, and the responses of the probed sockets and of the home itself to
    /// `collector`.
    fn probes(&mut self, home: usize, requester: usize, collector: usize, probe: Cause, response: Cause) {
        let share = match self.probing {
            Probing::Broadcast | Probing::Snoop => 1.0,
            Probing::Filter => self.sizes.filtered_probe_share,
        };
        if self.sockets <= 1 || share <= 0.0 {
            return;
        }
        self.share = share;
        if self.probing == Probing::Snoop {
            for socket in (0..self.sockets).filter(|&socket| socket != home && socket != requester) {
                self.unicast(home, socket, self.sizes.probe, 1.0, Channel::Probe, probe);
            }
        } else {
            self.out.push(Message {
                channel: Channel::Probe,
                buffers: 1.0,
                route: Route::Broadcast { from: home },
                bytes: self.sizes.probe,
                share,
                cause: probe,
            });
        }
        for socket in 0..self.sockets {
            let bytes = if socket == home {
                self.sizes.home_response
            } else if socket == requester && self.probing == Probing::Snoop {
                0.0
            } else {
                self.sizes.response
            };
            self.unicast(socket, collector, bytes, 1.0, Channel::Response, response);
        }
        self.share = 1.0;
    }
}

/// The traffic of one line of DMA on the bridge's own link, in each direction, without other traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BridgeLine {
    /// The packet toward the bridge: its bytes and the number of buffers that it occupies. None for a write.
    pub toward_card: Option<(f64, f64)>,
    /// The packet toward the socket: its bytes and the number of buffers that it occupies.
    pub toward_host: (f64, f64),
}

/// One line of DMA on the bridge's own link. A read sends its request toward the socket; header and line
/// return. A write sends header and line; it is posted, so that only its buffers return.
pub fn bridge_line(write: bool, sizes: &Sizes) -> BridgeLine {
    if write {
        BridgeLine {
            toward_card: None,
            toward_host: (sizes.write(), 2.0),
        }
    } else {
        BridgeLine {
            toward_card: Some((sizes.data(), 2.0)),
            toward_host: (sizes.request, 1.0),
        }
    }
}

/// The number of lines in `bytes` that start at a line; rounded up. Zero if either size is not above zero.
pub fn lines(bytes: Bytes, line: Bytes) -> f64 {
    if bytes.get() > 0.0 && line.get() > 0.0 {
        (bytes / line).ceil()
    } else {
        0.0
    }
}
