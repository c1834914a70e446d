#!/usr/bin/env bash
# Counts the instructions of fixed runs, of the engine alone and of the whole program, and compares them with
# benches/instructions.csv. Unlike times, counts are the same from run to run and under any load.
#
#   benches/instructions.sh            fails where a run takes over 5 % more than its baseline
#   benches/instructions.sh --renew    writes the baselines anew, for a change that is meant to cost (or to save)
#
# Counts depend on the compiler: under another rustc than the one that the baselines name, differences are printed
# and nothing fails. Without valgrind there is nothing to count with: the script says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."
baselines=benches/instructions.csv
tolerance_percent=5

if ! command -v valgrind >/dev/null; then
  echo "instruction counts: SKIPPED, no valgrind on this machine (nothing was compared)"
  exit 0
fi

cargo build --release --quiet --locked --bin bandgraph --example closed_loop --example many_times
compiler=$(rustc --version)

# The instructions of one command: the program, bandgraph itself or an example, and its arguments. One thread, so that
# waiting for others is not counted.
count() {
  local log program
  program=target/release/${1%% *}
  [ -x "$program" ] || program=target/release/examples/${1%% *}
  # shellcheck disable=SC2086 # the arguments are several words
  log=$(RAYON_NUM_THREADS=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" ${1#* } 2>&1)
  sed -nE 's/^==[0-9]+== I +refs: +//p' <<<"$log" | tr -d ,
}

if [ "${1:-}" = --renew ]; then
  {
    echo "# $compiler, $(uname -m)"
    echo "workload,instructions"
    while read -r workload; do echo "$workload,$(count "$workload")"; done <<'WORKLOADS'
closed_loop a --completions 20000
closed_loop a --same-socket --completions 20000
closed_loop b --completions 20000
closed_loop c --completions 20000
closed_loop d --completions 20000
closed_loop hard --completions 1000
closed_loop hard-400 --completions 500
many_times predict scenarios/7410-istanbul-cached-read.toml 400
many_times explain scenarios/7410-istanbul-cached-read.toml 100
many_times place tests/fixtures/large.toml 2000
many_times sweep scenarios/sweeps/7410-io-size.toml 45
many_times sweep scenarios/sweeps/7410-sample.toml 200
many_times sweep benches/variants.toml 1000
bandgraph sweep scenarios/sweeps/7410-io-size.toml --quiet --restart --journal target/instructions.jsonl --csv target/instructions.csv
bandgraph check scenarios/7410-barcelona-cached-read.toml
bandgraph run scenarios/7410-barcelona-cached-read.toml --quiet
bandgraph run scenarios/7410-istanbul-cached-read.toml --quiet --set run.duration=10s
bandgraph run scenarios/7410-istanbul-disk-read.toml --quiet --set run.duration=10s
bandgraph run scenarios/7410-istanbul-cached-read.toml --quiet --set run.warm_up=10ms --set run.duration=40ms --set workload.read.io_size=1B --set workload.read.threads_per_client=100
WORKLOADS
  } >"$baselines.new"
  mv "$baselines.new" "$baselines"
  cat "$baselines"
  exit 0
fi

renewed_with=$(sed -n '1s/^# //p' "$baselines")
gates=yes
if [ "$renewed_with" != "$compiler, $(uname -m)" ]; then
  gates=no
  echo "instruction counts: baselines are of $renewed_with, this is $compiler, $(uname -m): reported, not held against"
fi

failed=0
compared=0
printf '%-72s %14s %14s %8s\n' workload baseline now change
while IFS=, read -r workload baseline; do
  now=$(count "$workload")
  [ -n "$now" ] || { echo "no count for: $workload"; exit 1; }
  compared=$((compared + 1))
  change=$(awk -v a="$baseline" -v b="$now" 'BEGIN { printf "%+.2f", (b / a - 1) * 100 }')
  printf '%-72.72s %14s %14s %7s%%\n' "$workload" "$baseline" "$now" "$change"
  if awk -v c="$change" -v t="$tolerance_percent" 'BEGIN { exit !(c > t) }'; then failed=1; fi
done < <(sed 1,2d "$baselines")
[ "$compared" -gt 0 ] || { echo "no baselines in $baselines"; exit 1; }

if [ "$failed" = 1 ] && [ "$gates" = yes ]; then
  echo "instruction counts: over $tolerance_percent % more than the baseline. Meant? benches/instructions.sh --renew, and say why."
  exit 1
fi
