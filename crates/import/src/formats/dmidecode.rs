//! `dmidecode`: the tables of the firmware (SMBIOS): sockets, memory modules, slots.
//!
//! Firmware is often wrong in what it leaves at a default: unpopulated sockets, `<OUT OF SPEC>`, the segment
//! `ffff`, a size of 32767 MB for a module of 32 GiB or more.

use super::text::{binary_size, cores_in, is_virtual, known, leading_number};
use super::{Line, Reader, Text};
use crate::facts::{Dimm, Facts, Processor, Slot};
use crate::origin::Known;
use crate::pci::{PciAddress, lanes_of};

pub(crate) const READER: Reader = Reader {
    name: "dmidecode",
    recognises,
    read,
};

fn recognises(text: &str) -> bool {
    text.starts_with("# dmidecode") || (text.contains("\nHandle 0x") && text.contains(", DMI type "))
}

/// A table: its title and its lines `key: value`.
struct Table<'a> {
    handle: Line<'a>,
    title: &'a str,
    entries: Vec<(&'a str, &'a str, Line<'a>)>,
}

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut table: Option<Table<'_>> = None;
    let mut arrays = Arrays::default();
    for line in text.lines() {
        if line.text.starts_with("Handle 0x") {
            add(table.take(), &mut arrays, facts);
            table = Some(Table {
                handle: line,
                title: "",
                entries: Vec::new(),
            });
        } else if let Some(table) = &mut table {
            if !line.is_indented() && table.title.is_empty() {
                table.title = line.text.trim();
            } else if line.text.starts_with('\t') && !line.text.starts_with("\t\t") {
                table
                    .entries
                    .extend(line.key_value().map(|(key, value)| (key, value, line)));
            }
        }
    }
    add(table, &mut arrays, facts);
    // Of a text that was cut, the rest of the places is unknown, and so which channels and sockets have
    // memory.
    if arrays.listed < arrays.devices && !text.text.contains("End Of Table") {
        facts.dimms.clear();
    }
    // Boards number sockets from 0 or from 1.
    let numbers = facts.slots.iter().filter_map(|slot| slot.socket.known());
    let first = u32::from(!numbers.into_iter().any(|number| number == 0));
    for socket in facts.slots.iter_mut().filter_map(|slot| slot.socket.as_mut()) {
        socket.value -= first;
    }
}

/// The places for memory modules that the tables of memory arrays announce, and those that are listed.
#[derive(Default)]
struct Arrays {
    devices: u64,
    listed: u64,
}

fn add(table: Option<Table<'_>>, arrays: &mut Arrays, facts: &mut Facts) {
    let Some(table) = table else { return };
    match table.title {
        "Physical Memory Array" => {
            let devices = table.entries.iter().find(|(key, ..)| *key == "Number Of Devices");
            let count = devices.and_then(|(_, value, _)| value.parse::<u16>().ok());
            arrays.devices += u64::from(count.unwrap_or(0));
        }
        "System Information" => system(&table, facts),
        "Processor Information" => processor(&table, facts),
        "Memory Device" => {
            arrays.listed += 1;
            dimm(&table, facts);
        }
        "System Slot Information" => slot(&table, facts),
        _ => {}
    }
}

fn system(table: &Table<'_>, facts: &mut Facts) {
    for &(key, value, line) in &table.entries {
        let said = line.may_say(known(value).map(str::to_owned));
        match key {
            "Manufacturer" => facts.system.maker = said,
            "Product Name" => {
                facts.system.is_virtual = line.may_say(is_virtual(value).then_some(true));
                facts.system.product = said;
            }
            _ => {}
        }
    }
}

fn processor(table: &Table<'_>, facts: &mut Facts) {
    let mut processor = Processor::default();
    for &(key, value, line) in &table.entries {
        let text = || line.may_say(known(value).map(str::to_owned));
        let count = || line.may_say(value.parse::<u32>().ok().filter(|&count| count > 0));
        match key {
            "Socket Designation" => processor.designation = text(),
            "Type" if value != "Central Processor" => return,
            "Status" if value.contains("Unpopulated") => return,
            "Version" => processor.name = text(),
            "Signature" => {
                let after = |word: &str| super::text::number_after(value, word).map(|number| number as u32);
                processor.family = line.may_say(after("Family "));
                processor.model = line.may_say(after("Model "));
            }
            "Core Count" => processor.cores = count(),
            "Thread Count" => processor.threads = count(),
            "Current Speed" => {
                processor.clock_mhz = line.may_say(leading_number(value).filter(|&clock| clock > 0.0));
            }
            "External Clock" => {
                processor.external_clock_mhz =
                    line.may_say(leading_number(value).filter(|&clock| clock > 0.0));
            }
            _ => {}
        }
    }
    // A designation is what makes two sockets different; a table without one is no less a socket.
    if processor.designation.is_none() {
        processor.designation = table.handle.says(format!("CPU {}", facts.processors.len()));
    }
    if processor.cores.is_none() {
        processor.cores = processor
            .name
            .as_ref()
            .and_then(|name| cores_in(&name.value).map(|cores| name.at.says(cores)));
    }
    facts.processors.push(processor);
}

