"""Runs the shards of a sweep by HyperQueue's Python package: a server and two worker processes, one killed on the way.

    python3 by_hyperqueue.py PROGRAM SWEEP SHARDS FOLDER

The package on PyPI has no `hq` program: it starts a server, and workers as threads of the process that has the server.
Its workers find their server by the file `access.json` in the server's folder. So every worker here is a process of its
own that starts a server as well, which nobody uses, and puts the access file of the one server in the place of its own
before it starts its worker. That worker is then one of the one server, in a process that can be killed.

It is killed by SIGKILL, in the middle of a task. Its task ends with it; HyperQueue notices, starts the task again on the
other worker, and --resume goes on where the journal of that shard ends.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
from hyperqueue.ffi.protocol import ResourceRequest


def lines(folder: pathlib.Path) -> int:
    """Whole lines of all journals."""
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("*.jsonl"))


def access_file(server_dir: str) -> pathlib.Path:
    """What a server of this folder is found by."""
    return next(pathlib.Path(server_dir).glob("*/access.json"))


def work_for(server_dir: str) -> None:
    """A worker of the server of a folder, with one core, until it is killed or its standard input ends."""
    unused = LocalCluster()
    shutil.copyfile(access_file(server_dir), access_file(unused.cluster.server_dir))
    unused.start_worker(WorkerConfig(cores=1))
    print("started", flush=True)
    sys.stdin.read()
    # Without the orderly end of a server that is not its own.
    os._exit(0)


def start_worker(server_dir: str, log: pathlib.Path) -> subprocess.Popen:
    """A process with a worker."""
    worker = subprocess.Popen(
        [sys.executable, __file__, "--worker", server_dir],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log.open("w"),
        text=True,
    )
    for line in worker.stdout:
        if line.strip() == "started":
            break
    return worker


def task_of(worker: subprocess.Popen) -> list[int]:
    """The processes that a worker started."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(worker.pid)], capture_output=True, text=True, check=False
    )
    return [int(row) for row in listed.stdout.split()]


def runs(process: int) -> bool:
    """Whether a process is there and not only waits to be buried."""
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


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
    """Exits with 0 if a worker was lost with its task under way, and the job ended well all the same."""
    program, sweep, shards, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), pathlib.Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    with LocalCluster() as cluster:
        server_dir = cluster.cluster.server_dir
        workers = [start_worker(server_dir, folder / f"worker-{number}.log") for number in range(2)]
        client = cluster.client()
        job = submit(client, program, sweep, shards, folder)
        while lines(folder) < 50 or not task_of(workers[0]):
            pass
        tasks, before = task_of(workers[0]), lines(folder)
        workers[0].send_signal(signal.SIGKILL)
        ended_by = workers[0].wait()
        ended = client.wait_for_jobs([job], raise_on_error=False)
        orphans = [task for task in tasks if runs(task)]
        print(f"lost: worker process {workers[0].pid} of 2, by signal {-ended_by}, at {before} lines, with task "
              f"process {', '.join(map(str, tasks))}; tasks left without a worker: {len(orphans)}")
        print(f"the job ended without failures: {ended}; {lines(folder)} lines")
        workers[1].stdin.close()
        workers[1].wait()
        return 0 if ended and tasks and ended_by == -signal.SIGKILL else 1


if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        work_for(sys.argv[2])
    sys.exit(main())
