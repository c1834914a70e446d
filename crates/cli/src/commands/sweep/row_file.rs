//! A file of many rows: written row by row, and there only when it is whole.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::failure::Failure;
use crate::output::WholeFile;
use crate::terminal::Terminal;

/// Bytes that are gathered before they are written to stdout.
const BLOCK: usize = 64 << 10;

/// Where rows go.
pub(super) enum RowFile {
    /// To a file.
    File(BufWriter<WholeFile>),
    /// To stdout.
    Stdout(String),
}

impl RowFile {
    /// Rows for a file, or for stdout without one.
    pub(super) fn create(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else {
            return Ok(Self::Stdout(String::new()));
        };
        let file = WholeFile::create(path).map_err(|error| Failure::output(path, error))?;
        Ok(Self::File(BufWriter::new(file)))
    }

    /// Adds text.
    pub(super) fn push(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            Self::File(writer) => writer
                .write_all(text.as_bytes())
                .map_err(|error| Failure::output(writer.get_ref().target(), error)),
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
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::File(writer) => {
                let target = writer.get_ref().target().to_owned();
                writer
                    .into_inner()
                    .map_err(io::IntoInnerError::into_error)
                    .and_then(WholeFile::finish)
                    .map_err(|error| Failure::output(&target, error))
            }
            Self::Stdout(block) => Terminal::result(&block),
        }
    }
}

impl Write for RowFile {
    /// Adds bytes. They are for files: stdout takes text only.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(writer) => writer.write(bytes),
            Self::Stdout(_) => Err(io::Error::from(io::ErrorKind::Unsupported)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(writer) => writer.flush(),
            Self::Stdout(_) => Ok(()),
        }
    }
}
