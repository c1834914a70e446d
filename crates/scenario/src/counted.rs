//! Entries with a count, which represent several equal elements: `count = 12`.

use bandgraph_config::{Decoded, named};
use bandgraph_diagnostics::Diagnostic;

/// The count of an entry; `None` without one, and for kinds of entries that cannot have one.
fn count(entry: &Decoded) -> Option<usize> {
    let known = entry.kind().field("count").is_some();
    let count = known.then(|| entry.count("count")).flatten()?;
    usize::try_from(count).ok()
}

/// Whether an entry has a count.
pub(crate) fn is_counted(entry: &Decoded) -> bool {
    count(entry).is_some()
}

/// Number of elements of an entry.
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

/// The problem that the elements of an entry cannot be divided evenly between those that its field names.
/// `each` requires one for every element.
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
