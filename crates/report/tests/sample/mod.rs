//! A hand-made run of a small server: two sockets, a full link between them, one card.
//!
//! The numbers are round, so that a reader can check in the head what a format makes of them.

use bandgraph_hardware::PartKind;
use bandgraph_hardware::hypertransport::Cause;
use bandgraph_model::storage::HitRateMethod;
use bandgraph_model::{CacheUse, LinkTraffic, MemoryBytes, PowerUse, ServerPower};
use bandgraph_report::json::SoftwareDocument;
use bandgraph_report::{Apart, Comparison, RunReport, Verdict};
use bandgraph_solve::{
    Bucket, Explained, Latency, Limit, LimitKind, Mode, Outcome, Percentiles, Precision, Relief, ResourceUse,
    SimulatedRun, SocketUse, Throughput, WorkloadOutcome,
};
use bandgraph_topology::{Direction, PortResource, Resource, ResourceKind, Role, SlotResource, Unit};
use bandgraph_units::{Bandwidth, Bytes, Fraction, OperationRate, Power, QuantityKind, Time};

/// The run as a simulation with a prediction beside it.
pub(crate) fn simulated() -> RunReport {
    let mut prediction = outcome(Mode::Predict);
    prediction.throughput.operations = OperationRate::new(2_000.0);
    RunReport {
        scenario: "Cached reads over one card".to_owned(),
        topology: "Two sockets".to_owned(),
        server: None,
        paths: Vec::new(),
        file: None,
        overrides: Vec::new(),
        software: SoftwareDocument::default(),
        servers: 1,
        seed: 7,
        input_hash: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef".to_owned(),
        outcome: outcome(Mode::Simulate),
        explained: explained(),
        prediction: Some(prediction),
        measured: measured(),
        warnings: Vec::new(),
        replay: None,
        timeline: None,
        uncertainty: None,
        elapsed_interval: None,
        apart: Apart::default(),
        expect: vec![
            Verdict {
                metric: "network_bytes_per_s".to_owned(),
                kind: Some(QuantityKind::Bandwidth),
                value: Some(2.2e9),
                min: Some(2.0e9),
                max: Some(2.5e9),
                probability: None,
            },
            Verdict {
                metric: "ops_per_s".to_owned(),
                kind: Some(QuantityKind::OperationRate),
                value: Some(2_100.0),
                min: Some(3_000.0),
                max: None,
                probability: None,
            },
        ],
    }
}

/// The same run as a prediction only.
pub(crate) fn predicted() -> RunReport {
    RunReport {
        outcome: outcome(Mode::Predict),
        prediction: None,
        measured: Vec::new(),
        expect: Vec::new(),
        ..simulated()
    }
}

