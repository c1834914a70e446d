//! Child processes of tests. Every test starts programs through this module, so that none can wait forever.
//!
//! Separate threads write the input and read the output, so that neither side can block on a full pipe. A
//! watchdog ends a program that does not end itself. It is not a limit on its speed.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt as _;

/// The run time after which the watchdog ends a program: hundreds of times that of the slowest on an idle
/// machine.
const PATIENCE: Duration = Duration::from_mins(15);
/// The polling interval of the condition of [`Program::run_until`].
const POLL: Duration = Duration::from_millis(5);

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Its stdout.
    pub stdout: String,
    /// Its stderr.
    pub stderr: String,
}

/// A program to run; its stdin is empty by default.
#[derive(Debug)]
pub struct Program {
    command: Command,
    stdin: Vec<u8>,
    patience: Duration,
}

impl From<Command> for Program {
    fn from(command: Command) -> Self {
        Self {
            command,
            stdin: Vec::new(),
            patience: PATIENCE,
        }
    }
}

impl Program {
    /// The program at `path`, or with that name in the folders of `PATH`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where tests start programs"
    )]
    pub fn new(path: impl AsRef<OsStr>) -> Self {
        Self::from(Command::new(path))
    }

    /// Runs in `folder`.
    #[must_use]
    pub fn current_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(self, argument: impl AsRef<OsStr>) -> Self {
        self.args([argument])
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, variable: &str, value: &str) -> Self {
        self.command.env(variable, value);
        self
    }

    /// Removes a variable from the environment.
    #[must_use]
    pub fn env_remove(mut self, variable: &str) -> Self {
        self.command.env_remove(variable);
        self
    }

    /// Sets its stdin, through a pipe.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.stdin = input.into();
        self
    }

    /// Runs it to its end.
    ///
    /// # Panics
    ///
    /// With its output if it cannot be started, does not end, or its output is not UTF-8.
    pub fn run(self) -> Ended {
        self.wait(Reader::Stays, &mut || false)
    }

    /// Runs it to its end with a stdout pipe whose reader is closed.
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run).
    pub fn run_without_reader(self) -> Ended {
        self.wait(Reader::Leaves, &mut || false)
    }

    /// Runs it until `condition` holds, and then kills it with SIGKILL.
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run).
    pub fn run_until(self, mut condition: impl FnMut() -> bool) -> Ended {
        self.wait(Reader::Stays, &mut condition)
    }

    fn wait(mut self, reader: Reader, condition: &mut dyn FnMut() -> bool) -> Ended {
        let command = &mut self.command;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command
            .spawn()
            .unwrap_or_else(|error| panic!("failed to start {command:?}: {error}"));
        let mut child = KilledOnDrop(child);
        let KilledOnDrop(streams) = &mut child;
        let stdin = streams.stdin.take();
        let stdout = streams.stdout.take().filter(|_| reader == Reader::Stays);
        let stderr = streams.stderr.take();
        let input = &self.stdin;
        let (status, stdout, stderr) = std::thread::scope(|threads| {
            // Inside the scope, which waits for its threads even if `condition` panics.
            let mut child = child;
            threads.spawn(move || {
                // A program may close its stdin early.
                let _ = stdin.map(|mut stdin| stdin.write_all(input));
            });
            let stdout = threads.spawn(|| drained(stdout));
            let stderr = threads.spawn(|| drained(stderr));
            let status = ended_or_killed(&mut child.0, self.patience, condition);
            let output = |thread: std::thread::ScopedJoinHandle<'_, Vec<u8>>| {
                thread.join().expect("reading into memory does not panic")
            };
            (status, output(stdout), output(stderr))
        });
        let Some(status) = status else {
            let mut message = format!("{:?} did not end in {:?}", self.command, self.patience);
            for (name, output) in [("stdout", stdout), ("stderr", stderr)] {
                let _ = write!(message, "\n--- {name}\n{}", String::from_utf8_lossy(&output));
            }
            panic!("{message}");
        };
        let text = |bytes| match status.code() {
            Some(_) => String::from_utf8(bytes).expect("results and notes are in UTF-8"),
            // A program may be killed in the middle of a character.
            None => String::from_utf8_lossy(&bytes).into_owned(),
        };
        Ended {
            code: status.code(),
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }
}

