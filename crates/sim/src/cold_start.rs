//! Binds a scenario whose caches are empty when the run starts: what they answer over its window follows from how fast
//! data is read, which follows from what they answer.

use bandgraph_workload::AccessPattern;

use crate::bind::{Binder, Bound};
use crate::predict::SteadyState;
use crate::storage::{CacheShares, CacheUse, Filling, over_window};
use crate::{BindError, RunError, Scenario};

/// Why the rates of a moment could not be found.
enum Stop {
    Bind(BindError),
    /// No steady state. Whoever predicts what was bound is told so.
    Unsolved(Box<Bound>),
}

/// Binds a scenario with the mean use of the cache over its window, and with these shares of unstable data for its COMMITs.
/// `warm` is the use of the steady state, `touched` how many bytes of data an operation of each workload brings into the
/// cache that moves any, and how many of metadata an operation of its mix.
pub(crate) fn bind(
    scenario: &Scenario,
    warm: &[CacheShares],
    touched: &[[f64; 2]],
    uncommitted: &[f64],
    binder: &mut Binder,
) -> Result<Bound, BindError> {
    let settings = &scenario.storage.cache;
    let filling = |cache: CacheUse, pattern: AccessPattern| {
        let fed = cache
            .second_level
            .map_or(0.0, |second| second.capacity.get() / second.fill_time.get());
        let part = fed / settings.feed.rate.get();
        Filling::new(cache, pattern, settings.policy, settings.feed, part)
    };
    let workloads = scenario.workloads.iter().zip(warm);
    let of_data = workloads
        .clone()
        .map(|(workload, warm)| filling(warm.data, workload.pattern));
    let of_metadata = workloads.map(|(_, warm)| filling(warm.metadata, AccessPattern::Random));
    let fillings: Vec<Filling> = of_data.chain(of_metadata).collect();
    if !fillings.iter().any(Filling::matters) {
        return Bound::bind_with(scenario, warm.to_vec(), uncommitted, binder);
    }
    let per_operation: Vec<[f64; 2]> = scenario
        .workloads
        .iter()
        .zip(touched)
        .map(|(workload, &[data, metadata])| {
            let shares = workload.mix.shares().iter();
            let moving = shares.filter(|(kind, _)| kind.moves_data());
            [data * moving.map(|(_, share)| share.get()).sum::<f64>(), metadata]
        })
        .collect();
    let (warm_up, duration) = (scenario.run.warm_up.get(), scenario.run.duration.get());
    let mut with_caches =
        |caches: &[CacheUse]| Bound::bind_with(scenario, paired(caches), uncommitted, binder);
    let found = over_window(fillings, warm_up, duration, |caches| {
        let bound = with_caches(caches).map_err(Stop::Bind)?;
        match operations(&bound) {
            Ok(rates) => {
                let touched = |part: usize| {
                    let rates = rates.iter().zip(&per_operation);
                    rates.map(move |(rate, bytes)| rate * bytes[part])
                };
                Ok(touched(0).chain(touched(1)).collect())
            }
            Err(_) => Err(Stop::Unsolved(Box::new(bound))),
        }
    });
    match found {
        Ok(caches) => with_caches(&caches),
        Err(Stop::Bind(error)) => Err(error),
        Err(Stop::Unsolved(bound)) => Ok(*bound),
    }
}

/// Uses of the cache by the data of all workloads, and then by the metadata of all, put together by workload.
fn paired(caches: &[CacheUse]) -> Vec<CacheShares> {
    let (data, metadata) = caches.split_at(caches.len() / 2);
    let pairs = data.iter().zip(metadata);
    pairs
        .map(|(&data, &metadata)| CacheShares { data, metadata })
        .collect()
}

/// Operations per second of every workload in the steady state.
fn operations(bound: &Bound) -> Result<Vec<f64>, RunError> {
    let steady = SteadyState::solve(bound, &bound.usable_capacities(), 1.0)?;
    let workloads = steady.outcome(bound).workloads;
    let rates = workloads
        .iter()
        .map(|workload| workload.throughput.operations.get());
    Ok(rates.collect())
}
