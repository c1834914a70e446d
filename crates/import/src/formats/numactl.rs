//! `numactl --hardware`: NUMA nodes with their memory, and the distances between them.

use super::text::{distances, integers, leading_number};
use super::{Line, Reader, Text};
use crate::facts::{Facts, Node};

pub(crate) const READER: Reader = Reader {
    name: "numactl",
    recognises: |text| {
        text.contains("available: ") && text.contains(" nodes (") && text.contains("node distances:")
    },
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut rows: Vec<Vec<u32>> = Vec::new();
    let mut place = None;
    for (key, value) in text.lines().filter_map(Line::key_value) {
        if key == "node distances" {
            place = Some(value.at);
        } else if let (Some(_), Ok(_)) = (place, key.parse::<u32>()) {
            let row: Option<Vec<u32>> = integers(value.text);
            rows.extend(row);
        } else if let Some((number, "size")) = key.strip_prefix("node ").and_then(|rest| rest.split_once(' '))
            && let Ok(number) = number.parse()
        {
            // Called MB, in units of 2^20 bytes.
            let size = leading_number(value.text).filter(|&size| size > 0.0 && size < 1e12);
            facts.nodes.push(Node {
                number: value.says(number),
                memory_bytes: value.may_say(size.map(|size| (size as u64) << 20)),
                ..Node::default()
            });
        }
    }
    if rows.len() == facts.nodes.len() {
        facts.system.distances = place.and_then(|at| Some(at.says(distances(rows)?)));
    }
}
