//! Serial work of software for an array.
//!
//! Linux md has one thread for each array with parity, which reads old data, computes the parity and writes,
//! page by page. Reads bypass it, but hold a lock of the array for a moment; so do reads of mirrors. Cards
//! with arrays of their own, ZFS and object stores have neither.

use bandgraph_topology::{Resource, ResourceTable, Role, Topology, Unit};

use super::case::{Transfer, Work};
use super::{Pool, PoolKind, StorageCosts, WriteMethod};
use crate::network::fastest_core;

/// Bytes of one disk that md handles at a time.
const PAGE: f64 = 4096.0;

/// The threads and locks of the arrays of a pool. The threads run on the fastest cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    /// Their resource, in cycles, and those that they have a second.
    resource: usize,
    per_second: f64,
    /// Instructions of a page, and its cycles.
    instructions: f64,
    page: f64,
    /// Cycles that all threads lose to a read.
    read: f64,
}

impl Array {
    /// Adds the threads of the arrays of a pool; `None` if they have no work.
    pub(super) fn add(
        (index, pool): (usize, &Pool),
        arrays: f64,
        costs: &StorageCosts,
        topology: &Topology,
        resources: &mut ResourceTable,
    ) -> Option<Self> {
        let has_parity = pool.kind.is_chunked();
        let is_array = has_parity || pool.kind == PoolKind::Mirror;
        let is_of_md = matches!(pool.method(costs), WriteMethod::InPlace | WriteMethod::WriteBack);
        if !is_array || !is_of_md {
            return None;
        }
        let part = &fastest_core(topology).part;
        let threads = arrays * costs.array_threads;
        let clock = part.clock_of(threads).get();
        let instructions = if has_parity {
            costs.array_instructions_per_page
        } else {
            0.0
        };
        let page = instructions * part.base_cpi;
        let read = costs.array_read_seconds * costs.array_threads * clock;
        (page + read > 0.0).then(|| {
            let resource = Resource::new(
                format!("array.{}", pool.id),
                Role::Array { pool: index },
                ["server"; 2],
                threads * clock,
                Unit::CyclesPerSecond,
                if threads > 1.0 {
                    format!("{threads} threads")
                } else {
                    "one thread".to_owned()
                },
            );
            Self {
                resource: resources.add(resource),
                per_second: threads * clock,
                instructions,
                page,
                read,
            }
        })
    }

    /// Its resource, and its cycles for one of several transfers of a case.
    pub(super) fn cycles(&self, transfer: &Transfer, all: &[Transfer]) -> (usize, f64) {
        let cycles = if is_change(all) {
            pages(transfer) * self.page
        } else {
            transfer.commands * self.read
        };
        (self.resource, cycles)
    }

    /// Its seconds for one of several transfers of a case.
    pub(super) fn seconds(&self, transfer: &Transfer, all: &[Transfer]) -> f64 {
        self.cycles(transfer, all).1 / self.per_second
    }

    /// Its instructions for transfers of a case at one pool.
    pub(super) fn instructions(&self, transfers: &[Transfer]) -> f64 {
        if is_change(transfers) {
            self.instructions * transfers.iter().map(pages).sum::<f64>()
        } else {
            0.0
        }
    }
}

/// Whether transfers change data: what they read is for its parity.
fn is_change(transfers: &[Transfer]) -> bool {
    transfers
        .iter()
        .any(|transfer| transfer.write && is_at_disks(transfer))
}

/// Whether a transfer is one of the disks, and not of a log or cache device.
fn is_at_disks(transfer: &Transfer) -> bool {
    matches!(transfer.work, Work::Disks { .. })
}

/// Pages of the commands of a transfer.
fn pages(transfer: &Transfer) -> f64 {
    if transfer.commands > 0.0 && is_at_disks(transfer) {
        transfer.commands * (transfer.bytes / transfer.commands / PAGE).ceil()
    } else {
        0.0
    }
}
