//! Transactions in flight between sockets.

use bandgraph_hardware::catalogue;
use bandgraph_topology::{LinkSpec, MemorySpec, SocketSpec, Topology, TopologySpec};
use bandgraph_units::Bytes;

/// Sockets of a part in a ring, or two of them.
fn ring(part: &str, sockets: usize) -> Topology {
    let parts = catalogue();
    let socket = |number: usize| SocketSpec {
        id: format!("cpu{number}"),
        part: parts.socket(part).expect("in the catalogue").clone(),
        memory: MemorySpec {
            part: parts.memory("ddr3-1600").expect("in the catalogue").clone(),
            channels: 4,
            size: Bytes::new(64e9),
        },
        nodes: None,
    };
    let link = |number: usize| LinkSpec {
        ends: [number, (number + 1) % sockets].map(|end| format!("cpu{end}")),
        part: parts.socket_link("qpi-7200").expect("in the catalogue").clone(),
        weight: 1.0,
    };
    Topology::build(TopologySpec {
        name: part.to_owned(),
        sockets: (0..sockets).map(socket).collect(),
        links: (0..sockets).map(link).collect(),
        ..TopologySpec::default()
    })
    .expect("sound")
}

fn lines(topology: &Topology, id: &str, home: usize) -> f64 {
    let rate = topology.resource(id).expect("a resource").capacity;
    rate * topology.idle_latency(0, home).get() / 64.0
}

/// A home agent of an E5 has 128 entries, of which the root complexes of each socket can have 16. The cores
/// of one of two sockets have half of all, those of one of four a quarter less what its root complexes have.
#[test]
fn the_tracker_of_a_home_is_divided_among_sockets() {
    let two = ring("xeon-e5-2650", 2);
    assert!((lines(&two, "remote.cpu0-cpu1.cores", 1) - 64.0).abs() < 1e-9);
    assert!((lines(&two, "remote.cpu0-cpu1.cards", 1) - 16.0).abs() < 1e-9);
    let four = ring("xeon-e5-2650", 4);
    assert!((lines(&four, "remote.cpu0-cpu2.cores", 2) - 16.0).abs() < 1e-9);
    // The far end of the ring is two hops away, and probes go there for any line.
    let [near, far] = [1, 2].map(|home| four.idle_latency(0, home).get() * 1e9);
    assert!(near > 75.0 + 2.0 * 26.0 - 1e-6 && far > near, "{near} {far}");
}

/// Two sockets of which no number of transactions is known have no such limit.
#[test]
fn an_unknown_number_is_no_limit() {
    let two = ring("opteron-8356", 2);
    assert!(
        two.resources()
            .iter()
            .all(|resource| !resource.id.starts_with("remote."))
    );
}
