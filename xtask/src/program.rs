//! The program itself, called as a function: what a user's command would write, without a process for each.

use std::path::{Path, PathBuf};

use bandgraph_cli::exit::Exit;

use crate::Outcome;

/// Runs `bandgraph` with `arguments`, without progress and notes.
///
/// # Errors
///
/// If it ends with anything but 0 or 1; the reason is on stderr. 1 means that a gate did not hold.
pub(crate) fn bandgraph(arguments: &[&str]) -> Outcome<Exit> {
    let words = ["bandgraph", "--quiet"].iter().chain(arguments);
    match bandgraph_cli::run(words.map(Into::into)) {
        exit @ (Exit::Fine | Exit::GateFailed) => Ok(exit),
        _ => Err(format!("failed: bandgraph {}", arguments.join(" ")).into()),
    }
}

/// A folder for the results between two commands. It is removed in the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A new folder.
    pub(crate) fn new() -> Outcome<Self> {
        let folder = std::env::temp_dir().join(format!("bandgraph-xtask-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    /// The content of a file in it.
    pub(crate) fn read(&self, name: &str) -> Outcome<Vec<u8>> {
        Ok(std::fs::read(Path::new(&self.0).join(name))?)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is in a folder that the system cleans.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
