//! What is read from files of real machines, against a table of what is known of these machines.
//!
//! The files are not part of the project. Where they are not present, these tests say so and test nothing.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]
#![expect(clippy::ref_option, reason = "facts are fields of records")]

use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_import::{Card, Device, FabricLink, Fact, Machine, PciAddress, import, inspect};

/// A row of `machines.csv`: files of one machine, a fact, and its value.
struct Row {
    files: &'static str,
    fact: &'static str,
    value: &'static str,
}

fn rows() -> Vec<Row> {
    let lines = include_str!("machines.csv").lines();
    lines
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .skip(1)
        .map(|line| {
            let mut cells = line.splitn(3, ',');
            let mut next = || cells.next().expect("three cells").trim();
            Row {
                files: next(),
                fact: next(),
                value: next(),
            }
        })
        .collect()
}

/// The folder of the files, if it is present.
fn folder() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/machines");
    if root.is_dir() {
        return Some(root);
    }
    eprintln!("skipped: no files of real machines at {}", root.display());
    None
}

fn machine(root: &Path, files: &str) -> (Machine, Vec<Diagnostic>) {
    let paths: Vec<PathBuf> = files.split('+').map(|file| root.join(file)).collect();
    let (machine, gathered) = import(&paths, &mut Sources::new());
    (machine, gathered.diagnostics)
}

fn show<T: ToString>(fact: &Fact<T>) -> Option<String> {
    fact.as_ref().map(|said| said.value.to_string())
}

fn scaled(fact: &Fact<f64>, unit: f64) -> Option<String> {
    fact.as_ref()
        .map(|said| format!("{}", (said.value / unit * 100.0).round() / 100.0))
}

fn list<T: ToString>(items: impl Iterator<Item = T>) -> String {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    items.join(" ")
}

