//! A run for people: the answer first, then the figures behind it.

use std::ops::RangeInclusive;

use bandgraph_solve::Percentiles;
use bandgraph_units::{Bandwidth, significant, span};

use super::busiest::{Busy, busiest, cable, named, others};
use super::cache::{all_cached, cache};
use super::certainty::{between, certainty, outside};
use super::operations::operations;
use super::paths::paths;
use super::power::power;
use super::provenance::{PREDICTED, inputs, origin, provenance};
use super::replay::replay;
use super::verdicts::{expectations, measured};
use super::words::{
    bandwidth, count_rate, grouped, headline, none, percent, rate_words, resource_in_words, signed_percent,
    time,
};
use crate::RunDocument;
use crate::json::{
    BucketDocument, LatencyDocument, LinkTrafficDocument, ModeDocument, PrecisionDocument, ResourceDocument,
};
use crate::view::{Cell, Side, Table, Tone, View};

/// Rows of the table of the busiest resources; the others are summed up in a line.
const BUSIEST: usize = 10;
/// Links in the table of traffic by cause.
const SHOWN_LINKS: usize = 3;
/// Saturation above which a resource counts as full.
const FULL: f64 = 0.99;
/// A gain in throughput below this is none.
const NO_GAIN: f64 = 0.0005;
/// Why a simulation has no percentiles.
const NOT_DRAWN: &str = "No percentiles: nothing that decides how long these operations take is random in \
                         the model, which gives their mean latency and not its spread.";
/// By how much of a row the end of a bucket may exceed that of its row: recorded latencies have three digits.
const ROUNDING: f64 = 0.01;
/// The shortest and the longest bar worth drawing.
const BAR_WIDTHS: RangeInclusive<usize> = 8..=40;

/// `run` for people, with or without the distribution of latencies.
pub fn run_view(run: &RunDocument, with_histogram: bool) -> View {
    let mut page = View::new();
    title(&mut page, run);
    warnings(&mut page, "", &run.warnings);
    answer(&mut page, run);
    rates(&mut page, run, with_histogram);
    replay(&mut page, run);
    cache(&mut page, run);
    resources(&mut page, run);
    drives(&mut page, run);
    sockets(&mut page, run);
    power(&mut page, run);
    link_traffic(&mut page, run);
    paths(&mut page, run);
    workloads(&mut page, run);
    operations(&mut page, run);
    measured(&mut page, run);
    expectations(&mut page, run);
    footer(&mut page, run);
    page
}

fn title(page: &mut View, run: &RunDocument) {
    page.title(&run.scenario);
    if run.topology != run.scenario {
        page.toned(Tone::Plain, &format!("on {}", run.topology));
    }
    inputs(page, [&run.software], &run.overrides);
    if let Some(words) = all_cached(run) {
        page.toned(Tone::Plain, &words);
    }
}

/// Of what limits are, where it is not the run itself.
pub(crate) const fn limits_of(steady_state: bool) -> &'static str {
    if steady_state {
        " in the predicted steady state"
    } else {
        ""
    }
}

/// The bottleneck, and what comes after it.
fn answer(page: &mut View, run: &RunDocument) {
    let bottleneck = &run.bottleneck;
    let is_apart = run.limits_of_steady_state;
    let of = limits_of(is_apart);
    page.blank();
    page.toned(Tone::Alarm, &format!("Bottleneck{of}: {}", headline(bottleneck)));
    page.paragraph(&bottleneck.explanation);
    let Some(next) = &run.next_bottleneck else {
        return;
    };
    page.blank();
    // Where nothing is full, more load comes to that limit, and there is nothing to relieve.
    let (heading, relief) = match bottleneck.kind.as_str() {
        "offered" => ("With more load", "With more load the server would deliver"),
        "concurrency" => (
            "With more operations outstanding",
            "More outstanding operations would bring",
        ),
        "core" => ("With more threads", "More threads would bring"),
        _ if bottleneck.together.is_empty() => ("Next", "Relieving the first alone would bring"),
        _ => ("Next", "Relieving all of these together would bring"),
    };
    page.toned(
        Tone::Heading,
        &format!("{heading}{of}: {}", headline(&next.limit())),
    );
    page.paragraph(&next.explanation);
    let reached = &next.throughput;
    let gain = if next.throughput_gain <= -NO_GAIN {
        let fewer = percent(-next.throughput_gain);
        format!("{fewer} fewer operations, since other workloads take more of what is shared")
    } else if next.throughput_gain < NO_GAIN {
        "nothing more".to_owned()
    } else {
        format!("{} more", percent(next.throughput_gain))
    };
    let interval = run.interval.as_ref().filter(|_| next.throughput_gain >= NO_GAIN);
    let gain = match interval.and_then(|interval| interval.relief) {
        Some([low, high]) => format!("{gain} ({}, 90 %)", span(&percent(low), &percent(high))),
        None => gain,
    };
    let operations = interval.and_then(|interval| interval.relieved_ops_per_s);
    let operations = operations.map_or_else(String::new, |ends| format!(" ({})", between(ends, count_rate)));
    let network = if reached.network_bytes_per_s > 0.0 {
        let network = Bandwidth::new(reached.network_bytes_per_s);
        let ends = interval.and_then(|interval| interval.relieved_network_bytes_per_s);
        let ends = ends.map_or_else(String::new, |ends| format!("; {}", between(ends, bandwidth)));
        format!(
            ", {} ({}{ends}) on the network",
            network.decimal(),
            network.binary()
        )
    } else {
        String::new()
    };
    page.paragraph(&if is_apart {
        format!("{relief} {gain}, compared with the predicted rate.")
    } else {
        format!(
            "{relief} {gain}: {}{operations}{network}.",
            count_rate(reached.ops_per_s)
        )
    });
}

