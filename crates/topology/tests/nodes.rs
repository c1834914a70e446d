//! Sockets that firmware divides in NUMA nodes.

use bandgraph_config::FieldValue;
use bandgraph_hardware::{SocketLinkPart, catalogue};
use bandgraph_topology::{
    BridgeSpec, LinkSpec, MemorySpec, NodesSpec, PartFigure, SocketSpec, Topology, TopologySpec,
};
use bandgraph_units::Bytes;

/// Two sockets of a part with eight memory channels each, `nodes` to each, joined by `links` links, with
/// `bridges` root complexes on each.
fn server(part: &str, nodes: u32, links: usize, bridges: usize) -> TopologySpec {
    let parts = catalogue();
    let part = parts.socket(part).expect("a part of the catalogue");
    let link = parts.socket_link(&part.node_link).expect("in the catalogue");
    let socket = |id: &str| SocketSpec {
        id: id.to_owned(),
        part: part.clone(),
        memory: MemorySpec {
            part: parts.memory("ddr4-2666").expect("in the catalogue").clone(),
            channels: 8,
            size: Bytes::new(64e9),
        },
        nodes: Some(NodesSpec {
            count: nodes,
            link: link.clone(),
        }),
    };
    let xgmi = parts.socket_link("xgmi2-x16").expect("in the catalogue");
    let bridge = |number: usize| BridgeSpec {
        id: format!("rc{number}"),
        part: parts
            .bridge("root-complex-rome")
            .expect("in the catalogue")
            .clone(),
        uplink_to: format!("cpu{}", number % 2),
        uplink: None,
    };
    TopologySpec {
        name: part.name.clone(),
        sockets: vec![socket("cpu0"), socket("cpu1")],
        links: vec![
            LinkSpec {
                ends: ["cpu0".to_owned(), "cpu1".to_owned()],
                part: xgmi.clone(),
                weight: 1.0,
            };
            links
        ],
        bridges: (0..2 * bridges).map(bridge).collect(),
        ..TopologySpec::default()
    }
}

fn link_ids(topology: &Topology) -> Vec<&str> {
    topology.links().iter().map(|link| link.id.as_str()).collect()
}

/// A quarter of everything each: 16 of 64 cores, 2 of 8 channels, 4 of 16 slices of the cache. The read of a
/// whole socket of 7742 takes 120 ns, of which three quarters cross two hops of 6 ns: 111 ns on a node.
#[test]
fn a_node_is_a_part_of_its_socket() {
    let topology = Topology::build(server("epyc-7742", 4, 4, 1)).expect("sound");
    let whole = catalogue().socket("epyc-7742").expect("in the catalogue");
    let ids: Vec<&str> = topology.sockets().iter().map(|node| node.id.as_str()).collect();
    let nodes = |socket: &str| (0..4).map(|node| format!("{socket}.{node}")).collect::<Vec<_>>();
    assert_eq!(ids, [nodes("cpu0"), nodes("cpu1")].concat());
    for (index, node) in topology.sockets().iter().enumerate() {
        assert_eq!(node.of, index / 4);
        assert_eq!((node.part.cores, node.memory.channels), (16, 2));
        assert_eq!(node.memory.size, Bytes::new(16e9));
        assert_eq!(node.part.l3_slices * 4, whole.l3_slices);
        assert!((node.part.local_latency.get() - 111e-9).abs() < 1e-12, "{node:?}");
    }
    // The nodes of a single die share the links to the other socket, which are at the first.
    let between_sockets = topology.hop_links(0, 4);
    assert_eq!(between_sockets.len(), 4);
    assert!(topology.hop_links(1, 5).is_empty());
    assert_eq!(topology.path(1, 6), [1, 0, 4, 6]);
    assert_eq!(link_ids(&topology).len(), 4 + 2 * 6);
}

/// Dies have links of their own: the first of four goes from die 0 to die 0, the second from 1 to 1. Memory
/// on the die is as near as the part says.
#[test]
fn dies_have_links_of_their_own() {
    let topology = Topology::build(server("epyc-7601", 4, 4, 1)).expect("sound");
    let expected = ["cpu0.0-cpu1.0", "cpu0.1-cpu1.1", "cpu0.2-cpu1.2", "cpu0.3-cpu1.3"];
    assert_eq!(link_ids(&topology)[..4], expected);
    assert_eq!(topology.path(2, 6), [2, 6]);
    let whole = catalogue().socket("epyc-7601").expect("in the catalogue");
    assert_eq!(topology.sockets()[3].part.local_latency, whole.local_latency);
}

