//! Binding at the operating point of a scenario's own steady state.
//!
//! Most demands follow from the scenario alone. Two quantities depend on the rates of operations: the data
//! that a COMMIT finds not yet on disk (`commits`), and the hit rates over the window of caches that are
//! empty at the start (`cold_start`). A scenario with either is bound and solved alternately until rates and
//! demands agree.

use bandgraph_model::storage::{CacheStart, OperatingPoint};
use bandgraph_model::{BindError, Binder, Bound, Scenario};

use crate::cold_start::ColdStart;
use crate::commits;

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
        return commits::settle(scenario, |uncommitted| cold.bind(uncommitted, binder));
    }
    commits::settle(scenario, |uncommitted| {
        let point = OperatingPoint {
            uncommitted,
            caches: None,
        };
        binder.bind_at(scenario, point)
    })
}
