//! Several names as one.

use super::pattern;

/// Names up to this many are listed one by one.
const LISTED: usize = 3;

/// Different names, each with the number of things that it stands for: one by one if they are few, else those
/// that differ in numbers as [`named`].
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = (&'n str, usize)>) -> String {
    let names: Vec<(String, usize)> = (names.into_iter())
        .map(|(name, count)| (name.to_owned(), count))
        .collect();
    if names.len() <= LISTED && names.iter().all(|&(_, count)| count == 1) {
        let names: Vec<String> = names.into_iter().map(|(name, _)| name).collect();
        return names.join(", ");
    }
    let mut kinds: Vec<(Vec<String>, usize)> = Vec::new();
    for (name, count) in names {
        match kinds
            .iter_mut()
            .find(|(kind, _)| pattern(&kind[0]) == pattern(&name))
        {
            Some((kind, all)) => {
                kind.push(name);
                *all += count;
            }
            None => kinds.push((vec![name], count)),
        }
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, all)| named(kind, *all)).collect();
    kinds.join(", ")
}

/// Several names as one, with a `*` for each number in which they differ, and `count` in front: the number of
/// things that they are of, which may be more than the names.
pub(crate) fn named(names: &[String], count: usize) -> String {
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
        let all = ["hba0", "hba1", "nic0", "nic1", "io55"].map(str::to_owned);
        let one_each = |names: &[String]| listed(names.iter().map(|name| (name.as_str(), 1)));
        assert_eq!(one_each(&all), "2 x hba*, 2 x nic*, io55");
        assert_eq!(one_each(&all[..2]), "hba0, hba1");
        assert_eq!(listed([("clients0", 8), ("clients1", 8)]), "16 x clients*");
    }

    /// A prediction lists the first client of each group of ten equal ones.
    #[test]
    fn resources_that_represent_others_count_them() {
        let names = ["client.c0.in", "client.c10.in"].map(str::to_owned);
        assert_eq!(named(&names, 20), "20 x client.c*.in");
        assert_eq!(named(&names[..1], 10), "10 x client.c*.in");
    }
}
