//! `lstopo` and `hwloc`: XML of versions 1, 2 and 3: packages, NUMA nodes, PCI trees and their operating
//! system devices.
//!
//! In version 1 (no version attribute) NUMA nodes are ancestors of cores or packages; since version 2 they
//! are children that hold memory. `osdev_type` is a number up to version 2 and a set of bits since version 3.
//!
//! `pci_link_speed` is in GB/s per direction and 0 where it is unknown. Releases before 1.9 cut 0.25 to 0.2;
//! releases before 2.7 took the encoding of generation 3 for generation 2: 0.615 is one lane of 0.5 GB/s.

use super::text::{binary_size, disk_name, distances, is_virtual};
use super::xml::{Element, walk, with_root};
use super::{Line, Reader, Text};
use crate::facts::{Device, Dimm, Disk, Facts, Interface, Node, Processor};
use crate::origin::{Fact, Known, Said};
use crate::pci::{PciAddress, ids_of};

pub(crate) const READER: Reader = Reader {
    name: "hwloc",
    recognises,
    read,
};

fn recognises(text: &str) -> bool {
    text.trim_start().starts_with('<') && text.contains("<topology") && text.contains("<object type=")
}

/// What is above an object.
#[derive(Clone, Default)]
struct Above {
    /// Package, by its place among the packages.
    package: Option<usize>,
    /// The only NUMA node of an ancestor.
    node: Fact<u32>,
    /// PCI device or bridge, by its place among the devices.
    device: Option<usize>,
    /// NUMA node that is an ancestor, by its place among the nodes.
    ancestor: Option<usize>,
    /// Whether it is part of a PCI tree.
    is_io: bool,
}

impl Above {
    /// The address of the PCI device.
    fn address(&self, facts: &Facts) -> Fact<PciAddress> {
        facts.devices[self.device?].address.clone()
    }
}

#[derive(Default)]
struct Reading {
    /// Packages with their numbers.
    packages: Vec<(u32, Processor)>,
    /// For each NUMA node the place of its package.
    homes: Vec<Option<usize>>,
    /// Whether `osdev_type` is a set of bits.
    has_type_bits: bool,
    is_virtual: bool,
}

fn read(text: &Text<'_>, facts: &mut Facts) {
    // Records are large beside the text that describes them: no room for more of them than there are.
    facts
        .devices
        .reserve_exact(text.text.matches(" pci_busid=").count());
    with_root(text, |root| {
        if root.name() != "topology" {
            return;
        }
        let mut reading = Reading {
            has_type_bits: root
                .attribute("version")
                .is_some_and(|version| version.text.starts_with('3')),
            ..Reading::default()
        };
        walk(
            root,
            Above::default(),
            &mut |element, above| match element.name() {
                "topology" => Some(above),
                "object" => reading.object(element, above, facts),
                "distances2" if facts.system.distances.is_none() => {
                    matrix(element, facts);
                    None
                }
                "distances" if facts.system.distances.is_none() => {
                    old_matrix(element, facts);
                    None
                }
                _ => None,
            },
        );
        reading.finish(facts);
    });
}

impl Reading {
    fn object(&mut self, object: Element<'_>, mut above: Above, facts: &mut Facts) -> Option<Above> {
        let kind = object.attribute("type")?;
        let number = || object.infer("os_index", |index| index.parse::<u32>().ok());
        match kind.text {
            "Machine" | "System" => self.machine(object, facts),
            "Package" | "Socket" => {
                let processor = package(object, number().as_ref());
                let order = number().map_or(self.packages.len() as u32, |said| said.value);
                self.packages.push((order, processor));
                above.package = Some(self.packages.len() - 1);
                // In version 1 a node can be the ancestor of its package.
                if let Some(index) = above.ancestor {
                    self.homes[index] = above.package;
                }
            }
            // Other kinds are memory of devices.
            "NUMANode" if object.attribute("subtype").is_none_or(|kind| kind.text == "DRAM") => {
                facts.nodes.push(Node {
                    number: number(),
                    memory_bytes: object.attribute("local_memory").and_then(Line::number),
                    ..Node::default()
                });
                self.homes.push(above.package);
                above.ancestor = Some(self.homes.len() - 1);
            }
            "Core" | "PU" => {
                if let Some((_, package)) = above.package.map(|index| &mut self.packages[index]) {
                    let is_core = kind.text == "Core";
                    let counter = if is_core {
                        &mut package.cores
                    } else {
                        &mut package.threads
                    };
                    count(counter, object.line());
                }
            }
            "Bridge" | "PCIDev" => return self.pci(object, above, facts),
            "OSDev" => {
                self.operating_system_device(object, &above, facts);
                return None;
            }
            "Misc" => {
                memory_module(object, facts);
                return None;
            }
            _ => {}
        }
        if let node @ Some(_) = object.infer("nodeset", only_member) {
            above.node = node;
        }
        Some(above)
    }

