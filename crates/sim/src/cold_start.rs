//! Binds a scenario whose caches are empty when the run starts: what they answer over its window follows from how fast
//! data is read, which follows from what they answer.

use crate::bind::{Binder, Bound};
use crate::predict::SteadyState;
use crate::storage::{CacheUse, Filling, over_window};
use crate::{BindError, RunError, Scenario};

/// Why the rates of a moment could not be found.
enum Stop {
    Bind(BindError),
    /// No steady state. Whoever predicts what was bound is told so.
    Unsolved(Box<Bound>),
}

/// Binds a scenario with the mean use of the cache over its window. `warm` is that of the steady state, `touched` how many
/// bytes an operation of each workload brings into the cache.
pub(crate) fn bind(
    scenario: &Scenario,
    warm: &[CacheUse],
    touched: Vec<f64>,
    binder: &mut Binder,
) -> Result<Bound, BindError> {
    let settings = &scenario.storage.cache;
    let fillings: Vec<Filling> = scenario
        .workloads
        .iter()
        .zip(warm)
        .map(|(workload, &cache)| {
            let fed = cache
                .second_level
                .map_or(0.0, |second| second.capacity.get() / second.fill_time.get());
            let part = fed / settings.feed.rate.get();
            Filling::new(cache, workload.pattern, settings.policy, settings.feed, part)
        })
        .collect();
    if !fillings.iter().any(Filling::matters) {
        return Bound::bind_with_caches(scenario, warm.to_vec(), binder);
    }
    let per_operation: Vec<f64> = scenario
        .workloads
        .iter()
        .zip(touched)
        .map(|(workload, bytes)| {
            let shares = workload.mix.shares().iter();
            let moving = shares.filter(|(kind, _)| kind.moves_data());
            bytes * moving.map(|(_, share)| share.get()).sum::<f64>()
        })
        .collect();
    let (warm_up, duration) = (scenario.run.warm_up.get(), scenario.run.duration.get());
    let found = over_window(fillings, warm_up, duration, |caches| {
        let bound = Bound::bind_with_caches(scenario, caches.to_vec(), binder).map_err(Stop::Bind)?;
        match operations(&bound) {
            Ok(rates) => Ok(rates
                .iter()
                .zip(&per_operation)
                .map(|(rate, bytes)| rate * bytes)
                .collect()),
            Err(_) => Err(Stop::Unsolved(Box::new(bound))),
        }
    });
    match found {
        Ok(caches) => Bound::bind_with_caches(scenario, caches, binder),
        Err(Stop::Bind(error)) => Err(error),
        Err(Stop::Unsolved(bound)) => Ok(*bound),
    }
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
