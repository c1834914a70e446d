//! A script for GNU parallel: on the cores of this machine, or of the given ones.

use super::{Job, quoted};

pub(crate) fn script(job: &Job) -> String {
    format!(
        "#!/usr/bin/env bash
# Runs {shards} shards by GNU parallel, and merges their journals.
# PARALLEL_OPTIONS is for more of its options, such as `--sshloginfile nodes.txt --workdir .` for many machines that
# share this folder. A shard that fails is tried again and resumes from its journal.
set -euo pipefail
mkdir -p {journals}
# shellcheck disable=SC2086 # these are several words
seq 1 {shards} | parallel --will-cite --halt soon,fail=1 --retries 3 ${{PARALLEL_OPTIONS:-}} \\
    {run}
{merge}
",
        shards = job.shards,
        journals = quoted(&job.journals),
        // parallel passes the command to a shell again, so that words are quoted twice; it replaces the shard
        // itself.
        run = quoted(&job.run("{}/N")).replace("{}/N", &format!("{{}}/{}", job.shards)),
        merge = job.merge(),
    )
}
