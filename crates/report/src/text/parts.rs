//! Catalogue parts, for people.

use bandgraph_config::{Field, KnownFigure, Shape, Status};
use bandgraph_hardware::{Part, PartKind, Source, source};

use crate::view::{Side, Table, Tone, View};

/// Several parts, a line each, grouped by kind.
pub fn parts_view(parts: &[&dyn Part]) -> View {
    let mut page = View::new();
    for kind in PartKind::ALL {
        let of_kind: Vec<&dyn Part> = parts
            .iter()
            .copied()
            .filter(|part| part.kind() == *kind)
            .collect();
        if of_kind.is_empty() {
            continue;
        }
        let mut table = Table::of("name");
        for (index, field) in listed_fields(*kind).enumerate() {
            let side = match field.shape {
                Shape::Quantity(_) | Shape::Count | Shape::Number => Side::Right,
                _ => Side::Left,
            };
            let heading = field.name.replace('_', " ");
            table = if index < 2 {
                table.column(heading, side)
            } else {
                table.optional(heading, side)
            };
        }
        for part in of_kind {
            let cells = listed_fields(*kind).map(|field| listed_value(part, field));
            table.plain(std::iter::once(part.name().to_owned()).chain(cells));
        }
        page.heading(kind.as_str());
        page.table(table);
    }
    page
}

/// The fields that tell parts of a kind from each other: those that a part must give, and those that lists
/// show.
pub(crate) fn listed_fields(kind: PartKind) -> impl Iterator<Item = &'static Field> {
    kind.fields().filter(|field| field.is_required() || field.listed)
}

/// The value of a field for a list; nothing where it is unknown.
pub(crate) fn listed_value(part: &dyn Part, field: &'static Field) -> String {
    let value = part.get(field.name).filter(|value| value.number() != Some(0.0));
    value.map_or_else(String::new, |value| value.display(field))
}

/// One part with all of its fields: what they mean, how each figure was found, and the full references of the
/// sources.
pub fn part_view(part: &dyn Part) -> View {
    let mut page = View::new();
    page.title(format!("{} ({})", part.name(), part.kind()));
    page.blank();
    figures(&mut page, part.figures());
    page
}

/// Figures with their values, what they mean, how each was found, and then the full references of the
/// sources.
pub(super) fn figures(page: &mut View, figures: Vec<KnownFigure>) {
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
