//! The fields of a topology file.

use bandgraph_hardware::PartKind;
use bandgraph_units::QuantityKind;

use super::{Described, Field, Identity, Kind, Shape, Sign, count, optional, required, with_default};

const POSITIVE_SIZE: Shape = Shape::Quantity(QuantityKind::Bytes, Sign::Positive);

const ID: Field = required(
    "id",
    Shape::Id,
    "Its name, by which other entries, `--set` and reports call it.",
);

/// The root of a topology file.
pub(crate) static TOPOLOGY: Kind = Kind {
    name: "topology",
    doc: "A server: its sockets, links, bridges, slots, cards and disks. Every entry names a part of the catalogue \
          (`bandgraph parts list`), and any field of that part can be overridden in the entry.",
    identity: Identity::Single,
    fields: &[
        required("schema", Shape::Schema, "The version of the file format: 1."),
        optional(
            "include",
            Shape::Paths,
            "Files that are read first; what this file says is laid over them, field by field.",
        ),
        required("name", Shape::Text, "What reports call the server."),
        optional(
            "description",
            Shape::Text,
            "What it is, in as many words as you like.",
        ),
        optional("source", Shape::Text, "Where its description comes from."),
        optional(
            "part",
            Shape::Entries(&PART),
            "Parts that the catalogue does not have.",
        ),
        optional(
            "chassis",
            Shape::Table(&CHASSIS),
            "What the server is built into, where power matters.",
        ),
        required("socket", Shape::Entries(&SOCKET), "The processor sockets."),
        optional("link", Shape::Entries(&LINK), "The links between sockets."),
        optional("bridge", Shape::Entries(&BRIDGE), "The I/O bridges."),
        optional(
            "switch",
            Shape::Entries(&SWITCH),
            "The PCI Express switches below bridges.",
        ),
        optional("slot", Shape::Entries(&SLOT), "The PCI Express slots."),
        optional("card", Shape::Entries(&CARD), "The cards."),
        optional("jbod", Shape::Entries(&JBOD), "The disk enclosures."),
        optional(
            "route",
            Shape::Entries(&ROUTE),
            "Routes between sockets, where the shortest path is not it.",
        ),
    ],
    described: Described::Nothing,
};

static CHASSIS: Kind = Kind {
    name: "chassis",
    doc: "The case of the server with its board, its fans and its power supplies. It matters for power alone.",
    identity: Identity::Single,
    fields: &[required(
        "part",
        Shape::Part(&[PartKind::Chassis]),
        "The kind of chassis.",
    )],
    described: Described::Part(&[PartKind::Chassis]),
};

static SOCKET: Kind = Kind {
    name: "socket",
    doc: "A processor socket with the memory that hangs on it.",
    identity: Identity::Field("id"),
    fields: &[
        ID,
        required("part", Shape::Part(&[PartKind::Socket]), "The processor."),
        required(
            "memory",
            Shape::Table(&MEMORY),
            "The memory behind its own controller.",
        ),
    ],
    described: Described::Part(&[PartKind::Socket]),
};

static MEMORY: Kind = Kind {
    name: "memory",
    doc: "The memory of one socket.",
    identity: Identity::Single,
    fields: &[
        required(
            "part",
            Shape::Part(&[PartKind::Memory]),
            "The kind of memory on each channel.",
        ),
        required("channels", count(1, 64), "How many channels the controller runs."),
        required("size", POSITIVE_SIZE, "How much memory this socket has in all."),
    ],
    described: Described::Part(&[PartKind::Memory]),
};

static LINK: Kind = Kind {
    name: "link",
    doc: "A link between two sockets, the same in both directions. It is called by its ends, `cpu0-cpu1`, in either \
          order; a second link between the same two is `cpu0-cpu1.b`. Parallel links share their traffic.",
    identity: Identity::Ends,
    fields: &[
        required("ends", Shape::Ends, "The two sockets that it joins."),
        required("part", Shape::Part(&[PartKind::SocketLink]), "The kind of link."),
    ],
    described: Described::Part(&[PartKind::SocketLink]),
};

static BRIDGE: Kind = Kind {
    name: "bridge",
    doc: "An I/O bridge: one link up to a socket, PCI Express slots below.",
    identity: Identity::Field("id"),
    fields: &[
        ID,
        required("part", Shape::Part(&[PartKind::Bridge]), "The kind of bridge."),
        required("uplink", Shape::Table(&UPLINK), "How it hangs on its socket."),
    ],
    described: Described::Part(&[PartKind::Bridge]),
};

static UPLINK: Kind = Kind {
    name: "uplink",
    doc: "The link from a bridge to its socket.",
    identity: Identity::Single,
    fields: &[
        required("to", Shape::Reference("socket"), "The socket."),
        required("part", Shape::Part(&[PartKind::SocketLink]), "The kind of link."),
    ],
    described: Described::Part(&[PartKind::SocketLink]),
};

