#!/usr/bin/env bash
# Starts a Slurm of one node from Debian's packages (slurm-wlm, munge) with everything in a temporary folder, runs a
# command under it, and ends what it started.
#
#     tests/distributed/slurm-on-this-machine.sh tests/distributed/run.sh [PROGRAM]
#
# Runs as any user that may start munged; no service is touched, and no file outside of the folder.
set -euo pipefail
work=$(mktemp -d)
# munged wants a folder that others cannot write, and a socket that others can reach.
chmod 755 "$work"
started=()
# shellcheck disable=SC2317 # called by the trap
clean() {
    for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
    for process in "${started[@]}"; do wait "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap clean EXIT
user=$(id -un)
host=$(hostname -s)
mkdir -m 755 "$work/state" "$work/spool" "$work/munge"
head -c 1024 /dev/urandom > "$work/munge/key"
chmod 600 "$work/munge/key"
cat > "$work/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/controller.pid
SlurmdPidFile=$work/node.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP
CONF
export SLURM_CONF=$work/slurm.conf
munged --foreground --force --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" > "$work/munge.log" 2>&1 & started+=($!)
until [ -S "$work/munge/socket" ]; do kill -0 "${started[0]}"; sleep 0.1; done
slurmctld -D -f "$SLURM_CONF" > "$work/controller.log" 2>&1 & started+=($!)
slurmd -D -f "$SLURM_CONF" > "$work/node.log" 2>&1 & started+=($!)
until sinfo --noheader --format=%t 2>/dev/null | grep -q idle; do
    for process in "${started[@]}"; do
        kill -0 "$process" || { tail -5 "$work"/*.log; exit 1; }
    done
    sleep 0.1
done
"$@"
