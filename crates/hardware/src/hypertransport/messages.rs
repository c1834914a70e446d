//! The messages of one line's transaction.

use bandgraph_units::Bytes;

use super::Sizes;
use crate::pcie::Traffic;

/// What bytes on a link are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A processor asks for a line.
    Request,
    /// The home asks the other caches about a line that a processor wants.
    Probe,
    /// Those caches answer, and the requester reports that it is done.
    Response,
    /// A line on its way to a processor.
    Data,
    /// A line on its way back to memory, and its acknowledgement.
    WriteBack,
    /// A bridge asks for a line.
    DmaRequest,
    /// A line between memory and a bridge.
    DmaData,
    /// The home asks the caches about a line that a bridge reads or writes.
    DmaProbe,
    /// Those caches answer, and the end of a DMA write.
    DmaResponse,
}

impl Cause {
    /// Every cause, in documented order.
    pub const ALL: [Self; 9] = [
        Self::Request,
        Self::Probe,
        Self::Response,
        Self::Data,
        Self::WriteBack,
        Self::DmaRequest,
        Self::DmaData,
        Self::DmaProbe,
        Self::DmaResponse,
    ];

    /// The cause as text: `"write-back"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Probe => "probe",
            Self::Response => "response",
            Self::Data => "data",
            Self::WriteBack => "write-back",
            Self::DmaRequest => "dma request",
            Self::DmaData => "dma data",
            Self::DmaProbe => "dma probe",
            Self::DmaResponse => "dma response",
        }
    }
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where a message goes, by index of the socket.
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

/// A message of a transaction, as links see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// Where it goes.
    pub route: Route,
    /// Its bytes on each link it crosses; an average where only a share of lines needs it.
    pub bytes: f64,
    /// What it is for.
    pub cause: Cause,
}

/// What happens to one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// A core fills a line after a miss.
    LineRead {
        /// The socket of the core.
        requester: usize,
        /// The socket whose memory holds the line.
        home: usize,
    },
    /// A cache returns a changed line.
    WriteBack {
        /// The socket of the cache.
        requester: usize,
        /// The socket whose memory takes the line.
        home: usize,
    },
    /// A card reads a line from memory.
    DmaRead {
        /// The socket that the card's bridge hangs on.
        bridge_socket: usize,
        /// The socket whose memory holds the line.
        home: usize,
    },
    /// A card writes a line to memory.
    DmaWrite {
        /// The socket that the card's bridge hangs on.
        bridge_socket: usize,
        /// The socket whose memory takes the line.
        home: usize,
    },
}

/// Appends the messages between sockets that one line's transaction takes. `sockets` is the number of
/// sockets; the indices in `transaction` are taken to be below it. `out` is not cleared, so that one buffer
/// serves many lines.
///
/// A DMA read sends no done: the bridge's socket ends the transaction when the last response is in. A DMA
/// write is probed like a read, because a cache may hold the line; the responses go to the home, which holds
/// the data, and the home tells the bridge's socket when the write is visible.
pub fn messages(
    transaction: Transaction,
    sockets: usize,
    probe_filter: bool,
    sizes: &Sizes,
    out: &mut Vec<Message>,
) {
    let mut line = Line {
        sockets,
        probed_share: if probe_filter {
            sizes.filtered_probe_share
        } else {
            1.0
        },
        sizes,
        out,
    };
    match transaction {
        Transaction::LineRead { requester, home } => {
            line.unicast(requester, home, sizes.request, Cause::Request);
            line.probes(home, requester, Cause::Probe, Cause::Response);
            line.unicast(home, requester, sizes.data(), Cause::Data);
            line.unicast(requester, home, sizes.done, Cause::Response);
        }
        Transaction::WriteBack { requester, home } => {
            line.unicast(requester, home, sizes.write(), Cause::WriteBack);
            line.unicast(home, requester, sizes.done, Cause::WriteBack);
        }
        Transaction::DmaRead { bridge_socket, home } => {
            line.unicast(bridge_socket, home, sizes.request, Cause::DmaRequest);
            line.probes(home, bridge_socket, Cause::DmaProbe, Cause::DmaResponse);
            line.unicast(home, bridge_socket, sizes.data(), Cause::DmaData);
        }
        Transaction::DmaWrite { bridge_socket, home } => {
            line.unicast(bridge_socket, home, sizes.write(), Cause::DmaData);
            line.probes(home, home, Cause::DmaProbe, Cause::DmaResponse);
            line.unicast(home, bridge_socket, sizes.done, Cause::DmaResponse);
        }
    }
}

/// The messages of one line under construction.
struct Line<'a> {
    sockets: usize,
    /// Share of lines that are probed.
    probed_share: f64,
    sizes: &'a Sizes,
    out: &'a mut Vec<Message>,
}

impl Line<'_> {
    /// A message to another socket. What stays within a socket uses no link.
    fn unicast(&mut self, from: usize, to: usize, bytes: f64, cause: Cause) {
        if from != to && bytes > 0.0 {
            self.out.push(Message {
                route: Route::Unicast { from, to },
                bytes,
                cause,
            });
        }
    }

    /// Probes from `home` to all other sockets, and the answers of all sockets to `collector`.
    fn probes(&mut self, home: usize, collector: usize, probe: Cause, response: Cause) {
        let share = self.probed_share;
        if self.sockets <= 1 || share <= 0.0 {
            return;
        }
        self.out.push(Message {
            route: Route::Broadcast { from: home },
            bytes: self.sizes.probe * share,
            cause: probe,
        });
        for socket in 0..self.sockets {
            let bytes = if socket == home {
                self.sizes.home_response
            } else {
                self.sizes.response
            };
            self.unicast(socket, collector, bytes * share, response);
        }
    }
}

/// Bytes on the bridge's own link for one line of DMA, without any other traffic on it.
///
/// A read sends its request toward the socket and gets header and line back. A write sends header and line;
/// it is posted, so nothing comes back.
pub fn bridge_bytes(write: bool, sizes: &Sizes) -> Traffic {
    if write {
        Traffic {
            toward_card: 0.0,
            toward_host: sizes.write(),
        }
    } else {
        Traffic {
            toward_card: sizes.data(),
            toward_host: sizes.request,
        }
    }
}

/// Whole lines of `line` bytes that `bytes` take, if they start on a line. Zero if either is not above zero.
pub fn lines(bytes: Bytes, line: Bytes) -> f64 {
    if bytes.get() > 0.0 && line.get() > 0.0 {
        (bytes / line).ceil()
    } else {
        0.0
    }
}
