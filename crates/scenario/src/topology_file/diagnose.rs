//! Errors in the structure of a topology as diagnostics, each at the place of the element that it is about.

use bandgraph_config::{Decoded, OVERRIDE, Problems, named};
use bandgraph_diagnostics::{Diagnostic, Place, Sources, did_you_mean};
use bandgraph_topology::{ElementKind, ElementRef, TopologyError};

use crate::counted::{copies, ids, mismatch};

/// The entry that an element of the specification was made from.
fn entry_of(decoded: &Decoded, at: ElementRef) -> Option<&Decoded> {
    let kind = match at.kind {
        ElementKind::Topology => return None,
        ElementKind::Socket | ElementKind::Memory => "socket",
        ElementKind::Link => "link",
        ElementKind::Bridge | ElementKind::Uplink => "bridge",
        ElementKind::Switch => "switch",
        ElementKind::Slot => "slot",
        ElementKind::Card => "card",
        ElementKind::Jbod | ElementKind::Disk => "jbod",
        ElementKind::Route => "route",
    };
    // An entry with a count represents several elements.
    let mut left = at.index;
    decoded.entries(kind).iter().find(|entry| {
        let copies = copies(entry);
        let found = left < copies;
        left = left.saturating_sub(copies);
        found
    })
}

/// The place of an element's field.
fn place_of(decoded: &Decoded, at: ElementRef) -> Place {
    let Some(entry) = entry_of(decoded, at) else {
        return if at.field.is_empty() {
            decoded.place.clone()
        } else {
            decoded.place_of(at.field)
        };
    };
    let path = match (at.kind, at.field) {
        (ElementKind::Memory, field) => format!("memory.{field}"),
        (ElementKind::Uplink, "to") if entry.table("uplink").is_none() => "socket".to_owned(),
        (ElementKind::Uplink, field) => format!("uplink.{field}"),
        (ElementKind::Disk, _) => "disk".to_owned(),
        // The port of a second path may be left out.
        (ElementKind::Jbod, "second_port") if entry.count("second_port").is_none() => "second_hba".to_owned(),
        (_, field) => field.to_owned(),
    };
    entry.place_of(path.trim_end_matches('.'))
}

/// Names that mean nothing, of each kind, where as many elements of that kind have an id that could not be
/// read: these are probably the ones meant, and what is wrong with them has been reported.
pub(super) fn explained_names(decoded: &Decoded, errors: &[TopologyError]) -> Vec<(ElementKind, String)> {
    let mut unknown: Vec<(ElementKind, String)> = Vec::new();
    for error in errors {
        if let TopologyError::Unknown { expected, name, .. } = error
            && !unknown
                .iter()
                .any(|(kind, other)| kind == expected && other == name)
        {
            unknown.push((*expected, name.clone()));
        }
    }
    let nameless = |kind: ElementKind| {
        let key = match kind {
            ElementKind::Bridge => "bridge",
            ElementKind::Switch => "switch",
            ElementKind::Slot => "slot",
            ElementKind::Card => "card",
            _ => "socket",
        };
        let entries = decoded.entries(key).iter();
        entries
            .filter(|entry| entry.text("id").is_none())
            .map(copies)
            .sum::<usize>()
    };
    let counts: Vec<usize> = (unknown.iter())
        .map(|(kind, _)| unknown.iter().filter(|(other, _)| other == kind).count())
        .collect();
    let explained = unknown
        .into_iter()
        .zip(counts)
        .filter(|((kind, _), count)| *count <= nameless(*kind));
    explained.map(|(name, _)| name).collect()
}

