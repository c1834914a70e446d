//! What can be left out or said in general: files that the folder has, cards of which only some have a field,
//! shares in either spelling; and output that nothing can take.

mod program;
mod scratch;

use std::path::{Path, PathBuf};

use bandgraph_testkit::{write, written};
use program::{Ended, program, run};

const SWEEP: &str = "schema = 1\nname = \"two shares\"\nscenario = \"scenario.toml\"\n\
    [[axis]]\nid = \"memory\"\npath = \"socket.*.controller_share\"\nvalues = [\"70 %\", \"85 %\"]\n\
    [[axis]]\nid = \"written\"\npath = \"stack.written_share\"\nvalues = [0.25, \"50 %\"]\n";

/// A folder with the server and the scenario of the README, and a sweep.
fn first_server(test: &str) -> PathBuf {
    let folder = scratch::folder("usage", test);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/first");
    for name in ["server.toml", "scenario.toml"] {
        let text = String::from_utf8(written(&example.join(name))).expect("UTF-8");
        write(&folder.join(name), &text);
    }
    write(&folder.join("sweep.toml"), SWEEP);
    folder
}

fn run_in(folder: &Path, arguments: &[&str]) -> Ended {
    program().current_dir(folder).args(arguments).run()
}

#[test]
fn commands_take_the_only_file_of_the_folder() {
    let folder = first_server("only");
    for (arguments, named) in [
        (["check"].as_slice(), "scenario.toml"),
        (&["run", "--predict", "--no-interval"], "scenario.toml"),
        (&["sweep"], "sweep.toml"),
    ] {
        let ended = run_in(&folder, arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(named), "{arguments:?}: {}", ended.stderr);
    }
    // Of two, none is the one; the message has both.
    for (from, second, command) in [
        ("scenario.toml", "later.toml", "check"),
        ("sweep.toml", "wider.toml", "sweep"),
    ] {
        let text = String::from_utf8(written(&folder.join(from))).expect("UTF-8");
        write(&folder.join(second), &text);
        let ended = run_in(&folder, &[command]);
        assert_eq!(ended.code, Some(2), "{}", ended.stdout);
        for name in [from, second] {
            assert!(ended.stderr.contains(name), "{command}: {}", ended.stderr);
        }
    }
}

/// A number and a share in per cent are the same value, and CSV has numbers only. A second run replaces the
/// results of the first, although the folder was searched for the sweep.
#[test]
fn the_csv_of_a_sweep_has_shares_as_numbers() {
    let folder = first_server("shares");
    for arguments in [
        ["sweep", "--csv", "rows.csv"].as_slice(),
        &["run", "--predict", "--no-interval", "-o", "report.txt"],
    ] {
        for _ in 0..2 {
            let ended = run_in(&folder, arguments);
            assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
        }
    }
    let text = String::from_utf8(written(&folder.join("rows.csv"))).expect("UTF-8");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let column = |name: &str| header.iter().position(|cell| *cell == name).expect("a column");
    let [memory, shares] = ["memory", "written"].map(column);
    let rows: Vec<[&str; 2]> = lines.map(|line| [line[memory], line[shares]]).collect();
    assert_eq!(
        rows,
        [["0.7", "0.25"], ["0.7", "0.5"], ["0.85", "0.25"], ["0.85", "0.5"]]
    );
}

/// `card.*.FIELD` is for the cards that have the field, of whatever kind the others are.
#[test]
fn overrides_of_all_cards_reach_those_with_the_field() {
    let scenario = "../../scenarios/7410-barcelona/disk-read.toml";
    let with = |set: &str| {
        let ended = run(["topology", "show", scenario, "--set", set, "--format", "json"]);
        (ended.code, ended.stdout, ended.stderr)
    };
    let (code, shown, errors) = with("card.*.lane_rate=150 MB/s");
    assert_eq!(code, Some(0), "{errors}");
    let plain = run(["topology", "show", scenario, "--format", "json"]).stdout;
    let capacities = |text: &str, kind: &str| -> Vec<f64> {
        let document: serde_json::Value = serde_json::from_str(text).expect("JSON");
        let resources = document["resources"].as_array().expect("a list");
        let of_kind = resources.iter().filter(|one| one["kind"] == kind);
        of_kind.filter_map(|one| one["capacity"].as_f64()).collect()
    };
    let (before, after) = (capacities(&plain, "sas"), capacities(&shown, "sas"));
    assert!(!before.is_empty(), "{plain}");
    for (before, after) in before.iter().zip(&after) {
        assert!((before / after - 2.0).abs() < 1e-9, "{before} to {after}");
    }
    assert_eq!(capacities(&plain, "ethernet"), capacities(&shown, "ethernet"));
    // Errors are JSON as well.
    let (code, errors, _) = with("card.*.lame_rate=150 MB/s");
    assert_eq!(code, Some(2));
    assert!(errors.contains("lane_rate"), "{errors}");
}

/// Help is a result: a full disk is an error, as for any other.
#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for arguments in ["--help", "--version", "run --help", "parts list"] {
        let line = format!("\"$0\" {arguments} > /dev/full");
        let ended = bandgraph_testkit::Program::new("sh")
            .args(["-c", &line, env!("CARGO_BIN_EXE_bandgraph")])
            .run();
        assert_eq!(ended.code, Some(2), "{arguments}: {}", ended.stderr);
        assert!(ended.stderr.contains("stdout"), "{arguments}: {}", ended.stderr);
    }
}
