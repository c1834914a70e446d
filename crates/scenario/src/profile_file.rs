//! Stack profiles as files that scenarios can include.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bandgraph_model::ModelError;

/// A fitted figure of the stack.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileValue {
    /// The field, or one of its shares by number: `misses_per_byte`, `home_shares.0`.
    pub field: String,
    /// Its value.
    pub value: f64,
    /// The 90 % credible interval; `None` for the default range of fitted figures.
    pub range: Option<[f64; 2]>,
    /// A note on the value.
    pub note: String,
}

/// A stack file with a profile, the fitted values and the errors of the model on one machine, for the
/// `include` of scenarios. Every line of
/// `provenance` becomes a comment at the top, and all of it the stack's `source`.
pub fn profile_file(
    profile: &str,
    values: &[ProfileValue],
    errors: &[ModelError],
    provenance: &[String],
) -> String {
    let mut file = String::new();
    for line in provenance {
        let _ = writeln!(file, "# {}", plain(line));
    }
    let _ = write!(file, "\n[stack]\nprofile = {}\n", quoted(profile));
    let _ = writeln!(file, "source = {}", quoted(&provenance.join(" ")));
    let mut shares: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    for ProfileValue {
        field,
        value,
        range,
        note,
    } in values
    {
        if let Some((list, number)) = field.split_once('.') {
            let share = number.parse().unwrap_or(0);
            shares.entry(list).or_default().insert(share, *value);
        } else {
            let note = quoted(note);
            let range = range.map_or_else(String::new, |[low, high]| format!("range = [{low}, {high}], "));
            let _ = writeln!(
                file,
                "{field} = {{ value = {value}, {range}status = \"fitted\", note = {note} }}"
            );
        }
    }
    for (list, given) in shares {
        let last = given.keys().copied().max().unwrap_or(0);
        // Shares that are not fitted are 1, as in the fit.
        let all: Vec<String> = (0..=last)
            .map(|number| given.get(&number).copied().unwrap_or(1.0).to_string())
            .collect();
        let _ = write!(
            file,
            "\n# fitted; shares of any sum\n{list} = {}\n",
            quoted(&all.join(" "))
        );
    }
    for ModelError {
        limit,
        factor,
        deviation,
    } in errors
    {
        let _ = write!(
            file,
            "\n[[stack.model_error]]\nlimit = \"{limit}\"\nfactor = {factor}\ndeviation = {deviation}\n"
        );
    }
    file
}

