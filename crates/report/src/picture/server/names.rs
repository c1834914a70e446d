//! A box for what is gone.

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
