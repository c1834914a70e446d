//! `pciconf -lvbc` of FreeBSD: PCI functions with their capabilities, in both forms of the header line.

use super::text::number_after;
use super::{Line, Reader, Text};
use crate::facts::{Device, Facts, HyperTransportLink, PortKind};
use crate::pci::{PciAddress, generation_of, lanes_of};

pub(crate) const READER: Reader = Reader {
    name: "pciconf",
    recognises,
    read,
};

fn recognises(text: &str) -> bool {
    text.lines().take(50).any(|line| selector(line).is_some())
}

/// The address of a header line: `ix0@pci0:2:0:0:<TAB>class=0x020000 ...`, all numbers decimal.
fn selector(line: &str) -> Option<PciAddress> {
    let (name, rest) = line.split_once("@pci")?;
    if name.contains(char::is_whitespace) || !rest.contains("class=0x") {
        return None;
    }
    let mut numbers = rest.split(':').take(4).map(str::parse::<u32>);
    let mut next = || numbers.next()?.ok();
    let (domain, bus, device, function) = (next()?, next()?, next()?, next()?);
    Some(PciAddress {
        domain,
        bus: u8::try_from(bus).ok()?,
        device: u8::try_from(device).ok()?,
        function: u8::try_from(function).ok()?,
    })
}

fn read(text: &Text<'_>, facts: &mut Facts) {
    let mut device: Option<Device> = None;
    for line in text.lines() {
        if let Some(address) = selector(line.text) {
            facts.devices.extend(device.replace(header(line, address)));
        } else if let (Some(device), true) = (&mut device, line.is_indented()) {
            detail(line, device, facts);
        }
    }
    facts.devices.extend(device);
}

fn header(line: Line<'_>, address: PciAddress) -> Device {
    let hex = |key: &str| {
        let rest = &line.text[line.text.find(key)? + key.len()..];
        let end = rest
            .find(|character: char| !character.is_ascii_hexdigit())
            .unwrap_or(rest.len());
        u32::from_str_radix(&rest[..end], 16).ok()
    };
    let short = |value: Option<u32>| value.map(|value| (value & 0xffff) as u16);
    // The old form has two ids in one number, the vendor's in the lower half.
    let (chip, card) = (hex(" chip=0x"), hex(" card=0x").or_else(|| hex("\tcard=0x")));
    let high = |value: Option<u32>| value.map(|value| (value >> 16) as u16);
    Device {
        address: line.says(address),
        class: line.may_say(hex("class=0x")),
        vendor: line.may_say(short(hex(" vendor=0x")).or(short(chip))),
        device: line.may_say(short(hex(" device=0x")).or(high(chip))),
        subsystem_vendor: line.may_say(short(hex(" subvendor=0x")).or(short(card))),
        subsystem: line.may_say(short(hex(" subdevice=0x")).or(high(card))),
        driver: line.infer(|text| {
            let (unit, _) = text.split_once('@')?;
            let name = unit.trim_end_matches(|digit: char| digit.is_ascii_digit());
            (name != "none").then(|| name.to_owned())
        }),
        ..Device::default()
    }
}

fn detail(line: Line<'_>, device: &mut Device, facts: &mut Facts) {
    let text = line.text.trim();
    if let Some(name) = text.strip_prefix("device     = ") {
        device.is_virtual = line.may_say(name.contains("Virtual Function").then_some(true));
        device.name = line.says(name.trim_matches('\'').to_owned());
    } else if text.starts_with("cap 10[") {
        device.kind = line.may_say(kind(text));
        // `max data 128(4096)`: in use, and what the device can.
        let (now, capable) = pair(text, "max data ");
        device.payload = line.may_say(now.map(|bytes| bytes as u32));
        device.payload_capable = line.may_say(capable.map(|bytes| bytes as u32));
        let read = number_after(text, "max read ").map(|bytes| bytes as u32);
        device.read_request = line.may_say(read).or(device.read_request.take());
        link(line, device);
    } else if text.starts_with("max read ") {
        device.read_request = line.may_say(number_after(text, "max read ").map(|bytes| bytes as u32));
    } else if text.starts_with("link x") {
        link(line, device);
    } else if text.starts_with("cap 07[") {
        device.is_conventional = line.says(true);
    } else if let Some(rest) = text.strip_prefix("cap 08[")
        && rest.contains("HT host")
    {
        let offset = rest.split(']').next();
        let offset = offset.and_then(|hex| u16::from_str_radix(hex, 16).ok());
        facts.hypertransport.push(HyperTransportLink {
            address: device.address.clone(),
            capability: line.may_say(offset.map(|offset| (offset, 0))),
            is_host: line.says(true),
            ..HyperTransportLink::default()
        });
    }
}

fn kind(text: &str) -> Option<PortKind> {
    [
        ("root port", PortKind::RootPort),
        ("root endpoint", PortKind::Integrated),
        ("legacy endpoint", PortKind::Endpoint),
        ("endpoint", PortKind::Endpoint),
        ("upstream port", PortKind::Upstream),
        ("downstream port", PortKind::Downstream),
        ("PCI bridge", PortKind::Bridge),
        ("PCI to PCIe bridge", PortKind::Bridge),
    ]
    .into_iter()
    .find(|(words, _)| text.contains(words))
    .map(|(_, kind)| kind)
}

/// Both numbers of `word 128(4096)`.
fn pair(text: &str, word: &str) -> (Option<f64>, Option<f64>) {
    let Some(at) = text.find(word) else {
        return (None, None);
    };
    let rest = &text[at + word.len()..];
    let end = rest.find(' ').unwrap_or(rest.len());
    (super::text::leading_number(rest), number_after(&rest[..end], "("))
}

/// `link x4(x8) speed 2.5(5.0)`. An idle or empty port prints `x0` or no speed.
fn link(line: Line<'_>, device: &mut Device) {
    let text = line.text.trim();
    let Some(at) = text.find("link x") else { return };
    let rest = &text[at..];
    let lanes = |number: Option<f64>| number.and_then(|number| lanes_of(number as u64));
    device.lanes = line.may_say(lanes(number_after(rest, "link x")));
    device.lanes_capable = line.may_say(lanes(number_after(rest, "(x")));
    let (now, capable) = pair(rest, "speed ");
    device.generation = line.may_say(now.and_then(generation_of));
    device.generation_capable = line.may_say(capable.and_then(generation_of));
}
