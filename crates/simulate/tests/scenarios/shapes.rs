//! Servers of other sizes and shapes than the 7410: two, four and eight sockets, in ladders, twisted ladders
//! and fully connected. The expected bytes on links are those of the messages per cache line over the hops of
//! each shape, computed by hand.

use bandgraph_hardware::hypertransport::Cause;
use bandgraph_model::{LineLoad, Scenario, Stack, line_traffic};
use bandgraph_solve::{bind, predict};
use bandgraph_testkit::{SocketGraph, spec_of};
use bandgraph_topology::{BridgeSpec, CardSpec, Seat, Topology, TopologySpec};
use bandgraph_units::{Bandwidth, Bytes, Time};

use crate::common::{GIB, both, no_stack, one_socket, reads, scenario};

/// The shapes built of two, four and eight Opterons, and the number of hops from all sockets to all others,
/// summed by hand.
fn shapes() -> [(&'static str, SocketGraph, f64); 6] {
    [
        ("pair", SocketGraph::full(2), 2.0),
        ("square", SocketGraph::ladder(4), 16.0),
        ("four, fully connected", SocketGraph::full(4), 12.0),
        ("ladder", SocketGraph::ladder(8), 112.0),
        ("twisted ladder", SocketGraph::twisted_ladder(8), 100.0),
        ("eight, fully connected", SocketGraph::full(8), 56.0),
    ]
}

/// A shape with a bridge on its first socket and one port on it.
fn server(graph: &SocketGraph) -> TopologySpec {
    let mut spec = spec_of(graph);
    let one = one_socket(1, 1e9, 1.25e9);
    let bridge: &BridgeSpec = &one.bridges[0];
    spec.bridges = vec![bridge.clone()];
    spec.cards = vec![CardSpec {
        seat: Seat::Bridge(bridge.id.clone()),
        ..one.cards[0].clone()
    }];
    for socket in &mut spec.sockets {
        socket.memory.size = Bytes::new(8.0 * GIB);
    }
    spec
}

/// A million lines/s on every socket, evenly from all homes. By hand, on `n` sockets whose lines are `h` hops
/// away on average, including local ones: a request of 8 bytes takes those hops, and a line of 68 returns.
/// The home probes all others along a tree of n - 1 hops, 8 bytes each. Each of the n - 2 others and the home
/// answer the requester with 4 bytes, and the requester acknowledges to the home with 4 more: that is 4 (n +
/// 1) h, because answers come from n - 1 times as many sockets as a line does.
#[test]
fn bytes_by_cause_are_those_of_the_hops() {
    for (name, graph, hops) in shapes() {
        let topology = Topology::build(spec_of(&graph)).expect("a sound shape");
        let sockets = graph.sockets as f64;
        let stack = Stack {
            written_share: 0.0,
            ..no_stack()
        };
        let load = LineLoad {
            misses_per_second: 1e6 * sockets,
            stores_per_second: 0.0,
            cards: Vec::new(),
        };
        let traffic = line_traffic(&topology, &stack, &load).expect("even shares");
        let of = |cause: Cause| -> f64 {
            let links = traffic.iter().flat_map(|link| &link.by_cause);
            let rates = links.filter(|(other, _)| *other == cause);
            rates.map(|(_, rate)| rate.get()).sum()
        };
        let lines = 1e6 * sockets;
        let mean = hops / (sockets * sockets);
        for (cause, expected) in [
            (Cause::Request, 8.0 * mean),
            (Cause::Data, 68.0 * mean),
            (Cause::Probe, 8.0 * (sockets - 1.0)),
            (Cause::Response, 4.0 * (sockets + 1.0) * mean),
        ] {
            let found = of(cause) / lines;
            assert!(
                (found / expected - 1.0).abs() < 1e-9,
                "{name}, {cause}: {found} for {expected}"
            );
        }
    }
}

/// Reads over such a server, predicted and simulated: the rate of every link is the sum over its causes, and
/// within its capacity.
#[test]
fn servers_of_every_shape_run() {
    for (name, graph, _) in shapes() {
        let (mut clients, workload) = reads(131_072.0, 64);
        clients.ports = Vec::new();
        let mut scenario: Scenario = scenario(server(&graph), Stack::fishworks_2009(), clients, workload);
        scenario.run.warm_up = Time::new(0.02);
        scenario.run.duration = Time::new(0.05);
        let (predicted, simulated) = both(&scenario);
        for outcome in [predicted, simulated] {
            assert!(outcome.throughput.payload > Bandwidth::new(1e8), "{name}");
            let mut links = 0;
            for resource in outcome
                .resources
                .iter()
                .filter(|resource| resource.id.starts_with("link."))
            {
                let causes = outcome.link_traffic.iter().find(|link| link.id == resource.id);
                let causes = causes.unwrap_or_else(|| unreachable!("{name}: {} has causes", resource.id));
                let sum: f64 = causes.by_cause.iter().map(|(_, rate)| rate.get()).sum();
                assert!(
                    (sum / resource.rate - 1.0).abs() < 1e-6,
                    "{name}: {}",
                    resource.id
                );
                assert!(
                    resource.rate <= resource.capacity * resource.ceiling * (1.0 + 1e-9),
                    "{name}"
                );
                links += 1;
            }
            assert_eq!(links, 2 * graph.links.len(), "{name}");
        }
    }
}

/// More hops mean longer misses, and more links mean fewer bytes per link.
#[test]
fn shorter_routes_are_faster() {
    let idle_miss = |graph: &SocketGraph| {
        let (clients, workload) = reads(4096.0, 1);
        let scenario = scenario(server(graph), Stack::fishworks_2009(), clients, workload);
        let outcome = predict(&bind(&scenario).expect("sound")).expect("a steady state");
        outcome.sockets[0].miss_latency
    };
    let [_, _, _, ladder, twisted, full] = shapes().map(|(_, graph, _)| idle_miss(&graph));
    assert!(
        full < twisted && twisted < ladder,
        "{full:?} {twisted:?} {ladder:?}"
    );
}
