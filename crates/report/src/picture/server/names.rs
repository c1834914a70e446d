//! Several names as one.

use std::collections::BTreeMap;

use bandgraph_plot::Block;

use crate::text::pattern;

/// A box for the ids of resources that are no longer there; none if all are.
pub(super) fn only_before(ids: &[&str]) -> Option<Block> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for id in ids {
        *counts.entry(pattern(id)).or_default() += 1;
    }
    let line = |(kind, count): (&String, &usize)| match count {
        1 => (ids.iter().find(|id| pattern(id) == *kind)).map_or_else(String::new, |id| (*id).to_owned()),
        count => format!("{count} x {kind}"),
    };
    (!ids.is_empty()).then(|| Block {
        kind: "gone",
        ids: vec!["before".to_owned()],
        name: "Only before".to_owned(),
        lines: counts.iter().map(line).collect(),
        ..Block::default()
    })
}

/// Several names as one: with a `*` for each number in which they differ.
pub(super) fn named(names: &[String]) -> String {
    let (Some(first), count) = (names.first(), names.len()) else {
        return String::new();
    };
    let pieces: Vec<Vec<&str>> = names.iter().map(|name| numbers_apart(name)).collect();
    let length = pieces[0].len();
    if count == 1 || pieces.iter().any(|other| other.len() != length) {
        return if count == 1 {
            first.clone()
        } else {
            format!("{count} x {}", pattern(first))
        };
    }
    let piece = |index: usize| {
        let same = pieces.iter().all(|other| other[index] == pieces[0][index]);
        if same { pieces[0][index] } else { "*" }
    };
    let name: String = (0..length).map(piece).collect();
    if name == *first {
        name
    } else {
        format!("{count} x {name}")
    }
}

/// A name in pieces of digits and of other letters.
fn numbers_apart(name: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<bool> = None;
    for (index, letter) in name.char_indices() {
        let is_digit = letter.is_ascii_digit();
        if before.is_some_and(|before| before != is_digit) {
            pieces.push(&name[start..index]);
            start = index;
        }
        before = Some(is_digit);
    }
    pieces.push(&name[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_where_the_star_is() {
        let names = |names: &[&str]| named(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["nvme0-1", "nvme0-2", "nvme0-13"]), "3 x nvme0-*");
        assert_eq!(names(&["nic0.0 in"]), "nic0.0 in");
        assert_eq!(names(&["drive", "drive"]), "drive");
        assert_eq!(names(&["a", "b1"]), "2 x a");
        assert_eq!(names(&[]), "");
    }
}
