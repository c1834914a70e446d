//! The texts of places.

use std::ops::Range;

/// The id of a text in a [`Sources`]; invalid for other stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(usize);

/// A position in the numbering of editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters (Unicode scalar values; a tab is one), from 1.
    pub column: usize,
}

/// A store of named texts. Ids are assigned in order, and diagnostics are sorted by them, so that the order
/// of adding is the order of output.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    sources: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
    /// Offset of the first byte of each line; the first is 0.
    line_starts: Vec<usize>,
    is_withheld: bool,
}

impl Sources {
    /// An empty store.
    pub const fn new() -> Self {
        Self { sources: Vec::new() }
    }

    /// Adds a text. Output shows the name: a path, or another origin of the text (`"--set"`).
    pub fn add(&mut self, name: impl Into<String>, text: String) -> SourceId {
        let line_starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        self.sources.push(Source {
            name: name.into(),
            text,
            line_starts,
            is_withheld: false,
        });
        SourceId(self.sources.len() - 1)
    }

    /// How many texts there are.
    pub fn count(&self) -> usize {
        self.sources.len()
    }

    /// The files from the text with this number on, each with its name: no overrides of the command line, and
    /// nothing that is excluded from output.
    pub fn files_from(&self, first: usize) -> Vec<(String, String)> {
        let texts = self.sources.iter().skip(first);
        let files = texts.filter(|source| !source.is_withheld && !source.name.starts_with("--"));
        files
            .map(|source| (source.name.clone(), source.text.clone()))
            .collect()
    }

    /// Excludes the lines of a text from output; places in it still have their line and column.
    pub fn withhold(&mut self, id: SourceId) {
        if let Some(source) = self.sources.get_mut(id.0) {
            source.is_withheld = true;
        }
    }

    /// Whether the lines of a text are excluded from output.
    pub(crate) fn is_withheld(&self, id: SourceId) -> bool {
        self.sources.get(id.0).is_some_and(|source| source.is_withheld)
    }

    /// The name of a text; `"?"` for an id of another store.
    pub fn name(&self, id: SourceId) -> &str {
        self.sources.get(id.0).map_or("?", |source| &source.name)
    }

    /// The text; empty for an id of another store.
    pub fn text(&self, id: SourceId) -> &str {
        self.sources.get(id.0).map_or("", |source| &source.text)
    }

    /// Line and column of a byte offset.
    ///
    /// An offset beyond the end becomes the end, one inside a character becomes its start, and one on a
    /// line's terminator (`\n` or `\r\n`) is after the last character of that line.
    pub fn line_column(&self, id: SourceId, offset: usize) -> LineColumn {
        let offset = floor_boundary(self.text(id), offset);
        let index = self.line_index(id, offset);
        let line = self.line_range(id, index);
        let within = offset.clamp(line.start, line.end);
        LineColumn {
            line: index + 1,
            column: self.text(id)[line.start..within].chars().count() + 1,
        }
    }

    /// All ids, in the order in which the texts were added.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..self.sources.len()).map(SourceId)
    }

    /// The nearest range that is inside the text, ascending, and on character boundaries.
    pub(crate) fn clamp(&self, id: SourceId, range: &Range<usize>) -> Range<usize> {
        let text = self.text(id);
        let start = floor_boundary(text, range.start);
        let end = ceiling_boundary(text, range.end);
        start..end.max(start)
    }

    /// The line, from 0, of an offset, which must be inside the text or at its end.
    pub(crate) fn line_index(&self, id: SourceId, offset: usize) -> usize {
        self.line_starts(id)
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    /// The bytes of a line, numbered from 0, without its terminator; an empty range at the end for a line
    /// beyond the last.
    pub(crate) fn line_range(&self, id: SourceId, index: usize) -> Range<usize> {
        let (text, starts) = (self.text(id), self.line_starts(id));
        let start = starts.get(index).copied().unwrap_or(text.len());
        let end = starts.get(index + 1).copied().unwrap_or(text.len());
        let line = &text[start..end];
        let line = line
            .strip_suffix('\n')
            .map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        start..start + line.len()
    }

    fn line_starts(&self, id: SourceId) -> &[usize] {
        self.sources.get(id.0).map_or(&[0], |source| &source.line_starts)
    }
}

/// The last character boundary at or before `offset`.
pub(crate) fn floor_boundary(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The first character boundary at or after `offset`, or the end.
fn ceiling_boundary(text: &str, offset: usize) -> usize {
    (offset..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_columns(text: &str, offsets: &[usize]) -> Vec<(usize, usize)> {
        let mut sources = Sources::new();
        let id = sources.add("x", text.to_owned());
        offsets
            .iter()
            .map(|offset| {
                let LineColumn { line, column } = sources.line_column(id, *offset);
                (line, column)
            })
            .collect()
    }

    #[test]
    fn counts_lines_and_columns_from_one() {
        assert_eq!(
            line_columns("ab\ncd", &[0, 1, 2, 3, 5]),
            [(1, 1), (1, 2), (1, 3), (2, 1), (2, 3)]
        );
    }

    #[test]
    fn empty_texts_and_offsets_past_the_end() {
        assert_eq!(line_columns("", &[0, 7, usize::MAX]), [(1, 1), (1, 1), (1, 1)]);
        assert_eq!(line_columns("ab\n", &[2, 3, 99]), [(1, 3), (2, 1), (2, 1)]);
    }

    #[test]
    fn carriage_return_belongs_to_the_terminator() {
        assert_eq!(
            line_columns("ab\r\ncd\rx", &[2, 3, 4, 6, 7]),
            [(1, 3), (1, 3), (2, 1), (2, 3), (2, 4)]
        );
    }

    #[test]
    fn columns_are_characters() {
        // A two-byte, a four-byte and a tab character; offsets 1 and 4 are inside the first two.
        assert_eq!(
            line_columns("\u{b5}\u{1f600}\tz", &[0, 1, 2, 4, 6, 7]),
            [(1, 1), (1, 1), (1, 2), (1, 2), (1, 3), (1, 4)]
        );
    }

    #[test]
    fn ids_of_another_store_are_harmless() {
        let mut full = Sources::new();
        let id = full.add("x", "abc".to_owned());
        let empty = Sources::new();
        assert_eq!((empty.name(id), empty.text(id)), ("?", ""));
        assert_eq!(empty.line_column(id, 2), LineColumn { line: 1, column: 1 });
    }

    #[test]
    fn clamps_to_what_exists() {
        let mut sources = Sources::new();
        let id = sources.add("x", "a\u{b5}b".to_owned());
        assert_eq!(sources.clamp(id, &(2..2)), 1..3);
        #[expect(clippy::reversed_empty_ranges, reason = "a caller's mistake, on purpose")]
        let reversed = 3..0;
        assert_eq!(sources.clamp(id, &reversed), 3..3);
        assert_eq!(sources.clamp(id, &(9..usize::MAX)), 4..4);
    }
}
