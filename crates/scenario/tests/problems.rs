//! Every kind of problem: its id, and what the caret is under.

use std::path::Path;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_scenario::{MemoryFiles, check_with, explain, load_topology_with, load_with};

const TOPOLOGY: &str = r#"schema = 1
name = "two sockets"

[[socket]]
id = "cpu0"
part = "opteron-8356"
memory = { part = "ddr2-667", channels = 2, size = "32 GiB" }

[[socket]]
id = "cpu1"
part = "opteron-8356"
memory = { part = "ddr2-667", channels = 2, size = "31 GiB" }

[[link]]
ends = ["cpu0", "cpu1"]
part = "ht1-x16"

[[bridge]]
id = "io"
part = "io55"
uplink = { to = "cpu1", part = "ht1-x16" }

[[slot]]
id = "s1"
bridge = "io"
pcie = "gen1 x8"

[[slot]]
id = "s2"
bridge = "io"
pcie = "gen1 x4"

[[card]]
id = "nic0"
part = "neptune-dual-10gbe"
slot = "s1"

[[card]]
id = "hba0"
part = "sas-hba-x8-gen1"
pcie_lanes = 4
slot = "s2"

[[jbod]]
id = "j0"
part = "j4400"
hba = "hba0"
port = 1
"#;

const SCENARIO: &str = r#"schema = 1
name = "reads"
topology = "server.toml"

[stack]
profile = "fishworks-2009"

[[clients]]
id = "c"
count = 4
ports = ["nic0.0"]

[[workload]]
id = "w"
clients = "c"
mix = "read"
io_size = "1 MiB"
working_set = "10 GiB"

[[measured]]
id = "row"
metric = "network_bytes_per_s"
value = "1 GB/s"
source = "a test"

[[expect]]
metric = "ops_per_s"
min = "1 ops/s"
max = "2000 ops/s"
"#;

/// Replaces a text that must be there, once.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "`{from}` is there once");
    text.replacen(from, to, 1)
}

/// The problems of a file, and for each the text that its caret is under.
fn problems(files: &MemoryFiles, path: &str) -> Vec<(Diagnostic, String)> {
    let mut sources = Sources::new();
    let diagnostics = check_with(files, Path::new(path), &mut sources);
    under_carets(diagnostics, &sources)
}

fn under_carets(diagnostics: Vec<Diagnostic>, sources: &Sources) -> Vec<(Diagnostic, String)> {
    diagnostics
        .into_iter()
        .map(|diagnostic| {
            let text = diagnostic.primary.as_ref().map(|place| {
                let text = sources.text(place.source).get(place.range.clone());
                text.expect("a place lies within its text").to_owned()
            });
            (diagnostic, text.unwrap_or_default())
        })
        .collect()
}

/// Asserts that there are just these problems, in this order, each explained.
fn assert_problems(found: &[(Diagnostic, String)], expected: &[(&str, &str)], what: &str) {
    let pairs: Vec<(&str, &str)> = found
        .iter()
        .map(|(diagnostic, text)| (diagnostic.id, text.as_str()))
        .collect();
    assert_eq!(pairs, expected, "{what}: {found:#?}");
    for (diagnostic, _) in found {
        assert!(explain(diagnostic.id).is_some(), "{} is explained", diagnostic.id);
    }
}

fn topology_files(text: &str) -> MemoryFiles {
    MemoryFiles::new().with("server.toml", text)
}

fn scenario_files(text: &str) -> MemoryFiles {
    topology_files(TOPOLOGY).with("reads.toml", text)
}

#[test]
fn the_files_that_the_cases_start_from_are_right() {
    assert_problems(
        &problems(&topology_files(TOPOLOGY), "server.toml"),
        &[],
        "topology",
    );
    assert_problems(
        &problems(&scenario_files(SCENARIO), "reads.toml"),
        &[],
        "scenario",
    );
}

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

