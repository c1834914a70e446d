//! All formats: published lines and malformed ones.

mod blkparse;
mod compressed;
mod iolog;
mod msr;
mod nfsdump;
mod written;

use bandgraph_workload::Record;
use std::io::Read;

use super::{ReadOptions, Reader, Reason, TraceError};

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

#[test]
fn malformed_lines_are_counted_by_what_is_wrong() {
    let rows = include_str!("malformed.txt").lines();
    for row in rows.filter(|row| !row.starts_with('#')) {
        let mut columns = row.splitn(3, ' ');
        let mut next = || columns.next().expect("a format, what is wrong, and a line");
        let (format, reason, line) = (next(), next(), next());
        let (good, count) = match format {
            "nfsdump" => (format!("{}\n{}\n", nfsdump::CALL, nfsdump::REPLY), 1),
            "iolog" => (iolog::THREE.to_owned(), 3),
            "msr" => (msr::LINES.to_owned(), 3),
            _ => (blkparse::without_summary().to_owned(), 3),
        };
        let (records, skipped) = read(format!("{good}{line}\n"));
        let skipped: Vec<_> = skipped
            .iter()
            .map(|(reason, count)| (reason.name(), *count))
            .collect();
        assert_eq!((records.len(), skipped), (count, vec![(reason, 1)]), "{row}");
    }
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
