//! Each format on a small sample of the project's own, and what must hold between formats: two forms of one
//! machine agree, the order of devices says nothing, and leaving a file out makes values unknown, never
//! other.

#![expect(clippy::ref_option, reason = "facts are fields of records")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use bandgraph_config::{DiskFiles, Files, MemoryFiles, ReadError};
use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_import::{Facts, Machine, Said, gather, inspect, merge, resolve};
use lzma_rust2::{XzOptions, XzWriter};

/// Files of one machine with two sockets.
const TWO_SOCKETS: [(&str, &str); 8] = [
    ("hwloc-1.xml", include_str!("samples/two-sockets/hwloc-1.xml")),
    ("hwloc-2.xml", include_str!("samples/two-sockets/hwloc-2.xml")),
    ("hwloc-3.xml", include_str!("samples/two-sockets/hwloc-3.xml")),
    ("lscpu.txt", include_str!("samples/two-sockets/lscpu.txt")),
    ("numactl.txt", include_str!("samples/two-sockets/numactl.txt")),
    ("lsblk.json", include_str!("samples/two-sockets/lsblk.json")),
    (
        "nvme-list.json",
        include_str!("samples/two-sockets/nvme-list.json"),
    ),
    ("ethtool.txt", include_str!("samples/two-sockets/ethtool.txt")),
];

fn gathered(files: &[(&str, &[u8])]) -> (Machine, Vec<Diagnostic>) {
    let memory = files.iter().fold(MemoryFiles::new(), |memory, &(name, bytes)| {
        memory.with(name, bytes)
    });
    let paths: Vec<PathBuf> = files.iter().map(|&(name, _)| PathBuf::from(name)).collect();
    let gathered = gather(&paths, &memory, &mut Sources::new());
    (resolve(merge(gathered.facts)), gathered.diagnostics)
}

fn machine(files: &[(&str, &str)]) -> Machine {
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|&(name, text)| (name, text.as_bytes()))
        .collect();
    let (machine, diagnostics) = gathered(&files);
    assert_eq!(diagnostics, [], "the samples are readable");
    machine
}

fn sample(name: &str) -> Machine {
    let known = TWO_SOCKETS.iter().find(|(sample, _)| *sample == name);
    machine(&[*known.expect("a sample")])
}

fn facts(text: &str) -> Facts {
    machine(&[("sample", text)]).facts
}

fn value<T: Clone>(fact: &Option<Said<T>>) -> Option<T> {
    fact.as_ref().map(|said| said.value.clone())
}

fn text<T: std::fmt::Debug>(fact: &Option<Said<T>>) -> Option<String> {
    fact.as_ref().map(|said| format!("{:?}", said.value))
}

/// All that is known of a machine, by name. What is unknown is not there.
fn known(machine: &Machine) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    let mut note = |name: String, value: Option<String>| {
        if let Some(value) = value {
            known.insert(name, value);
        }
    };
    let facts = &machine.facts;
    note("product".to_owned(), text(&facts.system.product));
    note("memory".to_owned(), text(&facts.system.memory_bytes));
    note("distances".to_owned(), text(&facts.system.distances));
    for (index, socket) in machine.sockets.iter().enumerate() {
        note(format!("socket {index} name"), text(&socket.name));
        note(format!("socket {index} cores"), text(&socket.cores));
    }
    for node in &facts.nodes {
        let number = value(&node.number).expect("nodes have numbers");
        note(format!("node {number} socket"), text(&node.socket));
        note(format!("node {number} memory"), text(&node.memory_bytes));
    }
    for card in &machine.cards {
        let mut note = |name: &str, value| {
            note(
                format!("card {} {name}", card.address.expect("an address")),
                value,
            );
        };
        note("kind", Some(card.kind.as_str().to_owned()));
        note("slot", text(&card.slot));
        note("socket", text(&card.socket));
        note("lanes", text(&card.pcie.lanes));
        note("generation", text(&card.pcie.generation));
        note("ports", text(&card.ports));
    }
    for disk in &facts.disks {
        let Some(name) = value(&disk.name) else { continue };
        note(format!("disk {name} model"), text(&disk.model));
        note(format!("disk {name} size"), text(&disk.size_bytes));
        note(format!("disk {name} controller"), text(&disk.controller));
        note(format!("disk {name} rotates"), text(&disk.rotates));
    }
    for interface in &facts.interfaces {
        let Some(name) = value(&interface.name) else {
            continue;
        };
        note(format!("interface {name} address"), text(&interface.address));
        note(format!("interface {name} rate"), text(&interface.rate));
        note(format!("interface {name} most"), text(&interface.rate_capable));
    }
    known
}

