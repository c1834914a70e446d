//! What the cache did, where it did not hold everything.

use bandgraph_units::Bytes;
use bandgraph_workload::OperationKind;

use super::words::{percent, time};
use crate::RunDocument;
use crate::json::{CacheDocument, WorkloadDocument};
use crate::view::View;

/// Paragraphs for every workload whose data or metadata does not all fit in the cache, and for those of whose
/// metadata nothing is said.
pub(super) fn cache(page: &mut View, run: &RunDocument) {
    let mut lines = Vec::new();
    for workload in &run.workloads {
        if reads(workload) && !is_all_there(&workload.cache) {
            of_data(workload, &mut lines);
        }
        if let Some(metadata) = workload.metadata.as_ref().filter(|of| !is_all_there(of)) {
            of_metadata(workload, metadata, &mut lines);
        }
    }
    let assumed: Vec<&str> = run
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

/// That reads come from memory alone because the working sets fit, where no scenario says so: many a reader
/// expects the drives.
pub(super) fn all_cached(run: &RunDocument) -> Option<String> {
    let fits = |workload: &&WorkloadDocument| reads(workload) && workload.cache.method == "fits";
    let cached: Vec<&WorkloadDocument> = run.workloads.iter().filter(fits).collect();
    if cached.is_empty() {
        return None;
    }
    let all = run.workloads.iter().filter(|workload| reads(workload)).count();
    let of = if cached.len() < all {
        let ids: Vec<&str> = cached.iter().map(|workload| workload.id.as_str()).collect();
        format!(" of {}", ids.join(", "))
    } else {
        String::new()
    };
    let held = if let [only] = cached.as_slice() {
        let [capacity, size] = [only.cache.capacity_bytes, only.cache.working_set_bytes];
        format!(
            " of {} holds the working set of {}",
            binary(capacity),
            as_written(size)
        )
    } else {
        " holds the working sets".to_owned()
    };
    Some(format!("Reads{of}: all from memory, whose cache{held}"))
}

/// Whether there is nothing to say of a use of the cache.
fn is_all_there(cache: &CacheDocument) -> bool {
    matches!(cache.method.as_str(), "fits" | "no_data")
}

/// Whether a workload reads; one of other formats says nothing of its operations.
fn reads(workload: &WorkloadDocument) -> bool {
    let read = OperationKind::Read.name();
    let mut operations = workload.operations.iter();
    workload.operations.is_empty() || operations.any(|operation| operation.operation == read)
}

/// Whether a workload asks for metadata of which nothing is known, besides that of its data.
fn assumes_cached_metadata(workload: &WorkloadDocument) -> bool {
    let operations = workload.operations.iter();
    let mut kinds = operations.filter_map(|operation| operation.operation.parse().ok());
    workload.metadata.is_none() && kinds.any(OperationKind::touches_names)
}

fn of_data(workload: &WorkloadDocument, lines: &mut Vec<String>) {
    let cache = &workload.cache;
    let capacity = binary(cache.capacity_bytes);
    let of = match cache.method.as_str() {
        // The size of the cache does not matter.
        "given" | "direct" => String::new(),
        "reuse" => format!("; {capacity} of cache"),
        "blocks" | "sampled_blocks" => format!(
            "; {capacity} of cache for a working set of {} in whole records",
            as_written(cache.working_set_bytes)
        ),
        _ => format!(
            "; {capacity} of cache for a working set of {}",
            as_written(cache.working_set_bytes)
        ),
    };
    lines.push(format!(
        "{}: {} of reads from DRAM{}{of}: {}",
        workload.id,
        percent(cache.hit_rate),
        from_devices(cache),
        cache.explanation,
    ));
    filled(workload, cache, lines);
}

fn of_metadata(workload: &WorkloadDocument, cache: &CacheDocument, lines: &mut Vec<String>) {
    let how = match cache.method.as_str() {
        "given" => "as the scenario says",
        "cold_random" => "what had been touched before, from caches that were empty at the start of the run",
        "blocks" | "sampled_blocks" => "that of each file of the trace, from an empty cache",
        _ => "blocks are touched at random",
    };
    let of = if cache.method == "given" {
        String::new()
    } else {
        format!(
            "; {} of cache for {} of it",
            binary(cache.capacity_bytes),
            binary(cache.working_set_bytes)
        )
    };
    lines.push(format!(
        "{}: {} of metadata from DRAM{}{of}: {how}",
        workload.id,
        percent(cache.hit_rate),
        from_devices(cache),
    ));
    filled(workload, cache, lines);
}

fn from_devices(cache: &CacheDocument) -> String {
    let rate = cache.second_level_hit_rate;
    if rate > 0.0 {
        format!(", {} from cache devices", percent(rate))
    } else {
        String::new()
    }
}

/// What cache devices hold, where there are any.
fn filled(workload: &WorkloadDocument, cache: &CacheDocument, lines: &mut Vec<String>) {
    let Some(second) = &cache.second_level else { return };
    let held = if second.held_bytes < second.capacity_bytes {
        format!(
            "{} of {}",
            binary(second.held_bytes),
            binary(second.capacity_bytes)
        )
    } else {
        binary(second.capacity_bytes)
    };
    lines.push(format!(
        "{}: cache devices hold {held} of it, and take {} to fill",
        workload.id,
        time(second.fill_s)
    ));
}

/// In decimal units where that is exact, as files write `20 TB`; else in binary units.
fn as_written(bytes: f64) -> String {
    let decimal = Bytes::new(bytes).decimal();
    if decimal.parse() == Ok(Bytes::new(bytes)) {
        decimal
    } else {
        binary(bytes)
    }
}

fn binary(bytes: f64) -> String {
    Bytes::new(bytes).binary()
}
