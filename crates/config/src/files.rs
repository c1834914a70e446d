//! The source of files: a disk, or memory in tests.
//!
//! Only this module reads files. Reading is bounded: at most [`MAXIMUM_FILE_SIZE`] bytes of a file are held,
//! and only regular files are opened, so that a name such as `/dev/zero` cannot hang a check.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The maximum size of a file, in bytes: far above any hand-written machine description.
pub const MAXIMUM_FILE_SIZE: usize = 16 << 20;

/// The maximum number of file names of a folder.
const MAXIMUM_NAMES: usize = 10_000;

/// The regular files that this command has read. It does not replace them ([`WholeFile`](crate::WholeFile)).
static INPUTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Begins a command: what earlier ones of this process have read, it may replace.
pub fn forget_inputs() {
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Whether this command has read a file, by its canonical path.
pub(crate) fn is_input(canonical: &Path) -> bool {
    let inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    inputs.contains(canonical)
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// There is no file with this name.
    Missing,
    /// It is a folder.
    Folder,
    /// It is larger than [`MAXIMUM_FILE_SIZE`].
    TooLarge,
    /// It exists but cannot be read, for the reason given by the system.
    Unreadable(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such file"),
            Self::Folder => f.write_str("it is a folder"),
            Self::TooLarge => write!(f, "it is larger than {MAXIMUM_FILE_SIZE} bytes"),
            Self::Unreadable(reason) => f.write_str(reason),
        }
    }
}

/// A source of files.
pub trait Files {
    /// The bytes of a file, at most [`MAXIMUM_FILE_SIZE`] of them.
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError>;

    /// The sorted names of files and folders in a folder, at most 10,000; empty if there is no such folder.
    fn names(&self, folder: &Path) -> Vec<String>;

    /// A path that is equal for all spellings of the same file, such as `a.toml` and `./x/../a.toml`. The
    /// file need not exist.
    fn identity(&self, path: &Path) -> PathBuf;

    /// Whether files may refer to others outside their project and the current folder.
    fn allows_outside(&self) -> bool {
        false
    }
}

/// The file system. Files may refer only to others in their own project or below the current folder.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFiles;

/// The file system, in which files may refer to any other: `--allow-outside`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFilesAnywhere;

impl Files for DiskFilesAnywhere {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        DiskFiles.read(path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        DiskFiles.names(folder)
    }

    fn identity(&self, path: &Path) -> PathBuf {
        DiskFiles.identity(path)
    }

    fn allows_outside(&self) -> bool {
        true
    }
}

/// Opens a file for streaming: a trace, a journal, a baseline. Pipes are permitted.
///
/// # Errors
///
/// Those of the system, and virtual files of the kernel (`/proc/kmsg`): they look like empty regular files,
/// but reading them may never end.
#[expect(clippy::disallowed_methods, reason = "this is the place that reads files")]
pub fn open_file(path: &Path) -> std::io::Result<std::fs::File> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_file() && metadata.len() == 0 && DiskFiles.identity(path).starts_with("/proc") {
        return Err(std::io::Error::other("not a file on a disk"));
    }
    let file = std::fs::File::open(path)?;
    if metadata.is_file()
        && let Ok(canonical) = std::fs::canonicalize(path)
    {
        let mut inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
        inputs.insert(canonical);
    }
    Ok(file)
}

/// The text of a file with at most `most` bytes.
///
/// # Errors
///
/// As [`open_file`]; also for larger files and files that are not text.
pub fn read_text(path: &Path, most: u64) -> std::io::Result<String> {
    let file = open_file(path)?;
    // The size is checked first, so that a file that is too large is not read.
    if file.metadata()?.len() > most {
        let message = format!("it is larger than {} MiB", most >> 20);
        return Err(std::io::Error::other(message));
    }
    let mut text = String::new();
    file.take(most).read_to_string(&mut text)?;
    Ok(text)
}

