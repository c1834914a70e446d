//! Tables: columns with a side and a priority, rows with a tone; laid out as text here.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, TableStyle};

use super::options::{TextOptions, Tone};
use super::wrap::one_line;
use crate::text::bar::bar;

/// Blanks before every row.
const INDENT: usize = 2;
/// Blanks between columns.
const GAP: usize = 2;
/// Nothing but blanks between cells: the padding of the columns is the gap.
pub(super) const BARE: TableStyle = TableStyle::new()
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

/// When a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Priority {
    /// Always.
    Always,
    /// Where the page has room for it, and some cell has content.
    Optional,
}

/// One column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    heading: Cow<'static, str>,
    /// Whether text, where a heading takes the room of cells, goes without it.
    is_quiet: bool,
    side: Side,
    priority: Priority,
    /// Characters of its bars, if it has bars; they take what the page has left.
    bars: Option<RangeInclusive<usize>>,
}

impl Column {
    /// What it has; may be empty of bars.
    pub(super) fn heading(&self) -> &str {
        &self.heading
    }

    /// What text writes above it; may be empty.
    fn heading_in_text(&self) -> &str {
        if self.is_quiet { "" } else { &self.heading }
    }

    /// The alignment of its cells.
    pub(super) fn side(&self) -> Side {
        self.side
    }

    /// Whether its cells are bars.
    pub(super) fn is_bar(&self) -> bool {
        self.bars.is_some()
    }
}

/// What a row has in a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Words or a number with its unit.
    Text(String),
    /// A share of a whole, 0 to 1, as a bar.
    Bar(f64),
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(one_line(&text))
    }
}

impl Cell {
    /// An empty cell.
    pub(crate) const fn nothing() -> Self {
        Self::Text(String::new())
    }

    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Bar(_) => "",
        }
    }
}

/// A table under construction. Columns that may be left out are left out from the right until the rest fits;
/// if even that is too wide, cells wrap within their column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<(Vec<Cell>, Tone)>,
}

/// A table as text.
#[derive(Debug)]
pub(super) struct LaidOut {
    /// Lines without line ends, none wider than the page.
    pub(super) lines: Vec<String>,
    /// Headings of columns that have content and no room.
    pub(super) left_out: Vec<String>,
}

impl Table {
    /// A table with these columns, separated by `|`: `name | >count | ?note`. Cells of a column are numbers
    /// after `>`, and words otherwise. A column after `?` gives way on a narrow page. A heading in
    /// parentheses is for Markdown and HTML only.
    pub(crate) fn of(columns: &str) -> Self {
        columns
            .split('|')
            .map(str::trim)
            .fold(Self::default(), |table, column| {
                let optional = column.strip_prefix('?');
                let column = optional.unwrap_or(column);
                let (heading, side) = match column.strip_prefix('>') {
                    Some(heading) => (heading, Side::Right),
                    None => (column, Side::Left),
                };
                let heading = heading.to_owned();
                match optional {
                    Some(_) => table.optional(heading, side),
                    None => table.column(heading, side),
                }
            })
    }

    /// Adds a column that is always shown.
    pub(crate) fn column(self, heading: impl Into<Cow<'static, str>>, side: Side) -> Self {
        self.add(heading.into(), side, Priority::Always, None)
    }

    /// Adds a column that gives way on a narrow page.
    pub(crate) fn optional(self, heading: impl Into<Cow<'static, str>>, side: Side) -> Self {
        self.add(heading.into(), side, Priority::Optional, None)
    }

    /// Adds a column of bars, of as many characters as there is room for.
    pub(crate) fn bars(self, heading: &'static str, widths: RangeInclusive<usize>) -> Self {
        self.add(heading.into(), Side::Left, Priority::Optional, Some(widths))
    }

    fn add(
        mut self,
        heading: Cow<'static, str>,
        side: Side,
        priority: Priority,
        bars: Option<RangeInclusive<usize>>,
    ) -> Self {
        let quiet = heading
            .strip_prefix('(')
            .and_then(|heading| heading.strip_suffix(')'));
        let (is_quiet, heading) = match quiet {
            Some(quiet) => (true, quiet.to_owned().into()),
            None => (false, heading),
        };
        self.columns.push(Column {
            heading,
            is_quiet,
            side,
            priority,
            bars,
        });
        self
    }

