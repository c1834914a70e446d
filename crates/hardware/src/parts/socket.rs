//! A processor socket: cores, their stall behaviour, coherence.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Bytes, Fraction, Frequency, Power, Time};

use super::{Probing, SocketLinkPart};
use crate::part::part;
use crate::pcie::PcieGeneration;

part! {
    /// A processor with its cores, its memory controller's latency, and how it keeps caches coherent.
    SocketPart, Socket = "socket" {
        /// Cores in the socket.
        cores: u64 = 1, required, positive, at_most(1024.0);
        /// Threads that share a core at the same time (simultaneous multithreading). While one waits for
        /// memory the others work.
        threads_per_core: u64 = 1, positive, at_most(16.0),
            because("one thread, as on processors without simultaneous multithreading");
        /// Clock of the cores while all of them are busy.
        clock: Frequency = "1 GHz", required, positive, at_least(1e6), at_most(1e11);
        /// Cycles per instruction when no instruction waits for memory. Waits for nearer caches are
        /// included.
        base_cpi: f64 = 1.4, positive, at_most(1000.0),
            measured("`perf stat -e cycles,instructions` of the software on data in the cache"),
            because("that of `opteron-8356`"), assumed(AssumedRange(0.65, 1.4,
                "65 to 140 %: server code in nearer caches has 0.6 to 1.8 cycles an instruction on the \
                 processors that are known"));
        /// Cycles of a core for every byte that AES-GCM encrypts or decrypts with a key of 128 bits, in long
        /// messages.
        aes_gcm_cycles: f64 = 0.65, at_most(1000.0),
            because("an instruction for AES and one for GHASH, as processors since 2013 have");
        /// Cycles of a core for every byte of a CRC-32C.
        crc32c_cycles: f64 = 0.12, at_most(1000.0),
            because("an instruction for 8 bytes in each cycle, on three streams at a time"),
            assumed(AssumedRange(0.5, 3.2,
                "half to 3.2 times: wide carry-less products take half, a single stream of the \
                 instruction three cycles for 8 bytes"));
        /// Cycles of a core for every byte of a SHA-256.
        sha256_cycles: f64 = 7.7, at_most(1000.0),
            because("without an instruction for it, as measured on Skylake");
        /// Cycles of a core for every byte of an MD5, with all its threads at work.
        md5_cycles: f64 = 5.0, at_most(1000.0),
            because("a chain of dependent steps, much the same on all cores");
        /// Cycles of a core for every byte of data from which it makes the two to four parities of an erasure
        /// code.
        code_cycles: f64 = 0.4, at_most(1000.0), because("shuffles of 32 bytes");
        /// Cache misses that a core has in flight on average while it is stalled: each stalls it for its
        /// latency divided by this.
        misses_in_flight: f64 = 2.0, positive, at_least(0.01), at_most(1000.0),
            measured("`mlc --max_bandwidth` on one core, times its latency, over 64 bytes"),
            because("little, as no miss buffers are known");
        /// Cache misses that one thread of a core has in flight, at most. No more than `misses_in_flight` if
        /// zero.
        thread_misses_in_flight: f64 = 0.0, at_most(1000.0),
            measured("`likwid-bench -t load` with one thread on a core, over that with two"),
            because("one thread reaches what its core can hold, as far as known");
        /// Lines of sequential streams that a core has in flight: with those that its prefetchers fetch
        /// ahead or, without any, those of the instructions that it can look ahead. As many as
        /// `misses_in_flight` if zero.
        prefetched_in_flight: f64 = 0.0, at_most(1000.0), because("no rate of one core alone is known");
        /// How long a store that bypasses the caches (a streaming or non-temporal one) holds a line buffer of
        /// its core, relative to a missed line.
        streaming_store_time: f64 = 0.4, at_most(10.0),
            measured("STREAM's copy with such stores over reads alone, by one thread"),
            because("one core of twelve processors takes from none to 1, half of them 0.2 to 0.6"),
            assumed(AssumedRange(0.0, 2.5, "none to a whole miss: some cores have buffers for stores apart"));
        /// Latency of an idle read of local memory as a core sees it, when it waits for no probe.
        local_latency: Time = "80 ns", positive, at_most(1e-3),
            measured("`mlc --idle_latency`, or `lat_mem_rd` of lmbench"), because("that of `opteron-8356`"),
            assumed(AssumedRange(0.7, 1.3,
                "±30 %: processors of one family differ by mesh clock and memory"));
        /// Latency of a probed read beyond the hops of its request, probe and response: from the core
        /// to the
        /// memory controller that sends the probe, the look-up in the probed caches, and back up to the core.
        probe_latency: Time = "60 ns", at_most(1e-3), because("about half of a memory read"),
            assumed(AssumedRange(0.6, 1.5,
                "60 to 150 %: on two Opterons it is 84 and 93 % of a local read, elsewhere unknown"));
        /// The sockets that it probes for a line of its memory: all others, all but the requester, or none
        /// where a probe filter or a directory knows that no cache holds the line.
        probes: Probing = "broadcast", because("no filter is known");
        /// Share of the lines read by other sockets for which it writes the line back at once, to note in
        /// memory who has it.
        directory_writes: Fraction = "0 %", at_most(1.0),
            because("none is known, or a filter is kept elsewhere");
        /// Share of what its memory sustains that its controller reaches.
        controller_share: Fraction = "100 %", positive, at_least(0.01), at_most(1.0),
            measured("`mlc --max_bandwidth`, over the rate of the modules"),
            because("nothing below its memory was measured"), assumed(AssumedRange(0.7, 1.0,
                "70 to 100 %: so much of it was measured where every channel is in use"));
        /// The same where firmware divides it in as many NUMA nodes as it can, so that lines lie in turn on
        /// the channels of one node alone; `controller_share` if zero.
        divided_share: Fraction = "0 %", at_most(1.0),
            measured("`mlc --max_bandwidth`, over the rate of the modules"),
            because("no difference was measured");
        /// Transactions that its memory serves at the same time, for all sockets and their root complexes
        /// together; no limit if zero.
        home_transactions: f64 = 0.0, at_most(65536.0), because("none is known");
        /// Those of them that the root complexes of each socket can have. With more than two sockets, cores
        /// have an even share of the rest; with two, half of all.
        home_card_transactions: f64 = 0.0, at_most(65536.0), because("none is known");
        /// Bandwidth of its controller at one write per read, as a share of its bandwidth for reads
        /// alone: turnarounds take time.
        mixed_memory: Fraction = "82 %", positive, at_least(0.5), at_most(1.0),
            measured("`mlc --max_bandwidth`: its mixes of reads and writes over reads alone"),
            because("between Opterons and Xeons");
        /// Size of a cache line, the unit of coherent transfers.
        line_size: Bytes = "64 B", exact, positive, at_least(16.0), at_most(4096.0),
            stated_by("hwloc-machines");
        /// Ports for links to other sockets and to bridges.
        link_ports: u64 = 3, at_most(64.0), because("as an Opteron");
        /// Size of the last-level cache.
        l3: Bytes = "0 B", listed, exact, because("none, or unknown");
        /// Slices that it is divided in, each for a group of cores.
        l3_slices: u64 = 1, positive, at_most(1024.0), because("one cache for all cores");
        /// Slices on each of its dies of cores, if these are apart from the memory controllers.
        l3_slices_per_die: u64 = 1, positive, at_most(64.0), because(
                "a slice on each die of cores; without effect where cores and memory controllers share a \
                 die");
        /// Rate at which the cores of one die read from memory controllers on another die; no limit if zero.
        die_read_rate: Bandwidth = "0 B/s", at_most(1e15),
            measured("`mlc --max_bandwidth` on the cores of one die"),
            because("cores and memory controllers are on one die");
        /// Rate at which they write to them; no limit if zero.
        die_write_rate: Bandwidth = "0 B/s", at_most(1e15),
            measured("`mlc --max_bandwidth -W6` (stores that bypass caches) on the cores of one die"),
            because("cores and memory controllers are on one die");
        /// Rate at which all its cores together read from memory and write to it over its front-side bus, in
        /// both directions together; no limit if zero.
        front_side_bus: Bandwidth = "0 B/s", at_most(1e15),
            because("none: its memory controllers are its own");
        /// Clock that it keeps at its design power; unknown if zero. What counts is `clock`.
        base_clock: Frequency = "0 Hz", exact, at_most(1e11), because("unknown");
        /// Clock while no more than `turbo_cores` are busy. From there it falls evenly to `clock`. Unknown if
        /// zero: then it is always `clock`.
        turbo_clock: Frequency = "0 Hz", exact, at_most(1e11), because("no turbo, or unknown");
        /// Busy cores up to which the clock is `turbo_clock`.
        turbo_cores: u64 = 1, exact, positive, at_most(1024.0),
            because("product pages state the highest clock for one core"), assumed(AssumedRange(1.0, 4.0,
                "1 to 4: published tables keep it up to the second to fourth core"));
        /// Share of `package_cores` from which the clock is no more than `clock`.
        full_clock_share: Fraction = "100 %", positive, at_least(0.01), at_most(1.0),
            because("it falls evenly to the clock of all cores"), assumed(AssumedRange(0.5, 1.0,
                "50 to 100 %: E5 of 2013 are at the clock of all cores from 62 % on"));
        /// Cores of the package, some of which can be off: `cores` are those that are on. `cores` if zero.
        package_cores: u64 = 0, exact, at_most(1024.0), because("all cores of the package are on");
        /// NUMA nodes that firmware can divide it in, at most (NPS4 of EPYC, SNC of Xeons). A topology says
        /// with `numa_nodes` whether it is divided.
        maximum_numa_nodes: u64 = 1, positive, at_most(64.0),
            because("its firmware does not divide it, as far as known");
        /// The part that joins its NUMA nodes, where it is divided: a part of the catalogue.
        node_link: String = "sub-numa-mesh", because("of a processor that is not divided it has no effect");
        /// Whether its NUMA nodes are dies: each has links to other sockets of its own, and `local_latency`
        /// is that of memory on the die. The nodes of a single die share the links, and their latencies
        /// differ from the mean by the way to the other nodes.
        node_dies: bool = false, because("its nodes share a die, or one die with all memory controllers");
        /// Links to other sockets, at most; the rest of its ports are for bridges.
        socket_links: u64 = 0, at_most(64.0), because("none: for boards with one socket");
        /// The fastest part that its links to other sockets can be; unknown if empty.
        socket_link: String = "", because("unknown, or none");
        /// Channels of its memory controllers; unknown if zero.
        memory_channels: u64 = 0, listed, at_most(64.0),
            because("none of its own: its memory is behind a hub");
        /// The fastest memory that it takes; unknown if empty.
        memory: String = "", listed, because("none of its own: its memory is behind a hub");
        /// Fastest PCIe generation of its own lanes.
        pcie_generation: PcieGeneration = "gen1", because("no lanes of its own: slots are on bridges");
        /// PCIe lanes of its own; none, or unknown, if zero.
        pcie_lanes: u64 = 0, at_most(1024.0), because("no lanes of its own: slots are on bridges");
        /// Its package: processors of one package fit the same socket. Unknown if empty.
        package: String = "", because("unknown");
        /// Year in which it was first sold; unknown if zero.
        year: u64 = 0, at_most(9999.0), because("unknown");
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: idle states and firmware differ"));
        /// Power when all cores are busy. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.7, 1.1,
                "70 to 110 %: the design power is a limit that most loads stay below"));
    }
}

