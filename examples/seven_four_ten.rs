//! Builds a Sun Storage 7410 in code, asks what it delivers, and reads the answer.
//!
//! ```sh
//! cargo run --release --example seven_four_ten
//! ```
//!
//! The same machine stands in `topologies/` as a file; this shows the way for programs that make topologies
//! themselves. Run it with the name of another processor (`opteron-8435`) to see what faster cores alone
//! would buy behind the same HyperTransport 1 links.

use std::error::Error;
use std::io::Write;

use bandgraph_hardware::{PcieSlotSpec, catalogue};
use bandgraph_model::{RunSettings, Scenario, Stack, Storage};
use bandgraph_simulate::simulate;
use bandgraph_solve::{SteadyState, bind, explain};
use bandgraph_topology::{
    BridgeSpec, CardPart, CardSpec, LinkSpec, MemorySpec, RouteSpec, Seat, SlotSpec, SocketSpec, Topology,
    TopologySpec,
};
use bandgraph_units::{Bytes, Time};
use bandgraph_workload::{ClientGroup, ClientNics, Cluster, Mix, NetworkSettings, OperationKind, Workload};

const GIB: f64 = 1_073_741_824.0;

fn main() -> Result<(), Box<dyn Error>> {
    let processor = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "opteron-8356".to_owned());
    let topology = server(&processor)?;

    let mut clients = ClientGroup::new("c");
    clients.count = 20;
    clients.nics = ClientNics {
        count: 2,
        ..ClientNics::default()
    };

    let mut reads = Workload::new("stream", "c", Mix::single(OperationKind::Read));
    reads.io_size = Bytes::new(1_048_576.0);
    reads.working_set = Bytes::new(100.0 * GIB);
    reads.threads_per_client = 10;

    let scenario = Scenario {
        name: "7410, cached reads".to_owned(),
        topology,
        stack: Stack::fishworks_2009(),
        networks: Vec::new(),
        cluster: Cluster::default(),
        storage: Storage::default(),
        clients: vec![clients],
        workloads: vec![reads],
        run: RunSettings {
            warm_up: Time::new(1.0),
            duration: Time::new(4.0),
            network: NetworkSettings {
                mtu: Bytes::new(9000.0),
                ..NetworkSettings::default()
            },
            network_latency: Time::new(20e-6),
            ..RunSettings::default()
        },
    };

    let bound = bind(&scenario)?;
    let steady = SteadyState::solve(&bound)?;
    let predicted = steady.prediction(&bound)?;
    let simulated = simulate(&bound, &steady)?;
    let explained = explain(&bound, &steady, &simulated)?;

    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", explained.bottleneck.explanation)?;
    writeln!(out, "network: {}", simulated.throughput.network.binary())?;
    writeln!(out, "without events: {}", predicted.throughput.network.binary())?;
    for socket in &simulated.sockets {
        writeln!(
            out,
            "{}: {:.0} % busy, CPI {:.1}",
            socket.id,
            socket.busy * 100.0,
            socket.cycles_per_instruction
        )?;
    }
    if let Some(relief) = explained.relief {
        let gain = relief.throughput_gain * 100.0;
        writeln!(
            out,
            "relieved, it would deliver {gain:.0} % more: {}",
            relief.next.explanation
        )?;
    }
    Ok(())
}

/// Four sockets in a square, an I/O bridge on two of them, and a dual-port 10GbE card on each bridge.
fn server(processor: &str) -> Result<Topology, Box<dyn Error>> {
    let parts = catalogue();
    let processor = parts
        .socket(processor)
        .ok_or("no such processor in the catalogue")?;
    let memory = parts
        .memory("ddr2-667")
        .ok_or("no such memory in the catalogue")?;
    let link = parts
        .socket_link("ht1-x16")
        .ok_or("no such link in the catalogue")?;
    let bridge = parts.bridge("mcp55").ok_or("no such bridge in the catalogue")?;
    let nic = parts
        .nic("neptune-dual-10gbe")
        .ok_or("no such card in the catalogue")?;

    let sockets = (0..4).map(|number| SocketSpec {
        id: format!("cpu{number}"),
        nodes: None,
        part: processor.clone(),
        memory: MemorySpec {
            part: memory.clone(),
            channels: 2,
            size: Bytes::new(32.0 * GIB),
        },
    });
    let links = [(0, 1), (0, 2), (1, 3), (2, 3)].map(|(a, b)| LinkSpec {
        ends: [format!("cpu{a}"), format!("cpu{b}")],
        part: link.clone(),
        weight: 1.0,
    });
    let routes = [(0, 2, 3), (3, 1, 0), (1, 3, 2), (2, 0, 1)].map(|(from, via, to)| RouteSpec {
        from: format!("cpu{from}"),
        to: format!("cpu{to}"),
        via: vec![format!("cpu{via}")],
        responses_via: None,
    });
    let slot: PcieSlotSpec = "gen1 x8".parse()?;
    let mut spec = TopologySpec {
        name: "Sun Storage 7410".to_owned(),
        sockets: sockets.collect(),
        links: links.into(),
        routes: routes.into(),
        ..TopologySpec::default()
    };
    for (number, (id, socket)) in [("mcp55", "cpu0"), ("io55", "cpu1")].into_iter().enumerate() {
        spec.bridges.push(BridgeSpec {
            id: id.to_owned(),
            part: bridge.clone(),
            uplink_to: socket.to_owned(),
            uplink: Some(link.clone()),
        });
        spec.slots.push(SlotSpec {
            id: format!("s{number}"),
            bridge: id.to_owned(),
            pcie: slot,
            ..SlotSpec::default()
        });
        spec.cards.push(CardSpec {
            id: format!("nic{number}"),
            part: CardPart::Nic(nic.clone()),
            seat: Seat::Slot(format!("s{number}")),
        });
    }
    Topology::build(spec).map_err(|errors| errors[0].to_string().into())
}
