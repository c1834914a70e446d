//! Outputs of servers of several makers: names of slots, partitioned cards, bifurcated slots, and others.

#[path = "common/cards.rs"]
mod cards;
mod common;

use bandgraph_import::{Card, CardKind, Known, Machine, inspect, topology};

use crate::cards::{LSPCI, network_function};
use crate::common::{DMIDECODE, found, machine};

/// A slot of `dmidecode`.
fn slot(name: &str, kind: &str, usage: &str, address: &str) -> String {
    format!(
        "\nHandle 0x0900, DMI type 9, 17 bytes\nSystem Slot Information\n\tDesignation: {name}\n\
         \tType: {kind}\n\tCurrent Usage: {usage}\n\tBus Address: 0000:{address}\n"
    )
}

/// The sockets of the sample with these slots.
fn with_slots(slots: &[String]) -> String {
    let tables = DMIDECODE.1.split("\n\n");
    let others = tables.filter(|table| !table.contains("System Slot Information"));
    others.collect::<Vec<_>>().join("\n\n") + &slots.concat()
}

/// A function of `lspci -vvnn`.
fn function(header: &str, kind: &str, link: &str, more: &str) -> String {
    format!(
        "{header}\n\tNUMA node: 0\n{more}\tCapabilities: [70] Express (v2) {kind}, MSI 00\n\
         \t\tLnkCap:\tPort #0, Speed 8GT/s, Width {link}, ASPM L1\n\t\tLnkSta:\tSpeed 8GT/s, Width {link}\n\n"
    )
}

fn bridge(address: &str, kind: &str, below: &str, link: &str) -> String {
    let buses = format!("\tBus: primary=00, secondary={below}, subordinate={below}, sec-latency=0\n");
    let header = format!("{address} PCI bridge [0604]: Sample [1234:0001] (prog-if 00 [Normal decode])");
    function(&header, kind, link, &buses)
}

fn endpoint(address: &str, what: &str, link: &str) -> String {
    function(&format!("{address} {what}"), "Endpoint", link, "")
}

fn read(text: &str) -> Machine {
    machine(&[DMIDECODE, ("lspci.txt", text)]).0
}

fn card<'a>(machine: &'a Machine, address: &str) -> &'a Card {
    let is = |card: &&Card| card.address.is_some_and(|own| own.to_string() == address);
    let cards = machine.cards.iter();
    machine.cards.iter().find(is).unwrap_or_else(|| {
        let all: Vec<_> = cards.map(|card| card.address).collect();
        panic!("no card at {address}: {all:?}")
    })
}

const NIC: &str = "Ethernet controller [0200]: Intel Corporation X710 [8086:1572] (rev 02)";
const DRIVE: &str =
    "Non-Volatile memory controller [0108]: Sample SSD [144d:a80a] (prog-if 02 [NVM Express])";

