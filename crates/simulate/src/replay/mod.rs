//! Replay of a trace through the simulation of a server.
//!
//! The beginning of the trace says which kinds of operations there are (`kinds`), and these are bound. Then
//! every record goes its way (`replay_state`): the cache is asked for its blocks (`blocks`, `devices`) and
//! its metadata (`names`), a COMMIT for what is not on disk yet (`unstable`), and the operation is issued as
//! what comes of that. In the end the steady state is solved for all that was seen, at the rate at which it
//! came.
//!
//! Memory does not grow with the trace: only the beginning, the cache's block numbers, and the operations in
//! flight are kept.

mod blocks;
mod devices;
mod ends;
mod kinds;
mod names;
mod replay_state;
mod settings;
mod summary;
mod unstable;

use std::sync::Arc;

use bandgraph_engine::streams::{Stream, Streams};
use bandgraph_model::{BindError, Bound, Found, OPEN_HORIZON, Scenario, Supply, TraceKind, TraceProfile};
use bandgraph_solve::{Effort, Offered, RunError, SteadyState, explain};
use bandgraph_units::Time;
use bandgraph_workload::Record;
use rustc_hash::FxHashMap;

pub use settings::{ReplaySettings, TIMINGS, Timing};
pub use summary::{ReplaySummary, Replayed, SeenKind};

use crate::simulation::{Pace, ReplayedTrace, TraceLoop, Traced, rate_beside_trace, simulate_trace};
use ends::Ends;
use kinds::{Kinds, kind_of};
use replay_state::ReplayState;
use unstable::Unstable;

/// Number of records from which the kinds of operations are found.
const BEGINNING: usize = 131_072;

/// Why a trace was not replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// The scenario cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A check of the program failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A ramp, for operations whose times are known; or an end, for a trace that is replayed as fast as the
    /// server allows.
    #[error("a trace is replayed as workload `{workload}`, which has a `{field}`")]
    Schedule {
        /// The workload that the trace replaces.
        workload: String,
        /// Its field.
        field: &'static str,
    },
    /// At the replay speed, the trace is longer than the maximum of a simulation.
    #[error("the trace takes more than 213 days at {speed} times its speed, and a simulation ends there")]
    TooLong {
        /// Speed-up relative to the recording.
        speed: f64,
    },
    /// The trace has more operations than the maximum of a simulation.
    #[error(
        "the trace has about {operations:.1e} operations, and at most {:.0e} are simulated",
        Effort::MOST_OPERATIONS
    )]
    TooManyOperations {
        /// Estimated operations of the trace.
        operations: f64,
    },
    /// Other workloads would exceed the maximum number of operations during the trace.
    #[error(
        "until an operation of the trace after {after}, the other workloads would do about {operations:.1e} operations, and at \
         most {:.0e} are simulated",
        Effort::MOST_OPERATIONS
    )]
    TooMuchBeside {
        /// From the beginning of the replay to that operation.
        after: Time,
        /// Operations of the other workloads until then.
        operations: f64,
    },
    /// The trace has no record.
    #[error("the trace has no operation that can be replayed")]
    Empty,
}

impl ReplayError {
    /// The stable name of the kind of error.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Bind(error) => error.id(),
            Self::Run(error) => error.id().unwrap_or("internal::check_failed"),
            Self::Schedule { .. } => "scenario::trace_schedule",
            Self::TooLong { .. } | Self::TooManyOperations { .. } | Self::TooMuchBeside { .. } => {
                "trace::too_long"
            }
            Self::Empty => "trace::empty",
        }
    }

    /// A suggestion, if there is one.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Schedule { field, .. } => format!("leave out `{field}`"),
            Self::TooLong { .. } | Self::TooMuchBeside { .. } => {
                "a greater `--speed`, or a `stop` of the workload, makes it shorter".to_owned()
            }
            Self::TooManyOperations { .. } => {
                "a `stop` of the workload replays the beginning of the trace alone".to_owned()
            }
            Self::Empty => "`bandgraph trace stat` says what was skipped, and why".to_owned(),
            Self::Bind(_) | Self::Run(_) => return None,
        })
    }
}

