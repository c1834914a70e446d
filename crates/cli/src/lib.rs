//! The command line: arguments in, exit code out.
//!
//! This crate knows clap, exit codes and terminals, and no model: a command loads through `scenario`, runs
//! through `solve` and `simulate` and writes through `report`. Each command is one file in `commands`, and
//! one line in its list.

mod arguments;
mod commands;
mod complete;
pub mod exit;
mod failure;
mod picture_format;
mod progress;
mod terminal;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use anstream::ColorChoice;
use bandgraph_scenario::forget_inputs;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, ValueEnum};

use crate::commands::Command;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Predict the throughput and latency of a storage server, and the part that limits it.
#[derive(Debug, Parser)]
#[command(
    name = "bandgraph",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(after_help = "\
Example: bandgraph run scenarios/7410-barcelona/cached-read.toml

Exit codes: 0 success, 1 an [[expect]] or gate failed, 2 bad input or usage, 3 an internal check failed.")]
struct Arguments {
    /// Print no progress and no notes on stderr; errors are still printed
    #[arg(long, short, global = true, help_heading = "Global options")]
    quiet: bool,
    /// Threads to use at most; results do not depend on it [default: as many as there are cores]
    #[arg(long, value_name = "N", global = true, help_heading = "Global options")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Allow files outside of the project and the current folder, in `include` and similar fields
    #[arg(long, global = true, help_heading = "Global options")]
    allow_outside: bool,
    /// Colours in text
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        help_heading = "Global options",
        value_enum,
        default_value_t
    )]
    color: Colours,
    #[command(subcommand)]
    command: Command,
}

/// Whether text has colours.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Colours {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    Always,
    Never,
}

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    complete::answer();
    run(std::env::args_os()).into()
}

/// Runs the program on `arguments`, of which the first is its own name, and says how it went. Results go to
/// stdout, all else to stderr.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    forget_inputs();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let parsed = command_line().try_get_matches_from(&arguments);
    let parsed = parsed.and_then(|found| Ok((Wishes::of(&found), Arguments::from_arg_matches(&found)?)));
    let (wishes, arguments) = match parsed {
        Ok(parsed) => parsed,
        Err(answer) => {
            // `--help` and `--version` are results too.
            if !answer.use_stderr() {
                let printed = Terminal::result(&answer.render().ansi().to_string());
                return printed.map_or_else(
                    |failure| {
                        Terminal::default().failure(&failure);
                        failure.exit()
                    },
                    |()| Exit::Fine,
                );
            }
            if !names_json(&arguments) || Terminal::result(&refused(&answer).json()).is_err() {
                let _ = answer.print();
            }
            return Exit::BadInput;
        }
    };
    match arguments.color {
        Colours::Auto => ColorChoice::Auto,
        Colours::Always => ColorChoice::Always,
        Colours::Never => ColorChoice::Never,
    }
    .write_global();
    let terminal = Terminal {
        quiet: arguments.quiet,
        allow_outside: arguments.allow_outside,
        columns: wishes.columns,
    };
    guarded(|| start(&arguments, terminal)).unwrap_or_else(|failure| {
        // Who asked for JSON reads stdout, and finds the errors there if there is no result.
        if !wishes.json || Terminal::result(&failure.json()).is_err() {
            terminal.failure(&failure);
        }
        failure.exit()
    })
}

/// What a command was asked for that concerns its errors too.
struct Wishes {
    /// Whether its result was to be JSON.
    json: bool,
    /// The columns of its page, if it has some.
    columns: Option<usize>,
}

impl Wishes {
    fn of(found: &ArgMatches) -> Self {
        if let Some((_, inner)) = found.subcommand() {
            return Self::of(inner);
        }
        let format = found.try_get_raw("format").ok().flatten();
        let columns = found.try_get_one::<u64>("width").ok().flatten();
        Self {
            json: format.is_some_and(|mut values| values.any(|value| value == "json")),
            columns: columns.map(|&columns| columns as usize),
        }
    }
}

/// Whether arguments that cannot be used ask for JSON.
fn names_json(arguments: &[OsString]) -> bool {
    let pairs = arguments.windows(2);
    arguments.iter().any(|argument| argument == "--format=json")
        || pairs
            .into_iter()
            .any(|pair| pair[0] == "--format" && pair[1] == "json")
}

/// Arguments that cannot be used as a failure: what clap says first, and what it says would be right.
fn refused(answer: &clap::Error) -> Failure {
    let text = answer.render().to_string();
    let mut paragraphs = text
        .split("\n\n")
        .map(|words| words.split_whitespace().collect::<Vec<_>>().join(" "));
    let first = paragraphs.next().unwrap_or_default();
    let help = paragraphs.next().filter(|words| words.starts_with("tip: "));
    Failure::usage(first.trim_start_matches("error: "))
        .help_if(help.map(|words| words.trim_start_matches("tip: ").to_owned()))
}

/// What `command` says, or that it came to a stop where it should not have: a panic is a check that failed.
fn guarded(command: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        Err(Failure::internal(
            "the program came to a state that should be impossible",
        ))
    })
}

fn start(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    if let Some(jobs) = arguments.jobs {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(jobs));
        pool.build_global()
            .map_err(|error| Failure::usage(format!("failed to start {jobs} threads: {error}")))?;
    }
    arguments.command.execute(terminal)
}

/// The command line as a value, for completions and man pages.
pub fn command_line() -> clap::Command {
    Arguments::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command_line().debug_assert();
    }

    #[test]
    fn a_panic_is_an_internal_failure() {
        let stopped = guarded(|| unreachable!("on purpose, to see what becomes of it"));
        assert_eq!(
            stopped.map_err(|failure| failure.exit() as u8),
            Err(exit::INTERNAL_CHECK_FAILED)
        );
        assert_eq!(guarded(|| Ok(Exit::GateFailed)).ok(), Some(Exit::GateFailed));
    }
}