fn dimm(table: &Table<'_>, facts: &mut Facts) {
    let mut dimm = Dimm::default();
    for &(key, value, line) in &table.entries {
        let text = || line.may_say(known(value).map(str::to_owned));
        let rate = || line.may_say(leading_number(value).filter(|&rate| rate > 0.0));
        match key {
            "Array Handle" => dimm.array = text(),
            "Locator" => dimm.locator = text(),
            "Bank Locator" => dimm.bank = text(),
            "Size" if value == "No Module Installed" => dimm.size_bytes = line.says(0),
            // The old field has 15 bits: 32767 MB means that much or more, and modules are powers of two.
            "Size" if value == "32767 MB" => dimm.size_bytes = line.says(1 << 35),
            "Size" => dimm.size_bytes = line.may_say(binary_size(value)),
            "Type" if ["Flash", "ROM", "EEPROM"].contains(&value) || value.starts_with("HBM") => return,
            "Type" => dimm.technology = text(),
            "Memory Technology" if is_persistent(value) => dimm.size_bytes = line.says(0),
            "Speed" => dimm.rate = rate(),
            "Configured Memory Speed" | "Configured Clock Speed" => dimm.configured_rate = rate(),
            _ => {}
        }
    }
    facts.dimms.push(dimm);
}

/// Whether a module is a disk on the bus of memory, or memory behind a cache: of NVDIMM-N the memory is DRAM.
fn is_persistent(technology: &str) -> bool {
    let is_dram = ["DRAM", "NVDIMM-N"].iter().any(|dram| technology.contains(dram));
    known(technology).is_some() && !is_dram
}

fn slot(table: &Table<'_>, facts: &mut Facts) {
    let mut slot = Slot::default();
    let mut express = false;
    for &(key, value, line) in &table.entries {
        match key {
            "Designation" => {
                slot.name = line.may_say(known(value).map(str::to_owned));
                slot.socket = line.may_say(socket_in(value));
            }
            "Type" => {
                // `x8 PCI Express 3 x16`: eight lanes are wired to a connector of sixteen. The last number can be
                // missing, and then the connector is as wide as what is wired.
                express = ["PCI Express", "M.2", "OCP", "EDSFF", "CXL", "OUT OF SPEC"]
                    .iter()
                    .any(|word| value.contains(word));
                let mut words = value.split_whitespace();
                let lanes = |word: Option<&str>| lanes_of(word?.strip_prefix('x')?.parse().ok()?);
                slot.lanes = line.may_say(lanes(words.next()));
                slot.connector_lanes =
                    line.may_say(lanes(value.split_whitespace().nth(1).and(words.next_back())));
                let generation = value
                    .split_once("PCI Express ")
                    .and_then(|(_, rest)| leading_number(rest));
                slot.generation = line.may_say(
                    generation
                        .map(|number| number as u8)
                        .filter(|number| (1..=6).contains(number)),
                );
            }
            "Current Usage" => {
                slot.in_use = line.may_say(match value {
                    "In Use" => Some(true),
                    "Available" => Some(false),
                    _ => None,
                });
            }
            "Bus Address" => slot.address = line.may_say(PciAddress::parse(value)),
            _ => {}
        }
    }
    // Bus ff stands for none at a free slot.
    let is_free = slot.in_use.known() == Some(false);
    slot.address = slot.address.filter(|said| !(is_free && said.value.bus == 0xff));
    if express && slot.name.is_some() {
        facts.slots.push(slot);
    }
}

/// The socket, as the board numbers it, that a slot's name tells: `CPU2 SLOT4`.
fn socket_in(name: &str) -> Option<u32> {
    let number = super::text::number_after(name, "CPU")?;
    (0.0..=8.0).contains(&number).then_some(number as u32)
}
