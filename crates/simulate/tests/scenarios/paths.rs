//! Paths to disk enclosures, computed by hand: one, two, shared.
//!
//! Disks of 1 GB/s with zero seek time, on adapters whose wide ports carry 40 MB/s: the paths limit. A record
//! of 131,072 bytes is 131,392 bytes on a path (16 frames of 16 bytes of overhead, 64 of command and status).

use bandgraph_hardware::{DiskPart, HbaPart, JbodPart};
use bandgraph_model::Scenario;
use bandgraph_model::storage::{Pool, PoolKind, Ssd, SsdSeat};
use bandgraph_solve::{Outcome, bind, predict};
use bandgraph_topology::{CardPart, CardSpec, JbodSpec, Seat, SecondPath, TopologySpec};
use bandgraph_units::{Bandwidth, Bytes, Time};
use bandgraph_workload::{AccessPattern, Mix, OperationKind};

use crate::common::{GIB, MIB, assert_close, both, no_stack, one_socket, reads, scenario};

/// Payload of one wide port, bytes/s.
const PATH: f64 = 40e6 * 131_072.0 / 131_392.0;

/// An enclosure of four disks on a port of an adapter, and on a second one if given.
fn jbod(id: &str, first: (&str, u32), second: Option<(&str, u32)>) -> JbodSpec {
    let disk = DiskPart {
        outer_rate: Bandwidth::new(1e9),
        inner_rate: Bandwidth::new(1e9),
        seek: Time::ZERO,
        track_seek: Time::ZERO,
        head_switch: Time::ZERO,
        rpm: 1e6,
        ..DiskPart::default()
    };
    JbodSpec {
        id: id.to_owned(),
        part: JbodPart {
            disks: 4,
            ports: 2,
            ..JbodPart::default()
        },
        disk: disk.into(),
        hba: first.0.to_owned(),
        port: first.1,
        second_path: second.map(|(hba, port)| SecondPath {
            hba: Some(hba.to_owned()),
            port,
        }),
    }
}

/// Streams from the disks of some enclosures, on adapters `a` and `b` of two ports each.
fn from_enclosures(jbods: Vec<JbodSpec>) -> Scenario {
    let mut spec: TopologySpec = one_socket(8, 1e9, 1.25e9);
    spec.cards.extend(["a", "b"].map(|id| CardSpec {
        id: id.to_owned(),
        part: CardPart::Hba(HbaPart {
            integrated: true,
            lanes_per_port: 1,
            lane_rate: Bandwidth::new(40e6),
            ..HbaPart::default()
        }),
        seat: Seat::Bridge("io".to_owned()),
    }));
    spec.jbods = jbods;
    let (clients, mut workload) = reads(MIB, 16);
    workload.working_set = Bytes::new(1024.0 * GIB);
    let mut scenario = scenario(spec, no_stack(), clients, workload);
    scenario.storage.pools = vec![Pool {
        kind: PoolKind::Stripe,
        ..Pool::new("data")
    }];
    scenario
}

fn predicted(scenario: &Scenario) -> Outcome {
    predict(&bind(scenario).expect("a sound scenario")).expect("a steady state")
}

fn rate(outcome: &Outcome, id: &str) -> f64 {
    let found = outcome.resources.iter().find(|resource| resource.id == id);
    found.unwrap_or_else(|| panic!("no {id}")).rate
}

/// A failed path is a path missing from the file.
#[test]
fn a_second_path_doubles_what_reaches_an_enclosure_and_a_failed_one_halves_it() {
    for second in [("a", 1), ("b", 0)] {
        let scenario = from_enclosures(vec![jbod("j0", ("a", 0), Some(second))]);
        let (predicted, simulated) = both(&scenario);
        for outcome in [predicted, simulated] {
            assert_close(outcome.throughput.disk.get(), 2.0 * PATH, 0.01);
            let ports = [("a", 0), second].map(|(hba, port)| rate(&outcome, &format!("sas.{hba}.{port}.in")));
            assert_close(ports[0], ports[1], 1e-9);
        }
    }
    let one = from_enclosures(vec![jbod("j0", ("a", 0), None)]);
    assert_close(predicted(&one).throughput.disk.get(), PATH, 1e-6);
}