#[expect(clippy::disallowed_methods, reason = "this is the place that reads files")]
impl Files for DiskFiles {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let unreadable = |error: &std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => ReadError::Missing,
            _ => ReadError::Unreadable(error.to_string()),
        };
        let metadata = std::fs::metadata(path).map_err(|error| unreadable(&error))?;
        if metadata.is_dir() {
            return Err(
                std::fs::read_dir(path).map_or_else(|error| unreadable(&error), |_| ReadError::Folder)
            );
        }
        if !metadata.is_file() {
            return Err(ReadError::Unreadable("not a regular file".to_owned()));
        }
        let file = open_file(path).map_err(|error| unreadable(&error))?;
        let mut bytes = Vec::new();
        // One byte above the limit shows that a file is too large, even if it grows meanwhile.
        file.take(MAXIMUM_FILE_SIZE as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(&error))?;
        if bytes.len() > MAXIMUM_FILE_SIZE {
            Err(ReadError::TooLarge)
        } else {
            Ok(bytes)
        }
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .take(MAXIMUM_NAMES)
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        names
    }

    fn identity(&self, path: &Path) -> PathBuf {
        // The path of a missing file follows from that of its folder.
        let missing = || {
            let folder = std::fs::canonicalize(path.parent()?).ok()?;
            Some(folder.join(path.file_name()?))
        };
        std::fs::canonicalize(path)
            .ok()
            .or_else(missing)
            .or_else(|| std::path::absolute(path).ok())
            .map_or_else(|| normal(path), |path| normal(&path))
    }
}

/// Files in memory, by their path.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl MemoryFiles {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one file more. Replaces a file of the same path.
    #[must_use]
    pub fn with(mut self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.insert(normal(path.as_ref()), bytes.into());
        self
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let path = normal(path);
        match self.files.get(&path) {
            Some(bytes) if bytes.len() > MAXIMUM_FILE_SIZE => Err(ReadError::TooLarge),
            Some(bytes) => Ok(bytes.clone()),
            None if self.files.keys().any(|file| file.starts_with(&path)) => Err(ReadError::Folder),
            None => Err(ReadError::Missing),
        }
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let folder = normal(folder);
        let inside = self
            .files
            .keys()
            .filter_map(|path| path.strip_prefix(&folder).ok());
        let mut names: Vec<String> = inside
            .filter_map(|path| Some(path.iter().next()?.to_str()?.to_owned()))
            .collect();
        names.dedup();
        names
    }

    fn identity(&self, path: &Path) -> PathBuf {
        normal(path)
    }
}

/// The path without `.` and `name/..`, by its letters alone.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(normal.components().next_back(), Some(Component::Normal(_))) => {
                normal.pop();
            }
            // Above the root there is the root.
            Component::ParentDir if normal.has_root() => {}
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_identity() {
        for spelling in [
            "a/b.toml",
            "./a/b.toml",
            "a/./b.toml",
            "a/x/../b.toml",
            "x/../a/b.toml",
        ] {
            assert_eq!(normal(Path::new(spelling)), Path::new("a/b.toml"), "{spelling}");
        }
        assert_eq!(normal(Path::new("../a")), Path::new("../a"));
        assert_eq!(normal(Path::new("../../a")), Path::new("../../a"));
        assert_eq!(normal(Path::new("/a/../../../b")), Path::new("/b"));
    }

    #[test]
    fn memory_tells_missing_files_from_folders() {
        let files = MemoryFiles::new().with("a/b.toml", "x");
        assert_eq!(files.read(Path::new("a/c.toml")), Err(ReadError::Missing));
        assert_eq!(files.read(Path::new("a")), Err(ReadError::Folder));
        assert_eq!(files.read(Path::new("a/../a/b.toml")), Ok(b"x".to_vec()));
        assert_eq!(files.names(Path::new("./a")), ["b.toml"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_that_the_kernel_makes_are_refused() {
        // `kmsg` would wait for the next message of the kernel.
        for path in ["/proc/kmsg", "/proc/self/environ", "/proc/self/../cpuinfo"] {
            assert!(
                matches!(
                    DiskFiles.read(Path::new(path)),
                    Err(ReadError::Unreadable(_) | ReadError::Missing)
                ),
                "{path}"
            );
        }
    }

    #[test]
    fn the_disk_refuses_what_is_not_a_file() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(DiskFiles.read(here), Err(ReadError::Folder));
        assert_eq!(
            DiskFiles.read(&here.join("no-such-file.toml")),
            Err(ReadError::Missing)
        );
        assert_eq!(
            DiskFiles.read(&here.join("Cargo.toml/x")),
            Err(ReadError::Missing)
        );
        assert!(DiskFiles.names(here).contains(&"Cargo.toml".to_owned()));
        let spelt = here.join("src/../Cargo.toml");
        assert_eq!(
            DiskFiles.identity(&spelt),
            DiskFiles.identity(&here.join("Cargo.toml"))
        );
    }
}
