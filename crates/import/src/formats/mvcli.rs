//! `mvcli info -o hba` of Marvell: the link of a host adapter. There is no PCI address.

use super::text::leading_number;
use super::{Reader, Text};
use crate::facts::{Device, Facts};
use crate::pci::{generation_of, lanes_of};

pub(crate) const READER: Reader = Reader {
    name: "mvcli",
    recognises: |text| text.contains("Current PCIe speed:") && text.contains("Adapter ID:"),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    for line in text.lines() {
        let Some((key, value)) = line.key_value() else {
            continue;
        };
        if key == "Adapter ID" {
            facts.devices.push(Device::default());
        }
        let Some(device) = facts.devices.last_mut() else {
            continue;
        };
        // `1b4b-9230`
        let ids = || {
            let (vendor, device) = value.split_once('-')?;
            let hex = |text| u16::from_str_radix(text, 16).ok();
            Some((hex(vendor)?, hex(device)?))
        };
        let lanes = || line.may_say(value.parse().ok().and_then(lanes_of));
        // `5Gb/s` a lane: gigatransfers.
        let generation = || line.may_say(leading_number(value).and_then(generation_of));
        match key {
            "Product" => {
                device.vendor = line.may_say(ids().map(|(vendor, _)| vendor));
                device.device = line.may_say(ids().map(|(_, device)| device));
            }
            "Sub Product" => {
                device.subsystem_vendor = line.may_say(ids().map(|(vendor, _)| vendor));
                device.subsystem = line.may_say(ids().map(|(_, device)| device));
            }
            "Max PCIe speed" => device.generation_capable = generation(),
            "Current PCIe speed" => device.generation = generation(),
            "Max PCIe link" => device.lanes_capable = lanes(),
            "Current PCIe link" => device.lanes = lanes(),
            _ => {}
        }
    }
}
