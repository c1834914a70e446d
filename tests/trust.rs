//! How far results say they can be trusted: intervals of calibrated machines, of batches, and of simulations
//! that differ from their prediction; software of another decade; how the figures behind a result were found.

mod program;
mod scratch;

use std::path::Path;

use bandgraph_testkit::write;
use program::run;
use serde_json::{Value, json};

const CEPH: &str = "../../scenarios/modern/ceph-blocks.toml";
const ON_LOG: &str = "../../scenarios/7410-istanbul/disk-sync-8k-log.toml";
const BARCELONA: &str = "../../scenarios/7410-barcelona/cached-read.toml";

fn text(arguments: &[&str]) -> String {
    let ended = run(arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
    ended.stdout
}

fn json(arguments: &[&str]) -> Value {
    let whole: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
    serde_json::from_str(&text(&whole)).expect("valid JSON")
}

/// The two ends of an interval.
fn ends(found: &Value) -> [f64; 2] {
    let end = |index: usize| {
        found[index]
            .as_f64()
            .unwrap_or_else(|| panic!("no interval: {found}"))
    };
    [end(0), end(1)]
}

fn width(found: &Value) -> f64 {
    let [low, high] = ends(found);
    libm::log(high / low)
}

/// Where a log device and all disks are full at about the same rate, the steady state is hard to find:
/// there is a prediction all the same, the nearest point if need be, and it carries no more than the server
/// can.
#[test]
fn a_steady_state_that_is_hard_to_find_is_predicted() {
    let load = [
        "workload.*.mix={ write = 14, commit = 5, getattr = 27 }",
        "workload.*.io_size=8 KiB",
        "workload.*.threads_per_client=61",
        "workload.*.think_time=11 ms",
        "workload.*.pattern=random",
        "workload.*.synchronous=false",
        "workload.*.working_set=1000 GiB",
    ];
    let sets = load.iter().flat_map(|set| ["--set", set]);
    let arguments = ["run", ON_LOG, "--predict", "--no-interval"];
    let found = json(&arguments.into_iter().chain(sets).collect::<Vec<_>>());
    for resource in found["resources"].as_array().expect("there are some") {
        let used = resource["saturation"].as_f64().expect("a share");
        assert!(used <= 1.01, "{resource}");
    }
}

/// A calibration states how certain each measurement is given the others; a run that includes the profile of
/// a calibration with these others is as certain. The unit tests compare both with ten times as many draws.
#[test]
#[expect(clippy::disallowed_methods, reason = "this test changes a shipped file")]
fn a_calibrated_profile_narrows_the_interval_of_a_run() {
    let folder = scratch::folder("trust", "calibrated");
    let learned = json(&["calibrate", CEPH, "--own"]);
    let points = learned["left_out"]
        .as_array()
        .expect("each measurement is left out");
    let point = points.iter().find(|point| point["id"] == "ceph_10n_r4k");
    let after = &point.expect("it is measured")["after"];
    let stated = json!([after["low"], after["high"]]);

    let ceph = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/modern");
    let all = std::fs::read_to_string(ceph.join("ceph-blocks.toml")).expect("it is there");
    let topologies = ceph.join("../../topologies").display().to_string();
    let all = all.replace("../../topologies", &topologies);
    let (before, row) = all
        .split_once("[[case.measured]]\nid = \"ceph_10n_r4k\"")
        .expect("a row");
    let (_, rest) = row.split_once("[[case]]").expect("a case");
    let others = write(&folder.join("others.toml"), &format!("{before}[[case]]{rest}"));
    let profile = folder.join("mine.toml").display().to_string();
    let others = others.display().to_string();
    text(&[
        "calibrate",
        &others,
        "--own",
        "--allow-outside",
        "--profile",
        &profile,
    ]);
    let included = all.replacen("schema = 1\n", "schema = 1\ninclude = [\"mine.toml\"]\n", 1);
    let scenario = write(&folder.join("run.toml"), &included);
    let scenario = format!("{}#ceph-10n-r4k", scenario.display());
    let calibrated = ["run", &scenario, "--predict", "--allow-outside"];
    let after = json(&calibrated);
    let run = width(&after["interval"]["ops_per_s"]) / width(&stated);
    assert!((0.93..1.07).contains(&run), "{run} of the stated {stated}");
    let before = json(&["run", &format!("{CEPH}#ceph-10n-r4k"), "--predict"]);
    let narrower = width(&before["interval"]["ops_per_s"]) / width(&stated);
    assert!(narrower > 1.2, "{narrower}");
    let kinds = after["interval"]["learned"].as_array().expect("its errors");
    assert!(kinds.iter().any(|error| error["kind"] == "cores"), "{kinds:?}");
    let page = text(&calibrated);
    assert!(page.contains("was calibrated on this machine"), "{page}");
}

/// Software that the program chose itself fits the processors, or a warning says that it does not; software
/// that the scenario names may be some years off.
#[test]
fn software_that_nobody_chose_fits_the_processors_or_warns() {
    let folder = scratch::folder("trust", "default-software");
    let first = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/first");
    let text = include_str!("../examples/first/scenario.toml");
    let of = |stack: &str, year: u32| {
        let stated = text.lines().filter(|line| !line.starts_with("stack = "));
        let stated = stated.map(|line| {
            let server = first.join("server.toml").display().to_string();
            line.replace("\"server.toml\"", &format!("{server:?}"))
        });
        let text = stated.collect::<Vec<_>>().join("\n");
        let (head, tables) = text.split_once("\n[[").expect("it has tables");
        let path = write(
            &folder.join("scenario.toml"),
            &format!("{head}\n{stack}\n[[{tables}"),
        );
        let (path, year) = (path.display().to_string(), format!("socket.*.year={year}"));
        let found = json(&["run", &path, "--predict", "--allow-outside", "--set", &year]);
        assert_eq!(found["software"]["is_default"], stack.is_empty());
        !found["software"]["warning"].is_null()
    };
    let named = "stack = { profile = \"fishworks-2009\" }";
    assert_eq!([2009, 2012, 2024].map(|year| of("", year)), [false, true, false]);
    assert_eq!(
        [2009, 2012, 2024].map(|year| of(named, year)),
        [false, false, true]
    );
}

/// Where a pool needs ZFS, the warning names profiles with its costs: for 2009 that of the 7410 for NFS, and
/// none for processes of the server itself, for which there is one without ZFS.
#[test]
fn advice_on_software_suits_the_pool() {
    let warning = |scenario: &str| {
        let mut arguments = vec!["run", scenario, "--predict", "--no-interval"];
        let sets = [
            "stack.profile=openzfs-local-2022",
            "pool.*.kind=raidz1",
            "pool.*.width=4",
            "socket.*.year=2009",
        ];
        arguments.extend(sets.iter().flat_map(|set| ["--set", *set]));
        let found = json(&arguments);
        found["software"]["warning"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let none = warning("../../scenarios/nvme-2-socket/fio.toml");
    assert!(
        none.contains("there is no profile of 2009 for its protocols with ZFS"),
        "{none}"
    );
    let one = warning("../../scenarios/7410-istanbul/disk-random-8k.toml");
    assert!(one.contains("for 2009 choose `fishworks-2009`"), "{one}");
}

/// A profile of this decade on processors of 2007, in a variant of a what-if and in points of a sweep.
#[test]
fn software_of_another_decade_is_a_warning_in_every_study() {
    let other = "fits systems of 2017 to 2026, and the server has processors of 2007";
    let set = "stack.profile=linux-nfsd-tcp-2020";
    let found = json(&["whatif", BARCELONA, "--set", set]);
    assert!(found["base"]["software_warning"].is_null());
    let warning = found["variants"][0]["case"]["software_warning"]
        .as_str()
        .expect("a warning");
    assert!(warning.contains(other), "{warning}");
    let page = text(&["whatif", BARCELONA, "--set", set, "--width", "200"]);
    assert!(
        page.contains("Warning for stack.profile=linux-nfsd-tcp-2020: the software profile"),
        "{page}"
    );

    let folder = scratch::folder("trust", "decades");
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/7410-barcelona/cached-read.toml");
    let sweep = |values: &str, name: &str| {
        let text = format!(
            "schema = 1\nname = \"profiles\"\nscenario = {:?}\n[[axis]]\nid = \"profile\"\n\
             path = \"stack.profile\"\n\
             values = [{values}]\n",
            base.display().to_string()
        );
        let path = write(&folder.join(name), &text).display().to_string();
        json(&["sweep", &path, "--allow-outside"])
    };
    let one = sweep("\"linux-nfsd-tcp-2020\"", "one.toml");
    assert!(
        one["software"]["warning"]
            .as_str()
            .is_some_and(|text| text.contains(other)),
        "{one}"
    );
    let both = sweep("\"fishworks-2009\", \"linux-nfsd-tcp-2020\"", "both.toml");
    assert_eq!(both["software"]["profile"], "");
    assert!(
        both["software"]["warning"]
            .as_str()
            .is_some_and(|text| text.contains(other)),
        "{both}"
    );
    let none = sweep("\"fishworks-2009\"", "none.toml");
    assert!(none["software"]["warning"].is_null(), "{none}");
}

/// The same counts as those of a run, in studies with draws.
#[test]
fn studies_count_how_their_figures_were_found() {
    let expected = json(&["run", BARCELONA, "--predict"])["interval"]["statuses"].clone();
    let count = |of: &str| expected[of].as_u64().expect("a count");
    let words = format!(
        "{} sourced, {} derived, {} fitted, {} assumed",
        count("sourced"),
        count("derived"),
        count("fitted"),
        count("assumed")
    );
    let set = "link.*.part=ht3-x16";
    assert_eq!(json(&["whatif", BARCELONA, "--set", set])["statuses"], expected);
    assert_eq!(json(&["ladder", BARCELONA])["statuses"], expected);
    let placed = json(&["place", BARCELONA]);
    assert_eq!(placed["scenarios"][0]["statuses"], expected);
    let page = text(&["whatif", BARCELONA, "--set", set, "--width", "200"]);
    let line = format!("Uncertain figures that matter for the base: {words}");
    assert!(page.contains(&line), "{page}");
}

/// Simulated, a mix of streams and small writes is a third of its prediction: it is not known which is right.
#[test]
fn an_interval_holds_prediction_and_simulation_where_they_differ() {
    let job = "../../scenarios/7410-istanbul/job-file.toml";
    let mixed = "workload.job.job_file=../../scenarios/jobs/mixed.fio";
    let found = json(&["run", job, "--set", mixed]);
    let apart = found["prediction"]["throughput_difference"]
        .as_f64()
        .expect("a difference");
    assert!(apart.abs() > 0.05, "{apart}: the example is none any more");
    let [low, high] = ends(&found["interval"]["ops_per_s"]);
    for rate in [
        &found["throughput"]["ops_per_s"],
        &found["prediction"]["throughput"]["ops_per_s"],
    ] {
        let rate = rate.as_f64().expect("a rate");
        assert!(
            low <= rate && rate <= high,
            "{rate} is not within {low} to {high}"
        );
    }
    let warnings = found["warnings"].as_array().expect("warnings").iter();
    let mut warnings = warnings.filter_map(Value::as_str);
    assert!(
        warnings.any(|warning| warning.contains("they differ by")),
        "{found}"
    );
}

/// A batch has the interval of its end.
#[test]
fn a_batch_has_an_interval() {
    let batch = "../../scenarios/sas-grid/computing-3-nodes.toml";
    let found = json(&["run", batch, "--predict"]);
    let [low, high] = ends(&found["elapsed_interval_s"]);
    let elapsed = found["elapsed_s"].as_f64().expect("it ends");
    assert!(
        low < elapsed && elapsed < high,
        "{elapsed} is not within {low} to {high}"
    );
    assert!(high < 2.3 * low, "{low} to {high}");
    assert_eq!(found["warnings"].as_array().map(Vec::len), Some(0));
    assert!(text(&["run", batch, "--predict"]).contains(", 90 %)"));
}

/// Parity pools are those of ZFS, whose costs only some profiles have.
#[test]
fn a_pool_of_zfs_asks_for_a_profile_with_its_costs() {
    let run = |sets: &[&str]| {
        let scenario = [
            "run",
            "../../scenarios/7410-istanbul/disk-random-8k.toml",
            "--predict",
            "--no-interval",
        ];
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        json(&scenario.into_iter().chain(sets).collect::<Vec<_>>())["warnings"].to_string()
    };
    let linux = "stack.profile=linux-nfsd-tcp-2020";
    let warned = run(&["pool.*.kind=raidz2", linux]);
    assert!(warned.contains("`openzfs-nfsd-2022`"), "{warned}");
    for sets in [
        &["pool.*.kind=raidz2"][..],
        &[linux],
        &["pool.*.kind=raidz2", linux, "stack.zfs=true"],
    ] {
        assert!(!run(sets).contains("ZFS"), "{sets:?}");
    }
}

/// Of servers with different nodes, what both have is compared, and the rest is named in one line.
#[test]
fn servers_with_other_parts_are_compared_by_what_both_have() {
    let folder = scratch::folder("trust", "nodes");
    let [one, four] = ["1", "4"].map(|nodes| {
        let set = format!("socket.*.numa_nodes={nodes}");
        let scenario = "../../scenarios/nvme-2-socket/fio.toml";
        let found = json(&["run", scenario, "--predict", "--no-interval", "--set", &set]).to_string();
        write(&folder.join(format!("{nodes}.json")), &found)
            .display()
            .to_string()
    });
    let compared = text(&["compare", &one, &four]);
    assert!(compared.contains("parts of one only  cpu.cpu0; "), "{compared}");
    assert!(!compared.contains("xGMI"), "{compared}");
    let [whole, parts] = ["the whole", "parts of one only"].map(|words| compared.find(words));
    assert!(whole.is_some() && whole < parts, "{compared}");
}

/// The JSON of fio with one job that read `bytes` a second in operations of `size` bytes.
fn fio(folder: &Path, error: u32, bytes: f64, size: f64) -> String {
    let text = format!(
        "{{\"fio version\": \"fio-3.36\", \"jobs\": [\n {{\"jobname\": \"a\",\n  \"error\": {error},\n  \"read\": \
         {{\"bw_bytes\": {bytes}, \"iops\": {}, \"total_ios\": 9}}}}]}}\n",
        bytes / size
    );
    write(&folder.join("fio.json"), &text).display().to_string()
}

/// What fio itself calls failed is refused at its place; a rate that no figure explains is pointed out.
#[test]
fn measurements_of_a_machine_are_not_taken_on_trust() {
    let folder = scratch::folder("trust", "fio");
    let calibrated = |measured: &str| {
        let reads = "validate/reads.toml";
        run(["calibrate", reads, "--own", "--measured", measured])
    };
    let refused = calibrated(&fio(&folder, 5, 1e9, 1_048_576.0));
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for said in ["measure::job_failed", "fio.json:3:12", "^"] {
        assert!(refused.stderr.contains(said), "{said}: {}", refused.stderr);
    }
    let doubtful = calibrated(&fio(&folder, 0, 1e3, 512.0));
    assert_eq!(doubtful.code, Some(0), "{}", doubtful.stderr);
    for said in ["measured::far_off", "measured::other_load"] {
        assert!(doubtful.stderr.contains(said), "{said}: {}", doubtful.stderr);
    }
}

/// A row that no prediction has, as `measure import` makes of fio, and further metrics of a run are left out
/// with a note at their line.
#[test]
fn a_measurement_without_a_prediction_does_not_stop_a_calibration() {
    let folder = scratch::folder("trust", "rows");
    let rows = "metric,value\nnetwork_bytes_per_s,2.0 GB/s\nlatency_max_s,16 ms\n";
    let rows = write(&folder.join("rows.csv"), rows).display().to_string();
    let found = run(["calibrate", "validate/reads.toml", "--own", "--measured", &rows]);
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    for said in ["measured::left_out", "rows.csv:3:1", "only a simulation has it"] {
        assert!(found.stderr.contains(said), "{said}: {}", found.stderr);
    }
}

/// Files that the program writes for scenarios to include do not stop the validation of a folder, and what
/// has no value says why.
#[test]
fn a_folder_with_own_figures_is_validated() {
    let folder = scratch::folder("trust", "folder");
    write(
        &folder.join("mine.toml"),
        "[stack]\nprofile = \"fishworks-2009\"\n",
    );
    let reads = program::fixtures().join("validate/reads.toml");
    let scenario = format!(
        "schema = 1\ninclude = [{:?}]\nname = \"a\"\nexpect = [{{ metric = \"latency_p99_s\", max = \"1 s\" }}]\n\
         [[measured]]\nid = \"power\"\nmetric = \"watts\"\nvalue = \"300 W\"\nsource = \"a meter\"\n",
        reads.display().to_string()
    );
    let scenario = write(&folder.join("a.toml"), &scenario).display().to_string();
    let path = folder.display().to_string();
    let found = run(["validate", &path, "--allow-outside", "--width", "120"]);
    assert_eq!(found.code, Some(1), "{}", found.stderr);
    assert!(
        found.stderr.contains("1 file with figures to include"),
        "{}",
        found.stderr
    );
    assert!(
        found.stdout.contains("OUTSIDE, the topology has no `[chassis]`"),
        "{}",
        found.stdout
    );
    let found = run(["run", &scenario, "--allow-outside", "--predict", "--width", "120"]);
    assert!(
        found.stdout.contains("only a simulation has it"),
        "{}",
        found.stdout
    );
    // A scenario that lacks its `schema` is still an error.
    write(&folder.join("b.toml"), "[[workload]]\nid = \"w\"\n");
    assert_eq!(run(["validate", &path, "--allow-outside"]).code, Some(2));
}
