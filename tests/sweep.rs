//! Sweeps as people, CI jobs and schedulers meet them: the real program, killed, sharded, merged and gated.

mod program;
mod scratch;

use std::fs::File;
use std::path::{Path, PathBuf};

use bandgraph_testkit::write;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use program::{Ended, fixtures, program, run};
use serde_json::Value;

/// An empty folder of its own for each test.
fn folder(test: &str) -> PathBuf {
    scratch::folder("sweep", test)
}

fn written(path: &Path) -> String {
    String::from_utf8(bandgraph_testkit::written(path)).expect("text")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are UTF-8")
}

/// Runs `sweep` with a journal in `folder`, and with more arguments.
fn sweep(folder: &Path, file: &str, more: &[&str]) -> Ended {
    let journal = folder.join("journal.jsonl");
    let journal = ["sweep", file, "--quiet", "--journal", text(&journal)];
    run(journal.iter().chain(more))
}

/// The CSV of a sweep.
fn csv(folder: &Path, file: &str, more: &[&str]) -> String {
    let ended = sweep(folder, file, &[&["--format", "csv"], more].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.stdout
}

/// The cells of a table without quotes, by column name.
fn column<'t>(table: &'t str, name: &str) -> Vec<&'t str> {
    let mut lines = table.lines();
    let header = lines.next().expect("a header");
    let index = header
        .split(',')
        .position(|column| column == name)
        .unwrap_or_else(|| panic!("no {name} in {header}"));
    lines
        .map(|line| line.split(',').nth(index).expect("a cell"))
        .collect()
}

// What comes out.

/// The sweep in the README is one.
#[test]
fn the_sweep_of_the_readme_runs() {
    let folder = folder("readme");
    let blocks = include_str!("../README.md").split("```toml\n").skip(1);
    let mut blocks = blocks
        .filter_map(|rest| rest.split_once("```"))
        .map(|(block, _)| block);
    let sweep = blocks.find(|block| block.contains("[[axis]]")).expect("a sweep");
    let root = env!("CARGO_MANIFEST_DIR");
    let sweep = sweep.replace("\"scenarios/", &format!("\"{root}/scenarios/"));
    let file = folder.join("layouts.toml");
    write(&file, sweep.as_bytes());
    let table = csv(&folder, text(&file), &["--allow-outside"]);
    assert_eq!(column(&table, "layout"), ["mirror", "raidz1", "raidz2"]);
}

#[test]
fn rows_stand_in_order_with_units_in_the_names_of_columns() {
    let table = csv(&folder("rows"), "sweep-small.toml", &[]);
    assert_eq!(
        column(&table, "point"),
        (0..12).map(|point| point.to_string()).collect::<Vec<_>>()
    );
    // Four sizes at equal ratios, each three times; threads vary fastest.
    assert_eq!(
        column(&table, "io_size_bytes")[..4],
        ["4096", "4096", "4096", "16384"]
    );
    assert_eq!(column(&table, "io_size_bytes")[11], "262144");
    assert_eq!(column(&table, "threads")[..4], ["1", "2", "4", "1"]);
    for name in ["network_bytes_per_s", "latency_mean_s", "ops_per_s", "cpu_busy"] {
        assert!(
            column(&table, name)
                .iter()
                .all(|cell| cell.parse::<f64>().is_ok_and(|value| value > 0.0)),
            "{name}"
        );
    }
    assert!(
        !table.contains("latency_p99_s"),
        "a prediction has no percentiles"
    );
}

/// Another reader finds the same rows in the Parquet file as stand in the CSV, and the same bytes every time.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the reader of Parquet wants an open file"
)]
fn parquet_has_the_rows_of_the_csv() {
    let folder = folder("parquet");
    let path = folder.join("points.parquet");
    let table = csv(
        &folder,
        "sweep-small.toml",
        &["--restart", "--parquet", text(&path)],
    );
    let bytes = bandgraph_testkit::written(&path);
    csv(
        &folder,
        "sweep-small.toml",
        &["--restart", "--jobs", "1", "--parquet", text(&path)],
    );
    assert_eq!(bandgraph_testkit::written(&path), bytes);

    let reader =
        SerializedFileReader::new(File::open(&path).expect("the program wrote it")).expect("a Parquet file");
    let metadata = reader.metadata().file_metadata();
    let keys: Vec<&str> = metadata
        .key_value_metadata()
        .expect("metadata")
        .iter()
        .map(|entry| entry.key.as_str())
        .collect();
    assert_eq!(keys, ["bandgraph.sweep", "bandgraph.sweep_hash"]);
    let columns: Vec<&str> = metadata
        .schema_descr()
        .columns()
        .iter()
        .map(|column| column.name())
        .collect();
    assert_eq!(columns.join(","), table.lines().next().expect("a header"));
    let rows: Vec<Row> = reader
        .get_row_iter(None)
        .expect("rows")
        .map(|row| row.expect("a row"))
        .collect();
    assert_eq!(rows.len(), 12);
    for (line, row) in table.lines().skip(1).zip(&rows) {
        let cells = row.get_column_iter().map(|(_, field)| match field {
            Field::Null => String::new(),
            Field::Str(text) => text.clone(),
            Field::Long(number) => number.to_string(),
            Field::Double(number) => number.to_string(),
            Field::Bool(answer) => answer.to_string(),
            other => panic!("{other:?}"),
        });
        assert_eq!(cells.collect::<Vec<_>>().join(","), line);
    }
}

#[test]
fn a_sweep_draws_its_picture() {
    let folder = folder("picture");
    let (svg, png) = (folder.join("points.svg"), folder.join("points.png"));
    csv(&folder, "sweep-small.toml", &["--restart", "--plot", text(&svg)]);
    assert!(written(&svg).contains("io_size"));
    csv(&folder, "sweep-small.toml", &["--restart", "--plot", text(&png)]);
    assert!(bandgraph_testkit::written(&png).starts_with(b"\x89PNG"));
    // A wrong ending is told before any point is answered.
    let journal = folder.join("none.jsonl");
    let ended = run([
        "sweep",
        "sweep-small.toml",
        "--journal",
        text(&journal),
        "--plot",
        "points.gif",
    ]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("ends neither in .svg nor in .png"),
        "{}",
        ended.stderr
    );
    assert!(!journal.exists());
}

#[test]
fn a_point_is_the_run_with_the_same_values() {
    let table = csv(&folder("same"), "sweep-small.toml", &[]);
    let sets = [
        "--set",
        "workload.read.io_size=16 KiB",
        "--set",
        "workload.read.threads_per_client=2",
    ];
    let ended = run(["run", "small.toml", "--predict", "--format", "json"]
        .iter()
        .chain(&sets));
    let alone: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
    assert_eq!(
        column(&table, "input_hash")[4],
        alone["input_hash"].as_str().expect("a hash")
    );
    let value = |name: &str| column(&table, name)[4].parse::<f64>().expect("a number");
    assert_eq!(
        value("network_bytes_per_s"),
        alone["throughput"]["network_bytes_per_s"]
            .as_f64()
            .expect("a number")
    );
    assert_eq!(
        value("latency_mean_s"),
        alone["latency"]["mean_s"].as_f64().expect("a number")
    );
    assert_eq!(
        column(&table, "bottleneck")[4],
        alone["bottleneck"]["id"].as_str().expect("an id")
    );
}

