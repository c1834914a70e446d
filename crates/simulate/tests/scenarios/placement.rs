//! Placement of the work of single workloads instead of the default of the software.

use bandgraph_hardware::catalogue;
use bandgraph_hardware::hypertransport::Cause;
use bandgraph_model::storage::Pool;
use bandgraph_model::{Scenario, Stack};
use bandgraph_solve::{Outcome, bind, predict};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_topology::{LinkSpec, Role, SlotResource};
use bandgraph_units::{Bytes, OperationRate};
use bandgraph_workload::{
    Arrivals, ClientGroup, MemoryHomes, Near, NearBuffers, ProtocolKind, Spacing, WorkPlacement,
};

use crate::common::{GIB, MIB, assert_close, both, no_stack, one_socket, operations, scenario, streaming};

/// Cached reads over all ports of an Istanbul server, with cards on two sockets.
fn reads() -> Scenario {
    streaming(seven_four_ten(Generation::Istanbul), MIB, 4)
}

fn answered(scenario: &Scenario) -> Outcome {
    predict(&bind(scenario).expect("sound")).expect("a steady state")
}

/// Bytes of data and of its requests on all socket links, without probes, which go everywhere.
fn data_on_links(outcome: &Outcome) -> f64 {
    let links = outcome.link_traffic.iter().flat_map(|link| &link.by_cause);
    let of_data = links.filter(|(cause, _)| {
        let requests = matches!(cause, Cause::Request | Cause::DmaRequest);
        requests || matches!(cause, Cause::Data | Cause::DmaData | Cause::WriteBack)
    });
    of_data.map(|(_, rate)| rate.get()).sum()
}

/// The placement of a single workload equals the same default of the software.
#[test]
fn a_lone_workload_is_placed_as_software_with_the_same_default() {
    type Change = fn(&mut Stack, &mut WorkPlacement);
    let changes: [Change; 6] = [
        |stack, wishes| (stack.siloed, wishes.siloed) = (true, Some(true)),
        |stack, wishes| (stack.threads, wishes.threads) = (Near::Port, Some(Near::Port)),
        |stack, wishes| (stack.buffers, wishes.buffers) = (NearBuffers::Port, Some(NearBuffers::Port)),
        |stack, wishes| (stack.homes, wishes.homes) = (MemoryHomes::Local, Some(MemoryHomes::Local)),
        |stack, wishes| {
            stack.thread_shares = [3.0, 1.0, 1.0, 1.0].into();
            wishes.thread_shares = Some([3.0, 1.0, 1.0, 1.0].into());
        },
        |stack, wishes| {
            stack.home_shares = [0.0, 1.0, 0.0, 1.0].into();
            wishes.home_shares = Some([0.0, 1.0, 0.0, 1.0].into());
        },
    ];
    let usual = answered(&reads());
    let mut others = 0;
    for change in changes {
        let (mut of_stack, mut of_workload) = (reads(), reads());
        change(&mut of_stack.stack, &mut WorkPlacement::default());
        change(
            &mut Stack::fishworks_2009(),
            &mut of_workload.workloads[0].placement,
        );
        let expected = answered(&of_stack);
        assert_eq!(answered(&of_workload), expected);
        others += usize::from(expected.link_traffic != usual.link_traffic);
    }
    assert_eq!(others, 6);
}

