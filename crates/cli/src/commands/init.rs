//! `bandgraph init`.

use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use bandgraph_report::{RunDocument, RunReport, TextOptions, check, run_view};
use bandgraph_scenario::{DiskFiles, Files, QUESTIONS, ReadError, Start, StartError, started};
use bandgraph_solve::{SteadyState, explain};
use clap::Args;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::terminal::write_whole;

/// Write a first server and a first scenario for it, with comments, and predict the result
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph init --sockets 2 --nics 2x100g --nvme 24
  bandgraph init myserver --like 7410

Writes server.toml and scenario.toml, checks them, and predicts. On a terminal it asks.")]
pub(crate) struct Arguments {
    /// The folder to write to
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Start from a server that comes with the program: 7410, 7110, x4270, x2270, 8-sockets or 2023
    #[arg(long, value_name = "SERVER", conflicts_with_all = ["sockets", "nics", "nvme"])]
    like: Option<String>,
    /// Processor sockets, 1 or 2 [default: 2]
    #[arg(long, value_name = "N")]
    sockets: Option<String>,
    /// Network cards, and the rate of each of their ports: 2x100g is two cards with ports of 100 Gbit/s; the
    /// file says how many ports a card has [default: 2x100g]
    #[arg(long, value_name = "NxRATE")]
    nics: Option<String>,
    /// NVMe drives, 0 to 128; without any, data comes from memory [default: 8]
    #[arg(long, value_name = "N")]
    nvme: Option<String>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

impl Arguments {
    /// Writes the files and predicts the scenario.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let files = started(&self.start(terminal)?).map_err(|error| refused(&error))?;
        let (server, scenario) = (self.folder.join("server.toml"), self.folder.join("scenario.toml"));
        for path in [&server, &scenario] {
            match DiskFiles.read(path) {
                Err(ReadError::Missing) => {}
                Err(ReadError::Unreadable(why)) => {
                    return Err(Failure::usage(format!(
                        "{} cannot be written: {why}",
                        path.display()
                    )));
                }
                _ if self.force => {}
                _ => {
                    return Err(Failure::usage(format!("{} already exists", path.display()))
                        .help("name another folder, or replace it with `--force`"));
                }
            }
        }
        create_folder(&self.folder)?;
        for (path, text) in [(&server, &files.server), (&scenario, &files.scenario)] {
            write_whole(path, text.as_bytes())?;
        }
        terminal.note(&format!(
            "wrote {} and {}; the prediction follows, and `bandgraph run {}` simulates it\n\n",
            server.display(),
            scenario.display(),
            scenario.display()
        ));
        answer(&scenario, terminal)
    }

    /// What is asked for: by options, or, where a terminal can be asked and there are none, by answers.
    fn start(&self, terminal: Terminal) -> Result<Start, Failure> {
        if let Some(name) = &self.like {
            return Ok(Start::Like(name.clone()));
        }
        let given = [&self.sockets, &self.nics, &self.nvme];
        let is_silent = given.iter().all(|answer| answer.is_none());
        if is_silent && io::stdin().is_terminal() && !terminal.quiet {
            return asked(&mut io::stdin().lock(), terminal);
        }
        let answers = QUESTIONS.iter().zip(given);
        let answers = answers.map(|((_, default), given)| given.as_deref().unwrap_or(default).to_owned());
        Start::of(&answers.collect::<Vec<_>>()).map_err(|error| refused(&error))
    }
}

/// The server that `answers` describe: asks again after one that makes no server.
fn asked(answers: &mut dyn BufRead, terminal: Terminal) -> Result<Start, Failure> {
    let mut given = Vec::new();
    for (question, default) in QUESTIONS {
        loop {
            terminal.note(&format!("{question} [{default}]: "));
            let mut line = String::new();
            let read = answers.read_line(&mut line);
            read.map_err(|error| Failure::usage(format!("no answer: {error}")))?;
            let answer = match line.trim() {
                "" => default,
                answer => answer,
            };
            given.push(answer.to_owned());
            match Start::of(&given) {
                Ok(_) => break,
                Err(error) => terminal.failure(&refused(&error)),
            }
            given.pop();
        }
    }
    Start::of(&given).map_err(|error| refused(&error))
}

fn refused(error: &StartError) -> Failure {
    Failure::usage(error.to_string()).help_if(error.help())
}

/// Checks the scenario and predicts it.
fn answer(scenario: &Path, terminal: Terminal) -> Result<Exit, Failure> {
    let loaded = terminal.scenario(scenario, &[])?;
    let steady = SteadyState::solve(&loaded.bound)?;
    let outcome = steady.prediction(&loaded.bound)?;
    let explained = explain(&loaded.bound, &steady, &outcome)?;
    let report = RunReport::new(&loaded, outcome, explained, None);
    let document = RunDocument::new(&report);
    check(&document)?;
    let options = TextOptions {
        width: Terminal::width(),
        colour: Terminal::colour(),
        ..TextOptions::default()
    };
    Terminal::result(&run_view(&document, false).text(&options))?;
    Ok(Exit::Fine)
}

fn create_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::output(folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wrong answer is asked for again; no answer takes the default, at the end of the input too.
    #[test]
    fn asks_again_after_an_answer_that_makes_no_server() {
        let terminal = Terminal {
            quiet: true,
            ..Terminal::default()
        };
        let start = |answers: &str| asked(&mut answers.as_bytes(), terminal).map_err(|_| "no server");
        let of = |sockets, nics: &str, drives| Start::Of {
            sockets,
            nics: nics.to_owned(),
            drives,
        };
        assert_eq!(
            start("3\ntwo\n1\n2x100\n4x25g\n-1\n24\n16\n"),
            Ok(of(1, "4x25g", 16))
        );
        assert_eq!(start("7\n\n\n4\n"), Ok(of(2, "2x100g", 4)));
        assert_eq!(start("7"), Ok(of(2, "2x100g", 8)));
    }
}
