//! Every kind of error, with a specification that has only this error.

use std::collections::BTreeSet;

use bandgraph_hardware::{CardHeight, DiskPart, DrivePart, SocketLinkPart, catalogue};
use bandgraph_testkit::{Generation, seven_four_ten, seven_four_ten_onboard};
use bandgraph_topology::{
    CardPart, EXPLANATIONS, ElementKind, JbodSpec, LinkSpec, MAX_ELEMENTS, NodesSpec, RouteSpec, Seat,
    SecondPath, Topology, TopologyError, TopologySpec,
};
use bandgraph_units::{Bandwidth, Bytes, Fraction, Frequency};

/// A mistake, and its expected message.
struct Case {
    id: &'static str,
    /// List, index and field of the error.
    place: (ElementKind, usize, &'static str),
    message: &'static str,
    mistake: fn(&mut TopologySpec),
}

fn route(from: &str, to: &str, via: &[&str]) -> RouteSpec {
    RouteSpec {
        from: from.to_owned(),
        to: to.to_owned(),
        via: via.iter().map(|&socket| socket.to_owned()).collect(),
        responses_via: None,
    }
}

fn second_path(hba: Option<&str>, port: u32) -> SecondPath {
    let hba = hba.map(str::to_owned);
    SecondPath { hba, port }
}

fn in_nodes(count: u32) -> NodesSpec {
    NodesSpec {
        count,
        link: SocketLinkPart::default(),
    }
}

fn rename(socket: &str, to: &str, spec: &mut TopologySpec) {
    for id in spec
        .sockets
        .iter_mut()
        .map(|socket| &mut socket.id)
        .chain(spec.links.iter_mut().flat_map(|link| &mut link.ends))
    {
        if id == socket {
            to.clone_into(id);
        }
    }
    spec.routes.clear();
}

const CASES: &[Case] = &[
    Case {
        id: "topology::no_sockets",
        place: (ElementKind::Topology, 0, "socket"),
        message: "a topology needs at least one socket",
        mistake: |spec| *spec = TopologySpec::default(),
    },
    Case {
        id: "topology::too_many",
        place: (ElementKind::Topology, 0, ""),
        message: "65 sockets are more than the 64 that are possible",
        mistake: |spec| spec.sockets = vec![spec.sockets[0].clone(); 65],
    },
    Case {
        id: "topology::too_many",
        place: (ElementKind::Topology, 0, ""),
        message: "4129 elements are more than the 4096 that are possible",
        mistake: |spec| spec.slots.extend(vec![spec.slots[0].clone(); MAX_ELEMENTS]),
    },
    Case {
        id: "topology::too_many",
        place: (ElementKind::Topology, 0, ""),
        message: "100 sockets on one route are more than the 64 that are possible",
        mistake: |spec| spec.routes[0].via = vec!["cpu1".to_owned(); 100],
    },
    Case {
        id: "topology::too_many",
        place: (ElementKind::Topology, 0, ""),
        message: "71854 resources are more than the 65536 that are possible",
        mistake: |spec| {
            let jbod = spec.jbods.pop().expect("there are enclosures");
            let hbas: Vec<_> = (0..6)
                .map(|index| (format!("hba{}", index % 3), index / 3))
                .collect();
            spec.jbods.clear();
            for (hba, port) in &hbas {
                for _ in 0..8 {
                    let id = format!("k{}", spec.jbods.len());
                    spec.jbods.push(JbodSpec {
                        id,
                        hba: hba.clone(),
                        port: *port,
                        ..jbod.clone()
                    });
                }
            }
            // 48 shelves of 1024 disks are not enough; together with 174 cards of 64 ports they are.
            spec.jbods.iter_mut().for_each(|jbod| jbod.part.disks = 1024);
            let slot = spec.slots[2].clone();
            let nic = spec.cards[0].clone();
            for index in 0..174 {
                let id = format!("t{index}");
                spec.slots.push(bandgraph_topology::SlotSpec {
                    id: id.clone(),
                    ..slot.clone()
                });
                let mut card = nic.clone();
                card.id = format!("n{index}");
                card.seat = Seat::Slot(id);
                let CardPart::Nic(part) = &mut card.part else {
                    continue;
                };
                part.ports = 64;
                spec.cards.push(card);
            }
        },
    },
    Case {
        id: "topology::invalid_id",
        place: (ElementKind::Card, 0, "id"),
        message: "`nic 0` is not an id: letters, digits, `_` and `-`, at most 64 of them",
        mistake: |spec| "nic 0".clone_into(&mut spec.cards[0].id),
    },
    Case {
        id: "topology::invalid_id",
        place: (ElementKind::Card, 1, "id"),
        message: "`` is not an id: letters, digits, `_` and `-`, at most 64 of them",
        mistake: |spec| spec.cards[1].id.clear(),
    },
    Case {
        id: "topology::duplicate_id",
        place: (ElementKind::Card, 1, "id"),
        message: "id `nic0` is used twice",
        mistake: |spec| "nic0".clone_into(&mut spec.cards[1].id),
    },
    Case {
        id: "topology::ambiguous_id",
        place: (ElementKind::Link, 3, "ends"),
        message: "ids are ambiguous: two resources would be called `link.a-b-c`",
        mistake: |spec| {
            for (socket, to) in [("cpu1", "b-c"), ("cpu2", "a-b"), ("cpu3", "c"), ("cpu0", "a")] {
                rename(socket, to, spec);
            }
            "a".clone_into(&mut spec.bridges[0].uplink_to);
            "b-c".clone_into(&mut spec.bridges[1].uplink_to);
        },
    },
    Case {
        id: "topology::invalid_field",
        place: (ElementKind::Link, 1, "clock"),
        message: "`clock` must be more than zero, not 0 Hz",
        mistake: |spec| spec.links[1].part.clock = Frequency::ZERO,
    },
    Case {
        id: "topology::invalid_field",
        place: (ElementKind::Socket, 2, "clock"),
        message: "`clock` must be a finite number",
        mistake: |spec| spec.sockets[2].part.clock = Frequency::new(f64::INFINITY),
    },
    Case {
        id: "topology::invalid_field",
        place: (ElementKind::Memory, 3, "transfer_rate"),
        message: "`transfer_rate` must be more than zero, not -1 B/s",
        mistake: |spec| spec.sockets[3].memory.part.transfer_rate = Bandwidth::new(-1.0),
    },
    Case {
        id: "topology::invalid_field",
        place: (ElementKind::Uplink, 1, "ceiling"),
        message: "`ceiling` must be at most 100 %, not 120 %",
        mistake: |spec| spec.bridges[1].uplink.as_mut().expect("it has one").ceiling = Fraction::new(1.2),
    },
    Case {
        id: "topology::invalid_field",
        place: (ElementKind::Disk, 0, "outer_rate"),
        message: "`outer_rate` must be a finite number",
        mistake: |spec| {
            let disk = DiskPart {
                outer_rate: Bandwidth::new(f64::NAN),
                ..DiskPart::default()
            };
            spec.jbods[0].disk = disk.into();
        },
    },
    Case {
        id: "topology::no_channels",
        place: (ElementKind::Memory, 1, "channels"),
        message: "memory of `cpu1` has no channels",
        mistake: |spec| spec.sockets[1].memory.channels = 0,
    },
    Case {
        id: "topology::indivisible",
        place: (ElementKind::Socket, 2, "numa_nodes"),
        message: "`cpu2` cannot be divided in 2 NUMA nodes: firmware does not divide opteron-8356",
        mistake: |spec| spec.sockets[2].nodes = Some(in_nodes(2)),
    },
    Case {
        id: "topology::indivisible",
        place: (ElementKind::Socket, 1, "numa_nodes"),
        message: "`cpu1` cannot be divided in 4 NUMA nodes: it has 1 core",
        mistake: |spec| {
            spec.sockets[1].part.maximum_numa_nodes = 4;
            spec.sockets[1].part.cores = 1;
            spec.sockets[1].nodes = Some(in_nodes(4));
        },
    },
    Case {
        id: "topology::indivisible",
        place: (ElementKind::Socket, 1, "numa_nodes"),
        message: "`cpu1` cannot be divided in 4 NUMA nodes: its 2 memory channels cannot be divided evenly",
        mistake: |spec| {
            spec.sockets[1].part.maximum_numa_nodes = 4;
            spec.sockets[1].nodes = Some(in_nodes(4));
        },
    },
    Case {
        id: "topology::indivisible",
        place: (ElementKind::Socket, 1, "numa_nodes"),
        message: "`cpu1` cannot be divided in 2 NUMA nodes: the topology has `[[route]]` entries, which name \
                  whole sockets",
        mistake: |spec| {
            spec.sockets[1].part.maximum_numa_nodes = 2;
            spec.sockets[1].nodes = Some(in_nodes(2));
        },
    },
    Case {
        id: "topology::invalid_memory_size",
        place: (ElementKind::Memory, 1, "size"),
        message: "memory of `cpu1` has a size of 0 B; it must be finite and more than zero",
        mistake: |spec| spec.sockets[1].memory.size = Bytes::ZERO,
    },
    Case {
        id: "topology::unknown_socket",
        place: (ElementKind::Link, 2, "ends"),
        message: "there is no socket `cpu9`",
        mistake: |spec| "cpu9".clone_into(&mut spec.links[2].ends[1]),
    },
    Case {
        id: "topology::unknown_socket",
        place: (ElementKind::Uplink, 0, "to"),
        message: "there is no socket `mcp55`",
        mistake: |spec| "mcp55".clone_into(&mut spec.bridges[0].uplink_to),
    },
    Case {
        id: "topology::unknown_socket",
        place: (ElementKind::Route, 0, "via"),
        message: "there is no socket `cpu22`",
        mistake: |spec| spec.routes[0].via = vec!["cpu22".to_owned()],
    },
    Case {
        id: "topology::unknown_bridge",
        place: (ElementKind::Slot, 5, "bridge"),
        message: "there is no bridge `io5`",
        mistake: |spec| "io5".clone_into(&mut spec.slots[5].bridge),
    },
    Case {
        id: "topology::unknown_switch",
        place: (ElementKind::Slot, 0, "switch"),
        message: "there is no switch `sw1`",
        mistake: |spec| spec.slots[0].switch = Some("sw1".to_owned()),
    },
    Case {
        id: "topology::unknown_slot",
        place: (ElementKind::Card, 0, "slot"),
        message: "there is no slot `s11`",
        mistake: |spec| spec.cards[0].seat = Seat::Slot("s11".to_owned()),
    },
    Case {
        id: "topology::unknown_card",
        place: (ElementKind::Jbod, 7, "hba"),
        message: "there is no card `hba3`",
        mistake: |spec| "hba3".clone_into(&mut spec.jbods[7].hba),
    },
    Case {
        id: "topology::self_link",
        place: (ElementKind::Link, 4, "ends"),
        message: "link from `cpu3` to itself",
        mistake: |spec| {
            let part = spec.links[0].part.clone();
            spec.links.push(LinkSpec {
                ends: ["cpu3".to_owned(), "cpu3".to_owned()],
                part,
                weight: 1.0,
            });
        },
    },
    Case {
        id: "topology::too_many_links",
        place: (ElementKind::Socket, 0, "id"),
        message: "`cpu0` has 4 links and uplinks, but its opteron-8356 has 3 link ports",
        mistake: |spec| {
            let part = spec.links[0].part.clone();
            spec.links.push(LinkSpec {
                ends: ["cpu0".to_owned(), "cpu3".to_owned()],
                part,
                weight: 1.0,
            });
        },
    },
    Case {
        id: "topology::unreachable_socket",
        place: (ElementKind::Socket, 3, "id"),
        message: "no links join `cpu3` to `cpu0`",
        mistake: |spec| {
            spec.links.truncate(2);
            spec.routes.clear();
        },
    },
    Case {
        id: "topology::invalid_lanes",
        place: (ElementKind::Slot, 2, "pcie"),
        message: "x0 is not a width: 1 to 32 lanes",
        mistake: |spec| spec.slots[2].pcie.lanes = 0,
    },
    Case {
        id: "topology::invalid_lanes",
        place: (ElementKind::Slot, 2, "connector_lanes"),
        message: "x64 is not a width: 1 to 32 lanes",
        mistake: |spec| spec.slots[2].connector_lanes = Some(64),
    },
    Case {
        id: "topology::narrow_connector",
        place: (ElementKind::Slot, 2, "connector_lanes"),
        message: "slot `s3` has x8 wired to a x4 connector",
        mistake: |spec| spec.slots[2].connector_lanes = Some(4),
    },
    Case {
        id: "topology::card_too_wide",
        place: (ElementKind::Card, 0, "slot"),
        message: "card `nic0` is x8 and does not fit slot `s1`, whose connector is x4",
        mistake: |spec| spec.slots[0].pcie.lanes = 4,
    },
    Case {
        id: "topology::card_too_high",
        place: (ElementKind::Card, 0, "slot"),
        message: "card `nic0` is of full height and does not fit slot `s1`, which takes low-profile cards",
        mistake: |spec| {
            spec.slots[0].height = CardHeight::Low;
            if let CardPart::Nic(nic) = &mut spec.cards[0].part {
                nic.height = CardHeight::Full;
            }
        },
    },
    Case {
        id: "topology::slot_taken",
        place: (ElementKind::Card, 1, "slot"),
        message: "slot `s1` has card `nic0` in it already",
        mistake: |spec| spec.cards[1].seat = Seat::Slot("s1".to_owned()),
    },
    Case {
        id: "topology::integrated_in_slot",
        place: (ElementKind::Card, 5, "slot"),
        message: "card `onboard0` is integrated on its bridge (onboard-1gbe) and does not go into a slot",
        mistake: |spec| {
            *spec = seven_four_ten_onboard(Generation::Barcelona);
            spec.cards[5].seat = Seat::Slot("s3".to_owned());
        },
    },
    Case {
        id: "topology::needs_slot",
        place: (ElementKind::Card, 2, "bridge"),
        message: "card `hba0` (sas-hba-x8-gen1) needs a slot, and cannot sit on bridge `io55` itself",
        mistake: |spec| spec.cards[2].seat = Seat::Bridge("io55".to_owned()),
    },
    Case {
        id: "topology::not_an_hba",
        place: (ElementKind::Jbod, 0, "hba"),
        message: "card `nic0` is not a host bus adapter, and has no ports for disks",
        mistake: |spec| "nic0".clone_into(&mut spec.jbods[0].hba),
    },
    Case {
        id: "topology::wrong_interface",
        place: (ElementKind::Jbod, 0, "hba"),
        message: "`sas-146gb-10k` speaks SAS, and the ports of `hba0` (sas-hba-x8-gen1) are SATA",
        mistake: |spec| {
            if let CardPart::Hba(hba) = &mut spec.cards[2].part {
                "SATA".clone_into(&mut hba.technology);
            }
            let disk = catalogue().disk("sas-146gb-10k").expect("in the catalogue");
            spec.jbods[0].disk = DrivePart::Disk(disk.clone());
        },
    },
    Case {
        id: "topology::no_such_port",
        place: (ElementKind::Jbod, 0, "port"),
        message: "`hba0` has no port 2: its ports are 0 to 1",
        mistake: |spec| spec.jbods[0].port = 2,
    },
    Case {
        id: "topology::unknown_card",
        place: (ElementKind::Jbod, 0, "second_hba"),
        message: "there is no card `hba9`",
        mistake: |spec| spec.jbods[0].second_path = Some(second_path(Some("hba9"), 0)),
    },
    Case {
        id: "topology::not_an_hba",
        place: (ElementKind::Jbod, 0, "second_hba"),
        message: "card `nic0` is not a host bus adapter, and has no ports for disks",
        mistake: |spec| spec.jbods[0].second_path = Some(second_path(Some("nic0"), 0)),
    },
    Case {
        id: "topology::no_such_port",
        place: (ElementKind::Jbod, 0, "second_port"),
        message: "`hba0` has no port 2: its ports are 0 to 1",
        mistake: |spec| spec.jbods[0].second_path = Some(second_path(None, 2)),
    },
    Case {
        id: "topology::same_path",
        place: (ElementKind::Jbod, 0, "second_port"),
        message: "both paths to `j0` are port 0 of `hba0`",
        mistake: |spec| spec.jbods[0].second_path = Some(second_path(Some("hba0"), 0)),
    },
    Case {
        id: "topology::too_many_paths",
        place: (ElementKind::Jbod, 0, "second_port"),
        message: "`j0` has two paths, but j4400 takes 1",
        mistake: |spec| {
            spec.jbods[0].part.ports = 1;
            spec.jbods[0].second_path = Some(second_path(None, 1));
        },
    },
    Case {
        id: "topology::chain_too_long",
        place: (ElementKind::Jbod, 15, "port"),
        message: "more than 8 enclosures are chained on port 1 of `hba2`",
        mistake: |spec| {
            let last = spec.jbods[5].clone();
            spec.jbods.extend((8..18).map(|index| JbodSpec {
                id: format!("j{index}"),
                ..last.clone()
            }));
            // One error for the chain, at the first enclosure beyond the limit.
        },
    },
    Case {
        id: "topology::route_to_itself",
        place: (ElementKind::Route, 4, "to"),
        message: "route from `cpu0` to itself",
        mistake: |spec| spec.routes.push(route("cpu0", "cpu0", &["cpu1"])),
    },
    Case {
        id: "topology::duplicate_route",
        place: (ElementKind::Route, 4, "from"),
        message: "the route from `cpu0` to `cpu3` is given twice",
        mistake: |spec| spec.routes.push(route("cpu0", "cpu3", &["cpu1"])),
    },
    Case {
        id: "topology::route_without_link",
        place: (ElementKind::Route, 0, "via"),
        message: "the route from `cpu0` to `cpu3` needs a link from `cpu0` to `cpu3`, and there is none",
        mistake: |spec| spec.routes[0].via.clear(),
    },
    Case {
        id: "topology::route_revisits",
        place: (ElementKind::Route, 0, "via"),
        message: "the route from `cpu0` to `cpu3` comes to `cpu0` twice",
        mistake: |spec| spec.routes[0] = route("cpu0", "cpu3", &["cpu1", "cpu0", "cpu2"]),
    },
];

fn errors_of(mistake: fn(&mut TopologySpec)) -> Vec<TopologyError> {
    let mut spec = seven_four_ten(Generation::Barcelona);
    mistake(&mut spec);
    Topology::build(spec).expect_err("the specification has a mistake in it")
}

#[test]
fn every_mistake_is_one_error_at_its_place() {
    for case in CASES {
        let errors = errors_of(case.mistake);
        let found: Vec<_> = errors
            .iter()
            .map(|error| {
                let at = error.element();
                (error.id(), (at.kind, at.index, at.field), error.to_string())
            })
            .collect();
        assert_eq!(found.len(), 1, "{}: {found:?}", case.id);
        assert_eq!(found[0], (case.id, case.place, case.message.to_owned()));
    }
}

#[test]
fn every_kind_of_error_is_shown_and_explained() {
    let shown: BTreeSet<&str> = CASES.iter().map(|case| case.id).collect();
    let explained: Vec<&str> = EXPLANATIONS
        .split("\n\n")
        .filter_map(|entry| entry.lines().next())
        .collect();
    assert_eq!(shown, explained.iter().copied().collect());
    assert_eq!(shown.len(), explained.len(), "no id is explained twice");
}

#[test]
fn all_errors_come_at_once() {
    let mut spec = seven_four_ten(Generation::Istanbul);
    spec.sockets[0].part.clock = Frequency::ZERO;
    spec.cards[0].seat = Seat::Slot("s9".to_owned());
    "nic0".clone_into(&mut spec.cards[1].id);
    spec.jbods[0].port = 9;
    spec.routes[0].via.clear();
    spec.slots[1].pcie.lanes = 4;
    let errors = Topology::build(spec).expect_err("the specification has mistakes in it");
    let ids: Vec<_> = errors.iter().map(TopologyError::id).collect();
    assert_eq!(
        ids,
        [
            "topology::duplicate_id",
            "topology::invalid_field",
            "topology::unknown_slot",
            "topology::card_too_wide",
            "topology::no_such_port",
            "topology::route_without_link",
        ]
    );
}

#[test]
fn errors_say_what_would_be_right() {
    let only = |mistake: fn(&mut TopologySpec)| errors_of(mistake).remove(0);
    let unknown = only(|spec| "cpu9".clone_into(&mut spec.links[2].ends[1]));
    assert_eq!(unknown.wrong_name(), Some("cpu9"));
    assert_eq!(unknown.candidates(), ["cpu0", "cpu1", "cpu2", "cpu3"]);
    assert_eq!(
        unknown.help().as_deref(),
        Some("there are `cpu0`, `cpu1`, `cpu2`, `cpu3`")
    );
    let wide = only(|spec| spec.slots[0].pcie.lanes = 4);
    assert_eq!(wide.candidates(), ["s2", "s3", "s4", "s5", "s6"]);
    let help = wide.help().expect("what would be right");
    assert!(
        help.ends_with("wider than its wiring, give it `connector_lanes = 8`"),
        "{help}"
    );
    let taken = only(|spec| spec.cards[1].seat = Seat::Slot("s1".to_owned()));
    assert_eq!(taken.help().as_deref(), Some("without a card: `s3`, `s4`"));
    assert_eq!(
        taken.related().map(|first| (first.kind, first.index)),
        Some((ElementKind::Card, 0))
    );
    let adapter = only(|spec| "nic0".clone_into(&mut spec.jbods[0].hba));
    assert_eq!(adapter.candidates(), ["hba0", "hba1", "hba2"]);
}

#[test]
fn long_names_are_cut_in_messages() {
    let errors = errors_of(|spec| spec.cards[0].seat = Seat::Slot("s".repeat(100_000)));
    assert!(errors[0].to_string().len() < 200);
}

/// Each of 4000 wrong names has the list of valid ones, which they share.
#[test]
fn many_errors_take_little_memory() {
    let errors = errors_of(|spec| {
        let slot = spec.slots[0].clone();
        for index in 0..4000 {
            let id = format!("t{index}");
            spec.slots.push(bandgraph_topology::SlotSpec {
                id,
                bridge: "none".to_owned(),
                ..slot.clone()
            });
        }
    });
    assert_eq!(errors.len(), 4000);
    let lists: BTreeSet<*const String> = errors.iter().map(|error| error.candidates().as_ptr()).collect();
    assert_eq!(lists.len(), 1);
}
