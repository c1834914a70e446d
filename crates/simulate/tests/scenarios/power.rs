//! Power of a server, computed by hand.

use bandgraph_hardware::{ChassisPart, PartKind};
use bandgraph_model::ServerPower;
use bandgraph_topology::{CardPart, TopologySpec};
use bandgraph_units::{Fraction, Power};
use bandgraph_workload::{Mix, OperationKind, ProtocolKind};

use crate::common::{assert_close, both, no_stack, one_socket, operations, reads, scenario};

/// Four cores at 1 GHz that draw 20 W idle and 100 W busy, two modules of 2 W, a chassis of 100 to 140 W; the
/// supplies lose a fifth of their input. The network card draws nothing.
fn powered() -> TopologySpec {
    let mut spec = one_socket(4, 1e9, 125e6);
    spec.chassis = Some(ChassisPart {
        idle_power: Power::new(100.0),
        active_power: Power::new(140.0),
        supply_efficiency: Fraction::new(0.8),
        ..ChassisPart::default()
    });
    for card in &mut spec.cards {
        if let CardPart::Nic(nic) = &mut card.part {
            (nic.idle_power, nic.active_power) = (Power::ZERO, Power::ZERO);
        }
    }
    let socket = &mut spec.sockets[0];
    socket.part.idle_power = Power::new(20.0);
    socket.part.active_power = Power::new(100.0);
    socket.memory.part.modules_per_channel = 2;
    socket.memory.part.idle_power = Power::new(2.0);
    socket.memory.part.active_power = Power::new(6.0);
    spec
}

/// The power of a server with busy threads, predicted and simulated, and the rates.
fn drawn(spec: TopologySpec, threads: u32) -> Vec<(Option<ServerPower>, f64)> {
    let (clients, mut workload) = reads(1.0, threads);
    workload.mix = Mix::single(OperationKind::Null);
    workload.protocol = ProtocolKind::Host;
    let mut stack = no_stack();
    stack.instructions_per_operation = 1e6;
    let (predicted, simulated) = both(&scenario(spec, stack, clients, workload));
    [predicted, simulated]
        .map(|outcome| (outcome.power.clone(), operations(&outcome)))
        .to_vec()
}

/// Two threads keep two of four cores busy: 60 W of 20 to 100, 120 W of 100 to 140, 4 W for idle memory, and
/// a quarter more for the supplies. An operation is 2 million cycles, so two cores process 1000/s.
#[test]
fn half_a_load_draws_half_of_what_lies_between() {
    for (power, operations) in drawn(powered(), 2) {
        let power = power.expect("a chassis is there");
        assert_close(power.idle.get(), (20.0 + 4.0 + 100.0) / 0.8, 1e-12);
        assert_close(power.drawn.get(), (60.0 + 4.0 + 120.0) / 0.8, 1e-3);
        assert_close(power.supply_loss.get(), 0.2 * power.drawn.get(), 1e-9);
        assert_close(operations, 1000.0, 1e-3);
        let each = power.operations_per_watt(operations).expect("it draws something");
        assert_close(each, operations / power.drawn.get(), 1e-12);
        let of = |kind| power.by_kind.iter().find(|sum| sum.kind == kind).expect("a kind");
        assert_eq!(of(PartKind::Memory).count, 2);
        assert_eq!((of(PartKind::Bridge).count, of(PartKind::Bridge).unknown), (1, 1));
        let behind: f64 = power.by_kind.iter().map(|sum| sum.drawn.get()).sum();
        assert_close(behind + power.supply_loss.get(), power.drawn.get(), 1e-12);
    }
}

#[test]
fn a_full_load_draws_the_active_power_and_no_load_the_idle_power() {
    for (power, _) in drawn(powered(), 8) {
        let power = power.expect("a chassis is there");
        assert_close(power.drawn.get(), (100.0 + 4.0 + 140.0) / 0.8, 1e-3);
    }
}

#[test]
fn without_a_chassis_nothing_is_said() {
    let mut spec = powered();
    spec.chassis = None;
    assert!(drawn(spec, 1).iter().all(|(power, _)| power.is_none()));
}
