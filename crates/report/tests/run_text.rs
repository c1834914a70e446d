//! The text of a run: its layout as snapshots, and its promises as tests.

mod sample;

use bandgraph_report::{RunDocument, RunReport, TextOptions, json, run_view};
use bandgraph_solve::Bucket;
use bandgraph_units::Time;

fn text(report: &RunReport, width: usize) -> String {
    run_view(&RunDocument::new(report), false).text(&TextOptions {
        width,
        ..TextOptions::default()
    })
}

#[test]
fn at_80_columns() {
    insta::assert_snapshot!(text(&sample::simulated(), 80));
}

#[test]
fn at_120_columns() {
    insta::assert_snapshot!(text(&sample::simulated(), 120));
}

#[test]
fn prediction_at_80_columns() {
    insta::assert_snapshot!(text(&sample::predicted(), 80));
}

#[test]
fn in_ascii() {
    let options = TextOptions {
        ascii: true,
        ..TextOptions::default()
    };
    let text = run_view(&RunDocument::new(&sample::simulated()), false).text(&options);
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains('#'), "the bars are still there");
}

#[test]
fn no_line_is_wider_than_the_page() {
    for width in (40..=160).step_by(5) {
        for line in text(&sample::simulated(), width).lines() {
            let columns = line.chars().count();
            assert!(columns <= width, "{columns} columns on a page of {width}: {line}");
        }
    }
}

#[test]
fn the_answer_comes_first() {
    let text = text(&sample::simulated(), 80);
    let mut lines = text.lines().skip(2);
    let reads = lines.next().expect("a report has more than a title");
    assert!(reads.starts_with("Reads: all from memory"), "{reads}");
    assert_eq!(lines.next(), Some(""));
    let answer = lines.next().expect("and an answer");
    assert!(answer.starts_with("Bottleneck: link.cpu0-cpu1"), "{answer}");
}

#[test]
fn colour_changes_nothing_but_colour() {
    let report = sample::simulated();
    let coloured = run_view(&RunDocument::new(&report), false).text(&TextOptions {
        colour: true,
        ..TextOptions::default()
    });
    let plain = text(&report, 80);
    assert!(!plain.contains('\u{1b}'));
    assert!(coloured.contains('\u{1b}'));
    assert_eq!(without_escapes(&coloured), plain);
}

#[test]
fn every_measurement_and_expectation_is_shown() {
    let text = text(&sample::simulated(), 120);
    for words in [
        "ht1-stream-2009",
        "2.06 GiB/s",
        "2.05 GiB/s",
        "-0.5 %",
        "FAILED",
        "at least 3 k ops/s",
    ] {
        assert!(text.contains(words), "{words} is missing in\n{text}");
    }
}

#[test]
fn a_report_without_anything_optional_has_no_empty_sections() {
    let mut report = sample::predicted();
    report.explained.relief = None;
    report.outcome.sockets.clear();
    report.outcome.link_traffic.clear();
    report.outcome.resources.clear();
    let text = text(&report, 80);
    for heading in [
        "Next",
        "Sockets",
        "Traffic",
        "Measured",
        "Expectations",
        "Busiest",
    ] {
        assert!(!text.contains(heading), "{heading} in\n{text}");
    }
}

