//! Runs the built program, as a shell would.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of the program left behind.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    /// What it wrote to stdout.
    pub(crate) stdout: String,
    /// What it wrote to stderr.
    pub(crate) stderr: String,
}

/// The program in the folder of this file's fixtures, with nothing about colours and columns in its environment.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bandgraph"));
    command.current_dir(fixtures()).stdin(Stdio::null());
    for variable in [
        "COLUMNS",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "RUST_BACKTRACE",
    ] {
        command.env_remove(variable);
    }
    command
}

/// Runs the program with `arguments`.
pub(crate) fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ended {
    end(program().args(arguments))
}

/// Runs `command` to its end.
pub(crate) fn end(command: &mut Command) -> Ended {
    let output = command.output().expect("the program was built for this test");
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("results are in UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("notes are in UTF-8"),
    }
}

/// The folder of scenarios made for these tests.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}
