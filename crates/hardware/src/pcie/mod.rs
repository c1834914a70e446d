//! PCI Express: the bytes of a transfer in each direction of a link, and the throughput of a link.
//!
//! Data moves in transaction layer packets. A packet with data has an overhead of 20 bytes: 2 of framing, a
//! sequence number of 2, a header of 12, a checksum of 4; requests with 64-bit addresses have 4 more, and so
//! has an optional end-to-end checksum. A card *writes* to memory with packets of up to the maximum payload.
//! It *reads* with requests of up to the read request size, which the bridge answers with completions:
//! requests travel toward the host, data toward the card. Link layer packets of 8 bytes acknowledge packets
//! and return credits in the opposite direction. Every transfer therefore uses both directions, and reads and
//! writes share them.
//!
//! Sources: PCI Express Base Specification (packet formats, encodings, ordered sets, acknowledgement latency
//! tables); Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018, and
//! its published model `pcie-bench/pcie-model`, whose figures the tests reproduce; lspci of an MCP55 board
//! for its sizes (`facts.md`).
//!
//! Parameters that are not published for the bridges of the 7410: the frequency of acknowledgements
//! ([`Link::acknowledge_every`]), the number of outstanding reads of a card ([`Link::outstanding_reads`]),
//! and the round trip of a read ([`Link::round_trip`]). The default of one link layer packet per four packets
//! is from the specification's table for gen1 x8: an acknowledgement at least every 2.5 packets of 128 bytes
//! of payload, which is 4.6 completions of 64 bytes.

mod generation;
mod link;
mod slot;
mod switched;
mod throughput;
mod transfer;

pub use generation::PcieGeneration;
pub use link::{Link, Traffic};
pub use slot::{PcieSlotSpec, SlotSpecError};
pub use switched::SwitchedLink;
pub use throughput::Duplex;
pub use transfer::{Transfer, TransferPoint};
