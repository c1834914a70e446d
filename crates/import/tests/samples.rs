//! What is read out of the samples of this project, and what is found in them.

#[path = "common/cards.rs"]
mod cards;
mod common;

use bandgraph_import::{Card, Known, Machine, inspect, topology};

use crate::cards::{LSPCI, network_function};
use crate::common::{DMIDECODE, found, machine};

const PCICONF: (&str, &str) = (
    "pciconf.txt",
    include_str!("../../../examples/server/pciconf.txt"),
);

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
                card.address.expect("an address").to_string(),
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
        .map(|card| card.address.expect("an address").to_string())
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
    // Payload each way of gen3 at 128-byte packets: 2.95 GB/s on four lanes, 5.9 GB/s on eight. The card
    // carries 40 Gbit/s over both ports.
    let cost = limited.costs_bytes_per_s.expect("it costs bandwidth");
    assert!((cost - (5e9 - 2.95e9)).abs() < 0.1e9, "{cost}");
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
                    "{:?} {:?} {:?}",
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

#[test]
fn units_of_counters_say_how_many_links_join_two_sockets() {
    let uncore = ("uncore.txt", "uncore_upi_0\nuncore_upi_1\nuncore_upi_2\n");
    let (machine, sources) = machine(&[DMIDECODE, uncore]);
    let text = topology(&machine, &sources).expect("sockets are known").text;
    assert_eq!(text.matches("[[link]]").count(), 3, "{text}");
    assert_eq!(text.matches("# uncore.txt:1").count(), 3, "{text}");
}

/// A bridge of `lspci -vvnn`, or with `what` of an endpoint a drive.
fn function(address: &str, what: &str, below: &str, link: &str) -> String {
    let (class, buses) = if what == "Endpoint" {
        (
            "Non-Volatile memory controller [0108]: Sample SSD [1234:5678]",
            String::new(),
        )
    } else {
        let buses = format!("\tBus: primary=00, secondary={below}, subordinate={below}, sec-latency=0\n");
        ("PCI bridge [0604]: Sample [1234:0001]", buses)
    };
    format!(
        "{address} {class}\n{buses}\tNUMA node: 0\n\tCapabilities: [90] Express (v2) {what}, MSI 00\n\
         \t\tLnkCap:\tPort #0, {link}, ASPM L1\n\t\tLnkSta:\t{link}\n\n"
    )
}

#[test]
fn drives_behind_a_switch_share_its_link() {
    let wide = "Speed 8GT/s, Width x4";
    let text = [
        function("00:03.0", "Root Port (Slot+)", "01", wide),
        function("01:00.0", "Upstream Port", "02", wide),
        function("02:08.0", "Downstream Port (Slot+)", "03", wide),
        function("02:09.0", "Downstream Port (Slot+)", "04", wide),
        function("03:00.0", "Endpoint", "", wide),
        function("04:00.0", "Endpoint", "", wide),
    ]
    .concat();
    let (machine, sources) = machine(&[DMIDECODE, ("lspci.txt", &text)]);
    let findings = inspect(&machine);
    let shared = found(&findings, "inspect::uplink_oversubscribed");
    assert_eq!(shared.len(), 1, "{findings:?}");
    assert!(shared[0].message.contains("2.0 to 1"), "{}", shared[0].message);
    let text = topology(&machine, &sources).expect("sockets are known").text;
    assert_eq!(text.matches("[[switch]]").count(), 1, "{text}");
    assert_eq!(text.matches("switch = \"switch0\"").count(), 2, "{text}");
    assert!(text.contains("pcie = \"gen3 x4\""), "{text}");
}

