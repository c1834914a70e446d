//! `perf stat -x` and `perf stat -j`: counters of memory controllers, of links between sockets, and of cores.
//!
//! Fields: the time with `-I`, the socket and the number of counters added with `--per-socket`, value, unit,
//! event, nanoseconds that the counter ran, per cent of the time. The separator is any; events may hold
//! commas.

use bandgraph_diagnostics::Diagnostic;

use super::counters::{Counted, Event, event};
use super::{Reader, Reading, Subject, Taken};
use crate::formats::json::Json;
use crate::formats::{Line, Text};
use crate::origin::Origin;

pub(super) const READER: Reader = Reader {
    name: "perf stat -x",
    is_seen: false,
    recognises: |text| {
        text.lines()
            .any(|line| values(line).is_some_and(|row| row.event.is_some()))
    },
    read: |text, seconds, taken| {
        let rows = text.lines().filter_map(|line| {
            let row = values(line.text)?;
            Some((row, line.at))
        });
        readings(&rows.collect::<Vec<_>>(), seconds, READER.name, taken);
    },
};

pub(super) const JSON_LINES: Reader = Reader {
    name: "perf stat -j",
    is_seen: false,
    recognises: |text| text.contains("\"counter-value\"") && text.contains("\"event\""),
    read: |text, seconds, taken| {
        let rows = text.lines().filter_map(|line| {
            let row = object(text, &line)?;
            Some((row, line.at))
        });
        readings(&rows.collect::<Vec<_>>(), seconds, JSON_LINES.name, taken);
    },
};

/// A line of either form.
struct Row {
    /// End of the interval in seconds.
    time: Option<f64>,
    socket: Option<u32>,
    /// Counters that were added.
    added: Option<f64>,
    /// `None` where it was not counted.
    value: Option<f64>,
    unit: String,
    name: String,
    event: Option<Event>,
    /// Nanoseconds that the counters ran, all together.
    ran: Option<f64>,
}

/// The fields of a line, without taking the commas of an event for separators.
fn fields(line: &str) -> Vec<String> {
    let separator = [';', '|', '\t']
        .into_iter()
        .find(|&one| line.contains(one))
        .unwrap_or(',');
    let mut fields: Vec<String> = Vec::new();
    let mut is_open = false;
    for part in line.split(separator) {
        match fields.last_mut().filter(|_| is_open) {
            Some(last) => {
                last.push(separator);
                last.push_str(part);
            }
            None => fields.push(part.trim().to_owned()),
        }
        is_open ^= part.matches('/').count() % 2 == 1;
    }
    fields
}

fn socket(text: &str) -> Option<u32> {
    let number = text.strip_prefix('S')?;
    let number = number.split('-').next()?;
    number.parse().ok()
}

fn values(line: &str) -> Option<Row> {
    if line.starts_with('#') {
        return None;
    }
    let fields = fields(line);
    let is_value = |text: &str| text.starts_with('<') || text.parse::<f64>().is_ok();
    let mut at = 0;
    let mut time = None;
    if is_value(fields.first()?) && (is_value(fields.get(1)?) || socket(&fields[1]).is_some()) {
        time = fields[0].parse().ok();
        at = 1;
    }
    let mut row = Row {
        time,
        socket: socket(&fields[at]),
        added: None,
        value: None,
        unit: String::new(),
        name: String::new(),
        event: None,
        ran: None,
    };
    if row.socket.is_some() {
        row.added = fields.get(at + 1)?.parse().ok();
        at += 2;
    }
    let value = fields.get(at)?;
    if !is_value(value) {
        return None;
    }
    row.value = value.parse().ok();
    row.unit.clone_from(fields.get(at + 1)?);
    row.name = fields.get(at + 2)?.to_ascii_lowercase();
    row.event = event(&row.name);
    row.ran = fields.get(at + 3).and_then(|ran| ran.parse().ok());
    Some(row)
}

/// `{"interval" : 1.0, "socket" : "S0", "aggregate-number" : 1, "counter-value" : "3.5", "unit" : "MiB",
/// ...}`.
fn object(text: &Text<'_>, line: &Line<'_>) -> Option<Row> {
    let json = Json::of_line(text, line)?;
    let words = |name: &str| json.get(name).and_then(Json::words);
    let number = |name: &str| json.get(name).and_then(Json::number);
    let name = words("event")?.to_ascii_lowercase();
    Some(Row {
        time: number("interval"),
        socket: words("socket").and_then(|text| socket(&text)),
        added: number("aggregate-number"),
        value: number("counter-value"),
        unit: words("unit").unwrap_or_default(),
        event: event(&name),
        name,
        ran: number("event-runtime"),
    })
}

/// What was counted, of which socket, on which link.
type Key = (Counted, Option<u32>, u32);

/// Sums of counts over time.
#[derive(Default)]
struct Sum {
    value: f64,
    intervals: usize,
    at: Option<Origin>,
}

