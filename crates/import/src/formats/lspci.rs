//! `lspci -vv` and `-vvnn` as root, with or without `-D`, `-xxx` and `-xxxx`.

use super::text::{known, number_after};
use super::{Line, Reader, Text, config_space};
use crate::facts::{Complete, Device, Facts, HyperTransportLink, PortKind};
use crate::origin::{Known, Origin};
use crate::pci::{PciAddress, class_named, generation_of, ids_of, lanes_of};

pub(crate) const READER: Reader = Reader {
    name: "lspci",
    recognises,
    read,
};

fn recognises(text: &str) -> bool {
    let devices = text.lines().take(200).filter(|line| address_of(line).is_some());
    devices.take(1).count() == 1 && !text.starts_with("# dmidecode")
}

/// The address of a device line: `07:00.0 Serial Attached SCSI controller [0107]: ...`.
fn address_of(line: &str) -> Option<PciAddress> {
    let (address, rest) = line.split_once(' ')?;
    if !(7..=16).contains(&address.len()) || rest.is_empty() {
        return None;
    }
    PciAddress::parse(address)
}

/// What is collected of one device.
struct Open {
    device: Device,
    bytes: Vec<u8>,
    at: Origin,
    links: Vec<HyperTransportLink>,
    /// Which link of a HyperTransport capability the next line tells of.
    in_hypertransport: bool,
    in_express: bool,
}

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut open: Option<Open> = None;
    let mut torn: Option<(PciAddress, String)> = None;
    for line in text.lines() {
        if let Some((address, begin)) = torn.take() {
            let whole = format!("{begin}{}", line.text);
            let whole = line.part(&whole);
            close(open.replace(header(whole, address)), facts);
            continue;
        }
        // An error message can be printed in the middle of a device line, which ends on the next line.
        if let (Some(address), Some(at)) = (address_of(line.text), line.text.find("pcilib: ")) {
            torn = Some((address, line.text[..at].to_owned()));
        } else if let Some(address) = address_of(line.text) {
            close(open.replace(header(line, address)), facts);
        } else if let Some(open) = &mut open
            && !hex_line(line.text, &mut open.bytes)
        {
            detail(line, open);
        }
    }
    close(open, facts);
}

fn close(open: Option<Open>, facts: &mut Facts) {
    let Some(mut open) = open else { return };
    let mut decoded = Device {
        address: open.device.address.clone(),
        ..Device::default()
    };
    let links = config_space::decode(&open.bytes, open.at, &mut decoded, facts);
    open.device.complete(decoded, &mut facts.conflicts);
    // Registers say more of a link than what is printed of it.
    if !links.is_empty() {
        open.links = links;
    }
    facts.hypertransport.append(&mut open.links);
    facts.devices.push(open.device);
}

/// A line of `-x`: `40: 08 80 ...`; its bytes are added.
fn hex_line(text: &str, bytes: &mut Vec<u8>) -> bool {
    let Some((offset, rest)) = text.split_once(": ") else {
        return false;
    };
    let at = usize::from_str_radix(offset, 16)
        .ok()
        .filter(|&at| offset.len() <= 3 && at == bytes.len() && at < 4096);
    let row: Option<Vec<u8>> = rest
        .split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).ok().filter(|_| byte.len() == 2))
        .collect();
    let (Some(_), Some(row)) = (at, row.filter(|row| row.len() == 16)) else {
        return false;
    };
    bytes.extend(row);
    true
}

fn header(line: Line<'_>, address: PciAddress) -> Open {
    let rest = line.text.split_once(' ').map_or("", |(_, rest)| rest);
    // `Class [0200]: Name [8086:10fb] (rev 01)`; `-n` prints `0200: 8086:10fb`.
    let (class, name) = rest.split_once(": ").unwrap_or(("", rest));
    let hex = |text: &str| u16::from_str_radix(text, 16).ok();
    let class_id = (bracketed(class).or(Some(class)).and_then(hex)).or_else(|| class_named(class));
    let ids = name
        .rmatch_indices('[')
        .filter_map(|(at, _)| name[at + 1..].split(']').next())
        .chain(name.split(' ').next())
        .find_map(|ids| ids_of(ids, ':'));
    let interface = name
        .split_once("(prog-if ")
        .and_then(|(_, rest)| u32::from_str_radix(rest.get(..2)?, 16).ok());
    let details = [" (rev ", " (prog-if "].map(|word| name.find(word));
    let end = details.into_iter().flatten().min().unwrap_or(name.len());
    let plain = name[..end]
        .rsplit_once(" [")
        .filter(|_| ids.is_some())
        .map_or(&name[..end], |(plain, _)| plain);
    let device = Device {
        address: line.says(address),
        class: line.may_say(class_id.map(|class| u32::from(class) << 8 | interface.unwrap_or(0))),
        vendor: line.may_say(ids.map(|(vendor, _)| vendor)),
        device: line.may_say(ids.map(|(_, device)| device)),
        name: line.may_say(Some(plain.trim().to_owned()).filter(|name| !name.is_empty())),
        is_virtual: line.may_say(name.contains("Virtual Function").then_some(true)),
        ..Device::default()
    };
    Open {
        device,
        bytes: Vec::new(),
        at: line.at,
        links: Vec::new(),
        in_hypertransport: false,
        in_express: false,
    }
}

/// The text in the last brackets.
fn bracketed(text: &str) -> Option<&str> {
    text.rsplit_once('[')?.1.split(']').next()
}

