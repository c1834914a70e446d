//! The text of a what-if: the variants side by side, then what moved in each.

use bandgraph_study::{Case, Change, Difference, LinkDifference, Method, ResourceDifference};
use bandgraph_units::Bytes;

use super::certainty::gain_words;
use super::columns::{Columns, Side};
use super::options::{TextOptions, Tone};
use super::page::Page;
use super::words::{count_rate, headline, none, percent, signed_percent};
use crate::WhatIfReport;

/// Rows of the tables of links and of resources.
const ROWS: usize = 10;
/// A relative change in the bytes that an operation puts on a link below which there is none.
const SAME_BYTES: f64 = 1e-6;
/// A change in saturation that is worth a row.
const MOVED: f64 = 0.005;
/// Causes named for each link.
const CAUSES: usize = 2;

/// `report` as text for people. Layout and wording may change with any version: programs read JSON.
pub fn whatif_text(report: &WhatIfReport, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    page.toned(Tone::Heading, &format!("What if: {}", report.scenario()));
    variants(&mut page, report);
    results(&mut page, report);
    bottlenecks(&mut page, report);
    for case in &report.answers.variants {
        moved(&mut page, case);
    }
    footer(&mut page, report);
    page.finish()
}

/// The base, then the variants.
fn cases(report: &WhatIfReport) -> impl Iterator<Item = &Case> {
    std::iter::once(&report.answers.base).chain(&report.answers.variants)
}

/// What each variant is.
fn variants(page: &mut Page, report: &WhatIfReport) {
    page.heading("Variants");
    let mut table = Columns::default().column("", Side::Left).column("", Side::Left);
    for (index, case) in cases(report).enumerate() {
        let sets = match (index, case.question.sets.as_slice()) {
            (0, _) => vec![format!("as it is, on {}", case.question.scenario.topology.name())],
            (_, []) => vec!["nothing changed".to_owned()],
            (_, sets) => sets.to_vec(),
        };
        for (line, set) in sets.into_iter().enumerate() {
            let name = if line == 0 {
                case.question.name.clone()
            } else {
                String::new()
            };
            table.row(Tone::Plain, [name, set]);
        }
    }
    page.table(&table);
}

fn results(page: &mut Page, report: &WhatIfReport) {
    page.heading("Throughput and latency");
    let with_p99 = cases(report).all(|case| case.answer.outcome.latency.percentiles.is_some());
    let mut table = Columns::default()
        .column("", Side::Left)
        .column("operations", Side::Right)
        .column("", Side::Right)
        .optional("90 % belief", Side::Left)
        .column("network", Side::Right)
        .optional("", Side::Right)
        .column("mean latency", Side::Right)
        .column("", Side::Right);
    if with_p99 {
        table = table.optional("p99", Side::Right);
    }
    for (index, case) in cases(report).enumerate() {
        let outcome = &case.answer.outcome;
        let change = |relative: Option<f64>| match index {
            0 => String::new(),
            _ => relative.map_or_else(none, signed_percent),
        };
        let p99 = outcome
            .latency
            .percentiles
            .filter(|_| with_p99)
            .map(|points| points.p99.to_string());
        let figures = [
            case.question.name.clone(),
            count_rate(outcome.throughput.operations.get()),
            change(case.difference.operations.relative()),
            case.gain.as_ref().map(gain_words).unwrap_or_default(),
            outcome.throughput.network.decimal(),
            outcome.throughput.network.binary(),
            outcome.latency.mean.to_string(),
            change(case.difference.latency_mean.relative()),
        ];
        table.row(tone(index, &case.difference), figures.into_iter().chain(p99));
    }
    page.table(&table);
}

/// Better is good, worse is alarming.
fn tone(index: usize, difference: &Difference) -> Tone {
    const NOTICED: f64 = 0.005;
    match difference.operations.relative() {
        Some(change) if index > 0 && change > NOTICED => Tone::Good,
        Some(change) if index > 0 && change < -NOTICED => Tone::Alarm,
        _ => Tone::Plain,
    }
}

fn bottlenecks(page: &mut Page, report: &WhatIfReport) {
    page.heading("Bottlenecks");
    let mut table = Columns::default().column("", Side::Left).column("", Side::Left);
    for case in cases(report) {
        table.row(
            Tone::Plain,
            [
                case.question.name.clone(),
                headline(&case.answer.explained.bottleneck),
            ],
        );
    }
    page.table(&table);
}

