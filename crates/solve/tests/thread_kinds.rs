//! Minimum demands of threads, against their use in the steady state.

mod fixture;

use bandgraph_solve::predict;
use bandgraph_topology::ResourceKind;

use fixture::bound;

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

/// The demand of each kind is at most its use in the steady state.
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
            // All kinds of this scenario are equivalent, so each does its part of the operations.
            let rate = operations * kind.threads / all;
            seconds += rate * (kind.delay_s + kind.think_s + kind.service_s);
            for &(resource, units) in &kind.demand {
                rates[resource] += rate * units;
            }
        }
        assert!(seconds <= all * 1.000_001, "{seconds} of {all} threads");
        for (resource, rate) in outcome.resources.iter().zip(rates) {
            // The first client NIC of a kind represents all.
            let is_cpu = resource.kind == ResourceKind::Cpu;
            if is_cpu || resource.kind == ResourceKind::SocketLink {
                assert!(rate <= resource.rate * 1.02, "{}: {rate}", resource.id);
                assert!(rate > 0.5 * resource.rate || is_cpu, "{}", resource.id);
            }
        }
    }
}
