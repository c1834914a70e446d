//! Problems of scenarios: one edit of a file that is right, one problem.

use super::*;

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
            "[[workload]]\nid = \"t\"\nclients = \"c\"\nmix = \"read\"\nread_sizes = \"4 KiB=0\"\n[[workload]]",
            "scenario::sizes",
            "\"4 KiB=0\"",
        ),
        (
            "[[workload]]",
            "[[workload]]\nid = \"t\"\nclients = \"c\"\nmix = \"read\"\ntrace = \"a.txt\"\nramp = \"5 s\"\n[[workload]]",
            "scenario::trace_schedule",
            "\"5 s\"",
        ),
        (
            "[[workload]]",
            "[[workload]]\nid = \"t\"\nclients = \"c\"\nmix = \"read\"\ntrace = \"a.txt\"\nstop = \"5 s\"\n\
             timing = \"as-fast-as-possible\"\n[[workload]]",
            "scenario::trace_schedule",
            "\"5 s\"",
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
            "min = \"1 ops/s\"\nmax = \"2000 ops/s\"\n",
            "min = \"1 ops/s\"\n[[expect]]\nmetric = \"cpi\"\nmax = 5\nprobability = 0.9\n",
            "scenario::no_interval",
            "0.9",
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
            "mix = \"read\"",
            "mix = \"read\"\nprotocol = \"tcp-stream\"\nhit_rate = \"50 %\"",
            "scenario::unused_by_protocol",
            "\"50 %\"",
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
