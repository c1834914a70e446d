//! Links between sockets: the messages that keep caches coherent, what they cost on links, and how long they
//! wait.
//!
//! The unit is one cache line. A line read by a *requester* from its *home* costs, on a machine that
//! broadcasts probes:
//!
//! | message | from → to | bytes |
//! |---|---|---|
//! | request | requester → home | 8 |
//! | probe | home → every other socket, one copy per edge of the home's routing tree | 8 |
//! | response | every other socket → requester | 4 |
//! | data | home → requester | 4 + 64 |
//! | done | requester → home | 4 |
//!
//! Those are HyperTransport's packets; each technology has its own in the part of its links, and each family
//! of processors says whom its homes probe ([`Probing`](crate::Probing)).
//!
//! Messages between a socket and itself use no link, so a local read costs only probes and their responses,
//! and a machine with one socket sends nothing. With a probe filter (HT Assist) or a directory the home knows
//! which lines no other cache holds, and saves the probes and responses of those. Every packet holds buffers
//! at the far end of each link that it crosses, and these come back as words in the opposite direction
//! ([`ReleaseWords`]).
//!
//! A DMA transfer is a transaction of the bridge's socket; [`bridge_line`] is its other half, on the bridge's
//! own link.
//!
//! Sources: the order of messages, "10 or more messages a line on 4 sockets" and 2–3 with HT Assist are
//! published by AMD (`facts.md`, HyperTransport); that packets are multiples of 4 bytes is in the
//! HyperTransport specification (Anderson and Shanley, *HyperTransport System Architecture*, chapter 4). The
//! sizes of single packets are **unsourced** in `facts.md` and therefore fields of [`Sizes`]. That the home's
//! own response travels beside its data is inferred: only with it does a line from a neighbour cross links
//! ten times in a square of four sockets.

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
