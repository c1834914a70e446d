//! The kinds of operations of a mix, and what each costs the server.

use bandgraph_units::{Bytes, significant};

use super::words::{count_rate, none, percent, time};
use crate::RunDocument;
use crate::json::{OperationDocument, WorkloadDocument};
use crate::view::{Side, Table, View};

/// A table of the operations of every workload that has several kinds of them.
pub(super) fn operations(page: &mut View, run: &RunDocument) {
    let mixed: Vec<&WorkloadDocument> = run
        .workloads
        .iter()
        .filter(|workload| workload.operations.len() > 1)
        .collect();
    if mixed.is_empty() {
        return;
    }
    page.heading("Operations");
    let several = mixed.len() > 1;
    let mut table = Table::default();
    if several {
        table = table.column("workload", Side::Left);
    }
    table = table
        .column("operation", Side::Left)
        .column("rate", Side::Right)
        .column("instructions", Side::Right)
        .column("cycles", Side::Right)
        .column("of all cycles", Side::Right)
        .optional("disk bytes", Side::Right)
        .column("mean latency", Side::Right);
    let cycles = |operation: &OperationDocument| operation.ops_per_s * operation.cycles;
    let all: f64 = run
        .workloads
        .iter()
        .flat_map(|workload| &workload.operations)
        .map(cycles)
        .sum();
    for workload in mixed {
        for (at, operation) in workload.operations.iter().enumerate() {
            let id = if at == 0 {
                workload.id.clone()
            } else {
                String::new()
            };
            let disk = if operation.disk_bytes > 0.0 {
                Bytes::new(operation.disk_bytes).binary()
            } else {
                none()
            };
            let figures = [
                operation.operation.clone(),
                count_rate(operation.ops_per_s),
                thousands(operation.instructions),
                thousands(operation.cycles),
                percent(if all > 0.0 { cycles(operation) / all } else { 0.0 }),
                disk,
                time(operation.latency_mean_s),
            ];
            table.plain(several.then_some(id).into_iter().chain(figures));
        }
    }
    page.table(table);
}

/// A number of instructions or cycles: thousands of them.
fn thousands(number: f64) -> String {
    format!("{}k", significant(number / 1e3, 3))
}
