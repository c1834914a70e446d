//! A binder caches common parts of scenarios without an effect on results: for any history of the binder, a
//! scenario has the same result as with a new one.

use bandgraph_model::storage::{CacheStart, Pool, PoolKind, WriteMethod};
use bandgraph_model::{Binder, Scenario};
use bandgraph_solve::{SteadyState, bind, bind_with, explain, limits_of};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_units::{Bandwidth, Bytes};
use bandgraph_workload::{ClientGroup, Mix, OperationKind, ProtocolKind};

use crate::common::{GIB, MIB, streaming};

/// Scenarios that each differ from the first in one property that a binder may wrongly consider equal.
fn scenarios() -> Vec<Scenario> {
    let first = streaming(seven_four_ten(Generation::Barcelona), MIB, 2);
    let changed = |change: &dyn Fn(&mut Scenario)| {
        let mut scenario = first.clone();
        change(&mut scenario);
        scenario
    };
    let disks = |scenario: &mut Scenario| {
        scenario.workloads[0].working_set = Bytes::new(1024.0 * GIB);
        scenario.storage.pools = vec![Pool::new("data")];
    };
    let arrays = |scenario: &mut Scenario| {
        disks(scenario);
        scenario.storage.pools[0].kind = PoolKind::Raid5;
        scenario.stack.storage.array_read_seconds = 1e-6;
    };
    let serialised = |scenario: &mut Scenario| scenario.stack.connection_instructions_per_operation = 1e5;
    vec![
        first.clone(),
        changed(&|scenario| scenario.workloads[0].threads_per_client = 7),
        changed(&|scenario| scenario.workloads[0].io_size = Bytes::new(8192.0)),
        changed(&|scenario| scenario.clients[0].count = 3),
        changed(&|scenario| scenario.clients[0].id = "c".repeat(3))
            .with(|scenario| scenario.workloads[0].clients = "c".repeat(3)),
        changed(&|scenario| scenario.clients[0].nics.rate = Bandwidth::new(1e8)),
        changed(&|scenario| scenario.clients[0].ports = vec!["nic0.0".to_owned()]),
        changed(&|scenario| scenario.clients.insert(0, ClientGroup::new("idle"))),
        changed(&|scenario| scenario.stack.thread_shares = [4.0, 1.0, 1.0, 1.0].into()),
        changed(&|scenario| scenario.stack.packets.cores_per_port = 3.0),
        changed(&|scenario| scenario.run.network.mtu = Bytes::new(9000.0)),
        changed(&|scenario| scenario.workloads[0].protocol = ProtocolKind::TcpStream),
        changed(&serialised),
        changed(&serialised).with(|scenario| scenario.workloads[0].protocol = ProtocolKind::TcpStream),
        changed(&serialised).with(|scenario| scenario.stack.process_per_client = true),
        changed(&disks),
        changed(&disks).with(|scenario| scenario.storage.pools[0].disks_per_jbod = Some(12)),
        changed(&disks).with(|scenario| scenario.storage.every_disk = true),
        changed(&disks).with(|scenario| scenario.storage.cache.start = CacheStart::Cold),
        changed(&disks).with(|scenario| scenario.workloads[0].mix = Mix::single(OperationKind::Write)),
        changed(&arrays),
        changed(&arrays).with(|scenario| scenario.stack.storage.writes = WriteMethod::InPlace),
        // The same server built again, and another server.
        streaming(seven_four_ten(Generation::Barcelona), MIB, 2),
        streaming(seven_four_ten(Generation::Istanbul), MIB, 2),
        // Invalid scenarios.
        changed(&|scenario| scenario.clients[0].ports = vec!["nothing".to_owned()]),
        changed(&|scenario| "nobody".clone_into(&mut scenario.workloads[0].clients)),
        changed(&|scenario| scenario.workloads[0].pool = Some("none".to_owned())),
        changed(&|scenario| scenario.stack.thread_shares = [1.0].into()),
        changed(&|scenario| scenario.clients[0].count = 4_000_000),
    ]
}

trait With {
    fn with(self, change: impl FnOnce(&mut Self)) -> Self;
}

impl With for Scenario {
    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

#[test]
fn what_was_bound_before_never_shows() {
    for new in [Binder::new, Binder::merging] {
        never_shows(new);
    }
}

fn never_shows(new: fn() -> Binder) {
    let scenarios = scenarios();
    let alone: Vec<String> = scenarios
        .iter()
        .map(|scenario| format!("{:?}", bind_with(scenario, &mut new())))
        .collect();
    let mut ways = alone.clone();
    ways.sort_unstable();
    ways.dedup();
    // Some of these changes do not affect the binding, for example an identical server that is built again;
    // most do.
    assert!(
        ways.len() + 4 >= scenarios.len(),
        "{} of {}",
        ways.len(),
        scenarios.len()
    );
    let mut binder = new();
    // Every scenario follows every other.
    for first in 0..scenarios.len() {
        for second in 0..scenarios.len() {
            for index in [first, second] {
                let bound = format!("{:?}", bind_with(&scenarios[index], &mut binder));
                assert!(
                    bound == alone[index],
                    "scenario {index} after {first} and {second}"
                );
            }
        }
    }
}

#[test]
fn limits_are_those_that_explain_puts_into_words() {
    for scenario in scenarios() {
        let Ok(bound) = bind(&scenario) else {
            continue;
        };
        let steady = SteadyState::solve(&bound).expect("a steady state");
        let outcome = steady.prediction(&bound).expect("a prediction");
        let explained = explain(&bound, &steady, &outcome).expect("a limit");
        let limits = limits_of(&bound, &steady, &outcome).expect("a limit");
        assert_eq!(limits.bottleneck.id(), explained.bottleneck.id());
        assert_eq!(limits.bottleneck.kind, explained.bottleneck.kind);
        assert_eq!(limits.bottleneck.utilisation, explained.bottleneck.utilisation);
        let next = limits.next.map(|(next, gain)| (next.id().to_owned(), gain));
        let relief = explained
            .relief
            .map(|relief| (relief.next.id().to_owned(), relief.throughput_gain));
        assert_eq!(next, relief);
    }
}
