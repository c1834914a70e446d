//! Quantities with units: bytes, bandwidth, time, frequency and rates, parsed from and printed as words.
//!
//! Everything inside Bandgraph is in SI base units: bytes, bytes per second, seconds, cycles per second.
//! Files and flags say units in words, and this crate is the border between the two:
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
//! // A bare number is refused: nobody can tell GB from GiB by looking at it.
//! assert!("4".parse::<Bandwidth>().is_err());
//! # Ok::<(), bandgraph_units::QuantityError>(())
//! ```
//!
//! GB is 10^9 bytes and GiB is 2^30 bytes, always. The two are 7 % apart, and mixing them up is the classic
//! error of this field; so case matters where meaning does, and `Mb` is an error that names both `Mbit` and
//! `MB`.
//!
//! The layers, bottom up:
//!
//! - [`Unit`]: one spelling and its scale; the tables of all of them are in one file.
//! - [`QuantityKind`]: which quantity is meant when only a text and a number are at hand; parses and formats.
//! - [`Bytes`], [`Bandwidth`], [`Time`], [`Frequency`], [`OperationRate`], [`Power`], [`Fraction`]: one type
//!   per kind, so that a time cannot be added to a bandwidth; [`Quantity`] is what they share.

mod error;
mod kind;
mod number;
mod parse;
mod quantity;
mod suggestion;
mod unit;

pub use error::QuantityError;
pub use kind::QuantityKind;
pub use number::significant;
pub use quantity::{Bandwidth, Bytes, Fraction, Frequency, OperationRate, Power, Quantity, Time};
pub use unit::Unit;
