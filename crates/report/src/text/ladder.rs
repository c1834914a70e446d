//! The text of a ladder: the chain of limits from the bottom up, then what a little more of everything would
//! bring.

use std::collections::BTreeMap;

use bandgraph_units::{Bandwidth, significant};

use super::certainty::{gain_words, statuses};
use super::provenance::{how, inputs, origin, provenance};
use super::run::warnings;
use super::words::{
    DataRate, bandwidth, count_rate, counted_ids, headline, percent, rate_words, resource_in_words,
    signed_percent, time,
};
use crate::json::{
    EndDocument, EndReasonDocument, GroupGainDocument, LadderDocument, NeedDocument, ReliefDocument,
    RungDocument,
};
use crate::view::{Side, Table, Tone, View};

/// `report` for people: programs read JSON.
pub fn ladder_view(ladder: &LadderDocument) -> View {
    let mut page = View::new();
    page.title(format!("Ladder of limits: {}", ladder.scenario));
    if ladder.topology != ladder.scenario {
        page.toned(Tone::Plain, &format!("on {}", ladder.topology));
    }
    inputs(&mut page, [&ladder.software], &ladder.overrides);
    warnings(&mut page, "", &ladder.warnings);
    page.blank();
    page.paragraph(match ladder.relief {
        ReliefDocument::Catalogue => {
            "Each limit is relieved with the part of the catalogue, or the card in a free slot, that brings most."
        }
        ReliefDocument::Unlimited => {
            "Each limit is made as fast as it would need to be, whether or not there is such a part."
        }
    });
    summary(&mut page, &ladder.rungs);
    for (index, rung) in ladder.rungs.iter().enumerate() {
        step(&mut page, index, rung);
    }
    end(&mut page, &ladder.end, ladder.rungs.last());
    gains(&mut page, &ladder.marginal_groups);
    page.blank();
    statuses(&mut page, ladder.statuses.as_ref(), "the first limit");
    let origin = origin(ladder.file.as_deref(), ladder.seed, &ladder.input_hash);
    provenance(&mut page, &ladder.bandgraph, how(ladder.mode), &[origin]);
    page
}

/// All rungs in a table.
fn summary(page: &mut View, rungs: &[RungDocument]) {
    page.blank();
    let data = DataRate::of(rungs.iter().map(|rung| &rung.throughput));
    let mut table = Table::of(">(rung) | limit")
        .column(data.heading(), Side::Right)
        .optional("(in binary units)", Side::Right)
        .column("gain", Side::Right)
        .column("cumulative", Side::Right);
    for (index, rung) in rungs.iter().enumerate() {
        let gain = |gain: f64| {
            if index == 0 {
                String::new()
            } else {
                signed_percent(gain)
            }
        };
        table.plain([
            (index + 1).to_string(),
            short(rung),
            bandwidth(data.value(&rung.throughput)),
            Bandwidth::new(data.value(&rung.throughput)).binary(),
            gain(rung.throughput_gain),
            gain(rung.total_gain),
        ]);
    }
    page.table(table);
}

/// A mean latency, where there is a steady state.
fn mean_latency(seconds: f64, overloaded: bool) -> String {
    if overloaded {
        "no steady state: the load exceeds the capacity".to_owned()
    } else {
        format!("mean latency {}", time(seconds))
    }
}

/// The limit of a rung in very few words.
fn short(rung: &RungDocument) -> String {
    let limit = &rung.bottleneck;
    let kind = resource_in_words(&limit.kind, limit.technology.as_deref());
    match (
        limit.resources.first(),
        counted_ids(&limit.resources, limit.count),
    ) {
        (None, _) => kind.to_owned(),
        (Some(only), 1) => format!("{kind}: {only}"),
        (Some(first), all) => format!("{kind}: {first} and {} more", all - 1),
    }
}

/// One limit, and how it is relieved.
fn step(page: &mut View, index: usize, rung: &RungDocument) {
    page.heading(format!("{}. {}", index + 1, headline(&rung.bottleneck)));
    page.paragraph(&format!(
        "{} ({}), {}. {}",
        count_rate(rung.throughput.ops_per_s),
        DataRate::of(std::iter::once(&rung.throughput)).words(&rung.throughput),
        mean_latency(rung.latency_mean_s, rung.overloaded),
        rung.bottleneck.explanation,
    ));
    if let Some(gain) = &rung.gain {
        page.paragraph(&format!(
            "Gain of the fix of limit {index}, in operations, with a probability of 90 %: {}.",
            gain_words(gain)
        ));
    }
    let Some(step) = &rung.step else { return };
    if !step.needed.is_empty() {
        page.paragraph(&needed(&step.needed));
        return;
    }
    for reason in &step.ruled_out {
        page.paragraph(&format!("Ruled out: {}", uncapitalised(reason)));
    }
    page.paragraph(&format!("Fix applied: {}.", step.change));
    if !step.sets.is_empty() {
        page.paragraph(&format!("The same as overrides: {}", overrides(&step.sets)));
    }
}