    fn machine(&mut self, object: Element<'_>, facts: &mut Facts) {
        let said = |key| info(object, key).and_then(Line::words);
        let product = said("DMIProductName").or_else(|| said("DMIBoardName"));
        self.is_virtual |= product.is(|name| is_virtual(name));
        facts.system.is_virtual = product.infer(|name| is_virtual(name).then_some(true));
        facts.system.maker = said("DMISysVendor").or_else(|| said("DMIBoardVendor"));
        facts.system.product = product;
    }

    fn pci(&self, object: Element<'_>, mut above: Above, facts: &mut Facts) -> Option<Above> {
        above.is_io = true;
        let Some(id) = object.attribute("pci_busid") else {
            // A host bridge is no device.
            return Some(above);
        };
        let address = PciAddress::parse(id.text)?;
        let mut device = Device {
            address: id.says(address),
            numa_node: above.node.clone(),
            parent: above.address(facts),
            ..Device::default()
        };
        if let Some(ids) = object.attribute("pci_type") {
            identity(ids, &mut device);
        }
        if let Some(name) = object
            .attribute("name")
            .or_else(|| info(object, "PCIDevice"))
            .or_else(|| info(object, "PCIVendor"))
        {
            device.name = name.whole();
            device.is_virtual = name.may_say(name.text.contains("Virtual Function").then_some(true));
        }
        // Numbers of a virtual machine's bus are no slots.
        if !self.is_virtual {
            device.slot = info(object, "PCISlot").and_then(Line::whole);
        }
        if let Some(speed) = object.attribute("pci_link_speed")
            && let Some((rate, link)) = speed.text.parse().ok().and_then(link_rate)
        {
            device.link_bytes_per_s = speed.says(rate);
            device.lanes = speed.may_say(link.map(|(lanes, _)| lanes));
            device.generation = speed.may_say(link.map(|(_, generation)| generation));
        }
        if let Some(buses) = object.attribute("bridge_pci") {
            // `0000:[01-05]`
            let range = buses.text.split_once('[').and_then(|(_, range)| {
                let (first, last) = range.strip_suffix(']')?.split_once('-')?;
                let hex = |text| u8::from_str_radix(text, 16).ok();
                Some((hex(first)?, hex(last)?))
            });
            device.secondary_bus = buses.may_say(range.map(|(first, _)| first));
            device.subordinate_bus = buses.may_say(range.map(|(_, last)| last));
        }
        facts.devices.push(device);
        above.device = Some(facts.devices.len() - 1);
        Some(above)
    }

    fn operating_system_device(&self, object: Element<'_>, above: &Above, facts: &mut Facts) {
        let (Some(kind), Some(name)) = (object.attribute("osdev_type"), object.attribute("name")) else {
            return;
        };
        let Ok(kind) = kind.text.parse::<u32>() else {
            return;
        };
        let (is_disk, is_network, is_fabric) = if self.has_type_bits {
            (kind & 1 != 0, kind & 16 != 0, kind & 32 != 0)
        } else {
            (kind == 0, kind == 2, kind == 3)
        };
        if let (Some(index), Some(id)) = (above.device, info(object, "SysImageGUID")) {
            facts.devices[index].board = id.whole();
        }
        let subtype = object
            .attribute("subtype")
            .or_else(|| info(object, "Type"))
            .map_or("Disk", |subtype| subtype.text);
        if is_disk && subtype == "Disk" {
            facts.disks.push(disk(object, name, above.address(facts)));
        } else if is_network && !is_fabric && !is_verbs(name.text) {
            // A verbs device is a second name of the ports that have network interfaces.
            facts.interfaces.push(Interface {
                name: name.whole(),
                address: above.address(facts),
                ..Interface::default()
            });
        }
    }

