//! Layered files, and the hash of their contents.

use std::path::Path;

use bandgraph_diagnostics::{Sources, render};
use bandgraph_model::RunSettings;
use bandgraph_scenario::{Loaded, MemoryFiles, load_with};
use bandgraph_testkit::TWO_SOCKET_SERVER as BASE;
use bandgraph_workload::{Arrivals, Medium, Spacing};

const LOAD: &str = r#"[[clients]]
id = "c"
count = 2
[[workload]]
id = "w"
clients = "c"
mix = "read"
working_set = "1 GiB"
"#;

fn files(scenario: &str) -> MemoryFiles {
    MemoryFiles::new()
        .with("machines/base.toml", BASE)
        .with("load.toml", LOAD)
        .with(
            "main.toml",
            format!("schema = 1\nname = \"x\"\ninclude = [\"load.toml\"]\n{scenario}"),
        )
}

fn loaded(files: &MemoryFiles, path: &str, sets: &[&str]) -> Loaded {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let mut sources = Sources::new();
    match load_with(files, Path::new(path), &sets, &mut sources) {
        Ok(loaded) => loaded,
        Err(problems) => unreachable!("{}", render::full(&problems, &sources, false)),
    }
}

const PLAIN: &str = "topology = \"machines/base.toml\"\n";

#[test]
fn a_scenario_changes_its_topology_in_place() {
    let text = "[topology]\nfile = \"machines/base.toml\"\nname = \"moved\"\n\
                [[topology.card]]\nid = \"nic0\"\nslot = \"s3\"\nport_rate = \"25 Gbit/s\"\n\
                [[topology.slot]]\nid = \"s4\"\nbridge = \"io\"\npcie = \"gen3 x16\"\n";
    let topology = loaded(&files(text), "main.toml", &[]).scenario.topology;
    assert_eq!(topology.name(), "moved");
    assert_eq!(
        topology.spec().cards[0].seat,
        bandgraph_topology::Seat::Slot("s3".to_owned())
    );
    assert_eq!(
        topology.resource("port.nic0.0.out").map(|port| port.capacity),
        Some(25e9 / 8.0)
    );
    assert_eq!(topology.slots().len(), 4);
}

#[test]
fn shelves_with_a_count_are_those_that_are_written_out() {
    let topology = |shelves: &str| -> Vec<_> {
        let text = format!(
            "[topology]\nfile = \"machines/base.toml\"\n\
             [[topology.slot]]\nid = \"s4\"\nbridge = \"io\"\npcie = \"gen3 x8\"\n\
             [[topology.card]]\nid = \"hba9\"\npart = \"sas-hba-x8-gen1\"\nslot = \"s4\"\n{shelves}"
        );
        let topology = loaded(&files(&text), "main.toml", &[]).scenario.topology;
        let shelves = topology.spec().jbods.iter();
        shelves.filter(|jbod| jbod.hba == "hba9").cloned().collect()
    };
    let one =
        |id: &str| format!("[[topology.jbod]]\nid = \"{id}\"\npart = \"j4400\"\nhba = \"hba9\"\nport = 1\n");
    let counted = topology(&format!("{}count = 2\n", one("shelf")));
    assert_eq!(counted, topology(&format!("{}{}", one("shelf0"), one("shelf1"))));
    assert_eq!(counted.len(), 2);
}

#[test]
fn a_processor_without_a_base_is_warned_about() {
    let warnings = |base: &str| {
        let text = format!(
            "[topology]\nfile = \"machines/base.toml\"\n\
             [[topology.part]]\nkind = \"socket\"\nname = \"own\"\ncores = 8\nclock = \"2 GHz\"\n{base}"
        );
        let loaded = loaded(&files(&text), "main.toml", &[]);
        let ids = loaded.warnings.iter().map(|warning| warning.id.to_string());
        ids.filter(|id| id == "part::defaults").count()
    };
    assert_eq!(warnings(""), 1);
    assert_eq!(warnings("base = \"epyc-9354\"\n"), 0);
}

#[test]
fn a_scenario_can_be_a_single_file() {
    let inline = BASE
        .replace("schema = 1\n", "[topology]\n")
        .replace("[[", "[[topology.");
    let text = format!("schema = 1\nname = \"one file\"\n{LOAD}{inline}");
    let files = MemoryFiles::new().with("one.toml", text);
    let one = loaded(&files, "one.toml", &[]);
    let two = loaded(&self::files(PLAIN), "main.toml", &[]);
    assert_eq!(one.scenario.topology.spec(), two.scenario.topology.spec());
    assert_eq!(one.scenario.workloads, two.scenario.workloads);
}

