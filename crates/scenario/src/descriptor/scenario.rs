//! The fields of a scenario file.

use bandgraph_hardware::{PartFields, PartKind, PartShape};
use bandgraph_model::Stack;
use bandgraph_model::storage::CacheStart;
use bandgraph_simulate::Timing;
use bandgraph_units::QuantityKind;
use bandgraph_workload::{
    AccessPattern, MAX_CLIENT_NICS, MAX_CLIENTS, MAX_CONNECTIONS, MAX_DIRECTORY_ENTRIES, MAX_FILES,
    MAX_JOB_SLOTS, MAX_THREADS_PER_CLIENT, ProtocolKind, Spacing,
};

use super::job::JOB;
use super::measured::{BOTTLENECK, EXPECT, MEASURED, MEASURED_LINK};
use super::storage::{CACHE, POOL, SSD};
use super::{
    Field, Identity, Kind, Shape, TOPOLOGY, Type, count, of, optional, positive, required, required_without,
    with_default,
};
use crate::shapes::{MixShape, Mtu, Ports, StackFields};

pub(super) const POSITIVE_SIZE: Type = positive(QuantityKind::Bytes);
const ANY_TIME: Type = of(Shape::Quantity(QuantityKind::Time));

pub(super) const ID: Field = required(
    "id",
    of(Shape::Id),
    "Its name, by which other entries, `--set` and reports call it.",
);

fn protocols() -> Vec<&'static str> {
    ProtocolKind::ALL.iter().map(|protocol| protocol.name()).collect()
}

fn patterns() -> Vec<&'static str> {
    AccessPattern::ALL.iter().map(|pattern| pattern.name()).collect()
}

fn spacings() -> Vec<&'static str> {
    Spacing::ALL.iter().map(|spacing| spacing.name()).collect()
}

fn timings() -> Vec<&'static str> {
    Timing::WORDS.to_vec()
}

fn cache_starts() -> Vec<&'static str> {
    CacheStart::WORDS.to_vec()
}

fn stacks() -> Vec<&'static str> {
    Stack::NAMES.to_vec()
}

/// The root of a scenario file.
pub(crate) static SCENARIO: Kind = Kind {
    name: "scenario",
    doc: "A question: a server, its software, clients, and what they ask of it.",
    identity: Identity::Single,
    groups: &[&[
        required("schema", of(Shape::Schema), "The version of the file format: 1."),
        optional(
            "include",
            of(Shape::Paths),
            "Files that are read first; what this file says is laid over them, field by field.",
        ),
        required("name", of(Shape::Text), "What reports call the scenario."),
        optional(
            "system",
            of(Shape::Id),
            "What the table of measurements calls the server; the name of its topology if left out.",
        ),
        optional(
            "description",
            of(Shape::Text),
            "What it is about, in as many words as you like.",
        ),
        required(
            "topology",
            of(Shape::Mounted(&TOPOLOGY)),
            "The server: the path of a topology file, or a table with such a path in `file` and what differs from it, \
             or a table that is a whole topology.",
        ),
        with_default("stack", of(Shape::Table(&STACK)), "{}", "The server's software."),
        optional(
            "pool",
            of(Shape::Entries(&POOL)),
            "Pools of disks, for what the cache does not hold and for what is written.",
        ),
        optional(
            "ssd",
            of(Shape::Entries(&SSD)),
            "SSDs for logs and second-level caches.",
        ),
        with_default("cache", of(Shape::Table(&CACHE)), "{}", "The cache in DRAM."),
        optional(
            "network",
            of(Shape::Entries(&NETWORK)),
            "The switches between clients and the server, where they can be a limit.",
        ),
        required("clients", of(Shape::Entries(&CLIENTS)), "Who asks."),
        required("workload", of(Shape::Entries(&WORKLOAD)), "What for."),
        with_default(
            "run",
            of(Shape::Table(&RUN)),
            "{}",
            "How the run is carried out, and the settings of the network.",
        ),
        optional(
            "measured",
            of(Shape::Entries(&MEASURED)),
            "What was measured on the real machine.",
        ),
        optional(
            "measured_link",
            of(Shape::Entries(&MEASURED_LINK)),
            "What counters of the real machine showed on its links.",
        ),
        optional(
            "bottleneck",
            of(Shape::Table(&BOTTLENECK)),
            "What held the real machine back, in the words of those who measured it.",
        ),
        optional(
            "expect",
            of(Shape::Entries(&EXPECT)),
            "Bounds that results must keep: a gate for CI.",
        ),
    ]],
    described: None,
};

