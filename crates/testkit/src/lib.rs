//! Oracles, random topologies and fixtures for the tests of the other crates.
//!
//! - [`seven_four_ten`]: the Sun Storage 7410 in both generations, as a specification.
//! - [`TWO_SOCKET_SERVER`]: a topology file.
//! - [`SocketGraph`]: socket graphs of real machines, and random ones.
//! - [`Program`]: child processes with a watchdog.
//! - [`Mutator`]: damage to texts and bytes, for fuzzing.
//! - [`random`]: strategies for property tests: socket graphs, whole servers, and specifications full of
//!   mistakes.
//! - [`percent_decoded`]: the contents of a `data:` address of a page.
//! - [`oracle`]: slow and simple solutions of problems that the other crates solve fast.
//!
//! Not published. Only tests, benches, examples and `cargo xtask fuzz` use this crate.

pub mod oracle;
pub mod random;

mod address;
mod fixture;
mod mutate;
mod program;
mod server_file;
mod socket_graph;

pub use address::percent_decoded;
pub use fixture::{
    Generation, seven_four_ten, seven_four_ten_onboard, seven_four_ten_topology, swap_into_slot,
};
pub use mutate::Mutator;
pub use program::{Ended, Program, write, written};
pub use server_file::TWO_SOCKET_SERVER;
pub use socket_graph::{SocketGraph, spec_of};
