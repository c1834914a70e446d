//! Lines as nfsdump prints them, and defects of real captures.

use super::{Reason, open, read};
use crate::trace::{Format, LONGEST_WAIT_NS, MOST_WAITING};
use bandgraph_workload::OperationKind::{Commit, Getattr, Lookup, Read, Readdirplus, Write};

/// A published call and its reply (fields in `format.txt` of nfsdump).
pub(super) const CALL: &str = "1006231504.285023 32.03fd 30.0801 T C3 1cf0d105 6 read fh 6189010057570100200000000000862077ed3800\
                    d24025000a0b13006189010057570100 off 0 count 2000 con = 130 len = 150";
pub(super) const REPLY: &str = "1006231504.294708 30.0801 32.03fd T R3 1cf0d105 6 read OK ftype 1 mode 180 nlink 1 uid 18aff gid \
                     18a8b size 72520 used 74000 rdev 0 rdev2 0 fsid 200000 fileid 77ed38 atime 1006231504.000000 \
                     mtime 1006231504.000000 ctime 1006231504.000000 count 2000 eof 0 status=0 pl = 84 con = 130 len = 1400";

#[test]
fn a_call_and_its_reply_are_one_operation() {
    let text = format!("{CALL}\n{REPLY}\n");
    assert_eq!(open(&text).format(), Format::Nfsdump);
    let (records, skipped) = read(text);
    assert_eq!(skipped, []);
    assert_eq!(records.len(), 1);
    let record = records[0];
    assert_eq!((record.start_ns, record.latency_ns), (0, Some(9_685_000)));
    assert_eq!((record.operation, record.offset, record.bytes), (Read, 0, 0x2000));
    assert_eq!(record.client, 0);
}

#[test]
fn a_short_read_moved_what_came_and_an_error_nothing() {
    let short = REPLY.replace("count 2000 eof 0", "count 520 eof 1");
    assert_eq!(read(format!("{CALL}\n{short}\n")).0[0].bytes, 0x520);
    let error = "1006231504.294708 30.0801 32.03fd T R3 1cf0d105 6 read 46 con = 130 len = 90";
    assert_eq!(read(format!("{CALL}\n{error}\n")).0[0].bytes, 0);
}

/// Replies in any order: records are in the order of the calls, each with its own reply.
#[test]
fn replies_in_any_order_find_their_calls() {
    let call = |at: u32, port: &str, xid: &str| {
        format!("{at}.000000 32.{port} 30.0801 T C3 {xid} 1 getattr fh 01020304 con = 1 len = 2\n")
    };
    let reply = |at: u32, port: &str, xid: &str| {
        format!("{at}.000000 30.0801 32.{port} T R3 {xid} 1 getattr OK ftype 1 con = 1 len = 2\n")
    };
    // The same xid from two ports is two calls.
    let text = [
        call(1, "03fd", "aa"),
        call(2, "03fe", "aa"),
        call(3, "03fd", "ab"),
        reply(4, "03fd", "ab"),
        reply(6, "03fe", "aa"),
        reply(9, "03fd", "aa"),
    ]
    .concat();
    let (records, skipped) = read(text);
    assert_eq!(skipped, []);
    let seen: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record.start_ns / 1_000_000_000,
                record.latency_ns.map(|ns| ns / 1_000_000_000),
            )
        })
        .collect();
    assert_eq!(seen, [(0, Some(8)), (1, Some(4)), (2, Some(1))]);
    assert!(
        records.iter().all(|record| record.client == 0),
        "one host, two ports"
    );
}

#[test]
fn what_captures_lose_is_counted() {
    let late = REPLY.replace("1cf0d105", "1cf0d106");
    let text = format!(
        "{late}\n{CALL}\n{CALL}\n{REPLY}\n{REPLY}\n{}\n",
        CALL.replace("1cf0d105", "77")
    );
    let (records, skipped) = read(text);
    assert_eq!(records.len(), 2);
    assert_eq!(records[1].latency_ns, None);
    assert_eq!(
        skipped,
        [
            (Reason::ReplyWithoutCall, 2),
            (Reason::RepeatedCall, 1),
            (Reason::CallWithoutReply, 1),
            (Reason::OutOfOrder, 3),
        ]
    );
}

