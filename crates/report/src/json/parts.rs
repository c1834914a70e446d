//! The JSON of catalogue parts.

use bandgraph_config::{FieldValue, KnownFigure, Origin};
use bandgraph_hardware::{Part, source};

documents! {
    /// A list of parts of the catalogue.
    pub struct PartsDocument(parts: &[&dyn Part]) {
        /// Version of this format.
        pub schema: u32 = 1,
        /// The parts, in the order of the catalogue.
        pub parts: Vec<PartDocument> = parts.iter().map(|part| PartDocument::new(*part)).collect(),
    }

    /// One part.
    pub struct PartDocument(part: &dyn Part) {
        /// Name, as topology files use it.
        pub name: String = part.name().to_owned(),
        /// Kind of part.
        pub kind: String = part.kind().as_str().to_owned(),
        /// Where its figures come from in general: a full reference, or `assumption`.
        pub source: String = in_general(part.origin()),
        /// Its fields, in documented order.
        pub fields: Vec<FieldDocument> = part.figures().into_iter().map(FieldDocument::new).collect(),
    }

    /// One field of a part or of a stack.
    pub struct FieldDocument(figure: KnownFigure) {
        let info = figure.field;
        let text = figure.value.display(info);

        /// Name, as files use it.
        pub name: String = info.name.to_owned(),
        /// The value: a number in `unit`, a flag, or a text.
        pub value: serde_json::Value = match figure.value {
            FieldValue::Quantity(number) | FieldValue::Number(number) => number.into(),
            FieldValue::Count(count) => count.into(),
            FieldValue::Flag(flag) => flag.into(),
            FieldValue::Text(text) => text.into(),
        },
        /// Unit of a quantity, such as `bytes/s`; null for everything else.
        pub unit: Option<String> = info.quantity().map(|kind| kind.base_unit().to_owned()),
        /// The value in words, as files write it.
        pub text: String,
        /// What the field means.
        pub description: String = info.doc.to_owned(),
        /// How the figure was found: `sourced`, `derived`, `fitted` or `assumed`.
        pub status: String = figure.status.as_str().to_owned(),
        /// The full reference of its source; null where it is assumed.
        pub source: Option<String> = figure.source.as_deref().map(reference),
        /// Between which values the true one is with a probability of 90 %, in `unit`; null for what is not
        /// uncertain, as a count or a word.
        pub range: Option<[f64; 2]> = figure.range,
        /// How it follows from its source; null where the figure does not say.
        pub note: Option<String> = figure.note,
    }
}

/// Where the figures of a part or a stack come from in general: a full reference, or `assumption`.
pub(super) fn in_general(origin: &Origin) -> String {
    let source = origin.source.as_deref();
    source.map_or_else(|| "assumption".to_owned(), reference)
}

/// The full reference of a source of the bibliography; a key that it does not have stays as it is.
fn reference(key: &str) -> String {
    source(key).map_or_else(|| key.to_owned(), ToString::to_string)
}
