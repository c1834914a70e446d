//! Parts by name: those that the file defines, then those of the catalogue.

use std::collections::BTreeMap;

use bandgraph_diagnostics::{Diagnostic, did_you_mean, one_of};
use bandgraph_hardware::{AnyPart, Part, PartKind, catalogue};

use super::{Decoder, MAXIMUM_CANDIDATES, Read};
use crate::document::{Node, shortened};

/// The parts that a file defines.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnParts {
    parts: BTreeMap<String, AnyPart>,
}

impl OwnParts {
    /// Makes a part known to what is read after it.
    pub(crate) fn define(&mut self, part: AnyPart) {
        self.parts.insert(part.name().to_owned(), part);
    }

    /// The part of this name. A file's own part hides one of the catalogue.
    pub(crate) fn get(&self, name: &str) -> Option<&AnyPart> {
        self.parts.get(name).or_else(|| catalogue().get(name))
    }

    /// The names of the parts of some kinds.
    fn names(&self, kinds: &[PartKind]) -> Vec<&str> {
        let own = self.parts.values().take(MAXIMUM_CANDIDATES);
        own.chain(catalogue().iter())
            .filter(|part| kinds.contains(&part.kind()))
            .map(Part::name)
            .collect()
    }
}

impl Decoder<'_> {
    /// The part that a text names, if it is of one of these kinds.
    pub(crate) fn part(&mut self, kinds: &'static [PartKind], node: &Node) -> Option<Read> {
        let name = self.text("part", node)?;
        let what = || {
            kinds
                .iter()
                .map(|kind| kind.as_str())
                .collect::<Vec<_>>()
                .join(" or ")
        };
        let any = kinds.len() == PartKind::ALL.len();
        match self.parts.get(&name) {
            Some(part) if kinds.contains(&part.kind()) => return Some(Read::Part(Box::new(part.clone()))),
            Some(part) => {
                let message = format!("`{name}` is a {}, and a {} belongs here", part.kind(), what());
                self.problems.push(
                    Diagnostic::error("reference::part_of_another_kind", message)
                        .at(node.place.clone().label(format!("a {}", part.kind())))
                        .help(format!("there is {}", one_of(self.parts.names(kinds)))),
                );
            }
            None => {
                let what = if any {
                    "part".to_owned()
                } else {
                    format!("{} part", what())
                };
                let names = self.parts.names(kinds);
                let help = did_you_mean(&name, names.iter().copied());
                let diagnostic = Diagnostic::error(
                    "reference::unknown_part",
                    format!("there is no {what} `{}`", shortened(&name)),
                )
                .at(node.place.clone().label("not in the catalogue"))
                .help(help.unwrap_or_else(|| format!("there is {}", one_of(names))));
                self.problems
                    .push(diagnostic.help("define a part of your own with `[[part]]`"));
            }
        }
        None
    }
}
