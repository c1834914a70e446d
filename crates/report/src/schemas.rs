//! The schemas of all files and results, by the names under which `bandgraph schema` prints them.

use bandgraph_scenario::{calibration_schema, scenario_schema, sweep_schema, topology_schema};
use serde_json::Value;

use crate::sweep::sweep_result_schema;
use crate::{
    calibrate_schema, compare_schema, figures_schema, ladder_schema, machine_schema, place_schema,
    run_schema, trace_schema, validate_schema, whatif_schema,
};

/// A schema, its name, and what has it.
type Schema = (fn() -> Value, &'static str, &'static str);

/// Every schema: files first, then results.
#[rustfmt::skip]
pub const SCHEMAS: &[Schema] = &[
    (topology_schema, "topology", "Topology files"),
    (scenario_schema, "scenario", "Scenario files"),
    (sweep_schema, "sweep", "Sweep files"),
    (calibration_schema, "calibration", "Calibration files"),
    (run_schema, "run", "What `run --format json` prints"),
    (whatif_schema, "whatif", "What `whatif --format json` prints"),
    (ladder_schema, "ladder", "What `ladder --format json` prints"),
    (place_schema, "place", "What `place --format json` prints"),
    (sweep_result_schema, "sweep-result", "What `sweep --format json` prints"),
    (trace_schema, "trace-stat", "What `trace stat --format json` prints"),
    (validate_schema, "validate", "What `validate --format json` prints"),
    (calibrate_schema, "calibrate", "What `calibrate --format json` prints"),
    (compare_schema, "compare", "What `compare --format json` prints"),
    (figures_schema, "figures", "What `figures --format json` prints"),
    (machine_schema, "import", "What `import --format json` and `inspect --format json` print"),
];
