//! Rows and columns that fit the page.

use std::borrow::Cow;

use comfy_table::{Cell, CellAlignment, ContentArrangement, ContentLineStyle, Table, TableStyle};

use bandgraph_units::QuantityKind;

use super::options::{TextOptions, Tone};

/// Blanks before every row.
const INDENT: usize = 2;
/// Blanks between columns.
const GAP: usize = 2;
/// Nothing but blanks between cells: the padding of the columns is the gap.
const BARE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .content_lines(ContentLineStyle::none());

/// Which side the cells of a column keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One column: its heading, its side, and whether it may be left out where the page is too narrow.
#[derive(Clone, Debug)]
struct Column {
    heading: Cow<'static, str>,
    side: Side,
    optional: bool,
}

/// A table under construction. Columns that may be left out are left out from the right until the rest fits;
/// if even that is too wide, cells wrap within their column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    columns: Vec<Column>,
    rows: Vec<(Vec<String>, Tone)>,
}

impl Columns {
    /// Adds a column that is always shown.
    pub(crate) fn column(mut self, heading: impl Into<Cow<'static, str>>, side: Side) -> Self {
        self.columns.push(Column {
            heading: heading.into(),
            side,
            optional: false,
        });
        self
    }

    /// Adds a column that gives way on a narrow page.
    pub(crate) fn optional(mut self, heading: impl Into<Cow<'static, str>>, side: Side) -> Self {
        self.columns.push(Column {
            heading: heading.into(),
            side,
            optional: true,
        });
        self
    }

    /// Adds a row with a cell for every column, in the order of the columns.
    pub(crate) fn row(&mut self, tone: Tone, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().map(|cell| one_line(&cell)).collect();
        debug_assert_eq!(
            cells.len(),
            self.columns.len(),
            "a row has a cell for every column"
        );
        self.rows.push((cells, tone));
    }

    /// Adds a column on the right, with a cell for every row there is, from the first to the last.
    pub(crate) fn attach(&mut self, heading: &'static str, cells: impl IntoIterator<Item = String>) {
        self.columns.push(Column {
            heading: heading.into(),
            side: Side::Left,
            optional: false,
        });
        for ((row, _), cell) in self.rows.iter_mut().zip(cells) {
            row.push(one_line(&cell));
        }
    }

    /// What is left of a page of `width` columns for one more column on the right, with all columns shown.
    pub(crate) fn room(&self, width: usize) -> usize {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        width.saturating_sub(self.natural_width(&all) + GAP)
    }

    /// The table as lines without line ends, none wider than the page.
    pub(crate) fn lines(&self, options: &TextOptions) -> Vec<String> {
        let mut shown: Vec<usize> = (0..self.columns.len())
            .filter(|index| self.says_something(*index))
            .collect();
        while self.natural_width(&shown) > options.width {
            match shown.iter().rposition(|index| self.columns[*index].optional) {
                Some(position) => shown.remove(position),
                None => break,
            };
        }
        let mut table = self.table(&shown);
        if self.natural_width(&shown) > options.width {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(u16::try_from(options.width).unwrap_or(u16::MAX));
        }
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
        self.painted(lines, options)
    }

    /// The columns `shown` as a table of the table library.
    fn table(&self, shown: &[usize]) -> Table {
        let mut table = Table::new();
        table.load_style(BARE);
        table.set_content_arrangement(ContentArrangement::Disabled);
        if self.has_headings() {
            table.set_header(shown.iter().map(|index| {
                let column = &self.columns[*index];
                Cell::new(&column.heading).set_alignment(alignment(column.side))
            }));
        }
        for (cells, _) in &self.rows {
            table.add_row(
                shown.iter().map(|index| {
                    Cell::new(&cells[*index]).set_alignment(alignment(self.columns[*index].side))
                }),
            );
        }
        for (position, column) in table.column_iter_mut().enumerate() {
            column.set_padding((if position == 0 { INDENT as u16 } else { GAP as u16 }, 0));
        }
        table
    }

