//! The text of a ranking of placements: the table, then why the best, today's and the worst are where they
//! are.

use std::collections::BTreeMap;

use bandgraph_study::Verdict;
use bandgraph_units::significant;

use super::certainty::{gain_words, statuses};
use super::provenance::{self, inputs, origin, provenance};
use super::run::warnings;
use super::words::{
    DataRate, bandwidth, count_rate, grouped, headline, kind_in_words, latency_or_growth, none, percent,
    signed_percent,
};
use crate::json::{ObjectiveDocument, PlaceDocument, PlacementDocument};
use crate::view::{Side, Table, Tone, View};

/// Cards of a placement that are named with their slots.
const CARDS: usize = 12;
/// The most placements with the same score that are listed.
const TIES: usize = 3;

/// `report` for people: programs read JSON.
pub fn place_view(placements: &PlaceDocument) -> View {
    let mut page = View::new();
    let scenarios = placements.scenarios.iter();
    let names: Vec<&str> = scenarios.map(|scenario| scenario.name.as_str()).collect();
    page.title(format!("Placements for {}", names.join(", ")));
    if let Some(first) = placements.scenarios.first() {
        page.toned(Tone::Plain, &format!("on {}", first.topology));
        let software = placements.scenarios.iter().map(|scenario| &scenario.software);
        inputs(&mut page, software, &first.overrides);
    }
    warnings(&mut page, "", &placements.warnings);
    for scenario in &placements.scenarios {
        let of = if placements.scenarios.len() > 1 {
            format!(" for {}", scenario.name)
        } else {
            String::new()
        };
        warnings(&mut page, &of, &scenario.warnings);
    }
    page.blank();
    page.paragraph(&how(placements));
    page.paragraph(&proof(placements));
    for alike in &placements.alike {
        page.paragraph(&format!(
            "{} are interchangeable: placements that only exchange them count once.",
            few(alike)
        ));
    }
    let moves = Moves::of(placements);
    table(&mut page, placements, &moves);
    for placement in &placements.placements {
        if placement.rank == Some(1) || placement.today || placement.worst {
            explain(&mut page, placements, placement, &moves);
        }
    }
    confirmed(&mut page, placements);
    page.blank();
    for scenario in &placements.scenarios {
        statuses(&mut page, scenario.statuses.as_ref(), "today's placement");
    }
    let scenarios = placements.scenarios.iter();
    let origins: Vec<String> = scenarios
        .map(|scenario| origin(scenario.file.as_deref(), scenario.seed, &scenario.input_hash))
        .collect();
    provenance(
        &mut page,
        &placements.bandgraph,
        provenance::how(placements.mode),
        &origins,
    );
    page
}

/// What the ranking is by.
fn how(placements: &PlaceDocument) -> String {
    let what = match placements.objective {
        ObjectiveDocument::Operations => "operations per second",
        ObjectiveDocument::Payload => "file data per second",
        ObjectiveDocument::Network => "bytes per second on the network",
        ObjectiveDocument::Latency => "the inverse of mean latency",
    };
    let mut text = format!("Ranked by predicted {what}, relative to today's placement");
    if placements.scenarios.len() > 1 {
        let scenarios = placements.scenarios.iter();
        let weights: Vec<String> = scenarios
            .map(|scenario| significant(scenario.weight, 3))
            .collect();
        text.push_str(", averaged over the scenarios with weights ");
        text.push_str(&weights.join(" : "));
    }
    text + "."
}

/// The first of many names.
fn few(names: &[String]) -> String {
    const NAMED: usize = 6;
    match names.len() {
        many if many > NAMED => format!("{} and {} more", names[..NAMED - 2].join(", "), many - NAMED + 2),
        _ => joined(names),
    }
}