    /// Adds a row in the plain tone.
    pub(crate) fn plain<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.row(Tone::Plain, cells);
    }

    /// Adds a row with a cell for every column, in the order of the columns.
    pub(crate) fn row<C: Into<Cell>>(&mut self, tone: Tone, cells: impl IntoIterator<Item = C>) {
        let cells: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        debug_assert_eq!(
            cells.len(),
            self.columns.len(),
            "a row has a cell for every column"
        );
        self.rows.push((cells, tone));
    }

    /// The columns with their positions, without those that may be left out and have no content.
    pub(super) fn worthwhile(&self) -> impl Iterator<Item = (usize, &Column)> {
        let columns = self.columns.iter().enumerate();
        columns.filter(|(index, _)| self.says_something(*index))
    }

    /// The rows, each with a cell for every column and its tone.
    pub(crate) fn rows(&self) -> &[(Vec<Cell>, Tone)] {
        &self.rows
    }

    /// Whether some column has a heading.
    pub(super) fn has_headings(&self) -> bool {
        self.columns.iter().any(|column| !column.heading.is_empty())
    }

    /// Whether text has a line of headings for the columns `shown`.
    fn has_headings_in_text(&self, shown: &[usize]) -> bool {
        let mut shown = shown.iter();
        shown.any(|index| !self.columns[*index].heading_in_text().is_empty())
    }

    /// The table as lines.
    pub(super) fn lines(&self, options: &TextOptions) -> LaidOut {
        let mut shown: Vec<usize> = self.worthwhile().map(|(index, _)| index).collect();
        let mut left_out = Vec::new();
        // Bars take what is left; the least that they need counts as their width.
        while self.natural_width(&shown) > options.width {
            let Some(position) = shown.iter().rposition(|index| self.gives_way(*index, &shown)) else {
                break;
            };
            let column = &self.columns[shown.remove(position)];
            let heading = if column.is_bar() { "bars" } else { column.heading() };
            if !heading.is_empty() {
                left_out.insert(0, heading.to_owned());
            }
        }
        let room = options.width.saturating_sub(self.natural_width(&shown));
        let is_wide = self.natural_width(&shown) > options.width;
        let mut grid = self.grid(&shown, room, options.ascii, Breaks::None);
        if is_wide {
            // What keeps more together comes first.
            let kept = [Breaks::Names, Breaks::All].into_iter().find_map(|breaks| {
                let mut grid = self.grid(&shown, room, options.ascii, breaks);
                keep_words(&mut grid, options.width).then_some(grid)
            });
            grid = kept.unwrap_or(grid);
            grid.set_content_arrangement(ContentArrangement::Dynamic);
            grid.set_width(u16::try_from(options.width).unwrap_or(u16::MAX));
        }
        let lines = grid
            .lines()
            .map(|line| line.replace(BREAK, "").replace(GLUE, " "));
        let lines = lines.map(|line| line.trim_end().to_owned());
        let lines: Vec<String> = lines.collect();
        LaidOut {
            lines: self.painted(lines, &shown, options),
            left_out,
        }
    }

    /// Whether a column may be left out of those that are shown: bars only after all others.
    fn gives_way(&self, index: usize, shown: &[usize]) -> bool {
        let column = &self.columns[index];
        let others = || {
            let others = shown.iter().map(|other| &self.columns[*other]);
            others.filter(|other| other.bars.is_none() && other.priority != Priority::Always)
        };
        match &column.bars {
            Some(_) => others().next().is_none(),
            None => column.priority != Priority::Always,
        }
    }

    /// The columns `shown` as a table of the table library, bars longer by `room` than the least they need.
    fn grid(&self, shown: &[usize], room: usize, ascii: bool, breaks: Breaks) -> comfy_table::Table {
        let mut grid = comfy_table::Table::new();
        grid.load_style(BARE);
        grid.set_content_arrangement(ContentArrangement::Disabled);
        if self.has_headings_in_text(shown) {
            grid.set_header(shown.iter().map(|index| {
                let column = &self.columns[*index];
                comfy_table::Cell::new(column.heading_in_text()).set_alignment(alignment(column.side))
            }));
        }
        for (cells, _) in &self.rows {
            grid.add_row(shown.iter().map(|index| {
                let column = &self.columns[*index];
                let text = match (&cells[*index], &column.bars) {
                    (Cell::Bar(share), Some(widths)) => {
                        let least = (*widths.start()).max(column.heading_in_text().chars().count());
                        let width = (least + room).min(*widths.end());
                        Cow::Owned(bar(*share, width, ascii))
                    }
                    (cell, _) => Cow::Borrowed(cell.text()),
                };
                let may_break = breaks != Breaks::None;
                let cell = match breakable(&text).filter(|_| may_break) {
                    Some(text) => comfy_table::Cell::new(text).set_delimiter(BREAK),
                    None if breaks == Breaks::All => comfy_table::Cell::new(with_units(&text)),
                    None if may_break && column.side == Side::Right => {
                        comfy_table::Cell::new(text.replace(' ', GLUE))
                    }
                    None => comfy_table::Cell::new(text),
                };
                cell.set_alignment(alignment(column.side))
            }));
        }
        for (position, column) in grid.column_iter_mut().enumerate() {
            column.set_padding((if position == 0 { INDENT as u16 } else { GAP as u16 }, 0));
        }
        grid
    }

    /// How wide the columns `shown` are when nothing wraps and bars are as short as may be.
    fn natural_width(&self, shown: &[usize]) -> usize {
        let widths = self
            .grid(shown, 0, true, Breaks::None)
            .column_max_content_widths();
        let contents: usize = widths.iter().map(|width| usize::from(*width)).sum();
        contents + INDENT + GAP * shown.len().saturating_sub(1)
    }

    /// Whether a column is worth its place: not if it may be left out and has nothing in any row.
    fn says_something(&self, column: usize) -> bool {
        let has_content = |(cells, _): &(Vec<Cell>, Tone)| cells[column] != Cell::nothing();
        self.columns[column].priority == Priority::Always || self.rows.iter().any(has_content)
    }

    /// The lines in the tones of their rows. Where a cell wrapped, lines are no longer rows, and stay plain.
    fn painted(&self, lines: Vec<String>, shown: &[usize], options: &TextOptions) -> Vec<String> {
        let heading = self.has_headings_in_text(shown).then_some(Tone::Faint);
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

/// Where a name may continue on the next line; of no width, and not printed.
const BREAK: char = '\u{200b}';

/// A text whose long names may be broken after their parts: `connection_` `instructions_`. Between other
/// words only longer ones are names.
fn breakable(text: &str) -> Option<String> {
    let may_end = |c: char| matches!(c, '_' | '-' | '/' | '.' | '=');
    let longest = if text.contains(' ') { 28 } else { 8 };
    let is_name = |word: &&str| word.chars().count() > longest && word.contains(may_end);
    text.split(' ').find(is_name)?;
    let parts = text.split_inclusive(' ').flat_map(|word| {
        let parts: Vec<&str> = if is_name(&word) {
            word.split_inclusive(may_end).collect()
        } else {
            vec![word]
        };
        parts
    });
    Some(parts.collect::<Vec<_>>().join(&BREAK.to_string()))
}

/// In the place of a blank that no line ends at.
const GLUE: &str = "\u{a0}";

/// Where the text of a cell may continue on the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaks {
    /// Anywhere, if it has to.
    None,
    /// After the parts of names, and at blanks on the left side.
    Names,
    /// Also at blanks on the right side, except between a number and its unit.
    All,
}

