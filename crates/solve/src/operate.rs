//! Binding at the operating point of a scenario's own steady state.
//!
//! Most demands follow from the scenario alone. Four quantities depend on the rates of operations: the data
//! that a COMMIT finds not yet on disk (`commits`), the blocks that are written again before they go to the
//! disks, the shares of streams in the accesses of disks, and the hit rates over the window of caches that
//! are empty at the start (`cold_start`). A scenario with one of
//! them is bound and solved alternately until rates and demands agree.

use std::sync::Arc;

use bandgraph_model::storage::{CacheStart, OperatingPoint, PoolRuns, StreamShares, Written};
use bandgraph_model::{BindError, Binder, Bound, Scenario};

use crate::cold_start::ColdStart;
use crate::commits::{self, depends};
use crate::predict::SteadyState;

/// Convergence tolerance of shares, and maximum number of iterations.
const TOLERANCE: f64 = 1e-4;
const ROUNDS_MOST: usize = 12;
/// Initial share of writes that reach the disks, and of indirect blocks for each: no disk limits.
const FEW: f64 = 1e-9;

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
        return settle(scenario, |written, streams| cold.bind(written, streams, binder));
    }
    settle(scenario, |written, streams| {
        let point = OperatingPoint {
            written,
            caches: None,
            streams,
        };
        binder.bind_at(scenario, point)
    })
}

/// Binds a scenario; `bind` takes what becomes of the data that each workload writes, and the shares of
/// streams at the disks of each pool.
fn settle(
    scenario: &Scenario,
    mut bind: impl FnMut(&[Written], Option<&[StreamShares]>) -> Result<Bound, BindError>,
) -> Result<Bound, BindError> {
    let mut written = vec![Written::default(); scenario.workloads.len()];
    let mut streams: Option<Vec<StreamShares>> = None;
    let mut bound = bind(&written, None)?;
    let rewrites = Arc::clone(&bound.rewrites);
    let has_commits = scenario.workloads.iter().any(depends);
    let has_rewrites = rewrites.iter().any(Option::is_some);
    if has_rewrites {
        // At the rate that disks sustain if every write reaches them, hardly any block would be rewritten.
        for (written, rewrites) in written.iter_mut().zip(&*rewrites) {
            if rewrites.is_some() {
                (written.distinct, written.indirect) = (FEW, FEW);
            }
        }
        bound = bind(&written, None)?;
    }
    for _ in 0..ROUNDS_MOST {
        let has_streams = bound.runs.iter().any(PoolRuns::depends);
        if !has_commits && !has_streams && !has_rewrites {
            break;
        }
        // Without a steady state, the prediction of the bound scenario reports it.
        let Ok(steady) = SteadyState::solve(&bound) else {
            break;
        };
        let rates = steady.workload_rates(&bound);
        let uncommitted = commits::uncommitted(scenario, &rates);
        let next = uncommitted.iter().zip(&*rewrites).zip(&rates);
        let next = next.map(|((&uncommitted, rewrites), rate)| {
            let [distinct, indirect] = rewrites.map_or([1.0, 0.0], |of| of.written(*rate));
            Written {
                uncommitted,
                distinct,
                indirect,
            }
        });
        let next: Vec<Written> = next.collect();
        let shares: Vec<_> = bound.runs.iter().map(|runs| runs.shares(&rates)).collect();
        let moved = written.iter().zip(&next).map(|(old, new)| {
            let uncommitted = (old.uncommitted - new.uncommitted).abs();
            let distinct = (old.distinct / new.distinct - 1.0).abs();
            uncommitted.max(distinct).max((old.indirect - new.indirect).abs())
        });
        let turned = streams.iter().flatten().zip(&shares);
        let turned = turned.map(|(old, new)| old.difference(new));
        let is_known = streams.is_some() || !has_streams;
        if is_known && moved.chain(turned).fold(0.0, f64::max) <= TOLERANCE {
            break;
        }
        (written, streams) = (next, has_streams.then_some(shares));
        bound = bind(&written, streams.as_deref())?;
    }
    bound.rewrites = rewrites;
    Ok(bound)
}
