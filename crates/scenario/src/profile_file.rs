//! Stack profiles as files that scenarios can include.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bandgraph_hardware::catalogue;
use bandgraph_model::{Correlation, Correlations, ModelError};
use bandgraph_units::QuantityKind;

/// Significant digits of quantities.
const DIGITS: usize = 8;

/// A fitted figure of the stack or of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileValue {
    /// The part that it is a figure of; `None` for the stack.
    pub part: Option<ProfilePart>,
    /// The field, or one of its shares by number: `misses_per_byte`, `home_shares.0`.
    pub field: String,
    /// Its kind of quantity; `None` for a plain number.
    pub unit: Option<QuantityKind>,
    /// Its value, in base units.
    pub value: f64,
    /// The 90 % credible interval, in base units; `None` for the default range of fitted figures.
    pub range: Option<[f64; 2]>,
    /// A note on the value.
    pub note: String,
}

/// A part with fitted figures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProfilePart {
    /// Its kind: `nvme`.
    pub kind: &'static str,
    /// Its name, of the catalogue or of a topology.
    pub name: String,
}

impl ProfileValue {
    /// Its line in the table of the stack or of its part.
    fn line(&self) -> String {
        let number = |value: f64| match self.unit {
            Some(kind) => quoted(&kind.format_digits(value, DIGITS)),
            None => value.to_string(),
        };
        let (field, value, note) = (&self.field, number(self.value), quoted(&self.note));
        let range = self.range.map(|ends| ends.map(number));
        let range = range.map_or_else(String::new, |[low, high]| format!("range = [{low}, {high}], "));
        format!("{field} = {{ value = {value}, {range}status = \"fitted\", note = {note} }}\n")
    }
}

