//! The stack: the costs of the server's software, independent of the hardware.
//!
//! A stack has instructions executed and cache lines missed, per operation and per byte of payload. Cycles
//! are not part of it: the time of an instruction follows from the hardware (base CPI, latencies, load), so
//! that one stack serves every machine with the same software. The built-in stacks are data, `stacks/*.toml`
//! in this crate: see [`crate::profile`].

use std::borrow::Cow;
use std::sync::Arc;

use bandgraph_config::{AssumedRange, KnownFigure, Origin, settings};
use bandgraph_hardware::{SocketPart, cpu};
use bandgraph_units::Bytes;
use bandgraph_workload::{MemoryHomes, Near, NearBuffers, ProtocolKind, Shares, Workload};

use crate::packets::PacketCosts;
use crate::procedures::ProcedureCosts;
use crate::profiles::profile;
use crate::storage::StorageCosts;
use crate::{Correlations, ModelError};

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

const USUAL: AssumedRange = AssumedRange::USUAL;
settings! {
    /// The profile of a server's software.
    pub struct Stack as "stack" {
        /// Instructions that a READ costs, whatever its size; other operations: a multiple (`getattr_work`).
        instructions_per_operation: f64, at_most(1e12),
            measured("`perf stat -e instructions` over the operations of small reads"), assumed(USUAL);
        /// Instructions for every operation of an NFS version 4 COMPOUND beyond the first.
        instructions_per_compound_step: f64 = 0, at_most(1e12), because("no COMPOUND"), assumed(USUAL);
        /// Instructions for every byte of payload.
        instructions_per_byte: f64, at_most(1e6),
            measured("`perf stat -e instructions` over the bytes of large operations"), assumed(USUAL);
        /// Cache lines that a READ misses, whatever its size; other operations: a multiple (`getattr_work`).
        misses_per_operation: f64, at_most(1e12),
            measured("`perf stat -e LLC-load-misses` over the operations of small reads"), assumed(USUAL);
        /// Share of the missed lines that the cache of another socket holds, on a machine with
        /// `reference_sockets` sockets. They come from there and not from memory, and a machine with one
        /// socket misses none of them.
        shared_misses: f64 = 0, at_most(1),
            measured("`perf c2c`: loads that find a line changed in another socket's cache"),
            because("no count is known");
        /// Sockets of the machine for which misses are given.
        reference_sockets: f64 = 4, at_least(1), at_most(64), exact, because("as the first machine");
        /// Size of the last-level cache, in MiB, at which misses_per_operation holds.
        reference_cache_mib: f64, at_least(0.001), at_most(1e6), exact;
        /// Power of the cache size with which misses of the per-operation work fall; 0 to 2, 0 if they do
        /// not. Work on bytes streams, and no cache holds it.
        cache_exponent: f64 = 0, at_most(2),
            measured("misses for an operation, as the cache is partitioned (`resctrl`)"),
            because("no effect is known"), assumed(USUAL);
        /// Cache lines missed for every byte of payload.
        misses_per_byte: f64, at_most(1e3),
            measured("`perf stat -e LLC-load-misses` over the bytes of large operations"), assumed(USUAL);
        /// Misses of the per-operation work that a core has in flight together; such work follows pointers.
        overlap_per_operation: f64, at_least(1), at_most(1024),
            measured("`perf stat -e l1d_pend_miss.pending,cycles` under small operations"), assumed(USUAL);
        /// Misses of the per-byte work that a core has in flight together; copies and checksums run ahead.
        overlap_per_byte: f64, at_least(1), at_most(1024),
            measured("`perf stat -e l1d_pend_miss.pending,cycles` under large operations"), assumed(USUAL);
        /// Share of the missed lines that were written to and go back to memory; 0 to 1.
        written_share: f64, at_most(1),
            measured("writes over reads at the memory controllers, as `pcm-memory` counts them"),
            assumed(USUAL);
        /// Lines written for each missed line by stores that bypass the caches (streaming or non-temporal
        /// stores), which fetch no line before.
        streaming_stores: f64 = 0, at_most(1000), because("stores fetch their lines");
        /// Share of the lines read from another socket that a directory in memory writes at once: few of those
        /// that the same sockets read again without a write between. 0 for that of the socket.
        directory_writes: f64 = 0, at_most(1), because("that of the processor");
        /// Coefficient of variation of the work of operations of one kind on cores. A simulation draws it; a
        /// mean does not depend on it.
        work_variation: f64 = 0.3, at_most(1), because("not known"),
            assumed(AssumedRange(0.33, 2.7, "a third to 2.7 times: from one path to an exponential law"));
        /// Whether it is one program with a load of its own, which is no advice for another.
        one_program: bool = false, because("it serves whatever asks");
        /// Whether its costs include those of ZFS: checksums, its cache and its pipeline.
        zfs: bool = false, because("another file system, or none");
        /// Whether its costs of bytes include encryption, for protocols that encrypt every message.
        encrypts: bool = false, because("bytes are sent as they are");
        /// Instructions for every byte of payload of a protocol that encrypts, in addition to the cipher
        /// and those of each byte: records of TLS and copies to them.
        encryption_instructions_per_byte: f64 = 0, at_most(1e6), because("not done, or part of other costs");
        /// How often cores encrypt or decrypt every byte of payload with AES-GCM, of protocols that encrypt.
        /// 0 where none does, or where that is part of other costs.
        aes_gcm_passes: f64 = 0, at_most(16), because("not done, or part of other costs");
        /// Cycles that AES-GCM takes for a byte. 0 for those of the socket (`aes_gcm_cycles`); another figure
        /// is that of any, for a library that is slower or another cipher.
        aes_gcm_cycles: f64 = 0, at_most(1000), because("those of the processor");
        /// How often cores take the CRC-32C of every byte of payload, at what it takes the socket
        /// (`crc32c_cycles`). 0 where none does, or where that is part of other costs.
        crc32c_passes: f64 = 0, at_most(16), because("not done, or part of other costs");
        /// How often cores take the MD5 of every byte that a client writes, at what it takes the socket
        /// (`md5_cycles`). 0 where none does, or where that is part of other costs.
        write_md5_passes: f64 = 0, at_most(16), because("not done, or part of other costs");
        /// How often cores take the SHA-256 of every byte that a client writes, at what it takes the socket
        /// (`sha256_cycles`). 0 where none does, or where that is part of other costs.
        write_sha256_passes: f64 = 0, at_most(16), because("not done, or part of other costs");
        /// How often cores make the parities of an erasure code from every byte that a client writes, at what
        /// it takes the socket (`code_cycles`). 0 where none does, or where that is part of other costs.
        write_code_passes: f64 = 0, at_most(16), because("not done, or part of other costs");
        /// Work of an operation, or a part of one, that a server of a cluster does for another, for both of
        /// them together, as a multiple of that of a client's operation; matters only with a `cluster`.
        peer_operation_work: f64 = 2, at_most(64),
            measured("`perf stat -e instructions` of a server that works for the others only"),
            because("once sent and once received"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: a server that answers does a part of what one asks"));
        /// The same for every byte that goes from server to server.
        peer_byte_work: f64 = 2, at_most(64),
            measured("`perf stat -e instructions` of a server that works for the others only"),
            because("once sent and once received"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: a server that answers does a part of what one asks"));
        /// Instructions of the busiest thread of a client's process for an operation, in a library of the
        /// software. Part of the work above on a cluster's own servers; only for `processes_per_client`.
        client_instructions_per_operation: f64 = 0, at_most(1e12), because("clients run other software");
        /// Seconds of an operation at an idle client, which limit nothing: system calls, protocol, interrupt,
        /// and the wake-up of the thread that called. Streams have no replies.
        client_seconds: f64 = 0, at_most(1), measured("half the round trip of `netperf -t TCP_RR`"),
            because("not known"), assumed(AssumedRange(0.5, 3.0, "half to three times: poll, or sleep"));
        /// Cores that one process of the server keeps busy at the most. 0 for all that the server has.
        process_cores: f64 = 0, at_most(4096), because("as many as the server has");
        /// Processes of the server for each drive of its pools; matters only with `process_cores`.
        processes_per_drive: f64 = 1, at_least(0.001), at_most(1024), exact, because("one for each drive");
        /// Whether payload passes through by reference; without it every byte is copied once more.
        zero_copy: bool = true, because("payload passes by reference");
        /// Instructions for every byte that is copied.
        copy_instructions_per_byte: f64 = 0, at_most(1e6), because("misses are its cost"),
            assumed(AssumedRange(0.5, 3.0, "half to three times: from wide vectors to words of 8 bytes"));
        /// Lines that a copy of a line misses: 2 where neither its source nor its destination is in a cache,
        /// less for buffers that are small and used again, or where cards write into the cache.
        copy_misses: f64 = 2, at_most(2), because("neither is in a cache"),
            assumed(AssumedRange(0.7, 1.0, "70 to 100 %: some of a small buffer stays in the cache"));
        /// Instructions of an operation that one thread executes for all of a connection in turn, at the
        /// server or in its client, whichever takes longer. 0 where nothing is serialised.
        connection_instructions_per_operation: f64 = 0, at_most(1e12), because("not known, or none");
        /// Instructions of that thread for every byte of payload, without the cipher, which is added.
        connection_instructions_per_byte: f64 = 0, at_most(1e6), because("not known, or none");
        /// Further instructions of that thread for every byte that a client writes: to receive takes more
        /// than to send.
        connection_instructions_per_written_byte: f64 = 0, at_most(1e6), because("not known, or none");
        /// Whether one process serves all connections of a client.
        process_per_client: bool = false, because("connections have threads of their own");
        /// Whether threads stay on their processors; without it they find fewer of their lines in its caches.
        thread_binding: bool = true, because("threads stay where they are");
        /// Further misses of threads that are not bound, as a share of those they have when bound.
        migration_misses: f64 = 0, at_most(100), because("threads are bound"), assumed(USUAL);
        /// Where threads run: on all nodes, or bound to the node of their port, or to those of the drives.
        threads: Near = "all nodes", because("operating systems spread them");
        /// Where interrupts are handled: where threads run on all nodes, or bound to the node of the port, or
        /// to those of the drives.
        interrupts: Near = "all nodes", because("operating systems spread them");
        /// Where the buffers are that cards read and write: where other lines are, in the memory of the node
        /// of the port or of the drive, or of the node whose threads use them.
        buffers: NearBuffers = "all nodes", because("operating systems spread them");
        /// Whether every node serves its own ports from its own memory: threads, interrupts, buffers and
        /// memory near the port, whatever the other settings say. Processes of the server itself are near
        /// their drives then.
        siloed: bool = false, because("servers are set up so only by hand");
        /// Shares of the threads that are bound to each socket, as numbers in the order of the topology: "2 1
        /// 1 1". Empty where all sockets are dealt the same part, and idle cores take work from full ones.
        thread_shares: Shares = "", because("equal parts");
        /// Share of the work of an operation that is done in interrupts; matters only where interrupts are
        /// bound.
        interrupt_work: f64 = 0, at_most(1), because("no share is known"), assumed(USUAL);
        /// Shares of the interrupts that are bound to each socket, as numbers in the order of the topology.
        /// Empty where they are spread as the threads are.
        interrupt_shares: Shares = "", because("equal parts");
        /// Where the memory lives that cores touch: interleaved over all sockets by size, or local.
        homes: MemoryHomes = "interleaved", because("spread over all sockets");
        /// Shares of the lines that live in the memory of each socket, as numbers in the order of the
        /// topology. Empty for what `homes` says.
        home_shares: Shares = "", because("equal parts");
        /// Shares of the buffers that cards read and write in the memory of each socket, as numbers in the
        /// order of the topology. Empty where they lie as other lines do.
        buffer_shares: Shares = "", because("equal parts");
        /// Share of the DRAM that the software keeps for itself, out of the cache's reach; 0 to 0.99.
        memory_reserve: f64 = 0, at_most(0.99),
            measured("the largest cache that `arcstat` or `free` shows, over the memory"),
            because("none: all memory is cache"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: kernels and daemons differ by version"));
        flatten {
            /// How much work the kinds of operations are, relative to each other.
            procedures: ProcedureCosts;
            /// What packets cost in addition to operations and bytes.
            packets: PacketCosts;
            /// What the way to the disks costs.
            storage: StorageCosts;
        }
        own {
            /// The name that scenarios use.
            name: String = String::new();
            /// The built-in stack that its other figures come from; empty where it gives all figures.
            profile: String = String::new();
            /// The software and the systems that the profile fits.
            fits: String = String::new();
            /// The first and the last year of software that it fits; `None` where it does not say.
            years: Option<[u32; 2]> = None;
            /// The protocols whose operations its figures are of; empty where it does not say.
            protocols: Vec<ProtocolKind> = Vec::new();
            /// Where its figures come from.
            origin: Arc<Origin> = Arc::default();
            /// The errors of the model on the machine of a calibrated profile; empty for any other.
            model_errors: Vec<ModelError> = Vec::new();
            /// The correlations of figures and model errors that were fitted together.
            correlations: Arc<Correlations> = Arc::default();
            /// The measurements that a calibration of its machine learned from.
            learned_from: Vec<String> = Vec::new();
            /// Whether the scenario names no profile, so that this is the usual one of its server.
            is_default: bool = false;
        }
    }
}

impl Stack {
    /// The default stack of a scenario.
    pub const DEFAULT: &'static str = "fishworks-2009";

    /// A built-in stack.
    pub fn named(name: &str) -> Option<Self> {
        profile(name).cloned()
    }

    /// The software of the Sun Storage 7410 in 2009 (NFSv3 over TCP from the DRAM cache, with zero-copy and
    /// bound threads): the default.
    pub fn fishworks_2009() -> Self {
        Self::named(Self::DEFAULT).unwrap_or_default()
    }

    /// Every figure with its source, in documented order.
    pub fn figures(&self) -> Vec<KnownFigure> {
        let fields = Self::KIND.fields();
        fields
            .filter_map(|field| Some(self.origin.figure(field, self.get(field.name)?)))
            .collect()
    }

    /// Instructions per byte of payload on a socket, including copies, encryption and checksums. For the
    /// latter two, cycles are known, so that they are converted into instructions at that socket's rate.
    pub fn instructions_for_each_byte(&self, socket: &SocketPart) -> f64 {
        let copies = if self.zero_copy {
            0.0
        } else {
            self.copy_instructions_per_byte
        };
        let cycles = self.cipher_cycles(socket) + self.crc32c_passes * socket.crc32c_cycles;
        self.instructions_per_byte + copies + cycles / socket.base_cpi
    }

    /// Cycles that the encryption of a byte of payload takes on a socket.
    fn cipher_cycles(&self, socket: &SocketPart) -> f64 {
        let of_aes = if self.aes_gcm_cycles > 0.0 {
            self.aes_gcm_cycles
        } else {
            socket.aes_gcm_cycles
        };
        self.aes_gcm_passes * of_aes + self.encryption_instructions_per_byte * socket.base_cpi
    }

    /// Whether a connection carries no more than one thread can serve.
    pub(crate) fn serialises_connections(&self) -> bool {
        self.connection_instructions_per_operation
            + self.connection_instructions_per_byte
            + self.connection_instructions_per_written_byte
            > 0.0
    }

    /// Cycles of an operation that the thread of its connection takes, on a socket, with this payload, of
    /// which a client writes a part. The messages of a connection are encrypted one after another, by this
    /// thread.
    pub(crate) fn connection_cycles(&self, payload: f64, written: f64, socket: &SocketPart) -> f64 {
        let of_bytes = self.connection_instructions_per_byte * payload
            + self.connection_instructions_per_written_byte * written;
        (self.connection_instructions_per_operation + of_bytes) * socket.base_cpi
            + self.cipher_cycles(socket) * payload
    }

    /// Instructions per byte that a client writes on a socket, in addition to those of each byte of payload:
    /// checksums and codes, of which the cycles are known.
    pub fn instructions_for_each_written_byte(&self, socket: &SocketPart) -> f64 {
        let cycles = self.write_md5_passes * socket.md5_cycles
            + self.write_sha256_passes * socket.sha256_cycles
            + self.write_code_passes * socket.code_cycles;
        cycles / socket.base_cpi
    }

    /// Lines missed per byte of payload, including copies, with lines of `line` bytes.
    pub fn misses_for_each_byte(&self, line: f64) -> f64 {
        let copies = if self.zero_copy {
            0.0
        } else {
            self.copy_misses / line
        };
        (self.misses_per_byte + copies) * self.migration()
    }

    /// Lines missed per READ on a processor with a last-level cache of this size; zero means unknown and
    /// counts as the reference. Work that reuses its lines finds more of them in a larger cache: misses fall
    /// with a power of its size (Hartstein et al., "Cache miss behavior: is it √2?", 2006).
    pub fn misses_for_each_operation(&self, cache: Bytes) -> f64 {
        let reference = self.reference_cache_mib * MIB;
        let ratio = if cache.get() > 0.0 {
            reference / cache.get()
        } else {
            1.0
        };
        self.misses_per_operation * self.migration() * libm::pow(ratio, self.cache_exponent)
    }

    /// The misses of a machine with this number of sockets.
    ///
    /// A line used by several sockets was last modified by another with probability (n - 1) / n: so the
    /// misses of such lines grow with the number of sockets. All others are capacity misses, independent of
    /// it. If each socket serves its own ports from its own memory, no line is shared. NUMA nodes of one
    /// socket do not count: firmware does not change which lines threads share.
    pub(crate) fn misses_on(&self, sockets: usize) -> MissesOn {
        let sockets = if self.siloed { 1 } else { sockets };
        let elsewhere = |sockets: f64| (sockets - 1.0) / sockets;
        let reference = elsewhere(self.reference_sockets);
        let growth = if reference > 0.0 {
            elsewhere(sockets as f64) / reference
        } else {
            1.0
        };
        let shared = self.shared_misses * growth;
        let all = 1.0 - self.shared_misses + shared;
        MissesOn {
            relative: all,
            shared_share: if all > 0.0 { shared / all } else { 0.0 },
        }
    }

    /// The software as it serves a workload: with the placement that the workload requests, without the costs
    /// of encryption if its protocol is plain, and without those of pages and of the copy between them and a
    /// process if that goes past them.
    pub(crate) fn of_workload(&self, workload: &Workload) -> Cow<'_, Self> {
        let wishes = &workload.placement;
        let costs = self.aes_gcm_passes + self.encryption_instructions_per_byte;
        let is_plain = costs > 0.0 && !workload.protocol.is_encrypted();
        // What a scenario says is found in the cache is copied from there.
        let has_hits = workload.hit_rate.is_some_and(|rate| rate.get() > 0.0);
        let past_pages = self.storage.is_past_pages(workload) && workload.is_local() && !has_hits;
        if wishes.is_empty() && !is_plain && !past_pages {
            return Cow::Borrowed(self);
        }
        let [encrypted, in_pages] = [!is_plain, !past_pages].map(|is| f64::from(u8::from(is)));
        let shares = |own: &Option<Shares>, here: &Shares| own.as_ref().unwrap_or(here).clone();
        Cow::Owned(Self {
            threads: wishes.threads.unwrap_or(self.threads),
            interrupts: wishes.interrupts.unwrap_or(self.interrupts),
            buffers: wishes.buffers.unwrap_or(self.buffers),
            siloed: wishes.siloed.unwrap_or(self.siloed),
            thread_shares: shares(&wishes.thread_shares, &self.thread_shares),
            interrupt_shares: shares(&wishes.interrupt_shares, &self.interrupt_shares),
            homes: wishes.homes.unwrap_or(self.homes),
            home_shares: shares(&wishes.home_shares, &self.home_shares),
            buffer_shares: shares(&wishes.buffer_shares, &self.buffer_shares),
            aes_gcm_passes: encrypted * self.aes_gcm_passes,
            encryption_instructions_per_byte: encrypted * self.encryption_instructions_per_byte,
            zero_copy: self.zero_copy || past_pages,
            instructions_per_byte: in_pages * self.instructions_per_byte,
            misses_per_byte: in_pages * self.misses_per_byte,
            ..self.clone()
        })
    }

    /// The number of serialised misses on a core of a socket, given the lines that bytes miss in order.
    pub(crate) fn streamed_misses(&self, misses: f64, socket: &SocketPart) -> f64 {
        cpu::streamed_misses(misses, self.overlap_per_byte, self.streaming_stores, socket)
    }

    /// Whether a part of a workload, local or over a port, is placed near its drives.
    pub(crate) fn is_near_drives(&self, local: bool) -> bool {
        let device = [self.threads, self.interrupts].contains(&Near::Device);
        device || self.buffers == NearBuffers::Device || self.siloed && local
    }

    fn migration(&self) -> f64 {
        let is_free = f64::from(u8::from(!self.thread_binding));
        1.0 + is_free * self.migration_misses
    }
}

/// Misses on a machine with another number of sockets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MissesOn {
    /// All misses, relative to the reference.
    pub(crate) relative: f64,
    /// Share of them that another socket's cache answers.
    pub(crate) shared_share: f64,
}

#[cfg(test)]
mod tests;
