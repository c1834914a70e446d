//! Instruction counts of fixed runs, of the engine alone and of the whole program, against
//! `benches/instructions.csv`. Unlike times, counts are the same from run to run and under any load.
//!
//! The rows of that file say what is run: the program (`bandgraph` or an example) with its arguments. Counts
//! depend on the compiler: if the file names another one, differences are printed and nothing fails. Without
//! valgrind nothing is counted, and that is no failure either.

use std::process::{Command, Output};

use rayon::prelude::*;

use crate::Outcome;

const BASELINES: &str = "benches/instructions.csv";
const HEADER: &str = "workload,instructions";
/// How much a count may rise above its baseline, in per cent.
const TOLERANCE: f64 = 5.0;

/// Counts and writes the baselines anew; for a check compares the counts with them instead.
pub(crate) fn bench(check: bool) -> Outcome<()> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("instruction counts: skipped, there is no valgrind on this machine");
        return Ok(());
    }
    let file = std::fs::read_to_string(BASELINES)?;
    let (compiler, rows) = baselines(&file)?;
    build()?;
    println!(
        "{:<72} {:>14} {:>14} {:>8}",
        "workload", "baseline", "now", "change"
    );
    let mut renewed = vec![format!("# {}", this_compiler()?), HEADER.to_owned()];
    let mut exceeded = 0;
    let counts: Result<Vec<u64>, String> = rows
        .par_iter()
        .map(|(workload, _)| count(workload).map_err(|error| error.to_string()))
        .collect();
    for ((workload, baseline), now) in rows.into_iter().zip(counts?) {
        let change = (now as f64 / baseline as f64 - 1.0) * 100.0;
        println!("{workload:<72.72} {baseline:>14} {now:>14} {change:>+7.2}%");
        exceeded += usize::from(change > TOLERANCE);
        renewed.push(format!("{workload},{now}"));
    }
    if !check {
        std::fs::write(BASELINES, renewed.join("\n") + "\n")?;
    } else if compiler != this_compiler()? {
        println!(
            "instruction counts: the baselines are of {compiler}, this is {}: not held against it",
            this_compiler()?
        );
    } else if exceeded > 0 {
        return Err(format!(
            "{exceeded} counts are more than {TOLERANCE} % above their baselines. \
             If that is intended: `cargo xtask bench`, and state the reason."
        )
        .into());
    }
    Ok(())
}

/// The compiler that the baselines are of, and each workload with its count.
fn baselines(file: &str) -> Outcome<(&str, Vec<(&str, u64)>)> {
    let malformed = || format!("{BASELINES}: first `# COMPILER`, then `{HEADER}`, then the rows");
    let (first, rest) = file.split_once('\n').ok_or_else(malformed)?;
    let compiler = first.strip_prefix("# ").ok_or_else(malformed)?;
    let (header, rest) = rest.split_once('\n').ok_or_else(malformed)?;
    let rows: Option<Vec<_>> = rest.lines().map(row).collect();
    match rows {
        Some(rows) if header == HEADER && !rows.is_empty() => Ok((compiler, rows)),
        _ => Err(malformed().into()),
    }
}

fn row(line: &str) -> Option<(&str, u64)> {
    let (workload, count) = line.rsplit_once(',')?;
    Some((workload, count.parse().ok()?))
}

/// The compiler and the kind of processor, which counts depend on.
fn this_compiler() -> Outcome<String> {
    let version = finished(Command::new("rustc").arg("--version"))?.stdout;
    Ok(format!(
        "{}, {}",
        String::from_utf8(version)?.trim(),
        std::env::consts::ARCH
    ))
}

fn build() -> Outcome<()> {
    let what = "build --release --quiet --locked --package bandgraph --package counted --bins";
    finished(Command::new(env!("CARGO")).args(what.split(' '))).map(|_| ())
}

/// The instructions of one workload, on one thread, so that waiting for others is not counted.
fn count(workload: &str) -> Outcome<u64> {
    let mut words = workload.split(' ');
    let program = words.next().unwrap_or_default();
    let mut valgrind = Command::new("valgrind");
    valgrind
        .env("RAYON_NUM_THREADS", "1")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("target/release/{program}"))
        .args(words);
    let output = valgrind.output()?;
    let log = String::from_utf8(output.stderr)?;
    // Other values than a scenario expects end with 1, and count as well.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("`{workload}`: {}\n{log}", output.status).into());
    }
    let line = log.lines().find(|line| line.contains("refs:"));
    let count = line.and_then(|line| line.rsplit("refs:").next()?.trim().replace(',', "").parse().ok());
    count.ok_or_else(|| format!("valgrind counted nothing for `{workload}`:\n{log}").into())
}

/// The output of a command that succeeded.
fn finished(command: &mut Command) -> Outcome<Output> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    let log = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}\n{log}", output.status).into())
}
