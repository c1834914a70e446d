//! Runs the closed-loop benchmark on the engine alone and prints one JSON line per run, for comparison with
//! other engines.
//!
//! ```text
//! cargo run --release --example closed_loop -- a|b|c|d|hard|hard-400|one-shot [--same-socket] [--threads T]
//!     [--completions K]
//! ```
//!
//! `one-shot` solves the four random systems afresh instead and prints a line for each, with the median time
//! of a solve.

mod random_system;
mod workload;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use bandgraph_engine::fair::FairSolver;
use random_system::random_system;
use workload::{Case, ClosedLoop};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: closed_loop a|b|c|d|hard|hard-400|one-shot [--same-socket] [--threads T] \
                     [--completions K]";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // There is nowhere left to report a failure to write this.
            let _ = writeln!(std::io::stderr(), "{failure}");
            ExitCode::from(2)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), Failure> {
    let name = arguments.next().ok_or(USAGE)?;
    if name == "one-shot" {
        return solve_once_each();
    }
    let mut case = Case::named(&name).ok_or(USAGE)?;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--same-socket" => case.same_socket = true,
            "--threads" => case.threads = arguments.next().ok_or(USAGE)?.parse()?,
            "--completions" => case.completions = arguments.next().ok_or(USAGE)?.parse()?,
            _ => return Err(USAGE.into()),
        }
    }
    run_case(&name, case)
}

fn run_case(name: &str, case: Case) -> Result<(), Failure> {
    let mut closed_loop = ClosedLoop::new(case)?;
    let (outcome, wall_s) = timed(|| closed_loop.run());
    let outcome = outcome?;
    closed_loop.engine.audit()?;
    let exactness = closed_loop.exactness();
    writeln!(
        std::io::stdout(),
        "{{\"case\":\"{name}\",\"completions\":{},\"wall_s\":{wall_s:e},\"completions_per_s\":{:.0},\"t_k\":{:e},\
         \"bytes\":{:e},\"mean_duration\":{:e},\"peak_rss_bytes\":{},\"work_lost\":{:e},\"fullest\":{:.15}}}",
        outcome.completions,
        outcome.completions as f64 / wall_s,
        outcome.t_k,
        outcome.bytes,
        outcome.mean_duration,
        peak_rss_bytes().unwrap_or(0),
        exactness.lost,
        exactness.fullest,
    )?;
    Ok(())
}

/// Solves afresh each time, as the peers do: what is timed is the solve, not the building of the system.
fn solve_once_each() -> Result<(), Failure> {
    for (resources, classes, per_class, repeats) in [
        (20, 20, 4, 20_001),
        (100, 1_000, 4, 2_001),
        (1_000, 10_000, 6, 101),
        (10_000, 100_000, 6, 11),
    ] {
        let (capacities, system) = random_system(resources, classes, per_class);
        let mut solver = FairSolver::new();
        solver.load(&capacities, &system)?;
        let mut times = Vec::with_capacity(repeats);
        for _ in 0..repeats {
            let (solved, seconds) = timed(|| solver.solve_loaded().map(|_| ()));
            solved?;
            times.push(seconds);
        }
        times.sort_by(f64::total_cmp);
        let rates = &solver.solve_loaded()?.rates;
        writeln!(
            std::io::stdout(),
            "{{\"case\":\"one-shot\",\"resources\":{resources},\"classes\":{classes},\"per_class\":{per_class},\
             \"solve_s\":{:e},\"sum_of_rates\":{:e},\"minimum_rate\":{:e}}}",
            times[repeats / 2],
            rates.iter().sum::<f64>(),
            rates.iter().copied().fold(f64::INFINITY, f64::min),
        )?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// Largest resident set of this process so far, where the system tells it (Linux).
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reports its memory, which the kernel tells in a file"
)]
fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1_024)
}
