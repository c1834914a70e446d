//! What a replay saw of its trace, and how it compares with what was recorded.

use super::trace::skipped;
use super::words::{count_rate, counted, grouped, none, time};
use crate::RunDocument;
use crate::view::{Table, View};

/// The section of a replayed trace, where there is one.
pub(super) fn replay(page: &mut View, run: &RunDocument) {
    let Some(replay) = &run.replay else {
        return;
    };
    page.heading("Replay");
    let pace = match replay.timing.as_str() {
        "as-recorded" if replay.speed == 1.0 => "as recorded".to_owned(),
        "as-recorded" => format!("{} times as fast as recorded", replay.speed),
        _ => "as fast as possible".to_owned(),
    };
    let rate = |span: f64| count_rate(replay.operations as f64 / span.max(1e-9));
    page.paragraph(&format!(
        "{} ({}) as workload `{}`, {pace}: {} operations of {}, recorded over {} ({}), replayed in {} ({}).",
        replay.name,
        replay.format,
        replay.workload,
        grouped(replay.operations as f64),
        counted(replay.clients as f64, "client"),
        time(replay.recorded_span_s),
        rate(replay.recorded_span_s),
        time(replay.replayed_span_s),
        rate(replay.replayed_span_s),
    ));
    if replay.of_other_sizes > 0 {
        page.paragraph(&format!(
            "{} operations have a size that the beginning of the trace does not show; they are made of the two nearest.",
            grouped(replay.of_other_sizes as f64)
        ));
    }
    if replay.held > 0 {
        page.paragraph(&format!(
            "{} operations came later than recorded, since 65,536 were out, as many as a replay keeps; their latencies count \
             from when they were recorded.",
            grouped(replay.held as f64)
        ));
    }
    if replay.past_client_nics > 0 {
        page.paragraph(&format!(
            "{} operations are of kinds too rare among too many for the NICs of their clients to count; the server's ports do.",
            grouped(replay.past_client_nics as f64)
        ));
    }
    if let Some(recorded) = &replay.recorded_latency {
        let mut table = Table::of("latency | >mean | >p50 | >p95 | >p99 | >max");
        let mut workloads = run.workloads.iter();
        let found = workloads.find(|workload| workload.id == replay.workload);
        let recorded_row = format!("recorded ({} of them)", grouped(replay.recorded_latencies as f64));
        let replayed = found.map(|workload| ("replayed".to_owned(), &workload.latency));
        for (name, latency) in [(recorded_row, recorded)].into_iter().chain(replayed) {
            let points = [
                latency.mean_s,
                latency.p50_s,
                latency.p95_s,
                latency.p99_s,
                latency.max_s,
            ];
            let points = points.map(|point| point.map_or_else(none, time));
            let cells = [name].into_iter().chain(points);
            table.plain(cells);
        }
        page.table(table);
    }
    if !replay.skipped.reasons.is_empty() {
        skipped(page, &replay.skipped);
    }
}
