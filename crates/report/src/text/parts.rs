//! Catalogue parts, for people.

use bandgraph_config::{KnownFigure, Status};
use bandgraph_hardware::{Part, PartKind, Source, source};

use super::columns::{Columns, Side};
use super::options::{TextOptions, Tone};
use super::page::Page;

/// Several parts, a line each, grouped by kind.
pub fn parts_text(parts: &[&dyn Part], options: &TextOptions) -> String {
    let mut page = Page::new(options);
    for kind in PartKind::ALL {
        let mut table = Columns::default().column("", Side::Left).optional("", Side::Left);
        let mut empty = true;
        for part in parts.iter().filter(|part| part.kind() == *kind) {
            table.row(Tone::Plain, [part.name().to_owned(), salient(*part)]);
            empty = false;
        }
        if !empty {
            page.heading(kind.as_str());
            page.table(&table);
        }
    }
    page.finish()
}

/// The figures that a part must give, in words: what tells it from others of its kind.
fn salient(part: &dyn Part) -> String {
    let figures: Vec<String> = part
        .fields()
        .iter()
        .filter(|info| info.is_required())
        .filter_map(|info| {
            let value = part.get(info.name)?.display(info);
            Some(format!("{} {value}", info.name.replace('_', " ")))
        })
        .collect();
    figures.join(", ")
}

/// One part with all of its fields: what they mean, how each figure was found, and the full references of the sources.
pub fn part_text(part: &dyn Part, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    page.toned(Tone::Heading, &format!("{} ({})", part.name(), part.kind()));
    page.blank();
    figures(&mut page, part.figures());
    page.finish()
}

/// Figures with their values, what they mean, how each was found, and then the full references of the sources.
pub(super) fn figures(page: &mut Page, figures: Vec<KnownFigure>) {
    let mut keys = Vec::new();
    for figure in figures {
        let (field, value) = (figure.field, &figure.value);
        page.toned(Tone::Plain, &format!("{} = {}", field.name, value.display(field)));
        page.paragraph(field.doc);
        page.paragraph(&found(&figure));
        keys.extend(figure.source);
    }
    keys.sort_unstable();
    keys.dedup();
    let documents: Vec<&Source> = keys.iter().filter_map(|key| source(key)).collect();
    if !documents.is_empty() {
        page.heading("Sources");
        for document in documents {
            page.paragraph(&format!("{}: {document}. {}", document.key, document.says));
        }
    }
}

/// How a figure was found: `derived from hw-update-2009, 1 to 1.8 (from the published CPI)`.
fn found(figure: &KnownFigure) -> String {
    let text = match (figure.status, &figure.source) {
        (status, None) => status.to_string(),
        (Status::Sourced, Some(key)) => format!("sourced: {key}"),
        (Status::Derived, Some(key)) => format!("derived from {key}"),
        (Status::Fitted, Some(key)) => format!("fitted to {key}"),
        (Status::Assumed, Some(key)) => format!("assumed, after {key}"),
    };
    let range = figure.range.map_or_else(String::new, |[low, high]| {
        let show = |number: f64| match figure.field.quantity() {
            Some(kind) => kind.format(number),
            None => bandgraph_units::significant(number, 6),
        };
        format!(", {} to {}", show(low), show(high))
    });
    let note = figure
        .note
        .as_ref()
        .map_or_else(String::new, |note| format!(" ({note})"));
    text + &range + &note
}
