//! Outputs that no machine prints, are damaged or contradict each other.

#[path = "common/cards.rs"]
mod cards;
mod common;

use std::path::{Path, PathBuf};

use bandgraph_config::{Files, MemoryFiles, ReadError};
use bandgraph_diagnostics::Sources;
use bandgraph_import::{CardKind, Known, gather, inspect, topology};

use crate::cards::{LSPCI, network_function};
use crate::common::{DMIDECODE, found, machine};

#[test]
fn a_clock_that_no_processor_has_is_unknown() {
    for clock in ["2.1e30830", "1e99", "NaN", "0", "-1"] {
        let damaged = DMIDECODE.1.replace("2.30GHz", &format!("{clock}GHz"));
        assert_ne!(damaged, DMIDECODE.1);
        let (machine, sources) = machine(&[("dmidecode.txt", &damaged)]);
        let text = topology(&machine, &sources).expect("sockets are known").text;
        assert!(
            !text.contains(&format!("{clock} GHz")) && !text.contains("inf"),
            "{text}"
        );
    }
}

#[test]
fn files_that_list_thousands_of_sockets_make_no_topology() {
    let socket = "\nHandle 0x0004, DMI type 4, 48 bytes\nProcessor Information\n\tSocket Designation: CPU\n\
                  \tStatus: Populated, Enabled\n\tVersion: AMD EPYC 9354 32-Core Processor\n";
    let text = format!("# dmidecode 3.3\n{}", socket.repeat(3000));
    let (machine, sources) = machine(&[("dmidecode.txt", &text)]);
    assert_eq!(machine.sockets.len(), 3000);
    let error = topology(&machine, &sources).expect_err("too many");
    assert_eq!(error.id, "import::too_many_sockets");
}

#[test]
fn contradictions_are_listed_up_to_a_number_and_then_counted() {
    let other = network_function("03:00.0", 0, "MT1900X00001").replace("15b3:1015", "8086:1572");
    let functions = |text: &str| {
        (1..30)
            .map(|bus| text.replace("03:00.0", &format!("{bus:02x}:00.0")))
            .collect::<String>()
    };
    let (one, two) = (
        functions(&network_function("03:00.0", 0, "MT1900X00001")),
        functions(&other),
    );
    let (machine, _) = machine(&[("one.txt", &one), ("two.txt", &two)]);
    let findings = inspect(&machine);
    let listed = found(&findings, "inspect::files_disagree");
    assert_eq!(listed.len(), 9, "{listed:?}");
    assert!(
        listed.iter().any(|one| one.message.contains("50 more")),
        "{listed:?}"
    );
    assert!(
        listed
            .iter()
            .any(|one| one.message.contains("vendor is 15b3 here and 8086 there")),
        "{listed:?}"
    );
}

#[test]
fn places_of_memory_with_huge_numbers_are_unknown() {
    let modules = |bank: &str| {
        let module = "Handle 0x0011, DMI type 17, 34 bytes\nMemory Device\n\tSize: 16 GB\n\tLocator: X\n";
        format!("{}\n{module}\tBank Locator: {bank}\n", DMIDECODE.1)
    };
    // Where the number of the socket is huge, the module may be on any, and nothing is known of each.
    for (bank, size) in [
        ("P0_Node99999999999999999999_Channel2_Dimm0", Some(48 << 30)),
        ("P99999999999999999999_Node0_Channel99999999999999999999", None),
    ] {
        let (machine, _) = machine(&[("dmidecode.txt", &modules(bank))]);
        assert_eq!(machine.sockets[0].memory.size_bytes.known(), size, "{bank}");
    }
}

