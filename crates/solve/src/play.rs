//! Job-by-job simulation of a batch, for clients with a number of concurrent jobs (`job_slots`).
//!
//! In a steady state, a batch is a number of full rounds. That is too short if jobs differ: some machines get
//! more long jobs than others, which then share those machines' links, and at the end few jobs are left, and
//! most machines idle. So here every job has its own start and end. A scheduler processes the jobs in random
//! order and starts each on the machine with the most free slots, of those that accept one: with a minimum
//! interval between starts on one machine (`job_interval`), its slots fill one by one. Between two ends of
//! jobs nothing changes, and every job progresses at its rate in the steady state of the running jobs, on the
//! same resources:
//!
//! ```text
//! while jobs are running:
//!     rates = steady state of the jobs that run where they run
//!     go on to the next end of a job, or until a machine takes the next; start jobs in free slots
//! ```
//!
//! List scheduling ends within the longest job of the optimum (Graham, "Bounds on multiprocessing timing
//! anomalies", 1969). A prediction is the mean over several orders, a simulation uses one.

use std::collections::BTreeMap;

use bandgraph_engine::Streams;
use bandgraph_model::{Batch, Bound};
use bandgraph_units::Time;

use crate::RunError;
use crate::outcome::Outcome;
use crate::predict::SteadyState;

/// Number of orders in a prediction: their mean is within half a percent of that of many more.
pub(crate) const ORDERS: u32 = 16;
/// Remaining operations of a job that count as zero.
const DONE: f64 = 1e-6;

/// The likeness of a machine, and the number of its running jobs by workload.
type Composition = (usize, Vec<u32>);

/// Running jobs by machine and workload.
type Running = Vec<Vec<u32>>;

/// Simulates the batch of a bound scenario in `orders` orders and stores the mean times in the outcome. Does
/// nothing without a batch.
pub fn play_into(bound: &Bound, orders: u32, outcome: &mut Outcome) -> Result<(), RunError> {
    let Some(batch) = &bound.batch else {
        return Ok(());
    };
    let mut player = Player::new(batch, bound);
    let mut ends = vec![0.0; batch.jobs.len()];
    let mut last = 0.0;
    for order in 0..orders {
        let played = player.play(order)?;
        last += played.iter().copied().fold(0.0, f64::max);
        for (sum, end) in ends.iter_mut().zip(played) {
            *sum += end;
        }
    }
    let mean = |sum: f64| Some(Time::new(sum / f64::from(orders)));
    for (workload, end) in outcome.workloads.iter_mut().zip(ends) {
        if end > 0.0 {
            workload.elapsed = mean(end);
        }
    }
    outcome.elapsed = mean(last);
    Ok(())
}

/// Simulates a batch, and caches rates by the running jobs.
struct Player<'a> {
    batch: &'a Batch,
    /// The scenario with the threads of the running jobs.
    state: Bound,
    bound: &'a Bound,
    /// Operations/s of a job of each workload, by the running jobs of the machines in order of their
    /// likeness.
    known: BTreeMap<Vec<Composition>, Vec<Vec<f64>>>,
}

/// A running job.
struct Job {
    machine: usize,
    workload: usize,
    /// Remaining operations.
    left: f64,
}

impl<'a> Player<'a> {
    fn new(batch: &'a Batch, bound: &'a Bound) -> Self {
        Self {
            batch,
            state: bound.clone(),
            bound,
            known: BTreeMap::new(),
        }
    }

    /// The time of the end of the last job of each workload, seconds.
    fn play(&mut self, order: u32) -> Result<Vec<f64>, RunError> {
        let batch = self.batch;
        let mut queue = self.queue(order);
        let mut running: Running = vec![vec![0; batch.jobs.len()]; batch.clients.len()];
        let mut jobs: Vec<Job> = Vec::new();
        let mut ends = vec![0.0; batch.jobs.len()];
        let mut now = 0.0;
        // The time at which each machine accepts its next job.
        let mut ready = vec![0.0; batch.clients.len()];
        loop {
            while let Some(&workload) = queue.last() {
                let Some(machine) = emptiest(batch, &running, workload, |machine| ready[machine] <= now)
                else {
                    break;
                };
                queue.pop();
                ready[machine] = now + batch.clients[machine].interval;
                running[machine][workload] += 1;
                jobs.push(Job {
                    machine,
                    workload,
                    left: batch.jobs[workload].1,
                });
            }
            if jobs.is_empty() && queue.is_empty() {
                return Ok(ends);
            }
            let rates = if jobs.is_empty() {
                Vec::new()
            } else {
                self.rates(&running)?
            };
            let until = |job: &Job| job.left / rates[job.machine][job.workload];
            let mut step = jobs.iter().map(until).fold(f64::INFINITY, f64::min);
            let mut then = now + step;
            for &ready in ready.iter().filter(|&&ready| !queue.is_empty() && ready > now) {
                if ready < then {
                    (step, then) = (ready - now, ready);
                }
            }
            now = then;
            jobs.retain_mut(|job| {
                job.left -= step * rates[job.machine][job.workload];
                let goes_on = job.left > DONE * batch.jobs[job.workload].1;
                if !goes_on {
                    running[job.machine][job.workload] -= 1;
                    ends[job.workload] = now;
                }
                goes_on
            });
        }
    }