/// Two workloads with their own port and rate: the links carry the data of the one that is not siloed, as if
/// it were alone.
#[test]
fn a_siloed_workload_keeps_off_the_links_beside_one_that_is_not() {
    let mut both = reads();
    both.clients[0].ports = vec!["nic0.0".to_owned()];
    let mut other_clients = ClientGroup::new("others");
    other_clients.count = both.clients[0].count;
    other_clients.ports = vec!["nic1.0".to_owned()];
    both.clients.push(other_clients);
    both.workloads[0].arrivals = Arrivals::Open {
        rate: OperationRate::new(300.0),
        spacing: Spacing::Poisson,
    };
    let mut other = both.workloads[0].clone();
    other.id = "other".to_owned();
    other.clients = "others".to_owned();
    both.workloads.push(other);
    let mut alone = both.clone();
    alone.workloads.pop();
    let of_one = data_on_links(&answered(&alone));
    let of_both = data_on_links(&answered(&both));
    assert!((of_both / of_one - 2.0).abs() < 0.1, "{of_both} {of_one}");
    both.workloads[1].placement.siloed = Some(true);
    let half_siloed = data_on_links(&answered(&both));
    assert!(
        (half_siloed / of_one - 1.0).abs() < 0.01,
        "{half_siloed} {of_one}"
    );
}

/// Misses of a workload with memory on its own node take less time than those of one with interleaved lines.
#[test]
fn misses_take_as_long_as_the_way_to_the_lines_of_their_own_workload() {
    let mut scenario = reads();
    let mut local = scenario.workloads[0].clone();
    local.id = "local".to_owned();
    local.placement.homes = Some(MemoryHomes::Local);
    scenario.workloads.push(local);
    let bound = bind(&scenario).expect("sound");
    let latencies = bound.fabric.idle_latencies();
    let homes: Vec<usize> = [0, 1]
        .map(|workload| {
            let class = bound.classes.iter().find(|class| class.workload == workload);
            class.expect("it has classes").homes
        })
        .to_vec();
    assert_eq!(homes, [0, 1]);
    let [everywhere, here] = [0, 1].map(|homes| {
        bound
            .fabric
            .of(homes, &latencies)
            .map(|pace| pace.latency)
            .collect::<Vec<_>>()
    });
    assert!(everywhere.iter().zip(&here).all(|(far, near)| near < far));
}

/// Processes on the server in silos: drives write to the memory of their own node, and threads of that node
/// use it.
#[test]
fn processes_near_their_drives_keep_off_the_links() {
    let mut scenario = reads();
    scenario.storage.pools = vec![Pool::new("data")];
    scenario.workloads[0].protocol = ProtocolKind::Host;
    scenario.workloads[0].working_set = Bytes::new(1024.0 * GIB);
    scenario.clients[0].count = 1;
    let spread = data_on_links(&answered(&scenario));
    scenario.workloads[0].placement.siloed = Some(true);
    let siloed = data_on_links(&answered(&scenario));
    assert!(spread > 1e8 && siloed < 1e-6 * spread, "{spread} {siloed}");
    // Threads near the drives with interleaved memory are not sufficient.
    scenario.workloads[0].placement = WorkPlacement {
        threads: Some(Near::Device),
        ..WorkPlacement::default()
    };
    assert!(data_on_links(&answered(&scenario)) > 0.2 * spread);
}

#[test]
fn places_that_a_workload_does_not_have_are_refused() {
    let problem = |wishes: WorkPlacement, protocol: Option<ProtocolKind>| {
        let mut scenario = reads();
        scenario.workloads[0].placement = wishes;
        if let Some(protocol) = protocol {
            scenario.workloads[0].protocol = protocol;
            scenario.clients[0].count = 1;
        }
        bind(&scenario).expect_err("there is no such place").to_string()
    };
    let near = |threads| WorkPlacement {
        threads: Some(threads),
        ..WorkPlacement::default()
    };
    let device = problem(near(Near::Device), None);
    assert!(
        device.contains("placement.threads") && device.contains("near device"),
        "{device}"
    );
    let port = problem(near(Near::Port), Some(ProtocolKind::Host));
    assert!(
        port.contains("placement.threads") && port.contains("near port"),
        "{port}"
    );
    let shares = WorkPlacement {
        thread_shares: Some([1.0, 1.0].into()),
        ..WorkPlacement::default()
    };
    let shares = problem(shares, None);
    assert!(
        shares.contains("placement.thread_shares") && shares.contains("2 shares"),
        "{shares}"
    );
}