fn plain(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

fn quoted(text: &str) -> String {
    // Control characters have been removed, so that these two are the only invalid ones in a basic string.
    format!("\"{}\"", plain(text).replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bandgraph_diagnostics::Sources;
    use bandgraph_model::{LimitGroup, Stack};

    use super::*;
    use crate::{MemoryFiles, load_with};

    #[test]
    fn a_scenario_takes_what_was_fitted() {
        let value = |field: &str, value: f64| ProfileValue {
            field: field.to_owned(),
            value,
            range: None,
            note: "fitted\nto nothing".to_owned(),
        };
        let values = [
            value("misses_per_byte", 0.0625),
            value("home_shares.1", 0.5),
            value("home_shares.0", 2.0),
        ];
        let text = profile_file(
            "fishworks-2009",
            &values,
            &[],
            &["with \"quotes\" and a \\".to_owned()],
        );
        let files = MemoryFiles::new()
            .with("fitted.toml", text)
            .with("server.toml", crate::folder::tests::SERVER)
            .with(
                "run.toml",
                "schema = 1\ninclude = [\"fitted.toml\"]\nname = \"x\"\ntopology = \"server.toml\"\n[[clients]]\nid = \"c\"\n\
                 [[workload]]\nid = \"w\"\nclients = \"c\"\nmix = \"read\"\n",
            );
        let loaded = load_with(
            &files,
            Path::new("run.toml"),
            &["stack.home_shares=\"1\"".to_owned()],
            &mut Sources::new(),
        )
        .expect("it loads");
        let stack = &loaded.scenario.stack;
        assert_eq!(
            (stack.misses_per_byte, stack.name.as_str()),
            (0.0625, "fishworks-2009")
        );
        assert_eq!(stack.origin.source.as_deref(), Some("with \"quotes\" and a \\"));
        let shares = profile_file("fishworks-2009", &values, &[], &[]);
        assert!(shares.contains("home_shares = \"2 0.5\""), "{shares}");
    }

    #[test]
    fn a_scenario_takes_the_errors_of_the_model() {
        let error = |limit, factor, deviation| ModelError {
            limit,
            factor,
            deviation,
        };
        let errors = [
            error(LimitGroup::Cores, 0.9, 0.12),
            error(LimitGroup::Cards, 1.05, 0.04),
        ];
        let text = profile_file("fishworks-2009", &[], &errors, &[]);
        let found = stack_of(&text, &["stack.model_error.cores.factor=0.8"]).expect("it loads");
        let expected = [error(LimitGroup::Cores, 0.8, 0.12), errors[1].clone()];
        assert_eq!(found.model_errors, expected);
        let unknown = stack_of("[[stack.model_error]]\nlimit = \"wires\"\ndeviation = 0.1\n", &[]);
        let problems = unknown.expect_err("there is no such kind");
        assert_eq!(problems, ["`limit` cannot be `wires`"]);
    }

    /// The stack of a scenario that includes a file, or the error messages.
    fn stack_of(included: &str, sets: &[&str]) -> Result<Stack, Vec<String>> {
        let files = MemoryFiles::new()
            .with("mine.toml", included.to_owned())
            .with("server.toml", crate::folder::tests::SERVER)
            .with(
                "run.toml",
                "schema = 1\ninclude = [\"mine.toml\"]\nname = \"x\"\ntopology = \"server.toml\"\n[[clients]]\nid = \"c\"\n\
                 [[workload]]\nid = \"w\"\nclients = \"c\"\nmix = \"read\"\n",
            );
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        let loaded = load_with(&files, Path::new("run.toml"), &sets, &mut Sources::new());
        loaded
            .map(|loaded| loaded.scenario.stack)
            .map_err(|errors| errors.into_iter().map(|error| error.message).collect())
    }

    #[test]
    fn a_stack_of_ones_own_is_a_file_that_scenarios_include() {
        let mine = "[stack]\nname = \"mine\"\nprofile = \"linux-local-2009\"\nyears = [2011, 2012]\nsource = \"our runs\"\n\
                    misses_per_byte = { value = 0.05, range = [0.04, 0.06], status = \"fitted\", note = \"run 7\" }\n";
        let stack = stack_of(mine, &[]).expect("it loads");
        assert_eq!(
            (stack.name.as_str(), stack.origin.source.as_deref(), stack.years),
            ("mine", Some("our runs"), Some([2011, 2012]))
        );
        assert_eq!(
            (stack.misses_per_byte, stack.instructions_per_operation),
            (0.05, 10_000.0)
        );
        // What its base fits says nothing about it.
        let silent = stack_of(&mine.replace("years = [2011, 2012]\n", ""), &[]).expect("it loads");
        assert_eq!((silent.years, silent.fits.as_str()), (None, ""));
        let set = stack_of(mine, &["stack.misses_per_byte=0.055"]).expect("it loads");
        assert_eq!(set.misses_per_byte, 0.055);
    }

    #[test]
    fn a_stack_without_a_profile_gives_every_figure_that_has_no_default() {
        let missing =
            stack_of("[stack]\nname = \"mine\"\nmisses_per_byte = 0.05\n", &[]).expect_err("too little");
        let message = "stack `mine` has no `instructions_per_operation`";
        assert!(missing.iter().any(|error| error == message), "{missing:?}");
    }

    /// The files of the built-in stacks have the format of a user's.
    #[test]
    fn a_copy_of_a_built_in_stack_is_that_stack() {
        let copies = [
            (
                "fishworks-2009",
                include_str!("../../model/stacks/fishworks-2009.toml"),
            ),
            (
                "hotspot-ssj-2009",
                include_str!("../../model/stacks/hotspot-ssj-2009.toml"),
            ),
            (
                "fishworks-2009-rdma",
                include_str!("../../model/stacks/fishworks-2009-rdma.toml"),
            ),
        ];
        for (name, copy) in copies {
            let copy = stack_of(copy, &[]).expect("it loads");
            // A copy is of the profile that it has for a base, a built-in stack of itself.
            let built_in = Stack {
                profile: copy.profile.clone(),
                ..Stack::named(name).expect("built in")
            };
            assert_eq!(copy, built_in);
        }
    }

    #[test]
    fn years_are_two() {
        for years in ["[2008]", "2008", "[2010, 2008]", "[1, 2]"] {
            let wrong = stack_of(&format!("[stack]\nyears = {years}\n"), &[]).expect_err("not two years");
            assert_eq!(wrong, ["`years` is two years, the first and the last"], "{years}");
        }
    }
}
