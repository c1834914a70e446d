//! `lshw -xml` and `lshw -json`: processors, memory banks, PCI functions, interfaces and disks.
//!
//! There is no width or speed of any link: `clock` is 33 MHz for all PCI functions. Numeric ids are printed
//! with `-numeric` only.

use std::str::FromStr;

use super::json::Json;
use super::text::{cores_in, disk_name, is_virtual, known, positive};
use super::xml::{Element, with_root};
use super::{Line, Reader, number_after};
use crate::facts::{Device, Dimm, Disk, Facts, Interface, Processor};
use crate::origin::{Fact, Known, Said};
use crate::pci::{PciAddress, class_named, ids_of};

pub(crate) const XML: Reader = Reader {
    name: "lshw (XML)",
    recognises: |text| {
        text.trim_start().starts_with('<') && text.contains("<node id=") && text.contains("class=\"")
    },
    read: |text, facts| {
        // The document is dropped before the facts are made: together they are ten times the file.
        let mut tree = Vec::new();
        with_root(text, |root| from_xml(root, None, &mut tree, 0));
        nodes(&tree, facts);
    },
};

pub(crate) const JSON: Reader = Reader {
    name: "lshw (JSON)",
    recognises: |text| {
        text.trim_start().starts_with(['{', '['])
            && text.contains("\"class\"")
            && text.contains("\"claimed\"")
    },
    read: |text, facts| {
        if let Some(root) = Json::root(text) {
            let mut tree = Vec::new();
            from_json(root, None, &mut tree, 0);
            nodes(&tree, facts);
        }
    },
};

/// Nodes within nodes.
const MAXIMUM_DEPTH: usize = 32;

/// A node, with the fields that matter.
#[derive(Default)]
struct Node {
    parent: Option<usize>,
    id: String,
    class: String,
    fields: Vec<(&'static str, Said<String>)>,
}

/// Fields that are read, those of `configuration` among them.
const FIELDS: &[&str] = &[
    "description",
    "product",
    "vendor",
    "physid",
    "businfo",
    "logicalname",
    "slot",
    "size",
    "capacity",
    "clock",
    "cores",
    "enabledcores",
    "threads",
    "driver",
];

impl Node {
    fn set(&mut self, key: &str, value: Option<&str>, line: Line<'_>) {
        let key = FIELDS.iter().find(|&&field| field == key);
        if let Some((key, value)) = key.zip(value.and_then(known))
            && self.get(key).is_none()
        {
            self.fields.push((key, line.at.says(value.to_owned())));
        }
    }

    fn get(&self, key: &str) -> Option<&Said<String>> {
        self.fields
            .iter()
            .find(|(field, _)| *field == key)
            .map(|(_, said)| said)
    }

    fn text(&self, key: &str) -> Fact<String> {
        self.get(key).cloned()
    }

    fn says(&self, key: &str) -> &str {
        self.get(key).map_or("", |said| &said.value)
    }

    /// A number above zero.
    fn number<T: FromStr + Default + PartialOrd>(&self, key: &str) -> Fact<T> {
        self.get(key).infer(|text| positive(text))
    }