/// Systems number slots, firmware knows what is printed at them. Firmware names the card, or the root port of
/// a slot, and what is behind a switch is in the slot of the switch.
#[test]
fn slots_are_called_what_firmware_calls_them() {
    let slots = with_slots(&[
        slot("PCIe Slot 2", "x8 PCI Express 3 x16", "In Use", "17:00.0"),
        slot("PCIe Slot 4", "x16 PCI Express 3", "In Use", "a0:01.1"),
        slot("PCIe Slot 5", "x16 PCI Express 3", "In Use", "b1:00.0"),
        slot(
            "OCP",
            "x16 OCP NIC 3.0 Small Form Factor (SFF)",
            "In Use",
            "e1:00.0",
        ),
        slot("PCIe Slot 6", "x8 PCI Express 3", "In Use", "00:00.0"),
        slot("PCIe Slot 7", "x16 PCI Express 3", "Available", "f0:01.1"),
    ]);
    let lspci = [
        endpoint("17:00.0", NIC, "x8").replace("\tNUMA", "\tPhysical Slot: 2\n\tNUMA"),
        bridge("a0:01.1", "Root Port (Slot+)", "a1", "x4"),
        bridge("a0:01.2", "Root Port (Slot+)", "a2", "x4"),
        endpoint("a1:00.0", DRIVE, "x4"),
        endpoint("a2:00.0", DRIVE, "x4").replace("\tNUMA", "\tPhysical Slot: 40\n\tNUMA"),
        bridge("b0:01.1", "Root Port (Slot+)", "b1", "x16"),
        bridge("b1:00.0", "Upstream Port", "b2", "x16"),
        bridge("b2:08.0", "Downstream Port (Slot+)", "b3", "x8"),
        bridge("b2:10.0", "Downstream Port (Slot+)", "b4", "x8"),
        endpoint("b3:00.0", NIC, "x8"),
        endpoint("b4:00.0", NIC, "x8"),
        endpoint("e1:00.1", NIC, "x8"),
        bridge("f0:01.1", "Root Port (Slot+)", "f1", "x16"),
        endpoint("f1:00.0", NIC, "x8"),
    ]
    .concat();
    let (machine, sources) = machine(&[("dmidecode.txt", &slots), ("lspci.txt", &lspci)]);
    for (address, slot) in [
        ("17:00.0", Some("PCIe Slot 2")),
        ("a1:00.0", Some("PCIe Slot 4")),
        ("a2:00.0", Some("40")),
        ("b3:00.0", Some("PCIe Slot 5")),
        ("b4:00.0", Some("PCIe Slot 5")),
        ("e1:00.1", Some("OCP")),
        ("f1:00.0", None),
    ] {
        assert_eq!(card(&machine, address).slot.known().as_deref(), slot, "{address}");
    }
    let ocp = machine
        .slots
        .iter()
        .find(|slot| slot.name.known().as_deref() == Some("OCP"));
    assert_eq!(ocp.expect("it is a slot").lanes.known(), Some(16));
    // Cards of one board cannot leave it, nor those that are in no slot.
    let written = topology(&machine, &sources).expect("sockets are known");
    assert_eq!(written.fixed_cards, ["nic1", "nic2", "nic4"]);
    // Nor is what firmware says of the slot true of each.
    for id in ["slot-pcie-slot-4", "slot-pcie-slot-5", "at-b4-00-0"] {
        let slot = (written.text.split("[[slot]]")).find(|slot| slot.contains(&format!("id = \"{id}\"")));
        let slot = slot.unwrap_or_else(|| panic!("no slot {id}: {}", written.text));
        let lanes = if id == "slot-pcie-slot-4" { 4 } else { 8 };
        assert!(slot.contains(&format!("pcie = \"gen3 x{lanes}\"")), "{slot}");
    }
}

#[test]
fn sockets_of_slots_are_numbered_as_the_board_numbers_them() {
    let sockets = |names: &[&str]| {
        let slots: Vec<String> = (names.iter())
            .map(|name| slot(name, "x8 PCI Express 4", "Available", "00:00.0"))
            .collect();
        let (machine, _) = machine(&[("dmidecode.txt", &with_slots(&slots))]);
        machine
            .slots
            .iter()
            .map(|slot| slot.socket.known())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        sockets(&["CPU1 SLOT2 PCI-E 4.0 X16", "CPU2 SLOT4 PCI-E 4.0 X8"]),
        [Some(0), Some(1)]
    );
    assert_eq!(sockets(&["CPU0_SLOT1", "CPU1_SLOT2"]), [Some(0), Some(1)]);
    assert_eq!(sockets(&["CPU SLOT6 PCI-E 3.0 X8", "PCIe Slot 1"]), [None, None]);
}

/// Eight functions of a dual-port card are partitions, and functions for storage of a converged adapter are
/// no card of their own; those of a chipset are.
#[test]
fn partitions_of_cards_are_neither_ports_nor_cards() {
    let functions = |bus: &str, count: u32, what: &str| {
        let all = (0..count).map(|index| endpoint(&format!("{bus}:00.{index}"), what, "x8"));
        all.collect::<String>()
    };
    let partitioned = read(&functions("81", 8, NIC));
    assert_eq!(partitioned.cards.len(), 1);
    assert_eq!(partitioned.cards[0].ports.known(), None);
    assert_eq!(read(&functions("81", 4, NIC)).cards[0].ports.known(), Some(4));
    let storage = "Fibre Channel [0c04]: Emulex Corporation OneConnect FCoE Initiator [19a2:0714] (rev 03)";
    let converged = functions("81", 2, NIC) + &endpoint("81:00.2", storage, "x8");
    let [adapter] = &read(&converged).cards[..] else {
        panic!("it is one card")
    };
    assert_eq!((adapter.kind, adapter.ports.known()), (CardKind::Nic, Some(2)));
    let sata = "SATA controller [0106]: Intel Corporation AHCI Controller [8086:a102] (rev 31)";
    let chipset = endpoint("00:1f.2", sata, "x1") + &endpoint("00:1f.6", NIC, "x1");
    assert_eq!(read(&chipset).cards.len(), 2);
}

