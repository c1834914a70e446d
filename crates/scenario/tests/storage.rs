//! Pools, SSDs and the cache in files: decoded values, and places of errors.

use std::path::Path;

use bandgraph_diagnostics::{Diagnostic, Sources, render};
use bandgraph_model::storage::replay::Replacement;
use bandgraph_model::storage::{CacheStart, PoolKind, SsdSeat};
use bandgraph_scenario::{Loaded, MemoryFiles, load, load_with};
use bandgraph_solve::{Outcome, predict};
use bandgraph_workload::ProtocolKind;

fn with(name: &str, sets: &[&str]) -> Result<Loaded, (Vec<Diagnostic>, String)> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenarios/{name}.toml"));
    let mut sources = Sources::new();
    load(&path, &sets, &mut sources).map_err(|problems| {
        let text = render::full(&problems, &sources, false);
        (problems, text)
    })
}

fn network(loaded: &Loaded) -> f64 {
    predict(&loaded.bound)
        .expect("a steady state")
        .throughput
        .network
        .get()
}

fn sound(name: &str, sets: &[&str]) -> Loaded {
    with(name, sets).unwrap_or_else(|(_, text)| unreachable!("{text}"))
}

/// A workload without a protocol has that of the named software; sizes are whole bytes.
#[test]
fn a_workload_speaks_the_protocol_of_its_software() {
    for (profile, expected) in [
        ("linux-fio-uring-2022", ProtocolKind::Host),
        ("samba-2020", ProtocolKind::Smb2),
        ("openzfs-nfsd-2022", ProtocolKind::Nfs3Tcp),
    ] {
        let sets = [
            format!("stack.profile={profile}"),
            "workload.*.working_set=12.7 GiB".to_owned(),
        ];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let scenario = sound("../examples/first/scenario", &sets).scenario;
        assert_eq!(scenario.workloads[0].protocol, expected, "{profile}");
        assert_eq!(scenario.workloads[0].working_set.get(), 13_636_521_165.0);
    }
}

#[test]
fn every_field_arrives() {
    let sets = [
        "pool.data.kind=raidz2",
        "pool.data.width=12",
        "pool.data.record_size=64 KiB",
        "pool.data.spread=50 %",
        "pool.data.disks_per_jbod=12",
        "pool.data.spares=0",
        "cache.policy=lru",
        "cache.size=100 GiB",
        "cache.feed_rate=40 MiB/s",
        "cache.feed_boost=0 B/s",
        "run.cache=cold",
        "ssd.log0.write_time=0.5 ms",
    ];
    let loaded = sound("7410-istanbul/disk-sync-8k-log", &sets);
    let storage = &loaded.scenario.storage;
    let pool = &storage.pools[0];
    assert_eq!(
        (pool.kind, pool.width, pool.disks_per_jbod),
        (PoolKind::Raidz2, Some(12), Some(12))
    );
    assert_eq!(
        (pool.record_size.get(), pool.spread),
        (65_536.0, Some(bandgraph_units::Fraction::new(0.5)))
    );
    assert_eq!(pool.log, ["log0"]);
    assert_eq!(storage.ssds[0].seat, SsdSeat::Jbod("j0".to_owned()));
    assert_eq!(storage.ssds[0].part.write_time.get(), 0.5e-3);
    assert_eq!(storage.cache.policy, Replacement::Lru);
    assert_eq!(
        storage.cache.size.map(bandgraph_units::Bytes::get),
        Some(100.0 * 1_073_741_824.0)
    );
    assert_eq!(storage.cache.start, CacheStart::Cold);
    assert_eq!(
        (storage.cache.feed.rate.get(), storage.cache.feed.boost.get()),
        (40.0 * 1_048_576.0, 0.0)
    );
    assert!(loaded.scenario.workloads[0].synchronous);
}

