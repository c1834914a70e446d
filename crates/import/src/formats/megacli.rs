//! `MegaCli -EncInfo` and `-PDList`: enclosures with their slots, and drives.

use super::text::known;
use super::{Line, Reader, Text};
use crate::facts::{Disk, Enclosure, Facts};
use crate::origin::Fact;

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
    for line in text.lines() {
        let Some((key, value)) = line.key_value() else {
            continue;
        };
        let words = || line.may_say(known(value).map(str::to_owned));
        let number = || line.may_say(value.parse::<u32>().ok());
        if key
            .strip_prefix("Enclosure ")
            .is_some_and(|number| number.parse::<u32>().is_ok())
            && value.is_empty()
        {
            facts.enclosures.push(Enclosure::default());
            continue;
        }
        if key == "Enclosure Device ID" {
            enclosure_of_drive = words();
            continue;
        }
        if key == "Slot Number" {
            let enclosure = enclosure_of_drive.as_ref().map_or("", |said| &said.value);
            facts.disks.push(Disk {
                name: line.says(format!("{enclosure}:{value}")),
                ..Disk::default()
            });
            continue;
        }
        if let Some(disk) = facts.disks.last_mut() {
            drive(line, key, value, disk);
        } else if let Some(enclosure) = facts.enclosures.last_mut() {
            let field = match key {
                "Device ID" => &mut enclosure.number,
                "Number of Slots" => &mut enclosure.slots,
                "Number of Physical Drives" => &mut enclosure.drives,
                "Product Identification" => {
                    enclosure.product = enclosure.product.take().or_else(words);
                    continue;
                }
                "Enclosure type" => {
                    enclosure.kind = enclosure.kind.take().or_else(words);
                    continue;
                }
                _ => continue,
            };
            if field.is_none() {
                *field = number();
            }
        }
    }
}

fn drive(line: Line<'_>, key: &str, value: &str, disk: &mut Disk) {
    match key {
        // `7.277 TB [0x3a3812ab0 Sectors]`; sectors of 512 bytes.
        "Raw Size" => {
            let sectors = value
                .split_once("[0x")
                .and_then(|(_, rest)| u64::from_str_radix(rest.split(' ').next()?, 16).ok());
            disk.size_bytes = line.may_say(
                sectors
                    .and_then(|sectors| sectors.checked_mul(512))
                    .filter(|&bytes| bytes > 0),
            );
        }
        "PD Type" => disk.transport = line.may_say(known(value).map(str::to_ascii_lowercase)),
        "Media Type" => {
            disk.rotates = line.may_say(match value {
                "Hard Disk Device" => Some(true),
                "Solid State Device" => Some(false),
                _ => None,
            });
        }
        "Inquiry Data" => {
            let model: Vec<&str> = value.split_whitespace().collect();
            disk.model = line.may_say(known(&model.join(" ")).map(str::to_owned));
        }
        _ => {}
    }
}