    fn finish(mut self, facts: &mut Facts) {
        // Where a system names no node, hwloc makes one of its own, without memory.
        let is_made_up = |node: &Node| node.memory_bytes.is_none() && facts.nodes.len() == 1;
        if facts.nodes.iter().all(is_made_up) {
            facts.nodes.clear();
        }
        // A matrix can be of something else than nodes.
        let nodes = facts.nodes.len();
        facts.system.distances.take_if(|said| said.value.len() != nodes);
        let mut order: Vec<usize> = (0..self.packages.len()).collect();
        order.sort_by_key(|&index| self.packages[index].0);
        for (node, home) in facts.nodes.iter_mut().zip(&self.homes) {
            let socket = home.and_then(|home| order.iter().position(|&index| index == home));
            node.socket = node.number.infer(|_| Some(socket? as u32));
        }
        if let Some((_, first)) = self.packages.first() {
            facts.system.sockets = first.designation.infer(|_| Some(self.packages.len() as u32));
        }
        for index in order {
            facts.processors.push(std::mem::take(&mut self.packages[index].1));
        }
        let mut sizes = facts.nodes.iter().map(|node| node.memory_bytes.known());
        let first = facts.nodes.first().and_then(|node| node.memory_bytes.as_ref());
        facts.system.memory_bytes =
            first.infer(|_| sizes.try_fold(0_u64, |sum, size| sum.checked_add(size?)));
    }
}

fn count(counter: &mut Fact<u32>, line: Line<'_>) {
    match counter {
        Some(said) => said.value += 1,
        None => *counter = line.says(1),
    }
}

/// The value of `<info name="key" value="..."/>` directly below.
fn info<'a>(object: Element<'a>, key: &str) -> Option<Line<'a>> {
    object
        .named("info")
        .find(|info| info.is("name", key))?
        .attribute("value")
}

fn package(object: Element<'_>, number: Option<&Said<u32>>) -> Processor {
    let parsed = |key| info(object, key).and_then(Line::number);
    Processor {
        designation: number
            .infer(|number| Some(format!("package {number}")))
            .or_else(|| object.line().says("package".to_owned())),
        name: info(object, "CPUModel").and_then(Line::whole),
        family: parsed("CPUFamilyNumber"),
        model: parsed("CPUModelNumber"),
        ..Processor::default()
    }
}

/// `0200 [8086:10fb] [8086:0003] 01`; version 3 appends the programming interface.
fn identity(ids: Line<'_>, device: &mut Device) {
    let mut words = ids.text.split_whitespace();
    let class = words.next().and_then(|word| u16::from_str_radix(word, 16).ok());
    let mut pair = || ids_of(words.next()?.strip_prefix('[')?.strip_suffix(']')?, ':');
    let (own, board) = (pair(), pair().filter(|&board| board != (0, 0)));
    device.class = ids.may_say(class.map(|class| u32::from(class) << 8));
    device.vendor = ids.may_say(own.map(|(vendor, _)| vendor));
    device.device = ids.may_say(own.map(|(_, device)| device));
    device.subsystem_vendor = ids.may_say(board.map(|(vendor, _)| vendor));
    device.subsystem = ids.may_say(board.map(|(_, board)| board));
}

/// The only member of a set like `0x00000001` or `0x00000100,,0x0`, most significant word first.
fn only_member(set: &str) -> Option<u32> {
    let mut found = None;
    for (word, place) in set.rsplit(',').zip((0_u32..).step_by(32)) {
        let word = word.trim_start_matches("0x");
        let bits = if word.is_empty() {
            0
        } else {
            u32::from_str_radix(word, 16).ok()?
        };
        match (bits.count_ones(), found) {
            (0, _) => {}
            (1, None) => found = Some(place + bits.trailing_zeros()),
            _ => return None,
        }
    }
    found
}

