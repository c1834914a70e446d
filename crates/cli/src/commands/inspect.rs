//! `bandgraph inspect`.

use std::path::PathBuf;

use bandgraph_diagnostics::{Diagnostic, Sources, render, summary};
use bandgraph_import::{Finding, Machine, import, inspect};
use bandgraph_report::{Page, findings_view, machine_json};
use clap::{Args, ValueEnum};

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Find what is wrong with a machine, or wasted, from what programs print about it
///
/// Needs no scenario: links below what a card can do, memory channels without modules, packets that are too
/// small, ports that exceed their slot, shared links, cards on the wrong socket. Each finding says which line
/// of which file shows it, what it costs, and what to do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph inspect dmidecode.txt lspci.txt
  bandgraph inspect --each --deny fleet/*

Exits with 1 where --deny is given and a finding costs bandwidth.")]
pub(crate) struct Arguments {
    /// Files and folders with outputs of one machine
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Every FILE is a machine of its own; a folder holds the files of one machine
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
    /// A table for tickets
    Markdown,
    #[value(help = "One HTML file with a table for each machine, for browsers")]
    Html,
}

impl Arguments {
    /// Inspects the machines and prints what was found.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let groups: Vec<&[PathBuf]> = if self.each {
            self.paths.chunks(1).collect()
        } else {
            vec![&self.paths]
        };
        let mut inspected = Vec::new();
        for paths in groups {
            let mut sources = Sources::new();
            let (machine, gathered) = import(paths, &mut sources);
            if gathered.diagnostics.iter().any(Diagnostic::is_error) {
                return Err(Failure::Input {
                    diagnostics: gathered.diagnostics,
                    sources,
                });
            }
            let findings = inspect(&machine);
            inspected.push((machine, findings, sources));
        }
        let all = || {
            inspected
                .iter()
                .map(|(machine, findings, sources)| (machine, findings.as_slice(), sources))
        };
        let view = || findings_view(all());
        let documents: String = match self.format {
            Format::Text => all()
                .map(|(machine, found, sources)| self.text(machine, found, sources))
                .collect(),
            Format::Json => all()
                .map(|(machine, found, sources)| machine_json(machine, found, sources))
                .collect(),
            Format::Markdown => view().markdown(2),
            Format::Html => view().html(&Page::default()),
        };
        self.output.write(&documents)?;
        let costly =
            all().any(|(_, found, _)| found.iter().any(|finding| finding.costs_bytes_per_s.is_some()));
        Ok(Exit::of_gates(!(self.deny && costly)))
    }

    fn text(&self, machine: &Machine, findings: &[Finding], sources: &Sources) -> String {
        let diagnostics: Vec<Diagnostic> = findings.iter().map(Finding::diagnostic).collect();
        let name = machine.name.as_ref().map_or("this machine", |name| &name.value);
        let found = summary(&diagnostics).unwrap_or_else(|| "nothing found".to_owned());
        // One at a time: the costliest first, not in the order of their places.
        let options = self.output.text_options();
        let parts: Vec<String> = diagnostics
            .iter()
            .map(|one| render::within(options.width, std::slice::from_ref(one), sources, options.colour))
            .collect();
        format!("{}\n{name}: {found}\n", parts.join("\n"))
    }
}
