//! Parts in files: fields that name a part, and fields that override its fields.

use std::sync::Arc;

use bandgraph_config::{
    Custom, Decoded, Decoder, Definitions, Described, Entry, Field, FieldType, FieldValue, Identity,
    MAXIMUM_CANDIDATES, Made, NOTE, Node, Origin, STATUS, Shape, Table, Value, kinds, shortened,
};
use bandgraph_diagnostics::{Diagnostic, Place, did_you_mean, with_article};
use serde_json::{Value as Json, json};

use crate::{AnyPart, Part, PartKind, SlotSpecError, catalogue, meant_parts};

/// The parts that are visible in one file: its own, then those of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct OwnParts<'d>(pub &'d Definitions);

impl<'d> OwnParts<'d> {
    /// The part with this name. A file's own part hides one of the catalogue.
    pub fn get(self, name: &str) -> Option<&'d AnyPart> {
        let own = self.0.get(name).and_then(|defined| defined.downcast_ref());
        own.or_else(|| catalogue().get(name))
    }

    /// The names of the parts of these kinds.
    fn names(self, kinds: &[PartKind]) -> Vec<&'d str> {
        let own = self.0.values().filter_map(|defined| defined.downcast_ref());
        let own = own.take(MAXIMUM_CANDIDATES);
        let own = own.filter(|part: &&AnyPart| kinds.contains(&part.kind()));
        let of_catalogue = kinds.iter().flat_map(|kind| catalogue().names(*kind));
        own.map(Part::name)
            .chain(of_catalogue.map(|name| -> &'d str { name }))
            .collect()
    }
}

/// The part with the name in a text, if it is of one of these kinds; otherwise reports a problem.
fn named_part(decoder: &mut Decoder<'_>, kinds: &[PartKind], node: &Node) -> Option<AnyPart> {
    let name = decoder.text("part", node)?;
    let what = || {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        match names.as_slice() {
            [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            names => names.concat(),
        }
    };
    let parts = OwnParts(&decoder.definitions);
    let diagnostic = match parts.get(&name) {
        Some(part) if kinds.contains(&part.kind()) => return Some(part.clone()),
        Some(part) => {
            let message = format!(
                "`{name}` is {}, and {} belongs here",
                with_article(part.kind().as_str()),
                with_article(&what())
            );
            Diagnostic::error("reference::part_of_another_kind", message)
                .at(node.place.clone().label(with_article(part.kind().as_str())))
                .help(lists(parts.names(kinds).len(), kinds))
        }
        None => {
            let what = if kinds.len() == PartKind::ALL.len() {
                "part".to_owned()
            } else {
                format!("{} part", what())
            };
            let names = parts.names(kinds);
            let help = did_you_mean(&name, names.iter().copied())
                .or_else(|| meant_parts(&name, names.iter().copied()));
            Diagnostic::error(
                "reference::unknown_part",
                format!("there is no {what} `{}`", shortened(&name)),
            )
            .at(node.place.clone().label("not in the catalogue"))
            .help(help.unwrap_or_else(|| lists(names.len(), kinds)))
            .help("define a part of your own with `[[part]]`")
        }
    };
    decoder.problems.push(diagnostic);
    None
}

/// How many parts of these kinds there are, and what lists them.
fn lists(count: usize, kinds: &[PartKind]) -> String {
    let list = |kind: &PartKind| format!("`bandgraph parts list --kind {kind}`");
    let lists: Vec<String> = kinds.iter().map(list).collect();
    format!("there are {count}: {}", lists.join(", "))
}

/// A field with the name of a part of one of these kinds: of the catalogue, or of a `[[part]]`. Decodes to an
/// [`AnyPart`].
#[derive(Debug)]
pub struct PartShape(pub &'static [PartKind]);

impl Custom for PartShape {
    fn read(&self, decoder: &mut Decoder<'_>, _: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        Some(Arc::new(named_part(decoder, self.0, node)?))
    }

    fn schema(&self) -> Json {
        let names = self.0.iter().flat_map(|kind| catalogue().names(*kind));
        json!({ "type": "string", "examples": names.collect::<Vec<_>>() })
    }

    fn reference(&self) -> String {
        "name of a part".to_owned()
    }
}

/// A field with a PCI Express generation and width, `"gen1 x8"`, or the name of a slot of the catalogue.
/// Decodes to a [`PcieSlotSpec`](crate::PcieSlotSpec).
#[derive(Debug)]
pub struct PcieShape;

impl Custom for PcieShape {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        let text = decoder.text(field.name, node)?;
        if let Some(slot) = catalogue().pcie_slot(&text) {
            return Some(Arc::new(slot.spec()));
        }
        let spec: Result<crate::PcieSlotSpec, SlotSpecError> = text.parse();
        match spec {
            Ok(spec) => Some(Arc::new(spec)),
            Err(error) => {
                decoder.problems.push(
                    Diagnostic::error("value::not_a_pcie_link", error.to_string())
                        .at(node.place.clone())
                        .help(format!(
                            "write a generation, gen1 to gen6, and a width: \"{}\"",
                            meant_link(&text)
                        )),
                );
                None
            }
        }
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "pattern": r"^gen[1-6]\s+x(1|2|4|8|12|16|32)$" })
    }

    fn reference(&self) -> String {
        "generation and width, `\"gen1 x8\"`".to_owned()
    }
}