/// The software of the server.
pub(crate) static STACK: Kind = Kind {
    name: "stack",
    doc: "What the server's software costs, in terms that do not depend on the hardware: a named profile, any figure \
          of which can be overridden.",
    identity: Identity::Single,
    groups: &[&[
        with_default(
            "profile",
            of(Shape::Choice(stacks)),
            "\"fishworks-2009\"",
            "The profile that the figures come from.",
        ),
        optional(
            "source",
            of(Shape::Text),
            "Where the figures come from that differ from the profile.",
        ),
    ]],
    described: Some(&StackFields),
};

/// A group of clients.
pub(crate) static CLIENTS: Kind = Kind {
    name: "clients",
    doc: "A group of like machines that use the server.",
    identity: Identity::Field("id"),
    groups: &[&[
        ID,
        with_default("count", count(1, MAX_CLIENTS as u64), "1", "How many machines."),
        with_default(
            "nics",
            of(Shape::Table(&NICS)),
            "{}",
            "The network cards of each.",
        ),
        optional(
            "processors",
            of(Shape::Table(&PROCESSORS)),
            "The processors of each; never the limit if left out.",
        ),
        optional(
            "network",
            of(Shape::Reference("network")),
            "The switch that joins them to the server; what is in between is never the limit if left out.",
        ),
        optional(
            "job_slots",
            count(1, MAX_JOB_SLOTS as u64),
            "Jobs that a client runs at a time, of all workloads with a `job` together: the batch is then played job by job, \
             each started in random order where most slots are free.",
        ),
        with_default(
            "job_interval",
            of(Shape::Quantity(QuantityKind::Time)),
            "\"0 s\"",
            "Shortest time between the starts of two jobs on one client, as a scheduler keeps it; matters only with \
             `job_slots`.",
        ),
        optional(
            "ports",
            of(Shape::Custom(&Ports)),
            "The server's ports that they use, as `nic0.0`; spread evenly over all ports if left out.",
        ),
    ]],
    described: None,
};

static NICS: Kind = Kind {
    name: "nics",
    doc: "The network cards of each client of a group.",
    identity: Identity::Single,
    groups: &[&[
        with_default(
            "count",
            count(1, MAX_CLIENT_NICS as u64),
            "1",
            "How many a client has.",
        ),
        with_default(
            "rate",
            positive(QuantityKind::Bandwidth),
            "\"1 Gbit/s\"",
            "Line rate of each in each direction.",
        ),
        optional(
            "duplex_rate",
            positive(QuantityKind::Bandwidth),
            "What both directions of each carry together, where that is less than twice the rate.",
        ),
        with_default(
            "interrupt_delay",
            of(Shape::Quantity(QuantityKind::Time)),
            "\"0 s\"",
            "How long a reply waits on average for the interrupt that announces it to the client.",
        ),
        optional(
            "connections",
            count(1, MAX_CONNECTIONS as u64),
            "Connections through each to the server, of which a core of the client serves one at a time; as many as the \
             protocol makes, and no limit to the cores, if left out.",
        ),
        with_default(
            "interrupt_cores",
            count(1, 1024),
            "1",
            "Cores of the client that take the interrupts of each; matters where interrupts cost cycles (`processors`).",
        ),
    ]],
    described: None,
};

static PROCESSORS: Kind = Kind {
    name: "processors",
    doc: "The processors of each client of a group, and what an operation costs there. The cores are shared evenly by the \
          client's network cards, and a thread uses one core at a time.",
    identity: Identity::Single,
    groups: &[&[
        required("cores", count(1, 1024), "Cores of a client."),
        required("clock", positive(QuantityKind::Frequency), "Clock of a core."),
        with_default(
            "cycles_per_operation",
            of(Shape::Number),
            "0",
            "Cycles that an operation costs, whatever its size.",
        ),
        with_default(
            "cycles_per_byte",
            of(Shape::Number),
            "0",
            "Cycles that a byte of payload costs.",
        ),
        with_default(
            "interrupt_cycles_per_packet",
            of(Shape::Number),
            "0",
            "Cycles that a frame costs, received or sent, on the cores that take its card's interrupts.",
        ),
    ]],
    described: None,
};

/// A switch between clients and the server.
pub(crate) static NETWORK: Kind = Kind {
    name: "network",
    doc: "A switch between clients and the server. Clients say which one they are on; the ports of the server that they \
          use take an uplink each, or a port where the switch has no uplinks.",
    identity: Identity::Field("id"),
    groups: &[&[
        ID,
        required(
            "part",
            of(Shape::Custom(&PartShape(&[PartKind::NetworkSwitch]))),
            "The kind of switch.",
        ),
    ]],
    described: Some(&PartFields(&[PartKind::NetworkSwitch])),
};