/// Warnings, each with what it is about: ` for NAME`, or nothing.
pub(crate) fn warnings(page: &mut View, of: &str, warnings: &[String]) {
    for warning in warnings {
        page.blank();
        page.toned(Tone::Alarm, &format!("Warning{of}: {warning}."));
    }
}

/// Throughput and latency of the whole.
fn rates(page: &mut View, run: &RunDocument, with_histogram: bool) {
    page.heading("Throughput");
    let interval = run.interval.as_ref();
    let mut table = Table::of("(rate) | >(value) | >(in binary units) | ?90 % interval");
    let known = |ends: Option<[f64; 2]>, words: fn(f64) -> String| {
        ends.map_or_else(String::new, |ends| between(ends, words))
    };
    let throughput = &run.throughput;
    table.plain([
        "operations".to_owned(),
        count_rate(throughput.ops_per_s),
        String::new(),
        known(interval.map(|found| found.ops_per_s), count_rate),
    ]);
    let payload = interval.map(|found| found.payload_bytes_per_s);
    let network = interval.map(|found| found.network_bytes_per_s);
    for (name, value, ends) in [
        ("payload", throughput.payload_bytes_per_s, payload),
        ("network, in + out", throughput.network_bytes_per_s, network),
        ("disk", throughput.disk_bytes_per_s, None),
    ] {
        // Work that does not use one of them is not reported as doing none of it.
        if value > 0.0 {
            table.plain([
                name.to_owned(),
                bandwidth(value),
                Bandwidth::new(value).binary(),
                known(ends, bandwidth),
            ]);
        }
    }
    page.table(table);
    if let Some(cluster) = &run.cluster {
        page.paragraph(&format!(
            "This is one of {} servers of a cluster, which together serve {} ({} of payload).",
            cluster.servers,
            count_rate(cluster.ops_per_s),
            bandwidth(cluster.payload_bytes_per_s)
        ));
    }

    jobs(page, run);
    page.heading("Latency");
    let ends = interval.map(|found| found.latency_mean_s);
    page.paragraph(&latency_words(&run.latency));
    if let Some(ends) = ends.filter(|_| run.latency.samples != Some(0)) {
        page.paragraph(&format!("90 % interval of the mean: {}", between(ends, time)));
    }
    let mut offered = run
        .workloads
        .iter()
        .filter_map(|workload| workload.offered.as_ref());
    if offered.any(|offered| offered.saturated) {
        page.paragraph("The latency grows for as long as the overload lasts: this is the mean over the run.");
    }
    if run.latency.p50_s.is_none() && run.simulated.is_some() {
        page.paragraph(NOT_DRAWN);
    }
    if with_histogram {
        histograms(page, run);
    }
    if let Some(found) = interval {
        certainty(page, found, &run.bottleneck.kind);
        outside(page, found, run.throughput.ops_per_s);
    }
}

/// How long jobs take, where there are any.
fn jobs(page: &mut View, run: &RunDocument) {
    let Some(all) = run.elapsed_s else { return };
    page.heading("Jobs");
    let done = |elapsed: f64| format!("done after {}", time(elapsed));
    let several = run.workloads.len() > 1;
    for workload in run.workloads.iter().filter(|_| several) {
        if let Some(elapsed) = workload.elapsed_s {
            page.paragraph(&format!("{}: {}", workload.id, done(elapsed)));
        }
    }
    let ends = run.elapsed_interval_s;
    let ends = ends.map_or_else(String::new, |ends| format!(" ({}, 90 %)", between(ends, time)));
    page.paragraph(&format!("all {}{ends}", done(all)));
}

