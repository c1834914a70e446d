//! The text of `trace stat`: what a trace is like, for people.

use bandgraph_import::trace::stat::{CachePoint, LatencyStatistics, SequentialStatistics, SizeStatistics};
use bandgraph_units::{Bandwidth, Bytes, QuantityKind, Time, significant};

use super::provenance::provenance;
use super::words::{count_rate, counted, grouped, none, percent};
use crate::TraceReport;
use crate::json::TraceSkippedDocument;
use crate::view::{Cell, Table, Tone, View};

/// Sizes in the table of sizes; the others are summed up.
const SIZES: usize = 6;
/// Rows of the tables of rates and of cache sizes.
const ROWS: usize = 16;
/// The longest bar worth drawing.
const BAR: usize = 24;

/// `report` for people: programs read JSON.
pub fn trace_view(report: &TraceReport) -> View {
    let mut page = View::new();
    page.title(format!("Trace: {}", report.name));
    head(&mut page, report);
    operations(&mut page, report);
    data(&mut page, report);
    cache(&mut page, report);
    rates(&mut page, report);
    if report.skipped.counts().next().is_some() {
        page.heading("Skipped and repaired lines");
        skipped(&mut page, &TraceSkippedDocument::new(&report.skipped));
    }
    page.blank();
    provenance(&mut page, crate::VERSION, "", &[]);
    page
}

fn time(ns: f64) -> String {
    Time::new(ns / 1e9).to_string()
}

fn head(page: &mut View, report: &TraceReport) {
    let summary = &report.summary;
    let compressed = match report.compression {
        bandgraph_import::Compression::None => String::new(),
        compression => format!(", {}", compression.as_str()),
    };
    page.toned(
        Tone::Plain,
        &format!(
            "{}{compressed}, {} in {}",
            report.format,
            Bytes::new(report.bytes_read as f64).decimal(),
            counted(report.lines as f64, "line")
        ),
    );
    page.blank();
    let files = match (report.format.has_files(), summary.files < 1.5) {
        (true, true) => "file",
        (true, false) => "files",
        (false, true) => "device or file",
        (false, false) => "devices or files",
    };
    let rates = if summary.span_ns > 0 {
        let seconds = summary.span_ns as f64 / 1e9;
        let bytes: f64 = summary
            .by_operation
            .iter()
            .map(|operation| operation.bytes as f64)
            .sum();
        format!(
            " in {}: {}, {}",
            time(summary.span_ns as f64),
            count_rate(summary.operations as f64 / seconds),
            Bandwidth::new(bytes / seconds).decimal()
        )
    } else {
        String::new()
    };
    page.paragraph(&format!(
        "{} operations of {} on {} {files}{rates}.",
        grouped(summary.operations as f64),
        counted(f64::from(summary.clients), "client"),
        grouped(summary.files)
    ));
    if let Some(most) = summary.concurrency_max {
        let mean = summary.concurrency_mean.map_or(String::new(), |mean| {
            format!("{} on average, ", significant(mean, 3))
        });
        page.paragraph(&format!("In flight: {mean}{} at most.", grouped(most as f64)));
    }
}

fn operations(page: &mut View, report: &TraceReport) {
    let summary = &report.summary;
    if summary.by_operation.is_empty() {
        return;
    }
    page.heading("Operations");
    let mut table = Table::of("operation | >count | >share | >data | ?>latency | ?>median | >p99");
    for operation in &summary.by_operation {
        let latency = |of: fn(&LatencyStatistics) -> f64| {
            operation
                .latency
                .as_ref()
                .map_or_else(none, |latency| time(of(latency)))
        };
        table.plain([
            operation.operation.name().to_owned(),
            grouped(operation.count as f64),
            percent(operation.count as f64 / summary.operations as f64),
            if operation.operation.moves_data() {
                Bytes::new(operation.bytes as f64).decimal()
            } else {
                none()
            },
            latency(|latency| latency.mean_ns),
            latency(|latency| latency.p50_ns as f64),
            latency(|latency| latency.p99_ns as f64),
        ]);
    }
    page.table(table);
}

fn data(page: &mut View, report: &TraceReport) {
    let summary = &report.summary;
    for (name, sizes, sequential) in [
        ("Reads", &summary.reads, &summary.sequential_reads),
        ("Writes", &summary.writes, &summary.sequential_writes),
    ] {
        if sequential.share.is_some() {
            page.heading(name);
            page.paragraph(&format!(
                "{}, {} on average. {}{}",
                listed(sizes),
                exact(sizes.mean_bytes.round()),
                in_order(sequential),
                match summary.stable_share {
                    Some(share) if name == "Writes" && share > 0.0 => format!(
                        " {} had to be on stable storage before their reply.",
                        percent(share)
                    ),
                    _ => String::new(),
                }
            ));
        }
    }
}

