//! Redfish: resources of a service processor as JSON: one resource, an array of them, or an object of paths
//! to resources.
//!
//! Resources say nothing of PCI addresses; only HPE's `PCISlots` do. A slot that is `Absent` is free. What a
//! device is for is said by its functions, resources of their own whose path begins with that of the device.

use super::json::Json;
use super::text::leading_number;
use super::{Reader, Text};
use crate::facts::{Complete, Device, Dimm, Disk, Facts, Processor, Slot};
use crate::origin::{Fact, Known, Said};
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

fn path<'a>(json: Json<'a>, names: &[&str]) -> Option<Json<'a>> {
    names.iter().try_fold(json, |json, name| json.get(name))
}

fn said(json: Json<'_>, names: &[&str]) -> Fact<String> {
    path(json, names)?.said()
}

fn number<T>(json: Json<'_>, names: &[&str], from: impl Fn(f64) -> Option<T>) -> Fact<T> {
    let found = path(json, names)?;
    found.line().may_say(found.number().and_then(from))
}

fn positive(number: f64) -> Option<u32> {
    (1.0..1e9).contains(&number).then_some(number as u32)
}

fn is_absent(json: Json<'_>) -> bool {
    said(json, &["Status", "State"]).is_some_and(|state| state.value == "Absent")
}

fn system(json: Json<'_>, facts: &mut Facts) {
    let model = said(json, &["Model"]);
    if model.is_none() {
        // A template of capabilities.
        return;
    }
    facts.system.product = model;
    facts.system.maker = said(json, &["Manufacturer"]);
    facts.system.is_virtual = json
        .get("SystemType")
        .and_then(|kind| kind.line().may_say((kind.words()? == "Virtual").then_some(true)));
}

fn processor(json: Json<'_>, facts: &mut Facts) {
    let is_other = said(json, &["ProcessorType"]).is_some_and(|kind| kind.value != "CPU");
    if is_other || is_absent(json) {
        return;
    }
    facts.processors.push(Processor {
        designation: said(json, &["Socket"]).or_else(|| said(json, &["Id"])),
        name: said(json, &["Model"]),
        cores: number(json, &["TotalCores"], positive),
        threads: number(json, &["TotalThreads"], positive),
        ..Processor::default()
    });
}

fn module(json: Json<'_>, facts: &mut Facts) {
    let mut size = number(json, &["CapacityMiB"], |mebibytes| {
        (0.0..1e9).contains(&mebibytes).then_some(mebibytes as u64)
    });
    if let Some(said) = &mut size {
        // Some services take a mebibyte for a million bytes: 16 GiB is printed as 15625.
        let scaled = said.value as f64 * 1.048_576;
        let is_scaled = !said.value.is_multiple_of(1024) && (scaled / 1024.0).fract() == 0.0;
        said.value = if is_scaled { scaled as u64 } else { said.value } << 20;
    }
    if is_absent(json)
        && let Some(state) = path(json, &["Status", "State"])
    {
        size = state.line().says(0);
    }
    let location = |name| number(json, &["MemoryLocation", name], |number| Some(number as u32));
    let controller = location("MemoryController").map_or(0, |said| said.value);
    facts.dimms.push(Dimm {
        locator: said(json, &["DeviceLocator"]),
        // Sockets are counted from 1, and channels within their controller.
        socket: location("Socket")
            .filter(|said| said.value > 0)
            .map(|said| said.at.says(said.value - 1)),
        channel: location("Channel").map(|said| said.at.says(controller * 64 + said.value)),
        size_bytes: size,
        technology: said(json, &["MemoryDeviceType"]),
        rate: json.get("AllowedSpeedsMHz").and_then(|speeds| {
            let mut fastest = None;
            speeds.each_item(&mut |speed| {
                let number = speed.number().filter(|&number| number > 0.0);
                if number > fastest {
                    fastest = number;
                }
            });
            speeds.line().may_say(fastest)
        }),
        configured_rate: number(json, &["OperatingSpeedMhz"], |rate| (rate > 0.0).then_some(rate)),
        ..Dimm::default()
    });
}

