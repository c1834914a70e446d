//! Slots that firmware lists as in use, whose card no file describes.

use std::collections::BTreeSet;

use super::Finding;
use crate::origin::Known;
use crate::resolve::Machine;

/// Slots that a note names at most.
const NAMED: usize = 8;

pub(super) fn find(machine: &Machine, findings: &mut Vec<Finding>) {
    let cards = machine.cards.iter().filter_map(|card| card.slot.as_ref());
    let seated: BTreeSet<&str> = cards.map(|slot| slot.value.as_str()).collect();
    let used = machine.slots.iter().filter(|slot| slot.in_use.is(|used| *used));
    let names = used.filter_map(|slot| slot.name.as_ref());
    let unknown: Vec<_> = names
        .filter(|name| !seated.contains(name.value.as_str()))
        .collect();
    let named: Vec<&str> = unknown
        .iter()
        .take(NAMED)
        .map(|name| name.value.as_str())
        .collect();
    let Some(more) = unknown
        .len()
        .checked_sub(named.len())
        .filter(|_| !unknown.is_empty())
    else {
        return;
    };
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let verb = if unknown.len() == 1 { "is" } else { "are" };
    let message = format!(
        "firmware says that {}{more} {verb} in use, and no file says by what: `import` leaves {} out",
        named.join(", "),
        if unknown.len() == 1 { "it" } else { "them" },
    );
    let help = if machine.facts.devices.is_empty() {
        "add the output of `lspci -Dvvvnn`, which lists the cards"
    } else {
        "compare with the devices of `lspci -tv`: such a slot can hold a cable to drives, whose devices have \
         other names"
    };
    findings.push(
        Finding::note("inspect::slot_card_unknown", message)
            .at(unknown.iter().map(|name| Some(name.at)))
            .help(help),
    );
}
