//! XML with origins, in bounded memory.

use roxmltree::{Document, Node, ParsingOptions};

use super::{Line, Text};
use crate::origin::Origin;

/// An element of a document.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    text: &'a Text<'a>,
}

/// Calls `read` with the root element, if the text is XML. The number of nodes is bounded by the size of the
/// text.
pub(super) fn with_root(text: &Text<'_>, read: impl FnOnce(Element<'_>)) {
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: u32::try_from(text.text.len() / 8 + 64).unwrap_or(u32::MAX),
        ..ParsingOptions::default()
    };
    if let Ok(document) = Document::parse_with_options(text.text.trim_start(), options) {
        let node = document.root_element();
        read(Element { node, text });
    }
}

impl<'a> Element<'a> {
    /// Name of the element.
    pub(super) fn name(self) -> &'a str {
        self.node.tag_name().name()
    }

    /// The element itself, as what says that something is there.
    pub(super) fn line(self) -> Line<'a> {
        // The start tag only: an element can be as long as the file.
        let range = self.node.range();
        let whole = &self.text.text.trim_start()[range.clone()];
        let end = whole.find('>').map_or(whole.len(), |end| end + 1);
        self.at(range.start, range.start + end, "")
    }

    /// The value of an attribute with its origin; empty values are none.
    pub(super) fn attribute(self, name: &str) -> Option<Line<'a>> {
        let attribute = self
            .node
            .attributes()
            .find(|attribute| attribute.name() == name)?;
        let range = attribute.range();
        let value = self.node.attribute(name)?.trim();
        (!value.is_empty()).then(|| self.at(range.start, range.end, value))
    }

    /// The text inside the element; blank text is none.
    pub(super) fn content(self) -> Option<Line<'a>> {
        let value = self.node.text()?.trim();
        let range = self.node.range();
        (!value.is_empty()).then(|| self.at(range.start, range.end, value))
    }

    /// Elements directly below, in order.
    pub(super) fn children(self) -> impl DoubleEndedIterator<Item = Self> {
        let text = self.text;
        let elements = self.node.children().filter(Node::is_element);
        elements.map(move |node| Self { node, text })
    }

    /// Elements of this name directly below.
    pub(super) fn named(self, name: &str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.name() == name)
    }

    fn at(self, start: usize, end: usize, text: &'a str) -> Line<'a> {
        let before = self.text.text.len() - self.text.text.trim_start().len();
        Line {
            text,
            at: Origin {
                source: self.text.source,
                start: before + start,
                end: before + end,
            },
        }
    }
}

/// Walks a tree from the root, parents first. `visit` gets what it returned for the parent.
pub(super) fn walk<'a, C: Clone>(
    root: Element<'a>,
    context: C,
    visit: &mut dyn FnMut(Element<'a>, C) -> Option<C>,
) {
    // On a list of its own, as a damaged file can be nested deeper than a stack is.
    let mut open = vec![(root, context)];
    while let Some((element, context)) = open.pop() {
        if let Some(inner) = visit(element, context) {
            open.extend(element.children().rev().map(|child| (child, inner.clone())));
        }
    }
}
