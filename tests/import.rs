//! `import` and `inspect` as a user sees them.

mod program;
mod scratch;

use program::{program, run};
use scratch::folder;
use serde_json::Value;

fn samples() -> [String; 2] {
    ["dmidecode", "pciconf"].map(|name| format!("{}/examples/server/{name}.txt", env!("CARGO_MANIFEST_DIR")))
}

fn with_samples<'a>(arguments: &'a [&'a str], samples: &'a [String; 2]) -> Vec<&'a str> {
    let files = samples.iter().map(String::as_str);
    arguments[..1]
        .iter()
        .copied()
        .chain(files)
        .chain(arguments[1..].iter().copied())
        .collect()
}

#[test]
fn the_json_of_a_machine_holds_to_its_schema() {
    let schema: Value = serde_json::from_str(include_str!("../docs/schema/import.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for command in ["import", "inspect"] {
        let ended = run(with_samples(&[command, "--format", "json"], &samples()));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let json: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        assert!(
            validator.is_valid(&json),
            "{:?}",
            validator.iter_errors(&json).next()
        );
        assert_eq!(json["sockets"][0]["memory"]["channels_used"], 2);
        assert!(json["cards"][1]["port_rate"].is_null(), "unknown is null");
    }
}

/// What a file says is in the document, also if it describes no machine.
#[test]
fn files_of_parts_of_a_machine_are_shown_as_json() {
    let sample = |name: &str| {
        format!(
            "{}/crates/import/tests/samples/two-sockets/{name}",
            env!("CARGO_MANIFEST_DIR")
        )
    };
    let files = ["zpool.txt", "ethtool.txt", "nvme-list.json", "numactl.txt"].map(sample);
    let [zpool, ethtool, nvme, numactl] = &files;
    let ended = run(["import", "--format", "json", zpool, ethtool, nvme, numactl]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let json: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(json["sockets"], serde_json::json!([]));
    assert_eq!(json["vdevs"][0]["kind"], "raidz2");
    assert_eq!(json["vdevs"][0]["disks"][0], "da0");
    assert!(json["interfaces"][0]["rate"].is_f64(), "{}", ended.stdout);
    assert!(json["disks"][0]["size_bytes"].is_u64(), "{}", ended.stdout);
    assert_eq!(json["distances"][0][0], 10);
    assert!(json["memory_bytes"].is_u64(), "{}", ended.stdout);
}

/// A storage node with two cards of 100GbE: ten of them read 198 to 214 GiB/s of objects of 4 MB, 19.8 to
/// 21.4 GiB/s each (docs/import.md, questions from forums).
#[test]
#[expect(clippy::disallowed_methods, reason = "the outputs that a user collected")]
fn the_network_of_a_storage_node_is_named_as_its_limit() {
    let folder = folder("import", "storage-node");
    let nic = |bus: &str| {
        format!(
            "{bus}:00.0 Ethernet controller [0200]: Intel E810-C [8086:1592] (rev 02)\n\tNUMA node: 0\n\
             \tCapabilities: [70] Express (v2) Endpoint, MSI 00\n\t\tDevCap:\tMaxPayload 512 bytes\n\
             \t\t\tMaxPayload 512 bytes, MaxReadReq 512 bytes\n\
             \t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM\n\
             \t\tLnkSta:\tSpeed 16GT/s, Width x16\n\n"
        )
    };
    let module = |letter: char| {
        format!(
            "Handle 0x0011, DMI type 17, 40 bytes\nMemory Device\n\tSize: 16 GB\n\tLocator: DIMM{letter}1\n\
             \tType: DDR5\n\tSpeed: 4800 MT/s\n\tConfigured Memory Speed: 4800 MT/s\n\n"
        )
    };
    let processor = "# dmidecode 3.3\n\nHandle 0x0004, DMI type 4, 48 bytes\nProcessor Information\n\
                     \tSocket Designation: CPU\n\tType: Central Processor\n\tStatus: Populated, Enabled\n\
                     \tVersion: AMD EPYC 9454P 48-Core Processor\n\tCore Count: 48\n\n";
    let (lspci, dmidecode) = (folder.join("lspci.txt"), folder.join("dmidecode.txt"));
    std::fs::write(&lspci, nic("c1") + &nic("c2")).expect("the folder is writable");
    let modules: String = ('A'..='L').map(module).collect();
    std::fs::write(&dmidecode, processor.to_owned() + &modules).expect("the folder is writable");
    let ended = run([
        "run",
        "--predict",
        "--from",
        lspci.to_str().expect("a path of letters"),
        dmidecode.to_str().expect("a path of letters"),
        "--workload",
        "read-1m",
        "--format",
        "json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let json: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    // What was imported and what was assumed is in the result.
    let file = json["file"].as_str().expect("a name");
    assert!(
        file.contains("lspci.txt") && file.contains("dmidecode.txt"),
        "{file}"
    );
    let warnings = json["warnings"].to_string();
    assert!(warnings.contains("values of the server: assumed"), "{warnings}");
    let payload = json["throughput"]["payload_bytes_per_s"]
        .as_f64()
        .expect("a rate");
    let gibibytes = payload / f64::from(1 << 30);
    assert!((20.5..22.5).contains(&gibibytes), "{gibibytes}");
    assert!(
        json["bottleneck"].to_string().contains("port.nic0.0.out"),
        "{}",
        json["bottleneck"]
    );
}

#[test]
fn findings_say_where_and_what_they_cost() {
    let ended = run(with_samples(&["inspect"], &samples()));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // Messages break at the width of the page.
    let printed: Vec<&str> = ended.stdout.split_whitespace().collect();
    let printed = printed.join(" ");
    for words in [
        "inspect::slot_limits_card",
        "pciconf.txt:17",
        "costs 2.0 GB/s",
        "= help: move it to PCIe Slot 1",
    ] {
        assert!(printed.contains(words), "{words} is missing in\n{}", ended.stdout);
    }
    let ended = run(with_samples(
        &["inspect", "--deny", "--format", "markdown"],
        &samples(),
    ));
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended.stdout.starts_with("## Findings\n\n### Example Sample 2U"),
        "{}",
        ended.stdout
    );
    let table = run(with_samples(&["inspect", "--format", "csv"], &samples())).stdout;
    let mut rows = table.lines();
    let header = "machine,id,severity,costs_bytes_per_s,message,help,places,line";
    assert_eq!((rows.next(), rows.clone().count()), (Some(header), 7), "{table}");
    // Three channels of DDR4-2133 without modules: 3 x 17.07 GB/s.
    assert!(
        table.contains("Example Sample 2U,inspect::memory_channels_empty,warning,51"),
        "{table}"
    );
    let page = run(with_samples(
        &["inspect", "--each", "--format", "html"],
        &samples(),
    ))
    .stdout;
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"),
        "{page}"
    );
    assert_eq!(page.matches("<h2 id=").count(), 2, "the machine and its findings");
    let ids = [
        "import::unknown_format",
        "inspect::slot_limits_card",
        "inspect::one_socket",
    ];
    for id in ids {
        assert_eq!(run(["explain", id]).code, Some(0), "{id}");
    }
}

/// Everything in a folder is a machine of its own: a file, a folder of files, and what cannot be read hides
/// none of the others.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test that writes files for the program"
)]
fn a_folder_of_machines_is_a_fleet() {
    let fleet = folder("import", "fleet");
    let [first, second] = ["one", "two"].map(|name| fleet.join(name));
    for machine in [&first, &second] {
        std::fs::create_dir_all(machine).expect("the folder is writable");
        for sample in samples() {
            let name = std::path::Path::new(&sample).file_name().expect("a file");
            std::fs::copy(&sample, machine.join(name)).expect("the folder is writable");
        }
    }
    let fleet = fleet.to_string_lossy().into_owned();
    let ended = run(["inspect", "--each", "--deny", &fleet]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    for machine in [&first, &second] {
        let name = machine.to_string_lossy().into_owned();
        assert!(ended.stdout.contains(&name), "{name}: {}", ended.stdout);
    }
    std::fs::write(first.with_file_name("three.txt"), "nothing").expect("the folder is writable");
    let ended = run(["inspect", "--each", &fleet]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("three.txt"), "{}", ended.stderr);
    assert!(ended.stdout.contains("two"), "{}", ended.stdout);
}

#[test]
fn a_strict_import_refuses_assumptions() {
    let json = run(with_samples(
        &["import", "--strict", "--format", "json"],
        &samples(),
    ));
    assert_eq!(json.code, Some(2));
    let ended = run(with_samples(&["import", "--strict"], &samples()));
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("import::assumption"), "{}", ended.stderr);
    let ended = run(with_samples(&["import"], &samples()));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("# assumed: "), "{}", ended.stdout);
}

