//! Oracles, random topologies and fixtures for the tests of the other crates.
//!
//! - [`seven_four_ten`]: the Sun Storage 7410 in both generations, as a specification to start from.
//! - [`TWO_SOCKET_SERVER`]: a topology file to start from.
//! - [`SocketGraph`]: socket graphs of the shapes that were built, and random ones.
//! - [`Program`]: child processes that no test can wait for without end.
//! - [`Mutator`]: damage to texts and bytes, for fuzzing.
//! - [`random`]: strategies for property tests: socket graphs, whole servers, and specifications full of
//!   mistakes.
//! - [`percent_decoded`]: what a `data:` address of a page stands for.
//! - [`oracle`]: slow and simple answers to questions that the other crates answer fast.
//!
//! Not published. Nothing here is used outside of tests, benches, examples and `cargo xtask fuzz`.

pub mod oracle;
pub mod random;

mod address;
mod fixture;
mod mutate;
mod program;
mod server_file;
mod socket_graph;

pub use address::percent_decoded;
pub use fixture::{Generation, seven_four_ten, seven_four_ten_onboard, seven_four_ten_topology};
pub use mutate::Mutator;
pub use program::{Ended, Program, written};
pub use server_file::TWO_SOCKET_SERVER;
pub use socket_graph::{SocketGraph, spec_of};
