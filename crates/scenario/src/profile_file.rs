//! Writing a stack profile that scenarios can include.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A fitted figure of the stack.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileValue {
    /// The field, or one of its shares by number: `misses_per_byte`, `home_shares.0`.
    pub field: String,
    /// Its value.
    pub value: f64,
    /// What is to be said beside it.
    pub note: String,
}

/// A TOML file with a `[stack]` of a profile and what differs from it, for the `include` of scenarios. Every line of
/// `provenance` becomes a comment at the top, and all of it the profile's `source`.
pub fn profile_file(profile: &str, values: &[ProfileValue], provenance: &[String]) -> String {
    let mut file = String::new();
    for line in provenance {
        let _ = writeln!(file, "# {}", plain(line));
    }
    let _ = write!(file, "\n[stack]\nprofile = {}\n", quoted(profile));
    let _ = writeln!(file, "source = {}", quoted(&provenance.join(" ")));
    let mut shares: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    for ProfileValue { field, value, note } in values {
        match field.split_once('.') {
            Some((list, number)) => {
                shares
                    .entry(list)
                    .or_default()
                    .insert(number.parse().unwrap_or(0), *value);
            }
            None => {
                let _ = write!(file, "\n# {}\n{field} = {value}\n", plain(note));
            }
        }
    }
    for (list, given) in shares {
        let last = given.keys().copied().max().unwrap_or(0);
        // Those that are not fitted are 1, as in the fit.
        let all: Vec<String> = (0..=last)
            .map(|number| given.get(&number).copied().unwrap_or(1.0).to_string())
            .collect();
        let _ = write!(
            file,
            "\n# fitted; shares of any sum\n{list} = {}\n",
            quoted(&all.join(" "))
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
    // Control characters are gone, so that these two are all that a basic string cannot hold.
    format!("\"{}\"", plain(text).replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bandgraph_diagnostics::Sources;

    use super::*;
    use crate::{MemoryFiles, load_with};

    #[test]
    fn a_scenario_takes_what_was_fitted() {
        let value = |field: &str, value: f64| ProfileValue {
            field: field.to_owned(),
            value,
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
        assert_eq!(stack.source, "with \"quotes\" and a \\");
        let shares = profile_file("fishworks-2009", &values, &[]);
        assert!(shares.contains("home_shares = \"2 0.5\""), "{shares}");
    }
}