/// A text in which numbers stay with their units.
fn with_units(text: &str) -> String {
    let mut kept = String::new();
    let mut is_number = false;
    for word in text.split(' ') {
        if !kept.is_empty() {
            kept.push_str(if is_number && word != "to" { GLUE } else { " " });
        }
        kept.push_str(word);
        let digits = word.trim_start_matches(['+', '-', '±']);
        is_number = digits.starts_with(|c: char| c.is_ascii_digit()) && !word.ends_with(',');
    }
    kept
}

/// Makes each column wide enough for its longest word; whether all of them have room.
fn keep_words(grid: &mut comfy_table::Table, width: usize) -> bool {
    let words = |cell: &comfy_table::Cell| {
        let content = cell.content();
        let words = content.split([' ', BREAK]);
        words.map(|word| word.chars().count()).max().unwrap_or(0)
    };
    let columns = grid.column_count();
    let rows = || grid.header().into_iter().chain(grid.row_iter());
    let longest: Vec<usize> = (0..columns)
        .map(|column| {
            rows()
                .filter_map(|row| row.cell_iter().nth(column))
                .map(words)
                .max()
        })
        .enumerate()
        .map(|(column, longest)| longest.unwrap_or(0) + if column == 0 { INDENT } else { GAP })
        .collect();
    if longest.iter().sum::<usize>() > width {
        return false;
    }
    for (column, least) in grid.column_iter_mut().zip(longest) {
        let least = comfy_table::Width::Fixed(u16::try_from(least).unwrap_or(u16::MAX));
        column.set_constraint(comfy_table::ColumnConstraint::LowerBoundary(least));
    }
    true
}

