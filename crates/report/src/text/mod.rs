//! Text for people, laid out for the width of their page.

pub(crate) mod bar;
mod busiest;
mod cache;
mod check;
pub(crate) mod columns;
mod explanation;
mod ladder;
mod operations;
pub(crate) mod options;
pub(crate) mod page;
mod parts;
mod place;
mod power;
mod replay;
mod run;
mod stacks;
mod topology;
mod trace;
mod trace_fit;
mod verdicts;
mod whatif;
mod words;

pub(crate) use busiest::pattern;
pub use check::{CheckedFile, check_text};
pub use explanation::{explanation_text, explanations_text};
pub use ladder::ladder_text;
pub use options::{NARROWEST, TextOptions};
pub use parts::{part_text, parts_text};
pub use place::place_text;
pub use run::run_text;
pub use stacks::{stack_text, stacks_text};
pub use topology::topology_text;
pub use trace::trace_text;
pub use trace_fit::trace_fit_text;
pub use whatif::whatif_text;
pub(crate) use words::{count_rate, kind_in_words, none, percent, resource_in_words, signed_percent};