#[test]
fn the_three_versions_of_hwloc_agree() {
    let first = known(&sample("hwloc-1.xml"));
    assert_eq!(first, known(&sample("hwloc-2.xml")));
    assert_eq!(first, known(&sample("hwloc-3.xml")));
    let is =
        |name: &str, wanted: &str| assert_eq!(first.get(name).map(String::as_str), Some(wanted), "{name}");
    is("socket 1 cores", "2");
    is("node 1 socket", "1");
    is("distances", "[[10, 21], [21, 10]]");
    is("card 18:00.0 lanes", "16");
    is("card 18:00.0 generation", "4");
    is("card 18:00.0 slot", "\"3\"");
    is("card 18:00.0 ports", "1");
    is("card af:00.0 socket", "1");
    is("disk nvme0n1 size", "1920383410176");
    assert_eq!(first.get("card af:00.0 lanes"), None, "a speed of 0 is unknown");
}

#[test]
fn the_order_of_devices_says_nothing() {
    let text = TWO_SOCKETS[2].1;
    let (before, after) = text.split_at(text.find("    <object type=\"Package\"").expect("a package"));
    let second = after.rfind("    <object type=\"Package\"").expect("a package");
    let end = after.find("  </object>\n  <distances2").expect("an end");
    let shuffled = format!(
        "{before}{}{}{}",
        &after[second..end],
        &after[..second],
        &after[end..]
    );
    assert_ne!(text, shuffled);
    assert_eq!(
        known(&machine(&[("hwloc.xml", text)])),
        known(&machine(&[("hwloc.xml", &shuffled)]))
    );
    let mut files: Vec<(&str, &str)> = TWO_SOCKETS.to_vec();
    let all = known(&machine(&files));
    files.reverse();
    assert_eq!(all, known(&machine(&files)));
}

#[test]
fn a_file_less_makes_values_unknown_and_never_other() {
    let all = known(&machine(&TWO_SOCKETS));
    for (left_out, _) in TWO_SOCKETS {
        let mut files = TWO_SOCKETS.to_vec();
        files.retain(|(name, _)| *name != left_out);
        for (name, value) in known(&machine(&files)) {
            assert_eq!(all.get(&name), Some(&value), "{name} without {left_out}");
        }
    }
    for file in TWO_SOCKETS {
        for (name, value) in known(&machine(&[file])) {
            assert_eq!(all.get(&name), Some(&value), "{name} of {} alone", file.0);
        }
    }
}

#[test]
fn both_forms_of_a_format_agree() {
    let same =
        |one: &str, other: &str| assert_eq!(known(&machine(&[("a", one)])), known(&machine(&[("a", other)])));
    same(
        include_str!("samples/lshw.json"),
        include_str!("samples/lshw.xml"),
    );
    same(TWO_SOCKETS[3].1, include_str!("samples/two-sockets/lscpu.json"));
}

#[test]
fn lshw_has_no_links_and_no_sizes_where_firmware_has_none() {
    let machine = machine(&[("lshw.json", include_str!("samples/lshw.json"))]);
    assert_eq!(machine.sockets.len(), 1, "an empty socket is none");
    assert_eq!(value(&machine.sockets[0].cores), Some(2));
    let sizes: Vec<Option<u64>> = machine
        .facts
        .dimms
        .iter()
        .map(|dimm| value(&dimm.size_bytes))
        .collect();
    assert_eq!(sizes, [Some(8 << 30), None, Some(0)]);
    let sas = &machine.cards[0];
    assert_eq!(
        (value(&sas.ids), sas.kind.as_str()),
        (Some((0x1000, 0x97)), "hba")
    );
    assert_eq!(value(&sas.pcie.lanes), None);
    assert_eq!(value(&machine.cards[1].ids), None, "blotted out");
    assert_eq!(value(&machine.facts.interfaces[0].rate_capable), Some(10e9));
}

