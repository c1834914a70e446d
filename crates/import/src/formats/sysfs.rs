//! `/sys` and `/proc` of Linux as files: archives of `hwloc-gather-topology` and of `ghw`, and `sosreport`.
//!
//! Numbers of NUMA nodes and of packages can have gaps. `config` has 64 bytes where it was not read as root:
//! ids and no capabilities. A `numa_node` of -1 is unknown. Symbolic links are not followed: the tree below
//! `/sys/devices` has all.

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_diagnostics::{SourceId, Sources};

use super::text::{
    disk_name, distances, either, infiniband_data, integers, is_virtual, known, leading_number, positive,
};
use super::{Line, Text, config_space};
use crate::facts::{Complete, Device, Disk, Facts, Interface, Node, Processor, Slot};
use crate::origin::{Fact, Known, Origin, Said};
use crate::pci::{PciAddress, generation_of, lanes_of};

/// Name of the format.
pub(crate) const NAME: &str = "sysfs";

/// Where its facts stand among the readers: after those before this place of the registry, before the others.
pub(crate) const PRECEDENCE: usize = 2;

/// Files of one machine by their path from the root of its file system: `sys/devices/...`.
pub(crate) type Tree = BTreeMap<String, SourceId>;

/// Folder and rest of a path in an archive or a folder, if the path is one of `/sys` or `/proc`.
pub(crate) fn split(path: &str) -> Option<(&str, &str)> {
    let mut start = 0;
    for part in path.split('/') {
        if (part == "sys" || part == "proc") && path.len() > start + part.len() {
            return Some(path.split_at(start));
        }
        start += part.len() + 1;
    }
    None
}

/// Whether a path from the root of the file system is of a file that is read.
pub(crate) fn wants(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        ["sys", "devices", "system", "cpu", _, "topology", name] => {
            name == "physical_package_id" || name == "core_id"
        }
        ["sys", "devices", "system", "node", _, name] => ["distance", "meminfo", "cpulist"].contains(&name),
        ["sys", .., "dmi", "id", name] => {
            ["sys_vendor", "product_name", "board_vendor", "board_name"].contains(&name)
        }
        ["proc", "cpuinfo"] | ["sys", "bus", "pci", "slots", _, "address"] => true,
        ["sys", "devices", root, ..] if root.starts_with("pci") => {
            let Some(last) = parts.iter().rposition(|part| PciAddress::parse(part).is_some()) else {
                return false;
            };
            match parts[last + 1..] {
                [name] => PCI_FILES.contains(&name),
                ["net", _, name] => name == "speed" || name == "operstate",
                ["infiniband", _, "sys_image_guid"]
                | ["infiniband", _, "ports", _, "rate"]
                | ["nvme", _, "model"]
                | [.., "block", _, "size"]
                | [.., "block", _, "queue", "rotational"]
                | [.., "block", _, "device", "model"] => true,
                [.., disk, "size"] => disk.starts_with("nvme"),
                _ => false,
            }
        }
        _ => false,
    }
}

const PCI_FILES: &[&str] = &[
    "class",
    "vendor",
    "device",
    "subsystem_vendor",
    "subsystem_device",
    "numa_node",
    "config",
    "current_link_speed",
    "current_link_width",
    "max_link_speed",
    "max_link_width",
];

