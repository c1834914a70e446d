//! What-if: without a change there is no difference, and a change shows where it should.

use std::path::{Path, PathBuf};

use bandgraph_diagnostics::Sources;
use bandgraph_hardware::hypertransport::Cause;
use bandgraph_study::{Case, Climb, Method, Step, Variant, WhatIf, climb, difference};

fn barcelona() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/7410-barcelona/cached-read.toml")
}

fn variant(name: &str, sets: &[&str]) -> Variant {
    Variant {
        name: name.to_owned(),
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
    }
}

fn load(shared: &[String], variants: &[Variant]) -> WhatIf {
    WhatIf::load(&barcelona(), shared, variants, &mut Sources::new()).expect("the scenario is sound")
}

fn differs_by_nothing(case: &Case) -> bool {
    let difference = &case.difference;
    difference.operations.absolute().get() == 0.0
        && difference.network.absolute().get() == 0.0
        && difference.latency_mean.absolute().get() == 0.0
        && difference
            .resources
            .iter()
            .all(|resource| resource.rate.before == resource.rate.after)
        && difference
            .links
            .iter()
            .all(|link| link.rate.absolute().get() == 0.0)
        && difference
            .sockets
            .iter()
            .all(|socket| socket.busy.before == socket.busy.after)
}

/// A variant that repeats the scenario's own value, by prediction and by simulation.
#[test]
fn no_change_differs_by_nothing() {
    let shared = ["run.warm_up=20 ms".to_owned(), "run.duration=50 ms".to_owned()];
    let same = load(&shared, &[variant("same", &["link.*.part=ht1-x16"])]);
    for method in [Method::Predict, Method::Simulate] {
        let answers = same.answer(method).expect("an answer");
        let case = &answers.variants[0];
        assert!(differs_by_nothing(case), "{method:?}");
        assert!(!case.bottleneck_moved(&answers.base));
        assert_eq!(case.question.input_hash, answers.base.question.input_hash);
        assert_eq!(case.difference.percentiles.is_some(), method == Method::Simulate);
    }
}

/// Swapping base and variant swaps before and after.
#[test]
fn differences_are_antisymmetric() {
    let answers = load(&[], &[variant("ht3", &["link.*.part=ht3-x16"])])
        .answer(Method::Predict)
        .expect("an answer");
    let (base, other) = (&answers.base.answer.outcome, &answers.variants[0].answer.outcome);
    let (there, back) = (difference(base, other), difference(other, base));
    assert_eq!(there.operations.absolute(), -back.operations.absolute());
    for (there, back) in there.links.iter().zip(&back.links) {
        assert_eq!(
            (there.rate.before, there.rate.after),
            (back.rate.after, back.rate.before)
        );
    }
}

/// A faster clock of the links moves the bottleneck to the slots; the bytes per operation on each link are
/// unchanged. (HyperTransport 3 would not serve: its packets have other sizes.)
#[test]
fn faster_links_move_the_bottleneck_and_no_bytes() {
    let answers = load(&[], &[variant("fast", &["link.*.clock=2.4 GHz"])])
        .answer(Method::Predict)
        .expect("an answer");
    let case = &answers.variants[0];
    assert!(case.bottleneck_moved(&answers.base));
    assert_eq!(case.answer.explained.bottleneck.kind.as_str(), "pcie");
    assert!(
        case.difference
            .operations
            .relative()
            .is_some_and(|gain| gain > 0.2)
    );
    for link in &case.difference.links {
        let change = link
            .per_operation
            .relative()
            .expect("every link carries something");
        assert!(change.abs() < 1e-9, "{}: {change}", link.id);
    }
}

/// Both cards on one bridge: their DMA data moves from the link cpu0 to cpu1 to the link cpu1 to cpu0.
#[test]
fn a_card_that_moves_takes_its_bytes_along() {
    let moved = variant("both on mcp55", &["card.nic1.slot=s3"]);
    let answers = load(&[], &[moved]).answer(Method::Predict).expect("an answer");
    let links = &answers.variants[0].difference.links;
    let dma = |id: &str| {
        let link = links
            .iter()
            .find(|link| link.id == id)
            .expect("a link of the topology");
        let data = link
            .per_operation_by_cause
            .iter()
            .find(|(cause, _)| *cause == Cause::DmaData);
        data.expect("every cause is listed").1
    };
    assert!(dma("link.cpu0-cpu1").after.get() < 0.5 * dma("link.cpu0-cpu1").before.get());
    assert!(dma("link.cpu1-cpu0").after.get() > 1.5 * dma("link.cpu1-cpu0").before.get());
    for link in links {
        let sum: f64 = link.by_cause.iter().map(|(_, change)| change.after.get()).sum();
        assert!((sum / link.rate.after.get() - 1.0).abs() < 1e-9, "{}", link.id);
    }
}

/// Overrides from a ladder, applied with `--set`, have the result that the ladder reports.
#[test]
fn the_overrides_of_a_ladder_reach_its_next_rung() {
    let base = load(&[], &[]);
    let ladder = climb(&base.base.scenario, Climb::Catalogue, 0, &|_| ()).expect("a ladder");
    let Some(Step::Upgrade { sets, .. }) = &ladder.rungs[0].step else {
        panic!("the links can be upgraded: {:?}", ladder.rungs[0].step);
    };
    let upgrade = Variant {
        name: "upgrade".to_owned(),
        sets: sets.clone(),
    };
    let answers = load(&[], &[upgrade]).answer(Method::Predict).expect("an answer");
    assert_eq!(
        answers.variants[0].answer.outcome.throughput,
        ladder.rungs[1].throughput
    );
}

/// Variants are in the order of the request, on any number of threads.
#[test]
fn order_and_figures_do_not_depend_on_threads() {
    let variants: Vec<Variant> = (1..=8)
        .map(|threads| {
            variant(
                &format!("v{threads}"),
                &[&format!("workload.read.threads_per_client={threads}")],
            )
        })
        .collect();
    let what_if = load(&[], &variants);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a few threads");
        pool.install(|| what_if.answer(Method::Predict))
            .expect("an answer")
    };
    let (all, alone) = (with(4), with(1));
    let names: Vec<&str> = all
        .variants
        .iter()
        .map(|case| case.question.name.as_str())
        .collect();
    assert_eq!(names, ["v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8"]);
    for (a, b) in all.variants.iter().zip(&alone.variants) {
        assert_eq!(a.answer, b.answer);
    }
    // Four threads per client saturate the server, so that by Little's law twice as many only wait longer.
    let latency = |variant: usize| all.variants[variant].answer.outcome.latency.mean.get();
    assert!((latency(7) / latency(3) - 2.0).abs() < 0.01);
}

/// Every error of every variant together.
#[test]
fn errors_of_all_variants_are_told_together() {
    let variants = [
        variant("a", &["card.nic7.slot=s3"]),
        variant("fine", &["card.nic1.slot=s3"]),
        variant("b", &["link.*.part=ht9"]),
    ];
    let mut sources = Sources::new();
    let errors =
        WhatIf::load(&barcelona(), &[], &variants, &mut sources).expect_err("two variants are wrong");
    let ids: Vec<&str> = errors.iter().map(|error| error.id).collect();
    assert!(ids.contains(&"set::no_match"), "{ids:?}");
    assert!(ids.contains(&"reference::unknown_part"), "{ids:?}");
}
