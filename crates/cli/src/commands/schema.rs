//! `bandgraph schema`.

use bandgraph_report::{JsonValue, SCHEMAS, json};
use clap::Args;

use crate::arguments::{OutputArguments, one_of};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Print the JSON Schema of a file or of a result
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph schema scenario > scenario.schema.json")]
pub(crate) struct Arguments {
    /// What to print the schema of
    #[arg(value_name = "OF", value_parser = one_of(SCHEMAS))]
    of: fn() -> JsonValue,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// Prints the schema.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        self.output.write(&json(&(self.of)()))?;
        Ok(Exit::Fine)
    }
}
