//! A what-if as CSV: one row for every figure of every variant, with that of the base beside it.

use bandgraph_study::{Change, Difference};
use bandgraph_units::QuantityKind;

use crate::WhatIfReport;
use crate::csv::csv_lines;

/// The columns of [`whatif_csv`].
pub const WHATIF_COLUMNS: [&str; 10] = [
    "scenario",
    "variant",
    "subject",
    "kind",
    "metric",
    "base",
    "variant_value",
    "difference",
    "relative",
    "unit",
];

/// `report` as CSV with a header row. Numbers are the shortest that read back as the same number; `relative`
/// is the difference over the figure of the base, and empty where that is none.
pub fn whatif_csv(report: &WhatIfReport) -> String {
    let mut lines = vec![WHATIF_COLUMNS.map(str::to_owned)];
    for case in &report.answers.variants {
        for row in rows(&case.difference) {
            let Change { before, after } = row.change;
            let relative = row
                .change
                .relative()
                .map_or_else(String::new, |share| share.to_string());
            lines.push([
                report.scenario().to_owned(),
                case.question.name.clone(),
                row.subject,
                row.kind.to_owned(),
                row.metric,
                before.to_string(),
                after.to_string(),
                (after - before).to_string(),
                relative,
                row.unit.to_owned(),
            ]);
        }
    }
    csv_lines(lines.into_iter())
}

/// One figure of both.
struct Row {
    subject: String,
    kind: &'static str,
    metric: String,
    change: Change<f64>,
    unit: &'static str,
}

const ONE: &str = "1";

/// Rates and latencies of the whole, then resources, sockets and the traffic of links, with the names of the
/// JSON.
fn rows(difference: &Difference) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut run = |metric: &str, change: Change<f64>, kind: QuantityKind| {
        rows.push(Row {
            subject: "run".to_owned(),
            kind: "run",
            metric: metric.to_owned(),
            change,
            unit: kind.base_unit(),
        });
    };
    run(
        "ops_per_s",
        difference.operations.in_base_units(),
        QuantityKind::OperationRate,
    );
    run(
        "payload_bytes_per_s",
        difference.payload.in_base_units(),
        QuantityKind::Bandwidth,
    );
    run(
        "network_bytes_per_s",
        difference.network.in_base_units(),
        QuantityKind::Bandwidth,
    );
    run(
        "disk_bytes_per_s",
        difference.disk.in_base_units(),
        QuantityKind::Bandwidth,
    );
    run(
        "latency_mean_s",
        difference.latency_mean.in_base_units(),
        QuantityKind::Time,
    );
    if let Some(Change { before, after }) = difference.percentiles {
        for (metric, before, after) in [
            ("latency_p50_s", before.p50, after.p50),
            ("latency_p95_s", before.p95, after.p95),
            ("latency_p99_s", before.p99, after.p99),
            ("latency_max_s", before.max, after.max),
        ] {
            run(
                metric,
                Change { before, after }.in_base_units(),
                QuantityKind::Time,
            );
        }
    }
    for resource in &difference.resources {
        let unit = resource.unit.as_str();
        for (metric, change, unit) in [
            ("capacity", resource.capacity, unit),
            ("rate", resource.rate, unit),
            ("saturation", resource.saturation, ONE),
        ] {
            rows.push(Row {
                subject: resource.id.clone(),
                kind: resource.kind.as_str(),
                metric: metric.to_owned(),
                change,
                unit,
            });
        }
    }
    for socket in &difference.sockets {
        for (metric, change, unit) in [
            ("busy", socket.busy, ONE),
            ("stalled", socket.stalled, ONE),
            ("cpi", socket.cycles_per_instruction, "cycles"),
        ] {
            rows.push(Row {
                subject: socket.id.clone(),
                kind: "socket",
                metric: metric.to_owned(),
                change,
                unit,
            });
        }
    }
    for link in &difference.links {
        let mut traffic = |metric: String, change: Change<f64>, kind: QuantityKind| {
            rows.push(Row {
                subject: link.id.clone(),
                kind: "link_traffic",
                metric,
                change,
                unit: kind.base_unit(),
            });
        };
        traffic(
            "bytes_per_s".to_owned(),
            link.rate.in_base_units(),
            QuantityKind::Bandwidth,
        );
        traffic(
            "bytes_per_op".to_owned(),
            link.per_operation.in_base_units(),
            QuantityKind::Bytes,
        );
        for ((cause, rate), (_, per_operation)) in link.by_cause.iter().zip(&link.per_operation_by_cause) {
            traffic(
                format!("{}_bytes_per_s", cause.as_str()),
                rate.in_base_units(),
                QuantityKind::Bandwidth,
            );
            traffic(
                format!("{}_bytes_per_op", cause.as_str()),
                per_operation.in_base_units(),
                QuantityKind::Bytes,
            );
        }
    }
    rows
}
