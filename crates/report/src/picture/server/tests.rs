//! Every resource has its place.

use std::collections::BTreeMap;

use bandgraph_plot::Picture;
use bandgraph_testkit::random::servers;
use bandgraph_topology::Topology;
use proptest::prelude::*;

use super::topology_picture;
use crate::TopologyDocument;

/// How often each resource is on a drawing: in a gauge, or on a wire, whose words repeat it.
fn shown(topology: &Topology) -> BTreeMap<String, usize> {
    let svg = Picture::svg(&topology_picture(&TopologyDocument::new(topology))).expect("it can be drawn");
    let document = roxmltree::Document::parse(&svg).expect("it is XML");
    let mut shown = BTreeMap::new();
    for node in document.descendants() {
        let class = node.attribute("class").unwrap_or_default();
        if !matches!(class, "gauge" | "wire") {
            continue;
        }
        for id in node.attribute("data-resources").unwrap_or_default().split(' ') {
            *shown.entry(id.to_owned()).or_insert(0) += 1;
        }
    }
    shown
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_resource_is_there_once(spec in servers(8)) {
        let topology = Topology::build(spec).expect("a valid server");
        let shown = shown(&topology);
        for resource in topology.resources().iter() {
            prop_assert_eq!(shown.get(&resource.id), Some(&1), "{}", resource.id);
        }
        prop_assert_eq!(shown.len(), topology.resources().len());
    }
}
