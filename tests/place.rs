//! `bandgraph place` as people and scripts meet it.

mod program;

use program::{Ended, run};
use serde_json::Value;

const DISK_READ: &str = "../../scenarios/7410-istanbul/disk-read.toml";
const LOCAL: &str = "../../scenarios/nvme-2-socket/fio.toml";
const CACHED_READ: &str = "../../scenarios/7410-istanbul/cached-read.toml";

fn fine(arguments: &[&str]) -> Ended {
    let ended = run(arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
    ended
}

fn json(arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["place", "--format", "json", "--confirm", "0"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    serde_json::from_str(&fine(&all).stdout).expect("valid JSON")
}

fn number(value: &Value, pointer: &str) -> f64 {
    let found = value.pointer(pointer).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("no number at {pointer}"))
}

fn placements(document: &Value) -> &Vec<Value> {
    document["placements"].as_array().expect("a list")
}

fn today(document: &Value) -> &Value {
    let mut all = placements(document).iter();
    all.find(|placement| placement["today"] == true)
        .expect("today's is told")
}

fn slots<'a>(placement: &'a Value, cards: &str) -> Vec<&'a str> {
    let all = placement["cards"].as_object().expect("a table of cards");
    let of_kind = all.iter().filter(|(card, _)| card.starts_with(cards));
    of_kind.filter_map(|(_, slot)| slot.as_str()).collect()
}