/// The clock of a processor by the number of its busy cores.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    turbo: Frequency,
    /// Busy cores up to which it is `turbo`.
    first: f64,
    clock: Frequency,
    /// Busy cores from which it is `clock`.
    last: f64,
}

impl Clocks {
    /// The clock while this number of cores is busy.
    pub fn of(&self, busy: f64) -> Frequency {
        let fallen = ((busy - self.first) / (self.last - self.first)).clamp(0.0, 1.0);
        Frequency::new(self.turbo.get() - fallen * (self.turbo.get() - self.clock.get()))
    }
}

impl SocketPart {
    /// Cycles per second of all cores together, while all of them are busy.
    pub fn cycles_per_second(&self) -> Frequency {
        self.full_clock() * self.cores as f64
    }

    /// Clock of its cores while this number of them is busy.
    pub fn clock_of(&self, busy: f64) -> Frequency {
        self.clocks().of(busy)
    }

    /// Its clock by the number of busy cores.
    pub fn clocks(&self) -> Clocks {
        let first = self.turbo_cores as f64;
        let package = self.package_cores.max(self.cores) as f64;
        Clocks {
            turbo: self.turbo_clock.max(self.clock),
            first,
            clock: self.clock,
            last: (package * self.full_clock_share.get()).max(first + 1.0),
        }
    }