/// One edit of the scenario, one problem.
#[test]
fn problems_of_scenarios() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "io_size = \"1 MiB\"",
            "io_size = 1048576",
            "value::bare_number",
            "1048576",
        ),
        ("count = 4", "count = 0", "value::zero", "0"),
        (
            "count = 4",
            "count = 4\nthreads = 4",
            "entry::unknown_field",
            "threads",
        ),
        (
            "count = 4",
            "count = 4\nnics = { count = 2, rate = 125 }",
            "value::bare_number",
            "125",
        ),
        (
            "clients = \"c\"",
            "clients = \"d\"",
            "reference::unknown_clients",
            "\"d\"",
        ),
        (
            "mix = \"read\"",
            "mix = \"reed\"",
            "value::unknown_choice",
            "\"reed\"",
        ),
        (
            "mix = \"read\"",
            "mix = { read = 1, wrte = 1 }",
            "value::unknown_choice",
            "wrte",
        ),
        (
            "mix = \"read\"",
            "mix = { read = 0 }",
            "workload::bad_weight",
            "{ read = 0 }",
        ),
        ("mix = \"read\"", "mix = {}", "workload::empty_mix", "{}"),
        ("mix = \"read\"\n", "", "entry::missing_field", "[[workload]]"),
        (
            "working_set = \"10 GiB\"",
            "working_set = \"10 MB/s\"",
            "value::wrong_unit",
            "MB/s",
        ),
        (
            "working_set = \"10 GiB\"",
            "working_set = \"1 kB\"",
            "workload::larger_than_working_set",
            "\"1 kB\"",
        ),
        (
            "working_set = \"10 GiB\"",
            "working_set = \"1 TB\"",
            "sim::exceeds_cache",
            "\"1 TB\"",
        ),
        (
            "mix = \"read\"",
            "mix = \"write\"",
            "sim::needs_disks",
            "\"write\"",
        ),
        (
            "ports = [\"nic0.0\"]",
            "ports = [\"nic0.2\"]",
            "reference::unknown_port",
            "\"nic0.2\"",
        ),
        (
            "ports = [\"nic0.0\"]",
            "ports = [\"hba0.0\"]",
            "reference::unknown_port",
            "\"hba0.0\"",
        ),
        (
            "metric = \"network_bytes_per_s\"",
            "metric = \"network_bytes\"",
            "reference::unknown_metric",
            "\"network_bytes\"",
        ),
        (
            "metric = \"ops_per_s\"",
            "metric = \"iops\"",
            "reference::unknown_metric",
            "\"iops\"",
        ),
        ("value = \"1 GB/s\"", "value = 1", "value::bare_number", "1"),
        (
            "value = \"1 GB/s\"",
            "value = \"1 GB\"",
            "value::wrong_unit",
            "GB",
        ),
        (
            "min = \"1 ops/s\"",
            "min = \"3000 ops/s\"",
            "scenario::empty_range",
            "\"3000 ops/s\"",
        ),
        (
            "value = \"1 GB/s\"",
            "value = \"1 GB/s\"\nresource = \"port.nic0.0.out\"",
            "scenario::metric_of_resource",
            "\"port.nic0.0.out\"",
        ),
        (
            "value = \"1 GB/s\"",
            "value = \"1 GB/s\"\ntolerance = \"26 %\"\nreason = \" \"",
            "scenario::no_reason",
            "\"26 %\"",
        ),
        (
            "value = \"1 GB/s\"",
            "value = 1\nrelative_to = \"other.toml\"",
            "file::missing",
            "\"other.toml\"",
        ),
        (
            "value = \"1 GB/s\"",
            "value = \"1 GB/s\"\nstatistic = \"averige\"",
            "value::unknown_choice",
            "\"averige\"",
        ),
        (
            "[[measured]]",
            "[bottleneck]\nkind = \"pcie\"\nresources = [\"slot.s9.out\"]\nsource = \"x\"\n[[measured]]",
            "reference::unknown_resource",
            "\"slot.s9.out\"",
        ),
        (
            "[[measured]]",
            "[[measured_link]]\nlink = \"cpu0-cpu1\"\nvalue = \"1 GB/s\"\nrun = \"r\"\nsource = \"x\"\n[[measured]]",
            "reference::unknown_resource",
            "\"cpu0-cpu1\"",
        ),
        (
            "[[workload]]",
            "[[workload]]\nid = \"t\"\nclients = \"c\"\nmix = \"read\"\ntrace = \"a.txt\"\nspeed = 0\n[[workload]]",
            "scenario::trace_speed",
            "0",
        ),
        (
            "[[workload]]",
            "[[workload]]\nid = \"t\"\nclients = \"c\"\nmix = \"read\"\ntrace = \"a.txt\"\n[[workload]]\nid = \"u\"\n\
             clients = \"c\"\nmix = \"read\"\ntrace = \"b.txt\"\n[[workload]]",
            "scenario::two_traces",
            "\"b.txt\"",
        ),
        (
            "min = \"1 ops/s\"\nmax = \"2000 ops/s\"\n",
            "",
            "scenario::no_bound",
            "[[expect]]",
        ),
        (
            "profile = \"fishworks-2009\"",
            "profile = \"fishworks\"",
            "value::unknown_choice",
            "\"fishworks\"",
        ),
        (
            "profile = \"fishworks-2009\"",
            "instructions_per_byte = -1",
            "value::negative",
            "-1",
        ),
        (
            "profile = \"fishworks-2009\"",
            "instructions_per_byte = \"1 GB\"",
            "value::wrong_type",
            "\"1 GB\"",
        ),
        (
            "profile = \"fishworks-2009\"",
            "instructions = 1",
            "entry::unknown_field",
            "instructions",
        ),
        (
            "topology = \"server.toml\"",
            "topology = \"sever.toml\"",
            "file::missing",
            "\"sever.toml\"",
        ),
        (
            "topology = \"server.toml\"",
            "topology = \"reads.toml\"",
            "file::scenario_for_topology",
            "\"reads.toml\"",
        ),
        (
            "topology = \"server.toml\"",
            "topology = \".\"",
            "file::folder",
            "\".\"",
        ),
        (
            "topology = \"server.toml\"",
            "topology = 3",
            "value::wrong_type",
            "3",
        ),
        (
            "topology = \"server.toml\"",
            "topology = { file = 3 }",
            "value::wrong_type",
            "3",
        ),
        (
            "topology = \"server.toml\"\n",
            "",
            "entry::missing_field",
            "schema = 1",
        ),
        (
            "name = \"reads\"",
            "name = \"reads\"\ncard = []",
            "entry::unknown_field",
            "card",
        ),
        (
            "name = \"reads\"",
            "name = \"reads\"\nrun = { mtu = \"500 B\" }",
            "workload::too_small",
            "\"500 B\"",
        ),
        (
            "name = \"reads\"",
            "name = \"reads\"\nrun = { duration = \"0 s\" }",
            "value::zero",
            "\"0 s\"",
        ),
        (
            "[[workload]]",
            "[[clients]]\nid = \"idle\"\n[[workload]]",
            "scenario::unused_clients",
            "\"idle\"",
        ),
        (
            "mix = \"read\"",
            "mix = \"read\"\nprotocol = \"host\"",
            "scenario::unused_by_host",
            "[\"nic0.0\"]",
        ),
        (
            "[[workload]]",
            "[[clients]]\nid = \"c\"\n[[workload]]",
            "entry::duplicate",
            "\"c\"",
        ),
    ];
    for (from, to, id, under) in cases {
        let found = problems(&scenario_files(&edited(SCENARIO, from, to)), "reads.toml");
        assert_problems(&found, &[(id, under)], to);
    }
}

