//! `bandgraph schema`.

use bandgraph_report::{
    JsonValue, calibrate_schema, compare_schema, figures_schema, json_text, ladder_schema, machine_schema,
    place_schema, run_schema, sweep::sweep_result_schema, trace_schema, validate_schema, whatif_schema,
};
use bandgraph_scenario::{calibration_schema, scenario_schema, sweep_schema, topology_schema};
use clap::Args;

use crate::arguments::{Choices, OutputArguments, one_of};
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

const SCHEMAS: Choices<fn() -> JsonValue> = &[
    (topology_schema, "topology", "Topology files"),
    (scenario_schema, "scenario", "Scenario files"),
    (sweep_schema, "sweep", "Sweep files"),
    (calibration_schema, "calibration", "Calibration files"),
    (run_schema, "run", "What `run --format json` prints"),
    (whatif_schema, "whatif", "What `whatif --format json` prints"),
    (ladder_schema, "ladder", "What `ladder --format json` prints"),
    (place_schema, "place", "What `place --format json` prints"),
    (
        sweep_result_schema,
        "sweep-result",
        "What `sweep --format json` prints",
    ),
    (
        trace_schema,
        "trace-stat",
        "What `trace stat --format json` prints",
    ),
    (
        validate_schema,
        "validate",
        "What `validate --format json` prints",
    ),
    (
        calibrate_schema,
        "calibrate",
        "What `calibrate --format json` prints",
    ),
    (compare_schema, "compare", "What `compare --format json` prints"),
    (figures_schema, "figures", "What `figures --format json` prints"),
    (
        machine_schema,
        "import",
        "What `import --format json` and `inspect --format json` print",
    ),
];

/// The names that the command takes.
pub(crate) fn names() -> Vec<String> {
    SCHEMAS.iter().map(|(_, name, _)| (*name).to_owned()).collect()
}

impl Arguments {
    /// Prints the schema.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        self.output.write(&json_text(&(self.of)()))?;
        Ok(Exit::Fine)
    }
}
