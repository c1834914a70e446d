//! The schemas of all files and results, by the names under which `bandgraph schema` prints them.

use bandgraph_scenario::{calibration_schema, scenario_schema, sweep_schema, topology_schema};
use serde_json::Value;

use crate::json::{FiguresDocument, TraceDocument, schema_of};
use crate::sweep::SweepDocument;
use crate::{
    CalibrateDocument, CompareDocument, LadderDocument, LearnedDocument, MachineDocument, PlaceDocument,
    RunDocument, ValidateDocument, WhatIfDocument,
};

/// A schema, its name, and what has it.
type Schema = (fn() -> Value, &'static str, &'static str);

/// How many of [`SCHEMAS`] are of files.
pub(crate) const FILES: usize = 4;

/// Every schema: files first, then results.
#[rustfmt::skip]
pub const SCHEMAS: &[Schema] = &[
    (topology_schema, "topology", "Topology files"),
    (scenario_schema, "scenario", "Scenario files"),
    (sweep_schema, "sweep", "Sweep files"),
    (calibration_schema, "calibration", "Calibration files"),
    (schema_of::<RunDocument>, "run", "What `run --format json` prints"),
    (schema_of::<WhatIfDocument>, "whatif", "What `whatif --format json` prints"),
    (schema_of::<LadderDocument>, "ladder", "What `ladder --format json` prints"),
    (schema_of::<PlaceDocument>, "place", "What `place --format json` prints"),
    (schema_of::<SweepDocument>, "sweep-result", "What `sweep --format json` prints"),
    (schema_of::<TraceDocument>, "trace-stat", "What `trace stat --format json` prints"),
    (schema_of::<ValidateDocument>, "validate", "What `validate --format json` prints"),
    (schema_of::<CalibrateDocument>, "calibrate", "What `calibrate --format json` prints"),
    (schema_of::<LearnedDocument>, "calibrate-own", "What `calibrate --own --format json` prints"),
    (schema_of::<CompareDocument>, "compare", "What `compare --format json` prints"),
    (schema_of::<FiguresDocument>, "figures", "What `figures --format json` prints"),
    (schema_of::<MachineDocument>, "import", "What `import --format json` and `inspect --format json` print"),
];
