//! Where the figures of parts come from: their status, and the bibliography.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use bandgraph_config::{Decoded, Decoder, Figure, Problems, Shape, Status, parse_document, settings};
use bandgraph_diagnostics::{Place, Sources, render};

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
    /// The full reference: author, title, year, where it was found.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, \"{}\"", self.author, self.title)?;
        if self.year > 0 {
            write!(f, ", {}", self.year)?;
        }
        write!(f, " ({})", self.found)
    }
}

/// Every document that figures of the catalogue come from, in the order of `docs/sources.toml`.
pub fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
        read(
            &BIBLIOGRAPHY,
            "docs/sources.toml",
            include_str!("../../../docs/sources.toml"),
            |file| file.entries("source").iter().map(Source::from_table).collect(),
        )
    });
    &SOURCES
}

/// The document of this key.
pub fn source(key: &str) -> Option<&'static Source> {
    sources().iter().find(|source| source.key == key)
}

static BIBLIOGRAPHY: bandgraph_config::Kind = bandgraph_config::Kind {
    name: "bibliography",
    doc: "The documents that figures come from.",
    identity: bandgraph_config::Identity::Single,
    groups: &[&[bandgraph_config::Field::new(
        "source",
        Shape::Entries(Source::KIND),
        "The documents.",
    )]],
    described: None,
};

/// Reads a file that is part of the program.
pub(crate) fn read<T>(
    kind: &'static bandgraph_config::Kind,
    name: &str,
    text: &str,
    take: impl FnOnce(&Decoded) -> T,
) -> T {
    let mut texts = Sources::new();
    let mut problems = Problems::new();
    let source = texts.add(name, text.to_owned());
    let table = parse_document(source, &texts, &mut problems);
    let decoded = Decoder::new(&texts, &mut problems).table(kind, &table, &Place::new(source, 0..0));
    assert!(
        !problems.has_errors(),
        "a file of the program is right; tests read every one of them: {}",
        render::full(&problems.into_sorted(), &texts, false)
    );
    take(&decoded)
}

/// Where the figures of a part come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// How its figures were found, where they do not say otherwise.
    pub status: Status,
    /// The key of their source, where they do not say otherwise.
    pub source: Option<String>,
    /// The figures that say something of themselves, by field.
    pub figures: BTreeMap<String, Figure>,
}

impl Origin {
    /// Where one figure comes from. One that the part leaves out is the default of its kind, and assumed.
    pub fn figure(&self, field: &str) -> Figure {
        let given = self.figures.get(field).cloned();
        let Some(given) = given else {
            return Figure {
                status: Some(Status::Assumed),
                ..Figure::default()
            };
        };
        let status = given.status.unwrap_or(self.status);
        let source = match given.status {
            // The part's source speaks for figures of the part's status.
            Some(own) if own != self.status => given.source,
            _ => given.source.or_else(|| self.source.clone()),
        };
        Figure {
            status: Some(status),
            source,
            ..given
        }
    }
}
