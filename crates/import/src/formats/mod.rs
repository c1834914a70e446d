//! The registry of readers. One file per format; see the documentation of the crate.

mod config_space;
mod dmidecode;
mod hwloc;
mod lspci;
mod nccl;
mod pciconf;
mod text;
mod xml;

pub(crate) use text::{Line, Text, number_after};

use crate::facts::Facts;

/// A reader of one format.
pub(crate) struct Reader {
    /// What people call the format: the command that prints it.
    pub name: &'static str,
    /// Whether a text is of this format.
    pub recognises: fn(&str) -> bool,
    /// Adds what the text says.
    pub read: fn(&Text<'_>, &mut Facts),
}

/// All readers. Where two of them know a value, the first takes precedence: registers of devices before what a
/// kernel derived from them, that before what firmware wrote into tables.
pub(crate) const READERS: &[Reader] = &[
    lspci::READER,
    pciconf::READER,
    hwloc::READER,
    nccl::READER,
    dmidecode::READER,
];

/// The names of all formats, in order of precedence.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|reader| reader.name)
}
