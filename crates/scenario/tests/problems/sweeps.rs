//! Problems of sweeps: one edit of a file that is right, one problem.

use super::*;

const SWEEP: &str = r#"schema = 1
name = "sizes"
scenario = "reads.toml"

[[axis]]
id = "size"
path = "workload.w.io_size"
values = ["64 KiB", "1 MiB"]

[[expect]]
id = "enough"
metric = "ops_per_s"
min = "1 ops/s"
max = "900000 ops/s"
"#;

/// Bounds of sweeps are held to what bounds of scenarios are.
#[test]
fn problems_of_expectations() {
    let files = |text: &str| scenario_files(SCENARIO).with("sweep.toml", text);
    assert_problems(&problems(&files(SWEEP), "sweep.toml"), &[], "sweep");
    let upside_down = edited(SWEEP, "min = \"1 ops/s\"", "min = \"1000000 ops/s\"");
    let unbound = edited(SWEEP, "min = \"1 ops/s\"\nmax = \"900000 ops/s\"\n", "");
    let found = problems(&files(&upside_down), "sweep.toml");
    assert_problems(&found, &[("scenario::empty_range", "\"1000000 ops/s\"")], "empty");
    let found = problems(&files(&unbound), "sweep.toml");
    let ids: Vec<&str> = found.iter().map(|(diagnostic, _)| diagnostic.id).collect();
    assert_eq!(ids, ["scenario::no_bound"]);
}