/// A file with a profile, the fitted values, the errors of the model on one machine, and the correlations of
/// both, for the `include` of scenarios. `learned_from` are the measurements of that machine. Every line of
/// `provenance` becomes a comment at the top, and all of it the stack's `source`.
pub fn profile_file(
    profile: &str,
    values: &[ProfileValue],
    errors: &[ModelError],
    correlations: &Correlations,
    learned_from: &[String],
    provenance: &[String],
) -> String {
    let mut file = String::new();
    for line in provenance {
        let _ = writeln!(file, "# {}", plain(line));
    }
    let _ = write!(file, "\n[stack]\nprofile = {}\n", quoted(profile));
    let _ = writeln!(file, "source = {}", quoted(&provenance.join(" ")));
    if !learned_from.is_empty() {
        file.push_str("learned_from = [\n");
        for measurement in learned_from {
            let _ = writeln!(file, "    {},", quoted(measurement));
        }
        file.push_str("]\n");
    }
    let mut shares: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    let mut parts: BTreeMap<&ProfilePart, Vec<&ProfileValue>> = BTreeMap::new();
    for one in values {
        if let Some(part) = &one.part {
            parts.entry(part).or_default().push(one);
        } else if let Some((list, number)) = one.field.split_once('.') {
            let share = number.parse().unwrap_or(0);
            shares.entry(list).or_default().insert(share, one.value);
        } else {
            file.push_str(&one.line());
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
    if !correlations.is_empty() {
        file.push_str("# The correlation of each figure with those above it.\ncorrelation = [\n");
        for Correlation { figure, with } in correlations.rows() {
            let with: Vec<String> = with
                .0
                .iter()
                .map(|one| ((one * 1e4).round() / 1e4).to_string())
                .collect();
            let _ = writeln!(
                file,
                "    {{ figure = {}, with = [{}] }},",
                quoted(figure),
                with.join(", ")
            );
        }
        file.push_str("]\n");
    }
    for ModelError {
        limit,
        factor,
        deviation,
        common,
        measurements,
    } in errors
    {
        let _ = write!(
            file,
            "\n[[stack.model_error]]\nlimit = \"{limit}\"\nfactor = {factor}\ndeviation = {deviation}\n\
             common = {common}\nmeasurements = {measurements}\n"
        );
    }
    for (ProfilePart { kind, name }, values) in parts {
        let _ = write!(
            file,
            "\n[[topology.part]]\nname = {}\nkind = \"{kind}\"\n",
            quoted(name)
        );
        // A part of the topology itself is there already.
        if catalogue().get(name).is_some() {
            let _ = writeln!(file, "base = {}", quoted(name));
        }
        for one in values {
            file.push_str(&one.line());
        }
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
    use bandgraph_model::{Coefficients, LimitGroup, Scenario, Stack};

    use super::*;
    use crate::{MemoryFiles, load_with};

    #[test]
    fn a_scenario_takes_what_was_fitted() {
        let value = |field: &str, value: f64| ProfileValue {
            part: None,
            unit: None,
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
            &Correlations::default(),
            &[],
            &["with \"quotes\" and a \\".to_owned()],
        );
        let files = MemoryFiles::new()
            .with("fitted.toml", text)
            .with("server.toml", crate::folder::tests::SERVER)
            .with(
                "run.toml",
                "schema = 1\ninclude = [\"fitted.toml\"]\nname = \"x\"\ntopology = \"server.toml\"\n[[clients]]\nid = \"c\"\n\
                 [[workload]]\nid = \"w\"\nclients = \"c\"\nprotocol = \"nfs3-tcp\"\n\
                 mix = \"read\"\n",
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
        let shares = profile_file("fishworks-2009", &values, &[], &Correlations::default(), &[], &[]);
        assert!(shares.contains("home_shares = \"2 0.5\""), "{shares}");
    }

    #[test]
    fn a_scenario_takes_the_errors_of_the_model() {
        let error = |limit, factor, deviation| ModelError {
            limit,
            factor,
            deviation,
            common: 0.3,
            measurements: 9,
        };
        let errors = [
            error(LimitGroup::Cores, 0.9, 0.12),
            error(LimitGroup::Cards, 1.05, 0.04),
        ];
        let learned_from = ["threads_1 ops_per_s 24554 ops/s".to_owned(), "a \"b\"".to_owned()];
        let none = Correlations::default();
        let text = profile_file("fishworks-2009", &[], &errors, &none, &learned_from, &[]);
        let found = stack_of(&text, &["stack.model_error.cores.factor=0.8"]).expect("it loads");
        let expected = [error(LimitGroup::Cores, 0.8, 0.12), errors[1].clone()];
        assert_eq!(found.model_errors, expected);
        assert_eq!(found.learned_from, learned_from);
        let unknown = stack_of("[[stack.model_error]]\nlimit = \"wires\"\ndeviation = 0.1\n", &[]);
        let problems = unknown.expect_err("there is no such kind");
        assert_eq!(problems, ["`limit` cannot be `wires`"]);
    }

    fn correlations(rows: &[(&str, &[f64])]) -> Correlations {
        let mut found = Correlations::default();
        for (figure, with) in rows {
            let figure = (*figure).to_owned();
            let with = Coefficients(with.to_vec());
            found.push(Correlation { figure, with }).expect("it fits");
        }
        found
    }

    /// Values of the stack and of parts, of the catalogue and of the topology, with their units.
    #[test]
    fn a_scenario_takes_the_figures_of_parts_with_their_correlations() {
        let value = |part: Option<(&'static str, &str)>, field: &str, unit, value: f64| ProfileValue {
            part: part.map(|(kind, name)| ProfilePart {
                kind,
                name: name.to_owned(),
            }),
            field: field.to_owned(),
            unit,
            value,
            range: Some([0.9 * value, 1.2 * value]),
            note: "fitted".to_owned(),
        };
        let values = [
            value(None, "misses_per_byte", None, 0.0625),
            value(Some(("socket", "opteron-8356")), "base_cpi", None, 1.25),
            value(
                Some(("nic", "own-nic")),
                "interrupt_interval",
                Some(QuantityKind::Time),
                123.456_7e-6,
            ),
        ];
        let given = correlations(&[
            ("stack.misses_per_byte", &[]),
            ("part.opteron-8356.base_cpi", &[-0.7]),
            ("stack.model_error.PCIe and ports", &[0.1, 0.25]),
        ]);
        let text = profile_file("fishworks-2009", &values, &[], &given, &[], &[]);
        let server = crate::folder::tests::SERVER.replace("neptune-dual-10gbe", "own-nic")
            + "[[part]]\nname = \"own-nic\"\nkind = \"nic\"\nbase = \"neptune-dual-10gbe\"\n";
        let found = scenario_of(&text, &server, &[]).expect("it loads");
        assert_eq!(*found.stack.correlations, given);
        let parts = found.topology.spec().parts();
        let figure = |part: &str, field: &str| {
            let part = parts
                .iter()
                .find(|known| known.name() == part)
                .expect("it is there");
            let figures = part.figures();
            let known = figures
                .into_iter()
                .find(|known| known.field.name == field)
                .expect("it has it");
            (known.value.number(), known.range)
        };
        assert_eq!(
            figure("opteron-8356", "base_cpi"),
            (Some(1.25), Some([1.125, 1.5]))
        );
        let (interval, _) = figure("own-nic", "interrupt_interval");
        assert_eq!(interval, Some(123.456_7e-6));
    }

    /// The correlations of each profile are with the figures of that profile alone.
    #[test]
    fn correlations_of_two_profiles_are_not_combined() {
        let profile =
            |rows: &[(&str, &[f64])]| profile_file("fishworks-2009", &[], &[], &correlations(rows), &[], &[]);
        let files = MemoryFiles::new()
            .with(
                "first.toml",
                profile(&[("stack.misses_per_byte", &[]), ("stack.written_share", &[0.5])]),
            )
            .with("second.toml", profile(&[("stack.written_share", &[])]))
            .with(
                "run.toml",
                "schema = 1\ninclude = [\"first.toml\", \"second.toml\"]\nname = \"x\"\n",
            );
        let errors =
            load_with(&files, Path::new("run.toml"), &[], &mut Sources::new()).expect_err("two fits");
        let found = errors.iter().find(|error| error.id == "value::correlations");
        let found = found.expect("it is refused");
        assert_eq!(
            found.message,
            "correlations of two calibrations cannot be combined"
        );
        assert_eq!(found.secondary.len(), 1);
    }

    #[test]
    fn correlations_that_do_not_fit_are_refused() {
        let file = |rows: &str| format!("[stack]\ncorrelation = [{rows}]\n");
        let of = |rows: &str| stack_of(&file(rows), &[]).expect_err("it is wrong");
        let first = "{ figure = \"stack.misses_per_byte\", with = [] }";
        let second = |with: &str| format!("{first}, {{ figure = \"stack.written_share\", with = {with} }}");
        let not_numbers = "`with` is a list of numbers from -1 to 1";
        assert_eq!(of(&second("[1.5]")), [not_numbers]);
        assert_eq!(of(&second("[\"much\"]")), [not_numbers]);
        assert_eq!(of(&second("0.5")), [not_numbers]);
        let count = "`stack.written_share` has 2 correlations instead of 1, one for each figure above it";
        assert_eq!(of(&second("[0.5, 0.5]")), [count]);
        let third = second("[0.9]") + ", { figure = \"stack.model_error.cores\", with = [0.9, -0.9] }";
        let contradiction = "`stack.model_error.cores` cannot have these correlations: those of the figures above it \
                             contradict them";
        assert_eq!(of(&third), [contradiction]);
        let unknown = first.replace("misses_per_byte", "misses_per_bite");
        assert_eq!(of(&unknown), ["there is no figure `stack.misses_per_bite`"]);
        let twice = of(&format!("{first}, {}", first.replace("[]", "[1]")));
        assert_eq!(twice, ["`stack.misses_per_byte` has two entries of correlations"]);
        assert!(stack_of(&file(&second("[-1]")), &[]).is_ok());
    }

    /// What was written before there were correlations is written to the byte.
    #[test]
    fn a_profile_without_correlations_has_no_table_of_them() {
        let value = ProfileValue {
            part: None,
            field: "misses_per_byte".to_owned(),
            unit: None,
            value: 0.0625,
            range: Some([0.05, 0.07]),
            note: "fitted".to_owned(),
        };
        let none = Correlations::default();
        let text = profile_file(
            "fishworks-2009",
            &[value],
            &[],
            &none,
            &[],
            &["Fitted.".to_owned()],
        );
        let expected = "# Fitted.\n\n[stack]\nprofile = \"fishworks-2009\"\nsource = \"Fitted.\"\n\
                        misses_per_byte = { value = 0.0625, range = [0.05, 0.07], status = \"fitted\", note = \"fitted\" }\n";
        assert_eq!(text, expected);
    }

    /// The stack of a scenario that includes a file, or the error messages.
    fn stack_of(included: &str, sets: &[&str]) -> Result<Stack, Vec<String>> {
        scenario_of(included, crate::folder::tests::SERVER, sets).map(|scenario| scenario.stack)
    }

    fn scenario_of(included: &str, server: &str, sets: &[&str]) -> Result<Scenario, Vec<String>> {
        let files = MemoryFiles::new()
            .with("mine.toml", included.to_owned())
            .with("server.toml", server)
            .with(
                "run.toml",
                "schema = 1\ninclude = [\"mine.toml\"]\nname = \"x\"\ntopology = \"server.toml\"\n[[clients]]\nid = \"c\"\n\
                 [[workload]]\nid = \"w\"\nclients = \"c\"\nprotocol = \"nfs3-tcp\"\n\
                 mix = \"read\"\n",
            );
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        let loaded = load_with(&files, Path::new("run.toml"), &sets, &mut Sources::new());
        loaded
            .map(|loaded| loaded.scenario)
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
            (0.05, 2500.0)
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
