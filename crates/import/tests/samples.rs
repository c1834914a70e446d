//! What is read out of the samples of this project, and what is found in them.

use std::path::PathBuf;

use bandgraph_config::MemoryFiles;
use bandgraph_diagnostics::Sources;
use bandgraph_import::{Finding, Known, Machine, gather, inspect, merge, resolve, topology};

const DMIDECODE: (&str, &str) = ("dmidecode.txt", include_str!("samples/dmidecode.txt"));
const PCICONF: (&str, &str) = ("pciconf.txt", include_str!("samples/pciconf.txt"));
const LSPCI: (&str, &str) = ("lspci.txt", include_str!("samples/lspci.txt"));

fn machine(files: &[(&str, &str)]) -> (Machine, Sources) {
    let memory = files.iter().fold(MemoryFiles::new(), |memory, (name, text)| {
        memory.with(name, *text)
    });
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| PathBuf::from(name)).collect();
    let mut sources = Sources::new();
    let gathered = gather(&paths, &memory, &mut sources);
    assert_eq!(gathered.diagnostics, [], "all samples are readable");
    (resolve(merge(gathered.facts)), sources)
}

fn found<'a>(findings: &'a [Finding], id: &str) -> Vec<&'a Finding> {
    findings.iter().filter(|finding| finding.id == id).collect()
}

#[test]
fn sockets_and_their_memory_come_from_the_tables_of_the_firmware() {
    let (machine, _) = machine(&[DMIDECODE]);
    assert_eq!(machine.sockets.len(), 2);
    let (first, second) = (&machine.sockets[0].memory, &machine.sockets[1].memory);
    assert_eq!(
        (first.channels_used.known(), first.channels.known()),
        (Some(2), Some(4))
    );
    assert_eq!(first.size_bytes.known(), Some(32 << 30));
    // 32767 MB is the largest number of the old field: 32 GiB or more.
    assert_eq!(
        (second.channels_used.known(), second.size_bytes.known()),
        (Some(1), Some(32 << 30))
    );
    assert_eq!(
        (first.rate.known(), first.rate_capable.known()),
        (Some(2133e6), Some(2400e6))
    );
    let slot = &machine.slots[1];
    assert_eq!(
        (
            slot.lanes.known(),
            slot.connector_lanes.known(),
            slot.generation.known()
        ),
        (Some(4), Some(8), Some(3))
    );
    assert_eq!(machine.slots[2].generation.known(), None, "<OUT OF SPEC>");
}

#[test]
fn functions_of_one_device_are_one_card() {
    let (machine, _) = machine(&[DMIDECODE, PCICONF]);
    let cards: Vec<_> = machine
        .cards
        .iter()
        .map(|card| {
            (
                card.address.to_string(),
                card.kind.as_str(),
                card.ports.known(),
                card.socket.known(),
            )
        })
        .collect();
    assert_eq!(
        cards,
        [
            ("03:00.0".to_owned(), "nic", Some(2), Some(0)),
            ("81:00.0".to_owned(), "hba", Some(2), Some(1)),
            ("82:00.0".to_owned(), "nic", Some(1), Some(1)),
        ]
    );
    let untrained = &machine.cards[2].pcie;
    assert_eq!(
        (untrained.lanes.known(), untrained.generation.known()),
        (None, None),
        "x16 on a card of x8"
    );
}

#[test]
fn virtual_functions_are_no_cards() {
    let (machine, _) = machine(&[LSPCI]);
    let cards: Vec<String> = machine
        .cards
        .iter()
        .map(|card| card.address.to_string())
        .collect();
    assert_eq!(
        cards,
        ["03:00.0", "04:00.0"],
        "a torn line is a card, virtual functions are none"
    );
}

#[test]
fn a_card_in_a_narrow_slot_is_found_with_its_cost_and_a_better_slot() {
    let (machine, sources) = machine(&[DMIDECODE, PCICONF]);
    let findings = inspect(&machine);
    let limited = found(&findings, "inspect::slot_limits_card");
    let [limited] = limited[..] else {
        panic!("{findings:?}")
    };
    assert!(
        limited.message.contains("gen3 x4") && limited.message.contains("gen3 x8"),
        "{}",
        limited.message
    );
    // Payload each way of gen3 at 128-byte packets: 2.95 GB/s on four lanes, 5.9 GB/s on eight.
    let cost = limited.costs_bytes_per_s.expect("it costs bandwidth");
    assert!((2.8e9..3.1e9).contains(&cost), "{cost}");
    assert!(
        limited
            .help
            .as_ref()
            .is_some_and(|help| help.contains("PCIe Slot 1")),
        "{limited:?}"
    );
    let line = sources
        .line_column(limited.at[0].source, limited.at[0].start)
        .line;
    assert_eq!(
        PCICONF.1.lines().nth(line - 1).map(str::trim),
        Some("link x4(x8) speed 8.0(8.0) ASPM disabled(L1)")
    );
    assert_eq!(found(&findings, "inspect::payload_below_both").len(), 1);
    assert_eq!(found(&findings, "inspect::memory_channels_empty").len(), 2);
    assert_eq!(found(&findings, "inspect::memory_below_rated").len(), 1);
}

#[test]
fn leaving_a_file_out_makes_values_unknown_and_never_different() {
    let (both, _) = machine(&[DMIDECODE, PCICONF]);
    let (one, _) = machine(&[PCICONF]);
    assert!(one.sockets.is_empty());
    for (card, alone) in both.cards.iter().zip(&one.cards) {
        assert_eq!(card.address, alone.address);
        assert_eq!(card.pcie.lanes.known(), alone.pcie.lanes.known());
        assert!(alone.slot.is_none());
        assert!(alone.socket.is_none() || alone.socket.known() == card.socket.known());
    }
}

#[test]
fn the_order_of_files_and_devices_does_not_matter() {
    let (machine_one, _) = machine(&[DMIDECODE, PCICONF, LSPCI]);
    let (other, _) = machine(&[LSPCI, PCICONF, DMIDECODE]);
    let shown = |machine: &Machine| -> Vec<String> {
        let cards = machine.cards.iter();
        cards
            .map(|card| {
                format!(
                    "{} {:?} {:?}",
                    card.address,
                    card.pcie.lanes.known(),
                    card.slot.known()
                )
            })
            .collect()
    };
    assert_eq!(shown(&machine_one), shown(&other));
}

#[test]
fn every_line_of_a_topology_says_where_it_comes_from() {
    let (machine, sources) = machine(&[DMIDECODE, PCICONF]);
    let written = topology(&machine, &sources).expect("sockets are known");
    assert!(written.text.contains("# dmidecode.txt:"), "{}", written.text);
    assert!(written.text.contains("# pciconf.txt:"), "{}", written.text);
    let assumed = written
        .text
        .lines()
        .filter(|line| line.contains("# assumed: "))
        .count();
    assert_eq!(assumed, written.assumptions.len());
    assert!(written.text.contains("\"cpu1\""), "{}", written.text);
}
