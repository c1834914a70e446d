//! The journal: the file that a sweep writes while it runs.
//!
//! A line is passed to the system in one write as soon as its point is done, so that a killed process loses
//! only the points in progress. The journal is synced to disk at intervals, so that a power failure loses
//! only the points since the last sync; a truncated last line is dropped when the journal is read.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bandgraph_diagnostics::Sources;
use bandgraph_scenario::{SweepMode, Workbench};
use bandgraph_study::{Design, Record, Shard, prepare_hash};

use crate::error::{noted, warnings};
use crate::{FaultyLines, JournalError, JournalHeader, SweepError, read_journal};

/// The number of lines between syncs in a sweep of predictions: a fraction of a second's work.
const LINES_PER_SYNC: u32 = 1000;
/// The maximum number of renamed journals of other sweeps.
const KEPT_MAX: u32 = 1000;

/// The handling of an existing journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// Continue at its end.
    Resume,
    /// Overwrite it.
    Restart,
    /// Start from the beginning, unless the journal can be resumed.
    Fresh,
}

/// A journal open for writing.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    header: JournalHeader,
    /// The number of its points when it was opened.
    resumed: u64,
    written: Mutex<Written>,
    lines_per_sync: u32,
}

/// The written part of a journal. The holder of this lock may write.
#[derive(Debug)]
struct Written {
    unsynced: u32,
    end: u64,
    places: Places,
    /// Whether a point has two lines.
    is_twofold: bool,
}

/// The offset of each point's line.
#[derive(Debug)]
pub struct Places {
    places: Vec<u64>,
    count: u64,
}

impl Places {
    const NOWHERE: u64 = u64::MAX;

    /// The offsets for a number of points, without any lines.
    pub(crate) fn none(candidates: u64) -> Self {
        Self {
            places: vec![Self::NOWHERE; candidates as usize],
            count: 0,
        }
    }

    /// The offset of a point's line, if there is one.
    pub(crate) fn get(&self, number: u64) -> Option<u64> {
        let place = self.places.get(number as usize).copied();
        place.filter(|&place| place != Self::NOWHERE)
    }

    /// Sets the offset of a point's line; an existing one stays, and is returned.
    pub(crate) fn insert(&mut self, number: u64, place: u64) -> Option<u64> {
        let known = self.get(number);
        if known.is_none()
            && let Some(slot) = self.places.get_mut(number as usize)
        {
            *slot = place;
            self.count += 1;
        }
        known
    }
}

impl Journal {
    /// Opens the journal at `path`. Notes report unusable lines, whose points are not done, and a renamed
    /// journal.
    ///
    /// # Errors
    ///
    /// [`SweepError`] if the file is not a journal of the sweep, or cannot be written.
    pub fn open(
        path: &Path,
        sources: &Sources,
        design: &Design<'_>,
        shard: Shard,
        beginning: Beginning,
        note: &dyn Fn(&str),
    ) -> Result<Self, SweepError> {
        let failed = |error| SweepError::unwritable(path, error);
        let header = JournalHeader::new(design.sweep());
        let mut file = open_locked(path)?;
        let mut places = Places::none(design.candidates());
        let mut is_twofold = false;
        let read = if beginning == Beginning::Restart {
            may_be_overwritten(&file, &header).map(|()| 0)
        } else {
            let read = read_records(&file, &header, sources, design, &mut |number, offset| {
                is_twofold |= places.insert(number, offset).is_some();
            });
            read.map(|(end, faulty)| {
                note(&noted(&warnings(path, &faulty)));
                end
            })
        };
        let mut end = match read {
            Ok(end) => end,
            // A journal of another sweep is renamed, since it cannot be resumed here.
            Err(error) if error.is_of_another_sweep() && beginning == Beginning::Fresh => {
                drop(file);
                let kept = beside(path).map_err(failed)?;
                std::fs::rename(path, &kept).map_err(failed)?;
                note(&format!(
                    "{}: {error}; it is now {}\n",
                    path.display(),
                    kept.display()
                ));
                file = open_locked(path)?;
                0
            }
            Err(error) => return Err(SweepError::unusable(path, &error)),
        };
        if beginning == Beginning::Fresh && end > 0 {
            let members = shard.members(design.candidates());
            let is_open = |number| members(number) && places.get(number).is_none();
            if places.count > 0 && design.points().any(|point| is_open(point.number)) {
                return Err(SweepError::refused(
                    format!(
                        "{} has {} points of this sweep, which is not finished",
                        path.display(),
                        places.count
                    ),
                    "go on with --resume, or begin again with --restart",
                ));
            }
            end = 0;
            (places, is_twofold) = (Places::none(design.candidates()), false);
        }
        file.set_len(end).map_err(failed)?;
        file.seek(SeekFrom::Start(end)).map_err(failed)?;
        if end == 0 {
            let line = header.line();
            let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_all());
            if let Err(error) = written {
                // A later run overwrites only files that it recognises as journals.
                let _ = file.set_len(0);
                return Err(failed(error));
            }
            end = line.len() as u64;
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            resumed: places.count,
            written: Mutex::new(Written {
                unsynced: 0,
                end,
                places,
                is_twofold,
            }),
            lines_per_sync: if design.sweep().mode == SweepMode::Simulate {
                1
            } else {
                LINES_PER_SYNC
            },
        })
    }

    /// Whether it has a point.
    pub fn contains(&self, number: u64) -> bool {
        self.written().places.get(number).is_some()
    }

    /// The number of its points when it was opened.
    pub fn resumed(&self) -> u64 {
        self.resumed
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a record, which is passed to the system before this returns.
    ///
    /// # Errors
    ///
    /// [`SweepError::Unwritable`].
    pub fn append(&self, record: &Record) -> Result<(), SweepError> {
        let line = self.header.record_line(record);
        let failed = |error| SweepError::unwritable(&self.path, error);
        let sync = {
            let mut written = self.written();
            (&self.file).write_all(line.as_bytes()).map_err(failed)?;
            let end = written.end;
            written.places.insert(record.number, end);
            written.end += line.len() as u64;
            written.unsynced += 1;
            let sync = written.unsynced >= self.lines_per_sync;
            if sync {
                written.unsynced = 0;
            }
            sync
        };
        // Other threads may write during the sync.
        if sync {
            self.file.sync_data().map_err(failed)?;
        }
        Ok(())
    }

    /// Syncs and closes the journal. Returns the offsets of its lines, unless a point has two.
    ///
    /// # Errors
    ///
    /// [`SweepError::Unwritable`].
    pub fn close(self) -> Result<Option<Places>, SweepError> {
        let written = self.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.file
            .sync_all()
            .map_err(|error| SweepError::unwritable(&self.path, error))?;
        Ok((!written.is_twofold).then_some(written.places))
    }
}