static SWITCH: Kind = Kind {
    name: "switch",
    doc: "A PCI Express switch below a bridge. The slots behind it share its link to the bridge.",
    identity: Identity::Field("id"),
    fields: &[
        ID,
        required(
            "part",
            Shape::Part(&[PartKind::PcieSwitch]),
            "The kind of switch.",
        ),
        required(
            "bridge",
            Shape::Reference("bridge"),
            "The bridge that it hangs on.",
        ),
        required(
            "pcie",
            Shape::Pcie,
            "The generation and the lanes that are wired to the bridge, as `gen1 x8`.",
        ),
    ],
    described: Described::Part(&[PartKind::PcieSwitch]),
};

static SLOT: Kind = Kind {
    name: "slot",
    doc: "A PCI Express slot below a bridge, or behind a PCI Express switch.",
    identity: Identity::Field("id"),
    fields: &[
        ID,
        optional(
            "bridge",
            Shape::Reference("bridge"),
            "The bridge that it hangs on.",
        ),
        optional(
            "switch",
            Shape::Reference("switch"),
            "The PCI Express switch that it hangs on, instead of a bridge.",
        ),
        required(
            "pcie",
            Shape::Pcie,
            "Its generation and the lanes that are wired, as `gen1 x8`.",
        ),
        optional(
            "connector_lanes",
            count(1, 32),
            "Lanes of the connector, where a longer card fits than lanes are wired. The wired lanes if left out.",
        ),
        optional(
            "height",
            Shape::Choice(|| bandgraph_hardware::CardHeight::WORDS.to_vec()),
            "The height of the cards that it takes: a `low` one takes no card of full height. `full` if left out.",
        ),
        optional(
            "maximum_payload",
            POSITIVE_SIZE,
            "The largest payload of a packet, where firmware sets less than bridge and card could do: 128 B to 4 KiB.",
        ),
        optional(
            "maximum_read_request",
            POSITIVE_SIZE,
            "The largest read, where firmware or a driver sets less than bridge and card could do: 128 B to 4 KiB.",
        ),
    ],
    described: Described::Nothing,
};

static CARD: Kind = Kind {
    name: "card",
    doc: "A network card or a disk host adapter. A card sits in a slot; one that is soldered to the board names its \
          bridge instead.",
    identity: Identity::Field("id"),
    fields: &[
        ID,
        required(
            "part",
            Shape::Part(&[PartKind::Nic, PartKind::Hba]),
            "The kind of card.",
        ),
        optional("slot", Shape::Reference("slot"), "The slot that it sits in."),
        optional(
            "bridge",
            Shape::Reference("bridge"),
            "The bridge of a card that is soldered to the board.",
        ),
    ],
    described: Described::Part(&[PartKind::Nic, PartKind::Hba]),
};

static JBOD: Kind = Kind {
    name: "jbod",
    doc: "A disk enclosure on a port of a host adapter.",
    identity: Identity::Field("id"),
    fields: &[
        ID,
        required("part", Shape::Part(&[PartKind::Jbod]), "The kind of enclosure."),
        required(
            "hba",
            Shape::Reference("card"),
            "The host adapter that it hangs on.",
        ),
        with_default(
            "port",
            count(0, 63),
            "0",
            "The port of that adapter, counted from 0.",
        ),
        optional(
            "second_port",
            count(0, 63),
            "The port of the second path, if there are two: data is spread evenly over both. 0 if only `second_hba` is \
             given.",
        ),
        optional(
            "second_hba",
            Shape::Reference("card"),
            "The host adapter of the second path. That of the first if only `second_port` is given.",
        ),
    ],
    described: Described::Part(&[PartKind::Jbod]),
};

static ROUTE: Kind = Kind {
    name: "route",
    doc: "The way that traffic takes from one socket to another. Without one it takes the shortest path; ties are \
          broken so that links share the routes evenly.",
    identity: Identity::FromTo,
    fields: &[
        required("from", Shape::Reference("socket"), "Where the traffic starts."),
        required("to", Shape::Reference("socket"), "Where it ends."),
        required(
            "via",
            Shape::References("socket"),
            "The sockets in between, in order.",
        ),
    ],
    described: Described::Nothing,
};

static PART: Kind = Kind {
    name: "part",
    doc: "A part that the catalogue does not have, as another part with some fields changed. Entries name it like any \
          part of the catalogue.",
    identity: Identity::Field("name"),
    fields: &[
        required("name", Shape::Id, "The name that entries use."),
        required("kind", Shape::PartKind, "What kind of part it is."),
        optional(
            "base",
            Shape::AnyPart,
            "The part that it is like: of the catalogue, or a `[[part]]` above this one. Without it, the fields that \
             have no default must be given.",
        ),
        required("source", Shape::Text, "Where its figures come from."),
    ],
    described: Described::OwnPart,
};
