//! `iostat -x`, `iostat -o JSON -x` and `sar`: disks, processors and network interfaces. Their kB are 1024
//! bytes.

use super::{Figures, Reader, Reading, Subject, Taken};
use crate::formats::json::Json;
use crate::formats::{Line, Text};
use crate::origin::Origin;

pub(super) const IOSTAT: Reader = Reader {
    name: "iostat -x",
    is_seen: true,
    recognises: |text| {
        let mut lines = text.lines();
        lines.any(|line| line.starts_with("Device") && line.contains("%util"))
    },
    read: iostat,
};

pub(super) const IOSTAT_JSON: Reader = Reader {
    name: "iostat -x -o JSON",
    is_seen: true,
    recognises: |text| text.trim_start().starts_with('{') && text.contains("\"sysstat\""),
    read: iostat_json,
};

pub(super) const SAR: Reader = Reader {
    name: "sar",
    is_seen: true,
    recognises: |text| text.contains("\nAverage:") && text.trim_start().starts_with("Linux "),
    read: sar,
};

const SINCE_START: &str = "the only report of the file: the mean since the machine was started";

/// A report: what one interval showed.
#[derive(Default)]
struct Report {
    /// Share of time that processors were neither idle nor waiting for disks.
    busy: Option<(f64, Origin)>,
    disks: Vec<Disk>,
}

struct Disk {
    name: String,
    bytes_per_s: f64,
    busy: f64,
    at: Origin,
}

/// Names of columns with the bytes of one.
const RATES: [(&str, f64); 8] = [
    ("rkB/s", 1024.0),
    ("wkB/s", 1024.0),
    ("rMB/s", 1_048_576.0),
    ("wMB/s", 1_048_576.0),
    ("rsec/s", 512.0),
    ("wsec/s", 512.0),
    ("rd_sec/s", 512.0),
    ("wr_sec/s", 512.0),
];

impl Disk {
    fn of(value: impl Fn(&str) -> Option<f64>, busy: &str, name: &str, at: Origin) -> Option<Self> {
        let rates: Vec<f64> = RATES
            .iter()
            .filter_map(|(name, unit)| Some(value(name)? * unit))
            .collect();
        Some(Self {
            name: name.to_owned(),
            bytes_per_s: (rates.len() == 2).then(|| rates.iter().sum())?,
            busy: value(busy)? / 100.0,
            at,
        })
    }

    /// Whether it is a drive, and not a part of one, made of some, or kept in memory or a file.
    fn is_drive(&self, all: &[Self]) -> bool {
        let made = ["loop", "ram", "zram", "dm-", "md", "sr", "scd", "fd", "nbd"];
        let is_part = all.iter().any(|whole| {
            let rest = self.name.strip_prefix(&whole.name).unwrap_or_default();
            let rest = rest.strip_prefix('p').unwrap_or(rest);
            !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
        });
        !is_part && !made.iter().any(|kind| self.name.starts_with(kind))
    }
}

/// A table of words: the header, and what is below a name in a row.
fn cell(header: &[&str], row: &[&str], name: &str) -> Option<f64> {
    let column = header.iter().position(|title| *title == name)?;
    let text = row.get(column)?;
    // Some languages print a comma.
    text.replace(',', ".").parse().ok()
}

fn iostat(text: &Text<'_>, _: Option<f64>, taken: &mut Taken) {
    let mut reports: Vec<Report> = Vec::new();
    let mut header: Vec<&str> = Vec::new();
    let mut after_cpu: Option<Vec<&str>> = None;
    let mut pending = None;
    for line in text.lines() {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        match words.first().copied() {
            None => header.clear(),
            Some("avg-cpu:") => after_cpu = Some(words[1..].to_vec()),
            Some(first) if first.starts_with("Device") => {
                reports.push(Report {
                    busy: pending.take(),
                    ..Report::default()
                });
                header = words;
            }
            Some(name) => {
                if let Some(titles) = after_cpu.take() {
                    let idle = cell(&titles, &words, "%idle").zip(cell(&titles, &words, "%iowait"));
                    pending = idle.map(|(idle, waiting)| (1.0 - (idle + waiting) / 100.0, line.at));
                } else if let (false, Some(report)) = (header.is_empty(), reports.last_mut()) {
                    let value = |title: &str| cell(&header, &words, title);
                    report.disks.extend(Disk::of(value, "%util", name, line.at));
                }
            }
        }
    }
    taken.readings.extend(means(&reports, IOSTAT.name));
}

