//! Problems of whole files and of their includes.

use std::path::PathBuf;

use bandgraph_config::{Files, ReadError};
use bandgraph_diagnostics::render;

use super::*;

#[test]
fn problems_of_whole_files() {
    let cases: &[(&[u8], &str, &str)] = &[
        (b"", "file::empty", ""),
        (b"\n # nothing\n", "file::empty", "# nothing"),
        (b"schema = 1\n", "file::neither", "schema = 1"),
        (b"colour = \"red\"\n", "file::neither", "colour = \"red\""),
        (
            b"[run]\nseed = 1\n\n[[workload]]\nid = \"w\"\n",
            "file::fragment",
            "[run]",
        ),
        (
            b"[stack]\nthreads = 8\n\n[[measured]]\n",
            "file::figures",
            "[stack]",
        ),
        (b"schema = \n", "file::syntax", ""),
        (b"\n{\n  \"schema\": 1\n}\n", "file::json", "{"),
        (b"name = \"a\xff\"", "file::not_utf8", "\u{fffd}"),
    ];
    for (bytes, id, under) in cases {
        let files = MemoryFiles::new().with("x.toml", *bytes);
        assert_problems(&problems(&files, "x.toml"), &[(id, under)], id);
    }
    // Not the errors of TOML that a job file of fio has.
    let job = MemoryFiles::new().with("jobs.fio", "[global]\nioengine=psync\n[read]\nrw=read\n");
    let found = problems(&job, "jobs.fio");
    assert_problems(&found, &[("file::neither", "")], "jobs.fio");
    assert!(found[0].0.help[0].contains("`job_file`"), "{found:?}");
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(SCENARIO.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let found = problems(&MemoryFiles::new().with("x.toml", wide), "x.toml");
    assert_eq!(found[0].0.id, "file::not_utf8");
    assert!(found[0].0.help[0].contains("UTF-16"), "{:?}", found[0].0.help);
    let files = MemoryFiles::new().with("folder/server.toml", TOPOLOGY);
    let found = problems(&files, "folder");
    assert_problems(&found, &[("file::folder", "")], "a folder");
    assert_eq!(found[0].0.help, ["in it there is `server.toml`"]);
    let found = problems(&files, "folder/sever.toml");
    assert_problems(&found, &[("file::missing", "")], "a missing file");
    assert_eq!(found[0].0.help, ["did you mean `folder/server.toml`?"]);
    let found = problems(&files, "folder/disks.toml");
    assert_eq!(found[0].0.help, ["in its folder there is `server.toml`"]);
    let found = problems(&files, "nowhere/disks.toml");
    assert_eq!(found[0].0.help, ["there is nothing in the folder `nowhere`"]);
    let files = MemoryFiles::new().with("x.toml", vec![b'#'; bandgraph_scenario::MAXIMUM_FILE_SIZE + 1]);
    assert_problems(
        &problems(&files, "x.toml"),
        &[("file::too_large", "")],
        "a large file",
    );
}

/// What a file lacks may be in one that could not be read: the latter alone is reported.
#[test]
fn a_missing_include_is_not_also_missing_fields() {
    let text = "schema = 1\nname = \"x\"\ninclude = [\"clients.toml\"]\ntopology = \"server.toml\"\n";
    let found = problems(&scenario_files(text), "reads.toml");
    assert_problems(&found, &[("file::missing", "\"clients.toml\"")], "an include");
}

/// An untrusted file can neither show lines of files elsewhere nor reveal their existence.
#[test]
fn files_outside_are_not_read() {
    let include = |path: &str| {
        let text = format!("include = [\"{path}\"]\n{SCENARIO}");
        let files = scenario_files(SCENARIO)
            .with("work/reads.toml", text.as_str())
            .with("../secret", "password = hunter2")
            .with("/etc/secret", "password = hunter2");
        problems(&files, "work/reads.toml")
    };
    for path in [
        "../../secret",
        "/etc/secret",
        "x/../../../secret",
        "../../no-such-file",
    ] {
        let found = include(path);
        assert!(
            found.iter().any(|(problem, _)| problem.id == "file::outside"),
            "{path}"
        );
        assert!(!format!("{found:?}").contains("hunter2"), "{path}");
    }
    // Next to the folder of the file, and below the current folder.
    let found = include("../base.toml");
    assert!(found.iter().any(|(problem, _)| problem.id == "file::missing"));
}

/// Files in memory that may include any other.
struct Trusted(MemoryFiles);

impl Files for Trusted {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        self.0.read(path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        self.0.names(folder)
    }

    fn identity(&self, path: &Path) -> PathBuf {
        self.0.identity(path)
    }

    fn allows_outside(&self) -> bool {
        true
    }
}

/// If such includes are permitted, an error states its place, without the line.
#[test]
fn lines_of_files_outside_are_not_shown() {
    for secret in ["hunter2 is no TOML", "password = \"hunter2\"\n"] {
        let text = format!("include = [\"/etc/secret\"]\n{SCENARIO}");
        let files = scenario_files(SCENARIO)
            .with("work/reads.toml", text.as_str())
            .with("/etc/secret", secret);
        let mut sources = Sources::new();
        let found = load_with(&Trusted(files), Path::new("work/reads.toml"), &[], &mut sources);
        let shown = render::full(&found.err().unwrap_or_default(), &sources, false);
        assert!(shown.contains("/etc/secret:"), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

/// An empty file has the same error when it is loaded as a scenario and when it is checked.
#[test]
fn an_empty_file_is_an_empty_file() {
    let files = MemoryFiles::new().with("x.toml", "\n");
    let mut sources = Sources::new();
    let found = load_with(&files, Path::new("x.toml"), &[], &mut sources);
    assert_problems(
        &under_carets(found.err().unwrap_or_default(), &sources),
        &[("file::empty", "")],
        "an empty scenario",
    );
}

#[test]
fn a_file_of_the_other_kind_is_told_apart() {
    let files = scenario_files(SCENARIO);
    let mut sources = Sources::new();
    let found = load_with(&files, Path::new("server.toml"), &[], &mut sources);
    let found = under_carets(found.err().unwrap_or_default(), &sources);
    assert_problems(
        &found,
        &[("file::topology_for_scenario", "schema = 1")],
        "a topology",
    );
    let mut sources = Sources::new();
    let found = load_topology_with(&files, Path::new("reads.toml"), &[], &mut sources);
    let found = under_carets(found.err().unwrap_or_default(), &sources);
    assert_problems(
        &found,
        &[("file::scenario_for_topology", "schema = 1")],
        "a scenario",
    );
}

#[test]
fn includes_that_go_wrong() {
    let files = MemoryFiles::new()
        .with("a.toml", "include = [\"sub/b.toml\"]\n")
        .with("sub/b.toml", "include = [\"../c.toml\"]\n")
        .with(
            "c.toml",
            "include = [\"./sub/../a.toml\"]\n[[socket]]\nid = \"x\"\n",
        );
    let found = problems(&files, "a.toml");
    let cycle = found
        .iter()
        .find(|(diagnostic, _)| diagnostic.id == "file::include_cycle");
    let (cycle, under) = cycle.expect("the cycle is found");
    assert_eq!(under, "\"./sub/../a.toml\"");
    assert_eq!(
        cycle.message,
        "files include each other in a circle: a.toml → sub/b.toml → c.toml → a.toml"
    );

    let files = MemoryFiles::new().with("a.toml", "include = [\"a.toml\"]\n");
    let found = problems(&files, "a.toml");
    assert_eq!(
        found[0].0.message,
        "files include each other in a circle: a.toml → a.toml"
    );

    let files = MemoryFiles::new().with("a.toml", format!("include = \"b.toml\"\n{TOPOLOGY}"));
    assert_problems(
        &problems(&files, "a.toml"),
        &[("value::wrong_type", "\"b.toml\"")],
        "not a list",
    );

    // The version of an included file is checked, even if the including file has another.
    let old = edited(TOPOLOGY, "schema = 1", "schema = 0");
    let files = MemoryFiles::new()
        .with("a.toml", "schema = 1\ninclude = [\"b.toml\"]\n")
        .with("b.toml", old);
    assert_problems(
        &problems(&files, "a.toml"),
        &[("file::schema_version", "0")],
        "another version below",
    );

    let deep = (0..40).fold(MemoryFiles::new(), |files, number| {
        files.with(
            format!("{number}.toml"),
            format!("include = [\"{}.toml\"]\n", number + 1),
        )
    });
    let found = problems(&deep, "0.toml");
    assert!(
        found
            .iter()
            .any(|(diagnostic, _)| diagnostic.id == "file::too_many_includes"),
        "{found:?}"
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    let text = edited(TOPOLOGY, "size = \"32 GiB\"", "size = 32");
    let text = edited(&text, "part = \"io55\"", "part = \"io56\"");
    let text = edited(&text, "slot = \"s1\"", "slot = \"s2\"");
    let text = edited(&text, "hba = \"hba0\"", "hba = \"hbaO\"");
    let found = problems(&topology_files(&text), "server.toml");
    assert_problems(
        &found,
        &[
            ("value::bare_number", "32"),
            ("reference::unknown_part", "\"io56\""),
            ("topology::card_too_wide", "\"s2\""),
            ("topology::slot_taken", "\"s2\""),
            ("topology::unknown_card", "\"hbaO\""),
        ],
        "five mistakes",
    );
    assert_eq!(
        found[0].0.help,
        ["write \"32 GiB\" (2^30 bytes), \"32 GB\" (10^9 bytes) or \"32 KiB\" (2^10 bytes)"]
    );
    assert_eq!(found[1].0.help[0], "did you mean `io55`?");
    assert_eq!(found[4].0.help, ["did you mean `hba0`?"]);
}
