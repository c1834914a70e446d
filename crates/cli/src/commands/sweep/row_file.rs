//! A file of many rows: written row by row, and there only when it is whole.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use bandgraph_scenario::WholeFile;

use crate::failure::{Failure, Unwritable};
use crate::terminal::Terminal;

/// Bytes that are gathered before they are written.
const BLOCK: usize = 64 << 10;

/// Where rows go.
pub(super) struct RowFile(BufWriter<Target>);

enum Target {
    File(WholeFile),
    Stdout,
}

impl RowFile {
    /// Rows for a file, or for stdout without one.
    pub(super) fn create(path: Option<&Path>) -> Result<Self, Failure> {
        let target = match path {
            Some(path) => {
                Target::File(WholeFile::create(path).map_err(|error| Failure::output(path, error))?)
            }
            None => Target::Stdout,
        };
        Ok(Self(BufWriter::with_capacity(BLOCK, target)))
    }

    /// Puts everything where it belongs.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self.0.into_inner().map_err(io::IntoInnerError::into_error)? {
            Target::File(file) => {
                let path = file.target().to_owned();
                file.finish().map_err(|error| Failure::output(&path, error))
            }
            Target::Stdout => Ok(()),
        }
    }
}

impl Write for RowFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Write for Target {
    /// Errors say where it was to go; a reader of stdout that has seen enough and left is none.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file
                .write(bytes)
                .map_err(|error| Unwritable::new(file.target().display().to_string(), error).into()),
            Self::Stdout => match Terminal::result(&String::from_utf8_lossy(bytes)) {
                Err(Failure::Output(unwritable)) => Err(unwritable.into()),
                _ => Ok(bytes.len()),
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout => Ok(()),
        }
    }
}
