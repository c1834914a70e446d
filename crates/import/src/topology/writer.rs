//! Lines of a topology file with what each is based on.

#![expect(clippy::ref_option, reason = "a fact is one type, known or not")]

use std::fmt::{self, Display, Formatter, Write as _};

use bandgraph_diagnostics::Sources;

use crate::origin::{Fact, Origin};

/// Columns from which comments begin.
const COMMENT: usize = 44;

/// What a line is based on.
pub(super) enum Because {
    Said(Origin),
    Assumed(String),
}

impl Because {
    /// What a file says, or else the reason of an assumption.
    pub(super) fn of(said: Option<Origin>, otherwise: impl Into<String>) -> Self {
        said.map_or_else(|| Self::Assumed(otherwise.into()), Self::Said)
    }
}

impl From<Origin> for Because {
    fn from(at: Origin) -> Self {
        Self::Said(at)
    }
}

impl<T: Into<String>> From<T> for Because {
    fn from(why: T) -> Self {
        Self::Assumed(why.into())
    }
}

/// A value of a topology that no file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// The field.
    pub field: String,
    /// Its value, as in the topology file.
    pub value: String,
    /// What it is taken from.
    pub why: String,
}

impl Display for Assumption {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} = {}: {}", self.field, self.value, self.why)
    }
}

pub(super) struct Writer<'a> {
    pub(super) sources: &'a Sources,
    pub(super) text: String,
    pub(super) assumptions: Vec<Assumption>,
}

impl Writer<'_> {
    pub(super) fn table(&mut self, name: &str) {
        let _ = write!(self.text, "\n[{name}]\n");
    }

    pub(super) fn field(&mut self, name: &str, value: impl Display, because: impl Into<Because>) {
        let line = format!("{name} = {value}");
        let why = match because.into() {
            Because::Said(at) => {
                let line = self.sources.line_column(at.source, at.start).line;
                format!("{}:{line}", self.sources.name(at.source))
            }
            Because::Assumed(why) => {
                let said = format!("assumed: {why}");
                self.assumptions.push(Assumption {
                    field: name.to_owned(),
                    value: value.to_string(),
                    why,
                });
                said
            }
        };
        // A comment ends with its line, whatever a file name holds.
        let why: String = why
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        let _ = writeln!(self.text, "{line:COMMENT$} # {why}");
    }

    /// A field that a fact says, or else an assumption.
    pub(super) fn fact<T: Clone, V: Display>(
        &mut self,
        name: &str,
        fact: &Fact<T>,
        show: impl Fn(T) -> V,
        otherwise: (T, &str),
    ) {
        match fact {
            Some(said) => self.field(name, show(said.value.clone()), said.at),
            None => self.field(name, show(otherwise.0), otherwise.1),
        }
    }

    /// A field that a fact says; nothing without it.
    pub(super) fn known<T: Clone, V: Display>(&mut self, name: &str, fact: &Fact<T>, show: impl Fn(T) -> V) {
        if let Some(said) = fact {
            self.field(name, show(said.value.clone()), said.at);
        }
    }
}

pub(crate) fn quoted(text: impl Display) -> String {
    let text = text.to_string();
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

pub(super) fn bytes(bytes: u32) -> String {
    quoted(format!("{bytes} B"))
}

pub(super) fn gib(bytes: u64) -> String {
    quoted(format!("{} MiB", (bytes >> 20).max(1)))
}

pub(super) fn generation(generation: u8) -> String {
    quoted(format!("gen{generation}"))
}
