#!/bin/sh
# Collects what `bandgraph import` reads into one folder. Run it as root; it changes nothing and sends nothing.
# Usage: sh collect.sh [FOLDER]
folder=${1:-bandgraph-$(hostname)}
mkdir -p "$folder" || exit 1
keep() { # FILE COMMAND...: the output of a command, if there is such a command
    file=$1
    shift
    if command -v "$1" >/dev/null 2>&1; then
        "$@" >"$folder/$file" 2>/dev/null
        [ -s "$folder/$file" ] || rm -f "$folder/$file"
    fi
}
keep dmidecode.txt dmidecode
keep lspci.txt lspci -Dvvvnn
keep northbridges.txt lspci -Dxxx -d 1022: # AMD: links between sockets
keep pciconf.txt pciconf -lvbc
keep lscpu.txt lscpu
keep numactl.txt numactl -H
keep lstopo.xml lstopo --of xml
keep lsblk.json lsblk -J -b -o NAME,MODEL,SIZE,ROTA,TRAN,TYPE
keep nvme.json nvme list -o json
keep zpool.txt zpool status
keep ibstat.txt ibstat
if [ -d /sys/class/net ]; then
    for port in /sys/class/net/*; do
        [ -e "$port/device" ] && keep "ethtool-$(basename "$port").txt" ethtool "$(basename "$port")"
    done
fi
# Links between sockets, where the kernel has counters for them: one unit a link.
for link in /sys/devices/uncore_upi_* /sys/devices/uncore_qpi_*; do
    [ -d "$link" ] && basename "$link"
done >"$folder/uncore.txt" 2>/dev/null
[ -s "$folder/uncore.txt" ] || rm -f "$folder/uncore.txt"
echo "$folder"
