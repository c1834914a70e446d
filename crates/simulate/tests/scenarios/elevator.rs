//! Commands that software sorts before they go to a disk.

use bandgraph_hardware::DrivePart;
use bandgraph_model::storage::WriteMethod;
use bandgraph_testkit::{Generation, seven_four_ten};

use crate::common::{assert_close, both, operations};
use crate::disks::one_disk;

/// 400 writes in place wait for one disk: those in its own queue are anywhere, or as near each other as the
/// software has sorted them. Both solvers have the rate of the integral.
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
        let near = disk.positioning(1.0, 399.0, sorted as f64).get() + 8192.0 / 80e6;
        assert_close(operations(&predicted), 1.0 / near, 0.03);
        assert_close(operations(&simulated), operations(&predicted), 0.08);
        rates.push(operations(&predicted));
    }
    assert_eq!(rates[0], rates[1], "the disk sorts more by itself");
    assert!(rates[1] < rates[2] && rates[2] < rates[3], "{rates:?}");
}
