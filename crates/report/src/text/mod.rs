//! Reports for people, as blocks that every format lays out in its own way.

pub(crate) mod bar;
mod busiest;
mod cache;
mod certainty;
mod check;
mod explanation;
mod ladder;
mod names;
mod operations;
mod parts;
mod paths;
mod place;
mod power;
mod provenance;
mod replay;
mod run;
mod stacks;
mod topology;
mod trace;
mod trace_fit;
mod verdicts;
mod whatif;
mod words;

pub(crate) use busiest::{busiest, others, pattern};
pub(crate) use certainty::{RANGE_END, SLIGHT_WEIGHT, between, difference_words, statuses};
pub use certainty::{figures_csv, figures_view};
pub use check::{CheckedFile, check_text, found};
pub use explanation::{Explanations, explanation_view};
pub(crate) use ladder::clients_end;
pub use ladder::ladder_view;
pub(crate) use names::{listed, named};
pub(crate) use parts::{listed_fields, listed_value};
pub use parts::{part_view, parts_view};
pub use place::place_view;
pub(crate) use provenance::{PREDICTED, how, inputs, origin, provenance, short_hash};
pub use run::run_view;
pub use stacks::{stack_view, stacks_view};
pub(crate) use topology::sockets_in_words;
pub use topology::topology_view;
pub use trace::trace_view;
pub use trace_fit::trace_fit_comment;
pub use whatif::whatif_view;
pub(crate) use words::{
    DataRate, amount_in_words, bandwidth, count_rate, counted, grouped, kind_in_words, limit_in_words, none,
    percent, rate_words, resource_in_words, signed_percent, thousands,
};