/// Replays records, in order of their start, as one of the workloads of a scenario.
///
/// # Errors
///
/// [`ReplayError`].
pub fn replay(
    scenario: &Scenario,
    settings: &ReplaySettings,
    records: &mut dyn Iterator<Item = Record>,
) -> Result<Replayed, ReplayError> {
    let workload = &scenario.workloads[settings.workload];
    let schedule = workload.schedule;
    let stops = schedule.stop.is_some() && settings.timing == Timing::AsFastAsPossible;
    for (field, given) in [("ramp", schedule.ramp > Time::ZERO), ("stop", stops)] {
        if given {
            return Err(ReplayError::Schedule {
                workload: workload.id.clone(),
                field,
            });
        }
    }
    let beginning: Vec<Record> = records.take(BEGINNING).collect();
    let (Some(first), Some(last)) = (beginning.first(), beginning.last()) else {
        return Err(ReplayError::Empty);
    };
    let (first, last) = (first.start_ns, last.start_ns);
    let mut ends = Ends::default();
    let mut unstable = unstable_of(scenario, settings);
    let mut counts: FxHashMap<TraceKind, u64> = FxHashMap::default();
    for record in &beginning {
        let kind = kind_of(record, ends.goes_on(record), unstable.take(record));
        *counts.entry(kind).or_default() += 1;
    }
    let kinds = Kinds::of(&counts);
    let seconds = ((last - first) as f64 * 1e-9 / settings.speed).max(1e-6);
    let mut rates = vec![0.0; kinds.all.len()];
    for (&kind, &count) in &sorted(&counts) {
        rates[kinds.choose(kind, || 0.0).kind as usize] += count as f64 / seconds;
    }
    let profile = TraceProfile {
        workload: settings.workload,
        kinds: &kinds.all,
        rates: &rates,
    };
    let (bound, classes) = Bound::bind_trace(scenario, profile)?;
    let delays = classes.delays(&bound);
    let steady = {
        let mut begun = bound.clone();
        let threads = Arc::make_mut(&mut begun.threads);
        let total: f64 = rates.iter().sum();
        let guess = total / classes.ways.len() as f64;
        for (number, way) in classes.ways.iter().enumerate() {
            let of_kind = |(kind, rate): (usize, &f64)| {
                let shares = classes.of(kind, Found::IN_DRAM, number).iter();
                let rate = *rate;
                shares.map(move |&(class, share)| (class, share * rate / total))
            };
            let visits = rates.iter().enumerate().filter(|&(_, &rate)| rate > 0.0);
            let group = &mut threads[way.group];
            group.visits = visits.flat_map(of_kind).collect();
            group.delay = group
                .visits
                .iter()
                .map(|&(class, share)| share * delays[class])
                .sum();
            group.population = guess * OPEN_HORIZON;
            group.think = OPEN_HORIZON;
            group.supply = Supply::Trace { rate: Some(guess) };
        }
        SteadyState::solve(&begun)?
    };

    let mut replay = ReplayState::new(scenario, settings, &bound, &classes, &kinds);
    let mut all = beginning.into_iter().chain(records);
    let mut assign = |record: &Record, draws: &mut Stream| replay.assign(record, draws);
    let draws = Streams::new(scenario.run.seed).stream("trace");
    let pace = match settings.timing {
        Timing::AsRecorded => Pace::Recorded(settings.speed),
        Timing::AsFastAsPossible => Pace::Fast(workload.threads_per_client),
    };
    let trace = TraceLoop::new(&mut all, &mut assign, draws, pace, delays);
    let trace = trace.scheduled(schedule.start.get(), schedule.stop.map(Time::get));
    let ReplayedTrace {
        whole: mut simulated,
        offered: part,
        traced,
    } = simulate_trace(&bound, &steady, trace)?;
    if traced.past_clock {
        return Err(ReplayError::TooLong {
            speed: settings.speed,
        });
    }
    if let Some(start) = traced.too_late {
        let after = Time::new(start.as_seconds());
        return Err(ReplayError::TooMuchBeside {
            after,
            operations: after.get() * rate_beside_trace(&bound, &steady),
        });
    }
    if let Some(operation) = replay.needs_disks {
        return Err(ReplayError::Bind(BindError::NeedsDisks {
            workload: workload.id.clone(),
            operation: operation.name().to_owned(),
        }));
    }
    let replayed = simulated.seconds();
    let completed = part
        .as_ref()
        .map(|part| part.completed(&bound, settings.workload));
    let offered = offered(settings, &traced, completed);
    if let Some(part) = part.filter(|_| offered.is_some_and(|offered| offered.saturated)) {
        // What is done after the last operation came says nothing of a server under load.
        simulated.only(part);
    }
    let cache = replay.cache_uses();
    let out = simulated.outcome(&bound).workloads[settings.workload].outstanding;
    let seen = replay.with_all_that_was_seen(&traced, out, cache);
    let mut outcome = simulated.outcome(&seen);
    let steady = SteadyState::solve(&seen)?;
    let prediction = steady.prediction(&seen)?;
    if let Some(workload) = outcome.workloads.get_mut(settings.workload) {
        workload.offered = offered;
    }
    Ok(Replayed {
        explained: explain(&seen, &steady, &outcome)?,
        prediction,
        summary: ReplaySummary {
            operations: traced.operations,
            recorded_span: Time::new(traced.span_ns as f64 * 1e-9),
            replayed_span: Time::new(replayed),
            payload: replay.payload,
            recorded_latency: replay.recorded_latency(),
            of_other_sizes: replay.of_other_sizes,
            clients: replay.clients(),
            past_nics: replay.past_nics,
            held: traced.held,
            cache: cache.data,
            metadata: cache.metadata,
            kinds: replay.kinds_seen(),
            timing: settings.timing,
            speed: settings.speed,
        },
        outcome,
    })
}

/// The offered load, and whether the server kept up.
fn offered(settings: &ReplaySettings, traced: &Traced, completed: Option<f64>) -> Option<Offered> {
    let seconds = traced.span_ns as f64 * 1e-9 / settings.speed;
    let came = traced.operations as f64;
    let out = came - completed? * seconds;
    (settings.timing == Timing::AsRecorded && seconds > 0.0)
        .then(|| Offered::measured(came, seconds, [0.0, out.max(0.0)]))
}

/// Counts in the order of their kinds.
fn sorted(counts: &FxHashMap<TraceKind, u64>) -> std::collections::BTreeMap<TraceKind, u64> {
    counts.iter().map(|(kind, count)| (*kind, *count)).collect()
}

/// Unstable data of a replay's workload, none so far.
fn unstable_of(scenario: &Scenario, settings: &ReplaySettings) -> Unstable {
    let group = scenario.stack.storage.group_seconds * settings.speed;
    Unstable::new(group, scenario.workloads[settings.workload].synchronous)
}