/// Overrides as on a command line, without repetitions.
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
fn needed(needs: &[NeedDocument]) -> String {
    const NO_FASTER: f64 = 1.0005;
    if needs.iter().all(|need| need.needed <= need.capacity * NO_FASTER) {
        return "The next limit is just as full, so that it needs to be no faster than it is.".to_owned();
    }
    let mut like: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    for need in needs {
        let (needed, now) = (
            rate_words(&need.unit, need.needed),
            rate_words(&need.unit, need.capacity),
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

fn end(page: &mut View, end: &EndDocument, last: Option<&RungDocument>) {
    page.heading("The ladder ends here");
    match end.reason {
        EndReasonDocument::Clients => page.paragraph(clients_end(last)),
        EndReasonDocument::Core => {
            page.paragraph(
                "Each thread fills the core that it runs on, and nothing in the catalogue has faster cores.",
            );
        }
        EndReasonDocument::NothingToBuy => {
            page.paragraph("No upgrade that was tried relieves this limit:");
            for reason in folded(&end.ruled_out) {
                page.item(&reason);
            }
            page.paragraph("`--unlimited` continues with hypothetical parts, as fast as each limit needs.");
        }
        EndReasonDocument::TooLong => page.paragraph("It has as many steps as a ladder may have."),
    }
}

/// Reasons, of which those with the same beginning are one: `This brings nothing: a; b.`
fn folded(reasons: &[String]) -> Vec<String> {
    let mut of_beginning: Vec<(&str, Vec<&str>)> = Vec::new();
    for reason in reasons {
        let (beginning, rest) = reason.split_once(": ").unwrap_or((reason, ""));
        match of_beginning.iter_mut().find(|(known, _)| *known == beginning) {
            Some((_, more)) if !rest.is_empty() => more.push(rest),
            _ => of_beginning.push((beginning, vec![rest])),
        }
    }
    let folded = of_beginning.into_iter().map(|(beginning, rest)| {
        if rest == [""] {
            return beginning.to_owned();
        }
        let rest: Vec<&str> = rest.iter().map(|one| one.trim_end_matches('.')).collect();
        format!("{beginning}: {}.", rest.join("; "))
    });
    folded.collect()
}

/// Why a ladder ends at the clients.
pub(crate) fn clients_end(last: Option<&RungDocument>) -> &'static str {
    match last.map(|rung| rung.bottleneck.kind.as_str()) {
        Some("offered") => "The clients ask for no more, and get all that they ask for.",
        Some("concurrency") => "The clients have too few operations outstanding to fill anything.",
        _ => "The limit is now on the side of the clients: they are full.",
    }
}

/// What is worth buying.
fn gains(page: &mut View, groups: &[GroupGainDocument]) {
    if groups.is_empty() {
        return;
    }
    page.heading("What is worth buying now");
    page.paragraph(
        "Gain in operations from 1 % more capacity in all parts of a kind, and the share of their usable \
         capacity that they use now:",
    );
    let mut table = Table::of("kind | >each | >gain | >of usable | parts, the fullest first");
    for group in groups {
        table.row(
            if group.elasticity > 0.0 {
                Tone::Good
            } else {
                Tone::Plain
            },
            [
                resource_in_words(&group.kind, group.technology.as_deref()).to_owned(),
                rate_words(&group.unit, group.capacity),
                format!("{:+.2} %", group.elasticity),
                percent(group.saturation),
                members(group),
            ],
        );
    }
    page.table(table);
}

/// The resources of a group, the fullest first.
fn members(group: &GroupGainDocument) -> String {
    let Some(first) = group.fullest.as_ref().or(group.resources.first()) else {
        return String::new();
    };
    let other = group.resources.iter().find(|id| *id != first);
    match (other, counted_ids(&group.resources, group.count)) {
        (_, 1) => first.clone(),
        (Some(second), 2) => format!("{first}, {second}"),
        (_, all) => format!("{first} and {} more", all - 1),
    }
}

/// A sentence after a colon: its first word, unless that is a name, in lower case.
fn uncapitalised(sentence: &str) -> String {
    let first = sentence.split(' ').next().unwrap_or_default();
    let is_plain = first.chars().skip(1).all(char::is_lowercase);
    if is_plain {
        first.to_lowercase() + &sentence[first.len()..]
    } else {
        sentence.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upgrades_that_bring_nothing_are_one_item() {
        let reasons = [
            "No slot is free.",
            "This brings nothing: a faster card.",
            "This brings nothing: another slot.",
        ];
        let expected = [
            "No slot is free.",
            "This brings nothing: a faster card; another slot.",
        ];
        assert_eq!(folded(&reasons.map(str::to_owned)), expected);
    }
}
