//! The fields of a topology file.

use bandgraph_hardware::{CardHeight, CardPart, OWN_PART, PartFields, PartKind, PartShape, PcieShape};
use bandgraph_units::QuantityKind;

use super::{Field, FieldType, ID, INCLUDE, Identity, SCHEMA, Shape, kinds};
use crate::shapes::Ends;

pub(super) const COUNT: Field = Field::new("count", Shape::Count, "How many identical ones there are: `bay` with a count of 12 is `bay0` to `bay11`. What it sits in may be a range, over which they are spread evenly and in order: 24 slots with `bridge = \"rc[0-1]\"` are 12 on each. An override, or a file on top, may change one of them: `slot.bay3.pcie`. One, without a number, if left out.").optional().at_least(1.0).at_most(1024.0);

kinds! {
    /// A server: its sockets, links, bridges, slots, cards and disks. Every entry names a part of the
    /// catalogue (`bandgraph parts list`), and any field of that part can be overridden in the entry.
    pub(crate) static TOPOLOGY("topology") {
        SCHEMA;
        INCLUDE;
        /// The name of the server in reports.
        name: Shape::Text;
        /// A description, of any length.
        description: Shape::Text, optional;
        /// Where its description comes from.
        source: Shape::Text, optional;
        /// Parts that the catalogue does not have.
        part: Shape::Entries(&OWN_PART), optional;
        /// What the server is built into, where power matters.
        chassis: Shape::Table(&CHASSIS), optional;
        /// The processor sockets.
        socket: Shape::Entries(&SOCKET);
        /// The links between sockets.
        link: Shape::Entries(&LINK), optional;
        /// The I/O bridges.
        bridge: Shape::Entries(&BRIDGE), optional;
        /// The PCI Express switches below bridges.
        switch: Shape::Entries(&SWITCH), optional;
        /// The PCI Express slots.
        slot: Shape::Entries(&SLOT), optional;
        /// The cards.
        card: Shape::Entries(&CARD), optional;
        /// The disk enclosures.
        jbod: Shape::Entries(&JBOD), optional;
        /// Routes between sockets, where the shortest path is not it.
        route: Shape::Entries(&ROUTE), optional;
    }

    /// The case of the server with its board, its fans and its power supplies. It matters for power alone.
    static CHASSIS("chassis", Identity::Single, PartFields(&[PartKind::Chassis])) {
        /// The kind of chassis.
        part: Shape::Custom(&PartShape(&[PartKind::Chassis]));
    }

    /// A processor socket with the memory that hangs on it.
    static SOCKET("socket", Identity::Numbered, PartFields(&[PartKind::Socket])) {
        ID;
        COUNT;
        /// The processor.
        part: Shape::Custom(&PartShape(&[PartKind::Socket]));
        /// The memory behind its own controller.
        memory: Shape::Table(&MEMORY);
        /// NUMA nodes that firmware divides it in: 4 for NPS4 of an EPYC, 2 for SNC2 of a Xeon. Each is a
        /// socket of its own in reports, `cpu0.0` to `cpu0.3`, with its share of the cores, the cache, the
        /// memory and the root complexes. One if left out.
        numa_nodes: Shape::Count, optional, at_least(1), at_most(64);
    }

    /// The memory of one socket.
    static MEMORY("memory", Identity::Single, PartFields(&[PartKind::Memory])) {
        /// The kind of memory on each channel.
        part: Shape::Custom(&PartShape(&[PartKind::Memory]));
        /// How many channels the controller runs.
        channels: Shape::Count, at_least(1), at_most(64);
        /// How much memory this socket has.
        size: Shape::Quantity(QuantityKind::Bytes), positive;
    }

    /// A link between two sockets, the same in both directions. It is called by its ends, `cpu0-cpu1`, in
    /// either order; a second link between the same two is `cpu0-cpu1.b`. Parallel links share their traffic.
    static LINK("link", Identity::Ends, PartFields(&[PartKind::SocketLink])) {
        /// How many identical links join the two and share their traffic. One if left out.
        count: Shape::Count, optional, at_least(1), at_most(64);
        /// The two sockets that it joins.
        ends: Shape::Custom(&Ends);
        /// The kind of link.
        part: Shape::Custom(&PartShape(&[PartKind::SocketLink]));
        /// Its share of what parallel links carry, relative to that of the others: where addresses are not
        /// spread evenly over them.
        weight: Shape::Number, default(1), at_least(0.001), at_most(1000);
    }

    /// An I/O bridge: one link up to a socket, PCI Express slots below; or a root complex that is part of its
    /// socket.
    static BRIDGE("bridge", Identity::Numbered, PartFields(&[PartKind::Bridge])) {
        ID;
        COUNT;
        /// The kind of bridge.
        part: Shape::Custom(&PartShape(&[PartKind::Bridge]));
        /// Its link to its socket.
        uplink: Shape::Table(&UPLINK), optional;
        /// The socket that a root complex is part of, or one of its NUMA nodes (`cpu0.2`), instead of an
        /// uplink.
        socket: Shape::Reference("socket"), optional;
    }

    /// The link from a bridge to its socket.
    static UPLINK("uplink", Identity::Single, PartFields(&[PartKind::SocketLink])) {
        /// The socket.
        to: Shape::Reference("socket");
        /// The kind of link.
        part: Shape::Custom(&PartShape(&[PartKind::SocketLink]));
    }

    /// A PCI Express switch below a bridge. The slots behind it share its link to the bridge.
    static SWITCH("switch", Identity::Field("id"), PartFields(&[PartKind::PcieSwitch])) {
        ID;
        /// The kind of switch.
        part: Shape::Custom(&PartShape(&[PartKind::PcieSwitch]));
        /// The bridge that it is attached to.
        bridge: Shape::Reference("bridge");
        /// The generation and the lanes that are wired to the bridge, as `gen1 x8`.
        pcie: Shape::Custom(&PcieShape);
    }

    /// A PCI Express slot below a bridge, or behind a PCI Express switch.
    static SLOT("slot", Identity::Numbered) {
        ID;
        COUNT;
        /// The bridge that it is attached to.
        bridge: Shape::Reference("bridge"), optional;
        /// The PCI Express switch that it is attached to, instead of a bridge.
        switch: Shape::Reference("switch"), optional;
        /// Its generation and the lanes that are wired, as `gen1 x8`.
        pcie: Shape::Custom(&PcieShape);
        /// Lanes of the connector, where a longer card fits than lanes are wired. The wired lanes if left
        /// out.
        connector_lanes: Shape::Count, optional, at_least(1), at_most(32);
        /// The height of the cards that it takes: a `low` one takes no card of full height. `full` if left
        /// out.
        height: CardHeight::SHAPE, optional;
        /// The largest payload of a packet, where firmware sets less than bridge and card could do: 128 B to
        /// 4 KiB.
        maximum_payload: Shape::Quantity(QuantityKind::Bytes), optional, positive;
        /// The largest read, where firmware or a driver sets less than bridge and card could do: 128 B to 4
        /// KiB.
        maximum_read_request: Shape::Quantity(QuantityKind::Bytes), optional, positive;
    }

    /// A card of any kind: for a network, for disks, or a drive itself. A card sits in a slot; one that is
    /// soldered to the board names its bridge instead.
    static CARD("card", Identity::Numbered, PartFields(CardPart::KINDS)) {
        ID;
        COUNT;
        /// The kind of card.
        part: Shape::Custom(&PartShape(CardPart::KINDS));
        /// The slot that it sits in. With a `count`, as many: `bay[0-11]` are `bay0` to `bay11`.
        slot: Shape::Reference("slot"), optional;
        /// The second slot of a card with links to two hosts (socket-direct). Each byte takes the link that
        /// is nearer to its buffer. Such a card has no `count`, and `place` leaves it where it is.
        second_slot: Shape::Reference("slot"), optional;
        /// The bridge of a card that is soldered to the board.
        bridge: Shape::Reference("bridge"), optional;
    }

    /// A disk enclosure on a port of a host adapter.
    static JBOD("jbod", Identity::Numbered, PartFields(&[PartKind::Jbod])) {
        ID;
        COUNT;
        /// The kind of enclosure.
        part: Shape::Custom(&PartShape(&[PartKind::Jbod]));
        /// The host adapter that it is attached to. Enclosures on one port are a chain, in order.
        hba: Shape::Reference("card");
        /// The port of that adapter, counted from 0.
        port: Shape::Count, default(0), at_most(63);
        /// The port of the second path, if there are two: data is spread evenly over both. 0 if only
        /// `second_hba` is given.
        second_port: Shape::Count, optional, at_most(63);
        /// The host adapter of the second path. That of the first if only `second_port` is given.
        second_hba: Shape::Reference("card"), optional;
    }

    /// The way that traffic takes from one socket to another. Without one it takes the shortest path; ties
    /// are broken so that links share the routes evenly.
    static ROUTE("route", Identity::FromTo) {
        /// Where the traffic starts.
        from: Shape::Reference("socket");
        /// Where it ends.
        to: Shape::Reference("socket");
        /// The sockets in between, in order.
        via: Shape::References("socket");
        /// The sockets in between for responses (data that was read, answers of caches), where they take
        /// another way.
        responses_via: Shape::References("socket"), optional;
    }
}
