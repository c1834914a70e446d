//! A kind of file for tests, with one list per identity and a table inside an entry.

use crate::kind::{Described, Field, Identity, Kind, Shape};
use crate::{Decoded, Decoder, Entry, Table};

/// Accepts any field.
#[derive(Debug)]
struct Anything;

impl Described for Anything {
    fn read(&self, _: &mut Decoder<'_>, _: &[(&String, &Entry)], _: &Table, _: &mut Decoded) {}

    fn fields(&self) -> Vec<&'static [Field]> {
        Vec::new()
    }

    fn reference(&self) -> String {
        String::new()
    }
}

const ID: Field = Field::new("id", Shape::Id, "Its name.");

static MEMORY: Kind = Kind {
    name: "memory",
    doc: "A memory.",
    identity: Identity::Single,
    groups: &[&[Field::new("size", Shape::Text, "Its size.")]],
    described: Some(&Anything),
};

static SOCKET: Kind = Kind {
    name: "socket",
    doc: "A socket.",
    identity: Identity::Field("id"),
    groups: &[&[ID, Field::new("memory", Shape::Table(&MEMORY), "Its memory.")]],
    described: Some(&Anything),
};

static CARD: Kind = Kind {
    name: "card",
    doc: "A card.",
    identity: Identity::Field("id"),
    groups: &[&[ID]],
    described: Some(&Anything),
};

static SLOT: Kind = Kind {
    name: "slot",
    doc: "A slot.",
    identity: Identity::Numbered,
    groups: &[&[
        ID,
        Field::new("count", Shape::Count, "How many there are.").optional(),
        Field::new("pcie", Shape::Text, "Its lanes."),
    ]],
    described: None,
};

static LINK: Kind = Kind {
    name: "link",
    doc: "A link.",
    identity: Identity::Ends,
    groups: &[&[Field::new("ends", Shape::References("socket"), "Its ends.")]],
    described: Some(&Anything),
};

static ROUTE: Kind = Kind {
    name: "route",
    doc: "A route.",
    identity: Identity::FromTo,
    groups: &[&[
        Field::new("from", Shape::Reference("socket"), "Its start."),
        Field::new("to", Shape::Reference("socket"), "Its end."),
        Field::new("via", Shape::References("socket"), "What is between."),
    ]],
    described: None,
};

/// The kind of file.
pub(crate) static TOPOLOGY: Kind = Kind {
    name: "topology",
    doc: "A server.",
    identity: Identity::Single,
    groups: &[&[
        Field::new("include", Shape::Paths, "Files below."),
        Field::new("name", Shape::Text, "Its name."),
        Field::new("socket", Shape::Entries(&SOCKET), "Its sockets."),
        Field::new("link", Shape::Entries(&LINK), "Its links."),
        Field::new("slot", Shape::Entries(&SLOT), "Its slots."),
        Field::new("card", Shape::Entries(&CARD), "Its cards."),
        Field::new("route", Shape::Entries(&ROUTE), "Its routes."),
    ]],
    described: None,
};
