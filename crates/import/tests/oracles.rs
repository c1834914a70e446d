//! Readers against other programs: hwloc's `lstopo -i` and `lspci -F`, where the system has them.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bandgraph_config::{DiskFiles, Files, MemoryFiles};
use bandgraph_diagnostics::Sources;
use bandgraph_import::{Device, Known, Machine, PciAddress, gather, import, merge, resolve};
use bandgraph_testkit::{Mutator, Program};

/// Whether a program is installed.
fn is_installed(name: &str) -> bool {
    let found = Program::new("sh")
        .args(["-c", &format!("command -v {name}")])
        .run();
    if found.code != Some(0) {
        eprintln!("skipped: there is no `{name}` on this system");
    }
    found.code == Some(0)
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn machine_of(text: &str) -> Machine {
    let files = MemoryFiles::new().with("file", text);
    let gathered = gather(&[PathBuf::from("file")], &files, &mut Sources::new());
    assert_eq!(gathered.diagnostics, []);
    resolve(merge(gathered.facts))
}

#[test]
fn lstopo_counts_the_same_sockets_cores_nodes_and_functions() {
    if !is_installed("lstopo") {
        return;
    }
    let folders = [
        folder("tests/samples/two-sockets"),
        folder("../../../shared/reference/machines/hwloc"),
    ];
    let paths = folders.iter().flat_map(|folder| {
        let names = DiskFiles.names(folder).into_iter();
        let files = names.filter(|name| name.contains("hwloc") || name.starts_with('v'));
        files.map(|name| folder.join(name)).collect::<Vec<_>>()
    });
    let mut compared = 0;
    for path in paths.filter(|path| path.extension().is_some_and(|end| end == "xml")) {
        let shown = Program::new("lstopo")
            .args(["-v", "--of", "console", "-i"])
            .arg(&path)
            .run();
        // Version 2 of hwloc does not read version 3.
        if shown.code != Some(0) || !shown.stdout.contains("Machine") {
            continue;
        }
        compared += 1;
        let (machine, _) = import(std::slice::from_ref(&path), &mut Sources::new());
        let count = |kind: &str| {
            let lines = shown.stdout.lines().map(str::trim_start);
            let is_object = |line: &&str| line.starts_with(&format!("{kind} L#")) && line.contains(" (P#");
            lines.filter(is_object).count()
        };
        assert_eq!(
            machine.sockets.len(),
            count("Package"),
            "{}: sockets",
            path.display()
        );
        let cores: Option<u32> = machine.sockets.iter().map(|socket| socket.cores.known()).sum();
        if let Some(cores) = cores {
            assert_eq!(cores as usize, count("Core"), "{}: cores", path.display());
        }
        let nodes = machine.numa_nodes.known().unwrap_or(0) as usize;
        assert_eq!(nodes, count("NUMANode"), "{}: nodes", path.display());
        let ours: BTreeMap<PciAddress, &Device> = (machine.facts.devices.iter())
            .filter_map(|device| Some((device.address.known()?, device)))
            .collect();
        for line in shown.stdout.lines().map(str::trim_start) {
            function_agrees(line, &ours, &path);
        }
    }
    eprintln!("lstopo read {compared} files");
}

/// `PCI L#1 (busid=0000:01:00.0 id=14e4:163b class=0200(Ethernet) link=0.25GB/s PCISlot=3)`.
fn function_agrees(line: &str, ours: &BTreeMap<PciAddress, &Device>, path: &Path) {
    let field = |name: &str| {
        let (_, rest) = line.split_once(name)?;
        rest.split([' ', ')', '(']).next()
    };
    let (true, Some(address)) = (
        line.starts_with("PCI "),
        field("busid=").and_then(PciAddress::parse),
    ) else {
        return;
    };
    let device = ours
        .get(&address)
        .unwrap_or_else(|| panic!("{}: {address} is missing", path.display()));
    let ids = device.vendor.known().zip(device.device.known());
    if let (Some((vendor, device)), Some(id)) = (ids, field(" id=")) {
        assert_eq!(
            id,
            format!("{vendor:04x}:{device:04x}"),
            "{}: {address}",
            path.display()
        );
    }
    let link = field(" link=").and_then(|link| link.strip_suffix("GB/s")?.parse::<f64>().ok());
    if let (Some(bytes), Some(link)) = (device.link_bytes_per_s.known(), link) {
        // Old versions of hwloc wrote files with the wrong encoding, by 1.25 or 0.81; the files are read as
        // they were meant.
        let ratio = bytes / 1e9 / link;
        assert!(
            [1.0, 1.25, 0.8125]
                .iter()
                .any(|known| (ratio / known - 1.0).abs() < 0.03),
            "{}: {address}: {bytes} against {link} GB/s",
            path.display()
        );
    }
}

/// The configuration space of a function with one PCI Express capability, as `lspci -xxxx` prints it.
fn dump(mutator: &mut Mutator) -> String {
    let mut bytes = [0_u8; 256];
    bytes[..4].copy_from_slice(&[0x86, 0x80, 0xfb, 0x10]);
    bytes[6] = 0x10;
    bytes[9..12].copy_from_slice(&[0, 0, 2]);
    bytes[0x2c..0x30].copy_from_slice(&[0xd9, 0x15, 0x1a, 0x08]);
    bytes[0x34] = 0x50;
    // Power management first, so that the chain is walked.
    bytes[0x50..0x54].copy_from_slice(&[1, 0xa0, 3, 0]);
    bytes[0xa0..0xa4].copy_from_slice(&[0x10, 0, 2, 0]);
    let lanes = [1, 2, 4, 8, 16];
    let link = |generation: usize, lanes: u16| (lanes << 4 | generation as u16).to_le_bytes();
    let capable = (1 + mutator.below(5), *mutator.pick(&lanes));
    let now = (
        1 + mutator.below(capable.0),
        (*mutator.pick(&lanes)).min(capable.1),
    );
    bytes[0xa4] = mutator.below(6) as u8;
    let control = (mutator.below(6) << 5 | mutator.below(6) << 12) as u16;
    bytes[0xa8..0xaa].copy_from_slice(&control.to_le_bytes());
    bytes[0xac..0xae].copy_from_slice(&link(capable.0, capable.1));
    bytes[0xb2..0xb4].copy_from_slice(&link(now.0, now.1));
    let mut text = String::from("04:00.0 Ethernet controller: sample\n");
    for (row, part) in bytes.chunks(16).enumerate() {
        let _ = write!(text, "{:02x}:", row * 16);
        for byte in part {
            let _ = write!(text, " {byte:02x}");
        }
        text.push('\n');
    }
    text
}

/// What the machine says of the links of its functions.
fn links(machine: &Machine) -> BTreeSet<String> {
    let devices = machine.facts.devices.iter();
    devices
        .map(|device| {
            format!(
                "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                device.address.known(),
                device.vendor.known(),
                device.device.known(),
                device.lanes.known(),
                device.lanes_capable.known(),
                device.generation.known(),
                device.generation_capable.known(),
                device.payload.known(),
                device.payload_capable.known(),
                device.read_request.known(),
            )
        })
        .collect()
}

#[test]
fn the_text_that_lspci_makes_of_a_dump_says_what_the_dump_says() {
    if !is_installed("lspci") {
        return;
    }
    let mut mutator = Mutator::new("lspci", 1);
    let all: Vec<String> = (0..24)
        .map(|bus| dump(&mut mutator).replacen("04:", &format!("{bus:02x}:"), 1))
        .collect();
    let dumps = all.join("\n");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lspci-dump.txt");
    write(&file, &dumps);
    let shown = Program::new("lspci").args(["-Dvvnn", "-F"]).arg(&file).run();
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let (from_dump, from_text) = (machine_of(&dumps), machine_of(&shown.stdout));
    assert_eq!(from_dump.cards.len(), 24);
    assert_eq!(links(&from_dump), links(&from_text));
}

#[expect(clippy::disallowed_methods, reason = "a file for another program to read")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the folder of tests is writable");
}