/// What a group of clients does.
pub(crate) static WORKLOAD: Kind = Kind {
    name: "workload",
    doc: "What a group of clients asks for. Every thread sends one operation, waits for the reply, thinks, and sends \
          the next; or, with a `rate`, operations come at that rate whether the server keeps up or not.",
    identity: Identity::Field("id"),
    groups: &[&[
        ID,
        required(
            "clients",
            of(Shape::Reference("clients")),
            "The group of clients that does it.",
        ),
        with_default(
            "protocol",
            of(Shape::Choice(protocols)),
            "\"nfs3-tcp\"",
            "The protocol.",
        ),
        optional(
            "job_file",
            of(Shape::Text),
            "The path of a job file of fio, or of a personality of Filebench, from this file on: the workload is what it \
             says, and what this entry says besides. Of several jobs, each is a workload, `ID-JOB`.",
        ),
        required_without(
            "job_file",
            "mix",
            of(Shape::Custom(&MixShape)),
            "The operations: one (`\"read\"`), a ready mix (`\"specsfs2008\"` and `\"sfs97\"` as published, `\"streaming\"`, \
             `\"random\"`, `\"metadata-heavy\"`), or a table of operations with their weights (`{ read = 70, write = 30 }`).",
        ),
        with_default(
            "io_size",
            POSITIVE_SIZE,
            "\"128 KiB\"",
            "File data of each read or write.",
        ),
        optional(
            "read_sizes",
            of(Shape::Text),
            "Sizes of reads with their weights, where not all are of `io_size`: \"4 KiB=3, 64 KiB=1\".",
        ),
        optional(
            "write_sizes",
            of(Shape::Text),
            "Sizes of writes with their weights, where not all are of `io_size`.",
        ),
        with_default(
            "pattern",
            of(Shape::Choice(patterns)),
            "\"sequential\"",
            "The order in which a thread visits its data.",
        ),
        with_default(
            "working_set",
            POSITIVE_SIZE,
            "\"1 GiB\"",
            "All data that the workload touches.",
        ),
        optional(
            "hit_rate",
            of(Shape::Quantity(QuantityKind::Fraction)),
            "Share of its reads that the cache answers, where that is known from a measurement or a trace; from \
             `working_set` if left out.",
        ),
        optional(
            "files",
            count(1, MAX_FILES),
            "Files and directories that it touches: with their size in the cache, `stack.metadata_bytes_per_file`, and the \
             pointers to `working_set`, they are its metadata. Without this and the two that follow, all metadata is taken \
             to be cached.",
        ),
        optional(
            "metadata_working_set",
            POSITIVE_SIZE,
            "All metadata that the workload touches: attributes, directories, pointers; from `files` if left out.",
        ),
        optional(
            "metadata_hit_rate",
            of(Shape::Quantity(QuantityKind::Fraction)),
            "Share of the metadata blocks it touches that the cache has, where that is known; from the size of its metadata \
             if left out.",
        ),
        with_default(
            "directory_entries",
            count(1, MAX_DIRECTORY_ENTRIES as u64),
            "30",
            "Entries that one READDIR or READDIRPLUS returns.",
        ),
        with_default(
            "synchronous",
            of(Shape::Flag),
            "false",
            "Whether every write is on stable storage before its reply: in the log of the pool.",
        ),
        optional(
            "commit_bytes",
            of(Shape::Quantity(QuantityKind::Bytes)),
            "Data that a COMMIT finds not to be on stable storage, on average. From the mix if left out: what unstable writes \
             bring from one COMMIT to the next, less what transaction groups have brought to disk.",
        ),
        optional(
            "pool",
            of(Shape::Reference("pool")),
            "The pool in which its data lies. Without it the data is spread over all pools, in proportion to their disks.",
        ),
        with_default(
            "threads_per_client",
            count(1, MAX_THREADS_PER_CLIENT as u64),
            "1",
            "Threads of each client of the group.",
        ),
        with_default(
            "think_time",
            ANY_TIME,
            "\"0 s\"",
            "The pause of a thread between a reply and its next operation.",
        ),
        optional(
            "job",
            of(Shape::Table(&JOB)),
            "What the threads compute, and after how much data they are done. Each of a client's `threads_per_client` is a \
             job then, with as many processes as it has cores.",
        ),
        optional(
            "trace",
            of(Shape::Text),
            "The path of a trace that `bandgraph run` replays through these clients. All other commands, and a prediction, \
             take the workload as its other fields describe it.",
        ),
        with_default(
            "timing",
            of(Shape::Choice(timings)),
            "\"as-recorded\"",
            "When the operations of a trace come: when they were recorded, or as fast as they are answered, with as many of \
             each client out at a time as were recorded.",
        ),
        with_default(
            "speed",
            of(Shape::Number),
            "1",
            "How many times as fast as recorded the operations of a trace come, above 0.",
        ),
        optional(
            "rate",
            positive(QuantityKind::OperationRate),
            "Operations per second of all clients of the group together, whatever the server does: an open loop. Threads \
             and think time do not matter then.",
        ),
        optional(
            "rate_per_client",
            positive(QuantityKind::OperationRate),
            "The same of each client of the group, where `rate` is left out.",
        ),
        with_default(
            "arrivals",
            of(Shape::Choice(spacings)),
            "\"poisson\"",
            "How the operations of a `rate` are spaced: at random, each independent of all others, or evenly.",
        ),
        optional(
            "outstanding_per_client",
            count(1, MAX_THREADS_PER_CLIENT as u64),
            "Calls that a client has on the way at the most; others wait in the client for their turn. No limit if left \
             out.",
        ),
        with_default(
            "start",
            ANY_TIME,
            "\"0 s\"",
            "When it begins, from the start of the run, warm-up included.",
        ),
        optional(
            "stop",
            positive(QuantityKind::Time),
            "When it issues its last operation; at the end of the run if left out.",
        ),
        with_default(
            "ramp",
            ANY_TIME,
            "\"0 s\"",
            "How long it takes from its start to all of its threads, which begin one by one, or to its full rate.",
        ),
    ]],
    described: None,
};

