//! Interrupts of a busy port: fewer per operation at higher rates, in predictions and simulations.

use bandgraph_model::{PacketCosts, Scenario, Stack};
use bandgraph_solve::{Outcome, bind, predict};
use bandgraph_topology::{CardPart, Topology};
use bandgraph_units::{OperationRate, Time};
use bandgraph_workload::{Arrivals, Spacing};

use crate::common::{assert_close, both, no_stack, one_socket, operations, reads, scenario};

/// Cycles per interrupt.
const CYCLES: f64 = 20_000.0;
/// Seconds between two interrupts of a vector.
const INTERVAL: f64 = 100e-6;

/// Sixteen cores of 1 GHz and 2 cycles per instruction, whose only work is the interrupts of one port: reads
/// of one byte by 16 threads with a connection each.
fn reading(vectors: u64, frames: u64) -> Scenario {
    let mut spec = one_socket(16, 1e9, 1e10);
    if let CardPart::Nic(nic) = &mut spec.cards[0].part {
        nic.interrupt_interval = Time::new(INTERVAL);
        nic.interrupt_vectors = vectors;
        nic.interrupt_frames = frames;
    }
    let stack = Stack {
        packets: PacketCosts {
            instructions_per_interrupt: CYCLES / 2.0,
            ..PacketCosts::default()
        },
        ..no_stack()
    };
    let (mut clients, workload) = reads(1.0, 16);
    clients.nics.connections = 16;
    scenario(spec, stack, clients, workload)
}

fn open(mut scenario: Scenario, rate: f64) -> Scenario {
    scenario.workloads[0].arrivals = Arrivals::Open {
        rate: OperationRate::new(rate),
        spacing: Spacing::Poisson,
    };
    scenario
}

fn cycles(outcome: &Outcome) -> f64 {
    outcome.workloads[0].operations[0].cycles
}

fn busy(outcome: &Outcome) -> f64 {
    outcome.sockets[0].busy
}

/// By hand: on one vector at *r* operations/s, one interrupt per interval plus the wait for an operation that
/// arrives later: 1 / (r T + e^(−r T)) of the interrupts of isolated operations.
#[test]
fn interrupts_of_random_operations_follow_the_closed_form() {
    for rate in [100.0, 5e3, 20e3, 100e3] {
        let (predicted, simulated) = both(&open(reading(1, 0), rate));
        let met = rate * INTERVAL;
        let kept = 1.0 / (met + libm::exp(-met));
        for outcome in [&predicted, &simulated] {
            assert_close(operations(outcome), rate, 0.03);
            assert_close(cycles(outcome), CYCLES * kept, 1e-3);
            assert_close(busy(outcome), rate * kept * CYCLES / 16e9, 0.03);
        }
    }
}

/// Without a cap, cores process 16e9 / 20,000 = 800,000 operations/s. One vector raises at most 10,000
/// interrupts/s, 1.25 % of the cores' time, and the threads limit. With one vector per connection there are
/// up to 160,000.
#[test]
fn a_busy_port_leaves_cores_free() {
    for vectors in [1, 16] {
        let (predicted, simulated) = both(&reading(vectors, 0));
        let rate = operations(&predicted);
        let met = rate * INTERVAL / vectors as f64;
        for outcome in [&predicted, &simulated] {
            assert_close(cycles(outcome), CYCLES / (met + libm::exp(-met)), 1e-3);
        }
        assert!(
            busy(&predicted) <= vectors as f64 / INTERVAL * CYCLES / 16e9 * (1.0 + 1e-9),
            "{vectors}"
        );
        assert_close(operations(&simulated), rate, 0.05);
    }
}

/// A limit of frames raises interrupts in proportion to operations: one in four here, with a single frame
/// each.
#[test]
fn a_count_of_frames_keeps_its_interrupts() {
    let (predicted, simulated) = both(&open(reading(1, 4), 400e3));
    for outcome in [&predicted, &simulated] {
        assert_close(cycles(outcome), CYCLES / 4.0, 1e-6);
    }
}

/// Published for one card: up to 10 % more cycles with an interrupt interval of 25 us instead of 200 us. At
/// no load does a shorter interval cost fewer cycles.
#[test]
fn a_longer_interval_never_costs_more() {
    for rate in [1e3, 50e3, 300e3] {
        let mut before = f64::INFINITY;
        for interval in [0.0, 5e-6, 25e-6, 200e-6, 2e-3] {
            let mut scenario = open(reading(4, 0), rate);
            scenario.topology = {
                let mut spec = one_socket(16, 1e9, 1e10);
                if let CardPart::Nic(nic) = &mut spec.cards[0].part {
                    nic.interrupt_interval = Time::new(interval);
                    nic.interrupt_vectors = 4;
                }
                Topology::build(spec).expect("sound")
            };
            let bound = bind(&scenario).expect("sound");
            let now = cycles(&predict(&bound).expect("a steady state"));
            assert!(
                now <= before * (1.0 + 1e-9),
                "{rate} {interval}: {before} to {now}"
            );
            before = now;
        }
    }
}
