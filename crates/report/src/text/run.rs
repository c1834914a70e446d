//! The text of a run, for people: the answer first, then the figures behind it.

use bandgraph_model::LinkTraffic;
use bandgraph_solve::{Latency, Mode, ResourceUse, Throughput};
use bandgraph_units::{Bandwidth, Fraction, Time, significant};

use super::bar::bar;
use super::busiest::{Busy, busiest};
use super::cache::cache;
use super::certainty::{certainty, rounded, span};
use super::columns::{Columns, Side};
use super::operations::operations;
use super::options::{TextOptions, Tone};
use super::page::Page;
use super::power::power;
use super::replay::replay;
use super::verdicts::{expectations, measured};
use super::words::{
    count_rate, grouped, headline, none, percent, rate_words, resource_in_words, signed_percent,
};
use crate::RunReport;

/// Rows of the table of the busiest resources; the others are summed up in a line.
const BUSIEST: usize = 10;
/// Links in the table of traffic by cause.
const HOTTEST_LINKS: usize = 3;
/// Saturation above which a resource counts as full.
const FULL: f64 = 0.99;
/// A gain in throughput below this is none.
const NO_GAIN: f64 = 0.0005;
/// The shortest and the longest bar worth drawing.
const BAR_WIDTHS: std::ops::RangeInclusive<usize> = 8..=40;

/// `report` as text for people. Layout and wording may change with any version: programs read JSON.
pub fn run_text(report: &RunReport, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    title(&mut page, report);
    warnings(&mut page, report);
    answer(&mut page, report);
    rates(&mut page, report);
    replay(&mut page, report);
    cache(&mut page, report);
    resources(&mut page, report);
    sockets(&mut page, report);
    power(&mut page, report);
    link_traffic(&mut page, report);
    workloads(&mut page, report);
    operations(&mut page, report);
    measured(&mut page, report);
    expectations(&mut page, report);
    footer(&mut page, report);
    page.finish()
}

fn title(page: &mut Page, report: &RunReport) {
    page.toned(Tone::Heading, &report.scenario);
    if report.topology != report.scenario {
        page.toned(Tone::Plain, &format!("on {}", report.topology));
    }
    let of = &report.provenance;
    let mut words = Vec::new();
    if !of.file.is_empty() {
        words.push(of.file.clone());
    }
    let default = if of.is_default { " (the default)" } else { "" };
    words.push(format!("software {}{default}", of.profile));
    if !of.sets.is_empty() {
        words.push(format!("with {}", of.sets.join(", ")));
    }
    page.toned(Tone::Faint, &words.join("; "));
}

/// The bottleneck, and what comes after it.
fn answer(page: &mut Page, report: &RunReport) {
    let bottleneck = &report.explained.bottleneck;
    page.blank();
    page.toned(Tone::Alarm, &format!("Bottleneck: {}", headline(bottleneck)));
    page.paragraph(&bottleneck.explanation);
    let Some(relief) = &report.explained.relief else {
        return;
    };
    page.blank();
    page.toned(Tone::Heading, &format!("Next: {}", headline(&relief.next)));
    page.paragraph(&relief.next.explanation);
    let reached = &relief.throughput;
    let gain = if relief.throughput_gain < NO_GAIN {
        "nothing".to_owned()
    } else {
        format!("{} more", percent(relief.throughput_gain))
    };
    let network = if reached.network > Bandwidth::ZERO {
        format!(
            ", {} ({}) on the network",
            reached.network.decimal(),
            reached.network.binary()
        )
    } else {
        String::new()
    };
    page.paragraph(&format!(
        "Relieving the first alone would bring {gain}: {}{network}.",
        count_rate(reached.operations.get())
    ));
}

fn warnings(page: &mut Page, report: &RunReport) {
    for warning in &report.warnings {
        page.blank();
        page.toned(Tone::Alarm, &format!("Warning: {warning}."));
    }
}

