//! Batches of jobs that are played job by job, for clients that say how many jobs they run at a time
//! (`job_slots`): the jobs, and the machines that take them.

use std::collections::BTreeMap;

use crate::demand::ThreadGroup;
use crate::{BindError, Scenario};

/// The most jobs that are played one by one.
const JOBS_MAX: u64 = 10_000;

/// Jobs and where they may run.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Jobs of each workload, and operations of each of them; none for workloads that have no jobs of their
    /// own.
    pub jobs: Vec<(u32, f64)>,
    /// The machines.
    pub clients: Vec<Machine>,
}

/// A client with slots for jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Jobs that it runs at a time.
    pub slots: u32,
    /// Shortest time between two starts of jobs, in seconds.
    pub interval: f64,
    /// By workload, the threads that stand for its jobs here.
    pub groups: Vec<Option<usize>>,
    /// Machines with the same number differ in nothing.
    pub likeness: usize,
}

impl Batch {
    /// The batch of a scenario whose threads have been bound; `None` where no clients have slots.
    ///
    /// # Errors
    ///
    /// [`BindError::OutOfRange`] for slots of clients whose jobs cannot be told apart, [`BindError::TooMany`]
    /// for too many jobs.
    pub fn new(scenario: &Scenario, threads: &[ThreadGroup]) -> Result<Option<Self>, BindError> {
        let mut clients: Vec<Machine> = Vec::new();
        let mut machine_of: BTreeMap<usize, usize> = BTreeMap::new();
        let mut likenesses: BTreeMap<(usize, Option<usize>), usize> = BTreeMap::new();
        let mut jobs = vec![(0, 0.0); scenario.workloads.len()];
        for (index, group) in threads.iter().enumerate() {
            let workload = &scenario.workloads[group.workload];
            let (Some(job), Some(operations)) = (&workload.job, workload.operations_per_job()) else {
                continue;
            };
            let of = scenario
                .clients
                .iter()
                .position(|group| group.id == workload.clients);
            let Some((of, slots)) = of.and_then(|of| Some((of, scenario.clients[of].job_slots?))) else {
                continue;
            };
            if job.cores > 1 || group.port_core.is_some() || scenario.clients[of].nics.count > 1 {
                return Err(BindError::OutOfRange {
                    field: format!("job_slots of clients {}", scenario.clients[of].id),
                    value: slots.to_string(),
                    range: "only for clients with one network card, jobs of one core, and software that binds no \
                            connections to cores"
                        .to_owned(),
                });
            }
            jobs[group.workload] = (job.count, operations);
            let machine = *machine_of.entry(group.client_nic).or_insert(clients.len());
            if machine == clients.len() {
                clients.push(Machine {
                    slots,
                    interval: scenario.clients[of].job_interval.get(),
                    groups: vec![None; scenario.workloads.len()],
                    likeness: {
                        let next = likenesses.len();
                        *likenesses.entry((of, group.port)).or_insert(next)
                    },
                });
            }
            clients[machine].groups[group.workload] = Some(index);
        }
        let count = jobs.iter().map(|&(count, _)| u64::from(count)).sum();
        if count > JOBS_MAX {
            return Err(BindError::TooMany {
                what: "jobs to play one by one",
                count,
                limit: JOBS_MAX,
            });
        }
        Ok((!clients.is_empty()).then_some(Self { jobs, clients }))
    }
}
