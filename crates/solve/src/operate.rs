//! Binding at the operating point of a scenario's own steady state.
//!
//! Most demands follow from the scenario alone. Three quantities depend on the rates of operations: the data
//! that a COMMIT finds not yet on disk (`commits`), the shares of streams in the accesses of disks, and the
//! hit rates over the window of caches that are empty at the start (`cold_start`). A scenario with one of
//! them is bound and solved alternately until rates and demands agree.

use bandgraph_model::storage::{CacheStart, OperatingPoint, PoolRuns, StreamShares};
use bandgraph_model::{BindError, Binder, Bound, Scenario};

use crate::cold_start::ColdStart;
use crate::commits::{self, depends};
use crate::predict::SteadyState;

/// Convergence tolerance of shares, and maximum number of iterations.
const TOLERANCE: f64 = 1e-4;
const ROUNDS_MOST: usize = 12;

/// Binds a scenario.
///
/// # Errors
///
/// The first [`BindError`] found: the scenario is invalid or not supported.
pub fn bind(scenario: &Scenario) -> Result<Bound, BindError> {
    bind_with(scenario, &mut Binder::new())
}

/// As [`bind`], for steady states only: one of several identical clients represents all of them.
///
/// # Errors
///
/// As [`bind`].
pub fn bind_merged(scenario: &Scenario) -> Result<Bound, BindError> {
    bind_with(scenario, &mut Binder::merging())
}

/// As [`bind`], with a binder that caches the common parts of successive scenarios.
///
/// # Errors
///
/// As [`bind`].
pub fn bind_with(scenario: &Scenario, binder: &mut Binder) -> Result<Bound, BindError> {
    let storage = &scenario.storage;
    if storage.cache.start == CacheStart::Cold && !storage.pools.is_empty() {
        let cold = ColdStart::new(scenario, &binder.cache_loads(scenario)?);
        return settle(scenario, |uncommitted, streams| {
            cold.bind(uncommitted, streams, binder)
        });
    }
    settle(scenario, |uncommitted, streams| {
        let point = OperatingPoint {
            uncommitted,
            caches: None,
            streams,
        };
        binder.bind_at(scenario, point)
    })
}

/// Binds a scenario; `bind` takes the share of unstable data of each workload that its COMMITs find only in
/// memory, and the shares of streams at the disks of each pool.
fn settle(
    scenario: &Scenario,
    mut bind: impl FnMut(&[f64], Option<&[StreamShares]>) -> Result<Bound, BindError>,
) -> Result<Bound, BindError> {
    let mut uncommitted = vec![1.0; scenario.workloads.len()];
    let mut streams: Option<Vec<StreamShares>> = None;
    let mut bound = bind(&uncommitted, None)?;
    let has_commits = scenario.workloads.iter().any(depends);
    for _ in 0..ROUNDS_MOST {
        let has_streams = bound.runs.iter().any(PoolRuns::depends);
        if !has_commits && !has_streams {
            break;
        }
        // Without a steady state, the prediction of the bound scenario reports it.
        let Ok(steady) = SteadyState::solve(&bound) else {
            break;
        };
        let rates = steady.workload_rates(&bound);
        let next = commits::uncommitted(scenario, &rates);
        let shares: Vec<_> = bound.runs.iter().map(|runs| runs.shares(&rates)).collect();
        let moved = uncommitted.iter().zip(&next).map(|(old, new)| (old - new).abs());
        let turned = streams.iter().flatten().zip(&shares);
        let turned = turned.map(|(old, new)| old.difference(new));
        let is_known = streams.is_some() || !has_streams;
        if is_known && moved.chain(turned).fold(0.0, f64::max) <= TOLERANCE {
            break;
        }
        (uncommitted, streams) = (next, has_streams.then_some(shares));
        bound = bind(&uncommitted, streams.as_deref())?;
    }
    Ok(bound)
}
