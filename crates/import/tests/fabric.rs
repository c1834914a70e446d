//! HyperTransport links and ways between sockets, from configuration spaces that are made here of known
//! wirings.

use std::fmt::Write as _;
use std::path::PathBuf;

use bandgraph_config::MemoryFiles;
use bandgraph_diagnostics::Sources;
use bandgraph_import::{Known, Machine, gather, merge, resolve, topology};

/// A link of a node: its other end, the width code and clock code, and whether it is the second half of a
/// split link.
#[derive(Clone, Copy)]
struct Wire {
    peer: usize,
    width: u8,
    clock: u8,
    is_second_half: bool,
}

impl Wire {
    /// 16 bits at 1 GHz.
    fn to(peer: usize) -> Self {
        Self {
            peer,
            width: 1,
            clock: 6,
            is_second_half: false,
        }
    }
}

/// Ids of function 0 of family 0Fh and 10h.
const FAMILY_0F: u16 = 0x1100;
const FAMILY_10: u16 = 0x1200;

/// The next node from each node to each other, by shortest ways.
fn next_hops(wires: &[Vec<Wire>]) -> Vec<Vec<usize>> {
    let count = wires.len();
    let of_target = |target: usize| {
        let mut next = vec![usize::MAX; count];
        next[target] = target;
        let mut reached = vec![target];
        let mut at = 0;
        while let Some(&node) = reached.get(at) {
            at += 1;
            for wire in &wires[node] {
                if next[wire.peer] == usize::MAX {
                    next[wire.peer] = node;
                    reached.push(wire.peer);
                }
            }
        }
        next
    };
    let by_target: Vec<Vec<usize>> = (0..count).map(of_target).collect();
    (0..count)
        .map(|from| (0..count).map(|to| by_target[to][from]).collect())
        .collect()
}

/// Offset of the capability of a link, by its number among those of its function.
fn offset(number: usize) -> usize {
    0x80 + 0x20 * number
}

/// `lspci -xxxx` of the northbridges of a fabric, where node 0 has a link to I/O after its others.
fn dump(family: u16, wires: &[Vec<Wire>]) -> String {
    dump_with_io(family, wires, &[Wire::to(0)])
}

/// The first bus of a link to I/O of node 0, by its number among these links.
fn first_bus(number: usize) -> u8 {
    0x40 * number as u8
}

