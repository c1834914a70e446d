//! `cargo xtask TASK [--check]`: makes the files of the project that are generated, or tests that they are
//! current.
//!
//! A task returns the [`Made`] files; writing and comparing them is the same for all tasks. `bench` is the
//! exception: its counts are compared with a tolerance.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool of the project: it writes its files and prints how that went"
)]

mod bench;
mod browser;
mod fuzz;
mod pages;
mod pictures;
mod program;
mod sbom;
mod seeded;
mod validation;
mod wasm;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask TASK [--check]

Tasks:
  pages       docs/files.md, errors.md, parts.md and glossary.md, from tables and the catalogue
  schemas     docs/schema/*.json, from the types that are read and written
  pictures    docs/pictures/*.svg of docs/plots.md
  validation  docs/validation.md and its pictures
  bench       benches/instructions.csv: instruction counts, by valgrind
  sbom        target/bandgraph.cdx.json: the packages of a release, as CycloneDX
  fuzz        damaged and random inputs for every reader and the model; --runs N, --target NAME, --seed N
  seeded      docs/seeded-bugs.md: which bugs, put into a copy of the sources, are found; --only N,N prints
  wasm        compares results with those of the program under WebAssembly
  browser     tests the HTML pages of results in a headless Chromium; pictures of them go to target/browser

Without --check a task writes its files. With --check it writes nothing, and fails if they are not current
(validation: also if a point is outside its tolerance; bench: only if a count is more than 5 % above its
baseline).";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A generated file: its path from the root of the project, and its content.
struct Made {
    path: String,
    content: Vec<u8>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (task, check) = match arguments[..] {
        ["fuzz", ..] => ("fuzz", false),
        ["seeded", "--only", _] => ("seeded", false),
        [task] => (task, false),
        [task, "--check"] | ["--check", task] => (task, true),
        _ => ("", false),
    };
    // Every path is from the root, in commands as in the files that they read.
    let done = std::env::set_current_dir(root()).map_err(Into::into);
    let done = done.and_then(|()| match task {
        "pages" => settle(task, check, &pages::pages()),
        "schemas" => settle(task, check, &pages::schemas()?),
        "pictures" => settle(task, check, &pictures::pictures()?),
        "validation" => settle(task, check, &validation::page(check)?),
        "bench" => bench::bench(check),
        "sbom" => {
            let path = "target/bandgraph.cdx.json".to_owned();
            let content = sbom::sbom()?.into_bytes();
            settle(task, check, &[Made { path, content }])
        }
        "fuzz" => fuzz::fuzz(&arguments[1..]),
        "seeded" => settle(task, check, &seeded::page(arguments.get(2).copied())?),
        "wasm" => wasm::wasm(),
        "browser" => browser::browser(),
        _ => Err(USAGE.into()),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Writes the files of `task`; for a check compares them with those of the project instead.
fn settle(task: &str, check: bool, files: &[Made]) -> Outcome<()> {
    let mut stale = 0;
    for Made { path, content } in files {
        let present = std::fs::read(path).unwrap_or_default();
        if present == *content {
            continue;
        }
        stale += 1;
        if check {
            eprintln!("{path} is not current\n{}", difference(&present, content));
        } else {
            std::fs::write(path, content).map_err(|error| format!("failed to write {path}: {error}"))?;
            println!("{path}: written");
        }
    }
    if check && stale > 0 {
        return Err(format!("run `cargo xtask {task}`").into());
    }
    println!(
        "{task}: {} of {} files were current",
        files.len() - stale,
        files.len()
    );
    Ok(())
}

/// The first lines in which two texts differ.
fn difference(present: &[u8], made: &[u8]) -> String {
    let (present, made) = (String::from_utf8_lossy(present), String::from_utf8_lossy(made));
    let mut pairs = present.lines().zip(made.lines()).enumerate();
    match pairs.find(|(_, (present, made))| present != made) {
        Some((index, (present, made))) => format!("  line {}\n  - {present}\n  + {made}", index + 1),
        None => "  one of the two is longer".to_owned(),
    }
}
