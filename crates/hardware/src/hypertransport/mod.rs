//! Links between sockets: coherence messages, their bytes on links, and their waits.
//!
//! The unit is one cache line. A line that a *requester* reads from its *home* needs these messages on a
//! machine that broadcasts probes:
//!
//! | message | from → to | bytes |
//! |---|---|---|
//! | request | requester → home | 8 |
//! | probe | home → every other socket, one copy per edge of the home's routing tree | 8 |
//! | response | every other socket → requester | 4 |
//! | data | home → requester | 4 + 64 |
//! | done | requester → home | 4 |
//!
//! These are the packets of HyperTransport. The part of each link has those of its technology, and each
//! family of processors defines which sockets its homes probe ([`Probing`](crate::Probing)).
//!
//! Messages within a socket use no link. A local read therefore needs only probes and their responses, and a
//! machine with one socket sends nothing. With a probe filter (HT Assist) or a directory the home knows which
//! lines no other cache holds, and omits their probes and responses. Every packet occupies buffers at the far
//! end of each link that it crosses; words in the opposite direction return them ([`ReleaseWords`]).
//!
//! A DMA transfer is a transaction of the bridge's socket; [`bridge_line`] has the traffic on the bridge's
//! own link.
//!
//! Sources: the order of messages, "10 or more messages a line on 4 sockets" and 2–3 with HT Assist are
//! published by AMD (`facts.md`, HyperTransport); packets in multiples of 4 bytes are in the HyperTransport
//! specification (Anderson and Shanley, *HyperTransport System Architecture*, chapter 4). The sizes of single
//! packets are **unsourced** in `facts.md` and therefore fields of [`Sizes`]. The separate response of the
//! home is inferred: only with it does a line from a neighbour cross links ten times in a square of four
//! sockets.

mod latency;
mod messages;
mod queue;
mod release;
mod sizes;

pub use latency::{LinePath, ProbePath};
pub use messages::{BridgeLine, Cause, Channel, Message, Route, Transaction, bridge_line, lines, messages};
pub use queue::{PacketMix, queue_wait};
pub use release::{RELEASE_WORD, ReleaseWords};
pub use sizes::Sizes;