/// The chip of ConnectX-5 is on cards of 100GbE with 16 lanes, and on cards of 25GbE with 8.
#[test]
fn a_board_with_other_lanes_than_those_of_the_table_is_another_part() {
    let nic = "Ethernet controller [0200]: Mellanox Technologies MT27800 Family [ConnectX-5] [15b3:1017]";
    let wide = endpoint("81:00.0", nic, "x16");
    let narrow = network_function("81:00.0", 0, "MT1900X00001").replace("15b3:1015", "15b3:1017");
    for (text, rate, part) in [
        (wide, Some(100e9), Some("connectx5-100gbe")),
        (narrow, None, None),
    ] {
        let machine = read(&text);
        let card = card(&machine, "81:00.0");
        assert_eq!((card.port_rate.known(), card.part), (rate, part), "{text}");
        assert_eq!(card.ports.known(), Some(1));
    }
}

#[test]
fn what_only_leads_to_drives_is_no_card_and_displays_of_one_maker_are() {
    let raid = "RAID bus controller [0104]: Intel Corporation Volume Management Device [8086:28c0]";
    let display = |maker: &str| format!("VGA compatible controller [0300]: Sample [{maker}:2230] (rev a1)");
    let text = [
        endpoint("0000:e2:00.5", raid, "x4"),
        bridge("10000:00:02.0", "Root Port (Slot+)", "01", "x4"),
        endpoint("10000:01:00.0", DRIVE, "x4"),
        endpoint("0000:98:00.0", &display("10de"), "x16"),
        endpoint("0000:03:00.0", &display("102b"), "x1"),
    ]
    .concat();
    let cards = read(&text).cards;
    let cards: Vec<_> = (cards.iter())
        .map(|card| {
            let address = card.address.map_or(String::new(), |address| address.to_string());
            (address, card.kind, card.name.known().unwrap_or_default())
        })
        .collect();
    assert_eq!(
        cards,
        [
            ("98:00.0".to_owned(), CardKind::Gpu, "Sample".to_owned()),
            (
                "10000:01:00.0".to_owned(),
                CardKind::Nvme,
                "Sample SSD".to_owned()
            ),
        ]
    );
}

#[test]
fn virtual_functions_are_known_by_name_on_all_systems() {
    let pciconf = "ix0@pci0:2:0:0:\tclass=0x020000 rev=0x01 hdr=0x00 vendor=0x8086 device=0x9999\n\
                   \x20   device     = 'Sample 10GbE Controller'\n\
                   ixv0@pci0:2:16:0:\tclass=0x020000 rev=0x01 hdr=0x00 vendor=0x8086 device=0x9998\n\
                   \x20   device     = 'Sample 10GbE Controller Virtual Function'\n";
    let (machine, _) = machine(&[DMIDECODE, LSPCI, ("pciconf.txt", pciconf)]);
    let cards: Vec<_> = machine.cards.iter().filter_map(|card| card.address).collect();
    let cards: Vec<String> = cards.iter().map(ToString::to_string).collect();
    assert_eq!(cards, ["02:00.0", "03:00.0", "04:00.0"]);
}

/// Both ports of 25GbE negotiated 10 Gbit/s: that is what they carry. One without a link may have any rate.
#[test]
fn rates_in_force_come_before_rates_that_are_possible() {
    let lspci = [0, 1].map(|function| {
        let nic = "Ethernet controller [0200]: Intel Corporation XXV710 [8086:158b] (rev 02)";
        endpoint(&format!("81:00.{function}"), nic, "x8")
    });
    let port = |function: u32, rate: &str| {
        format!(
            "{{\"id\": \"network\", \"class\": \"network\", \"businfo\": \"pci@0000:81:00.{function}\", \
             \"logicalname\": \"enp129s0f{function}\"{rate}}}"
        )
    };
    let lshw = |second: &str| {
        let ports = [port(0, ", \"size\": 10000000000"), port(1, second)].join(", ");
        format!("{{\"id\": \"host\", \"class\": \"system\", \"claimed\": true, \"children\": [{ports}]}}")
    };
    let read = |second: &str| {
        let lshw = lshw(second);
        machine(&[DMIDECODE, ("lspci.txt", &lspci.concat()), ("lshw.json", &lshw)])
    };
    let (both, sources) = read(", \"size\": 10000000000");
    let nic = card(&both, "81:00.0");
    assert_eq!(
        (nic.port_rate.known(), nic.port_rate_capable.known()),
        (Some(10e9), Some(25e9))
    );
    let findings = inspect(&both);
    let [below] = found(&findings, "inspect::ports_below_card")[..] else {
        panic!("{findings:?}")
    };
    assert!(
        below
            .message
            .contains("run at 10 Gbit/s and can run at 25 Gbit/s"),
        "{}",
        below.message
    );
    let text = topology(&both, &sources).expect("sockets are known").text;
    let line = text.lines().find(|line| line.starts_with("port_rate = "));
    let line = line.expect("the part has another rate");
    assert!(
        line.starts_with("port_rate = \"10 Gbit/s\"") && line.contains("# lshw.json:"),
        "{line}"
    );
    let (one, sources) = read("");
    assert_eq!(card(&one, "81:00.0").port_rate.known(), Some(25e9));
    assert!(found(&inspect(&one), "inspect::ports_below_card").is_empty());
    let text = topology(&one, &sources).expect("sockets are known").text;
    assert!(!text.contains("port_rate = "), "that of the part: {text}");
}

