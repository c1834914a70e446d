//! Several names as one.

use std::collections::BTreeMap;

use bandgraph_plot::Block;

use crate::json::ResourceDocument;
use crate::text::{pattern, percent};

/// A box for resources that are no longer there; none if all are.
pub(super) fn only_before(gone: &[&ResourceDocument]) -> Option<Block> {
    let mut kinds: BTreeMap<String, (&str, u32, f64)> = BTreeMap::new();
    for resource in gone {
        let kind = kinds
            .entry(pattern(&resource.id))
            .or_insert((&resource.id, 0, 0.0));
        kind.1 += resource.count.unwrap_or(1);
        kind.2 = kind.2.max(resource.saturation);
    }
    let line = |(kind, (id, count, most)): (&String, &(&str, u32, f64))| match count {
        1 => format!("{id}, {} full", percent(*most)),
        count => format!("{count} x {kind}, at most {} full", percent(*most)),
    };
    (!gone.is_empty()).then(|| Block {
        kind: "gone",
        ids: vec!["before".to_owned()],
        name: "Only before".to_owned(),
        lines: kinds.iter().map(line).collect(),
        ..Block::default()
    })
}

/// Several names as one, with a `*` for each number in which they differ, and `count` in front: the number of
/// things that they are of, which may be more than the names.
pub(super) fn named(names: &[String], count: usize) -> String {
    let Some(first) = names.first() else {
        return String::new();
    };
    let pieces: Vec<Vec<&str>> = names.iter().map(|name| numbers_apart(name)).collect();
    let length = pieces[0].len();
    let is_one = names.len() == 1;
    if is_one || pieces.iter().any(|other| other.len() != length) {
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
        let names = |names: &[&str], count| {
            named(
                &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
                count,
            )
        };
        assert_eq!(names(&["nvme0-1", "nvme0-2", "nvme0-13"], 3), "3 x nvme0-*");
        assert_eq!(names(&["nic0.0 in"], 1), "nic0.0 in");
        assert_eq!(names(&["drive", "drive"], 2), "drive");
        assert_eq!(names(&["a", "b1"], 2), "2 x a");
        assert_eq!(names(&[], 0), "");
    }

    /// A prediction lists the first client of each group of ten equal ones.
    #[test]
    fn resources_that_represent_others_count_them() {
        let names = ["client.c0.in", "client.c10.in"].map(str::to_owned);
        assert_eq!(named(&names, 20), "20 x client.c*.in");
        assert_eq!(named(&names[..1], 10), "10 x client.c*.in");
    }
}
