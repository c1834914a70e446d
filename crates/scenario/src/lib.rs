//! Topology and scenario files: from TOML to checked values that keep their place in the file.
//!
//! TOML and the reading of files are in `config`, whose definitions this crate uses. From the bottom up:
//!
//! - [`Files`]: the source of texts, a disk or memory.
//! - *Documents* (inside): trees of values with their places; includes; merging of files; `--set`.
//! - *Descriptors* (inside): one table of fields for every kind of entry. It drives decoding, `--set`, the
//!   JSON Schemas ([`topology_schema`], [`scenario_schema`]) and the reference page ([`reference_page`]).
//! - *Decoding* (inside): from trees to checked fields, with all problems at once.
//! - [`load`], [`load_topology`], [`check`]: the entry points.
//!
//! ```
//! use bandgraph_diagnostics::{Sources, render};
//! use bandgraph_scenario::{MemoryFiles, check_with};
//!
//! let server = "schema = 1\nname = \"x\"\n[[socket]]\nid = \"cpu0\"\npart = \"z80\"\n";
//! let files = MemoryFiles::new().with("server.toml", server);
//! let mut sources = Sources::new();
//! let problems = check_with(&files, "server.toml".as_ref(), &mut sources);
//! let ids: Vec<&str> = problems.iter().map(|problem| problem.id).collect();
//! assert_eq!(ids, ["entry::missing_field", "reference::unknown_part"]);
//! assert!(render::full(&problems, &sources, false).contains("server.toml:5:8"));
//! ```
//!
//! For any file contents, this crate does not panic, hang, or take much more memory than the file: files are
//! bounded in size and number, values in depth, and diagnostics in number.

mod calibration_file;
mod cases;
mod counted;
mod descriptor;
mod explanations;
mod fitted_file;
mod folder;
mod imported;
mod job_workloads;
mod load;
mod measured;
mod measured_file;
mod metric;
mod open;
mod outcome;
mod own_points;
mod part_entries;
mod profile_file;
mod reference;
mod room;
mod scenario_file;
mod schema;
mod set_paths;
mod shapes;
mod software;
mod starter;
mod storage_file;
mod sweep_file;
mod topology_file;
mod unused_settings;

pub use bandgraph_config::{
    DiskFiles, DiskFilesAnywhere, Files, MAXIMUM_FILE_SIZE, MemoryFiles, ReadError, WholeFile, forget_inputs,
    open_file, read_text, write_whole,
};
pub use calibration_file::{
    CalibrationData, CalibrationFile, Parameter, load_calibration, load_calibration_with,
};
pub use explanations::{explain, explanations};
pub use fitted_file::{fitted_file, seen_from};
pub use folder::{
    load_all_with, load_folder, load_folder_with, only_scenario_of, only_sweep_of, scenario_folders,
};
pub use imported::{imported_topology, load_imported, workload_names};
pub use measured::{
    DEFAULT_TOLERANCE, Dependence, Expect, Measured, MeasuredLink, NamedBottleneck, Statistic,
};
pub use metric::Metric;
pub use open::{check, check_with, load, load_server_with, load_topology, load_topology_with, load_with};
pub use outcome::{Loaded, LoadedTopology, TraceFile};
pub use own_points::{
    CONTRADICTION, FAR_OFF, LEFT_OUT, LOST_FIGURE, REPEATED, joint_hash, load_with_measured,
};
pub use profile_file::{ProfilePart, ProfileValue, profile_file};
pub use reference::{errors_page, reference_page};
pub use room::{NoRoom, without_room};
pub use schema::{calibration_schema, scenario_schema, sweep_schema, topology_schema};
pub use set_paths::set_paths;
pub use software::{other_decade, other_protocol, whole_records, without_zfs};
pub use starter::{QUESTIONS, Start, StartError, Started, start_names, started};
pub use sweep_file::{
    Axis, AxisKind, AxisValue, Comparison, GAIN_COLUMNS, INTERVAL_COLUMNS, LIKELIHOOD_COLUMNS,
    MAXIMUM_POINTS, Over, Prepared, SATURATION_COLUMNS, Sampling, SamplingMethod, SweepExpect, SweepFile,
    SweepMeasured, SweepMode, Workbench, column_kind, load_sweep, load_sweep_with,
};
pub use unused_settings::NO_ROOM;
