//! The text of a ranking of placements: the table, then why the best, today's and the worst are where they
//! are.

use bandgraph_study::{CardInSlot, Objective, Placements, RankedPlacement, Verdict};
use bandgraph_units::significant;

use super::certainty::gain_words;
use super::columns::{Columns, Side};
use super::options::{TextOptions, Tone};
use super::page::Page;
use super::words::{count_rate, grouped, headline, kind_in_words, none, percent, signed_percent};
use crate::PlaceReport;

/// The most placements with the same score that are listed.
const TIES: usize = 3;

/// `report` as text for people. Layout and wording may change with any version: programs read JSON.
pub fn place_text(report: &PlaceReport, options: &TextOptions) -> String {
    let placements = &report.placements;
    let mut page = Page::new(options);
    let names: Vec<&str> = placements
        .questions
        .iter()
        .map(|weighted| weighted.question.name.as_str())
        .collect();
    page.toned(Tone::Heading, &format!("Placements for {}", names.join(", ")));
    if let Some(first) = placements.questions.first() {
        let topology = first.question.scenario.topology.name();
        page.toned(Tone::Plain, &format!("on {topology}"));
    }
    page.blank();
    page.paragraph(&how(placements));
    page.paragraph(&proof(placements));
    for alike in &placements.alike {
        page.paragraph(&format!(
            "Nothing tells {} apart: placements that differ in which of them is where count once.",
            joined(alike)
        ));
    }
    table(&mut page, placements);
    for placement in &placements.placements {
        if placement.rank == Some(1) || placement.today || placement.worst {
            explain(&mut page, placements, placement);
        }
    }
    confirmed(&mut page, placements);
    page.blank();
    let hashes = placements.questions.iter().map(|weighted| {
        let hash = weighted.question.input_hash.chars();
        hash.take(12).collect::<String>()
    });
    let hashes: Vec<String> = hashes.collect();
    page.toned(
        Tone::Faint,
        &format!("bandgraph {}, input {}", crate::VERSION, hashes.join(", ")),
    );
    page.finish()
}

/// What the ranking is by.
fn how(placements: &Placements) -> String {
    let what = match placements.options.objective {
        Objective::Operations => "operations per second",
        Objective::Payload => "file data per second",
        Objective::Network => "bytes per second on the network",
        Objective::Latency => "the inverse of mean latency",
    };
    let mut text = format!("Ranked by predicted {what}, relative to today's placement");
    if placements.questions.len() > 1 {
        let weights = placements.questions.iter();
        let weights: Vec<String> = weights.map(|weighted| significant(weighted.weight, 3)).collect();
        text.push_str(", averaged over the scenarios with weights ");
        text.push_str(&weights.join(" : "));
    }
    text + "."
}

/// How far the search went, and what that proves.
fn proof(placements: &Placements) -> String {
    let count = |number: usize| grouped(number as f64);
    match placements.different {
        Some(different) => format!(
            "There are {} placements that differ in more than names; all of them were predicted.",
            count(different)
        ),
        None if placements.optimal => format!(
            "Branch and bound looked at {} bounds and predicted {} placements: no other is better than the first.",
            count(placements.bounds),
            count(placements.predicted)
        ),
        None => format!(
            "Branch and bound looked at {} bounds and predicted {} placements before it was stopped: another placement \
             may be better than the first, by at most {}.",
            count(placements.bounds),
            count(placements.predicted),
            percent(placements.gap)
        ),
    }
}

/// `a and b`, or `a, b and c`.
fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn table(page: &mut Page, placements: &Placements) {
    page.blank();
    let mut table = Columns::default()
        .column("", Side::Right)
        .column("score", Side::Right)
        .optional("90 % belief", Side::Left)
        .column("network", Side::Right)
        .optional("latency", Side::Right)
        .column("bottleneck", Side::Left)
        .column("cards moved", Side::Left)
        .optional("ties", Side::Right);
    for placement in &placements.placements {
        let Some(first) = placement.scenarios.first() else {
            continue;
        };
        let outcome = &first.answer.outcome;
        let tone = if placement.today { Tone::Good } else { Tone::Plain };
        table.row(
            tone,
            [
                placement.rank.map_or_else(none, |rank| rank.to_string()),
                percent(placement.score),
                belief(placement),
                outcome.throughput.network.decimal(),
                outcome.latency.mean.to_string(),
                bottlenecks(placement),
                moves(&placement.cards),
                match placement.ties.len() {
                    0 => String::new(),
                    ties => ties.to_string(),
                },
            ],
        );
    }
    page.table(&table);
}

