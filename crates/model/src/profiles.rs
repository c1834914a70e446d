//! Profiles of software besides that of the 7410 over TCP, which is [`Stack::fishworks_2009`].

mod memcached;
mod ssj;

use crate::packets::PacketCosts;
use crate::storage::StorageCosts;
use crate::{MemoryHomes, ProcedureCosts, Stack};

pub(crate) use memcached::{memcached_linux_2009, memcached_opensolaris_2009};
pub(crate) use ssj::hotspot_ssj_2009;

/// The software of the 7410 when it serves NFS over RDMA.
///
/// Operations are the same work as over TCP. Bytes skip the network's software; what is left is to copy them
/// from the cache into registered buffers. The only published figure is that the processors were 30 % busy at
/// 3.15 GB/s.
pub(crate) fn fishworks_2009_rdma() -> Stack {
    Stack {
        name: "fishworks-2009-rdma".to_owned(),
        source: "operations: as fishworks-2009; assumption: one copy of every byte; instructions and misses of bytes \
                 besides the copy: fitted to ib-rdma-read, 5.9 cycles a byte"
            .to_owned(),
        instructions_per_byte: 0.25,
        misses_per_byte: 0.015,
        zero_copy: false,
        ..Stack::fishworks_2009()
    }
}

/// The software of the 7410 when it serves NFS over TCP over IP over `InfiniBand`.
///
/// Operations and bytes are the same work as over Ethernet. There the driver cuts segments of 64 KiB into
/// jumbo frames; here the software makes every packet of 2 KiB by itself. A port of the adapter completes all
/// that it receives in one queue, whose interrupts go to one core: that core handles every packet received
/// and copies its data out of the adapter's buffers.
pub(crate) fn fishworks_2009_ipoib() -> Stack {
    Stack {
        name: "fishworks-2009-ipoib".to_owned(),
        source: "operations and bytes: as fishworks-2009; misses of a packet: fitted to ib-ipoib-read; \
                 assumption: 2500 instructions for a packet, what TCP and IP cost without offload; one core for what \
                 a port receives, and one copy of it"
            .to_owned(),
        packets: PacketCosts {
            instructions_per_packet: 2500.0,
            misses_per_packet: 29.0,
            sent_packet_work: 1.0,
            receive_copies: 1.0,
            cores_per_port: 1.0,
            ..PacketCosts::default()
        },
        ..Stack::fishworks_2009()
    }
}

/// TCP of Solaris in 2008, without a file service: what the network was tuned with before the 7410 was
/// launched.
pub(crate) fn solaris_tcp_2008() -> Stack {
    Stack {
        name: "solaris-tcp-2008".to_owned(),
        source: "network-2008-2009: misses of bytes fitted to 9.0 cycles a byte with 2 rings and 12 connections, misses \
                 of rings to 11.1 with all, bytes of connections to 10.8 with 2 rings and 40, cores of a port to \
                 8.2 Gbit/s with 2 rings and 40; packets: as in fishworks-2009-ipoib, those sent cut by the driver; assumption: 5000 instructions \
                 and 100 misses for a call of the benchmark, 4000 instructions for an interrupt, all work on the core of its connection"
            .to_owned(),
        instructions_per_operation: 5000.0,
        instructions_per_byte: 1.0,
        misses_per_operation: 100.0,
        misses_per_byte: 0.053,
        packets: PacketCosts {
            instructions_per_packet: 2500.0,
            misses_per_packet: 29.0,
            misses_per_send_and_ring: 32.0,
            connection_bytes: 327e3,
            instructions_per_interrupt: 4000.0,
            cores_per_port: 5.0,
            bound_work: 1.0,
            ..PacketCosts::default()
        },
        procedures: ProcedureCosts::ALIKE,
        ..Stack::fishworks_2009()
    }
}

/// Linux of 2009 with local disks: what a process pays that reads and writes files through the page cache.
///
/// Every byte is copied between the page cache and the process. None of the figures matters to a job that
/// computes: they are orders of magnitude, to be overridden where they do.
pub(crate) fn linux_local_2009() -> Stack {
    Stack {
        name: "linux-local-2009".to_owned(),
        source: "assumption: 10000 instructions and 50 misses for a call, one copy of every byte, 15000 instructions for \
                 a command to a disk, 1 % of metadata, 4 % of memory kept by the kernel"
            .to_owned(),
        instructions_per_operation: 10_000.0,
        instructions_per_byte: 0.0,
        misses_per_operation: 50.0,
        misses_per_byte: 0.0,
        zero_copy: false,
        homes: MemoryHomes::Local,
        memory_reserve: 0.04,
        storage: StorageCosts {
            instructions_per_command: 15_000.0,
            misses_per_command: 100.0,
            metadata_share: 0.01,
            ..StorageCosts::NONE
        },
        procedures: ProcedureCosts::ALIKE,
        ..Stack::fishworks_2009()
    }
}
