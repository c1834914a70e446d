//! One operation of a trace.

use crate::OperationKind;

/// One recorded operation, in any format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Start time in nanoseconds since the first record of the trace. Not before the start of the previous
    /// record.
    pub start_ns: u64,
    /// Time from start to end, in nanoseconds; `None` if the trace does not have it.
    pub latency_ns: Option<u64>,
    /// Client number, from 0 in order of appearance. A block device has a single client.
    pub client: u32,
    /// Hash of the name or handle of the file, directory or device: equal numbers mean the same file.
    pub file: u64,
    /// The operation.
    pub operation: OperationKind,
    /// Offset of the data in the file, in bytes; 0 if the operation moves none.
    pub offset: u64,
    /// File data moved, in bytes; 0 if the operation moves none. `offset + bytes` never overflows.
    pub bytes: u64,
    /// Whether a write must be on stable storage before its reply.
    pub stable: bool,
}
