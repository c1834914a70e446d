//! The fields of a topology file.

use bandgraph_config::FieldType;
use bandgraph_hardware::{CardHeight, CardPart, OWN_PART, PartFields, PartKind, PartShape, PcieShape};

use super::{
    Field, ID, INCLUDE, Identity, Kind, POSITIVE_SIZE, SCHEMA, Shape, Type, count, entries, of, optional,
    optional_reference, reference, required, with_default,
};
use crate::shapes::Ends;

const WEIGHT: Type = {
    let mut weight = of(Shape::Number);
    weight.range.minimum = 0.001;
    weight.range.maximum = 1000.0;
    weight
};

const COUNT: Field = optional(
    "count",
    count(1, 1024),
    "How many identical ones there are: `bay` with a count of 12 is `bay0` to `bay11`. The bridge or slot may be a range, \
     over which they are spread evenly and in order: 24 slots with `bridge = \"rc[0-1]\"` are 12 on each. An \
     override, or a file on top, may change one of them: `slot.bay3.pcie`. One, without a number, if left out.",
);

/// The root of a topology file.
pub(crate) static TOPOLOGY: Kind = Kind {
    name: "topology",
    doc: "A server: its sockets, links, bridges, slots, cards and disks. Every entry names a part of the catalogue \
          (`bandgraph parts list`), and any field of that part can be overridden in the entry.",
    identity: Identity::Single,
    groups: &[&[
        SCHEMA,
        INCLUDE,
        required("name", of(Shape::Text), "The name of the server in reports."),
        optional("description", of(Shape::Text), "A description, of any length."),
        optional("source", of(Shape::Text), "Where its description comes from."),
        entries("part", &OWN_PART, "Parts that the catalogue does not have."),
        optional(
            "chassis",
            of(Shape::Table(&CHASSIS)),
            "What the server is built into, where power matters.",
        ),
        required("socket", of(Shape::Entries(&SOCKET)), "The processor sockets."),
        entries("link", &LINK, "The links between sockets."),
        entries("bridge", &BRIDGE, "The I/O bridges."),
        entries("switch", &SWITCH, "The PCI Express switches below bridges."),
        entries("slot", &SLOT, "The PCI Express slots."),
        entries("card", &CARD, "The cards."),
        entries("jbod", &JBOD, "The disk enclosures."),
        entries(
            "route",
            &ROUTE,
            "Routes between sockets, where the shortest path is not it.",
        ),
    ]],
    described: None,
};

static CHASSIS: Kind = Kind {
    name: "chassis",
    doc: "The case of the server with its board, its fans and its power supplies. It matters for power alone.",
    identity: Identity::Single,
    groups: &[&[part!(&[PartKind::Chassis], "The kind of chassis.")]],
    described: Some(&PartFields(&[PartKind::Chassis])),
};

static SOCKET: Kind = Kind {
    name: "socket",
    doc: "A processor socket with the memory that hangs on it.",
    identity: Identity::Numbered,
    groups: &[&[
        ID,
        COUNT,
        part!(&[PartKind::Socket], "The processor."),
        required(
            "memory",
            of(Shape::Table(&MEMORY)),
            "The memory behind its own controller.",
        ),
    ]],
    described: Some(&PartFields(&[PartKind::Socket])),
};

static MEMORY: Kind = Kind {
    name: "memory",
    doc: "The memory of one socket.",
    identity: Identity::Single,
    groups: &[&[
        part!(&[PartKind::Memory], "The kind of memory on each channel."),
        required("channels", count(1, 64), "How many channels the controller runs."),
        required("size", POSITIVE_SIZE, "How much memory this socket has."),
    ]],
    described: Some(&PartFields(&[PartKind::Memory])),
};

static LINK: Kind = Kind {
    name: "link",
    doc: "A link between two sockets, the same in both directions. It is called by its ends, `cpu0-cpu1`, in either \
          order; a second link between the same two is `cpu0-cpu1.b`. Parallel links share their traffic.",
    identity: Identity::Ends,
    groups: &[&[
        optional(
            "count",
            count(1, 64),
            "How many identical links join the two and share their traffic. One if left out.",
        ),
        required("ends", of(Shape::Custom(&Ends)), "The two sockets that it joins."),
        part!(&[PartKind::SocketLink], "The kind of link."),
        with_default(
            "weight",
            WEIGHT,
            "1",
            "Its share of what parallel links carry, relative to that of the others: where addresses are not spread \
             evenly over them.",
        ),
    ]],
    described: Some(&PartFields(&[PartKind::SocketLink])),
};

