//! A kind of file for tests, with one list per identity and a table inside an entry.

use crate::kind::{Described, Field, Identity, Shape};
use crate::{Decoded, Decoder, Entry, Table, kinds};

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

kinds! {
    /// A memory.
    static MEMORY("memory", Identity::Single, Anything) {
        /// Its size.
        size: Shape::Text;
    }

    /// A socket.
    static SOCKET("socket", Identity::Field("id"), Anything) {
        ID;
        /// Its memory.
        memory: Shape::Table(&MEMORY);
    }

    /// A card.
    static CARD("card", Identity::Field("id"), Anything) {
        ID;
    }

    /// A slot.
    static SLOT("slot", Identity::Numbered) {
        ID;
        /// How many there are.
        count: Shape::Count, optional;
        /// Its lanes.
        pcie: Shape::Text;
    }

    /// A link.
    static LINK("link", Identity::Ends, Anything) {
        /// Its ends.
        ends: Shape::References("socket");
    }

    /// A route.
    static ROUTE("route", Identity::FromTo) {
        /// Its start.
        from: Shape::Reference("socket");
        /// Its end.
        to: Shape::Reference("socket");
        /// What is between.
        via: Shape::References("socket");
    }

    /// A server.
    pub(crate) static TOPOLOGY("topology") {
        /// Files below.
        include: Shape::Paths;
        /// Its name.
        name: Shape::Text;
        /// Its sockets.
        socket: Shape::Entries(&SOCKET);
        /// Its links.
        link: Shape::Entries(&LINK);
        /// Its slots.
        slot: Shape::Entries(&SLOT);
        /// Its cards.
        card: Shape::Entries(&CARD);
        /// Its routes.
        route: Shape::Entries(&ROUTE);
    }
}
