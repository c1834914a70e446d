//! `nvme list` and `nvme id-ctrl`, as text and as JSON: models and capacities of NVMe drives.
//!
//! The table of `nvme list` rounds sizes; they are read from the JSON only.

use super::json::Json;
use super::{Line, Reader, Text};
use crate::facts::{Disk, Facts};
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
            facts.disks.push(controller(root));
        } else if let Some(devices) = root.get("Devices") {
            devices.each_item(&mut |device| list(device, facts, 0));
        }
    } else if text.text.contains("NVME Identify Controller") {
        let field = |name: &str| {
            text.lines().find_map(|line| {
                let (key, value) = line.key_value()?;
                (key == name && !value.is_empty()).then_some(Line { text: value, ..line })
            })
        };
        facts.disks.push(Disk {
            model: field("mn").and_then(|line| line.says(line.text.to_owned())),
            size_bytes: field("tnvmcap")
                .and_then(|line| line.may_say(line.text.parse().ok().filter(|&size| size > 0))),
            transport: field("mn").and_then(|line| line.says("nvme".to_owned())),
            ..Disk::default()
        });
    } else {
        table(text, facts);
    }
}

fn controller(json: Json<'_>) -> Disk {
    Disk {
        model: json.get("mn").and_then(Json::said),
        size_bytes: size(json, "tnvmcap"),
        transport: json
            .get("mn")
            .and_then(|model| model.line().says("nvme".to_owned())),
        ..Disk::default()
    }
}

fn size(json: Json<'_>, name: &str) -> crate::origin::Fact<u64> {
    let value = json.get(name)?;
    value
        .line()
        .may_say(value.line().text.parse().ok().filter(|&bytes| bytes > 0))
}

/// An entry of the list: a namespace, or since version 2.3 subsystems with controllers with namespaces.
fn list(json: Json<'_>, facts: &mut Facts, depth: usize) {
    if depth > 4 {
        return;
    }
    let words = |name: &str| json.get(name)?.said();
    let model = words("ModelNumber");
    let name = words("DevicePath").or_else(|| words("NameSpace"));
    if let Some(name) = name {
        let plain = name.value.strip_prefix("/dev/").unwrap_or(&name.value);
        facts.disks.push(Disk {
            model: model.clone(),
            size_bytes: size(json, "PhysicalSize"),
            transport: Some(name.at.says("nvme".to_owned())),
            name: Some(name.at.says(super::hwloc::without_path(plain))),
            ..Disk::default()
        });
    }
    let address = words("Address").and_then(|said| Some(said.at.says(PciAddress::parse(&said.value)?)));
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
            facts.disks.push(Disk {
                name: line.says(name.to_owned()),
                model: line.may_say(model.filter(|model| !model.is_empty()).map(str::to_owned)),
                transport: line.says("nvme".to_owned()),
                ..Disk::default()
            });
        }
    }
}
