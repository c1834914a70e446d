//! All formats: published lines and malformed ones.

mod compressed;
mod written;

use bandgraph_workload::Record;
use std::fmt::Write as _;
use std::io::Read;

use super::{IologTick, LONGEST_WAIT_NS, MOST_WAITING, ReadOptions, Reader, Reason, TraceError};

/// A reader of `text`.
fn open(text: impl AsRef<[u8]>) -> Reader {
    open_with(text, ReadOptions::default()).expect("a trace of a known format")
}

fn open_with(text: impl AsRef<[u8]>, options: ReadOptions) -> Result<Reader, TraceError> {
    Reader::open(std::io::Cursor::new(text.as_ref().to_vec()), options)
}

/// The records of `text`, and the skipped lines.
fn read(text: impl AsRef<[u8]>) -> (Vec<Record>, Vec<(Reason, u64)>) {
    let mut reader = open(text);
    let records = reader
        .by_ref()
        .map(|record| record.expect("a reader that is not strict does not stop"))
        .collect();
    (records, reader.skipped().counts().collect())
}

/// The cases of `cases.txt`: what each shows, a trace, and what is read of it.
fn cases() -> impl Iterator<Item = [&'static str; 3]> {
    let cases = include_str!("cases.txt").split("\n## ").skip(1);
    cases.map(|case| {
        let (title, rest) = case.split_once('\n').expect("a title");
        let (trace, found) = rest.split_once("=> ").expect("a trace and what is read of it");
        [title, trace, found.trim_end()]
    })
}

/// The format and the deviations of a trace, and a line per record.
fn found(trace: &str) -> String {
    let (records, skipped) = read(trace);
    let mut found = open(trace).format().to_string();
    for (reason, count) in skipped {
        let _ = write!(found, ", {} {count}", reason.name());
    }
    let mut files = Vec::new();
    for record in records {
        let Record {
            start_ns,
            client,
            operation,
            offset,
            bytes,
            ..
        } = record;
        if !files.contains(&record.file) {
            files.push(record.file);
        }
        let file = files
            .iter()
            .position(|file| *file == record.file)
            .unwrap_or_default();
        let latency = record.latency_ns.map_or("-".to_owned(), |ns| ns.to_string());
        let stable = if record.stable { " stable" } else { "" };
        let _ = write!(
            found,
            "\n{start_ns} {latency} client {client} file {file} {operation} {offset} {bytes}{stable}"
        );
    }
    found
}

#[test]
fn every_format_gives_the_records_of_its_lines() {
    for [title, trace, expected] in cases() {
        assert_eq!(found(trace), expected, "{title}");
    }
}

#[test]
fn malformed_lines_are_counted_by_what_is_wrong() {
    let rows = include_str!("malformed.txt").lines();
    for row in rows.filter(|row| !row.starts_with('#')) {
        let mut columns = row.splitn(3, ' ');
        let mut next = || columns.next().expect("a format, what is wrong, and a line");
        let (format, reason, line) = (next(), next(), next());
        let [_, good, expected] = cases().find(|case| case[2].starts_with(format)).expect("a case");
        let (first, records) = expected.split_once('\n').expect("records");
        let expected = format!("{first}, {reason} 1\n{records}");
        assert_eq!(found(&format!("{good}{line}\n")), expected, "{row}");
    }
}

#[test]
fn times_of_version_3_may_be_milliseconds() {
    let log = "fio version 3 iolog\n878 /dev/sda read 0 512\n888 /dev/sda read 512 512\n";
    let options = ReadOptions {
        iolog_tick: IologTick::Millisecond,
        ..ReadOptions::default()
    };
    let last = open_with(log, options).expect("a log").last().expect("an I/O");
    assert_eq!(last.expect("good lines").start_ns, 10_000_000);
}

#[test]
fn an_end_that_breaks_off_is_told_apart() {
    let (records, skipped) = read("1,usr,0,Read,0,512,9\n2,usr,0,Read,0,4096");
    assert_eq!((records.len(), skipped), (1, vec![(Reason::CutOff, 1)]));
}

#[test]
fn what_is_no_trace_is_refused() {
    let error = |text: &str| match open_with(text, ReadOptions::default()) {
        Ok(reader) => format!("taken for {}", reader.format()),
        Err(error) => format!("{}: {error}", error.id()),
    };
    assert_eq!(error(""), "trace::empty: the trace is empty");
    assert_eq!(error("\n \n"), "trace::empty: the trace is empty");
    assert_eq!(
        error("[global]\nrw=read\n"),
        "trace::unknown_format: the format of the trace is unknown; it begins with `[global]`"
    );
    assert_eq!(
        error("\x04\"M\x18"),
        "trace::unknown_compression: the trace is compressed with lz4, which is not read here"
    );
    assert!(error(&"x".repeat(1 << 20)).starts_with("trace::unknown_format"));
}

#[test]
fn other_files_of_fio_are_recognised() {
    let help = |text: &str| match open_with(text, ReadOptions::default()) {
        Ok(reader) => format!("taken for {}", reader.format()),
        Err(error) => error.help().unwrap_or_default(),
    };
    // fio 3.28 with --output-format=json, with write_lat_log, and with log_offset.
    assert!(help("{\n  \"fio version\" : \"fio-3.28\",\n").contains("`bandgraph measure import`"));
    assert!(help("0, 250000, 0, 4096, 0\n1, 240000, 0, 4096, 0\n").contains("`write_iolog`"));
    assert!(help("0, 250000, 0, 4096\n").contains("do not have the offset"));
    assert!(help("[global]\nrw=read\n").contains("nfsdump"));
}

#[test]
fn a_source_that_fails_is_not_a_bad_line() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _buffer: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::ConnectionReset.into())
        }
    }
    let text = &b"1,usr,0,Read,0,512,9\n2,usr,0,Re"[..];
    let mut reader = Reader::open(text.chain(Failing), ReadOptions::default()).expect("one whole line");
    assert!(matches!(reader.next(), Some(Ok(_))));
    assert!(matches!(reader.next(), Some(Err(TraceError::Source(_)))));
    assert!(reader.next().is_none());
    assert_eq!(reader.skipped().bad_lines(), 0);
    let failed = Reader::open(Failing, ReadOptions::default()).err();
    assert!(matches!(failed, Some(TraceError::Source(_))));
}

#[test]
fn a_strict_reader_stops_at_the_first_bad_line() {
    let text = "1,usr,0,Read,0,512,9\n2,usr,0,Reed,0,512,9\n3,usr,0,Read,0,512,9\n";
    let options = ReadOptions {
        strict: true,
        ..ReadOptions::default()
    };
    let mut reader = open_with(text, options).expect("a known format");
    assert!(matches!(reader.next(), Some(Ok(_))));
    let error = reader.next().and_then(Result::err).map(|error| error.to_string());
    let expected = "line 2, column 9: not an operation of this format: `Reed,0,512,9`";
    assert_eq!(error.as_deref(), Some(expected));
    assert!(reader.next().is_none());
    assert_eq!(read(text).1, [(Reason::UnknownOperation, 1)]);
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