/// What a text such as `PCIe 3.0 x16`, `4.0 x16` or `x8 gen2` means in the words of files. Where it says no
/// generation or no width, that of an example.
fn meant_link(text: &str) -> String {
    let number = |after: &str| {
        let after = after.trim_start_matches(['.', ' ']);
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        after[..end].parse::<u32>().ok()
    };
    let text = text.to_ascii_lowercase();
    let marks = ["pcie", "express", "gen"].into_iter();
    let mut after = marks.filter_map(|mark| text.split_once(mark));
    let generation = after
        .find_map(|(_, after)| number(after))
        .or_else(|| number(&text));
    let lanes = text.rsplit_once(['x', '×']).and_then(|(_, after)| number(after));
    let wide = |lanes: &u32| [1, 2, 4, 8, 12, 16, 32].contains(lanes);
    format!(
        "gen{} x{}",
        generation.map_or(1, |generation| generation.clamp(1, 6)),
        lanes.filter(wide).unwrap_or(8)
    )
}

/// The fields of the part that an entry names; the entry may override each of them. The part is of one of
/// these kinds. The part with the overrides is in [`made`](Decoded::made).
#[derive(Debug)]
pub struct PartFields(pub &'static [PartKind]);

/// The fields of these kinds, in groups.
fn groups(kinds: &[PartKind]) -> Vec<&'static [Field]> {
    kinds
        .iter()
        .flat_map(|kind| kind.table().groups.iter().copied())
        .collect()
}

impl Described for PartFields {
    fn read(
        &self,
        decoder: &mut Decoder<'_>,
        given: &[(&String, &Entry)],
        _table: &Table,
        decoded: &mut Decoded,
    ) {
        let Some(part) = decoded.custom::<AnyPart>("part") else {
            // The fields are unknown without the part; a field that no part of these kinds has is wrong in
            // any case.
            let known: Vec<&'static Field> = self.0.iter().flat_map(|kind| kind.fields()).collect();
            decoded.sound = false;
            return decoder.refuse_unknown(given, &known, decoded);
        };
        let mut part = part.clone();
        let fields: Vec<&'static Field> = part.kind().fields().collect();
        decoder.set_fields(given, &fields, decoded, |name, value| part.set(name, value));
        if !given.is_empty() {
            let mut origin = part.origin().clone();
            origin.overridden(&decoded.figures);
            let name = part.name().to_owned();
            part.rename(&name, origin);
        }
        check_names(decoder, &part, decoded);
        decoded.made = Some(Arc::new(part));
    }

    fn fields(&self) -> Vec<&'static [Field]> {
        groups(self.0)
    }

    fn fields_of(&self, entry: &Table, definitions: &Table) -> Vec<&'static [Field]> {
        let text = |table: &Table, key: &str| Some(table.get(key)?.node.text()?.to_owned());
        let own = definitions
            .get("part")
            .map_or(&[][..], |parts| parts.node.items());
        let kind_of = |name: &str| {
            let mut own = own.iter().filter_map(Node::table);
            let own = own.find(|part| text(part, "name").as_deref() == Some(name));
            let kind = own.and_then(|part| text(part, "kind")?.parse().ok());
            kind.or_else(|| Some(catalogue().get(name)?.kind()))
        };
        let kind: Option<PartKind> = text(entry, "part").and_then(|name| kind_of(&name));
        kind.map_or_else(|| self.fields(), |kind| groups(&[kind]))
    }

    fn takes_figures(&self) -> bool {
        true
    }

    fn reference(&self) -> String {
        let kinds: Vec<String> = self
            .0
            .iter()
            .map(|kind| format!("[{kind}](#part-{kind})"))
            .collect();
        format!("In addition, any field of its part: {}.", kinds.join(" or "))
    }
}

