//! A report as blocks: titles, headings, paragraphs, lists and tables, without a layout.
//!
//! Every command says what it found as one [`View`]; text, Markdown and HTML are walks over its blocks.

use std::collections::BTreeSet;

use bandgraph_plot::Picture;

mod dark;
mod html;
mod markdown;
pub(crate) mod options;
pub(crate) mod table;
mod text;
mod wrap;

pub use html::Page;
pub(crate) use markdown::cell;
pub(crate) use options::Tone;
pub use options::{NARROWEST, TextOptions};
pub(crate) use table::{Cell, Side, Table};
pub(crate) use wrap::one_line;

/// A report as blocks, in the order in which they are read.
#[derive(Clone, Debug, Default)]
pub struct View {
    blocks: Vec<Block>,
    /// A drawing of what the report is about, which only HTML shows.
    drawing: Option<Picture>,
}

/// A piece of a report.
#[derive(Clone, Debug)]
enum Block {
    /// What the report is about.
    Title(String),
    /// The beginning of a section.
    Heading(String),
    /// The beginning of a section that is one of several of which a reader wants one at a time.
    Choice(String),
    /// A gap.
    Blank,
    /// A paragraph in a tone.
    Line(Tone, String),
    /// A paragraph of a section.
    Paragraph(String),
    /// An item of a list.
    Item(String),
    /// A table.
    Table(Table),
    /// A table that is worth showing only where it can be folded away, with what it is.
    Folded(String, Table),
    /// A drawing, which only HTML shows.
    Drawing(Box<Picture>),
    /// Names and texts of files, for readers who have nothing but the page.
    Files(Vec<(String, String)>),
}

impl View {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a gap, unless nothing is before it.
    pub(crate) fn blank(&mut self) {
        self.blocks.push(Block::Blank);
    }

    /// Says what the report is about.
    pub(crate) fn title(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Title(text.into()));
    }

    /// Begins a section.
    pub(crate) fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Begins a section that is one of several of which a reader wants one at a time.
    pub(crate) fn choice(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Choice(text.into()));
    }

    /// Adds a paragraph in one tone, from the left edge.
    pub(crate) fn toned(&mut self, tone: Tone, text: &str) {
        self.blocks.push(Block::Line(tone, text.to_owned()));
    }

    /// Adds an indented paragraph.
    pub(crate) fn paragraph(&mut self, text: &str) {
        self.blocks.push(Block::Paragraph(text.to_owned()));
    }

    /// Adds an item of a list, its further lines under its words.
    pub(crate) fn item(&mut self, text: &str) {
        self.blocks.push(Block::Item(text.to_owned()));
    }

    /// Adds a table.
    pub(crate) fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Adds a table that only HTML shows, folded.
    pub(crate) fn folded(&mut self, summary: impl Into<String>, table: Table) {
        self.blocks.push(Block::Folded(summary.into(), table));
    }

    /// Adds a drawing of what the report is about, and one to each choice, if there are as many of these.
    pub(crate) fn draw(&mut self, first: Option<Picture>, of_choices: Vec<Picture>) {
        self.drawing = first;
        let is_choice = |block: &Block| matches!(block, Block::Choice(_));
        if self.blocks.iter().filter(|block| is_choice(block)).count() != of_choices.len() {
            return;
        }
        let mut pictures = of_choices.into_iter();
        for block in std::mem::take(&mut self.blocks) {
            let picture = if is_choice(&block) { pictures.next() } else { None };
            self.blocks.push(block);
            self.blocks
                .extend(picture.map(|picture| Block::Drawing(Box::new(picture))));
        }
    }

    /// Adds the names and texts of the files that went in, which only HTML shows, folded; each of them once.
    pub fn files(&mut self, mut files: Vec<(String, String)>) {
        let mut known = BTreeSet::new();
        files.retain(|file| known.insert(file.clone()));
        if !files.is_empty() {
            self.blocks.push(Block::Files(files));
        }
    }
}
