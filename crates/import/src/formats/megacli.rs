//! `MegaCli -EncInfo` and `-PDList`: enclosures with their slots, and drives.

use super::text::{either, known};
use super::{Line, Reader, Text};
use crate::facts::{Disk, Enclosure, Facts};
use crate::origin::{Fact, Known};

pub(crate) const READER: Reader = Reader {
    name: "MegaCli",
    recognises: |text| {
        text.contains("Number of enclosures on adapter")
            || (text.contains("Enclosure Device ID:") && text.contains("PD Type"))
    },
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut enclosure_of_drive: Fact<String> = None;
    // An enclosure lists its own counters after the numbers that matter, under the same words.
    for (key, value) in text.lines().filter_map(Line::key_value) {
        let is_enclosure = key.strip_prefix("Enclosure ").is_some_and(is_number);
        if is_enclosure && value.text.is_empty() {
            facts.enclosures.push(Enclosure::default());
        } else if key == "Enclosure Device ID" {
            enclosure_of_drive = value.words();
        } else if key == "Slot Number" {
            let enclosure = enclosure_of_drive.value().map_or("", String::as_str);
            facts.disks.push(Disk {
                name: value.says(format!("{enclosure}:{}", value.text)),
                ..Disk::default()
            });
        } else if let Some(disk) = facts.disks.last_mut() {
            drive(key, value, disk);
        } else if let Some(enclosure) = facts.enclosures.last_mut() {
            let first = |number: &mut Fact<u32>| *number = number.take().or_else(|| value.number());
            let first_words = |words: &mut Fact<String>| *words = words.take().or_else(|| value.words());
            match key {
                "Device ID" => first(&mut enclosure.number),
                "Number of Slots" => first(&mut enclosure.slots),
                "Number of Physical Drives" => first(&mut enclosure.drives),
                "Product Identification" => first_words(&mut enclosure.product),
                "Enclosure type" => first_words(&mut enclosure.kind),
                _ => {}
            }
        }
    }
}

fn is_number(text: &str) -> bool {
    text.parse::<u32>().is_ok()
}

fn drive(key: &str, value: Line<'_>, disk: &mut Disk) {
    match key {
        // `7.277 TB [0x3a3812ab0 Sectors]`; sectors of 512 bytes.
        "Raw Size" => {
            disk.size_bytes = value.infer(|text| {
                let (_, sectors) = text.split_once("[0x")?;
                let sectors = u64::from_str_radix(sectors.split(' ').next()?, 16).ok()?;
                sectors.checked_mul(512).filter(|&bytes| bytes > 0)
            });
        }
        "PD Type" => disk.transport = value.infer(|text| known(text).map(str::to_ascii_lowercase)),
        "Media Type" => {
            disk.rotates = value.infer(|text| either(text, "Hard Disk Device", "Solid State Device"));
        }
        "Inquiry Data" => {
            let model: Vec<&str> = value.text.split_whitespace().collect();
            disk.model = value.may_say(known(&model.join(" ")).map(str::to_owned));
        }
        _ => {}
    }
}
