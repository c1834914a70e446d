//! Problems of topologies: one edit of a file that is right, one problem.

use super::*;

/// One edit of the topology, one problem.
#[test]
fn problems_of_topologies() {
    for [id, under, from, to] in cases(include_str!("topologies.txt")) {
        let found = problems(&topology_files(&edited(TOPOLOGY, &from, &to)), "server.toml");
        let found = match id.as_str() {
            // A link to itself also leaves the other socket, and what hangs on it, out of reach.
            "topology::self_link" => found.into_iter().filter(|(found, _)| found.id == id).collect(),
            _ => found,
        };
        assert_problems(&found, &[(&id, &under)], &to);
    }
}

/// The 16 lanes of a slot, and those of the processor: 128, or 8.
#[test]
fn slots_have_no_more_lanes_than_their_processor() {
    let server = include_str!("../../../../examples/first/server.toml");
    assert_problems(
        &problems(&topology_files(server), "server.toml"),
        &[],
        "128 lanes",
    );
    let few = edited(
        server,
        "part = \"epyc-9354\"",
        "part = \"epyc-9354\", pcie_lanes = 8",
    );
    assert_problems(
        &problems(&topology_files(&few), "server.toml"),
        &[("topology::many_lanes", "\"epyc-9354\"")],
        "8 lanes",
    );
    // Slots behind a chipset take none, and those behind a switch its lanes.
    for (part, expected) in [
        ("intel-c620-dmi3", &[][..]),
        ("pcie-switch-gen3", &[("topology::many_lanes", "\"epyc-9354\"")]),
    ] {
        let behind = few.replace("pcie_lanes = 8", "pcie_lanes = 16")
            + &format!(
                "\n[[switch]]\nid = \"pch\"\npart = \"{part}\"\nbridge = \"rc0\"\npcie = \"gen3 x4\"\n"
            );
        let found = problems(&topology_files(&behind), "server.toml");
        assert_problems(&found, expected, part);
    }
}

/// What is wrong with one value of an entry does not hide what is wrong with its names.
#[test]
fn an_entry_can_be_wrong_in_more_than_one_way() {
    let text = edited(
        TOPOLOGY,
        "ends = [\"cpu0\", \"cpu1\"]\npart = \"ht1-x16\"",
        "ends = [\"cpu0\", \"cpu1\"]\npart = \"ht1-x16\"\n[[link]]\nends = [\"cpu0\", \"cpu7\"]\npart = \"ht9\"",
    );
    let text = edited(&text, "slot = \"s2\"", "slot = \"s1\"\nheight = 3");
    assert_problems(
        &problems(&topology_files(&text), "server.toml"),
        &[
            ("topology::unknown_socket", "[\"cpu0\", \"cpu7\"]"),
            ("reference::unknown_part", "\"ht9\""),
            ("topology::slot_taken", "\"s1\""),
            ("value::wrong_type", "3"),
        ],
        "two entries with two mistakes each",
    );
}

/// A part whose name cannot be one is one problem, not one more for each entry that names it.
#[test]
fn a_part_with_a_bad_name_is_one_problem() {
    let text = edited(TOPOLOGY, "part = \"io55\"", "part = \"my.io\"");
    let text = format!("{text}\n[[part]]\nname = \"my.io\"\nkind = \"bridge\"\nbase = \"io55\"\n");
    assert_problems(
        &problems(&topology_files(&text), "server.toml"),
        &[("entry::bad_id", "\"my.io\"")],
        "a name with a dot",
    );
}

/// Of two entries of one name, one has the wrong name: what nothing is called then is probably that one.
#[test]
fn an_id_that_is_there_twice_is_one_problem() {
    let text = edited(TOPOLOGY, "id = \"cpu1\"", "id = \"cpu0\"");
    assert_problems(
        &problems(&topology_files(&text), "server.toml"),
        &[("entry::duplicate", "\"cpu0\"")],
        "two sockets of one name",
    );
    let text = edited(TOPOLOGY, "id = \"io\"", "id = \"i.o\"");
    assert_problems(
        &problems(&topology_files(&text), "server.toml"),
        &[("entry::bad_id", "\"i.o\"")],
        "a bridge whose name has a dot",
    );
    let text = edited(
        &text,
        "id = \"s2\"\nbridge = \"io\"",
        "id = \"s2\"\nbridge = \"oi\"",
    );
    let found = problems(&topology_files(&text), "server.toml");
    assert!(
        found
            .iter()
            .any(|(problem, under)| problem.id == "topology::unknown_bridge" && under == "\"oi\""),
        "two names and one bridge without a name: {found:#?}"
    );
}

/// A misspelt name of a field is one problem, and no missing field.
#[test]
fn a_misspelt_field_is_one_problem() {
    let text = TOPOLOGY.replace("[[socket]]", "[[socekt]]");
    assert_problems(
        &problems(&topology_files(&text), "server.toml"),
        &[("entry::unknown_field", "socekt")],
        "no sockets",
    );
}

#[test]
fn links_are_written_in_the_words_of_files() {
    for (written, meant) in [
        ("PCIe 3.0 x16", "gen3 x16"),
        ("PCI Express 4.0 x8", "gen4 x8"),
        ("Gen5x4", "gen5 x4"),
        ("x4", "gen1 x4"),
        ("fast", "gen1 x8"),
        ("gen7 x16", "gen6 x16"),
    ] {
        let text = edited(TOPOLOGY, "pcie = \"gen1 x8\"", &format!("pcie = \"{written}\""));
        let found = problems(&topology_files(&text), "server.toml");
        assert_eq!(
            found[0].0.help,
            [format!(
                "write a generation, gen1 to gen6, and a width: \"{meant}\""
            )],
            "{written}"
        );
    }
}

