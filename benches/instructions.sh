#!/usr/bin/env bash
# Counts the instructions of fixed runs of the engine and compares them with benches/instructions.csv. Unlike
# times, counts are the same from run to run and under any load.
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

cargo build --release --quiet --locked --example closed_loop
compiler=$(rustc --version)

count() {
  local log
  # shellcheck disable=SC2086 # a workload is several words
  log=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/closed_loop $1 2>&1)
  sed -nE 's/^==[0-9]+== I +refs: +//p' <<<"$log" | tr -d ,
}

if [ "${1:-}" = --renew ]; then
  {
    echo "# $compiler, $(uname -m)"
    echo "workload,instructions"
    while read -r workload; do echo "$workload,$(count "$workload")"; done <<'WORKLOADS'
a --completions 20000
a --same-socket --completions 20000
b --completions 20000
c --completions 20000
d --completions 20000
hard --completions 1000
hard-400 --completions 500
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
printf '%-40s %14s %14s %8s\n' workload baseline now change
while IFS=, read -r workload baseline; do
  now=$(count "$workload")
  [ -n "$now" ] || { echo "no count for: $workload"; exit 1; }
  compared=$((compared + 1))
  change=$(awk -v a="$baseline" -v b="$now" 'BEGIN { printf "%+.2f", (b / a - 1) * 100 }')
  printf '%-40s %14s %14s %7s%%\n' "$workload" "$baseline" "$now" "$change"
  if awk -v c="$change" -v t="$tolerance_percent" 'BEGIN { exit !(c > t) }'; then failed=1; fi
done < <(sed 1,2d "$baselines")
[ "$compared" -gt 0 ] || { echo "no baselines in $baselines"; exit 1; }

if [ "$failed" = 1 ] && [ "$gates" = yes ]; then
  echo "instruction counts: over $tolerance_percent % more than the baseline. Meant? benches/instructions.sh --renew, and say why."
  exit 1
fi
