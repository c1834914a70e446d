//! Traces: recorded operations of a server, in common formats, read in constant memory.
//!
//! A [`Reader`] takes any [`Read`](std::io::Read), detects its compression
//! ([`Compression`](crate::Compression)) and format ([`Format`]) from the content, and yields
//! [`Record`](bandgraph_workload::Record)s in order of their start. Memory is bounded for any input: lines
//! have a maximum length, calls wait for their replies in a window, and skipped lines are only counted,
//! except for the first malformed ones ([`Skipped`]).
//!
//! ```
//! use bandgraph_workload::OperationKind;
//! use bandgraph_import::trace::{ReadOptions, Reader};
//!
//! let text = "fio version 2 iolog\n/data add\n/data open\n/data read 8192 4096\n/data close\n";
//! let mut reader = Reader::open(text.as_bytes(), ReadOptions::default())?;
//! let record = reader.next().expect("one I/O")?;
//! assert_eq!(record.operation, OperationKind::Read);
//! assert_eq!((record.offset, record.bytes), (8192, 4096));
//! assert!(reader.next().is_none());
//! # Ok::<(), bandgraph_import::trace::TraceError>(())
//! ```
//!
//! Each format is one file below this one, and one line in [`Format`].

mod blkparse;
mod clock;
mod decompress;
mod error;
mod fields;
mod format;
mod generate;
mod iolog;
mod lines;
mod msr;
mod names;
mod nfsdump;
mod parse;
mod reader;
mod skipped;
pub mod stat;
#[cfg(test)]
mod tests;
mod window;
mod write;
mod zipf;

pub use clock::{CLOCK_JITTER_NS, LONGEST_GAP_NS};
pub use error::{EXPLANATIONS, TraceError};
pub use format::Format;
pub use generate::{Generator, Recipe, RecipeError, parse_mix, parse_sizes};
pub use iolog::IologTick;
pub use lines::LONGEST_LINE;
pub use names::MAX_TRACE_CLIENTS;
pub use reader::{ReadOptions, Reader};
pub use skipped::{KEPT_BAD_LINES, Malformed, Reason, Skipped};
pub use window::{LONGEST_WAIT_NS, MOST_WAITING};
pub use write::Writer;