#[test]
fn redfish_sizes_are_whole_and_free_slots_are_free() {
    let machine = machine(&[("redfish.json", include_str!("samples/redfish.json"))]);
    assert_eq!(machine.sockets.len(), 1);
    let sizes: Vec<Option<u64>> = machine
        .facts
        .dimms
        .iter()
        .map(|dimm| value(&dimm.size_bytes))
        .collect();
    assert_eq!(sizes, [Some(32 << 30), Some(0)], "31250 is 32 GiB in millions");
    assert_eq!(value(&machine.facts.dimms[0].rate), Some(3200.0));
    assert_eq!(value(&machine.facts.devices[0].lanes), Some(8));
    assert_eq!(value(&machine.facts.devices[0].generation_capable), None);
    assert_eq!(value(&machine.slots[0].in_use), Some(false));
}

/// What comes of one file with these bytes: what is known of the machine, or the error.
fn of_packed(name: &str, bytes: &[u8]) -> Result<BTreeMap<String, String>, Box<Diagnostic>> {
    let (machine, diagnostics) = gathered(&[(name, bytes)]);
    match diagnostics.into_iter().next() {
        Some(error) => Err(Box::new(error)),
        None => Ok(known(&machine)),
    }
}

/// As `xz` writes bytes.
fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).expect("options are sound");
    writer.write_all(bytes).expect("memory takes it");
    writer.finish().expect("memory takes it")
}

/// The archive that sosreport writes is a tar, packed by xz.
#[test]
fn packed_files_are_as_unpacked_ones() {
    let all = known(&machine(&TWO_SOCKETS));
    let mut tar = tar::Builder::new(Vec::new());
    for (name, text) in TWO_SOCKETS {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        let path = format!("sosreport-host/sos_commands/{name}");
        tar.append_data(&mut header, path, text.as_bytes())
            .expect("memory takes it");
    }
    let tar = tar.into_inner().expect("memory takes it");
    let zstd = ruzstd::encoding::compress_to_vec(&*tar, ruzstd::encoding::CompressionLevel::Fastest);
    let packed = [("sos.tar.xz", xz(&tar)), ("sos.tar.zst", zstd), ("sos.tar", tar)];
    for (name, bytes) in packed {
        assert_eq!(of_packed(name, &bytes).expect(name), all, "{name}");
    }
    let (name, text) = TWO_SOCKETS[0];
    let alone = of_packed("one.xz", &xz(text.as_bytes())).expect("one file");
    assert_eq!(alone, known(&machine(&[(name, text)])));
}

/// Damage, a window of gigabytes, and few bytes that unpack to many are errors, and take no memory.
#[test]
fn xz_is_read_within_limits() {
    let sound = xz(&vec![b'a'; 1 << 20]);
    let cut = sound[..sound.len() / 2].to_vec();
    // The byte after the filter's id and the length of its properties is the size of the dictionary: 40 is 4
    // GiB.
    let mut large = sound.clone();
    let property = 12 + 4;
    assert_eq!(large[property - 2..property], [0x21, 1], "the filter is LZMA2");
    large[property] = 40;
    let checked = 12..12 + 8;
    let sum = crc32(&large[checked.clone()]);
    large[checked.end..checked.end + 4].copy_from_slice(&sum.to_le_bytes());
    let bomb = xz(&vec![0; 64 << 20]);
    assert!(bomb.len() < 16 << 10);
    for (name, bytes) in [("cut", cut), ("large", large), ("bomb", bomb)] {
        let error = of_packed(name, &bytes).expect_err(name);
        assert_eq!(error.id, "import::unreadable", "{name}: {error:?}");
    }
}

/// The checksum of IEEE 802.3, as its definition goes.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            let carried = sum & 1;
            sum = (sum >> 1) ^ (0xedb8_8320 * carried);
        }
    }
    !sum
}

