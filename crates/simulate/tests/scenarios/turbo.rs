//! Clocks that depend on how many cores are busy.

use bandgraph_model::{Scenario, Stack};
use bandgraph_topology::TopologySpec;
use bandgraph_units::{Fraction, Frequency};

use crate::common::{assert_close, both, no_stack, one_socket, operations, reads, scenario};

/// Eight cores of 1 GHz, of which one alone has 2 GHz. It takes an operation 1e6 instructions of two cycles.
fn with_turbo(threads: u32, change: impl Fn(&mut TopologySpec)) -> Scenario {
    let mut spec = one_socket(8, 1e9, 1e12);
    spec.sockets[0].part.turbo_clock = Frequency::new(2e9);
    change(&mut spec);
    let (clients, workload) = reads(1.0, threads);
    let stack = Stack {
        instructions_per_operation: 1e6,
        ..no_stack()
    };
    scenario(spec, stack, clients, workload)
}

/// By hand: `b` busy cores have 2 - (b - 1) / 7 GHz, so that they do `b` times 500 of that a second; with
/// more threads than cores all are busy, at 1 GHz.
#[test]
fn few_busy_cores_have_a_faster_clock() {
    for threads in [1, 2, 4, 7, 8, 40] {
        let busy = f64::from(threads.min(8));
        let expected = busy * 500.0 * (2.0 - (busy - 1.0) / 7.0);
        let (predicted, simulated) = both(&with_turbo(threads, |_| ()));
        assert_close(operations(&predicted), expected, 1e-6);
        assert_close(operations(&simulated), expected, 0.01);
        for outcome in [predicted, simulated] {
            assert_close(outcome.sockets[0].busy, busy / 8.0, 0.01);
            assert_close(outcome.sockets[0].cycles_per_instruction, 2.0, 0.01);
        }
    }
}

/// By hand: four cores that are on, of eight, are at most at the clock of four busy ones: 2 - 3 / 7 GHz. Half
/// of all cores at most are needed for the clock of all, with a share of 50 %.
#[test]
fn cores_that_are_off_are_not_busy() {
    let on = |spec: &mut TopologySpec| {
        spec.sockets[0].part.package_cores = 8;
        spec.sockets[0].part.cores = 4;
    };
    let (predicted, _) = both(&with_turbo(40, on));
    assert_close(operations(&predicted), 4.0 * 500.0 * (2.0 - 3.0 / 7.0), 1e-6);
    let half = |spec: &mut TopologySpec| {
        on(spec);
        spec.sockets[0].part.full_clock_share = Fraction::new(0.5);
    };
    let (predicted, _) = both(&with_turbo(40, half));
    assert_close(operations(&predicted), 4.0 * 500.0, 1e-6);
}

/// A thread more never costs the server anything, and neither does a higher turbo clock.
#[test]
fn more_threads_and_a_faster_turbo_bring_no_less() {
    let rate = |threads, turbo: f64| {
        let scenario = with_turbo(threads, |spec| {
            spec.sockets[0].part.turbo_clock = Frequency::new(turbo);
        });
        let bound = bandgraph_solve::bind(&scenario).expect("sound");
        operations(&bandgraph_solve::predict(&bound).expect("a steady state"))
    };
    let mut before = 0.0;
    for threads in 1..=12 {
        let rates = [0.0, 1e9, 1.2e9, 1.5e9, 2e9].map(|turbo| rate(threads, turbo));
        assert!(rates.is_sorted_by(|a, b| *a <= *b * (1.0 + 1e-9)), "{rates:?}");
        assert!(
            rates[4] >= before * (1.0 - 1e-7),
            "{threads}: {} < {before}",
            rates[4]
        );
        before = rates[4];
    }
}