/// Throughput and latency of the whole.
fn rates(page: &mut Page, report: &RunReport) {
    let throughput = &report.outcome.throughput;
    page.heading("Throughput");
    let intervals = report.uncertainty.as_ref().map(|found| {
        let [factor, _] = report.interval_factors();
        [found.operations, found.payload, found.network].map(|interval| interval.scaled(factor))
    });
    let between = |which: usize, words: fn(f64) -> String| {
        let interval = intervals.map(|intervals| intervals[which]);
        interval.map_or_else(String::new, |interval| {
            span(&words(rounded(interval.low)), &words(rounded(interval.high)))
        })
    };
    let heading = if intervals.is_some() { "90 % interval" } else { "" };
    let mut table = Columns::default()
        .column("", Side::Left)
        .column("", Side::Right)
        .column("", Side::Right)
        .column(heading, Side::Left);
    let bytes = |value: f64| Bandwidth::new(value).decimal();
    table.row(
        Tone::Plain,
        [
            "operations".to_owned(),
            count_rate(throughput.operations.get()),
            String::new(),
            between(0, count_rate),
        ],
    );
    let mut bandwidth = |name: &str, value: Bandwidth, between: String| {
        table.row(
            Tone::Plain,
            [name.to_owned(), value.decimal(), value.binary(), between],
        );
    };
    for (name, value, between) in [
        ("payload", throughput.payload, between(1, bytes)),
        ("network", throughput.network, between(2, bytes)),
        ("disk", throughput.disk, String::new()),
    ] {
        // Work that does not use one of them is not reported as doing none of it.
        if value > Bandwidth::ZERO {
            bandwidth(name, value, between);
        }
    }
    page.table(&table);

    jobs(page, report);
    page.heading("Latency");
    page.paragraph(&latency_words(&report.outcome.latency));
    if let Some(found) = &report.uncertainty {
        certainty(page, found);
    }
}

/// How long jobs take, where there are any.
fn jobs(page: &mut Page, report: &RunReport) {
    let Some(all) = report.outcome.elapsed else { return };
    page.heading("Jobs");
    let done = |elapsed: Time| format!("done after {elapsed}");
    let mut workloads = report.outcome.workloads.iter();
    let several = report.outcome.workloads.len() > 1;
    for workload in workloads.by_ref().filter(|_| several) {
        if let Some(elapsed) = workload.elapsed {
            page.paragraph(&format!("{}: {}", workload.id, done(elapsed)));
        }
    }
    page.paragraph(&format!("all {}", done(all)));
}

fn latency_words(latency: &Latency) -> String {
    match &latency.percentiles {
        None => format!("mean {}", latency.mean),
        Some(points) => format!(
            "mean {}, p50 {}, p95 {}, p99 {}, max {}",
            latency.mean, points.p50, points.p95, points.p99, points.max
        ),
    }
}

/// The resources that are used most, with bars.
fn resources(page: &mut Page, report: &RunReport) {
    let rows = busiest(&report.outcome.resources);
    let (shown, others) = rows.split_at(rows.len().min(BUSIEST));
    if shown.is_empty() {
        return;
    }
    page.heading("Busiest resources");
    let options = *page.options();
    // Bars are worth more than the kind, which most ids begin with.
    let mut table = resource_table(shown, true);
    if table.room(options.width) < *BAR_WIDTHS.start() {
        table = resource_table(shown, false);
    }
    let width = table.room(options.width).min(*BAR_WIDTHS.end());
    if width >= *BAR_WIDTHS.start() {
        let bars = shown.iter().map(|row| {
            bar(
                row.resource.utilisation(),
                row.resource.ceiling,
                width,
                options.ascii,
            )
        });
        table.attach("of raw; | ceiling", bars);
    }
    page.table(&table);
    if let Some(fullest) = others.first() {
        page.paragraph(&format!(
            "{} more, the fullest of them {} at {} of what it can do.",
            others.len(),
            fullest.name,
            Fraction::new(fullest.resource.saturation()),
        ));
    }
}

