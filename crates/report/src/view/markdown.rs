//! A report as Markdown, for tickets and the pages of CI steps: every table with all of its columns.

use std::fmt::Write as _;

use super::options::Tone;
use super::table::{Cell, Side, Table};
use super::{Block, View};

/// Characters of a cell.
const LONGEST_CELL: usize = 200;

impl View {
    /// The report as Markdown with tables, as GitHub and GitLab show it; the title is a heading of level
    /// `level`, sections are one below it.
    pub fn markdown(&self, level: usize) -> String {
        let mut page = String::new();
        let mut in_list = false;
        for block in &self.blocks {
            let is_item = matches!(block, Block::Item(_));
            if in_list && !is_item {
                page.push('\n');
            }
            in_list = is_item;
            // Writing to a string cannot fail.
            let _ = match block {
                Block::Blank | Block::Folded(..) | Block::Drawing(_) | Block::Files(_) => Ok(()),
                Block::Title(text) => write!(page, "{} {}\n\n", "#".repeat(level), plain(text)),
                Block::Heading(text) | Block::Choice(text) => {
                    write!(page, "{} {}\n\n", "#".repeat(level + 1), plain(text))
                }
                Block::Line(Tone::Alarm | Tone::Heading, text) => write!(page, "**{}**\n\n", plain(text)),
                Block::Line(_, text) | Block::Paragraph(text) => write!(page, "{}\n\n", plain(text)),
                Block::Item(text) => writeln!(page, "- {}", plain(text)),
                Block::Table(table) => write!(page, "{}", Rows(table)),
            };
        }
        page.truncate(page.trim_end().len());
        page.push('\n');
        page
    }
}

/// A table as Markdown writes it.
struct Rows<'t>(&'t Table);

impl std::fmt::Display for Rows<'_> {
    fn fmt(&self, page: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.0.worthwhile();
        let columns: Vec<_> = columns.filter(|(_, column)| !column.is_bar()).collect();
        if columns.is_empty() {
            return Ok(());
        }
        for (_, column) in &columns {
            write!(page, "| {} ", cell(column.heading()))?;
        }
        page.write_str("|\n")?;
        for (_, column) in &columns {
            page.write_str(match column.side() {
                Side::Left => "|---",
                Side::Right => "|--:",
            })?;
        }
        page.write_str("|\n")?;
        for (cells, tone) in self.0.rows() {
            let mut marked = *tone != Tone::Alarm;
            for (index, _) in &columns {
                let text = match &cells[*index] {
                    Cell::Text(text) => cell(text),
                    Cell::Bar(_) => String::new(),
                };
                // A row in red is one whose first words are bold.
                if marked || text.is_empty() {
                    write!(page, "| {text} ")?;
                } else {
                    write!(page, "| **{text}** ")?;
                    marked = true;
                }
            }
            page.write_str("|\n")?;
        }
        page.write_str("\n")
    }
}

/// A text that cannot break a table: on one line, no longer than a cell, with its commands as code and
/// without other markup.
pub(crate) fn cell(text: &str) -> String {
    let mut kept: String = text.chars().take(LONGEST_CELL).collect();
    if text.chars().nth(LONGEST_CELL).is_some() {
        kept.push('…');
    }
    escaped(&kept, "\\|")
}

/// A text on one line, with its commands as code and without other markup.
pub(crate) fn plain(text: &str) -> String {
    let is_mark = |c: char| !c.is_ascii_digit();
    let starts_list = text.split_once(is_mark).is_some_and(|(number, _)| {
        let mark = &text[number.len()..];
        // A point begins a list behind a number only.
        mark.starts_with(['#', '+', '-', '=']) || !number.is_empty() && mark.starts_with(['.', ')'])
    });
    let text = escaped(text, "|");
    match text.find(is_mark).filter(|_| starts_list) {
        Some(mark) => format!("{}\\{}", &text[..mark], &text[mark..]),
        None => text,
    }
}

/// `text` with what is between backticks as code, and a backslash before all other characters of Markdown.
/// In code `pipe` is written for `|`, which ends a cell there too.
fn escaped(text: &str, pipe: &str) -> String {
    let has_code = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let mut is_code = false;
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '`' if has_code => {
                is_code = !is_code;
                escaped.push('`');
            }
            '|' if is_code => escaped.push_str(pipe),
            '|' | '\\' | '`' | '*' | '<' | '>' | '[' | ']' | '_' | '~' | '$' | '&' if !is_code => {
                escaped.push('\\');
                escaped.push(letter);
            }
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_a_table() {
        assert_eq!(cell("a|b\nc` <d> e_f"), "a\\|b c\\` \\<d\\> e\\_f");
        assert_eq!(cell(&"x".repeat(1000)).chars().count(), LONGEST_CELL + 1);
        assert_eq!(cell(&"x".repeat(LONGEST_CELL)).chars().count(), LONGEST_CELL);
        assert_eq!(plain(&"|".repeat(1000)).len(), 2000);
    }

    /// As GitHub's renderer shows them: code is what it is, less the backslash of a pipe in a table.
    #[test]
    fn commands_are_code() {
        let text = "see `run --set 'link.*.a_b=c|d'` and e*f*";
        assert_eq!(plain(text), "see `run --set 'link.*.a_b=c|d'` and e\\*f\\*");
        assert_eq!(cell(text), "see `run --set 'link.*.a_b=c\\|d'` and e\\*f\\*");
        assert_eq!(plain("a ``b`` c"), "a \\`\\`b\\`\\` c");
    }

    #[test]
    fn no_text_begins_a_list_or_a_heading() {
        for (text, markdown) in [
            ("- a", "\\- a"),
            ("# a", "\\# a"),
            ("12. a", "12\\. a"),
            ("1.5 GB/s", "1\\.5 GB/s"),
            ("12 a", "12 a"),
            ("../o/a.json", "../o/a.json"),
            ("a - b", "a - b"),
            ("", ""),
        ] {
            assert_eq!(plain(text), markdown);
        }
    }

    #[test]
    fn every_block_has_its_markup() {
        let mut view = View::new();
        view.title("a <report>");
        view.toned(Tone::Alarm, "Bottleneck: link_1");
        view.heading("Points");
        view.item("one");
        view.item("two");
        let mut table = Table::of("id | ?empty | >value");
        table.plain(["a|b", "", "1"].map(str::to_owned));
        table.row(Tone::Alarm, ["c", "", "2"].map(str::to_owned));
        view.table(table);
        assert_eq!(
            view.markdown(2),
            "## a \\<report\\>\n\n**Bottleneck: link\\_1**\n\n### Points\n\n- one\n- two\n\n| id | value |\n|---|--:|\n\
             | a\\|b | 1 |\n| **c** | 2 |\n"
        );
    }
}
