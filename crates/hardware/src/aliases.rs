//! Names that people use for parts and that the catalogue does not have: data in `parts/aliases.csv`.

use bandgraph_diagnostics::did_you_mean_one_of;

/// The aliases, each with the beginnings of the names that it means.
fn aliases() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../parts/aliases.csv").lines();
    let rows = lines.filter(|line| !line.starts_with('#')).skip(1);
    rows.filter_map(|row| row.split_once(','))
}

/// The letters and digits of a name in lower case: `ConnectX-6` is how people write `connectx6`.
pub fn letters(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Those of some names of parts that a text such as `Xeon Gold` or `Mellanox ConnectX-5` means: those of the
/// longest alias that it begins with. If the names of some contain the rest of the text, only those.
pub fn names_meant_by<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let text = letters(text);
    let found = aliases().filter_map(|(alias, names)| Some((text.strip_prefix(&*letters(alias))?, names)));
    let Some((rest, beginnings)) = found.min_by_key(|(rest, _)| rest.len()) else {
        return Vec::new();
    };
    let names = names.filter(|name| beginnings.split(' ').any(|beginning| name.starts_with(beginning)));
    let (narrower, others): (Vec<_>, Vec<_>) = names.partition(|name| letters(name).contains(rest));
    if narrower.is_empty() { others } else { narrower }
}

/// The question whether parts that a text means were meant, of some names.
pub fn meant_parts<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    did_you_mean_one_of(&names_meant_by(text, names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PartKind, catalogue};

    fn every_name() -> impl Iterator<Item = &'static str> {
        PartKind::ALL.iter().flat_map(|kind| catalogue().names(*kind))
    }

    #[test]
    fn every_alias_means_parts_of_the_catalogue() {
        for (alias, beginnings) in aliases() {
            assert!(!names_meant_by(alias, every_name()).is_empty(), "{alias}");
            for beginning in beginnings.split(' ') {
                assert!(
                    every_name().any(|name| name.starts_with(beginning)),
                    "{beginning}"
                );
            }
        }
    }

    #[test]
    fn words_after_an_alias_narrow_it() {
        assert_eq!(
            names_meant_by("X520-DA2", every_name()),
            ["intel-82599-dual-10gbe", "intel-82599-10gbe"]
        );
        assert_eq!(
            names_meant_by("Mellanox BlueField-3 400", every_name()),
            ["bluefield3-400gbe"]
        );
        let gold = names_meant_by("xeon gold", every_name());
        assert!(
            gold.contains(&"xeon-6248") && !gold.contains(&"xeon-5160"),
            "{gold:?}"
        );
        assert!(names_meant_by("connectx5", every_name()).is_empty());
    }
}
