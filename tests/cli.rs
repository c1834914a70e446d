//! The program as people and scripts meet it: exit codes, streams, formats, flags.

mod program;
mod scratch;

use std::path::{Path, PathBuf};

use bandgraph_testkit::write;
use program::{fixtures, program, run};
use serde_json::Value;

/// The result of `run --format json` with more arguments.
fn result(arguments: &[&str]) -> Value {
    let ended = run(["run", "--format", "json"].iter().chain(arguments));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("valid JSON")
}

fn number(value: &Value, pointer: &str) -> f64 {
    value
        .pointer(pointer)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no number at {pointer}"))
}

/// An empty folder of its own for each test that writes files.
fn folder(test: &str) -> PathBuf {
    scratch::folder("cli", test)
}

fn written(path: &Path) -> String {
    String::from_utf8(bandgraph_testkit::written(path)).expect("text")
}

#[expect(
    clippy::disallowed_methods,
    reason = "this test looks for what the program left behind"
)]
fn names_in(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder)
        .expect("the folder of the test")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

// Exit codes.

#[test]
fn exit_0_when_all_is_fine() {
    let ended = run(["run", "small.toml", "--predict"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("Bottleneck: "), "{}", ended.stdout);
    assert_eq!(ended.stderr, "");
}

#[test]
fn exit_1_when_an_expectation_fails_and_the_report_is_still_written() {
    let ended = run(["run", "small-gate.toml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended.stdout.contains("FAILED  network_bytes_per_s"),
        "{}",
        ended.stdout
    );
    let json = run(["run", "small-gate.toml", "--format", "json"]);
    assert_eq!(json.code, Some(1));
    let json: Value = serde_json::from_str(&json.stdout).expect("valid JSON");
    assert_eq!(json["expect"][0]["ok"], true);
    assert_eq!(json["expect"][1]["ok"], false);
}

#[test]
fn exit_2_when_the_input_is_broken_with_carets_on_stderr() {
    let ended = run(["run", "small.toml", "--set", "card.nic0.slot=s9"]);
    assert_eq!(ended.code, Some(2));
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("--> override:1:16"), "{}", ended.stderr);
    assert!(ended.stderr.contains('^'), "{}", ended.stderr);
}

#[test]
fn exit_2_when_usage_is_wrong() {
    for arguments in [
        vec!["run"],
        vec!["walk"],
        vec!["run", "small.toml", "--format", "xml"],
        vec!["run", "small.toml", "--width", "3"],
        vec!["run", "small.toml", "--jobs", "0"],
        vec!["run", "no-such-file.toml"],
        vec!["run", "small-server.toml"],
        vec!["run", "."],
        vec!["run", ""],
        vec!["parts", "show", "opterom-8356"],
        vec!["parts", "list", "--kind", "wheel"],
        vec!["stacks", "show", "fishworks-2019"],
        vec!["explain", "topology::nothing"],
        vec![],
    ] {
        let ended = run(&arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}");
        assert_eq!(ended.stdout, "", "{arguments:?}");
        assert!(!ended.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_near_miss_is_answered_with_what_was_meant() {
    assert!(
        run(["run", "smal.toml"])
            .stderr
            .contains("did you mean `small.toml`?")
    );
    assert!(
        run(["parts", "show", "opterom-8356"])
            .stderr
            .contains("did you mean `opteron-8356`?")
    );
    assert!(
        run(["stacks", "show", "fishworks-2019"])
            .stderr
            .contains("did you mean `fishworks-2009`?")
    );
    assert!(
        run(["explain", "topology::unknown_sockt"])
            .stderr
            .contains("did you mean `topology::unknown_socket`?")
    );
    assert!(
        run(["run", "small.toml", "--set", "socket.cpu0.base_cpi=\"90 %\""])
            .stderr
            .contains("`base_cpi` is a plain number, such as 0.9")
    );
    // With its folder, as it has to be typed.
    assert!(
        run(["run", "validate/raeds.toml"])
            .stderr
            .contains("did you mean `validate/reads.toml`?")
    );
}

#[test]
fn parts_are_found_by_vendor_and_family() {
    let listed = |name: &str| run(["parts", "list", name]).stdout;
    assert!(listed("mellanox").contains("connectx5-dual-100gbe"));
    assert!(listed("Xeon Gold").contains("xeon-6248 ") && !listed("Xeon Gold").contains("xeon-8280"));
    assert!(
        run(["parts", "show", "X520-DA2"])
            .stderr
            .contains("did you mean `intel-82599-dual-10gbe`")
    );
}

#[test]
fn words_of_reports_are_explained() {
    for word in ["processes", "client NIC"] {
        assert_eq!(run(["explain", word]).code, Some(0), "{word}");
    }
}

/// What `check` finds in the small scenario after changes of its server and of its own text.
fn checked(test: &str, server: [&str; 2], changes: &[[&str; 2]]) -> String {
    let folder = folder(test);
    for (name, changes) in [("small-server.toml", &[server][..]), ("small.toml", changes)] {
        let mut text = written(&fixtures().join(name));
        for [right, wrong] in changes {
            assert!(text.contains(right), "{name}: {right}");
            text = text.replace(right, wrong);
        }
        write(&folder.join(name), text.as_bytes());
    }
    let path = folder.join("small.toml").to_string_lossy().into_owned();
    run(["check", &path, "--format", "concise"]).stdout
}

/// A mistake in the server, and of one workload one in a value and one in a name: in one round.
#[test]
fn one_check_shows_the_mistakes_of_all_files() {
    let found = checked(
        "mistakes",
        ["slot = \"s0\"", "slot = \"s7\""],
        &[["\"few\"\nmix", "\"fwe\"\nmix"], ["\"256 KiB\"", "256"]],
    );
    for id in [
        "topology::unknown_slot",
        "reference::unknown_clients",
        "value::bare_number",
    ] {
        assert!(found.contains(id), "{id}: {found}");
    }
    assert_eq!(
        found.lines().filter(|line| line.contains("::")).count(),
        3,
        "{found}"
    );
}

/// What a scenario lacks is found beside what its bounds say, and for each workload.
#[test]
fn one_check_shows_what_all_workloads_lack() {
    let same = ["schema", "schema"];
    let second = "[[workload]]\nid = \"more\"\nclients = \"few\"\nmix = \"read\"\nworking_set = \"2 TiB\"\n";
    let set = ["\"4 GiB\"", "\"1 TiB\""];
    let found = checked("workloads", same, &[set, ["[run]", &format!("{second}\n[run]")]]);
    assert_eq!(found.matches("sim::exceeds_cache").count(), 2, "{found}");
    let pool = ["working_set", "pool = \"p\"\nworking_set"];
    let found = checked("pools", same, &[pool, ["network_bytes_per_s", "network_bytes"]]);
    for id in ["storage::unknown_pool", "reference::unknown_metric"] {
        assert!(found.contains(id), "{id}: {found}");
    }
}

#[test]
fn help_and_version_are_answers() {
    let version = run(["--version"]);
    assert_eq!(
        (version.code, version.stdout.as_str()),
        (Some(0), concat!("bandgraph ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    for arguments in [
        vec!["--help"],
        vec!["run", "--help"],
        vec!["check", "-h"],
        vec!["help", "topology", "show"],
    ] {
        let help = run(&arguments);
        assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(help.stdout.contains("bandgraph "), "{arguments:?}");
    }
}

// Input.

#[test]
fn check_tells_all_errors_of_all_files_at_once() {
    let ended = run([
        "check",
        "small.toml",
        "broken.toml",
        "no-such-file.toml",
        "small-server.toml",
    ]);
    assert_eq!(ended.code, Some(2));
    for words in [
        "broken.toml:7:8",
        "opterom-8356",
        "did you mean `opteron-8356`?",
        "broken.toml:8",
        "colour",
        "no-such-file.toml",
        "ok  small.toml",
        "ok  small-server.toml",
        "2 of 4 files cannot be used",
    ] {
        assert!(
            ended.stdout.contains(words),
            "{words} is missing in\n{}",
            ended.stdout
        );
    }
}

#[test]
fn check_passes_good_files() {
    let ended = run(["check", "small.toml", "small-server.toml", "small-gate.toml"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        ended.stdout,
        "ok  small.toml\nok  small-server.toml\nok  small-gate.toml\n"
    );
}

#[test]
fn check_has_formats_for_people_lines_programs_and_github() {
    let concise = run(["check", "broken.toml", "--format", "concise"]);
    assert!(
        concise
            .stdout
            .lines()
            .all(|line| line.starts_with("broken.toml:")),
        "{}",
        concise.stdout
    );
    assert!(concise.stdout.lines().count() >= 3, "{}", concise.stdout);
    let json = run(["check", "broken.toml", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.stdout).expect("valid JSON");
    assert_eq!(
        json.as_array().map(Vec::len),
        Some(concise.stdout.lines().count())
    );
    assert_eq!(json[0]["file"], "broken.toml");
    let github = run(["check", "broken.toml", "--format", "github"]);
    assert!(
        github.stdout.starts_with("::error file=broken.toml,line="),
        "{}",
        github.stdout
    );
    for ended in [concise, github] {
        assert_eq!(ended.code, Some(2));
    }
}

#[test]
fn set_is_seen_in_the_result() {
    let before = result(&["small.toml"]);
    let after = result(&[
        "small.toml",
        "--set",
        "workload.read.io_size=8 KiB",
        "--set",
        "run.seed=9",
    ]);
    assert_eq!(after["seed"], 9);
    assert_ne!(before["input_hash"], after["input_hash"]);
    assert!(number(&after, "/throughput/ops_per_s") > 4.0 * number(&before, "/throughput/ops_per_s"));
    // A link of another part has another capacity: HT3 at 2.4 GHz carries 9.6 GB/s a direction.
    let link = |result: &Value| {
        let resources = result["resources"].as_array().expect("a list");
        let link = resources
            .iter()
            .find(|resource| resource["id"] == "link.cpu0-cpu1")
            .expect("the link");
        number(link, "/capacity")
    };
    assert_eq!(link(&before), 4.0e9);
    let faster = result(&["small.toml", "--set", "link.cpu0-cpu1.part=ht3-x16"]);
    assert_eq!(link(&faster), 9.6e9);
}

#[test]
fn the_seed_flag_is_the_seed_field() {
    let flag = run(["run", "small.toml", "--format", "json", "--seed", "42"]);
    let set = run(["run", "small.toml", "--format", "json", "--set", "run.seed=42"]);
    assert_eq!(flag.stdout, set.stdout);
    assert!(flag.stdout.contains("\"seed\": 42,"));
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf_8_are_no_panic() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"caf\xe9.toml");
    for arguments in [
        vec![OsStr::new("run"), odd],
        vec![OsStr::new("check"), odd],
        vec![
            OsStr::new("run"),
            OsStr::new("small.toml"),
            OsStr::new("--set"),
            odd,
        ],
        vec![OsStr::new("topology"), OsStr::new("show"), odd],
        vec![OsStr::new("parts"), OsStr::new("show"), odd],
        vec![odd],
    ] {
        let ended = program().args(&arguments).run();
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    }
}

// Output.

#[test]
fn the_same_bytes_twice_and_whatever_the_jobs() {
    for format in ["text", "json", "csv"] {
        let once = run(["run", "small.toml", "--format", format]);
        for jobs in ["1", "2"] {
            let again = run(["run", "small.toml", "--format", format, "--jobs", jobs]);
            assert_eq!(once.stdout, again.stdout, "{format} with {jobs} jobs");
        }
    }
}

#[test]
fn a_prediction_agrees_with_the_simulation() {
    let mixed = [
        "small.toml",
        "--set",
        "workload.read.mix={ read = 0.9, getattr = 0.1 }",
    ];
    let simulated = result(&[&mixed[..], &["--set", "run.duration=400 ms"]].concat());
    let predicted = result(&[&mixed[..], &["--predict"]].concat());
    assert_eq!(
        (&simulated["mode"], &predicted["mode"]),
        (&Value::from("simulate"), &Value::from("predict"))
    );
    assert_eq!(predicted["latency"]["p99_s"], Value::Null);
    let latency = |point: &str| number(&simulated, &format!("/latency/{point}_s"));
    let points = [latency("p50"), latency("p95"), latency("p99"), latency("max")];
    assert!(points.is_sorted(), "{points:?}");
    // Nine of ten read: half of the operations cannot be ten times faster than the mean, and the slowest is
    // no faster than it.
    assert!(
        latency("p50") > 0.1 * latency("mean") && latency("max") >= 0.999 * latency("mean"),
        "{points:?}"
    );
    let (measured, expected) = (
        number(&simulated, "/throughput/ops_per_s"),
        number(&predicted, "/throughput/ops_per_s"),
    );
    assert!(
        (measured / expected - 1.0).abs() < 0.02,
        "{measured} against {expected}"
    );
    assert_eq!(simulated["bottleneck"]["id"], predicted["bottleneck"]["id"]);
    let difference = number(&simulated, "/prediction/throughput_difference");
    assert!(
        (difference - (measured / expected - 1.0)).abs() < 1e-9,
        "{difference}"
    );
}

#[test]
fn text_and_json_tell_the_same_numbers() {
    let text = run(["run", "small.toml", "--width", "120"]).stdout;
    let json = result(&["small.toml"]);
    let id = json["bottleneck"]["id"].as_str().expect("an id");
    assert!(text.contains(&format!("Bottleneck: {id}")), "{text}");
    for (row, pointer) in [
        ("payload", "/throughput/payload_bytes_per_s"),
        ("network", "/throughput/network_bytes_per_s"),
    ] {
        let value = number(&json, pointer);
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(row) && line.contains(" GB/s"))
            .expect("a row of the throughput table");
        let (before, _) = line.split_once(" GB/s").expect("a rate");
        let gigabytes = before
            .rsplit(' ')
            .next()
            .and_then(|word| word.parse::<f64>().ok());
        let gigabytes = gigabytes.expect("a number");
        assert!(line.contains("GB/s") && line.contains("GiB/s"), "{line}");
        assert!(
            (gigabytes * 1e9 / value - 1.0).abs() < 0.005,
            "{line} against {value}"
        );
    }
    for resource in json["resources"].as_array().expect("a list") {
        let id = resource["id"].as_str().expect("an id");
        let Some(row) = text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(id))
        else {
            continue;
        };
        let used = format!("{:.1} %", number(resource, "/saturation") * 100.0);
        assert!(row.contains(&used), "{used} is not in {row}");
    }
}

#[test]
fn rates_of_a_link_add_up_by_cause() {
    let json = result(&["small.toml"]);
    let links = json["link_traffic"].as_array().expect("a list");
    assert!(!links.is_empty());
    for link in links {
        let id = link["id"].as_str().expect("an id");
        let total: f64 = link["by_cause"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|cause| number(cause, "/bytes_per_s"))
            .sum();
        let resource = json["resources"]
            .as_array()
            .and_then(|resources| resources.iter().find(|resource| resource["id"] == id))
            .expect("every link is a resource");
        let rate = number(resource, "/rate");
        assert!(
            (total - rate).abs() <= 0.01 * rate,
            "{id}: {total} against {rate}"
        );
    }
}

#[test]
fn text_fits_the_page() {
    for width in ["60", "80", "120"] {
        let text = run(["run", "small.toml", "--width", width]).stdout;
        let columns: usize = width.parse().expect("a number");
        for line in text.lines() {
            assert!(line.chars().count() <= columns, "{width}: {line}");
        }
    }
    assert!(run(["run", "small.toml", "--ascii"]).stdout.is_ascii());
}

#[test]
fn no_colour_in_a_pipe_and_none_against_the_users_will() {
    assert!(!run(["run", "small.toml"]).stdout.contains('\u{1b}'));
    let forced = program()
        .args(["run", "small.toml"])
        .env("CLICOLOR_FORCE", "1")
        .run();
    assert!(forced.stdout.contains('\u{1b}'), "colour can be asked for");
    let refused = program()
        .args(["run", "small.toml"])
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1")
        .run();
    let broken = program()
        .args(["check", "broken.toml"])
        .env("NO_COLOR", "1")
        .run();
    assert!(!broken.stdout.contains('\u{1b}'));
    // Which of the two wins is the convention of the library; that one alone is enough, ours to hold.
    let alone = program().args(["run", "small.toml"]).env("NO_COLOR", "1").run();
    assert!(!alone.stdout.contains('\u{1b}'));
    assert_eq!(refused.code, Some(0));
}

#[test]
fn output_goes_to_a_file_whole_and_alone() {
    let folder = folder("output-file");
    let file = folder.join("result.json");
    let arguments = ["run", "small.toml", "--format", "json"];
    let ended = program().args(arguments).arg("--output").arg(&file).run();
    assert_eq!(
        (ended.code, ended.stdout.as_str(), ended.stderr.as_str()),
        (Some(0), "", "")
    );
    assert_eq!(written(&file), run(arguments).stdout);
    // Again, over the file that is there.
    assert_eq!(
        program().args(arguments).arg("--output").arg(&file).run().code,
        Some(0)
    );
    assert_eq!(names_in(&folder), ["result.json"]);
}

#[test]
fn output_that_cannot_be_written_leaves_nothing_behind() {
    let folder = folder("output-nowhere");
    let nowhere = folder.join("missing/result.json");
    let ended = program()
        .args(["run", "small.toml", "--output"])
        .arg(&nowhere)
        .run();
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("failed to write"), "{}", ended.stderr);
    let ended = program()
        .args(["run", "small.toml", "--output"])
        .arg(&folder)
        .run();
    assert_eq!(ended.code, Some(2), "a folder is no file");
    assert_eq!(names_in(&folder), Vec::<String>::new());
}

#[test]
fn a_failed_run_leaves_the_output_as_it_was() {
    let folder = folder("output-kept");
    let file = folder.join("result.txt");
    assert_eq!(
        program()
            .args(["run", "small.toml", "--output"])
            .arg(&file)
            .run()
            .code,
        Some(0)
    );
    let before = written(&file);
    assert_eq!(
        program()
            .args(["run", "small.toml", "--set", "run.duration=0 s", "--output"])
            .arg(&file)
            .run()
            .code,
        Some(2)
    );
    assert_eq!(written(&file), before);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    // The whole graph of a run does not fit in a pipe's buffer, so that writing meets the closed end.
    for arguments in [
        vec!["run", "small.toml", "--format", "json"],
        vec!["schema", "scenario"],
        vec!["--help"],
    ] {
        let ended = program().args(&arguments).run_without_reader();
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn csv_has_a_row_for_every_figure() {
    let ended = run(["run", "small.toml", "--format", "csv"]);
    let mut lines = ended.stdout.lines();
    assert_eq!(
        lines.next(),
        Some(
            "scenario,mode,seed,subject,kind,metric,value,unit,file,overrides,bandgraph,\
             software_profile,software_is_default,input_hash"
        )
    );
    assert!(lines.clone().count() > 50);
    let origin = format!(",small.toml,,{},fishworks-2009,true,", env!("CARGO_PKG_VERSION"));
    // The last cell is the hash.
    assert!(lines.all(|line| {
        let (rest, hash) = line.rsplit_once(',').expect("cells");
        line.starts_with("Small reads,simulate,1,")
            && format!("{rest},").ends_with(&origin)
            && hash.len() == 64
    }));
}

/// The last line of a text says which version made it, how, and from what.
#[test]
fn every_text_says_what_it_was_made_from() {
    let version = format!(
        "bandgraph {}, predicted, without events",
        env!("CARGO_PKG_VERSION")
    );
    let barcelona = "../../scenarios/7410-barcelona/cached-read.toml";
    for arguments in [
        &["figures", "small.toml", "--draws", "20"][..],
        &["validate", barcelona],
        &["ladder", "small.toml", "--no-interval"],
        &["whatif", "small.toml", "--set", "run.seed=2", "--no-interval"],
    ] {
        let text = run(arguments)
            .stdout
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(text.contains(&version), "{arguments:?}: {text}");
        assert!(text.contains(arguments[1]), "{arguments:?}: {text}");
    }
}

#[test]
fn figures_say_what_their_ranges_are_and_have_every_format() {
    let figures = |format: &str| run(["figures", "small.toml", "--draws", "20", "--format", format]).stdout;
    let text = figures("text").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("90 % of the draws of a figure are within 65 % of its range"),
        "{text}"
    );
    assert!(
        text.contains(" range ") && !text.contains("90 % belief status"),
        "{text}"
    );
    assert!(
        figures("markdown").contains("| weight |"),
        "{}",
        figures("markdown")
    );
    // Each with its value, range, status and source.
    let csv = figures("csv");
    assert!(
        csv.starts_with("table,of,name,field,value,range_low,range_high,status,source,"),
        "{csv}"
    );
    assert!(
        csv.contains("figure,socket-link,ht1-x16,release_words_full,20 %,10 %,100 %,assumed,,"),
        "{csv}"
    );
    assert!(
        text.contains(" sourced, "),
        "text has sources at 80 columns: {text}"
    );
    let json: Value = serde_json::from_str(&figures("json")).expect("valid JSON");
    assert_eq!(
        (&json["mode"], &json["file"]),
        (&"predict".into(), &"small.toml".into())
    );
}

/// What commands show has every format; the JSON is an object, and the CSV has a header.
#[test]
fn everything_that_is_shown_has_every_format() {
    for command in [
        "topology show small.toml",
        "parts list --kind bridge",
        "parts show opteron-8356",
        "parts pcie gen3 x8",
        "stacks list",
        "stacks show fishworks-2009",
    ] {
        for (format, beginning) in [
            ("text", ""),
            ("json", "{\n"),
            ("csv", ""),
            ("markdown", ""),
            ("html", "<!DOCTYPE html>"),
        ] {
            let ended = run(command.split(' ').chain(["--format", format]));
            assert_eq!(ended.code, Some(0), "{command} as {format}: {}", ended.stderr);
            let lines = ended.stdout.lines().count();
            assert!(
                ended.stdout.starts_with(beginning),
                "{command} as {format}: {}",
                ended.stdout
            );
            assert!(
                lines > 2 || format == "csv",
                "{command} as {format}: {}",
                ended.stdout
            );
            let mut rows = ended.stdout.lines().map(csv_columns);
            let header = rows.next();
            assert!(
                format != "csv" || (lines > 1 && rows.all(|row| Some(row) == header)),
                "{command} as CSV: {}",
                ended.stdout
            );
        }
    }
}

/// The number of cells of a line of CSV.
fn csv_columns(line: &str) -> usize {
    let outside = line.split('"').step_by(2);
    1 + outside.map(|text| text.matches(',').count()).sum::<usize>()
}

/// A drive is called what it is, and so is its port.
#[test]
fn nvme_drives_are_not_called_disks_on_sas() {
    let ended = run([
        "run",
        "../../scenarios/server-2023/nvme-read.toml",
        "--predict",
        "--no-interval",
        "--width",
        "120",
    ]);
    let of = |name: &str| {
        let row = ended.stdout.lines().find(|line| line.contains(name));
        row.unwrap_or_else(|| panic!("no {name} in {}", ended.stdout))
    };
    assert!(of("x disk.").contains(" SSD "), "{}", ended.stdout);
    assert!(of("x sas.").contains(" NVMe "), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("Then the SSDs (pm1743-15tb)"),
        "{}",
        ended.stdout
    );
    // Each moves its share of the bytes at all disks.
    let found = result(&[
        "../../scenarios/server-2023/nvme-read.toml",
        "--predict",
        "--no-interval",
    ]);
    let drives = found["resources"].as_array().expect("a list").iter();
    let drives: Vec<&Value> = drives.filter(|one| one["kind"] == "disk").collect();
    let sum = |field: &str| -> f64 { drives.iter().filter_map(|drive| drive[field].as_f64()).sum() };
    let (all, each) = (number(&found, "/throughput/disk_bytes_per_s"), sum("bytes_per_s"));
    assert!((each / all - 1.0).abs() < 1e-9, "{each} {all}");
    assert!(sum("ops_per_s") > 0.0);
    assert!(
        ended.stdout.contains("Drives, the fullest of each row"),
        "{}",
        ended.stdout
    );
}

/// Where the scenario gives the hit rate, the size of the cache does not matter.
#[test]
fn a_given_hit_rate_comes_without_the_size_of_the_cache() {
    let ceph = "../../scenarios/modern/ceph-blocks.toml#ceph-3n";
    let text = run(["run", ceph, "--predict", "--no-interval", "--width", "120"]).stdout;
    assert!(
        text.contains("0.0 % of reads from DRAM: as the scenario says"),
        "{text}"
    );
}

#[test]
fn measurements_are_compared() {
    let json = result(&["small.toml"]);
    assert_eq!(json["measured"][0]["id"], "made-up");
    let (measured, predicted) = (
        number(&json, "/measured/0/measured"),
        number(&json, "/measured/0/predicted"),
    );
    assert_eq!(measured, 1_073_741_824.0);
    assert_eq!(predicted, number(&json, "/throughput/network_bytes_per_s"));
    assert!((number(&json, "/measured/0/relative_error") - (predicted / measured - 1.0)).abs() < 1e-12);
}

// The other commands.

#[test]
fn topologies_are_shown_as_text_json_and_dot() {
    let text = run(["topology", "show", "small-server.toml"]);
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    assert!(
        text.stdout.contains("Small server") && text.stdout.contains("gen1 x8"),
        "{}",
        text.stdout
    );
    let json = run([
        "topology",
        "show",
        "small-server.toml",
        "--format",
        "json",
        "--set",
        "card.nic0.slot=s1",
    ]);
    let json: Value = serde_json::from_str(&json.stdout).expect("valid JSON");
    assert_eq!(json["server"]["slots"][1]["card"], "nic0");
    assert_eq!(json["server"]["slots"][1]["trained"], "gen1 x4");
    let dot = run(["topology", "dot", "small-server.toml"]);
    assert!(
        dot.stdout.contains("graph") && dot.stdout.contains("nic0"),
        "{}",
        dot.stdout
    );
    // A scenario has a topology too.
    assert_eq!(run(["topology", "show", "small.toml"]).stdout, text.stdout);
    assert_eq!(run(["topology", "show", "broken.toml"]).code, Some(2));
}

#[test]
fn parts_are_listed_and_shown() {
    let list = run(["parts", "list"]);
    assert!(list.stdout.contains("opteron-8356") && list.stdout.contains("neptune-dual-10gbe"));
    for words in ["10 Gbit/s", "2 MiB"] {
        assert!(list.stdout.contains(words), "{}", list.stdout);
    }
    let sockets = run(["parts", "list", "--kind", "socket"]);
    assert!(sockets.stdout.contains("opteron-8356") && !sockets.stdout.contains("neptune-dual-10gbe"));
    let part = run(["parts", "show", "opteron-8356", "--format", "json"]);
    let part: Value = serde_json::from_str(&part.stdout).expect("valid JSON");
    assert_eq!(part["kind"], "socket");
}

#[test]
fn stacks_are_listed_and_shown() {
    let list = run(["stacks", "list"]);
    assert!(list.stdout.contains("fishworks-2009-rdma") && list.stdout.contains("2008 to 2010"));
    let some = run(["stacks", "list", "SMB"]).stdout;
    assert!(
        some.contains("fishworks-2009-smb") && !some.contains("ceph"),
        "{some}"
    );
    let none = run(["stacks", "list", "no such software"]);
    assert!(
        none.stderr.contains("there is no built-in stack"),
        "{}",
        none.stderr
    );
    let text = run(["stacks", "show", "fishworks-2009"]).stdout;
    for words in [
        "fitted to hw-update-2009",
        "Brendan Gregg, \"7410 hardware update",
    ] {
        assert!(text.contains(words), "{words} is missing in\n{text}");
    }
    let stack = run(["stacks", "show", "fishworks-2009-rdma", "--format", "json"]);
    let stack: Value = serde_json::from_str(&stack.stdout).expect("valid JSON");
    let fields = stack["fields"].as_array().expect("its figures");
    let figure = |name: &str| {
        fields
            .iter()
            .find(|field| field["name"] == name)
            .expect("a figure")
    };
    assert_eq!(figure("misses_per_byte")["status"], "fitted");
    // Of the stack that it is based on.
    assert_eq!(figure("instructions_per_operation")["status"], "derived");
}

#[test]
fn every_error_of_a_check_is_explained() {
    let json = run(["check", "broken.toml", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.stdout).expect("valid JSON");
    let ids: Vec<&str> = json
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|error| error["id"].as_str())
        .collect();
    assert!(!ids.is_empty());
    for id in ids {
        let ended = run(["explain", id]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(
            ended.stdout.starts_with(id) && ended.stdout.lines().count() > 2,
            "{}",
            ended.stdout
        );
    }
}

#[test]
fn shipped_files_pass_their_own_check() {
    let root = fixtures().join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    let scenarios = root.join("scenarios");
    let systems = names_in(&scenarios).into_iter().filter(|name| name != "common");
    let systems = systems.map(|name| scenarios.join(name));
    for folder in systems.chain([root.join("topologies")]) {
        files.extend(
            names_in(&folder)
                .iter()
                .filter(|name| Path::new(name).extension().is_some_and(|end| end == "toml"))
                .map(|name| folder.join(name)),
        );
    }
    files.sort();
    assert!(files.len() >= 50, "{files:?}");
    let ended = program().arg("check").args(&files).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
}

/// The curve of a link: the published sum for gen3 x8 with 256-byte packets is about 50 Gbit/s of payload
/// each way, and mistakes are answered, not guessed.
#[test]
fn parts_pcie_shows_what_a_link_delivers() {
    let ended = run([
        "parts",
        "pcie",
        "gen3",
        "x8",
        "--completion",
        "256",
        "--format",
        "csv",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let row = ended.stdout.lines().find(|line| line.starts_with("1500,"));
    let both = row
        .and_then(|row| row.rsplit(',').next())
        .and_then(|cell| cell.parse::<f64>().ok());
    assert!(
        both.is_some_and(|both| (both * 8.0 / 1e9 - 52.0).abs() < 3.0),
        "{both:?}"
    );
    for wrong in [
        ["gen7", "x8", "--size", "64"],
        ["gen3", "x3", "--size", "64"],
        ["gen3", "x8", "--latency", "500"],
        ["gen3", "x8", "--payload", "64"],
        ["gen3", "x8", "--size", "0"],
    ] {
        let ended = run(["parts", "pcie"].into_iter().chain(wrong));
        assert_eq!(ended.code, Some(2), "{wrong:?}");
    }
}

/// Makes a trace of reads and attributes.
fn trace(folder: &Path, more: &[&str]) -> PathBuf {
    let path = folder.join("trace.txt");
    let fixed = [
        "trace",
        "generate",
        "--operations",
        "3000",
        "--rate",
        "1000",
        "--output",
    ];
    let arguments = fixed.iter().map(|text| (*text).to_owned());
    let arguments = arguments.chain([path.display().to_string()]);
    let mix = ["--mix", "read=2,getattr=1"];
    let mix: &[&str] = if more.contains(&"--mix") { &[] } else { &mix };
    let more = mix.iter().chain(more).map(|text| (*text).to_owned());
    let ended = run(arguments.chain(more));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    path
}

/// Whether a result has no interval, for this reason.
fn has_no_interval(result: &Value, reason: &str) -> bool {
    let warnings = result["warnings"].as_array().expect("warnings");
    let reason = format!("there is no interval: {reason}");
    let says = |warning: &Value| {
        warning
            .as_str()
            .is_some_and(|warning| warning.starts_with(&reason))
    };
    result["interval"].is_null() && warnings.iter().any(says)
}

#[test]
fn a_trace_is_replayed_and_held_against_what_was_recorded() {
    let path = trace(&folder("replay"), &[]);
    let small = fixtures().join("small.toml").display().to_string();
    let path = path.display().to_string();
    let as_recorded = result(&[&small, "--trace", &path]);
    assert_eq!(as_recorded["replay"]["operations"], 3000);
    assert_eq!(as_recorded["replay"]["format"], "nfsdump");
    assert!(has_no_interval(&as_recorded, "a trace is replayed once"));
    let span = number(&as_recorded, "/replay/recorded_span_s");
    assert!((number(&as_recorded, "/throughput/ops_per_s") / (3000.0 / span) - 1.0).abs() < 0.02);
    assert!(number(&as_recorded, "/replay/recorded_latency/mean_s") > 0.0);
    assert!(as_recorded["measured"].as_array().is_some_and(Vec::is_empty));
    // Twice as fast takes half as long.
    let twice = result(&[&small, "--trace", &path, "--speed", "2"]);
    let ratio = number(&as_recorded, "/replay/replayed_span_s") / number(&twice, "/replay/replayed_span_s");
    assert!((ratio - 2.0).abs() < 0.05, "{ratio}");
    let fast = result(&[&small, "--trace", &path, "--timing", "as-fast-as-possible"]);
    assert_eq!(fast["replay"]["operations"], 3000);
    let text = run(["run", &small, "--trace", &path, "--width", "80"]);
    assert!(text.stdout.contains("Replay\n"), "{}", text.stdout);
}

#[test]
fn a_trace_may_come_through_a_pipe() {
    let path = trace(&folder("pipe"), &["--seed", "5"]);
    let small = fixtures().join("small.toml").display().to_string();
    let from_file = result(&[&small, "--trace", &path.display().to_string()]);
    let piped = program()
        .args(["run", &small, "--trace", "-", "--format", "json"])
        .stdin(written(&path))
        .run();
    assert_eq!(piped.code, Some(0), "{}", piped.stderr);
    let piped: Value = serde_json::from_str(&piped.stdout).expect("valid JSON");
    assert_eq!(piped["throughput"], from_file["throughput"]);
    assert_eq!(piped["latency"], from_file["latency"]);
}

/// The load that is fitted does to the network what the trace did, cache and stable writes included.
#[test]
fn a_load_is_fitted_to_a_trace() {
    let folder = folder("fit");
    let mix = [
        "--mix",
        "read=5,write=3,getattr=2",
        "--sizes",
        "8 KiB=3,64 KiB=1",
        "--zipf",
        "0.9",
    ];
    let path = trace(&folder, &mix).display().to_string();
    let server = "../../scenarios/7410-istanbul/disk-read.toml";
    let fitted = folder.join("fitted.toml").display().to_string();
    let ended = run(["trace", "fit", &path, "--scenario", server, "--output", &fitted]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // The way from the file to the scenario, wherever both are moved together.
    let text = String::from_utf8(bandgraph_testkit::written(Path::new(&fitted))).expect("text");
    let include = text
        .lines()
        .find(|line| line.starts_with("include"))
        .expect("an include");
    assert!(include.starts_with("include = [\"../"), "{include}");
    let replayed = result(&[server, "--trace", &path]);
    // What is expected of the load whose place it takes is not met by this one: hence not by its exit code.
    let steady = run(["run", &fitted, "--predict", "--format", "json"]);
    let steady: Value = serde_json::from_str(&steady.stdout).expect("valid JSON");
    let both = |figure: &str| {
        let place = format!("/throughput/{figure}");
        [number(&replayed, &place), number(&steady, &place)]
    };
    for figure in ["ops_per_s", "payload_bytes_per_s"] {
        let [replayed, steady] = both(figure);
        assert!(
            (steady / replayed - 1.0).abs() < 0.02,
            "{figure}: {replayed} and {steady}"
        );
    }
    // A replay does not count which blocks are written again in memory.
    let [replayed, steady] = both("disk_bytes_per_s");
    assert!(
        (0.4 * replayed..1.02 * replayed).contains(&steady),
        "{replayed} and {steady}"
    );
}

/// Operations that all start at one time have no rate, and those that nearly do have one that nothing can
/// serve.
#[test]
fn a_trace_without_a_span_has_no_load_that_stands_for_it() {
    let folder = folder("no-span");
    let line = |time: &str| format!("{time},usr,0,Read,7014609920,8192,10\n");
    let (once, later) = (line("128166372003061629"), line("128166372003061630"));
    for (text, id) in [
        (once.clone(), "trace::no_span"),
        (once.repeat(3), "trace::no_span"),
        (format!("{once}{later}"), "run::too_long"),
    ] {
        let path = folder.join("trace.csv");
        write(&path, &text);
        let path = path.display().to_string();
        let scenario = "../../scenarios/7410-istanbul/cached-read.toml";
        let ended = run(["trace", "fit", &path, "--scenario", scenario]);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(id), "{}", ended.stderr);
        assert_eq!(ended.stdout, "");
    }
}

#[test]
fn what_cannot_be_replayed_is_refused() {
    let folder = folder("refused");
    let path = trace(&folder, &[]).display().to_string();
    let small = fixtures().join("small.toml").display().to_string();
    for (more, words) in [
        (vec!["--speed", "0"], "0 times as fast"),
        (vec!["--trace-workload", "nobody"], "no workload `nobody`"),
    ] {
        let ended = run(["run", &small, "--trace", &path].into_iter().chain(more));
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    // Writes, and no disks.
    let writes = trace(&folder, &["--mix", "write=1"]).display().to_string();
    let ended = run(["run", &small, "--trace", &writes]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("sim::needs_disks"), "{}", ended.stderr);
}

#[test]
fn a_run_that_would_not_end_is_refused_before_it_begins() {
    let arguments = [
        "run",
        "../../scenarios/7410-istanbul/cached-read.toml",
        "--quiet",
        "--set",
        "run.duration=23h",
        "--set",
        "workload.read.io_size=\"1 B\"",
        "--set",
        "workload.read.threads_per_client=100",
    ];
    let ended = run(arguments);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("run::too_long"), "{}", ended.stderr);
    // The steady state takes no time.
    let predicted = run(arguments.into_iter().chain(["--predict"]));
    assert_eq!(
        predicted.code,
        Some(1),
        "the gate of the scenario is about another load"
    );
}

/// Disks write in groups 5 s apart: a window of 2 ms is 2 ms, and the report says first what it is worth.
#[test]
fn a_window_is_as_long_as_the_scenario_says() {
    let slow = [
        "../../scenarios/sas-grid/one-client-duplex.toml",
        "--set",
        "run.duration=2 ms",
    ];
    let found = result(&slow);
    assert_eq!(number(&found, "/simulated/measured_s"), 0.002);
    let warning = found["warnings"][0].as_str().expect("a warning").to_owned();
    for words in [
        "a window of 2 ms",
        "transaction groups of disk writes come 5 s apart",
        "at least a window of 15 s",
    ] {
        assert!(warning.contains(words), "{warning}");
    }
    let text = run(["run"].into_iter().chain(slow)).stdout;
    let place = |words: &str| {
        text.find(words)
            .unwrap_or_else(|| panic!("{words} is missing in {text}"))
    };
    assert!(place("Warning: the scenario fixes a window of 2 ms:") < place("Throughput"));
    // What is not given is long enough.
    let found = result(&slow[..1]);
    let warnings = found["warnings"].as_array().expect("a list");
    let of_window = |warning: &&Value| warning.as_str().is_some_and(|text| text.contains("a window of"));
    assert_eq!(warnings.iter().find(of_window), None);
    assert!(number(&found, "/simulated/measured_s") >= 15.0);
}

#[cfg(unix)]
#[test]
fn results_go_into_a_device_and_not_to_its_place() {
    let folder = folder("device");
    let link = folder.join("null");
    std::os::unix::fs::symlink("/dev/null", &link).expect("a new link");
    let device = link.to_str().expect("text");
    let scenario = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/scenarios/7410-barcelona/cached-read.toml"
    );
    let sweep = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/sweeps/7410-io-size.toml");
    let commands: [&[&str]; 3] = [
        &["trace", "generate", "--operations", "10", "--output", device],
        &["run", scenario, "--predict", "--output", device],
        &["sweep", sweep, "--restart", "--csv", device],
    ];
    for arguments in commands {
        let journal = folder.join("journal");
        let journal = ["--journal", journal.to_str().expect("text")];
        let journal: &[&str] = if arguments[0] == "sweep" { &journal } else { &[] };
        let ended = run(arguments.iter().chain(journal));
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
        let metadata = std::fs::symlink_metadata(&link).expect("it is there");
        assert!(metadata.is_symlink(), "{arguments:?} took its place");
    }
    assert!(!std::fs::metadata("/dev/null").expect("it is there").is_file());
}

#[test]
fn a_trace_slowed_down_beyond_the_clock_is_refused() {
    let path = trace(&folder("slowed"), &[]).display().to_string();
    let small = fixtures().join("small.toml").display().to_string();
    let ended = run(["run", &small, "--trace", &path, "--speed", "1e-300"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("trace::too_long"), "{}", ended.stderr);
}

#[test]
fn errors_keep_the_columns_that_the_environment_asks_for() {
    let widest = |columns: &str| {
        let ended = program()
            .args(["parts", "list", "--kind", "nic", "no-such-part"])
            .env("COLUMNS", columns)
            .run();
        assert_eq!(ended.code, Some(2));
        ended.stderr.lines().map(|line| line.chars().count()).max()
    };
    assert!(widest("60") <= Some(60));
    assert!(widest("60") < widest("200"));
}

/// `--width` is for the errors of a command too, and comes before the environment.
#[test]
fn errors_have_the_columns_of_the_page() {
    let wrong = "workload.read.protocol=no-such-protocol";
    let ended = program()
        .args(["run", "small.toml", "--set", wrong, "--width", "60"])
        .env("COLUMNS", "120")
        .run();
    assert_eq!(ended.code, Some(2));
    let widest = ended.stderr.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(60), "{}", ended.stderr);
}

#[test]
fn parts_are_found_as_people_write_them() {
    for name in ["ConnectX-6", "connectx6", "CONNECTX 6"] {
        let ended = run(["parts", "list", name]);
        assert!(
            ended.stdout.contains("connectx6-dual-100gbe"),
            "{name}: {}",
            ended.stdout
        );
    }
}

#[test]
fn validate_without_the_shipped_scenarios_says_what_to_name() {
    let ended = run(["validate"]);
    assert_eq!(ended.code, Some(2));
    for words in ["there is no folder `scenarios` here", "`[[measured]]`"] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
}

#[test]
fn sources_and_last_parts_of_ids_are_explained() {
    let source = run(["explain", "bestperf-2009"]);
    assert!(source.stdout.contains("Sun Microsystems"), "{}", source.stdout);
    for word in ["rung", "xgmi", "network"] {
        assert_eq!(run(["explain", word]).code, Some(0), "{word}");
    }
    let misspelt = run(["explain", "unknow_socket"]);
    assert!(
        misspelt.stderr.contains("`unknown_socket`"),
        "{}",
        misspelt.stderr
    );
}

/// Who asked for JSON reads arguments that cannot be used as JSON too.
#[test]
fn wrong_arguments_are_json_where_that_was_asked_for() {
    for arguments in [
        &["run", "small.toml", "--format", "json", "--seed", "x"][..],
        &["run", "small.toml", "--format=json", "--sed", "1"],
    ] {
        let ended = run(arguments);
        assert_eq!(ended.code, Some(2));
        let found: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
        assert_eq!(found[0]["id"], "usage::argument", "{found}");
        assert!(ended.stderr.is_empty(), "{}", ended.stderr);
    }
    let text = run(["run", "small.toml", "--seed", "x"]);
    assert!(text.stdout.is_empty() && text.stderr.contains("invalid value 'x'"));
}

/// A tie of ports and clients has one name, in the bottleneck and in the draws.
#[test]
fn a_tie_has_one_name() {
    let tied = [
        "../../examples/first/scenario.toml",
        "--predict",
        "--set",
        "card.nic0.part=connectx7-dual-100gbe",
        "--set",
        "clients.blades.count=2",
        "--set",
        "workload.read.threads_per_client=64",
        "--set",
        "clients.blades.nics.connections=8",
    ];
    let found = result(&tied);
    assert_eq!(found["bottleneck"]["kind"], "ethernet");
    assert_eq!(found["interval"]["limits"][0]["kind"], "ethernet");
}
