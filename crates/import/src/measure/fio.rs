//! `fio --output-format=json`: operations, bytes and latencies of all jobs together.

use bandgraph_diagnostics::{Diagnostic, Place};

use super::{Reader, Reading, Subject, Taken};
use crate::formats::Text;
use crate::formats::json::Json;

pub(super) const READER: Reader = Reader {
    name: "fio --output-format=json",
    is_seen: true,
    recognises: |text| text.contains("\"fio version\"") && text.contains("\"jobs\""),
    read,
};

/// How far the rates of a job may be from what it moved over its time.
const ROUNDING: f64 = 0.05;

/// Reads or writes of one job.
struct Direction {
    is_read: bool,
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
    let Some(root) = Json::document(text) else {
        let end = text.text.trim_end().len();
        let place = Place::new(text.source, end..end);
        let cut = Diagnostic::error("measure::damaged", "the JSON is cut off or malformed").at(place);
        taken.diagnostics.push(cut);
        return;
    };
    let Some(jobs) = root.get("jobs") else { return };
    let mut all: Vec<Direction> = Vec::new();
    jobs.each_item(&mut |job| {
        let failed = job.get("error").filter(|error| error.number() != Some(0.0));
        taken.diagnostics.extend(failed.map(|error| failure(job, error)));
        for (name, part) in ["read", "write"].map(|name| (name, job.get(name))) {
            let Some(part) = part else { continue };
            match direction(part, name == "read") {
                Ok(found) => all.extend(found),
                Err(damaged) => taken.diagnostics.push(*damaged),
            }
        }
    });
    let at = jobs.start();
    let operations: f64 = all.iter().map(|one| one.operations).sum();
    let reads = all.iter().filter(|one| one.is_read);
    let reads = reads.map(|one| one.operations).sum::<f64>() / operations;
    let mut say = |metric, value: Option<f64>, note| {
        taken.readings.extend(value.map(|value| Reading {
            note,
            reads: Some(reads),
            ..Reading::new(Subject::Run(metric), value, at, READER.name)
        }));
    };
    if all.is_empty() {
        return;
    }
    let total = |of: fn(&Direction) -> f64| Some(all.iter().map(of).sum::<f64>());
    say("ops_per_s", total(|one| one.ops_per_s), None);
    say("payload_bytes_per_s", total(|one| one.bytes_per_s), None);
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

/// fio itself says that a job failed.
fn failure(job: Json<'_>, error: Json<'_>) -> Diagnostic {
    let name = job.get("jobname").and_then(Json::words);
    let job = name.map_or_else(|| "a job".to_owned(), |name| format!("job `{name}`"));
    let message = format!("fio says that {job} failed: its `error` is {}", error.raw());
    Diagnostic::error("measure::job_failed", message)
        .at(error.line().at.place())
        .help("an `error` other than 0 is the number of an error of the system; repeat the run")
}

/// Reads or writes, if there were any.
fn direction(json: Json<'_>, is_read: bool) -> Result<Option<Direction>, Box<Diagnostic>> {
    let number = |name: &str| {
        let Some(found) = json.get(name) else {
            return Ok(None);
        };
        let value = found.number().filter(|value| *value >= 0.0);
        value.map(|value| Some((value, found))).ok_or_else(|| {
            let message = format!("`{name}` is {}, not a number from 0 on", found.raw());
            damaged(found, message)
        })
    };
    let operations = number("total_ios")?.map_or(0.0, |(count, _)| count);
    let rate = number("iops")?;
    // Versions before 3 print KiB/s and microseconds.
    let (bytes, kibibytes) = (number("bw_bytes")?, number("bw")?);
    // fio divides these itself.
    let seconds = number("runtime")?.map_or(0.0, |(milliseconds, _)| milliseconds / 1e3);
    let moved = number("io_bytes")?.filter(|_| bytes.is_some());
    for (name, rate, count, total) in [
        ("bw_bytes", bytes, "io_bytes", moved.map(|(total, _)| total)),
        ("iops", rate, "total_ios", Some(operations)),
    ] {
        if let (Some((rate, at)), Some(total)) = (rate, total)
            && seconds > 0.0
            && (rate * seconds - total).abs() > ROUNDING * total + seconds
        {
            let message = format!(
                "`{name}` is {}, but `{count}` over `runtime` are {:.0}",
                at.raw(),
                total / seconds
            );
            return Err(damaged(at, message));
        }
    }
    let of = |name: &str, field: &str| {
        let (latency, unit) = latency(json, name)?;
        Some(latency.get(field)?.number()? * unit)
    };
    let percentile = |name: &str| {
        let from = |which: &str| {
            let (latency, unit) = latency(json, which)?;
            Some(latency.get("percentile")?.get(name)?.number()? * unit)
        };
        from("lat").or_else(|| from("clat"))
    };
    let bytes = bytes.or_else(|| kibibytes.map(|(rate, at)| (rate * 1024.0, at)));
    let (Some((ops_per_s, _)), Some((bytes_per_s, _)), true) = (rate, bytes, operations > 0.0) else {
        return Ok(None);
    };
    Ok(Some(Direction {
        is_read,
        ops_per_s,
        bytes_per_s,
        operations,
        mean: of("lat", "mean"),
        maximum: of("lat", "max"),
        percentiles: ["50.000000", "95.000000", "99.000000"].map(percentile),
    }))
}

/// A group of latencies, with the seconds of its unit.
fn latency<'a>(json: Json<'a>, name: &str) -> Option<(Json<'a>, f64)> {
    let new = json.get(&format!("{name}_ns")).map(|latency| (latency, 1e-9));
    new.or_else(|| Some((json.get(name)?, 1e-6)))
}

/// A figure that fio does not print.
fn damaged(at: Json<'_>, message: String) -> Box<Diagnostic> {
    let found = Diagnostic::error("measure::damaged", message).at(at.line().at.place());
    Box::new(found.help("fio does not print this: the file was changed or damaged"))
}