#[test]
fn errors_point_at_what_they_are_about() {
    for (set, id, shown) in [
        (
            "pool.data.width=5",
            "storage::indivisible",
            "a width that divides 192: 2, 3, 4, 6",
        ),
        ("pool.data.width=9", "storage::width", "width"),
        (
            "pool.data.kind=raidz1,pool.data.width=1",
            "storage::width",
            "width",
        ),
        (
            "pool.data.disks_per_jbod=30",
            "storage::not_enough_disks",
            "disks_per_jbod",
        ),
        (
            "pool.data.record_size=100 kB",
            "storage::record_size",
            "record_size",
        ),
        ("pool.data.run=2 GiB", "storage::run", "run"),
        ("pool.data.writes=memory", "storage::in_memory", "writes"),
        (
            "workload.stream.pool=date",
            "storage::unknown_pool",
            "did you mean `data`?",
        ),
        ("pool.data.spread=150 %", "storage::spread", "spread"),
        ("pool.data.jbods=[\"j9\"]", "storage::unknown_jbod", "jbods"),
        ("pool.data.log=[\"log1\"]", "storage::unknown_ssd", "log"),
        ("pool.data.cache=[\"log0\"]", "storage::ssd_twice", "cache"),
        ("ssd.log0.jbod=j9", "storage::unknown_seat", "ssd.log0.jbod=j9"),
        (
            "ssd.log0.count=4,pool.data.log=[\"log0[0-3]\"],ssd.log0.jbod=\"j[0-2]\"",
            "topology::uneven_count",
            "4 of `ssd`",
        ),
        ("ssd.log0.bridge=mcp55", "scenario::ssd_seat", "ssd"),
        ("cache.size=1 TB", "storage::cache_too_large", "size"),
    ] {
        let sets: Vec<&str> = set.split(',').collect();
        let (problems, text) = with("7410-istanbul/disk-sync-8k-log", &sets).expect_err(set);
        assert!(
            problems.iter().any(|problem| problem.id == id),
            "{set} gives\n{text}"
        );
        assert!(text.contains(shown), "{set} gives\n{text}");
    }
}

/// An NVMe drive that is a log device holds no data, whether the pool names its drives or has all.
#[test]
fn nvme_drives_are_log_devices() {
    const FIO: &str = "nvme-2-socket/fio";
    let loaded = sound(FIO, &["pool.drives.log=[\"nvme23\"]"]);
    let storage = &loaded.scenario.storage;
    assert_eq!(storage.ssds[0].seat, SsdSeat::Jbod("nvme23".to_owned()));
    assert_eq!(storage.pools[0].disks(&loaded.scenario.topology).count(), 23);
    sound(
        FIO,
        &[
            "pool.drives.log=[\"nvme23\"]",
            "pool.drives.jbods=[\"nvme[0-22]\"]",
        ],
    );
    for (sets, id, shown) in [
        (
            &[
                "pool.drives.log=[\"nvme23\"]",
                "pool.drives.jbods=[\"nvme[1-23]\"]",
            ][..],
            "storage::jbod_twice",
            "nvme23",
        ),
        (
            &["pool.drives.log=[\"nvm23\"]"],
            "storage::unknown_ssd",
            "did you mean `nvme23`?",
        ),
    ] {
        let (problems, text) = with(FIO, sets).expect_err(id);
        assert!(problems.iter().any(|problem| problem.id == id), "{text}");
        assert!(text.contains(shown), "{text}");
    }
}

/// SSDs with a count are those of as many entries; one of them can differ.
#[test]
fn ssds_with_a_count_are_those_that_are_written_out() {
    const LOG: &str = "7410-istanbul/disk-sync-8k-log";
    const POOL: &str = "pool.data.log=[\"log0[0-3]\"]";
    let one = |number: u32| {
        format!(
            "{{ id = \"log0{number}\", part = \"zeusiops-18gb\", jbod = \"j{}\" }}",
            number / 2
        )
    };
    let written = format!("ssd=[{}, {}, {}, {}]", one(0), one(1), one(2), one(3));
    let [written, counted] = [
        vec![&*written, POOL],
        vec!["ssd.log0.count=4", "ssd.log0.jbod=\"j[0-1]\"", POOL],
    ]
    .map(|sets| sound(LOG, &[&sets[..], &["ssd.log02.write_time=0.5 ms"]].concat()));
    assert_eq!(written.scenario.storage, counted.scenario.storage);
    assert_eq!(
        counted.scenario.storage.pools[0].log,
        ["log00", "log01", "log02", "log03"]
    );
    assert_eq!(
        counted.scenario.storage.ssds[3].seat,
        SsdSeat::Jbod("j1".to_owned())
    );
    assert_eq!(network(&written).to_bits(), network(&counted).to_bits());
}

