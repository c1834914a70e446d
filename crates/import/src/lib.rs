//! What other programs wrote: descriptions of machines, traces, and job files of load generators.
//!
//! - [`trace`]: recorded operations of a server.
//! - [`job_file`]: workloads read from the job files of load generators.
//! - The other modules read the descriptions of a machine.
//!
//! The pipeline of a machine:
//!
//! 1. [`gather`] reads files and folders; the format of a file is recognised by its content.
//! 2. One reader per format turns a text into [`Facts`]: values with the [`Origin`] that said them. What a
//!    file does not say is absent, never a default.
//! 3. [`merge`] merges the facts of all files of one machine. The reader that comes first in
//!    the registry takes precedence; where two readers contradict each other, a [`Conflict`] is kept.
//! 4. [`resolve`] makes a [`Machine`] of the merged facts: sockets with their memory, slots, and cards.
//! 5. [`inspect`] finds errors and wasted bandwidth of the machine.
//! 6. [`topology`] writes the machine as a topology file.
//!
//! [`import`] does steps 1 to 4. [`measure`] reads what counters and load generators printed, for
//! `[[measured]]`.
//!
//! # How a reader is added
//!
//! A reader is one file in `src/formats` with two functions: `recognises(text)`, which looks for what only
//! this program prints, and `read(&Text, &mut Facts)`, which adds what it finds. It is registered by one line
//! in `READERS` of `src/formats/mod.rs`; the place of the line is its precedence. A reader
//!
//! - adds only what the text says, at the [`Origin`] of the line or attribute that says it;
//! - leaves out what the program prints for "unknown" (`<OUT OF SPEC>`, 0.0, an empty string, -1);
//! - prefers the value in force to the value that is possible, and keeps both where both are printed;
//! - adds a new field to the records in `src/facts.rs` if there is none for what it reads: one line there;
//! - never fails: what it cannot read, it skips.
//!
//! The reader of `/sys` and `/proc` takes all files of a folder or an archive at once
//! (`src/formats/sysfs.rs`).
//!
//! Nothing here knows the model of a storage server, and nothing is executed that a file says.

mod archive;
mod compression;
mod facts;
mod formats;
mod gather;
mod inspect;
pub mod job_file;
mod measure;
mod merge;
mod origin;
mod pci;
mod ranges;
mod resolve;
mod table;
mod topology;
pub mod trace;
mod tree;

pub use compression::Compression;
pub use facts::{
    BusRange, Conflict, Device, Dimm, Disk, Enclosure, FabricLink, Facts, HyperTransportLink, Interface,
    Node, Northbridge, OutOfRange, PortKind, Processor, Slot, System, Vdev,
};
pub use formats::format_names;
pub use gather::{Gathered, gather, import};
pub use inspect::{Finding, inspect};
pub use measure::{Measurements, Reading, RowOptions, Subject, measure, measure_formats, rows};
pub use merge::merge;
pub use origin::{Fact, Known, Origin, Said};
pub use pci::PciAddress;
pub use resolve::{
    Card, CardKind, Fabric, HostLink, IoLink, Machine, Memory, PcieLink, Socket, SocketLink, Way, resolve,
};
/// A shell script that collects the outputs that can be imported, for Linux and FreeBSD.
pub const COLLECTOR: &str = include_str!("../data/collect.sh");

pub use topology::{Assumption, TopologyText, topology};

/// An explanation of every id of this crate.
pub const EXPLANATIONS: &str = include_str!("explanations.txt");