kinds! {
    /// A part that the catalogue does not have, as another part with some fields changed. Entries name it
    /// like any part of the catalogue. A figure may say where it comes from: `clock = { value = "2.3 GHz",
    /// status = "sourced", source = "its data sheet", note = "..." }`, with a `range` around its value.
    pub static OWN_PART("part", Identity::Field("name"), OwnPartFields) {
        /// The name by which entries refer to it.
        name: Shape::Id;
        /// What kind of part it is.
        kind: PartKind::SHAPE;
        /// The part that it is based on: of the catalogue, or a `[[part]]` above this one. Without it, the
        /// fields that have no default must be given.
        base: Shape::Custom(&PartShape(PartKind::ALL)), optional;
        STATUS;
        /// Where its figures come from.
        source: Shape::Text, optional;
        NOTE;
    }
}

/// The fields of the definition of a part, in a file or in the catalogue.
#[derive(Debug)]
struct OwnPartFields;

impl Described for OwnPartFields {
    fn read(
        &self,
        decoder: &mut Decoder<'_>,
        given: &[(&String, &Entry)],
        table: &Table,
        decoded: &mut Decoded,
    ) {
        let kind: Option<PartKind> = decoded.get("kind");
        let base = decoded.custom::<AnyPart>("base").cloned();
        if let (Some(kind), Some(base)) = (kind, &base)
            && base.kind() != kind
        {
            decoded.sound = false;
            let (name, of_base) = (base.name(), base.kind());
            decoder.problems.push(
                Diagnostic::error(
                    "reference::part_of_another_kind",
                    format!(
                        "`{name}` is {}, and cannot be the base of {}",
                        with_article(of_base.as_str()),
                        with_article(kind.as_str())
                    ),
                )
                .at(decoded.place_of("base"))
                .also(decoded.place_of("kind").label("the kind")),
            );
        }
        let has_base = table.contains_key("base");
        let of_base = base.as_ref().map(|base| base.origin().clone());
        let Some(mut part) = base.or_else(|| kind.filter(|_| !has_base).map(PartKind::default_part)) else {
            decoded.sound = false;
            return;
        };
        let fields: Vec<&'static Field> = part.kind().fields().collect();
        decoder.set_fields(given, &fields, decoded, |name, value| part.set(name, value));
        if !has_base {
            decoder.require_fields(&fields, table, decoded);
        }
        // Also a name that is invalid, which is reported already: references to it are not further errors.
        let name = match table.get("name").map(|entry| &entry.node.value) {
            Some(Value::Text(name)) => name.clone(),
            _ => String::new(),
        };
        part.rename(&name, Origin::of(decoded, of_base.as_ref()));
        // The cores of a part are all that it has; a topology can have some of them off.
        if let AnyPart::Socket(socket) = &mut part
            && !table.contains_key("package_cores")
        {
            socket.package_cores = socket.cores;
        }
        decoded.made = Some(Arc::new(part.clone()));
        check_names(decoder, &part, decoded);
        decoder.definitions.insert(part.name().to_owned(), Arc::new(part));
    }

    fn fields(&self) -> Vec<&'static [Field]> {
        groups(PartKind::ALL)
    }

    fn reference(&self) -> String {
        "In addition, the fields of its kind, as below.".to_owned()
    }

    fn takes_figures(&self) -> bool {
        true
    }

    /// A part of the catalogue under its own name.
    fn implied(&self, name: &str) -> Option<Vec<(&'static str, String)>> {
        let part = catalogue().get(name)?;
        let fields = [("name", name), ("kind", part.kind().as_str()), ("base", name)];
        Some(fields.map(|(field, text)| (field, text.to_owned())).to_vec())
    }

    fn implied_names(&self) -> Vec<&'static str> {
        PartKind::ALL
            .iter()
            .flat_map(|kind| catalogue().names(*kind))
            .collect()
    }
}

/// The fields that name the part to use, with its kinds: the disk of a shelf, the link between the NUMA nodes
/// of a socket.
const NAMES: [(&str, &[PartKind]); 2] = [
    ("disk", &[PartKind::Disk, PartKind::Ssd]),
    ("node_link", &[PartKind::SocketLink]),
];

/// Checks that a part names existing parts.
fn check_names(decoder: &mut Decoder<'_>, part: &AnyPart, decoded: &mut Decoded) {
    for (field, kinds) in NAMES {
        let place: Option<Place> = decoded.described.get(field).cloned();
        if let (Some(place), Some(FieldValue::Text(name))) = (place, part.get(field)) {
            let node = Node::new(Value::Text(name), place);
            decoded.sound &= named_part(decoder, kinds, &node).is_some();
        }
    }
}
