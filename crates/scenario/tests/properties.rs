//! For any bytes, checking terminates, does not panic, and reports existing places.

use std::path::Path;

use bandgraph_diagnostics::{Diagnostic, Sources, render};
use bandgraph_scenario::{MemoryFiles, check_with, load_with};
use proptest::collection::vec;
use proptest::prelude::*;

const BARCELONA: &str = include_str!("../../../topologies/sun-7410-barcelona.toml");
const ISTANBUL: &str = include_str!("../../../topologies/sun-7410-istanbul.toml");
const LOAD: &str = include_str!("../../../scenarios/common/7410-cached-read.toml");
const SCENARIO: &str = include_str!("../../../scenarios/7410-istanbul/cached-read.toml");

/// Maximum number of diagnostics, including one with the number of omitted ones.
const MOST: usize = 201;

fn shipped() -> MemoryFiles {
    MemoryFiles::new()
        .with("topologies/sun-7410-barcelona.toml", BARCELONA)
        .with("topologies/sun-7410-istanbul.toml", ISTANBUL)
        .with("scenarios/common/7410-cached-read.toml", LOAD)
        .with("scenarios/s.toml", SCENARIO)
}

/// Invariants of the diagnostics of any input.
fn assert_sane(diagnostics: &[Diagnostic], sources: &Sources) {
    assert!(diagnostics.len() <= MOST);
    for diagnostic in diagnostics {
        assert!(
            bandgraph_scenario::explain(diagnostic.id).is_some(),
            "{}",
            diagnostic.id
        );
        for place in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            assert!(place.range.start <= place.range.end);
            assert!(
                place.range.end <= sources.text(place.source).len(),
                "{diagnostic:?}"
            );
        }
    }
    let _ = render::full(diagnostics, sources, false);
}

fn check(files: &MemoryFiles, path: &str) -> Vec<Diagnostic> {
    let mut sources = Sources::new();
    let diagnostics = check_with(files, Path::new(path), &mut sources);
    assert_sane(&diagnostics, &sources);
    diagnostics
}

/// An edit of a text at a place given as a fraction of its length.
#[derive(Clone, Debug)]
enum Edit {
    Delete(f64, usize),
    Duplicate(f64, usize),
    Replace(f64, usize, String),
    /// Moves a line to another position.
    MoveLine(f64, f64),
}