static BRIDGE: Kind = Kind {
    name: "bridge",
    doc: "An I/O bridge: one link up to a socket, PCI Express slots below; or a root complex that is part of its socket.",
    identity: Identity::Numbered,
    groups: &[&[
        ID,
        COUNT,
        part!(&[PartKind::Bridge], "The kind of bridge."),
        optional("uplink", of(Shape::Table(&UPLINK)), "Its link to its socket."),
        optional_reference(
            "socket",
            "socket",
            "The socket that a root complex is part of, instead of an uplink.",
        ),
    ]],
    described: Some(&PartFields(&[PartKind::Bridge])),
};

static UPLINK: Kind = Kind {
    name: "uplink",
    doc: "The link from a bridge to its socket.",
    identity: Identity::Single,
    groups: &[&[
        reference("to", "socket", "The socket."),
        part!(&[PartKind::SocketLink], "The kind of link."),
    ]],
    described: Some(&PartFields(&[PartKind::SocketLink])),
};

static SWITCH: Kind = Kind {
    name: "switch",
    doc: "A PCI Express switch below a bridge. The slots behind it share its link to the bridge.",
    identity: Identity::Field("id"),
    groups: &[&[
        ID,
        part!(&[PartKind::PcieSwitch], "The kind of switch."),
        reference("bridge", "bridge", "The bridge that it is attached to."),
        required(
            "pcie",
            of(Shape::Custom(&PcieShape)),
            "The generation and the lanes that are wired to the bridge, as `gen1 x8`.",
        ),
    ]],
    described: Some(&PartFields(&[PartKind::PcieSwitch])),
};

static SLOT: Kind = Kind {
    name: "slot",
    doc: "A PCI Express slot below a bridge, or behind a PCI Express switch.",
    identity: Identity::Numbered,
    groups: &[&[
        ID,
        COUNT,
        optional_reference("bridge", "bridge", "The bridge that it is attached to."),
        optional_reference(
            "switch",
            "switch",
            "The PCI Express switch that it is attached to, instead of a bridge.",
        ),
        required(
            "pcie",
            of(Shape::Custom(&PcieShape)),
            "Its generation and the lanes that are wired, as `gen1 x8`.",
        ),
        optional(
            "connector_lanes",
            count(1, 32),
            "Lanes of the connector, where a longer card fits than lanes are wired. The wired lanes if left out.",
        ),
        optional(
            "height",
            of(CardHeight::SHAPE),
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
    ]],
    described: None,
};

static CARD: Kind = Kind {
    name: "card",
    doc: "A card of any kind: for a network, for disks, or a drive itself. A card sits in a slot; one that is soldered to \
          the board names its bridge instead.",
    identity: Identity::Numbered,
    groups: &[&[
        ID,
        COUNT,
        part!(CardPart::KINDS, "The kind of card."),
        optional_reference(
            "slot",
            "slot",
            "The slot that it sits in. With a `count`, as many: `bay[0-11]` are `bay0` to `bay11`.",
        ),
        optional_reference(
            "second_slot",
            "slot",
            "The second slot of a card with links to two hosts (socket-direct). Each byte takes the link that \
             is nearer to its buffer. Such a card has no `count`, and `place` leaves it where it is.",
        ),
        optional_reference(
            "bridge",
            "bridge",
            "The bridge of a card that is soldered to the board.",
        ),
    ]],
    described: Some(&PartFields(CardPart::KINDS)),
};

static JBOD: Kind = Kind {
    name: "jbod",
    doc: "A disk enclosure on a port of a host adapter.",
    identity: Identity::Numbered,
    groups: &[&[
        ID,
        COUNT,
        part!(&[PartKind::Jbod], "The kind of enclosure."),
        reference(
            "hba",
            "card",
            "The host adapter that it is attached to. Enclosures on one port are a chain, in order.",
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
        optional_reference(
            "second_hba",
            "card",
            "The host adapter of the second path. That of the first if only `second_port` is given.",
        ),
    ]],
    described: Some(&PartFields(&[PartKind::Jbod])),
};

static ROUTE: Kind = Kind {
    name: "route",
    doc: "The way that traffic takes from one socket to another. Without one it takes the shortest path; ties are \
          broken so that links share the routes evenly.",
    identity: Identity::FromTo,
    groups: &[&[
        reference("from", "socket", "Where the traffic starts."),
        reference("to", "socket", "Where it ends."),
        required(
            "via",
            of(Shape::References("socket")),
            "The sockets in between, in order.",
        ),
        optional(
            "responses_via",
            of(Shape::References("socket")),
            "The sockets in between for responses (data that was read, answers of caches), where they take another way.",
        ),
    ]],
    described: None,
};