/// How sure the score is, and whether it is that of the first.
fn belief(placement: &RankedPlacement) -> String {
    let Some(gain) = &placement.over_today else {
        return String::new();
    };
    let equal = placement.rank != Some(1)
        && placement
            .over_first
            .is_some_and(|gain| gain.verdict() == Verdict::Equal);
    if equal {
        return "equal to the first".to_owned();
    }
    if placement.today {
        return String::new();
    }
    gain_words(gain)
}

/// The bottleneck in every scenario, in few words.
fn bottlenecks(placement: &RankedPlacement) -> String {
    let mut all: Vec<String> = Vec::new();
    for placed in &placement.scenarios {
        let limit = &placed.answer.explained.bottleneck;
        let words = limit.resources.first().map_or_else(
            || kind_in_words(limit.kind.as_str()).to_owned(),
            |resource| resource.id.clone(),
        );
        if !all.contains(&words) {
            all.push(words);
        }
    }
    all.join("; ")
}

fn moves(cards: &[CardInSlot]) -> String {
    let moved = cards.iter().filter(|card| card.moved);
    let moved: Vec<String> = moved
        .map(|card| format!("{} to {}", card.card, card.slot))
        .collect();
    if moved.is_empty() {
        "none: as it is today".to_owned()
    } else {
        moved.join(", ")
    }
}

/// One placement in words.
fn explain(page: &mut Page, placements: &Placements, placement: &RankedPlacement) {
    let mut names = Vec::new();
    if placement.rank == Some(1) {
        names.push("the best");
    }
    if placement.today {
        names.push("today's");
    }
    if placement.worst && placement.rank != Some(1) {
        names.push(if placements.different.is_some() {
            "the worst"
        } else {
            "the worst that was found"
        });
    }
    let rank = placement.rank.map_or_else(
        || "Not allowed by the rules".to_owned(),
        |rank| format!("Rank {rank}"),
    );
    page.heading(&format!("{rank}: {}", names.join(", ")));
    let cards = placement.cards.iter();
    let cards: Vec<String> = cards
        .map(|card| format!("{} in {}", card.card, card.slot))
        .collect();
    page.paragraph(&format!("{}.", cards.join(", ")));
    if !placement.ties.is_empty() {
        let listed = placement.ties.iter().take(TIES).map(|cards| moves(cards));
        let mut listed: Vec<String> = listed.collect();
        if placement.ties.len() > TIES {
            listed.push(format!("{} more", placement.ties.len() - TIES));
        }
        page.paragraph(&format!("The same score: {}.", listed.join("; ")));
    }
    for (weighted, placed) in placements.questions.iter().zip(&placement.scenarios) {
        let outcome = &placed.answer.outcome;
        let limit = &placed.answer.explained.bottleneck;
        let name = if placements.questions.len() > 1 {
            format!("{}: ", weighted.question.name)
        } else {
            String::new()
        };
        page.paragraph(&format!(
            "{name}{} ({} on the network). Bottleneck: {}. {}",
            count_rate(outcome.throughput.operations.get()),
            outcome.throughput.network.decimal(),
            headline(limit),
            limit.explanation,
        ));
    }
    let moved: Vec<String> = placement
        .cards
        .iter()
        .filter(|card| card.moved)
        .map(|card| format!("--set card.{}.slot={}", card.card, card.slot))
        .collect();
    if placement.rank == Some(1) && !moved.is_empty() {
        page.paragraph(&format!("The same as overrides: {}", moved.join(" ")));
    }
}

/// Predictions beside simulations.
fn confirmed(page: &mut Page, placements: &Placements) {
    let mut table = Columns::default()
        .column("", Side::Right)
        .optional("scenario", Side::Left)
        .column("predicted", Side::Right)
        .column("simulated", Side::Right)
        .column("", Side::Right);
    let mut any = false;
    for placement in &placements.placements {
        for (weighted, placed) in placements.questions.iter().zip(&placement.scenarios) {
            let Some(simulated) = &placed.simulated else {
                continue;
            };
            any = true;
            let predicted = placed.answer.outcome.throughput.network;
            let name = if placements.questions.len() > 1 {
                weighted.question.name.clone()
            } else {
                String::new()
            };
            table.row(
                Tone::Plain,
                [
                    placement.rank.map_or_else(none, |rank| rank.to_string()),
                    name,
                    predicted.decimal(),
                    simulated.throughput.network.decimal(),
                    signed_percent(simulated.throughput.network / predicted - 1.0),
                ],
            );
        }
    }
    if any {
        page.heading("Confirmed by simulation, bytes on the network");
        page.table(&table);
    }
}
