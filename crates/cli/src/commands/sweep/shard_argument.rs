//! `--shard I/N`, where I may come from a scheduler.

use bandgraph_study::Shard;

use crate::failure::Failure;

/// Where schedulers put the number of a task, from 0: `HyperQueue`, Slurm, Kubernetes.
const VARIABLES: [&str; 3] = ["HQ_TASK_ID", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];

/// The shard that an argument names: `2/8`, or `/8` with the number from the environment.
pub(super) fn shard(argument: Option<&str>) -> Result<Shard, Failure> {
    let Some(argument) = argument else {
        return Ok(Shard::WHOLE);
    };
    let text = match argument.strip_prefix('/') {
        None => argument.to_owned(),
        Some(count) => {
            let (variable, task) = task().ok_or_else(|| {
                Failure::usage(format!(
                    "`{argument}` leaves the number of the shard to a scheduler, and there is none"
                ))
                .help(
                    "give the number, as in `--shard 2/8`, or set HQ_TASK_ID, SLURM_ARRAY_TASK_ID or \
                          JOB_COMPLETION_INDEX to one from 0",
                )
            })?;
            let number: u64 = task
                .trim()
                .parse()
                .map_err(|_| Failure::usage(format!("{variable} is `{task}`, which is no number")))?;
            format!("{}/{count}", number.saturating_add(1))
        }
    };
    text.parse()
        .map_err(|error: bandgraph_study::InvalidShard| Failure::usage(error.to_string()))
}

/// The variable that is set, with what it says.
fn task() -> Option<(&'static str, String)> {
    VARIABLES.iter().find_map(|name| {
        #[expect(
            clippy::disallowed_methods,
            reason = "the number of a task is how a scheduler says which part of the work is meant"
        )]
        let value = std::env::var(name);
        Some((*name, value.ok()?))
    })
}
