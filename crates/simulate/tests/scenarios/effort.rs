//! The effort of a simulation is estimated in advance, and a fixed window is kept.

use bandgraph_model::{Scenario, Stack};
use bandgraph_solve::{Effort, Outcome, RunError, SteadyState, bind};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_units::{OperationRate, Time};
use bandgraph_workload::{Arrivals, Schedule, Spacing};

use crate::common::{assert_close, no_stack, one_socket, reads, scenario};
use crate::storage::to_disks;

/// Operations of 2 ms on one core with a capacity of 500/s: a closed loop of one thread, and an open loop.
fn mixed(rate: f64) -> Scenario {
    let (clients, closed) = reads(1.0, 1);
    let stack = Stack {
        instructions_per_operation: 1e6,
        ..no_stack()
    };
    let mut scenario = scenario(one_socket(1, 1e9, 1e12), stack, clients, closed.clone());
    let mut open = closed;
    "open".clone_into(&mut open.id);
    open.arrivals = Arrivals::Open {
        rate: OperationRate::new(rate),
        spacing: Spacing::Poisson,
    };
    scenario.workloads.push(open);
    scenario
}

fn simulate(scenario: &Scenario) -> Result<Outcome, RunError> {
    let bound = bind(scenario).expect("a sound scenario");
    let steady = SteadyState::solve(&bound).expect("a steady state");
    bandgraph_simulate::simulate(&bound, &steady)
}

fn effort_of(scenario: &Scenario) -> Effort {
    let bound = bind(scenario).expect("a sound scenario");
    let steady = SteadyState::solve(&bound).expect("a steady state");
    bandgraph_simulate::effort_of(&bound, &steady).expect("a small run")
}

#[test]
fn a_backlog_that_does_not_fit_in_memory_is_refused() {
    let mut long = mixed(20_000.0);
    long.run.warm_up = Time::ZERO;
    long.run.keep_warm_up = true;
    long.run.duration = Time::new(18_000.0);
    let error = simulate(&long).expect_err("a backlog of 3.5e8 operations");
    assert_eq!(error.id(), Some("run::too_long"));
    let RunError::TooLarge(effort) = error.clone() else {
        panic!("{error}");
    };
    assert_close(effort.simulated.get(), 18_000.0, 1e-6);
    assert_close(effort.operations, 20_000.0 * 18_000.0, 0.01);
    assert_close(effort.in_flight, 19_500.0 * 18_000.0, 0.01);
    let text = error.to_string();
    assert!(
        text.contains("3.5e8 operations") && text.contains("45.0 GB"),
        "{text}"
    );
    // With a stop after a second, no more operations arrive.
    let mut short = long.clone();
    short.workloads[1].schedule = Schedule {
        stop: Some(Time::new(1.0)),
        ..Schedule::default()
    };
    let effort = effort_of(&short);
    assert_close(effort.in_flight, 19_500.0, 0.01);
}

#[test]
fn a_window_that_a_scenario_keeps_is_that_long() {
    let mut scenario = mixed(20_000.0);
    scenario.run.warm_up = Time::new(0.01);
    scenario.run.duration = Time::new(0.05);
    scenario.run.keep_warm_up = true;
    scenario.run.keep_duration = true;
    let run = simulate(&scenario).expect("a sound run").simulated;
    let run = run.expect("a simulation says how it went");
    assert_eq!((run.warm_up.get(), run.measured.get()), (0.01, 0.05));
    let short = run.short.expect("operations take longer");
    // The thread shares the core with 16 operations of the open loop.
    assert_close(short.operation.get(), 17.0 * 2e-3, 1e-3);
    assert_close(short.warm_up.get(), 2.0 * 17.0 * 2e-3, 1e-3);
    assert_close(short.measured.get(), 3.0 * 17.0 * 2e-3, 1e-3);
    assert_eq!(short.group, None);
}

/// Below saturation the estimate equals the simulated number, and a window of sufficient length causes no
/// warning.
#[test]
fn the_estimate_is_what_is_simulated() {
    let mut scenario = mixed(100.0);
    scenario.run.keep_warm_up = true;
    scenario.run.keep_duration = true;
    scenario.run.duration = Time::new(50.0);
    let effort = effort_of(&scenario);
    let run = simulate(&scenario).expect("a sound run").simulated;
    let run = run.expect("a simulation says how it went");
    assert_eq!(run.short, None);
    assert_eq!(effort.simulated, run.warm_up + run.measured);
    let simulated = run.operations as f64 * (effort.simulated.get() / run.measured.get());
    assert_close(effort.operations, simulated, 0.03);
    assert!(effort.in_flight < 3.0, "{effort:?}");
}

/// Far more operations than in a day.
#[test]
fn a_run_without_end_is_refused() {
    let mut scenario = mixed(100.0);
    scenario.workloads[1].arrivals = Arrivals::Open {
        rate: OperationRate::new(1e6),
        spacing: Spacing::Poisson,
    };
    scenario.run.duration = Time::new(80_000.0);
    let error = simulate(&scenario).expect_err("8e10 operations and more");
    assert!(
        error.to_string().contains("8.0e10 operations in 80000 s"),
        "{error}"
    );
}

/// A window that the scenario fixes does not wait for transaction groups, and neither does the estimate.
#[test]
fn the_estimate_of_a_fixed_window_has_no_waits_for_transaction_groups() {
    let mut scenario = to_disks(seven_four_ten(Generation::Istanbul));
    scenario.run.keep_warm_up = true;
    scenario.run.keep_duration = true;
    scenario.run.warm_up = Time::new(0.5);
    scenario.run.duration = Time::new(0.5);
    let effort = effort_of(&scenario);
    assert_eq!(effort.simulated.get(), 1.0);
    let run = simulate(&scenario).expect("a sound run").simulated;
    let run = run.expect("a simulation says how it went");
    let ratio = effort.operations / (2.0 * run.operations as f64);
    assert!((0.4..2.5).contains(&ratio), "{effort:?} {run:?}");
}
