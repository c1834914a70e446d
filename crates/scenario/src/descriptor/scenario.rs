//! The fields of a scenario file.

use bandgraph_config::FieldType;
use bandgraph_hardware::{PartFields, PartKind, PartShape};
use bandgraph_model::storage::CacheStart;
use bandgraph_model::{RunSettings, STACK};
use bandgraph_simulate::Timing;
use bandgraph_workload::{
    ARRIVAL_RATE, ClientGroup, Job, Metadata, NetworkSettings, Schedule, Spacing, Workload,
};

use super::measured::{BOTTLENECK, EXPECT, MEASURED, MEASURED_LINK};
use super::storage::{CACHE, POOL, SSD};
use super::{
    DESCRIPTION, Field, ID, INCLUDE, Identity, Kind, SCHEMA, Shape, TOPOLOGY, entries, of, optional,
    required, with_default,
};
use crate::cases::Cases;

/// The root of a scenario file.
pub(crate) static SCENARIO: Kind = Kind {
    name: "scenario",
    doc: "A question: a server, its software, clients, and what they ask of it.",
    identity: Identity::Single,
    groups: &[&[
        SCHEMA,
        INCLUDE,
        required("name", of(Shape::Text), "The name of the scenario in reports."),
        optional(
            "system",
            of(Shape::Id),
            "The name of the server in the table of measurements; that of its topology if left out.",
        ),
        DESCRIPTION,
        required(
            "topology",
            of(Shape::Mounted(&TOPOLOGY)),
            "The server: the path of a topology file, or a table with such a path in `file` and what differs from it, \
             or a whole topology as a table.",
        ),
        with_default("stack", of(Shape::Table(&STACK)), "{}", "The server's software."),
        entries(
            "pool",
            &POOL,
            "Pools of disks, for what the cache does not hold and for what is written.",
        ),
        entries("ssd", &SSD, "SSDs for logs and second-level caches."),
        with_default("cache", of(Shape::Table(&CACHE)), "{}", "The cache in DRAM."),
        entries(
            "network",
            &NETWORK,
            "The switches between clients and the server, where they can be a limit.",
        ),
        required(
            "clients",
            of(Shape::Entries(ClientGroup::KIND)),
            "Who asks. A workload of the server itself (`protocol = \"host\"`) has a group too, whose \
             threads are processes on the server.",
        ),
        required("workload", of(Shape::Entries(&WORKLOAD)), "What for."),
        with_default(
            "run",
            of(Shape::Table(&RUN)),
            "{}",
            "How the run is carried out, and the settings of the network.",
        ),
        entries("measured", &MEASURED, "What was measured on the real machine."),
        entries(
            "measured_link",
            &MEASURED_LINK,
            "The link counters of the real machine.",
        ),
        optional(
            "bottleneck",
            of(Shape::Table(&BOTTLENECK)),
            "What limited the real machine, according to those who measured it.",
        ),
        entries("expect", &EXPECT, "Bounds that results must keep: a gate for CI."),
        optional(
            "case",
            of(Shape::Custom(&Cases)),
            "Scenarios that differ little from each other: each entry is laid over the rest of the file, after what it \
             includes itself. `FILE.toml#ID` names one; `check` and `validate` take all.",
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
    groups: &[&[ID, part!(&[PartKind::NetworkSwitch], "The kind of switch.")]],
    described: Some(&PartFields(&[PartKind::NetworkSwitch])),
};

/// A workload of a group of clients.
pub(crate) static WORKLOAD: Kind = Kind {
    name: Workload::KIND.name,
    doc: Workload::KIND.doc,
    identity: Workload::KIND.identity,
    groups: &[
        Workload::FIELDS,
        Metadata::FIELDS,
        &[
            optional(
                "job_file",
                of(Shape::Text),
                "The path of a job file of fio, or of a personality of Filebench, from this file on: the \
                 workload is what it says, together with what this entry says. Of several jobs, each is a \
                 workload, `ID-JOB`.",
            ),
            optional(
                "job",
                of(Job::SHAPE),
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
                of(Timing::SHAPE),
                "\"as-recorded\"",
                "When the operations of a trace arrive: when they were recorded, or as fast as they are answered, with at most as \
                 many in flight per client as were recorded.",
            ),
            with_default(
                "speed",
                of(Shape::Number),
                "1",
                "Factor by which the operations of a trace arrive faster than recorded, above 0.",
            ),
            ARRIVAL_RATE,
            Field {
                name: "rate_per_client",
                doc: "The same of each client of the group, where `rate` is left out.",
                ..ARRIVAL_RATE
            },
            with_default(
                "arrivals",
                of(Spacing::SHAPE),
                "\"poisson\"",
                "How the operations of a `rate` are spaced: at random, each independent of all others, or evenly.",
            ),
        ],
        Schedule::FIELDS,
    ],
    described: None,
};

/// The settings of a run.
pub(crate) static RUN: Kind = Kind {
    name: RunSettings::KIND.name,
    doc: RunSettings::KIND.doc,
    identity: Identity::Single,
    groups: &[
        RunSettings::FIELDS,
        &[with_default(
            "cache",
            of(CacheStart::SHAPE),
            "\"warm\"",
            "What caches hold at the start of the run: what they hold after a long time, or nothing. With `\"cold\"` they fill \
             by what is read, and answer what they do on average over the measured window. Without pools everything is in \
             DRAM, and a replay of a trace always starts with an empty cache.",
        )],
        NetworkSettings::FIELDS,
    ],
    described: None,
};
