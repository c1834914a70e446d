//! The records of one or many journals, by the number of their point.
//!
//! Only the position of each line is in memory, eight bytes per point. Lines are read sequentially and
//! decoded on all threads, and blocks of points are returned in the order of their numbers.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_scenario::open_file;
use bandgraph_study::{Design, Point, Record};
use rayon::prelude::*;

use crate::error::{noted, warnings};
use crate::journal::read_records;
use crate::{JournalError, JournalHeader, Places, SweepError};

/// The number of bits of a position for the offset in the file; the others are the number of the file.
const OFFSET_BITS: u32 = 44;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
/// The maximum number of journals to merge.
const MAXIMUM_FILES: usize = 1 << (u64::BITS - OFFSET_BITS - 1);
/// Points per block: enough to make the cost of starting one negligible.
const BLOCK: usize = 64;
/// Blocks that are decoded together: enough for many threads, and a few megabytes.
const TOGETHER: usize = 64;
/// The number of missing points in a message.
const NAMED: usize = 5;

/// Records in files.
#[derive(Debug)]
pub struct Records {
    header: JournalHeader,
    places: Places,
    paths: Vec<PathBuf>,
    /// Warnings about unusable lines.
    warnings: Vec<Diagnostic>,
    /// The file read last, and the position in it.
    open: Option<(usize, BufReader<File>, u64)>,
}

/// An undecoded line of a journal.
struct Line {
    /// The number of the journal.
    journal: usize,
    text: Vec<u8>,
}

impl Records {
    /// Finds all records of `paths`. A point in several journals must be the same in each.
    ///
    /// # Errors
    ///
    /// [`SweepError::Refused`].
    pub fn open(paths: &[PathBuf], sources: &Sources, design: &Design<'_>) -> Result<Self, SweepError> {
        if paths.len() > MAXIMUM_FILES {
            return Err(SweepError::refused(
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
                .and_then(|file| read_records(&file, &records.header, sources, design, &mut show))
                .map_err(|error| {
                    let help = "name journals that `bandgraph sweep run` has written for this sweep";
                    SweepError::refused(format!("{}: {error}", path.display()), help)
                })?;
            records.warnings.extend(warnings(path, &faulty));
        }
        for (one, other) in twice {
            let (one, other) = (records.line_at(one)?, records.line_at(other)?);
            let (one, other) = (records.record(&one)?, records.record(&other)?);
            if one != other {
                return Err(SweepError::refused(
                    format!("point {} has two different results in these journals", one.number),
                    "results of one sweep do not differ; were the journals written by the same program?",
                ));
            }
        }
        Ok(records)
    }

    /// The records of journals whose lines are at known positions.
    pub fn at_places(paths: Vec<PathBuf>, places: Places, design: &Design<'_>) -> Self {
        Self {
            header: JournalHeader::new(design.sweep()),
            places,
            paths,
            warnings: Vec::new(),
            open: None,
        }
    }

    /// Warnings about unusable lines, as a note; empty if there are none.
    pub fn note(&self) -> String {
        noted(&self.warnings)
    }

    /// Checks that every point has a record.
    ///
    /// # Errors
    ///
    /// [`SweepError::Missing`] with the warnings, which may say why.
    pub fn check_complete(&self, design: &Design<'_>) -> Result<(), SweepError> {
        let mut named = Vec::new();
        let (mut missing, mut points) = (0_u64, 0_u64);
        for number in 0..design.candidates() {
            // Filters cost more than a look-up, and no recorded point is excluded by them.
            if self.places.get(number).is_some() {
                points += 1;
            } else if design.point(number).is_some() {
                points += 1;
                missing += 1;
                if named.len() < NAMED {
                    named.push(number.to_string());
                }
            }
        }
        if missing == 0 {
            return Ok(());
        }
        let more = if missing > named.len() as u64 { ", …" } else { "" };
        let missing = format!(
            "{missing} of {points} points are not in these journals: {}{more}",
            named.join(", ")
        );
        let missing = Diagnostic::error("journal::missing_points", missing)
            .help("run what is not done yet with `bandgraph sweep run --resume`, and name all journals");
        Err(SweepError::Missing(
            self.warnings.iter().cloned().chain([missing]).collect(),
        ))
    }

    /// Calls `show` with all records in the order of their numbers, one block of points at a time, and with
    /// the result of `make` for the block from another thread.
    ///
    /// # Errors
    ///
    /// [`SweepError::Refused`] if a journal has changed, and the errors of `show`.
    pub fn each_block<M: Send, E: From<SweepError>>(
        &mut self,
        design: &Design<'_>,
        make: impl Fn(&[(Point, Record)]) -> M + Sync,
        show: &mut dyn FnMut(Vec<(Point, Record)>, M) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut numbers = 0..design.candidates();
        loop {
            let mut lines = Vec::with_capacity(BLOCK * TOGETHER);
            for number in numbers.by_ref() {
                if let Some(place) = self.places.get(number) {
                    lines.push((number, self.line_at(place)?));
                    if lines.len() == BLOCK * TOGETHER {
                        break;
                    }
                }
            }
            if lines.is_empty() {
                return Ok(());
            }
            let known = &*self;
            let block = |lines: &[(u64, Line)]| {
                let points = lines.iter().filter_map(|(number, line)| {
                    let point = design.point(*number)?;
                    Some(known.record(line).map(|record| (point, record)))
                });
                let points = points.collect::<Result<Vec<_>, SweepError>>()?;
                let made = make(&points);
                Ok((points, made))
            };
            let blocks: Vec<Result<_, SweepError>> = lines.par_chunks(BLOCK).map(block).collect();
            for block in blocks {
                let (points, made) = block?;
                show(points, made)?;
            }
        }
    }

    /// The record of a line.
    fn record(&self, line: &Line) -> Result<Record, SweepError> {
        self.header.record(&line.text).ok_or_else(|| {
            let path = self.paths[line.journal].display();
            SweepError::refused(format!("{path} was changed while it was read"), None)
        })
    }

    fn line_at(&mut self, place: u64) -> Result<Line, SweepError> {
        let (journal, offset) = ((place >> OFFSET_BITS) as usize, place & OFFSET_MASK);
        match self.line(journal, offset) {
            Ok(text) => Ok(Line { journal, text }),
            Err(error) => Err(SweepError::unusable(&self.paths[journal], &error.into())),
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
        // Within the buffer, seeking is free.
        reader.seek_relative(offset.cast_signed() - at.cast_signed())?;
        let mut line = Vec::new();
        *at = offset + reader.read_until(b'\n', &mut line)? as u64;
        Ok(line)
    }
}
