//! Child processes of tests. Every test that starts a program does so here, so that none can wait for ever.
//!
//! Input is written and output is read by threads of their own: neither side can wait for the other on a full
//! pipe. A watchdog ends a program that does not end itself. It is no limit on how fast the program has to
//! be.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt as _;

/// How long a program may run before the watchdog ends it: hundreds of times what the slowest takes on a
/// quiet machine.
const PATIENCE: Duration = Duration::from_mins(15);
/// Time between two looks at the condition of [`Program::run_until`].
const POLL: Duration = Duration::from_millis(5);

/// What a run of a program left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// All that it wrote to stdout.
    pub stdout: String,
    /// All that it wrote to stderr.
    pub stderr: String,
}

/// A program to run, with an empty stdin unless the test gives it one.
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
    /// The program at `path`, or of that name in the folders of `PATH`.
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

    /// Gives it `input` on its stdin, through a pipe.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.stdin = input.into();
        self
    }

    /// Runs it to its end.
    ///
    /// # Panics
    ///
    /// With its output if it cannot be started, does not end, or writes anything that is not UTF-8.
    pub fn run(self) -> Ended {
        self.wait(Reader::Stays, &mut || false)
    }

    /// Runs it to its end while its stdout is a pipe that the reader has closed.
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run).
    pub fn run_without_reader(self) -> Ended {
        self.wait(Reader::Leaves, &mut || false)
    }

    /// Runs it until `condition` holds, and then kills it by the signal that cannot be caught.
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
            // Within the scope, which waits for its threads even where `condition` panics.
            let mut child = child;
            threads.spawn(move || {
                // A program that has seen enough closes its stdin.
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
            // A program can be killed within a character.
            None => String::from_utf8_lossy(&bytes).into_owned(),
        };
        Ended {
            code: status.code(),
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }
}

/// A child that ends with the test that started it, even if that panics.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // It has ended already unless the test panicked.
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// What the reader of a program's stdout does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// It reads all of it.
    Stays,
    /// It closes the pipe at once.
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

/// How `child` ended, killed as soon as `condition` holds; `None` if it was killed because `patience` ran
/// out.
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

    /// More than any pipe holds.
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

    /// With input that it never reads, which must not keep the watchdog from acting.
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

/// What the program wrote to a file.
///
/// # Panics
///
/// If it did not.
#[expect(clippy::disallowed_methods, reason = "tests look at what the program wrote")]
pub fn written(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("the program wrote it")
}
