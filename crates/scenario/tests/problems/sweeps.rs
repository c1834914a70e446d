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
    let of_all = edited(
        SWEEP,
        "min = \"1 ops/s\"",
        "min = \"1 ops/s\"\nover = \"mean\"\nprobability = 0.9",
    );
    let found = problems(&files(&of_all), "sweep.toml");
    assert_problems(
        &found,
        &[("scenario::no_interval", "0.9")],
        "probability of a mean",
    );
    let found = problems(&files(&unbound), "sweep.toml");
    let ids: Vec<&str> = found.iter().map(|(diagnostic, _)| diagnostic.id).collect();
    assert_eq!(ids, ["scenario::no_bound"]);
}

/// A reference is one value of an axis.
#[test]
fn problems_of_references() {
    let files = |text: &str| scenario_files(SCENARIO).with("sweep.toml", text);
    let with = |written: &str| {
        let named = format!("name = \"sizes\"\nreference = [{written}]");
        problems(&files(&edited(SWEEP, "name = \"sizes\"", &named)), "sweep.toml")
    };
    assert_problems(&with("\"size == 1 MiB\""), &[], "reference");
    for written in ["\"size >= 64 KiB\"", "\"size == 2 MiB\""] {
        assert_problems(&with(written), &[("sweep::comparison", written)], written);
    }
    let twice = with("\"size == 1 MiB\", \"size == 64 KiB\"");
    assert_problems(&twice, &[("sweep::comparison", "\"size == 64 KiB\"")], "twice");
}
