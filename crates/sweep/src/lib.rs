//! What keeps a sweep on disks and spreads it over machines.
//!
//! A [`Journal`] is the file that a sweep writes while it runs, line by line ([`JournalHeader`] and
//! [`read_journal`] are its format); [`Records`] reads what several of them have, in the order of points.
//! [`emit`] writes job files that run the shards of a sweep under a scheduler. Which points there are, and
//! how they are answered, is in `study`; formats of results are in `report`.

pub mod emit;
mod error;
mod journal;
mod lines;
mod records;

pub use error::{EXPLANATIONS, SweepError};
pub use journal::{Beginning, Journal, Places, UnkeptJournal, journal_path};
pub use lines::{FaultyLines, JournalContent, JournalError, JournalHeader, LineFault, read_journal};
pub use records::Records;

/// The version of the program, as journals carry it.
const VERSION: &str = env!("CARGO_PKG_VERSION");