#[test]
fn numbers_that_no_part_can_have_are_unknown_and_reported() {
    for (name, text, right, absurd, says) in [
        (
            "dmidecode.txt",
            DMIDECODE.1,
            "Core Count: 10",
            "Core Count: 5000",
            "the number of cores must be at most 1024, not 5000: it is taken as unknown",
        ),
        (
            "dmidecode.txt",
            DMIDECODE.1,
            "Configured Memory Speed: ",
            "Configured Memory Speed: 99999999",
            "what the memory transfers must be at most",
        ),
        (
            "lspci.txt",
            LSPCI.1,
            "MaxPayload 128 bytes, MaxReadReq",
            "MaxPayload 65536 bytes, MaxReadReq",
            "the payload of packets must be at most 4096 B, not 65536 B",
        ),
    ] {
        assert!(text.contains(right), "{right}");
        let (machine, sources) = machine(&[(name, &text.replace(right, absurd))]);
        let findings = inspect(&machine);
        let reported = found(&findings, "inspect::out_of_range");
        let first = reported
            .first()
            .unwrap_or_else(|| panic!("{absurd} is not reported"));
        assert!(first.message.starts_with(says), "{}", first.message);
        let line = sources.line_column(first.at[0].source, first.at[0].start).line;
        let shown = sources.text(first.at[0].source).lines().nth(line - 1);
        assert!(shown.is_some_and(|shown| shown.contains(absurd)), "{shown:?}");
    }
    let (machine, _) = machine(&[(
        "dmidecode.txt",
        &DMIDECODE.1.replace("Core Count: 10", "Core Count: 5000"),
    )]);
    assert!(machine.sockets.iter().all(|socket| socket.cores.is_none()));
}

#[test]
fn sockets_without_ports_for_all_others_are_assumed_to_be_a_ring() {
    let links = |version: &str, sockets: usize| {
        let socket = format!(
            "\nHandle 0x0004, DMI type 4, 48 bytes\nProcessor Information\n\tSocket Designation: CPU\n\
             \tStatus: Populated, Enabled\n\tVersion: {version}\n"
        );
        let text = format!("# dmidecode 3.3\n{}", socket.repeat(sockets));
        let (machine, sources) = machine(&[("dmidecode.txt", &text)]);
        let written = topology(&machine, &sources).expect("it has sockets").text;
        let ends = written.lines().filter_map(|line| line.strip_prefix("ends = "));
        ends.map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned())
            .collect::<Vec<_>>()
    };
    let opteron = "Quad-Core AMD Opteron(tm) Processor 8356";
    assert_eq!(links(opteron, 2), ["[\"cpu0\", \"cpu1\"]"]);
    // The last three are not in the catalogue.
    for version in [
        opteron,
        "Dual Core AMD Opteron(tm) Processor 885",
        "Intel(R) Xeon(R) Platinum 8280L CPU @ 2.70GHz",
        "Sample 1234",
    ] {
        let mut ring = links(version, 8);
        let of_first = ring.iter().filter(|ends| ends.contains("cpu0")).count();
        assert!(of_first <= 4, "{version}: a socket has at most four links");
        ring.dedup();
        assert_eq!(ring.len(), 8, "{version}: {ring:?}");
        assert!(ring.contains(&"[\"cpu0\", \"cpu7\"]".to_owned()), "{ring:?}");
    }
    // Four links of a socket reach three others and a hub.
    assert_eq!(links("Intel(R) Xeon(R) CPU E7- 8870 @ 2.40GHz", 4).len(), 6);
}

#[test]
fn thousands_of_functions_in_one_file_are_read() {
    // Each is a card below its capability, in a slot of the one name: what compares all with all takes hours.
    let function = |index: u32| {
        let (domain, bus, device) = (index >> 12, index >> 4 & 0xff, index & 0xf);
        format!(
            "{domain:04x}:{bus:02x}:{device:02x}.0 Ethernet controller [0200]: Some card [15b3:1017]\n\
             \tPhysical Slot: 1\n\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\
             \t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16\n\t\tLnkSta:\tSpeed 8GT/s, Width x8\n"
        )
    };
    let functions: String = (0..4 << 12).map(function).collect();
    let (machine, sources) = machine(&[("lspci.txt", &functions), DMIDECODE]);
    assert_eq!(machine.cards.len(), 4 << 12);
    assert!(inspect(&machine).len() >= 4 << 12);
    let written = topology(&machine, &sources).expect("it has sockets");
    assert_eq!(written.text.matches("[[card]]").count(), 4 << 12);
}