#[test]
fn root_complexes_are_spread_over_the_nodes() {
    let topology = Topology::build(server("epyc-7742", 4, 1, 6)).expect("sound");
    let on = topology.bridges().iter();
    let on: Vec<usize> = on.map(|bridge| bridge.socket).collect();
    assert_eq!(on, [0, 4, 1, 5, 2, 6, 3, 7, 0, 4, 1, 5]);
}

#[test]
fn a_root_complex_is_on_the_node_that_it_names() {
    let mut spec = server("epyc-7601", 4, 1, 3);
    spec.bridges[1].uplink_to = "cpu1.2".to_owned();
    let topology = Topology::build(spec.clone()).expect("sound");
    let on: Vec<usize> = topology.bridges().iter().map(|bridge| bridge.socket).collect();
    assert_eq!(on, [0, 6, 1, 4, 2, 5]);
    spec.bridges[1].uplink_to = "cpu1.4".to_owned();
    let errors = Topology::build(spec).expect_err("there is no fifth node");
    assert!(format!("{errors:?}").contains("cpu1.4"), "{errors:?}");
}

/// Two EPYC 7H12 with four nodes each carry 320 to 343 GB/s of STREAM triad (orfeo-stream), undivided ones
/// 281 GB/s of reads (mlc-7h12).
#[test]
fn memory_of_divided_sockets_may_carry_more() {
    let carried = |nodes: u32| -> f64 {
        let topology = Topology::build(server("epyc-7h12", nodes, 2, 2)).expect("sound");
        let memory = |socket: &bandgraph_topology::Socket| topology[socket.memory_resource].usable();
        topology.sockets().iter().map(memory).sum()
    };
    assert_eq!(carried(2), carried(1));
    let gain = carried(4) / carried(1);
    assert!((320.0 / 281.0..343.0 / 281.0).contains(&gain), "{gain}");
}

/// Totals stay those of the undivided server, whatever the number of nodes.
#[test]
fn nodes_add_up_to_their_sockets() {
    let totals = |nodes: u32| {
        let topology = Topology::build(server("epyc-7543", nodes, 2, 2)).expect("sound");
        let sum = |figure: &dyn Fn(usize) -> f64| (0..topology.sockets().len()).map(figure).sum::<f64>();
        let sockets = topology.sockets();
        [
            sum(&|node| sockets[node].part.cores as f64),
            sum(&|node| sockets[node].part.l3.get()),
            sum(&|node| sockets[node].part.active_power.get()),
            sum(&|node| sockets[node].memory.size.get()),
            sum(&|node| topology[sockets[node].memory_resource].usable()),
            sum(&|node| topology[sockets[node].cpu_resource].usable()),
        ]
    };
    for nodes in [2, 4] {
        for (divided, whole) in totals(nodes).into_iter().zip(totals(1)) {
            assert!(
                (divided / whole - 1.0).abs() < 1e-12,
                "{nodes}: {divided} {whole}"
            );
        }
    }
}

/// Figures that are set on the parts of the file reach the nodes as a new build does.
#[test]
fn figures_of_a_divided_socket_can_be_set() {
    let spec = server("epyc-7742", 2, 2, 1);
    let link = (spec.parts().iter())
        .position(|part| part.name() == "infinity-fabric-quadrant")
        .expect("the link between nodes is a part");
    let figures = [
        (0, "clock", 3e9),
        (0, "local_latency", 200e-9),
        (link, "hop_latency", 10e-9),
    ];
    let figures = figures.map(|(part, field, value)| PartFigure {
        part,
        field,
        value: FieldValue::Quantity(value),
    });
    let mut set = Topology::build(spec.clone()).expect("sound");
    set.set_figures(figures).expect("within their ranges");
    // Half of the reads of a socket cross two hops of 10 ns.
    assert!((set.sockets()[1].part.local_latency.get() - 190e-9).abs() < 1e-12);
    let rebuilt = Topology::build(set.spec().clone()).expect("sound");
    assert_eq!(set.sockets(), rebuilt.sockets());
    assert_eq!(set.links(), rebuilt.links());
    assert_eq!(set.resources(), rebuilt.resources());
}

/// Every processor of the catalogue that can be divided names the part that joins its nodes.
#[test]
fn divided_processors_have_links_between_nodes() {
    let mut divided = 0;
    for name in catalogue().names(bandgraph_hardware::PartKind::Socket) {
        let part = catalogue().socket(name).expect("a socket");
        if part.maximum_numa_nodes > 1 {
            divided += 1;
            let link: Option<&SocketLinkPart> = catalogue().socket_link(&part.node_link);
            let link = link.unwrap_or_else(|| panic!("{name}: no {}", part.node_link));
            let node = part.node(0, part.maximum_numa_nodes, link);
            assert!(
                node.local_latency.get() > 0.8 * part.local_latency.get(),
                "{name}"
            );
        }
    }
    assert!(divided > 100, "{divided}");
}