/// The link of the switch runs at half of what it and the root port can: every link of the way is looked at.
#[test]
fn a_switch_that_trained_below_both_ends_is_found() {
    let wide = "Speed 8GT/s, Width x4";
    let written = |upstream: &str| {
        let text = [
            function("00:03.0", "Root Port (Slot+)", "01", wide),
            function("01:00.0", "Upstream Port", "02", wide).replace(
                &format!("LnkSta:\t{wide}"),
                &format!("LnkSta:\tSpeed {upstream}, Width x4"),
            ),
            function("02:08.0", "Downstream Port (Slot+)", "03", wide),
            function("03:00.0", "Endpoint", "", wide),
        ]
        .concat();
        inspect(&machine(&[DMIDECODE, ("lspci.txt", &text)]).0)
    };
    let findings = written("5GT/s");
    let [below] = found(&findings, "inspect::link_below_both")[..] else {
        panic!("{findings:?}");
    };
    assert!(
        below.message.contains("at 01:00.0") && below.message.contains("runs at gen2 x4"),
        "{}",
        below.message
    );
    // Half of the rate of a drive of gen3 x4.
    let costs = below.costs_bytes_per_s.expect("it costs something");
    assert!((1.2e9..1.9e9).contains(&costs), "{costs}");
    assert!(found(&written("8GT/s"), "inspect::link_below_both").is_empty());
}

/// Cards outside the slots of firmware that knows what is in them are soldered.
#[test]
fn cards_on_the_board_stay_where_they_are() {
    let fixed = |dmidecode: &str| {
        let (machine, sources) = machine(&[("dmidecode.txt", dmidecode), PCICONF]);
        topology(&machine, &sources)
            .expect("sockets are known")
            .fixed_cards
    };
    // The ports of the board, at 82:00.0.
    assert_eq!(fixed(DMIDECODE.1), ["nic1"]);
    let (machine, _) = machine(&[DMIDECODE, PCICONF]);
    let seated = machine.cards.iter().find(|card| card.slot.is_some());
    let address = seated.and_then(|card| card.address).expect("one is in a slot");
    let without = DMIDECODE.1.replace(&format!("0000:{address}"), "0000:00:00.0");
    assert_eq!(fixed(&without).len(), 2);
}

