//! Atomic writing of a result to a file.

#![expect(
    clippy::disallowed_methods,
    reason = "the one place that creates and replaces the files of results"
)]

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::files::is_input;

/// The maximum number of attempts to create a temporary file.
const ATTEMPTS: u32 = 100;
/// The maximum number of links to follow.
const LINKS: u32 = 40;

/// A file that is written piece by piece, and replaces the target only when it is complete: until then, the
/// target keeps its old content, so that a full disk or Ctrl-C leaves it unchanged. A target that is not a
/// regular file (a pipe, a device) is written directly.
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    target: PathBuf,
    /// The temporary file that replaces the target, and its final permissions; `None` if the target itself is
    /// written.
    beside: Option<(PathBuf, Option<fs::Permissions>)>,
}

impl WholeFile {
    /// Creates a file to be written to `path`.
    ///
    /// # Errors
    ///
    /// An error of the system, or a file that this command has read: an output does not replace an input.
    /// `path` is then unchanged.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = followed(path)?;
        let before = fs::metadata(&target).ok();
        match &before {
            Some(metadata) if metadata.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Some(metadata) if !metadata.is_file() => {
                return Ok(Self {
                    file: OpenOptions::new().write(true).open(&target)?,
                    target,
                    beside: None,
                });
            }
            // Replacing a file needs only rights on its folder; a write-protected file is kept.
            Some(metadata) if metadata.permissions().readonly() => {
                return Err(io::Error::from(io::ErrorKind::PermissionDenied));
            }
            Some(_) if is_input(&target) => {
                return Err(io::Error::other("it is one of the files that this command reads"));
            }
            _ => {}
        }
        remove_abandoned(&target);
        let (temporary, file) = create_beside(&target)?;
        Ok(Self {
            file,
            target,
            beside: Some((temporary, before.map(|metadata| metadata.permissions()))),
        })
    }

    /// The final target.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Replaces the target.
    ///
    /// # Errors
    ///
    /// An error of the system; the target is then unchanged.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((temporary, permissions)) = &self.beside else {
            return Ok(());
        };
        if let Some(permissions) = permissions {
            self.file.set_permissions(permissions.clone())?;
        }
        self.file.sync_all()?;
        fs::rename(temporary, &self.target)?;
        self.beside = None;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    /// Removes the temporary file of an unfinished file.
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.beside {
            // The relevant error is the one that prevented completion.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes `bytes` to `path`, completely or not at all.
///
/// # Errors
///
/// An error of the system; `path` is then unchanged.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// The file that a path leads to through links, even if it does not exist yet: it is replaced, and the links
/// remain.
fn followed(path: &Path) -> io::Result<PathBuf> {
    if fs::metadata(path).is_ok() {
        // A link such as `/dev/stdout` may lead to a pipe, which has no path.
        return Ok(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
    }
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            // Relative to the folder of the link; an absolute one replaces the whole path.
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links, one to the next"))
}

/// A new file in the folder of `target`, since a rename is atomic only within a folder. It is locked while it
/// is open, which shows other processes that it is in use.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let Some(name) = target.file_name() else {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    };
    for attempt in 0..ATTEMPTS {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let path = target.with_file_name(temporary);
        let file = match File::create_new(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        // Before it was locked, another process may have removed it as abandoned.
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && path.try_exists()? {
            return Ok((path, file));
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}

/// Removes temporary files of killed processes for `target`: those with a name of [`create_beside`] that no
/// process has locked. If the file system has no locks, nothing is removed. Such files are harmless, so that
/// errors are ignored.
fn remove_abandoned(target: &Path) {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (Some(name), Ok(entries)) = (target.file_name(), fs::read_dir(folder)) else {
        return;
    };
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !is_temporary(&entry.file_name(), name) {
            continue;
        }
        let path = entry.path();
        if let Ok(file) = OpenOptions::new().write(true).open(&path)
            && file.try_lock().is_ok()
        {
            // While it is locked, so that it is not in use.
            let _ = fs::remove_file(&path);
        }
    }
}

/// Whether a name is one that [`create_beside`] gives to a file for `target`: `.NAME.PID-ATTEMPT.tmp`.
fn is_temporary(name: &OsStr, target: &OsStr) -> bool {
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let rest = name.as_encoded_bytes().strip_prefix(b".");
    let rest = rest.and_then(|rest| rest.strip_prefix(target.as_encoded_bytes()));
    let numbers = rest
        .and_then(|rest| rest.strip_prefix(b"."))
        .and_then(|rest| rest.strip_suffix(b".tmp"));
    let mut numbers = numbers.unwrap_or_default().split(|&byte| byte == b'-');
    let is_pair = numbers.next().is_some_and(is_number) && numbers.next().is_some_and(is_number);
    is_pair && numbers.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder for one test.
    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("bandgraph-output-{}-{test}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        folder
    }

    /// The reason why a path cannot be written.
    fn refused(path: &Path) -> io::ErrorKind {
        write_whole(path, b"overwritten")
            .expect_err("nothing can be written there")
            .kind()
    }

    fn content(path: &Path) -> Vec<u8> {
        fs::read(path).expect("it was written")
    }

    #[test]
    fn writes_new_files_and_replaces_old_ones() {
        let folder = folder("replace");
        let path = folder.join("result");
        write_whole(&path, b"a first, longer text").expect("a new file");
        write_whole(&path, b"second").expect("the same file again");
        assert_eq!(content(&path), b"second");
        fs::remove_dir_all(&folder).expect("nothing else is in the folder's way");
    }

    #[test]
    fn a_folder_is_not_written_to() {
        let folder = folder("folder");
        assert_eq!(refused(&folder), io::ErrorKind::IsADirectory);
        fs::remove_dir_all(&folder).expect("the folder is still there, and empty");
    }

    #[test]
    fn a_protected_file_stays_as_it_is() {
        let folder = folder("protected");
        let path = folder.join("result");
        write_whole(&path, b"precious").expect("a new file");
        let mut permissions = fs::metadata(&path).expect("it is there").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).expect("it is ours");
        assert_eq!(refused(&path), io::ErrorKind::PermissionDenied);
        assert_eq!(content(&path), b"precious");
        fs::remove_dir_all(&folder).expect("the folder is ours");
    }

    #[test]
    fn what_is_not_finished_leaves_everything_as_it_was() {
        let folder = folder("unfinished");
        let path = folder.join("result");
        write_whole(&path, b"before").expect("a new file");
        let mut file = WholeFile::create(&path).expect("a file beside it");
        file.write_all(b"half of what was to").expect("there is room");
        drop(file);
        assert_eq!(content(&path), b"before");
        fs::remove_file(&path).expect("it is ours");
        fs::remove_dir(&folder).expect("nothing else is left in the folder");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_points_to_is_replaced_and_not_the_link() {
        let folder = folder("link");
        let (file, link) = (folder.join("file"), folder.join("link"));
        write_whole(&file, b"before").expect("a new file");
        std::os::unix::fs::symlink(&file, &link).expect("a new link");
        write_whole(&link, b"after").expect("through the link");
        assert_eq!(content(&file), b"after");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        fs::remove_dir_all(&folder).expect("the folder is ours");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_points_to_is_made_where_it_is_not_there() {
        let folder = folder("dangling");
        fs::create_dir(folder.join("below")).expect("a new folder");
        let (link, second) = (folder.join("link"), folder.join("below/second"));
        std::os::unix::fs::symlink("below/second", &link).expect("a new link");
        std::os::unix::fs::symlink("file", &second).expect("a new link");
        write_whole(&link, b"through both").expect("a link to a link to nothing");
        assert_eq!(content(&folder.join("below/file")), b"through both");
        for link in [&link, &second] {
            assert!(fs::symlink_metadata(link).expect("it is there").is_symlink());
        }
        let circle = folder.join("circle");
        std::os::unix::fs::symlink("circle", &circle).expect("a new link");
        write_whole(&circle, b"nowhere").expect_err("a link to itself leads nowhere");
        assert!(fs::symlink_metadata(&circle).expect("it is there").is_symlink());
        fs::remove_dir_all(&folder).expect("the folder is ours");
    }

    #[test]
    fn what_killed_processes_left_is_removed_and_nothing_else() {
        let folder = folder("abandoned");
        let path = folder.join("result");
        let abandoned = [".result.4194305-0.tmp", ".result.1-99.tmp"];
        let others = [
            ".result.1.tmp",
            ".result.1-2-3.tmp",
            ".result.1-x.tmp",
            ".other.1-0.tmp",
            "result.1-0.tmp",
            ".result.1-0.tmp.kept",
        ];
        for name in abandoned.iter().chain(&others) {
            File::create_new(folder.join(name)).expect("a new file");
        }
        // A file in use, even by this process.
        let mut in_use = WholeFile::create(&path).expect("a file beside it");
        in_use.write_all(b"first").expect("there is room");
        write_whole(&path, b"second").expect("a second writer of the same name");
        for name in abandoned {
            assert!(!folder.join(name).exists(), "{name}");
        }
        for name in others {
            assert!(folder.join(name).exists(), "{name}");
        }
        assert_eq!(content(&path), b"second");
        in_use.finish().expect("it is still there");
        assert_eq!(content(&path), b"first");
        fs::remove_dir_all(&folder).expect("the folder is ours");
    }
}
