//! Resources in words.

use bandgraph_topology::Topology;

/// What each resource of a topology is, in the words of its part.
pub(super) fn details(topology: &Topology) -> Vec<String> {
    let mut details = vec![String::new(); topology.resources().len()];
    for socket in topology.sockets() {
        details[socket.cpu_resource.index()].clone_from(&socket.part.name);
        details[socket.memory_resource.index()].clone_from(&socket.memory.part.name);
    }
    for link in topology.links() {
        for resource in link.resources {
            details[resource.index()].clone_from(&link.part.name);
        }
    }
    for bridge in topology.bridges() {
        for resource in [bridge.inbound, bridge.outbound] {
            details[resource.index()].clone_from(&bridge.uplink.name);
        }
    }
    for switch in topology.switches() {
        for resource in [switch.inbound, switch.outbound] {
            details[resource.index()] = switch.trained.to_string();
        }
    }
    for card in topology.cards() {
        if let Some(seated) = &card.seated {
            for resource in [seated.inbound, seated.outbound] {
                details[resource.index()] = seated.trained.to_string();
            }
        }
    }
    for port in topology.ports() {
        for resource in [port.inbound, port.outbound] {
            topology.cards()[port.card]
                .part
                .name()
                .clone_into(&mut details[resource.index()]);
        }
    }
    details
}
