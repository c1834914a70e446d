//! Problems of calibrations: one edit of a valid file, one problem.

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
    for [id, under, from, to] in cases(include_str!("calibrations.txt")) {
        let found = problems(&files(&edited(CALIBRATION, &from, &to)), "fit.toml");
        assert_problems(&found, &[(&id, &under)], &format!("{from} → {to}"));
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
    // Nor is a scenario a calibration, unless one asks for that.
    let refused =
        bandgraph_scenario::load_calibration_with(&files(CALIBRATION), Path::new("reads.toml"), &mut sources);
    let help = refused.expect_err("another kind")[0].help.join(" ");
    assert!(help.contains("`--own`"), "{help}");
}
