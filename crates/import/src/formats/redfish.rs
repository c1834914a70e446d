//! Redfish: resources of a service processor as JSON: one resource, an array of them, or an object of paths
//! to resources.
//!
//! Resources say nothing of PCI addresses; only HPE's `PCISlots` do. A slot that is `Absent` is free. What a
//! device is for is said by its functions, resources of their own whose path begins with that of the device.

use super::json::Json;
use super::text::{either, leading_number};
use super::{Reader, Text};
use crate::facts::{Complete, Device, Dimm, Disk, Facts, Processor, Slot};
use crate::origin::{Fact, Known};
use crate::pci::{PciAddress, lanes_of};

pub(crate) const READER: Reader = Reader {
    name: "Redfish",
    recognises,
    read,
};

/// Objects within objects.
const MAXIMUM_DEPTH: usize = 16;

fn recognises(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && text.contains("\"@odata.") && text.contains("/redfish/v1")
}

fn read(text: &Text<'_>, facts: &mut Facts) {
    if let Some(root) = Json::root(text) {
        let mut found = Found::default();
        resource(root, facts, &mut found, 0);
        add_functions(found.by_path, facts);
        add_hpe(found.of_hpe, facts);
        join_slots(facts);
    }
}

/// Devices of a text, before those that are the same are joined.
#[derive(Default)]
struct Found {
    by_path: Vec<ByPath>,
    /// Of HPE's resources, each with the address of its first function, and what says where it is.
    of_hpe: Vec<(Device, Option<PciAddress>, Fact<String>)>,
}

/// A device or a function of one, by its path.
type ByPath = (String, Device);

fn resource(json: Json<'_>, facts: &mut Facts, found: &mut Found, depth: usize) {
    if depth > MAXIMUM_DEPTH {
        return;
    }
    let kind = json.get("@odata.type").and_then(Json::words).unwrap_or_default();
    let is = |name: &str| {
        kind.strip_prefix('#')
            .is_some_and(|kind| kind.split('.').next() == Some(name))
    };
    if is("ComputerSystem") {
        system(json, facts);
    } else if is("Processor") {
        processor(json, facts);
    } else if is("Memory") {
        module(json, facts);
    } else if is("PCIeDevice") {
        found.by_path.push((path_of(json), device(json)));
        json.each_field(&mut |_, value| resource(value, facts, found, depth + 1));
    } else if is("PCIeFunction") {
        found.by_path.push((path_of(json), function(json)));
    } else if is("PCIeSlots") {
        if let Some(slots) = json.get("Slots") {
            slots.each_item(&mut |entry| slot(entry, facts));
        }
    } else if is("HpeServerPciDevice") {
        found.of_hpe.push(hpe_device(json));
    } else if is("HpeServerPCISlot") {
        hpe_slot(json, facts);
    } else if is("Drive") {
        drive(json, facts);
    } else {
        json.each_field(&mut |_, value| resource(value, facts, found, depth + 1));
        json.each_item(&mut |value| resource(value, facts, found, depth + 1));
    }
}

/// The number at the end of a path, if it is from `least` to below `most`.
fn number(json: Json<'_>, path: &str, least: f64, most: f64) -> Fact<f64> {
    json.infer_number(path, |number| (least..most).contains(&number).then_some(number))
}

/// A number above zero.
fn count(json: Json<'_>, name: &str) -> Fact<u32> {
    number(json, name, 1.0, 1e9).infer(|&number| Some(number as u32))
}

fn is_absent(json: Json<'_>) -> bool {
    json.text("Status/State").is(|state| state == "Absent")
}

fn system(json: Json<'_>, facts: &mut Facts) {
    let model = json.text("Model");
    if model.is_none() {
        // A template of capabilities.
        return;
    }
    facts.system.product = model;
    facts.system.maker = json.text("Manufacturer");
    facts.system.is_virtual = json.infer_text("SystemType", |kind| (kind == "Virtual").then_some(true));
}

fn processor(json: Json<'_>, facts: &mut Facts) {
    if json.text("ProcessorType").is(|kind| kind != "CPU") || is_absent(json) {
        return;
    }
    facts.processors.push(Processor {
        designation: json.text("Socket").or_else(|| json.text("Id")),
        name: json.text("Model"),
        cores: count(json, "TotalCores"),
        threads: count(json, "TotalThreads"),
        ..Processor::default()
    });
}