/// What a link carries, without its lanes: 15.75 GB/s are 16 lanes of generation 3 or 8 of generation 4, and
/// processors without generation 4 decide.
#[test]
fn processors_decide_between_generations() {
    let read = |processor: &str| {
        let xml = format!(
            "<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\">\
             <object type=\"Package\" os_index=\"0\"><info name=\"CPUModel\" value=\"{processor}\"/></object>\
             <object type=\"Bridge\" bridge_type=\"0-1\" bridge_pci=\"0000:[c2-c6]\">\
             <object type=\"PCIDev\" pci_busid=\"0000:c6:00.0\" pci_type=\"0200 [1d0f:ec20] [1d0f:ec20] 00\" \
             pci_link_speed=\"15.753846\"/></object></object></topology>"
        );
        let machine = machine(&[("hwloc.xml", &xml)]).0;
        let link = &card(&machine, "c6:00.0").pcie;
        (link.lanes.known(), link.generation.known())
    };
    let third = read("Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz");
    assert_eq!(third, (Some(16), Some(3)));
    assert_eq!(read("AMD EPYC 7402 24-Core Processor"), (None, None));
    assert_eq!(read("a processor of tomorrow"), (None, None));
}

#[test]
fn a_controller_that_only_its_own_program_describes_is_a_card() {
    let mvcli = "Adapter ID:  0\nProduct:  1b4b-9230\nMax PCIe speed:  5Gb/s\nCurrent PCIe speed:  2.5Gb/s\n\
                 Max PCIe link:  2\nCurrent PCIe link:  1\n";
    let (machine, _) = machine(&[("mvcli.txt", mvcli)]);
    let [card] = &machine.cards[..] else {
        panic!("it is one card: {:?}", machine.cards)
    };
    assert_eq!(card.kind, CardKind::Hba);
    assert!(card.name.known().is_some_and(|name| name.starts_with("88SE9230")));
    let link = &card.pcie;
    assert_eq!((link.lanes.known(), link.generation.known()), (Some(1), Some(1)));
    assert_eq!(
        (link.lanes_capable.known(), link.generation_capable.known()),
        (Some(2), Some(2))
    );
}

/// Of a card of which no file says the rate of its ports, the link tells what it was made for.
#[test]
fn unknown_ports_are_as_fast_as_the_link_of_their_card() {
    let nic = "Infiniband controller [0207]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]";
    for (link, ports, rate) in [("x16", 1, 100), ("x16", 2, 40), ("x8", 2, 25), ("x8", 1, 40)] {
        let functions = (0..ports).map(|index| endpoint(&format!("81:00.{index}"), nic, link));
        let functions: String = functions.collect();
        let (machine, sources) = machine(&[DMIDECODE, ("lspci.txt", &functions)]);
        let text = topology(&machine, &sources).expect("sockets are known").text;
        let line = text.lines().find(|line| line.starts_with("port_rate = {"));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        assert!(
            line.contains(&format!("value = \"{rate}.000 Gbit/s\"")),
            "{link} {ports}: {line}"
        );
    }
}

