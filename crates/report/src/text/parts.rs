//! Catalogue parts, for people.

use bandgraph_hardware::{Part, PartKind};

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

/// One part with all of its fields, what they mean, and where its figures come from.
pub fn part_text(part: &dyn Part, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    page.toned(Tone::Heading, &format!("{} ({})", part.name(), part.kind()));
    page.paragraph(&format!("Source: {}", part.source()));
    page.blank();
    for info in part.fields() {
        let Some(value) = part.get(info.name) else {
            continue;
        };
        page.toned(Tone::Plain, &format!("{} = {}", info.name, value.display(info)));
        page.paragraph(info.doc);
    }
    page.finish()
}
