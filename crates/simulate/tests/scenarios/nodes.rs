//! NUMA nodes within a socket.

use bandgraph_hardware::{Probing, catalogue};
use bandgraph_model::{Scenario, Stack};
use bandgraph_solve::{Outcome, bind, predict};
use bandgraph_topology::{NodesSpec, Topology};
use bandgraph_units::{Bandwidth, Fraction};
use bandgraph_workload::{MemoryHomes, NearBuffers};

use crate::common::{GIB, MIB, assert_close, both, no_stack, one_socket, reads, scenario};

/// Bytes/s that the memory of the socket sustains: four channels.
const MEMORY: f64 = 4e9;

/// One socket whose memory is the limit of everything, in `nodes` NUMA nodes.
fn server(nodes: u32, stack: Stack) -> Scenario {
    let mut spec = one_socket(32, 4e9, 1e12);
    let socket = &mut spec.sockets[0];
    socket.part.maximum_numa_nodes = 4;
    socket.part.node_dies = true;
    socket.part.probes = Probing::Filter;
    socket.part.controller_share = Fraction::new(1.0);
    socket.memory.channels = 4;
    socket.memory.part.transfer_rate = Bandwidth::new(MEMORY / 4.0);
    socket.memory.part.sustainable = Fraction::new(1.0);
    let link = catalogue().socket_link("infinity-fabric-quadrant");
    socket.nodes = Some(NodesSpec {
        count: nodes,
        link: link.expect("in the catalogue").clone(),
    });
    let (clients, workload) = reads(MIB, 64);
    let mut scenario = scenario(spec, stack, clients, workload);
    scenario.workloads[0].working_set = bandgraph_units::Bytes::new(GIB);
    scenario
}

fn payload(outcome: &Outcome) -> f64 {
    outcome.throughput.payload.get()
}

fn predicted(scenario: &Scenario) -> Outcome {
    predict(&bind(scenario).expect("a sound scenario")).expect("a steady state")
}

/// Every byte is read from memory once, by the card, with a few per cent of headers and acknowledgements.
/// Buffers near the port are in the memory of the node with
/// the port: a quarter, or a half, of the channels. Interleaved buffers use every channel.
#[test]
fn buffers_near_a_port_use_the_memory_of_its_node() {
    for nodes in [1, 2, 4] {
        let near = Stack {
            buffers: NearBuffers::Port,
            ..no_stack()
        };
        let (prediction, simulation) = both(&server(nodes, near));
        let whole = payload(&predicted(&server(1, no_stack())));
        assert_close(whole, MEMORY, 0.03);
        let expected = whole / f64::from(nodes);
        assert_close(payload(&prediction), expected, 1e-3);
        assert_close(payload(&simulation), expected, 0.02);
        let everywhere = predicted(&server(nodes, no_stack()));
        assert_close(payload(&everywhere), whole, 1e-3);
    }
}

/// Shares for whole sockets are divided between their nodes; shares for nodes hold as they are.
#[test]
fn shares_are_of_sockets_or_of_nodes() {
    let with = |shares: &[f64]| {
        let mut stack = no_stack();
        stack.buffer_shares = shares.to_vec().into();
        payload(&predicted(&server(4, stack)))
    };
    assert_close(with(&[1.0]), MEMORY, 0.03);
    assert_close(with(&[0.0, 1.0, 0.0, 1.0]), MEMORY / 2.0, 0.03);
}

/// A directory in memory notes other sockets, not other nodes of the same socket: reads between nodes write
/// nothing.
#[test]
fn reads_between_nodes_write_no_directory() {
    let stack = Stack {
        misses_per_byte: 1.0 / 64.0,
        homes: MemoryHomes::Interleaved,
        written_share: 0.0,
        ..no_stack()
    };
    let written = |share: f64| {
        let mut scenario = server(2, stack.clone());
        let mut spec = scenario.topology.spec().clone();
        spec.sockets[0].part.directory_writes = Fraction::new(share);
        scenario.topology = Topology::build(spec).expect("sound");
        let outcome = predicted(&scenario);
        assert_eq!(outcome.sockets.len(), 2);
        let sockets = outcome.sockets.iter();
        sockets.map(|socket| socket.memory.writes).sum::<f64>()
    };
    assert_eq!(written(1.0), written(0.0));
}
