//! Lines as blkparse(1) describes them.

use super::{Reason, open, read};
use crate::trace::Format;
use bandgraph_workload::OperationKind::{Commit, Read, Write};

const LINES: &str = "\
  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
  8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]
  8,0    3        3     0.000003000   697  P   N [kjournald]
  8,0    3        4     0.000004000   697  I   W 223490 + 8 [kjournald]
  8,0    3        5     0.000005000   697  Q   W 223498 + 8 [kjournald]
  8,0    3        6     0.000006000   697  M   W 223498 + 8 [kjournald]
  8,0    3        7     0.000007000   697  D   W 223490 + 16 [kjournald]
  8,0    1        8     0.000008000   702  Q  RM 1024 + 256 [find]
  8,0    1        9     0.000009000   702  D  RM 1024 + 256 [find]
  8,0    1       10     0.000010000     0  m   N cfq idle=0
  8,0    3       11     0.009507758     0  C   W 223490 + 16 [0]
  8,0    1       12     0.012008000     0  C  RM 1024 + 256 [0]
CPU0 (8,0):
 Reads Queued:           1,      128KiB\t Writes Queued:           2,        8KiB
Total (8,0):
 Reads Queued:           1,      128KiB\t Writes Queued:           2,        8KiB
Throughput (R/W): 10KiB/s / 20KiB/s
Events (8,0): 12 entries
Skips: 0 forward (0 -   0.0%)
";

pub(super) fn without_summary() -> &'static str {
    LINES.split_once("CPU0").expect("a summary").0
}

#[test]
fn a_request_is_from_queueing_to_completion() {
    assert_eq!(open(LINES).format(), Format::Blkparse);
    let (records, skipped) = read(LINES);
    assert_eq!(skipped, []);
    let seen: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record.start_ns,
                record.latency_ns,
                record.operation,
                record.offset,
                record.bytes,
            )
        })
        .collect();
    // Sectors of 512 bytes. The second write was merged into the first and ended with it.
    assert_eq!(
        seen,
        [
            (0, Some(9_507_758), Write, 114_426_880, 4096),
            (5_000, None, Write, 114_430_976, 4096),
            (8_000, Some(12_000_000), Read, 524_288, 131_072),
        ]
    );
}

#[test]
fn traces_without_queueing_begin_at_the_device() {
    let (records, skipped) = read(
        "8,16 0 1 1.000000000 9 D R 0 + 8 [x]\n8,16 0 2 1.000500000 0 C R 0 + 8 [0]\n8,16 0 3 1.001 0 C R 64 + 8 [0]\n",
    );
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].latency_ns, Some(500_000));
    assert_eq!(skipped, [(Reason::ReplyWithoutCall, 1)]);
}

#[test]
fn flushes_discards_and_forced_writes() {
    let (records, skipped) = read(
        "8,0 0 1 0.1 9 Q FWFS 8 + 8 [x]\n8,0 0 2 0.2 9 Q FWS [x]\n8,0 0 3 0.3 9 Q FN [x]\n8,0 0 4 0.4 9 Q DS 64 + 8 [x]\n\
         8,0 0 5 0.5 9 Q WS 8 + 8 [x]\n",
    );
    let seen: Vec<_> = records
        .iter()
        .map(|record| (record.operation, record.stable))
        .collect();
    assert_eq!(
        seen,
        [(Write, true), (Commit, false), (Commit, false), (Write, false)]
    );
    // Two flushes and two writes of the same sectors without completion; the discard is not modelled.
    assert!(skipped.contains(&(Reason::NotModelled, 1)), "{skipped:?}");
}
