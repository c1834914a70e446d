//! One of several identical servers that keep the data together: bytes at its port and drives, and work of
//! its cores, by hand.

use bandgraph_model::Scenario;
use bandgraph_solve::Outcome;
use bandgraph_topology::Direction;
use bandgraph_units::Bandwidth;
use bandgraph_workload::{Asked, Cluster, Mix, OperationKind, ProtocolKind};
use proptest::prelude::*;

use crate::common::{MIB, assert_close, both, no_stack, one_socket, operations, reads, scenario};

/// Reads of 1 MiB from the cache of a server with one port.
fn server(cluster: Cluster) -> Scenario {
    let (clients, workload) = reads(MIB, 64);
    Scenario {
        cluster,
        ..scenario(one_socket(4, 1e11, 1e11), no_stack(), clients, workload)
    }
}

fn code(servers: u32, asked: Asked) -> Cluster {
    Cluster {
        servers,
        data_parts: 8,
        code_parts: 3,
        asked,
        ..Cluster::default()
    }
}

/// Bytes at the port in a direction for each byte of payload.
fn per_payload(outcome: &Outcome, direction: Direction) -> f64 {
    let port = outcome.resources.iter().filter(|found| {
        let end = format!(".{}", direction.as_str());
        found.id.starts_with("port.") && found.id.ends_with(&end)
    });
    let bytes: f64 = port.map(|found| found.rate).sum();
    bytes / outcome.throughput.payload.get()
}

/// Data to clients, and the parts of others' operations; what the server sends to others, it receives from
/// them. Headers, requests and acknowledgements are less than 3 %.
#[test]
fn ports_carry_the_parts_of_all_servers() {
    for (cluster, between) in [
        (Cluster::default(), 0.0),
        (code(12, Asked::Holder), 7.0 / 8.0),
        (code(12, Asked::Gateway), 7.0 / 8.0 + 11.0 / 12.0),
        (code(12, Asked::Any), 11.0 / 12.0),
    ] {
        let (predicted, simulated) = both(&server(cluster));
        for outcome in [&predicted, &simulated] {
            let (out, inward) = (
                per_payload(outcome, Direction::Out),
                per_payload(outcome, Direction::In),
            );
            assert_close(out, 1.0 + between, 0.03);
            assert!(
                (inward - between).abs() < 0.03 * (1.0 + between),
                "{between}: {inward}"
            );
        }
        assert_close(operations(&predicted), operations(&simulated), 0.02);
    }
}

/// Without ports in the way, cores limit: each operation of a client and each part costs 100 million
/// instructions or 1.5 times that.
#[test]
fn cores_do_the_parts_of_other_servers() {
    let rate = |cluster| {
        let mut scenario = server(cluster);
        scenario.stack.instructions_per_operation = 1e8;
        scenario.stack.peer_operation_work = 1.5;
        let (predicted, _) = both(&scenario);
        let core = predicted.sockets[0].busy;
        assert!(core > 0.99, "{core}");
        operations(&predicted)
    };
    let alone = rate(Cluster::default());
    assert_close(alone / rate(code(12, Asked::Holder)), 1.0 + 7.0 * 1.5, 1e-3);
    let hops = 7.0 + 11.0 / 12.0;
    assert_close(alone / rate(code(12, Asked::Gateway)), 1.0 + hops * 1.5, 1e-3);
}

/// By hand: a lone read takes 2 ms of a core, and 1.5 times that for each of two parts on other servers,
/// which work at once: 5 ms, although the cores work for 8 ms.
#[test]
fn servers_with_other_parts_work_at_once() {
    let mut scenario = server(Cluster {
        data_parts: 3,
        ..code(12, Asked::Holder)
    });
    scenario.workloads[0].threads_per_client = 1;
    scenario.stack.instructions_per_operation = 1e8;
    scenario.stack.peer_operation_work = 1.5;
    let (predicted, simulated) = both(&scenario);
    for outcome in [&predicted, &simulated] {
        assert_close(outcome.latency.mean.get(), 5e-3, 0.02);
        assert_close(operations(outcome), 200.0, 0.02);
    }
    assert_close(predicted.sockets[0].busy, 200.0 * 8e-3 / 4.0, 0.02);
}

