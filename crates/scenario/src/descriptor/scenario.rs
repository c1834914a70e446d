//! The fields of a scenario file.

use bandgraph_hardware::{PartFields, PartKind, PartShape};
use bandgraph_model::storage::{CacheStart, Pool};
use bandgraph_model::{RunSettings, STACK};
use bandgraph_simulate::Timing;
use bandgraph_workload::{
    ARRIVAL_RATE, ClientGroup, Cluster, Job, Metadata, NetworkSettings, Schedule, Spacing, Workload,
};

use super::measured::{BOTTLENECK, EXPECT, MEASURED, MEASURED_LINK};
use super::storage::{CACHE, SSD};
use super::{
    DESCRIPTION, Field, FieldType, ID, INCLUDE, Identity, Kind, SCHEMA, Shape, TOPOLOGY, fields, kinds,
};
use crate::cases::Cases;

kinds! {
    /// A server, its software, its clients, and the operations that these issue.
    pub(crate) static SCENARIO("scenario") {
        SCHEMA;
        INCLUDE;
        /// The name of the scenario in reports.
        name: Shape::Text;
        /// The name of the server in the table of measurements; that of its topology if left out.
        system: Shape::Id, optional;
        DESCRIPTION;
        /// The server: the path of a topology file, or a table with such a path in `file` and what differs
        /// from it, or a whole topology as a table.
        topology: Shape::Mounted(&TOPOLOGY);
        /// The server's software.
        stack: Shape::Table(&STACK), default({});
        /// Pools of disks, for what the cache does not hold and for what is written.
        pool: Shape::Entries(Pool::KIND), optional;
        /// SSDs for logs and second-level caches.
        ssd: Shape::Entries(&SSD), optional;
        /// The cache in DRAM.
        cache: Shape::Table(&CACHE), default({});
        /// The switches between clients and the server, where they can be a limit.
        network: Shape::Entries(&NETWORK), optional;
        /// The servers that keep the data together, where the server is one of several.
        cluster: Shape::Table(Cluster::KIND), default({});
        /// Groups of machines that use the server. A workload of the server itself (`protocol = "host"`) has
        /// a group too, whose threads are processes on the server.
        clients: Shape::Entries(ClientGroup::KIND);
        /// The operations that each group of clients issues.
        workload: Shape::Entries(&WORKLOAD);
        /// How the run is carried out, and the settings of the network.
        run: Shape::Table(&RUN), default({});
        /// What was measured on the real machine.
        measured: Shape::Entries(&MEASURED), optional;
        /// The link counters of the real machine.
        measured_link: Shape::Entries(&MEASURED_LINK), optional;
        /// What limited the real machine, according to those who measured it.
        bottleneck: Shape::Table(&BOTTLENECK), optional;
        /// Bounds that results must keep: a gate for CI.
        expect: Shape::Entries(&EXPECT), optional;
        /// Scenarios that differ little from each other: each entry is laid over the rest of the file, after
        /// what it includes itself. `FILE.toml#ID` names one; `check` and `validate` take all.
        case: Shape::Custom(&Cases), optional;
    }

    /// A switch between clients and the server. Clients say which one they are on; the ports of the server
    /// that they use take an uplink each, or a port where the switch has no uplinks.
    pub(crate) static NETWORK("network", Identity::Field("id"), PartFields(&[PartKind::NetworkSwitch])) {
        ID;
        /// The kind of switch.
        part: Shape::Custom(&PartShape(&[PartKind::NetworkSwitch]));
    }
}

const RATE_PER_CLIENT: Field = Field {
    name: "rate_per_client",
    doc: "The same of each client of the group, where `rate` is left out.",
    ..ARRIVAL_RATE
};

/// A workload of a group of clients.
pub(crate) static WORKLOAD: Kind = Kind {
    name: Workload::KIND.name,
    doc: Workload::KIND.doc,
    identity: Workload::KIND.identity,
    groups: &[
        Workload::FIELDS,
        Metadata::FIELDS,
        fields! {
            /// The path of a job file of fio, or of a personality of Filebench, from this file on: the
            /// workload is what it says, together with what this entry says. Of several jobs, each is a
            /// workload, `ID-JOB`.
            job_file: Shape::Text, optional;
            /// What the threads compute, and after how much data they are done. Each of a client's
            /// `threads_per_client` is a job then, with as many processes as it has cores.
            job: Job::SHAPE, optional;
            /// The path of a trace that `bandgraph run` replays through these clients. All other commands,
            /// and a prediction, take the workload as its other fields describe it.
            trace: Shape::Text, optional;
            /// When the operations of a trace arrive: when they were recorded, or as fast as they are
            /// answered, with at most as many in flight per client as were recorded.
            timing: Timing::SHAPE, default("as-recorded");
            /// Factor by which the operations of a trace arrive faster than recorded, above 0.
            speed: Shape::Number, default(1);
            ARRIVAL_RATE;
            RATE_PER_CLIENT;
            /// How the operations of a `rate` are spaced: at random, each independent of all others, or
            /// evenly.
            arrivals: Spacing::SHAPE, default("poisson");
        },
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
        fields! {
            /// What caches hold at the start of the run: what they hold after a long time, or nothing. With
            /// `"cold"` they fill by what is read, and answer what they do on average over the measured
            /// window. Without pools everything is in DRAM, and a replay of a trace always starts with an
            /// empty cache.
            cache: CacheStart::SHAPE, default("warm");
        },
        NetworkSettings::FIELDS,
    ],
    described: None,
};
