//! `bandgraph topology show`, `bandgraph topology draw` and `bandgraph topology dot`.

use std::path::PathBuf;

use bandgraph_report::{TopologyDocument, path_picture, topology_picture, topology_view};
use bandgraph_scenario::{Loaded, LoadedTopology, load_server_with};
use clap::{Args, Subcommand};

use crate::arguments::{OutputArguments, ResultArguments, SetArguments};
use crate::complete;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::picture_format::PictureArguments;
use crate::terminal::Terminal;

/// Show what a topology file describes
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph topology show topologies/sun-7410-barcelona.toml")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the elements of a server, what its links carry, and the routes between sockets
    #[command(
        after_help = "Example: bandgraph topology show topologies/sun-7410-barcelona.toml --set card.nic0.slot=s5"
    )]
    Show {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        result: ResultArguments,
    },
    /// Draw a server: sockets, bridges, slots, cards and drives with what their links carry
    #[command(after_help = "\
Examples:
  bandgraph topology draw topologies/sun-7410-barcelona.toml --output 7410.svg
  bandgraph topology draw scenarios/7410-barcelona/cached-read.toml \\
      --trace read --output read.png

The load of a run is drawn by `bandgraph plot RESULT.json --picture server`.")]
    Draw {
        #[command(flatten)]
        input: Input,
        /// Show the way of one operation of a scenario, such as read or write, step by step
        #[arg(long, value_name = "OPERATION", add = complete::operations())]
        trace: Option<String>,
        #[command(flatten)]
        output: PictureArguments,
    },
    /// Print a server as a graph in Graphviz DOT
    #[command(
        after_help = "Example: bandgraph topology dot topologies/sun-7410-barcelona.toml | dot -Tsvg > 7410.svg"
    )]
    Dot {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        output: OutputArguments,
    },
}

#[derive(Debug, Args)]
struct Input {
    /// The topology file, or a scenario that names one [default: the only scenario of the current folder]
    #[arg(value_name = "FILE", add = complete::settings_files())]
    path: Option<PathBuf>,
    #[command(flatten)]
    sets: SetArguments,
}

impl Arguments {
    /// Prints what was asked for.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        match &self.action {
            Action::Show { input, result } => {
                let read = input.load(terminal)?;
                let document = TopologyDocument::of_file(&read, input.sets.as_slice());
                result.write(&document, &topology_view(&read.topology))?;
            }
            Action::Draw { input, trace, output } => {
                output.format()?;
                let picture = match trace {
                    None => topology_picture(&TopologyDocument::of_file(
                        &input.load(terminal)?,
                        input.sets.as_slice(),
                    )),
                    Some(operation) => path_picture(&input.load_scenario(terminal)?, operation)
                        .map_err(|error| refused(&error.to_string()))?,
                };
                output.write(&picture, refused)?;
            }
            Action::Dot { input, output } => output.write(&input.load(terminal)?.topology.to_dot())?,
        }
        Ok(Exit::Fine)
    }
}

impl Input {
    /// The topology of the file, or that of the scenario that the file turns out to be.
    fn load(&self, terminal: Terminal) -> Result<LoadedTopology, Failure> {
        let path = terminal.scenario_path(self.path.as_deref())?;
        let (topology, sources) =
            terminal.read(|files, sources| load_server_with(files, &path, self.sets.as_slice(), sources))?;
        terminal.warn(&topology.warnings, &sources);
        Ok(topology)
    }

    /// The scenario of the file.
    fn load_scenario(&self, terminal: Terminal) -> Result<Loaded, Failure> {
        terminal.scenario(
            &terminal.scenario_path(self.path.as_deref())?,
            self.sets.as_slice(),
        )
    }
}

/// It cannot be drawn.
fn refused(reason: &str) -> Failure {
    Failure::usage(format!("no drawing of this server: {reason}"))
}
