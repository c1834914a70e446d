//! Quantities with units: bytes, bandwidth, time, frequency and rates, with parsing and printing.
//!
//! All values inside Bandgraph are in SI base units: bytes, bytes per second, seconds, cycles per second.
//! Files and flags have units in words, and this crate converts between the two:
//!
//! ```
//! use bandgraph_units::{Bandwidth, Bytes, Time};
//!
//! let link: Bandwidth = "4 GB/s".parse()?;
//! assert_eq!(link.get(), 4e9);
//! assert_eq!(link.binary(), "3.73 GiB/s");
//!
//! let memory: Bytes = "256 GiB".parse()?;
//! let sweep: Time = memory / link;
//! assert_eq!(sweep.to_string(), "68.7 s");
//!
//! // A bare number is refused: it could be in GB or in GiB.
//! assert!("4".parse::<Bandwidth>().is_err());
//! # Ok::<(), bandgraph_units::QuantityError>(())
//! ```
//!
//! GB is always 10^9 bytes and GiB 2^30 bytes. They differ by 7 %, and confusing them is a common error.
//! Case is therefore significant, and `Mb` is an error that suggests both `Mbit` and `MB`.
//!
//! The layers, bottom up:
//!
//! - [`Unit`]: one spelling and its scale; one file has the tables of all units.
//! - [`QuantityKind`]: the kind of a quantity at run time; parses and formats.
//! - [`Bytes`], [`Bandwidth`], [`Time`], [`Frequency`], [`OperationRate`], [`Power`], [`Fraction`]: one type
//!   per kind, so that a time cannot be added to a bandwidth; [`Quantity`] is their common trait.

mod error;
mod kind;
mod number;
mod parse;
mod quantity;
mod suggestion;
mod unit;

pub use error::QuantityError;
pub use kind::QuantityKind;
pub use number::{significant, span};
pub use quantity::{Bandwidth, Bytes, Fraction, Frequency, OperationRate, Power, Quantity, Time};
pub use unit::Unit;