    /// How wide the columns `shown` are when nothing wraps.
    fn natural_width(&self, shown: &[usize]) -> usize {
        let widths = self.table(shown).column_max_content_widths();
        let contents: usize = widths.iter().map(|width| usize::from(*width)).sum();
        contents + INDENT + GAP * shown.len().saturating_sub(1)
    }

    /// Whether a column is worth its place: not if it may be left out and has nothing in any row.
    fn says_something(&self, column: usize) -> bool {
        !self.columns[column].optional || self.rows.iter().any(|(cells, _)| !cells[column].is_empty())
    }

    fn has_headings(&self) -> bool {
        self.columns.iter().any(|column| !column.heading.is_empty())
    }

    /// The lines in the tones of their rows. Where a cell wrapped, lines are no longer rows, and stay plain.
    fn painted(&self, lines: Vec<String>, options: &TextOptions) -> Vec<String> {
        let heading = self.has_headings().then_some(Tone::Faint);
        let tones: Vec<Tone> = heading
            .into_iter()
            .chain(self.rows.iter().map(|(_, tone)| *tone))
            .collect();
        if tones.len() != lines.len() {
            return lines;
        }
        lines
            .iter()
            .zip(tones)
            .map(|(line, tone)| tone.paint(line, options))
            .collect()
    }
}

fn alignment(side: Side) -> CellAlignment {
    match side {
        Side::Left => CellAlignment::Left,
        Side::Right => CellAlignment::Right,
    }
}

/// Characters after which a word is broken: the table library looks at all of a word again for every line of
/// it.
const LONGEST_WORD: usize = 1000;

/// `text` with every control character, line ends included, as a blank: names come from files, and must not
/// be able to move the cursor or to break a table. Blanks also break words that are too long to wrap.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut word = 0;
    for c in text.chars() {
        let c = if c.is_control() { ' ' } else { c };
        word = if c == ' ' { 0 } else { word + 1 };
        if word > LONGEST_WORD {
            line.push(' ');
            word = 1;
        }
        line.push(c);
    }
    line
}

/// Joins a number and its unit where `text` wraps. Turned back into a blank before anything is printed.
const GLUE: char = '\u{a0}';

/// `text` with numbers glued to their units, so that no line ends between them.
fn glued(text: &str) -> String {
    let bare = |word: &str| word.trim_matches(|c| "().,;:".contains(c)).to_owned();
    let mut glued = String::new();
    let mut before: Option<&str> = None;
    for word in text.split(' ') {
        if let Some(before) = before {
            let (number, prefix) = (before.ends_with(|c: char| c.is_ascii_digit()), is_prefix(before));
            let unit = bare(word);
            let together = (number && (is_unit(&unit) || is_prefix(&unit))) || (prefix && unit == "ops/s");
            glued.push(if together { GLUE } else { ' ' });
        }
        glued.push_str(word);
        before = Some(word);
    }
    glued
}

/// Whether a word is the unit of a quantity.
fn is_unit(word: &str) -> bool {
    QuantityKind::ALL
        .iter()
        .any(|kind| kind.units().iter().any(|unit| unit.spelling() == word))
}

/// Whether a word is the multiple in `500 k ops/s`.
fn is_prefix(word: &str) -> bool {
    matches!(word, "k" | "M" | "G")
}

