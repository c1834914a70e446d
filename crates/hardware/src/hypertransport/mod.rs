//! HyperTransport: the messages that keep caches coherent, what they cost on links, and how long they wait.
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
//! Messages between a socket and itself use no link, so a local read costs only probes and their responses,
//! and a machine with one socket sends nothing. With a probe filter (HT Assist) the home knows which lines no
//! other cache holds, and saves the probes and responses of those.
//!
//! A DMA transfer is a transaction of the bridge's socket; [`bridge_bytes`] is its other half, on the
//! bridge's own link.
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
mod sizes;

pub use latency::{LinePath, ProbePath};
pub use messages::{Cause, Message, Route, Transaction, bridge_bytes, lines, messages};
pub use queue::{PacketMix, queue_wait};
pub use sizes::Sizes;