#[test]
fn the_including_file_wins_field_by_field() {
    let text =
        format!("{PLAIN}[[clients]]\nid = \"c\"\ncount = 7\n[[workload]]\nid = \"w\"\nio_size = \"8 KiB\"\n");
    let scenario = loaded(&files(&text), "main.toml", &[]).scenario;
    assert_eq!((scenario.clients.len(), scenario.clients[0].count), (1, 7));
    let workload = &scenario.workloads[0];
    assert_eq!(
        (workload.io_size.get(), workload.working_set.get()),
        (8192.0, 1_073_741_824.0)
    );
}

#[test]
fn a_file_included_twice_counts_once() {
    let files = files(PLAIN)
        .with(
            "a.toml",
            "include = [\"load.toml\"]\n[[clients]]\nid = \"c\"\ncount = 3\n",
        )
        .with("b.toml", "include = [\"load.toml\"]\n")
        .with(
            "main.toml",
            format!("schema = 1\nname = \"x\"\ninclude = [\"a.toml\", \"b.toml\"]\n{PLAIN}"),
        );
    assert_eq!(loaded(&files, "main.toml", &[]).scenario.clients[0].count, 3);
}

#[test]
fn parts_of_ones_own_can_be_used_like_any_other() {
    let own = "[[part]]\nname = \"my-nic\"\nkind = \"nic\"\nbase = \"neptune-dual-10gbe\"\n\
               port_rate = \"40 Gbit/s\"\nsource = \"a test\"\n";
    let files = files("topology = \"machines/own.toml\"\n").with(
        "machines/own.toml",
        format!("schema = 1\ninclude = [\"base.toml\"]\nname = \"own\"\n[[card]]\nid = \"nic0\"\npart = \"my-nic\"\n{own}"),
    );
    let topology = loaded(&files, "main.toml", &[]).scenario.topology;
    assert_eq!(
        topology.resource("port.nic0.1.out").map(|port| port.capacity),
        Some(5e9)
    );
    // Overrides apply to them.
    let topology = loaded(&files, "main.toml", &["part.my-nic.port_rate=10 Gbit/s"])
        .scenario
        .topology;
    assert_eq!(
        topology.resource("port.nic0.1.out").map(|port| port.capacity),
        Some(1.25e9)
    );
}

#[test]
fn overrides_reach_into_mixes_and_stacks() {
    let loaded = loaded(
        &files(PLAIN),
        "main.toml",
        &[
            "workload.w.mix.read=3",
            "workload.w.mix.getattr=1",
            "stack.homes=local",
            "topology.card.nic0.slot=s3",
        ],
    );
    let shares = loaded.scenario.workloads[0].mix.shares();
    let shares: Vec<(&str, f64)> = shares
        .iter()
        .map(|(kind, share)| (kind.name(), share.get()))
        .collect();
    assert_eq!(shares, [("getattr", 0.25), ("read", 0.75)]);
    assert_eq!(loaded.scenario.stack.homes.as_str(), "local");
    let cards = &loaded.scenario.topology.spec().cards;
    assert_eq!(cards[0].seat, bandgraph_topology::Seat::Slot("s3".to_owned()));
}

/// Frames of unknown size may be larger than assumed, and timestamps missing; what a file or an override
/// gives is known.
#[test]
fn frames_that_are_given_are_known_as_such() {
    let given = |text: &str, sets: &[&str]| {
        let found = loaded(&files(&format!("{PLAIN}{text}")), "main.toml", sets);
        let network = found.scenario.run.network;
        [network.mtu_is_given, network.timestamps_are_given]
    };
    assert_eq!(given("", &[]), [false; 2]);
    assert_eq!(given("[run]\nseed = 2\n", &["run.ack_every=4"]), [false; 2]);
    assert_eq!(given("[run]\nmtu = 1500\n", &[]), [true, false]);
    assert_eq!(given("", &["run.mtu=9000", "run.tcp_timestamps=true"]), [true; 2]);
}

/// RDMA crosses a network in less time, unless the file or an override says how long it takes.
#[test]
fn rdma_has_a_latency_of_its_own() {
    let latency = |sets: &[&str]| {
        let run = loaded(&files(PLAIN), "main.toml", sets).scenario.run;
        [Medium::Ethernet, Medium::Rdma].map(|medium| run.latency(medium).get())
    };
    assert_eq!(latency(&["run.seed=2"]), [10e-6, 2e-6]);
    assert_eq!(latency(&["run.network_latency=10 us"]), [10e-6; 2]);
    assert_eq!(RunSettings::default().latency(Medium::Rdma).get(), 10e-6);
}

