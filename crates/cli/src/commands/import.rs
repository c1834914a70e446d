//! `bandgraph import`.

use std::path::PathBuf;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_import::{COLLECTOR, import, inspect};
use bandgraph_report::machine_json;
use bandgraph_scenario::imported_topology;
use clap::{Args, ValueEnum};

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Write a topology of a machine from the output of programs on it
///
/// Takes any mix of outputs of one machine: `dmidecode`, `lspci -vvnn`, `pciconf -lvbc` and others. The
/// format of a file is recognised by its content. Every line of the topology names the file and line that
/// said it, or says `# assumed`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph import dmidecode.txt lspci.txt -o server.toml
  bandgraph import dmidecode.txt pciconf.txt --format json
  bandgraph import --collector > collect.sh")]
pub(crate) struct Arguments {
    /// Files and folders with outputs of one machine
    #[arg(value_name = "FILE", required_unless_present = "collector")]
    paths: Vec<PathBuf>,
    /// Fail where a value is assumed because no file says it
    #[arg(long)]
    strict: bool,
    /// Print a shell script that collects outputs on a Linux or FreeBSD machine
    #[arg(long, conflicts_with_all = ["paths", "strict"])]
    collector: bool,
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum Format {
    /// A topology file
    #[default]
    Toml,
    /// For programs: what the files say, unknown as null; `bandgraph schema import` has its schema
    Json,
}

impl Arguments {
    /// Reads the files and prints the machine.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        if self.collector {
            self.output.write(COLLECTOR)?;
            return Ok(Exit::Fine);
        }
        let mut sources = Sources::new();
        let (machine, gathered) = import(&self.paths, &mut sources);
        let mut diagnostics = gathered.diagnostics;
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Failure::Input { diagnostics, sources });
        }
        let is_json = self.format == Format::Json;
        let json = |sources: &Sources| machine_json(&machine, &inspect(&machine), sources);
        if is_json && !self.strict {
            self.output.write(&json(&sources))?;
            return Ok(Exit::Fine);
        }
        let written = match imported_topology(&machine, &mut sources) {
            Ok(written) => written,
            Err(errors) => {
                diagnostics.extend(errors);
                return Err(Failure::Input { diagnostics, sources });
            }
        };
        if self.strict && !written.assumptions.is_empty() {
            diagnostics.extend(written.assumptions.iter().map(|assumption| {
                Diagnostic::error("import::assumption", format!("no file says {assumption}"))
            }));
            return Err(Failure::Input { diagnostics, sources });
        }
        if is_json {
            self.output.write(&json(&sources))?;
            return Ok(Exit::Fine);
        }
        self.output.write(&written.text)?;
        terminal.warn(&diagnostics, &sources);
        if !written.assumptions.is_empty() {
            terminal.note(&format!(
                "{} values are assumed: see the lines with `# assumed`\n",
                written.assumptions.len()
            ));
        }
        Ok(Exit::Fine)
    }
}
