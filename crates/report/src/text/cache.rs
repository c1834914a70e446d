//! What the cache did, where it did not hold everything.

use bandgraph_model::storage::{CacheUse, HitRateMethod};
use bandgraph_solve::WorkloadOutcome;

use super::page::Page;
use super::words::percent;
use crate::RunReport;

/// Paragraphs for every workload whose data or metadata does not all fit in the cache, and for those of whose
/// metadata nothing is said.
pub(super) fn cache(page: &mut Page, report: &RunReport) {
    let mut lines = Vec::new();
    for workload in &report.outcome.workloads {
        if !is_all_there(&workload.cache) {
            of_data(workload, &mut lines);
        }
        if !is_all_there(&workload.metadata) {
            of_metadata(workload, &mut lines);
        }
    }
    let assumed: Vec<&str> = report
        .outcome
        .workloads
        .iter()
        .filter(|workload| assumes_cached_metadata(workload))
        .map(|workload| workload.id.as_str())
        .collect();
    if !assumed.is_empty() {
        lines.push(format!(
            "metadata of {} is taken to be cached: neither `files` nor `metadata_working_set` is given",
            assumed.join(", ")
        ));
    }
    if lines.is_empty() {
        return;
    }
    page.heading("Cache");
    for line in lines {
        page.paragraph(&line);
    }
}

/// Whether there is nothing to say of a use of the cache.
fn is_all_there(cache: &CacheUse) -> bool {
    matches!(cache.method, HitRateMethod::Fits | HitRateMethod::NoData)
}

/// Whether a workload asks for metadata of which nothing is known, besides that of its data.
fn assumes_cached_metadata(workload: &WorkloadOutcome) -> bool {
    let mut operations = workload.operations.iter();
    workload.metadata.method == HitRateMethod::NoData
        && operations.any(|operation| operation.operation.touches_names())
}

fn of_data(workload: &WorkloadOutcome, lines: &mut Vec<String>) {
    let cache = &workload.cache;
    let set = if cache.method == HitRateMethod::Reuse {
        String::new()
    } else {
        format!(" for a set of {}", cache.working_set.binary())
    };
    lines.push(format!(
        "{}: {} of reads from DRAM{}; {} of cache{set}: {}",
        workload.id,
        percent(cache.hit_rate.get()),
        from_devices(cache),
        cache.capacity.binary(),
        cache.method.explanation(),
    ));
    filled(workload, cache, lines);
}

fn of_metadata(workload: &WorkloadOutcome, lines: &mut Vec<String>) {
    let cache = &workload.metadata;
    let how = match cache.method {
        HitRateMethod::Given => "as the scenario says",
        HitRateMethod::ColdRandom => {
            "what had been touched before, from caches that were empty at the start of the run"
        }
        HitRateMethod::Blocks | HitRateMethod::SampledBlocks => {
            "that of each file of the trace, from an empty cache"
        }
        _ => "blocks are touched at random",
    };
    let of = if cache.method == HitRateMethod::Given {
        String::new()
    } else {
        format!(
            "; {} of cache for {} of it",
            cache.capacity.binary(),
            cache.working_set.binary()
        )
    };
    lines.push(format!(
        "{}: {} of metadata from DRAM{}{of}: {how}",
        workload.id,
        percent(cache.hit_rate.get()),
        from_devices(cache),
    ));
    filled(workload, cache, lines);
}

fn from_devices(cache: &CacheUse) -> String {
    let rate = cache.second_level_hit_rate.get();
    if rate > 0.0 {
        format!(", {} from cache devices", percent(rate))
    } else {
        String::new()
    }
}

/// What cache devices hold, where there are any.
fn filled(workload: &WorkloadOutcome, cache: &CacheUse, lines: &mut Vec<String>) {
    let Some(second) = &cache.second_level else { return };
    let held = if second.held < second.capacity {
        format!("{} of {}", second.held.binary(), second.capacity.binary())
    } else {
        second.capacity.binary()
    };
    lines.push(format!(
        "{}: cache devices hold {held} of it, and take {} to fill",
        workload.id, second.fill_time
    ));
}
