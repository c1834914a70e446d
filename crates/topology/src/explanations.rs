//! A paragraph for every kind of error.

/// An explanation for every [`TopologyError::id`](crate::TopologyError::id): its meaning and the remedy.
pub const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "topology::no_sockets",
        "Everything in a server hangs on a socket: memory, links, bridges with their slots and cards. A topology \
         without one has nothing that could do any work.",
    ),
    (
        "topology::too_many",
        "The topology has more elements than the program handles: at most 64 sockets, 4096 elements, and 65536 \
         resources (links, ports and disks). The limits are far above any machine of this kind, and keep a slip of the \
         pen from taking all memory.",
    ),
    (
        "topology::invalid_id",
        "Ids appear in the names of resources, such as `link.cpu0-cpu1` or `port.nic0.0.out`, and in `--set` paths. So \
         they may only have letters, digits, `_` and `-`, at least one and at most 64 of them.",
    ),
    (
        "topology::duplicate_id",
        "Two elements have the same id. Ids are unique over all kinds of elements: a card cannot have the id of a \
         slot either, because both appear side by side in reports.",
    ),
    (
        "topology::ambiguous_id",
        "Two different resources would get the same name, because ids with `-` in them can be put together in two ways: \
         a link between `a` and `b-c` is called `link.a-b-c`, and so is one between `a-b` and `c`. Rename one of the \
         sockets.",
    ),
    (
        "topology::invalid_field",
        "A field of a part has a value outside of its range: a capacity, clock or count that is zero, negative or not \
         finite, or a share above 100 %. `bandgraph parts show` lists the fields of a part with what they mean.",
    ),
    (
        "topology::no_channels",
        "The memory of a socket has no channels, so nothing could be read from it. Even a socket without memory modules \
         of its own has to be given some here, because its cores would find no home for their lines.",
    ),
    (
        "topology::invalid_memory_size",
        "The size of a socket's memory is zero, negative or not finite. It decides what fits the cache of the server, \
         and how lines spread over the sockets.",
    ),
    (
        "topology::unknown_socket",
        "A link, an uplink or a route names a socket that the topology does not have.",
    ),
    (
        "topology::unknown_bridge",
        "A slot, switch or card names a bridge that the topology does not have.",
    ),
    (
        "topology::unknown_switch",
        "A slot names a PCI Express switch that the topology does not have. Switches are declared with their bridge, \
         slots name them.",
    ),
    (
        "topology::unknown_slot",
        "A card names a slot that the topology does not have. Slots are declared with their bridge, cards name them.",
    ),
    (
        "topology::unknown_card",
        "A disk enclosure names a host bus adapter that the topology does not have.",
    ),
    (
        "topology::self_link",
        "Both ends of a link are the same socket. A link joins two different sockets; memory and cores of one socket \
         need no link.",
    ),
    (
        "topology::too_many_links",
        "A socket has more links to other sockets and to bridges than its part has ports for them. An Opteron of the \
         8000 series has three. If the real one has more, override `link_ports`.",
    ),
    (
        "topology::unreachable_socket",
        "No chain of links leads from the first socket to this one. All sockets of a server share one memory, so each \
         must reach every other; and a port on a socket that nobody reaches could serve nothing.",
    ),
    (
        "topology::invalid_lanes",
        "A PCIe slot or its connector has no lanes, or more than 32. Usual widths are x1, x4, x8 and x16.",
    ),
    (
        "topology::narrow_connector",
        "A connector cannot have fewer lanes than are wired to it. The other way is common: a x16 connector with x8 \
         behind it takes a wide card and runs it at x8.",
    ),
    (
        "topology::card_too_wide",
        "The card has more lanes than the connector of the slot, so it cannot be plugged in. If the connector is wider \
         than what is wired, say so with `connector_lanes` at the slot.",
    ),
    (
        "topology::card_too_high",
        "The bracket of a card of full height does not fit a slot whose `height` is `low`. Choose another slot, or say \
         with `height` at the card what its bracket is: many cards come with both.",
    ),
    (
        "topology::slot_taken",
        "Two cards name the same slot. A slot takes one card; the help line lists the slots that are free.",
    ),
    (
        "topology::integrated_in_slot",
        "The part is a controller on the bridge itself, such as on-board gigabit ports. It takes no slot; name its \
         bridge with `bridge` instead of `slot`.",
    ),
    (
        "topology::needs_slot",
        "The part is a card with a PCIe connector. It sits in a slot of a bridge, not on the bridge itself; name the \
         slot with `slot` instead of `bridge`.",
    ),
    (
        "topology::not_an_hba",
        "A disk enclosure hangs on a card that has no SAS ports, such as a network card.",
    ),
    (
        "topology::no_such_port",
        "A disk enclosure hangs on a port that its host bus adapter does not have. Ports count from 0.",
    ),
    (
        "topology::too_many_paths",
        "A disk enclosure with two paths needs two wide ports that carry data at the same time, one for each path: `ports` \
         of its part says how many it has.",
    ),
    (
        "topology::same_path",
        "The two paths to a disk enclosure go over one port of one adapter, where a second cable would carry nothing \
         more. Give the second path another port or another adapter, or leave it out.",
    ),
    (
        "topology::chain_too_long",
        "More than 8 disk enclosures hang on one port, one behind the other. Spread them over more ports: those on one \
         port share its bandwidth.",
    ),
    (
        "topology::route_to_itself",
        "A route starts and ends at the same socket. Traffic within a socket takes no link, so there is nothing to \
         route.",
    ),
    (
        "topology::duplicate_route",
        "Two routes are given from one socket to another. A pair of sockets has one route in each direction; parallel \
         links on its way share the traffic by themselves.",
    ),
    (
        "topology::route_without_link",
        "A route goes from one socket to another that no link joins directly. List every socket between the two ends in \
         `via`, in order.",
    ),
    (
        "topology::route_revisits",
        "A route comes to the same socket twice, so part of it is a circle.",
    ),
];
