//! The same trace, plain and compressed, complete and truncated.

use std::io::Write;

use proptest::prelude::*;

use super::{Reason, open, read};
use crate::compression::Compression;
use crate::trace::ReadOptions;

/// A trace of this many lines.
fn lines(count: u64) -> String {
    use std::fmt::Write;

    let mut text = String::new();
    for n in 0..count {
        let offset = n * 7919 % 1_000_003 * 512;
        writeln!(
            text,
            "{},usr,0,Read,{offset},4096,{}",
            128_166_372_003_061_629 + n * 1000,
            n % 77
        )
        .expect("strings take everything");
    }
    text
}

/// Compresses a text.
type Packer = fn(&[u8]) -> Vec<u8>;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut encoder =
        lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).expect("memory");
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn compression_changes_nothing() {
    let text = lines(20_000);
    let plain = read(&text);
    assert_eq!(open(&text).compression(), Compression::None);
    let (first, second) = text.split_at(text.len() / 3);
    let packers: [(Compression, Packer); 4] = [
        (Compression::Gzip, gzip),
        (Compression::Bzip2, bzip2),
        (Compression::Xz, xz),
        (Compression::Zstd, zstd),
    ];
    for (compression, pack) in packers {
        // Several members, as `cat a.gz b.gz` produces.
        let several = [pack(first.as_bytes()), pack(second.as_bytes())].concat();
        for archive in [pack(text.as_bytes()), several] {
            assert_eq!(open(&archive).compression(), compression);
            assert_eq!(read(&archive), plain, "{compression}");
        }
    }
    // A skippable frame (RFC 8878, section 3.1.2).
    let skippable = &b"\x50\x2a\x4d\x18\x03\0\0\0abc"[..];
    assert_eq!(read([skippable, &zstd(text.as_bytes())].concat()), plain);
}

#[test]
fn an_archive_that_breaks_off_gives_what_is_there() {
    let text = lines(20_000);
    let (whole, _) = read(&text);
    for archive in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        let cut = &archive[..archive.len() * 4 / 5];
        let (records, skipped) = read(cut);
        assert!(!records.is_empty() && records.len() < whole.len());
        assert_eq!(records, whole[..records.len()]);
        assert_eq!(skipped, [(Reason::DamagedArchive, 1)]);
        let mut damaged = archive.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 40].fill(0xa5);
        if let Ok(mut reader) = super::open_with(&damaged, ReadOptions::default()) {
            assert!(reader.by_ref().all(|record| record.is_ok()));
            assert!(reader.skipped().bad_lines() > 0);
        }
        // Such a short text only shows the damage.
        let error = super::open_with(&archive[..20], ReadOptions::default()).err();
        assert!(error.is_some_and(|error| error.to_string().contains("breaks off")));
    }
}

/// One line of 64 MB in less than 1 MB of gzip: it takes time but no memory.
#[test]
fn a_bomb_is_one_long_line() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"1,usr,0,Read,0,512,9\n").expect("memory");
    let block = vec![b'0'; 1 << 20];
    for _ in 0..64 {
        encoder.write_all(&block).expect("memory");
    }
    let archive = encoder.finish().expect("memory");
    assert!(archive.len() < 1 << 20);
    let (records, skipped) = read(&archive);
    assert_eq!(records.len(), 1);
    assert_eq!(skipped, [(Reason::LongLine, 1)]);
}

#[test]
fn a_strict_reader_stops_where_an_archive_breaks_off() {
    let archive = gzip(lines(20_000).as_bytes());
    let options = ReadOptions {
        strict: true,
        ..ReadOptions::default()
    };
    let reader = super::open_with(&archive[..archive.len() / 2], options).expect("a trace");
    let last = reader.last().and_then(Result::err).map(|error| error.to_string());
    assert!(last.is_some_and(|error| error.contains("breaks off")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any damage to an archive, the reader terminates.
    #[test]
    fn an_archive_with_flaws_is_read_to_an_end(
        compress in prop::sample::select(vec![gzip as Packer, bzip2, xz, zstd]),
        flaws in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 1..6),
    ) {
        let mut archive = compress(lines(300).as_bytes());
        for (index, byte, what) in flaws {
            let at = index.index(archive.len());
            match what {
                0 => archive[at] = byte,
                1 => archive.insert(at, byte),
                _ => archive.truncate(at.max(20)),
            }
        }
        if let Ok(mut reader) = super::open_with(&archive, ReadOptions::default()) {
            prop_assert!(reader.by_ref().all(|record| record.is_ok()));
            prop_assert!(reader.lines_read() <= 10_000_000);
        }
    }
}