#[test]
fn json_has_its_shape_and_holds_to_its_schema() {
    let document = json(&[DISK_READ]);
    assert_eq!(document["schema"], 1);
    assert_eq!(document["optimal"], true);
    assert_eq!(document["gap"], 0.0);
    let first = &placements(&document)[0];
    assert_eq!(first["rank"], 1);
    assert!(first["cards"]["nic0"].is_string());
    assert!(number(first, "/throughput/network_bytes_per_s") > 1e9);
    assert!(first["bottleneck"]["id"].is_string());
    let schema: Value = serde_json::from_str(include_str!("../docs/schema/place.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let simulated = fine(&[
        "place",
        DISK_READ,
        "--format",
        "json",
        "--confirm",
        "1",
        "--top",
        "2",
    ]);
    let simulated: Value = serde_json::from_str(&simulated.stdout).expect("valid JSON");
    for document in [document, simulated, json(&["large.toml", "--limit", "50"])] {
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

/// The reshuffle of 2009. With all network cards on one bridge and all adapters on the other, everything that
/// comes from disk crosses the link between the two sockets that have the bridges.
#[test]
fn the_grouped_placement_of_the_7410_ranks_below_the_split_one() {
    let document = json(&[DISK_READ]);
    let on_mcp55 = |placement: &Value, cards: &str| {
        let all = slots(placement, cards);
        let count = all
            .iter()
            .filter(|slot| ["s1", "s2", "s3"].contains(slot))
            .count();
        (count, all.len())
    };
    let grouped = |placement: &&Value| {
        let (nics, hbas) = (on_mcp55(placement, "nic"), on_mcp55(placement, "hba"));
        nics == (2, 2) && hbas == (0, 3) || nics == (0, 2) && hbas == (3, 3)
    };
    let split = |placement: &&Value| {
        on_mcp55(placement, "nic").0 == 1 && (1..=2).contains(&on_mcp55(placement, "hba").0)
    };
    let all = placements(&document);
    let best_grouped = all.iter().find(grouped).expect("grouped placements are ranked");
    let worst_split = all.iter().rfind(split).expect("split placements are ranked");
    assert!(number(best_grouped, "/rank") > number(worst_split, "/rank"));
    assert!(number(best_grouped, "/score") < 0.99 * number(worst_split, "/score"));
    // What docs/placement.md says.
    assert!((number(best_grouped, "/score") - 0.954).abs() < 0.0005);
    let full = best_grouped["bottleneck"]["id"].as_str().expect("an id");
    assert!(["link.cpu0-cpu1", "link.cpu1-cpu0"].contains(&full), "{full}");
    assert!(all.iter().any(|placement| placement["worst"] == true));
}

/// A placement of the ranking is what `run` predicts with its overrides, and today's what it predicts
/// without.
#[test]
fn a_ranking_agrees_with_runs() {
    let document = json(&[DISK_READ]);
    for placement in placements(&document) {
        let sets = placement["sets"].as_array().expect("a list");
        let mut arguments = vec!["run", DISK_READ, "--predict", "--format", "json"];
        for set in sets {
            arguments.extend(["--set", set.as_str().expect("text")]);
        }
        // The scenario expects what today's placement delivers, which ends some of these runs with 1.
        let ended = run(&arguments);
        assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
        let alone: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
        // One of several identical clients stands for all in a ranking: sums round in another way.
        let figures = placement["throughput"].as_object().expect("figures");
        for (figure, value) in figures {
            let [here, there] =
                [value, &alone["throughput"][figure]].map(|value| value.as_f64().expect("a number"));
            assert!(
                (here - there).abs() <= 1e-12 * there,
                "{sets:?} {figure}: {here} and {there}"
            );
        }
        for field in ["id", "kind", "resources", "explanation"] {
            assert_eq!(
                placement["bottleneck"][field], alone["bottleneck"][field],
                "{sets:?}"
            );
        }
    }
    assert_eq!(today(&document)["sets"], Value::Array(Vec::new()));
    assert_eq!(today(&document)["score"], 1.0);
}

#[test]
fn cards_that_are_kept_or_do_not_fit_stay_out() {
    let document = json(&[DISK_READ, "--keep", "nic0", "--set", "slot.s3.pcie=gen1 x4"]);
    for placement in placements(&document) {
        assert!(placement["cards"].get("nic0").is_none());
        assert!(
            !slots(placement, "").contains(&"s1"),
            "s1 is taken by a card that stays"
        );
        assert!(
            !slots(placement, "").contains(&"s3"),
            "no card here fits four lanes"
        );
    }
    assert_eq!(document["kept"][0], "nic0");
    let high = json(&[
        DISK_READ,
        "--set",
        "card.nic0.height=full",
        "--low-profile",
        "s1",
        "--low-profile",
        "s4",
    ]);
    for placement in placements(&high) {
        let slot = placement["cards"]["nic0"].as_str();
        assert!(
            placement["rank"].is_null() || !matches!(slot, Some("s1" | "s4")),
            "{slot:?}"
        );
    }
    assert!(today(&high)["rank"].is_null());
}

#[test]
fn several_scenarios_count_by_their_weights() {
    let both = json(&[DISK_READ, CACHED_READ, "--weight", "3", "--weight", "1"]);
    for placement in placements(&both) {
        let today = today(&both);
        let relative = |at: usize| {
            let pointer = format!("/scenarios/{at}/throughput/network_bytes_per_s");
            number(placement, &pointer) / number(today, &pointer)
        };
        let score = 0.75 * relative(0) + 0.25 * relative(1);
        assert!((score - number(placement, "/score")).abs() < 1e-12);
    }
    assert_eq!(both["scenarios"][0]["weight"], 3.0);
}

/// The objective decides what counts: for latency, the ratio of latencies the other way round.
#[test]
fn short_latencies_score_high() {
    let document = json(&[DISK_READ, "--objective", "latency"]);
    let now = number(today(&document), "/scenarios/0/latency_mean_s");
    for placement in placements(&document) {
        let score = now / number(placement, "/scenarios/0/latency_mean_s");
        assert!((score - number(placement, "/score")).abs() < 1e-12);
    }
}

/// Sixteen slots and twelve cards: a search that is stopped says so, and the bytes are the same for any
/// `--jobs`.
#[test]
fn a_large_server_is_searched_and_threads_do_not_show() {
    let arguments = ["large.toml", "--limit", "60", "--top", "3"];
    let document = json(&arguments);
    assert!(document["different"].is_null());
    assert!(number(&document, "/bounds") > 1000.0);
    let first = &placements(&document)[0];
    assert!(number(first, "/score") > 1.1);
    assert!(number(first, "/saturation_score") >= number(first, "/score") * (1.0 - 1e-6));
    assert_eq!(document["optimal"], document["gap"] == 0.0);
    let with = |jobs: &'static str| {
        let all = ["place", "--format", "json", "--confirm", "1", "--jobs", jobs];
        fine(&all.iter().chain(&arguments).copied().collect::<Vec<_>>()).stdout
    };
    assert_eq!(with("1"), with("3"));
}

#[test]
fn text_tells_the_best_todays_and_the_worst() {
    let text = fine(&["place", DISK_READ, "--top", "2", "--confirm", "2"]).stdout;
    for words in [
        "the best",
        "today's",
        "the worst",
        "none: as it is today",
        "Confirmed by simulation",
        "differ in more than names",
        "Bottleneck:",
    ] {
        assert!(text.contains(words), "{words} is missing in {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let stopped = fine(&["place", "large.toml", "--limit", "5", "--confirm", "0"]).stdout;
    assert!(stopped.contains("the worst that was found"), "{stopped}");
}

/// Work on the server itself crosses no network: what counts is its payload, in every line of the report.
#[test]
fn local_work_is_ranked_by_its_payload() {
    let document = json(&[LOCAL, "--no-interval"]);
    assert_eq!(document["objective"], "payload");
    let text = fine(&["place", LOCAL, "--no-interval", "--confirm", "1"]).stdout;
    assert!(
        text.contains("Ranked by predicted file data per second"),
        "{text}"
    );
    assert!(text.contains("GB/s of payload"), "{text}");
    assert!(text.contains("Confirmed by simulation: payload"), "{text}");
    for words in ["0 B/s", "NaN", "network"] {
        assert!(!text.contains(words), "{words} in {text}");
    }
    assert_eq!(json(&[CACHED_READ, "--no-interval"])["objective"], "network");
}

/// A bay has the connector of a drive, which fits no slot for cards, free or not.
#[test]
fn drives_stay_in_bays() {
    let document = json(&[LOCAL, "--no-interval", "--set", "slot.s.count=4"]);
    let ties = |placement: &Value| placement["ties"].as_array().cloned().unwrap_or_default();
    let others: Vec<Value> = placements(&document).iter().flat_map(ties).collect();
    assert!(!others.is_empty(), "{document}");
    for cards in others.iter().filter_map(Value::as_object) {
        let mut drives = cards.iter().filter(|(card, _)| card.starts_with("nvme"));
        assert!(
            drives.all(|(_, slot)| slot.as_str().is_some_and(|slot| slot.starts_with("bay"))),
            "{cards:?}"
        );
    }
}

#[test]
fn what_cannot_be_asked_is_refused_with_help() {
    for (arguments, words) in [
        (
            vec![LOCAL, "--objective", "network"],
            "rank by `--objective payload`",
        ),
        (vec![DISK_READ, "--keep", "nic00"], "did you mean"),
        (vec![DISK_READ, "--low-profile", "s9"], "there is no slot `s9`"),
        (
            vec![DISK_READ, "--weight", "1", "--weight", "2"],
            "2 weights for 1 scenarios",
        ),
        (vec![DISK_READ, "--weight", "0"], "not a number above zero"),
        (vec![DISK_READ, "large.toml"], "another server"),
        (vec!["small.toml", "--keep", "nic0"], "no card can be moved"),
        (vec!["broken.toml"], "error"),
    ] {
        let all: Vec<&str> = ["place"].iter().chain(&arguments).copied().collect();
        let ended = run(&all);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(
            ended.stderr.contains(words),
            "{words} is missing in {}",
            ended.stderr
        );
        assert!(ended.stdout.is_empty());
    }
}
