//! The three ways out: results to stdout, notes to stderr, both in colour only where that is wanted.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};

use bandgraph_diagnostics::{Diagnostic, Sources, render};
use bandgraph_report::NARROWEST;
use bandgraph_scenario::{DiskFiles, DiskFilesAnywhere, Files, Loaded, NO_ROOM, load_with, only_scenario_of};

use crate::failure::{Failure, Unwritable};

/// Page width where there is no terminal to ask.
const DEFAULT_WIDTH: usize = 80;
/// Wider pages are harder to read, not easier.
const WIDEST: usize = 120;

/// Where results and notes go, and which files may be read on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terminal {
    /// No notes and no progress; errors are still printed.
    pub(crate) quiet: bool,
    /// Files may name others anywhere.
    pub(crate) allow_outside: bool,
    /// The page width that `--width` of the command asks for.
    pub(crate) columns: Option<usize>,
}

impl Terminal {
    /// The files that a command reads.
    pub(crate) fn files(self) -> &'static (dyn Files + Sync) {
        if self.allow_outside {
            &DiskFilesAnywhere
        } else {
            &DiskFiles
        }
    }

    /// Reads files with all that they name.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] with what is wrong with them.
    pub(crate) fn read<T>(
        self,
        read: impl FnOnce(&'static (dyn Files + Sync), &mut Sources) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<(T, Sources), Failure> {
        let mut sources = Sources::new();
        match read(self.files(), &mut sources) {
            Ok(read) => Ok((read, sources)),
            Err(diagnostics) => Err(Failure::Input { diagnostics, sources }),
        }
    }

    /// Reads a scenario, and notes what is doubtful about it, without what has no room: the report says that.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`].
    pub(crate) fn scenario(self, path: &Path, sets: &[String]) -> Result<Loaded, Failure> {
        if path.as_os_str() == "-" {
            return Err(Failure::usage(
                "a scenario is not read from stdin, since it names other files relative to its own",
            )
            .help("write it to a file"));
        }
        let (loaded, sources) = self.read(|files, sources| load_with(files, path, sets, sources))?;
        self.warn_beside_report(&loaded.warnings, &sources);
        Ok(loaded)
    }

    /// The scenario that was named, or else the one of the current folder, where it has one and no more.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`]; a usage error that says what the folder has.
    pub(crate) fn scenario_path(self, named: Option<&Path>) -> Result<PathBuf, Failure> {
        if let Some(path) = named {
            return Ok(path.to_owned());
        }
        let (found, _) = self.read(|files, sources| only_scenario_of(files, Path::new("."), sources))?;
        let path = found.map_err(Failure::refused)?;
        self.note(&format!("{}, the only scenario of this folder\n", path.display()));
        Ok(path)
    }

    /// Notes what is doubtful about files, without what has no room.
    pub(crate) fn warn_beside_report(self, warnings: &[Diagnostic], sources: &Sources) {
        let others = warnings.iter().filter(|warning| warning.id != NO_ROOM);
        self.warn(&others.cloned().collect::<Vec<_>>(), sources);
    }

    /// Notes what is doubtful about files, once: several scenarios may include one file.
    pub(crate) fn warn(self, warnings: &[Diagnostic], sources: &Sources) {
        let mut noted = BTreeSet::new();
        let new = warnings.iter().filter(|warning| {
            let place = warning.primary.as_ref();
            let place = place.map(|place| (sources.name(place.source), place.range.start));
            noted.insert((warning.id, &warning.message, place))
        });
        let new: Vec<Diagnostic> = new.cloned().collect();
        if !new.is_empty() {
            self.note(&match self.note_width() {
                Some(columns) => render::within(columns, &new, sources, false),
                None => render::full(&new, sources, false),
            });
        }
    }

    /// Whether text on stdout may have colours: a terminal, and `NO_COLOR` not set.
    pub(crate) fn colour() -> bool {
        AutoStream::choice(&io::stdout()) != ColorChoice::Never
    }

    /// The page width for text on stdout: that of `COLUMNS` where it is set, as POSIX has it, or else of the
    /// terminal.
    pub(crate) fn width() -> usize {
        if let Some(columns) = Self::wished_width() {
            return columns;
        }
        if !io::stdout().is_terminal() {
            return DEFAULT_WIDTH;
        }
        terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(terminal_size::Width(columns), _)| {
            usize::from(columns).min(WIDEST)
        })
    }

    /// The page width for notes and errors on stderr; `None` where neither `--width`, nor `COLUMNS`, nor a
    /// terminal says it.
    fn note_width(self) -> Option<usize> {
        let of_terminal = || {
            let size = terminal_size::terminal_size_of(io::stderr())?;
            Some(usize::from(size.0.0))
        };
        self.columns.or_else(Self::wished_width).or_else(of_terminal)
    }

    /// The width that the environment asks for, if it is one that a page can have.
    #[expect(
        clippy::disallowed_methods,
        reason = "the layout of text for people, and nothing else, follows the user's wish"
    )]
    fn wished_width() -> Option<usize> {
        let columns: usize = std::env::var("COLUMNS").ok()?.parse().ok()?;
        (columns >= NARROWEST).then_some(columns.min(WIDEST))
    }

    /// Writes a result to stdout. A reader that has seen enough and left (`| head`) is no failure.
    ///
    /// # Errors
    ///
    /// Any other reason for which stdout takes no more, such as a full disk.
    pub(crate) fn result(text: &str) -> Result<(), Failure> {
        let mut stdout = AutoStream::auto(io::stdout().lock());
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Unwritable::new("to stdout", error).into())
            }
            _ => Ok(()),
        }
    }

    /// Writes a note to stderr, unless the user wants quiet.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            complain(text);
        }
    }

    /// Writes a failure to stderr.
    pub(crate) fn failure(self, failure: &Failure) {
        let colour = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        complain(&failure.text(self.note_width(), colour));
    }

    /// Whether progress can be shown: stderr is a terminal, and the user does not want quiet.
    pub(crate) fn shows_progress(self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }
}

/// Writes to stderr. If that fails there is nobody left to tell.
fn complain(text: &str) {
    let mut stderr = AutoStream::auto(io::stderr().lock());
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Writes `bytes` to `path`, all of them or none.
///
/// # Errors
///
/// [`Failure::Output`] with what the system says; `path` is then as it was.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    bandgraph_scenario::write_whole(path, bytes).map_err(|error| Failure::output(path, error))
}
