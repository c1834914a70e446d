//! Lines as in the readme of the traces: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.

use super::{Reason, open, read};
use crate::trace::Format;
use bandgraph_workload::OperationKind;

pub(super) const LINES: &str = "\
128166372003061629,usr,0,Read,7014609920,24576,41286
128166372016382155,usr,0,Write,1317441536,8192,1963
128166372026382245,prn,1,Read,2436440064,4096,1835
";

#[test]
fn fields_and_ticks_are_as_published() {
    assert_eq!(open(LINES).format(), Format::Msr);
    let (records, skipped) = read(LINES);
    assert_eq!(skipped, []);
    // Ticks of 100 ns: 1.3320526 s and 2.3320616 s after the first.
    assert_eq!(
        records.iter().map(|record| record.start_ns).collect::<Vec<_>>(),
        [0, 1_332_052_600, 2_332_061_600]
    );
    assert_eq!(records[0].latency_ns, Some(4_128_600));
    assert_eq!(
        (records[0].operation, records[0].offset, records[0].bytes),
        (OperationKind::Read, 7_014_609_920, 24_576)
    );
    assert_eq!(records[1].operation, OperationKind::Write);
    assert_eq!(records[0].file, records[1].file);
    assert_ne!(records[0].file, records[2].file);
    assert_eq!(
        records.iter().map(|record| record.client).collect::<Vec<_>>(),
        [0, 0, 1]
    );
}

#[test]
fn the_last_byte_that_can_be_addressed() {
    let (records, skipped) = read(format!(
        "{LINES}128166372026382245,usr,0,Read,18446744073709551103,512,9\n"
    ));
    assert_eq!(skipped, []);
    assert_eq!(records[3].offset + records[3].bytes, u64::MAX);
}

#[test]
fn an_end_that_breaks_off_is_told_apart() {
    let cut = &LINES[..LINES.len() - 6];
    assert!(cut.ends_with(",4096"));
    let (records, skipped) = read(cut);
    assert_eq!(records.len(), 2);
    assert_eq!(skipped, [(Reason::CutOff, 1)]);
}
