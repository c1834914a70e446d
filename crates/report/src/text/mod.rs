//! Text for people, laid out for the width of their page.

mod bar;
mod columns;
mod options;
mod page;
mod parts;
mod run;

pub use options::{NARROWEST, TextOptions};
pub use parts::{part_text, parts_text};
pub use run::run_text;