/// What a link carries in bytes/s, where the program's figure in GB/s is one that a link can have, with the
/// lanes and the generation where a wrong formula of the program gives them away.
fn link_rate(speed: f64) -> Option<(f64, Option<(u8, u8)>)> {
    let is = |rate: f64| (speed - rate).abs() < 0.001 * rate;
    let lanes = [1, 2, 4, 8, 12, 16, 32];
    let new = 128.0 / 130.0 / 8.0;
    let rates = [
        2.5 * 0.1,
        5.0 * 0.1,
        8.0 * new,
        16.0 * new,
        32.0 * new,
        64.0 * new,
    ];
    if lanes
        .iter()
        .any(|&lanes| rates.iter().any(|rate| is(rate * f64::from(lanes))))
    {
        return Some((speed * 1e9, None));
    }
    if is(0.2) {
        return Some((0.25e9, Some((1, 1))));
    }
    let lanes = lanes
        .into_iter()
        .find(|&lanes| is(5.0 * new * f64::from(lanes)))?;
    Some((0.5e9 * f64::from(lanes), Some((lanes, 2))))
}

/// Names of verbs devices, which some releases list as network interfaces.
fn is_verbs(name: &str) -> bool {
    [
        "mlx4_", "mlx5_", "mthca", "qib", "hfi1_", "usnic_", "bnxt_re", "irdma", "rdmap",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}

fn disk(object: Element<'_>, name: Line<'_>, controller: Fact<PciAddress>) -> Disk {
    // The size is in KiB.
    let size: Fact<u64> = info(object, "Size").and_then(Line::number);
    Disk {
        name: name.says(disk_name(name.text)),
        model: info(object, "Model").and_then(Line::whole),
        size_bytes: size.infer(|size| size.checked_mul(1024).filter(|&bytes| bytes > 0)),
        transport: name.may_say(name.text.starts_with("nvme").then(|| "nvme".to_owned())),
        controller,
        ..Disk::default()
    }
}

fn memory_module(object: Element<'_>, facts: &mut Facts) {
    if !object.is("subtype", "MemoryModule") {
        return;
    }
    let text = |key| info(object, key).and_then(Line::words);
    facts.dimms.push(Dimm {
        locator: text("DeviceLocation"),
        bank: text("BankLocation"),
        technology: text("Type"),
        size_bytes: info(object, "Size").and_then(|line| {
            let (number, unit) = line.text.split_at(line.text.find(|c: char| !c.is_ascii_digit())?);
            line.may_say(binary_size(&format!("{number} {unit}")))
        }),
        ..Dimm::default()
    });
}

/// `<distances2 type="NUMANode" kind="5">`: bit 0 says that the operating system gave it, bit 2 that it is
/// latencies.
fn matrix(element: Element<'_>, facts: &mut Facts) {
    if !element.is("type", "NUMANode") || !element.is("kind", "5") || !element.is("indexing", "os") {
        return;
    }
    let numbers = |name: &str| -> Option<Vec<u32>> {
        let texts = element.named(name).filter_map(Element::content);
        texts
            .flat_map(|line| line.text.split_whitespace())
            .map(|number| number.parse().ok())
            .collect()
    };
    let (Some(nodes), Some(values)) = (numbers("indexes"), numbers("u64values")) else {
        return;
    };
    // Rows and columns are in the order of the indexes; the fact is in the order of the numbers.
    let count = nodes.len();
    if count == 0 || count > 1024 || values.len() != count * count {
        return;
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&index| nodes[index]);
    let rows = order
        .iter()
        .map(|&row| order.iter().map(|&column| values[row * count + column]).collect())
        .collect();
    facts.system.distances = element.line().may_say(distances(rows));
}

/// `<distances nbobjs="8" latency_base="10"><latency value="1.6"/>`: relative to the base, in the order of
/// the nodes.
fn old_matrix(element: Element<'_>, facts: &mut Facts) {
    let number = |key: &str| -> Option<f64> { element.attribute(key)?.text.parse().ok() };
    let (Some(count), Some(base)) = (number("nbobjs"), number("latency_base")) else {
        return;
    };
    let values: Option<Vec<u32>> = element
        .named("latency")
        .map(|latency| {
            let value: f64 = latency.attribute("value")?.text.parse().ok()?;
            Some((value * base).round() as u32)
        })
        .collect();
    let count = count as usize;
    let Some(values) = values.filter(|values| count > 0 && values.len() == count * count) else {
        return;
    };
    let rows = values.chunks(count).map(<[u32]>::to_vec).collect();
    facts.system.distances = element.line().may_say(distances(rows));
}