#[test]
fn empty_lists_are_said() {
    let beginning = "schema = 1\nname = \"x\"\ntopology = \"server.toml\"\n";
    let found = problems(
        &scenario_files(&format!("{beginning}clients = []\nworkload = []\n")),
        "reads.toml",
    );
    assert_problems(
        &found,
        &[("scenario::no_clients", "[]"), ("scenario::no_workload", "[]")],
        "empty lists",
    );
    let found = problems(&scenario_files(beginning), "reads.toml");
    assert_problems(
        &found,
        &[
            ("entry::missing_field", "schema = 1"),
            ("entry::missing_field", "schema = 1"),
        ],
        "no lists",
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    let text = edited(TOPOLOGY, "size = \"32 GiB\"", "size = 32");
    let text = edited(&text, "part = \"io55\"", "part = \"io56\"");
    let text = edited(&text, "slot = \"s1\"", "slot = \"s2\"");
    let text = edited(&text, "hba = \"hba0\"", "hba = \"hbaO\"");
    let found = problems(&topology_files(&text), "server.toml");
    assert_problems(
        &found,
        &[
            ("value::bare_number", "32"),
            ("reference::unknown_part", "\"io56\""),
            ("topology::card_too_wide", "\"s2\""),
            ("topology::slot_taken", "\"s2\""),
            ("topology::unknown_card", "\"hbaO\""),
        ],
        "five mistakes",
    );
    assert_eq!(
        found[0].0.help,
        ["write \"32 GB\" (10^9 bytes) or \"32 GiB\" (2^30 bytes)"]
    );
    assert_eq!(found[1].0.help[0], "did you mean `io55`?");
    assert_eq!(found[4].0.help, ["did you mean `hba0`?"]);
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
fn problems_of_whole_files() {
    let cases: &[(&[u8], &str, &str)] = &[
        (b"", "file::empty", ""),
        (b"\n # nothing\n", "file::empty", "# nothing"),
        (b"schema = 1\n", "file::neither", "schema = 1"),
        (b"colour = \"red\"\n", "file::neither", "colour = \"red\""),
        (
            b"[run]\nseed = 1\n\n[[workload]]\nid = \"w\"\n",
            "file::fragment",
            "[run]",
        ),
        (b"schema = \n", "file::syntax", ""),
        (b"name = \"a\xff\"", "file::not_utf8", "\u{fffd}"),
    ];
    for (bytes, id, under) in cases {
        let files = MemoryFiles::new().with("x.toml", *bytes);
        assert_problems(&problems(&files, "x.toml"), &[(id, under)], id);
    }
    let files = MemoryFiles::new().with("folder/server.toml", TOPOLOGY);
    let found = problems(&files, "folder");
    assert_problems(&found, &[("file::folder", "")], "a folder");
    assert_eq!(found[0].0.help, ["in it there is `server.toml`"]);
    let found = problems(&files, "folder/sever.toml");
    assert_problems(&found, &[("file::missing", "")], "a missing file");
    assert_eq!(found[0].0.help, ["did you mean `server.toml`?"]);
    let files = MemoryFiles::new().with("x.toml", vec![b'#'; bandgraph_scenario::MAXIMUM_FILE_SIZE + 1]);
    assert_problems(
        &problems(&files, "x.toml"),
        &[("file::too_large", "")],
        "a large file",
    );
}

/// Whoever asks for a scenario is told the same of an empty file as whoever asks what it is.
#[test]
fn an_empty_file_is_an_empty_file() {
    let files = MemoryFiles::new().with("x.toml", "\n");
    let mut sources = Sources::new();
    let found = load_with(&files, Path::new("x.toml"), &[], &mut sources);
    assert_problems(
        &under_carets(found.err().unwrap_or_default(), &sources),
        &[("file::empty", "")],
        "an empty scenario",
    );
}

#[test]
fn a_file_of_the_other_kind_is_told_apart() {
    let files = scenario_files(SCENARIO);
    let mut sources = Sources::new();
    let found = load_with(&files, Path::new("server.toml"), &[], &mut sources);
    let found = under_carets(found.err().unwrap_or_default(), &sources);
    assert_problems(
        &found,
        &[("file::topology_for_scenario", "schema = 1")],
        "a topology",
    );
    let mut sources = Sources::new();
    let found = load_topology_with(&files, Path::new("reads.toml"), &[], &mut sources);
    let found = under_carets(found.err().unwrap_or_default(), &sources);
    assert_problems(
        &found,
        &[("file::scenario_for_topology", "schema = 1")],
        "a scenario",
    );
}

#[test]
fn includes_that_go_wrong() {
    let files = MemoryFiles::new()
        .with("a.toml", "include = [\"sub/b.toml\"]\n")
        .with("sub/b.toml", "include = [\"../c.toml\"]\n")
        .with(
            "c.toml",
            "include = [\"./sub/../a.toml\"]\n[[socket]]\nid = \"x\"\n",
        );
    let found = problems(&files, "a.toml");
    let cycle = found
        .iter()
        .find(|(diagnostic, _)| diagnostic.id == "file::include_cycle");
    let (cycle, under) = cycle.expect("the cycle is found");
    assert_eq!(under, "\"./sub/../a.toml\"");
    assert_eq!(
        cycle.message,
        "files include each other in a circle: a.toml → sub/b.toml → c.toml → a.toml"
    );

    let files = MemoryFiles::new().with("a.toml", "include = [\"a.toml\"]\n");
    let found = problems(&files, "a.toml");
    assert_eq!(
        found[0].0.message,
        "files include each other in a circle: a.toml → a.toml"
    );

    let files = MemoryFiles::new().with("a.toml", format!("include = \"b.toml\"\n{TOPOLOGY}"));
    assert_problems(
        &problems(&files, "a.toml"),
        &[("value::wrong_type", "\"b.toml\"")],
        "not a list",
    );

    // The version of an included file counts, though the file on top says another.
    let old = edited(TOPOLOGY, "schema = 1", "schema = 0");
    let files = MemoryFiles::new()
        .with("a.toml", "schema = 1\ninclude = [\"b.toml\"]\n")
        .with("b.toml", old);
    assert_problems(
        &problems(&files, "a.toml"),
        &[("file::schema_version", "0")],
        "another version below",
    );

    let deep = (0..40).fold(MemoryFiles::new(), |files, number| {
        files.with(
            format!("{number}.toml"),
            format!("include = [\"{}.toml\"]\n", number + 1),
        )
    });
    let found = problems(&deep, "0.toml");
    assert!(
        found
            .iter()
            .any(|(diagnostic, _)| diagnostic.id == "file::too_many_includes"),
        "{found:?}"
    );
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
        (
            "kind = \"nic\"\nbase = \"neptune-dual-10gbe\"\n".to_owned(),
            &[("entry::missing_field", "[[part]]")],
        ),
    ];
    for (part, expected) in cases {
        assert_problems(&problems(&with_part(part), "server.toml"), expected, part);
    }
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

/// Overrides: what is wrong with them is shown under their own text.
#[test]
fn problems_of_overrides() {
    let cases: &[(&str, &str, &str)] = &[
        ("card.nic0.slot=s9", "topology::unknown_slot", "s9"),
        ("card.*.id=x", "set::identity", "id"),
        ("workload.w.id=v", "set::identity", "id"),
        ("clients.c.count=1000000", "sim::too_many", "1000000"),
        ("card.nic0.slot=s2", "topology::card_too_wide", "s2"),
        ("card.hba0.slot=s1", "topology::slot_taken", "s1"),
        ("card.nicO.slot=s1", "set::no_match", "nicO"),
        ("crad.nic0.slot=s1", "set::unknown_path", "crad"),
        ("card.nic0.slots=s1", "entry::unknown_field", "slots"),
        ("link.*.part=ht9", "reference::unknown_part", "ht9"),
        ("link.*.colour=red", "entry::unknown_field", "colour"),
        ("socket.*.memory.size=64", "value::bare_number", "64"),
        ("socket.*.memory.size=64 GBB", "value::unknown_unit", "GBB"),
        ("run.mtu=0", "workload::too_small", "0"),
        ("run.mtu=-1", "workload::too_small", "-1"),
        ("run.mtu=1500.5", "workload::not_whole", "1500.5"),
        ("card.nic0.slot=", "entry::bad_id", ""),
        ("run.network_latency=20", "value::bare_number", "20"),
        ("run.mut=1500 B", "set::unknown_path", "mut"),
        ("stack.instructions_per_byte=fast", "value::wrong_type", "fast"),
        ("workload.w.io_size=8", "value::bare_number", "8"),
        ("clients.c.count=0", "value::zero", "0"),
        ("topology=none.toml", "file::missing", "none.toml"),
        ("slot.*.pcie=gen2 x9", "value::not_a_pcie_link", "gen2 x9"),
        ("workload", "set::syntax", "workload"),
        ("workload.w=1", "set::incomplete_path", "w"),
    ];
    let files = scenario_files(SCENARIO);
    for (set, id, under) in cases {
        let mut sources = Sources::new();
        let found = load_with(
            &files,
            Path::new("reads.toml"),
            &[(*set).to_owned()],
            &mut sources,
        );
        let mut found = under_carets(found.err().unwrap_or_default(), &sources);
        if *id == "topology::card_too_wide" {
            // The slot has another card in it as well.
            found.retain(|(diagnostic, _)| diagnostic.id == *id);
        }
        assert_problems(&found, &[(id, under)], set);
        let place = found[0].0.primary.as_ref().expect("it has a place");
        assert_eq!(sources.name(place.source), "--set", "{set}");
    }
}

const CALIBRATION: &str = r#"schema = 1
name = "fit"

[[parameter]]
path = "stack.misses_per_byte"
low = 0.01
high = 0.2
source = "a book"

[[parameter]]
path = "run.network_latency"
low = "1 us"
high = "50 us"
source = "a guess"

[[data]]
scenario = "reads.toml"
measured = ["row"]
"#;

/// One edit of the calibration, one problem.
#[test]
fn problems_of_calibrations() {
    let files = |text: &str| scenario_files(SCENARIO).with("fit.toml", text);
    assert_problems(&problems(&files(CALIBRATION), "fit.toml"), &[], "calibration");
    for (from, to, id, under) in [
        ("low = 0.01", "low = 0.2", "calibration::bad_range", "0.2"),
        ("low = 0.01", "low = 0.07", "calibration::bad_range", "0.07"),
        (
            "low = 0.01",
            "low = 0.01\nstart = 0.3",
            "calibration::bad_range",
            "0.01",
        ),
        (
            "low = \"1 us\"",
            "low = \"1 ms\"",
            "calibration::bad_range",
            "\"1 ms\"",
        ),
        ("low = 0.01", "low = true", "calibration::bad_range", "true"),
        (
            "stack.misses_per_byte",
            "stack.homes",
            "calibration::not_a_number",
            "\"stack.homes\"",
        ),
        (
            "stack.misses_per_byte",
            "stack.homes.0",
            "calibration::not_a_number",
            "\"stack.homes.0\"",
        ),
        ("[\"row\"]", "[\"raw\"]", "calibration::unknown_point", "\"raw\""),
        (
            "measured = [\"row\"]",
            "measured = []",
            "calibration::nothing",
            "\"reads.toml\"",
        ),
        (
            "source = \"a book\"\n",
            "",
            "entry::missing_field",
            "[[parameter]]",
        ),
    ] {
        let found = problems(&files(&edited(CALIBRATION, from, to)), "fit.toml");
        assert_problems(&found, &[(id, under)], &format!("{from} → {to}"));
    }
    let none = CALIBRATION
        .split("[[parameter]]")
        .next()
        .expect("the beginning")
        .to_owned()
        + "parameter = []\n[[data]]\nscenario = \"reads.toml\"\n";
    assert_problems(
        &problems(&files(&none), "fit.toml"),
        &[("calibration::nothing", "[]")],
        "no parameter",
    );
    // A calibration is no scenario.
    let mut sources = Sources::new();
    let refused =
        load_with(&files(CALIBRATION), Path::new("fit.toml"), &[], &mut sources).expect_err("another kind");
    assert_eq!(refused[0].id, "file::calibration_for_another");
    assert!(explain(refused[0].id).is_some());
}
