//! A synthetic load that represents a trace: open loops with its rates, sizes, patterns, hit rates and
//! working set.
//!
//! It does not preserve the order of operations, their clustering in time and on files, and which client
//! issues which operation. Running both shows the effect.

use std::collections::BTreeMap;

use bandgraph_diagnostics::Diagnostic;
use bandgraph_model::Scenario;
use bandgraph_scenario::Loaded;
use bandgraph_simulate::{ReplaySummary, SeenKind};
use bandgraph_units::{Bytes, Fraction, OperationRate, Time};
use bandgraph_workload::{
    AccessPattern, Arrivals, DataDirection, Mix, OperationKind, Schedule, Spacing, Workload,
};

use crate::{Answer, Method, StudyError, answer};

/// The number of sizes with a workload of their own, for reads, unstable and stable writes each; the other
/// sizes share one workload with their mean size.
const SIZES: usize = 4;

/// Why no synthetic load represents a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// The trace has no operation, or the scenario no workload.
    #[error("it has no operation")]
    Empty,
    /// All its operations start at one time, so that there is no rate.
    #[error(
        "all its operations start at the same time, so it has no duration from which a rate could be computed"
    )]
    NoSpan,
}

/// The approximate maximum number of simulated operations of the synthetic load.
const OPERATIONS: f64 = 500_000.0;

/// Rejects a scenario whose workload cannot be replaced by an overlay.
///
/// # Errors
///
/// The reason.
pub fn check_fit(loaded: &Loaded) -> Result<(), Box<Diagnostic>> {
    let path = loaded.path.display();
    let message = match loaded.scenario.workloads.as_slice() {
        [_, _, ..] => format!("{path} has several workloads"),
        _ if loaded.trace.is_some() => format!("the workload of {path} is itself replayed from a trace"),
        [only] if only.schedule != Schedule::default() => format!("the workload of {path} has a schedule"),
        _ => return Ok(()),
    };
    let help = "a trace is fitted into a scenario with one workload all the time, whose place it takes";
    Err(Diagnostic::argument(message).help(help).into())
}

/// Simulates a fitted scenario for as long as it takes to represent the trace.
///
/// # Errors
///
/// As [`answer`].
pub fn simulate_fit(fitted: &mut Scenario, seen: &ReplaySummary) -> Result<Answer, StudyError> {
    let part = (OPERATIONS / seen.operations as f64).min(1.0);
    fitted.run.duration = Time::new((seen.recorded_span.get() * part).max(1.0));
    fitted.run.keep_duration = false;
    answer("the fitted load", fitted, Method::Simulate)
}

/// The scenario with a synthetic load that represents the replay of a trace instead of its only workload,
/// with as many clients as the trace has.
///
/// # Errors
///
/// [`FitError`].
pub fn fit_trace(seen: &ReplaySummary, scenario: &Scenario) -> Result<Scenario, FitError> {
    let base = scenario.workloads.first().ok_or(FitError::Empty)?;
    let seconds = seen.recorded_span.get() / seen.speed;
    if seen.operations > 0 && seconds <= 0.0 {
        return Err(FitError::NoSpan);
    }
    let mut fitted = Scenario {
        workloads: workloads(seen, seconds, base),
        ..scenario.clone()
    };
    for group in &mut fitted.clients {
        if group.id == base.clients {
            let clients = u32::try_from(seen.clients).unwrap_or(u32::MAX);
            group.count = group.count.min(clients);
        }
    }
    if fitted.workloads.is_empty() {
        return Err(FitError::Empty);
    }
    Ok(fitted)
}