fn latency_words(latency: &LatencyDocument) -> String {
    let Some(mean) = latency.mean_s else {
        return "no operation was completed".to_owned();
    };
    let mut words = format!("mean {}", time(mean));
    for (name, point) in [
        ("p50", latency.p50_s),
        ("p95", latency.p95_s),
        ("p99", latency.p99_s),
        ("max", latency.max_s),
    ] {
        if let Some(point) = point {
            words = format!("{words}, {name} {}", time(point));
        }
    }
    // Operations that wait for one thing, such as writes for a group of them, take equally long in the model.
    if let (Some(p95), Some(max)) = (latency.p95_s, latency.max_s)
        && p95 > FULL * max
    {
        words.push_str(" (the model gives the slowest operations one latency, and not its spread)");
    }
    match latency.samples {
        Some(samples) if samples < Percentiles::SAMPLES_OF_P99 => format!(
            "{words} (of {} operations; a p99 takes {})",
            grouped(samples as f64),
            grouped(Percentiles::SAMPLES_OF_P99 as f64)
        ),
        _ => words,
    }
}

/// How many operations took how long, of all workloads together and of each.
fn histograms(page: &mut View, run: &RunDocument) {
    histogram(page, &run.latency);
    let of_each = run.workloads.iter().filter(|_| run.workloads.len() > 1);
    for workload in of_each.filter(|found| !found.latency.histogram.is_empty()) {
        page.paragraph(&format!("Of {}:", workload.id));
        histogram(page, &workload.latency);
    }
}

/// How many operations took how long, in four rows per doubling.
fn histogram(page: &mut View, latency: &LatencyDocument) {
    let all: u64 = latency.histogram.iter().map(|bucket| bucket.count).sum();
    if all == 0 {
        return;
    }
    let row_of = |bucket: &BucketDocument| (4.0 * libm::log2(bucket.to_s * 1e6) - ROUNDING).ceil() as i64;
    let rows = latency.histogram.chunk_by(|a, b| row_of(a) == row_of(b));
    let mut table = Table::of(">above | >up to | >operations | >share | >cumulative").bars("", BAR_WIDTHS);
    let mut sum = 0;
    for row in rows {
        let count: u64 = row.iter().map(|bucket| bucket.count).sum();
        sum += count;
        let share = count as f64 / all as f64;
        let cells = [
            row.first()
                .map_or_else(String::new, |bucket| time(bucket.above_s())),
            row.last().map_or_else(String::new, |bucket| time(bucket.to_s)),
            grouped(count as f64),
            percent(share),
            percent(sum as f64 / all as f64),
        ];
        table.plain(cells.map(Cell::from).into_iter().chain([Cell::Bar(share)]));
    }
    page.table(table);
}

/// The resources that are used most, with bars.
fn resources(page: &mut View, run: &RunDocument) {
    let (shown, left_out) = busiest(&run.resources, BUSIEST);
    if shown.is_empty() {
        return;
    }
    page.heading("Busiest resources");
    page.table(resource_table(&shown));
    if let Some(words) = others(&left_out) {
        page.paragraph(&format!("{words}."));
        page.folded(
            "All resources",
            resource_table(&busiest(&run.resources, usize::MAX).0),
        );
    }
}