/// The same where node 0 has these links to I/O after its others. They share the buses: 40 each in
/// hexadecimal, and the last has the rest.
fn dump_with_io(family: u16, wires: &[Vec<Wire>], io: &[Wire]) -> String {
    let (next, chains) = (next_hops(wires), io.len());
    let mut text = String::new();
    for (node, own) in wires.iter().enumerate() {
        let mut functions = [vec![0_u8; 256], vec![0_u8; 256], vec![0_u8; 256]];
        let split = own.iter().filter(|wire| wire.is_second_half).count();
        let whole = own.len() - split;
        // Bit and place of each link, in the order of the list.
        let (mut first, mut second) = (0, 0);
        let mut places = Vec::new();
        for wire in own {
            let count = if wire.is_second_half {
                &mut second
            } else {
                &mut first
            };
            places.push((wire.is_second_half, *count));
            *count += 1;
        }
        let bit = |peer: usize| {
            let index = own
                .iter()
                .position(|wire| wire.peer == peer)
                .expect("a neighbour");
            let (is_second_half, number) = places[index];
            1_u32 << (number + 1 + if is_second_half { 4 } else { 0 })
        };
        let (responses, broadcasts) = if family == FAMILY_0F { (8, 16) } else { (9, 18) };
        for target in 0..8 {
            let mut entry = 1 | 1 << responses | 1 << broadcasts;
            if target < wires.len() {
                let way = if target == node {
                    1
                } else {
                    bit(next[node][target])
                };
                // A broadcast goes to those whose way to its source leads back here.
                let onward = own
                    .iter()
                    .filter(|wire| next[wire.peer][target] == node && wire.peer != target);
                let mut seen = Vec::new();
                let tree: u32 = onward
                    .filter(|wire| {
                        !seen.contains(&wire.peer) && {
                            seen.push(wire.peer);
                            true
                        }
                    })
                    .map(|wire| bit(wire.peer))
                    .sum();
                entry = way | way << responses | (1 | tree) << broadcasts;
            }
            functions[0][0x40 + 4 * target..][..4].copy_from_slice(&entry.to_le_bytes());
        }
        let id = node as u32 | (wires.len() as u32 - 1) << 4;
        functions[0][0x60..0x64].copy_from_slice(&id.to_le_bytes());
        let io = if node == 0 { io } else { &[] };
        let places = places.into_iter().chain((whole..).map(|number| (false, number)));
        for (wire, (is_second_half, number)) in own.iter().chain(io).zip(places) {
            let space = &mut functions[if is_second_half { 2 } else { 0 }];
            let at = offset(number);
            space[at..at + 4].copy_from_slice(&[8, offset(number + 1) as u8, 1, 0x21]);
            space[at + 4..at + 8].copy_from_slice(&[
                0x20,
                0,
                wire.width | wire.width << 4,
                wire.width | wire.width << 4,
            ]);
            space[at + 9] = wire.clock & 0xf;
            space[at + 0x18] = if wire.peer == node { 7 } else { 3 };
            space[at + 0x1c] = wire.clock >> 4;
        }
        for (function, links) in [(0, whole + io.len()), (2, split)] {
            let space = &mut functions[function];
            if links > 0 {
                space[6] = 0x10;
                space[0x34] = 0x80;
                space[offset(links - 1) + 1] = 0;
            }
        }
        // All buses on node 0, as every node has it.
        let whole = wires[0].iter().filter(|wire| !wire.is_second_half).count();
        for number in 0..chains {
            let last = if number + 1 == chains {
                0xff
            } else {
                first_bus(number + 1) - 1
            };
            let range = [3, (whole + number) as u8, first_bus(number), last];
            functions[1][0xe0 + 4 * number..][..4].copy_from_slice(&range);
        }
        for (space, function) in functions.iter_mut().zip([0, 1, 4]) {
            space[..2].copy_from_slice(&[0x22, 0x10]);
            space[2..4].copy_from_slice(&(family + function).to_le_bytes());
            space[10..12].copy_from_slice(&[0, 6]);
            let _ = writeln!(text, "00:{:02x}.{function} Host bridge: Sample", 0x18 + node);
            for (row, bytes) in space.chunks(16).enumerate() {
                let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let _ = writeln!(text, "{:02x}: {}", 16 * row, bytes.join(" "));
            }
            text.push('\n');
        }
    }
    text
}

fn machine(sockets: usize, dump: &str) -> (Machine, Sources) {
    let lscpu = format!(
        "Architecture: x86_64\nCPU(s): {}\nThread(s) per core: 1\n\
         Core(s) per socket: 4\nSocket(s): {sockets}\n\
         Model name: Quad-Core AMD Opteron(tm) Processor 8356\n",
        4 * sockets
    );
    let files = MemoryFiles::new()
        .with("lscpu.txt", lscpu)
        .with("lspci.txt", dump);
    let mut sources = Sources::new();
    let gathered = gather(
        &["lscpu.txt", "lspci.txt"].map(PathBuf::from),
        &files,
        &mut sources,
    );
    assert_eq!(gathered.diagnostics, []);
    (resolve(merge(gathered.facts)), sources)
}

/// The pairs of sockets that links join, sorted; `None` if registers do not tell.
fn pairs(machine: &Machine) -> Option<Vec<[u32; 2]>> {
    let mut pairs: Vec<[u32; 2]> = machine
        .fabric
        .links
        .as_ref()?
        .iter()
        .map(|link| link.ends.0)
        .collect();
    pairs.sort_unstable();
    Some(pairs)
}

/// The links of nodes that are joined by these pairs.
fn wired(count: usize, pairs: &[(usize, usize)]) -> Vec<Vec<Wire>> {
    let mut wires = vec![Vec::new(); count];
    for &(one, other) in pairs {
        wires[one].push(Wire::to(other));
        wires[other].push(Wire::to(one));
    }
    wires
}

