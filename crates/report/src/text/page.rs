//! A page of text, line by line.

use super::columns::{Columns, one_line, paragraph};
use super::options::{NARROWEST, TextOptions, Tone};

/// A page of text under construction.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    options: TextOptions,
    text: String,
}

impl Page {
    /// An empty page.
    pub(crate) fn new(options: &TextOptions) -> Self {
        Self {
            options: TextOptions {
                width: options.width.max(NARROWEST),
                ..*options
            },
            text: String::new(),
        }
    }

    /// How the page is laid out; its width is never less than [`NARROWEST`].
    pub(crate) fn options(&self) -> &TextOptions {
        &self.options
    }

    /// Adds an empty line, unless the page is empty.
    pub(crate) fn blank(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Adds a heading, with an empty line before it.
    pub(crate) fn heading(&mut self, text: &str) {
        self.blank();
        self.toned(Tone::Heading, text);
    }

    /// Adds a paragraph in one tone, from the left edge.
    pub(crate) fn toned(&mut self, tone: Tone, text: &str) {
        for line in paragraph(&one_line(text), 0, &self.options) {
            self.line(&tone.paint(&line, &self.options));
        }
    }

    /// Adds an indented paragraph.
    pub(crate) fn paragraph(&mut self, text: &str) {
        for line in paragraph(text, 2, &self.options) {
            self.line(&line);
        }
    }

    /// Adds an item of a list, its further lines under its words.
    pub(crate) fn item(&mut self, text: &str) {
        let lines = paragraph(text, 4, &self.options);
        for (index, line) in lines.iter().enumerate() {
            match line.strip_prefix("    ") {
                Some(first) if index == 0 => self.line(&format!("  - {first}")),
                _ => self.line(line),
            }
        }
    }

    /// Adds a table.
    pub(crate) fn table(&mut self, table: &Columns) {
        for line in table.lines(&self.options) {
            self.line(&line);
        }
    }

    /// The page, every line ended.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}