/// How far the search went, and what that proves.
fn proof(placements: &PlaceDocument) -> String {
    let count = |number: u64| grouped(number as f64);
    match placements.different {
        Some(1) => "There is no other placement: every one differs from today's in names only.".to_owned(),
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

fn table(page: &mut View, placements: &PlaceDocument, moves: &Moves<'_>) {
    page.blank();
    let data = data(placements);
    let mut rows = placements.placements.iter();
    // Without draws it has nothing, and is left out.
    let interval = if rows.any(|one| one.over_today.is_some()) {
        "90 % interval"
    } else {
        "?90 % interval"
    };
    let mut table = Table::of(&format!(">(rank) | >score | {interval}"))
        .column(data.heading(), Side::Right)
        .optional("latency", Side::Right)
        .optional("bottleneck", Side::Left)
        .column("cards moved", Side::Left)
        .optional("ties", Side::Right);
    for placement in &placements.placements {
        let Some(first) = placement.scenarios.first() else {
            continue;
        };
        let tone = if placement.today { Tone::Good } else { Tone::Plain };
        table.row(
            tone,
            [
                placement.rank.map_or_else(none, |rank| rank.to_string()),
                percent(placement.score),
                belief(placement),
                bandwidth(data.value(&first.throughput)),
                latency_or_growth(Some(first.latency_mean_s), first.overloaded),
                bottlenecks(placement),
                moves.in_words(&placement.cards),
                match placement.ties.len() {
                    0 => String::new(),
                    ties => ties.to_string(),
                },
            ],
        );
    }
    page.table(table);
}

/// The rate of data that suits all of the placements.
fn data(placements: &PlaceDocument) -> DataRate {
    let placed = placements.placements.iter().flat_map(|found| &found.scenarios);
    DataRate::of(placed.map(|placed| &placed.throughput))
}

/// Whether the difference from the first may be none.
fn is_equal_to_the_first(placement: &PlacementDocument) -> bool {
    let over_first = placement.over_first.as_ref();
    placement.rank != Some(1) && over_first.is_some_and(|gain| gain.gain().verdict() == Verdict::Equal)
}

/// How sure the score is, and whether it is that of the first.
fn belief(placement: &PlacementDocument) -> String {
    let Some(gain) = &placement.over_today else {
        return String::new();
    };
    if is_equal_to_the_first(placement) {
        return "equal to the first".to_owned();
    }
    if placement.today {
        return String::new();
    }
    gain_words(gain)
}

/// The bottleneck in every scenario, in few words.
fn bottlenecks(placement: &PlacementDocument) -> String {
    let mut all: Vec<String> = Vec::new();
    for placed in &placement.scenarios {
        let limit = &placed.bottleneck;
        let first = limit.resources.first();
        let words = first.map_or_else(|| kind_in_words(&limit.kind).to_owned(), Clone::clone);
        if !all.contains(&words) {
            all.push(words);
        }
    }
    all.join("; ")
}

/// Where cards are today: what moves is what is elsewhere.
struct Moves<'d> {
    today: Option<&'d BTreeMap<String, String>>,
}

impl<'d> Moves<'d> {
    fn of(placements: &'d PlaceDocument) -> Self {
        let mut all = placements.placements.iter();
        let today = all.find(|placement| placement.today);
        Self {
            today: today.map(|placement| &placement.cards),
        }
    }

    fn in_words(&self, cards: &BTreeMap<String, String>) -> String {
        let is_moved =
            |card: &String, slot: &String| self.today.is_none_or(|today| today.get(card) != Some(slot));
        let moved = cards.iter().filter(|(card, slot)| is_moved(card, slot));
        let moved: Vec<String> = moved.map(|(card, slot)| format!("{card} to {slot}")).collect();
        if moved.is_empty() {
            "none: as it is today".to_owned()
        } else {
            moved.join(", ")
        }
    }
}

/// One placement in words.
fn explain(page: &mut View, placements: &PlaceDocument, placement: &PlacementDocument, moves: &Moves<'_>) {
    let mut names = Vec::new();
    if placement.rank == Some(1) && placements.different != Some(1) {
        names.push("the best");
    }
    if placement.today {
        names.push("today's");
    }
    let is_equal = is_equal_to_the_first(placement);
    if is_equal {
        names.push("equal to the first");
    } else if placement.worst && placement.rank != Some(1) {
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
    page.choice(format!("{rank}: {}", names.join(", ")));
    let mut cards: Vec<_> = placement.cards.iter().collect();
    // `nvme2` before `nvme10`.
    cards.sort_by_key(|(card, _)| (card.trim_end_matches(char::is_numeric), card.len(), *card));
    let cards = cards.into_iter();
    let mut cards: Vec<String> = cards.map(|(card, slot)| format!("{card} in {slot}")).collect();
    if cards.len() > CARDS {
        let left_out = cards.split_off(CARDS).len();
        cards.push(format!("{left_out} more (JSON lists all)"));
    }
    page.paragraph(&format!("{}.", cards.join(", ")));
    if !placement.ties.is_empty() {
        let listed = placement
            .ties
            .iter()
            .take(TIES)
            .map(|cards| moves.in_words(cards));
        let mut listed: Vec<String> = listed.collect();
        if placement.ties.len() > TIES {
            listed.push(format!("{} more", placement.ties.len() - TIES));
        }
        page.paragraph(&format!("The same score: {}.", listed.join("; ")));
    }
    for (scenario, placed) in placements.scenarios.iter().zip(&placement.scenarios) {
        let limit = &placed.bottleneck;
        let name = if placements.scenarios.len() > 1 {
            format!("{}: ", scenario.name)
        } else {
            String::new()
        };
        page.paragraph(&format!(
            "{name}{} ({}). Bottleneck: {}. {}",
            count_rate(placed.throughput.ops_per_s),
            DataRate::of(std::iter::once(&placed.throughput)).words(&placed.throughput),
            headline(limit),
            limit.explanation,
        ));
    }
    let sets: Vec<String> = placement.sets.iter().map(|set| format!("--set {set}")).collect();
    if placement.rank == Some(1) && !sets.is_empty() {
        page.paragraph(&format!("The same as overrides: {}", sets.join(" ")));
    }
}

/// Predictions beside simulations.
fn confirmed(page: &mut View, placements: &PlaceDocument) {
    let mut table = Table::of(">(rank) | ?scenario | >predicted | >simulated | >(difference)");
    let data = data(placements);
    let mut any = false;
    for placement in &placements.placements {
        for (scenario, placed) in placements.scenarios.iter().zip(&placement.scenarios) {
            let Some(simulated) = &placed.simulated else {
                continue;
            };
            any = true;
            let predicted = data.value(&placed.throughput);
            let found = data.value(&simulated.throughput);
            let name = if placements.scenarios.len() > 1 {
                scenario.name.clone()
            } else {
                String::new()
            };
            table.plain([
                placement.rank.map_or_else(none, |rank| rank.to_string()),
                name,
                bandwidth(predicted),
                bandwidth(found),
                signed_percent(found / predicted - 1.0),
            ]);
        }
    }
    if any {
        page.heading(format!("Confirmed by simulation: {}", data.heading()));
        page.table(table);
    }
}
