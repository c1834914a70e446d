//! Fields that do not depend on the kind of a table alone: those of a part or of a profile.

use bandgraph_diagnostics::Diagnostic;

use super::{Decoded, Decoder};
use crate::document::{Entry, Table};
use crate::kind::Field;
use crate::value::{FieldError, FieldValue};

impl Decoder<'_> {
    /// Rejects fields that are not in the list.
    pub fn refuse_unknown(
        &mut self,
        given: &[(&String, &Entry)],
        known: &[&'static Field],
        decoded: &mut Decoded,
    ) {
        let unknown: Vec<(&String, &Entry)> = given
            .iter()
            .filter(|(key, _)| !known.iter().any(|field| field.name == *key))
            .copied()
            .collect();
        let names: Vec<&'static str> = known.iter().map(|field| field.name).collect();
        self.unknown_fields(&unknown, &names, decoded);
    }

    /// Reports missing required fields.
    pub fn require_fields(&mut self, fields: &[&'static Field], table: &Table, decoded: &mut Decoded) {
        for field in fields.iter().filter(|field| field.is_required()) {
            if !table.contains_key(field.name) {
                self.missing(field.name, field.doc, decoded.kind, table, &decoded.place);
                decoded.sound = false;
            }
        }
    }

    /// Decodes fields by their description and passes them to `set`.
    pub fn set_fields(
        &mut self,
        given: &[(&String, &Entry)],
        fields: &[&'static Field],
        decoded: &mut Decoded,
        mut set: impl FnMut(&str, FieldValue) -> Result<(), FieldError>,
    ) {
        self.refuse_unknown(given, fields, decoded);
        for (key, entry) in given {
            let Some(field) = fields.iter().find(|field| field.name == *key) else {
                continue;
            };
            decoded.described.insert((*key).clone(), entry.node.place.clone());
            let read = if decoded.kind.takes_figures() {
                self.figure(field, &entry.node)
            } else {
                self.single(field, &entry.node).map(|value| (value, None))
            };
            let Some((value, figure)) = read else {
                decoded.sound = false;
                continue;
            };
            if decoded.kind.takes_figures() {
                decoded.figures.insert((*key).clone(), figure.unwrap_or_default());
            }
            // A value in range may still be invalid, such as a text that is not a list of shares.
            if let Err(error) = set(key, value) {
                decoded.sound = false;
                self.problems.push(
                    Diagnostic::error("value::out_of_range", error.to_string()).at(entry.node.place.clone()),
                );
            }
        }
    }
}