#[test]
fn an_imported_server_is_predicted_at_once() {
    let files = samples();
    let ended = run([
        "run",
        "--predict",
        "--from",
        &files[0],
        &files[1],
        "--workload",
        "read-1m",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("Bottleneck"), "{}", ended.stdout);
}

/// A card with a link to each of two sockets is one card with two slots, in every command.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test that writes files for the program"
)]
fn a_card_with_two_hosts_goes_through_all_commands() {
    let scratch = folder("import", "two-hosts");
    let function = |address: &str, node: u32| {
        format!(
            "{address} Ethernet controller [0200]: Mellanox ConnectX-5 [15b3:1017]\n\
             \tNUMA node: {node}\n\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\
             \t\tLnkCap:\tPort #0, Speed 8GT/s, Width x8, ASPM L1\n\t\tLnkSta:\tSpeed 8GT/s, Width x8\n\
             \tCapabilities: [48] Vital Product Data\n\t\t\t[SN] Serial number: MT1900X00001\n\n"
        )
    };
    let lspci = scratch.join("lspci.txt").to_string_lossy().into_owned();
    std::fs::write(&lspci, function("03:00.0", 0) + &function("83:00.0", 1)).expect("the folder is writable");
    let server = scratch.join("server.toml").to_string_lossy().into_owned();
    let files = [&*samples()[0], &*lspci];
    let succeeds = |arguments: &[&str]| {
        let ended = run(arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
        ended.stdout
    };
    let json = succeeds(&["import", files[0], files[1], "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["cards"][0]["second"]["socket"], 1, "{json}");
    succeeds(&["import", files[0], files[1], "-o", &server]);
    succeeds(&["check", &server]);
    let shown = succeeds(&["topology", "show", &server]);
    assert!(shown.contains("slot-pcie-slot-2, at-83-00-0"), "{shown}");
    let picture = scratch.join("server.svg").to_string_lossy().into_owned();
    succeeds(&["topology", "draw", &server, "-o", &picture]);
    let drawn = succeeds(&["topology", "dot", &server]);
    assert_eq!(drawn.matches("-- \"nic0\"").count(), 2, "{drawn}");
    let json = succeeds(&[
        "run",
        "--predict",
        "--from",
        files[0],
        files[1],
        "--workload",
        "stream",
        "--format",
        "json",
    ]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let used = |id: &str| {
        let resources = json["resources"].as_array().expect("a list");
        let of = resources.iter().find(|one| one["id"] == id).expect(id);
        of["utilisation"].as_f64().expect("a share")
    };
    let (first, second) = (used("slot.slot-pcie-slot-2.out"), used("slot.at-83-00-0.out"));
    assert!(first > 0.1 && (first - second).abs() < 0.05, "{first} {second}");
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test that writes files for the program"
)]
fn measurements_are_rows_that_a_scenario_can_include() {
    let scratch = folder("import", "measurements");
    let file = |name: &str, text: &str| {
        let path = scratch.join(name);
        std::fs::write(&path, text).expect("the folder is writable");
        path.to_string_lossy().into_owned()
    };
    let fio = r#"{ "fio version" : "fio-3.33", "jobs" : [ { "read" : { "bw_bytes" : 2000000000, "iops" : 2000.0,
        "total_ios" : 3000, "lat_ns" : { "mean" : 90000000.0, "max" : 99000000 } } } ] }"#;
    let links = "Socket\tHT0\tTX\tMB/s\n0\t\t\t3170.82\n";
    let rows = scratch.join("rows.toml").to_string_lossy().into_owned();
    let ended = run([
        "measure",
        "import",
        &file("fio.json", fio),
        &file("ht.txt", links),
        "--map",
        "s0.link0=link.cpu0-cpu1",
        "--run",
        "monday",
        "-o",
        &rows,
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let shipped = format!(
        "{}/scenarios/7410-barcelona/cached-read.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let scenario = file(
        "scenario.toml",
        &format!("schema = 1\ninclude = [\"{shipped}\", \"rows.toml\"]\n"),
    );
    let ended = run(["--allow-outside", "run", "--predict", "--width", "200", &scenario]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    for words in ["monday-payload-bytes-per-s", "2 GB/s", "monday-latency-mean-s"] {
        assert!(
            ended.stdout.contains(words),
            "{words} is missing in\n{}",
            ended.stdout
        );
    }
    let ended = run(["measure", "import", &file("none.txt", "nothing\n")]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("measure::unknown_format"),
        "{}",
        ended.stderr
    );
    assert_eq!(run(["explain", "measure::no_interval"]).code, Some(0));
    let formats = run(["measure", "formats"]).stdout;
    assert!(
        formats.contains("pcm -csv (written by its documentation; not tried"),
        "{formats}"
    );
}

/// The card of the sample has two ports that share what its link carries; frames count once.
#[test]
fn a_slot_moves_more_bytes_of_packets_than_of_frames() {
    let [dmidecode, pciconf] = &samples();
    let options = ["run", "--predict", "--no-interval", "--width", "400", "--from"];
    let ended = run([&options[..], &[dmidecode, pciconf]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let rate = |after: &str| -> f64 {
        let (_, rest) = ended
            .stdout
            .split_once(after)
            .unwrap_or_else(|| panic!("{}", ended.stdout));
        let number = rest.split(" GB/s").next().expect("a rate");
        number.parse().unwrap_or_else(|error| panic!("{error}: {number}"))
    };
    let (packets, frames) = (rate(".out carries "), rate(" lanes can move, for "));
    assert!(
        0.5 * packets < frames && frames < packets,
        "{frames} of {packets}"
    );
}

#[test]
fn the_readme_shows_what_inspect_prints() {
    let readme = include_str!("../README.md");
    let command = "bandgraph inspect examples/server/dmidecode.txt examples/server/pciconf.txt";
    let (_, after) = readme.split_once(command).expect("the README shows `inspect`");
    let shown = after
        .split("```text\n")
        .nth(1)
        .and_then(|rest| rest.split("```\n").next());
    let program = program().current_dir(env!("CARGO_MANIFEST_DIR"));
    let ended = program.args(command.split(' ').skip(1)).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(shown, Some(ended.stdout.as_str()), "README.md is not current");
}

/// Outputs of two machines in one call are refused, not mixed.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test that writes files for the program"
)]
fn files_of_two_machines_are_refused() {
    let scratch = folder("import", "two-machines");
    let text = std::fs::read_to_string(&samples()[0]).expect("the sample");
    let other = scratch.join("other.txt").to_string_lossy().into_owned();
    std::fs::write(&other, text.replace("Sample 2U", "Another 4U")).expect("the folder is writable");
    let ended = run(["import", &samples()[0], &other]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("import::several_machines"),
        "{}",
        ended.stderr
    );
    let ended = run(["inspect", "--each", &samples()[0], &other]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for (path, name) in [(&samples()[0], "Sample 2U"), (&other, "Another 4U")] {
        let title = format!("{path}: Example {name}: ");
        assert!(ended.stdout.contains(&title), "{title} in\n{}", ended.stdout);
    }
}

/// Of a fleet, machines that cannot be read are named, and hide no findings of the others.
#[test]
fn a_machine_that_cannot_be_read_hides_no_other() {
    let missing = ["no-such-file", "nor-this"];
    let ended = run([
        "inspect",
        "--each",
        "--deny",
        missing[0],
        &samples()[0],
        missing[1],
    ]);
    assert_eq!(ended.code, Some(2));
    for name in missing {
        assert!(ended.stderr.contains(name), "{}", ended.stderr);
    }
    assert!(ended.stdout.contains("Sample 2U: "), "{}", ended.stdout);
}