/// The text that is kept of a file: bytes of a configuration space in hexadecimal, everything else as it is.
pub(crate) fn text_of(path: &str, bytes: &[u8]) -> String {
    if path.ends_with("/config") {
        let digits: Vec<String> = bytes
            .iter()
            .take(4096)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        return digits.join(" ");
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// Adds what the files of one machine say.
pub(crate) fn read(tree: &Tree, sources: &Sources, facts: &mut Facts) {
    let files = Files { tree, sources };
    let homes = nodes(&files, facts);
    processors(&files, &homes, facts);
    system(&files, facts);
    devices(&files, facts);
}

struct Files<'a> {
    tree: &'a Tree,
    sources: &'a Sources,
}

impl<'a> Files<'a> {
    /// The trimmed text of a file; blank text is none.
    fn get(&self, path: &str) -> Option<Said<&'a str>> {
        let &source = self.tree.get(path)?;
        let text = self.sources.text(source);
        let value = text.trim();
        let at = Origin {
            source,
            start: 0,
            end: text.trim_end().len(),
        };
        (!value.is_empty()).then(|| at.says(value))
    }

    /// A value parsed from a file.
    fn parse<T>(&self, path: &str, parse: impl Fn(&str) -> Option<T>) -> Fact<T> {
        let said = self.get(path)?;
        Some(said.at.says(parse(said.value)?))
    }

    /// Names directly below a folder.
    fn names(&self, folder: &str) -> BTreeSet<&'a str> {
        let below = self.tree.range(folder.to_owned()..);
        below
            .map_while(|(path, _)| path.strip_prefix(folder))
            .filter_map(|rest| rest.split('/').next())
            .collect()
    }

    fn lines(&self, path: &str) -> Option<Text<'a>> {
        let &source = self.tree.get(path)?;
        Some(Text {
            source,
            text: self.sources.text(source),
        })
    }
}

fn number_of(name: &str, word: &str) -> Option<u32> {
    name.strip_prefix(word)?.parse().ok()
}

/// The NUMA nodes; returns the node of each processor.
fn nodes(files: &Files<'_>, facts: &mut Facts) -> BTreeMap<u32, u32> {
    let folder = "sys/devices/system/node/";
    let mut numbers: Vec<u32> = files
        .names(folder)
        .into_iter()
        .filter_map(|name| number_of(name, "node"))
        .collect();
    numbers.sort_unstable();
    let mut homes = BTreeMap::new();
    let mut rows = Vec::new();
    let mut place = None;
    for number in numbers {
        let file = |name: &str| format!("{folder}node{number}/{name}");
        let memory = files.lines(&file("meminfo")).and_then(|text| {
            let line = text.lines().find(|line| line.text.contains("MemTotal:"))?;
            line.may_say(leading_number(line.text.split_once("MemTotal:")?.1.trim_start()))
        });
        let cpus = files.get(&file("cpulist"));
        for cpu in cpus.iter().flat_map(|said| members(said.value)) {
            homes.insert(cpu, number);
        }
        if let Some(row) = files.parse(&file("distance"), integers) {
            place.get_or_insert(row.at);
            rows.push(row.value);
        }
        let at = cpus.at().or(memory.at()).or(place);
        facts.nodes.push(Node {
            number: at.map(|at| at.says(number)),
            memory_bytes: memory.infer(|kibibytes| Some((kibibytes * 1024.0) as u64)),
            ..Node::default()
        });
    }
    if rows.len() == facts.nodes.len() {
        facts.system.distances = place.and_then(|at| Some(at.says(distances(rows)?)));
    }
    let sizes = facts.nodes.iter().map(|node| node.memory_bytes.known());
    let first = facts.nodes.first().and_then(|node| node.memory_bytes.as_ref());
    facts.system.memory_bytes = first.infer(|_| sizes.sum());
    homes
}

/// The members of a list like `0-5,8`, at most 65536.
fn members(list: &str) -> impl Iterator<Item = u32> {
    list.split(',')
        .filter_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some((
                first.trim().parse::<u32>().ok()?,
                last.trim().parse::<u32>().ok()?,
            ))
        })
        .flat_map(|(first, last)| first..=last.min(first.saturating_add(4096)))
        .take(65536)
}

/// A package of processors.
struct Package {
    at: Origin,
    threads: u32,
    /// Node and number of each core.
    cores: BTreeSet<(u32, u32)>,
}

