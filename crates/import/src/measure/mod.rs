//! What counters and load generators printed while a machine worked: readings for `validate` and `calibrate`.
//!
//! One reader per format, recognised by content, turns a text into [`Reading`]s in SI units, each with the
//! line that said it. Formats that only count since the machine was started (`/proc/net/dev`, `ethtool -S`)
//! need two files and the time between them. [`rows`] writes readings as rows of a scenario.

mod counters;
mod fio;
mod htcpu;
mod nic;
mod pcm;
mod perf;
mod rows;
mod sysstat;
mod zpool;

use std::path::{Path, PathBuf};

use bandgraph_config::Files;
use bandgraph_diagnostics::{Diagnostic, Sources};

pub use rows::{RowOptions, rows};

use crate::formats::Text;
use crate::origin::Origin;

/// What a reading is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A metric of the whole run, by its name in scenarios: `"ops_per_s"`.
    Run(&'static str),
    /// What a socket sends on one of its links to other sockets and hubs, in bytes/s.
    LinkOut {
        /// Number of the socket, from 0; `None` if the counters of all sockets were added.
        socket: Option<u32>,
        /// Number of the link as the counter has it.
        link: u32,
    },
    /// What the memory controllers of a socket read and write, in bytes/s.
    Memory {
        /// Number of the socket, from 0; `None` if the counters of all sockets were added.
        socket: Option<u32>,
    },
    /// What an interface receives or sends, in bytes/s.
    Port {
        /// Name of the interface.
        name: String,
        /// Whether it is what the interface receives.
        receives: bool,
    },
    /// The share of time that a disk is busy.
    DiskBusy {
        /// Name of the disk.
        name: String,
    },
}

impl Subject {
    /// The name by which a resource is given to it: `sda`, `eth0`, `s0.link1`, `s0.memory`; none for a metric
    /// of the whole run.
    pub fn key(&self) -> Option<String> {
        let of = |socket: &Option<u32>| socket.map_or(String::new(), |socket| format!("s{socket}."));
        match self {
            Self::Run(_) => None,
            Self::LinkOut { socket, link } => Some(format!("{}link{link}", of(socket))),
            Self::Memory { socket } => Some(format!("{}memory", of(socket))),
            Self::Port { name, .. } | Self::DiskBusy { name } => Some(name.clone()),
        }
    }
}

/// One figure that a program printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What it is of.
    pub subject: Subject,
    /// The value, in SI units.
    pub value: f64,
    /// Readings that it is the mean of.
    pub samples: usize,
    /// Whether the real figure is this or more: a counter of data without headers.
    pub is_lower_bound: bool,
    /// The share of reads among reads and writes, where it is a rate of both.
    pub reads: Option<f64>,
    /// The line that said it, or the first of several.
    pub at: Origin,
    /// The program that printed it.
    pub format: &'static str,
    /// What is to be known of it.
    pub note: Option<&'static str>,
}

impl Reading {
    /// One figure that a line says.
    fn new(subject: Subject, value: f64, at: Origin, format: &'static str) -> Self {
        Self {
            subject,
            value,
            samples: 1,
            is_lower_bound: false,
            reads: None,
            at,
            format,
            note: None,
        }
    }
}

/// Figures by what they are of, in the order of the first of each.
#[derive(Default)]
struct Figures(Vec<(Subject, Vec<f64>, Origin)>);

impl Figures {
    fn add(&mut self, subject: Subject, figure: f64, at: Origin) {
        match self.0.iter_mut().find(|(known, ..)| *known == subject) {
            Some((_, figures, _)) => figures.push(figure),
            None => self.0.push((subject, vec![figure], at)),
        }
    }

    /// The mean of the figures of each.
    fn means(self, format: &'static str, note: Option<&'static str>) -> impl Iterator<Item = Reading> {
        self.0.into_iter().map(move |(subject, figures, at)| {
            let mean = figures.iter().sum::<f64>() / figures.len() as f64;
            Reading {
                samples: figures.len(),
                note,
                ..Reading::new(subject, mean, at, format)
            }
        })
    }
}

/// What a counter showed since the machine was started.
struct Count {
    subject: Subject,
    value: f64,
    at: Origin,
}

/// What a file says, before differences are taken.
#[derive(Default)]
struct Taken {
    readings: Vec<Reading>,
    counts: Vec<Count>,
    diagnostics: Vec<Diagnostic>,
}

