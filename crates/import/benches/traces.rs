//! Records a second through the parser of each format, on one core, from memory.
//!
//! ```sh
//! cargo bench -p bandgraph-import
//! ```

use std::io::{Cursor, Write};

use bandgraph_import::trace::{Format, Generator, ReadOptions, Reader, Recipe, Writer};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

/// Enough to make the ends negligible, and more than fits any cache.
const OPERATIONS: u64 = 200_000;

fn written(format: Format) -> Vec<u8> {
    let recipe = Recipe {
        operations: OPERATIONS,
        rate: 100_000.0,
        ..Recipe::default()
    };
    let mut writer = Writer::new(Vec::new(), format);
    for record in Generator::new(recipe).expect("a sound recipe") {
        writer.record(&record).expect("memory takes everything");
    }
    writer.finish().expect("memory takes everything")
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
}

fn parsers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("traces");
    group.sample_size(20);
    group.throughput(Throughput::Elements(OPERATIONS));
    let mut bench = |name: String, text: Vec<u8>| {
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || Cursor::new(text.clone()),
                |source| {
                    let reader = Reader::open(source, ReadOptions::default()).expect("a known format");
                    reader
                        .map(|record| record.map_or(0, |record| record.bytes))
                        .sum::<u64>()
                },
                BatchSize::LargeInput,
            );
        });
    };
    for format in Format::ALL.iter().copied() {
        bench(format.as_str().to_owned(), written(format));
    }
    let text = written(Format::Nfsdump);
    bench("nfsdump.gz".to_owned(), gzip(&text));
    bench("nfsdump.zst".to_owned(), zstd(&text));
    group.finish();
}

criterion_group!(benches, parsers);
criterion_main!(benches);
