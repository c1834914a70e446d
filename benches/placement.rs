//! Placements a second, on one core: by their saturation bounds, and by whole predictions.
//!
//! ```sh
//! cargo bench --bench placement
//! ```

use std::path::Path;

use bandgraph_diagnostics::Sources;
use bandgraph_study::{PlaceOptions, Question, SaturationBounds, WeightedQuestion};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn question(file: &str) -> WeightedQuestion {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let loaded = bandgraph_scenario::load(&path, &[], &mut Sources::new()).expect("a sound scenario");
    WeightedQuestion {
        question: Question::new(loaded.name.clone(), Vec::new(), loaded),
        weight: 1.0,
    }
}

fn placements(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("placements");
    group.sample_size(20);
    for (name, file) in [
        ("7410", "scenarios/7410-istanbul/disk-read.toml"),
        ("large", "tests/fixtures/large.toml"),
    ] {
        let questions = [question(file)];
        let bounds = SaturationBounds::new(&questions, &PlaceOptions::default(), 20_000).expect("a model");
        group.throughput(Throughput::Elements(bounds.count() as u64));
        group.bench_function(format!("bound/{name}"), |bencher| {
            bencher.iter(|| bounds.greatest());
        });
        let few = bounds.count().min(20);
        group.throughput(Throughput::Elements(few as u64));
        group.bench_function(format!("predict/{name}"), |bencher| {
            bencher.iter(|| bounds.greatest_prediction(few));
        });
    }
    group.finish();
}

criterion_group!(benches, placements);
criterion_main!(benches);