/// Workloads with the operations of a trace in this number of seconds, with the clients, the protocol and the
/// id of `base` (further workloads have ids of their own). Empty if the trace has no operation.
fn workloads(seen: &ReplaySummary, seconds: f64, base: &Workload) -> Vec<Workload> {
    let families = [
        (OperationKind::Read, false, "read"),
        (OperationKind::Write, false, "write"),
        (OperationKind::Write, true, "stable-write"),
    ];
    let parts: Vec<Part> = families
        .into_iter()
        .flat_map(|(operation, stable, name)| {
            let kinds = seen.kinds.iter().copied();
            let own = kinds.filter(|kind| kind.operation == operation && kind.stable == stable);
            of_sizes(operation, stable, name, &own.collect::<Vec<_>>())
        })
        .collect();
    let bytes: f64 = parts.iter().map(|part| part.bytes).sum();
    let mut workloads: Vec<Workload> = parts
        .into_iter()
        .map(|part| {
            let size = (part.bytes / part.count).round();
            let set = seen.cache.working_set.get() * part.bytes / bytes;
            Workload {
                id: part.name,
                io_size: Bytes::new(size),
                pattern: part.pattern,
                working_set: Bytes::new(set.max(size).ceil()),
                hit_rate: Some(Fraction::new(1.0 - part.missed / part.count)),
                synchronous: part.stable,
                ..plain(base, Mix::single(part.operation), part.count / seconds)
            }
        })
        .collect();
    let mut names: BTreeMap<OperationKind, f64> = BTreeMap::new();
    let mut committed = 0.0;
    for kind in &seen.kinds {
        if kind.operation.data() == DataDirection::None {
            *names.entry(kind.operation).or_default() += kind.count as f64;
            committed += kind.count as f64 * kind.bytes as f64;
        }
    }
    let commits = names.get(&OperationKind::Commit).copied();
    let weights: Vec<(OperationKind, f64)> = names.into_iter().collect();
    if let Ok(mix) = Mix::new(&weights) {
        let count: f64 = weights.iter().map(|(_, count)| count).sum();
        workloads.push(Workload {
            id: "names".to_owned(),
            commit_bytes: commits.map(|commits| Bytes::new((committed / commits).round())),
            ..plain(base, mix, count / seconds)
        });
    }
    let known = base.metadata.is_known();
    for workload in &mut workloads {
        workload.metadata.metadata_hit_rate = known.then_some(seen.metadata.hit_rate);
    }
    if let Some(first) = workloads.first_mut() {
        first.id.clone_from(&base.id);
    }
    workloads
}

/// Operations of one size and pattern, or of all remaining sizes.
struct Part {
    name: String,
    operation: OperationKind,
    stable: bool,
    pattern: AccessPattern,
    /// File data of all these operations.
    bytes: f64,
    count: f64,
    missed: f64,
}

/// The most frequent sizes, and one part for all others; each for sequential and random access.
fn of_sizes(operation: OperationKind, stable: bool, name: &str, kinds: &[SeenKind]) -> Vec<Part> {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for kind in kinds {
        *counts.entry(kind.bytes).or_default() += kind.count;
    }
    let mut sizes: Vec<(u64, u64)> = counts.into_iter().collect();
    sizes.sort_unstable_by_key(|&(bytes, count)| (std::cmp::Reverse(count), bytes));
    sizes.truncate(SIZES);
    let own = sizes.iter().map(|&(bytes, _)| Some(bytes));
    let mut parts = Vec::new();
    for size in own.chain([None]) {
        for pattern in [AccessPattern::Sequential, AccessPattern::Random] {
            let is_part = |kind: &&SeenKind| {
                let of_size = match size {
                    Some(bytes) => kind.bytes == bytes,
                    None => sizes.iter().all(|&(bytes, _)| bytes != kind.bytes),
                };
                of_size && kind.sequential == (pattern == AccessPattern::Sequential)
            };
            let all = || kinds.iter().filter(is_part);
            let sum = |of: &dyn Fn(&SeenKind) -> u64| all().map(|kind| of(kind) as f64).sum::<f64>();
            let count = sum(&|kind| kind.count);
            if count > 0.0 {
                let size = size.map_or_else(|| "others".to_owned(), |bytes| bytes.to_string());
                parts.push(Part {
                    name: format!("{name}-{size}-{pattern}"),
                    operation,
                    stable,
                    pattern,
                    bytes: all().map(|kind| kind.bytes as f64 * kind.count as f64).sum(),
                    count,
                    missed: sum(&|kind| kind.missed),
                });
            }
        }
    }
    parts
}

