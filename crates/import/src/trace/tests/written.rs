//! Written traces read back as the original records.

use super::{open, open_with};
use crate::trace::{Format, Generator, ReadOptions, Reason, Recipe, TraceError, Writer};
use bandgraph_workload::{Mix, OperationKind, Record};

fn records(recipe: Recipe) -> Vec<Record> {
    Generator::new(recipe).expect("a sound recipe").collect()
}

fn written(records: &[Record], format: Format) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), format);
    for record in records {
        writer.record(record).expect("memory takes everything");
    }
    writer.finish().expect("memory takes everything")
}

/// The time resolution of a format, in nanoseconds.
fn tick(format: Format) -> u64 {
    match format {
        Format::Nfsdump | Format::Iolog2 | Format::Iolog3 => 1000,
        Format::Msr => 100,
        Format::Blkparse => 1,
    }
}

#[test]
fn every_format_reads_back() {
    let mix = Mix::new(&[
        (OperationKind::Read, 6.0),
        (OperationKind::Write, 3.0),
        (OperationKind::Commit, 0.5),
        (OperationKind::Getattr, 1.0),
        (OperationKind::Readdirplus, 0.2),
    ])
    .expect("weights above zero");
    let made = records(Recipe {
        operations: 5000,
        mix,
        stable: 0.25,
        sequential: 0.5,
        zipf: 0.9,
        ..Recipe::default()
    });
    for format in Format::ALL.iter().copied() {
        let text = written(&made, format);
        let mut reader = open(&text);
        assert_eq!(reader.format(), format);
        let read: Vec<Record> = reader
            .by_ref()
            .map(|record| record.expect("good lines"))
            .collect();
        let expected: Vec<&Record> = made
            .iter()
            .filter(|record| match format {
                Format::Nfsdump => true,
                Format::Msr => record.operation.moves_data(),
                _ => record.operation.moves_data() || record.operation == OperationKind::Commit,
            })
            .collect();
        assert_eq!(read.len(), expected.len(), "{format}");
        // Device and sector do not distinguish simultaneous requests for one place, nor two flushes.
        let lost = reader.skipped().count(Reason::ReplyWithoutCall);
        assert!(
            if format == Format::Blkparse {
                lost < 50
            } else {
                lost == 0
            },
            "{format}: {lost}"
        );
        let base = expected[0].start_ns;
        for (read, made) in read.iter().zip(expected) {
            let ticks = |ns: u64| ns / tick(format);
            assert_eq!(
                ticks(read.start_ns),
                ticks(made.start_ns) - ticks(base),
                "{format}"
            );
            assert_eq!(read.operation, made.operation, "{format}");
            assert_eq!((read.offset, read.bytes), (made.offset, made.bytes), "{format}");
            if format == Format::Nfsdump
                || format == Format::Blkparse && read.operation == OperationKind::Write
            {
                assert_eq!(read.stable, made.stable, "{format}");
            }
            if matches!(format, Format::Nfsdump | Format::Msr) {
                let (read, made) = (
                    read.latency_ns.expect("a latency"),
                    made.latency_ns.expect("a latency"),
                );
                assert!(read.abs_diff(made) <= tick(format), "{format}: {read} for {made}");
            }
        }
    }
}

/// Line endings of other systems, a byte order mark, and no line ending at the end.
#[test]
fn lines_may_end_as_on_other_systems() {
    let made = records(Recipe {
        operations: 300,
        ..Recipe::default()
    });
    for format in Format::ALL.iter().copied() {
        let text = String::from_utf8(written(&made, format)).expect("formats are text");
        let read = |text: String| {
            open(text)
                .map(|record| record.expect("good lines"))
                .collect::<Vec<Record>>()
        };
        let expected = read(text.clone());
        assert_eq!(read(text.replace('\n', "\r\n")), expected, "{format}");
        assert_eq!(read(text.trim_end().to_owned()), expected, "{format}");
        assert_eq!(read(format!("\u{feff}{text}")), expected, "{format}");
        // UTF-16: no format matches, and the error says so.
        let wide = text.encode_utf16().flat_map(u16::to_le_bytes);
        let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(wide).collect();
        let refused = open_with(wide, ReadOptions::default()).err();
        assert!(
            matches!(refused, Some(TraceError::UnknownFormat { .. })),
            "{format}"
        );
    }
}

#[test]
fn the_same_recipe_is_the_same_trace() {
    assert_eq!(records(Recipe::default()), records(Recipe::default()));
    let other = Recipe {
        seed: 2,
        ..Recipe::default()
    };
    assert_ne!(records(Recipe::default()), records(other));
}

#[test]
fn a_recipe_gives_what_it_says() {
    let made = records(Recipe {
        operations: 50_000,
        sequential: 0.8,
        ..Recipe::default()
    });
    let share =
        |what: &dyn Fn(&Record) -> bool| made.iter().filter(|record| what(record)).count() as f64 / 50_000.0;
    assert!((share(&|record| record.operation == OperationKind::Read) - 0.7).abs() < 0.01);
    let seconds = made[made.len() - 1].start_ns as f64 / 1e9;
    assert!((50_000.0 / seconds / 1000.0 - 1.0).abs() < 0.03, "{seconds}");
    let latency = made.iter().filter_map(|record| record.latency_ns).sum::<u64>() as f64 / 50_000.0;
    assert!((latency / 1e6 - 1.0).abs() < 0.03, "{latency}");
    let mut ends = [None; 10];
    let follows = made
        .iter()
        .filter(|record| {
            ends[record.client as usize].replace((record.file, record.offset + record.bytes))
                == Some((record.file, record.offset))
        })
        .count() as f64
        / 50_000.0;
    // Of 128 blocks of a file, the last is followed by another file.
    assert!((follows - 0.8).abs() < 0.02, "{follows}");
    assert!(
        made.iter()
            .all(|record| record.offset + record.bytes <= 1 << 20 && record.file < 100)
    );
}

#[test]
fn recipes_that_cannot_be_followed() {
    use bandgraph_units::{Bytes, Time};

    type Change = fn(&mut Recipe);

    let cases: &[(Change, Option<&str>)] = &[
        (|_| {}, None),
        (|recipe| recipe.sizes = vec![], Some("sizes")),
        (
            |recipe| recipe.sizes = vec![(Bytes::new(0.5), 1.0)],
            Some("sizes"),
        ),
        (|recipe| recipe.files = 0, Some("files")),
        (|recipe| recipe.file_size = Bytes::new(4096.0), Some("file_size")),
        (
            |recipe| (recipe.files, recipe.file_size) = (1 << 40, Bytes::new(1e12)),
            Some("files"),
        ),
        (|recipe| recipe.clients = 0, Some("clients")),
        (|recipe| recipe.sequential = 1.5, Some("sequential")),
        (|recipe| recipe.stable = f64::NAN, Some("stable")),
        (|recipe| recipe.zipf = -1.0, Some("zipf")),
        (|recipe| recipe.rate = 0.0, Some("rate")),
        (
            |recipe| recipe.latency = Time::new(f64::INFINITY),
            Some("latency"),
        ),
    ];
    for (index, (change, field)) in cases.iter().enumerate() {
        let mut recipe = Recipe::default();
        change(&mut recipe);
        let wrong = recipe.validate().first().map(|error| error.field);
        assert_eq!(wrong, *field, "case {index}");
    }
}
