//! The bibliography: the sources of figures of parts and stacks.

use std::fmt;
use std::sync::LazyLock;

use bandgraph_config::{Shape, read_embedded, settings};

use crate::embedded::Embedded;

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

fn bibliography() -> &'static Embedded<(), Source> {
    static BIBLIOGRAPHY: LazyLock<Embedded<(), Source>> = LazyLock::new(|| {
        let text = include_str!("../../../docs/sources.toml");
        Embedded::new(
            [("docs/sources.toml", text, ())].into_iter(),
            ["[[source]]\n", "key = \""],
            |file, text| read_embedded(Source::KIND, file, text, Source::from_table),
        )
    });
    &BIBLIOGRAPHY
}

/// Every source of figures of parts and stacks, in the order of `docs/sources.toml`.
pub fn sources() -> impl ExactSizeIterator<Item = &'static Source> {
    bibliography().iter()
}

/// The source with this key.
pub fn source(key: &str) -> Option<&'static Source> {
    bibliography().get(key)
}
