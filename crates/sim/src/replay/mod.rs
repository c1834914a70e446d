//! Replays a trace through the whole simulation of a server.
//!
//! The beginning of the trace says which kinds of operations there are (`kinds`), and these are bound. Then every record goes
//! its way: the cache is asked for its blocks (`blocks`) and its metadata (`names`), a COMMIT for what is not on disk yet
//! (`unstable`), and the operation is issued as what comes of that. In the
//! end the steady state is solved for all that was seen, at the rate at which it came.
//!
//! Memory does not grow with the trace: what is kept is the beginning, the cache's block numbers, and what is out.

mod blocks;
mod kinds;
mod names;
mod unstable;

use bandgraph_engine::streams::{Stream, Streams};
use bandgraph_units::{Bytes, Fraction, Time};
use bandgraph_workload::OperationKind;
use bandgraph_workload::trace::Record;
use hdrhistogram::Histogram;
use rustc_hash::FxHashMap;

use crate::bind::{Bound, Missing, TraceClasses, TraceKind};
use crate::demand::{OPEN_HORIZON, Supply};
use crate::explain::{Explained, explain};
use crate::outcome::{Latency, Offered, Outcome, Percentiles};
use crate::predict::{SteadyState, predict};
use crate::simulate::{Pace, ReplayedTrace, TraceLoop, Traced, simulate_trace};
use crate::storage::{CacheShares, CacheUse, HitRateMethod};
use crate::{BindError, RunError, Scenario};
use blocks::Blocks;
use kinds::{Kinds, kind_of};
use names::Names;
use unstable::Unstable;

/// Records from which the kinds of operations are found.
const BEGINNING: usize = 131_072;
/// Files of which it is remembered where they were last read or written.
const MOST_FILES: usize = 65_536;
/// Records where nothing is known of pools.
const RECORD: f64 = 131_072.0;

/// When the operations of a trace come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// When they were recorded, or a number of times as fast.
    #[default]
    AsRecorded,
    /// As fast as the server answers, with as many of each client out at a time as when they were recorded.
    AsFastAsPossible,
}

impl Timing {
    /// The names that files use, in the order of declaration.
    pub const WORDS: &'static [&'static str] = &["as-recorded", "as-fast-as-possible"];

    /// The name that files use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AsRecorded => Self::WORDS[0],
            Self::AsFastAsPossible => Self::WORDS[1],
        }
    }
}

/// How a trace is replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplaySettings {
    /// The workload that it stands for, as an index into those of the scenario: its clients, protocol and ports.
    pub workload: usize,
    /// When operations come.
    pub timing: Timing,
    /// How many times as fast as recorded: above zero.
    pub speed: f64,
}

/// Operations of a trace that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenKind {
    /// What was asked for.
    pub operation: OperationKind,
    /// File data moved by each, 1 for a read or write of nothing; what a COMMIT found that was not on disk.
    pub bytes: u64,
    /// Whether writes had to be on stable storage.
    pub stable: bool,
    /// Whether they began where the one before in the file ended.
    pub sequential: bool,
    /// How many there were.
    pub count: u64,
    /// How many of them the cache did not answer.
    pub missed: u64,
}

/// What a replay saw of its trace.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySummary {
    /// Operations replayed.
    pub operations: u64,
    /// From the first to the last start in the trace.
    pub recorded_span: Time,
    /// From the first start to the last reply in the simulation.
    pub replayed_span: Time,
    /// File data moved, in bytes.
    pub payload: f64,
    /// Latencies as recorded, and how many operations have one; `None` where none has.
    pub recorded_latency: Option<(Latency, u64)>,
    /// Operations of a size that the beginning of the trace does not show, made of the two nearest.
    pub of_other_sizes: u64,
    /// Operations that came later than recorded, since as many as a replay keeps were out; their latencies count from when
    /// they were recorded.
    pub held: u64,
    /// What the cache answered, and how that was found.
    pub cache: CacheUse,
    /// What it had of the metadata touched; all of it, where the scenario says nothing of that.
    pub metadata: CacheUse,
    /// All operations, by what they are; sizes that the beginning does not show as those that they are made of.
    pub kinds: Vec<SeenKind>,
    /// When operations came.
    pub timing: Timing,
    /// How many times as fast as recorded.
    pub speed: f64,
}

