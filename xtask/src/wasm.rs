//! Whether the program says the same under WebAssembly as here: predictions and simulations of some
//! scenarios, byte for byte. Without the target `wasm32-wasip1` or without Node.js nothing is compared, and
//! that is no failure.

use std::process::{Command, Output};

use crate::Outcome;

const TARGET: &str = "wasm32-wasip1";
/// Runs a module with the arguments that follow it. Its folder is the one that Node.js is started in.
const RUNNER: &str = "
const { WASI } = require('node:wasi');
const [file, ...rest] = process.argv.slice(1);
const args = ['bandgraph', ...rest];
const wasi = new WASI({ version: 'preview1', args, preopens: { '.': '.' }, returnOnExit: true });
const module_ = new WebAssembly.Module(require('node:fs').readFileSync(file));
process.exitCode = wasi.start(new WebAssembly.Instance(module_, wasi.getImportObject()));
";
/// What is compared.
const RUNS: [&str; 6] = [
    "run scenarios/7410-istanbul/cached-read.toml --format json",
    "run scenarios/7410-istanbul/disk-random-8k.toml --predict --format json",
    "run scenarios/x2270/memcached-opensolaris.toml --format json",
    "run scenarios/server-2023/nvme-read.toml --format text",
    "ladder scenarios/7410-barcelona/cached-read.toml --format json",
    "check scenarios/sas-grid/3-nodes.toml",
];

/// Builds both programs and compares what they say.
pub(crate) fn wasm() -> Outcome<()> {
    let has = |program: &str, arguments: &[&str], what: &str| {
        let output = Command::new(program).args(arguments).output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(what))
    };
    let library = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()?;
    let library = String::from_utf8(library.stdout)?;
    if !std::path::Path::new(library.trim()).is_dir() {
        println!("WebAssembly: skipped, `rustup target add {TARGET}` was not done");
        return Ok(());
    }
    if !has("node", &["--version"], "v") {
        println!("WebAssembly: skipped, there is no Node.js on this machine");
        return Ok(());
    }
    build(&[])?;
    build(&["--target", TARGET])?;
    let module = format!("target/{TARGET}/debug/bandgraph.wasm");
    let mut different = Vec::new();
    for run in RUNS {
        let words: Vec<&str> = run.split(' ').collect();
        let here = Command::new("target/debug/bandgraph")
            .arg("--quiet")
            .args(&words)
            .output()?;
        let mut node = Command::new("node");
        node.args(["--no-warnings", "-e", RUNNER, &module, "--quiet"])
            .args(&words);
        let there = node.output()?;
        let same = here.stdout == there.stdout && here.status.code() == there.status.code();
        println!("{:<9} {run}", if same { "same" } else { "DIFFERENT" });
        if !same {
            different.push(run);
            print_end(&there);
        }
    }
    if different.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{} of {} runs differ under WebAssembly",
            different.len(),
            RUNS.len()
        )
        .into())
    }
}

fn build(more: &[&str]) -> Outcome<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--quiet", "--locked", "--bin", "bandgraph"])
        .args(more);
    if cargo.status()?.success() {
        Ok(())
    } else {
        Err(format!("cargo build {} failed", more.join(" ")).into())
    }
}

/// The last lines of what a program says about an error.
fn print_end(output: &Output) {
    let log = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = log.lines().collect();
    for line in &lines[lines.len().saturating_sub(5)..] {
        println!("  {line}");
    }
}
