//! The text of a what-if: the variants side by side, then what moved in each.

use bandgraph_units::{Bandwidth, Bytes};

use super::busiest::{cable, enough, named, shared_name};
use super::certainty::{between, gain_words, statuses};
use super::provenance::{how, inputs, origin, provenance};
use super::run::{limits_of, warnings};
use super::words::{
    DataRate, bandwidth, count_rate, headline, latency_or_growth, none, percent, signed_percent, time,
};
use crate::json::{
    CaseDocument, ChangeDocument, LinkChangeDocument, ModeDocument, ResourceChangeDocument, VariantDocument,
    WhatIfDocument,
};
use crate::view::{Side, Table, Tone, View};

/// Rows of the tables of links and of resources.
const ROWS: usize = 10;
/// A relative change in the bytes that an operation puts on a link below which there is none.
const SAME_BYTES: f64 = 1e-6;
/// A change in saturation that is worth a row.
const MOVED: f64 = 0.005;
/// Causes named for each link.
const CAUSES: usize = 2;

/// `report` for people: programs read JSON.
pub fn whatif_view(report: &WhatIfDocument) -> View {
    let mut page = View::new();
    page.title(format!("What if: {}", report.scenario));
    inputs(&mut page, [&report.software], &report.overrides);
    warnings(&mut page, "", &report.warnings);
    warnings(&mut page, "", &report.base.warnings);
    variants(&mut page, report);
    results(&mut page, report);
    bottlenecks(&mut page, report);
    for variant in &report.variants {
        moved(&mut page, variant);
    }
    footer(&mut page, report);
    page
}

/// The base, then the variants.
fn cases(report: &WhatIfDocument) -> impl Iterator<Item = &CaseDocument> {
    let variants = report.variants.iter().map(|variant| &variant.case);
    std::iter::once(&report.base).chain(variants)
}

/// What each variant is.
fn variants(page: &mut View, report: &WhatIfDocument) {
    page.heading("Variants");
    let mut table = Table::of("(variant) | (changes)");
    for (index, case) in cases(report).enumerate() {
        let sets = match (index, case.sets.as_slice()) {
            (0, []) => vec![format!("unchanged, on {}", case.topology)],
            (0, _) => vec![format!("the file with the overrides above, on {}", case.topology)],
            (_, []) => vec!["nothing changed".to_owned()],
            (_, sets) if case.name == sets.join("; ") => vec!["the base with this change".to_owned()],
            (_, sets) => sets.to_vec(),
        };
        for (line, set) in sets.into_iter().enumerate() {
            let name = if line == 0 {
                case.name.clone()
            } else {
                String::new()
            };
            table.plain([name, set]);
        }
    }
    page.table(table);
    for variant in &report.variants {
        let warning = variant.case.software_warning.as_ref();
        if let Some(warning) = warning.filter(|_| variant.case.software_warning != report.software.warning) {
            page.toned(
                Tone::Alarm,
                &format!("Warning for {}: {warning}.", variant.case.name),
            );
        }
        let new = variant.case.warnings.iter();
        let new = new.filter(|warning| !report.base.warnings.contains(warning));
        let new: Vec<String> = new.cloned().collect();
        warnings(page, &format!(" for {}", variant.case.name), &new);
    }
}