fn iostat_json(text: &Text<'_>, _: Option<f64>, taken: &mut Taken) {
    let Some(hosts) = Json::document(text).and_then(|root| root.get("sysstat")?.get("hosts")) else {
        return;
    };
    let mut reports = Vec::new();
    hosts.each_item(&mut |host| {
        let Some(statistics) = host.get("statistics") else {
            return;
        };
        statistics.each_item(&mut |one| {
            let mut report = Report::default();
            if let Some(cpu) = one.get("avg-cpu") {
                let share = |name: &str| Some(cpu.get(name)?.number()? / 100.0);
                let idle = share("idle").zip(share("iowait"));
                report.busy = idle.map(|(idle, waiting)| (1.0 - idle - waiting, cpu.line().at));
            }
            if let Some(disks) = one.get("disk") {
                disks.each_item(&mut |disk| {
                    let value = |name: &str| disk.get(name)?.number();
                    let name = disk.get("disk_device").and_then(Json::words);
                    let disk = name.and_then(|name| Disk::of(value, "util", &name, disk.line().at));
                    report.disks.extend(disk);
                });
            }
            reports.push(report);
        });
    });
    taken.readings.extend(means(&reports, IOSTAT_JSON.name));
}

/// The means of all reports. The first of several is of the time before the measurement began.
fn means(reports: &[Report], format: &'static str) -> impl Iterator<Item = Reading> + use<> {
    let note = (reports.len() == 1).then_some(SINCE_START);
    let mut figures = Figures::default();
    for report in reports.iter().skip(usize::from(reports.len() > 1)) {
        if let Some((busy, at)) = report.busy {
            figures.add(Subject::Run("cpu_busy"), busy, at);
        }
        let drives = || report.disks.iter().filter(|disk| disk.is_drive(&report.disks));
        if let Some(first) = drives().next() {
            let total = drives().map(|disk| disk.bytes_per_s).sum();
            figures.add(Subject::Run("disk_bytes_per_s"), total, first.at);
        }
        for Disk { name, busy, at, .. } in drives() {
            figures.add(Subject::DiskBusy { name: name.clone() }, *busy, *at);
        }
    }
    figures.means(format, note)
}

/// The titles of the second column of `sar`, by which a header is known.
const TITLES: [&str; 3] = ["IFACE", "DEV", "CPU"];

/// The lines that begin with `Average:`, below the last header. A report of one kind has its header only at
/// its beginning, after a time of one or two words.
fn sar(text: &Text<'_>, _: Option<f64>, taken: &mut Taken) {
    let mut header: Vec<&str> = Vec::new();
    let mut report = Report::default();
    for line in text.lines() {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let mut after_time = words.iter().skip(1).take(2);
        if let Some(at) = after_time.position(|word| TITLES.contains(word)) {
            header = words[at..].to_vec();
            continue;
        }
        if words.first() != Some(&"Average:") {
            continue;
        }
        let Some((title, name)) = header.get(1).zip(words.get(1)) else {
            continue;
        };
        let value = |name: &str| cell(&header, &words, name);
        match *title {
            "IFACE" => taken.readings.extend(interface(name, &line, &value)),
            "DEV" => report.disks.extend(Disk::of(value, "%util", name, line.at)),
            "CPU" if *name == "all" => {
                let idle = value("%idle").zip(value("%iowait"));
                report.busy = idle.map(|(idle, waiting)| (1.0 - (idle + waiting) / 100.0, line.at));
            }
            _ => {}
        }
    }
    let means = means(&[report], SAR.name);
    taken
        .readings
        .extend(means.map(|mean| Reading { note: None, ..mean }));
}

fn interface(name: &str, line: &Line<'_>, value: &dyn Fn(&str) -> Option<f64>) -> Vec<Reading> {
    [(true, "rxkB/s"), (false, "txkB/s")]
        .into_iter()
        .filter(|_| super::is_physical(name))
        .filter_map(|(receives, column)| {
            let name = name.to_owned();
            let subject = Subject::Port { name, receives };
            Some(Reading {
                note: Some(super::nic::NOTE),
                ..Reading::new(subject, value(column)? * 1024.0, line.at, SAR.name)
            })
        })
        .collect()
}
