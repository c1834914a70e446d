//! Batches of jobs that are simulated job by job, for clients with a number of concurrent jobs (`job_slots`):
//! the jobs and their machines.

use std::collections::BTreeMap;

use crate::demand::ThreadGroup;
use crate::{BindError, Scenario};

/// Maximum number of jobs that are simulated one by one.
const JOBS_MAX: u64 = 10_000;

/// Jobs and their machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Per workload: number of jobs, and operations per job; zero for workloads without jobs of their own.
    pub jobs: Vec<(u32, f64)>,
    /// The machines.
    pub clients: Vec<Machine>,
}

/// A client with slots for jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Number of concurrent jobs.
    pub slots: u32,
    /// Minimum time between two starts of jobs, seconds.
    pub interval: f64,
    /// By workload: the thread group of its jobs on this machine.
    pub groups: Vec<Option<usize>>,
    /// Machines with the same number are identical.
    pub likeness: usize,
}

impl Batch {
    /// The batch of a scenario whose threads have been bound; `None` if no clients have slots.
    ///
    /// # Errors
    ///
    /// [`BindError::OutOfRange`] for slots of clients whose jobs are indistinguishable,
    /// [`BindError::TooMany`] for too many jobs.
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
                    field: format!("clients.{}.job_slots", scenario.clients[of].id),
                    value: slots.to_string(),
                    reason:
                        "it is for clients with one network card, jobs of one core, and software that binds \
                             no connections to cores"
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
