//! What threads need at the least, against what they use in the steady state.

use bandgraph_model::{Bound, RunSettings, Scenario, Stack, Storage};
use bandgraph_solve::{bind, predict};
use bandgraph_testkit::{Generation, seven_four_ten_topology};
use bandgraph_topology::ResourceKind;
use bandgraph_units::{Bytes, Fraction, Time};
use bandgraph_workload::{ClientGroup, Mix, NetworkSettings, OperationKind, Workload};

fn bound(threads: u32) -> Bound {
    let mut group = ClientGroup::new("c");
    group.count = 8;
    let mut reads = Workload::new("read", "c", Mix::single(OperationKind::Read));
    reads.io_size = Bytes::new(1_048_576.0);
    reads.working_set = Bytes::new(1e9);
    reads.threads_per_client = threads;
    bind(&Scenario {
        name: "kinds".to_owned(),
        topology: seven_four_ten_topology(Generation::Barcelona),
        stack: Stack::fishworks_2009(),
        storage: Storage::default(),
        networks: Vec::new(),
        clients: vec![group],
        workloads: vec![reads],
        run: RunSettings {
            seed: 1,
            warm_up: Time::new(0.1),
            duration: Time::new(0.1),
            keep_warm_up: false,
            keep_duration: false,
            precision: Fraction::new(0.01),
            network: NetworkSettings::default(),
            network_latency: Time::new(20e-6),
        },
    })
    .expect("sound")
}

#[test]
fn all_threads_are_of_some_kind_and_no_kind_is_of_two_ports() {
    let bound = bound(3);
    let kinds = bound.thread_kinds();
    let threads: f64 = kinds.iter().map(|kind| kind.threads).sum();
    assert_eq!(threads, bound.threads() as f64);
    let mut ports: Vec<Option<usize>> = kinds.iter().map(|kind| kind.port).collect();
    ports.dedup();
    assert_eq!(ports.len(), kinds.len());
}

/// Each kind needs no more than what it uses in the steady state.
#[test]
fn needs_are_below_what_is_used() {
    for threads in [1, 4, 40] {
        let bound = bound(threads);
        let outcome = predict(&bound).expect("a steady state");
        let mut rates = vec![0.0; bound.resources().len()];
        let kinds = bound.thread_kinds();
        let all: f64 = kinds.iter().map(|kind| kind.threads).sum();
        let operations = outcome.throughput.operations.get();
        let mut seconds = 0.0;
        for kind in &kinds {
            // All kinds of this scenario are alike, so each does its part of the operations.
            let rate = operations * kind.threads / all;
            seconds += rate * (kind.delay_s + kind.think_s + kind.service_s);
            for &(resource, units) in &kind.demand {
                rates[resource] += rate * units;
            }
        }
        assert!(seconds <= all * 1.000_001, "{seconds} of {all} threads");
        for (resource, rate) in outcome.resources.iter().zip(rates) {
            // Of client NICs, one stands for all of a kind.
            let is_cpu = resource.kind == ResourceKind::Cpu;
            if is_cpu || resource.kind == ResourceKind::SocketLink {
                assert!(rate <= resource.rate * 1.02, "{}: {rate}", resource.id);
                assert!(rate > 0.5 * resource.rate || is_cpu, "{}", resource.id);
            }
        }
    }
}