/// A replayed trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// What came out.
    pub outcome: Outcome,
    /// What limits it.
    pub explained: Explained,
    /// The steady state of all that was seen, at the rate at which it came.
    pub prediction: Outcome,
    /// What was seen of the trace.
    pub summary: ReplaySummary,
}

/// Why a trace could not be replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// The scenario cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A check of the program failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no record.
    #[error("the trace has no operation that can be replayed")]
    Empty,
}

/// Replays records, which are in order of their start, as one of the workloads of a scenario.
///
/// # Errors
///
/// [`ReplayError`].
pub fn replay(
    scenario: &Scenario,
    settings: &ReplaySettings,
    records: &mut dyn Iterator<Item = Record>,
) -> Result<Replayed, ReplayError> {
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
    let (bound, classes) = Bound::bind_trace(scenario, settings.workload, &kinds.all)?;
    let seconds = ((last - first) as f64 * 1e-9 / settings.speed).max(1e-6);
    let guess = beginning.len() as f64 / seconds;
    let steady = {
        let mut begun = bound.clone();
        let total = beginning.len() as f64;
        for (position, &group) in classes.groups.iter().enumerate() {
            let mut visits = Vec::new();
            for (&kind, &count) in &sorted(&counts) {
                let kind = kinds.choose(kind, || 0.0).kind as usize;
                for &(class, share) in classes.of(kind, Missing::default(), position) {
                    visits.push((class, share * count as f64 / total));
                }
            }
            let group = &mut begun.threads[group];
            group.visits = merged(visits);
            group.population = guess / classes.groups.len() as f64 * OPEN_HORIZON;
            group.think = OPEN_HORIZON;
            group.supply = Supply::Trace {
                rate: Some(guess / classes.groups.len() as f64),
            };
        }
        SteadyState::solve(&begun, &begun.usable_capacities(), 1.0)?
    };

    let mut replay = Replay::new(scenario, settings, &bound, &classes, &kinds);
    let mut all = beginning.into_iter().chain(records);
    let mut assign = |record: &Record, draws: &mut Stream| replay.assign(record, draws);
    let draws = Streams::new(scenario.run.seed).stream("trace");
    let pace = match settings.timing {
        Timing::AsRecorded => Pace::Recorded(settings.speed),
        Timing::AsFastAsPossible => Pace::Fast(scenario.workloads[settings.workload].threads_per_client),
    };
    let trace = TraceLoop::new(&mut all, &mut assign, draws, pace);
    let ReplayedTrace {
        whole: mut simulated,
        offered: part,
        traced,
    } = simulate_trace(&bound, &steady, trace)?;
    if let Some(operation) = replay.needs_disks {
        return Err(ReplayError::Bind(BindError::NeedsDisks {
            workload: scenario.workloads[settings.workload].id.clone(),
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
    let prediction = predict(&seen)?;
    if let Some(workload) = outcome.workloads.get_mut(settings.workload) {
        workload.offered = offered;
    }
    Ok(Replayed {
        explained: explain(&seen, &outcome)?,
        prediction,
        summary: ReplaySummary {
            operations: traced.operations,
            recorded_span: Time::new(traced.span_ns as f64 * 1e-9),
            replayed_span: Time::new(replayed),
            payload: replay.payload,
            recorded_latency: replay.recorded_latency(),
            of_other_sizes: replay.of_other_sizes,
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

/// What came at its own rate, and whether the server kept up.
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

/// Visits of the same class put together.
fn merged(mut visits: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    visits.sort_unstable_by_key(|&(class, _)| class);
    let mut merged: Vec<(usize, f64)> = Vec::new();
    for (class, share) in visits {
        match merged.last_mut() {
            Some((last, sum)) if *last == class => *sum += share,
            _ => merged.push((class, share)),
        }
    }
    merged
}

/// Where files were last read or written to the end of.
#[derive(Clone, Debug, Default)]
struct Ends {
    of: FxHashMap<u64, u64>,
}

impl Ends {
    /// Whether a record goes on where the last one in its file ended.
    fn goes_on(&mut self, record: &Record) -> bool {
        if !record.operation.moves_data() {
            return false;
        }
        // Of very many files, all are forgotten now and then: a stream counts as begun anew.
        if self.of.len() >= MOST_FILES && !self.of.contains_key(&record.file) {
            self.of.clear();
        }
        let before = self.of.insert(record.file, record.offset + record.bytes);
        before == Some(record.offset) || (before.is_none() && record.offset == 0)
    }
}

/// Unstable data of a replay's workload, none so far.
fn unstable_of(scenario: &Scenario, settings: &ReplaySettings) -> Unstable {
    let group = scenario.stack.storage.group_seconds * settings.speed;
    Unstable::new(group, scenario.workloads[settings.workload].synchronous)
}

/// A replay under way.
struct Replay<'a> {
    bound: &'a Bound,
    classes: &'a TraceClasses,
    kinds: &'a Kinds,
    settings: ReplaySettings,
    ends: Ends,
    blocks: Blocks,
    names: Names,
    unstable: Unstable,
    has_pools: bool,
    capacity: f64,
    /// Operations by class.
    issued: Vec<u64>,
    /// Operations by kind: those that the cache answers, and those that it does not.
    seen: Vec<[u64; 2]>,
    payload: f64,
    of_other_sizes: u64,
    latencies: Histogram<u64>,
    slowest: u64,
    /// An operation that cannot be, for want of disks.
    needs_disks: Option<OperationKind>,
}

impl<'a> Replay<'a> {
    fn new(
        scenario: &Scenario,
        settings: &ReplaySettings,
        bound: &'a Bound,
        classes: &'a TraceClasses,
        kinds: &'a Kinds,
    ) -> Self {
        let pools = &scenario.storage.pools;
        let block = pools.first().map_or(RECORD, |pool| pool.record_size.get());
        let capacity = bound.caches[settings.workload].data.capacity.get();
        let warm = &bound.caches[settings.workload].metadata;
        let metadata = &scenario.workloads[settings.workload].metadata;
        let of_file = scenario.stack.storage.metadata_bytes_per_file;
        Self {
            bound,
            classes,
            kinds,
            settings: *settings,
            ends: Ends::default(),
            blocks: Blocks::new(scenario.storage.cache.policy, capacity, block),
            names: Names::new(metadata, scenario.storage.cache.policy, warm, of_file),
            unstable: unstable_of(scenario, settings),
            has_pools: !pools.is_empty(),
            capacity,
            issued: vec![0; bound.classes.len()],
            seen: vec![[0; 2]; kinds.all.len()],
            payload: 0.0,
            of_other_sizes: 0,
            latencies: Histogram::new(3).expect("three significant digits are allowed"),
            slowest: 0,
            needs_disks: None,
        }
    }

    /// The group and the class of a record.
    fn assign(&mut self, record: &Record, draws: &mut Stream) -> Option<(usize, usize)> {
        let unstable = self.unstable.take(record);
        let kind = kind_of(record, self.ends.goes_on(record), unstable);
        let choice = self.kinds.choose(kind, || draws.uniform());
        self.of_other_sizes += u64::from(!choice.exact);
        // Without pools there is nothing to read from: what is asked for is in the cache.
        let missing = Missing {
            data: self.has_pools && self.blocks.miss(record),
            metadata: self.has_pools && self.names.miss(record.file),
        };
        let port = record.client as usize % self.classes.groups.len();
        let classes = self.classes.of(choice.kind as usize, missing, port);
        let class = match classes {
            [] => {
                self.needs_disks = Some(record.operation);
                return None;
            }
            [(class, _)] => *class,
            several => crate::simulate::choose(several, draws),
        };
        self.issued[class] += 1;
        self.seen[choice.kind as usize][usize::from(missing.data)] += 1;
        self.payload += record.bytes as f64;
        if let Some(latency) = record.latency_ns {
            self.slowest = self.slowest.max(latency);
            self.latencies
                .record(latency)
                .expect("a histogram that may grow takes any value");
        }
        Some((self.classes.groups[port], class))
    }

    fn kinds_seen(&self) -> Vec<SeenKind> {
        let seen = self.kinds.all.iter().zip(&self.seen);
        let seen = seen.map(|(kind, &[answered, missed])| SeenKind {
            operation: kind.operation,
            bytes: kind.bytes,
            stable: kind.stable,
            sequential: kind.sequential,
            count: answered + missed,
            missed,
        });
        seen.filter(|kind| kind.count > 0).collect()
    }

    fn cache_uses(&self) -> CacheShares {
        let method = match (self.has_pools, self.blocks.is_sampled()) {
            (false, _) => HitRateMethod::Fits,
            (true, false) => HitRateMethod::Blocks,
            (true, true) => HitRateMethod::SampledBlocks,
        };
        let warm = self.bound.caches[self.settings.workload].metadata;
        let data = CacheUse {
            working_set: Bytes::new(self.blocks.touched()),
            capacity: Bytes::new(self.capacity),
            hit_rate: Fraction::new(self.blocks.hit_rate()),
            second_level_hit_rate: Fraction::ZERO,
            second_level: None,
            method,
        };
        CacheShares {
            data,
            metadata: self.names.cache_use(warm),
        }
    }

    /// Latencies as recorded.
    fn recorded_latency(&self) -> Option<(Latency, u64)> {
        let count = self.latencies.len();
        let at = |quantile| Time::new(self.latencies.value_at_quantile(quantile) as f64 * 1e-9);
        let percentiles = Percentiles {
            p50: at(0.50),
            p95: at(0.95),
            p99: at(0.99),
            max: Time::new(self.slowest as f64 * 1e-9),
        };
        let latency = Latency {
            mean: Time::new(self.latencies.mean() * 1e-9),
            percentiles: Some(percentiles),
        };
        (count > 0).then_some((latency, count))
    }

    /// The scenario with the operations of the trace as a load: as many of each class as there were, at the rate at which
    /// they came, or with as many out at a time as there were in the replay.
    fn with_all_that_was_seen(&self, traced: &Traced, out: f64, cache: CacheShares) -> Bound {
        let mut seen = self.bound.clone();
        seen.caches[self.settings.workload] = cache;
        let span = traced.span_ns as f64 * 1e-9 / self.settings.speed;
        let mut unused = Vec::new();
        for &group in &self.classes.groups {
            let group_number = group;
            let group = &mut seen.threads[group];
            let counts = group
                .visits
                .iter()
                .map(|&(class, _)| (class, self.issued[class] as f64));
            let visits = merged(counts.filter(|&(_, count)| count > 0.0).collect());
            let operations: f64 = visits.iter().map(|&(_, count)| count).sum();
            if operations == 0.0 {
                unused.push(group_number);
                continue;
            }
            group.visits = visits
                .into_iter()
                .map(|(class, count)| (class, count / operations))
                .collect();
            match self.settings.timing {
                Timing::AsRecorded => {
                    let rate = operations / span.max(1e-9);
                    group.population = rate * OPEN_HORIZON;
                    group.think = OPEN_HORIZON;
                    group.supply = Supply::Trace { rate: Some(rate) };
                }
                Timing::AsFastAsPossible => {
                    group.population = out * operations / traced.operations as f64;
                    group.think = 0.0;
                    group.supply = Supply::Trace { rate: None };
                }
            }
        }
        let mut number = 0;
        seen.threads.retain(|_| {
            number += 1;
            !unused.contains(&(number - 1))
        });
        seen
    }
}
