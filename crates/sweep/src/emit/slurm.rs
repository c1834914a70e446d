//! A batch script for Slurm: a job array, whose tasks read their number from `SLURM_ARRAY_TASK_ID`.

use super::{Job, quoted};

pub(crate) fn script(job: &Job) -> String {
    format!(
        "#!/usr/bin/env bash
#SBATCH --job-name={name}
#SBATCH --array=0-{last}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
# Runs {shards} shards as a Slurm job array:
#     job=$(sbatch --parsable THIS_FILE)
# A requeued task resumes from its journal. When all are done, merge the journals:
#     sbatch --dependency=afterok:$job --array=0 THIS_FILE merge
set -euo pipefail
mkdir -p {journals}
if [ \"${{1:-run}}\" = run ]; then
    exec {run}
fi
{merge}
",
        name = job.name,
        last = job.shards - 1,
        shards = job.shards,
        journals = quoted(&job.journals),
        run = job.run(&format!("/{}", job.shards)),
        merge = job.merge(),
    )
}
