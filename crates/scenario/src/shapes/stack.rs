//! The fields of a stack's profile.

use std::fmt::Write as _;
use std::sync::Arc;

use bandgraph_config::{Decoded, Decoder, Described, Entry, Field, Table, reference};
use bandgraph_model::Stack;

/// The figures of the stack's profile, each of which the table may override. What the table has
/// [`made`](Decoded::made) is the [`Stack`].
#[derive(Debug)]
pub(crate) struct StackFields;

impl Described for StackFields {
    fn read(
        &self,
        decoder: &mut Decoder<'_>,
        given: &[(&String, &Entry)],
        _table: &Table,
        decoded: &mut Decoded,
    ) {
        let Some(mut stack) = decoded.text("profile").and_then(Stack::named) else {
            let known: Vec<&'static Field> = Stack::FIELDS.iter().collect();
            return decoder.refuse_unknown(given, &known, decoded);
        };
        decoder.set_fields(given, Stack::FIELDS, decoded, |name, value| {
            stack.set(name, value)
        });
        decoded.made = Some(Arc::new(stack));
    }

    fn fields(&self) -> Vec<&'static [Field]> {
        vec![Stack::FIELDS]
    }

    fn reference(&self) -> String {
        let mut text =
            "Besides these, any figure of the profile:\n\n| field | value | meaning |\n|---|---|---|\n"
                .to_owned();
        for field in Stack::FIELDS {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} |",
                field.name,
                reference::value(field),
                field.doc
            );
        }
        text.truncate(text.trim_end().len());
        text
    }
}
