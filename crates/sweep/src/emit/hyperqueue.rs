//! A script for `HyperQueue`: a task array, whose tasks read their number from `HQ_TASK_ID`.

use super::{Job, quoted};

pub(crate) fn script(job: &Job) -> String {
    format!(
        "#!/usr/bin/env bash
# Runs {shards} shards as a HyperQueue task array, waits for them, and merges their journals.
# Needs a server (`hq server start`) and workers (`hq worker start`) that see this folder.
# HyperQueue restarts a task whose worker is lost; the task resumes from its journal.
set -euo pipefail
mkdir -p {journals}
hq submit --wait --name {name} --array 0-{last} --cpus 1 --max-fails 0 \\
    --stdout none --stderr {journals}/'%{{TASK_ID}}.log' -- \\
    {run}
{merge}
",
        shards = job.shards,
        journals = quoted(&job.journals),
        name = quoted(&job.name),
        last = job.shards - 1,
        run = job.run(&format!("/{}", job.shards)),
        merge = job.merge(),
    )
}
