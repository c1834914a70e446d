//! The records of one journal or many, by the number of their point.
//!
//! Only where each line lies is in memory, eight bytes a point.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use bandgraph_diagnostics::Diagnostic;
use bandgraph_report::sweep::{JournalError, JournalHeader};
use bandgraph_scenario::open_file;
use bandgraph_study::{Design, Record};

use super::journal::{Places, read_records, unusable, warnings};
use super::{LoadedSweep, usage};
use crate::failure::Failure;

/// Bits of a place that are the place in the file; the rest is the number of the file.
const OFFSET_BITS: u32 = 44;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
/// The most journals that are merged at once.
const MAXIMUM_FILES: usize = 1 << (u64::BITS - OFFSET_BITS - 1);

/// Records that lie in files.
pub(super) struct Records {
    header: JournalHeader,
    places: Places,
    paths: Vec<PathBuf>,
    /// Warnings about lines that cannot be used.
    warnings: Vec<Diagnostic>,
    /// The file that was read last, and where in it.
    open: Option<(usize, BufReader<File>, u64)>,
}

/// A line of a journal that has not been read yet.
pub(super) struct Line {
    /// The number of the journal.
    journal: usize,
    text: Vec<u8>,
}

impl Records {
    /// Finds all records of `paths`. A point that is in several must be the same in all.
    pub(super) fn open(
        paths: &[PathBuf],
        loaded: &LoadedSweep,
        design: &Design<'_>,
    ) -> Result<Self, Failure> {
        if paths.len() > MAXIMUM_FILES {
            return Err(usage(
                format!("at most {MAXIMUM_FILES} journals are merged at once"),
                None,
            ));
        }
        let mut records = Self::at_places(paths.to_vec(), Places::none(design.candidates()), design);
        let mut twice = Vec::new();
        for (index, path) in paths.iter().enumerate() {
            let places = &mut records.places;
            let mut show = |number, offset| {
                let place = (index as u64) << OFFSET_BITS | offset;
                if let Some(known) = places.insert(number, place) {
                    twice.push((known, place));
                }
            };
            let (_, faulty) = open_file(path)
                .map_err(JournalError::from)
                .and_then(|file| read_records(&file, &records.header, loaded, design, &mut show))
                .map_err(|error| {
                    let help = "name journals that `bandgraph sweep run` has written for this sweep";
                    usage(format!("{}: {error}", path.display()), Some(help))
                })?;
            records.warnings.extend(warnings(path, &faulty));
        }
        for (one, other) in twice {
            let (one, other) = (records.at(one)?, records.at(other)?);
            if one != other {
                return Err(usage(
                    format!("point {} has two different results in these journals", one.number),
                    Some(
                        "results of one sweep do not differ; were the journals written by the same program?",
                    ),
                ));
            }
        }
        Ok(records)
    }

    /// The records of journals whose lines are known to lie there.
    pub(super) fn at_places(paths: Vec<PathBuf>, places: Places, design: &Design<'_>) -> Self {
        Self {
            header: JournalHeader::new(design.sweep()),
            places,
            paths,
            warnings: Vec::new(),
            open: None,
        }
    }

    /// Warnings about lines that cannot be used.
    pub(super) fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The line of a point, if any journal has it, and the journal that it is of.
    pub(super) fn line_of(&mut self, number: u64) -> Result<Option<Line>, Failure> {
        let place = self.places.get(number);
        place.map(|place| self.line_at(place)).transpose()
    }

    /// Whether any journal has a point.
    pub(super) fn has(&self, number: u64) -> bool {
        self.places.get(number).is_some()
    }

    fn at(&mut self, place: u64) -> Result<Record, Failure> {
        let line = self.line_at(place)?;
        self.record(&line)
    }

    /// The record of a line.
    pub(super) fn record(&self, line: &Line) -> Result<Record, Failure> {
        self.header.record(&line.text).ok_or_else(|| {
            let path = self.paths[line.journal].display();
            usage(format!("{path} was changed while it was read"), None)
        })
    }

    fn line_at(&mut self, place: u64) -> Result<Line, Failure> {
        let (journal, offset) = ((place >> OFFSET_BITS) as usize, place & OFFSET_MASK);
        match self.line(journal, offset) {
            Ok(text) => Ok(Line { journal, text }),
            Err(error) => Err(unusable(&self.paths[journal], &error.into())),
        }
    }

    fn line(&mut self, index: usize, offset: u64) -> io::Result<Vec<u8>> {
        let (reader, at) = match &mut self.open {
            Some((open, reader, at)) if *open == index => (reader, at),
            slot => {
                let (_, reader, at) = slot.insert((index, BufReader::new(open_file(&self.paths[index])?), 0));
                (reader, at)
            }
        };
        // Within the buffer, going back or forth costs nothing.
        reader.seek_relative(offset.cast_signed() - at.cast_signed())?;
        let mut line = Vec::new();
        *at = offset + reader.read_until(b'\n', &mut line)? as u64;
        Ok(line)
    }
}