/// 192 disks of 1 TB: mirrored pairs hold 96 TB, less 8 spares 92 TB; RAID-Z2 of six holds two thirds.
#[test]
fn a_set_beyond_all_disks_is_a_warning() {
    let is_beyond = |set: &str, more: &[&str]| {
        let set = format!("workload.*.working_set={set}");
        let sets: Vec<&str> = more.iter().copied().chain([set.as_str()]).collect();
        let loaded = sound("7410-istanbul/disk-read", &sets);
        let mut ids = loaded.warnings.iter().map(|one| one.id);
        ids.any(|id| id == "scenario::set_beyond_disks")
    };
    for (holds, beyond, sets) in [
        ("95 TB", "97 TB", &[][..]),
        ("91 TB", "93 TB", &["pool.data.spares=8"]),
        ("127 TB", "129 TB", &["pool.data.kind=raidz2"]),
        ("191 TB", "193 TB", &["pool.data.kind=stripe"]),
    ] {
        assert!(!is_beyond(holds, sets), "{holds} {sets:?}");
        assert!(is_beyond(beyond, sets), "{beyond} {sets:?}");
    }
}

/// The placement before the rearrangement is worse; more enclosures are never worse.
#[test]
fn the_files_tell_the_story() {
    for machine in ["barcelona", "istanbul"] {
        let spread = network(&sound(&format!("7410-{machine}/disk-read"), &[]));
        let grouped = network(&sound(&format!("7410-{machine}/disk-read-grouped"), &[]));
        assert!(grouped < 0.96 * spread, "{machine}: {grouped} {spread}");
    }
    let two = network(&sound("7410-istanbul/disk-read-2-jbods", &[]));
    let six = network(&sound("7410-istanbul/disk-read-6-jbods", &[]));
    let eight = network(&sound("7410-istanbul/disk-read", &[]));
    assert!(two < 0.95 * six && six < 1.01 * eight, "{two} {six} {eight}");
    let without = network(&sound("7410-istanbul/disk-sync-8k", &[]));
    let with_log = network(&sound("7410-istanbul/disk-sync-8k-log", &[]));
    assert!(with_log > 1.5 * without, "{with_log} {without}");
}

/// One connection to a Skylake socket at 3.4 GHz.
const STREAM: &str = r#"
schema = 1
name = "one stream"
stack = { profile = "linux-tcp-2020" }
clients = [{ id = "client", nics = { rate = "100 Gbit/s", connections = 1 } }]
[topology]
schema = 1
name = "a server"
bridge = [{ id = "rc", part = "root-complex-xeon-scalable", socket = "cpu0" }]
slot = [{ id = "s", bridge = "rc", pcie = "gen3 x16" }]
card = [{ id = "nic0", part = "connectx5-100gbe", slot = "s" }]
[[topology.socket]]
id = "cpu0"
part = "xeon-8168"
memory = { part = "ddr4-2666", channels = 6, size = "64 GiB" }
[[workload]]
id = "w"
clients = "client"
protocol = "tcp-stream"
mix = "write"
io_size = "128 KiB"
threads_per_client = 32
"#;

/// Sixteen SATA drives behind one SAS2008.
const ADAPTER: &str = r#"
schema = 1
name = "an adapter"
stack = { profile = "linux-fio-uring-2022" }
clients = [{ id = "jobs" }]
pool = [{ id = "p", kind = "stripe", record_size = "4 KiB" }]
[topology]
schema = 1
name = "a server"
bridge = [{ id = "rc", part = "root-complex-xeon-e5", socket = "cpu0" }]
slot = [{ id = "s", bridge = "rc", pcie = "gen2 x8" }]
card = [{ id = "hba", part = "lsi-9211-8i", slot = "s" }]
[[topology.socket]]
id = "cpu0"
part = "xeon-e5-2680-v4"
memory = { part = "ddr4-2400", channels = 4, size = "64 GiB" }
[[topology.jbod]]
id = "e0"
part = "dell-md1220"
hba = "hba"
port = 0
disk = "samsung-pm883-1tb92"
disks = 8
[[topology.jbod]]
id = "e1"
part = "dell-md1220"
hba = "hba"
port = 1
disk = "samsung-pm883-1tb92"
disks = 8
[[workload]]
id = "w"
clients = "jobs"
protocol = "host"
mix = "read"
pattern = "random"
io_size = "4 KiB"
hit_rate = "0 %"
working_set = "8 TB"
threads_per_client = 1024
"#;

