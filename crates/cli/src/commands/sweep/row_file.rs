//! A file of many rows: written row by row, and there only when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output::create_beside;
use crate::terminal::Terminal;

/// Bytes that are gathered before they are written to stdout.
const BLOCK: usize = 64 << 10;

/// Where rows go.
pub(super) enum RowFile {
    /// To a file beside the one that is meant, which takes its place in the end.
    Beside {
        writer: BufWriter<File>,
        temporary: PathBuf,
        target: PathBuf,
    },
    /// To something that is no regular file: a pipe, a device.
    Direct {
        writer: BufWriter<File>,
        target: PathBuf,
    },
    /// To stdout.
    Stdout(String),
}

impl RowFile {
    /// Rows for a file, or for stdout without one.
    pub(super) fn create(path: Option<&Path>) -> Result<Self, Failure> {
        match path {
            None => Ok(Self::Stdout(String::new())),
            Some(path) => Self::open(path).map_err(|error| Failure::output(path, error)),
        }
    }

    fn open(path: &Path) -> io::Result<Self> {
        // A link is followed, so that what it points to is replaced and not the link itself.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&target) {
            Ok(metadata) if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(metadata) if !metadata.is_file() => {
                let writer = BufWriter::new(OpenOptions::new().write(true).open(&target)?);
                Ok(Self::Direct { writer, target })
            }
            Ok(metadata) if metadata.permissions().readonly() => {
                Err(io::Error::from(io::ErrorKind::PermissionDenied))
            }
            _ => {
                let (temporary, file) = create_beside(&target)?;
                Ok(Self::Beside {
                    writer: BufWriter::new(file),
                    temporary,
                    target,
                })
            }
        }
    }

    /// Adds text.
    pub(super) fn push(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Beside { writer, target, .. } | Self::Direct { writer, target } => writer
                .write_all(text.as_bytes())
                .map_err(|error| Failure::output(target, error)),
            Self::Stdout(block) => {
                block.push_str(text);
                if block.len() < BLOCK {
                    return Ok(());
                }
                Terminal::result(&std::mem::take(block))
            }
        }
    }

    /// Puts everything where it belongs.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        match &mut self {
            Self::Beside {
                writer,
                temporary,
                target,
            } => writer
                .flush()
                .and_then(|()| writer.get_ref().sync_all())
                .and_then(|()| fs::rename(&*temporary, &*target))
                .map_err(|error| Failure::output(target, error)),
            Self::Direct { writer, target } => writer.flush().map_err(|error| Failure::output(target, error)),
            Self::Stdout(block) => Terminal::result(block),
        }
    }
}

impl Write for RowFile {
    /// Adds bytes. They are for files: stdout takes text only.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside { writer, .. } | Self::Direct { writer, .. } => writer.write(bytes),
            Self::Stdout(_) => Err(io::Error::from(io::ErrorKind::Unsupported)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside { writer, .. } | Self::Direct { writer, .. } => writer.flush(),
            Self::Stdout(_) => Ok(()),
        }
    }
}

impl Drop for RowFile {
    /// Leaves nothing behind of a file that was not finished.
    fn drop(&mut self) {
        if let Self::Beside { temporary, .. } = self {
            // After the rename there is nothing of that name.
            let _ = fs::remove_file(temporary);
        }
    }
}
