//! Problems of calibrations: one edit of a file that is right, one problem.

use super::*;

const CALIBRATION: &str = r#"schema = 1
name = "fit"

[[parameter]]
path = "stack.misses_per_byte"
low = 0.01
high = 0.2
source = "a book"

[[parameter]]
path = "run.network_latency"
low = "1 us"
high = "50 us"
source = "a guess"

[[data]]
scenario = "reads.toml"
measured = ["row"]
"#;

/// One edit of the calibration, one problem.
#[test]
fn problems_of_calibrations() {
    let files = |text: &str| scenario_files(SCENARIO).with("fit.toml", text);
    assert_problems(&problems(&files(CALIBRATION), "fit.toml"), &[], "calibration");
    for (from, to, id, under) in [
        ("low = 0.01", "low = 0.2", "calibration::bad_range", "0.2"),
        ("low = 0.01", "low = 0.07", "calibration::bad_range", "0.07"),
        (
            "low = 0.01",
            "low = 0.01\nstart = 0.3",
            "calibration::bad_range",
            "0.01",
        ),
        (
            "low = \"1 us\"",
            "low = \"1 ms\"",
            "calibration::bad_range",
            "\"1 ms\"",
        ),
        ("low = 0.01", "low = true", "calibration::bad_range", "true"),
        (
            "stack.misses_per_byte",
            "stack.homes",
            "calibration::not_a_number",
            "\"stack.homes\"",
        ),
        (
            "stack.misses_per_byte",
            "stack.homes.0",
            "calibration::not_a_number",
            "\"stack.homes.0\"",
        ),
        ("[\"row\"]", "[\"raw\"]", "calibration::unknown_point", "\"raw\""),
        (
            "measured = [\"row\"]",
            "measured = []",
            "calibration::nothing",
            "\"reads.toml\"",
        ),
        (
            "source = \"a book\"\n",
            "",
            "entry::missing_field",
            "[[parameter]]",
        ),
    ] {
        let found = problems(&files(&edited(CALIBRATION, from, to)), "fit.toml");
        assert_problems(&found, &[(id, under)], &format!("{from} → {to}"));
    }
    let none = CALIBRATION
        .split("[[parameter]]")
        .next()
        .expect("the beginning")
        .to_owned()
        + "parameter = []\n[[data]]\nscenario = \"reads.toml\"\n";
    assert_problems(
        &problems(&files(&none), "fit.toml"),
        &[("calibration::nothing", "[]")],
        "no parameter",
    );
    // A calibration is no scenario.
    let mut sources = Sources::new();
    let refused =
        load_with(&files(CALIBRATION), Path::new("fit.toml"), &[], &mut sources).expect_err("another kind");
    assert_eq!(refused[0].id, "file::calibration_for_another");
    assert!(explain(refused[0].id).is_some());
}