/// The value of a fact as text; `None` if it is unknown.
fn value(machine: &Machine, fact: &str) -> Option<String> {
    let facts = &machine.facts;
    let words: Vec<&str> = fact.split(' ').collect();
    match words[..] {
        ["maker"] => show(&facts.system.maker),
        ["product"] => show(&facts.system.product),
        ["virtual"] => show(&facts.system.is_virtual),
        ["sockets"] => Some(machine.sockets.len().to_string()).filter(|_| !machine.sockets.is_empty()),
        ["processor"] => show(&machine.sockets.first()?.name),
        ["cores"] => {
            let cores: Option<Vec<u32>> = machine
                .sockets
                .iter()
                .map(|socket| socket.cores.as_ref().map(|said| said.value))
                .collect();
            Some(list(cores.filter(|cores| !cores.is_empty())?.iter()))
        }
        ["nodes"] => show(&machine.numa_nodes),
        ["node_numbers"] => Some(list(facts.nodes.iter().filter_map(|node| show(&node.number)))),
        ["node_sockets"] => Some(list(
            facts.nodes.iter().map(|node| or_unknown(show(&node.socket))),
        )),
        ["memory_gib"] => {
            (facts.memory_bytes()).map(|bytes| (bytes as f64 / 1024_f64.powi(3)).round().to_string())
        }
        ["modules"] => {
            let sizes: Vec<u64> = facts
                .dimms
                .iter()
                .filter_map(|dimm| Some(dimm.size_bytes.as_ref()?.value))
                .collect();
            let filled: Vec<u64> = sizes.iter().copied().filter(|&size| size > 0).collect();
            let first = filled.first()? >> 20;
            Some(format!("{} of {} x {first} MiB", filled.len(), facts.dimms.len()))
        }
        ["channels"] => {
            let used = machine.sockets.iter().map(|socket| &socket.memory.channels_used);
            Some(list(used.map(|used| or_unknown(show(used)))))
        }
        ["socket_gib"] => {
            let gib = |bytes: u64| (bytes as f64 / 1024_f64.powi(3)).round().to_string();
            let sizes = machine.sockets.iter().map(|socket| &socket.memory.size_bytes);
            Some(list(
                sizes.map(|size| or_unknown(size.as_ref().map(|said| gib(said.value)))),
            ))
        }
        ["memory_rate"] => scaled(&machine.sockets.first()?.memory.rate, 1e6),
        ["memory_rate_capable"] => scaled(&machine.sockets.first()?.memory.rate_capable, 1e6),
        ["distances"] => facts.system.distances.as_ref().map(|said| {
            let rows: Vec<String> = said.value.iter().map(|row| list(row.iter())).collect();
            rows.join("/")
        }),
        ["cards", kind] => {
            let of = machine.cards.iter().filter(|card| card.kind.as_str() == kind);
            Some(of.count().to_string())
        }
        ["disks"] => Some(facts.disks.len().to_string()),
        ["found", id] => {
            let findings = inspect(machine);
            Some(
                findings
                    .iter()
                    .filter(|finding| finding.id == id)
                    .count()
                    .to_string(),
            )
        }
        ["devices"] => Some(facts.devices.len().to_string()),
        ["conflicts"] => Some(facts.conflicts.len().to_string()),
        ["free_slots"] => {
            let free = machine
                .slots
                .iter()
                .filter(|slot| slot.in_use.as_ref().is_some_and(|used| !used.value));
            Some(list(free.filter_map(|slot| show(&slot.name))))
        }
        ["pools"] => {
            let words = |fact: &Fact<String>| fact.as_ref().map_or(String::new(), |said| said.value.clone());
            let vdevs = facts.vdevs.iter().map(|vdev| {
                let disks = vdev
                    .disks
                    .as_ref()
                    .map_or(String::new(), |said| said.value.join(" "));
                [words(&vdev.pool), words(&vdev.role), words(&vdev.kind), disks].join(" ")
            });
            Some(vdevs.collect::<Vec<_>>().join("/"))
        }
        ["enclosures"] => {
            let all = facts.enclosures.iter().map(|one| {
                let [number, drives, slots] =
                    [&one.number, &one.drives, &one.slots].map(|fact| or_unknown(show(fact)));
                format!("{number}: {drives} of {slots} {}", or_unknown(show(&one.product)))
            });
            Some(all.collect::<Vec<_>>().join("/"))
        }
        ["fabric"] => {
            let is_adapter = |link: &&FabricLink| {
                link.node
                    .as_ref()
                    .is_some_and(|node| node.value.starts_with("H-"))
            };
            let adapters = facts.fabric.iter().filter(is_adapter).count();
            let rate = facts.fabric.first().and_then(|link| scaled(&link.rate, 1e9))?;
            let same = facts
                .fabric
                .iter()
                .all(|link| scaled(&link.rate, 1e9).as_ref() == Some(&rate));
            assert!(same, "all links have one rate");
            Some(format!(
                "{adapters} adapters {} links {rate} Gbit/s",
                facts.fabric.len()
            ))
        }
        ["nameless", what] => {
            let disk = facts.disks.iter().find(|disk| disk.name.is_none())?;
            match what {
                "model" => show(&disk.model),
                "bytes" => show(&disk.size_bytes),
                _ => panic!("no such fact of a disk: {what}"),
            }
        }
        ["slots"] => Some(machine.slots.len().to_string()),
        ["card", address, what] => {
            let address = PciAddress::parse(address).expect("an address");
            card(
                machine.cards.iter().find(|card| card.address == Some(address))?,
                what,
            )
        }
        ["card_named", name, what] => {
            let is =
                |card: &&Card| show(&card.name).is_some_and(|said| said.replace(' ', "_").starts_with(name));
            card(machine.cards.iter().find(is)?, what)
        }
        ["device", address, what] => {
            let address = PciAddress::parse(address).expect("an address");
            let is = |device: &&Device| device.address.as_ref().is_some_and(|said| said.value == address);
            device(facts.devices.iter().find(is)?, what)
        }
        ["named", name, what] => {
            let is = |fact: &Fact<String>| {
                fact.as_ref()
                    .is_some_and(|said| said.value.replace(' ', "_") == name)
            };
            device(facts.devices.iter().find(|device| is(&device.name))?, what)
        }
        ["slot", name, what] => {
            let named = |fact: &Fact<String>| {
                fact.as_ref()
                    .is_some_and(|said| said.value.replace(' ', "_") == name)
            };
            let slot = machine.slots.iter().find(|slot| named(&slot.name))?;
            match what {
                "lanes" => show(&slot.lanes),
                "connector_lanes" => show(&slot.connector_lanes),
                "generation" => show(&slot.generation),
                "in_use" => show(&slot.in_use),
                "address" => show(&slot.address),
                "socket" => show(&slot.socket),
                _ => panic!("no such fact of a slot: {what}"),
            }
        }
        ["interface", name, what] => {
            let is = |fact: &Fact<String>| fact.as_ref().is_some_and(|said| said.value == name);
            let interface = facts.interfaces.iter().find(|one| is(&one.name))?;
            match what {
                "gbit" => scaled(&interface.rate, 1e9),
                "gbit_capable" => scaled(&interface.rate_capable, 1e9),
                "address" => show(&interface.address),
                _ => panic!("no such fact of an interface: {what}"),
            }
        }
        ["disk", name, what] => {
            let is = |fact: &Fact<String>| fact.as_ref().is_some_and(|said| said.value == name);
            let disk = facts.disks.iter().find(|one| is(&one.name))?;
            match what {
                "model" => show(&disk.model),
                "bytes" => show(&disk.size_bytes),
                "rotates" => show(&disk.rotates),
                "transport" => show(&disk.transport),
                "controller" => show(&disk.controller),
                _ => panic!("no such fact of a disk: {what}"),
            }
        }
        _ => panic!("no such fact: {fact}"),
    }
}