fn predicted(text: &str, sets: &[&str]) -> Outcome {
    let files = MemoryFiles::new().with("a.toml", text);
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let mut sources = Sources::new();
    let loaded = load_with(&files, Path::new("a.toml"), &sets, &mut sources);
    let loaded = loaded.unwrap_or_else(|problems| panic!("{}", render::full(&problems, &sources, false)));
    predict(&loaded.bound).expect("a steady state")
}

/// Without records in the software, a cache holds the requested bytes: a random read of 4 KiB brings in
/// 4 KiB, so that the record size of the pool has no effect. With records, it has.
#[test]
fn records_fill_a_cache_only_where_the_software_has_them() {
    let cached = ADAPTER
        .replace("hit_rate = \"0 %\"\n", "")
        .replace("8 TB", "100 GiB");
    let random = ["stack.memory_reserve=0.1"];
    let read = |writes: &str, record: &str| {
        let sets = [
            &random[..],
            &[
                &format!("pool.p.writes={writes}"),
                &format!("pool.p.record_size={record}"),
            ],
        ];
        predicted(&cached, &sets.concat()).throughput
    };
    let [small, large] = ["4 KiB", "128 KiB"].map(|record| read("write back", record));
    assert_eq!((small.operations, small.disk), (large.operations, large.disk));
    let [small, large] = ["4 KiB", "128 KiB"].map(|record| read("transaction groups", record));
    assert!(large.disk.get() / large.operations.get() > 16.0 * small.disk.get() / small.operations.get());
}

/// Published (cai-2021): a core of 3.4 GHz receives about 42 Gbit/s of one TCP stream in jumbo frames.
#[test]
fn one_tcp_stream_is_as_fast_as_a_core() {
    let received = |frames: &str| predicted(STREAM, &[frames]).throughput.payload.get() * 8.0 / 1e9;
    let (jumbo, usual) = (received("run.mtu=9000 B"), received("run.mtu=1500 B"));
    assert!((35.0..50.0).contains(&jumbo), "{jumbo}");
    assert!(usual < 0.75 * jumbo && usual > 0.35 * jumbo, "{usual}, {jumbo}");
}

/// Published for it (sth-9202-2012): 350,000 small commands/s, and 2,500 MB/s.
#[test]
fn an_adapter_has_a_most_of_commands_and_of_bytes() {
    let predicted = |sets: &[&str]| predicted(ADAPTER, sets);
    let small = predicted(&[]);
    let full = small.resources.iter().find(|of| of.id == "adapter.hba");
    assert!((full.expect("a resource").utilisation() - 1.0).abs() < 1e-6);
    assert!((small.throughput.operations.get() / 350e3 - 1.0).abs() < 1e-6);
    let long = predicted(&["workload.w.io_size=1 MiB", "pool.p.record_size=128 KiB"]);
    let bytes = long.throughput.payload.get();
    assert!((bytes / 2.5e9 - 1.0).abs() < 0.05, "{bytes}");
    // Without its limits, the slot limits.
    let free = predicted(&["card.hba.operations=0 ops/s", "card.hba.data_rate=0 B/s"]);
    assert!(free.resources.iter().all(|of| of.id != "adapter.hba"));
    assert!(free.throughput.operations.get() > 800e3);
}

