//! What the server draws, as text.

use crate::RunDocument;
use crate::view::{Table, View};
use bandgraph_units::{Power, significant};

/// A table of components by kind, where their parts say what they draw.
pub(super) fn power(page: &mut View, run: &RunDocument) {
    let Some(power) = &run.power else {
        return;
    };
    page.heading("Power");
    let mut table = Table::of("(kind) | >count | >idle | >drawn");
    let known = power.by_kind.iter().filter(|kind| kind.unknown < kind.count);
    for kind in known.filter(|kind| kind.watts > 0.0) {
        table.plain([
            kind.kind.replace('-', " "),
            kind.count.to_string(),
            watts(kind.idle_watts),
            watts(kind.watts),
        ]);
    }
    let idle_behind: f64 = power.by_kind.iter().map(|kind| kind.idle_watts).sum();
    if power.supply_loss_watts > 0.0 {
        let loss = [power.idle_watts - idle_behind, power.supply_loss_watts].map(watts);
        table.plain(
            ["lost in supplies".to_owned(), String::new()]
                .into_iter()
                .chain(loss),
        );
    }
    table.plain([
        "at the wall".to_owned(),
        String::new(),
        watts(power.idle_watts),
        watts(power.watts),
    ]);
    page.table(table);
    if let Some(each) = power.ops_per_watt {
        page.paragraph(&format!(
            "{} operations a second for every watt.",
            significant(each, 3)
        ));
    }
    let silent: Vec<String> = power
        .by_kind
        .iter()
        .filter(|kind| kind.unknown > 0)
        .map(|kind| format!("{} ({})", kind.kind.replace('-', " "), kind.unknown))
        .collect();
    if !silent.is_empty() {
        page.paragraph(&format!(
            "Nothing counted for parts that do not say what they draw: {}.",
            silent.join(", ")
        ));
    }
}

fn watts(power: f64) -> String {
    Power::new(power).to_string()
}