fn detail(line: Line<'_>, open: &mut Open) {
    let text = line.text.trim();
    let device = &mut open.device;
    if let Some((_, capability)) = text.split_once("Capabilities: [") {
        let offset = capability
            .split(']')
            .next()
            .and_then(|hex| u16::from_str_radix(hex, 16).ok());
        let is_link = ["HyperTransport: Host", "HyperTransport: Slave"]
            .iter()
            .any(|kind| capability.contains(kind));
        open.in_hypertransport = is_link;
        open.in_express = capability.contains("] Express");
        if is_link {
            let is_host = capability.contains("HyperTransport: Host");
            let link = |index: u8| HyperTransportLink {
                address: device.address.clone(),
                capability: line.may_say(offset.map(|offset| (offset, index))),
                is_host: line.says(is_host),
                ..HyperTransportLink::default()
            };
            open.links.extend((0..if is_host { 1 } else { 2 }).map(link));
        } else if open.in_express {
            device.kind = line.may_say(kind(capability));
        } else if capability.contains("PCI-X ") {
            device.is_conventional = line.says(true);
        }
    } else if open.in_hypertransport {
        hypertransport(line, &mut open.links);
    } else {
        plain(line, device, open.in_express);
    }
}

fn plain(line: Line<'_>, device: &mut Device, in_express: bool) {
    let text = line.text.trim();
    if text.starts_with("Subsystem:") {
        let ids = line.may_say(bracketed(text).and_then(|ids| ids_of(ids, ':')));
        device.subsystem_vendor = ids.infer(|&(vendor, _)| Some(vendor));
        device.subsystem = ids.infer(|&(_, card)| Some(card));
    } else if let Some(node) = text.strip_prefix("NUMA node: ") {
        device.numa_node = line.may_say(node.parse().ok());
    } else if let Some(slot) = text.strip_prefix("Physical Slot: ") {
        device.slot = line.says(slot.to_owned());
    } else if let Some(driver) = text.strip_prefix("Kernel driver in use: ") {
        device.driver = line.says(driver.to_owned());
    } else if let Some(serial) = text.strip_prefix("[SN] Serial number: ") {
        device.board = line.may_say(known(serial).map(str::to_owned));
    } else if let Some(buses) = text.strip_prefix("Bus: ") {
        let bus = |key: &str| {
            let rest = &buses[buses.find(key)? + key.len()..];
            u8::from_str_radix(rest.split(',').next()?, 16).ok()
        };
        device.secondary_bus = line.may_say(bus("secondary="));
        device.subordinate_bus = line.may_say(bus("subordinate="));
    } else if text.contains("VF offset: ") {
        let number = |word| Some(number_after(text, word)? as u16);
        let count = device.virtual_functions.known().map_or(0, |(count, ..)| count);
        device.virtual_functions = line.infer(|_| Some((count, number("VF offset: ")?, number("stride: ")?)));
    } else if let Some(count) = number_after(text, "Number of VFs: ") {
        device.virtual_functions = line.says((count as u16, 0, 0));
    } else if in_express {
        express(line, device);
    }
}

fn express(line: Line<'_>, device: &mut Device) {
    let text = line.text.trim();
    let bytes = |word| number_after(text, word).map(|bytes| bytes as u32);
    let lanes = || number_after(text, "Width x").and_then(|lanes| lanes_of(lanes as u64));
    let generation = || number_after(text, "Speed ").and_then(generation_of);
    if text.starts_with("DevCap:") {
        device.payload_capable = line.may_say(bytes("MaxPayload "));
    } else if text.starts_with("MaxPayload ") {
        device.payload = line.may_say(bytes("MaxPayload "));
        device.read_request = line.may_say(bytes("MaxReadReq "));
    } else if text.starts_with("LnkCap:") {
        device.lanes_capable = line.may_say(lanes());
        device.generation_capable = line.may_say(generation());
    } else if text.starts_with("LnkSta:") {
        device.lanes = line.may_say(lanes());
        device.generation = line.may_say(generation());
    }
}

fn hypertransport(line: Line<'_>, links: &mut [HyperTransportLink]) {
    let text = line.text.trim();
    let Some((key, value)) = text.split_once(": ") else {
        return;
    };
    // A slave numbers its links, `Link Control 1`; a host has one.
    let back = match key.rsplit_once(' ') {
        Some((_, "0")) => 2,
        _ => 1,
    };
    let Some(index) = links.len().checked_sub(back) else {
        return;
    };
    let link = &mut links[index];
    match key.trim_end_matches([' ', '0', '1']) {
        "Link Control" => {
            link.is_up =
                line.says(value.contains("Init+") && value.contains("EOC-") && value.contains("<LkFail-"));
        }
        "Link Config" => {
            link.width = line.may_say(number_after(value, " LWI=").map(|bits| bits as u8));
        }
        "Link Frequency" => {
            let number = super::text::leading_number(value);
            let unit = if value.contains("GHz") { 1e9 } else { 1e6 };
            link.clock_hz = line.may_say(number.map(|number| number * unit));
        }
        _ => {}
    }
}

fn kind(capability: &str) -> Option<PortKind> {
    [
        ("Root Complex Integrated Endpoint", PortKind::Integrated),
        ("Root Complex Event Collector", PortKind::Integrated),
        ("Root Port", PortKind::RootPort),
        ("Upstream Port", PortKind::Upstream),
        ("Downstream Port", PortKind::Downstream),
        ("Bridge", PortKind::Bridge),
        ("Endpoint", PortKind::Endpoint),
    ]
    .into_iter()
    .find(|(words, _)| capability.contains(words))
    .map(|(_, kind)| kind)
}
