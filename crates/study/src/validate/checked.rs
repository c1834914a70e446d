//! Software profiles that published measurements check.

/// The profiles of shipped scenarios with unseen measurements, one a line: those that came with the program.
const CHECKED: &str = include_str!("checked.txt");

/// Whether published measurements check predictions with a profile of the program.
pub fn is_checked(profile: &str) -> bool {
    CHECKED.lines().any(|checked| checked == profile)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use bandgraph_diagnostics::Sources;
    use bandgraph_model::profile;
    use bandgraph_scenario::{Measured, load_folder};

    use super::*;

    #[test]
    fn the_list_is_that_of_the_shipped_scenarios() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let all = load_folder(&folder, &[], &mut Sources::new()).expect("they load");
        let checked = all
            .iter()
            .filter(|loaded| loaded.measured.iter().any(Measured::is_unseen));
        let names = checked.map(|loaded| loaded.scenario.stack.name.as_str());
        // A scenario can describe a software of its own.
        let profiles: BTreeSet<&str> = names.filter(|name| profile(name).is_some()).collect();
        let listed: BTreeSet<&str> = CHECKED.lines().collect();
        assert_eq!(listed, profiles);
    }
}