fn resource_table(rows: &[Busy<'_>]) -> Table {
    let mut table = Table::of("resource | ?kind | >rate | >usable | >used").bars("", BAR_WIDTHS);
    for row in rows {
        let resource = row.resource;
        let cells = [
            row.name(),
            resource_in_words(&resource.kind, resource.technology.as_deref()).to_owned(),
            rate_words(&resource.unit, resource.rate),
            rate_words(&resource.unit, resource.capacity * resource.ceiling),
            percent(resource.saturation),
        ];
        let bar = Cell::Bar(resource.saturation);
        table.row(tone_of(resource), cells.map(Cell::from).into_iter().chain([bar]));
    }
    table
}

fn tone_of(resource: &ResourceDocument) -> Tone {
    if resource.saturation >= FULL {
        Tone::Alarm
    } else {
        Tone::Plain
    }
}

/// What drives do: their rate is busy time only.
fn drives(page: &mut View, run: &RunDocument) {
    let drives = run.resources.iter().filter(|one| one.ops_per_s.is_some());
    let mut drives: Vec<ResourceDocument> = drives.cloned().collect();
    // A card that is a log or cache device has a resource as such, and none of its other commands.
    let devices: Vec<[String; 2]> = drives
        .iter()
        .map(|one| [one.id.clone(), one.from.clone()])
        .collect();
    drives.retain(|one| {
        let is_card = one.id == format!("disk.{}", one.from);
        !(is_card
            && devices
                .iter()
                .any(|[id, from]| *id != one.id && *from == one.from))
    });
    if drives.iter().all(|drive| drive.rate == 0.0) {
        return;
    }
    page.heading("Drives, the fullest of each row");
    let mut table = Table::of("drive | kind | >commands | >bytes | >busy");
    let (shown, left_out) = busiest(&drives, BUSIEST);
    for row in &shown {
        let drive = row.resource;
        table.plain([
            row.name(),
            resource_in_words(&drive.kind, drive.technology.as_deref()).to_owned(),
            count_rate(drive.ops_per_s.unwrap_or(0.0)),
            bandwidth(drive.bytes_per_s.unwrap_or(0.0)),
            percent(drive.saturation),
        ]);
    }
    page.table(table);
    if let Some(others) = others(&left_out) {
        page.paragraph(&format!("{others}."));
    }
}

fn sockets(page: &mut View, run: &RunDocument) {
    if run.sockets.is_empty() {
        return;
    }
    page.heading("Sockets");
    let mut table = Table::of(
        "socket | >busy | >stalled | >cycles per instruction | >miss latency | >memory reads | >memory writes",
    );
    for socket in &run.sockets {
        table.plain([
            socket.id.clone(),
            percent(socket.busy),
            percent(socket.stalled),
            significant(socket.cpi, 3),
            time(socket.miss_latency_s),
            bandwidth(socket.memory_read_bytes_per_s),
            bandwidth(socket.memory_written_bytes_per_s),
        ]);
    }
    page.table(table);
    if let Some(words) = weighted_writes(run) {
        page.paragraph(&words);
    }
}

/// What the rate of a memory controller counts beyond the bytes that it moves.
fn weighted_writes(run: &RunDocument) -> Option<String> {
    /// A weight that is written as one.
    const AS_MUCH: f64 = 1.005;
    run.sockets.iter().find_map(|socket| {
        let is_its_memory = |one: &&ResourceDocument| one.kind == "memory" && one.from == socket.id;
        let memory = run.resources.iter().find(is_its_memory)?;
        let weight = (memory.rate - socket.memory_read_bytes_per_s) / socket.memory_written_bytes_per_s;
        (weight.is_finite() && weight > AS_MUCH).then(|| {
            format!(
                "A written byte takes as much of a memory controller as {} read ones, and counts as these in \
                 its rate, {} for {}.",
                significant(weight, 3),
                bandwidth(memory.rate),
                memory.id
            )
        })
    })
}

/// What crosses the fullest links between sockets and nodes, by cause.
fn link_traffic(page: &mut View, run: &RunDocument) {
    let saturation = |link: &LinkTrafficDocument| {
        let resource = run.resources.iter().find(|resource| resource.id == link.id);
        resource.map_or(0.0, |resource| resource.saturation)
    };
    let mut links: Vec<(&LinkTrafficDocument, f64)> = run
        .link_traffic
        .iter()
        .map(|link| (link, link.by_cause.iter().map(|cause| cause.bytes_per_s).sum()))
        .filter(|(_, total)| *total > 0.0)
        .collect();
    links.sort_by(|a, b| {
        saturation(b.0)
            .total_cmp(&saturation(a.0))
            .then(b.1.total_cmp(&a.1))
    });
    let links = cables(&links);
    if links.is_empty() {
        return;
    }
    let server = run.server.as_ref();
    let has_nodes = server.is_some_and(|server| server.sockets.iter().any(|one| one.node_of.is_some()));
    let links_of = if has_nodes {
        "links between NUMA nodes"
    } else {
        "socket links"
    };
    page.heading(format!("Traffic on the fullest {links_of}"));
    page.table(traffic_table(&links[..links.len().min(SHOWN_LINKS)]));
    if links.len() > SHOWN_LINKS {
        page.folded(format!("Traffic on all {links_of}"), traffic_table(&links));
    }
}

/// Links of the same traffic, the sum of their causes, and how many parallel ones there are.
struct Cables<'r> {
    link: &'r LinkTrafficDocument,
    total: f64,
    count: usize,
}

