//! Whether the pools of a server have room for the data of its workloads.

use bandgraph_model::Scenario;
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
        let own = scenario.storage.pools.iter().filter(|pool| pool.serves(workload));
        own.map(|pool| pool.room(&scenario.topology, &scenario.stack.storage).get())
            .sum()
    };
    let all = scenario.workloads.iter().map(|workload| NoRoom {
        workload,
        room: Bytes::new(room(workload)),
    });
    all.filter(|one| one.room > Bytes::ZERO && one.workload.working_set > one.room)
        .collect()
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