    /// The address of a PCI function: `pci@0000:01:00.0`.
    fn address(&self) -> Fact<PciAddress> {
        let bus = self.get("businfo");
        bus.infer(|bus| PciAddress::parse(bus.strip_prefix("pci@")?))
    }
}

fn from_xml(element: Element<'_>, parent: Option<usize>, tree: &mut Vec<Node>, depth: usize) {
    if depth > MAXIMUM_DEPTH {
        return;
    }
    let mut above = parent;
    if element.name() == "node" {
        let text = |name| {
            element
                .attribute(name)
                .map_or(String::new(), |line| line.text.to_owned())
        };
        let mut node = Node {
            parent,
            id: text("id"),
            class: text("class"),
            ..Node::default()
        };
        for field in element.children() {
            if field.name() == "configuration" {
                for setting in field.named("setting") {
                    if let (Some(key), Some(value)) = (setting.attribute("id"), setting.attribute("value")) {
                        node.set(key.text, Some(value.text), value);
                    }
                }
            } else if let Some(value) = field.content() {
                node.set(field.name(), Some(value.text), value);
            }
        }
        // The document and all nodes are in memory together.
        node.fields.shrink_to_fit();
        tree.push(node);
        above = Some(tree.len() - 1);
    }
    for child in element.children().filter(|child| child.name() == "node") {
        from_xml(child, above, tree, depth + 1);
    }
}

fn from_json(json: Json<'_>, parent: Option<usize>, tree: &mut Vec<Node>, depth: usize) {
    if depth > MAXIMUM_DEPTH {
        return;
    }
    json.each_item(&mut |item| from_json(item, parent, tree, depth + 1));
    let mut node = Node {
        parent,
        ..Node::default()
    };
    let mut children = None;
    json.each_field(&mut |key, value| match key {
        "id" => node.id = value.words().unwrap_or_default(),
        "class" => node.class = value.words().unwrap_or_default(),
        "children" => children = Some(value),
        "configuration" => {
            value.each_field(&mut |key, setting| node.set(key, setting.words().as_deref(), setting.line()));
        }
        // Of several names the first counts.
        "logicalname" => {
            value.each_item(&mut |name| node.set(key, name.words().as_deref(), name.line()));
            node.set(key, value.words().as_deref(), value.line());
        }
        _ => node.set(key, value.words().as_deref(), value.line()),
    });
    if node.class.is_empty() {
        return;
    }
    node.fields.shrink_to_fit();
    tree.push(node);
    if let Some(children) = children {
        let above = Some(tree.len() - 1);
        children.each_item(&mut |child| from_json(child, above, tree, depth + 1));
    }
}

fn nodes(tree: &[Node], facts: &mut Facts) {
    for (index, node) in tree.iter().enumerate() {
        match node.class.as_str() {
            "system" if index == 0 => system(node, facts),
            "processor" => processor(node, facts),
            "memory" => memory(node, tree, facts),
            "disk" => disk(node, tree, facts),
            _ => {}
        }
        if node.class == "network" && !node.says("logicalname").is_empty() {
            facts.interfaces.push(Interface {
                name: node.text("logicalname"),
                address: nearest_address(node, tree),
                rate: node.number("size").infer(|&rate: &u64| Some(rate as f64)),
                rate_capable: node.number("capacity").infer(|&rate: &u64| Some(rate as f64)),
            });
        }
        if let Some(address) = node.address() {
            device(node, tree, address, facts);
        }
    }
    secondary_buses(facts);
}

/// What is directly below a bridge is on its secondary bus.
fn secondary_buses(facts: &mut Facts) {
    let buses: Vec<(PciAddress, Said<u8>)> = facts
        .devices
        .iter()
        .filter_map(|device| {
            let (parent, own) = (device.parent.as_ref()?, device.address.as_ref()?);
            (parent.value.bus != own.value.bus).then(|| (parent.value, own.at.says(own.value.bus)))
        })
        .collect();
    for device in &mut facts.devices {
        if let Some(address) = device.address.known()
            && device.class.is(|class| class >> 8 == 0x0604)
        {
            let below = buses.iter().find(|(parent, _)| *parent == address);
            device.secondary_bus = below.map(|(_, bus)| bus.clone());
        }
    }
}

fn system(node: &Node, facts: &mut Facts) {
    facts.system.maker = node.text("vendor");
    let product = node.get("product");
    // `PowerEdge R6515 (SKU=...)`
    facts.system.product = product.infer(|name| Some(name.split(" (").next()?.to_owned()));
    facts.system.is_virtual = product.infer(|name| is_virtual(name).then_some(true));
}

fn processor(node: &Node, facts: &mut Facts) {
    // An empty socket has no product.
    if !node.says("businfo").starts_with("cpu@") || node.get("product").is_none() {
        return;
    }
    let name = node.text("product");
    facts.processors.push(Processor {
        designation: node.text("slot").or_else(|| node.text("businfo")),
        cores: (node.number("enabledcores"))
            .or_else(|| node.number("cores"))
            .or_else(|| name.infer(|name| cores_in(name))),
        threads: node.number("threads"),
        name,
        ..Processor::default()
    });
}

fn memory(node: &Node, tree: &[Node], facts: &mut Facts) {
    if node.says("description") == "System Memory" {
        facts.system.memory_bytes = node.number("size");
    }
    if !node.id.starts_with("bank") {
        return;
    }
    let description = node.get("description");
    let above = node.parent.map(|parent| &tree[parent]);
    facts.dimms.push(Dimm {
        locator: node.text("slot"),
        array: above.and_then(|above| above.text("physid")),
        // A module whose size firmware left out is printed as `[empty]` too, with its clock.
        size_bytes: if description.is(|text| text.contains("[empty]")) && node.get("clock").is_none() {
            description.infer(|_| Some(0))
        } else {
            node.number("size")
        },
        technology: description.infer(|text| {
            let technology = text.split_whitespace().find(|word| word.starts_with("DDR"))?;
            Some(technology.to_owned())
        }),
        rate: node
            .number("clock")
            .infer(|&clock: &u64| Some(clock as f64 / 1e6)),
        ..Dimm::default()
    });
}

/// The address of a node or of the closest above it that has one.
fn nearest_address(node: &Node, tree: &[Node]) -> Fact<PciAddress> {
    let mut node = node;
    loop {
        let address = node.address();
        if address.is_some() {
            return address;
        }
        node = &tree[node.parent?];
    }
}

/// The class of a PCI function by the words that describe it, as the table of PCI ids has them.
fn class_of(node: &Node) -> Option<u32> {
    let class = match node.says("description") {
        "NVMe device" => 0x0108,
        "Ethernet interface" => 0x0200,
        "interface" if node.class == "network" => 0x0207,
        words => class_named(words)?,
    };
    Some(u32::from(class) << 8)
}

fn device(node: &Node, tree: &[Node], address: Said<PciAddress>, facts: &mut Facts) {
    // `SAS3008 [1000:97]`; ids that were blotted out say nothing.
    let product = node.get("product");
    let ids = product.infer(|name| {
        let (_, ids) = name.rsplit_once('[')?;
        ids_of(ids.strip_suffix(']')?, ':').filter(|&ids| ids != (0xdead, 0xbeef))
    });
    let parent = node
        .parent
        .and_then(|parent| nearest_address(&tree[parent], tree));
    facts.devices.push(Device {
        class: class_of(node).map(|class| address.at.says(class)),
        vendor: ids.infer(|&(vendor, _)| Some(vendor)),
        device: ids.infer(|&(_, device)| Some(device)),
        name: product.infer(|name| {
            let plain = name.split(" [").next().filter(|_| name.contains(':'));
            Some(plain.unwrap_or(name).to_owned())
        }),
        is_virtual: product.infer(|name| name.contains("Virtual Function").then_some(true)),
        driver: node.text("driver"),
        parent,
        address: Some(address),
        ..Device::default()
    });
}

fn disk(node: &Node, tree: &[Node], facts: &mut Facts) {
    let Some(name) = node.get("logicalname") else {
        return;
    };
    let plain = name.value.strip_prefix("/dev/").unwrap_or(&name.value);
    let is_optical = ["sr", "cd", "fd", "ng", "hwmon", "loop"]
        .iter()
        .any(|kind| plain.starts_with(kind));
    if is_optical || plain.contains('/') {
        return;
    }
    let above = node.parent.map(|parent| &tree[parent]);
    let transport = match (node.says("businfo"), node.says("description")) {
        (bus, _) if bus.starts_with("nvme@") => Some("nvme"),
        (_, "ATA Disk") => Some("sata"),
        _ => None,
    };
    facts.disks.push(Disk {
        name: Some(name.at.says(disk_name(plain))),
        model: node
            .text("product")
            .or_else(|| above.filter(|above| above.class == "storage")?.text("product")),
        size_bytes: node.number("size"),
        rotates: number_after(node.says("description"), "rpm").map(|_| name.at.says(true)),
        transport: transport.map(|transport| name.at.says(transport.to_owned())),
        controller: nearest_address(node, tree),
    });
}