#[test]
fn the_hash_is_of_what_is_said_and_not_of_how() {
    let hash = |files: &MemoryFiles, path: &str, sets: &[&str]| loaded(files, path, sets).input_hash;
    let plain = hash(&files(PLAIN), "main.toml", &[]);
    assert_eq!(plain.len(), 64);
    // Other locations, layout and files.
    let moved = MemoryFiles::new()
        .with(
            "deep/er/base.toml",
            BASE.replace(
                "id = \"s1\"\nbridge = \"io\"",
                "bridge   = 'io' # here\nid = \"s1\"",
            ),
        )
        .with(
            "deep/main.toml",
            format!("topology = {{ file = \"er/base.toml\" }}\nname = \"x\"\nschema = 1\n{LOAD}"),
        );
    assert_eq!(hash(&moved, "deep/main.toml", &[]), plain);
    // The same content by an override, or by the file.
    let eight = format!("{PLAIN}[[clients]]\nid = \"c\"\ncount = 8\n");
    let by_file = hash(&files(&eight), "main.toml", &[]);
    assert_eq!(hash(&files(PLAIN), "main.toml", &["clients.c.count=8"]), by_file);
    // Any other content has another hash.
    assert_ne!(by_file, plain);
    for set in [
        "card.nic0.slot=s3",
        "run.seed=2",
        "name=y",
        "stack.instructions_per_byte=1.3",
    ] {
        assert_ne!(hash(&files(PLAIN), "main.toml", &[set]), plain, "{set}");
    }
}

/// A scenario with a job file as its only workload, and `besides` as further text.
fn job_files(job: &str, besides: &str) -> MemoryFiles {
    MemoryFiles::new()
        .with("machines/base.toml", BASE)
        .with("jobs/job.fio", job)
        .with(
            "main.toml",
            format!(
                "schema = 1\nname = \"x\"\ntopology = \"machines/base.toml\"\n[[clients]]\nid = \"c\"\ncount = 3\n\
                 [[workload]]\nid = \"w\"\nclients = \"c\"\njob_file = \"jobs/job.fio\"\n{besides}"
            ),
        )
}

fn job_problems(job: &str, besides: &str) -> String {
    let mut sources = Sources::new();
    match load_with(
        &job_files(job, besides),
        Path::new("main.toml"),
        &[],
        &mut sources,
    ) {
        Ok(loaded) => render::full(&loaded.warnings, &sources, false),
        Err(problems) => render::full(&problems, &sources, false),
    }
}

#[test]
fn a_job_file_is_a_workload() {
    let job = "[global]\nsize=1g\nruntime=3s\n[a]\nrw=randread\nbs=8k\nnumjobs=4\nrate_iops=100\n";
    let found = loaded(&job_files(job, ""), "main.toml", &[]);
    let workload = &found.scenario.workloads[0];
    assert_eq!(workload.id, "w");
    assert_eq!(
        (workload.io_size.get(), workload.working_set.get()),
        (8192.0, 4.0 * 1_073_741_824.0)
    );
    assert_eq!(workload.threads_per_client, 4);
    assert_eq!(workload.pattern.as_str(), "random");
    assert_eq!(found.scenario.run.duration.get(), 3.0);
    // Three clients of four jobs with a rate of a hundred per second each.
    assert!(
        matches!(workload.arrivals, Arrivals::Open { rate, spacing: Spacing::Deterministic } if rate.get() == 1200.0),
        "{:?}",
        workload.arrivals
    );
    // The scenario takes precedence, and so do overrides.
    let besides = "io_size = \"4 KiB\"\n[run]\nduration = \"1 s\"\n";
    let found = loaded(
        &job_files(job, besides),
        "main.toml",
        &["workload.w.threads_per_client=7"],
    );
    let workload = &found.scenario.workloads[0];
    assert_eq!((workload.io_size.get(), workload.threads_per_client), (4096.0, 7));
    assert_eq!(found.scenario.run.duration.get(), 1.0);
}

/// A sequential job is one stream, with all commands of its depth in flight; at a rate as well.
#[test]
fn each_process_of_a_job_is_a_stream() {
    let depth = "rw=read\nioengine=libaio\niodepth=32\n";
    for (job, more, fields) in [
        (format!("[a]\nnumjobs=2\n{depth}"), "", (64, None, Some(2))),
        (
            format!("[a]\n{depth}"),
            "protocol = \"host\"\n",
            (32, Some(1), None),
        ),
        ("[a]\nrw=read\nnumjobs=2\n".to_owned(), "", (2, None, None)),
        ("[a]\nrw=read\nrate_iops=9\n".to_owned(), "", (1, None, Some(1))),
    ] {
        let found = loaded(&job_files(&job, more), "main.toml", &[]);
        let workload = &found.scenario.workloads[0];
        let found = (
            workload.threads_per_client,
            workload.processes_per_client,
            workload.streams_per_client,
        );
        assert_eq!(found, fields, "{job}");
    }
}

