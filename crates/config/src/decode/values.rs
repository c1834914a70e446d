//! Values other than numbers.

use bandgraph_diagnostics::{Diagnostic, did_you_mean, there_are};

use super::{Decoder, MAXIMUM_ITEMS, Named, Read};
use crate::document::{Node, Value, shortened};
use crate::value::FieldValue;

/// The maximum length of an id. Ids are parts of resource names in tables.
const LONGEST_ID: usize = 64;

/// The version of the file format that this program reads.
const SCHEMA: i64 = 1;

/// The problem of a file's version, if it is a number other than the supported one.
pub fn unknown_version(node: &Node) -> Option<Diagnostic> {
    let Value::Integer(version) = node.value else {
        return None;
    };
    (version != SCHEMA).then(|| {
        Diagnostic::error(
            "file::schema_version",
            format!("this is version {version} of the file format"),
        )
        .at(node.place.clone().label("not known to this program"))
        .help(format!("this version of bandgraph reads `schema = {SCHEMA}`"))
    })
}

impl Decoder<'_> {
    pub(super) fn schema(&mut self, node: &Node) -> Option<Read> {
        match node.value {
            Value::Integer(SCHEMA) => Some(Read::Single(FieldValue::Count(1))),
            Value::Integer(_) => {
                self.problems.extend(unknown_version(node));
                None
            }
            _ => {
                self.wrong_type("schema", "a whole number", node);
                None
            }
        }
    }

    /// Decodes a text. Only line ends and tabs are permitted as control characters, since texts reach
    /// terminals and pictures.
    pub fn text(&mut self, name: &str, node: &Node) -> Option<String> {
        if let Value::Text(text) = &node.value {
            let control = text
                .chars()
                .find(|&letter| letter.is_control() && !"\n\r\t".contains(letter));
            let Some(control) = control else {
                return Some(text.clone());
            };
            self.problems.push(
                Diagnostic::error(
                    "value::control_character",
                    format!(
                        "`{name}` contains the control character U+{:04X}",
                        u32::from(control)
                    ),
                )
                .at(node.place.clone())
                .help("texts are of printable letters, blanks, tabs and line ends"),
            );
            return None;
        }
        self.wrong_type(name, "a text in quotes", node);
        None
    }

    /// A flag.
    pub fn flag(&mut self, name: &str, node: &Node) -> Option<bool> {
        if let Value::Flag(flag) = node.value {
            return Some(flag);
        }
        self.wrong_type(name, "`true` or `false`", node);
        None
    }

    /// Decodes the name of an entry.
    pub fn id(&mut self, name: &str, node: &Node) -> Option<String> {
        let text = self.text(name, node)?;
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        if !text.is_empty() && text.len() <= LONGEST_ID && text.chars().all(allowed) && !text.starts_with('-')
        {
            return Some(text);
        }
        let label = match text.chars().find(|letter| !allowed(*letter)) {
            Some(letter) => format!("a name has no `{}`", letter.escape_default()),
            None if text.is_empty() => "an empty name".to_owned(),
            None => String::new(),
        };
        self.problems.push(
            Diagnostic::error("entry::bad_id", format!("`{}` cannot be a name", shortened(&text)))
                .at(node.place.clone().label(label))
                .help(format!(
                    "names are of letters, digits, `_` and `-`, do not begin with `-`, and have at most {LONGEST_ID} \
                     characters"
                )),
        );
        None
    }

    /// Decodes a reference by name. Whether the target exists is checked later, but an empty name is always
    /// wrong.
    pub fn reference(&mut self, name: &str, node: &Node) -> Option<String> {
        let text = self.text(name, node)?;
        if !text.trim().is_empty() {
            return Some(text);
        }
        self.problems.push(
            Diagnostic::error("entry::bad_id", format!("`{name}` names nothing"))
                .at(node.place.clone().label("an empty name"))
                .help("write the name of an entry, or leave the field out if it may be left out"),
        );
        None
    }

    /// Decodes a list of references by name.
    pub fn references(&mut self, name: &str, node: &Node) -> Option<Vec<Named>> {
        let names = self.texts(name, node)?;
        let mut sound = true;
        if let Value::Array(items) = &node.value {
            for item in items {
                sound &= self.reference(name, item).is_some();
            }
        }
        sound.then_some(names)
    }

    /// Decodes one of several words.
    pub fn choice(&mut self, name: &str, words: &[&'static str], node: &Node) -> Option<String> {
        let text = self.text(name, node)?;
        if words.contains(&text.as_str()) {
            return Some(text);
        }
        self.unknown_choice(name, &text, words, node);
        None
    }

    /// Reports an unknown word.
    pub(super) fn unknown_choice(&mut self, name: &str, text: &str, words: &[&'static str], node: &Node) {
        let message = format!("`{name}` cannot be");
        self.unknown(
            "value::unknown_choice",
            &message,
            text,
            words.iter().copied(),
            node,
        );
    }

    /// Reports an unknown name.
    pub fn unknown<'n>(
        &mut self,
        id: &'static str,
        message: &str,
        text: &str,
        known: impl Iterator<Item = &'n str> + Clone,
        node: &Node,
    ) {
        if self.problems.is_full() {
            return;
        }
        let help = did_you_mean(text, known.clone()).or_else(|| {
            let known: Vec<&str> = known.collect();
            (!known.is_empty()).then(|| there_are(known))
        });
        self.problems.push(
            Diagnostic::error(id, format!("{message} `{}`", shortened(text)))
                .at(node.place.clone().label("not known"))
                .help_if(help),
        );
    }

    /// A list of texts.
    pub fn texts(&mut self, name: &str, node: &Node) -> Option<Vec<Named>> {
        let Value::Array(items) = &node.value else {
            self.wrong_type(name, "a list of texts", node);
            return None;
        };
        if items.len() > MAXIMUM_ITEMS {
            self.too_many(name, items.len(), MAXIMUM_ITEMS, &items[MAXIMUM_ITEMS].place);
            return None;
        }
        let texts: Vec<Named> = items
            .iter()
            .filter_map(|item| {
                Some(Named {
                    text: self.text(name, item)?,
                    place: item.place.clone(),
                })
            })
            .collect();
        (texts.len() == items.len()).then_some(texts)
    }

    /// A list of values of any type.
    pub(super) fn values(&mut self, name: &str, node: &Node) -> Option<Read> {
        if let Value::Array(items) = &node.value {
            return Some(Read::Values(items.clone()));
        }
        self.wrong_type(name, "a list of values", node);
        None
    }
}
