//! `bandgraph check`.

use std::path::PathBuf;

use bandgraph_diagnostics::{Sources, render};
use bandgraph_report::{CheckedFile, check_text, found};
use clap::{Args, ValueEnum};

use crate::arguments::OutputArguments;
use crate::complete;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Check topology and scenario files, and report all errors at once
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph check scenarios/7410-*/*.toml topologies/*.toml")]
pub(crate) struct Arguments {
    /// Topology and scenario files [default: the only scenario of the current folder]
    #[arg(value_name = "FILE", add = complete::settings_files())]
    paths: Vec<PathBuf>,
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people: the source lines, with carets under the errors
    #[default]
    Text,
    /// A line per error, with file, line, column, id and message
    Concise,
    /// For programs
    Json,
    /// Annotations of a GitHub workflow
    Github,
}

impl Arguments {
    /// Checks all files and prints what was found in any of them.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let mut sources = Sources::new();
        let mut paths = self.paths.clone();
        if paths.is_empty() {
            paths.push(terminal.scenario_path(None)?);
        }
        let files: Vec<CheckedFile> = paths
            .iter()
            .map(|path| CheckedFile {
                path: path.display().to_string(),
                diagnostics: bandgraph_scenario::check_with(terminal.files(), path, &mut sources),
            })
            .collect();
        self.output.write(&match self.format {
            Format::Text => check_text(&files, &sources, &self.output.text_options()),
            Format::Concise => render::concise(&found(&files, &sources), &sources),
            Format::Json => render::json(&found(&files, &sources), &sources),
            Format::Github => render::github(&found(&files, &sources), &sources),
        })?;
        Ok(if files.iter().all(CheckedFile::ok) {
            Exit::Fine
        } else {
            Exit::BadInput
        })
    }
}