/// The link runs at half the rate of the adapter if the expander has no more; a faster one changes nothing.
#[test]
fn the_link_to_an_enclosure_runs_at_the_slower_end() {
    for (expander, expected) in [(0.5, 0.5), (2.0, 1.0)] {
        let mut enclosure = jbod("j0", ("a", 0), None);
        enclosure.part.port_rate = Bandwidth::new(expander * 40e6);
        let outcome = predicted(&from_enclosures(vec![enclosure]));
        assert_close(outcome.throughput.disk.get(), expected * PATH, 1e-6);
    }
}

#[test]
fn enclosures_on_a_chain_share_its_port() {
    let chained = |count: usize| {
        let jbods = (0..count).map(|index| jbod(&format!("j{index}"), ("a", 0), None));
        predicted(&from_enclosures(jbods.collect()))
    };
    for count in [1, 2, 4] {
        let outcome = chained(count);
        assert_close(outcome.throughput.disk.get(), PATH, 1e-6);
    }
    let own_ports = vec![jbod("j0", ("a", 0), None), jbod("j1", ("a", 1), None)];
    assert_close(
        predicted(&from_enclosures(own_ports)).throughput.disk.get(),
        2.0 * PATH,
        1e-6,
    );
    // Both chained on both ports: twice the port, as with one on each.
    let both_paths = ["j0", "j1"].map(|id| jbod(id, ("a", 0), Some(("b", 0))));
    let outcome = predicted(&from_enclosures(both_paths.into()));
    assert_close(outcome.throughput.disk.get(), 2.0 * PATH, 1e-6);
}

/// Half the data is on each enclosure; `j0` has half of its own on each path, so that port 1 carries three
/// quarters.
#[test]
fn a_path_that_is_shared_is_full_first() {
    let jbods = vec![jbod("j0", ("a", 0), Some(("a", 1))), jbod("j1", ("a", 1), None)];
    let outcome = predicted(&from_enclosures(jbods));
    assert_close(outcome.throughput.disk.get(), PATH / 0.75, 1e-6);
    assert_close(rate(&outcome, "sas.a.1.in"), 40e6, 1e-6);
    assert_close(rate(&outcome, "sas.a.0.in"), 40e6 / 3.0, 1e-6);
}

/// Both copies of a write and a log device in the enclosure use both paths equally.
#[test]
fn writes_and_devices_in_the_enclosure_take_both_paths() {
    let written = |second: Option<(&str, u32)>| {
        let mut scenario = from_enclosures(vec![jbod("j0", ("a", 0), second)]);
        scenario.workloads[0].mix = Mix::single(OperationKind::Write);
        scenario.workloads[0].synchronous = true;
        let part = bandgraph_hardware::catalogue().ssd("zeusiops-18gb");
        scenario.storage.ssds = vec![Ssd {
            id: "log".to_owned(),
            part: part.expect("in the catalogue").clone(),
            seat: SsdSeat::Jbod("j0".to_owned()),
        }];
        scenario.storage.pools[0].log = vec!["log".to_owned()];
        predicted(&scenario)
    };
    let (one, two) = (written(None), written(Some(("b", 0))));
    assert_close(rate(&two, "sas.a.0.out"), rate(&two, "sas.b.0.out"), 1e-9);
    let per_operation = |outcome: &Outcome, ports: &[&str]| {
        let bytes: f64 = ports.iter().map(|port| rate(outcome, port)).sum();
        bytes / outcome.throughput.operations.get()
    };
    // The same bytes over twice the ports; each operation writes its data to the log and to the disks.
    let on_one = per_operation(&one, &["sas.a.0.out"]);
    assert_close(on_one, per_operation(&two, &["sas.a.0.out", "sas.b.0.out"]), 1e-6);
    assert!(on_one > 2.0 * MIB);
}