#[test]
fn places_of_memory_are_understood_as_boards_name_them() {
    // Six channels a socket. Each row: sockets, all places, of which `-` is empty, and how many channels have
    // a module.
    let xeon = "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz";
    for (sockets, places, used) in [
        (2, &["PROC 1 DIMM 1", "PROC 2 DIMM 1"][..], [Some(1), Some(1)]),
        (
            2,
            &["CPU1_DIMM_A1", "CPU1_DIMM_B1", "CPU2_DIMM_A1"],
            [Some(2), Some(1)],
        ),
        (2, &["DIMM_P0_A1", "DIMM_P0_A2", "DIMM_P1_A0"], [Some(1), Some(1)]),
        (2, &["DIMM000 J3", "DIMM010 J5", "DIMM100 J2"], [Some(2), Some(1)]),
        (2, &["P1_DIMM_A1", "P1_DIMM_C1", "P2_DIMM_A1"], [Some(2), Some(1)]),
        (2, &["CPU0_C0D0", "CPU0_C1D0", "CPU1_C0D0"], [Some(2), Some(1)]),
        (2, &["A1", "A2", "A7", "B1"], [Some(2), Some(1)]),
        (1, &["A1", "A2", "A3", "A4", "A7", "A8"], [Some(4), None]),
        (
            1,
            &["DIMMA1", "DIMMB1", "DIMMC1", "DIMMD1", "DIMME1", "DIMMF1"],
            [Some(6), None],
        ),
        // Letters beyond the number of sockets are channels, and may go on from socket to socket.
        (2, &["DIMM_A1", "DIMM_B1", "DIMM_G1"], [None, None]),
        (
            2,
            &["DIMM_A1@NODE 1", "DIMM_B1@NODE 1", "DIMM_G1@NODE 2"],
            [Some(2), Some(1)],
        ),
        (
            1,
            &["ChannelA-DIMM0", "ChannelA-DIMM1", "ChannelB-DIMM0"],
            [Some(2), None],
        ),
        (1, &["DIMM 0@CHANNEL A", "DIMM 0@CHANNEL C"], [Some(2), None]),
    ] {
        let processor = format!(
            "\nHandle 0x0004, DMI type 4, 48 bytes\nProcessor Information\n\tSocket Designation: CPU\n\
             \tStatus: Populated, Enabled\n\tVersion: {xeon}\n"
        );
        let module = |place: &&str| {
            let (place, bank) = place.split_once('@').unwrap_or((place, "Not Specified"));
            let size = ["16 GB", "No Module Installed"][usize::from(place.starts_with('-'))];
            let place = place.trim_start_matches('-');
            format!(
                "\nHandle 0x0011, DMI type 17, 40 bytes\nMemory Device\n\tSize: {size}\n\tLocator: {place}\n\
                 \tBank Locator: {bank}\n\tType: DDR4\n\tSpeed: 2933 MT/s\n"
            )
        };
        let modules: String = places.iter().map(module).collect();
        let text = format!("# dmidecode 3.3\n{}{modules}", processor.repeat(sockets));
        let (machine, _) = machine(&[("dmidecode.txt", &text)]);
        let found = machine
            .sockets
            .iter()
            .map(|socket| socket.memory.channels_used.known());
        let found: Vec<Option<u32>> = found.collect();
        assert_eq!(found, used[..sockets], "{places:?}");
    }
}

