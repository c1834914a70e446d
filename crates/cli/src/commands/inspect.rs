//! `bandgraph inspect`.

use std::path::PathBuf;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_import::{Finding, Machine, import, inspect};
use bandgraph_report::{Page, findings_csv, findings_text, findings_view, machine_json};
use bandgraph_scenario::{DiskFiles, Files as _};
use clap::{Args, ValueEnum};

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Find errors and wasted bandwidth of a machine in the output of programs on it
///
/// Needs no scenario: links below what a card can do, memory channels without modules, packets that are too
/// small, ports that exceed their slot, shared links, cards on the wrong socket. Each finding says which line
/// of which file shows it, what it costs, and what to do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph inspect dmidecode.txt lspci.txt
  bandgraph inspect --each --deny fleet

Exits with 1 where --deny is given and a finding costs bandwidth.")]
pub(crate) struct Arguments {
    /// Files and folders with outputs of one machine
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Treat every FILE as a separate machine, and name it in the results. A folder holds the files of one
    /// machine; if a single folder is given, each entry in it is a machine
    #[arg(long)]
    each: bool,
    /// Exit with 1 if there is a finding that costs bandwidth
    #[arg(long)]
    deny: bool,
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people: the lines with carets
    #[default]
    Text,
    /// For programs; with --each one document per machine; `bandgraph schema import` has its schema
    Json,
    /// For spreadsheets: one finding a row
    Csv,
    /// A table for tickets
    Markdown,
    #[value(help = "One HTML file with a table for each machine, for browsers")]
    Html,
}

impl Arguments {
    /// Inspects the machines and prints what was found.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let paths = self.machines();
        let groups: Vec<&[PathBuf]> = if self.each {
            paths.chunks(1).collect()
        } else {
            vec![&paths]
        };
        let (mut inspected, mut failures) = (Vec::new(), Vec::new());
        for paths in groups {
            let mut sources = Sources::new();
            let (machine, gathered) = import(paths, &mut sources);
            let diagnostics = gathered.diagnostics;
            if diagnostics.iter().any(Diagnostic::is_error) {
                failures.push(Failure::Input { diagnostics, sources });
                continue;
            }
            let findings = inspect(&machine);
            let name = machine.name.as_ref().map(|name| name.value.as_str());
            let title = match (self.each.then(|| paths[0].display()), name) {
                (Some(path), Some(name)) => format!("{path}: {name}"),
                (Some(path), None) => path.to_string(),
                (None, name) => name.unwrap_or("this machine").to_owned(),
            };
            inspected.push(Inspected {
                title,
                machine,
                findings,
                sources,
            });
        }
        // Machines that cannot be read hide no findings of the others.
        let last = failures.pop();
        for failure in failures {
            terminal.failure(&failure);
        }
        if let Some(failure) = last {
            if !inspected.is_empty() {
                self.write(&inspected)?;
            }
            return Err(failure);
        }
        self.write(&inspected)?;
        let mut found = inspected.iter().flat_map(|one| &one.findings);
        let costly = found.any(|finding| finding.costs_bytes_per_s.is_some());
        Ok(Exit::of_gates(!(self.deny && costly)))
    }

    /// The files, or with `--each` the machines: those in a folder, if that is all that was given.
    fn machines(&self) -> Vec<PathBuf> {
        if let (true, [folder]) = (self.each, &self.paths[..]) {
            let names = DiskFiles.names(folder);
            let visible = names.iter().filter(|name| !name.starts_with('.'));
            let inside: Vec<PathBuf> = visible.map(|name| folder.join(name)).collect();
            if !inside.is_empty() {
                return inside;
            }
        }
        self.paths.clone()
    }

    fn write(&self, inspected: &[Inspected]) -> Result<(), Failure> {
        let machines = || {
            inspected
                .iter()
                .map(|one| (one.title.clone(), &one.findings[..], &one.sources))
        };
        let view = || findings_view(machines());
        let documents: String = match self.format {
            Format::Text => {
                let options = self.output.text_options();
                let text = |one: &Inspected| findings_text(&one.title, &one.findings, &one.sources, &options);
                inspected.iter().map(text).collect()
            }
            Format::Json => inspected
                .iter()
                .map(|one| machine_json(&one.machine, &one.findings, &one.sources))
                .collect(),
            Format::Csv => findings_csv(machines()),
            Format::Markdown => view().markdown(2),
            Format::Html => view().html(&Page::default()),
        };
        self.output.write(&documents)
    }
}

/// A machine and what was found.
struct Inspected {
    /// Its name, with `--each` also the argument that names its files.
    title: String,
    machine: Machine,
    findings: Vec<Finding>,
    sources: Sources,
}