/// An open loop with the clients and the protocol of `base`.
fn plain(base: &Workload, mix: Mix, rate: f64) -> Workload {
    Workload {
        mix,
        arrivals: Arrivals::Open {
            rate: OperationRate::new(rate),
            spacing: Spacing::Poisson,
        },
        think_time: Time::ZERO,
        synchronous: false,
        job: None,
        schedule: Schedule::default(),
        ..base.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_model::storage::{CacheUse, HitRateMethod};
    use bandgraph_simulate::Timing;

    fn kind(operation: OperationKind, bytes: u64, [count, missed]: [u64; 2]) -> SeenKind {
        SeenKind {
            operation,
            bytes,
            stable: false,
            sequential: false,
            count,
            missed,
        }
    }

    /// Cache use of metadata in a trace without metadata operations.
    const ALL_CACHED: CacheUse = CacheUse {
        working_set: Bytes::ZERO,
        capacity: Bytes::ZERO,
        hit_rate: Fraction::new(1.0),
        second_level_hit_rate: Fraction::ZERO,
        second_level: None,
        method: HitRateMethod::NoData,
    };

    /// A trace of 6 s.
    fn summary(kinds: Vec<SeenKind>) -> ReplaySummary {
        ReplaySummary {
            operations: kinds.iter().map(|kind| kind.count).sum(),
            recorded_span: Time::new(6.0),
            replayed_span: Time::new(6.0),
            payload: 0.0,
            recorded_latency: None,
            of_other_sizes: 0,
            held: 0,
            metadata: ALL_CACHED,
            clients: 7,
            past_nics: 0,
            cache: CacheUse {
                working_set: Bytes::new(1e9),
                capacity: Bytes::new(1e10),
                hit_rate: Fraction::ZERO,
                second_level_hit_rate: Fraction::ZERO,
                second_level: None,
                method: HitRateMethod::Blocks,
            },
            kinds,
            timing: Timing::AsRecorded,
            speed: 1.0,
        }
    }

    fn base() -> Workload {
        Workload::new("base", "clients", Mix::single(OperationKind::Write))
    }

    /// Six sizes of reads, of which two share a part, writes of both kinds, and GETATTRs.
    #[test]
    fn rates_bytes_and_misses_are_those_of_the_trace() {
        use OperationKind::{Commit, Getattr, Read, Write};
        let mut kinds: Vec<SeenKind> = (0..6)
            .map(|size| kind(Read, 1000 << size, [600 - 60 * size, 30 * size]))
            .collect();
        kinds[1].sequential = true;
        kinds.push(kind(Write, 8192, [300, 60]));
        kinds.push(SeenKind {
            stable: true,
            ..kind(Write, 8192, [120, 0])
        });
        kinds.push(kind(Getattr, 0, [1200, 0]));
        kinds.push(kind(Commit, 1_000_000, [30, 0]));
        kinds.push(kind(Commit, 0, [10, 0]));
        let summary = summary(kinds);
        let fitted = workloads(&summary, 6.0, &base());
        assert_eq!(fitted[0].id, "base");
        let rate = |workload: &Workload| workload.arrivals.rate().map_or(0.0, OperationRate::get);
        let total = |of: &dyn Fn(&Workload) -> f64| fitted.iter().map(of).sum::<f64>();
        let expected = |of: &dyn Fn(&SeenKind) -> u64| {
            let all: u64 = summary.kinds.iter().map(of).sum();
            all as f64 / 6.0
        };
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
        let moves = |workload: &Workload| f64::from(u8::from(workload.mix.moves_data()));
        near(total(&rate), expected(&|kind| kind.count));
        near(
            total(&|workload| rate(workload) * moves(workload) * workload.io_size.get()),
            expected(&|kind| kind.count * u64::from(kind.operation != Commit) * kind.bytes),
        );
        // Thirty COMMITs of a megabyte, and ten with nothing to write.
        let names = fitted.last().expect("the names");
        assert_eq!(names.commit_bytes, Some(Bytes::new(750_000.0)));
        near(
            total(&|workload| rate(workload) * (1.0 - workload.hit_rate.map_or(1.0, Fraction::get))),
            expected(&|kind| kind.missed),
        );
        near(
            total(&|workload| rate(workload) * f64::from(u8::from(workload.synchronous))),
            20.0,
        );
        near(
            total(&|workload| moves(workload) * workload.working_set.get()),
            1e9,
        );
        // Four sizes of reads and the remaining ones, two writes, the metadata operations.
        assert_eq!(fitted.len(), 8);
        for workload in &fitted {
            assert_eq!(workload.validate(), []);
            assert_eq!(workload.clients, "clients");
        }
        let ids: std::collections::BTreeSet<&str> =
            fitted.iter().map(|workload| workload.id.as_str()).collect();
        assert_eq!(ids.len(), fitted.len());
    }

    #[test]
    fn an_empty_trace_is_no_load() {
        assert_eq!(workloads(&summary(Vec::new()), 6.0, &base()), []);
    }
}
