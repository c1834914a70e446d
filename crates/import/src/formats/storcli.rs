//! `storcli /cN show J` and `perccli`: RAID controllers and host adapters with their drives. Sizes are
//! rounded and left out.

use super::json::Json;
use super::{Reader, Text};
use crate::facts::{Device, Disk, Facts};
use crate::origin::Fact;
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
    let address = json.get("PCI Address").and_then(|value| {
        // `00:3d:00:00`: domain, bus, device and function.
        let words = value.words()?;
        let (place, function) = words.rsplit_once(':')?;
        let function = function.trim_start_matches('0');
        value
            .line()
            .may_say(PciAddress::parse(&format!("{place}.0{function}")))
    });
    let id = |name: &str| -> Fact<u16> {
        let value = json.get(name)?;
        value
            .line()
            .may_say(value.words()?.parse().ok().filter(|&id: &u16| id > 0))
    };
    let words = |name: &str| json.get(name)?.said();
    if address.is_some() {
        facts.devices.push(Device {
            address: address.clone(),
            vendor: id("Vendor Id"),
            device: id("Device Id"),
            subsystem_vendor: id("SubVendor Id"),
            subsystem: id("SubDevice Id"),
            name: words("Product Name"),
            driver: words("Driver Name"),
            ..Device::default()
        });
    }
    let Some(drives) = json.get("PD LIST") else { return };
    drives.each_item(&mut |drive| {
        let words = |name: &str| drive.get(name)?.said();
        let is = |name: &str, yes: &str, no: &str| {
            let said = words(name)?;
            let value = (said.value == yes)
                .then_some(true)
                .or((said.value == no).then_some(false))?;
            Some(said.at.says(value))
        };
        facts.disks.push(Disk {
            name: words("EID:Slt"),
            model: words("Model"),
            rotates: is("Med", "HDD", "SSD"),
            transport: words("Intf").map(|said| said.at.says(said.value.to_ascii_lowercase())),
            controller: address.clone(),
            ..Disk::default()
        });
    });
}