/// Without modules, the memory of a socket is that of its nodes; modules come first.
#[test]
fn memory_of_nodes_is_that_of_their_socket() {
    let hwloc = ("hwloc.xml", include_str!("samples/two-sockets/hwloc-2.xml"));
    let sizes = |files: &[(&str, &str)]| {
        let (machine, sources) = machine(files);
        let text = topology(&machine, &sources).expect("sockets are known").text;
        let sizes = text.lines().filter(|line| line.starts_with("size = "));
        sizes.map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let seen = sizes(&[hwloc]);
    assert_eq!(seen.len(), 2);
    for size in seen {
        assert!(
            size.starts_with("size = \"32768 MiB\"") && size.contains("# hwloc.xml:"),
            "{size}"
        );
    }
    let installed = sizes(&[hwloc, DMIDECODE]);
    assert!(
        installed.iter().all(|size| size.contains("# dmidecode.txt:")),
        "{installed:?}"
    );
}

/// A system says the node of a card. Without it, buses do where nodes are dies (EPYC 7001) with one root
/// complex each. The first socket is divided in two (its modules are on two channels), the second is not.
#[test]
fn root_complexes_are_on_the_nodes_of_their_cards() {
    let card = |bus: u8, node: Option<u32>| {
        let below = bus + 1;
        let node = node.map_or(String::new(), |node| format!("\tNUMA node: {node}\n"));
        format!(
            "{bus:02x}:01.0 PCI bridge [0604]: Sample [1234:0001]\n\
             \tBus: primary={bus:02x}, secondary={below:02x}, subordinate={below:02x}, sec-latency=0\n\
             \tCapabilities: [70] Express (v2) Root Port (Slot+), MSI 00\n\n\
             {below:02x}:00.0 Ethernet controller [0200]: Mellanox ConnectX-5 [15b3:1017]\n{node}\
             \tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\n"
        )
    };
    let sockets_of = |processor: &str, cards: &[(u8, Option<u32>)]| {
        let dmidecode = (DMIDECODE.1).replace("Intel(R) Xeon(R) CPU E5-2650 v3 @ 2.30GHz", processor);
        let lspci: String = cards.iter().map(|&(bus, node)| card(bus, node)).collect();
        let lscpu = "Architecture: x86_64\nSocket(s): 2\nNUMA node(s): 4\n";
        let (machine, sources) = machine(&[
            ("d.txt", &*dmidecode),
            ("lscpu.txt", lscpu),
            ("lspci.txt", &*lspci),
        ]);
        let text = topology(&machine, &sources).expect("sockets are known").text;
        let lines = text.lines().filter_map(|line| line.strip_prefix("socket = \""));
        let sockets = lines.filter_map(|line| Some(line.split_once('"')?.0.to_owned()));
        sockets.collect::<Vec<_>>()
    };
    let (dies, one_die) = ("AMD EPYC 7551 32-Core", "AMD EPYC 7742 64-Core");
    let unknown = [0x00, 0x20, 0x80].map(|bus| (bus, None));
    assert_eq!(sockets_of(dies, &unknown), ["cpu0.0", "cpu0.1", "cpu1"]);
    assert_eq!(sockets_of(dies, &unknown[1..]), ["cpu0", "cpu1"]);
    assert_eq!(sockets_of(one_die, &unknown), ["cpu0", "cpu1"]);
    let known = [(0x00, Some(1)), (0x20, Some(0)), (0x80, Some(2))];
    assert_eq!(sockets_of(one_die, &known), ["cpu0.0", "cpu0.1", "cpu1"]);
}

/// The NUMA nodes that firmware has divided a socket in reach the topology, where its processor can be
/// divided so and each node has whole channels: the first socket has modules on two channels, the second on
/// one.
#[test]
fn nodes_of_a_system_are_those_of_its_sockets() {
    let of = |processor: &str, lscpu: &str, numactl: &str| {
        let dmidecode = DMIDECODE
            .1
            .replace("Intel(R) Xeon(R) CPU E5-2650 v3 @ 2.30GHz", processor);
        let files = [
            ("dmidecode.txt", &*dmidecode),
            ("lscpu.txt", lscpu),
            ("numactl.txt", numactl),
        ];
        let files: Vec<_> = files.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        let (machine, sources) = machine(&files);
        let text = topology(&machine, &sources).expect("sockets are known").text;
        let lines = text.lines().filter_map(|line| line.strip_prefix("numa_nodes = "));
        lines
            .map(|line| line.chars().take_while(char::is_ascii_digit).collect())
            .collect::<Vec<String>>()
    };
    let lscpu = |count: u32| format!("Architecture: x86_64\nSocket(s): 2\nNUMA node(s): {count}\n");
    let nodes = |lscpu: &str, numactl: &str| of("AMD EPYC 7742 64-Core Processor", lscpu, numactl);
    assert_eq!(nodes("", ""), [""; 0]);
    assert_eq!(nodes(&lscpu(2), ""), ["1", "1"]);
    assert_eq!(nodes(&lscpu(4), ""), ["2"]);
    assert_eq!(nodes(&lscpu(8), ""), [""; 0]);
    assert_eq!(
        of("Intel(R) Xeon(R) CPU E5-2650 v2 @ 2.60GHz", &lscpu(4), ""),
        [""; 0]
    );
    // One node of both sockets: memory is interleaved over them.
    assert_eq!(nodes(&lscpu(1), ""), [""; 0]);
    let sizes = [0, 1, 2, 3].map(|node| format!("node {node} size: 32768 MB\n"));
    let numactl = format!("available: 4 nodes (0-3)\n{}node distances:\n", sizes.concat());
    assert_eq!(nodes("", &numactl), ["2"]);
}

/// Without privileges `lspci` prints no link: a range in the topology, as an unknown rate or number of ports.
/// What is known has none.
#[test]
fn unknown_links_and_ports_are_ranges() {
    let card = |ids: &str, link: &str| {
        format!(
            "05:00.0 Ethernet controller [0200]: Sample NIC [{ids}]\n\tPhysical Slot: 1\n\tNUMA node: 0\n{link}\n"
        )
    };
    let written = |text: &str, change: &dyn Fn(&mut Card)| {
        let (mut machine, sources) = machine(&[DMIDECODE, ("lspci.txt", text)]);
        change(&mut machine.cards[0]);
        topology(&machine, &sources).expect("sockets are known").text
    };
    let link = "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\
                \t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16, ASPM L1\n\t\tLnkSta:\tSpeed 8GT/s, Width x16\n";
    // ConnectX-5, of which the tables say the rate of its ports.
    let known = written(&card("15b3:1017", link), &|_| {});
    let unknown = written(&card("15b3:1017", ""), &|_| {});
    let rate = |text: &str, field: &str| {
        text.lines()
            .find(|line| line.starts_with(&format!("{field} = {{")))
            .map(ToOwned::to_owned)
    };
    assert_eq!(rate(&known, "card_rate"), None, "{known}");
    let range = rate(&unknown, "card_rate").expect("the link is unknown");
    assert!(range.contains("a quarter of its lanes to all"), "{range}");
    assert!(unknown.contains("part = \"unknown-nic0\""), "{unknown}");
    // A drive: its rates can be those of a quarter of its lanes.
    let drive = |link: &str| {
        let text = card("1234:5678", link);
        written(
            &text.replace(
                "Ethernet controller [0200]",
                "Non-Volatile memory controller [0108]",
            ),
            &|_| {},
        )
    };
    assert_eq!(rate(&drive(link), "read_rate"), None);
    let range = rate(&drive(""), "read_rate").expect("the link is unknown");
    assert!(range.contains("a quarter of its lanes to all"), "{range}");
    // A host adapter moves what a quarter of its lanes carries, or what its processor moves.
    let adapter = |link: &str| {
        let text = card("1000:0072", link);
        written(
            &text.replace("Ethernet controller [0200]", "SAS controller [0107]"),
            &|_| {},
        )
    };
    assert_eq!(rate(&adapter(link), "data_rate"), None);
    let range = rate(&adapter(""), "data_rate").expect("the link is unknown");
    assert!(range.contains("a quarter of its lanes to all"), "{range}");
    // A card that no table knows, with the rate of its ports, with their number, and without both.
    let rated = |card: &mut Card| card.port_rate = card.ids.as_ref().map(|ids| ids.at.says(10e9));
    let foreign = written(&card("1234:9999", link), &|card| {
        rated(card);
        card.ports = None;
    });
    let range = rate(&foreign, "port_rate").expect("the number of ports is unknown");
    assert!(
        range.contains("[\"10.000 Gbit/s\", \"40.000 Gbit/s\"]"),
        "{range}"
    );
    let foreign = written(&card("1234:9999", link), &|card| card.ports = None);
    let range = rate(&foreign, "port_rate").expect("both are unknown");
    assert!(range.contains("\"400.000 Gbit/s\""), "{range}");
    assert_eq!(
        rate(&written(&card("1234:9999", link), &rated), "port_rate"),
        None
    );
}

#[test]
fn a_board_with_links_to_two_sockets_is_one_card() {
    let lspci = |second: &str, node: u32| {
        network_function("05:00.0", 0, "MT1900X00001") + &network_function("85:00.0", node, second)
    };
    let (one, sources) = machine(&[DMIDECODE, ("lspci.txt", &lspci("MT1900X00001", 1))]);
    let [card] = &one.cards[..] else {
        panic!("{:?}", one.cards)
    };
    let second = card.second.as_ref().expect("two hosts");
    assert_eq!((card.socket.known(), second.socket.known()), (Some(0), Some(1)));
    assert_eq!(
        (card.pcie.lanes.known(), second.pcie.lanes.known()),
        (Some(8), Some(4))
    );
    let text = topology(&one, &sources).expect("sockets are known").text;
    assert_eq!(text.matches("[[card]]").count(), 1, "{text}");
    assert!(
        text.contains("slot = \"slot-05-00-0\"\nsecond_slot = \"slot-85-00-0\""),
        "{text}"
    );
    let findings = inspect(&one);
    let below: Vec<_> = findings
        .iter()
        .filter(|one| one.message.contains("runs at gen3 x4"))
        .collect();
    assert_eq!(below.len(), 1, "the second link is looked at too: {findings:?}");
    assert_eq!(
        found(&findings, "inspect::one_socket").len(),
        0,
        "it is on both sockets"
    );
    // Another board, no serial number, and two devices on one socket are two cards.
    for other in [
        lspci("MT1900X00002", 1),
        lspci("N/A", 1),
        lspci("MT1900X00001", 0),
    ] {
        assert_eq!(machine(&[DMIDECODE, ("lspci.txt", &other)]).0.cards.len(), 2);
    }
}

/// A switch above the second link of a socket-direct card: that link shares it with a drive.
/// The ports of 25GbE carry 3.1 GB/s, the drive 3.4 GB/s.
#[test]
fn the_second_link_of_a_card_shares_a_switch_too() {
    let wide = "Speed 8GT/s, Width x4";
    let text = [
        network_function("03:00.0", 0, "MT1900X00001"),
        function("80:03.0", "Root Port (Slot+)", "81", wide),
        function("81:00.0", "Upstream Port", "82", wide),
        function("82:08.0", "Downstream Port (Slot+)", "83", wide),
        function("82:09.0", "Downstream Port (Slot+)", "84", wide),
        network_function("83:00.0", 1, "MT1900X00001"),
        function("84:00.0", "Endpoint", "", wide).replace("NUMA node: 0", "NUMA node: 1"),
    ]
    .concat();
    let (machine, sources) = machine(&[DMIDECODE, ("lspci.txt", &text)]);
    assert!(machine.cards[0].second.is_some(), "{:?}", machine.cards);
    let findings = inspect(&machine);
    let shared = found(&findings, "inspect::uplink_oversubscribed");
    assert_eq!(shared.len(), 1, "{findings:?}");
    assert!(shared[0].message.contains("1.9 to 1"), "{}", shared[0].message);
    let text = topology(&machine, &sources).expect("sockets are known").text;
    assert_eq!(text.matches("switch = \"switch0\"").count(), 2, "{text}");
}

#[test]
fn distances_say_which_of_four_sockets_are_joined() {
    // A square: the sockets across are two hops apart.
    let numactl = "available: 4 nodes (0-3)\nnode 0 size: 8192 MB\nnode 1 size: 8192 MB\nnode 2 size: 8192 MB\n\
                   node 3 size: 8192 MB\nnode distances:\nnode   0   1   2   3 \n  0:  10  16  16  22 \n\
                   \x20 1:  16  10  22  16 \n  2:  16  22  10  16 \n  3:  22  16  16  10 \n";
    let lscpu = "Architecture: x86_64\nCPU(s): 16\nThread(s) per core: 1\nCore(s) per socket: 4\nSocket(s): 4\n\
                 NUMA node(s): 4\nModel name: Quad-Core AMD Opteron(tm) Processor 8356\n\
                 NUMA node0 CPU(s): 0-3\nNUMA node1 CPU(s): 4-7\nNUMA node2 CPU(s): 8-11\n\
                 NUMA node3 CPU(s): 12-15\n";
    let (mut machine, sources) = machine(&[("lscpu.txt", lscpu), ("numactl.txt", numactl)]);
    assert_eq!(machine.sockets.len(), 4);
    // These programs do not say which node is of which socket.
    for node in &mut machine.facts.nodes {
        node.socket.clone_from(&node.number);
    }
    let text = topology(&machine, &sources).expect("sockets are known").text;
    assert_eq!(text.matches("[[link]]").count(), 4, "{text}");
    for apart in ["[\"cpu0\", \"cpu3\"]", "[\"cpu1\", \"cpu2\"]"] {
        assert!(!text.contains(apart), "{text}");
    }
}

/// What `lspci` prints without root: nothing of links.
#[test]
fn links_that_no_file_says_are_a_note() {
    let card =
        "41:00.0 Ethernet controller [0200]: Mellanox Technologies MT2910 [15b3:1021]\n\tNUMA node: 0\n";
    let links = |text: &str| {
        let findings = inspect(&machine(&[("lspci.txt", text)]).0);
        found(&findings, "inspect::unknown_links").len()
    };
    assert_eq!(links(card), 1);
    let linked = format!(
        "{card}\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\t\tLnkCap: Port #0, Speed 16GT/s, Width x16\n\
         \t\tLnkSta: Speed 16GT/s, Width x16\n"
    );
    assert_eq!(links(&linked), 0);
}
