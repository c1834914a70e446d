//! `zpool iostat -v`: what the drives of ZFS pools carry. K is 1024 bytes.

use super::{Figures, Reader, Subject, Taken};
use crate::formats::{Text, leading_number};
use crate::origin::Origin;

pub(super) const READER: Reader = Reader {
    name: "zpool iostat -v",
    is_seen: true,
    recognises: |text| text.lines().any(is_header),
    read,
};

const SINCE_IMPORT: &str = "the only report of the file: the mean since the pool was imported";

fn is_header(line: &str) -> bool {
    line.split_whitespace()
        .skip(1)
        .take(6)
        .eq(["alloc", "free", "read", "write", "read", "write"])
}

/// A pool, a virtual device or a drive.
struct Row<'a> {
    name: &'a str,
    indent: usize,
    bytes_per_s: Option<f64>,
    at: Origin,
}

/// What all drives read and write, by report. What is above others in the tree counts them again, and more.
fn read(text: &Text<'_>, _: Option<f64>, taken: &mut Taken) {
    let mut reports: Vec<Vec<Row<'_>>> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        if is_header(line.text) {
            reports.push(Vec::new());
        }
        let (Some(report), true) = (reports.last_mut(), words.len() >= 7 && !is_header(line.text)) else {
            continue;
        };
        let row = Row {
            name: words[0],
            indent: line.text.len() - line.text.trim_start().len(),
            bytes_per_s: bytes(words[5])
                .zip(bytes(words[6]))
                .map(|(read, write)| read + write),
            at: line.at,
        };
        // Later reports may have no header.
        let is_again = |known: &Row<'_>| known.indent == 0 && known.name == row.name;
        if row.indent == 0 && row.bytes_per_s.is_some() && report.iter().any(is_again) {
            reports.push(vec![row]);
        } else {
            report.push(row);
        }
    }
    let note = (reports.len() == 1).then_some(SINCE_IMPORT);
    if reports.len() > 1 {
        reports.remove(0);
    }
    let mut figures = Figures::default();
    for (rate, at) in reports.iter().filter_map(|report| of_drives(report)) {
        figures.add(Subject::Run("disk_bytes_per_s"), rate, at);
    }
    taken.readings.extend(figures.means(READER.name, note));
}

/// Bytes/s of the rows with nothing below them, if the report lists drives.
fn of_drives(report: &[Row<'_>]) -> Option<(f64, Origin)> {
    let below = report.iter().skip(1).map(|row| row.indent).chain([0]);
    let leaves = report
        .iter()
        .zip(below)
        .filter(|(row, below)| row.indent > 0 && *below <= row.indent);
    let drives: Vec<(f64, Origin)> = leaves
        .filter_map(|(row, _)| Some((row.bytes_per_s?, row.at)))
        .collect();
    let &(_, at) = drives.first()?;
    Some((drives.iter().map(|(rate, _)| rate).sum(), at))
}

/// `349K`, `14.7M`, `0`; `-` is none.
fn bytes(text: &str) -> Option<f64> {
    let number = leading_number(text)?;
    let unit = match text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    Some(number * (1_u64 << unit) as f64)
}