fn outcome(mode: Mode) -> Outcome {
    let throughput = Throughput {
        operations: OperationRate::new(2_100.0),
        payload: Bandwidth::new(2.1e9),
        network: Bandwidth::new(2.2e9),
        disk: Bandwidth::ZERO,
    };
    let simulated = mode == Mode::Simulate;
    let latency = Latency {
        mean: Time::new(0.095),
        percentiles: simulated.then_some(Percentiles {
            p50: Time::new(0.09),
            p95: Time::new(0.14),
            p99: Time::new(0.155),
            max: Time::new(0.21),
            samples: 41_000,
        }),
        histogram: [(0.08, 5), (0.0951, 30_000), (0.1131, 8_995), (0.21, 2_000)]
            .into_iter()
            .filter(|_| simulated)
            .map(|(to, count)| Bucket {
                to: Time::new(to),
                count,
            })
            .collect(),
    };
    let mut resources = vec![
        resource("link.cpu0-cpu1", LINK, ["cpu0", "cpu1"], 4e9, 0.87, 3.48e9),
        resource(
            "link.cpu1-cpu0",
            Role::SocketLink { link: 0, from_end: 1 },
            ["cpu1", "cpu0"],
            4e9,
            0.87,
            1e9,
        ),
        resource(
            "memory.cpu0",
            Role::Memory { socket: 0 },
            ["cpu0", "cpu0"],
            10.666e9,
            0.7,
            3e9,
        ),
        resource(
            "cpu.cpu0",
            Role::Cpu { socket: 0 },
            ["cpu0", "cpu0"],
            9.2e9,
            1.0,
            8.28e9,
        ),
        resource(
            "cpu.cpu1",
            Role::Cpu { socket: 1 },
            ["cpu1", "cpu1"],
            4.6e9,
            1.0,
            2.3e9,
        ),
        resource(
            "slot.s1.out",
            slot(1, Direction::Out),
            ["mcp55", "nic0"],
            2e9,
            1.0,
            1.2e9,
        ),
        resource(
            "slot.s1.in",
            slot(1, Direction::In),
            ["nic0", "mcp55"],
            2e9,
            1.0,
            1e6,
        ),
    ];
    resources.extend((0..8_u32).map(|port| {
        resource(
            &format!("port.nic0.{port}.out"),
            Role::Port {
                port: port as usize,
                resource: PortResource::Wire(Direction::Out),
            },
            ["nic0", "lan"],
            1.25e9,
            1.0,
            1e8 - f64::from(port) * 1e7,
        )
    }));
    Outcome {
        mode,
        throughput,
        latency: latency.clone(),
        resources,
        sockets: vec![
            SocketUse {
                id: "cpu0".to_owned(),
                busy: 0.9,
                stalled: 0.625,
                cycles_per_instruction: 11.7,
                miss_latency: Time::new(250e-9),
                memory: MemoryBytes {
                    reads: 4e9,
                    writes: 2e9,
                },
            },
            SocketUse {
                id: "cpu1".to_owned(),
                busy: 0.5,
                stalled: 0.25,
                cycles_per_instruction: 8.0,
                miss_latency: Time::new(180e-9),
                memory: MemoryBytes {
                    reads: 3e9,
                    writes: 1e9,
                },
            },
        ],
        link_traffic: vec![
            traffic("link.cpu0-cpu1", [0.1e9, 0.2e9, 0.3e9, 2.88e9]),
            traffic("link.cpu1-cpu0", [0.25e9, 0.25e9, 0.0, 0.5e9]),
        ],
        workloads: ["reads", "more reads"]
            .into_iter()
            .map(|id| WorkloadOutcome {
                id: id.to_owned(),
                throughput: Throughput {
                    operations: OperationRate::new(1_050.0),
                    payload: Bandwidth::new(1.05e9),
                    network: Bandwidth::new(1.1e9),
                    disk: Bandwidth::ZERO,
                },
                latency: latency.clone(),
                precision: None,
                outstanding: 12.5,
                offered: None,
                cache: CacheUse {
                    working_set: Bytes::new(1e11),
                    capacity: Bytes::new(1.1e11),
                    hit_rate: Fraction::new(1.0),
                    second_level_hit_rate: Fraction::new(0.0),
                    second_level: None,
                    method: HitRateMethod::Fits,
                },
                metadata: CacheUse {
                    working_set: Bytes::new(0.0),
                    capacity: Bytes::new(0.0),
                    hit_rate: Fraction::new(1.0),
                    second_level_hit_rate: Fraction::new(0.0),
                    second_level: None,
                    method: HitRateMethod::NoData,
                },
                elapsed: None,
                operations: Vec::new(),
            })
            .collect(),
        power: Some(power()),
        elapsed: None,
        unsettled: 0.0,
        simulated: simulated.then_some(SimulatedRun {
            warm_up: Time::new(0.5),
            measured: Time::new(10.0),
            operations: 21_000,
            events: 1_234_567,
            short: None,
            precision: Some(Precision {
                batches: 20,
                throughput: 0.004,
                latency: Some(0.0123),
            }),
        }),
    }
}

