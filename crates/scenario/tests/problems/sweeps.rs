//! Problems of sweeps: one edit of a valid file, one problem.

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

/// Bounds of sweeps have the same rules as bounds of scenarios.
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
    // Without `mode`, points are predicted.
    let expected = "metric = \"ops_per_s\"\nmin = \"1 ops/s\"\nmax = \"900000 ops/s\"\n";
    let slow = "metric = \"latency_p99_s\"\nmax = \"1 ms\"\n";
    let percentile = edited(SWEEP, expected, slow);
    let found = problems(&files(&percentile), "sweep.toml");
    assert_problems(
        &found,
        &[("sweep::only_simulated", "\"latency_p99_s\"")],
        "percentile",
    );
    let simulated = edited(
        &percentile,
        "name = \"sizes\"",
        "name = \"sizes\"\nmode = \"simulate\"",
    );
    assert_problems(&problems(&files(&simulated), "sweep.toml"), &[], "simulated");
    let found = problems(&files(&unbound), "sweep.toml");
    let ids: Vec<&str> = found.iter().map(|(diagnostic, _)| diagnostic.id).collect();
    assert_eq!(ids, ["scenario::no_bound"]);
}

/// What an axis varies has one value at each point: no second axis and no override can set it.
#[test]
fn a_field_that_is_varied_has_no_other_value() {
    let files = |text: &str| scenario_files(SCENARIO).with("sweep.toml", text);
    let with = |written: &str| {
        let named = format!("name = \"sizes\"\n{written}");
        problems(&files(&edited(SWEEP, "name = \"sizes\"", &named)), "sweep.toml")
    };
    let set = "set = [\"workload.w.io_size=2 MiB\"]";
    assert_problems(
        &with(set),
        &[("sweep::varied_twice", "workload.w.io_size")],
        "override",
    );
    assert_problems(
        &with("set = [\"workload.w.threads_per_client=3\"]"),
        &[],
        "another field",
    );
    let second =
        "[[axis]]\nid = \"again\"\npath = \"workload.w.io_size\"\nvalues = [\"8 KiB\"]\n\n[[expect]]";
    let found = problems(&files(&edited(SWEEP, "[[expect]]", second)), "sweep.toml");
    assert_problems(
        &found,
        &[("sweep::varied_twice", "\"workload.w.io_size\"")],
        "axis",
    );
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

/// A condition that no value of its axis satisfies is reported before the sweep runs.
#[test]
fn conditions_that_no_point_meets() {
    let files = |text: &str| scenario_files(SCENARIO).with("sweep.toml", text);
    let with = |when: &str| {
        let bounded = format!("min = \"1 ops/s\"\nwhen = [{when}]");
        problems(
            &files(&edited(SWEEP, "min = \"1 ops/s\"", &bounded)),
            "sweep.toml",
        )
    };
    for met in ["\"size == 1 MiB\"", "\"size < 1 MiB\"", "\"size == size\""] {
        assert_problems(&with(met), &[], met);
    }
    for unmet in ["\"size == 2 MiB\"", "\"size < 64 KiB\""] {
        assert_problems(&with(unmet), &[("sweep::no_point", unmet)], unmet);
    }
    let filtered = edited(
        SWEEP,
        "name = \"sizes\"",
        "name = \"sizes\"\nfilter = [\"size > 1 MiB\"]",
    );
    let found = problems(&files(&filtered), "sweep.toml");
    assert_problems(&found, &[("sweep::no_point", "\"size > 1 MiB\"")], "filter");
    let ranged = edited(
        SWEEP,
        "values = [\"64 KiB\", \"1 MiB\"]",
        "range = { start = \"64 KiB\", stop = \"1 MiB\", step = \"64 KiB\" }",
    );
    let off_the_grid = edited(
        &ranged,
        "min = \"1 ops/s\"",
        "min = \"1 ops/s\"\nwhen = [\"size == 100 KiB\"]",
    );
    let found = problems(&files(&off_the_grid), "sweep.toml");
    assert_problems(&found, &[("sweep::no_point", "\"size == 100 KiB\"")], "range");
}