fn results(page: &mut View, report: &WhatIfDocument) {
    page.heading("Throughput and latency");
    let data = DataRate::of(cases(report).map(|case| &case.throughput));
    let with_p99 = cases(report).all(|case| case.latency.p99_s.is_some());
    let mut table = Table::of("(variant) | >operations | >(change)")
        .optional("90 % interval", Side::Right)
        .column(data.heading(), Side::Right)
        .optional("(in binary units)", Side::Right)
        .column("mean latency", Side::Right)
        .column("(change of latency)", Side::Right)
        .optional("p99", Side::Right);
    let differences = report.variants.iter().map(|variant| Some(&variant.difference));
    for (case, difference) in cases(report).zip(std::iter::once(None).chain(differences)) {
        let change = |of: Option<ChangeDocument>| {
            of.map_or_else(String::new, |change| {
                change.relative.map_or_else(none, signed_percent)
            })
        };
        let operations = difference.map(|difference| difference.ops_per_s);
        let p99 = case.latency.p99_s.filter(|_| with_p99 && !case.overloaded);
        let rate = data.value(&case.throughput);
        table.row(
            tone(operations),
            [
                case.name.clone(),
                count_rate(case.throughput.ops_per_s),
                change(operations),
                case.ops_per_s_interval
                    .map_or_else(String::new, |ends| between(ends, count_rate)),
                bandwidth(rate),
                Bandwidth::new(rate).binary(),
                latency_or_growth(case.latency.mean_s, case.overloaded),
                change(difference.map(|difference| difference.latency_mean_s)),
                p99.map_or_else(String::new, time),
            ],
        );
    }
    page.table(table);
    if cases(report).any(|case| case.overloaded) {
        page.paragraph(
            "Where the load exceeds the capacity there is no steady state, and latencies grow for as long as \
             that lasts.",
        );
    }
    if report.mode == ModeDocument::Simulate {
        page.paragraph("There are no intervals: those are of predictions, and these are simulations.");
    }
    for variant in &report.variants {
        if let Some(gain) = &variant.gain {
            let words = gain_words(gain);
            page.paragraph(&format!(
                "Gain of {} in operations, with a probability of 90 %: {words}.",
                variant.case.name
            ));
        }
    }
}

/// Better is good, worse is alarming.
fn tone(operations: Option<ChangeDocument>) -> Tone {
    const NOTICED: f64 = 0.005;
    match operations.and_then(|change| change.relative) {
        Some(change) if change > NOTICED => Tone::Good,
        Some(change) if change < -NOTICED => Tone::Alarm,
        _ => Tone::Plain,
    }
}

fn bottlenecks(page: &mut View, report: &WhatIfDocument) {
    page.heading("Bottlenecks");
    let mut table = Table::of("(variant) | (bottleneck)");
    for case in cases(report) {
        let of = limits_of(case.limits_of_steady_state);
        table.plain([case.name.clone(), headline(&case.bottleneck) + of]);
    }
    page.table(table);
}

/// What moved in one variant: its bottleneck in a sentence, bytes on links, and use of resources.
fn moved(page: &mut View, variant: &VariantDocument) {
    page.choice(format!("Changes with {}", variant.case.name));
    let explanation = &variant.case.bottleneck.explanation;
    page.paragraph(&match limits_of(variant.case.limits_of_steady_state) {
        "" => explanation.clone(),
        of => format!("Bottleneck{of}: {explanation}"),
    });
    links(page, &variant.difference.links);
    resources(page, &variant.difference.resources);
}

/// Which bytes left which link. Counted per operation, so that a faster server does not look as if it moved
/// more.
fn links(page: &mut View, links: &[LinkChangeDocument]) {
    let mut changed: Vec<&LinkChangeDocument> =
        links.iter().filter(|link| differs(&link.bytes_per_op)).collect();
    page.blank();
    if changed.is_empty() {
        if !links.is_empty() {
            page.paragraph(
                "Each operation puts the same bytes on every link between sockets as in the base.",
            );
        }
        return;
    }
    let size = |link: &LinkChangeDocument| link.bytes_per_op.absolute().abs();
    changed.sort_by(|a, b| size(b).total_cmp(&size(a)));
    page.paragraph("Bytes that one operation puts on links between sockets:");
    let mut table = Table::of("link | >base | >variant | >change | ?mostly");
    let (shown, left_out) = link_rows(&changed);
    for (name, [before, after, change, causes]) in shown {
        table.plain([name, before, after, change, causes]);
    }
    page.table(table);
    more(page, left_out, "links");
}