/// A pool on each of two enclosures.
fn own_pools() -> Vec<Pool> {
    let pools = ["j0", "j1"].map(|jbod| Pool {
        kind: PoolKind::Stripe,
        jbods: vec![jbod.to_owned()],
        ..Pool::new(format!("of-{jbod}"))
    });
    pools.into()
}

/// Two pools, each on one enclosure with its own port; `j1` has two paths.
fn two_pools(second_workload: Option<&str>) -> Outcome {
    let jbods = vec![jbod("j0", ("a", 0), None), jbod("j1", ("b", 0), Some(("b", 1)))];
    let mut scenario = from_enclosures(jbods);
    scenario.storage.pools = own_pools();
    scenario.workloads[0].pool = Some("of-j0".to_owned());
    if let Some(pool) = second_workload {
        let mut second = scenario.workloads[0].clone();
        "second".clone_into(&mut second.id);
        second.pool = Some(pool.to_owned());
        scenario.workloads.push(second);
    }
    predicted(&scenario)
}

#[test]
fn workloads_use_the_pool_that_they_name_and_no_other() {
    let alone = two_pools(None);
    assert_close(alone.throughput.disk.get(), PATH, 1e-6);
    assert_eq!(rate(&alone, "disk.j1.0"), 0.0);
    assert_eq!(rate(&alone, "sas.b.0.in"), 0.0);
    let shared = two_pools(Some("of-j0"));
    assert_close(shared.throughput.disk.get(), PATH, 1e-6);
    assert_eq!(rate(&shared, "disk.j1.0"), 0.0);
    let own = two_pools(Some("of-j1"));
    let payload = |index: usize| own.workloads[index].throughput.payload.get();
    assert_close(payload(0), PATH, 1e-6);
    assert_close(payload(1), 2.0 * PATH, 1e-6);
    assert_close(rate(&own, "sas.a.0.in"), 40e6, 1e-6);
    assert_close(rate(&own, "sas.b.1.in"), 40e6, 1e-6);
}

/// Cache SSDs serve the workloads of their own pool only: the hit rate is their capacity over a set of 1 TiB.
#[test]
fn cache_devices_serve_their_own_pool() {
    let jbods = vec![jbod("j0", ("a", 0), None), jbod("j1", ("b", 0), None)];
    let mut scenario = from_enclosures(jbods);
    let part = bandgraph_hardware::catalogue().ssd("read-cache-100gb");
    let part = part.expect("in the catalogue").clone();
    let share = part.capacity.get() / (1024.0 * GIB);
    scenario.storage.ssds = vec![Ssd {
        id: "read".to_owned(),
        part,
        seat: SsdSeat::Bridge("io".to_owned()),
    }];
    scenario.storage.pools = own_pools();
    scenario.storage.pools[0].cache = vec!["read".to_owned()];
    scenario.workloads[0].pattern = AccessPattern::Random;
    scenario.workloads[0].pool = Some("of-j0".to_owned());
    let mut second = scenario.workloads[0].clone();
    "second".clone_into(&mut second.id);
    second.pool = Some("of-j1".to_owned());
    scenario.workloads.push(second);
    let outcome = predicted(&scenario);
    let hits = |index: usize| outcome.workloads[index].cache.second_level_hit_rate.get();
    assert_close(hits(0), share, 1e-9);
    assert_eq!(hits(1), 0.0);
    // Workloads on all pools share it.
    for workload in &mut scenario.workloads {
        workload.pool = None;
    }
    let outcome = predicted(&scenario);
    for workload in &outcome.workloads {
        assert_close(workload.cache.second_level_hit_rate.get(), share / 2.0, 1e-9);
    }
}
