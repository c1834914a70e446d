//! The graph as Graphviz DOT, with capacities on the edges.

use std::fmt::Write;

use bandgraph_units::Bandwidth;
use petgraph::visit::EdgeRef;

use crate::graph::{Edge, Node, NodeKind};
use crate::topology::Topology;

/// The graph in the DOT language: an undirected graph, with nodes and edges in the order of the topology. The
/// output is deterministic.
pub(crate) fn print(topology: &Topology) -> String {
    let mut text = String::from("graph topology {\n");
    line(&mut text, format_args!("label={}", quoted(topology.name())));
    line(&mut text, format_args!("node [fontname=\"sans-serif\"]"));
    line(
        &mut text,
        format_args!("edge [fontname=\"sans-serif\", fontsize=10]"),
    );
    let graph = topology.graph();
    for node in graph.node_weights() {
        let label = label(topology, node);
        line(
            &mut text,
            format_args!(
                "{} [shape={}, label={}]",
                quoted(&node.name),
                shape(node.kind),
                quoted(&label)
            ),
        );
    }
    for edge in graph.edge_references() {
        let (from, to) = (&graph[edge.source()].name, &graph[edge.target()].name);
        let attributes = match capacity(topology, edge.weight()) {
            Some(capacity) => format!("label={}", quoted(&capacity)),
            None => "style=dotted".to_owned(),
        };
        line(
            &mut text,
            format_args!("{} -- {} [{attributes}]", quoted(from), quoted(to)),
        );
    }
    text.push_str("}\n");
    text
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "  {content};").expect("a string takes all that is written to it");
}

const fn shape(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Socket => "box3d",
        NodeKind::Memory => "cylinder",
        NodeKind::Bridge => "hexagon",
        NodeKind::Switch => "diamond",
        NodeKind::Slot => "cds",
        NodeKind::Card => "box",
        NodeKind::Port => "ellipse",
        NodeKind::Jbod => "folder",
    }
}

/// The label of a node: its name and its part.
fn label(topology: &Topology, node: &Node) -> String {
    let what = match node.kind {
        NodeKind::Socket => topology.sockets()[node.index].part.name.clone(),
        NodeKind::Memory => {
            let memory = &topology.sockets()[node.index].memory;
            format!(
                "{} x {}, {}",
                memory.channels,
                memory.part.name,
                memory.size.binary()
            )
        }
        NodeKind::Bridge => topology.bridges()[node.index].part.name.clone(),
        NodeKind::Switch => topology.switches()[node.index].part.name.clone(),
        NodeKind::Slot => topology.slots()[node.index].pcie.to_string(),
        NodeKind::Card => topology.cards()[node.index].part.name().to_owned(),
        NodeKind::Port => topology.ports()[node.index].kind.rate.to_string(),
        NodeKind::Jbod => {
            let jbod = &topology.jbods()[node.index];
            format!("{} x {}", jbod.disks.len(), jbod.disk.part().name())
        }
    };
    format!("{}\n{what}", node.name)
}

/// The label of an edge: its capacity, for both directions if they differ; `None` without a resource.
fn capacity(topology: &Topology, edge: &Edge) -> Option<String> {
    let printed = |id| Bandwidth::new(topology[id].capacity).to_string();
    let (forward, backward) = (printed(edge.forward?), printed(edge.backward?));
    Some(if forward == backward {
        forward
    } else {
        format!("{forward} / {backward}")
    })
}

/// A DOT string: quoted, with escaped quotes, backslashes and line ends.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => {}
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn strings_cannot_break_out() {
        assert_eq!(quoted("Sun \"7410\"\\\r\n]"), r#""Sun \"7410\"\\\n]""#);
    }
}