#[test]
fn every_format_has_the_same_bytes_for_any_number_of_jobs() {
    let folder = folder("jobs");
    for (file, format) in [
        ("sweep-small.toml", "csv"),
        ("sweep-small.toml", "json"),
        ("sweep-small.toml", "jsonl"),
        ("sweep-small.toml", "html"),
        ("sweep-bad-points.toml", "csv"),
        ("sweep-bad-points.toml", "text"),
        ("sweep-gate.toml", "junit"),
        ("sweep-gate.toml", "markdown"),
    ] {
        let of = |jobs: &str| {
            let ended = sweep(&folder, file, &["--restart", "--format", format, "--jobs", jobs]);
            assert!(!ended.stdout.is_empty(), "{}", ended.stderr);
            ended.stdout
        };
        assert_eq!(of("1"), of("2"), "{file} {format}");
        assert_eq!(of("2"), of("5"), "{file} {format}");
    }
}

#[test]
fn json_lines_say_the_same_as_the_csv() {
    let folder = folder("lines");
    let lines = folder.join("lines.jsonl");
    let table = csv(&folder, "sweep-small.toml", &["--jsonl", text(&lines)]);
    let lines = written(&lines);
    assert_eq!(lines.lines().count(), 12);
    for (line, hash) in lines.lines().zip(column(&table, "input_hash")) {
        let line: Value = serde_json::from_str(line).expect("an object a line");
        let names: Vec<&String> = line.as_object().expect("an object").keys().collect();
        assert_eq!(
            names.len(),
            table.lines().next().map_or(0, |header| header.split(',').count())
        );
        assert_eq!(line["input_hash"], hash);
    }
}

