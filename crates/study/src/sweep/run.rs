//! Answers the points of a sweep in parallel.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_model::{Binder, Scenario};
use bandgraph_scenario::{AxisValue, SweepFile, SweepMode, Workbench};
use bandgraph_simulate::{effort_of, simulate};
use bandgraph_solve::{Limits, Outcome, RunError, SteadyState, bind_with, limits_of};

use super::{Design, Figures, Point, PointCertainty, PointError, Record, Shard};
use crate::CommonDraws;

/// The number of candidates that a thread takes at a time: enough to make the cost negligible, few enough
/// that threads finish together.
const BATCH: u64 = 16;

/// The progress of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepProgress {
    /// Candidates processed, including those that filters, shards and earlier runs exclude.
    pub passed: u64,
    /// All candidates.
    pub candidates: u64,
}

/// Answers the points of a shard that are not `known` yet, on all threads of the pool. `keep` receives every
/// record as soon as it is complete, from any thread and in any order; the records do not depend on threads.
///
/// A point that cannot be answered, even because of a panic, is a record with an error.
///
/// # Errors
///
/// The first error of `keep`, after which no more points start; [`RunError::Inconsistent`] if the size of the
/// shard is wrong.
pub fn run_sweep<E: Send + From<RunError>>(
    design: &Design<'_>,
    sources: &Sources,
    shard: Shard,
    known: &(dyn Fn(u64) -> bool + Sync),
    keep: &(dyn Fn(Record) -> Result<(), E> + Sync),
    progress: &(dyn Fn(SweepProgress) + Sync),
) -> Result<(), E> {
    let candidates = design.candidates();
    let members = shard.members(candidates);
    let next = AtomicU64::new(0);
    let passed = AtomicU64::new(0);
    let dealt = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let failure = Mutex::new(None);
    // A simulation takes long, so that threads take one at a time.
    let batch = if design.sweep().mode == SweepMode::Simulate {
        1
    } else {
        BATCH
    };
    let work = || {
        let mut worker = Worker::new(design.sweep().mode);
        while !stop.load(Ordering::Relaxed) {
            let first = next.fetch_add(batch, Ordering::Relaxed);
            if first >= candidates {
                return;
            }
            let last = (first + batch).min(candidates);
            for number in first..last {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                if !members(number) {
                    continue;
                }
                dealt.fetch_add(1, Ordering::Relaxed);
                if known(number) {
                    continue;
                }
                let Some(point) = design.point(number) else {
                    continue;
                };
                if let Err(error) = keep(record(design, sources, &point, &mut worker)) {
                    stop.store(true, Ordering::Relaxed);
                    let mut failure = failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    failure.get_or_insert(error);
                    return;
                }
            }
            let passed = passed.fetch_add(last - first, Ordering::Relaxed) + (last - first);
            progress(SweepProgress { passed, candidates });
        }
    };
    rayon::scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| work());
        }
        work();
    });
    match failure
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
    {
        Some(error) => Err(error),
        None => is_equal_part(shard, candidates, dealt.into_inner()).map_err(E::from),
    }
}

fn is_equal_part(shard: Shard, candidates: u64, dealt: u64) -> Result<(), RunError> {
    let size = shard.size(candidates);
    if dealt == size {
        return Ok(());
    }
    Err(RunError::Inconsistent {
        what: format!("shard {shard} of {candidates} points has {dealt}, and an equal part {size}"),
    })
}

/// The number of points in the estimate of operations.
const ESTIMATED: u64 = 64;

/// A rough number of operations that the simulations of a shard will have, from the steady states of sample
/// points. 0 for a sweep of predictions, and for points that cannot be answered.
pub fn estimated_operations(design: &Design<'_>, sources: &Sources, shard: Shard) -> f64 {
    let sweep = design.sweep();
    if sweep.mode != SweepMode::Simulate {
        return 0.0;
    }
    let (mut bench, mut binder) = (Workbench::default(), Binder::merging());
    let mut operations = |number| -> Option<f64> {
        let prepared = sweep.prepare(&design.point(number)?.values, sources, &mut bench);
        let scenario = prepared.scenario.ok()?;
        let bound = bind_with(&scenario, &mut binder).ok();
        bench.take_back(scenario);
        let bound = bound?;
        let steady = SteadyState::solve(&bound).ok()?;
        Some(effort_of(&bound, &steady).ok()?.operations)
    };
    let candidates = design.candidates();
    let samples = candidates.min(ESTIMATED);
    // Sample points: the middle of each of `samples` equal ranges of numbers.
    let numbers = (0..samples).map(|sample| (2 * sample + 1) * candidates / (2 * samples));
    let sum: f64 = numbers.filter_map(&mut operations).sum();
    sum / samples.max(1) as f64 * shard.size(candidates) as f64
}

