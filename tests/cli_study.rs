//! Studies and pictures as people and scripts meet them: `whatif`, `ladder`, `plot`.

#[path = "cli_study/drawings.rs"]
mod drawings;
#[path = "cli_study/honest.rs"]
mod honest;
#[path = "cli_study/pictures.rs"]
mod pictures;
mod program;
mod scratch;
mod traces;

use std::path::PathBuf;

use bandgraph_testkit::write;
use program::{Ended, program, run};
use serde_json::Value;

const BARCELONA: &str = "../../scenarios/7410-barcelona/cached-read.toml";

fn fine(arguments: &[&str]) -> Ended {
    let ended = run(arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
    ended
}

fn json(arguments: &[&str]) -> Value {
    let ended = fine(arguments);
    serde_json::from_str(&ended.stdout).expect("valid JSON")
}

fn number(value: &Value, pointer: &str) -> f64 {
    value
        .pointer(pointer)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no number at {pointer}"))
}

fn hold_to(schema: &str, documents: &[Value]) {
    let schema: Value = serde_json::from_str(schema).expect("valid JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for document in documents {
        let errors: Vec<String> = validator
            .iter_errors(document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

/// An empty folder of its own for each test that writes files.
fn folder(test: &str) -> PathBuf {
    scratch::folder("cli_study", test)
}

// What-if.

/// All `--set` together are one variant, and each `--variant` is another, in the order of the command line.
#[test]
fn variants_come_from_sets_and_from_variants() {
    let sets = json(&[
        "whatif",
        BARCELONA,
        "--format",
        "json",
        "--set",
        "link.*.part=ht3-x16",
        "--set",
        "card.nic1.slot=s3",
    ]);
    assert_eq!(sets["variants"].as_array().map(Vec::len), Some(1));
    assert_eq!(sets["variants"][0]["case"]["sets"][1], "card.nic1.slot=s3");
    let changed = "link.*.part=ht3-x16; card.nic1.slot=s3";
    assert_eq!(
        sets["variants"][0]["case"]["name"], changed,
        "it is called by what it changes"
    );
    let variants = json(&[
        "whatif",
        BARCELONA,
        "--format",
        "json",
        "--variant",
        "both: link.*.part=ht3-x16; card.nic1.slot=s3",
        "--variant",
        "one: card.nic1.slot=s3",
    ]);
    let names: Vec<&str> = variants["variants"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|v| v["case"]["name"].as_str())
        .collect();
    assert_eq!(names, ["both", "one"]);
    assert_eq!(
        number(&variants, "/variants/0/case/throughput/ops_per_s"),
        number(&sets, "/variants/0/case/throughput/ops_per_s")
    );
}

/// What changes the base and every variant is in every format.
#[test]
fn overrides_of_the_base_are_in_every_format() {
    let base = "run.seed=3";
    let of = |format| {
        let arguments = ["whatif", "small.toml", "--base-set", base, "--set", "run.seed=2"];
        fine(&[&arguments[..], &["--no-interval", "--format", format]].concat()).stdout
    };
    for format in ["text", "markdown", "html", "csv", "json"] {
        assert!(of(format).contains(base), "{format}: {}", of(format));
    }
    let document: Value = serde_json::from_str(&of("json")).expect("valid JSON");
    assert_eq!(document["overrides"], serde_json::json!([base]));
    assert_eq!(document["base"]["sets"], document["overrides"]);
    assert_eq!(
        document["variants"][0]["case"]["sets"],
        serde_json::json!(["run.seed=2"])
    );
}

/// The CSV has the figures of the JSON, base and variant in one row.
#[test]
fn a_what_if_as_csv_has_the_figures_of_its_json() {
    let arguments = [
        "whatif",
        "small.toml",
        "--set",
        "workload.read.threads_per_client=1",
        "--format",
    ];
    let of = |format| fine(&[&arguments[..], &[format]].concat()).stdout;
    let (table, document) = (of("csv"), of("json"));
    let document: Value = serde_json::from_str(&document).expect("valid JSON");
    let row = |subject: &str, metric: &str| -> Vec<f64> {
        let named = |line: &&str| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[1], cells[2], cells[4]) == (arguments[3], subject, metric)
        };
        let line = table
            .lines()
            .find(named)
            .unwrap_or_else(|| panic!("no {subject} {metric}"));
        line.split(',')
            .skip(5)
            .take(4)
            .map(|cell| cell.parse().unwrap_or(f64::NAN))
            .collect()
    };
    for metric in ["ops_per_s", "network_bytes_per_s", "latency_mean_s"] {
        let found = row("run", metric);
        let of = |field: &str| number(&document, &format!("/variants/0/difference/{metric}/{field}"));
        assert_eq!((found[0], found[1]), (of("before"), of("after")), "{metric}");
        assert_eq!(found[2], found[1] - found[0], "{metric}");
        assert_eq!(found[3], of("relative"), "{metric}");
    }
    let link = &document["variants"][0]["difference"]["links"][0];
    let found = row(link["id"].as_str().expect("an id"), "bytes_per_s");
    assert_eq!(found[0], number(link, "/bytes_per_s/before"));
}

/// A variant is what `run` finds with the same overrides, and the base what it finds without.
#[test]
fn a_what_if_agrees_with_two_runs() {
    let set = ["--set", "workload.read.threads_per_client=1"];
    for (what_if_mode, run_mode) in [(None, Some("--predict")), (Some("--simulate"), None)] {
        let what_if: Vec<&str> = ["whatif", "small.toml", "--format", "json"]
            .into_iter()
            .chain(set)
            .chain(what_if_mode)
            .collect();
        let what_if = json(&what_if);
        let base: Vec<&str> = ["run", "small.toml", "--format", "json"]
            .into_iter()
            .chain(run_mode)
            .collect();
        let variant: Vec<&str> = base.iter().copied().chain(set).collect();
        let (base, variant) = (json(&base), json(&variant));
        for case in ["/base", "/variants/0/case"] {
            // Draws are predictions, which have no intervals of simulations.
            if what_if_mode.is_some() {
                let interval = what_if.pointer(&format!("{case}/ops_per_s_interval"));
                assert_eq!(interval, None, "{case}");
                continue;
            }
            let rate = number(&what_if, &format!("{case}/throughput/ops_per_s"));
            let [low, high] = [0, 1].map(|end| number(&what_if, &format!("{case}/ops_per_s_interval/{end}")));
            assert!(low < rate && rate < high, "{case}: {rate} and {low} to {high}");
        }
        for pointer in ["/throughput/network_bytes_per_s", "/latency/mean_s"] {
            assert_eq!(
                number(&what_if, &format!("/base{pointer}")),
                number(&base, pointer)
            );
            assert_eq!(
                number(&what_if, &format!("/variants/0/case{pointer}")),
                number(&variant, pointer)
            );
        }
        assert_eq!(
            what_if["variants"][0]["case"]["input_hash"],
            variant["input_hash"]
        );
        assert_eq!(
            what_if["variants"][0]["case"]["bottleneck"],
            variant["bottleneck"]
        );
    }
}

#[test]
fn nothing_changed_differs_by_nothing() {
    let same = json(&["whatif", "small.toml", "--format", "json", "--variant", "same:"]);
    let difference = &same["variants"][0]["difference"];
    assert_eq!(same["variants"][0]["bottleneck_moved"], false);
    for pointer in [
        "/ops_per_s/relative",
        "/network_bytes_per_s/relative",
        "/latency_mean_s/relative",
    ] {
        assert_eq!(number(difference, pointer), 0.0, "{pointer}");
    }
    for link in difference["links"].as_array().expect("a list") {
        assert_eq!(link["bytes_per_s"]["before"], link["bytes_per_s"]["after"]);
    }
}

#[test]
fn what_ifs_hold_to_the_published_schema() {
    hold_to(
        include_str!("../docs/schema/whatif.json"),
        &[
            json(&["whatif", "small.toml", "--format", "json", "--variant", "same:"]),
            json(&[
                "whatif",
                "small.toml",
                "--format",
                "json",
                "--simulate",
                "--set",
                "run.seed=2",
            ]),
            json(&[
                "whatif",
                BARCELONA,
                "--format",
                "json",
                "--set",
                "card.nic1.slot=s3",
            ]),
        ],
    );
}

#[test]
fn a_what_if_that_asks_nothing_or_cannot_be_asked_is_refused() {
    for (arguments, words) in [
        (vec!["whatif", "small.toml"], "nothing to compare"),
        (
            vec![
                "whatif",
                "small.toml",
                "--variant",
                "a: run.seed=1",
                "--variant",
                "a: run.seed=2",
            ],
            "called `a`",
        ),
        (
            vec!["whatif", "small.toml", "--variant", "base: run.seed=1"],
            "called `base`",
        ),
        (vec!["whatif", "small.toml", "--set", "card.nic0.slot=s9"], "s9"),
        (
            vec![
                "whatif",
                "small.toml",
                "--base-set",
                "slot.s9.pcie=gen1 x8",
                "--set",
                "run.seed=2",
            ],
            "s9",
        ),
        (
            vec!["whatif", "no-such-file.toml", "--set", "run.seed=2"],
            "no-such-file",
        ),
    ] {
        let ended = run(&arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}");
        assert_eq!(ended.stdout, "", "{arguments:?}");
        assert!(ended.stderr.contains(words), "{arguments:?}: {}", ended.stderr);
    }
}

/// Errors of all variants are told in one go.
#[test]
fn every_wrong_variant_is_told() {
    let ended = run([
        "whatif",
        "small.toml",
        "--variant",
        "a: card.nic0.slot=s7",
        "--variant",
        "b: card.nic0.slot=s8",
    ]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("s7") && ended.stderr.contains("s8"),
        "{}",
        ended.stderr
    );
}

// Ladder.

/// The story of the 7410: the HyperTransport 1 links first, then the gen1 slots, which the bridges keep gen1.
#[test]
fn the_ladder_of_barcelona_goes_from_links_to_slots() {
    for mode in [vec![], vec!["--unlimited"]] {
        let arguments: Vec<&str> = ["ladder", BARCELONA, "--format", "json"]
            .into_iter()
            .chain(mode)
            .collect();
        let ladder = json(&arguments);
        let kinds: Vec<&str> = ladder["rungs"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|rung| rung["bottleneck"]["kind"].as_str())
            .collect();
        assert_eq!(kinds[0], "socket-link", "{kinds:?}");
        assert!(kinds.contains(&"pcie"), "{kinds:?}");
        assert!(number(&ladder, "/rungs/1/throughput_gain") > 0.05);
        assert_eq!(ladder["marginal_groups"][0]["kind"], "socket-link");
        assert!(number(&ladder, "/marginal_groups/0/elasticity") > 0.9);
    }
    // A faster card gains something even in a slot that does not feed all of its ports.
    let objects = "../../scenarios/modern/objects.toml#rgw-4n-ec-1m";
    let cores = ["--set", "socket.*.cores=64"];
    let upgraded = ["ladder", objects, "--no-interval", "--format", "json"];
    let upgraded = json(&[&upgraded[..], &cores].concat());
    assert_eq!(
        upgraded["rungs"][0]["step"]["sets"][0],
        "card.nic.part=connectx7-dual-200gbe"
    );
    assert!(number(&upgraded, "/rungs/1/throughput_gain") > 0.05);
    let text = fine(&["ladder", BARCELONA]).stdout;
    assert!(text.contains("would still train to gen1 x8"), "{text}");
    assert!(text.contains("--set 'link.*.part=ht3-x16'"), "{text}");
}

/// The first rung is the bottleneck of the run, and without a limit on what is fast, the second is its next
/// bottleneck.
/// Work on the server itself crosses no network: tables show its payload.
#[test]
fn studies_of_local_work_show_its_payload() {
    let local = "../../scenarios/nvme-2-socket/fio.toml";
    let ladder = fine(&["ladder", local]).stdout;
    assert!(
        ladder.contains("slots bay0, bay1, bay2 and 21 more become gen5 x4"),
        "{ladder}"
    );
    let variants = fine(&["whatif", local, "--set", "card.nvme*.part=nvme-gen5"]).stdout;
    for text in [ladder, variants] {
        assert!(text.contains("payload"), "{text}");
        for words in ["0 B/s", "network"] {
            assert!(!text.contains(words), "{words} in {text}");
        }
    }
}

#[test]
fn a_ladder_begins_like_a_run() {
    let run = json(&["run", "small.toml", "--predict", "--format", "json"]);
    let ladder = json(&["ladder", "small.toml", "--unlimited", "--format", "json"]);
    assert_eq!(ladder["rungs"][0]["bottleneck"], run["bottleneck"]);
    assert_eq!(ladder["rungs"][0]["throughput"], run["throughput"]);
    assert_eq!(
        ladder["rungs"][1]["bottleneck"]["id"],
        run["next_bottleneck"]["id"]
    );
}

/// Where a ladder tells a step as overrides, a run with those of all steps so far delivers what the next rung
/// says: of links, of disks, and of cards that move to a free slot. Links and processors stay of the kind
/// that fits the board.
#[test]
fn the_overrides_of_a_ladder_do_what_it_says() {
    let mut changes = String::new();
    for name in [
        "7410-barcelona/cached-read",
        "7410-barcelona/disk-read-grouped",
        "7410-istanbul/disk-read-2-jbods",
    ] {
        let scenario = format!("../../scenarios/{name}.toml");
        let ladder = json(&["ladder", &scenario, "--format", "json"]);
        let rungs = ladder["rungs"].as_array().expect("a list");
        let mut run = vec!["run", &scenario, "--predict", "--format", "json"];
        for pair in rungs.windows(2) {
            let step = &pair[0]["step"];
            changes += step["change"].as_str().expect("a sentence");
            let sets = step["sets"].as_array().expect("a list");
            if sets.is_empty() {
                break;
            }
            for set in sets {
                run.extend(["--set", set.as_str().expect("an override")]);
            }
            // The expectations of the scenario are for the server as it is.
            let ended = program().args(&run).run();
            let result: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
            let (found, told) = (
                number(&result, "/throughput/ops_per_s"),
                number(&pair[1], "/throughput/ops_per_s"),
            );
            assert!(
                (found / told - 1.0).abs() < 1e-6,
                "{name}: {found} and {told} after {run:?}"
            );
        }
    }
    for word in ["become ht3-x16", "in slot s3", "one more j4400"] {
        assert!(
            changes.contains(word),
            "no step is that something {word}: {changes}"
        );
    }
    assert!(!changes.contains("qpi") && !changes.contains("fsb"), "{changes}");
}

/// What the ladder says of 1 % more of all links is what two runs say whose links differ by a thousandth:
/// their elasticity is that difference over a thousandth.
#[test]
fn marginal_gains_are_the_differences_of_runs() {
    for (scenario, now, more) in [
        (BARCELONA, "1 GHz", "1.001 GHz"),
        (
            "../../scenarios/7410-istanbul/cached-read.toml",
            "2.4 GHz",
            "2.4024 GHz",
        ),
    ] {
        let operations = |clock: &str| {
            let set = format!("link.*.clock={clock}");
            let run = json(&["run", scenario, "--predict", "--format", "json", "--set", &set]);
            number(&run, "/throughput/ops_per_s")
        };
        let ladder = json(&["ladder", scenario, "--format", "json"]);
        let groups = ladder["marginal_groups"].as_array().expect("a list");
        let links = groups.iter().find(|group| group["kind"] == "socket-link");
        let told = number(links.expect("links are used"), "/elasticity");
        let found = (operations(more) / operations(now) - 1.0) / 1e-3;
        assert!(
            (told - found).abs() < 1e-3,
            "{scenario}: {told} is told, {found} is found"
        );
    }
}

/// A link between sockets is called what it is, and its kind for programs stays.
#[test]
fn links_between_sockets_are_called_what_they_are() {
    let scenario = "../../scenarios/x4270/tcp-rx.toml";
    let slow = ["--predict", "--set", "link.*.clock=100 MHz"];
    let run_of = |format: &str| {
        let arguments = [&["run", scenario, "--format", format], slow.as_slice()].concat();
        // What it expects of the machine as it was does not hold.
        run(arguments).stdout
    };
    let text = run_of("text");
    assert!(text.contains("(QPI)"), "{text}");
    assert!(text.contains("The QPI link"), "{text}");
    assert!(!text.contains("HyperTransport"), "{text}");
    let document: Value = serde_json::from_str(&run_of("json")).expect("valid JSON");
    assert_eq!(document["bottleneck"]["kind"], "socket-link");
    let resources = document["resources"].as_array().expect("a list");
    for resource in resources {
        let is_link = resource["kind"] == "socket-link";
        assert_eq!(resource.get("technology").is_some(), is_link, "{resource}");
    }
}

#[test]
fn ladders_hold_to_the_published_schema() {
    hold_to(
        include_str!("../docs/schema/ladder.json"),
        &[
            json(&["ladder", "small.toml", "--format", "json"]),
            json(&["ladder", "small.toml", "--format", "json", "--unlimited"]),
            json(&["ladder", BARCELONA, "--format", "json"]),
        ],
    );
}

// Both.

#[test]
fn no_line_is_wider_than_the_page() {
    for width in ["40", "80", "120"] {
        for arguments in [
            vec!["ladder", BARCELONA, "--width", width],
            vec!["ladder", BARCELONA, "--unlimited", "--width", width],
            vec![
                "whatif",
                BARCELONA,
                "--set",
                "card.nic1.slot=s3",
                "--width",
                width,
            ],
        ] {
            let columns: usize = width.parse().expect("a number");
            for line in fine(&arguments).stdout.lines() {
                assert!(line.chars().count() <= columns, "{arguments:?}: {line}");
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for arguments in [
        vec!["ladder", BARCELONA, "--format", "json"],
        vec![
            "whatif",
            "small.toml",
            "--format",
            "json",
            "--simulate",
            "--set",
            "run.seed=2",
            "--variant",
            "x: run.seed=3",
        ],
    ] {
        let with = |jobs: &'static str| {
            let all: Vec<&str> = ["--jobs", jobs]
                .into_iter()
                .chain(arguments.iter().copied())
                .collect();
            fine(&all).stdout
        };
        assert_eq!(with("1"), with("4"), "{arguments:?}");
    }
}

// Text.

/// `COLUMNS` says how wide a page is where nothing else does; what is no width is no wish.
#[test]
fn the_environment_can_say_how_wide_a_page_is() {
    let widest = |columns: Option<&str>, arguments: &[&str]| {
        let command = program().args(["run", "small.toml", "--predict"]).args(arguments);
        let ended = match columns {
            Some(columns) => command.env("COLUMNS", columns).run(),
            None => command.run(),
        };
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.stdout
    };
    let plain = widest(None, &[]);
    assert_eq!(widest(Some("120"), &[]), widest(None, &["--width", "120"]));
    assert_ne!(widest(Some("120"), &[]), plain);
    assert_eq!(widest(Some("120"), &["--width", "80"]), plain);
    for no_width in ["", "wide", "-1", "3"] {
        assert_eq!(widest(Some(no_width), &[]), plain, "{no_width}");
    }
}