fn or_unknown(value: Option<String>) -> String {
    value.unwrap_or_else(|| "unknown".to_owned())
}

fn card(card: &Card, what: &str) -> Option<String> {
    match what {
        "kind" => Some(card.kind.as_str().to_owned()),
        "ports" => show(&card.ports),
        "gbit" => scaled(&card.port_rate, 1e9),
        "gbit_capable" => scaled(&card.port_rate_capable, 1e9),
        "internal" => Some(card.internal.to_string()),
        "socket" => show(&card.socket),
        "second" => Some(card.second.as_ref()?.address?.to_string()),
        "second_socket" => show(&card.second.as_ref()?.socket),
        "slot" => show(&card.slot),
        "lanes" => show(&card.pcie.lanes),
        "generation" => show(&card.pcie.generation),
        "lanes_capable" => show(&card.pcie.lanes_capable),
        "generation_capable" => show(&card.pcie.generation_capable),
        "payload" => show(&card.pcie.payload),
        "read_request" => show(&card.pcie.read_request),
        _ => panic!("no such fact of a card: {what}"),
    }
}

fn device(device: &Device, what: &str) -> Option<String> {
    match what {
        "lanes" => show(&device.lanes),
        "generation" => show(&device.generation),
        "lanes_capable" => show(&device.lanes_capable),
        "generation_capable" => show(&device.generation_capable),
        "gbytes" => scaled(&device.link_bytes_per_s, 1e9),
        "node" => show(&device.numa_node),
        "slot" => show(&device.slot),
        "driver" => show(&device.driver),
        "parent" => show(&device.parent),
        "virtual" => show(&device.is_virtual),
        "vendor" => device.vendor.as_ref().map(|said| format!("{:04x}", said.value)),
        "class" => device.class.as_ref().map(|said| format!("{:06x}", said.value)),
        _ => panic!("no such fact of a device: {what}"),
    }
}

#[test]
fn no_value_is_wrong_and_most_are_known() {
    let Some(root) = folder() else { return };
    let rows = rows();
    let (mut right, mut unknown, mut wrong) = (0, Vec::new(), Vec::new());
    let mut read: Option<(&str, Machine)> = None;
    for row in &rows {
        if read.as_ref().is_none_or(|(files, _)| *files != row.files) {
            let (machine, diagnostics) = machine(&root, row.files);
            assert!(
                !diagnostics.iter().any(Diagnostic::is_error),
                "{}: {diagnostics:?}",
                row.files
            );
            read = Some((row.files, machine));
        }
        let (_, machine) = read.as_ref().expect("it was read");
        match value(machine, row.fact) {
            Some(found) if found == row.value => right += 1,
            None if row.value == "unknown" => right += 1,
            None => unknown.push(format!("{}: {}: {} is expected", row.files, row.fact, row.value)),
            Some(found) => {
                wrong.push(format!(
                    "{}: {}: {found} instead of {}",
                    row.files, row.fact, row.value
                ));
            }
        }
    }
    eprintln!(
        "{right} of {} right; unknown:\n{}",
        rows.len(),
        unknown.join("\n")
    );
    assert!(
        wrong.is_empty(),
        "wrong:\n{}\nunknown:\n{}",
        wrong.join("\n"),
        unknown.join("\n")
    );
    assert!(right * 10 >= rows.len() * 9, "unknown:\n{}", unknown.join("\n"));
}
