//! `fio --output-format=json`: operations, bytes and latencies of all jobs together.

use super::{Reader, Reading, Subject, Taken};
use crate::formats::Text;
use crate::formats::json::Json;

pub(super) const READER: Reader = Reader {
    name: "fio --output-format=json",
    is_seen: true,
    recognises: |text| text.contains("\"fio version\"") && text.contains("\"jobs\""),
    read,
};

/// Reads or writes of one job.
struct Direction {
    ops_per_s: f64,
    bytes_per_s: f64,
    operations: f64,
    /// Mean, maximum and percentiles 50, 95 and 99 in seconds.
    mean: Option<f64>,
    maximum: Option<f64>,
    percentiles: [Option<f64>; 3],
}

fn read(text: &Text<'_>, _: Option<f64>, taken: &mut Taken) {
    // fio prints its warnings before the document.
    let Some(root) = Json::document(text) else { return };
    let Some(jobs) = root.get("jobs") else { return };
    let mut all: Vec<Direction> = Vec::new();
    jobs.each_item(&mut |job| {
        let both = ["read", "write"]
            .into_iter()
            .filter_map(|name| direction(job.get(name)?));
        all.extend(both);
    });
    let at = jobs.start();
    let mut say = |metric, value: Option<f64>, note| {
        taken.readings.extend(value.map(|value| Reading {
            note,
            ..Reading::new(Subject::Run(metric), value, at, READER.name)
        }));
    };
    if all.is_empty() {
        return;
    }
    let total = |of: fn(&Direction) -> f64| Some(all.iter().map(of).sum::<f64>());
    say("ops_per_s", total(|one| one.ops_per_s), None);
    say("payload_bytes_per_s", total(|one| one.bytes_per_s), None);
    let operations: f64 = all.iter().map(|one| one.operations).sum();
    let weighted: Option<f64> = all.iter().map(|one| Some(one.mean? * one.operations)).sum();
    say("latency_mean_s", weighted.map(|sum| sum / operations), None);
    let maximum: Option<Vec<f64>> = all.iter().map(|one| one.maximum).collect();
    let maximum = maximum.and_then(|all| all.into_iter().max_by(f64::total_cmp));
    // Percentiles of parts do not add up to those of the whole.
    if let [one] = &all[..] {
        let note =
            Some("percentiles are of completion, from the submission of an I/O, where fio has no others");
        say("latency_p50_s", one.percentiles[0], note);
        say("latency_p95_s", one.percentiles[1], note);
        say("latency_p99_s", one.percentiles[2], note);
    }
    say("latency_max_s", maximum, None);
}

fn direction(json: Json<'_>) -> Option<Direction> {
    let number = |name: &str| json.get(name)?.number();
    let operations = number("total_ios").filter(|&count| count > 0.0)?;
    // Versions before 3 print microseconds and no bytes.
    let latency = |name: &str| {
        let new = json.get(&format!("{name}_ns")).map(|latency| (latency, 1e-9));
        new.or_else(|| Some((json.get(name)?, 1e-6)))
    };
    let of = |name: &str, field: &str| {
        let (latency, unit) = latency(name)?;
        Some(latency.get(field)?.number()? * unit)
    };
    let percentile = |name: &str| {
        let from = |which: &str| {
            let (latency, unit) = latency(which)?;
            Some(latency.get("percentile")?.get(name)?.number()? * unit)
        };
        from("lat").or_else(|| from("clat"))
    };
    Some(Direction {
        ops_per_s: number("iops")?,
        bytes_per_s: number("bw_bytes").or_else(|| Some(number("bw")? * 1024.0))?,
        operations,
        mean: of("lat", "mean"),
        maximum: of("lat", "max"),
        percentiles: ["50.000000", "95.000000", "99.000000"].map(percentile),
    })
}