#[test]
fn names_from_files_cannot_steer_the_terminal() {
    let mut report = sample::simulated();
    report.scenario = "evil\u{1b}[2J\u{7}\nname".to_owned();
    let text = text(&report, 80);
    assert!(text.lines().next().is_some_and(|line| line.contains("name")));
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn numbers_are_those_of_the_json() {
    let report = sample::simulated();
    let json: serde_json::Value =
        serde_json::from_str(&json(&RunDocument::new(&report))).expect("valid JSON");
    let text = text(&report, 120);
    for resource in json["resources"].as_array().expect("a list").iter().take(3) {
        let id = resource["id"].as_str().expect("an id");
        let used = resource["saturation"].as_f64().expect("a number") * 100.0;
        let row = text
            .lines()
            .find(|line| line.trim_start().starts_with(id))
            .expect("the busiest resources are in the table");
        assert!(row.contains(&format!("{used:.1} %")), "{used} is not in {row}");
    }
}

#[test]
fn what_the_cache_did_is_told_where_it_did_not_hold_everything() {
    let mut report = sample::simulated();
    assert!(!text(&report, 120).contains("of reads from DRAM"));
    let cache = &mut report.outcome.workloads[0].cache;
    cache.working_set = bandgraph_units::Bytes::new(4.0 * 1_073_741_824.0);
    cache.capacity = bandgraph_units::Bytes::new(1_073_741_824.0);
    cache.hit_rate = bandgraph_units::Fraction::new(0.25);
    cache.second_level_hit_rate = bandgraph_units::Fraction::new(0.5);
    cache.method = bandgraph_model::storage::HitRateMethod::Random;
    cache.second_level = Some(bandgraph_model::storage::SecondLevel {
        capacity: bandgraph_units::Bytes::new(2.0 * 1_073_741_824.0),
        held: bandgraph_units::Bytes::new(1_073_741_824.0),
        fill_time: Time::new(256.0),
    });
    let told = text(&report, 160);
    assert!(
        told.contains("reads: cache devices hold 1 GiB of 2 GiB of it, and take 256 s to fill"),
        "{told}"
    );
    assert!(
        told.contains(
            "25.0 % of reads from DRAM, 50.0 % from cache devices; 1 GiB of cache for a working set of 4 GiB"
        ),
        "{told}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&json(&RunDocument::new(&report))).expect("valid JSON");
    let cache = &json["workloads"][0]["cache"];
    assert_eq!(
        (cache["hit_rate"].as_f64(), cache["method"].as_str()),
        (Some(0.25), Some("random"))
    );
    assert_eq!(cache["second_level"]["fill_s"].as_f64(), Some(256.0));
}

/// A workload that only writes has no share of reads.
#[test]
fn a_write_only_workload_has_no_hit_rate() {
    let mut report = sample::simulated();
    for workload in &mut report.outcome.workloads {
        workload.cache.method = bandgraph_model::storage::HitRateMethod::Random;
    }
    let mut with = |operation| {
        for workload in &mut report.outcome.workloads {
            workload.operations = vec![bandgraph_solve::OperationOutcome {
                operation,
                rate: workload.throughput.operations,
                latency: workload.latency.mean,
                instructions: 0.0,
                cycles: 0.0,
                disk_bytes: 0.0,
            }];
        }
        text(&report, 120)
    };
    assert!(with(bandgraph_workload::OperationKind::Read).contains("of reads from DRAM"));
    assert!(!with(bandgraph_workload::OperationKind::Write).contains("of reads from DRAM"));
}

/// A ratio to another scenario takes two predictions: the report says who makes them.
#[test]
fn a_measured_ratio_is_no_row_of_dashes() {
    let mut report = sample::simulated();
    report.measured[1].relative_to = Some("scenarios/base.toml".to_owned());
    report.measured[1].id = Some("ratio".to_owned());
    let text = text(&report, 120);
    assert!(
        text.contains(
            "ratio: cpi is 10 times that of scenarios/base.toml; `bandgraph validate` predicts both."
        ),
        "{text}"
    );
}

/// One scale: what is used is a share of what can be used, in the figure and in the bar; the limit is full.
#[test]
fn the_bottleneck_is_full_in_the_table() {
    let text = text(&sample::simulated(), 120);
    let row = text.lines().find(|line| line.starts_with("  link.cpu0-cpu1"));
    let row = row.unwrap_or_else(|| panic!("no row of the link in {text}"));
    for words in ["3.48 GB/s", "100.0 %", "HyperTransport"] {
        assert!(row.contains(words), "{words} is missing in {row}");
    }
    assert!(!text.contains("of raw"), "{text}");
}

/// `text` less its escape sequences, of which only colours (`ESC [ … m`) occur.
fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain
}

/// In four rows for each doubling, however fine the buckets of the document are: 112 and 118 ms share one.
#[test]
fn a_histogram_is_shown_if_it_is_asked_for() {
    let mut report = sample::simulated();
    let bucket = |to: f64, count: u64| Bucket {
        to: Time::new(to),
        count,
    };
    report.outcome.latency.histogram = vec![bucket(0.112, 5), bucket(0.118, 30), bucket(0.21, 7)];
    let document = RunDocument::new(&report);
    let [without, with] = [false, true].map(|asked| run_view(&document, asked).text(&TextOptions::default()));
    assert!(!without.contains("cumulative"), "{without}");
    let rows: Vec<&str> = with
        .lines()
        .skip_while(|line| !line.contains("cumulative"))
        .skip(1)
        .take(3)
        .collect();
    assert!(rows[0].contains("118 ms") && rows[0].contains(" 35 "), "{rows:?}");
    assert!(rows[1].contains("210 ms") && rows[1].contains(" 7 "), "{rows:?}");
    assert_eq!(document.latency.histogram.len(), 3);
}
