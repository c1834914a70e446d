//! Runs the built program, as a shell would.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(crate) use bandgraph_testkit::Ended;
use bandgraph_testkit::Program;

/// The program in the folder of this file's fixtures, with nothing about colours and columns in its
/// environment.
pub(crate) fn program() -> Program {
    let program = Program::new(env!("CARGO_BIN_EXE_bandgraph")).current_dir(fixtures());
    [
        "COLUMNS",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "RUST_BACKTRACE",
    ]
    .into_iter()
    .fold(program, Program::env_remove)
}

/// Runs the program with `arguments`.
#[allow(dead_code, reason = "the tutorial runs it in folders of its own")]
pub(crate) fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ended {
    program().args(arguments).run()
}

/// The folder of scenarios made for these tests.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}