/// A reader of one format.
struct Reader {
    /// The command that prints it.
    name: &'static str,
    /// Whether this reader was tried on outputs of real hardware.
    is_seen: bool,
    recognises: fn(&str) -> bool,
    /// Adds what the text says. The number is the seconds that were counted, where the user says them.
    read: fn(&Text<'_>, Option<f64>, &mut Taken),
}

const READERS: [&Reader; 11] = [
    &fio::READER,
    &sysstat::IOSTAT_JSON,
    &sysstat::IOSTAT,
    &sysstat::SAR,
    &zpool::READER,
    &nic::PROC_NET_DEV,
    &nic::ETHTOOL,
    &htcpu::READER,
    &pcm::READER,
    &perf::JSON_LINES,
    &perf::READER,
];

/// The names of all formats, with whether the reader was tried on outputs of real hardware.
pub fn measure_formats() -> impl Iterator<Item = (&'static str, bool)> {
    READERS.iter().map(|reader| (reader.name, reader.is_seen))
}

/// What was read.
#[derive(Debug, Default)]
pub struct Measurements {
    /// The readings, in the order of the files.
    pub readings: Vec<Reading>,
    /// What could not be read.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the outputs of counters and load generators.
///
/// `seconds` is the time that was counted, for formats that do not say it.
pub fn measure(
    paths: &[PathBuf],
    seconds: Option<f64>,
    files: &dyn Files,
    sources: &mut Sources,
) -> Measurements {
    let mut measurements = Measurements::default();
    let mut counts: Vec<(&Reader, Count)> = Vec::new();
    for path in paths {
        let (reader, taken) = match take(path, seconds, files, sources) {
            Ok(taken) => taken,
            Err(diagnostic) => {
                measurements.diagnostics.push(*diagnostic);
                continue;
            }
        };
        let is_empty = taken.readings.is_empty() && taken.counts.is_empty();
        if is_empty && taken.diagnostics.is_empty() {
            measurements.diagnostics.push(
                Diagnostic::error(
                    "measure::nothing",
                    format!("`{}` holds no figure that can be compared", path.display()),
                )
                .help(format!("it looks like the output of `{}`", reader.name)),
            );
        }
        measurements.diagnostics.extend(taken.diagnostics);
        // Of nothing no error can be told, and a damaged number can be anything.
        let sound = |reading: &Reading| reading.value.is_finite() && reading.value > 0.0;
        measurements
            .readings
            .extend(taken.readings.into_iter().filter(sound));
        let sound = taken.counts.into_iter().filter(|count| count.value.is_finite());
        counts.extend(sound.map(|count| (reader, count)));
    }
    differences(&counts, seconds, &mut measurements);
    measurements
}

fn take(
    path: &Path,
    seconds: Option<f64>,
    files: &dyn Files,
    sources: &mut Sources,
) -> Result<(&'static Reader, Taken), Box<Diagnostic>> {
    let bytes = files.read(path).map_err(|why| {
        Diagnostic::error(
            "import::unreadable",
            format!("failed to read `{}`: {why}", path.display()),
        )
    })?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let Some(reader) = READERS.into_iter().find(|reader| (reader.recognises)(&text)) else {
        let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
        return Err(Box::new(
            Diagnostic::error(
                "measure::unknown_format",
                format!("`{}` is of no format with measurements", path.display()),
            )
            .help(format!("formats are recognised by content: {}", names.join(", "))),
        ));
    };
    let source = sources.add(path.display().to_string(), text);
    let mut taken = Taken::default();
    let text = Text {
        source,
        text: sources.text(source),
    };
    (reader.read)(&text, seconds, &mut taken);
    for count in &mut taken.counts {
        if let Subject::Port { name, .. } = &mut count.subject
            && name.is_empty()
        {
            *name = interface_of(path);
        }
    }
    Ok((reader, taken))
}

/// The interface that a file is named after: `eth0` for `ethtool-eth0.before.txt`.
fn interface_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    stem.rsplit('-').next().unwrap_or_default().to_owned()
}

/// Rates of what was counted twice: the last count less the first, over the time between them.
fn differences(counts: &[(&Reader, Count)], seconds: Option<f64>, measurements: &mut Measurements) {
    let mut done: Vec<(&str, &Subject)> = Vec::new();
    let mut alone = None;
    for (index, (reader, first)) in counts.iter().enumerate() {
        if done.contains(&(reader.name, &first.subject)) {
            continue;
        }
        done.push((reader.name, &first.subject));
        let last = counts[index + 1..]
            .iter()
            .rfind(|(other, count)| other.name == reader.name && count.subject == first.subject);
        let (Some((_, last)), Some(seconds)) = (last, seconds) else {
            alone = alone.or(Some((first.at, last.is_some())));
            continue;
        };
        let difference = last.value - first.value;
        if difference < 0.0 {
            measurements.diagnostics.push(
                Diagnostic::warning(
                    "measure::counter_fell",
                    "a counter is lower in the second file than in the first",
                )
                .at(last.at.place())
                .help("give the earlier file first; a restart of the driver sets counters to 0"),
            );
            continue;
        }
        let rate = difference / seconds;
        measurements.readings.push(Reading {
            note: Some(nic::NOTE),
            ..Reading::new(first.subject.clone(), rate, last.at, reader.name)
        });
    }
    if let Some((at, has_two)) = alone {
        let what = if has_two {
            "no file says how long was counted"
        } else {
            "counters since the start of the machine need two files, and the time between them"
        };
        measurements.diagnostics.push(
            Diagnostic::error("measure::no_interval", what)
                .at(at.place())
                .help("print the counters before and after the run: `measure import before.txt after.txt --seconds 60`"),
        );
    }
    let ports: Vec<&Reading> = (measurements.readings.iter())
        .filter(|reading| matches!(&reading.subject, Subject::Port { .. }))
        .collect();
    if let Some(total) = network(&ports) {
        measurements.readings.push(total);
    }
}

/// What all interfaces receive and send together. Interfaces made of others would count twice.
fn network(ports: &[&Reading]) -> Option<Reading> {
    let physical = ports.iter().filter(|reading| match &reading.subject {
        Subject::Port { name, .. } => is_physical(name),
        _ => false,
    });
    let first = *physical.clone().next()?;
    let same = physical.filter(|reading| reading.format == first.format);
    Some(Reading {
        subject: Subject::Run("network_bytes_per_s"),
        value: same.map(|reading| reading.value).sum(),
        ..(*first).clone()
    })
}

/// Whether an interface is a port, and not made by software of others or of nothing.
fn is_physical(name: &str) -> bool {
    let made = [
        "lo", "bond", "br", "docker", "veth", "virbr", "vlan", "ifb", "dummy", "tun", "tap", "wg", "vnet",
        "lagg", "team", "cni", "flannel", "cali", "sit", "ovs",
    ];
    !name.contains(['.', '@', ':']) && !made.iter().any(|kind| name.starts_with(kind))
}