/// A size as exact as people can read.
fn exact(bytes: f64) -> String {
    Bytes::new(bytes).binary()
}

fn listed(sizes: &SizeStatistics) -> String {
    let all = sizes.sizes.iter().map(|(_, count)| *count).sum::<u64>() + sizes.others;
    let share = |count: u64| percent(count as f64 / all as f64);
    let mut words: Vec<String> = sizes
        .sizes
        .iter()
        .take(SIZES)
        .map(|(bytes, count)| format!("{} {}", share(*count), exact(*bytes as f64)))
        .collect();
    let rest = all
        - sizes
            .sizes
            .iter()
            .take(SIZES)
            .map(|(_, count)| *count)
            .sum::<u64>();
    if rest > 0 {
        words.push(format!("{} other sizes", share(rest)));
    }
    words.join(", ")
}

fn in_order(sequential: &SequentialStatistics) -> String {
    match (sequential.share, sequential.run_bytes) {
        (Some(share), Some(run)) => format!(
            "{} continue where the one before ended; a sequential run is {} on average.",
            percent(share),
            exact(run.round())
        ),
        _ => String::new(),
    }
}

/// The step at which to take rows out of `count`, so that at most [`ROWS`] are left.
fn thinned(count: usize) -> usize {
    count.div_ceil(ROWS).max(1)
}

fn cache(page: &mut View, report: &TraceReport) {
    let summary = &report.summary;
    if summary.footprint_bytes == 0.0 {
        return;
    }
    page.heading("Working set");
    page.paragraph(&format!(
        "{} of distinct data. Share of the data read that an LRU cache of each size would have held:",
        exact(summary.footprint_bytes)
    ));
    if summary.cache.is_empty() {
        page.paragraph("none at any size: no data is read twice.");
        return;
    }
    let mut table = Table::of(">cache | >hits").bars("", BAR..=BAR);
    let step = thinned(summary.cache.len());
    // The last one is where more brings no more: it has to be there.
    let shown: Vec<&CachePoint> = summary.cache.iter().rev().step_by(step).collect();
    for point in shown.into_iter().rev() {
        table.plain([
            exact(point.bytes).into(),
            percent(point.hits).into(),
            Cell::Bar(point.hits),
        ]);
    }
    page.table(table);
}

fn rates(page: &mut View, report: &TraceReport) {
    let summary = &report.summary;
    if summary.rates.len() < 2 {
        return;
    }
    page.heading("Over time");
    let step = thinned(summary.rates.len());
    let seconds = summary.bin_ns as f64 * step as f64 / 1e9;
    let bins: Vec<(u64, u64)> = summary
        .rates
        .chunks(step)
        .map(|bins| {
            (
                bins.iter().map(|bin| bin.operations).sum(),
                bins.iter().map(|bin| bin.bytes).fold(0, u64::saturating_add),
            )
        })
        .collect();
    let most = bins.iter().map(|(operations, _)| *operations).max().unwrap_or(0);
    let mut table = Table::of(">from | >operations | >data").bars("", BAR..=BAR);
    let last = bins.len() - 1;
    for (index, (operations, bytes)) in bins.into_iter().enumerate() {
        let from = seconds * index as f64;
        // The trace ends in the last one. A short rest of it says little, and is left out.
        let whole = seconds;
        let seconds = if index == last {
            summary.span_ns as f64 / 1e9 - from
        } else {
            whole
        };
        if seconds < whole / 2.0 {
            continue;
        }
        table.plain([
            QuantityKind::Time.format(from).into(),
            count_rate(operations as f64 / seconds).into(),
            Bandwidth::new(bytes as f64 / seconds).decimal().into(),
            Cell::Bar(operations as f64 / seconds * whole / most.max(1) as f64),
        ]);
    }
    page.table(table);
}

/// What was not taken as it stands, and the first bad lines.
pub(crate) fn skipped(page: &mut View, skipped: &TraceSkippedDocument) {
    let mut table = Table::of(">how often | what | so");
    for reason in &skipped.reasons {
        table.plain([
            grouped(reason.count as f64),
            reason.words.clone(),
            if reason.skipped { "skipped" } else { "kept" }.to_owned(),
        ]);
    }
    page.table(table);
    if !skipped.first.is_empty() {
        page.blank();
        for malformed in &skipped.first {
            page.paragraph(&malformed.words);
        }
    }
}
