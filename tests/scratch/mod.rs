//! Folders for what tests write.

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
