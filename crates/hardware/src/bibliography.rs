//! The bibliography: the sources of figures of parts and stacks.

use std::fmt;
use std::sync::LazyLock;

use bandgraph_config::{Shape, kinds, read_embedded, settings};

settings! {
    /// A document that figures come from.
    pub struct Source as "source" by "key" {
        /// What figures call it.
        key: String as Shape::Id;
        /// Its title.
        title: String;
        /// Who wrote it.
        author: String;
        /// When it was published; 0 if it does not say.
        year: u32 = 0;
        /// What it says that is used here.
        says: String;
        /// Where it was found.
        found: String;
    }
}

impl fmt::Display for Source {
    /// The full reference: author, title, year, location.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, \"{}\"", self.author, self.title)?;
        if self.year > 0 {
            write!(f, ", {}", self.year)?;
        }
        write!(f, " ({})", self.found)
    }
}

/// Every source of figures of parts and stacks, in the order of `docs/sources.toml`.
pub fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
        read_embedded(
            &BIBLIOGRAPHY,
            "docs/sources.toml",
            include_str!("../../../docs/sources.toml"),
            |file| file.entries("source").iter().map(Source::from_table).collect(),
        )
    });
    &SOURCES
}

/// The source with this key.
pub fn source(key: &str) -> Option<&'static Source> {
    sources().iter().find(|source| source.key == key)
}

kinds! {
    /// The documents that figures come from.
    static BIBLIOGRAPHY("bibliography") {
        /// The documents.
        source: Shape::Entries(Source::KIND);
    }
}