/// PowerShell writes UTF-16 where output is redirected, and marks UTF-8.
#[test]
fn texts_of_windows_are_read_like_others() {
    let wide =
        |bytes: fn(u16) -> [u8; 2], text: &str| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    for name in ["lspci.txt", "lshw.xml", "lshw.json", "redfish.json"] {
        let bytes = DiskFiles
            .read(
                &Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("tests/samples")
                    .join(name),
            )
            .expect("it is a sample");
        let plain = String::from_utf8(bytes).expect("it is text");
        let marked = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
        let expected = known(&machine(&[(name, &plain)]));
        assert!(!expected.is_empty());
        for bytes in [
            marked.clone().into_bytes(),
            wide(u16::to_le_bytes, &marked),
            wide(u16::to_be_bytes, &marked),
            wide(u16::to_le_bytes, &plain),
            wide(u16::to_be_bytes, &plain),
        ] {
            let (machine, diagnostics) = gathered(&[(name, &bytes)]);
            assert_eq!(diagnostics, [], "{name}");
            assert_eq!(known(&machine), expected, "{name}");
        }
    }
}

#[test]
fn archives_of_other_programs_are_named() {
    let error = of_packed("machine.zip", b"PK\x03\x04\0\0").expect_err("it is no file of ours");
    assert_eq!(error.id, "import::unknown_format");
    assert!(
        error.help.iter().any(|help| help.contains("packed by zip")),
        "{error:?}"
    );
}

#[test]
fn an_idle_switch_is_a_contradiction_and_no_value() {
    let machine = machine(&[("nccl.xml", include_str!("samples/nccl.xml"))]);
    assert_eq!(machine.facts.conflicts.len(), 1);
    let findings: Vec<_> = inspect(&machine).into_iter().map(|one| one.id).collect();
    assert!(findings.contains(&"inspect::uplink_suspicious"), "{findings:?}");
    assert!(!findings.contains(&"inspect::files_disagree"), "{findings:?}");
    assert_eq!(value(&machine.facts.devices[0].generation), None);
    assert_eq!(machine.facts.devices.len(), 4, "an invented bridge is none");
    assert_eq!(value(&machine.facts.devices[3].vendor), None);
    assert_eq!(value(&machine.facts.devices[3].lanes), None);
    assert_eq!(value(&machine.facts.interfaces[0].rate), Some(200e9));
}

#[test]
fn rates_of_ports_without_a_link_are_unknown() {
    let ports = facts(include_str!("samples/two-sockets/ibstat.txt")).interfaces;
    let rates: Vec<Option<f64>> = ports.iter().map(|port| value(&port.rate)).collect();
    assert_eq!(rates, [Some(200e9), None]);
    let ports = facts(TWO_SOCKETS[7].1).interfaces;
    let rates: Vec<_> = ports
        .iter()
        .map(|port| (value(&port.rate), value(&port.rate_capable)))
        .collect();
    assert_eq!(rates, [(Some(100e9), Some(200e9)), (None, Some(1e9))]);
}

#[test]
fn a_pool_has_its_groups_with_their_disks() {
    let vdevs = facts(include_str!("samples/two-sockets/zpool.txt")).vdevs;
    let all: Vec<String> = vdevs
        .iter()
        .map(|vdev| {
            let disks = value(&vdev.disks).unwrap_or_default().join(" ");
            let words = [&vdev.role, &vdev.kind].map(|fact| value(fact).unwrap_or_default());
            format!("{} {} {disks}", words[0], words[1])
        })
        .collect();
    assert_eq!(
        all,
        [
            "data raidz2 da0 da1 da9 da3",
            "log mirror nvd0 nvd1",
            "cache disk nvd2"
        ]
    );
}

