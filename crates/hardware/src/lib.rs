//! The physics of parts, and the part catalogue.
//!
//! This crate knows parts and the costs of their use, not how they are connected. From the bottom:
//!
//! - **Parts** ([`SocketPart`], [`MemoryPart`], [`SocketLinkPart`], [`BridgePart`], [`PcieSwitchPart`],
//!   [`NicPart`], [`HbaPart`], [`JbodPart`], [`DiskPart`], [`SsdPart`], [`NetworkSwitchPart`]) are structs of
//!   quantities. The [`Part`] trait gives access by field names, for files, flags and listings: a
//!   [`Field`](bandgraph_config::Field) has the type, the range and the meaning of each.
//! - **Physics**: [`hypertransport`] (coherence messages, waits, latency), [`pcie`] (packets and throughput),
//!   [`ethernet`] and [`infiniband`] (framing), [`memory`] (controllers), [`cpu`] (cycles and stalls),
//!   [`sas`] (frames); methods of [`DiskPart`] and [`SsdPart`] (zones, seeks, commands). Each module has the
//!   sources of its formulas; unknown figures are parameters.
//! - **The catalogue** ([`catalogue`]): the parts by name, as data (`parts/*.toml`), each figure with its
//!   status and the key of its [`source`].
//!
//! ```
//! use bandgraph_hardware::{Card, PcieSlotSpec, catalogue, pcie::Link};
//! use bandgraph_units::Time;
//!
//! let bridge = catalogue().bridge("mcp55").expect("a part of the catalogue");
//! let nic = catalogue().nic("neptune-dual-10gbe").expect("a part of the catalogue");
//! let slot: PcieSlotSpec = "gen1 x8".parse()?;
//! let card = nic.endpoint().expect("a card in a slot");
//! let link = Link::between(bridge, slot, &card, Time::new(150e-9));
//! assert_eq!(link.raw().decimal(), "2 GB/s");
//! assert_eq!(link.read_bandwidth().binary(), "1.41 GiB/s");
//! # Ok::<(), bandgraph_hardware::SlotSpecError>(())
//! ```
//!
//! Nothing here reads a clock, the environment or a file; `clippy.toml` bans the methods.

mod aliases;
mod bibliography;
mod board;
mod card;
mod catalogue;
mod disk;
mod drive;
mod embedded;
mod kinds;
mod part;
mod part_fields;
mod parts;
mod ssd;

pub mod cpu;
pub mod ethernet;
pub mod hypertransport;
pub mod infiniband;
pub mod memory;
pub mod pcie;
pub mod sas;

pub use aliases::{letters, meant_parts, names_meant_by};
pub use bibliography::{Source, source, sources};
pub use card::{AdapterProcessor, Card, NetworkPorts, WidePorts};
pub use catalogue::{Catalogue, OfKind, catalogue};
pub use drive::DrivePart;
pub use kinds::{AnyPart, CardPart};
pub use part::{Part, PartKind};
pub use part_fields::{OWN_PART, OwnParts, PartFields, PartShape, PcieShape};
pub use parts::*;
pub use pcie::{PcieGeneration, PcieSlotSpec, SlotSpecError};
