//! Problems of topologies: one edit of a file that is right, one problem.

use super::*;

/// One edit of the topology, one problem.
#[test]
fn problems_of_topologies() {
    let cases: &[(&str, &str, &str, &str)] = &[
        // Units and numbers.
        ("size = \"32 GiB\"", "size = 32", "value::bare_number", "32"),
        ("size = \"32 GiB\"", "size = \"32\"", "value::bare_number", "32"),
        (
            "size = \"32 GiB\"",
            "size = \"32 GiBB\"",
            "value::unknown_unit",
            "GiBB",
        ),
        (
            "size = \"32 GiB\"",
            "size = \"32 GB/s\"",
            "value::wrong_unit",
            "GB/s",
        ),
        (
            "size = \"32 GiB\"",
            "size = \"much\"",
            "value::not_a_quantity",
            "much",
        ),
        (
            "size = \"32 GiB\"",
            "size = \"0 GiB\"",
            "value::zero",
            "\"0 GiB\"",
        ),
        (
            "size = \"32 GiB\"",
            "size = \"-32 GiB\"",
            "value::negative",
            "\"-32 GiB\"",
        ),
        ("size = \"32 GiB\"", "size = inf", "value::not_finite", "inf"),
        ("size = \"32 GiB\"", "size = nan", "value::not_finite", "nan"),
        (
            "size = \"32 GiB\"",
            "size = \"1e999 GiB\"",
            "value::not_finite",
            "1e999",
        ),
        ("size = \"32 GiB\"", "size = true", "value::wrong_type", "true"),
        (
            "channels = 2, size = \"32",
            "channels = 0, size = \"32",
            "value::zero",
            "0",
        ),
        (
            "channels = 2, size = \"32",
            "channels = -2, size = \"32",
            "value::negative",
            "-2",
        ),
        (
            "channels = 2, size = \"32",
            "channels = 65, size = \"32",
            "value::out_of_range",
            "65",
        ),
        (
            "channels = 2, size = \"32",
            "channels = 2.5, size = \"32",
            "value::wrong_type",
            "2.5",
        ),
        (
            "channels = 2, size = \"32",
            "channels = 99999999999999999999, size = \"32",
            "value::too_many_digits",
            "99999999999999999999",
        ),
        // Fields of parts, overridden in place.
        (
            "part = \"ht1-x16\"\n\n",
            "part = \"ht1-x16\"\nclock = 1\n\n",
            "value::bare_number",
            "1",
        ),
        (
            "part = \"ht1-x16\"\n\n",
            "part = \"ht1-x16\"\nclock = \"0 GHz\"\n\n",
            "value::zero",
            "\"0 GHz\"",
        ),
        (
            "part = \"ht1-x16\"\n\n",
            "part = \"ht1-x16\"\nclock = \"-1 GHz\"\n\n",
            "value::negative",
            "\"-1 GHz\"",
        ),
        (
            "part = \"ht1-x16\"\n\n",
            "part = \"ht1-x16\"\nceiling = 0.87\n\n",
            "value::bare_number",
            "0.87",
        ),
        (
            "part = \"ht1-x16\"\n\n",
            "part = \"ht1-x16\"\nceiling = \"120 %\"\n\n",
            "value::out_of_range",
            "\"120 %\"",
        ),
        ("pcie_lanes = 4", "pcie_lanes = -4", "value::negative", "-4"),
        (
            "pcie_lanes = 4",
            "pcie_lanes = 4\nheight = \"lo\"",
            "value::unknown_choice",
            "\"lo\"",
        ),
        (
            "pcie_lanes = 4",
            "pcie_lanes = 4\ncolour = \"red\"",
            "entry::unknown_field",
            "colour",
        ),
        (
            "port = 1",
            "port = 1\ndisk = \"floppy\"",
            "reference::unknown_part",
            "\"floppy\"",
        ),
        // Other values.
        (
            "pcie = \"gen1 x8\"",
            "pcie = \"gen1 x7\"",
            "value::not_a_pcie_link",
            "\"gen1 x7\"",
        ),
        (
            "pcie = \"gen1 x8\"",
            "pcie = \"gen2 x8\"",
            "topology::fast_slot",
            "\"gen2 x8\"",
        ),
        (
            "pcie = \"gen1 x8\"",
            "pcie = \"gen9 x8\"",
            "value::not_a_pcie_link",
            "\"gen9 x8\"",
        ),
        (
            "ends = [\"cpu0\", \"cpu1\"]",
            "ends = [\"cpu0\", \"cpu1\", \"cpu0\"]",
            "value::two_ends",
            "[\"cpu0\", \"cpu1\", \"cpu0\"]",
        ),
        ("id = \"j0\"", "id = \"j.0\"", "entry::bad_id", "\"j.0\""),
        ("id = \"j0\"", "id = \"\"", "entry::bad_id", "\"\""),
        (
            "id = \"j0\"",
            "id = \"j\\u0007\"",
            "value::control_character",
            "\"j\\u0007\"",
        ),
        ("id = \"j0\"\n", "", "entry::missing_field", "[[jbod]]"),
        ("schema = 1", "schema = 2", "file::schema_version", "2"),
        (
            "schema = 1\n",
            "",
            "entry::missing_field",
            "name = \"two sockets\"",
        ),
        (
            "part = \"io55\"",
            "part = \"io56\"",
            "reference::unknown_part",
            "\"io56\"",
        ),
        (
            "part = \"io55\"",
            "part = \"ht1-x16\"",
            "reference::part_of_another_kind",
            "\"ht1-x16\"",
        ),
        (
            "name = \"two sockets\"",
            "name = \"two sockets\"\nclocks = 4",
            "entry::unknown_field",
            "clocks",
        ),
        ("name = \"two sockets\"", "name = 2", "value::wrong_type", "2"),
        // Names and structure.
        (
            "port = 1",
            "port = 1\n[[jbod]]\nid = \"j0\"",
            "entry::duplicate",
            "\"j0\"",
        ),
        (
            "id = \"s2\"\nbridge = \"io\"",
            "id = \"s2\"\nbridge = \"oi\"",
            "topology::unknown_bridge",
            "\"oi\"",
        ),
        (
            "slot = \"s1\"",
            "slot = \"s9\"",
            "topology::unknown_slot",
            "\"s9\"",
        ),
        (
            "hba = \"hba0\"",
            "hba = \"hba1\"",
            "topology::unknown_card",
            "\"hba1\"",
        ),
        (
            "hba = \"hba0\"",
            "hba = \"nic0\"",
            "topology::not_an_hba",
            "\"nic0\"",
        ),
        ("port = 1", "port = 2", "topology::no_such_port", "2"),
        (
            "port = 1",
            "port = 1\nsecond_port = 2",
            "topology::no_such_port",
            "2",
        ),
        (
            "port = 1",
            "port = 1\nsecond_port = 1",
            "topology::same_path",
            "1",
        ),
        (
            "port = 1",
            "port = 0\nsecond_hba = \"hba0\"",
            "topology::same_path",
            "\"hba0\"",
        ),
        (
            "port = 1",
            "port = 1\nsecond_hba = \"hba1\"",
            "topology::unknown_card",
            "\"hba1\"",
        ),
        (
            "part = \"j4400\"",
            "part = \"two-bays\"\nsecond_port = 0",
            "topology::too_many_paths",
            "0",
        ),
        (
            "to = \"cpu1\"",
            "to = \"cpu2\"",
            "topology::unknown_socket",
            "\"cpu2\"",
        ),
        ("slot = \"s2\"", "slot = \"s1\"", "topology::slot_taken", "\"s1\""),
        ("pcie_lanes = 4\n", "", "topology::card_too_wide", "\"s2\""),
        (
            "slot = \"s2\"",
            "slot = \"s2\"\nbridge = \"io\"",
            "topology::two_seats",
            "\"s2\"",
        ),
        ("slot = \"s2\"\n", "", "topology::no_seat", "[[card]]"),
        (
            "slot = \"s2\"",
            "slot = \"s[2-3]\"",
            "topology::uneven_count",
            "\"s[2-3]\"",
        ),
        (
            "uplink = { to = \"cpu1\", part = \"ht1-x16\" }",
            "uplink = { to = \"cpu1\", part = \"ht1-x16\" }\nsocket = \"cpu1\"",
            "topology::two_seats",
            "\"cpu1\"",
        ),
        (
            "uplink = { to = \"cpu1\", part = \"ht1-x16\" }",
            "socket = \"cpu2\"",
            "topology::unknown_socket",
            "\"cpu2\"",
        ),
        (
            "slot = \"s1\"",
            "bridge = \"io\"",
            "topology::needs_slot",
            "\"io\"",
        ),
        (
            "id = \"j0\"",
            "id = \"cpu0\"",
            "topology::duplicate_id",
            "\"cpu0\"",
        ),
        (
            "ends = [\"cpu0\", \"cpu1\"]",
            "ends = [\"cpu0\", \"cpu0\"]",
            "topology::self_link",
            "[\"cpu0\", \"cpu0\"]",
        ),
    ];
    for (from, to, id, under) in cases {
        let found = problems(&topology_files(&edited(TOPOLOGY, from, to)), "server.toml");
        let found = match *id {
            // A link to itself also leaves the other socket, and what hangs on it, out of reach.
            "topology::self_link" => found.into_iter().filter(|(found, _)| found.id == *id).collect(),
            _ => found,
        };
        assert_problems(&found, &[(id, under)], to);
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
