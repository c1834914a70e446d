"""Runs the shards of a sweep by HyperQueue's Python package: a server and two workers, one of which is lost on the way.

    python3 by_hyperqueue.py PROGRAM SWEEP SHARDS FOLDER

The package on PyPI has no `hq` program: its server and its workers are threads of this process, so that a worker cannot be
killed by its process id. What the server notices of a worker that is killed is that the connection to it breaks; so the
connection of one of the two is cut, behind HyperQueue's back. That worker ends, and its task with it, by SIGKILL in the
middle. HyperQueue starts the task again on the other worker, and --resume goes on where the journal of that shard ends.
"""

import json
import os
import pathlib
import socket
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


def worker_port(server_dir: str) -> int:
    """The port on which the server takes workers, as it tells them."""
    access = next(pathlib.Path(server_dir).glob("**/access.json"))
    return json.loads(access.read_text())["worker"]["port"]


def connections_to(port: int) -> list[socket.socket]:
    """This process's own ends of its connections to a port: those of its workers. Duplicates of the descriptors, so that
    closing them again does not close those of the workers."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if not os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                continue
            end = socket.socket(fileno=os.dup(int(name)))
        except OSError:
            continue
        try:
            if end.getpeername()[1] == port:
                found.append(end)
        except (OSError, IndexError):
            continue
    return found


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
        port = worker_port(cluster.cluster.server_dir)
        workers = connections_to(port)
        job = submit(client, program, sweep, shards, folder)
        while lines(folder) < 50:
            pass
        running = tasks_of(program)
        before = lines(folder)
        # Of one worker only: the other goes on with its task.
        workers[0].shutdown(socket.SHUT_RDWR)
        for _ in range(1000):
            left = [task for task in running if task in tasks_of(program)]
            if len(left) < len(running):
                break
        print(f"lost 1 of {len(workers)} workers at {before} lines, with {len(running) - len(left)} of "
              f"{len(running)} running tasks")
        ended = client.wait_for_jobs([job], raise_on_error=False)
        print(f"the job ended without failures: {ended}; {lines(folder)} lines")
        return 0 if ended and len(workers) == 2 and len(left) < len(running) else 1


if __name__ == "__main__":
    sys.exit(main())
