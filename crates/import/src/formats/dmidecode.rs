//! `dmidecode`: the tables of the firmware (SMBIOS): sockets, memory modules, slots.
//!
//! Firmware is often wrong in what it leaves at a default: unpopulated sockets, `<OUT OF SPEC>`, the segment
//! `ffff`, a size of 32767 MB for a module of 32 GiB or more.

use super::text::{binary_size, cores_in, either, is_virtual, known, leading_number, number_after};
use super::{Line, Reader, Text};
use crate::facts::{Dimm, Facts, Processor, Slot};
use crate::origin::{Fact, Known};
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
    entries: Vec<(&'a str, Line<'a>)>,
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
                table.entries.extend(line.key_value());
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
            let devices = table.entries.iter().find(|(key, _)| *key == "Number Of Devices");
            let count: Fact<u16> = devices.and_then(|(_, value)| value.number());
            arrays.devices += u64::from(count.known().unwrap_or(0));
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
    for &(key, value) in &table.entries {
        match key {
            "Manufacturer" => facts.system.maker = value.words(),
            "Product Name" => {
                facts.system.is_virtual = value.infer(|product| is_virtual(product).then_some(true));
                facts.system.product = value.words();
            }
            _ => {}
        }
    }
}

fn processor(table: &Table<'_>, facts: &mut Facts) {
    let mut processor = Processor::default();
    for &(key, value) in &table.entries {
        let number = |word| value.infer(|text| Some(number_after(text, word)? as u32));
        let clock = || value.infer(|text| leading_number(text).filter(|&clock| clock > 0.0));
        match key {
            "Socket Designation" => processor.designation = value.words(),
            "Type" if value.text != "Central Processor" => return,
            "Status" if value.text.contains("Unpopulated") => return,
            "Version" => processor.name = value.words(),
            "Signature" => {
                processor.family = number("Family ");
                processor.model = number("Model ");
            }
            "Core Count" => processor.cores = value.positive(),
            "Thread Count" => processor.threads = value.positive(),
            "Current Speed" => processor.clock_mhz = clock(),
            "External Clock" => processor.external_clock_mhz = clock(),
            _ => {}
        }
    }
    // A designation is what makes two sockets different; a table without one is no less a socket.
    if processor.designation.is_none() {
        processor.designation = table.handle.says(format!("CPU {}", facts.processors.len()));
    }
    if processor.cores.is_none() {
        processor.cores = processor.name.infer(|name| cores_in(name));
    }
    facts.processors.push(processor);
}

fn dimm(table: &Table<'_>, facts: &mut Facts) {
    let mut dimm = Dimm::default();
    for &(key, value) in &table.entries {
        let rate = || value.infer(|text| leading_number(text).filter(|&rate| rate > 0.0));
        match key {
            "Array Handle" => dimm.array = value.words(),
            "Locator" => dimm.locator = value.words(),
            "Bank Locator" => dimm.bank = value.words(),
            "Size" => {
                dimm.size_bytes = value.infer(|text| match text {
                    "No Module Installed" => Some(0),
                    // The old field has 15 bits: 32767 MB means that much or more, and modules are powers of
                    // two.
                    "32767 MB" => Some(1 << 35),
                    size => binary_size(size),
                });
            }
            "Type" if ["Flash", "ROM", "EEPROM"].contains(&value.text) || value.text.starts_with("HBM") => {
                return;
            }
            "Type" => dimm.technology = value.words(),
            "Memory Technology" if is_persistent(value.text) => dimm.size_bytes = value.says(0),
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
    for &(key, value) in &table.entries {
        match key {
            "Designation" => {
                slot.name = value.words();
                slot.socket = value.infer(socket_in);
            }
            "Type" => {
                // `x8 PCI Express 3 x16`: eight lanes are wired to a connector of sixteen. The last number
                // can be missing, and then the connector is as wide as what is wired.
                express = ["PCI Express", "M.2", "OCP", "EDSFF", "CXL", "OUT OF SPEC"]
                    .iter()
                    .any(|word| value.text.contains(word));
                let mut words = value.text.split_whitespace();
                let lanes = |word: Option<&str>| lanes_of(word?.strip_prefix('x')?.parse().ok()?);
                slot.lanes = value.may_say(lanes(words.next()));
                let last = words.next().map(|only| words.next_back().unwrap_or(only));
                slot.connector_lanes = value.may_say(lanes(last));
                slot.generation = value.infer(|text| {
                    let number = number_after(text, "PCI Express ")? as u8;
                    (1..=6).contains(&number).then_some(number)
                });
            }
            "Current Usage" => slot.in_use = value.infer(|usage| either(usage, "In Use", "Available")),
            "Bus Address" => slot.address = value.infer(PciAddress::parse),
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
    let number = number_after(name, "CPU")?;
    (0.0..=8.0).contains(&number).then_some(number as u32)
}
