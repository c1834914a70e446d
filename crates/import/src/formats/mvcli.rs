//! `mvcli info -o hba` of Marvell: the link of a host adapter. There is no PCI address.

use super::text::leading_number;
use super::{Line, Reader, Text};
use crate::facts::{Device, Facts};
use crate::origin::Known;
use crate::pci::{generation_of, ids_of, lanes_of};

pub(crate) const READER: Reader = Reader {
    name: "mvcli",
    recognises: |text| text.contains("Current PCIe speed:") && text.contains("Adapter ID:"),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    for (key, value) in text.lines().filter_map(Line::key_value) {
        if key == "Adapter ID" {
            facts.devices.push(Device::default());
        }
        let Some(device) = facts.devices.last_mut() else {
            continue;
        };
        // `1b4b-9230`
        let ids = value.infer(|text| ids_of(text, '-'));
        let lanes = || value.infer(|text| lanes_of(text.parse().ok()?));
        // `5Gb/s` a lane: gigatransfers.
        let generation = || value.infer(|text| generation_of(leading_number(text)?));
        match key {
            "Product" => {
                device.vendor = ids.infer(|&(vendor, _)| Some(vendor));
                device.device = ids.infer(|&(_, device)| Some(device));
            }
            "Sub Product" => {
                device.subsystem_vendor = ids.infer(|&(vendor, _)| Some(vendor));
                device.subsystem = ids.infer(|&(_, device)| Some(device));
            }
            "Max PCIe speed" => device.generation_capable = generation(),
            "Current PCIe speed" => device.generation = generation(),
            "Max PCIe link" => device.lanes_capable = lanes(),
            "Current PCIe link" => device.lanes = lanes(),
            _ => {}
        }
    }
}
