//! XML with origins, in bounded memory.

use roxmltree::{Document, Node, ParsingOptions};

use super::{Line, Text};
use crate::origin::{Fact, Origin};

/// An element of a document.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    packed: &'a Packed<'a>,
}

/// A text without the blanks between tags: each would be a node of the document, and they are half of all.
struct Packed<'a> {
    whole: &'a Text<'a>,
    text: String,
    /// Offsets that follow blanks which were left out, each with the bytes that were left out before it.
    cuts: Vec<(u32, u32)>,
}

impl<'a> Packed<'a> {
    fn of(whole: &'a Text<'a>) -> Self {
        let mut packed = Self {
            whole,
            text: String::with_capacity(whole.text.len()),
            cuts: Vec::new(),
        };
        let mut cut = 0;
        for piece in whole.text.split_inclusive('>') {
            let tag = piece.trim_start();
            if tag.starts_with('<') && tag.len() < piece.len() {
                cut += (piece.len() - tag.len()) as u32;
                packed.cuts.push((packed.text.len() as u32, cut));
                packed.text.push_str(tag);
            } else {
                packed.text.push_str(piece);
            }
        }
        packed.text.shrink_to_fit();
        packed
    }

    /// The offset in the whole text of an offset in this one.
    fn place(&self, at: usize) -> usize {
        let after = self.cuts.partition_point(|&(from, _)| from as usize <= at);
        let cut = after.checked_sub(1).map_or(0, |index| self.cuts[index].1);
        at + cut as usize
    }
}

/// Calls `read` with the root element, if the text is XML. The number of nodes is bounded by the size of the
/// text.
pub(super) fn with_root(text: &Text<'_>, read: impl FnOnce(Element<'_>)) {
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: u32::try_from(text.text.len() / 8 + 64).unwrap_or(u32::MAX),
        ..ParsingOptions::default()
    };
    let packed = Packed::of(text);
    if let Ok(document) = Document::parse_with_options(&packed.text, options) {
        let node = document.root_element();
        read(Element {
            node,
            packed: &packed,
        });
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
        let whole = &self.packed.text[range.clone()];
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

    /// Whether an attribute has this value.
    pub(super) fn is(self, name: &str, value: &str) -> bool {
        self.attribute(name).is_some_and(|line| line.text == value)
    }

    /// What follows from the value of an attribute.
    pub(super) fn infer<T>(self, name: &str, what: impl FnOnce(&'a str) -> Option<T>) -> Fact<T> {
        self.attribute(name)?.infer(what)
    }

    /// The text inside the element; blank text is none.
    pub(super) fn content(self) -> Option<Line<'a>> {
        let value = self.node.text()?.trim();
        let range = self.node.range();
        (!value.is_empty()).then(|| self.at(range.start, range.end, value))
    }

    /// Elements directly below, in order.
    pub(super) fn children(self) -> impl DoubleEndedIterator<Item = Self> {
        let packed = self.packed;
        let elements = self.node.children().filter(Node::is_element);
        elements.map(move |node| Self { node, packed })
    }

    /// Elements of this name directly below.
    pub(super) fn named(self, name: &str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.name() == name)
    }

    fn at(self, start: usize, end: usize, text: &'a str) -> Line<'a> {
        let (first, last) = (self.packed.place(start), end.saturating_sub(1).max(start));
        Line {
            text,
            at: Origin {
                source: self.packed.whole.source,
                start: first,
                end: self.packed.place(last) + (end - last),
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

#[cfg(test)]
mod tests {
    use bandgraph_diagnostics::Sources;

    use super::{Text, with_root};

    #[test]
    fn places_are_those_of_the_text_with_its_blanks() {
        let text = "\n <a b=\"1\">\n\n  <c>x > y</c>\n  <!-- >  <z/> -->\n\t<d e='2'\n f=\"3\" />\n</a>\n";
        let mut sources = Sources::new();
        let source = sources.add("sample", text.to_owned());
        with_root(&Text { source, text }, |root| {
            let said = |line: Option<super::Line<'_>>| {
                let at = line.expect("it is there").at;
                &text[at.start..at.end]
            };
            let names: Vec<&str> = root.children().map(super::Element::name).collect();
            assert_eq!(names, ["c", "d"]);
            let [c, d] = ["c", "d"].map(|name| root.named(name).next().expect("a child"));
            assert_eq!(said(root.attribute("b")), "b=\"1\"");
            assert_eq!(said(c.content()), "<c>x > y</c>");
            assert_eq!(said(Some(d.line())), "<d e='2'\n f=\"3\" />");
            assert_eq!(said(d.attribute("f")), "f=\"3\"");
            assert!(root.content().is_none());
        });
    }
}