/// The table of the resources in `rows`, with their kinds or without.
fn resource_table(rows: &[Busy<'_>], with_kind: bool) -> Columns {
    let mut table = Columns::default().column("resource", Side::Left);
    if with_kind {
        table = table.optional("kind", Side::Left);
    }
    table = table
        .column("rate", Side::Right)
        .column("capacity", Side::Right)
        .column("used", Side::Right);
    for Busy { name, resource } in rows {
        let kind = with_kind
            .then(|| resource_in_words(resource.kind.as_str(), resource.technology.as_deref()).to_owned());
        let figures = [
            rate_words(resource.unit, resource.rate),
            rate_words(resource.unit, resource.capacity),
            percent(resource.utilisation()),
        ];
        table.row(
            tone_of(resource),
            std::iter::once(name.clone()).chain(kind).chain(figures),
        );
    }
    table
}

fn tone_of(resource: &ResourceUse) -> Tone {
    if resource.saturation() >= FULL {
        Tone::Alarm
    } else {
        Tone::Plain
    }
}

fn sockets(page: &mut Page, report: &RunReport) {
    if report.outcome.sockets.is_empty() {
        return;
    }
    page.heading("Sockets");
    let mut table = Columns::default()
        .column("socket", Side::Left)
        .column("busy", Side::Right)
        .column("stalled", Side::Right)
        .column("cycles/instruction", Side::Right)
        .column("miss latency", Side::Right);
    for socket in &report.outcome.sockets {
        table.row(
            Tone::Plain,
            [
                socket.id.clone(),
                percent(socket.busy),
                percent(socket.stalled),
                significant(socket.cycles_per_instruction, 3),
                socket.miss_latency.to_string(),
            ],
        );
    }
    page.table(&table);
}

/// What crosses the hottest socket links, by cause.
fn link_traffic(page: &mut Page, report: &RunReport) {
    let mut links: Vec<(&LinkTraffic, f64)> = report
        .outcome
        .link_traffic
        .iter()
        .map(|link| (link, link.by_cause.iter().map(|(_, rate)| rate.get()).sum()))
        .filter(|(_, total)| *total > 0.0)
        .collect();
    links.sort_by(|a, b| b.1.total_cmp(&a.1));
    links.truncate(HOTTEST_LINKS);
    let Some((first, _)) = links.first() else {
        return;
    };
    page.heading("Traffic on the hottest socket links");
    let mut table = Columns::default().column("", Side::Left);
    for _ in &links {
        table = table.column("", Side::Right).column("", Side::Right);
    }
    let names = links
        .iter()
        .flat_map(|(link, _)| [link.id.trim_start_matches("link.").to_owned(), String::new()]);
    table.row(Tone::Faint, std::iter::once("bytes for".to_owned()).chain(names));
    for (position, (cause, _)) in first.by_cause.iter().enumerate() {
        let rates: Vec<(f64, f64)> = links
            .iter()
            .map(|(link, total)| {
                (
                    link.by_cause.get(position).map_or(0.0, |(_, rate)| rate.get()),
                    *total,
                )
            })
            .collect();
        if rates.iter().all(|(rate, _)| *rate == 0.0) {
            continue;
        }
        let cells = rates
            .iter()
            .flat_map(|(rate, total)| [Bandwidth::new(*rate).decimal(), percent(rate / total)]);
        let name = cause.as_str().replace('_', " ");
        table.row(Tone::Plain, std::iter::once(name).chain(cells));
    }
    let totals = links
        .iter()
        .flat_map(|(_, total)| [Bandwidth::new(*total).decimal(), String::new()]);
    table.row(Tone::Plain, std::iter::once("all".to_owned()).chain(totals));
    page.table(&table);
}

/// The share of each workload, where there are several, and what was asked for where that is known.
fn workloads(page: &mut Page, report: &RunReport) {
    let open = report
        .outcome
        .workloads
        .iter()
        .any(|workload| workload.offered.is_some());
    if report.outcome.workloads.len() < 2 && !open {
        return;
    }
    page.heading("Workloads");
    let mut table = Columns::default().column("workload", Side::Left);
    if open {
        table = table.column("offered", Side::Right);
    }
    table = table
        .column("operations", Side::Right)
        .column("payload", Side::Right)
        .optional("network", Side::Right)
        .column("mean latency", Side::Right)
        .optional("p99", Side::Right)
        .optional("out", Side::Right);
    for workload in &report.outcome.workloads {
        let Throughput {
            operations,
            payload,
            network,
            ..
        } = workload.throughput;
        let p99 = workload
            .latency
            .percentiles
            .map_or_else(String::new, |points| points.p99.to_string());
        let offered = open.then(|| {
            workload
                .offered
                .map_or_else(none, |offered| count_rate(offered.rate.get()))
        });
        let figures = [
            count_rate(operations.get()),
            payload.decimal(),
            network.decimal(),
            workload.latency.mean.to_string(),
            p99,
            significant(workload.outstanding, 3),
        ];
        table.row(
            Tone::Plain,
            std::iter::once(workload.id.clone()).chain(offered).chain(figures),
        );
    }
    page.table(&table);
}

/// How the result was found, and how far it is from the prediction.
fn footer(page: &mut Page, report: &RunReport) {
    page.blank();
    if let Some(prediction) = &report.prediction {
        page.toned(
            Tone::Faint,
            &format!(
                "The steady-state prediction is {}; the simulation differs by {} in throughput and {} in mean latency.",
                count_rate(prediction.throughput.operations.get()),
                report.throughput_difference().map_or_else(none, signed_percent),
                report.latency_difference().map_or_else(none, signed_percent),
            ),
        );
    }
    let how = match (report.outcome.mode, &report.outcome.simulated) {
        (Mode::Predict, _) | (_, None) => "predicted, without events".to_owned(),
        (Mode::Simulate, Some(run)) => format!(
            "simulated {} after {} of warm-up ({} operations, {} events)",
            run.measured,
            run.warm_up,
            grouped(run.operations as f64),
            grouped(run.events as f64),
        ),
    };
    page.toned(
        Tone::Faint,
        &format!(
            "bandgraph {}, {how}, seed {}, input {}",
            crate::VERSION,
            report.seed,
            short_hash(report)
        ),
    );
}

/// Enough of the hash to tell runs apart by eye; JSON has all of it.
fn short_hash(report: &RunReport) -> String {
    report.input_hash.chars().take(12).collect()
}
