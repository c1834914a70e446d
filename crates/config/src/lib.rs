//! Files of settings: TOML with places, includes, overrides, and fields that are declared once.
//!
//! The only crate that reads TOML. It knows nothing of storage servers: the crates above declare the tables,
//! as [`Kind`]s or with [`settings!`]. From the bottom up:
//!
//! - [`Files`]: the source of texts, a disk or memory. [`Reader`]: a file with all its includes.
//! - *Documents*: trees of values with their places ([`Node`], [`Table`]), and [`merge`], which merges one
//!   into another.
//! - [`Kind`], [`Field`], [`Shape`], [`Range`]: the valid contents of a table. [`Set`]: `--set PATH=VALUE`.
//! - [`Decoder`]: from trees to checked values ([`Decoded`]), with all problems together.
//! - [`schema`] and [`reference`](mod@reference): the JSON Schema and the reference page of a kind.
//!
//! For any bytes of a file, this crate does not panic, hang, or need much more memory than the file: files
//! are bounded in size and number, values in depth, and diagnostics in number.

mod counted;
mod decode;
mod document;
mod figure;
mod files;
#[cfg(test)]
mod fixture;
mod hash;
mod kind;
mod problems;
mod range;
mod read;
mod set;
mod settings;
mod value;
mod whole_file;
mod words;

pub mod reference;
pub mod schema;

pub use counted::{named, spread};
pub use decode::{Decoded, Decoder, Definitions, Found, MAXIMUM_CANDIDATES, Named, Read, unknown_version};
pub use document::{
    Entry, Node, Table, Value, merge, parse_document, parse_value, refuse_duplicates, shortened,
};
pub use figure::{Figure, KnownFigure, NOTE, Origin, STATUS, Status, read_embedded};
pub use files::{
    DiskFiles, DiskFilesAnywhere, Files, MAXIMUM_FILE_SIZE, MemoryFiles, ReadError, forget_inputs, normal,
    open_file, read_text,
};
pub use hash::{InputHasher, entry_bytes, input_hash};
pub use kind::{AssumedRange, Custom, Described, Field, Identity, Kind, Made, ParsedText, Presence, Shape};
pub use problems::Problems;
pub use range::{OutOfRange, Range, printed};
pub use read::{Gathered, Reader};
pub use set::{OVERRIDE, Set, Settable, paths_of};
#[doc(hidden)]
pub use settings::literal;
pub use value::{FieldError, FieldType, FieldValue, InvalidField};
pub use whole_file::{WholeFile, write_whole};
pub use words::UnknownWord;
