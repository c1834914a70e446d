//! What an operation over a network waits for outside all resources: round trips, and interrupts.

use bandgraph_topology::Topology;
use bandgraph_workload::{ClientGroup, Medium, ProtocolKind};

use crate::network::Moved;
use crate::scenario::Scenario;

/// What an operation on a part of a stream waits for.
pub(crate) struct Stream {
    /// Bytes on their way at most.
    pub(crate) window: f64,
    /// Seconds of its work on an idle server.
    pub(crate) work: f64,
}

/// Seconds per operation outside all resources, of which `beside` are work of its client. `threads` is the
/// total at the port.
///
/// A call waits for a round trip. A stream has no replies: its thread hands bytes on as long as the buffers
/// of its connection take them, so that each round trip acknowledges a window of bytes, and works meanwhile.
pub(crate) fn delay(
    scenario: &Scenario,
    group: &ClientGroup,
    (protocol, port): (ProtocolKind, usize),
    moved: &Moved,
    beside: f64,
    threads: f64,
    stream: Option<Stream>,
) -> f64 {
    let switch = group
        .network
        .as_ref()
        .and_then(|name| scenario.networks.iter().find(|network| network.id == *name))
        .map_or(0.0, |network| network.part.latency.get());
    let medium = protocol.medium();
    let mut round_trip = 2.0 * (scenario.run.latency(medium).get() + switch);
    if is_moderated(medium) {
        round_trip += interrupt_wait(&scenario.topology, port, moved.frames_to_server, threads)
            + group.nics.interrupt_delay.get();
    }
    let Some(stream) = stream else {
        return round_trip + scenario.stack.client_seconds + beside;
    };
    let rate = scenario.topology.ports()[port].kind.rate.min(group.nics.rate);
    let wire = moved.to_client.max(moved.to_server) / rate.get();
    let served = stream.work.max(wire);
    (moved.payload / stream.window * round_trip - served).max(0.0) + beside
}

/// Seconds of an exchange with another server of the cluster, as its client, outside all resources: a round
/// trip, and the interrupts for call and reply. `frames` are those received, `threads` the total at the port.
pub(crate) fn delay_between(
    scenario: &Scenario,
    (protocol, port): (ProtocolKind, usize),
    frames: f64,
    threads: f64,
) -> f64 {
    let medium = protocol.medium();
    let mut way = scenario.run.latency(medium).get();
    if is_moderated(medium) {
        way += interrupt_wait(&scenario.topology, port, frames, threads);
    }
    2.0 * way + scenario.stack.client_seconds
}

/// Whether cards keep an interval between interrupts: it is a setting of the network interface. Software
/// polls for completions of RDMA, or asks for an event at the next one.
fn is_moderated(medium: Medium) -> bool {
    medium != Medium::Rdma
}

/// Mean wait of a call for the interrupt that announces it, seconds.
///
/// There are two kinds of cards. One keeps a minimum interval between interrupts: a call arrives at a random
/// point of that interval, and waits for half of it. The other (`interrupt_frames` above zero) starts its
/// timer when a frame arrives, and raises the interrupt at the end of the interval or after a number of
/// frames: a call waits for all of it. Threads wait for their replies, so that at most the frames of one
/// operation of each thread can be present: with fewer than that number, the interval applies; with more, it
/// shrinks in proportion.
fn interrupt_wait(topology: &Topology, port: usize, frames: f64, threads: f64) -> f64 {
    let kind = &topology.ports()[port].kind;
    let limit = kind.interrupt_frames as f64;
    let outstanding = frames * threads;
    let share = if limit == 0.0 {
        0.5
    } else if outstanding > limit {
        limit / outstanding
    } else {
        1.0
    };
    kind.interrupt_interval.get() * share
}