#[test]
fn sizes_are_exact_or_unknown() {
    let disks = facts(include_str!("samples/two-sockets/megacli-pdlist.txt")).disks;
    assert_eq!(value(&disks[0].size_bytes), Some(0x45dd_2fb0 * 512));
    assert_eq!(value(&disks[0].name).as_deref(), Some("32:4"));
    let disks = facts(include_str!("samples/two-sockets/nvme-list.txt")).disks;
    assert_eq!(value(&disks[0].model).as_deref(), Some("Sample SSD"));
    assert_eq!(value(&disks[0].size_bytes), None, "the table rounds");
    assert_eq!(
        facts(TWO_SOCKETS[5].1).disks.len(),
        1,
        "an optical drive is no disk"
    );
}

/// Files of `/sys` of a machine with sparse node numbers, and a card with and without a link.
fn sysfs() -> Vec<(&'static str, Vec<u8>)> {
    let mut config = vec![0_u8; 64];
    config[..4].copy_from_slice(&[0xb3, 0x15, 0x1b, 0x10]);
    config[9..12].copy_from_slice(&[0, 0, 2]);
    let mut files: Vec<(&str, Vec<u8>)> = [
        ("sys/devices/system/node/node0/distance", "10 16\n"),
        ("sys/devices/system/node/node0/cpulist", "0-1\n"),
        (
            "sys/devices/system/node/node0/meminfo",
            "\nNode 0 MemTotal:        1048576 kB\n",
        ),
        ("sys/devices/system/node/node33/distance", "16 10\n"),
        ("sys/devices/system/node/node33/cpulist", "2-3\n"),
        (
            "sys/devices/system/node/node33/meminfo",
            "\nNode 33 MemTotal:        1048576 kB\n",
        ),
        ("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n"),
        ("sys/devices/system/cpu/cpu0/topology/core_id", "0\n"),
        ("sys/devices/system/cpu/cpu1/topology/physical_package_id", "0\n"),
        ("sys/devices/system/cpu/cpu1/topology/core_id", "1\n"),
        ("sys/devices/system/cpu/cpu2/topology/physical_package_id", "0\n"),
        ("sys/devices/system/cpu/cpu2/topology/core_id", "0\n"),
        ("sys/devices/system/cpu/cpu3/topology/physical_package_id", "0\n"),
        ("sys/devices/system/cpu/cpu3/topology/core_id", "1\n"),
        ("sys/devices/pci0000:00/0000:00:03.0/class", "0x060400\n"),
        (
            "sys/devices/pci0000:00/0000:00:03.0/0000:05:00.0/class",
            "0x020000\n",
        ),
        (
            "sys/devices/pci0000:00/0000:00:03.0/0000:05:00.0/numa_node",
            "-1\n",
        ),
        (
            "sys/devices/pci0000:00/0000:00:03.0/0000:05:00.0/current_link_speed",
            "16.0 GT/s PCIe\n",
        ),
        (
            "sys/devices/pci0000:00/0000:00:03.0/0000:05:00.0/current_link_width",
            "8\n",
        ),
        (
            "sys/devices/pci0000:00/0000:00:03.0/0000:05:00.0/max_link_speed",
            "Unknown\n",
        ),
        (
            "sys/devices/pci0000:00/0000:00:03.0/0000:05:00.0/net/eth0/speed",
            "100000\n",
        ),
        ("sys/bus/pci/slots/7/address", "0000:05:00\n"),
        ("proc/cpuinfo", "model name\t: Sample\n"),
    ]
    .into_iter()
    .map(|(path, text)| (path, text.as_bytes().to_vec()))
    .collect();
    files.push(("sys/devices/pci0000:00/0000:00:03.0/0000:05:00.0/config", config));
    files
}

fn tar(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        // Set as bytes: the builder refuses paths that leave the archive, which an attacker's does not.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_entry_type(tar::EntryType::Regular);
        header.set_cksum();
        archive
            .append(&header, bytes.as_slice())
            .expect("memory is writable");
    }
    archive.into_inner().expect("memory is writable")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    writer.write_all(bytes).expect("memory is writable");
    writer.finish().expect("memory is writable")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).expect("memory is writable");
    writer.finish().expect("memory is writable")
}

/// Files in memory with the folders that they are in, as a disk has them.
struct Folder(BTreeMap<String, Vec<u8>>);

