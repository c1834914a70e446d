//! `trace` as people and scripts meet it.

use std::fs;

use serde_json::Value;

use crate::program::{Ended, program, run};

fn stat(arguments: &[&str], input: &[u8]) -> Ended {
    program()
        .args(["trace", "stat", "-"])
        .args(arguments)
        .stdin(input)
        .run()
}

fn generated(arguments: &[&str]) -> String {
    let ended = run(["trace", "generate"].iter().chain(arguments));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.stdout
}

#[test]
fn a_made_trace_is_the_same_every_time_and_as_it_was_asked_for() {
    let arguments = [
        "--operations",
        "3000",
        "--mix",
        "read=3,write=1",
        "--clients",
        "4",
        "--rate",
        "500",
    ];
    let text = generated(&arguments);
    assert_eq!(text, generated(&arguments));
    let ended = stat(&["--format", "json"], text.as_bytes());
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let found: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
    let schema: Value =
        serde_json::from_str(include_str!("../../docs/schema/trace-stat.json")).expect("valid JSON");
    assert!(jsonschema::is_valid(&schema, &found));
    assert_eq!(found["operations"], 3000);
    assert_eq!(found["clients"], 4);
    assert_eq!(found["format"], "nfsdump");
    assert_eq!(found["lines"], 6000);
    assert_eq!(found["skipped"]["bad_lines"], 0);
    let reads = found["by_operation"][0]["share"].as_f64().expect("a share");
    assert!((reads - 0.75).abs() < 0.03);
    assert!((found["operations_per_s"].as_f64().expect("a rate") / 500.0 - 1.0).abs() < 0.1);
    let text = stat(&["--width", "80"], text.as_bytes()).stdout;
    assert!(text.contains("3,000 operations of 4 clients"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn bad_lines_are_shown_and_strict_stops() {
    let text = "1,usr,0,Read,0,512,9\n2,usr,0,Read,-5,512,9\n3,usr,0,Read,0,512,9\n";
    let ended = stat(&[], text.as_bytes());
    assert_eq!(ended.code, Some(0));
    assert!(
        ended
            .stdout
            .contains("line 2, column 14: a number below zero: `-5,512,9`"),
        "{}",
        ended.stdout
    );
    let ended = stat(&["--strict"], text.as_bytes());
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("trace::malformed"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("stdin: line 2, column 14"),
        "{}",
        ended.stderr
    );
}

#[test]
fn what_cannot_be_read_says_so() {
    for (input, id) in [
        (&b""[..], "trace::empty"),
        (b"[global]\nrw=read\n", "trace::unknown_format"),
        (b"\x04\x22\x4d\x18\0\0", "trace::unknown_compression"),
    ] {
        let ended = stat(&[], input);
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains(id), "{}", ended.stderr);
    }
    let ended = run(["trace", "stat", "there-is-no-such-trace"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("trace::unreadable"), "{}", ended.stderr);
}

#[test]
fn a_trace_converts_to_every_format() {
    let text = generated(&["--operations", "500", "--mix", "read=3,getattr=1"]);
    for format in ["nfsdump", "iolog2", "iolog3", "msr", "blkparse"] {
        let converted = program()
            .args(["trace", "convert", "-", "--to", format])
            .stdin(text.as_bytes())
            .run();
        assert_eq!(converted.code, Some(0), "{}", converted.stderr);
        assert_eq!(
            converted.stderr.contains("are left out"),
            format != "nfsdump",
            "{}",
            converted.stderr
        );
        let ended = stat(&["--format", "json"], converted.stdout.as_bytes());
        let found: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
        assert_eq!(found["format"], format);
        let reads = found["by_operation"][0]["bytes"].as_u64().expect("bytes");
        assert!(reads > 300 * 8192, "{format}: {reads}");
    }
}

#[test]
fn recipes_that_make_no_sense_are_refused() {
    for (arguments, words) in [
        (&["--files", "0"][..], "files: must be 1 to 2^40"),
        (&["--mix", "raed=1"], "`raed` is not the name of an operation"),
        (&["--mix", "read=x"], "`x` is not a weight"),
        (&["--sizes", "8"], "--sizes"),
        (&["--sequential", "2"], "sequential: must be 0 to 1"),
    ] {
        let ended = run(["trace", "generate"].iter().chain(arguments));
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
}

// Operations at one instant: the prediction has classes with 10¹⁷ operations in flight beside others with
// one, on which policy iteration does not settle.
#[test]
fn bursts_of_simultaneous_reads_are_replayed() {
    for (seed, scenario) in [
        ("92", "7410-istanbul/disk-random-8k"),
        ("99", "7410-istanbul/disk-random-8k"),
        ("40", "7410-istanbul/disk-read"),
        ("196", "7410-istanbul/disk-read"),
    ] {
        let burst = "--operations 20 --files 5 --sequential 0.5 --rate 1e9 --clients 10 --mix read=1 --seed";
        let arguments: Vec<&str> = burst.split(' ').chain([seed]).collect();
        let trace = generated(&arguments);
        let scenario = format!("{}/scenarios/{scenario}.toml", env!("CARGO_MANIFEST_DIR"));
        let ended = program()
            .args(["run", &scenario, "--trace", "-"])
            .stdin(trace.as_bytes())
            .run();
        assert_eq!(ended.code, Some(0), "seed {seed}: {}", ended.stderr);
    }
}

/// The first operations of a file and its size say how many it has, before any of them is simulated. The rest
/// of this one is a hole.
#[test]
#[expect(clippy::disallowed_methods, reason = "this test makes a trace of its own")]
fn a_trace_of_too_many_operations_is_refused_beforehand() {
    let folder = crate::folder("too-many-operations");
    let path = folder.join("huge.csv");
    let lines: Vec<String> = (0..131_073)
        .map(|number| format!("{},usr,0,Read,0,512,9\n", 10 * number + 1))
        .collect();
    let lines = lines.concat();
    fs::write(&path, &lines).expect("the file can be written");
    let bytes = lines.len() as u64;
    let file = fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .expect("it is there");
    file.set_len(bytes * 90_000).expect("files can have holes");
    let scenario = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/scenarios/7410-istanbul/disk-read.toml"
    );
    let trace = path.to_str().expect("a path in UTF-8");
    let ended = run(["run", scenario, "--trace", trace]);
    fs::remove_file(&path).expect("it can be removed");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("trace::too_long"), "{}", ended.stderr);
    // 131,073 times 90,000 are 11.8 billion; what is read ahead of the first records makes the estimate less.
    assert!(
        ended.stderr.contains("about 1.1e10 operations"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("`stop`"), "{}", ended.stderr);
}
