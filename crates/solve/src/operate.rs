//! Binds a scenario at the operating point that its own steady state leads to.
//!
//! Most demands follow from the scenario alone. Two things depend on how fast operations are done: what a
//! COMMIT finds not to be on disk yet (`commits`), and what caches that are empty at the start answer over
//! the window (`cold_start`). Where a scenario has either, it is bound and solved in turn until rates and
//! demands agree.

use bandgraph_model::storage::{CacheStart, OperatingPoint};
use bandgraph_model::{BindError, Binder, Bound, Scenario};

use crate::cold_start::ColdStart;
use crate::commits;

/// Binds a scenario.
///
/// # Errors
///
/// [`BindError`], the first that is found: what the scenario asks cannot be answered, or not yet.
pub fn bind(scenario: &Scenario) -> Result<Bound, BindError> {
    bind_with(scenario, &mut Binder::new())
}

/// As [`bind`], for steady states alone: of clients that differ in nothing, one stands for all.
///
/// # Errors
///
/// As [`bind`].
pub fn bind_merged(scenario: &Scenario) -> Result<Bound, BindError> {
    bind_with(scenario, &mut Binder::merging())
}

/// As [`bind`], with a binder that keeps what the next scenario may have in common with this one.
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
