//! `bandgraph import`.

use std::path::PathBuf;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_import::{import, inspect};
use bandgraph_report::machine_json;
use clap::{Args, ValueEnum};

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Describe a machine from what programs print about it
///
/// Takes any mix of outputs of one machine: `dmidecode`, `lspci -vvnn`, `pciconf -lvbc` and others. The format of a
/// file is recognised by its content.
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph import dmidecode.txt lspci.txt --format json")]
pub(crate) struct Arguments {
    /// Files and folders with outputs of one machine
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For programs: what the files say, unknown as null
    #[default]
    Json,
}

impl Arguments {
    /// Reads the files and prints the machine.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let mut sources = Sources::new();
        let (machine, gathered) = import(&self.paths, &mut sources);
        if gathered.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Failure::Input {
                diagnostics: gathered.diagnostics,
                sources,
            });
        }
        let findings = inspect(&machine);
        self.output.write(&match self.format {
            Format::Json => machine_json(&machine, &findings, &sources),
        })?;
        Ok(Exit::Fine)
    }
}
