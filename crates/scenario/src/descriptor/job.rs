//! The fields of a workload's job, in a scenario file.

use bandgraph_units::QuantityKind;
use bandgraph_workload::{MAX_JOB_CORES, MAX_JOBS, ReuseSpread};

use super::scenario::POSITIVE_SIZE;
use super::{Identity, Kind, Shape, count, of, optional, positive, required, with_default};

fn spreads() -> Vec<&'static str> {
    ReuseSpread::WORDS.to_vec()
}

/// What the threads of a workload compute, and when they are done.
pub(crate) static JOB: Kind = Kind {
    name: "job",
    doc: "A batch of like jobs, each of which computes for so long and reads and writes so much, evenly between its \
          computing. `elapsed_s` is how long the batch takes. Jobs run on the clients, against the server; with the \
          protocol `host` they run on the server itself, against its own pools.",
    identity: Identity::Single,
    groups: &[&[
        with_default("count", count(1, MAX_JOBS as u64), "1", "Jobs of the batch."),
        with_default(
            "cores",
            count(1, MAX_JOB_CORES as u64),
            "1",
            "Cores that each job runs on, with a process on each.",
        ),
        required(
            "compute",
            of(Shape::Text),
            "How long a job computes, I/O excepted: a time for any number of cores (`\"20 min\"`), or one for each \
             (`\"1: 884 s, 2: 583 s\"`), or a part that one core does and one that all share (`\"282 s + 602 s / cores\"`).",
        ),
        with_default(
            "memory_bound",
            of(Shape::Quantity(QuantityKind::Fraction)),
            "\"0 %\"",
            "Share of the computing that waits for memory, and takes longer where memory is slower than `memory_rate`; on \
             the server itself.",
        ),
        optional(
            "memory_rate",
            positive(QuantityKind::Bandwidth),
            "Rate of a memory channel at which the times hold; that of the server, whatever it is, if left out.",
        ),
        required(
            "data",
            POSITIVE_SIZE,
            "File data that a job reads and writes, all its processes together; the mix says how much of it is written.",
        ),
        with_default(
            "per_process",
            of(Shape::Flag),
            "false",
            "Whether `data` and `reuse_distance` are those of each process, with files of its own.",
        ),
        with_default(
            "memory",
            of(Shape::Quantity(QuantityKind::Bytes)),
            "\"0 B\"",
            "Memory that each process takes, which the cache cannot have; on the server itself.",
        ),
        optional(
            "reuse_distance",
            POSITIVE_SIZE,
            "How much other data a job has touched, on average, since it last touched what it reads: a larger cache has \
             it still. The working set and pattern decide if left out.",
        ),
        with_default(
            "reuse_spread",
            of(Shape::Choice(spreads)),
            "\"exponential\"",
            "How re-use distances lie around their mean; `fixed` is a loop.",
        ),
        with_default(
            "first_reads",
            of(Shape::Quantity(QuantityKind::Fraction)),
            "\"0 %\"",
            "Share of the reads whose data no job has touched before, which no cache has.",
        ),
    ]],
    described: None,
};
