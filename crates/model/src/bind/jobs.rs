//! Totals of the jobs of a workload: operations, and computing time of their processes.

use bandgraph_workload::Workload;

use super::Binding;
use crate::BindError;

/// Operations of all jobs of a workload; `None` for one without jobs.
pub(super) fn batch(workload: &Workload) -> Option<f64> {
    let jobs = workload.job.as_ref()?.count;
    Some(f64::from(jobs) * workload.operations_per_job()?)
}

impl Binding<'_> {
    /// Seconds of computing per operation of a process.
    pub(super) fn compute_seconds(&self, workload: &Workload) -> Result<f64, BindError> {
        let (Some(job), Some(operations)) = (&workload.job, workload.operations_per_job()) else {
            return Ok(0.0);
        };
        let channel = self.topology.sockets()[0].memory.part.transfer_rate;
        let time = job
            .compute_time(channel)
            .ok_or_else(|| BindError::NoComputeTime {
                workload: workload.id.clone(),
                cores: job.cores,
            })?;
        Ok(time.get() * f64::from(job.cores) / operations)
    }
}