fn edits() -> impl Strategy<Value = Edit> {
    let length = 0_usize..60;
    let words = prop_oneof![
        Just("0".to_owned()),
        Just("-1".to_owned()),
        Just("nan".to_owned()),
        Just("inf".to_owned()),
        Just("99999999999999999999".to_owned()),
        Just("\"1e300 GiB\"".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just("[[socket]]\n".to_owned()),
        Just("\ninclude = [\"s.toml\"]\n".to_owned()),
        Just("\n[topology]\n".to_owned()),
        Just("1979-05-27".to_owned()),
        ".{0,8}",
    ];
    prop_oneof![
        (0.0..1.0, length.clone()).prop_map(|(at, length)| Edit::Delete(at, length)),
        (0.0..1.0, length.clone()).prop_map(|(at, length)| Edit::Duplicate(at, length)),
        (0.0..1.0, length, words).prop_map(|(at, length, text)| Edit::Replace(at, length, text)),
        (0.0..1.0, 0.0..1.0).prop_map(|(from, to)| Edit::MoveLine(from, to)),
    ]
}

fn edited(text: &str, edits: &[Edit]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for edit in edits {
        let at = |fraction: &f64, length: usize| (*fraction * length as f64) as usize;
        match edit {
            Edit::Delete(start, length) => {
                let start = at(start, bytes.len());
                let end = (start + length).min(bytes.len());
                bytes.drain(start..end);
            }
            Edit::Duplicate(start, length) => {
                let start = at(start, bytes.len());
                let slice = bytes[start..(start + length).min(bytes.len())].to_vec();
                bytes.splice(start..start, slice);
            }
            Edit::Replace(start, length, text) => {
                let start = at(start, bytes.len());
                let end = (start + length).min(bytes.len());
                bytes.splice(start..end, text.bytes());
            }
            Edit::MoveLine(from, to) => {
                let mut lines: Vec<Vec<u8>> =
                    bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
                let line = lines.remove(at(from, lines.len()).min(lines.len() - 1));
                lines.insert(at(to, lines.len()), line);
                bytes = lines.join(&b'\n');
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_can_be_checked(bytes in vec(any::<u8>(), 0..400)) {
        check(&MemoryFiles::new().with("x.toml", bytes), "x.toml");
    }

    #[test]
    fn any_text_can_be_checked(text in "[ -~\n\u{e9}\u{1f600}]{0,200}") {
        check(&MemoryFiles::new().with("x.toml", text), "x.toml");
    }

    #[test]
    fn edited_topologies_can_be_checked(edits in vec(edits(), 1..6)) {
        let files = shipped().with("topologies/sun-7410-barcelona.toml", edited(BARCELONA, &edits));
        check(&files, "topologies/sun-7410-barcelona.toml");
        check(&files, "scenarios/s.toml");
    }

    #[test]
    fn edited_scenarios_can_be_checked(one in vec(edits(), 0..4), other in vec(edits(), 0..4)) {
        let files = shipped()
            .with("scenarios/s.toml", edited(SCENARIO, &one))
            .with("scenarios/common/7410-cached-read.toml", edited(LOAD, &other));
        check(&files, "scenarios/s.toml");
    }

    #[test]
    fn any_override_can_be_tried(
        path in "(card|link|socket|slot|run|stack|clients|workload|topology|expect|[a-z]{1,6})(\\.[a-z0-9*\"-]{0,8}){0,4}",
        value in "[ -~]{0,16}",
    ) {
        let mut sources = Sources::new();
        let sets = [format!("{path}={value}")];
        if let Err(problems) = load_with(&shipped(), Path::new("scenarios/s.toml"), &sets, &mut sources) {
            assert!(problems.iter().any(Diagnostic::is_error));
            assert_sane(&problems, &sources);
        }
    }

    /// Checking depends only on the files.
    #[test]
    fn checking_twice_gives_the_same(edits in vec(edits(), 1..4)) {
        let files = shipped().with("topologies/sun-7410-istanbul.toml", edited(ISTANBUL, &edits));
        prop_assert_eq!(check(&files, "scenarios/s.toml"), check(&files, "scenarios/s.toml"));
    }
}

/// Large inputs of kinds that make naive readers slow: the work and the number of diagnostics are bounded.
#[test]
fn large_inputs_are_no_more_than_large() {
    let numbered =
        |make: fn(usize) -> String, count: usize| (0..count).map(make).collect::<Vec<_>>().concat();
    let many_entries = numbered(|number| format!("[[slot]]\nid = \"s{number}\"\n"), 20_000);
    let many_keys = numbered(|number| format!("k{number} = {number}\n"), 50_000);
    let same_ids = "[[slot]]\nid = \"s\"\n".repeat(20_000);
    let long_id = format!("[[slot]]\nid = \"{}\"\n", "s".repeat(1 << 20));
    let long_list = format!(
        "[[route]]\nfrom = \"a\"\nto = \"b\"\nvia = [{}]\n",
        "\"c\",".repeat(100_000)
    );
    let unknown_bridges = numbered(
        |number| {
            format!("[[bridge]]\nid = \"b{number}\"\n[[slot]]\nid = \"s{number}\"\nbridge = \"x{number}\"\n")
        },
        2_000,
    );
    for text in [
        many_entries,
        many_keys,
        same_ids,
        long_id,
        long_list,
        unknown_bridges,
    ] {
        let files = MemoryFiles::new()
            .with("x.toml", format!("schema = 1\nname = \"x\"\nslot2 = 1\n{text}"))
            .with(
                "y.toml",
                "schema = 1\ninclude = [\"x.toml\"]\n[[socket]]\nid = \"a\"\n".to_owned() + &text,
            );
        check(&files, "x.toml");
        check(&files, "y.toml");
    }
    let many_clients = numbered(|number| format!("[[clients]]\nid = \"c{number}\"\n"), 20_000);
    let many_workloads = numbered(
        |number| format!("[[workload]]\nid = \"w{number}\"\nclients = \"d{number}\"\nmix = \"read\"\n"),
        20_000,
    );
    let ports = format!(
        "[[clients]]\nid = \"x\"\nports = [{}]\n",
        "\"nic0.0\",".repeat(100_000)
    );
    let text =
        format!("schema = 1\nname = \"x\"\ntopology = \"t.toml\"\n{many_clients}{many_workloads}{ports}");
    check(
        &MemoryFiles::new().with("x.toml", text).with("t.toml", BARCELONA),
        "x.toml",
    );
}