/// The rows of the links, and how many links have none. Parallel links with the same change share a row.
fn link_rows(changed: &[&LinkChangeDocument]) -> (Vec<(String, [String; 4])>, usize) {
    let mut rows: Vec<(&str, usize, [String; 4])> = Vec::new();
    for link in changed {
        let cells = [
            Bytes::new(link.bytes_per_op.before).decimal(),
            Bytes::new(link.bytes_per_op.after).decimal(),
            link.bytes_per_op.relative.map_or_else(none, signed_percent),
            mostly(link),
        ];
        let is_parallel = |(id, _, others): &&mut (&str, usize, [String; 4])| {
            cable(id) == cable(&link.id) && *others == cells
        };
        match rows.iter_mut().find(is_parallel) {
            Some((_, count, _)) => *count += 1,
            None => rows.push((&link.id, 1, cells)),
        }
    }
    let left_out = rows.iter().skip(ROWS).map(|(_, count, _)| count).sum();
    let shown = rows.into_iter().take(ROWS).map(|(id, count, cells)| {
        let [one, shared] = [id, cable(id)].map(|id| id.trim_start_matches("link."));
        (named(count, one, shared), cells)
    });
    (shown.collect(), left_out)
}

fn differs(change: &ChangeDocument) -> bool {
    let scale = change.before.max(change.after);
    scale > 0.0 && change.absolute().abs() > SAME_BYTES * scale
}