fn alignment(side: Side) -> CellAlignment {
    match side {
        Side::Left => CellAlignment::Left,
        Side::Right => CellAlignment::Right,
    }
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

    /// A table with one row.
    fn table<const COLUMNS: usize>(heading: &'static str, row: [&str; COLUMNS]) -> Table {
        let mut table = Table::of(heading);
        table.plain(row.map(str::to_owned));
        table
    }

    fn sample() -> Table {
        let mut table = table("id | ?kind | >used", ["cpu.cpu0", "cpu", "7 %"]);
        table.row(
            Tone::Alarm,
            ["link.cpu0-cpu1", "HyperTransport", "87 %"].map(str::to_owned),
        );
        table
    }

    /// Long cells on the right do not make names on the left break in the middle of a word.
    #[test]
    fn names_stay_whole_beside_long_cells() {
        let before = "predicted 2.19 GB/s, error -1.6 %";
        let after = "predicted 1.47 GB/s, error -33.8 %";
        let row = ["stream", "network_bytes_per_s", before, after];
        let table = table("of | figure | >before | >after", row);
        let lines = table.lines(&page(60)).lines.join("\n");
        for part in ["2.19 GB/s", "-33.8 %", "network_", "bytes_", "per_s"] {
            assert!(lines.contains(part), "{lines}");
        }
        assert_eq!(
            with_units("predicted 2.1 to 2.4 GB/s, more"),
            "predicted 2.1 to 2.4\u{a0}GB/s, more"
        );
    }

    #[test]
    fn lines_up_words_left_and_numbers_right() {
        assert_eq!(
            sample().lines(&page(80)).lines,
            [
                "  id              kind            used",
                "  cpu.cpu0        cpu              7 %",
                "  link.cpu0-cpu1  HyperTransport  87 %",
            ]
        );
    }

    #[test]
    fn leaves_out_what_may_be_left_out() {
        assert_eq!(sample().lines(&page(30)).lines[2], "  link.cpu0-cpu1  87 %");
    }

    #[test]
    fn says_that_bars_have_no_room() {
        let mut table = Table::of("id").bars("", 8..=40);
        table.plain([Cell::from("link.cpu0-cpu1".to_owned()), Cell::Bar(0.5)]);
        assert!(table.lines(&page(30)).left_out.is_empty());
        assert_eq!(table.lines(&page(20)).left_out, ["bars"]);
    }

    #[test]
    fn a_heading_in_parentheses_is_not_in_text() {
        let table = table("(rank) | >score", ["1", "7 %"]);
        assert_eq!(table.lines(&page(80)).lines, ["     score", "  1    7 %"]);
        let mut view = crate::view::View::new();
        view.table(table);
        assert!(view.markdown(1).starts_with("| rank | score |\n"));
    }

    #[test]
    fn leaves_out_optional_columns_without_content() {
        let table = table("id | ?note", ["a", ""]);
        assert_eq!(table.lines(&page(80)).lines, ["  id", "  a"]);
    }

    #[test]
    fn wraps_within_cells_as_a_last_resort() {
        let lines = sample().lines(&page(16)).lines;
        assert!(lines.iter().all(|line| line.chars().count() <= 16), "{lines:?}");
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        assert!(letters(&lines.concat()) >= letters("cpu.cpu0 7% link.cpu0-cpu1 87%"));
    }

    #[test]
    fn breaks_names_among_words() {
        let row = ["read.io_size=64KiB; read.threads_per_client=4", "2.41 GB/s"];
        let table = table("(changes) | >now", row);
        let text = table.lines(&page(44)).lines.join("\n");
        for name in ["read.io_size=64KiB;", "read.threads_per_client=4", "2.41 GB/s"] {
            assert!(text.contains(name), "{text}");
        }
    }

    /// Names are broken after their parts, as long as the page has room for each of them.
    #[test]
    fn breaks_names_between_their_parts() {
        let row = [
            "linux-nfsd-tcp-2020",
            "connection_instructions_per_byte",
            "1.83 to 2.41",
        ];
        let table = table("of | figure | >now", row);
        for width in 40..70 {
            let lines = table.lines(&page(width)).lines;
            assert!(
                lines.iter().all(|line| line.chars().count() <= width),
                "{lines:?}"
            );
            let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
            for part in "linux- connection_ instructions_ byte 2020 1.83 2.41".split(' ') {
                assert!(words.iter().any(|word| word.contains(part)), "{lines:#?}");
            }
            assert!(!lines.concat().contains(BREAK));
        }
    }

    #[test]
    fn colours_whole_rows() {
        let coloured = TextOptions {
            colour: true,
            ..page(80)
        };
        let lines = sample().lines(&coloured).lines;
        assert!(!lines[1].contains('\u{1b}'));
        assert!(lines[2].starts_with("\u{1b}["));
    }
}
