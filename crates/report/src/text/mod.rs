//! Text for people, laid out for the width of their page.

mod bar;
mod busiest;
mod check;
mod columns;
mod explanation;
mod options;
mod page;
mod parts;
mod run;
mod topology;

pub use check::{CheckedFile, check_text};
pub use explanation::{explanation_text, explanations_text};
pub use options::{NARROWEST, TextOptions};
pub use parts::{part_text, parts_text};
pub use run::run_text;
pub use topology::topology_text;