#[test]
fn every_wiring_of_five_nodes_is_recovered_or_unknown() {
    let all: Vec<(usize, usize)> = (0..5)
        .flat_map(|one| (one + 1..5).map(move |other| (one, other)))
        .collect();
    let (mut connected, mut known) = (0, 0);
    for chosen in 0_u32..1 << all.len() {
        let edges: Vec<(usize, usize)> = (0..all.len())
            .filter(|&edge| chosen & 1 << edge != 0)
            .map(|edge| all[edge])
            .collect();
        let wires = wired(5, &edges);
        // Four links are all that a node has; that to I/O leaves three to node 0.
        if next_hops(&wires)[0].contains(&usize::MAX) || wires[0].len() > 3 {
            continue;
        }
        connected += 1;
        let (machine, _) = machine(5, &dump(FAMILY_10, &wires));
        if let Some(found) = pairs(&machine) {
            known += 1;
            let edges: Vec<[u32; 2]> = edges
                .iter()
                .map(|&(one, other)| [one as u32, other as u32])
                .collect();
            assert_eq!(found, edges);
        }
    }
    assert!(known * 100 >= connected * 99, "{known} of {connected}");
}

#[test]
fn two_sockets_of_the_first_family_have_one_link_and_one_to_io() {
    let mut wires = wired(2, &[(0, 1)]);
    for wire in wires.iter_mut().flatten() {
        wire.clock = 5;
    }
    let (machine, sources) = machine(2, &dump(FAMILY_0F, &wires));
    let [link] = &machine.fabric.links.as_ref().expect("all nodes are there")[..] else {
        panic!("{:?}", machine.fabric)
    };
    assert_eq!(
        (link.ends.0, link.width.known(), link.clock_hz.known()),
        ([0, 1], Some(16), Some(800e6))
    );
    let [io] = &machine.fabric.uplinks[..] else {
        panic!("{:?}", machine.fabric)
    };
    assert_eq!(
        (io.socket, io.width.known(), io.clock_hz.known()),
        (0, Some(16), Some(1e9))
    );
    let text = topology(&machine, &sources).expect("sockets are known").text;
    assert!(
        text.contains("clock = \"0.8 GHz\"") && text.contains("width_bits = 16"),
        "{text}"
    );
}

/// A network card at an address, on a link of eight lanes of generation 1.
fn network_card(address: &str) -> String {
    format!(
        "{address} Ethernet controller [0200]: Sample NIC [8086:10fb]\n\
         \tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\
         \t\tLnkCap:\tPort #0, Speed 2.5GT/s, Width x8, ASPM L1\n\t\tLnkSta:\tSpeed 2.5GT/s, Width x8\n\n"
    )
}

/// A socket with two chains of bridges: each card hangs on the bridge of its chain, which has the width and
/// the clock of its own link.
#[test]
fn links_to_io_of_one_socket_are_bridges_of_their_own() {
    let slow = Wire {
        clock: 5,
        ..Wire::to(0)
    };
    for family in [FAMILY_0F, FAMILY_10] {
        let text = dump_with_io(family, &wired(2, &[(0, 1)]), &[Wire::to(0), slow])
            + &network_card("05:00.0")
            + &network_card("45:00.0")
            + &network_card("46:00.0");
        let (machine, sources) = machine(2, &text);
        let buses = machine.fabric.uplinks.iter().map(|link| link.buses[0].value);
        assert_eq!(buses.collect::<Vec<_>>(), [[0, 0x3f], [0x40, 0xff]]);
        let text = topology(&machine, &sources).expect("sockets are known").text;
        // Comments with the places left out.
        let lines: Vec<&str> = text
            .lines()
            .map(|line| line.split("  #").next().unwrap_or(line).trim_end())
            .collect();
        let text = lines.join("\n");
        let after = |start: &str| text.split_once(start).expect("it is there").1;
        assert_eq!(text.matches("[[bridge]]").count(), 2, "{text}");
        assert!(after("id = \"io0\"").contains("clock = \"1 GHz\""), "{text}");
        assert!(after("id = \"io0-1\"").contains("clock = \"0.8 GHz\""), "{text}");
        assert_eq!(text.matches("to = \"cpu0\"").count(), 2, "{text}");
        for (card, bridge) in [("05", "io0"), ("45", "io0-1"), ("46", "io0-1")] {
            let slot = after(&format!("id = \"at-{card}-00-0\""));
            let named = slot.lines().nth(1);
            assert_eq!(named, Some(&*format!("bridge = \"{bridge}\"")), "{text}");
        }
    }
}

#[test]
fn parallel_links_between_two_sockets_are_counted() {
    let (machine, _) = machine(2, &dump(FAMILY_10, &wired(2, &[(0, 1), (0, 1)])));
    assert_eq!(pairs(&machine), Some(vec![[0, 1]; 2]));
}

