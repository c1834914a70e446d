//! What the server draws, as text.

use super::columns::{Columns, Side};
use super::options::Tone;
use super::page::Page;
use crate::RunReport;
use bandgraph_units::significant;

/// A table of components by kind, where their parts say what they draw.
pub(super) fn power(page: &mut Page, report: &RunReport) {
    let Some(power) = &report.outcome.power else {
        return;
    };
    page.heading("Power");
    let mut table = Columns::default()
        .column("", Side::Left)
        .column("count", Side::Right)
        .column("idle", Side::Right)
        .column("drawn", Side::Right);
    let known = power.by_kind.iter().filter(|kind| kind.unknown < kind.count);
    for kind in known.filter(|kind| kind.drawn.get() > 0.0) {
        table.row(
            Tone::Plain,
            [
                kind.kind.as_str().replace('-', " "),
                kind.count.to_string(),
                kind.idle.to_string(),
                kind.drawn.to_string(),
            ],
        );
    }
    let idle_behind: f64 = power.by_kind.iter().map(|kind| kind.idle.get()).sum();
    if power.supply_loss.get() > 0.0 {
        let idle_loss = bandgraph_units::Power::new(power.idle.get() - idle_behind);
        let loss = [idle_loss.to_string(), power.supply_loss.to_string()];
        table.row(
            Tone::Plain,
            ["lost in supplies".to_owned(), String::new()]
                .into_iter()
                .chain(loss),
        );
    }
    table.row(
        Tone::Plain,
        [
            "at the wall".to_owned(),
            String::new(),
            power.idle.to_string(),
            power.drawn.to_string(),
        ],
    );
    page.table(&table);
    let operations = report.outcome.throughput.operations.get();
    if let Some(each) = power.operations_per_watt(operations) {
        page.paragraph(&format!(
            "{} operations a second for every watt.",
            significant(each, 3)
        ));
    }
    let silent: Vec<String> = power
        .by_kind
        .iter()
        .filter(|kind| kind.unknown > 0)
        .map(|kind| format!("{} ({})", kind.kind.as_str().replace('-', " "), kind.unknown))
        .collect();
    if !silent.is_empty() {
        page.paragraph(&format!(
            "Nothing counted for parts that do not say what they draw: {}.",
            silent.join(", ")
        ));
    }
}
