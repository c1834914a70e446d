//! `bandgraph schema`.

use bandgraph_report::{
    calibrate_schema, compare_schema, figures_schema, json_text, ladder_schema, machine_schema, place_schema,
    run_schema, sweep::sweep_result_schema, trace_schema, validate_schema, whatif_schema,
};
use bandgraph_scenario::{calibration_schema, scenario_schema, sweep_schema, topology_schema};
use clap::{Args, ValueEnum};

use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Print the JSON Schema of a file or of a result
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph schema scenario > scenario.schema.json")]
pub(crate) struct Arguments {
    /// What to print the schema of
    #[arg(value_enum)]
    of: Subject,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Subject {
    /// Topology files
    Topology,
    /// Scenario files
    Scenario,
    /// Sweep files
    Sweep,
    /// Calibration files
    Calibration,
    /// What `run --format json` prints
    Run,
    /// What `whatif --format json` prints
    Whatif,
    /// What `ladder --format json` prints
    Ladder,
    /// What `place --format json` prints
    Place,
    /// What `sweep --format json` prints
    SweepResult,
    /// What `trace stat --format json` prints
    TraceStat,
    /// What `validate --format json` prints
    Validate,
    /// What `calibrate --format json` prints
    Calibrate,
    /// What `compare --format json` prints
    Compare,
    /// What `figures --format json` prints
    Figures,
    /// What `import --format json` and `inspect --format json` print
    Import,
}

/// The names that the command takes.
pub(crate) fn names() -> Vec<String> {
    let values = Subject::value_variants()
        .iter()
        .filter_map(Subject::to_possible_value);
    values.map(|value| value.get_name().to_owned()).collect()
}

impl Arguments {
    /// Prints the schema.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let schema = match self.of {
            Subject::Topology => topology_schema(),
            Subject::Scenario => scenario_schema(),
            Subject::Sweep => sweep_schema(),
            Subject::Calibration => calibration_schema(),
            Subject::Run => run_schema(),
            Subject::Compare => compare_schema(),
            Subject::Figures => figures_schema(),
            Subject::Whatif => whatif_schema(),
            Subject::Ladder => ladder_schema(),
            Subject::Place => place_schema(),
            Subject::SweepResult => sweep_result_schema(),
            Subject::TraceStat => trace_schema(),
            Subject::Validate => validate_schema(),
            Subject::Calibrate => calibrate_schema(),
            Subject::Import => machine_schema(),
        };
        self.output.write(&json_text(&schema))?;
        Ok(Exit::Fine)
    }
}
