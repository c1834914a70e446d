//! Servers and scenarios that are small enough for computation by hand.

use bandgraph_hardware::{MemoryPart, NicPart, SocketPart, catalogue};
use bandgraph_model::{RunSettings, Scenario, Stack, Storage};
use bandgraph_simulate::simulate;
use bandgraph_solve::{Explained, Outcome, SteadyState, bind, explain};
use bandgraph_topology::{
    BridgeSpec, CardPart, CardSpec, MemorySpec, Seat, SocketSpec, Topology, TopologySpec,
};
use bandgraph_units::{Bandwidth, Bytes, Frequency, Time};
use bandgraph_workload::{ClientGroup, ClientNics, Cluster, Mix, NetworkSettings, OperationKind, Workload};

pub(crate) const GIB: f64 = 1_073_741_824.0;
pub(crate) const MIB: f64 = 1_048_576.0;

/// Gives adapters lanes that limit no drive.
pub(crate) fn fast_lanes(spec: &mut TopologySpec) {
    for card in &mut spec.cards {
        if let CardPart::Hba(adapter) = &mut card.part {
            adapter.lanes_per_port = 1;
            adapter.lane_rate = Bandwidth::new(1e12);
        }
    }
}

/// One socket with unlimited memory bandwidth, one bridge, and one port on the bridge itself.
pub(crate) fn one_socket(cores: u64, clock: f64, port_rate: f64) -> TopologySpec {
    let parts = catalogue();
    let link = parts.socket_link("ht3-x16").expect("in the catalogue").clone();
    let socket = SocketPart {
        cores,
        clock: Frequency::new(clock),
        base_cpi: 2.0,
        ..parts.socket("opteron-8435").expect("in the catalogue").clone()
    };
    let memory = MemoryPart {
        transfer_rate: Bandwidth::new(1e12),
        ..parts.memory("ddr2-800").expect("in the catalogue").clone()
    };
    let nic = NicPart {
        ports: 1,
        port_rate: Bandwidth::new(port_rate),
        interrupt_interval: Time::ZERO,
        ..parts.nic("onboard-1gbe").expect("in the catalogue").clone()
    };
    TopologySpec {
        name: "one socket".to_owned(),
        sockets: vec![SocketSpec {
            id: "cpu0".to_owned(),
            nodes: None,
            part: socket,
            memory: MemorySpec {
                part: memory,
                channels: 1,
                size: Bytes::new(64.0 * GIB),
            },
        }],
        bridges: vec![BridgeSpec {
            id: "io".to_owned(),
            part: parts.bridge("mcp55").expect("in the catalogue").clone(),
            uplink_to: "cpu0".to_owned(),
            uplink: Some(link),
        }],
        cards: vec![CardSpec {
            id: "net".to_owned(),
            part: CardPart::Nic(nic),
            seat: Seat::Bridge("io".to_owned()),
        }],
        ..TopologySpec::default()
    }
}

/// Software without costs except those that a test sets.
pub(crate) fn no_stack() -> Stack {
    Stack {
        name: "none".to_owned(),
        reference_cache_mib: 2.0,
        overlap_per_operation: 1.0,
        overlap_per_byte: 1.0,
        work_variation: 0.0,
        ..Stack::default()
    }
}

/// Jumbo frames without timestamps, no network latency.
pub(crate) fn short_run() -> RunSettings {
    RunSettings {
        seed: 7,
        warm_up: Time::new(0.2),
        duration: Time::new(1.0),
        network: NetworkSettings {
            mtu: Bytes::new(9000.0),
            tcp_timestamps: false,
            ..NetworkSettings::default()
        },
        network_latency: Time::ZERO,
        ..RunSettings::default()
    }
}

/// One client with a NIC that never limits, reading `io_size` from a set of 1 GiB.
pub(crate) fn reads(io_size: f64, threads: u32) -> (ClientGroup, Workload) {
    let mut clients = ClientGroup::new("c");
    clients.nics = ClientNics {
        count: 1,
        rate: Bandwidth::new(1e12),
        ..ClientNics::default()
    };
    let mut workload = Workload::new("w", "c", Mix::single(OperationKind::Read));
    workload.io_size = Bytes::new(io_size);
    workload.working_set = Bytes::new(GIB);
    workload.threads_per_client = threads;
    workload.think_variation = 0.0;
    (clients, workload)
}

pub(crate) fn scenario(
    spec: TopologySpec,
    stack: Stack,
    clients: ClientGroup,
    workload: Workload,
) -> Scenario {
    Scenario {
        name: "test".to_owned(),
        topology: Topology::build(spec).expect("a sound topology"),
        stack,
        networks: Vec::new(),
        cluster: Cluster::default(),
        storage: Storage::default(),
        clients: vec![clients],
        workloads: vec![workload],
        run: short_run(),
    }
}

/// The 20 clients of the 2009 tests: two 1GbE NICs each, reading 1 MiB at a time with 10 threads.
pub(crate) fn streaming(spec: TopologySpec, io_size: f64, threads: u32) -> Scenario {
    let (mut clients, workload) = reads(io_size, threads);
    clients.count = 20;
    clients.nics = ClientNics {
        count: 2,
        rate: Bandwidth::new(125e6),
        ..ClientNics::default()
    };
    let mut scenario = scenario(spec, Stack::fishworks_2009(), clients, workload);
    scenario.workloads[0].working_set = Bytes::new(100.0 * GIB);
    scenario.run.network.tcp_timestamps = true;
    scenario.run.network_latency = Time::new(20e-6);
    scenario
}

pub(crate) fn both(scenario: &Scenario) -> (Outcome, Outcome) {
    let bound = bind(scenario).expect("a sound scenario");
    let steady = SteadyState::solve(&bound).expect("a steady state");
    (
        steady.prediction(&bound).expect("a prediction"),
        simulate(&bound, &steady).expect("a sound run"),
    )
}

/// The limits of an outcome of a scenario.
pub(crate) fn explained(scenario: &Scenario, outcome: &Outcome) -> Explained {
    let bound = bind(scenario).expect("a sound scenario");
    let steady = SteadyState::solve(&bound).expect("a steady state");
    explain(&bound, &steady, outcome).expect("a limit")
}

pub(crate) fn operations(outcome: &Outcome) -> f64 {
    outcome.throughput.operations.get()
}

#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, relative: f64) {
    let error = (found - expected).abs() / expected.abs();
    assert!(
        error <= relative,
        "{found} is not {expected}: off by {:.3} %",
        error * 100.0
    );
}
