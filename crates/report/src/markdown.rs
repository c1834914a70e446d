//! Text inside of Markdown.

/// Characters of a cell.
const LONGEST_CELL: usize = 200;

/// A text that cannot break a table: on one line, no longer than a cell, and without the characters of
/// Markdown.
pub(crate) fn cell(text: &str) -> String {
    let mut cell = escaped(text.chars().take(LONGEST_CELL));
    if text.chars().nth(LONGEST_CELL).is_some() {
        cell.push('…');
    }
    cell
}

/// A text on one line, without the characters of Markdown.
pub(crate) fn plain(text: &str) -> String {
    escaped(text.chars())
}

fn escaped(text: impl Iterator<Item = char>) -> String {
    let mut escaped = String::new();
    for letter in text {
        match letter {
            '|' | '\\' | '`' | '*' | '<' | '>' | '[' | ']' | '_' => {
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
        assert_eq!(cell("a|b\n`c` <d> e_f"), "a\\|b \\`c\\` \\<d\\> e\\_f");
        assert_eq!(cell(&"x".repeat(1000)).chars().count(), LONGEST_CELL + 1);
        assert_eq!(cell(&"x".repeat(LONGEST_CELL)).chars().count(), LONGEST_CELL);
        assert_eq!(plain(&"|".repeat(1000)).len(), 2000);
    }
}
