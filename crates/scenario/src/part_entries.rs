//! Warnings about parts that a file or an override defines.

use std::collections::BTreeSet;

use bandgraph_config::{Decoded, Field, Presence, Problems};
use bandgraph_diagnostics::{Diagnostic, listed, there_are};
use bandgraph_hardware::{AnyPart, Part, PartKind};
use bandgraph_topology::Topology;

/// Processors that a file defines without naming a similar one: what it leaves out is that of no processor.
pub(crate) fn without_base(decoded: &Decoded, problems: &mut Problems) {
    let is_bare =
        |entry: &&Decoded| entry.text("kind") == Some("socket") && !entry.fields.contains_key("base");
    for entry in decoded.entries("part").iter().filter(is_bare) {
        let is_open = |field: &&Field| {
            matches!(field.presence, Presence::Default(_)) && !entry.described.contains_key(field.name)
        };
        let open: Vec<&str> = PartKind::Socket
            .fields()
            .filter(is_open)
            .map(|field| field.name)
            .collect();
        if !open.is_empty() {
            let name = entry.text("name").unwrap_or("?");
            problems.push(
                Diagnostic::warning(
                    "part::defaults",
                    format!(
                        "part `{name}` has no `base` and leaves {} fields at their defaults",
                        open.len()
                    ),
                )
                .at(entry.place_of("name"))
                .help(format!("it leaves out {}", listed(open).0))
                .help("name a similar processor (`base`); `bandgraph parts list --kind socket` lists them"),
            );
        }
    }
}

/// Overrides of parts of the catalogue that the server does not have, nor the `others` of its scenario: they
/// change nothing.
pub(crate) fn without_use(
    decoded: &Decoded,
    topology: &Topology,
    others: &[&dyn Part],
    problems: &mut Problems,
) {
    let own = decoded.entries("part");
    let base = |entry: &Decoded| Some(entry.custom::<AnyPart>("base")?.name().to_owned());
    let mut used = topology.spec().parts();
    used.extend(others);
    used.extend(topology.chassis().map(|chassis| chassis as &dyn Part));
    for entry in own {
        let Some(part) = entry.made_as::<AnyPart>() else {
            continue;
        };
        // An entry of a file has another name than the part that it is based on.
        let is_override = base(entry).as_deref() == Some(part.name());
        let is_base =
            |other: &Decoded| !std::ptr::eq(other, entry) && base(other).as_deref() == Some(part.name());
        let is_used = used.iter().any(|other| other.name() == part.name());
        // Slots have the figures of their part and not its name.
        let is_used = is_used || part.kind() == PartKind::PcieSlot;
        if !is_override || is_used || own.iter().any(is_base) {
            continue;
        }
        let of_kind = used.iter().filter(|other| other.kind() == part.kind());
        let of_kind: BTreeSet<&str> = of_kind.map(|other| other.name()).collect();
        let message = format!("this changes nothing: the server has no part `{}`", part.name());
        problems.push(
            Diagnostic::warning("topology::unused_part", message)
                .at(entry.place_of("name"))
                .help(format!("of kind {} {}", part.kind(), there_are(of_kind))),
        );
    }
}
