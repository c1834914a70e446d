"""Runs the shards of a sweep by HyperQueue's Python package: a server and two workers in one process.

    python3 by_hyperqueue.py PROGRAM SWEEP SHARDS FOLDER

The package on PyPI has no `hq` program, so its workers are threads of this process and cannot be killed one by one. A
worker that is lost takes its tasks with it: here these are killed, the first ones by their process ids, by SIGKILL, when
they are in the middle. HyperQueue calls them failed; the job is submitted again, as `hq` does for the tasks of a lost
worker, and --resume goes on where their journals end.
"""

import os
import pathlib
import signal
import subprocess
import sys

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
from hyperqueue.ffi.protocol import ResourceRequest


def lines(folder: pathlib.Path) -> int:
    """Whole lines of all journals."""
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("*.jsonl"))


def tasks_of(program: str) -> list[int]:
    """The running shards that HyperQueue started: descendants of this process only."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    rows = [row.split(None, 1) for row in listed.stdout.splitlines()]
    return [int(row[0]) for row in rows if len(row) == 2 and row[1].startswith(program)]


def submit(client: Client, program: str, sweep: str, shards: int, folder: pathlib.Path):
    """One task a shard. HyperQueue numbers them from 0, and tells each its number in HQ_TASK_ID."""
    job = Job()
    for shard in range(shards):
        job.program(
            [program, "--quiet", "--jobs", "1", "sweep", "run", sweep, "--shard", f"/{shards}", "--resume",
             "--journal", f"{folder}/"],
            stdout=None,
            stderr=str(folder / f"{shard}.log"),
            resources=ResourceRequest(cpus=1),
        )
    return client.submit(job)


def main() -> int:
    program, sweep, shards, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), pathlib.Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    with LocalCluster() as cluster:
        for _ in range(2):
            cluster.start_worker(WorkerConfig(cores=1))
        client = cluster.client()
        job = submit(client, program, sweep, shards, folder)
        while lines(folder) < 50:
            pass
        victims = tasks_of(program)
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        print(f"killed {len(victims)} running tasks at {lines(folder)} lines")
        ended = client.wait_for_jobs([job], raise_on_error=False)
        print(f"first job without failures: {ended}")
        job = submit(client, program, sweep, shards, folder)
        ended = client.wait_for_jobs([job], raise_on_error=False)
        print(f"second job without failures: {ended}; {lines(folder)} lines")
        return 0 if ended and victims else 1


if __name__ == "__main__":
    sys.exit(main())