/// Links with parallel ones of the same traffic as one.
fn cables<'r>(links: &[(&'r LinkTrafficDocument, f64)]) -> Vec<Cables<'r>> {
    /// Rates that are written as one.
    const EQUAL_WITHIN: f64 = 0.01;
    let mut found: Vec<Cables<'r>> = Vec::new();
    for &(link, total) in links {
        let is_parallel = |other: &&mut Cables<'r>| {
            cable(&other.link.id) == cable(&link.id) && other.total <= total * (1.0 + EQUAL_WITHIN)
        };
        match found.iter_mut().find(is_parallel) {
            Some(cables) => cables.count += 1,
            None => found.push(Cables {
                link,
                total,
                count: 1,
            }),
        }
    }
    found
}

/// A column of rates and one of shares for each link, a row for each cause.
fn traffic_table(links: &[Cables<'_>]) -> Table {
    let mut table = Table::of("bytes for");
    for Cables { link, count, .. } in links {
        let [one, shared] = [&link.id, cable(&link.id)].map(|id| id.trim_start_matches("link."));
        let name = named(*count, one, shared);
        let share = format!("({name}, share)");
        table = table.column(name, Side::Right).column(share, Side::Right);
    }
    let causes = links.first().map_or(&[][..], |first| &first.link.by_cause);
    for (position, cause) in causes.iter().enumerate() {
        let rate = |link: &LinkTrafficDocument| {
            let cause = link.by_cause.get(position);
            cause.map_or(0.0, |cause| cause.bytes_per_s)
        };
        if links.iter().all(|cables| rate(cables.link) == 0.0) {
            continue;
        }
        let cells = links.iter().flat_map(|Cables { link, total, .. }| {
            let rate = rate(link);
            [bandwidth(rate), percent(rate / total)]
        });
        let name = cause.cause.replace('_', " ");
        table.plain(std::iter::once(name).chain(cells));
    }
    let totals = links
        .iter()
        .flat_map(|cables| [bandwidth(cables.total), String::new()]);
    table.plain(std::iter::once("all".to_owned()).chain(totals));
    table
}

/// The share of each workload, where there are several, and what was asked for where that is known.
fn workloads(page: &mut View, run: &RunDocument) {
    let open = run.workloads.iter().any(|workload| workload.offered.is_some());
    if run.workloads.len() < 2 && !open {
        return;
    }
    page.heading("Workloads");
    let mut table = Table::of(
        "workload | ?>offered | >operations | >payload | ?>network | >mean latency | ?>p99 | ?>in flight",
    );
    for workload in &run.workloads {
        let offered = workload.offered.as_ref();
        let offered = offered.map_or_else(none, |offered| count_rate(offered.ops_per_s));
        table.plain([
            workload.id.clone(),
            if open { offered } else { String::new() },
            count_rate(workload.throughput.ops_per_s),
            bandwidth(workload.throughput.payload_bytes_per_s),
            bandwidth(workload.throughput.network_bytes_per_s),
            workload.latency.mean_s.map_or_else(none, time),
            workload.latency.p99_s.map_or_else(String::new, time),
            significant(workload.outstanding, 3),
        ]);
    }
    page.table(table);
}

/// How the result was found, and how far it is from the prediction.
fn footer(page: &mut View, run: &RunDocument) {
    page.blank();
    if let Some(prediction) = &run.prediction {
        page.toned(
            Tone::Faint,
            &format!(
                "The steady-state prediction is {}; the simulation differs by {} in throughput and {} in mean latency.",
                count_rate(prediction.throughput.ops_per_s),
                prediction.throughput_difference.map_or_else(none, signed_percent),
                prediction.latency_difference.map_or_else(none, signed_percent),
            ),
        );
    }
    let how = match (run.mode, &run.simulated) {
        (ModeDocument::Predict, _) | (_, None) => PREDICTED.to_owned(),
        (ModeDocument::Simulate, Some(found)) => format!(
            "simulated {} after {} of warm-up ({} operations, {} events){}",
            time(found.measured_s),
            time(found.warm_up_s),
            grouped(found.operations as f64),
            grouped(found.events as f64),
            found.precision.as_ref().map_or_else(String::new, precision_words),
        ),
    };
    let origin = origin(run.file.as_deref(), run.seed, &run.input_hash);
    provenance(page, &run.bandgraph, &how, &[origin]);
}

/// How exact a simulation is.
fn precision_words(found: &PrecisionDocument) -> String {
    let half = |share: f64| format!("{:.2} %", 100.0 * share);
    let latency = found.latency.map_or_else(String::new, |share| {
        format!(" and {} in mean latency", half(share))
    });
    format!(
        ", to within {} in throughput{latency} (90 %)",
        half(found.throughput)
    )
}