/// The settings of a run.
pub(crate) static RUN: Kind = Kind {
    name: "run",
    doc: "How the run is carried out, and the settings of the network between clients and server.",
    identity: Identity::Single,
    groups: &[&[
        with_default(
            "seed",
            count(0, i64::MAX as u64),
            "1",
            "Seeds every random choice. The same seed gives the same result, bit for bit.",
        ),
        with_default(
            "warm_up",
            ANY_TIME,
            "\"500 ms\"",
            "Simulated time before measuring begins. Where it is not given, a simulation takes as much more as its slowest \
             threads need for 2 operations, and the disks for 3 transaction groups.",
        ),
        with_default(
            "duration",
            positive(QuantityKind::Time),
            "\"2 s\"",
            "Simulated time that is measured. Where it is not given, a simulation takes as much more as its slowest threads \
             need for 3 operations, and the disks for 3 whole transaction groups. What is given is kept, and the report \
             warns if it is less than that.",
        ),
        with_default(
            "cache",
            of(Shape::Choice(cache_starts)),
            "\"warm\"",
            "What caches hold at the start of the run: what they hold after a long time, or nothing. With `\"cold\"` they fill \
             by what is read, and answer what they do on average over the measured window. Without pools everything is in \
             DRAM, and a replay of a trace always starts with an empty cache.",
        ),
        with_default(
            "network_latency",
            ANY_TIME,
            "\"10 us\"",
            "One-way time between a client and the server, switches included, besides the time that the bytes take.",
        ),
        with_default(
            "mtu",
            of(Shape::Custom(&Mtu)),
            "1500",
            "The largest IP packet, from 576 to 65535 bytes; `1500` and `\"1500 B\"` are the same. Jumbo frames are 9000.",
        ),
        with_default(
            "tcp_timestamps",
            of(Shape::Flag),
            "true",
            "Whether every TCP segment carries a timestamp of 12 bytes.",
        ),
        with_default(
            "ack_every",
            count(1, 1024),
            "2",
            "Full segments for which a receiver sends one acknowledgement.",
        ),
        with_default(
            "credentials",
            POSITIVE_SIZE,
            "\"56 B\"",
            "Bytes of the RPC credentials in each call: a multiple of 4 from 28 B to 408 B.",
        ),
        with_default(
            "infiniband_mtu",
            POSITIVE_SIZE,
            "\"2048 B\"",
            "The most data of an InfiniBand packet: 256 B to 4096 B, a multiple of 256 B.",
        ),
        with_default(
            "memcached_key",
            POSITIVE_SIZE,
            "\"32 B\"",
            "Bytes of a key of memcached, 1 B to 250 B.",
        ),
        with_default(
            "ipoib_connected",
            of(Shape::Flag),
            "false",
            "Whether IP over InfiniBand uses connections, with packets of up to 65520 bytes, instead of datagrams.",
        ),
    ]],
    described: None,
};
