//! A Parquet file of results, there only when it is whole.

use std::io;
use std::path::{Path, PathBuf};

use bandgraph_report::sweep::SweepParquet;
use bandgraph_scenario::SweepFile;
use bandgraph_study::{Point, Record};

use super::row_file::RowFile;
use crate::failure::Failure;

/// A Parquet file under way.
pub(super) struct ParquetFile {
    rows: SweepParquet<RowFile>,
    path: PathBuf,
}

impl ParquetFile {
    /// A file for the results of a sweep.
    pub(super) fn create(path: &Path, sweep: &SweepFile) -> Result<Self, Failure> {
        let file = RowFile::create(Some(path))?;
        let rows = SweepParquet::new(file, sweep).map_err(|error| failed(path, error))?;
        Ok(Self {
            rows,
            path: path.to_owned(),
        })
    }

    /// Adds the row of one point.
    pub(super) fn push(&mut self, sweep: &SweepFile, point: &Point, record: &Record) -> Result<(), Failure> {
        self.rows
            .push(sweep, point, record)
            .map_err(|error| failed(&self.path, error))
    }

    /// Puts the file where it belongs.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let file = self.rows.finish().map_err(|error| failed(&self.path, error))?;
        file.finish()
    }
}

fn failed(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::output(path, io::Error::other(error))
}
