//! Fields that another crate describes: those of parts, and those of the stack.

use bandgraph_diagnostics::{Diagnostic, Place, did_you_mean, one_of};
use bandgraph_hardware::{FieldError, FieldInfo, FieldKind, FieldValue, Part, PartKind};
use bandgraph_sim::Stack;

use super::{Decoded, Decoder};
use crate::document::{Entry, Node, Table, Value, shortened};

impl Decoder<'_> {
    /// Fields of the entry's part that the entry overrides.
    pub(crate) fn overridden_part(
        &mut self,
        kinds: &'static [PartKind],
        given: &[(&String, &Entry)],
        decoded: &mut Decoded,
    ) {
        let Some(part) = decoded.part("part") else {
            // Which fields there are cannot be said without the part; those that no such part has are wrong anyway.
            let known: Vec<&'static FieldInfo> = kinds.iter().flat_map(|kind| kind.fields()).collect();
            decoded.sound = false;
            return self.refuse_unknown(given, &known, decoded);
        };
        let mut part = part.clone();
        let infos = part.fields();
        self.set_fields(given, infos, decoded, |name, value| part.set(name, value));
        if let Some(place) = decoded.described.get("disk").cloned() {
            self.check_disk(&part, &place, decoded);
        }
        if let Some(slot) = decoded.part_mut("part") {
            *slot = part;
        }
    }

    /// Fields of a part that a file defines.
    pub(crate) fn own_part(&mut self, given: &[(&String, &Entry)], table: &Table, decoded: &mut Decoded) {
        let kind = decoded.part_kind("kind");
        let base = decoded.part("base").cloned();
        if let (Some(kind), Some(base)) = (kind, &base)
            && base.kind() != kind
        {
            decoded.sound = false;
            self.problems.push(
                Diagnostic::error(
                    "reference::part_of_another_kind",
                    format!(
                        "`{}` is a {}, and cannot be the base of a {kind}",
                        base.name(),
                        base.kind()
                    ),
                )
                .at(decoded.place_of("base"))
                .also(decoded.place_of("kind").label("the kind")),
            );
        }
        let has_base = table.contains_key("base");
        let Some(mut part) = base.or_else(|| kind.filter(|_| !has_base).map(PartKind::default_part)) else {
            decoded.sound = false;
            return;
        };
        let infos = part.fields();
        self.set_fields(given, infos, decoded, |name, value| part.set(name, value));
        for info in infos.iter().filter(|info| info.required && !has_base) {
            if !table.contains_key(info.name) {
                self.missing(info.name, info.doc, decoded.kind, table, &decoded.place);
                decoded.sound = false;
            }
        }
        part.rename(&decoded.text_or_empty("name"), &decoded.text_or_empty("source"));
        if let Some(place) = decoded.described.get("disk").cloned() {
            self.check_disk(&part, &place, decoded);
        }
        self.parts.define(part);
    }

    /// A shelf names the disk that fills it, which must be one.
    fn check_disk(&mut self, part: &bandgraph_hardware::AnyPart, place: &Place, decoded: &mut Decoded) {
        let Some(FieldValue::Text(disk)) = part.get("disk") else {
            return;
        };
        let node = Node {
            value: Value::Text(disk),
            place: place.clone(),
        };
        decoded.sound &= self.part(&[PartKind::Disk, PartKind::Ssd], &node).is_some();
    }

    /// Figures of the stack's profile that the table overrides.
    pub(crate) fn stack(&mut self, given: &[(&String, &Entry)], decoded: &mut Decoded) {
        let Some(mut stack) = decoded.text("profile").and_then(Stack::named) else {
            let known: Vec<&'static FieldInfo> = Stack::FIELDS.iter().collect();
            return self.refuse_unknown(given, &known, decoded);
        };
        self.set_fields(given, Stack::FIELDS, decoded, |name, value| {
            stack.set(name, value)
        });
        decoded.stack = Some(stack);
    }

    fn refuse_unknown(
        &mut self,
        given: &[(&String, &Entry)],
        known: &[&'static FieldInfo],
        decoded: &mut Decoded,
    ) {
        let unknown: Vec<(&String, &Entry)> = given
            .iter()
            .filter(|(key, _)| !known.iter().any(|info| info.name == *key))
            .copied()
            .collect();
        let names: Vec<&'static str> = known.iter().map(|info| info.name).collect();
        self.unknown_fields(&unknown, &names, decoded);
    }

    /// Reads fields by their description and hands them to `set`.
    fn set_fields(
        &mut self,
        given: &[(&String, &Entry)],
        infos: &'static [FieldInfo],
        decoded: &mut Decoded,
        mut set: impl FnMut(&str, FieldValue) -> Result<(), FieldError>,
    ) {
        self.refuse_unknown(given, &infos.iter().collect::<Vec<_>>(), decoded);
        for (key, entry) in given {
            let Some(info) = infos.iter().find(|info| info.name == *key) else {
                continue;
            };
            decoded.described.insert((*key).clone(), entry.node.place.clone());
            let Some(value) = self.field_value(info, &entry.node) else {
                decoded.sound = false;
                continue;
            };
            if let Err(error) = set(key, value.clone()) {
                decoded.sound = false;
                self.refused_field(info, &value, &error, &entry.node);
            }
        }
    }

    /// Reads a value of the type that a description asks for; its range is not checked yet.
    fn field_value(&mut self, info: &FieldInfo, node: &Node) -> Option<FieldValue> {
        match info.kind {
            FieldKind::Quantity(kind) => self.quantity(info.name, kind, node).map(FieldValue::Quantity),
            FieldKind::Number => self.number(info.name, node).map(FieldValue::Number),
            FieldKind::Flag => self.flag(info.name, node).map(FieldValue::Flag),
            FieldKind::Text | FieldKind::Choice(_) => self.text(info.name, node).map(FieldValue::Text),
            FieldKind::Count => match node.value {
                Value::Integer(number) if number < 0 => {
                    self.problems.push(
                        Diagnostic::error("value::negative", format!("`{}` must not be negative", info.name))
                            .at(node.place.clone()),
                    );
                    None
                }
                Value::Integer(number) => Some(FieldValue::Count(number.unsigned_abs())),
                _ => {
                    self.wrong_type(info.name, "a whole number", node);
                    None
                }
            },
        }
    }

    /// Reports a value that is of the right type and still refused.
    fn refused_field(&mut self, info: &FieldInfo, value: &FieldValue, error: &FieldError, node: &Node) {
        if self.problems.is_full() {
            return;
        }
        let number = match value {
            FieldValue::Quantity(number) | FieldValue::Number(number) => *number,
            FieldValue::Count(count) => *count as f64,
            FieldValue::Flag(_) | FieldValue::Text(_) => 1.0,
        };
        let id = match error {
            FieldError::Choice { .. } => "value::unknown_choice",
            FieldError::NotFinite { .. } => "value::not_finite",
            _ if number < 0.0 => "value::negative",
            FieldError::NotPositive { .. } => "value::zero",
            _ => "value::out_of_range",
        };
        let mut diagnostic = Diagnostic::error(id, error.to_string()).at(node.place.clone());
        if let (FieldKind::Choice(words), FieldValue::Text(text)) = (info.kind, value) {
            diagnostic = Diagnostic::error(id, format!("`{}` cannot be `{}`", info.name, shortened(text)))
                .at(node.place.clone().label("not known"))
                .help(
                    did_you_mean(text, words.iter().copied())
                        .unwrap_or_else(|| format!("it is {}", one_of(words.iter().copied()))),
                );
        }
        self.problems.push(diagnostic);
    }
}
