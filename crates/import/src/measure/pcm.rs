//! `pcm -csv`: memory traffic of sockets and what they send on their links.
//!
//! Two lines of headers: groups (`Socket 0`, `SKT0trafficOut`) and columns (`READ`, `UPI0`). Memory is
//! printed in units of 10^9 bytes and links in 10^6 bytes (2^20 in versions before 2018) per interval.

use super::{Figures, Reader, Subject, Taken};
use crate::formats::{Line, Text, number_after};

pub(super) const READER: Reader = Reader {
    name: "pcm -csv",
    is_seen: false,
    recognises: |text| {
        let head: Vec<&str> = text.lines().take(2).collect();
        matches!(head[..], [groups, columns] if groups.contains("System") && columns.contains("Date"))
    },
    read,
};

fn read(text: &Text<'_>, seconds: Option<f64>, taken: &mut Taken) {
    let mut lines = text.lines();
    let (Some(groups), Some(columns)) = (lines.next(), lines.next()) else {
        return;
    };
    let separator = if columns.text.contains(';') { ';' } else { ',' };
    // A group is printed once, above the first of its columns.
    let mut group = "";
    let names = columns.text.split(separator);
    let groups = groups.text.split(separator).chain(std::iter::repeat(""));
    let wanted: Vec<Option<(Subject, f64)>> = groups
        .zip(names)
        .map(|(above, name)| {
            if !above.trim().is_empty() {
                group = above.trim();
            }
            subject(group, name.trim())
        })
        .collect();
    let time = columns
        .text
        .split(separator)
        .position(|name| name.trim() == "Time");
    let rows: Vec<Line<'_>> = lines.filter(|line| line.text.contains(separator)).collect();
    let times: Option<Vec<f64>> = rows
        .iter()
        .map(|row| clock(row.text.split(separator).nth(time?)?))
        .collect();
    // The time of a row is its end; versions before the first row are not known.
    let between = times.and_then(|times| {
        let span = times.last()? - times.first()?;
        (times.len() > 1 && span > 0.0).then(|| span / (times.len() - 1) as f64)
    });
    // pcm measures a second at a time by default.
    let interval = between
        .or(seconds.map(|seconds| seconds / rows.len().max(1) as f64))
        .unwrap_or(1.0);
    let mut figures = Figures::default();
    for row in &rows {
        let mut of_row = Figures::default();
        for (cell, wanted) in row.text.split(separator).zip(&wanted) {
            let (Some((subject, unit)), Ok(number)) = (wanted, cell.trim().parse::<f64>()) else {
                continue;
            };
            of_row.add(subject.clone(), number * unit / interval, row.at);
        }
        // Reads and writes are columns of their own.
        for (subject, values, at) in of_row.0 {
            figures.add(subject, values.iter().sum(), at);
        }
    }
    let note = "units as versions since 2018 print them";
    taken.readings.extend(figures.means(READER.name, Some(note)));
}

/// What a column holds, with the bytes of a count.
fn subject(group: &str, name: &str) -> Option<(Subject, f64)> {
    let number = |word: &str| number_after(group, word).map(|number| number as u32);
    if matches!(name, "READ" | "WRITE") {
        let socket = number("Socket ").or_else(|| number("Socket"))?;
        return Some((Subject::Memory { socket: Some(socket) }, 1e9));
    }
    let socket = group
        .strip_prefix("SKT")?
        .strip_suffix("trafficOut")?
        .parse()
        .ok()?;
    let link = name
        .strip_prefix("UPI")
        .or_else(|| name.strip_prefix("QPI"))?
        .parse()
        .ok()?;
    let socket = Some(socket);
    Some((Subject::LinkOut { socket, link }, 1e6))
}

/// Seconds of the day of `13:38:04` or `13:38:04.113`.
fn clock(text: &str) -> Option<f64> {
    let mut seconds = 0.0;
    for part in text.trim().split(':') {
        seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
    }
    Some(seconds)
}
