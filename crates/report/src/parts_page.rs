//! The page of the documentation that lists the catalogue.

use std::fmt::Write as _;

use bandgraph_config::{AssumedRange, Status};
use bandgraph_hardware::{Part, PartKind, catalogue};

use crate::text::{listed_fields, listed_value};
use crate::view::cell;

const INTRO: &str = "\
<!-- Made by `cargo xtask pages` from crates/hardware/parts. Do not edit. -->

# Parts

The parts that a topology file can name, by kind, with their main figures. `bandgraph parts list --kind nic 100gbe` lists some \
of them, and `bandgraph parts show NAME` prints all figures of one with their ranges, their sources and what is to be known \
of them. A `[[part]]` of a file of your own has the same form: [files](files.md).

Each figure has a status: *sourced* (a data sheet, a standard or a measurement says so), *derived* (computed from such \
figures), *fitted* (a calibration found it) or *assumed*. Each that is not exact by design has a range, \
which contains its true value almost certainly ([intervals](intervals.md) says how draws use it): its own; \
that of assumed values of its field, in the second table of a kind; or one by status, ";

/// The page, as Markdown.
pub fn parts_page() -> String {
    let mut page = INTRO.to_owned();
    let spreads = Status::ALL.iter().map(|status| {
        format!(
            "{status} ±{} %",
            bandgraph_units::significant(status.spread() * 100.0, 3)
        )
    });
    // Writing to a string cannot fail.
    let _ = writeln!(page, "{}.", spreads.collect::<Vec<_>>().join(", "));
    let _ = writeln!(
        page,
        "\nThe last column counts the figures of a part that are sourced, derived, fitted and assumed; figures that a part \
         leaves out have the default of its kind, in the second table, which is assumed unless a document \
         states it. The note \"quoted from memory\" means that its document was not opened.\n\n{} parts:",
        catalogue().iter().len()
    );
    for kind in PartKind::ALL {
        let parts: Vec<_> = catalogue().of_kind(*kind).collect();
        let _ = writeln!(page, "\n## {kind}: {}\n", parts.len());
        let fields: Vec<_> = listed_fields(*kind).collect();
        let names = fields.iter().map(|field| field.name.replace('_', " "));
        let names: Vec<String> = names.collect();
        let _ = writeln!(page, "| name | {} | figures |", names.join(" | "));
        let _ = writeln!(page, "|---|{}---|", "---|".repeat(fields.len()));
        for part in parts {
            let values = fields.iter().map(|field| cell(&listed_value(part, field)));
            let values: Vec<String> = values.collect();
            let figures = part.figures();
            let counts = Status::ALL.iter().map(|status| {
                let of_status = figures.iter().filter(|figure| figure.status == *status);
                of_status.count().to_string()
            });
            let counts: Vec<String> = counts.collect();
            let _ = writeln!(
                page,
                "| `{}` | {} | {} |",
                part.name(),
                values.join(" | "),
                counts.join("/")
            );
        }
        page.push_str(&defaults(*kind));
    }
    page
}

/// The table of the fields of a kind whose default or assumed values have a reason.
fn defaults(kind: PartKind) -> String {
    let part = kind.default_part();
    let mut table = "\n| field | default | why | range of assumed values |\n|---|---|---|---|\n".to_owned();
    for field in kind.fields() {
        let why = field.default_note.unwrap_or_default();
        let range = field.assumed.map_or("", |AssumedRange(_, _, why)| why);
        if why.is_empty() && range.is_empty() {
            continue;
        }
        let value = part.get(field.name).filter(|_| !why.is_empty());
        let value = value.map_or_else(String::new, |value| value.display(field));
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {} |",
            field.name,
            cell(&value),
            cell(why),
            cell(range)
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_row_for_every_part() {
        let page = parts_page();
        for part in catalogue().iter() {
            assert!(
                page.contains(&format!("| `{}` |", part.name())),
                "{}",
                part.name()
            );
        }
    }
}
