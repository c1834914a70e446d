//! Logs as in the documentation of fio.

use super::{Reason, open, open_with, read};
use crate::trace::{Format, IologTick, ReadOptions};
use bandgraph_workload::OperationKind::{Commit, Read, Write};

const TWO: &str = "\
fio version 2 iolog
/mnt/a add
/mnt/b add
/mnt/a open
/mnt/b open
/mnt/a read 0 4096
/mnt/a wait 250 0
/mnt/b write 8192 65536
/mnt/b datasync 0 0
/mnt/a wait 750 0
/mnt/a read 4096 4096
/mnt/a trim 0 4096
/mnt/a close
";

pub(super) const THREE: &str = "\
fio version 3 iolog
2 /dev/nvme0n1 add
872 /dev/nvme0n1 open
878 /dev/nvme0n1 write 0 16384
888 /dev/nvme0n1 read 16384 16384
891 /dev/nvme0n1 sync 0 0
10001677 /dev/nvme0n1 close
";

#[test]
fn waits_of_version_2_add_up() {
    assert_eq!(open(TWO).format(), Format::Iolog2);
    let (records, skipped) = read(TWO);
    assert_eq!(skipped, [(Reason::NotModelled, 1)]);
    let seen: Vec<_> = records
        .iter()
        .map(|record| (record.start_ns, record.operation, record.offset, record.bytes))
        .collect();
    assert_eq!(
        seen,
        [
            (0, Read, 0, 4096),
            (250_000, Write, 8192, 65_536),
            (250_000, Commit, 0, 0),
            (1_000_000, Read, 4096, 4096),
        ]
    );
    assert_eq!(records[0].file, records[3].file);
    assert_ne!(records[0].file, records[1].file);
}

#[test]
fn times_of_version_3_are_microseconds_unless_told() {
    let (records, skipped) = read(THREE);
    assert_eq!(skipped, []);
    let starts: Vec<_> = records.iter().map(|record| record.start_ns).collect();
    assert_eq!(starts, [0, 10_000, 13_000]);
    assert_eq!(records[1].operation, Read);
    assert_eq!(records[2].operation, Commit);
    let options = ReadOptions {
        iolog_tick: IologTick::Millisecond,
        ..ReadOptions::default()
    };
    let starts: Vec<_> = open_with(THREE, options)
        .expect("a log")
        .map(|record| record.expect("good lines").start_ns)
        .collect();
    assert_eq!(starts, [0, 10_000_000, 13_000_000]);
}