/// Modules at places with these numbers of all that a processor has, as firmware lists them.
fn numbered(processor: &str, places: u32, filled: &[u32], name: impl Fn(u32, u32) -> String) -> String {
    let sockets = (1..=2).map(|socket| {
        format!(
            "\nHandle 0x0004, DMI type 4, 48 bytes\nProcessor Information\n\
             \tSocket Designation: Proc {socket}\n\tStatus: Populated, Enabled\n\tVersion: {processor}\n"
        )
    });
    let modules = (1..=2).flat_map(|socket| (1..=places).map(move |place| (socket, place)));
    let modules = modules.map(|(socket, place)| {
        let (size, name) = (filled.contains(&place), name(socket, place));
        let size = ["No Module Installed", "16 GB"][usize::from(size)];
        format!("\nHandle 0x0011, DMI type 17, 40 bytes\nMemory Device\n\tSize: {size}\n{name}")
    });
    format!(
        "# dmidecode 3.3\n{}{}",
        sockets.collect::<String>(),
        modules.collect::<String>()
    )
}

/// What HPE and Lenovo document: places beside each other share a channel. Of boards with some channels of
/// one place and others of two, only those of Lenovo are known.
#[test]
fn places_with_numbers_alone_are_on_the_channel_of_their_neighbour() {
    let hpe = |socket: u32, place: u32| format!("\tLocator: PROC {socket} DIMM {place}\n");
    let lenovo = |places: u32| {
        move |socket: u32, place: u32| {
            let number = (socket - 1) * places + place;
            format!("\tLocator: DIMM {number}\n\tBank Locator: CPU {socket}\n")
        }
    };
    let (skylake, milan, ice_lake, broadwell) = (
        "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz",
        "AMD EPYC 7313 16-Core Processor",
        "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz",
        "Intel(R) Xeon(R) CPU E5-2640 v4 @ 2.40GHz",
    );
    for (text, used) in [
        // DL380 Gen10: four, and eight on four channels.
        (numbered(skylake, 12, &[3, 5, 8, 10], hpe), Some(4)),
        (numbered(skylake, 12, &[3, 4, 5, 6, 7, 8, 9, 10], hpe), Some(4)),
        (numbered(skylake, 12, &[1, 3, 5, 8, 10, 12], hpe), Some(6)),
        // DL385 Gen10 Plus.
        (numbered(milan, 16, &[1, 3, 14, 16], hpe), Some(4)),
        (numbered(milan, 16, &[1, 3, 5, 7, 10, 12, 14, 16], hpe), Some(8)),
        // DL380 Gen9: three places a channel.
        (numbered(broadwell, 12, &[1, 4, 9, 12], hpe), Some(4)),
        (numbered(broadwell, 12, &[1, 2, 3, 4], hpe), Some(2)),
        // SR650, SR650 V2, SR570.
        (
            numbered(skylake, 12, &[3, 4, 5, 6, 7, 8, 10], lenovo(12)),
            Some(4),
        ),
        (numbered(ice_lake, 16, &[1, 2, 14, 16], lenovo(16)), Some(3)),
        (numbered(skylake, 8, &[3, 4, 5, 6], lenovo(8)), Some(2)),
        (numbered(skylake, 8, &[1, 2, 4, 5, 7, 8], lenovo(8)), Some(6)),
        (numbered(skylake, 8, &[3, 4, 5, 6], hpe), None),
    ] {
        let (machine, _) = machine(&[("dmidecode.txt", &text)]);
        for socket in &machine.sockets {
            assert_eq!(socket.memory.channels_used.known(), used, "{text}");
            assert!(socket.memory.size_bytes.known() > Some(0), "{text}");
        }
    }
    let uneven = |filled: &[u32]| {
        let text = numbered(skylake, 12, filled, hpe);
        let (machine, _) = machine(&[("dmidecode.txt", &text)]);
        found(&inspect(&machine), "inspect::memory_uneven").len()
    };
    assert_eq!(uneven(&[3, 4, 5, 6, 7, 8, 9, 10]), 0);
    assert_eq!(uneven(&[1, 3, 4, 5, 8, 10, 12]), 2);
}

