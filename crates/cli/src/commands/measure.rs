//! `bandgraph measure`: what counters and load generators showed, as rows of a scenario.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bandgraph_diagnostics::{Diagnostic, Sources, render};
use bandgraph_import::{RowOptions, import, measure, measure_formats, rows};
use clap::{Args, Subcommand};

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Convert the output of counters and load generators to measurements of a scenario
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph measure import fio.json iostat.txt -o rows.toml
  bandgraph measure import perf.csv --map s0.link0=link.cpu0-cpu1 -o rows.toml
  bandgraph measure formats")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    Import(Import),
    Formats(Formats),
}

/// Write `[[measured]]` and `[[measured_link]]` rows for `include` in a scenario
///
/// The format of a file is recognised by its content; `measure formats` lists them. Every row names its
/// source. A figure without a known resource becomes a comment that explains how to name the resource.
#[derive(Debug, Args)]
struct Import {
    /// Outputs of programs while the machine worked
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// How long was counted, for formats that do not say it, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<f64>,
    /// Name of the run, the first part of the ids of rows
    #[arg(long, value_name = "NAME", default_value = "run", value_parser = run_name)]
    run: String,
    /// The resource of a disk, an interface or a link of a socket; repeatable
    ///
    /// sda=disk.j0.0, eth0=port.nic0.0, s0.link0=link.cpu0-cpu1
    #[arg(long = "map", value_name = "NAME=RESOURCE", value_parser = mapping)]
    resources: Vec<(String, String)>,
    /// Outputs that describe the machine, as `bandgraph import` takes them: interfaces get their ports from
    /// them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
}

/// List the formats that can be read
#[derive(Debug, Args)]
struct Formats {
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// Does what was asked for.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        match &self.step {
            Step::Import(import) => import.execute(terminal),
            Step::Formats(formats) => {
                let lines = measure_formats().map(|(name, is_seen)| {
                    let seen = if is_seen {
                        ""
                    } else {
                        " (written by its documentation; not tried with output of a real machine)"
                    };
                    format!("{name}{seen}\n")
                });
                formats.output.write(&lines.collect::<String>())?;
                Ok(Exit::Fine)
            }
        }
    }
}

impl Import {
    fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let mut sources = Sources::new();
        let measured = measure(&self.paths, self.seconds, terminal.files(), &mut sources);
        let mut diagnostics = measured.diagnostics;
        let mut machine = None;
        if !self.from.is_empty() {
            let (described, gathered) = import(&self.from, &mut sources);
            diagnostics.extend(gathered.diagnostics);
            machine = Some(described);
        }
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Failure::Input { diagnostics, sources });
        }
        let options = RowOptions {
            run: self.run.clone(),
            resources: self.resources.iter().cloned().collect::<BTreeMap<_, _>>(),
        };
        let rows = rows(&measured.readings, &options, machine.as_ref(), &sources);
        self.output.write(&rows)?;
        if !diagnostics.is_empty() {
            terminal.note(&render::full(&diagnostics, &sources, false));
        }
        Ok(Exit::Fine)
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|&seconds| (1e-6..=1e9).contains(&seconds))
        .ok_or_else(|| "a number of seconds, as 60".to_owned())
}

fn run_name(text: &str) -> Result<String, String> {
    let is_sound = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let is_name = !text.is_empty() && text.len() <= 64 && text.chars().all(is_sound);
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| "letters, digits and `-`, as monday-1".to_owned())
}

fn mapping(text: &str) -> Result<(String, String), String> {
    let pair = text
        .split_once('=')
        .filter(|(name, resource)| !name.is_empty() && !resource.is_empty());
    let (name, resource) = pair.ok_or_else(|| "NAME=RESOURCE, as eth0=port.nic0.0".to_owned())?;
    Ok((name.to_owned(), resource.to_owned()))
}
