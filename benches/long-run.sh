#!/usr/bin/env bash
# A hundred million completions in one run, and what the books say at its end: that work taken in is done or in flight, and
# that what was full all the time was used for all that it offered, each to 1e-9. Minutes; not part of the gate.
set -euo pipefail
cd "$(dirname "$0")/.."
completions=${1:-100000000}

cargo build --release --quiet --locked --example closed_loop
line=$(target/release/examples/closed_loop a --completions "$completions")
printf '%s\n' "$line"
field() { sed -E "s/.*\"$1\":([^,}]*).*/\1/" <<<"$line"; }
awk -v lost="$(field work_lost)" -v fullest="$(field fullest)" 'BEGIN {
  drift = fullest > 1 ? fullest - 1 : 1 - fullest
  if (lost > 1e-9 || drift > 1e-9) { print "the books are off: lost " lost ", drift " drift; exit 1 }
  print "work lost " lost ", drift " drift ": within 1e-9"
}'
