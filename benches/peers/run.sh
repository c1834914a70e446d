#!/usr/bin/env bash
# Runs the closed-loop benchmark on this engine and on SimGrid, in turn, on one pinned core, and prints for each
# case the rates, their ratio, peak memory, and whether both end at the same time t_K.
#
#   benches/peers/run.sh [rounds]          (default: 3; the best of the rounds counts, for each side)
#
# Needs a C++ compiler and SimGrid's headers (Debian: libsimgrid-dev). Not part of the gate.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-3}
core=${CORE:-0}

cargo build --release --quiet --example closed_loop
mkdir -p target/peers
"${CXX:-c++}" -O2 -std=c++17 -Wall -Wextra benches/peers/simgrid/closed_loop.cpp -o target/peers/simgrid -lsimgrid

ours() { taskset -c "$core" target/release/examples/closed_loop "$@"; }
simgrid() { taskset -c "$core" target/peers/simgrid "$@" --log=root.thres:warning 2>/dev/null; }
field() { sed -E "s/.*\"$2\":([^,}]*).*/\1/" <<<"$1"; }
# The better of two lines, by rate; the first may be empty.
best() {
  if [ -z "$1" ] || awk "BEGIN { exit !($(field "$2" completions_per_s) > $(field "$1" completions_per_s)) }"; then
    printf '%s' "$2"
  else
    printf '%s' "$1"
  fi
}

# What is timed is as long as each side needs for a steady figure; t_K is compared at an equal number of
# completions, SimGrid's.
# case, options, completions of SimGrid, completions of this engine
cases='a||100000|5000000
b||10000|5000000
c||4000|2000000
d||1500|2000000
a|--same-socket|100000|5000000
b|--same-socket|10000|5000000
c|--same-socket|4000|5000000
d|--same-socket|1500|5000000
hard||5000|50000
hard-400||2000|20000'

printf '%-22s %14s %14s %8s %10s %10s  %s\n' case 'simgrid /s' 'bandgraph /s' ratio 'MiB' 'MiB' t_K
failed=0
while IFS='|' read -r name options theirs_k ours_k; do
  theirs='' mine=''
  for _ in $(seq "$rounds"); do
    # shellcheck disable=SC2086 # options are words
    theirs=$(best "$theirs" "$(simgrid "$name" $options --completions "$theirs_k")")
    # shellcheck disable=SC2086
    mine=$(best "$mine" "$(ours "$name" $options --completions "$ours_k")")
  done
  # shellcheck disable=SC2086
  same=$(ours "$name" $options --completions "$theirs_k")
  verdict=$(awk -v a="$(field "$theirs" t_k)" -v b="$(field "$same" t_k)" \
    'BEGIN { d = a > b ? a - b : b - a; print (d <= 5e-10 * b ? "agrees" : "DIFFERS"), a, b }')
  [[ $verdict == agrees* ]] || failed=1
  awk -v label="$name $options" -v s="$(field "$theirs" completions_per_s)" -v o="$(field "$mine" completions_per_s)" \
    -v sm="$(field "$theirs" peak_rss_bytes)" -v om="$(field "$mine" peak_rss_bytes)" -v v="${verdict%% *}" -v t="$(field "$same" t_k)" \
    'BEGIN { printf "%-22s %14.0f %14.0f %8.0f %10.1f %10.1f  %s at %.9g s\n", label, s, o, o / s, sm / 1048576, om / 1048576, v, t }'
done <<<"$cases"
exit "$failed"