/// The causes that make most of a change, the largest first.
fn mostly(link: &LinkChangeDocument) -> String {
    let mut causes: Vec<(&str, f64)> = link
        .by_cause
        .iter()
        .filter(|cause| differs(&cause.bytes_per_op))
        .map(|cause| (cause.cause.as_str(), cause.bytes_per_op.absolute()))
        .collect();
    causes.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let words = causes.into_iter().take(CAUSES).map(|(cause, bytes)| {
        let sign = if bytes < 0.0 { "-" } else { "+" };
        format!("{cause} {sign}{}", Bytes::new(bytes.abs()).decimal())
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The resources whose use changed most.
fn resources(page: &mut View, resources: &[ResourceChangeDocument]) {
    let size = |resource: &ResourceChangeDocument| resource.saturation.absolute().abs();
    let mut changed: Vec<&ResourceChangeDocument> = resources
        .iter()
        .filter(|resource| size(resource) > MOVED)
        .collect();
    if changed.is_empty() {
        return;
    }
    changed.sort_by(|a, b| size(b).total_cmp(&size(a)));
    page.blank();
    page.paragraph("Use of resources, as a share of usable capacity:");
    let mut table = Table::of("resource | >base | >variant");
    let (shown, left_out) = resource_rows(&changed);
    for (name, [before, after]) in shown {
        table.plain([name, before, after]);
    }
    page.table(table);
    more(page, left_out, "resources");
}

/// The rows of the resources, and how many resources have none. Identical clients, disks, parallel links and
/// many slots or ports whose use changed by the same share a row.
fn resource_rows(changed: &[&ResourceChangeDocument]) -> (Vec<(String, [String; 2])>, usize) {
    let mut groups: Vec<(String, [String; 2], Vec<&ResourceChangeDocument>)> = Vec::new();
    for resource in changed {
        let share = |capacity: f64, saturation: f64| {
            if capacity > 0.0 {
                percent(saturation)
            } else {
                none()
            }
        };
        let shares = [
            share(resource.capacity.before, resource.saturation.before),
            share(resource.capacity.after, resource.saturation.after),
        ];
        let shared = shared_name(&resource.id, &resource.kind);
        match groups
            .iter_mut()
            .find(|(other, others, _)| *other == shared && *others == shares)
        {
            Some((.., members)) => members.push(resource),
            None => groups.push((shared, shares, vec![resource])),
        }
    }
    let rows = groups.into_iter().flat_map(|(shared, shares, members)| {
        let enough = enough(&members[0].kind).unwrap_or(usize::MAX);
        let size = if members.len() < enough { 1 } else { members.len() };
        let row = |members: &[&ResourceChangeDocument]| {
            let count = members.iter().map(|member| represented(member)).sum();
            (count, named(count, &members[0].id, &shared), shares.clone())
        };
        members.chunks(size).map(row).collect::<Vec<_>>()
    });
    let (mut shown, mut left_out) = (Vec::new(), 0);
    for (count, name, shares) in rows {
        if shown.len() < ROWS {
            shown.push((name, shares));
        } else {
            left_out += count;
        }
    }
    (shown, left_out)
}

/// The number of resources that one represents, before or after.
fn represented(resource: &ResourceChangeDocument) -> usize {
    let count = resource.count.as_ref();
    count.map_or(1, |count| count.before.max(count.after) as usize)
}

/// Says how many did not fit the table.
fn more(page: &mut View, left_out: usize, what: &str) {
    if left_out > 0 {
        page.paragraph(&format!("{left_out} more {what} changed by no more than these."));
    }
}

fn footer(page: &mut View, report: &WhatIfDocument) {
    page.blank();
    statuses(page, report.statuses.as_ref(), "the base");
    let origin = origin(report.file.as_deref(), report.seed, &report.base.input_hash);
    provenance(
        page,
        &report.bandgraph,
        how(report.mode),
        &[format!("{origin} (base)")],
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: f64, after: f64) -> ChangeDocument {
        ChangeDocument {
            before,
            after,
            relative: Some(after / before - 1.0),
        }
    }

    fn names<T>(rows: &[(String, T)]) -> Vec<&str> {
        rows.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn resource(id: String, kind: &str, after: f64) -> ResourceChangeDocument {
        ResourceChangeDocument {
            id,
            kind: kind.to_owned(),
            unit: "bytes/s".to_owned(),
            count: None,
            capacity: change(1e9, 1e9),
            rate: change(0.5e9, after * 1e9),
            saturation: change(0.5, after),
        }
    }

    #[test]
    fn parallel_links_share_a_row_and_every_link_is_counted() {
        let link = |id: &str, after: f64| LinkChangeDocument {
            id: format!("link.{id}"),
            bytes_per_s: change(1e6, after * 1e3),
            bytes_per_op: change(1e3, after),
            by_cause: Vec::new(),
        };
        let mut all = vec![
            link("a-b", 1500.0),
            link("a-b.b", 1500.0),
            link("b-a", 1500.0),
            link("a-b.c", 1100.0),
        ];
        let (rows, left_out) = link_rows(&all.iter().collect::<Vec<_>>());
        assert_eq!(names(&rows), ["2 x a-b", "b-a", "a-b.c"]);
        assert_eq!(left_out, 0);
        all.extend((0..10).flat_map(|number| {
            [
                link(&format!("c{number}-d"), 900.0),
                link(&format!("c{number}-d.b"), 900.0),
            ]
        }));
        assert_eq!(link_rows(&all.iter().collect::<Vec<_>>()).1, 6);
    }

    #[test]
    fn identical_clients_share_a_row_and_every_resource_is_counted() {
        let clients = (0..32).map(|number| resource(format!("client.c{number}.0.in"), "client", 1.0));
        let links = (0..12).map(|number| resource(format!("link.{number}"), "socket-link", 0.6));
        let all: Vec<ResourceChangeDocument> = clients.chain(links).collect();
        let (rows, left_out) = resource_rows(&all.iter().collect::<Vec<_>>());
        assert_eq!(rows.len(), ROWS);
        assert_eq!(rows[0].0, "32 x client.c*.*.in");
        assert_eq!(rows[0].1, ["50.0 %", "100.0 %"]);
        assert_eq!(rows[1].0, "link.0");
        assert_eq!(left_out, 3);
        let parallel = ["link.a-b", "link.a-b.b", "link.b-a"];
        let parallel = parallel.map(|id| resource(id.to_owned(), "socket-link", 0.9));
        let (rows, _) = resource_rows(&parallel.iter().collect::<Vec<_>>());
        assert_eq!(names(&rows), ["2 x link.a-b", "link.b-a"]);
        let slots = (0..12).map(|number| resource(format!("slot.bay{number}.in"), "pcie", 0.7));
        let cards = (0..2).map(|number| resource(format!("slot.s{number}.out"), "pcie", 0.8));
        let slots: Vec<ResourceChangeDocument> = cards.chain(slots).collect();
        let (rows, left_out) = resource_rows(&slots.iter().collect::<Vec<_>>());
        assert_eq!(names(&rows), ["slot.s0.out", "slot.s1.out", "12 x slot.bay*.in"]);
        assert_eq!(left_out, 0);
    }
}
