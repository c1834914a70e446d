//! Diagnostics: errors for people, with places in files, and their renderers.
//!
//! A [`Diagnostic`] says what is wrong, where, and what would be right. It has a stable `id` per kind of
//! error (`topology::unknown_socket`), with an [`Explanation`] in the crate that raises it. Texts are in
//! [`Sources`]; a [`Place`] is a byte range in one of them. [`render`] turns a list of diagnostics into text
//! for a terminal, a line-based tool, a program, or a GitHub workflow.
//!
//! ```
//! use bandgraph_diagnostics::{Diagnostic, Place, Sources, did_you_mean, render};
//!
//! let mut sources = Sources::new();
//! let file = sources.add("server.toml", "ends = [\"cpu0\", \"cpuO\"]\n".to_owned());
//! let diagnostic = Diagnostic::error("topology::unknown_socket", "no socket is called `cpuO`")
//!     .at(Place::new(file, 16..22).label("not a socket"))
//!     .help_if(did_you_mean("cpuO", ["cpu0", "mcp55"]));
//!
//! assert_eq!(
//!     render::full(&[diagnostic], &sources, false),
//!     r#"error[topology::unknown_socket]: no socket is called `cpuO`
//!  --> server.toml:1:17
//!   |
//! 1 | ends = ["cpu0", "cpuO"]
//!   |                 ^^^^^^ not a socket
//!   |
//!   = help: did you mean `cpu0`?
//! "#
//! );
//! ```
//!
//! This crate does not know TOML or Bandgraph, reads no files, and cannot fail: a place outside of its text,
//! or inside a character, is moved to the nearest valid one, since a wrong place must not hide its error.

mod diagnostic;
mod explanation;
mod place;
pub mod render;
mod sources;
mod suggestion;

pub use diagnostic::{Diagnostic, Severity, sort_diagnostics, summary};
pub use explanation::Explanation;
pub use place::Place;
pub use sources::{LineColumn, SourceId, Sources};
pub use suggestion::{did_you_mean, did_you_mean_one_of, listed, one_of, suggest, there_are, with_article};
