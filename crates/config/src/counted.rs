//! Entries that represent several equal elements, and references that name several.

use crate::document::{Node, Table, Value};
use crate::kind::{Identity, Kind};

/// The maximum number of elements in a range.
const MOST: u32 = 4096;

/// The elements that a reference names: those of a range such as `bay[0-11]`, or a single one.
pub fn named(text: &str) -> Vec<String> {
    let range = text.strip_suffix(']').and_then(|text| text.split_once('['));
    let elements = range.and_then(|(stem, range)| {
        let (first, last) = range.split_once('-')?;
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        let last = last.min(first.saturating_add(MOST));
        Some((first..=last).map(|number| format!("{stem}{number}")).collect())
    });
    elements.unwrap_or_else(|| vec![text.to_owned()])
}

/// The reference of each of `copies` elements: consecutive copies share a name, equally many per name.
pub fn spread(text: &str, copies: usize) -> impl Iterator<Item = String> + use<> {
    let named = named(text);
    (0..copies).map(move |number| {
        // A descending range names nothing.
        let place = number * named.len() / copies;
        named.get(place).cloned().unwrap_or_default()
    })
}

/// The ids of the entries with a `count`, with which the ids of their elements begin.
pub(crate) fn stems(entries: &[Node]) -> Vec<String> {
    let tables = entries.iter().filter_map(Node::table);
    let counted = tables.filter(|table| table.contains_key("count"));
    let id = |table: &Table| Some(table.get("id")?.node.text()?.to_owned());
    counted.filter_map(id).collect()
}

/// Replaces an entry with a `count` by its elements, if one of them has this name: `bay3` of `bay`.
pub(crate) fn split_named(kind: &Kind, entries: &mut Vec<Node>, name: &str) {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    if kind.identity != Identity::Numbered || digits == 0 {
        return;
    }
    let id = |entry: &Node| Some(entry.table()?.get("id")?.node.text()?.to_owned());
    let ids: Vec<Option<String>> = entries.iter().map(id).collect();
    if ids.iter().flatten().any(|id| id == name) {
        return;
    }
    let elements = ids.iter().zip(0..).find_map(|(id, index)| {
        let number = name.strip_prefix(&**id.as_ref()?)?;
        let is_number = number == "0" || !number.starts_with('0');
        let number: usize = number.parse().ok().filter(|_| is_number)?;
        let elements = elements(&entries[index])?;
        (number < elements.len()).then_some((index, elements))
    });
    if let Some((index, elements)) = elements {
        entries.splice(index..=index, elements);
    }
}

/// The ids of the elements of an entry with a `count`; none for other entries.
pub(crate) fn element_ids(kind: &Kind, entry: &Node) -> Vec<String> {
    let is_numbered = kind.identity == Identity::Numbered;
    let elements = elements(entry).filter(|_| is_numbered).unwrap_or_default();
    let id = |element: &Node| Some(element.table()?.get("id")?.node.text()?.to_owned());
    elements.iter().filter_map(id).collect()
}

/// The elements of an entry as separate entries; `None` if it has no count, or they cannot be spread evenly
/// over the names in it.
fn elements(entry: &Node) -> Option<Vec<Node>> {
    let table = entry.table()?;
    let id = table.get("id")?.node.text()?;
    let Value::Integer(count) = table.get("count")?.node.value else {
        return None;
    };
    let copies = usize::try_from(count)
        .ok()
        .filter(|&copies| copies <= MOST as usize)?;
    let element = |number: usize| {
        let mut table = table.clone();
        table.remove("count");
        table.get_mut("id")?.node.value = Value::Text(format!("{id}{number}"));
        share(&mut table, number, copies)?;
        Some(Node::new(Value::Table(table), entry.place.clone()))
    };
    (0..copies).map(element).collect()
}

/// Replaces each range by the name for the element with this number.
fn share(table: &mut Table, number: usize, copies: usize) -> Option<()> {
    for entry in table.values_mut() {
        match &mut entry.node.value {
            Value::Table(inner) => share(inner, number, copies)?,
            Value::Text(text) => {
                let names = named(text).len();
                if names == 0 || !copies.is_multiple_of(names) {
                    return None;
                }
                *text = spread(text, copies).nth(number)?;
            }
            _ => {}
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{merge, parse_document};
    use crate::fixture::TOPOLOGY;
    use crate::{Problems, Set};
    use bandgraph_diagnostics::Sources;

    const BAYS: &str = "[[slot]]\nid = \"bay\"\ncount = 4\npcie = \"of rc[0-1]\"\n[[slot]]\nid = \"s9\"\n";

    fn parsed(text: &str) -> Table {
        let (mut sources, mut problems) = (Sources::new(), Problems::new());
        let source = sources.add("x", text.to_owned());
        let table = parse_document(source, &sources, &mut problems);
        assert!(!problems.has_errors());
        table
    }

    /// The ids and lanes of all slots.
    fn slots(table: &Table) -> Vec<String> {
        let of = |slot: &Node, field: &str| {
            let entry = slot.table().and_then(|slot| slot.get(field));
            entry.map_or(String::new(), |entry| format!("{:?}", entry.node.value))
        };
        let slots = table["slot"].node.items().iter();
        slots
            .map(|slot| {
                format!("{} {} {}", of(slot, "id"), of(slot, "count"), of(slot, "pcie")).replace("Text", "")
            })
            .collect()
    }

    fn set(path: &str) -> (Vec<String>, usize) {
        let (mut sources, mut problems) = (Sources::new(), Problems::new());
        let mut table = parsed(BAYS);
        if let Some(set) = Set::parse(path, &mut sources, &mut problems) {
            set.apply(&TOPOLOGY, &mut table, &mut problems);
        }
        (slots(&table), problems.into_sorted().len())
    }

    #[test]
    fn an_override_of_one_element_is_of_that_one() {
        let (found, problems) = set("slot.bay2.pcie=x8");
        let expected = [
            "(\"bay0\")  (\"of rc0\")",
            "(\"bay1\")  (\"of rc0\")",
            "(\"bay2\")  (\"x8\")",
            "(\"bay3\")  (\"of rc1\")",
            "(\"s9\")  ",
        ];
        assert_eq!((found, problems), (expected.map(str::to_owned).to_vec(), 0));
        let whole = slots(&parsed(BAYS));
        let (found, problems) = set("slot.bay.pcie=x8");
        assert_eq!(
            (found[0].as_str(), problems),
            ("(\"bay\") Integer(4) (\"x8\")", 0)
        );
        for none in ["slot.bay4.pcie=x8", "slot.bay02.pcie=x8", "slot.ba1.pcie=x8"] {
            assert_eq!(set(none), (whole.clone(), 1), "{none}");
        }
    }

    #[test]
    fn a_file_on_top_changes_one_element() {
        let mut table = parsed(BAYS);
        merge(
            &TOPOLOGY,
            &mut table,
            parsed("[[slot]]\nid = \"bay3\"\npcie = \"x4\"\n"),
        );
        let found = slots(&table);
        assert_eq!((found.len(), found[3].as_str()), (5, "(\"bay3\")  (\"x4\")"));
    }

    #[test]
    fn what_cannot_be_spread_evenly_is_no_elements() {
        let uneven = BAYS.replace("count = 4", "count = 5");
        let table = parsed(&uneven);
        assert!(elements(&table["slot"].node.items()[0]).is_none());
    }
}
