//! A report as text for people, laid out for the width of their page.

use super::options::{NARROWEST, TextOptions, Tone};
use super::wrap::{one_line, paragraph};
use super::{Block, View};

/// The width that is recommended where columns were left out.
const ROOMY: usize = 160;

impl View {
    /// The report as text, every line ended. Layout and wording may change with any version: programs read
    /// JSON.
    pub fn text(&self, options: &TextOptions) -> String {
        let mut page = Page {
            options: TextOptions {
                width: options.width.max(NARROWEST),
                ..*options
            },
            text: String::new(),
            left_out: Vec::new(),
        };
        for block in &self.blocks {
            page.block(block);
        }
        page.say_what_is_left_out();
        page.text
    }
}

/// A page of text under construction.
struct Page {
    options: TextOptions,
    text: String,
    /// Headings of columns that have no room, each once.
    left_out: Vec<String>,
}

impl Page {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Blank => self.blank(),
            Block::Title(text) => self.toned(Tone::Heading, text),
            Block::Heading(text) | Block::Choice(text) => {
                self.blank();
                self.toned(Tone::Heading, text);
            }
            Block::Line(tone, text) => self.toned(*tone, text),
            Block::Paragraph(text) => self.lines(paragraph(text, 2, &self.options)),
            Block::Item(text) => self.item(text),
            Block::Table(table) => {
                let laid_out = table.lines(&self.options);
                self.lines(laid_out.lines);
                for heading in laid_out.left_out {
                    if !self.left_out.contains(&heading) {
                        self.left_out.push(heading);
                    }
                }
            }
            Block::Folded(..) | Block::Drawing(_) | Block::Files(_) => {}
        }
    }

    fn blank(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn toned(&mut self, tone: Tone, text: &str) {
        let lines = paragraph(&one_line(text), 0, &self.options);
        let painted = lines.iter().map(|line| tone.paint(line, &self.options)).collect();
        self.lines(painted);
    }

    fn item(&mut self, text: &str) {
        let lines = paragraph(text, 4, &self.options);
        let lines = lines.into_iter().enumerate();
        let marked = lines.map(|(index, line)| match line.strip_prefix("    ") {
            Some(first) if index == 0 => format!("  - {first}"),
            _ => line,
        });
        self.lines(marked.collect());
    }

    /// A reader of a narrow page has to know that there is more.
    fn say_what_is_left_out(&mut self) {
        if !self.left_out.is_empty() {
            let words = format!(
                "Columns without room on this page: {}. `--width {ROOMY}` shows more.",
                self.left_out.join(", ")
            );
            self.toned(Tone::Faint, &words);
        }
    }

    fn lines(&mut self, lines: Vec<String>) {
        for line in lines {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }
}
