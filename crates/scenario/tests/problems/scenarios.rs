//! Problems of scenarios: one edit of a valid file, one problem.

use super::*;

/// One edit of the scenario, one problem.
#[test]
fn problems_of_scenarios() {
    for [id, under, from, to] in cases(include_str!("scenarios.txt")) {
        let found = problems(&scenario_files(&edited(SCENARIO, &from, &to)), "reads.toml");
        // The profile has no costs of the protocols that other cases choose.
        let is_of_case = |found: &str| found == id || found != "scenario::unfit_profile";
        let found: Vec<_> = found
            .into_iter()
            .filter(|(found, _)| is_of_case(found.id))
            .collect();
        assert_problems(&found, &[(&id, &under)], &to);
    }
}

#[test]
fn empty_lists_are_said() {
    let beginning = "schema = 1\nname = \"x\"\ntopology = \"server.toml\"\n";
    let found = problems(
        &scenario_files(&format!("{beginning}clients = []\nworkload = []\n")),
        "reads.toml",
    );
    assert_problems(
        &found,
        &[("scenario::no_clients", "[]"), ("scenario::no_workload", "[]")],
        "empty lists",
    );
    let found = problems(&scenario_files(beginning), "reads.toml");
    assert_problems(
        &found,
        &[
            ("entry::missing_field", "schema = 1"),
            ("entry::missing_field", "schema = 1"),
        ],
        "no lists",
    );
}