/// The generation of `Gen4`.
fn generation(json: Json<'_>, names: &[&str]) -> Fact<u8> {
    let found = path(json, names)?;
    let number = leading_number(found.words()?.strip_prefix("Gen")?)?;
    found
        .line()
        .may_say((1.0..=6.0).contains(&number).then_some(number as u8))
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

/// An id: `0x15b3`, or without a prefix in decimal (HPE).
fn id(json: Json<'_>, name: &str) -> Fact<u16> {
    let found = json.get(name)?;
    let words = found.words()?;
    found.line().may_say(match words.strip_prefix("0x") {
        Some(hex) => u16::from_str_radix(hex, 16).ok(),
        None => words.parse().ok(),
    })
}

fn function(json: Json<'_>) -> Device {
    Device {
        // Three bytes, or one (HPE).
        class: json.get("ClassCode").and_then(|code| {
            let words = code.words()?;
            let class = match words.strip_prefix("0x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => words.parse().ok()?,
            };
            let class = if class < 1 << 8 { class << 16 } else { class };
            code.line().may_say((class < 1 << 24).then_some(class))
        }),
        vendor: id(json, "VendorId"),
        device: id(json, "DeviceId"),
        ..Device::default()
    }
}

fn device(json: Json<'_>) -> Device {
    let lanes = |name| number(json, &["PCIeInterface", name], |lanes| lanes_of(lanes as u64));
    Device {
        name: said(json, &["Name"]).or_else(|| said(json, &["Model"])),
        lanes: lanes("LanesInUse"),
        lanes_capable: lanes("MaxLanes"),
        generation: generation(json, &["PCIeInterface", "PCIeType"]),
        generation_capable: generation(json, &["PCIeInterface", "MaxPCIeType"]),
        slot: json.get("Slot").and_then(name_of_slot),
        ..Device::default()
    }
}

/// The function of a device that HPE lists, with its address: of a card with several functions the first
/// alone.
fn hpe_device(json: Json<'_>) -> (Device, Option<PciAddress>, Fact<String>) {
    let id = |name| {
        number(json, &[name], |number| {
            (0.0..65536.0).contains(&number).then_some(number as u16)
        })
    };
    let byte = |name| Some(hpe_byte(json, name)?.value);
    let class = hpe_byte(json, "ClassCode").zip(hpe_byte(json, "SubclassCode"));
    let device = Device {
        name: said(json, &["Name"]),
        class: class.map(|(class, sub)| {
            class
                .at
                .says(u32::from(class.value) << 16 | u32::from(sub.value) << 8)
        }),
        vendor: id("VendorID"),
        device: id("DeviceID"),
        ..Device::default()
    };
    (
        device,
        byte("BusNumber").and_then(|bus| hpe_address(json, bus)),
        said(json, &["LocationString"]),
    )
}

/// A number from 0 to 255.
fn hpe_byte(json: Json<'_>, name: &str) -> Fact<u8> {
    number(json, &[name], |number| {
        (0.0..256.0).contains(&number).then_some(number as u8)
    })
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
        let is_here = |slot: &&Slot| {
            let same = |name: &Said<String>| place.as_ref().is_some_and(|place| place.value == name.value);
            let bus = slot
                .address
                .known()
                .zip(address)
                .map(|(slot, own)| slot.bus == own.bus);
            bus.unwrap_or_else(|| slot.name.as_ref().is_some_and(same))
        };
        device.slot = facts
            .slots
            .iter()
            .find(is_here)
            .and_then(|slot| slot.name.clone());
        let name = |device: &Device| device.name.known();
        let same = (0..listed).find(|&index| !taken[index] && name(&facts.devices[index]) == name(&device));
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
    let has = |fact: &Fact<String>, word: &str| fact.as_ref().is_some_and(|said| said.value.contains(word));
    for is_ocp in [true, false] {
        let mut slots = facts.slots.iter().filter(|slot| {
            slot.in_use.known() == Some(true) && has(&slot.name, "OCP") == is_ocp && !has(&slot.name, "NVMe")
        });
        let mut cards = facts.devices.iter_mut().filter(|device| {
            let is_drive = device.class.known().is_some_and(|class| class >> 8 == 0x0108);
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
    let place = path(json, &["Location", "PartLocation"])?;
    said(place, &["ServiceLabel"]).or_else(|| {
        let ordinal = said(place, &["LocationOrdinalValue"])?;
        Some(ordinal.at.says(format!("slot {}", ordinal.value)))
    })
}

fn slot(json: Json<'_>, facts: &mut Facts) {
    let name = name_of_slot(json);
    if name.is_none() {
        return;
    }
    let state = path(json, &["Status", "State"]);
    facts.slots.push(Slot {
        name,
        lanes: number(json, &["Lanes"], |lanes| lanes_of(lanes as u64)),
        generation: generation(json, &["PCIeType"]),
        in_use: state.and_then(|state| {
            state.line().may_say(match state.words()?.as_str() {
                "Absent" => Some(false),
                "Enabled" => Some(true),
                _ => None,
            })
        }),
        ..Slot::default()
    });
}

/// A slot of HPE: the only one with a PCI address. Its lanes are those of the connector; the standard
/// resource has those that are wired.
fn hpe_slot(json: Json<'_>, facts: &mut Facts) {
    let address = hpe_byte(json, "BusNumber")
        .filter(|bus| bus.value > 0)
        .and_then(|bus| Some(bus.at.says(hpe_address(json, bus.value)?)));
    let mut in_use = None;
    if let Some(list) = path(json, &["Status", "OperationalStatus"]) {
        list.each_item(&mut |entry| {
            in_use = entry.get("Status").and_then(|status| {
                status.line().may_say(match status.words()?.as_str() {
                    "Empty" => Some(false),
                    "InUse" => Some(true),
                    _ => None,
                })
            });
        });
    }
    let slot = Slot {
        name: said(json, &["Name"]),
        address: address.filter(|_| in_use.as_ref().is_none_or(|used| used.value)),
        in_use,
        ..Slot::default()
    };
    let known = facts.slots.iter_mut().find(|known| {
        known.name.as_ref().map(|said| &said.value) == slot.name.as_ref().map(|said| &said.value)
    });
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
        name: said(json, &["Name"]).or_else(|| said(json, &["Id"])),
        model: said(json, &["Model"]),
        size_bytes: number(json, &["CapacityBytes"], |bytes| {
            (1.0..1e18).contains(&bytes).then_some(bytes as u64)
        }),
        rotates: json.get("MediaType").and_then(|kind| {
            kind.line().may_say(match kind.words()?.as_str() {
                "HDD" => Some(true),
                "SSD" => Some(false),
                _ => None,
            })
        }),
        transport: json.get("Protocol").and_then(|protocol| {
            protocol
                .line()
                .may_say(Some(protocol.words()?.to_ascii_lowercase()))
        }),
        ..Disk::default()
    });
}
