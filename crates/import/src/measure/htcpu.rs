//! `amd64htcpu`: what each socket sends on its HyperTransport links.

use super::{Figures, Reader, Subject, Taken};
use crate::formats::Text;

pub(super) const READER: Reader = Reader {
    name: "amd64htcpu",
    is_seen: true,
    recognises: |text| {
        text.lines()
            .any(|line| line.starts_with("Socket") && line.contains("HT0") && line.contains("MB/s"))
    },
    read,
};

const NOTE: &str =
    "the program does not say whether MB is 10^6 or 2^20 bytes; 2^20, as published figures agree with";

fn read(text: &Text<'_>, _: Option<f64>, taken: &mut Taken) {
    let mut links = 0;
    let mut figures = Figures::default();
    for line in text.lines() {
        let mut words = line.text.split_whitespace();
        let first = words.next();
        if first == Some("Socket") {
            links = line.text.matches("MB/s").count();
            continue;
        }
        let Some(socket) = first.and_then(|word| word.parse::<u32>().ok()) else {
            continue;
        };
        let values: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
        let Some(values) = values.filter(|values| values.len() == links) else {
            continue;
        };
        for (link, value) in (0..).zip(values) {
            let subject = Subject::LinkOut {
                socket: Some(socket),
                link,
            };
            figures.add(subject, value * f64::from(1 << 20), line.at);
        }
    }
    // A link that carries nothing has no other end.
    let means = figures.means(READER.name, Some(NOTE));
    taken.readings.extend(means.filter(|reading| reading.value > 0.0));
}
