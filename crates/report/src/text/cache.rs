//! What the cache did, where it did not hold everything.

use bandgraph_sim::storage::HitRateMethod;

use super::page::Page;
use super::words::percent;
use crate::RunReport;

/// A paragraph for every workload whose data does not all fit in the cache.
pub(super) fn cache(page: &mut Page, report: &RunReport) {
    let workloads = report
        .outcome
        .workloads
        .iter()
        .filter(|workload| !matches!(workload.cache.method, HitRateMethod::Fits | HitRateMethod::NoData));
    for (at, workload) in workloads.enumerate() {
        if at == 0 {
            page.heading("Cache");
        }
        let cache = &workload.cache;
        let devices = if cache.second_level_hit_rate.get() > 0.0 {
            format!(
                ", {} from cache devices",
                percent(cache.second_level_hit_rate.get())
            )
        } else {
            String::new()
        };
        let set = if cache.method == HitRateMethod::Reuse {
            String::new()
        } else {
            format!(" for a set of {}", cache.working_set.binary())
        };
        page.paragraph(&format!(
            "{}: {} of reads from DRAM{devices}; {} of cache{set}: {}",
            workload.id,
            percent(cache.hit_rate.get()),
            cache.capacity.binary(),
            cache.method.explanation(),
        ));
        if let Some(second) = &cache.second_level {
            let held = if second.held < second.capacity {
                format!("{} of {}", second.held.binary(), second.capacity.binary())
            } else {
                second.capacity.binary()
            };
            page.paragraph(&format!(
                "{}: cache devices hold {held} of it, and take {} to fill",
                workload.id, second.fill_time
            ));
        }
    }
}
