//! Writing a result to a file: all of it or nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Names tried for the temporary file before giving up.
const ATTEMPTS: u32 = 100;

/// A file that is written piece by piece, and there only when it is whole: the file of that name has its old content until
/// it has all of the new one, so that a full disk or a stroke of Ctrl-C leaves it as it was. What is not a regular file (a
/// pipe, a device) is written to as it is.
pub(crate) struct WholeFile {
    file: File,
    target: PathBuf,
    /// What takes the place of the target in the end, and the permissions that it is to have; `None` where the target itself
    /// is written to.
    beside: Option<(PathBuf, Option<fs::Permissions>)>,
}

impl WholeFile {
    /// A file to be written to `path`.
    ///
    /// # Errors
    ///
    /// Whatever the system says; `path` is then as it was.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        // A link is followed, so that what it points to is replaced and not the link itself.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
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
            // Replacing a file needs rights on its folder only; a file that is write-protected is to stay.
            Some(metadata) if metadata.permissions().readonly() => {
                return Err(io::Error::from(io::ErrorKind::PermissionDenied));
            }
            _ => {}
        }
        let (temporary, file) = create_beside(&target)?;
        Ok(Self {
            file,
            target,
            beside: Some((temporary, before.map(|metadata| metadata.permissions()))),
        })
    }

    /// What is written in the end.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Puts it where it belongs.
    ///
    /// # Errors
    ///
    /// Whatever the system says; the target is then as it was.
    pub(crate) fn finish(mut self) -> io::Result<()> {
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
    /// Leaves nothing behind of a file that was not finished.
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.beside {
            // The error that matters is the one that kept it from being finished.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes `bytes` to `path`, all of them or none.
///
/// # Errors
///
/// Whatever the system says; `path` is then as it was.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// A new file in the folder of `target`, since only within a folder a rename is one step.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let Some(name) = target.file_name() else {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    };
    for attempt in 0..ATTEMPTS {
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let path = target.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
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

    #[expect(clippy::disallowed_methods, reason = "this test looks at what was written")]
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
        let error = write_whole(&folder, b"text").expect_err("a folder");
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
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
        let error = write_whole(&path, b"overwritten").expect_err("a protected file");
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
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
}
