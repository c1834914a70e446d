//! `bandgraph init`.

use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use bandgraph_report::{RunDocument, RunReport, TextOptions, check, run_view};
use bandgraph_scenario::{DiskFiles, Files, ReadError, Start, started};
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
    sockets: Option<u32>,
    /// Network cards, and the rate of each of their ports: 2x100g is two cards with ports of 100 Gbit/s; the
    /// file says how many ports a card has [default: 2x100g]
    #[arg(long, value_name = "NxRATE")]
    nics: Option<String>,
    /// NVMe drives, 0 to 128; without any, data comes from memory [default: 8]
    #[arg(long, value_name = "N")]
    nvme: Option<u32>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

impl Arguments {
    /// Writes the files and predicts the scenario.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let files = started(&self.start(terminal)?)
            .map_err(|error| Failure::usage(error.to_string()).help_if(error.help()))?;
        let (server, scenario) = (self.folder.join("server.toml"), self.folder.join("scenario.toml"));
        for path in [&server, &scenario] {
            if !self.force && !matches!(DiskFiles.read(path), Err(ReadError::Missing)) {
                return Err(Failure::usage(format!("{} already exists", path.display()))
                    .help("name another folder, or replace it with `--force`"));
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
        let is_silent = self.sockets.is_none() && self.nics.is_none() && self.nvme.is_none();
        let asks = is_silent && io::stdin().is_terminal() && !terminal.quiet;
        let ask = |question: &str, default: &str| -> Result<String, Failure> {
            if !asks {
                return Ok(default.to_owned());
            }
            terminal.note(&format!("{question} [{default}]: "));
            let mut line = String::new();
            let read = io::stdin().lock().read_line(&mut line);
            read.map_err(|error| Failure::usage(format!("no answer: {error}")))?;
            Ok(match line.trim() {
                "" => default.to_owned(),
                answer => answer.to_owned(),
            })
        };
        let number = |answer: &str| {
            answer
                .parse()
                .map_err(|_| Failure::usage(format!("`{answer}` is not a whole number")))
        };
        Ok(Start::Of {
            sockets: match self.sockets {
                Some(sockets) => sockets,
                None => number(&ask("processor sockets, 1 or 2", "2")?)?,
            },
            nics: match &self.nics {
                Some(nics) => nics.clone(),
                None => ask("network cards x rate of a port", "2x100g")?,
            },
            drives: match self.nvme {
                Some(drives) => drives,
                None => number(&ask("NVMe drives", "8")?)?,
            },
        })
    }
}

/// Checks the scenario and predicts it.
fn answer(scenario: &Path, terminal: Terminal) -> Result<Exit, Failure> {
    let loaded = terminal.scenario_of_report(scenario, &[])?;
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