/// A pipe that broke, or a terminal that kept the first screens: what the tables announce is not all there.
#[test]
fn memory_of_a_text_that_was_cut_is_unknown() {
    let name =
        |socket: u32, place: u32| format!("\tLocator: P{socket}-DIMM{}1\n", char::from(b'@' + place as u8));
    let array = "\nHandle 0x0010, DMI type 16, 23 bytes\nPhysical Memory Array\n\tNumber Of Devices: 12\n";
    let xeon = "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz";
    let tables = numbered(xeon, 6, &[1, 2, 3, 4, 5, 6], name);
    let whole = tables.replacen("\nHandle 0x0011", &format!("{array}\nHandle 0x0011"), 1);
    let used = |text: &str| {
        let (machine, _) = machine(&[("dmidecode.txt", text)]);
        let memory = machine.sockets.iter().map(|socket| &socket.memory);
        memory
            .map(|memory| (memory.channels_used.known(), memory.size_bytes.known()))
            .collect::<Vec<_>>()
    };
    assert_eq!(used(&whole), [(Some(6), Some(96 << 30)); 2]);
    for end in ["P1-DIMME1", "P2-DIMMB1", "P2-DIMMF1"] {
        let cut = &whole[..whole.find(end).expect("it is a place")];
        let cut = &cut[..cut.rfind("\nHandle").expect("it is a table")];
        assert_eq!(used(cut), [(None, None); 2], "{end}");
    }
    // Firmware that counts places which it does not list.
    let short = whole.replace("Devices: 12", "Devices: 24")
        + "\nHandle 0x00FF, DMI type 127, 4 bytes\nEnd Of Table\n";
    assert_eq!(used(&short), [(Some(6), Some(96 << 30)); 2]);
}

/// Modules of persistent memory hold no data that is read in passing, and HBM is in the package.
#[test]
fn only_dram_in_places_of_modules_is_memory() {
    let with = |more: &str| {
        let name = |socket: u32, place: u32| {
            let is_last = if place == 6 { more } else { "" };
            format!("\tLocator: PROC {socket} DIMM {place}\n\tType: DDR4\n{is_last}")
        };
        let text = numbered("Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz", 6, &[1, 6], name);
        let (machine, _) = machine(&[("dmidecode.txt", &text)]);
        let memory = &machine.sockets[1].memory;
        (memory.channels_used.known(), memory.size_bytes.known())
    };
    for technology in ["DRAM", "NVDIMM-N", "<OUT OF SPEC>", "Unknown"] {
        let line = format!("\tMemory Technology: {technology}\n");
        assert_eq!(with(&line), (Some(2), Some(32 << 30)), "{technology}");
    }
    for technology in [
        "Intel Optane persistent memory",
        "Intel persistent memory",
        "NVDIMM-P",
    ] {
        let line = format!("\tMemory Technology: {technology}\n");
        assert_eq!(with(&line), (Some(1), Some(16 << 30)), "{technology}");
    }
    assert_eq!(with("\tType: HBM2\n").1, Some(16 << 30));
}

/// Modules that are faster than the processor run at the rate of the processor, and that costs nothing.
#[test]
fn memory_at_the_rate_of_the_processor_is_no_loss() {
    let costs = |configured: &str| {
        let text = DMIDECODE
            .1
            .replace("Speed: 2133 MT/s", &format!("Speed: {configured} MT/s"));
        let (machine, _) = machine(&[("dmidecode.txt", &text)]);
        let findings = inspect(&machine);
        let [finding] = found(&findings, "inspect::memory_below_rated")[..] else {
            panic!("{findings:?}")
        };
        finding.costs_bytes_per_s
    };
    // Three channels of 8 bytes; the processor, an E5-2650 v3, takes 2133 MT/s.
    assert_eq!(costs("2133"), None);
    let lost = costs("1866").expect("it is slower than the processor");
    assert!(
        (lost / (3.0 * 8.0 * (2133e6 - 1866e6)) - 1.0).abs() < 0.01,
        "{lost}"
    );
}

