//! Size limits, checked before a scenario is bound.

use bandgraph_units::Time;

use crate::{BindError, RunSettings, Scenario};

/// Maximum number of client NICs in a scenario.
const NICS_MAX: u64 = 50_000;
/// Maximum number of classes: kinds of operations × client NICs × cores of a port. Each takes about half a
/// kilobyte.
const CLASSES_MAX: u64 = 500_000;
/// Maximum number of threads in a scenario.
const THREADS_MAX: u64 = 2_000_000;
/// Maximum length of a run including the warm-up, seconds: a day of simulated time.
const RUN_MAX: f64 = 86_400.0;

/// Checks the ranges of the times of a run.
pub(super) fn check_run(run: &RunSettings) -> Result<(), BindError> {
    let out_of_range = |field: &str, value: Time, range: &str| BindError::OutOfRange {
        field: field.to_owned(),
        value: value.to_string(),
        reason: format!("the range is {range}"),
    };
    let (warm_up, duration, latency) = (run.warm_up.get(), run.duration.get(), run.network_latency.get());
    if !(0.0..=RUN_MAX).contains(&warm_up) {
        return Err(out_of_range("run.warm_up", run.warm_up, "0 s to 24 h"));
    }
    if !(1e-6..=RUN_MAX).contains(&duration) {
        return Err(out_of_range("run.duration", run.duration, "1 us to 24 h"));
    }
    if !(0.0..=60.0).contains(&latency) {
        return Err(out_of_range(
            "run.network_latency",
            run.network_latency,
            "0 s to 1 min",
        ));
    }
    Ok(())
}

/// Checks that the bound scenario fits in memory.
pub(super) fn check_size(scenario: &Scenario) -> Result<(), BindError> {
    let (mut classes, mut threads) = (0_u64, 0_u64);
    for workload in &scenario.workloads {
        if let Some(group) = scenario.clients.iter().find(|group| group.id == workload.clients) {
            let nics = u64::from(group.count) * u64::from(group.nics.count);
            // One class per NIC, or per core of a port with connections of the NIC.
            let cores = scenario.stack.packets.cores_per_port as u64;
            let bound = cores.min(u64::from(workload.threads_per_client)).max(1);
            let nics = nics.saturating_mul(bound);
            let kinds = workload.mix.shares().iter();
            let kinds =
                kinds.map(|(kind, _)| workload.sizes_of(*kind).map_or(1, |sizes| sizes.shares().len()));
            classes = classes.saturating_add(nics.saturating_mul(kinds.sum::<usize>() as u64));
            threads = threads.saturating_add(workload.streams(group));
        }
    }
    let nics = scenario
        .clients
        .iter()
        .map(|group| u64::from(group.count) * u64::from(group.nics.count));
    let nics = nics.fold(0_u64, u64::saturating_add);
    for (what, count, limit) in [
        ("client network cards", nics, NICS_MAX),
        ("classes of operations", classes, CLASSES_MAX),
        ("threads", threads, THREADS_MAX),
    ] {
        if count > limit {
            return Err(BindError::TooMany { what, count, limit });
        }
    }
    Ok(())
}