#[test]
fn one_lost_reply_does_not_hold_up_the_trace_for_ever() {
    let getattr = |n: usize, at: u64| {
        format!(
            "{}.{:06} 32.03fd 30.0801 T C3 {n:x} 1 getattr fh 01 con = 1 len = 2\n\
             {}.{:06} 30.0801 32.03fd T R3 {n:x} 1 getattr OK ftype 1 con = 1 len = 2\n",
            at / 1_000_000,
            at % 1_000_000,
            at / 1_000_000,
            at % 1_000_000
        )
    };
    let lost = "1.000000 32.03fd 30.0801 T C3 ffffff 1 getattr fh 01 con = 1 len = 2\n";
    // Too many calls after it.
    let mut text = lost.to_owned();
    (0..MOST_WAITING).for_each(|n| text += &getattr(n, 1_000_000));
    let mut reader = open(&text);
    assert!(reader.next().is_some());
    assert_eq!(reader.lines_read(), 2 * MOST_WAITING as u64 - 2);
    // Too long ago.
    let text = lost.to_owned()
        + &getattr(0, 2_000_000)
        + &getattr(1, 1_000_000 + LONGEST_WAIT_NS / 1000)
        + &getattr(2, 70_000_000);
    let mut reader = open(&text);
    assert!(reader.next().is_some());
    assert!(reader.lines_read() <= 5);
}

#[test]
fn version_2_has_other_fields_and_odd_times() {
    // Printed with `%d.%d`: .9004 is 9004 microseconds, and .10007 is later.
    let text = "\
1036443600.9004 32.03fd 30.0801 U C2 1a       4 lookup   fh 0102 fn \"a b\" con = 1 len = 2
1036443600.10007 30.0801 32.03fd U R2 1a       4 lookup   OK fh 0304 ftype 1 status=0 pl = 1 con = 1 len = 2
1036443600.11000 32.03fd 30.0801 U C2 1b       8 write    fh 0304 begoff 0 offset 2000 tcount 1000 con = 1 len = 2
1036443600.12000 32.03fd 30.0801 U C2 1c       6 read     fh 0304 offset 4000 count 800 tcount 800 con = 1 len = 2
1036443600.13000 32.03fd 30.0801 U C2 1d       3 root     con = 1 len = 2
";
    let (records, skipped) = read(text);
    let seen: Vec<_> = records
        .iter()
        .map(|record| (record.operation, record.start_ns, record.offset, record.bytes))
        .collect();
    assert_eq!(
        seen,
        [
            (Lookup, 0, 0, 0),
            (Write, 1_996_000, 0x2000, 0x1000),
            (Read, 2_996_000, 0x4000, 0x800)
        ]
    );
    assert_eq!(records[0].latency_ns, Some(1_003_000));
    assert_eq!(skipped, [(Reason::NotModelled, 1), (Reason::CallWithoutReply, 2)]);
}

#[test]
fn writes_commits_and_directories() {
    let text = "\
1.0 32.03fd 30.0801 T C3 1 7 write fh 0102 off 10000 count 8000 stable U con = 1 len = 2
1.1 32.03fd 30.0801 T C3 2 7 write fh 0102 off 18000 count 8000 stable F con = 1 len = 2
1.2 32.03fd 30.0801 T C3 3 15 commit file 0102 off 0 count 0 con = 1 len = 2
1.3 32.03fd 30.0801 T C3 4 11 readdirp fh 0304 cookie 0 count 200 maxcnt 8000 con = 1 len = 2
1.4 32.03fd 30.0801 T C3 5 1 getattr fh 0102 con = 1 len = 2 JUMBO
";
    let (records, _) = read(text);
    let seen: Vec<_> = records
        .iter()
        .map(|record| (record.operation, record.stable, record.bytes))
        .collect();
    assert_eq!(
        seen,
        [
            (Write, false, 0x8000),
            (Write, true, 0x8000),
            (Commit, false, 0),
            (Readdirplus, false, 0),
            (Getattr, false, 0),
        ]
    );
    assert_eq!(records[0].file, records[2].file);
    assert_ne!(records[0].file, records[3].file);
}
