//! Whether the pools of a server have room for the data of its workloads.

use bandgraph_model::Scenario;
use bandgraph_model::storage::{Pool, PoolKind};
use bandgraph_topology::Topology;
use bandgraph_units::Bytes;
use bandgraph_workload::Workload;

/// A working set for which its pools have no room.
#[derive(Clone, Copy, Debug)]
pub struct NoRoom<'s> {
    /// The workload.
    pub workload: &'s Workload,
    /// What its pools hold.
    pub room: Bytes,
}

/// The workloads whose working set is larger than what their pools hold, less copies, parity and spares. Data
/// of a server without pools is in memory.
pub fn without_room(scenario: &Scenario) -> Vec<NoRoom<'_>> {
    let room = |workload: &Workload| -> f64 {
        let pools = scenario.storage.pools.iter();
        let own = pools.filter(|pool| workload.pool.as_ref().is_none_or(|id| *id == pool.id));
        own.map(|pool| held(pool, &scenario.topology)).sum()
    };
    let all = scenario.workloads.iter().map(|workload| NoRoom {
        workload,
        room: Bytes::new(room(workload)),
    });
    all.filter(|one| one.room > Bytes::ZERO && one.workload.working_set > one.room)
        .collect()
}

/// Bytes of data for which a pool has room.
fn held(pool: &Pool, topology: &Topology) -> f64 {
    let mut spares = pool.spares as usize;
    let jbods = topology.jbods().iter();
    let own = jbods.filter(|jbod| pool.jbods.is_empty() || pool.jbods.contains(&jbod.id));
    let raw = own.map(|jbod| {
        let there = jbod.disks.len();
        let asked = pool
            .disks_per_jbod
            .map_or(there, |asked| there.min(asked as usize));
        // Spares are the last disks of the first enclosures.
        let idle = spares.min(asked);
        spares -= idle;
        (asked - idle) as f64 * jbod.disk.capacity().get()
    });
    let width = f64::from(pool.width());
    let data = match pool.kind {
        PoolKind::Mirror => 1.0 / width,
        kind => (width - f64::from(kind.parity())) / width,
    };
    raw.sum::<f64>() * data
}

impl std::fmt::Display for NoRoom<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let set = self.workload.working_set.decimal();
        let room = self.room.decimal();
        write!(
            out,
            "a working set of {set} has no room on its disks, which hold {room} of data"
        )
    }
}