/// `text` in lines that fit the page, each indented by `indent` blanks.
pub(crate) fn paragraph(text: &str, indent: usize, options: &TextOptions) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(BARE);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(options.width).unwrap_or(u16::MAX));
    table.add_row([glued(&one_line(text))]);
    if let Some(column) = table.column_mut(0) {
        column.set_padding((u16::try_from(indent).unwrap_or(0), 0));
    }
    table
        .lines()
        .map(|line| line.trim_end().replace(GLUE, " "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: usize) -> TextOptions {
        TextOptions {
            width,
            ..TextOptions::default()
        }
    }

    fn sample() -> Columns {
        let mut table = Columns::default()
            .column("id", Side::Left)
            .optional("kind", Side::Left)
            .column("used", Side::Right);
        table.row(Tone::Plain, ["cpu.cpu0", "cpu", "7 %"].map(str::to_owned));
        table.row(
            Tone::Alarm,
            ["link.cpu0-cpu1", "HyperTransport", "87 %"].map(str::to_owned),
        );
        table
    }

    #[test]
    fn lines_up_words_left_and_numbers_right() {
        assert_eq!(
            sample().lines(&page(80)),
            [
                "  id              kind            used",
                "  cpu.cpu0        cpu              7 %",
                "  link.cpu0-cpu1  HyperTransport  87 %",
            ]
        );
    }

    #[test]
    fn leaves_out_what_may_be_left_out() {
        assert_eq!(sample().lines(&page(30))[2], "  link.cpu0-cpu1  87 %");
    }

    #[test]
    fn leaves_out_optional_columns_without_content() {
        let mut table = Columns::default()
            .column("id", Side::Left)
            .optional("note", Side::Left);
        table.row(Tone::Plain, ["a".to_owned(), String::new()]);
        assert_eq!(table.lines(&page(80)), ["  id", "  a"]);
    }

    #[test]
    fn wraps_within_cells_as_a_last_resort() {
        let lines = sample().lines(&page(16));
        assert!(lines.iter().all(|line| line.chars().count() <= 16), "{lines:?}");
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        assert!(letters(&lines.concat()) >= letters("cpu.cpu0 7% link.cpu0-cpu1 87%"));
    }

    #[test]
    fn colours_whole_rows() {
        let coloured = TextOptions {
            colour: true,
            ..page(80)
        };
        let lines = sample().lines(&coloured);
        assert!(!lines[1].contains('\u{1b}'));
        assert!(lines[2].starts_with("\u{1b}["));
    }

    #[test]
    fn paragraphs_fit_and_lose_no_word() {
        let text = "the quick brown fox jumps over the lazy dog and the link is full";
        let lines = paragraph(text, 2, &page(24));
        assert!(lines.len() > 2);
        assert!(
            lines
                .iter()
                .all(|line| line.chars().count() <= 24 && line.starts_with("  "))
        );
        let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
        assert_eq!(words.join(" "), text);
    }

    /// A name of a million characters, which took half a minute as one word.
    #[test]
    fn words_without_end_are_broken() {
        let line = one_line(&"x".repeat(2500));
        let words: Vec<usize> = line.split(' ').map(str::len).collect();
        assert_eq!(words, [LONGEST_WORD, LONGEST_WORD, 500]);
        let word = "é".repeat(LONGEST_WORD);
        assert_eq!(one_line(&word), word);
        let lines = paragraph(&"x".repeat(1_000_000), 2, &page(80));
        assert_eq!(lines.concat().matches('x').count(), 1_000_000);
        assert!(lines.iter().all(|line| line.len() <= 80));
    }

    #[test]
    fn numbers_stay_with_their_units() {
        assert_eq!(
            glued("at 2.42 GiB/s (87 %), or 5 k ops/s."),
            "at 2.42\u{a0}GiB/s (87\u{a0}%), or 5\u{a0}k\u{a0}ops/s."
        );
        assert_eq!(glued("links 0 and 1"), "links 0 and 1");
        for width in 12..40 {
            for line in paragraph(
                "the link is used at 2.42 GiB/s (87 %) by 5 k ops/s",
                0,
                &page(width),
            ) {
                assert!(!line.ends_with(|c: char| c.is_ascii_digit()), "{line}");
            }
        }
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(one_line("a\u{1b}[31mb\nc\td"), "a [31mb c d");
    }
}
