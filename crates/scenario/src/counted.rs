//! Entries that stand for several equal elements: `count = 12`.

use bandgraph_config::Decoded;
use bandgraph_diagnostics::Diagnostic;
use bandgraph_topology::MAX_ELEMENTS;

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

/// The elements that a reference names: those of a range, `bay[0-11]`, or the one.
pub(crate) fn named(text: &str) -> Vec<String> {
    let range = text.strip_suffix(']').and_then(|text| text.split_once('['));
    let elements = range.and_then(|(stem, range)| {
        let (first, last) = range.split_once('-')?;
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        // No more than a topology has, whatever a file says.
        let last = last.min(first.saturating_add(MAX_ELEMENTS as u32));
        Some((first..=last).map(|number| format!("{stem}{number}")).collect())
    });
    elements.unwrap_or_else(|| vec![text.to_owned()])
}

/// What each of `copies` elements refers to: as many to each of the named ones, in order.
pub(crate) fn spread(text: &str, copies: usize) -> impl Iterator<Item = String> + use<> {
    let named = named(text);
    (0..copies).map(move |number| {
        // A range that runs backwards names nothing.
        let place = number * named.len() / copies;
        named.get(place).cloned().unwrap_or_default()
    })
}

/// That the elements of an entry cannot be spread evenly over those that its field names. `each` where every one needs
/// one of its own.
pub(crate) fn mismatch(entry: &Decoded, field: &'static str, text: &str, each: bool) -> Option<Diagnostic> {
    let (named, copies) = (named(text).len(), copies(entry));
    let fits = named > 0 && copies % named == 0 && (!each || copies == named);
    if fits || !entry.sound {
        return None;
    }
    let stem = text.split('[').next().unwrap_or(text);
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit() || c == '*');
    let help = match (copies, each) {
        (1, _) => format!("write `count = {named}`, or name one"),
        (_, true) => format!("name as many: `\"{stem}[0-{}]\"`", copies - 1),
        (_, false) => format!("name one, or a number of them that divides {copies}"),
    };
    let (kind, last) = (entry.kind.name, field.rsplit('.').next().unwrap_or(field));
    let message = format!("{copies} of `{kind}`, and `{last}` names {named}");
    Some(
        Diagnostic::error("topology::uneven_count", message)
            .at(entry.place_of(field))
            .help(help),
    )
}
