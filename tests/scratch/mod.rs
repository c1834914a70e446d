//! Folders for what tests write, and what the program wrote there.

use std::path::{Path, PathBuf};

/// An empty folder of its own for each test of a suite.
pub(crate) fn folder(suite: &str, test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(suite).join(test);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("a folder that an earlier run left");
    }
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// What the program wrote to a file.
#[expect(clippy::disallowed_methods, reason = "tests look at what the program wrote")]
pub(crate) fn written(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("the program wrote it")
}