    /// The workloads of all jobs in random order; the last is started first.
    fn queue(&self, order: u32) -> Vec<usize> {
        let jobs = self.batch.jobs.iter().enumerate();
        let mut queue: Vec<usize> = jobs
            .flat_map(|(workload, &(count, _))| std::iter::repeat_n(workload, count as usize))
            .collect();
        let mut stream = Streams::new(self.bound.run.seed).stream(&format!("batch.order.{order}"));
        for last in (1..queue.len()).rev() {
            let other = (stream.uniform() * (last + 1) as f64) as usize;
            queue.swap(last, other);
        }
        queue
    }

    /// Operations/s of one job of each workload on each machine.
    fn rates(&mut self, running: &Running) -> Result<Vec<Vec<f64>>, RunError> {
        let clients = &self.batch.clients;
        let mut sorted: Vec<usize> = (0..clients.len()).collect();
        sorted.sort_by_key(|&machine| (clients[machine].likeness, &running[machine], machine));
        let key: Vec<Composition> = sorted
            .iter()
            .map(|&machine| (clients[machine].likeness, running[machine].clone()))
            .collect();
        if !self.known.contains_key(&key) {
            let solved = self.solve(running)?;
            let in_order = sorted.iter().map(|&machine| solved[machine].clone()).collect();
            self.known.insert(key.clone(), in_order);
        }
        let found = &self.known[&key];
        let mut rates = vec![Vec::new(); clients.len()];
        for (position, machine) in sorted.into_iter().enumerate() {
            rates[machine].clone_from(&found[position]);
        }
        Ok(rates)
    }

    fn solve(&mut self, running: &Running) -> Result<Vec<Vec<f64>>, RunError> {
        let batch = self.batch;
        let mut threads = self.bound.threads.to_vec();
        let mut kinds: BTreeMap<(usize, &Vec<u32>), usize> = BTreeMap::new();
        for (machine, running) in batch.clients.iter().zip(running) {
            let next = kinds.len();
            let kind = *kinds.entry((machine.likeness, running)).or_insert(next);
            for (group, &count) in machine.groups.iter().zip(running) {
                if let &Some(group) = group {
                    threads[group].threads = count;
                    threads[group].population = f64::from(count);
                    // Above all other kinds.
                    threads[group].kind = self.bound.threads.len() + kind;
                }
            }
        }
        threads.retain(|group| group.population > 0.0);
        self.state.threads = threads.into();
        let steady = SteadyState::solve(&self.state)?;
        let of_group = |group: usize, count: u32| {
            let visits = self.bound.threads[group].visits.iter();
            let rate: f64 = visits.map(|&(class, _)| steady.class_rates[class]).sum();
            rate / f64::from(count.max(1))
        };
        let machines = batch.clients.iter().zip(running);
        Ok(machines
            .map(|(machine, running)| {
                let by_workload = machine.groups.iter().zip(running);
                by_workload
                    .map(|(group, &count)| group.map_or(0.0, |group| of_group(group, count)))
                    .collect()
            })
            .collect())
    }
}

/// The machine with the most free slots that accepts a job and can run those of a workload, the first of
/// several; `None` without any.
fn emptiest(
    batch: &Batch,
    running: &Running,
    workload: usize,
    takes: impl Fn(usize) -> bool,
) -> Option<usize> {
    let machines = batch.clients.iter().zip(running).enumerate();
    let able = machines.filter(|&(index, (machine, _))| machine.groups[workload].is_some() && takes(index));
    let (machine, free) = able
        .map(|(index, (machine, running))| {
            let taken: u32 = running.iter().sum();
            (index, machine.slots.saturating_sub(taken))
        })
        .max_by(|(a, free_a), (b, free_b)| free_a.cmp(free_b).then(b.cmp(a)))?;
    (free > 0).then_some(machine)
}
