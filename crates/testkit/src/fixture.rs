//! The Sun Storage 7410, in both generations, built in code.
//!
//! Published: the square of sockets 0-1, 0-2, 1-3, 2-3; the MCP55 on socket 0 and the IO55 on socket 1, both
//! with HyperTransport 1 uplinks; two dual-port 10 GbE cards, three host bus adapters, eight enclosures; on
//! the HT3 machine a second link 2-3 that carries traffic. Derived from the HyperTransport counters: the
//! routes between opposite corners. Assumed: the slots of the host bus adapters (cards were spread over both
//! bridges).

use bandgraph_hardware::{BridgePart, Catalogue, PcieGeneration, PcieSlotSpec, SocketLinkPart, catalogue};
use bandgraph_topology::{
    BridgeSpec, CardPart, CardSpec, JbodSpec, LinkSpec, MemorySpec, RouteSpec, Seat, SlotSpec, SocketSpec,
    Topology, TopologySpec,
};
use bandgraph_units::Bytes;

const GIB: f64 = 1_073_741_824.0;

/// The two generations of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Opteron 8356, HyperTransport 1, 128 GiB of DDR2-667.
    Barcelona,
    /// Opteron 8435, HyperTransport 3, 256 GiB of DDR2-800.
    Istanbul,
}

/// The parts that differ between the generations.
struct Choice {
    name: &'static str,
    socket: &'static str,
    memory: &'static str,
    gib_per_socket: f64,
    link: &'static str,
    links_2_3: usize,
}

impl Generation {
    /// Both generations, the older first.
    pub const ALL: [Self; 2] = [Self::Barcelona, Self::Istanbul];

    const fn choice(self) -> Choice {
        match self {
            Self::Barcelona => Choice {
                name: "Sun Storage 7410 (Barcelona)",
                socket: "opteron-8356",
                memory: "ddr2-667",
                gib_per_socket: 32.0,
                link: "ht1-x16",
                links_2_3: 1,
            },
            Self::Istanbul => Choice {
                name: "Sun Storage 7410 (Istanbul)",
                socket: "opteron-8435",
                memory: "ddr2-800",
                gib_per_socket: 64.0,
                link: "ht3-x16-2200",
                links_2_3: 2,
            },
        }
    }
}

/// The server with its cards and enclosures: slots `s1` to `s3` on `mcp55` and `s4` to `s6` on `io55`, all
/// gen1 x8; `nic0` in `s1`, `nic1` in `s4`, `hba0` in `s2`, `hba1` in `s5`, `hba2` in `s6`; enclosures `j0`
/// to `j7`.
pub fn seven_four_ten(generation: Generation) -> TopologySpec {
    let parts = catalogue();
    let choice = generation.choice();
    TopologySpec {
        name: choice.name.to_owned(),
        sockets: (0..4).map(|index| socket(parts, &choice, index)).collect(),
        links: links(parts, &choice),
        bridges: vec![bridge(parts, "mcp55", "cpu0"), bridge(parts, "io55", "cpu1")],
        slots: (1..=6)
            .map(|number| slot(number, if number <= 3 { "mcp55" } else { "io55" }))
            .collect(),
        cards: vec![
            nic(parts, "nic0", "s1"),
            nic(parts, "nic1", "s4"),
            hba(parts, "hba0", "s2"),
            hba(parts, "hba1", "s5"),
            hba(parts, "hba2", "s6"),
        ],
        jbods: (0..8).map(|index| jbod(parts, index)).collect(),
        routes: [
            ("cpu0", "cpu3", "cpu2"),
            ("cpu3", "cpu0", "cpu1"),
            ("cpu1", "cpu2", "cpu3"),
            ("cpu2", "cpu1", "cpu0"),
        ]
        .map(|(from, to, via)| RouteSpec {
            from: from.to_owned(),
            to: to.to_owned(),
            via: vec![via.to_owned()],
            // Responses of the second model take the two links between cpu2 and cpu3 for both diagonals.
            responses_via: match (choice.links_2_3, from, to) {
                (2, "cpu3", "cpu0") => Some(vec!["cpu2".to_owned()]),
                (2, "cpu2", "cpu1") => Some(vec!["cpu3".to_owned()]),
                _ => None,
            },
        })
        .to_vec(),
        ..TopologySpec::default()
    }
}