/// What moved in one variant: its bottleneck in a sentence, bytes on links, and use of resources.
fn moved(page: &mut Page, case: &Case) {
    page.heading(&format!("What moves with {}", case.question.name));
    page.paragraph(&case.answer.explained.bottleneck.explanation);
    links(page, &case.difference);
    resources(page, &case.difference);
}

/// Which bytes left which link. Counted per operation, so that a faster server does not look as if it moved
/// more.
fn links(page: &mut Page, difference: &Difference) {
    let mut changed: Vec<&LinkDifference> = difference
        .links
        .iter()
        .filter(|link| differs(&link.per_operation))
        .collect();
    page.blank();
    if changed.is_empty() {
        if !difference.links.is_empty() {
            page.paragraph("Each operation puts as many bytes on every link between sockets as in the base.");
        }
        return;
    }
    let size = |link: &LinkDifference| link.per_operation.absolute().get().abs();
    changed.sort_by(|a, b| size(b).total_cmp(&size(a)));
    page.paragraph("Bytes that one operation puts on links between sockets:");
    let mut table = Columns::default()
        .column("link", Side::Left)
        .column("base", Side::Right)
        .column("now", Side::Right)
        .column("change", Side::Right)
        .optional("mostly", Side::Left);
    for link in changed.iter().take(ROWS) {
        table.row(
            Tone::Plain,
            [
                link.id.trim_start_matches("link.").to_owned(),
                link.per_operation.before.decimal(),
                link.per_operation.after.decimal(),
                link.per_operation.relative().map_or_else(none, signed_percent),
                mostly(link),
            ],
        );
    }
    page.table(&table);
    more(page, changed.len(), "links");
}

fn differs(change: &Change<Bytes>) -> bool {
    let scale = change.before.max(change.after).get();
    scale > 0.0 && change.absolute().get().abs() > SAME_BYTES * scale
}

/// The causes that make most of a change, the largest first.
fn mostly(link: &LinkDifference) -> String {
    let mut causes: Vec<(&str, Bytes)> = link
        .per_operation_by_cause
        .iter()
        .filter(|(_, change)| differs(change))
        .map(|(cause, change)| (cause.as_str(), change.absolute()))
        .collect();
    causes.sort_by(|a, b| b.1.get().abs().total_cmp(&a.1.get().abs()));
    let words = causes.into_iter().take(CAUSES).map(|(cause, bytes)| {
        let sign = if bytes.get() < 0.0 { "-" } else { "+" };
        format!("{cause} {sign}{}", Bytes::new(bytes.get().abs()).decimal())
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The resources whose use changed most.
fn resources(page: &mut Page, difference: &Difference) {
    let size = |resource: &ResourceDifference| resource.saturation.absolute().abs();
    let mut changed: Vec<&ResourceDifference> = difference
        .resources
        .iter()
        .filter(|resource| size(resource) > MOVED)
        .collect();
    if changed.is_empty() {
        return;
    }
    changed.sort_by(|a, b| size(b).total_cmp(&size(a)));
    page.blank();
    page.paragraph("Use of resources, of what each can do in practice:");
    let mut table = Columns::default()
        .column("resource", Side::Left)
        .column("base", Side::Right)
        .column("now", Side::Right);
    for resource in changed.iter().take(ROWS) {
        let share = |capacity: f64, saturation: f64| {
            if capacity > 0.0 {
                percent(saturation)
            } else {
                none()
            }
        };
        table.row(
            Tone::Plain,
            [
                resource.id.clone(),
                share(resource.capacity.before, resource.saturation.before),
                share(resource.capacity.after, resource.saturation.after),
            ],
        );
    }
    page.table(&table);
    more(page, changed.len(), "resources");
}

/// Says how many did not fit the table.
fn more(page: &mut Page, count: usize, what: &str) {
    if count > ROWS {
        page.paragraph(&format!("{} more {what} changed less.", count - ROWS));
    }
}

fn footer(page: &mut Page, report: &WhatIfReport) {
    page.blank();
    let how = match report.answers.method {
        Method::Predict => "predicted, without events",
        Method::Simulate => "simulated",
    };
    page.toned(Tone::Faint, &format!("bandgraph {}, {how}", crate::VERSION));
}