fn processors(files: &Files<'_>, homes: &BTreeMap<u32, u32>, facts: &mut Facts) {
    let folder = "sys/devices/system/cpu/";
    // Cores are numbered within their die.
    let mut packages: BTreeMap<u32, Package> = BTreeMap::new();
    let mut sockets: BTreeMap<u32, u32> = BTreeMap::new();
    for cpu in files
        .names(folder)
        .into_iter()
        .filter_map(|name| number_of(name, "cpu"))
    {
        let number = |name: &str| {
            files.parse(&format!("{folder}cpu{cpu}/topology/{name}"), |text| {
                text.parse().ok()
            })
        };
        let Some(package) = number("physical_package_id") else {
            continue;
        };
        let entry = packages.entry(package.value).or_insert(Package {
            at: package.at,
            threads: 0,
            cores: BTreeSet::new(),
        });
        entry.threads += 1;
        let node = homes.get(&cpu).copied();
        if let Some(core) = number("core_id") {
            entry.cores.insert((node.unwrap_or(0), core.value));
        }
        if let Some(node) = node {
            sockets.insert(node, package.value);
        }
    }
    let order: Vec<u32> = packages.keys().copied().collect();
    for node in &mut facts.nodes {
        node.socket = node.number.infer(|number| {
            let package = sockets.get(number)?;
            Some(order.iter().position(|one| one == package)? as u32)
        });
    }
    let info = files.lines("proc/cpuinfo");
    let field = |name: &str| {
        info.as_ref()?.lines().find_map(|line| {
            let (key, value) = line.key_value()?;
            (key == name && !value.text.is_empty()).then_some(value)
        })
    };
    let parsed = |name| field(name).and_then(Line::number);
    for (package, Package { at, threads, cores }) in packages {
        facts.processors.push(Processor {
            designation: Some(at.says(format!("package {package}"))),
            name: field("model name").and_then(Line::whole),
            family: parsed("cpu family"),
            model: parsed("model"),
            cores: Some(at.says(cores.len() as u32)).filter(|said| said.value > 0),
            threads: Some(at.says(threads)),
            ..Processor::default()
        });
    }
}

fn system(files: &Files<'_>, facts: &mut Facts) {
    let dmi = |name: &str| {
        ["sys/class/dmi/id", "sys/devices/virtual/dmi/id"]
            .into_iter()
            .find_map(|folder| {
                files.parse(&format!("{folder}/{name}"), |text| known(text).map(str::to_owned))
            })
    };
    facts.system.maker = dmi("sys_vendor").or_else(|| dmi("board_vendor"));
    facts.system.product = dmi("product_name").or_else(|| dmi("board_name"));
    let product = &facts.system.product;
    facts.system.is_virtual = product.infer(|name| is_virtual(name).then_some(true));
    for name in files.names("sys/bus/pci/slots/") {
        let path = format!("sys/bus/pci/slots/{name}/address");
        // `0000:03:00`: without a function.
        let address = files.parse(&path, |text| PciAddress::parse(&format!("{text}.0")));
        if address.is_some() {
            facts.slots.push(Slot {
                name: address.infer(|_| Some(name.to_owned())),
                address,
                ..Slot::default()
            });
        }
    }
}

fn devices(files: &Files<'_>, facts: &mut Facts) {
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    let mut fabric = Vec::new();
    for path in files
        .tree
        .keys()
        .filter(|path| path.starts_with("sys/devices/pci"))
    {
        let mut end = 0;
        let mut last = 0;
        for part in path.split('/') {
            end += part.len() + 1;
            if PciAddress::parse(part).is_some() {
                last = end - 1;
            }
        }
        if last > 0 {
            folders.insert(&path[..last]);
            let rest = &path[last + 1..];
            if rest.starts_with("infiniband/") {
                fabric.push((&path[..last], rest));
            } else {
                below(files, &path[..last], rest, facts);
            }
        }
    }
    for folder in folders {
        device(files, folder, facts);
    }
    // Their rates are those of interfaces, and their ids those of functions, which are known only now.
    for (folder, rest) in fabric {
        below(files, folder, rest, facts);
    }
}

fn address_in(folder: &str) -> Option<PciAddress> {
    PciAddress::parse(folder.rsplit('/').next()?)
}

