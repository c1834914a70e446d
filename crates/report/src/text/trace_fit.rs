//! A trace beside the synthetic load that represents it.

use std::fmt::Write;

use bandgraph_simulate::Replayed;
use bandgraph_solve::{Explained, Outcome};
use bandgraph_study::Answer;
use bandgraph_units::{Bandwidth, Time};

use super::words::{count_rate, headline, none, signed_percent};
use crate::run_report::relative;

/// Its name, what it is of an outcome, and how it is printed.
type Figure<'a> = (&'a str, &'a dyn Fn(&Outcome) -> f64, &'a dyn Fn(f64) -> String);

/// The comment at the top of the file of a fitted load: of which trace (with its name) and server it is, and
/// what a replay and the load have in common and what not.
pub fn trace_fit_comment(trace: &str, server: &str, replayed: &Replayed, fitted: &Answer) -> String {
    let mut workloads = replayed.outcome.workloads.iter().chain(&fitted.outcome.workloads);
    let saturated = workloads.any(|workload| workload.offered.is_some_and(|offered| offered.saturated));
    let saturated = if saturated {
        "The load exceeds the capacity: latencies depend on the run length and cannot be compared.\n"
    } else {
        ""
    };
    format!(
        "A synthetic load for {trace} ({} operations in {}), on {server}.\n\n{}{saturated}",
        replayed.summary.operations,
        replayed.summary.recorded_span,
        comparison(
            (&replayed.outcome, &replayed.explained),
            (&fitted.outcome, &fitted.explained)
        ),
    )
}

/// What a replay and its synthetic stand-in have in common and what not, as lines of text.
fn comparison(replayed: (&Outcome, &Explained), fitted: (&Outcome, &Explained)) -> String {
    let rate = |outcome: &Outcome| outcome.throughput.operations.get();
    let payload = |outcome: &Outcome| outcome.throughput.payload.get();
    let disk = |outcome: &Outcome| outcome.throughput.disk.get();
    let mean = |outcome: &Outcome| outcome.latency.mean.get();
    let p99 = |outcome: &Outcome| {
        let percentiles = outcome.latency.percentiles;
        percentiles.map_or(0.0, |points| points.p99.get())
    };
    let bandwidth = |value: f64| Bandwidth::new(value).decimal();
    let time = |value: f64| Time::new(value).to_string();
    let mut text = format!(
        "{:<14}{:>16}{:>16}{:>12}\n",
        "", "replayed", "this file", "difference"
    );
    let figures: [Figure<'_>; 5] = [
        ("operations", &rate, &count_rate),
        ("payload", &payload, &bandwidth),
        ("disk", &disk, &bandwidth),
        ("mean latency", &mean, &time),
        ("p99", &p99, &time),
    ];
    for (name, of, words) in figures {
        let (one, other) = (of(replayed.0), of(fitted.0));
        let difference = relative(other, one).map_or_else(none, signed_percent);
        let _ = writeln!(
            text,
            "{name:<14}{:>16}{:>16}{difference:>12}",
            words(one),
            words(other)
        );
    }
    for (name, explained) in [("replayed", replayed.1), ("this file", fitted.1)] {
        let bottleneck = headline(&crate::json::BottleneckDocument::new(&explained.bottleneck));
        let _ = writeln!(text, "bottleneck, {name}: {bottleneck}");
    }
    text
}
