//! One operation of a trace.

use crate::OperationKind;

/// One operation that was recorded, whatever the format it was recorded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// When it started, in nanoseconds from the first record of the trace. Never before that of the record
    /// before it.
    pub start_ns: u64,
    /// From its start to its end, in nanoseconds; `None` where the trace does not say.
    pub latency_ns: Option<u64>,
    /// Who asked, numbered from 0 in order of appearance. The clients of one block device are all one.
    pub client: u32,
    /// What it is about: the same number is the same file (or directory, or device). It is a hash of the name
    /// or handle.
    pub file: u64,
    /// What was asked for.
    pub operation: OperationKind,
    /// Where the data begins in the file, in bytes; 0 where the operation moves none.
    pub offset: u64,
    /// File data moved, in bytes; 0 where the operation moves none. `offset + bytes` never overflows.
    pub bytes: u64,
    /// Whether a write had to be on stable storage before its reply.
    pub stable: bool,
}
