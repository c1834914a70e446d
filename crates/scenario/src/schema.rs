//! JSON Schemas of the files.

use bandgraph_config::schema::of_file;
use serde_json::Value;

use crate::descriptor::{CALIBRATION, SCENARIO, SWEEP, TOPOLOGY};

/// The JSON Schema (draft 2020-12) of topology files.
pub fn topology_schema() -> Value {
    of_file(&TOPOLOGY, "Bandgraph topology")
}

/// The JSON Schema (draft 2020-12) of scenario files.
pub fn scenario_schema() -> Value {
    of_file(&SCENARIO, "Bandgraph scenario")
}

/// The JSON Schema (draft 2020-12) of sweep files.
pub fn sweep_schema() -> Value {
    of_file(&SWEEP, "Bandgraph sweep")
}

/// The JSON Schema (draft 2020-12) of calibration files.
pub fn calibration_schema() -> Value {
    of_file(&CALIBRATION, "Bandgraph calibration")
}
