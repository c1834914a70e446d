//! Results with contradictory figures are rejected.

mod fixture;

use bandgraph_model::Times;
use bandgraph_solve::{Explained, Outcome, RunError, SteadyState, explain};
use bandgraph_topology::{Direction, NetworkResource, Role, SlotResource};

use fixture::bound;

/// The explanation after a change of the steady state and of the outcome.
fn after(
    change_steady: impl Fn(&mut SteadyState),
    change: impl Fn(&mut Outcome),
) -> Result<Explained, RunError> {
    let bound = bound(40);
    let mut steady = SteadyState::solve(&bound).expect("a steady state");
    let mut outcome = steady.outcome(&bound);
    change_steady(&mut steady);
    change(&mut outcome);
    explain(&bound, &steady, &outcome)
}

fn contradicts(answer: Result<Explained, RunError>, word: &str) {
    match answer {
        Err(RunError::Inconsistent { what }) => assert!(what.contains(word), "{what}"),
        other => panic!("{word}: {other:?}"),
    }
}

#[test]
fn figures_of_an_answer_agree() {
    assert!(after(|_| {}, |_| {}).is_ok());
    contradicts(after(|steady| steady.class_rates[0] *= 1.1, |_| {}), "threads");
    let fullest = |steady: &mut SteadyState| {
        for rate in &mut steady.resource_rates {
            *rate *= 1.001;
        }
    };
    contradicts(after(fullest, |_| {}), "can carry");
    let idle = bound(40).fabric.idle_latencies();
    let as_idle = |steady: &mut SteadyState| steady.miss_latencies.copy_from_slice(&idle);
    contradicts(after(as_idle, |_| {}), "no miss waits");
    let disks = |outcome: &mut Outcome| outcome.throughput.disk = outcome.throughput.network;
    contradicts(after(|_| {}, disks), "no operation uses them");
}

/// A steady state is self-consistent: its miss latencies follow from the links and the memory under its own
/// load.
#[test]
fn a_steady_state_agrees_with_itself() {
    let bound = bound(40);
    let steady = SteadyState::solve(&bound).expect("a steady state");
    let (mut times, mut loaded) = (Times::default(), Vec::new());
    let rates = &steady.resource_rates;
    bound.fabric.loaded_latencies(rates, &mut times, &mut loaded);
    assert!(loaded > bound.fabric.idle_latencies(), "{loaded:?}");
    for (found, expected) in steady.miss_latencies.iter().zip(&loaded) {
        assert!((found / expected - 1.0).abs() < 1e-8, "{found} and {expected}");
    }
}

/// Each operation carries its bytes over port and slot in the same direction, and those of both directions
/// over the backplane of a switch.
#[test]
fn operations_cross_what_is_in_their_way() {
    let with = |change: &dyn Fn(Role) -> Option<f64>| {
        let mut bound = bound(2);
        let steady = SteadyState::solve(&bound).expect("a steady state");
        // The clone keeps the scenario with its interrupts, without the change below.
        let outcome = steady.clone().outcome(&bound);
        let roles: Vec<Role> = bound.resources.iter().map(|resource| resource.role).collect();
        for (resource, units) in bound.classes.iter_mut().flat_map(|class| &mut class.demand) {
            if let Some(factor) = change(roles[*resource]) {
                *units *= factor;
            }
        }
        explain(&bound, &steady, &outcome)
    };
    let lost = |role| match role {
        Role::Slot {
            resource: SlotResource::Link(Direction::Out),
            ..
        } => Some(0.1),
        _ => None,
    };
    contradicts(with(&lost), "at slots");
    let less = |role| matches!(role, Role::Memory { .. }).then_some(0.9);
    contradicts(with(&less), "by the bytes that it moves");
    let one_way = |role| match role {
        Role::Network {
            resource: NetworkResource::Backplane,
            ..
        } => Some(0.9),
        _ => None,
    };
    contradicts(with(&one_way), "the switch on the way");
}

/// Contradictions found by binding are reported before an explanation.
#[test]
fn demands_that_contradict_themselves_are_no_answers() {
    let mut bound = bound(2);
    let steady = SteadyState::solve(&bound).expect("a steady state");
    let outcome = steady.outcome(&bound);
    bound.contradiction = Some("packets are lost".to_owned());
    contradicts(explain(&bound, &steady, &outcome), "packets are lost");
}
