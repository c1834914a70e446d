//! The storage of a sweep, and its distribution over machines.
//!
//! A [`Journal`] is the file that a sweep writes while it runs, line by line ([`JournalHeader`] and
//! [`read_journal`] are its format); [`Records`] reads the records of several journals, in the order of
//! points. [`emit`] writes job files that run the shards of a sweep under a scheduler. The crate `study`
//! defines the points and answers them; `report` has the formats of results.

pub mod emit;
mod error;
mod journal;
mod lines;
mod records;

pub use error::{EXPLANATIONS, SweepError};
pub use journal::{Beginning, Journal, Places, UnkeptJournal, journal_path};
pub use lines::{FaultyLines, JournalContent, JournalError, JournalHeader, LineFault, read_journal};
pub use records::Records;

/// The version of the program in journals.
const VERSION: &str = env!("CARGO_PKG_VERSION");