/// The document has the figures of the CSV, and holds to its schema.
#[test]
fn the_document_says_the_same_as_the_csv() {
    let folder = folder("document");
    let rows = folder.join("rows.csv");
    let ended = sweep(
        &folder,
        "sweep-small.toml",
        &["--format", "json", "--csv", text(&rows)],
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let document: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let schema: Value = serde_json::from_str(&run(["schema", "sweep-result"]).stdout).expect("JSON");
    assert!(jsonschema::is_valid(&schema, &document));
    let table = written(&rows);
    let points = document["points"].as_array().expect("points");
    assert_eq!(document["count"], 12);
    assert_eq!(points.len(), 12);
    for name in ["network_bytes_per_s", "io_size_bytes", "cpu_busy"] {
        for (point, cell) in points.iter().zip(column(&table, name)) {
            assert_eq!(point["row"][name].as_f64(), cell.parse().ok(), "{name}");
        }
    }
    let mean: f64 = points
        .iter()
        .filter(|point| point["values"][1] == "2")
        .map(|point| point["row"]["network_bytes_per_s"].as_f64().expect("a rate") / 4.0)
        .sum();
    let found = document["axes"][1]["values"][1]["mean"].as_f64().expect("a mean");
    assert!((found / mean - 1.0).abs() < 1e-12, "{found} and {mean}");
    let picture = folder.join("picture.svg");
    let path = folder.join("document.json");
    write(&path, ended.stdout.as_bytes());
    let drawn = run(["plot", text(&path), "--output", text(&picture)]);
    assert_eq!(drawn.code, Some(0), "{}", drawn.stderr);
    assert!(written(&picture).contains("io_size"));
}

/// Two sweeps are compared point by point, whatever axes they have.
#[test]
fn two_sweeps_are_compared_point_by_point() {
    let folder = folder("compared");
    let result = |name: &str, more: &[&str]| {
        let path = folder.join(name);
        let arguments = ["--restart", "--format", "json", "--output", text(&path)];
        let ended = sweep(&folder, "sweep-small.toml", &[&arguments[..], more].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        path
    };
    let (before, after) = (
        result("before.json", &[]),
        result("after.json", &["--set", "link.*.part=ht3-x16"]),
    );
    let compare = |gate: &str, format: &str| {
        run([
            "compare",
            text(&before),
            text(&after),
            "--gate",
            gate,
            "--format",
            format,
        ])
    };
    let same = run([
        "compare",
        text(&before),
        text(&before),
        "--gate",
        "*.ops_per_s=0%",
    ]);
    assert_eq!(same.code, Some(0), "{}", same.stdout);
    // A sign looks at one direction only: with faster links nothing is slower, and something is faster.
    for (gate, code) in [
        ("*.network_bytes_per_s=0.001%", 1),
        ("*.network_bytes_per_s=+0.001%", 1),
        ("*.network_bytes_per_s=-0.001%", 0),
    ] {
        let ended = compare(gate, "text");
        assert_eq!(ended.code, Some(code), "{gate}: {}", ended.stdout);
    }
    let ended = compare("*.cpi=0.001%", "json");
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let compared: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(compared["of"], "sweep");
    assert_eq!(compared["gates"][0]["points"], 12);
    assert!(
        compared["inputs"]
            .as_array()
            .expect("inputs")
            .iter()
            .any(|input| input["after"] == "link.*.part=ht3-x16"),
        "{compared}"
    );
    let page = compare("*.cpi=1000%", "html");
    assert_eq!(page.code, Some(0), "{}", page.stderr);
    assert!(page.stdout.contains("io_size = 4 KiB"));
}

/// Nothing but the result is left of a sweep that was asked for no journal.
#[test]
fn a_journal_is_kept_where_it_is_asked_for() {
    let folder = folder("unkept");
    let file = fixtures().join("sweep-small.toml");
    let sweep = |more: &[&str]| {
        let ended = program()
            .current_dir(&folder)
            .args(["sweep", text(&file), "--format", "csv"].iter().chain(more))
            .run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.stdout
    };
    let journal = folder.join("sweep-small.journal.jsonl");
    let alone = sweep(&[]);
    assert!(!journal.exists());
    assert_eq!(sweep(&["--resume"]), alone);
    assert!(journal.exists());
}

#[test]
fn simulated_sweeps_have_percentiles() {
    let folder = folder("simulated");
    let file = folder.join("simulated.toml");
    let scenario = fixtures().join("validate").join("one-thread.toml");
    write(
        &file,
        format!(
            "schema = 1\nname = \"x\"\nmode = \"simulate\"\nscenario = {:?}\n[[axis]]\nid = \"seed\"\npath = \"run.seed\"\n\
             values = [1, 2]\n",
            text(&scenario)
        )
        .as_bytes(),
    );
    let table = csv(&folder, text(&file), &[]);
    let p99: Vec<f64> = column(&table, "latency_p99_s")
        .iter()
        .map(|cell| cell.parse().expect("a number"))
        .collect();
    assert!(p99.iter().all(|value| *value > 0.0), "{p99:?}");
}

// Bad points.

#[test]
fn a_bad_point_is_a_row_with_an_error_and_the_others_are_answered() {
    let folder = folder("bad");
    let ended = sweep(&folder, "sweep-bad-points.toml", &["--format", "jsonl"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let rows: Vec<Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let errors: Vec<Option<&str>> = rows.iter().map(|row| row["error_id"].as_str()).collect();
    assert_eq!(
        errors,
        [
            None,
            Some("sim::exceeds_cache"),
            Some("value::not_a_quantity"),
            Some("value::not_a_quantity"),
            Some("value::negative"),
            Some("value::negative")
        ]
    );
    assert_eq!(rows[2]["io_size_bytes"], "a lot");
    assert!(
        rows.iter()
            .all(|row| row["input_hash"].as_str().is_some_and(|hash| hash.len() == 64))
    );
    assert!(rows[0]["ops_per_s"].is_number() && rows[1]["ops_per_s"].is_null());
    // What is wrong is said beforehand too, as a warning with its place.
    let noted = run([
        "sweep",
        "sweep-bad-points.toml",
        "--restart",
        "--journal",
        text(&folder.join("journal.jsonl")),
    ]);
    assert!(
        noted.stderr.contains("sweep-bad-points.toml:9:"),
        "{}",
        noted.stderr
    );
}

#[test]
fn errors_can_be_counted_against_the_gate() {
    let folder = folder("errors");
    let file = folder.join("sweep.toml");
    for (allowed, code) in [(5, 0), (4, 1)] {
        let include = fixtures().join("sweep-bad-points.toml");
        write(
            &file,
            format!(
                "include = [{:?}]\nschema = 1\nmax_errors = {allowed}\n",
                text(&include)
            )
            .as_bytes(),
        );
        let ended = sweep(&folder, text(&file), &["--restart"]);
        assert_eq!(ended.code, Some(code), "{}{}", ended.stdout, ended.stderr);
    }
}

/// Values that a spreadsheet or a terminal would obey, in the CSV and in a baseline made of it.
#[test]
fn no_cell_of_the_csv_is_a_command() {
    let folder = folder("commands");
    let (file, rows) = (folder.join("sweep.toml"), folder.join("rows.csv"));
    let scenario = fixtures().join("small.toml");
    let sweep_file = format!(
        "schema = 1\nname = \"x\"\nscenario = {:?}\n[[axis]]\nid = \"size\"\npath = \"workload.read.io_size\"\n\
         values = [\"64 KiB\", \"=1+1\", \"@SUM(A1)\\u001b[2J\", \"-1 B\"]\n",
        text(&scenario)
    );
    write(&file, sweep_file.as_bytes());
    let ended = sweep(&folder, text(&file), &["--restart", "--csv", text(&rows)]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let table = written(&rows);
    assert_eq!(
        column(&table, "size_bytes"),
        ["65536", "'=1+1", "'@SUM(A1) [2J", "-1"]
    );
    assert!(!table.contains('\u{1b}'), "{table}");
    let again = sweep(&folder, text(&file), &["--restart", "--baseline", text(&rows)]);
    assert_eq!(again.code, Some(0), "{}", again.stdout);
}

#[test]
fn a_sweep_of_errors_alone_fails() {
    let folder = folder("all-errors");
    let file = folder.join("sweep.toml");
    let include = fixtures().join("sweep-bad-points.toml");
    let only_bad = format!(
        "include = [{:?}]\nschema = 1\nfilter = [\"working_set > 2 GiB\"]\n",
        text(&include)
    );
    write(&file, only_bad.as_bytes());
    let ended = sweep(&folder, text(&file), &[]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended.stdout.contains("every point ended in an error"),
        "{}",
        ended.stdout
    );
    // The reasons too, where the column that has them has no room.
    let narrow = sweep(&folder, text(&file), &["--restart", "--width", "60"]);
    let reasons = narrow
        .stdout
        .split("\nErrors\n")
        .nth(1)
        .expect("a section of errors");
    assert!(
        reasons.contains("point 1: sim::exceeds_cache") && reasons.contains("DRAM"),
        "{reasons}"
    );
}

/// Predictions have no percentiles: the results come all the same, without a picture.
#[test]
fn a_metric_that_a_sweep_does_not_tell_has_no_picture() {
    let folder = folder("untold");
    let picture = folder.join("p99.svg");
    let rows = folder.join("rows.csv");
    let arguments = ["--metric", "latency_p99_s", "--plot", text(&picture), "--csv"];
    let ended = sweep(
        &folder,
        "sweep-small.toml",
        &[&arguments[..], &[text(&rows)]].concat(),
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(written(&rows).lines().count(), 13);
    assert!(!picture.exists());
}

// Killed, and gone on with.

/// Whole lines of a file.
fn lines(path: &Path) -> usize {
    if path.exists() {
        written(path).matches('\n').count()
    } else {
        0
    }
}

#[test]
fn killed_in_the_middle_and_resumed_it_has_lost_nothing_and_repeats_nothing() {
    let folder = folder("killed");
    let whole = csv(&folder, "sweep-long.toml", &["--restart"]);
    let journal = folder.join("killed.jsonl");
    let arguments = [
        "sweep",
        "sweep-long.toml",
        "--format",
        "csv",
        "--journal",
        text(&journal),
    ];
    let mut before = 0;
    // Killed twice, each time a little further on, by the signal that cannot be caught.
    for target in [40, 300] {
        program()
            .args(arguments)
            .args(["--resume", "--jobs", "2"])
            .run_until(|| lines(&journal) >= target);
        let after = lines(&journal);
        assert!(after >= target && after > before && after < 1013, "{after} lines");
        before = after;
    }
    let resumed = program().args(arguments).arg("--resume").run();
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(
        resumed.stdout == whole,
        "a resumed sweep has other bytes than one in one go"
    );
    // Nothing that was in the journal was answered again, so no point is there twice.
    assert_eq!(lines(&journal), 1 + 1012);
    assert!(
        resumed
            .stderr
            .contains(&format!("{} taken from the journal", before - 1)),
        "{}",
        resumed.stderr
    );
}

#[test]
fn a_torn_last_line_is_dropped_and_answered_again() {
    let folder = folder("torn");
    let whole = csv(&folder, "sweep-small.toml", &[]);
    let journal = folder.join("journal.jsonl");
    let sound = written(&journal);
    let last = sound.trim_end().rfind('\n').expect("more than one line") + 1;
    for end in [last + 1, last + 20, sound.len() - 1] {
        write(&journal, &sound.as_bytes()[..end]);
        assert_eq!(
            csv(&folder, "sweep-small.toml", &["--resume"]),
            whole,
            "torn at {end} of {}",
            sound.len()
        );
    }
    // A line end and nothing sensible before it: what a loss of power can leave.
    write(
        &journal,
        [&sound.as_bytes()[..last], b"\0\0\0\0\n"].concat().as_slice(),
    );
    assert_eq!(csv(&folder, "sweep-small.toml", &["--resume"]), whole);
    // Nothing but a torn header.
    write(&journal, &sound.as_bytes()[..30]);
    assert_eq!(csv(&folder, "sweep-small.toml", &["--resume"]), whole);
}

/// A changed figure, and single bits from the beginning of the journal to its end.
#[test]
fn a_damaged_journal_never_gives_other_results() {
    let folder = folder("damaged");
    let whole = csv(&folder, "sweep-small.toml", &[]);
    let journal = folder.join("journal.jsonl");
    let sound = bandgraph_testkit::written(&journal);
    let merge = || {
        run([
            "sweep",
            "merge",
            "sweep-small.toml",
            text(&journal),
            "--format",
            "csv",
        ])
    };
    assert_eq!(merge().stdout, whole);
    let line_of = |place: usize| sound[..place].split(|&byte| byte == b'\n').count();
    let digit = sound
        .windows(11)
        .position(|text| text == b"\"metrics\":[")
        .expect("figures");
    let digit = digit
        + sound[digit..]
            .iter()
            .position(u8::is_ascii_digit)
            .expect("a digit");
    let places = (0..sound.len())
        .step_by(sound.len() / 23)
        .filter(|&place| sound[place] != b'\n')
        .chain([digit]);
    for place in places {
        let mut damaged = sound.clone();
        damaged[place] ^= 1;
        write(&journal, &damaged);
        let line = line_of(place);
        let merged = merge();
        assert_eq!(merged.code, Some(2), "line {line}: {}", merged.stderr);
        assert_eq!(merged.stdout, "");
        let resumed = program()
            .args([
                "sweep",
                "sweep-small.toml",
                "--format",
                "csv",
                "--resume",
                "--journal",
            ])
            .arg(&journal)
            .run();
        if line == 1 {
            assert_eq!(resumed.code, Some(2), "{}", resumed.stderr);
            continue;
        }
        let named = format!("journal.jsonl:{line}");
        assert!(merged.stderr.contains(&named), "{named}: {}", merged.stderr);
        assert!(
            merged.stderr.contains("1 of 12 points are not in"),
            "{}",
            merged.stderr
        );
        assert!(resumed.stderr.contains(&named), "{named}: {}", resumed.stderr);
        assert!(
            resumed.stderr.contains("11 taken from the journal"),
            "{}",
            resumed.stderr
        );
        assert_eq!((resumed.code, resumed.stdout.as_str()), (Some(0), whole.as_str()));
        // The damaged line is still named, and nothing is taken from it.
        assert_eq!(merge().stdout, whole);
    }
}

/// Formats before 3 have no checksums, so that nothing is taken from them.
#[test]
fn a_journal_without_checksums_is_refused() {
    let folder = folder("old-format");
    let whole = csv(&folder, "sweep-small.toml", &[]);
    let journal = folder.join("journal.jsonl");
    let old: String = written(&journal)
        .lines()
        .map(|line| {
            let (line, _) = line.split_once(",\"checksum\"").expect("a checksum");
            format!("{line}}}\n").replacen("{\"bandgraph_journal\":3", "{\"bandgraph_journal\":2", 1)
        })
        .collect();
    write(&journal, old.as_bytes());
    let resumed = sweep(&folder, "sweep-small.toml", &["--resume"]);
    assert_eq!(resumed.code, Some(2), "{}", resumed.stdout);
    assert!(
        resumed.stderr.contains("has format 2") && resumed.stderr.contains("--restart"),
        "{}",
        resumed.stderr
    );
    let merged = run(["sweep", "merge", "sweep-small.toml", text(&journal)]);
    assert_eq!(
        (merged.code, merged.stdout.as_str()),
        (Some(2), ""),
        "{}",
        merged.stderr
    );
    assert_eq!(written(&journal), old);
    assert_eq!(csv(&folder, "sweep-small.toml", &[]), whole);
    assert_eq!(written(&folder.join("journal.jsonl.old")), old);
}

#[test]
fn work_that_can_be_resumed_is_not_written_over() {
    let folder = folder("unfinished");
    csv(&folder, "sweep-small.toml", &[]);
    let journal = folder.join("journal.jsonl");
    let sound = written(&journal);
    let half: String = sound.split_inclusive('\n').take(6).collect();
    write(&journal, half.as_bytes());
    let refused = sweep(&folder, "sweep-small.toml", &[]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("--resume") && refused.stderr.contains("--restart"),
        "{}",
        refused.stderr
    );
    assert_eq!(written(&journal), half);
    // The journal of another sweep is kept beside.
    csv(
        &folder,
        "sweep-small.toml",
        &["--set", "workload.read.working_set=1 GiB"],
    );
    assert_eq!(written(&folder.join("journal.jsonl.old")), half);
    // And so is the next, beside that.
    let other = written(&journal);
    csv(
        &folder,
        "sweep-small.toml",
        &["--set", "workload.read.working_set=2 GiB"],
    );
    assert_eq!(written(&folder.join("journal.jsonl.old")), half);
    assert_eq!(written(&folder.join("journal.jsonl.old-2")), other);
    // And a file that is no journal stays as it is, whatever is asked for.
    for thesis in ["my thesis\n", "{", "{\n", "{\"bandgraph_journal\": \"thesis\"}\n"] {
        write(&journal, thesis.as_bytes());
        for more in [&[][..], &["--restart"], &["--resume"]] {
            assert_eq!(sweep(&folder, "sweep-small.toml", more).code, Some(2), "{thesis}");
            assert_eq!(written(&journal), thesis);
        }
    }
}

// On many machines.

#[test]
fn shards_merged_in_any_order_are_the_bytes_of_one_process() {
    let folder = folder("shards");
    let whole = csv(&folder, "sweep-small.toml", &[]);
    let text_report = sweep(&folder, "sweep-small.toml", &[]).stdout;
    for count in [1, 2, 3, 5, 20] {
        let journals = folder.join(format!("journals-{count}/"));
        let mut paths: Vec<PathBuf> = Vec::new();
        for shard in 1..=count {
            let shard_of = format!("{shard}/{count}");
            let path = journals.join(format!("{shard}.jsonl"));
            std::fs::create_dir_all(&journals).expect("a folder");
            let ended = run([
                "sweep",
                "run",
                "sweep-small.toml",
                "--shard",
                &shard_of,
                "--journal",
                text(&path),
            ]);
            assert_eq!(
                (ended.code, ended.stdout.as_str()),
                (Some(0), ""),
                "{}",
                ended.stderr
            );
            paths.push(path);
        }
        for turn in 0..paths.len().min(3) {
            paths.rotate_left(1);
            if turn == 1 {
                paths.reverse();
            }
            let merge = |format: &str| {
                let paths = paths.iter().map(|path| text(path));
                let head = ["sweep", "merge", "sweep-small.toml", "--format", format];
                let ended = run(head.into_iter().chain(paths));
                assert_eq!(ended.code, Some(0), "{}", ended.stderr);
                ended.stdout
            };
            assert!(merge("csv") == whole, "{count} shards");
            assert!(merge("text") == text_report, "{count} shards");
        }
        if count > 1 {
            let ended = run(["sweep", "merge", "sweep-small.toml", text(&paths[0])]);
            assert_eq!(ended.code, Some(2), "points are missing");
            assert!(
                ended.stderr.contains("of 12 points are not in these journals"),
                "{}",
                ended.stderr
            );
        }
    }
}

#[test]
fn shards_are_numbered_by_schedulers() {
    let folder = folder("scheduler");
    let by = |variable: &str, task: &str| {
        let journals = format!("{}/", text(&folder));
        let arguments = [
            "sweep",
            "run",
            "sweep-small.toml",
            "--shard",
            "/2",
            "--restart",
            "--journal",
            &journals,
        ];
        program().args(arguments).env(variable, task).run()
    };
    for variable in ["HQ_TASK_ID", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        for (task, name) in [("0", "1-of-2"), ("1", "2-of-2")] {
            let ended = by(variable, task);
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
            assert!(
                ended
                    .stderr
                    .contains(&format!("sweep-small.shard-{name}.journal.jsonl")),
                "{}",
                ended.stderr
            );
        }
        assert_eq!(by(variable, "2").code, Some(2), "tasks are numbered from 0");
        assert_eq!(by(variable, "x").code, Some(2));
    }
    let nobody = run(["sweep", "run", "sweep-small.toml", "--shard", "/2"]);
    assert_eq!(nobody.code, Some(2));
    assert!(nobody.stderr.contains("HQ_TASK_ID"), "{}", nobody.stderr);
    for shard in ["0/2", "3/2", "1", "1/0", "a/b"] {
        assert_eq!(
            run(["sweep", "run", "sweep-small.toml", "--shard", shard]).code,
            Some(2),
            "{shard}"
        );
    }
}

#[test]
fn plans_have_the_points_and_hashes_of_results() {
    let table = csv(&folder("plan"), "sweep-small.toml", &[]);
    let plan = run(["sweep", "plan", "sweep-small.toml", "--format", "csv"]).stdout;
    for name in ["point", "io_size_bytes", "threads", "input_hash"] {
        assert_eq!(column(&plan, name), column(&table, name), "{name}");
    }
    let mut hashes = column(&plan, "input_hash");
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 12, "points are told apart by their content");
    let shards: Vec<String> = ["1/3", "2/3", "3/3"]
        .iter()
        .map(|shard| {
            run([
                "sweep",
                "plan",
                "sweep-small.toml",
                "--format",
                "csv",
                "--shard",
                shard,
            ])
            .stdout
        })
        .collect();
    let mut points: Vec<u64> = shards
        .iter()
        .flat_map(|plan| column(plan, "point"))
        .map(|point| point.parse().expect("a number"))
        .collect();
    points.sort_unstable();
    assert_eq!(points, (0..12).collect::<Vec<_>>());
}

#[test]
fn job_files_call_the_program_with_shards() {
    for (engine, words) in [
        (
            "hyperqueue",
            vec!["hq submit", "--array 0-3", "--shard /4", "sweep merge"],
        ),
        ("slurm", vec!["#SBATCH --array=0-3", "--shard /4", "sweep merge"]),
        (
            "kubernetes",
            // The folder of the journals is the volume, whatever folder the container starts in.
            vec![
                "completionMode: Indexed",
                "completions: 4",
                "--shard /4",
                "--journal /journals/",
                "mountPath: \"/journals\"",
            ],
        ),
        ("gnu-parallel", vec!["seq 1 4 | parallel", "{}/4", "sweep merge"]),
        (
            "github-actions",
            vec![
                "shard: [1, 2, 3, 4]",
                "matrix.shard",
                "sweep merge",
                "GITHUB_STEP_SUMMARY",
            ],
        ),
    ] {
        let ended = run([
            "sweep",
            "emit",
            "sweep-small.toml",
            "--engine",
            engine,
            "--shards",
            "4",
        ]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        for word in words {
            assert!(
                ended.stdout.contains(word),
                "{engine}: {word} is missing in\n{}",
                ended.stdout
            );
        }
        assert!(ended.stdout.contains("--resume"), "{engine}");
    }
    let many = run([
        "sweep",
        "emit",
        "sweep-small.toml",
        "--engine",
        "github-actions",
        "--shards",
        "257",
    ]);
    assert_eq!(many.code, Some(2));
}

// Gates.

#[test]
fn an_expectation_that_fails_ends_with_1_and_names_the_points() {
    let folder = folder("gate");
    let [junit, markdown, table] = ["junit.xml", "summary.md", "all.csv"].map(|name| folder.join(name));
    let files = [
        "--junit",
        text(&junit),
        "--markdown",
        text(&markdown),
        "--csv",
        text(&table),
    ];
    let ended = sweep(&folder, "sweep-gate.toml", &files);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let (failing, passing) = ended
        .stdout
        .split_once("Passing points")
        .expect("both are listed");
    assert!(failing.contains("point 2: threads = 3"), "{failing}");
    assert!(
        !failing.contains("point 1: ") && passing.contains("point 1: "),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("FAILED  one-fails"), "{}", ended.stdout);
    assert!(ended.stdout.contains("fails at 1 of "), "{}", ended.stdout);
    // Whatever the gate says, the results are there.
    assert_eq!(lines(&table), 5);
    let summary = written(&markdown);
    assert!(
        summary.contains("**FAILED") && summary.contains("threads = 3"),
        "{summary}"
    );
    assert!(summary.len() < 65_536);
    let xml = elements(&written(&junit));
    let count = |name: &str| xml.iter().filter(|element| *element == name).count();
    assert_eq!((count("testsuites"), count("testsuite")), (1, 1));
    // Three expectations and four points; the point fails, and so does its expectation.
    assert_eq!((count("testcase"), count("failure"), count("error")), (7, 2, 0));
}

/// A sweep over the threads of the small scenario, with draws.
fn with_draws(folder: &Path, more: &str) -> PathBuf {
    let file = folder.join("draws.toml");
    let scenario = fixtures().join("small.toml");
    let content = format!(
        "schema = 1\nname = \"draws\"\nscenario = {:?}\n{more}\n[[axis]]\nid = \"threads\"\npath = \
         \"workload.read.threads_per_client\"\nvalues = [1, 2, 4]\n",
        text(&scenario)
    );
    write(&file, content.as_bytes());
    file
}

fn numbers(table: &str, name: &str) -> Vec<f64> {
    let cells = column(table, name);
    cells.iter().map(|cell| cell.parse().expect("a number")).collect()
}

/// Each point has its interval; that of the gain over the reference is the one that a what-if finds, which
/// predicts the two servers in another order.
#[test]
fn points_have_intervals_of_rates_and_of_differences() {
    let folder = folder("draws");
    let file = with_draws(&folder, "draws = 200\nreference = [\"threads == 1\"]");
    let table = csv(&folder, text(&file), &[]);
    let [value, low, high] = ["", "_low", "_high"].map(|end| numbers(&table, &format!("ops_per_s{end}")));
    for point in 0..3 {
        assert!(low[point] < value[point] && value[point] < high[point], "{table}");
    }
    let [low, high] = ["_gain_low", "_gain_high"].map(|end| numbers(&table, &format!("ops_per_s{end}")));
    assert_eq!((low[0], high[0]), (0.0, 0.0), "{table}");
    let scenario = fixtures().join("small.toml");
    let base = "workload.read.threads_per_client=1";
    let more = "workload.read.threads_per_client=4";
    let ended = run([
        "whatif",
        text(&scenario),
        "--base-set",
        base,
        "--set",
        more,
        "--format",
        "json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let document: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let gain = &document["variants"][0]["gain"];
    assert_eq!(gain["low"].as_f64(), Some(low[2]), "{gain}");
    assert_eq!(gain["high"].as_f64(), Some(high[2]), "{gain}");
    let people = sweep(&folder, text(&file), &["--restart", "--width", "160"]);
    assert!(people.stdout.contains("90 % interval"), "{}", people.stdout);
    assert!(people.stdout.contains("no difference"), "{}", people.stdout);
}

/// The journal keeps intervals and probabilities; other draws are another sweep.
#[test]
fn a_resumed_sweep_with_draws_has_the_same_bytes() {
    let folder = folder("draws-resumed");
    let likely = "[[expect]]\nid = \"some\"\nmetric = \"ops_per_s\"\nmin = \"1 ops/s\"\nprobability = 0.9\n";
    let file = with_draws(&folder, likely);
    let whole = csv(&folder, text(&file), &[]);
    assert_eq!(numbers(&whole, "likelihood_some"), [1.0; 3]);
    let journal = folder.join("journal.jsonl");
    let kept: Vec<String> = written(&journal)
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    write(&journal, kept.concat().as_bytes());
    assert_eq!(csv(&folder, text(&file), &["--resume"]), whole);
    let other = sweep(&folder, text(&file), &["--draws", "20", "--resume"]);
    assert_eq!(other.code, Some(2), "{}", other.stdout);
}

#[test]
fn an_expectation_can_ask_for_a_probability() {
    let folder = folder("draws-gate");
    let table = csv(&folder, text(&with_draws(&folder, "draws = 20")), &["--restart"]);
    let value = numbers(&table, "ops_per_s")[2];
    let gate = |min: f64| {
        let expect = format!(
            "[[expect]]\nid = \"sure\"\nmetric = \"ops_per_s\"\nmin = \"{min} ops/s\"\nprobability = 0.9\n\
             when = [\"threads == 4\"]\n"
        );
        sweep(&folder, text(&with_draws(&folder, &expect)), &["--restart"])
    };
    // The value itself is as likely missed as met.
    let failed = gate(value);
    assert_eq!(failed.code, Some(1), "{}", failed.stdout);
    assert!(
        failed.stdout.contains("of the draws: ops_per_s at least"),
        "{}",
        failed.stdout
    );
    let passed = gate(value / 2.0);
    assert_eq!(passed.code, Some(0), "{}", passed.stdout);
}

/// `include`s the gate of the fixtures with other fields of a sweep.
fn gate_with(folder: &Path, more: &str) -> Ended {
    let file = folder.join("sweep.toml");
    let include = fixtures().join("sweep-gate.toml");
    let sweep_file = format!("include = [{:?}]\nschema = 1\n{more}", text(&include));
    write(&file, sweep_file.as_bytes());
    sweep(folder, text(&file), &["--restart"])
}

#[test]
fn an_expectation_that_matches_no_point_fails() {
    let folder = folder("gate-when");
    for over in ["", "over = \"minimum\"\n"] {
        let expect = format!(
            "[[expect]]\nid = \"one-fails\"\nmetric = \"latency_mean_s\"\nmax = \"1 h\"\n{over}\
             when = [\"threads == 3\", \"threads == 4\"]\n"
        );
        let ended = gate_with(&folder, &expect);
        assert_eq!(ended.code, Some(1), "{}", ended.stdout);
        let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("FAILED one-fails"), "{text}");
        assert!(
            text.contains("`when` matches no point: `threads == 3` and `threads == 4`"),
            "{text}"
        );
    }
}

#[test]
fn filters_that_leave_no_point_fail() {
    let folder = folder("gate-filter");
    for (filter, why) in [
        (
            "\"threads > 2\", \"threads > 9\"",
            "`filter` `threads > 9` holds for none of 4",
        ),
        (
            "\"threads > 2\", \"threads < 2\"",
            "none of 4 matches every `filter`",
        ),
    ] {
        let ended = gate_with(&folder, &format!("filter = [{filter}]\n"));
        assert_eq!(ended.code, Some(1), "{}", ended.stdout);
        let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("FAILED points no point is left: "), "{text}");
        assert!(!text.contains("Points:"), "a table without rows: {text}");
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn results_that_part_from_a_baseline_end_with_1() {
    let folder = folder("baseline");
    let baseline = folder.join("old.csv");
    let table = csv(&folder, "sweep-small.toml", &[]);
    let against = |text_of_baseline: &str, more: &[&str]| {
        write(&baseline, text_of_baseline.as_bytes());
        sweep(
            &folder,
            "sweep-small.toml",
            &[&["--baseline", text(&baseline)], more].concat(),
        )
    };
    assert_eq!(against(&table, &[]).code, Some(0), "a sweep is its own baseline");
    // A sample may have a point twice: the same results agree, others contradict each other.
    let again = table.lines().nth(7).expect("a row");
    assert_eq!(against(&format!("{table}{again}\n"), &[]).code, Some(0));
    // One figure of one point, 10 % above what it is now.
    let old: f64 = column(&table, "ops_per_s")[7].parse().expect("a number");
    let cell = |value: f64| table.replacen(&old.to_string(), &value.to_string(), 1);
    let fallen = against(&cell(old * 1.1), &["--tolerance", "2%"]);
    assert_eq!(fallen.code, Some(1), "{}", fallen.stdout);
    assert!(fallen.stdout.contains("point 7: "), "{}", fallen.stdout);
    assert!(fallen.stdout.contains("-9.09 %"), "{}", fallen.stdout);
    assert_eq!(against(&cell(old * 1.1), &["--tolerance", "10%"]).code, Some(0));
    assert_eq!(against(&cell(old * 0.9), &["--tolerance", "2%"]).code, Some(1));
    assert_eq!(
        against(&cell(old * 0.9), &["--tolerance", "2%", "--only-worse"]).code,
        Some(0)
    );
    // A point that the baseline has and the sweep has not.
    let extra = table.lines().nth(3).expect("a row").replacen("4096", "4097", 1);
    let gone = against(&format!("{table}{extra}\n"), &[]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.stdout.contains("not in this sweep"), "{}", gone.stdout);
    // A point that only the sweep has is new, and no failure.
    let fewer: String = table.split_inclusive('\n').take(12).collect();
    assert_eq!(against(&fewer, &[]).code, Some(0));
    // Where all are new, nothing was compared.
    let header: String = table.split_inclusive('\n').take(1).collect();
    let nothing = against(&header, &[]);
    assert_eq!(nothing.code, Some(1), "{}", nothing.stdout);
    for nonsense in ["", "a,b\n1,2\n", "io_size_bytes,threads,ops_per_s\n4096,1,many\n"] {
        assert_eq!(against(nonsense, &[]).code, Some(2), "{nonsense}");
    }
    assert_eq!(
        against(&table, &["--tolerance", "2"]).code,
        Some(2),
        "a bare number is refused"
    );
}

/// The names of all elements of an XML text, which must be well-formed: tags nest, attributes are quoted and
/// named once, and `<` and `&` stand only where they may.
fn elements(text: &str) -> Vec<String> {
    let body = text
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .expect("the declaration");
    let (mut names, mut open, mut rest) = (Vec::new(), Vec::new(), body);
    while let Some(start) = rest.find('<') {
        let (content, tag) = rest.split_at(start);
        assert!(
            content.trim().is_empty() || !open.is_empty(),
            "text outside of the root: {content}"
        );
        entities(content);
        let end = tag.find('>').expect("every tag ends");
        let inside = &tag[1..end];
        rest = &tag[end + 1..];
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "tags nest");
            continue;
        }
        let empty = inside.ends_with('/');
        let inside = inside.trim_end_matches('/');
        let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        let mut attributes = attributes.trim();
        let mut seen: Vec<&str> = Vec::new();
        while !attributes.is_empty() {
            let (key, value) = attributes.split_once("=\"").expect("an attribute is quoted");
            let (value, others) = value.split_once('"').expect("a quote ends");
            assert!(
                key.chars().all(char::is_alphabetic) && !seen.contains(&key),
                "{key}"
            );
            seen.push(key);
            entities(value);
            attributes = others.trim();
        }
        names.push(name.to_owned());
        if !empty {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    names
}

fn entities(text: &str) {
    for piece in text.split('&').skip(1) {
        let name = piece.split_once(';').expect("an entity ends").0;
        assert!(
            ["amp", "lt", "gt", "quot", "apos", "#10", "#9"].contains(&name),
            "&{name};"
        );
    }
}

// The file.

#[test]
fn check_shows_what_is_wrong_with_a_sweep_under_its_place() {
    let ended = run([
        "check",
        "sweep-broken.toml",
        "sweep-small.toml",
        "sweep-bad-points.toml",
    ]);
    assert_eq!(ended.code, Some(2));
    for words in [
        "sweep-broken.toml:4:11",
        "did you mean `io_size`?",
        "sweep-broken.toml:8:18",
        "did you mean `read`?",
        "sweep-broken.toml:14:29",
        "not a number like the others",
        "ok  sweep-small.toml",
        "sweep-bad-points.toml:9:22",
    ] {
        assert!(
            ended.stdout.contains(words),
            "{words} is missing in\n{}",
            ended.stdout
        );
    }
    let folder = folder("check");
    let file = folder.join("sweep.toml");
    let sound = format!(
        "schema = 1\nname = \"x\"\nscenario = {:?}\nfilter = [\"size >= 1 KiB\"]\n[[axis]]\nid = \"size\"\n\
         path = \"workload.read.io_size\"\nvalues = [\"64 KiB\"]\n",
        text(&fixtures().join("small.toml"))
    );
    write(&file, sound.as_bytes());
    assert_eq!(run(["check", text(&file)]).code, Some(0));
    for (from, to, id) in [
        ("\"size >= ", "\"sise >= ", "sweep::unknown_axis"),
        (">= 1 KiB", ">= 1", "sweep::comparison"),
        (">= 1 KiB", "about 1 KiB", "sweep::comparison"),
        ("read.io_size", "reed.io_size", "set::no_match"),
        ("read.io_size", "read.io_sise", "set::unknown_path"),
        ("workload.read.io_size", "socket.*.cloc", "entry::unknown_field"),
        (
            "values = [\"64 KiB\"]",
            "values = [\"64 KiB\"]\n[[axis]]\nid = \"size_bytes\"\npath = \"run.seed\"\nvalues = [1]",
            "sweep::column_taken",
        ),
        ("workload", "werkload", "set::unknown_path"),
        ("values = [\"64 KiB\"]", "", "sweep::no_values"),
        ("values = [\"64 KiB\"]", "values = []", "sweep::no_values"),
        (
            "values = [\"64 KiB\"]",
            "values = [\"1 KiB\"]\nwith = \"other\"",
            "sweep::with",
        ),
        (
            "values = [\"64 KiB\"]",
            "range = { start = \"2 KiB\", stop = \"1 KiB\", step = \"1 KiB\" }",
            "sweep::bad_range",
        ),
        (
            "values = [\"64 KiB\"]",
            "range = { start = \"1 KiB\", stop = \"2 KiB\" }",
            "sweep::no_step",
        ),
        (
            "values = [\"64 KiB\"]",
            "range = { start = \"1 KiB\", stop = \"9 GiB\", step = \"1 B\" }",
            "sweep::too_many_points",
        ),
        (
            "values = [\"64 KiB\"]",
            "log_range = { start = \"1 KiB\", stop = \"2 KiB\" }",
            "sweep::no_step",
        ),
        ("small.toml", "smal.toml", "file::missing"),
        ("id = \"size\"", "id = \"error\"", "sweep::unknown_axis"),
        ("schema = 1", "schema = 2", "file::schema_version"),
        ("name = ", "mode = \"guess\"\nname = ", "value::unknown_choice"),
    ] {
        assert!(sound.contains(from), "{from}");
        write(&file, sound.replacen(from, to, 1).as_bytes());
        let ended = run(["check", text(&file), "--format", "json"]);
        assert_eq!(ended.code, Some(2), "{to}: {}", ended.stdout);
        let found: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
        let found: Vec<&Value> = found.as_array().expect("a list").iter().collect();
        assert!(
            found
                .iter()
                .any(|problem| problem["id"] == id && problem["line"].is_number()),
            "{id}: {found:?}"
        );
    }
    // A sweep is no scenario.
    let ended = run(["run", "sweep-small.toml"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("this is a sweep"), "{}", ended.stderr);
}

#[test]
fn shipped_sweeps_are_sound() {
    let sweeps = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/sweeps");
    for name in ["7410-io-size.toml", "7410-generations.toml", "7410-sample.toml"] {
        let path = sweeps.join(name);
        let ended = run(["check", text(&path)]);
        assert_eq!(
            (ended.code, ended.stdout.lines().count()),
            (Some(0), 1),
            "{}",
            ended.stdout
        );
        let folder = folder(&format!("shipped-{name}"));
        let ended = sweep(&folder, text(&path), &[]);
        assert_eq!(ended.code, Some(0), "{}", ended.stdout);
        assert!(!ended.stdout.contains("ended in an error"), "{}", ended.stdout);
        // Sampled values have twelve digits: people see four.
        let is_long = |word: &str| word.contains('.') && word.len() > 6 && word.parse::<f64>().is_ok();
        let long = ended.stdout.split([' ', '\n']).find(|word| is_long(word));
        assert_eq!(long, None, "{}", ended.stdout);
    }
}

// Which points there are.

/// The plan of the small scenario with these axes and settings, as CSV.
fn plan(test: &str, settings: &str) -> String {
    let file = folder(test).join("sweep.toml");
    let scenario = fixtures().join("small.toml");
    write(
        &file,
        format!(
            "schema = 1\nname = \"x\"\nscenario = {:?}\n{settings}",
            text(&scenario)
        )
        .as_bytes(),
    );
    let ended = run(["sweep", "plan", text(&file), "--format", "csv"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.stdout
}

/// An axis over the size of reads or the threads.
fn axis(id: &str, values: &str) -> String {
    let field = if id == "size" {
        "io_size"
    } else {
        "threads_per_client"
    };
    format!("[[axis]]\nid = \"{id}\"\npath = \"workload.read.{field}\"\n{values}\n")
}

#[test]
fn ranges_give_the_values_that_they_say() {
    let cases: [(&str, &str, &[f64]); 7] = [
        (
            "threads",
            "range = { start = 1, stop = 10, step = 4 }",
            &[1.0, 5.0, 9.0],
        ),
        ("threads", "range = { start = 3, stop = 3, step = 1 }", &[3.0]),
        (
            "threads",
            "log_range = { start = 1, stop = 100, per_decade = 1 }",
            &[1.0, 10.0, 100.0],
        ),
        // 1, 1.58, 2.51, 3.98, 6.31, 10: rounded, and each once.
        (
            "threads",
            "log_range = { start = 1, stop = 10, per_decade = 5 }",
            &[1.0, 2.0, 3.0, 4.0, 6.0, 10.0],
        ),
        (
            "size",
            "range = { start = \"0.1 MB\", stop = \"0.3 MB\", step = \"100 kB\" }",
            &[1e5, 2e5, 3e5],
        ),
        (
            "size",
            "log_range = { start = \"4 KiB\", stop = \"256 KiB\", count = 3 }",
            &[4096.0, 32768.0, 262_144.0],
        ),
        ("size", "values = [\"1 MiB\", \"1 kB\"]", &[1_048_576.0, 1000.0]),
    ];
    for (index, (id, values, expected)) in cases.iter().enumerate() {
        let plan = plan(&format!("range-{index}"), &axis(id, values));
        let name = if *id == "size" { "size_bytes" } else { "threads" };
        let found: Vec<f64> = column(&plan, name)
            .iter()
            .map(|cell| cell.parse().expect("a number"))
            .collect();
        assert_eq!(found, *expected, "{values}");
    }
}

#[test]
fn axes_go_in_step_and_filters_leave_points_out() {
    let both = format!(
        "{}{}",
        axis("size", "values = [\"1 KiB\", \"2 KiB\"]"),
        axis("threads", "values = [3, 4]\nwith = \"size\"")
    );
    let zipped = plan("zip", &both);
    assert_eq!(column(&zipped, "size_bytes"), ["1024", "2048"]);
    assert_eq!(column(&zipped, "threads"), ["3", "4"]);
    let grid = both.replace("with = \"size\"", "");
    let filtered = plan(
        "filter",
        &format!("filter = [\"size > 1 KiB\", \"threads != 3\"]\n{grid}"),
    );
    // The numbers are those of the whole grid.
    assert_eq!(
        (column(&filtered, "point"), column(&filtered, "threads")),
        (vec!["3"], vec!["4"])
    );
}

#[test]
fn a_latin_hypercube_covers_every_axis_evenly() {
    let axes = format!(
        "{}{}",
        axis("size", "range = { start = \"100 kB\", stop = \"200 kB\" }"),
        axis("threads", "values = [1, 2, 3, 4]")
    );
    let drawn = |method: &str, seed: u64| {
        let sample = format!("[sample]\nmethod = \"{method}\"\ncount = 20\nseed = {seed}\n");
        plan(&format!("sample-{method}-{seed}"), &format!("{sample}{axes}"))
    };
    let table = drawn("latin-hypercube", 1);
    let mut strata: Vec<u64> = column(&table, "size_bytes")
        .iter()
        .map(|cell| ((cell.parse::<f64>().expect("a number") - 1e5) / 5e3) as u64)
        .collect();
    strata.sort_unstable();
    assert_eq!(
        strata,
        (0..20).collect::<Vec<_>>(),
        "every twentieth of the range is met once"
    );
    for value in ["1", "2", "3", "4"] {
        assert_eq!(
            column(&table, "threads")
                .iter()
                .filter(|cell| **cell == value)
                .count(),
            5
        );
    }
    assert_eq!(table, drawn("latin-hypercube", 1));
    assert_ne!(
        column(&table, "size_bytes"),
        column(&drawn("latin-hypercube", 2), "size_bytes")
    );
    let random = drawn("random", 1);
    let sizes = column(&random, "size_bytes")
        .into_iter()
        .map(|cell| cell.parse::<f64>().expect("a number"));
    assert!(sizes.into_iter().all(|size| (1e5..2e5).contains(&size)));
}

#[test]
fn files_can_be_varied_too() {
    let folder = folder("files");
    let file = folder.join("sweep.toml");
    let topologies = Path::new(env!("CARGO_MANIFEST_DIR")).join("topologies");
    write(
        &file,
        format!(
            "schema = 1\nname = \"x\"\nscenario = {:?}\n[[axis]]\nid = \"server\"\npath = \"topology\"\nvalues = [{:?}, {:?}]\n",
            text(&fixtures().join("small.toml")),
            text(&fixtures().join("small-server.toml")),
            text(&topologies.join("sun-7410-istanbul.toml"))
        )
        .as_bytes(),
    );
    let table = csv(&folder, text(&file), &[]);
    let rates = column(&table, "network_bytes_per_s");
    assert_eq!(rates.len(), 2);
    assert_ne!(rates[0], rates[1]);
}
