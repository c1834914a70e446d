#!/usr/bin/env bash
# Runs a sweep by real schedulers on this machine, and compares the merged results with those of one process, byte for
# byte. Not part of `cargo test`: it needs schedulers, and says honestly which of them it did not find.
#
#     tests/distributed/run.sh [PROGRAM]         # target/release/bandgraph if not given
#
# Looks for `parallel` (Debian: parallel), `hq` or the Python package of PyPI (hyperqueue; PYTHON names another
# python3), `sbatch` (Debian: slurm-wlm; needs a running controller, such as that of slurm-on-this-machine.sh),
# `shellcheck`, `actionlint` (Go: github.com/rhysd/actionlint), and Python with `kubernetes-validate` (PyPI) or at least
# `yaml`. Exits with 1 if anything that could be tried does not hold.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "${1:-$root/target/release/bandgraph}")
sweep=$root/tests/fixtures/sweep-long.toml
work=$(mktemp -d)
started=()
# shellcheck disable=SC2317 # called by the trap
clean() {
    for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap clean EXIT
cd "$work"
failed=0
tried() { printf '%-28s %s\n' "$1" "$2"; }
same() { if cmp -s "$work/whole.csv" "$2"; then tried "$1" "ok: the same bytes"; else tried "$1" "FAILED: other bytes"; failed=1; fi; }

"$program" --quiet sweep "$sweep" --csv whole.csv >/dev/null

# Every job file is one: shells and parsers take it.
for engine in hyperqueue slurm gnu-parallel; do
    "$program" sweep emit "$sweep" --engine "$engine" --shards 4 --program "$program" > "$engine.sh"
    if bash -n "$engine.sh"; then tried "$engine script" "ok: bash reads it"; else failed=1; fi
    if command -v shellcheck >/dev/null; then
        if shellcheck "$engine.sh"; then tried "$engine script" "ok: shellcheck"; else failed=1; fi
    fi
done
python=${PYTHON:-python3}
for engine in kubernetes github-actions; do
    "$program" sweep emit "$sweep" --engine "$engine" --shards 4 > "$engine.yaml"
done
if "$python" -c 'import kubernetes_validate' 2>/dev/null; then
    # Every field against the schema of the API.
    if "$python" -m kubernetes_validate --strict kubernetes.yaml >/dev/null; then
        tried "Kubernetes manifest" "ok: the API's schema"
    else
        tried "Kubernetes manifest" "FAILED"; failed=1
    fi
elif "$python" -c 'import yaml' 2>/dev/null; then
    if "$python" -c 'import yaml; assert all(yaml.safe_load_all(open("kubernetes.yaml")))'; then
        tried "Kubernetes manifest" "ok: YAML; no kubernetes-validate for more"
    else
        failed=1
    fi
else
    tried "Kubernetes manifest" "SKIPPED: no Python with kubernetes-validate or yaml"
fi
if command -v actionlint >/dev/null; then
    if actionlint github-actions.yaml "$root"/examples/ci/github-*.yml; then
        tried "GitHub workflows" "ok: actionlint, also of the one in examples/ci"
    else
        tried "GitHub workflows" "FAILED"; failed=1
    fi
else
    tried "GitHub workflows" "SKIPPED: no actionlint"
fi

if command -v parallel >/dev/null; then
    mkdir gnu && (cd gnu && bash ../gnu-parallel.sh >/dev/null 2>&1)
    same "GNU parallel" gnu/results.csv
else
    tried "GNU parallel" "SKIPPED: no parallel"
fi

# A server, two workers, and one of them killed in the middle: its task is started again by HyperQueue on the other.
if command -v hq >/dev/null; then
    mkdir hq-server hq && export HQ_SERVER_DIR=$work/hq-server
    hq server start >server.log 2>&1 & started+=($!)
    until hq server info >/dev/null 2>&1; do :; done
    for worker in 1 2; do
        hq worker start --cpus 1 >"worker-$worker.log" 2>&1 & started+=($!)
    done
    victim=${started[-1]}
    (cd hq && bash ../hyperqueue.sh >../hq-job.log 2>&1) & job=$!
    lines() { find hq -name '*.jsonl' -exec cat {} + | wc -l; }
    until [ "$(lines)" -gt 50 ]; do :; done
    kill -9 "$victim"
    at=$(lines)
    wait "$job" || { cat hq-job.log; failed=1; }
    total=$(($(wc -l < whole.csv) - 1))
    tried "HyperQueue" "a worker was killed at $at of $total points; journals have $(($(lines) - 4)) results"
    same "HyperQueue" hq/results.csv
elif "$python" -c 'import hyperqueue' 2>/dev/null; then
    # The package on PyPI has a server and workers, but no `hq`: see by_hyperqueue.py for how they get processes.
    if "$python" "$root/tests/distributed/by_hyperqueue.py" "$program" "$sweep" 4 "$work/hq" >hq.log 2>&1; then
        grep -E '^(lost|the job)' hq.log
        "$program" --quiet sweep merge "$sweep" hq/*.jsonl --csv hq/results.csv >/dev/null
        same "HyperQueue (PyPI)" hq/results.csv
    else
        cat hq.log
        failed=1
    fi
else
    tried "HyperQueue" "SKIPPED: no hq, and no Python package hyperqueue"
fi

if command -v sbatch >/dev/null && sinfo >/dev/null 2>&1; then
    mkdir slurm && (cd slurm && sbatch --wait ../slurm.sh >/dev/null && bash ../slurm.sh merge >/dev/null)
    same "Slurm" slurm/results.csv
else
    tried "Slurm" "SKIPPED: no controller; the script was checked by bash only"
fi
exit "$failed"
