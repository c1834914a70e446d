//! Answers one question of a scenario many times, for whoever wants to know what one answer costs: run under
//! a profiler or a counter of instructions, once with few times and once with many, the difference is the
//! answers' alone.
//!
//! ```text
//! cargo run --release --example many_times -- bind|predict|explain|draw|place|sweep FILE TIMES
//! ```
//!
//! `draw` predicts that many draws of uncertain figures, `place` the placements of a scenario one
//! after the other, `sweep` answers the first points of a sweep file. They use one thread alone.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use std::{io::Write as _, process::ExitCode};

use bandgraph_diagnostics::{Sources, render};
use bandgraph_scenario::{Loaded, load_sweep};
use bandgraph_solve::{RunError, SteadyState, bind, bind_merged, explain, predict};
use bandgraph_study::{
    Design, PlaceOptions, PointError, Question, Record, SaturationBounds, Shard, WeightedQuestion, run_sweep,
    uncertainty,
};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: many_times bind|predict|explain|draw|place|sweep FILE TIMES";

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
    let what = arguments.next().ok_or(USAGE)?;
    let file = PathBuf::from(arguments.next().ok_or(USAGE)?);
    let times: u64 = arguments.next().ok_or(USAGE)?.parse()?;
    let (answer, seconds) = match what.as_str() {
        "bind" | "predict" | "explain" => answers(&what, &load(&file)?, times)?,
        "draw" => draws(&load(&file)?, times)?,
        "place" => placements(&file, times)?,
        "sweep" => points(&file, times)?,
        _ => return Err(USAGE.into()),
    };
    writeln!(
        std::io::stdout(),
        "{{\"what\":\"{what}\",\"times\":{times},\"answer\":{answer:e},\"s_each\":{:e}}}",
        seconds / times as f64,
    )?;
    Ok(())
}

/// Operations per second, or how many classes were bound.
fn answers(what: &str, loaded: &Loaded, times: u64) -> Result<(f64, f64), Failure> {
    // One of several identical clients represents all of them in predictions, but not in simulations.
    let bound = bind_merged(&loaded.scenario)?;
    let steady = SteadyState::solve(&bound)?;
    let outcome = steady.prediction(&bound)?;
    let (answer, seconds) = timed(|| -> Result<f64, Failure> {
        let mut answer = 0.0;
        for _ in 0..times {
            answer = match what {
                "bind" => bind(&loaded.scenario)?.classes().len() as f64,
                "predict" => predict(&bound)?.throughput.operations.get(),
                _ => explain(&bound, &steady, &outcome)?.bottleneck.utilisation,
            };
        }
        Ok(answer)
    });
    Ok((answer?, seconds))
}

/// The lower end of the interval of operations per second.
fn draws(loaded: &Loaded, times: u64) -> Result<(f64, f64), Failure> {
    let draws = u32::try_from(times)?;
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (found, seconds) = timed(|| one_thread.install(|| uncertainty(&loaded.scenario, draws)));
    Ok((found?.operations.low, seconds))
}

/// The greatest score of so many placements.
fn placements(file: &Path, times: u64) -> Result<(f64, f64), Failure> {
    let loaded = load(file)?;
    let question = WeightedQuestion {
        question: Question::new(loaded.name.clone(), Vec::new(), loaded),
        weight: 1.0,
    };
    let most = usize::try_from(times)?;
    let bounds = SaturationBounds::new(&[question], &PlaceOptions::default(), most)?;
    if bounds.count() < most {
        return Err(format!("there are only {} placements", bounds.count()).into());
    }
    let (greatest, seconds) = timed(|| bounds.greatest_prediction(most));
    Ok((greatest?, seconds))
}

/// How many of the first points of a sweep have figures.
fn points(file: &Path, times: u64) -> Result<(f64, f64), Failure> {
    let mut sources = Sources::new();
    let sweep = load_sweep(file, &[], &mut sources).map_err(|found| render::full(&found, &sources, false))?;
    let design = Design::new(&sweep);
    let answered = AtomicU64::new(0);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (result, seconds) = timed(|| {
        let keep = |record: Record| -> Result<(), RunError> {
            let failed = |error: PointError| RunError::Inconsistent { what: error.message };
            record.result.map_err(failed)?;
            answered.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let beyond = |number| number >= times;
        one_thread.install(|| run_sweep(&design, &sources, Shard::WHOLE, &beyond, &keep, &|_| {}))
    });
    result?;
    Ok((answered.into_inner() as f64, seconds))
}

fn load(file: &Path) -> Result<Loaded, Failure> {
    let mut sources = Sources::new();
    bandgraph_scenario::load(file, &[], &mut sources)
        .map_err(|found| render::full(&found, &sources, false).into())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}