/// The server with two of its on-board gigabit ports in addition: `onboard0` and `onboard1` on `mcp55`.
pub fn seven_four_ten_onboard(generation: Generation) -> TopologySpec {
    let mut spec = seven_four_ten(generation);
    let part = catalogue().nic("onboard-1gbe").expect("a part of the catalogue");
    spec.cards.extend((0..2).map(|index| CardSpec {
        id: format!("onboard{index}"),
        part: CardPart::Nic(part.clone()),
        seat: Seat::Bridge("mcp55".to_owned()),
    }));
    spec
}

/// The server as a checked topology.
pub fn seven_four_ten_topology(generation: Generation) -> Topology {
    Topology::build(seven_four_ten(generation)).expect("the fixture is valid, as the tests show")
}

fn socket(parts: &Catalogue, choice: &Choice, index: usize) -> SocketSpec {
    SocketSpec {
        id: format!("cpu{index}"),
        nodes: None,
        part: parts
            .socket(choice.socket)
            .expect("a part of the catalogue")
            .clone(),
        memory: MemorySpec {
            part: parts
                .memory(choice.memory)
                .expect("a part of the catalogue")
                .clone(),
            channels: 2,
            size: Bytes::new(choice.gib_per_socket * GIB),
        },
    }
}

fn links(parts: &Catalogue, choice: &Choice) -> Vec<LinkSpec> {
    let part = parts.socket_link(choice.link).expect("a part of the catalogue");
    [("cpu0", "cpu1"), ("cpu0", "cpu2"), ("cpu1", "cpu3")]
        .into_iter()
        .chain(std::iter::repeat_n(("cpu2", "cpu3"), choice.links_2_3))
        .map(|(a, b)| LinkSpec {
            ends: [a.to_owned(), b.to_owned()],
            part: part.clone(),
            weight: 1.0,
        })
        .collect()
}

fn bridge(parts: &Catalogue, id: &str, socket: &str) -> BridgeSpec {
    let part: &BridgePart = parts.bridge(id).expect("a part of the catalogue");
    let uplink: &SocketLinkPart = parts.socket_link("ht1-x16").expect("a part of the catalogue");
    BridgeSpec {
        id: id.to_owned(),
        part: part.clone(),
        uplink_to: socket.to_owned(),
        uplink: Some(uplink.clone()),
    }
}

fn slot(number: usize, bridge: &str) -> SlotSpec {
    SlotSpec {
        id: format!("s{number}"),
        bridge: bridge.to_owned(),
        pcie: PcieSlotSpec {
            generation: PcieGeneration::Gen1,
            lanes: 8,
        },
        ..SlotSpec::default()
    }
}

fn nic(parts: &Catalogue, id: &str, slot: &str) -> CardSpec {
    let part = parts.nic("neptune-dual-10gbe").expect("a part of the catalogue");
    CardSpec {
        id: id.to_owned(),
        part: CardPart::Nic(part.clone()),
        seat: Seat::Slot(slot.to_owned()),
    }
}

fn hba(parts: &Catalogue, id: &str, slot: &str) -> CardSpec {
    let part = parts.hba("sas-hba-x8-gen1").expect("a part of the catalogue");
    CardSpec {
        id: id.to_owned(),
        part: CardPart::Hba(part.clone()),
        seat: Seat::Slot(slot.to_owned()),
    }
}

/// Enclosures take the first ports of the three adapters, then the second ports, then chains.
fn jbod(parts: &Catalogue, index: usize) -> JbodSpec {
    let part = parts.jbod("j4400").expect("a part of the catalogue");
    JbodSpec {
        id: format!("j{index}"),
        part: part.clone(),
        disk: parts
            .disk(&part.disk)
            .expect("a part of the catalogue")
            .clone()
            .into(),
        hba: format!("hba{}", index % 3),
        port: (index / 3 % 2) as u32,
        second_path: None,
    }
}

/// Moves a card to a slot, and the card in that slot to the previous place of the first.
pub fn swap_into_slot(spec: &mut TopologySpec, card: &str, slot: &str) {
    let index = spec
        .cards
        .iter()
        .position(|other| other.id == card)
        .expect("a card of the topology");
    let seat = Seat::Slot(slot.to_owned());
    let before = std::mem::replace(&mut spec.cards[index].seat, seat.clone());
    let is_there = |(other, card): (usize, &CardSpec)| other != index && card.seat == seat;
    if let Some(other) = spec.cards.iter().enumerate().position(is_there) {
        spec.cards[other].seat = before;
    }
}