impl Files for Folder {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let file = path.to_str().and_then(|path| self.0.get(path));
        file.cloned().ok_or(ReadError::Folder)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let below = self
            .0
            .keys()
            .filter_map(|path| Path::new(path).strip_prefix(folder).ok());
        let names = below.filter_map(|rest| rest.iter().next()?.to_str());
        names
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    fn identity(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }
}

#[test]
fn a_folder_and_an_archive_of_it_say_the_same() {
    let files = sysfs();
    let folder = Folder(
        files
            .iter()
            .map(|(path, bytes)| (format!("machine/{path}"), bytes.clone()))
            .collect(),
    );
    let from_folder = gather(&[PathBuf::from("machine")], &folder, &mut Sources::new());
    let from_folder = resolve(merge(from_folder.facts));
    let plain = tar(&files);
    for packed in [plain.clone(), gzip(&plain), bzip2(&plain)] {
        let (machine, diagnostics) = gathered(&[("machine.tar", packed.as_slice())]);
        assert_eq!(diagnostics, []);
        assert_eq!(known(&machine), known(&from_folder));
    }
    let facts = &from_folder.facts;
    let numbers: Vec<Option<u32>> = facts.nodes.iter().map(|node| value(&node.number)).collect();
    assert_eq!(numbers, [Some(0), Some(33)]);
    assert_eq!(
        value(&from_folder.sockets[0].cores),
        Some(4),
        "cores are numbered within their die"
    );
    assert_eq!(value(&facts.system.memory_bytes), Some(2 << 30));
    let card = &from_folder.cards[0];
    assert_eq!(
        (value(&card.pcie.lanes), value(&card.pcie.generation)),
        (Some(8), Some(4))
    );
    assert_eq!(value(&card.ids), Some((0x15b3, 0x101b)));
    assert_eq!(value(&card.slot).as_deref(), Some("7"));
    assert_eq!(value(&facts.devices[1].numa_node), None, "-1 is unknown");
    assert_eq!(value(&facts.interfaces[0].rate), Some(100e9));
}

#[test]
fn a_compressed_text_is_read_like_the_text() {
    let (machine, diagnostics) = gathered(&[("lscpu.txt.gz", gzip(TWO_SOCKETS[3].1.as_bytes()).as_slice())]);
    assert_eq!(diagnostics, []);
    assert_eq!(known(&machine), known(&sample("lscpu.txt")));
}

#[test]
fn archives_have_limits() {
    // A few bytes that unpack to 20 MiB of zeros: one file, and a member of an archive.
    let zeros = vec![0_u8; 20 << 20];
    let of_archive = tar(&[("lscpu.txt", zeros.clone())]);
    for bomb in [bzip2(&zeros), bzip2(&of_archive)] {
        assert!(bomb.len() < 16 << 10);
        let (machine, diagnostics) = gathered(&[("bomb", bomb.as_slice())]);
        assert!(diagnostics.iter().any(Diagnostic::is_error), "{diagnostics:?}");
        assert!(machine.sockets.is_empty());
    }
    // A path that leaves the archive is not read, and the others are.
    let text = TWO_SOCKETS[3].1.as_bytes().to_vec();
    let archive = tar(&[
        ("../lscpu.txt", text.clone()),
        ("a/lsblk.json", TWO_SOCKETS[5].1.as_bytes().to_vec()),
    ]);
    let (machine, diagnostics) = gathered(&[("machine.tar", archive.as_slice())]);
    assert_eq!(diagnostics, []);
    assert!(machine.sockets.is_empty());
    assert_eq!(machine.facts.disks.len(), 1);
    // So is a document that breaks off, at its end.
    for whole in [TWO_SOCKETS[0].1, TWO_SOCKETS[5].1] {
        let (_, found) = gathered(&[("cut", &whole.as_bytes()[..whole.len() - 9])]);
        assert_eq!(found[0].id, "import::damaged", "{found:?}");
    }
    // An archive that is cut off is an error.
    let cut = gzip(&tar(&[("lscpu.txt", text)]));
    let (_, diagnostics) = gathered(&[("machine.tar.gz", &cut[..cut.len() / 2])]);
    assert!(diagnostics.iter().any(Diagnostic::is_error));
}