#[test]
fn classes_in_words_tell_what_a_card_is() {
    let lspci = "81:00.0 Ethernet controller: Intel Corporation 82599ES 10-Gigabit SFI/SFP+ (rev 01)\n\
                 \tCapabilities: [a0] Express (v2) Endpoint, MSI 00\n\t\tLnkSta:\tSpeed 5GT/s (ok), Width x8 (ok)\n\
                 82:00.0 Serial Attached SCSI controller: Broadcom / LSI SAS2008 (rev 03)\n\
                 83:00.0 Non-Volatile memory controller: Samsung NVMe SSD Controller (prog-if 02 [NVM Express])\n\
                 84:00.0 Ethernet controller: Intel Corporation 82599 Ethernet Controller Virtual Function\n";
    let (machine, _) = machine(&[("lspci.txt", lspci)]);
    let cards: Vec<(CardKind, &str)> = machine
        .cards
        .iter()
        .map(|card| {
            (
                card.kind,
                card.name.as_ref().map_or("", |name| name.value.as_str()),
            )
        })
        .collect();
    assert_eq!(
        cards,
        [
            (CardKind::Nic, "Intel Corporation 82599ES 10-Gigabit SFI/SFP+"),
            (CardKind::Hba, "Broadcom / LSI SAS2008"),
            (CardKind::Nvme, "Samsung NVMe SSD Controller"),
        ]
    );
    assert_eq!(machine.cards[0].pcie.lanes.known(), Some(8));
}

/// Firmware says that a connector is in use, and no device is at its address: it is not lost silently.
#[test]
fn slots_in_use_without_a_card_are_named() {
    let slot = |name: &str, usage: &str| {
        format!(
            "\nHandle 0x00A0, DMI type 9, 17 bytes\nSystem Slot Information\n\tDesignation: {name}\n\
             \tType: x8 PCI Express 5\n\tCurrent Usage: {usage}\n\tBus Address: 0000:e1:00.0\n"
        )
    };
    let firmware = format!(
        "{}{}{}",
        DMIDECODE.1,
        slot("MCIO1", "In Use"),
        slot("MCIO2", "Available")
    );
    let (machine, _) = machine(&[("dmidecode.txt", &firmware), LSPCI]);
    let findings = inspect(&machine);
    let named = found(&findings, "inspect::slot_card_unknown");
    assert_eq!(named.len(), 1, "{findings:?}");
    assert!(
        named[0].message.contains("MCIO1") && !named[0].message.contains("MCIO2"),
        "{named:?}"
    );
}

/// A folder of collected outputs. Files of other users cannot be read.
struct Closed(MemoryFiles);

impl Files for Closed {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        match self.0.read(path) {
            Ok(_) if path.display().to_string().contains("closed") => {
                Err(ReadError::Unreadable("Permission denied".to_owned()))
            }
            Err(ReadError::Missing) if !self.names(path).is_empty() => Err(ReadError::Folder),
            found => found,
        }
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        self.0.names(folder)
    }

    fn identity(&self, path: &Path) -> PathBuf {
        self.0.identity(path)
    }
}

/// Every machine has closed device files in `/sys`, which are not missed.
#[test]
fn files_of_a_folder_that_cannot_be_read_are_named() {
    let unread = |names: &[&str]| {
        let files = names.iter().fold(MemoryFiles::new(), |files, name| {
            files.with(format!("machine/{name}"), "")
        });
        let found = gather(&[PathBuf::from("machine")], &Closed(files), &mut Sources::new());
        let found = found.diagnostics.into_iter();
        found.map(|one| (one.id, one.message)).collect::<Vec<_>>()
    };
    assert_eq!(unread(&["notes.txt", "sys/devices/closed"]), []);
    let message = "failed to read `machine/closed-too.txt`: Permission denied; 2 more cannot be read either";
    assert_eq!(
        unread(&["closed.txt", "notes.txt", "closed-too.txt", "lspci-closed.txt"]),
        [("import::unread", message.to_owned())]
    );
}
