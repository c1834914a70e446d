//! Batches simulated job by job, against times computed by hand.

use bandgraph_model::{BindError, Scenario};
use bandgraph_solve::{Outcome, bind, predict};
use bandgraph_units::{Bandwidth, Bytes, Time};
use bandgraph_workload::Job;

use crate::common::{MIB, assert_close, both, no_stack, one_socket, reads, scenario};

/// `count` machines with `slots` slots on links of 125 MB/s, and jobs with the given computing time and
/// reads.
fn machines(count: u32, slots: u32, jobs: u32, compute: f64, megabytes: f64) -> Scenario {
    let (mut clients, mut workload) = reads(MIB, 1);
    clients.count = count;
    clients.nics.rate = Bandwidth::new(125e6);
    clients.job_slots = Some(slots);
    workload.job = Some(Job {
        count: jobs,
        ..Job::new(Time::new(compute), Bytes::new(megabytes * MIB))
    });
    scenario(one_socket(8, 1e9, 1e12), no_stack(), clients, workload)
}

fn predicted(scenario: &Scenario) -> Outcome {
    predict(&bind(scenario).expect("sound")).expect("a steady state")
}

fn elapsed(outcome: &Outcome) -> f64 {
    outcome.elapsed.expect("jobs have an end").get()
}

/// 13 jobs of a minute on three machines with two slots each: three rounds, the last with one job.
#[test]
fn the_last_round_counts_in_full() {
    let outcome = predicted(&machines(3, 2, 13, 60.0, 6.0));
    // Six reads of 1 MiB take 8.5 ms each on an idle link, and slightly more if two overlap.
    assert_close(elapsed(&outcome), 3.0 * 60.051, 1e-3);
    assert_close(
        outcome.workloads[0].elapsed.expect("an end").get(),
        elapsed(&outcome),
        1e-12,
    );
}

/// Six jobs of a minute on three slots, started at least 20 s apart: they start at 0, 20, 40, 60, 80 and
/// 100 s. Four jobs of five seconds, with idle time in between: the last starts at 60 s.
#[test]
fn a_machine_takes_jobs_no_faster_than_its_scheduler_starts_them() {
    for (slots, jobs, compute, end) in [(3, 6, 60.0, 160.0), (3, 4, 5.0, 65.0)] {
        let mut scenario = machines(1, slots, jobs, compute, 1.0);
        scenario.clients[0].job_interval = Time::new(20.0);
        let outcome = predicted(&scenario);
        // A read of 1 MiB takes less than 10 ms.
        assert_close(elapsed(&outcome), end, 2e-3);
        // With as many machines as jobs, nothing waits.
        scenario.clients[0].count = jobs;
        assert_close(elapsed(&predicted(&scenario)), compute, 3e-3);
    }
}

/// Two jobs that only read: on separate links they take half as long as on one link, in parallel or in
/// sequence.
#[test]
fn jobs_on_one_machine_share_its_link() {
    let apart = elapsed(&predicted(&machines(2, 1, 2, 0.001, 1000.0)));
    // 1000 MiB at 125 MB/s take 8.39 s, and headers add 1 %.
    assert_close(apart, 8.39 * 1.01, 5e-3);
    for (slots, count) in [(2, 1), (1, 1)] {
        let together = elapsed(&predicted(&machines(count, slots, 2, 0.001, 1000.0)));
        assert_close(together, 2.0 * apart, 5e-3);
    }
}

/// One job of ten minutes and ten of one minute on two slots: in any order, the batch takes at least half of
/// the total work, and at most Graham's bound of half of the total work plus half of the longest job.
#[test]
fn every_order_keeps_the_bounds_of_list_scheduling() {
    let mut scenario = machines(1, 2, 10, 60.0, 6.0);
    let mut long = scenario.workloads[0].clone();
    long.id = "long".to_owned();
    long.job = Some(Job::new(Time::new(600.0), Bytes::new(6.0 * MIB)));
    scenario.workloads.push(long);
    let bounds = 600.0..=600.0 + 300.0 + 1.0;
    let mut found = Vec::new();
    for seed in 1..=6 {
        scenario.run.seed = seed;
        let simulated = both(&scenario).1;
        assert!(bounds.contains(&elapsed(&simulated)), "{}", elapsed(&simulated));
        let long = simulated.workloads[1].elapsed.expect("an end").get();
        assert!(long <= elapsed(&simulated) + 1e-9);
        found.push(elapsed(&simulated));
        let mean = elapsed(&predicted(&scenario));
        assert!(bounds.contains(&mean), "{mean}");
        assert_eq!(mean, elapsed(&predicted(&scenario)));
    }
    found.sort_by(f64::total_cmp);
    assert!(found[0] < found[5], "orders differ: {found:?}");
}

#[test]
fn jobs_of_several_cores_have_no_slots() {
    let mut scenario = machines(1, 8, 10, 60.0, 6.0);
    scenario.workloads[0].threads_per_client = 2;
    scenario.workloads[0].job.as_mut().expect("it has a job").cores = 2;
    let error = bind(&scenario).expect_err("jobs of two cores");
    assert!(matches!(error, BindError::OutOfRange { .. }), "{error}");
    assert!(error.to_string().contains("clients.c.job_slots"), "{error}");
    let mut many = machines(1, 8, 20_000, 60.0, 6.0);
    many.clients[0].job_slots = Some(8);
    assert!(matches!(
        bind(&many).expect_err("too many jobs"),
        BindError::TooMany { .. }
    ));
}
