//! Readings as rows of a scenario: `[[measured]]` and `[[measured_link]]`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bandgraph_diagnostics::Sources;

use super::{READERS, Reading, Subject};
use crate::resolve::Machine;
use crate::topology::{port_of, quoted};

/// How readings become rows.
#[derive(Clone, Debug, Default)]
pub struct RowOptions {
    /// The name of the run, the first part of the ids of rows.
    pub run: String,
    /// The resource of what a counter is of: `sda` is `disk.j0.3`, `eth0` is `port.nic0.0`, `s0.link0` is
    /// `link.cpu0-cpu1`.
    pub resources: BTreeMap<String, String>,
}

/// The rows of all readings. What no resource is known for is a comment that says how to give one.
pub fn rows(
    readings: &[Reading],
    options: &RowOptions,
    machine: Option<&Machine>,
    sources: &Sources,
) -> String {
    let mut text = String::from("# Made by `bandgraph measure import`.\n");
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    for reading in readings {
        let place = format!(
            "{}:{}",
            sources.name(reading.at.source),
            sources.line_column(reading.at.source, reading.at.start).line
        );
        let place = printable(&place);
        let Some(value) = written(&reading.subject, reading.value) else {
            continue;
        };
        let resource = resource(reading, options, machine);
        let Some((metric, resource)) = metric(&reading.subject, resource) else {
            let key = printable(&reading.subject.key().unwrap_or_default());
            let _ = writeln!(
                text,
                "\n# {place}: {value} of {key}: no resource is known for it; `--map {key}=RESOURCE` gives one"
            );
            continue;
        };
        let is_link = matches!(reading.subject, Subject::LinkOut { .. }) && !reading.is_lower_bound;
        let _ = writeln!(text, "\n# {place}");
        if let (true, Some(resource)) = (is_link, &resource) {
            let _ = writeln!(text, "[[measured_link]]\nlink = {}", quoted(resource));
            let _ = writeln!(text, "run = {}", quoted(&options.run));
            let _ = writeln!(text, "value = {value}");
        } else {
            let mut id = format!("{}-{}", options.run, metric.replace('_', "-"));
            if let Some(resource) = &resource {
                let _ = write!(id, "-{}", resource.replace('.', "-"));
            }
            let count = ids.entry(id.clone()).or_default();
            *count += 1;
            if *count > 1 {
                let _ = write!(id, "-{count}");
            }
            let _ = writeln!(text, "[[measured]]\nid = {}\nmetric = \"{metric}\"", quoted(id));
            if let Some(resource) = &resource {
                let _ = writeln!(text, "resource = {}", quoted(resource));
            }
            let _ = writeln!(text, "value = {value}");
            let statistic = match reading {
                Reading {
                    is_lower_bound: true, ..
                } => Some("lower bound"),
                Reading { samples: 1, .. } => Some("sample"),
                _ => None,
            };
            if let Some(statistic) = statistic {
                let _ = writeln!(text, "statistic = \"{statistic}\"");
            }
        }
        let _ = writeln!(
            text,
            "source = {}",
            quoted(format!("{place}, printed by {}", reading.format))
        );
        let is_seen = READERS
            .iter()
            .any(|reader| reader.name == reading.format && reader.is_seen);
        let unseen =
            (!is_seen).then_some("this format was read by its documentation and not seen on hardware");
        let notes: Vec<&str> = reading.note.into_iter().chain(unseen).collect();
        if !notes.is_empty() {
            let _ = writeln!(text, "note = {}", quoted(notes.join("; ")));
        }
    }
    text
}

/// A text for a comment, which ends with its line.
fn printable(text: &str) -> String {
    let letters = text.chars();
    letters
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

/// The resource that a reading is of: as the user says, else memory by its socket, ports by their interface.
fn resource(reading: &Reading, options: &RowOptions, machine: Option<&Machine>) -> Option<String> {
    let key = reading.subject.key()?;
    if let Some(resource) = options.resources.get(&key) {
        return Some(resource.clone());
    }
    match &reading.subject {
        Subject::Memory { socket } => Some(format!("memory.cpu{}", (*socket)?)),
        Subject::Port { name, .. } => port_of(machine?, name),
        _ => None,
    }
}

/// The metric of a row with its resource; `None` where a resource is needed and not known.
fn metric(subject: &Subject, resource: Option<String>) -> Option<(&'static str, Option<String>)> {
    match subject {
        Subject::Run(metric) => Some((metric, None)),
        Subject::LinkOut { .. } | Subject::Memory { .. } => Some(("bytes_per_s", Some(resource?))),
        Subject::Port { receives, .. } => {
            let direction = if *receives { "in" } else { "out" };
            Some(("bytes_per_s", Some(format!("{}.{direction}", resource?))))
        }
        Subject::DiskBusy { .. } => Some(("utilisation", Some(resource?))),
    }
}

/// The value with the unit of its metric; none where that is 0 or no number after rounding.
fn written(subject: &Subject, value: f64) -> Option<String> {
    let metric = match subject {
        Subject::Run(metric) => *metric,
        Subject::DiskBusy { .. } => "utilisation",
        _ => "bytes_per_s",
    };
    let (unit, word) = match metric {
        "cpi" => (1.0, ""),
        "ops_per_s" => (1.0, "ops/s"),
        "cpu_busy" | "utilisation" => (0.01, "%"),
        name if name.starts_with("latency") => (1e-6, "us"),
        _ => (1e6, "MB/s"),
    };
    let rounded = (value / unit * 1e6).round() / 1e6;
    let text = match word {
        "" => rounded.to_string(),
        word => quoted(format!("{rounded} {word}")),
    };
    (rounded > 0.0 && rounded.is_finite()).then_some(text)
}
