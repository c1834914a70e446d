//! `nvme list` and `nvme id-ctrl`, as text and as JSON: models and capacities of NVMe drives.
//!
//! The table of `nvme list` rounds sizes; they are read from the JSON only.

use super::json::Json;
use super::text::{disk_name, positive};
use super::{Line, Reader, Text};
use crate::facts::{Disk, Facts};
use crate::origin::{Fact, Known};
use crate::pci::PciAddress;

pub(crate) const READER: Reader = Reader {
    name: "nvme",
    recognises,
    read,
};

fn recognises(text: &str) -> bool {
    let has = |words: &[&str]| words.iter().all(|word| text.contains(word));
    has(&["\"mn\"", "\"tnvmcap\"", "\"ssvid\""])
        || has(&["\"Devices\"", "\"ModelNumber\""])
        || has(&["NVME Identify Controller", "tnvmcap"])
        || has(&["Node ", "Namespace", "FW Rev", "/dev/nvme"])
}

fn read(text: &Text<'_>, facts: &mut Facts) {
    if let Some(root) = Json::root(text) {
        if root.get("mn").is_some() {
            let transport = root.infer("mn", |_| Some(NVME.to_owned()));
            facts
                .disks
                .push(drive(root.text("mn"), size(root, "tnvmcap"), transport));
        } else if let Some(devices) = root.get("Devices") {
            devices.each_item(&mut |device| list(device, facts, 0));
        }
    } else if text.text.contains("NVME Identify Controller") {
        let field = |name: &str| {
            let mut fields = text.lines().filter_map(Line::key_value);
            let (_, value) = fields.find(|(key, value)| *key == name && !value.text.is_empty())?;
            Some(value)
        };
        let model = field("mn");
        facts.disks.push(drive(
            model.and_then(Line::whole),
            field("tnvmcap").and_then(Line::positive),
            model.and_then(|model| model.says(NVME.to_owned())),
        ));
    } else {
        table(text, facts);
    }
}

const NVME: &str = "nvme";

fn drive(model: Fact<String>, size_bytes: Fact<u64>, transport: Fact<String>) -> Disk {
    Disk {
        model,
        size_bytes,
        transport,
        ..Disk::default()
    }
}

fn size(json: Json<'_>, name: &str) -> Fact<u64> {
    json.infer(name, |size| positive(size.line().text))
}

/// An entry of the list: a namespace, or since version 2.3 subsystems with controllers with namespaces.
fn list(json: Json<'_>, facts: &mut Facts, depth: usize) {
    if depth > 4 {
        return;
    }
    let model = json.text("ModelNumber");
    let name = json.text("DevicePath").or_else(|| json.text("NameSpace"));
    if name.is_some() {
        let transport = name.infer(|_| Some(NVME.to_owned()));
        facts.disks.push(Disk {
            name: name.infer(|name| Some(disk_name(name))),
            ..drive(model.clone(), size(json, "PhysicalSize"), transport)
        });
    }
    let address = json.infer_text("Address", PciAddress::parse);
    let first = facts.disks.len();
    for inner in ["Subsystems", "Controllers", "Namespaces"] {
        if let Some(inner) = json.get(inner) {
            inner.each_item(&mut |entry| list(entry, facts, depth + 1));
        }
    }
    // What a controller says is true of its namespaces.
    for disk in &mut facts.disks[first..] {
        disk.model = disk.model.take().or_else(|| model.clone());
        disk.controller = disk.controller.take().or_else(|| address.clone());
    }
}

/// The table of `nvme list`: the line of dashes says where columns begin.
fn table(text: &Text<'_>, facts: &mut Facts) {
    let mut columns: Option<(usize, usize)> = None;
    let mut header = "";
    for line in text.lines() {
        if line.text.starts_with("-----") {
            let start = header.find("Model");
            columns = start.map(|start| {
                let rest = line.text.get(start..).unwrap_or_default();
                (start, start + rest.find(' ').unwrap_or(rest.len()))
            });
        } else if line.text.starts_with("Node") {
            header = line.text;
        } else if let (Some(name), Some((start, end))) = (line.text.strip_prefix("/dev/"), columns) {
            let name = name.split_whitespace().next().unwrap_or_default();
            let model = line.text.get(start..end.min(line.text.len())).map(str::trim);
            let model = model.filter(|model| !model.is_empty()).map(str::to_owned);
            facts.disks.push(Disk {
                name: line.says(name.to_owned()),
                ..drive(line.may_say(model), None, line.says(NVME.to_owned()))
            });
        }
    }
}
