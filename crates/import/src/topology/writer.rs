//! Lines of a topology file with what each is based on.

#![expect(clippy::ref_option, reason = "a fact is one type, known or not")]

use std::fmt::{Display, Write as _};

use bandgraph_diagnostics::Sources;

use crate::origin::{Fact, Origin};

/// Columns from which comments begin.
const COMMENT: usize = 44;

/// What a line is based on.
pub(super) enum Because {
    Said(Origin),
    Assumed(String),
}

pub(super) struct Writer<'a> {
    pub(super) sources: &'a Sources,
    pub(super) text: String,
    pub(super) assumptions: Vec<String>,
}

impl Writer<'_> {
    pub(super) fn table(&mut self, name: &str) {
        let _ = write!(self.text, "\n[{name}]\n");
    }

    pub(super) fn field(&mut self, name: &str, value: impl Display, because: Because) {
        let line = format!("{name} = {value}");
        let why = match because {
            Because::Said(at) => {
                let line = self.sources.line_column(at.source, at.start).line;
                format!("{}:{line}", self.sources.name(at.source))
            }
            Because::Assumed(why) => {
                self.assumptions.push(format!("{name} = {value}: {why}"));
                format!("assumed: {why}")
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
            Some(said) => self.field(name, show(said.value.clone()), Because::Said(said.at)),
            None => self.field(name, show(otherwise.0), Because::Assumed(otherwise.1.to_owned())),
        }
    }

    /// A field that a fact says; nothing without it.
    pub(super) fn known<T: Clone, V: Display>(&mut self, name: &str, fact: &Fact<T>, show: impl Fn(T) -> V) {
        if let Some(said) = fact {
            self.field(name, show(said.value.clone()), Because::Said(said.at));
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

pub(super) fn gib(bytes: u64) -> String {
    quoted(format!("{} MiB", (bytes >> 20).max(1)))
}

pub(super) fn generation(generation: u8) -> String {
    quoted(format!("gen{generation}"))
}