/// Whether an error follows from one that has been reported: it is about what stands in for a value that
/// could not be read. Names that were read are what they are, whatever else is wrong with their entry.
pub(super) fn is_known_already(decoded: &Decoded, error: &TopologyError) -> bool {
    let unsound_card = |id: &str| {
        let mut cards = decoded.entries("card").iter();
        cards.any(|card| !card.sound && card.text("id") == Some(id))
    };
    match error {
        TopologyError::NoSockets => !decoded.entries("socket").is_empty() || !decoded.sound,
        TopologyError::Unknown { name, .. } => name.is_empty(),
        TopologyError::DuplicateId { id, .. } => id.is_empty(),
        // Cards of an entry that names too few slots are twice in some of them.
        TopologyError::SlotTaken { slot, .. } => {
            let entry = entry_of(decoded, error.element());
            let too_few = |entry: &Decoded| mismatch(entry, "slot", entry.text("slot")?, true);
            slot.is_empty() || entry.and_then(too_few).is_some()
        }
        TopologyError::SelfLink { socket, .. } => socket.is_empty(),
        TopologyError::NotAnHba { card, .. } | TopologyError::NoSuchPort { card, .. }
            if unsound_card(card) =>
        {
            true
        }
        _ => entry_of(decoded, error.element()).is_some_and(|entry| !entry.sound),
    }
}

pub(super) fn diagnostic(decoded: &Decoded, error: &TopologyError, sources: &Sources) -> Diagnostic {
    let meant = error
        .wrong_name()
        .and_then(|name| did_you_mean(name, error.candidates().iter().map(String::as_str)));
    let help = meant.or_else(|| error.help());
    let place = place_of(decoded, error.element());
    let Some(related) = error.related().map(|related| place_of(decoded, related)) else {
        return Diagnostic::error(error.id(), error.to_string())
            .at(place)
            .help_if(help);
    };
    let second = entry_of(decoded, error.element()).and_then(|entry| entry.text("id"));
    match (error, second) {
        // Of two cards in one slot, the one that was put there last is to blame, wherever it stands in the
        // list.
        (TopologyError::SlotTaken { slot, .. }, Some(second)) if lies_over(&related, &place, sources) => {
            let message = format!("slot `{slot}` has card `{second}` in it already");
            Diagnostic::error(error.id(), message)
                .at(related)
                .also(place.label("here"))
                .help_if(help)
        }
        _ => Diagnostic::error(error.id(), error.to_string())
            .at(place)
            .also(related.label("the first"))
            .help_if(help),
    }
}

/// Whether a place is in a text that is laid over that of another: overrides lie over all files, and a file
/// over those that it names, which are read after it.
fn lies_over(place: &Place, other: &Place, sources: &Sources) -> bool {
    let layer = |place: &Place| (sources.name(place.source) != OVERRIDE, place.source);
    place.source != other.source && layer(place) < layer(other)
}

/// Names the cards whose ports nobody can reach, because their bridge hangs on a socket that nobody can
/// reach.
pub(super) fn unreachable_cards(decoded: &Decoded, socket: &str, first: &str, problems: &mut Problems) {
    let hangs_there = |bridge: &&Decoded| {
        let uplink = bridge.table("uplink").and_then(|uplink| uplink.text("to"));
        let on = uplink.or(bridge.text("socket"));
        on.is_some_and(|on| named(on).iter().any(|on| on == socket))
    };
    for bridge in decoded
        .entries("bridge")
        .iter()
        .filter(hangs_there)
        .filter_map(|bridge| bridge.text("id"))
    {
        for card in decoded.entries("card") {
            let slots = decoded.entries("slot").iter();
            let mut slots = slots.filter(|slot| slot.text("bridge") == Some(bridge));
            let in_slot = card
                .text("slot")
                .map(named)
                .is_some_and(|named| slots.any(|slot| ids(slot).any(|id| named.contains(&id))));
            if problems.is_full() || (!in_slot && card.text("bridge") != Some(bridge)) {
                continue;
            }
            let id = card.text("id").unwrap_or("?");
            let message = format!(
                "no route leads to card `{id}`: its bridge `{bridge}` is on `{socket}`, which no links join \
                 to `{first}`"
            );
            problems.push(
                Diagnostic::error("topology::unreachable_port", message).at(card.place_of(if in_slot {
                    "slot"
                } else {
                    "bridge"
                })),
            );
        }
    }
}
