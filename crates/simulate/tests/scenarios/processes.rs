//! Processes that keep many operations in flight: one core does all work of each, or that of its library.

use bandgraph_hardware::catalogue;
use bandgraph_model::storage::{Pool, PoolKind};
use bandgraph_model::{Scenario, Stack};
use bandgraph_solve::{LimitKind, bind};
use bandgraph_topology::{CardPart, CardSpec, ResourceKind, Role, Seat, SlotSpec};
use bandgraph_units::{Fraction, OperationRate};
use bandgraph_workload::{Arrivals, ProtocolKind, Spacing};

use crate::common::{assert_close, both, explained, no_stack, one_socket, operations, reads, scenario};

/// Cached reads by `processes` with 32 operations each in flight: 20 us of work on a core of 1 GHz, which
/// has 7 beside it.
fn asynchronous(processes: u32) -> Scenario {
    let (clients, mut workload) = reads(1.0, 32 * processes);
    workload.protocol = ProtocolKind::Host;
    workload.processes_per_client = Some(processes);
    let stack = Stack {
        instructions_per_operation: 1e4,
        ..no_stack()
    };
    scenario(one_socket(8, 1e9, 1e12), stack, clients, workload)
}

#[test]
fn one_core_does_all_work_of_a_process() {
    for (processes, expected) in [(1, 5e4), (2, 1e5), (5, 2.5e5), (8, 4e5), (20, 4e5)] {
        let scenario = asynchronous(processes);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), expected, 1e-6);
        assert_close(operations(&simulated), expected, 5e-3);
        // By Little's law.
        let latency = 32.0 * f64::from(processes) / expected;
        assert_close(predicted.latency.mean.get(), latency, 1e-6);
        assert_close(simulated.latency.mean.get(), latency, 1e-2);
        let limit = explained(&scenario, &predicted).bottleneck;
        assert_eq!(limit.kind, LimitKind::Resource(ResourceKind::Cpu));
        let of_processes = limit.is_about(|role| role == Role::Processes { workload: 0 });
        // Eight fill both.
        if processes != 8 {
            assert_eq!(of_processes, processes < 8, "{processes}: {}", limit.explanation);
        }
    }
    // One process for each thread is what threads are anyway.
    let mut scenario = asynchronous(2);
    scenario.workloads[0].processes_per_client = None;
    let without = operations(&both(&scenario).0);
    assert_close(without, 4e5, 1e-6);
    scenario.workloads[0].processes_per_client = Some(64);
    assert_eq!(operations(&both(&scenario).0).to_bits(), without.to_bits());
}

/// The daemons of a cluster do most of the work, on several servers, and remote clients have cores of their
/// own: their library is what limits a process. By hand: 15,000 instructions of 2 cycles at 1 GHz are 30 us
/// of its busiest thread; the servers' work is 20 us of any of eight cores.
#[test]
fn a_process_carries_what_a_thread_of_its_library_does() {
    for (protocol, servers) in [
        (ProtocolKind::Host, 3),
        (ProtocolKind::NvmeTcp, 3),
        (ProtocolKind::NvmeTcp, 1),
    ] {
        let mut scenario = asynchronous(2);
        scenario.workloads[0].protocol = protocol;
        scenario.cluster.servers = servers;
        let problem = bind(&scenario).expect_err("no known library").to_string();
        assert!(problem.contains("workload.w.processes_per_client"), "{problem}");
        scenario.stack.client_instructions_per_operation = 15_000.0;
        for (processes, expected) in [(1, 1e5 / 3.0), (2, 2e5 / 3.0), (5, 5e5 / 3.0)] {
            scenario.workloads[0].processes_per_client = Some(processes);
            let (predicted, simulated) = both(&scenario);
            assert_close(operations(&predicted), expected, 1e-6);
            assert_close(operations(&simulated), expected, 5e-3);
            let limit = explained(&scenario, &predicted).bottleneck;
            assert!(limit.is_about(|role| role == Role::Processes { workload: 0 }));
        }
    }
}

/// An open loop of one process is an M/D/1 queue at its core, whatever the number of cores.
#[test]
fn a_process_keeps_up_with_what_one_core_does() {
    let mut scenario = asynchronous(1);
    for load in [0.3, 0.6] {
        scenario.workloads[0].arrivals = Arrivals::Open {
            rate: OperationRate::new(load * 5e4),
            spacing: Spacing::Poisson,
        };
        let (predicted, simulated) = both(&scenario);
        for outcome in [&predicted, &simulated] {
            assert_close(operations(outcome), load * 5e4, 2e-2);
        }
        // A core that divides its time between all of them: M/G/1 in product form.
        assert_close(simulated.latency.mean.get(), 2e-5 / (1.0 - load), 0.05);
        assert_close(predicted.latency.mean.get(), simulated.latency.mean.get(), 0.15);
    }
}

/// By hand: reads from the cache of 20 us on any of eight cores of 1 GHz, by two server processes (two
/// drives) or four, of which each keeps 1.5 cores busy: 3 and 6 cores, or 150,000 and 300,000 reads a second.
/// With three for each drive, the eight cores limit.
#[test]
fn server_processes_use_a_number_of_cores_each() {
    let (clients, mut workload) = reads(1.0, 64);
    workload.protocol = ProtocolKind::NvmeTcp;
    workload.hit_rate = Some(Fraction::new(1.0));
    let mut spec = one_socket(8, 1e9, 1e12);
    let drive = catalogue().nvme("nvme-gen4").expect("in the catalogue");
    for number in 0..2 {
        spec.slots.push(SlotSpec {
            id: format!("s{number}"),
            bridge: "io".to_owned(),
            ..SlotSpec::default()
        });
        spec.cards.push(CardSpec {
            id: format!("drive{number}"),
            part: CardPart::Nvme(drive.clone()),
            seat: Seat::Slot(format!("s{number}")),
        });
    }
    let stack = Stack {
        instructions_per_operation: 1e4,
        process_cores: 1.5,
        ..no_stack()
    };
    let mut scenario = scenario(spec, stack, clients, workload);
    let mut pool = Pool::new("data");
    pool.kind = PoolKind::Stripe;
    scenario.storage.pools = vec![pool];
    let mut before = 0.0;
    for (each, expected) in [(1.0, 1.5e5), (2.0, 3e5), (3.0, 4e5)] {
        scenario.stack.processes_per_drive = each;
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), expected, 1e-3);
        assert_close(operations(&simulated), expected, 1e-2);
        assert!(operations(&predicted) > before);
        before = operations(&predicted);
        let limit = explained(&scenario, &predicted).bottleneck;
        let of_processes = limit.is_about(|role| role == Role::ServerProcesses);
        assert_eq!(of_processes, each < 3.0, "{each}: {}", limit.explanation);
    }
    // Without the figure, there is no such resource.
    scenario.stack.process_cores = 0.0;
    let (predicted, _) = both(&scenario);
    assert_close(operations(&predicted), 4e5, 1e-3);
    assert!(
        predicted
            .resources
            .iter()
            .all(|one| one.role != Role::ServerProcesses)
    );
}
