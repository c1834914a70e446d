//! `storcli /cN show J` and `perccli`: RAID controllers and host adapters with their drives. Sizes are
//! rounded and left out.

use super::json::Json;
use super::text::{either, positive};
use super::{Reader, Text};
use crate::facts::{Device, Disk, Facts};
use crate::pci::PciAddress;

pub(crate) const READER: Reader = Reader {
    name: "storcli",
    recognises: |text| text.contains("\"Controllers\"") && text.contains("\"Response Data\""),
    read,
};

fn read(text: &Text<'_>, facts: &mut Facts) {
    if let Some(list) = Json::root(text).and_then(|root| root.get("Controllers")) {
        list.each_item(&mut |entry| {
            if let Some(data) = entry.get("Response Data") {
                controller(data, facts);
            }
        });
    }
}

fn controller(json: Json<'_>, facts: &mut Facts) {
    let address = json.infer_text("PCI Address", |address| {
        // `00:3d:00:00`: domain, bus, device and function.
        let (place, function) = address.rsplit_once(':')?;
        PciAddress::parse(&format!("{place}.0{}", function.trim_start_matches('0')))
    });
    let id = |name| json.infer_text(name, positive);
    if address.is_some() {
        facts.devices.push(Device {
            address: address.clone(),
            vendor: id("Vendor Id"),
            device: id("Device Id"),
            subsystem_vendor: id("SubVendor Id"),
            subsystem: id("SubDevice Id"),
            name: json.text("Product Name"),
            driver: json.text("Driver Name"),
            ..Device::default()
        });
    }
    let Some(drives) = json.get("PD LIST") else { return };
    drives.each_item(&mut |drive| {
        facts.disks.push(Disk {
            name: drive.text("EID:Slt"),
            model: drive.text("Model"),
            rotates: drive.infer_text("Med", |kind| either(kind, "HDD", "SSD")),
            transport: drive.infer_text("Intf", |name| Some(name.to_ascii_lowercase())),
            controller: address.clone(),
            ..Disk::default()
        });
    });
}
