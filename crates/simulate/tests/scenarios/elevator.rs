//! Commands that software sorts before they go to a disk.

use bandgraph_hardware::{DiskPart, DrivePart};
use bandgraph_model::storage::WriteMethod;
use bandgraph_testkit::{Generation, seven_four_ten};

use crate::common::{assert_close, both, operations};
use crate::disks::one_disk;

/// 400 writes in place wait for one disk: it sorts those in its own queue, or as many as the software has
/// sorted for it. Both solvers have the rate of the sweep, in closed form.
#[test]
fn software_sorts_what_a_disk_has_no_room_for() {
    let mut scenario = one_disk(WriteMethod::InPlace, true, 8192.0, 400);
    let DrivePart::Disk(disk) = seven_four_ten(Generation::Istanbul).jbods[0].disk.clone() else {
        unreachable!("they are disks")
    };
    let mut rates = Vec::new();
    for sorted in [0, 16, 128, 256] {
        scenario.stack.storage.sorted_commands = sorted;
        let (predicted, simulated) = both(&scenario);
        let depth = sorted.max(disk.queue_depth);
        let deep = DiskPart {
            queue_depth: depth,
            ..disk.clone()
        };
        let swept = deep.swept_seek(1.0, depth as f64) + deep.rotational_latency();
        assert_close(operations(&predicted), 1.0 / swept.get(), 0.03);
        assert_close(operations(&simulated), operations(&predicted), 0.05);
        rates.push(operations(&predicted));
    }
    assert_eq!(rates[0], rates[1], "the disk sorts more by itself");
    assert!(rates[1] < rates[2] && rates[2] < rates[3], "{rates:?}");
}