    /// Clock of its cores while all that are on are busy.
    pub fn full_clock(&self) -> Frequency {
        self.clock_of(self.cores as f64)
    }

    /// Whether its clock depends on how many of its cores are busy.
    pub fn has_turbo(&self) -> bool {
        self.clock_of(1.0) > self.full_clock()
    }

    /// Rates at which the cores of all its dies together read from its memory controllers, and write to them,
    /// in bytes/s; `None` where nothing lies between both.
    pub fn die_rates(&self) -> Option<[f64; 2]> {
        let dies = self.l3_slices.div_ceil(self.l3_slices_per_die) as f64;
        let rates = [self.die_read_rate, self.die_write_rate].map(|rate| dies * rate.get());
        rates.iter().all(|&rate| rate > 0.0).then_some(rates)
    }

    /// Transactions that the cores of one of `sockets` sockets can have at its memory at the same time, and
    /// those of the root complexes of one; `None` where their number is no limit.
    pub fn transactions_each(&self, sockets: usize) -> Option<[f64; 2]> {
        let cards = self.home_card_transactions;
        let share = self.home_transactions / sockets.max(2) as f64;
        let cores = if sockets > 2 { share - cards } else { share };
        (self.home_transactions > 0.0).then(|| [cores, cards].map(|each| each.max(1.0)))
    }

