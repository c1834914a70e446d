//! Processors.
//!
//! Latencies of the Opterons. McCalpin ("AMD Opteron Local Memory Latency Chart", 2010) measured local reads on four
//! sockets of Barcelona at 2.3 GHz: 100 ns on sockets whose farthest probe is one hop away, 130 ns where it is two. Those
//! are probe paths of two and four hops: 2 × 16.5 ns apart, with 67 ns besides. He measured Istanbul at 2.6 GHz
//! at 54 ns on four sockets with HT Assist, which waits for no probe, and 78 ns on two sockets without. The rest is
//! marked as assumed.

use bandgraph_units::{Bytes, Frequency, Power, Time};

use crate::parts::SocketPart;

const MIB: f64 = 1_048_576.0;

pub(super) fn entries() -> Vec<SocketPart> {
    vec![
        SocketPart {
            name: "opteron-8356".to_owned(),
            source: "hw-update-2009 (cores, clock); McCalpin 2010, AMD Opteron Local Memory Latency Chart (probe \
                     latency, with the hops of ht1-x16); facts.md, CPU (base_cpi, from CPI 11.7 at a stall of \
                     90 ns); assumption: 8 misses in flight; assumption: local_latency 80 ns, below the 85 ns of two \
                     sockets with probes; AMD, ACP - The Truth About Power Consumption, 43761 (active_power: average of \
                     75 W for parts of 95 W design power); assumption: idle_power"
                .to_owned(),
            cores: 4,
            threads_per_core: 1,
            clock: Frequency::new(2.3e9),
            base_cpi: 1.4,
            misses_in_flight: 8.0,
            local_latency: Time::new(80e-9),
            probe_latency: Time::new(67e-9),
            probe_filter: false,
            line_size: Bytes::new(64.0),
            link_ports: 3,
            l3: Bytes::new(2.0 * MIB),
            idle_power: Power::new(25.0),
            active_power: Power::new(75.0),
        },
        SocketPart {
            name: "opteron-8435".to_owned(),
            source: "hw-update-2009 (cores, clock), facts.md, CPU (model); McCalpin 2010, AMD Opteron Local Memory Latency Chart (local_latency \
                     with HT Assist, probe_latency from two sockets less two hops of ht3-x16); assumption: base_cpi and \
                     misses in flight as on Barcelona, whose core it is. The counters show broadcasts, so the probe \
                     filter is off; AMD 43761 (active_power, as for opteron-8356); assumption: idle_power"
                .to_owned(),
            cores: 6,
            threads_per_core: 1,
            clock: Frequency::new(2.6e9),
            base_cpi: 1.4,
            misses_in_flight: 8.0,
            local_latency: Time::new(54e-9),
            probe_latency: Time::new(50e-9),
            probe_filter: false,
            line_size: Bytes::new(64.0),
            link_ports: 3,
            l3: Bytes::new(6.0 * MIB),
            idle_power: Power::new(25.0),
            active_power: Power::new(75.0),
        },
        nehalem(),
        harpertown(),
        genoa(),
    ]
}

/// A processor of 2023. Its links between sockets carry the same kind of coherence as the Opterons', with a directory that
/// saves the probes.
fn genoa() -> SocketPart {
    SocketPart {
        name: "epyc-9354".to_owned(),
        source: "AMD EPYC 9354 product page (32 cores, 3.25 GHz base clock, 256 MB of L3, 280 W); AMD EPYC 9004 Series \
                 Architecture Overview, 58015 (four xGMI links; here the four I/O hubs on the die take a port each too); \
                 assumption: base_cpi 0.7, 24 misses in flight, 110 ns to local memory, idle_power 90 W; assumption: the \
                 directory saves all probes"
            .to_owned(),
        cores: 32,
        threads_per_core: 1,
        clock: Frequency::new(3.25e9),
        base_cpi: 0.7,
        misses_in_flight: 24.0,
        local_latency: Time::new(110e-9),
        probe_latency: Time::new(60e-9),
        probe_filter: true,
        line_size: Bytes::new(64.0),
        link_ports: 8,
        l3: Bytes::new(256.0 * MIB),
        idle_power: Power::new(90.0),
        active_power: Power::new(280.0),
    }
}

/// Intel's processor of the Netra X4250: cores on a front-side bus, memory behind the hub on its other side.
fn harpertown() -> SocketPart {
    SocketPart {
        name: "xeon-l5408".to_owned(),
        source: "bestperf-2009 (cores, clock); Intel Xeon 5400 series datasheet, 318589 (two caches of 6 MiB, design power \
                 of 40 W); assumption: base_cpi 0.9, 8 misses in flight, 110 ns to memory behind the hub, idle_power 12 W"
            .to_owned(),
        cores: 4,
        threads_per_core: 1,
        clock: Frequency::new(32e9 / 15.0),
        base_cpi: 0.9,
        misses_in_flight: 8.0,
        local_latency: Time::new(110e-9),
        probe_latency: Time::new(60e-9),
        probe_filter: false,
        line_size: Bytes::new(64.0),
        link_ports: 2,
        l3: Bytes::new(12.0 * MIB),
        idle_power: Power::new(12.0),
        active_power: Power::new(40.0),
    }
}

/// Intel's processor of the X2270, X4270 and X4275.
fn nehalem() -> SocketPart {
    SocketPart {
        name: "xeon-x5570".to_owned(),
        source: "bestperf-2009 (cores, clock); Intel Xeon 5500 series datasheet (8 MiB of L3, two QPI links, ten line fill \
                 buffers); Molka et al., PACT 2009, Nehalem latencies (65 ns to local memory, snoop of the other socket \
                 included; 106 ns to remote); assumption: base_cpi 1.0; assumption: probe_latency 20 ns, which hides \
                 behind local_latency as the processor snoops while it reads; Intel Xeon 5500 series datasheet \
                 (active_power: design power of 95 W); assumption: idle_power"
            .to_owned(),
        cores: 4,
        threads_per_core: 1,
        clock: Frequency::new(2.93e9),
        base_cpi: 1.0,
        misses_in_flight: 10.0,
        local_latency: Time::new(65e-9),
        probe_latency: Time::new(20e-9),
        probe_filter: false,
        line_size: Bytes::new(64.0),
        link_ports: 2,
        l3: Bytes::new(8.0 * MIB),
        idle_power: Power::new(15.0),
        active_power: Power::new(95.0),
    }
}
