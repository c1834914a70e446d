//! Scenarios made in code, with limits that can be computed by hand.

use bandgraph_hardware::catalogue;
use bandgraph_model::{RunSettings, Scenario, Stack, Storage};
use bandgraph_solve::bind;
use bandgraph_testkit::{Generation, seven_four_ten_topology};
use bandgraph_topology::{
    BridgeSpec, CardPart, CardSpec, MemorySpec, Seat, SlotSpec, SocketSpec, Topology, TopologySpec,
};
use bandgraph_units::{Bandwidth, Bytes, Time};
use bandgraph_workload::{ClientGroup, ClientNics, Cluster, Mix, NetworkSettings, OperationKind, Workload};

const GIB: f64 = 1_073_741_824.0;

/// One socket, one bridge, one network card with one port in a slot of `slot` that takes cards of eight
/// lanes, and one client with a network card of `client` and a thousand threads. There is one class of
/// operations, with negligible cost in software.
pub(crate) fn chain(slot: &str, port: Bandwidth, client: Bandwidth) -> Scenario {
    let parts = catalogue();
    let mut nic = parts
        .nic("neptune-dual-10gbe")
        .expect("a part of the catalogue")
        .clone();
    nic.ports = 1;
    nic.port_rate = port;
    let link = parts.socket_link("ht3-x16").expect("a part of the catalogue");
    let topology = Topology::build(TopologySpec {
        name: "chain".to_owned(),
        sockets: vec![SocketSpec {
            id: "cpu0".to_owned(),
            nodes: None,
            part: parts
                .socket("opteron-8435")
                .expect("a part of the catalogue")
                .clone(),
            memory: MemorySpec {
                part: parts.memory("ddr2-800").expect("a part of the catalogue").clone(),
                channels: 2,
                size: Bytes::new(64.0 * GIB),
            },
        }],
        bridges: vec![BridgeSpec {
            id: "bridge".to_owned(),
            part: parts.bridge("mcp55").expect("a part of the catalogue").clone(),
            uplink_to: "cpu0".to_owned(),
            uplink: Some(link.clone()),
        }],
        slots: vec![SlotSpec {
            id: "s1".to_owned(),
            bridge: "bridge".to_owned(),
            pcie: slot.parse().expect("a generation and lanes"),
            connector_lanes: Some(8),
            ..SlotSpec::default()
        }],
        cards: vec![CardSpec {
            id: "nic0".to_owned(),
            part: CardPart::Nic(nic),
            seat: Seat::Slot("s1".to_owned()),
        }],
        ..TopologySpec::default()
    })
    .expect("a sound topology");
    let mut scenario = cached_reads(topology, 1, 1000);
    scenario.clients[0].nics = ClientNics {
        count: 1,
        rate: client,
        ..ClientNics::default()
    };
    scenario.stack = Stack {
        instructions_per_operation: 1.0,
        instructions_per_byte: 0.0,
        misses_per_operation: 1e-3,
        misses_per_byte: 0.0,
        ..Stack::fishworks_2009()
    };
    scenario
}

/// The 7410 with the published load: 20 clients of two 1GbE ports, ten threads each, reads of 1 MiB from
/// DRAM.
pub(crate) fn seven_four_ten(generation: Generation) -> Scenario {
    cached_reads(seven_four_ten_topology(generation), 20, 10)
}

fn cached_reads(topology: Topology, clients: u32, threads: u32) -> Scenario {
    let mut group = ClientGroup::new("c");
    group.count = clients;
    group.nics = ClientNics {
        count: 2,
        ..ClientNics::default()
    };
    let mut reads = Workload::new("read", "c", Mix::single(OperationKind::Read));
    reads.io_size = Bytes::new(1_048_576.0);
    reads.working_set = Bytes::new(32.0 * GIB);
    reads.threads_per_client = threads;
    Scenario {
        name: "cached reads".to_owned(),
        topology,
        stack: Stack::fishworks_2009(),
        networks: Vec::new(),
        cluster: Cluster::default(),
        storage: Storage::default(),
        clients: vec![group],
        workloads: vec![reads],
        run: RunSettings {
            warm_up: Time::new(0.1),
            duration: Time::new(0.4),
            network: NetworkSettings {
                mtu: Bytes::new(9000.0),
                ..NetworkSettings::default()
            },
            network_latency: Time::new(20e-6),
            ..RunSettings::default()
        },
    }
}

/// The rates at which each resource would be full if it were alone: usable capacity over units per operation,
/// in ascending order. In a saturated network with one class of operations, the first is the throughput, and
/// the second is the throughput after the first is relieved: the bottleneck law.
pub(crate) fn limits_by_hand(scenario: &Scenario) -> Vec<(String, f64)> {
    let bound = bind(scenario).expect("a scenario that can be bound");
    let [class] = bound.classes() else {
        panic!("one class of operations, not {}", bound.classes().len());
    };
    let mut limits: Vec<(String, f64)> = class
        .demand
        .iter()
        .map(|&(resource, units)| {
            let resource = &bound.resources()[resource];
            (resource.id.clone(), resource.usable() / units)
        })
        .collect();
    limits.sort_by(|a, b| a.1.total_cmp(&b.1));
    limits
}
