//! The text of a ladder: the chain of limits from the bottom up, then what a little more of everything would
//! bring.

use std::collections::BTreeMap;

use bandgraph_study::{Climb, GroupGain, LadderEnd, Need, Rung, Step};
use bandgraph_topology::ResourceKind;
use bandgraph_units::significant;

use super::certainty::gain_words;
use super::columns::{Columns, Side};
use super::options::{TextOptions, Tone};
use super::page::Page;
use super::words::{count_rate, headline, percent, rate_words, resource_in_words, signed_percent};
use crate::LadderReport;

/// `report` as text for people. Layout and wording may change with any version: programs read JSON.
pub fn ladder_text(report: &LadderReport, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    page.toned(Tone::Heading, &format!("Ladder of limits: {}", report.scenario));
    if report.topology != report.scenario {
        page.toned(Tone::Plain, &format!("on {}", report.topology));
    }
    page.blank();
    page.paragraph(match report.ladder.climb {
        Climb::Catalogue => {
            "Each limit is relieved with the part of the catalogue, or the card in a free slot, that brings most."
        }
        Climb::Unlimited => {
            "Each limit is made as fast as it would need to be, whether or not there is such a part."
        }
    });
    summary(&mut page, &report.ladder.rungs);
    for (index, rung) in report.ladder.rungs.iter().enumerate() {
        step(&mut page, index, rung);
    }
    end(&mut page, &report.ladder.end);
    gains(&mut page, &report.gains.groups);
    page.blank();
    let hash: String = report.input_hash.chars().take(12).collect();
    page.toned(
        Tone::Faint,
        &format!(
            "bandgraph {}, predicted, without events, input {hash}",
            crate::VERSION
        ),
    );
    page.finish()
}

/// All rungs in a table.
fn summary(page: &mut Page, rungs: &[Rung]) {
    page.blank();
    let mut table = Columns::default()
        .column("", Side::Right)
        .column("limit", Side::Left)
        .column("network", Side::Right)
        .optional("", Side::Right)
        .column("gain", Side::Right)
        .optional("90 % belief", Side::Left)
        .column("in all", Side::Right);
    for (index, rung) in rungs.iter().enumerate() {
        let gain = |gain: f64| {
            if index == 0 {
                String::new()
            } else {
                signed_percent(gain)
            }
        };
        table.row(
            Tone::Plain,
            [
                (index + 1).to_string(),
                short(rung),
                rung.throughput.network.decimal(),
                rung.throughput.network.binary(),
                gain(rung.gain),
                rung.certainty.as_ref().map(gain_words).unwrap_or_default(),
                gain(rung.total_gain),
            ],
        );
    }
    page.table(&table);
}

/// The limit of a rung in very few words.
fn short(rung: &Rung) -> String {
    let kind = resource_in_words(rung.limit.kind.as_str(), rung.limit.technology());
    match rung.limit.resources.as_slice() {
        [] => kind.to_owned(),
        [only] => format!("{kind}: {}", only.id),
        [first, others @ ..] => format!("{kind}: {} and {} more", first.id, others.len()),
    }
}

/// One limit, and how it is relieved.
fn step(page: &mut Page, index: usize, rung: &Rung) {
    page.heading(&format!("{}. {}", index + 1, headline(&rung.limit)));
    page.paragraph(&format!(
        "{} ({} on the network), mean latency {}. {}",
        count_rate(rung.throughput.operations.get()),
        rung.throughput.network.decimal(),
        rung.latency_mean,
        rung.limit.explanation,
    ));
    match &rung.step {
        None => {}
        Some(Step::Unlimited(needs)) => page.paragraph(&needed(needs)),
        Some(Step::Upgrade {
            change,
            sets,
            ruled_out,
        }) => {
            for reason in ruled_out {
                page.paragraph(&format!("Not: {reason}"));
            }
            page.paragraph(&format!("Relieved so: {change}."));
            if !sets.is_empty() {
                page.paragraph(&format!("The same as overrides: {}", overrides(sets)));
            }
        }
    }
}

/// Overrides as they stand on a command line, those that only repeat themselves left out.
fn overrides(sets: &[String]) -> String {
    const LISTED: usize = 4;
    let quoted = |set: &String| {
        if set.contains([' ', '*']) {
            format!("--set '{set}'")
        } else {
            format!("--set {set}")
        }
    };
    let listed: Vec<String> = sets.iter().take(LISTED).map(quoted).collect();
    match sets.len().saturating_sub(LISTED) {
        0 => listed.join(" "),
        more => format!("{} and {more} more", listed.join(" ")),
    }
}

/// What is needed, with equal needs in one.
fn needed(needs: &[Need]) -> String {
    const NO_FASTER: f64 = 1.0005;
    if needs.iter().all(|need| need.needed <= need.capacity * NO_FASTER) {
        return "The next limit is just as full, so that it needs to be no faster than it is.".to_owned();
    }
    let mut like: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    for need in needs {
        let (needed, now) = (
            rate_words(need.unit, need.needed),
            rate_words(need.unit, need.capacity),
        );
        let words = format!("{needed} instead of {now}");
        like.entry(words).or_insert((0, need.needed / need.capacity)).0 += 1;
    }
    let words = like.into_iter().map(|(words, (count, factor))| {
        let each = if count > 1 { " each" } else { "" };
        format!("{words}{each} ({} times as fast)", significant(factor, 3))
    });
    format!("Relieved with {}.", words.collect::<Vec<_>>().join(", and "))
}

fn end(page: &mut Page, end: &LadderEnd) {
    page.heading("The ladder ends here");
    match end {
        LadderEnd::Clients => {
            page.paragraph("The clients ask for no more: what limits now is on their side.");
        }
        LadderEnd::Core => {
            page.paragraph(
                "Each thread fills the core that it runs on, and nothing in the catalogue has faster cores.",
            );
        }
        LadderEnd::NothingToBuy(reasons) => {
            page.paragraph("Nothing in the catalogue makes this limit faster:");
            for reason in reasons {
                page.item(reason);
            }
        }
        LadderEnd::TooLong => page.paragraph("It is longer than ladders are allowed to be."),
    }
}

/// What is worth buying.
fn gains(page: &mut Page, groups: &[GroupGain]) {
    if groups.is_empty() {
        return;
    }
    page.heading("What is worth buying now");
    page.paragraph("What 1 % more of all parts of a kind would bring in operations, as the server is:");
    let mut table = Columns::default()
        .column("kind", Side::Left)
        .column("brings", Side::Right)
        .column("full to", Side::Right)
        .column("parts", Side::Left);
    for group in groups {
        table.row(
            if group.elasticity > 0.0 {
                Tone::Good
            } else {
                Tone::Plain
            },
            [
                resource_in_words(group.kind.as_str(), group.technology.as_deref()).to_owned(),
                format!("{:+.2} %", group.elasticity),
                percent(group.saturation),
                members(group),
            ],
        );
    }
    page.table(&table);
}

/// The resources of a group.
fn members(group: &GroupGain) -> String {
    match (group.ids.as_slice(), group.kind) {
        ([only], _) => only.clone(),
        ([first, second], _) => format!("{first}, {second}"),
        ([first, others @ ..], ResourceKind::Client) => format!("{first} and {} like it", others.len()),
        ([first, others @ ..], _) => format!("{first} and {} more", others.len()),
        ([], _) => String::new(),
    }
}