fn module(json: Json<'_>, facts: &mut Facts) {
    let mut size = number(json, "CapacityMiB", 0.0, 1e9).infer(|&mebibytes| {
        // Some services take a mebibyte for a million bytes: 16 GiB is printed as 15625.
        let (whole, scaled) = (mebibytes as u64, mebibytes.floor() * 1.048_576);
        let is_scaled = !whole.is_multiple_of(1024) && (scaled / 1024.0).fract() == 0.0;
        Some(if is_scaled { scaled as u64 } else { whole } << 20)
    });
    if is_absent(json) {
        size = json.infer("Status/State", |_| Some(0));
    }
    let location = |name| json.infer_number(&format!("MemoryLocation/{name}"), |number| Some(number as u32));
    let controller = location("MemoryController").known().unwrap_or(0);
    facts.dimms.push(Dimm {
        locator: json.text("DeviceLocator"),
        // Sockets are counted from 1, and channels within their controller.
        socket: location("Socket").infer(|socket| socket.checked_sub(1)),
        channel: location("Channel").infer(|channel| Some(controller * 64 + channel)),
        size_bytes: size,
        technology: json.text("MemoryDeviceType"),
        rate: json.infer("AllowedSpeedsMHz", |speeds| {
            let mut fastest = None;
            speeds.each_item(&mut |speed| {
                let number = speed.number().filter(|&number| number > 0.0);
                if number > fastest {
                    fastest = number;
                }
            });
            fastest
        }),
        configured_rate: json.infer_number("OperatingSpeedMhz", |rate| (rate > 0.0).then_some(rate)),
        ..Dimm::default()
    });
}

/// The generation of `Gen4`.
fn generation(json: Json<'_>, path: &str) -> Fact<u8> {
    json.infer_text(path, |text| {
        let number = leading_number(text.strip_prefix("Gen")?)?;
        (1.0..=6.0).contains(&number).then_some(number as u8)
    })
}

fn path_of(json: Json<'_>) -> String {
    json.get("@odata.id").and_then(Json::words).unwrap_or_default()
}

/// Adds devices, each with what its functions say of it.
fn add_functions(mut found: Vec<ByPath>, facts: &mut Facts) {
    // A path comes before those that begin with it, and nothing comes between.
    found.sort_by(|one, other| one.0.split('/').cmp(other.0.split('/')));
    let mut device = String::new();
    for (path, one) in found {
        let is_function = path
            .strip_prefix(&device)
            .is_some_and(|rest| rest.starts_with('/'));
        let known = facts
            .devices
            .last_mut()
            .filter(|_| is_function && !device.is_empty());
        if let Some(known) = known {
            known.complete(one, &mut Vec::new());
        } else {
            facts.devices.push(one);
            device = path;
        }
    }
}