/// A misspelt field of a part is not missing too, and cards without slots of their own are not in those of
/// others.
#[test]
fn one_mistake_is_one_error() {
    let text = edited(
        TOPOLOGY,
        "channels = 2, size = \"32 GiB\"",
        "chanels = 2, size = \"32 GiB\"",
    );
    assert_problems(
        &problems(&topology_files(&text), "server.toml"),
        &[("entry::unknown_field", "chanels")],
        "a misspelt field",
    );
    let slots = "[[slot]]\nid = \"bay\"\ncount = 3\nbridge = \"io\"\npcie = \"gen1 x8\"\n";
    let cards = "[[card]]\nid = \"n\"\ncount = 3\npart = \"neptune-dual-10gbe\"\nslot = \"bay[0-1]\"\n";
    assert_problems(
        &problems(
            &topology_files(&format!("{TOPOLOGY}{slots}{cards}")),
            "server.toml",
        ),
        &[("topology::uneven_count", "\"bay[0-1]\"")],
        "too few slots",
    );
}

#[test]
fn a_part_of_another_kind_says_how_many_there_are() {
    let text = edited(
        TOPOLOGY,
        "\"cpu1\"]\npart = \"ht1-x16\"",
        "\"cpu1\"]\npart = \"ddr2-667\"",
    );
    let found = problems(&topology_files(&text), "server.toml");
    let help = &found[0].0.help[0];
    assert!(
        help.contains("`bandgraph parts list --kind socket-link`"),
        "{help}"
    );
    assert!(help.len() < 80, "{help}");
}

#[test]
fn sockets_and_ports_that_nobody_can_reach() {
    let text = edited(
        TOPOLOGY,
        "[[link]]\nends = [\"cpu0\", \"cpu1\"]\npart = \"ht1-x16\"\n",
        "",
    );
    assert_problems(
        &problems(&topology_files(&text), "server.toml"),
        &[
            ("topology::unreachable_socket", "\"cpu1\""),
            ("topology::unreachable_port", "\"s1\""),
            ("topology::unreachable_port", "\"s2\""),
        ],
        "no link",
    );
}

#[test]
fn a_bandwidth_without_unit_says_how_to_write_it() {
    let text = edited(TOPOLOGY, "slot = \"s1\"", "slot = \"s1\"\nport_rate = 4");
    let found = problems(&topology_files(&text), "server.toml");
    assert_problems(&found, &[("value::bare_number", "4")], "a bare bandwidth");
    let help = &found[0].0.help[0];
    assert!(
        help.contains("\"4 GB/s\" (10^9 bytes/s)") && help.contains("\"4 GiB/s\" (2^30 bytes/s)"),
        "{help}"
    );
}

#[test]
fn routes_that_go_wrong() {
    let with_route = |route: &str| topology_files(&format!("{TOPOLOGY}[[route]]\n{route}"));
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            "from = \"cpu0\"\nto = \"cpu1\"\nvia = []\n",
            &[("topology::idle_route", "[[route]]")],
        ),
        (
            "from = \"cpu0\"\nto = \"cpu0\"\nvia = []\n",
            &[("topology::route_to_itself", "\"cpu0\"")],
        ),
        (
            "from = \"cpu0\"\nto = \"cpu9\"\nvia = []\n",
            &[("topology::unknown_socket", "\"cpu9\"")],
        ),
        (
            "from = \"cpu0\"\nto = \"cpu1\"\n",
            &[("entry::missing_field", "[[route]]")],
        ),
        (
            "from = \"cpu0\"\nto = \"cpu1\"\nvia = \"cpu1\"\n",
            &[("value::wrong_type", "\"cpu1\"")],
        ),
    ];
    for (route, expected) in cases {
        assert_problems(&problems(&with_route(route), "server.toml"), expected, route);
    }
}

#[test]
fn own_parts_that_go_wrong() {
    let with_part = |part: &str| topology_files(&format!("{TOPOLOGY}[[part]]\nname = \"mine\"\n{part}"));
    let source = "source = \"a test\"\n";
    let cases: &[(String, &[(&str, &str)])] = &[
        (
            format!("kind = \"nic\"\nbase = \"neptune-dual-10gbe\"\nport_rate = \"25 Gbit/s\"\n{source}"),
            &[],
        ),
        (
            format!("kind = \"hba\"\nbase = \"neptune-dual-10gbe\"\n{source}"),
            &[("reference::part_of_another_kind", "\"neptune-dual-10gbe\"")],
        ),
        (
            format!("kind = \"nick\"\n{source}"),
            &[("value::unknown_choice", "\"nick\"")],
        ),
        (
            format!("kind = \"nic\"\nbase = \"neptun\"\n{source}"),
            &[("reference::unknown_part", "\"neptun\"")],
        ),
        (
            format!("kind = \"nic\"\nports = 2\n{source}"),
            &[("entry::missing_field", "[[part]]")],
        ),
        (
            format!("kind = \"nic\"\nbase = \"neptune-dual-10gbe\"\nport_rate = 25\n{source}"),
            &[("value::bare_number", "25")],
        ),
        ("kind = \"nic\"\nbase = \"neptune-dual-10gbe\"\n".to_owned(), &[]),
    ];
    for (part, expected) in cases {
        assert_problems(&problems(&with_part(part), "server.toml"), expected, part);
    }
}