/// Idle latency of local memory with 1, 2 and 4 sockets in a square of HyperTransport 1: nothing is probed on
/// one, a neighbour on two, the opposite corner on four.
fn local_latencies(part: &str) -> [f64; 3] {
    [1, 2, 4].map(|sockets: usize| {
        let mut spec = one_socket(1, 1e9, 1e9);
        let mut first = spec.sockets.remove(0);
        first
            .part
            .clone_from(catalogue().socket(part).expect("in the catalogue"));
        spec.sockets = (0..sockets)
            .map(|socket| {
                let mut socket_spec = first.clone();
                socket_spec.id = format!("cpu{socket}");
                socket_spec
            })
            .collect();
        let square = [(0, 1), (0, 2), (1, 3), (2, 3)];
        let ends = square.into_iter().filter(|&(_, other)| other < sockets);
        spec.links = ends
            .map(|(one, other)| LinkSpec {
                ends: [format!("cpu{one}"), format!("cpu{other}")],
                part: catalogue()
                    .socket_link("ht1-x16")
                    .expect("in the catalogue")
                    .clone(),
                weight: 1.0,
            })
            .collect();
        let (clients, mut workload) = crate::common::reads(MIB, 1);
        workload.placement.homes = Some(MemoryHomes::Local);
        let scenario = scenario(spec, no_stack(), clients, workload);
        bind(&scenario).expect("sound").fabric.idle_latencies()[0] * 1e9
    })
}

/// McCalpin's chart of 2010: K8 has 60, 60 and 95 ns with 1, 2 and 4 sockets, Barcelona 85 on two, and
/// Shanghai 54 on one and 74 on two.
#[test]
fn opterons_have_their_published_latencies_on_one_to_four_sockets() {
    let chart = [
        ("opteron-8218", [Some(60.0), Some(60.0), Some(95.0)]),
        ("opteron-2356", [None, Some(85.0), None]),
        ("opteron-2384", [Some(54.0), Some(74.0), None]),
    ];
    for (part, published) in chart {
        for (found, published) in local_latencies(part).into_iter().zip(published) {
            if let Some(published) = published {
                assert!((found / published - 1.0).abs() < 0.03, "{part}: {found} ns");
            }
        }
    }
}

/// One 8 KiB read at a time through the first card of an Istanbul server, with all threads and memory on one
/// socket.
fn lone_reads_of(home: usize) -> Scenario {
    let mut scenario = streaming(seven_four_ten(Generation::Istanbul), 8192.0, 1);
    scenario.clients[0].count = 1;
    scenario.clients[0].nics.count = 1;
    scenario.clients[0].ports = vec!["nic0.0".to_owned()];
    let shares = [0, 1, 2, 3].map(|socket| f64::from(u8::from(socket == home)));
    scenario.stack.thread_shares = shares.into();
    scenario.stack.home_shares = shares.into();
    scenario
}

/// By hand: a message, a doorbell and two reads cross the links to the home of the buffers, three round trips
/// altogether, at 14 ns a hop of HyperTransport 3. Data of the card cross them too, whatever the port
/// carries.
#[test]
fn a_call_through_a_far_card_waits_for_the_links() {
    let near = lone_reads_of(0);
    let card = &near.topology.cards()[near.topology.ports()[0].card];
    let own = near.topology.hosts(card)[0];
    let hop = near.topology.links()[0].part.hop_latency.get();
    let waits = [0, 1, 2, 3].map(|home| {
        let bound = bind(&lone_reads_of(home)).expect("sound");
        let outcome = answered(&lone_reads_of(home));
        let dma = outcome.link_traffic.iter().flat_map(|link| &link.by_cause);
        let of_data = dma.filter(|(cause, _)| *cause == Cause::DmaData);
        let bytes: f64 = of_data.map(|(_, rate)| rate.get()).sum();
        assert_eq!(bytes > 0.0, home != own, "socket {home}");
        bound.classes[0].serial.waits
    });
    for (home, wait) in waits.iter().enumerate() {
        let hops = near.topology.hops(own, home) as f64;
        let expected = waits[own] + 3.0 * 2.0 * hops * hop;
        assert!((wait - expected).abs() < 1e-12, "socket {home}: {wait} s");
    }
    let latencies = [own, 3 - own].map(|home| {
        let scenario = lone_reads_of(home);
        let [predicted, simulated] =
            [answered(&scenario), both(&scenario).1].map(|outcome| outcome.latency.mean.get());
        assert!(
            (simulated / predicted - 1.0).abs() < 0.02,
            "{simulated} {predicted}"
        );
        predicted
    });
    assert!(latencies[1] > latencies[0] + 3.0 * 2.0 * hop, "{latencies:?}");
}