/// The hash of a point's input, without answering it.
pub fn prepare_hash(design: &Design<'_>, sources: &Sources, point: &Point, bench: &mut Workbench) -> String {
    design.sweep().input_hash(&point.values, sources, bench)
}

/// The state of a thread between points.
struct Worker {
    bench: Workbench,
    binder: Binder,
    /// The draws of the last point's reference, with the texts of its values: neighbouring points often share
    /// it.
    reference: Option<(Vec<String>, Option<CommonDraws>)>,
}

impl Worker {
    fn new(mode: SweepMode) -> Self {
        Self {
            bench: Workbench::default(),
            binder: match mode {
                SweepMode::Predict => Binder::merging(),
                SweepMode::Simulate => Binder::new(),
            },
            reference: None,
        }
    }

    /// Predicts the reference of a point.
    fn prepare_reference(&mut self, sweep: &SweepFile, sources: &Sources, values: &[AxisValue]) {
        let (Some(draws), Some(values)) = (sweep.draws, sweep.reference_of(values)) else {
            return;
        };
        let texts: Vec<String> = values.iter().map(|value| value.text.clone()).collect();
        if self.reference.as_ref().is_some_and(|(known, _)| *known == texts) {
            return;
        }
        let prepared = sweep.prepare(&values, sources, &mut self.bench);
        let found = prepared.scenario.ok().and_then(|scenario| {
            let found = CommonDraws::of(&scenario, draws);
            self.bench.take_back(scenario);
            found
        });
        self.reference = Some((texts, found));
    }

    /// The figures of a scenario, with their certainty if the sweep has draws.
    fn figures(&mut self, sweep: &SweepFile, scenario: &Scenario) -> Result<Figures, PointError> {
        let mut found = figures(scenario, sweep.mode, sweep.explain, &mut self.binder)?;
        let reference = self.reference.as_ref().and_then(|(_, draws)| draws.as_ref());
        let draws = sweep
            .draws
            .and_then(|draws| CommonDraws::beside(reference, scenario, draws));
        found.certainty = draws.map(|draws| PointCertainty::new(sweep, &found, &draws, reference));
        Ok(found)
    }
}

/// The result of `answer`; an error if it panics.
fn caught<T>(answer: impl FnOnce() -> Result<T, PointError>) -> Result<T, PointError> {
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| {
        Err(PointError::internal(
            "the program came to a state that should be impossible",
        ))
    })
}

fn record(design: &Design<'_>, sources: &Sources, point: &Point, worker: &mut Worker) -> Record {
    let sweep = design.sweep();
    let referred = caught(|| {
        worker.prepare_reference(sweep, sources, &point.values);
        Ok(())
    });
    let prepared = sweep.prepare(&point.values, sources, &mut worker.bench);
    let result = match prepared.scenario {
        Ok(scenario) => {
            let result = referred.and_then(|()| caught(|| worker.figures(sweep, &scenario)));
            worker.bench.take_back(scenario);
            result
        }
        Err(diagnostics) => Err(first_error(&diagnostics)),
    };
    Record {
        number: point.number,
        input_hash: prepared.input_hash,
        result,
    }
}

fn first_error(diagnostics: &[Diagnostic]) -> PointError {
    let error = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    match error {
        Some(error) => PointError {
            id: error.id.to_owned(),
            message: error.message.clone(),
        },
        None => PointError::internal("a point was refused without an error"),
    }
}

fn figures(
    scenario: &Scenario,
    mode: SweepMode,
    explained: bool,
    binder: &mut Binder,
) -> Result<Figures, PointError> {
    let bound = bind_with(scenario, binder).map_err(|error| PointError {
        id: error.id().to_owned(),
        message: error.to_string(),
    })?;
    let answer = || -> Result<(Outcome, Option<Limits>), RunError> {
        let steady = SteadyState::solve(&bound)?;
        let outcome = match mode {
            SweepMode::Predict => steady.prediction(&bound)?,
            SweepMode::Simulate => simulate(&bound, &steady)?,
        };
        let limits = explained
            .then(|| limits_of(&bound, &steady, &outcome))
            .transpose()?;
        Ok((outcome, limits))
    };
    let (outcome, limits) = answer().map_err(|error| match error.id() {
        Some(id) => PointError {
            id: id.to_owned(),
            message: error.to_string(),
        },
        None => PointError::internal(error.to_string()),
    })?;
    Figures::new(&outcome, limits.as_ref())
}