#[test]
fn a_square_of_sockets_has_four_links_and_the_ways_of_its_tables() {
    let square = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let (machine, sources) = machine(4, &dump(FAMILY_10, &wired(4, &square)));
    assert_eq!(pairs(&machine), Some(vec![[0, 1], [0, 2], [1, 3], [2, 3]]));
    let ways: Vec<&[u32]> = machine.fabric.routes.iter().map(|(way, _)| &way[..]).collect();
    assert_eq!(ways, [&[0, 1, 3][..], &[1, 0, 2], &[2, 0, 1], &[3, 1, 0]]);
    let text = topology(&machine, &sources).expect("sockets are known").text;
    assert_eq!(
        (
            text.matches("[[link]]").count(),
            text.matches("[[route]]").count()
        ),
        (4, 4),
        "{text}"
    );
    assert!(text.contains("via = [\"cpu1\"]"), "{text}");
}

#[test]
fn links_between_the_dies_of_a_socket_are_inside_it() {
    // Two sockets of two dies each: a link of 16 bits inside, halves of 8 bits at 3.2 GHz across.
    let half = |peer: usize, is_second_half: bool| Wire {
        peer,
        width: 0,
        clock: 19,
        is_second_half,
    };
    let wires = vec![
        vec![Wire::to(1), Wire::to(2), half(3, true)],
        vec![Wire::to(0), Wire::to(3), half(2, true)],
        vec![Wire::to(3), Wire::to(0), half(1, true)],
        vec![Wire::to(2), Wire::to(1), half(0, true)],
    ];
    let (machine, _) = machine(2, &dump(FAMILY_10, &wires));
    let links = machine.fabric.links.as_ref().expect("all nodes are there");
    let mut links: Vec<_> = links
        .iter()
        .map(|link| {
            (
                link.ends.0,
                link.width.known(),
                link.clock_hz.known().map(|clock| clock / 1e6),
            )
        })
        .collect();
    links.sort_by_key(|&(_, width, _)| width);
    let (narrow, wide) = (([0, 1], Some(8), Some(3200.0)), ([0, 1], Some(16), Some(1000.0)));
    assert_eq!(links, [narrow, narrow, wide, wide]);
    assert_eq!(machine.fabric.routes, []);
}

#[test]
fn contradictory_and_incomplete_tables_say_nothing() {
    let whole = dump(FAMILY_10, &wired(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]));
    let without_a_node = &whole[..whole.find("00:1b.0").expect("node 3")];
    assert_eq!(pairs(&machine(4, without_a_node).0), None);
    // Node 0 says that it reaches all others over a link to I/O.
    let damaged = whole.replacen(
        "\n40: ",
        "\n40: 08 10 24 00 08 10 24 00 08 10 24 00 08 10 24 00\n40: ",
        1,
    );
    assert_eq!(pairs(&machine(4, &damaged).0), None);
}

#[test]
fn a_single_link_of_one_of_two_sockets_leads_to_the_other() {
    let node = |device: u32, links: &[bool]| {
        let links = links.iter().zip([0x80, 0xa0, 0xc0]).map(|(up, offset)| {
            let state = if *up {
                "<LkFail- Init+ EOC-"
            } else {
                "<LkFail- Init- EOC+"
            };
            let bits = if *up { "16bit" } else { "N/C" };
            format!(
                "\tCapabilities: [{offset:x}] HyperTransport: Host or Secondary Interface\n\
                 \t\tLink Control: CFlE- CST- CFE- {state} TXO- <CRCErr=0 IsocEn-\n\
                 \t\tLink Config: MLWI=16bit MLWO=16bit LWI={bits} LWO={bits}\n\t\tLink Frequency: 1.0GHz\n"
            )
        });
        format!(
            "00:{device:x}.0 Host bridge [0600]: Sample [1022:1200]\n{}\n",
            links.collect::<String>()
        )
    };
    let (machine, _) = machine(
        2,
        &(node(0x18, &[true, false, true]) + &node(0x19, &[false, true, false])),
    );
    let links = machine.fabric.links.as_ref().expect("the second has one link");
    let [link] = &links[..] else { panic!("{links:?}") };
    assert_eq!(
        (link.ends.0, link.width.known(), link.clock_hz.known()),
        ([0, 1], Some(16), Some(1e9))
    );
    // With two links each, some may lead to I/O.
    let (unknown, _) = self::machine(2, &(node(0x18, &[true, true]) + &node(0x19, &[true, true])));
    assert_eq!(unknown.fabric.links, None);
}