    /// Whether firmware can divide it in this number of NUMA nodes.
    pub fn is_divided_in(&self, nodes: u64) -> bool {
        nodes > 0 && nodes <= self.cores && self.maximum_numa_nodes.is_multiple_of(nodes)
    }

    /// The processor of one of its NUMA nodes, from 0, where firmware divides it in `nodes` that `link`
    /// joins: its share of the cores, of the last-level cache and of the power. Cores of an undivided die
    /// read the memory of all its nodes in turn, so that its latency contains the way to the others, which
    /// that of a node does not, and its rate may be lower ([`Self::divided_share`]).
    #[must_use]
    pub fn node(&self, node: u64, nodes: u64, link: &SocketLinkPart) -> Self {
        let share = 1.0 / nodes as f64;
        let elsewhere = if self.node_dies {
            0.0
        } else {
            (1.0 - share) * 2.0 * link.hop_latency.get()
        };
        Self {
            cores: self.cores / nodes + u64::from(node < self.cores % nodes),
            // All nodes count as equally busy.
            turbo_cores: (self.turbo_cores / nodes).max(1),
            package_cores: self.package_cores.div_ceil(nodes),
            home_transactions: self.home_transactions * share,
            home_card_transactions: self.home_card_transactions * share,
            l3: self.l3 * share,
            l3_slices: (self.l3_slices / nodes).max(1),
            local_latency: Time::new(
                (self.local_latency.get() - elsewhere).max(self.local_latency.get() / 2.0),
            ),
            idle_power: self.idle_power * share,
            active_power: self.active_power * share,
            controller_share: if nodes == self.maximum_numa_nodes && self.divided_share.get() > 0.0 {
                self.divided_share
            } else {
                self.controller_share
            },
            ..self.clone()
        }
    }
}