/// A process of the server asks others for nearly everything: their operation is the only one.
#[test]
fn a_process_of_the_server_is_a_client_of_the_cluster() {
    let mut scenario = server(Cluster {
        servers: 4,
        asked: Asked::Gateway,
        protocol: Some(ProtocolKind::NvmeTcp),
        ..Cluster::default()
    });
    scenario.workloads[0].protocol = ProtocolKind::Host;
    scenario.stack.instructions_per_operation = 1e8;
    scenario.stack.peer_operation_work = 1.5;
    let (predicted, simulated) = both(&scenario);
    assert_close(per_payload(&predicted, Direction::Out), 0.75, 0.03);
    assert_close(per_payload(&predicted, Direction::In), 0.75, 0.03);
    assert_close(operations(&predicted), operations(&simulated), 0.02);
    scenario.cluster.protocol = None;
    let error = bandgraph_solve::bind(&scenario).expect_err("no protocol goes between servers");
    assert!(error.to_string().contains("in no protocol"), "{error}");
}

/// Messages between servers use the ports that the cluster names, and a round trip is part of the latency,
/// with what the server that asks does as a client.
#[test]
fn servers_have_a_network_of_their_own() {
    let mut spec = one_socket(4, 1e11, 1e11);
    let mut second = spec.cards[0].clone();
    second.id = "between".to_owned();
    spec.cards.push(second);
    let (mut clients, mut workload) = reads(MIB, 1);
    clients.ports = vec!["net.0".to_owned()];
    workload.mix = Mix::single(OperationKind::Read);
    let stack = bandgraph_model::Stack {
        client_seconds: 1e-3,
        ..no_stack()
    };
    let mut scenario = scenario(spec, stack, clients, workload);
    scenario.run.network_latency = bandgraph_units::Time::new(1e-3);
    let alone = both(&scenario).0.latency.mean;
    scenario.cluster = Cluster {
        ports: vec!["between.0".to_owned()],
        ..code(12, Asked::Holder)
    };
    let (predicted, _) = both(&scenario);
    let rate = |id: &str| {
        let found = predicted.resources.iter().find(|resource| resource.id == id);
        found.map_or(0.0, |found| found.rate) / predicted.throughput.payload.get()
    };
    assert_close(rate("port.net.0.out"), 1.0, 0.03);
    assert_close(rate("port.between.0.out"), 0.875, 0.03);
    assert_close(rate("port.between.0.in"), 0.875, 0.03);
    let more = predicted.latency.mean.get() - alone.get();
    assert!((3e-3..5e-3).contains(&more), "{more}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// More copies, more parts of a code or another hop never make a server faster.
    #[test]
    fn more_messages_between_servers_never_help(
        servers in 2_u32..40,
        parts in 1_u32..12,
        rate in 1e8..1e11_f64,
    ) {
        let rates = [
            Cluster::default(),
            Cluster { servers, data_parts: parts, asked: Asked::Holder, ..Cluster::default() },
            Cluster { servers, data_parts: parts, asked: Asked::Gateway, ..Cluster::default() },
        ];
        let mut before = f64::INFINITY;
        for cluster in rates {
            let mut scenario = server(cluster);
            scenario.clients[0].nics.rate = Bandwidth::new(rate);
            scenario.stack.instructions_per_operation = 20_000.0;
            let bound = bandgraph_solve::bind(&scenario).expect("a sound scenario");
            let found = operations(&bandgraph_solve::predict(&bound).expect("a steady state"));
            prop_assert!(found <= before * 1.000_1, "{found} after {before}");
            before = found;
        }
    }
}
