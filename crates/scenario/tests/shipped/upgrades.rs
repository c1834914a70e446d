//! A better part never makes a server slower: every part of every shipped scenario, one at a time.

use bandgraph_hardware::{AnyPart, SocketPart, catalogue};
use bandgraph_model::Scenario;
use bandgraph_scenario::Loaded;
use bandgraph_solve::{SteadyState, bind};
use bandgraph_topology::{CardPart, Topology, TopologySpec};

use crate::shipped;

/// Maximum relative loss of a prediction by an upgrade: if cores wait for links, work that moves loads other
/// links.
const LOSS: f64 = 0.005;

/// Upgrades with a greater loss, and its maximum.
///
/// - Links and cores of the first are saturated together: other sockets did a part of the work that exceeds
///   the capacity of two sockets with long routes to memory, without the saturated link. With more cores
///   these two keep the work, and load that link.
/// - Cores and the port of the second are saturated together. A prediction includes random overlaps of
///   threads at only one of them, and switches from the cores to the port, where they cost 0.9 %. Simulated,
///   there is no loss.
/// - In the last two, idle cores of the other socket take interrupts of the only core that works, over links.
const KNOWN: [(&str, f64); 4] = [
    ("7410 (Istanbul): a job file", 0.01),
    ("TCP transmit: 4 sockets", 0.01),
    ("HTTP: 1 KB, 1 worker", 0.016),
    ("HTTP: 10 KB, 1 worker", 0.016),
];

/// A change of a topology, and its description.
type Upgrade = (String, Box<dyn Fn(&mut TopologySpec)>);

/// Every single part improved: twice as fast, or replaced by another compatible part of the catalogue.
fn upgrades(spec: &TopologySpec) -> Vec<Upgrade> {
    let mut upgrades: Vec<Upgrade> = Vec::new();
    let mut add = |what: String, change: Box<dyn Fn(&mut TopologySpec)>| upgrades.push((what, change));
    for (at, socket) in spec.sockets.iter().enumerate() {
        let id = &socket.id;
        add(
            format!("{id}: twice the clock"),
            Box::new(move |spec| spec.sockets[at].part.clock = spec.sockets[at].part.clock * 2.0),
        );
        add(
            format!("{id}: twice the cores"),
            Box::new(move |spec| spec.sockets[at].part.cores *= 2),
        );
        add(
            format!("{id}: twice the channels of memory"),
            Box::new(move |spec| spec.sockets[at].memory.channels *= 2),
        );
        add(
            format!("{id}: twice the misses in flight"),
            Box::new(move |spec| spec.sockets[at].part.misses_in_flight *= 2.0),
        );
        for part in catalogue().iter() {
            let (now, memory) = (&socket.part, &socket.memory.part);
            match part {
                AnyPart::Socket(part) if part.name != now.name && is_as_good(part, now) => {
                    add(
                        format!("{id}: {}", part.name),
                        Box::new(move |spec| spec.sockets[at].part.clone_from(part)),
                    );
                }
                AnyPart::Memory(part)
                    if family(&part.name) == family(&memory.name)
                        && part.transfer_rate > memory.transfer_rate =>
                {
                    add(
                        format!("{id}: {}", part.name),
                        Box::new(move |spec| spec.sockets[at].memory.part.clone_from(part)),
                    );
                }
                _ => {}
            }
        }
    }
    for (at, link) in spec.links.iter().enumerate() {
        let id = link.ends.join("-");
        add(
            format!("{id}: twice the rate"),
            Box::new(move |spec| {
                spec.links[at].part.clock = spec.links[at].part.clock * 2.0;
            }),
        );
    }
    for (at, bridge) in spec.bridges.iter().enumerate() {
        add(
            format!("{}: an uplink of twice the rate", bridge.id),
            Box::new(move |spec| {
                if let Some(uplink) = &mut spec.bridges[at].uplink {
                    uplink.clock = uplink.clock * 2.0;
                }
            }),
        );
    }
    for (at, card) in spec.cards.iter().enumerate() {
        if let CardPart::Nic(_) = card.part {
            add(
                format!("{}: ports of twice the rate", card.id),
                Box::new(move |spec| {
                    if let CardPart::Nic(nic) = &mut spec.cards[at].part {
                        nic.port_rate = nic.port_rate * 2.0;
                    }
                }),
            );
        }
    }
    upgrades
}

/// Whether a processor fits in the socket of another and is worse in no property.
fn is_as_good(part: &SocketPart, now: &SocketPart) -> bool {
    let faster = |busy| part.clock_of(busy) >= now.clock_of(busy);
    let more =
        part.cores >= now.cores && (1..=part.cores).all(|busy| faster(busy as f64)) && part.l3 >= now.l3;
    let waits = part.local_latency <= now.local_latency && part.probe_latency <= now.probe_latency;
    part.package == now.package
        && part.threads_per_core >= now.threads_per_core
        && more
        && waits
        && part.base_cpi <= now.base_cpi
        && part.misses_in_flight >= now.misses_in_flight
        && part.prefetched_in_flight >= now.prefetched_in_flight
}

/// The part of a name before its first `-`.
fn family(name: &str) -> &str {
    name.split('-').next().unwrap_or(name)
}

fn operations(scenario: &Scenario) -> Option<f64> {
    let bound = bind(scenario).ok()?;
    let steady = SteadyState::solve(&bound).expect("a steady state");
    Some(steady.totals(&bound).throughput.operations.get())
}

#[test]
fn an_upgrade_never_lowers_a_prediction() {
    let (mut tried, mut failed) = (0, Vec::new());
    let mut nastran = 0;
    for Loaded { scenario, .. } in shipped() {
        let name = scenario.name.as_str();
        // The first of the many that only differ in their job represents all.
        nastran += u32::from(name.contains("Nastran"));
        if name.contains("Nastran") && nastran > 1 {
            continue;
        }
        let now = operations(&scenario).expect("what ships can be bound");
        for (what, change) in upgrades(scenario.topology.spec()) {
            let mut spec = scenario.topology.spec().clone();
            change(&mut spec);
            let Ok(topology) = Topology::build(spec) else {
                continue;
            };
            let upgraded = Scenario {
                topology,
                ..scenario.clone()
            };
            let Some(then) = operations(&upgraded) else {
                continue;
            };
            tried += 1;
            let known = KNOWN.iter().find(|(known, _)| *known == name);
            let loss = known.map_or(LOSS, |(_, loss)| *loss);
            if then < now * (1.0 - loss) {
                failed.push(format!("{name}, {what}: {:+.1} %", 100.0 * (then / now - 1.0)));
            }
        }
    }
    assert!(tried > 1000, "{tried}");
    assert!(
        failed.is_empty(),
        "{} of {tried}:\n{}",
        failed.len(),
        failed.join("\n")
    );
}
