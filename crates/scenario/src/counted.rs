//! Entries that stand for several equal elements: `count = 12`.

use bandgraph_config::Decoded;
use bandgraph_diagnostics::Diagnostic;

/// The count of an entry; `None` where it gives none, and for kinds of entries that have none.
fn count(entry: &Decoded) -> Option<usize> {
    let known = entry.kind().field("count").is_some();
    let count = known.then(|| entry.count("count")).flatten()?;
    usize::try_from(count).ok()
}

/// Whether an entry stands for several elements.
pub(crate) fn is_counted(entry: &Decoded) -> bool {
    count(entry).is_some()
}

/// How many elements an entry stands for.
pub(crate) fn copies(entry: &Decoded) -> usize {
    count(entry).unwrap_or(1)
}

/// The ids of an entry's elements: numbered from 0 where it has a count.
pub(crate) fn ids(entry: &Decoded) -> impl Iterator<Item = String> {
    let id = entry.text_or_empty("id");
    let numbered = is_counted(entry);
    (0..copies(entry)).map(move |number| {
        if numbered {
            format!("{id}{number}")
        } else {
            id.clone()
        }
    })
}

/// The slots that a card's entry names: those of a range, `bay[0-11]`, or the one. `None` if it names none.
pub(crate) fn slots_of(entry: &Decoded) -> Option<Vec<String>> {
    let text = entry.text("slot")?;
    let range = text.strip_suffix(']').and_then(|text| text.split_once('['));
    let slots = range.and_then(|(stem, range)| {
        let (first, last) = range.split_once('-')?;
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        // No more than a topology has, whatever a file says.
        let last = last.min(first.saturating_add(bandgraph_topology::MAX_ELEMENTS as u32));
        Some((first..=last).map(|number| format!("{stem}{number}")).collect())
    });
    Some(slots.unwrap_or_else(|| vec![text.to_owned()]))
}

/// That an entry has not as many slots as cards.
pub(crate) fn mismatch(entry: &Decoded) -> Option<Diagnostic> {
    let (slots, cards) = (slots_of(entry)?.len(), copies(entry));
    if slots == cards || !entry.sound {
        return None;
    }
    let message = format!(
        "{cards} {} and {slots} {}",
        if cards == 1 { "card" } else { "cards" },
        if slots == 1 { "slot" } else { "slots" }
    );
    let slot = entry.text("slot").unwrap_or_default();
    let stem = slot.split('[').next().unwrap_or(slot);
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let help = if cards == 1 {
        format!("write `count = {slots}`, or name one slot")
    } else {
        format!("name as many: `slot = \"{stem}[0-{}]\"`", cards - 1)
    };
    Some(
        Diagnostic::error("topology::slots_and_cards", message)
            .at(entry.place_of("slot"))
            .help(help),
    )
}
