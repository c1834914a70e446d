//! A synthetic load that stands for a trace: open loops with its rates, sizes, patterns and working set.
//!
//! What is lost: the order of operations, how they cluster in time and on files, and which client issues which. The
//! difference that this makes is found by running both.

use bandgraph_units::{Bytes, OperationRate, Time};
use bandgraph_workload::trace::stat::{SequentialStatistics, SizeStatistics, Summary};
use bandgraph_workload::{
    AccessPattern, Arrivals, DataDirection, MAX_IO_SIZE, Mix, OperationKind, Schedule, Spacing, Workload,
};

/// Sizes of reads, and of writes, that get a workload of their own; the others share one of their mean size.
const SIZES: usize = 4;
/// The share of a pattern below which it is taken for none.
const NEGLIGIBLE: f64 = 0.02;

/// Workloads that do what a trace did, with the clients, the protocol and the id of one that is there; the others have ids
/// of their own. Empty where the trace has no operation.
pub fn fit_trace(summary: &Summary, base: &Workload) -> Vec<Workload> {
    let seconds = (summary.span_ns as f64 * 1e-9).max(1e-9);
    let mut parts: Vec<Part> = Vec::new();
    let directions = [
        (
            OperationKind::Read,
            "read",
            &summary.reads,
            &summary.sequential_reads,
        ),
        (
            OperationKind::Write,
            "write",
            &summary.writes,
            &summary.sequential_writes,
        ),
    ];
    for (operation, name, sizes, sequential) in directions {
        parts.extend(of_sizes(operation, name, sizes, sequential));
    }
    let bytes: f64 = parts.iter().map(|part| part.count * part.bytes).sum();
    let synchronous = summary.stable_share.is_some_and(|share| share > 0.5);
    let mut workloads: Vec<Workload> = parts
        .into_iter()
        .map(|part| {
            let set = summary.footprint_bytes * part.count * part.bytes / bytes.max(1.0);
            Workload {
                id: part.name,
                io_size: Bytes::new(part.bytes),
                pattern: part.pattern,
                working_set: Bytes::new(set.max(part.bytes).ceil()),
                synchronous: synchronous && part.operation == OperationKind::Write,
                ..plain(base, Mix::single(part.operation), part.count / seconds)
            }
        })
        .collect();
    let names: Vec<(OperationKind, f64)> = summary
        .by_operation
        .iter()
        .filter(|row| row.operation.data() == DataDirection::None && row.count > 0)
        .map(|row| (row.operation, row.count as f64))
        .collect();
    if let Ok(mix) = Mix::new(&names) {
        let count: f64 = names.iter().map(|(_, count)| count).sum();
        workloads.push(Workload {
            id: "names".to_owned(),
            ..plain(base, mix, count / seconds)
        });
    }
    if let Some(first) = workloads.first_mut() {
        first.id.clone_from(&base.id);
    }
    workloads
}

/// Operations of one size and pattern.
struct Part {
    name: String,
    operation: OperationKind,
    bytes: f64,
    pattern: AccessPattern,
    count: f64,
}

/// The commonest sizes, and one for all others, each sequential and random in the shares of the trace.
fn of_sizes(
    operation: OperationKind,
    name: &str,
    sizes: &SizeStatistics,
    sequential: &SequentialStatistics,
) -> Vec<Part> {
    let mut known: Vec<(u64, u64)> = sizes
        .sizes
        .iter()
        .copied()
        .filter(|&(bytes, _)| bytes > 0)
        .collect();
    known.sort_unstable_by_key(|&(bytes, count)| (std::cmp::Reverse(count), bytes));
    let counted: u64 = known.iter().map(|&(_, count)| count).sum();
    let all = (counted + sizes.others) as f64;
    let (own, rest) = known.split_at(known.len().min(SIZES));
    let mut rows: Vec<(f64, f64)> = own
        .iter()
        .map(|&(bytes, count)| (bytes as f64, count as f64))
        .collect();
    let own_count: f64 = rows.iter().map(|(_, count)| count).sum();
    let own_bytes: f64 = rows.iter().map(|(bytes, count)| bytes * count).sum();
    if !rest.is_empty() || sizes.others > 0 {
        let left = all - own_count;
        let mean = (sizes.mean_bytes * all - own_bytes) / left;
        rows.push((mean.round().clamp(1.0, MAX_IO_SIZE.get()), left));
    }
    let share = sequential.share.unwrap_or(0.0);
    let mut parts = Vec::new();
    for (bytes, count) in rows {
        for (pattern, share) in [
            (AccessPattern::Sequential, share),
            (AccessPattern::Random, 1.0 - share),
        ] {
            if share > NEGLIGIBLE {
                // What is neglected of one pattern is of the other.
                let share = if share > 1.0 - NEGLIGIBLE { 1.0 } else { share };
                parts.push(Part {
                    name: format!("{name}-{bytes:.0}-{pattern}"),
                    operation,
                    bytes,
                    pattern,
                    count: count * share,
                });
            }
        }
    }
    parts
}

/// An open loop with the clients and the protocol of another.
fn plain(base: &Workload, mix: Mix, rate: f64) -> Workload {
    Workload {
        mix,
        arrivals: Arrivals::Open {
            rate: OperationRate::new(rate),
            spacing: Spacing::Poisson,
        },
        think_time: Time::ZERO,
        synchronous: false,
        job: None,
        schedule: Schedule::default(),
        ..base.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_workload::trace::Record;
    use bandgraph_workload::trace::stat::Statistics;

    /// 3 reads of 8 KiB to one of 1 MiB and two GETATTRs, one a millisecond, for 6 s.
    fn summary() -> Summary {
        let mut statistics = Statistics::default();
        for at in 0..6000_u64 {
            let (operation, bytes) = match at % 6 {
                0..=2 => (OperationKind::Read, 8192),
                3 => (OperationKind::Read, 1_048_576),
                _ => (OperationKind::Getattr, 0),
            };
            statistics.add(&Record {
                start_ns: at * 1_000_000,
                latency_ns: None,
                client: 0,
                file: at,
                operation,
                offset: 4096,
                bytes,
                stable: false,
            });
        }
        statistics.summary()
    }

    #[test]
    fn rates_and_bytes_are_those_of_the_trace() {
        let base = Workload::new("base", "clients", Mix::single(OperationKind::Write));
        let fitted = fit_trace(&summary(), &base);
        assert_eq!(fitted[0].id, "base");
        let rate = |workload: &Workload| workload.arrivals.rate().map_or(0.0, OperationRate::get);
        let all: f64 = fitted.iter().map(rate).sum();
        assert!((all - 1000.0).abs() < 1.0, "{all}");
        let bytes: f64 = fitted
            .iter()
            .filter(|workload| workload.mix.moves_data())
            .map(|workload| rate(workload) * workload.io_size.get())
            .sum();
        let expected = 1000.0 / 6.0 * (3.0 * 8192.0 + 1_048_576.0);
        assert!((bytes / expected - 1.0).abs() < 1e-3, "{bytes} {expected}");
        for workload in &fitted {
            assert_eq!(workload.validate(), []);
            assert_eq!(workload.clients, "clients");
        }
        let ids: std::collections::BTreeSet<&str> =
            fitted.iter().map(|workload| workload.id.as_str()).collect();
        assert_eq!(ids.len(), fitted.len());
    }

    #[test]
    fn an_empty_trace_is_no_load() {
        let base = Workload::new("base", "clients", Mix::single(OperationKind::Read));
        assert_eq!(fit_trace(&Statistics::default().summary(), &base), []);
    }
}