/// Service processors of HPE: cards have no slot, but HPE's own resources say the bus of either, or where a
/// card is. The newer standard has a slot in the device.
#[test]
fn cards_of_service_processors_are_in_their_slots() {
    let slot = |number: u8, name: &str, bus: u8, used: &str| {
        format!(
            r##""/redfish/v1/Systems/1/PCISlots/{number}": {{
            "@odata.type": "#HpeServerPCISlot.v2_1_0.HpeServerPCISlot", "Name": "{name}",
            "BusNumber": {bus}, "DeviceNumber": 0, "FunctionNumber": 0, "LinkLanes": "x16",
            "Status": {{"OperationalStatus": [{{"Status": "{used}"}}]}}}}"##
        )
    };
    let card = |number: u8, name: &str, more: &str| {
        format!(
            r##""/redfish/v1/Chassis/1/PCIeDevices/{number}": {{
            "@odata.type": "#PCIeDevice.v1_5_0.PCIeDevice",
            "@odata.id": "/redfish/v1/Chassis/1/PCIeDevices/{number}", "Name": "{name}"{more}}},
            "/redfish/v1/Chassis/1/PCIeDevices/{number}/PCIeFunctions/1": {{
            "@odata.type": "#PCIeFunction.v1_2_3.PCIeFunction", "ClassCode": "2", "VendorId": "32902",
            "@odata.id": "/redfish/v1/Chassis/1/PCIeDevices/{number}/PCIeFunctions/1", "DeviceId": "5522"}}"##
        )
    };
    let of_hpe = |number: u8, name: &str, bus: u8, place: &str| {
        format!(
            r##""/redfish/v1/Systems/1/PCIDevices/{number}": {{
            "@odata.type": "#HpeServerPciDevice.v2_0_0.HpeServerPciDevice", "Name": "{name}",
            "BusNumber": {bus}, "DeviceNumber": 0, "FunctionNumber": 0, "ClassCode": 2,
            "SubclassCode": 0, "VendorID": 32902, "DeviceID": 5522, "LocationString": "{place}"}}"##
        )
    };
    let placed = |resources: &[String]| {
        let text = format!("{{{}}}", resources.join(","));
        let (server, _) = machine(&[("redfish.json", &text)]);
        let cards = server.cards.iter().map(|card| card.slot.known());
        cards.collect::<Vec<_>>()
    };
    let slots = |used: [&str; 3]| {
        let slots = [
            (1, "PCI-E Slot 1", 19),
            (2, "PCI-E Slot 2", 55),
            (3, "OCP Slot 10", 137),
        ];
        let slots = slots.iter().zip(used);
        slots
            .map(|(&(number, name, bus), used)| slot(number, name, bus, used))
            .collect::<Vec<_>>()
    };
    let two = [card(1, "Sample 2-port 562", ""), card(2, "Sample 2-port 562", "")];
    let in_use = slots(["InUse", "InUse", "Empty"]);
    let some = |name: &str| Some(name.to_owned());
    // Nothing says which is where.
    assert_eq!(placed(&[&two[..], &in_use].concat()), [None, None]);
    let buses = [
        of_hpe(1, "Sample 2-port 562", 55, "x"),
        of_hpe(2, "Sample 2-port 562", 19, "x"),
    ];
    let both = [some("PCI-E Slot 2"), some("PCI-E Slot 1")];
    assert_eq!(placed(&[&two[..], &in_use, &buses].concat()), both);
    // Without the resources of the standard.
    assert_eq!(placed(&[&in_use[..], &buses].concat()), both);
    // One of two kinds of slots each, but not where a third card may be in either.
    let kinds = [card(1, "Sample 562 OCP3", ""), card(2, "Sample 562", "")];
    let one_of_each = slots(["Empty", "InUse", "InUse"]);
    assert_eq!(
        placed(&[&kinds[..], &one_of_each].concat()),
        [some("OCP Slot 10"), some("PCI-E Slot 2")]
    );
    let three = [&kinds[..], &[card(3, "Sample 331i", "")]].concat();
    assert_eq!(
        placed(&[&three[..], &one_of_each].concat()),
        [some("OCP Slot 10"), None, None]
    );
    let labelled = card(
        1,
        "Sample",
        r#", "Slot": {"Location": {"PartLocation": {"ServiceLabel": "PCI-E Slot 1"}}}"#,
    );
    assert_eq!(placed(&[labelled]), [some("PCI-E Slot 1")]);
    let numbered = card(
        1,
        "Sample",
        r#", "Slot": {"Location": {"PartLocation": {"LocationOrdinalValue": 3}}}"#,
    );
    assert_eq!(placed(&[numbered]), [some("slot 3")]);
}