/// A temporary folder for the journal of a sweep without one; removed at the end.
#[derive(Debug)]
pub struct UnkeptJournal(PathBuf);

impl UnkeptJournal {
    /// A new folder in the temporary folder of the system.
    ///
    /// # Errors
    ///
    /// [`SweepError::Unwritable`].
    pub fn new() -> Result<Self, SweepError> {
        let temporary = std::env::temp_dir();
        let name = |attempt| format!("bandgraph-sweep-{}-{attempt}", std::process::id());
        let mut folders = (0..KEPT_MAX).map(|attempt| temporary.join(name(attempt)));
        folders
            .find(|folder| std::fs::create_dir(folder).is_ok())
            .map(Self)
            .ok_or_else(|| {
                let reason =
                    io::Error::other("no folder can be created in it; keep a journal with --journal");
                SweepError::unwritable(&temporary, reason)
            })
    }

    /// The path of the journal.
    pub fn path(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }
}

impl Drop for UnkeptJournal {
    fn drop(&mut self) {
        // A folder that cannot be removed is cleaned up by the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The path of the journal of a sweep: as given, in the given folder, or in the current one.
///
/// # Errors
///
/// [`SweepError::Unwritable`] if the folder cannot be created.
pub fn journal_path(asked: Option<&Path>, sweep: &Path, shard: Shard) -> Result<PathBuf, SweepError> {
    let stem = sweep
        .file_stem()
        .map_or_else(|| "sweep".into(), |stem| stem.to_string_lossy());
    let name = if shard == Shard::WHOLE {
        format!("{stem}.journal.jsonl")
    } else {
        format!(
            "{stem}.shard-{}-of-{}.journal.jsonl",
            shard.number(),
            shard.count()
        )
    };
    let Some(asked) = asked else {
        return Ok(PathBuf::from(name));
    };
    let is_folder = asked.is_dir() || asked.as_os_str().to_string_lossy().ends_with('/');
    if !is_folder {
        return Ok(asked.to_owned());
    }
    std::fs::create_dir_all(asked).map_err(|error| SweepError::unwritable(asked, error))?;
    Ok(asked.join(name))
}

/// An unused name in the folder of a journal.
fn beside(path: &Path) -> io::Result<PathBuf> {
    for attempt in 1..=KEPT_MAX {
        let mut name = path.as_os_str().to_owned();
        name.push(".old");
        if attempt > 1 {
            name.push(format!("-{attempt}"));
        }
        let name = PathBuf::from(name);
        if !name.try_exists()? {
            return Ok(name);
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}

/// Opens a journal exclusively for one process.
#[expect(
    clippy::disallowed_methods,
    reason = "a journal is written in place, line by line"
)]
fn open_locked(path: &Path) -> Result<File, SweepError> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|error| SweepError::unwritable(path, error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(SweepError::refused(
            format!("{} is being written by another process", path.display()),
            "wait for it, or give this one a --journal of its own",
        )),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Checks that a file is empty or a journal of any sweep: nothing else is ever overwritten.
fn may_be_overwritten(mut file: &File, header: &JournalHeader) -> Result<(), JournalError> {
    file.seek(SeekFrom::Start(0))?;
    match header.check(&mut BufReader::new(file)) {
        Err(error) if !error.is_of_another_sweep() => Err(error),
        _ => Ok(()),
    }
}

/// Reads a journal from its beginning. Calls back with the number of every point of the sweep and the offset
/// of its line. Returns the end of the last usable line, 0 if there is none, and the unusable lines.
pub(crate) fn read_records(
    mut file: &File,
    header: &JournalHeader,
    sources: &Sources,
    design: &Design<'_>,
    show: &mut dyn FnMut(u64, u64),
) -> Result<(u64, Vec<FaultyLines>), JournalError> {
    file.seek(SeekFrom::Start(0))?;
    let mut bench = Workbench::new();
    let mut accept = |record: &Record, offset| {
        let is_planned = record.number < design.candidates()
            && design
                .point(record.number)
                .is_some_and(|point| prepare_hash(design, sources, &point, &mut bench) == record.input_hash);
        if is_planned {
            show(record.number, offset);
        }
        is_planned
    };
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let content = read_journal(&mut reader, header, &mut accept)?;
    Ok((content.end, content.faulty))
}