/// The number of `0x15b3`, or without a prefix in decimal (HPE).
fn hex_or_decimal(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn function(json: Json<'_>) -> Device {
    let id = |name| json.infer_text(name, |text| u16::try_from(hex_or_decimal(text)?).ok());
    Device {
        // Three bytes, or one (HPE).
        class: json.infer_text("ClassCode", |code| {
            let class = hex_or_decimal(code)?;
            let class = if class < 1 << 8 { class << 16 } else { class };
            (class < 1 << 24).then_some(class)
        }),
        vendor: id("VendorId"),
        device: id("DeviceId"),
        ..Device::default()
    }
}

fn lanes(json: Json<'_>, path: &str) -> Fact<u8> {
    json.infer_number(path, |lanes| lanes_of(lanes as u64))
}

fn device(json: Json<'_>) -> Device {
    Device {
        name: json.text("Name").or_else(|| json.text("Model")),
        lanes: lanes(json, "PCIeInterface/LanesInUse"),
        lanes_capable: lanes(json, "PCIeInterface/MaxLanes"),
        generation: generation(json, "PCIeInterface/PCIeType"),
        generation_capable: generation(json, "PCIeInterface/MaxPCIeType"),
        slot: json.get("Slot").and_then(name_of_slot),
        ..Device::default()
    }
}

/// The function of a device that HPE lists, with its address: of a card with several functions the first
/// alone.
fn hpe_device(json: Json<'_>) -> (Device, Option<PciAddress>, Fact<String>) {
    let id = |name| number(json, name, 0.0, 65536.0).infer(|&id| Some(id as u16));
    let subclass = hpe_byte(json, "SubclassCode");
    let device = Device {
        name: json.text("Name"),
        class: hpe_byte(json, "ClassCode")
            .infer(|&class| Some(u32::from(class) << 16 | u32::from(subclass.known()?) << 8)),
        vendor: id("VendorID"),
        device: id("DeviceID"),
        ..Device::default()
    };
    let bus = hpe_byte(json, "BusNumber").known();
    let address = bus.and_then(|bus| hpe_address(json, bus));
    (device, address, json.text("LocationString"))
}

/// A number from 0 to 255.
fn hpe_byte(json: Json<'_>, name: &str) -> Fact<u8> {
    number(json, name, 0.0, 256.0).infer(|&byte| Some(byte as u8))
}

fn hpe_address(json: Json<'_>, bus: u8) -> Option<PciAddress> {
    Some(PciAddress {
        domain: 0,
        bus,
        device: hpe_byte(json, "DeviceNumber")?.value & 31,
        function: hpe_byte(json, "FunctionNumber")?.value,
    })
}

/// Adds devices of HPE's resources: to the device of the standard that has their name and that no other is
/// of, or else as devices of their own.
fn add_hpe(found: Vec<(Device, Option<PciAddress>, Fact<String>)>, facts: &mut Facts) {
    let listed = facts.devices.len();
    let mut taken = vec![false; listed];
    for (mut device, address, place) in found {
        let is_here = |slot: &&Slot| match slot.address.known().zip(address) {
            Some((slot, own)) => slot.bus == own.bus,
            None => place.is_some() && slot.name.value() == place.value(),
        };
        let slot = facts.slots.iter().find(is_here);
        device.slot = slot.and_then(|slot| slot.name.clone());
        let same = (0..listed)
            .find(|&index| !taken[index] && facts.devices[index].name.value() == device.name.value());
        if let Some(index) = same {
            taken[index] = true;
            facts.devices[index].complete(device, &mut Vec::new());
        } else {
            facts.devices.push(device);
        }
    }
}

/// Puts cards into slots where only one can be in one: the card for an OCP slot into that, and if one other
/// card and one other slot in use are left, that card into it. Drives and their bays are others.
fn join_slots(facts: &mut Facts) {
    let has = |fact: &Fact<String>, word: &str| fact.is(|name| name.contains(word));
    for is_ocp in [true, false] {
        let mut slots = facts.slots.iter().filter(|slot| {
            slot.in_use.known() == Some(true) && has(&slot.name, "OCP") == is_ocp && !has(&slot.name, "NVMe")
        });
        let mut cards = facts.devices.iter_mut().filter(|device| {
            let is_drive = device.class.is(|class| class >> 8 == 0x0108);
            has(&device.name, "OCP") == is_ocp && !has(&device.name, "Embedded") && !is_drive
        });
        if let (Some(slot), None, Some(card), None) = (slots.next(), slots.next(), cards.next(), cards.next())
            && card.slot.is_none()
        {
            card.slot.clone_from(&slot.name);
        }
    }
}

/// What is printed at a slot, or else its number.
fn name_of_slot(json: Json<'_>) -> Fact<String> {
    let place = json.at("Location/PartLocation")?;
    let ordinal = || place.infer_text("LocationOrdinalValue", |number| Some(format!("slot {number}")));
    place.text("ServiceLabel").or_else(ordinal)
}

fn slot(json: Json<'_>, facts: &mut Facts) {
    let name = name_of_slot(json);
    if name.is_none() {
        return;
    }
    facts.slots.push(Slot {
        name,
        lanes: lanes(json, "Lanes"),
        generation: generation(json, "PCIeType"),
        in_use: json.infer_text("Status/State", |state| either(state, "Enabled", "Absent")),
        ..Slot::default()
    });
}

/// A slot of HPE: the only one with a PCI address. Its lanes are those of the connector; the standard
/// resource has those that are wired.
fn hpe_slot(json: Json<'_>, facts: &mut Facts) {
    let address = hpe_byte(json, "BusNumber").infer(|&bus| hpe_address(json, bus).filter(|_| bus > 0));
    let mut in_use = None;
    if let Some(list) = json.at("Status/OperationalStatus") {
        list.each_item(&mut |entry| {
            in_use = entry.infer_text("Status", |status| either(status, "InUse", "Empty"));
        });
    }
    let slot = Slot {
        name: json.text("Name"),
        address: address.filter(|_| in_use.known() != Some(false)),
        in_use,
        ..Slot::default()
    };
    let known = facts
        .slots
        .iter_mut()
        .find(|known| known.name.value() == slot.name.value());
    match known {
        Some(known) => {
            known.address = known.address.take().or(slot.address);
            known.in_use = known.in_use.take().or(slot.in_use);
        }
        None if slot.name.is_some() => facts.slots.push(slot),
        None => {}
    }
}

fn drive(json: Json<'_>, facts: &mut Facts) {
    facts.disks.push(Disk {
        name: json.text("Name").or_else(|| json.text("Id")),
        model: json.text("Model"),
        size_bytes: number(json, "CapacityBytes", 1.0, 1e18).infer(|&bytes| Some(bytes as u64)),
        rotates: json.infer_text("MediaType", |kind| either(kind, "HDD", "SSD")),
        transport: json.infer_text("Protocol", |protocol| Some(protocol.to_ascii_lowercase())),
        ..Disk::default()
    });
}
