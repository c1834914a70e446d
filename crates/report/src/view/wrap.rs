//! Texts in lines: no wider than the page, numbers with their units, nothing that moves the cursor.

use comfy_table::{ContentArrangement, Table};

use bandgraph_units::QuantityKind;

use super::options::TextOptions;
use super::table::BARE;

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
            let text = "the link is used at 2.42 GiB/s (87 %) by 5 k ops/s";
            for line in paragraph(text, 0, &page(width)) {
                assert!(!line.ends_with(|c: char| c.is_ascii_digit()), "{line}");
            }
        }
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(one_line("a\u{1b}[31mb\nc\td"), "a [31mb c d");
    }
}