fn device(files: &Files<'_>, folder: &str, facts: &mut Facts) {
    let file = |name: &str| format!("{folder}/{name}");
    let hex = |name: &str| {
        files.parse(&file(name), |text| {
            u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
        })
    };
    let id = |name: &str| hex(name).infer(|&id| u16::try_from(id).ok().filter(|&id| id > 0));
    let Some(at) = ["class", "vendor", "config", "numa_node"]
        .iter()
        .find_map(|name| Some(files.get(&file(name))?.at))
    else {
        return;
    };
    let Some(address) = address_in(folder) else { return };
    let lanes = |name: &str| files.parse(&file(name), |text| lanes_of(text.parse().ok()?));
    let speed = |name: &str| files.parse(&file(name), |text| generation_of(leading_number(text)?));
    let mut device = Device {
        address: Some(at.says(address)),
        class: hex("class"),
        vendor: id("vendor"),
        device: id("device"),
        subsystem_vendor: id("subsystem_vendor"),
        subsystem: id("subsystem_device"),
        numa_node: files.parse(&file("numa_node"), |text| text.parse().ok()),
        lanes: lanes("current_link_width"),
        lanes_capable: lanes("max_link_width"),
        generation: speed("current_link_speed"),
        generation_capable: speed("max_link_speed"),
        parent: folder
            .rsplit_once('/')
            .and_then(|(above, _)| Some(at.says(address_in(above)?))),
        ..Device::default()
    };
    let config = files.parse(&file("config"), |text| {
        text.split(' ')
            .map(|byte| u8::from_str_radix(byte, 16).ok())
            .collect::<Option<Vec<u8>>>()
    });
    if let Some(config) = config {
        let mut decoded = Device {
            address: device.address.clone(),
            ..Device::default()
        };
        let mut links = config_space::decode(&config.value, config.at, &mut decoded, facts);
        facts.hypertransport.append(&mut links);
        device.complete(decoded, &mut facts.conflicts);
    }
    facts.devices.push(device);
}

/// Interfaces and disks below a PCI function.
fn below(files: &Files<'_>, folder: &str, rest: &str, facts: &mut Facts) {
    let path = format!("{folder}/{rest}");
    let Some(said) = files.get(&path) else { return };
    let address = address_in(folder).map(|address| said.at.says(address));
    let parts: Vec<&str> = rest.split('/').collect();
    match parts[..] {
        ["net", name, file] => {
            let is_known = |one: &Interface| one.name.is(|known| known == name);
            if !facts.interfaces.iter().any(is_known) {
                facts.interfaces.push(Interface {
                    name: Some(said.at.says(name.to_owned())),
                    address,
                    ..Interface::default()
                });
            }
            // Mbit/s; -1 where there is no link.
            let megabits = positive::<f64>(said.value).filter(|_| file == "speed");
            if let (Some(megabits), Some(one)) =
                (megabits, facts.interfaces.iter_mut().find(|one| is_known(one)))
            {
                one.rate = Some(said.at.says(megabits * 1e6));
            }
        }
        ["infiniband", _, "sys_image_guid"] => {
            let is = |device: &&mut Device| device.address.known() == address.known();
            if let Some(device) = facts.devices.iter_mut().find(is) {
                device.board = Some(said.at.says(said.value.to_owned()));
            }
        }
        ["infiniband", _, "ports", _, "rate"] => {
            // `100 Gb/sec (4X EDR)`, of the interfaces of the same function.
            let rate = leading_number(said.value).filter(|&rate| rate > 0.0);
            for one in &mut facts.interfaces {
                if one.address.value() == address.value() && one.rate.is_none() {
                    one.rate = rate.map(|rate| said.at.says(infiniband_data(rate) * 1e9));
                }
            }
        }
        [.., name, "size"] => {
            let base = &path[..path.len() - "/size".len()];
            let model = |path: &str| files.parse(path, |text| known(text).map(str::to_owned));
            let controller = base.rsplit_once('/').map_or("", |(controller, _)| controller);
            let is_nvme = name.starts_with("nvme");
            if ["sr", "loop", "fd"].iter().any(|kind| name.starts_with(kind)) {
                return;
            }
            facts.disks.push(Disk {
                name: Some(said.at.says(disk_name(name))),
                model: model(&format!("{base}/device/model"))
                    .or_else(|| model(&format!("{controller}/model"))),
                // In sectors of 512 bytes, whatever the sectors of the disk are.
                size_bytes: said.value.parse().ok().and_then(|sectors: u64| {
                    Some(said.at.says(sectors.checked_mul(512).filter(|&bytes| bytes > 0)?))
                }),
                rotates: files.parse(&format!("{base}/queue/rotational"), |text| either(text, "1", "0")),
                transport: is_nvme.then(|| said.at.says("nvme".to_owned())),
                controller: address,
            });
        }
        _ => {}
    }
}
