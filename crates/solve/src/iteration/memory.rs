//! Memory that searches for steady states reuse.

use bandgraph_engine::fair::FairSolver;
use bandgraph_model::Times;

use crate::fixed_point::Anderson;
use crate::meetings::Meetings;

/// Memory for one search after another: allocations are a fifth of a search. No result depends on what an
/// earlier search left in it.
#[derive(Clone, Debug, Default)]
pub struct SearchMemory {
    pub(super) solver: FairSolver,
    pub(super) anderson: Anderson,
    pub(super) meetings: Meetings,
    /// By resource, the use of those that misses wait for.
    pub(super) rates: Vec<f64>,
    pub(super) times: Times,
    /// The latencies of misses at that use.
    pub(super) loaded: Vec<f64>,
    /// By capacity, what is used of it; and by resource of a client.
    pub(super) used: Vec<f64>,
    pub(super) of_clients: Vec<f64>,
    /// By resource, whether misses wait for it, and its position among the essential ones.
    pub(super) is_waited_for: Vec<bool>,
    pub(super) position_of: Vec<Option<usize>>,
}

/// Makes a list one of `count` equal values.
pub(super) fn reset<T: Copy>(list: &mut Vec<T>, count: usize, value: T) {
    list.clear();
    list.resize(count, value);
}