/// Two processors, eight modules and a case; a card that says nothing. Supplies lose a fifth.
fn power() -> ServerPower {
    let part = |kind, count, idle, drawn| PowerUse {
        kind,
        count,
        unknown: if kind == PartKind::Nic { count } else { 0 },
        idle: Power::new(idle),
        drawn: Power::new(drawn),
    };
    ServerPower {
        idle: Power::new(200.0),
        drawn: Power::new(350.0),
        supply_loss: Power::new(70.0),
        by_kind: vec![
            part(PartKind::Socket, 2, 40.0, 150.0),
            part(PartKind::Memory, 8, 20.0, 28.0),
            part(PartKind::Nic, 1, 0.0, 0.0),
            part(PartKind::Chassis, 1, 100.0, 102.0),
        ],
    }
}

const LINK: Role = Role::SocketLink { link: 0, from_end: 0 };

fn slot(slot: usize, direction: Direction) -> Role {
    let resource = SlotResource::Link(direction);
    Role::Slot { slot, resource }
}

fn resource(id: &str, role: Role, ends: [&str; 2], capacity: f64, ceiling: f64, rate: f64) -> ResourceUse {
    let kind = role.kind();
    let unit = match kind {
        ResourceKind::Cpu => Unit::CyclesPerSecond,
        _ => Unit::BytesPerSecond,
    };
    let technology = (kind == ResourceKind::SocketLink).then(|| "HyperTransport".to_owned());
    let resource = Resource::new(id.to_owned(), role, ends, capacity, unit, "");
    let mut resource = resource.described(|of| of.technology = technology);
    resource.ceiling = ceiling;
    ResourceUse {
        resource,
        rate,
        spare_words: 0.0,
        device: None,
    }
}

fn traffic(id: &str, rates: [f64; 4]) -> LinkTraffic {
    let causes = [Cause::Request, Cause::Probe, Cause::Response, Cause::Data];
    LinkTraffic {
        id: id.to_owned(),
        by_cause: causes.into_iter().zip(rates.map(Bandwidth::new)).collect(),
    }
}

fn explained() -> Explained {
    Explained {
        of_steady: false,
        bottleneck: Limit {
            kind: LimitKind::Resource(ResourceKind::SocketLink),
            resources: vec![resource("link.cpu0-cpu1", LINK, ["cpu0", "cpu1"], 4e9, 0.87, 0.0).resource],
            together: Vec::new(),
            utilisation: 0.87,
            explanation:
                "The link from cpu0 to cpu1 carries 3.48 GB/s, all that it can: most of it is data that cpu1 \
                          reads from the memory of cpu0."
                    .to_owned(),
        },
        relief: Some(Relief {
            next: Limit {
                kind: LimitKind::Resource(ResourceKind::Pcie),
                resources: vec![
                    resource(
                        "slot.s1.out",
                        slot(1, Direction::Out),
                        ["mcp55", "nic0"],
                        2e9,
                        1.0,
                        0.0,
                    )
                    .resource,
                    resource(
                        "slot.s2.out",
                        slot(2, Direction::Out),
                        ["mcp55", "nic1"],
                        2e9,
                        1.0,
                        0.0,
                    )
                    .resource,
                ],
                together: Vec::new(),
                utilisation: 0.76,
                explanation: "The slots s1 and s2 send all that they can.".to_owned(),
            },
            throughput_gain: 0.18,
            throughput: Throughput {
                operations: OperationRate::new(2_478.0),
                payload: Bandwidth::new(2.478e9),
                network: Bandwidth::new(2.596e9),
                disk: Bandwidth::ZERO,
            },
        }),
    }
}

fn measured() -> Vec<Comparison> {
    vec![
        Comparison {
            id: Some("ht1-stream-2009".to_owned()),
            metric: "network_bytes_per_s".to_owned(),
            kind: Some(QuantityKind::Bandwidth),
            measured: 2.06 * 1_073_741_824.0,
            text: "2.06 GiB/s".to_owned(),
            predicted: Some(2.2e9),
            statistic: Some("average".to_owned()),
            source: Some("hw-update-2009".to_owned()),
            calibrated: true,
            relative_to: None,
        },
        Comparison {
            id: None,
            metric: "cpi".to_owned(),
            kind: None,
            measured: 10.0,
            text: "10".to_owned(),
            predicted: None,
            statistic: None,
            source: None,
            calibrated: false,
            relative_to: None,
        },
    ]
}