/// Drives that differ only in size: what ZFS stores on them, and so what each has to do, follows their sizes,
/// of md it is the same on all. Groups of drives of both sizes have the same on all, too.
#[test]
fn larger_drives_hold_more_where_the_software_allocates_by_space() {
    const LARGE: &str = "\n[[topology.part]]\nname = \"large\"\nkind = \"ssd\"\nbase = \"samsung-pm883-1tb92\"\n\
                         capacity = \"5.76 TB\"\n";
    let text = format!("{ADAPTER}{LARGE}");
    let ratio = |sets: &[&str]| {
        let sets = [&["jbod.e1.disk=large", "workload.w.working_set=1 TB"], sets].concat();
        let outcome = predicted(&text, &sets);
        let use_of = |id| {
            let found = outcome.resources.iter().find(|of| of.id == id);
            found.expect("a drive").utilisation()
        };
        use_of("disk.e1.0") / use_of("disk.e0.0")
    };
    let zfs = "pool.p.writes=transaction groups";
    for (sets, expected) in [
        (&[][..], 1.0),
        (&["pool.p.kind=mirror"], 1.0),
        (&["pool.p.kind=raid5", "pool.p.width=8"], 1.0),
        (&[zfs], 3.0),
        (&[zfs, "pool.p.kind=mirror"], 3.0),
        (&[zfs, "pool.p.kind=raidz2", "pool.p.width=8"], 3.0),
        (&[zfs, "pool.p.kind=raidz2", "pool.p.width=16"], 1.0),
    ] {
        let found = ratio(sets);
        assert!((found - expected).abs() < 1e-9, "{sets:?}: {found}");
    }
}

/// The room of unlike drives: all of each by space, as much as the smallest on each otherwise. A pool that
/// does not name its drives says that they differ.
#[test]
fn drives_that_differ_are_a_warning() {
    let loaded = |sets: &[&str]| {
        let files = MemoryFiles::new().with("a.toml", ADAPTER);
        let sets = [&["jbod.e1.disk=intel-dc-s3500-480gb"], sets].concat();
        let sets: Vec<String> = sets.into_iter().map(str::to_owned).collect();
        let mut sources = Sources::new();
        let loaded = load_with(&files, Path::new("a.toml"), &sets, &mut sources);
        loaded.unwrap_or_else(|problems| panic!("{}", render::full(&problems, &sources, false)))
    };
    let zfs = "pool.p.writes=transaction groups";
    let named = "pool.p.jbods=[\"e0\", \"e1\"]";
    for (sets, room, message) in [
        (&[][..], 16.0 * 0.48, Some("the smallest the room")),
        (&[named], 16.0 * 0.48, Some("the smallest the room")),
        (&[zfs], 8.0 * (1.92 + 0.48), Some("in proportion")),
        (&[zfs, named], 8.0 * (1.92 + 0.48), None),
        (&["jbod.e1.disk=samsung-pm883-1tb92"], 16.0 * 1.92, None),
    ] {
        let loaded = loaded(sets);
        let scenario = &loaded.scenario;
        let found = scenario.storage.pools[0].room(&scenario.topology, &scenario.stack.storage);
        assert!((found.get() / 1e12 - room).abs() < 1e-6, "{sets:?}: {found}");
        let mut warnings = loaded.warnings.iter();
        let warning = warnings.find(|one| one.id == "scenario::unlike_drives");
        let said = warning.map(|one| one.message.contains(message.unwrap_or_default()));
        assert_eq!(said, message.map(|_| true), "{sets:?}");
    }
}

/// A log device of the file that `--set` takes from the list holds no data of a pool that has all drives, and
/// does so where the file does not name it.
#[test]
fn a_drive_that_is_no_log_device_any_more_holds_no_data() {
    const TOPOLOGY: &str = include_str!("../../../topologies/nvme-2-socket.toml");
    const FIO: &str = include_str!("../../../scenarios/nvme-2-socket/fio.toml");
    let with_log = FIO.replace("kind =", "log = [\"nvme[22-23]\"], kind =");
    let data = |text: &str, sets: &[&str]| {
        let files = MemoryFiles::new()
            .with("a/b/fio.toml", text)
            .with("topologies/nvme-2-socket.toml", TOPOLOGY);
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let loaded = load_with(&files, Path::new("a/b/fio.toml"), &sets, &mut Sources::new());
        let scenario = loaded.expect("a sound scenario").scenario;
        scenario.storage.pools[0].disks(&scenario.topology).count()
    };
    for (sets, disks) in [
        (&[][..], 22),
        (&["pool.drives.log=[]"], 22),
        (&["pool.drives.log=[\"nvme22\"]"], 22),
        (&["pool.drives.log=[\"nvme0\"]"], 21),
        (&["pool.drives.log=[]", "pool.drives.jbods=[\"nvme[0-23]\"]"], 24),
    ] {
        assert_eq!(data(&with_log, sets), disks, "{sets:?}");
    }
    assert_eq!(data(&with_log.replace("log = [\"nvme[22-23]\"], ", ""), &[]), 24);
}
