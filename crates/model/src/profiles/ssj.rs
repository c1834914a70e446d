//! Server-side Java: the transactions of `SPECpower_ssj2008` on the Netra X4250.

use crate::{ProcedureCosts, Stack};

/// A Java virtual machine of 2009 under the transactions of the benchmark, bound to processors as published.
///
/// One figure is fitted: instructions for a transaction, to the peak of the smaller configuration. Misses are
/// an assumption about a heap that no cache holds: three in a thousand instructions.
pub(crate) fn hotspot_ssj_2009() -> Stack {
    Stack {
        name: "hotspot-ssj-2009".to_owned(),
        source: "instructions of an operation: fitted to netra-tiny-ops; assumption: three misses in a thousand of them, \
                 two in flight, 30 % written back"
            .to_owned(),
        instructions_per_operation: 54_100.0,
        instructions_per_byte: 0.0,
        misses_per_operation: 162.0,
        reference_cache_mib: 12.0,
        misses_per_byte: 0.0,
        overlap_per_operation: 2.0,
        procedures: ProcedureCosts::ALIKE,
        ..Stack::fishworks_2009()
    }
}