fn readings(rows: &[(Row, Origin)], seconds: Option<f64>, format: &'static str, taken: &mut Taken) {
    let mut sums: Vec<(Key, Sum)> = Vec::new();
    let mut missing = None;
    for (row, at) in rows {
        let Some(event) = row.event else { continue };
        let Some(value) = row.value else {
            missing = missing.or(Some(*at));
            continue;
        };
        let bytes = match row.unit.as_str() {
            "MiB" => 1_048_576.0,
            "KiB" => 1024.0,
            "GiB" => 1_073_741_824.0,
            // perf prints this event in 10^6 bytes, and calls them bytes.
            "MB" | "Bytes" if row.name.contains("upi_data_bandwidth_tx") || row.unit == "MB" => 1e6,
            "Bytes" => 1.0,
            _ => event.bytes,
        };
        let link = event
            .link
            .filter(|_| matches!(event.counted, Counted::Link | Counted::LinkPayload));
        let key: Key = (event.counted, row.socket, link.unwrap_or(0));
        if !sums.iter().any(|(one, _)| *one == key) {
            sums.push((key, Sum::default()));
        }
        let sum = sums.iter_mut().find(|(one, _)| *one == key).map(|(_, sum)| sum);
        if let Some(sum) = sum {
            sum.value += value * bytes;
            sum.intervals += 1;
            sum.at = sum.at.or(Some(*at));
        }
    }
    if let Some(at) = missing {
        taken.diagnostics.push(
            Diagnostic::warning("measure::not_counted", "an event was not counted")
                .at(at.place())
                .help(
                    "perf prints `<not supported>` without root, in virtual machines, and for unknown units",
                ),
        );
    }
    let Some(first) = sums.first().and_then(|(_, sum)| sum.at) else {
        return;
    };
    let total = |counted: Counted, socket: Option<u32>, link: u32| {
        let sum = sums.iter().find(|(key, _)| *key == (counted, socket, link));
        sum.map(|(_, sum)| sum.value)
    };
    let mut say = |subject, value: f64, samples, is_lower_bound, at, note| {
        taken.readings.push(Reading {
            samples,
            is_lower_bound,
            note,
            ..Reading::new(subject, value, at, format)
        });
    };
    let cycles = total(Counted::Cycles, None, 0).zip(total(Counted::Instructions, None, 0));
    if let Some((cycles, instructions)) = cycles.filter(|&(_, instructions)| instructions > 0.0) {
        say(Subject::Run("cpi"), cycles / instructions, 1, false, first, None);
    }
    let is_rate = |counted| !matches!(counted, Counted::Cycles | Counted::Instructions);
    if !sums.iter().any(|((counted, ..), _)| is_rate(*counted)) {
        return;
    }
    let Some(seconds) = duration(rows).or(seconds) else {
        taken.diagnostics.push(
            Diagnostic::error(
                "measure::no_interval",
                "the file does not say how long was counted",
            )
            .at(first.place())
            .help("give the seconds with `--seconds`, or count with `-I 1000` or the event `duration_time`"),
        );
        return;
    };
    let mut done: Vec<Option<u32>> = Vec::new();
    for ((counted, socket, link), sum) in &sums {
        let at = sum.at.unwrap_or(first);
        match counted {
            Counted::Link | Counted::LinkPayload => {
                let (socket, link) = (*socket, *link);
                let is_payload = *counted == Counted::LinkPayload;
                let note = is_payload.then_some("data only: headers and short packets are not counted");
                let subject = Subject::LinkOut { socket, link };
                say(subject, sum.value / seconds, sum.intervals, is_payload, at, note);
            }
            Counted::Memory | Counted::MemoryRead | Counted::MemoryWrite if !done.contains(socket) => {
                done.push(*socket);
                let part = |counted| total(counted, *socket, 0);
                let (both, read, write) = (
                    part(Counted::Memory),
                    part(Counted::MemoryRead),
                    part(Counted::MemoryWrite),
                );
                let value = both.unwrap_or_else(|| read.unwrap_or(0.0) + write.unwrap_or(0.0));
                let is_partial = both.is_none() && (read.is_none() || write.is_none());
                let note = is_partial.then_some("only one of reads and writes was counted");
                let socket = *socket;
                say(
                    Subject::Memory { socket },
                    value / seconds,
                    sum.intervals,
                    is_partial,
                    at,
                    note,
                );
            }
            _ => {}
        }
    }
}

/// Seconds that were counted: the last time of `-I`, else the event `duration_time`, else what a counter ran.
fn duration(rows: &[(Row, Origin)]) -> Option<f64> {
    let last = rows.iter().filter_map(|(row, _)| row.time).fold(0.0, f64::max);
    if last > 0.0 {
        return Some(last);
    }
    let elapsed = rows.iter().find(|(row, _)| row.name.starts_with("duration_time"));
    if let Some(nanoseconds) = elapsed.and_then(|(row, _)| row.value) {
        return Some(nanoseconds * 1e-9).filter(|&seconds| seconds > 0.0);
    }
    let ran = rows.iter().find_map(|(row, _)| {
        row.event.filter(|event| event.bytes > 1.0)?;
        Some(row.ran? / row.added.filter(|&added| added > 0.0)? * 1e-9)
    });
    ran.filter(|&seconds| seconds > 0.0)
}