/// A child that is killed when its test ends, even by a panic.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // It has already ended unless the test panicked.
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// The behaviour of the reader of a program's stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// Reads all of it.
    Stays,
    /// Closes the pipe immediately.
    Leaves,
}

fn drained(stream: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        stream
            .read_to_end(&mut bytes)
            .expect("pipes of a child can be read");
    }
    bytes
}

/// The exit status of `child`, which is killed as soon as `condition` holds; `None` if it was killed after
/// `patience`.
fn ended_or_killed(
    child: &mut Child,
    patience: Duration,
    condition: &mut dyn FnMut() -> bool,
) -> Option<ExitStatus> {
    let mut waited = Duration::ZERO;
    loop {
        let ended = child.wait_timeout(POLL).expect("a child can be waited for");
        if ended.is_some() {
            return ended;
        }
        waited += POLL;
        let done = condition();
        if done || waited >= patience {
            child
                .kill()
                .expect("a child can be killed, even one that has ended");
            let status = child.wait().expect("a child can be waited for");
            return done.then_some(status);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// More than the capacity of any pipe.
    const MUCH: usize = 4 << 20;

    #[test]
    fn much_input_and_much_output_do_not_wait_for_each_other() {
        let ended = Program::new("cat").stdin(vec![b'x'; MUCH]).run();
        assert_eq!((ended.code, ended.stdout.len()), (Some(0), MUCH));
    }

    #[test]
    fn a_program_that_reads_nothing_may_end() {
        let ended = Program::new("true").stdin(vec![b'x'; MUCH]).run();
        assert_eq!(ended.code, Some(0));
    }

    /// With input that it never reads, which must not block the watchdog.
    #[test]
    fn the_watchdog_ends_a_program_that_waits_for_ever() {
        let program = Program {
            patience: POLL,
            ..Program::new("tail")
        };
        let program = program.args(["-f", "/dev/null"]).stdin(vec![b'x'; MUCH]);
        let message = catch_unwind(AssertUnwindSafe(|| program.run())).expect_err("it does not end");
        let message = message.downcast::<String>().expect("a message");
        assert!(message.contains("\"tail\" \"-f\""), "{message}");
        assert!(message.contains("did not end"), "{message}");
    }

    #[test]
    fn a_program_is_killed_when_the_condition_holds() {
        let mut looks = 0;
        let ended = Program::new("tail").args(["-f", "/dev/null"]).run_until(|| {
            looks += 1;
            looks == 3
        });
        assert_eq!((ended.code, looks), (None, 3));
    }

    #[test]
    fn a_test_that_panics_leaves_no_program_behind() {
        let program = Program::new("tail").args(["-f", "/dev/null"]);
        let panicking = AssertUnwindSafe(|| program.run_until(|| panic!("no file")));
        catch_unwind(panicking).expect_err("the condition panics");
    }

    #[test]
    fn a_reader_that_leaves_closes_the_pipe() {
        let ended = Program::new("cat").stdin(vec![b'x'; MUCH]).run_without_reader();
        assert_ne!(ended.code, Some(0));
        assert_eq!(ended.stdout, "");
    }
}

/// Writes a file that the program is to read, and returns its path.
///
/// # Panics
///
/// If it cannot be written.
#[expect(clippy::disallowed_methods, reason = "tests make what the program reads")]
pub fn write(path: &Path, content: &(impl AsRef<[u8]> + ?Sized)) -> PathBuf {
    std::fs::write(path, content).expect("the folder of the test");
    path.to_owned()
}

/// The contents of a file that the program wrote.
///
/// # Panics
///
/// If there is no such file.
#[expect(clippy::disallowed_methods, reason = "tests look at what the program wrote")]
pub fn written(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("the program wrote it")
}