#[test]
fn each_job_of_a_file_is_a_workload() {
    let found = loaded(
        &job_files("[one two]\nrw=read\n[one-two]\nrw=randread\n[b]\n", ""),
        "main.toml",
        &[],
    );
    let ids: Vec<&str> = found
        .scenario
        .workloads
        .iter()
        .map(|workload| workload.id.as_str())
        .collect();
    assert_eq!(ids, ["w-one-two", "w-one-two-2", "w-b"]);
}

#[test]
fn another_job_is_another_input() {
    let hash = |job: &str| loaded(&job_files(job, ""), "main.toml", &[]).input_hash;
    assert_eq!(hash("[a]\nbs=4k\n"), hash("; the same\n[a]\nbs=4096\n"));
    assert_ne!(hash("[a]\nbs=4k\n"), hash("[a]\nbs=8k\n"));
}

#[test]
fn what_is_wrong_in_a_job_file_is_shown_there() {
    let text = job_problems("[a]\nrw=read\nbs=4q\n", "");
    assert!(text.contains("error[job_file::value]"), "{text}");
    assert!(text.contains("jobs/job.fio:3:4"), "{text}");
    // Errors of the model are shown there too.
    let text = job_problems("[a]\nrw=read\nbs=8k\nsize=4k\n", "");
    assert!(text.contains("workload::larger_than_working_set"), "{text}");
    assert!(text.contains("jobs/job.fio:4:6"), "{text}");
    let text = job_problems("[a]\nrw=randwrite\n", "");
    assert!(
        text.contains("sim::needs_disks") && text.contains("jobs/job.fio:2:4"),
        "{text}"
    );
    let text = job_problems("[a]\n[b]\nstonewall\n", "");
    assert!(
        text.contains("note[job_file::ignored]: `stonewall` is ignored"),
        "{text}"
    );
    assert!(text.contains("jobs/job.fio:3:1"), "{text}");
    let text = job_problems("", "");
    assert!(
        text.contains("job_file::no_job") && text.contains("main.toml:10:12"),
        "{text}"
    );
}

#[test]
fn a_job_file_that_is_not_there() {
    let files = MemoryFiles::new().with("machines/base.toml", BASE).with(
        "main.toml",
        "schema = 1\nname = \"x\"\ntopology = \"machines/base.toml\"\n[[clients]]\nid = \"c\"\ncount = 3\n\
         [[workload]]\nid = \"w\"\nclients = \"c\"\njob_file = \"jobs/job.fio\"\n",
    );
    let mut sources = Sources::new();
    let problems = load_with(&files, Path::new("main.toml"), &[], &mut sources).expect_err("no such file");
    let ids: Vec<&str> = problems.iter().map(|problem| problem.id).collect();
    assert_eq!(ids, ["file::missing"]);
}

#[test]
fn a_list_of_none_takes_away_what_is_below() {
    let expect = "[[expect]]\nmetric = \"ops_per_s\"\nmin = \"1 ops/s\"\n";
    let over = |text: &str| {
        files(&format!("topology = \"machines/base.toml\"\n{expect}")).with(
            "over.toml",
            format!("schema = 1\nname = \"over\"\ninclude = [\"main.toml\"]\n{text}"),
        )
    };
    assert_eq!(loaded(&over(""), "over.toml", &[]).expect.len(), 1);
    assert_eq!(loaded(&over("expect = []\n"), "over.toml", &[]).expect.len(), 0);
}

/// A share is a number or a text in per cent, and so is the weight of an operation.
#[test]
fn shares_in_per_cent_are_those_of_numbers() {
    let share = |probability: &str, mix: &str, misses: &str| {
        let text = format!(
            "topology = \"machines/base.toml\"\n\
             stack = {{ profile = \"fishworks-2009\", shared_misses = {misses} }}\n\
             [[workload]]\nid = \"w\"\nmix = {mix}\nthink_variation = {probability}\n\
             [[expect]]\nmetric = \"ops_per_s\"\nmin = \"1 ops/s\"\nprobability = {probability}\n"
        );
        loaded(&files(&text), "main.toml", &[])
    };
    let plain = share("0.9", "{ getattr = 7, lookup = 3 }", "0.125");
    let per_cent = share(
        "\"90 %\"",
        "{ getattr = \"70 %\", lookup = \"30%\" }",
        "\"12.5 %\"",
    );
    assert_eq!(plain.expect[0].probability, Some(0.9));
    assert_eq!(per_cent.expect[0].probability, Some(0.9));
    assert_eq!(plain.scenario.stack, per_cent.scenario.stack);
    let rate = |loaded: &Loaded| loaded.scenario.workloads.clone();
    assert_eq!(format!("{:?}", rate(&plain)), format!("{:?}", rate(&per_cent)));
    let set = loaded(
        &files(PLAIN),
        "main.toml",
        &["workload.w.think_variation=\"40 %\""],
    );
    assert_eq!(set.scenario.workloads[0].think_variation, 0.4);
}