/// A card with few tags reads less from another socket: each read is in flight for longer.
#[test]
fn tags_last_for_less_from_a_far_socket() {
    let is_reads = |role| {
        matches!(
            role,
            Role::Slot {
                resource: SlotResource::Reads,
                ..
            }
        )
    };
    let tags = |home| {
        let bound = bind(&lone_reads_of(home)).expect("sound");
        let reads = bound
            .resources()
            .iter()
            .position(|resource| is_reads(resource.role));
        let reads = reads.expect("the card has a number of tags");
        let capacity = bound.resources()[reads].capacity;
        let demand = &bound.classes[0].demand;
        let units = demand.iter().find(|&&(resource, _)| resource == reads);
        (units.expect("reads need tags").1, capacity)
    };
    let all: Vec<(f64, f64)> = (0..4).map(tags).collect();
    let least = all.iter().map(|&(units, _)| units).fold(f64::INFINITY, f64::min);
    let most = all.iter().map(|&(units, _)| units).fold(0.0, f64::max);
    assert!(most > 1.01 * least, "{all:?}");
    assert!(all.iter().all(|&(_, capacity)| capacity == all[0].1));
}

/// Work that is bound to a socket fills its cores, and work that may go anywhere goes to the others: no
/// socket has more to do than it can, all of them as much as they can, and the simulation agrees.
#[test]
fn free_work_goes_where_bound_work_leaves_room() {
    let near_port = WorkPlacement {
        threads: Some(Near::Port),
        ..WorkPlacement::default()
    };
    let siloed = WorkPlacement {
        siloed: Some(true),
        ..WorkPlacement::default()
    };
    for (placement, cores) in [(siloed, 1), (near_port, 2)] {
        let mut topology = seven_four_ten(Generation::Barcelona);
        for socket in &mut topology.sockets {
            socket.part.cores = cores;
        }
        let mut scenario = streaming(topology, 4096.0, 1);
        scenario.clients[0].count = 2;
        scenario.workloads[0].working_set = Bytes::new(GIB);
        let mut bound_to_sockets = scenario.workloads[0].clone();
        bound_to_sockets.id = "bound".to_owned();
        bound_to_sockets.placement = placement;
        scenario.workloads.push(bound_to_sockets);
        let mut all_busy = 0.0;
        for (free, bound) in [(1, 8), (8, 1), (8, 4), (16, 16), (40, 10), (60, 60)] {
            scenario.workloads[0].threads_per_client = free;
            scenario.workloads[1].threads_per_client = bound;
            let (predicted, simulated) = both(&scenario);
            let busy: Vec<f64> = predicted.sockets.iter().map(|socket| socket.busy).collect();
            assert!(
                busy.iter().all(|&busy| busy < 1.0 + 1e-6),
                "{free} {bound}: {busy:?}"
            );
            assert_close(operations(&predicted), operations(&simulated), 0.1);
            all_busy = busy.iter().sum();
        }
        assert!(all_busy > 3.8, "{all_busy}");
    }
}
