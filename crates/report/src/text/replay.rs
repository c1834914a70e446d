//! What a replay saw of its trace, and how it compares with what was recorded.

use bandgraph_simulate::Timing;
use bandgraph_solve::Percentiles;

use super::columns::{Columns, Side};
use super::options::Tone;
use super::page::Page;
use super::trace::skipped;
use super::words::{count_rate, counted, grouped};
use crate::RunReport;

/// The section of a replayed trace, where there is one.
pub(super) fn replay(page: &mut Page, report: &RunReport) {
    let Some(replay) = &report.replay else {
        return;
    };
    let summary = &replay.summary;
    page.heading("Replay");
    let pace = match summary.timing {
        Timing::AsRecorded if summary.speed == 1.0 => "as recorded".to_owned(),
        Timing::AsRecorded => format!("{} times as fast as recorded", summary.speed),
        Timing::AsFastAsPossible => "as fast as possible".to_owned(),
    };
    let rate = |span: f64| count_rate(summary.operations as f64 / span.max(1e-9));
    page.paragraph(&format!(
        "{} ({}) as workload `{}`, {pace}: {} operations of {}, recorded over {} ({}), replayed in {} ({}).",
        replay.name,
        replay.format,
        replay.workload,
        grouped(summary.operations as f64),
        counted(summary.clients as f64, "client"),
        summary.recorded_span,
        rate(summary.recorded_span.get()),
        summary.replayed_span,
        rate(summary.replayed_span.get()),
    ));
    if summary.of_other_sizes > 0 {
        page.paragraph(&format!(
            "{} operations have a size that the beginning of the trace does not show; they are made of the two nearest.",
            grouped(summary.of_other_sizes as f64)
        ));
    }
    if summary.held > 0 {
        page.paragraph(&format!(
            "{} operations came later than recorded, since 65,536 were out, as many as a replay keeps; their latencies count \
             from when they were recorded.",
            grouped(summary.held as f64)
        ));
    }
    if summary.past_nics > 0 {
        page.paragraph(&format!(
            "{} operations are of kinds too rare among too many for the NICs of their clients to count; the server's ports do.",
            grouped(summary.past_nics as f64)
        ));
    }
    if let Some((recorded, count)) = &summary.recorded_latency {
        let mut table = Columns::default()
            .column("latency", Side::Left)
            .column("mean", Side::Right)
            .column("p50", Side::Right)
            .column("p95", Side::Right)
            .column("p99", Side::Right)
            .column("max", Side::Right);
        let found = report
            .outcome
            .workloads
            .iter()
            .find(|workload| workload.id == replay.workload);
        let rows = [
            (
                format!("recorded ({} of them)", grouped(*count as f64)),
                Some(*recorded),
            ),
            ("replayed".to_owned(), found.map(|workload| workload.latency)),
        ];
        for (name, latency) in rows {
            let Some(latency) = latency else { continue };
            let Percentiles { p50, p95, p99, max } = latency.percentiles.unwrap_or_default();
            let figures = [latency.mean, p50, p95, p99, max].map(|time| time.to_string());
            table.row(Tone::Plain, std::iter::once(name).chain(figures));
        }
        page.table(&table);
    }
    if replay.skipped.counts().next().is_some() {
        skipped(page, &replay.skipped);
    }
}
