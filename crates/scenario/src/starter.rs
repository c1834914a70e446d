//! Starter files for new users: a commented server and scenario, from a few choices.

use std::fmt::Write as _;
use std::path::Path;

use bandgraph_config::MemoryFiles;
use bandgraph_diagnostics::Sources;
use bandgraph_hardware::{AnyPart, LinkLayer, NicPart, PcieGeneration, catalogue};

use crate::open::load_topology_with;

/// Servers that can be started from: the name, the software profile of their years, and the topology file.
const LIKE: [(&str, &str, &str); 6] = [
    (
        "7410",
        SUN,
        include_str!("../../../topologies/sun-7410-barcelona.toml"),
    ),
    ("7110", SUN, include_str!("../../../topologies/sun-7110.toml")),
    ("x4270", SUN, include_str!("../../../topologies/sun-x4270.toml")),
    ("x2270", SUN, include_str!("../../../topologies/sun-x2270.toml")),
    (
        "8-sockets",
        SUN,
        include_str!("../../../topologies/8-socket-ladder.toml"),
    ),
    (
        "2023",
        LINUX,
        include_str!("../../../topologies/server-2023.toml"),
    ),
];
/// The profiles for servers of 2008 to 2010, and for present-day servers.
const SUN: &str = "fishworks-2009";
const LINUX: &str = "linux-nfsd-tcp-2020";
/// The most sockets and drives of a server that is started with, and cards.
const SOCKETS: u32 = 2;
const DRIVES: u32 = 128;
const CARDS: u32 = 16;
/// PCIe lanes of a socket: those of a pair without three links of 16 between them.
const LANES: [u32; SOCKETS as usize] = [128, 80];
/// PCIe lanes of the slot of a network card, and of an NVMe drive.
const CARD_LANES: u32 = 16;
const DRIVE_LANES: u32 = 4;
/// The choice of a server.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// As one of [`start_names`].
    Like(String),
    /// With these components.
    Of {
        /// Processor sockets, 1 or 2.
        sockets: u32,
        /// Network cards with the rate of their ports, such as `2x100g`.
        nics: String,
        /// NVMe drives, up to 128.
        drives: u32,
    },
}

/// What can be asked about a server to start with, each with the answer that is taken if there is none.
pub const QUESTIONS: [(&str, &str); 3] = [
    ("processor sockets, 1 or 2", "2"),
    ("network cards x rate of a port", "2x100g"),
    ("NVMe drives, 0 to 128", "8"),
];

impl Start {
    /// A server of components, with answers to the first of [`QUESTIONS`].
    ///
    /// # Errors
    ///
    /// [`StartError`], if they make no server.
    pub fn of(answers: &[String]) -> Result<Self, StartError> {
        let answer = |index: usize| answers.get(index).map_or(QUESTIONS[index].1, String::as_str);
        let number = |text: &str| text.parse().map_err(|_| StartError::NotWhole(text.to_owned()));
        let start = Self::Of {
            sockets: number(answer(0))?,
            nics: answer(1).to_owned(),
            drives: number(answer(2))?,
        };
        started(&start).map(|_| start)
    }
}

/// A topology file and a scenario file that names it as `server.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The topology.
    pub server: String,
    /// The scenario.
    pub scenario: String,
}

/// Why starter files cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// There is no server of that name.
    #[error("there is no server `{0}` to start from")]
    UnknownServer(String),
    /// Components are counted.
    #[error("`{0}` is not a whole number")]
    NotWhole(String),
    /// Cards are given as a number and a rate.
    #[error("`{0}` is not a number of cards and a rate, such as 2x100g")]
    Nics(String),
    /// A rate has a unit.
    #[error("`{0}` is a number of cards and a rate without a unit")]
    NoUnit(String),
    /// No network card has ports of that rate.
    #[error("the catalogue has no network card with ports of {0} Gbit/s")]
    NoNic(String),
    /// More cards and drives than sockets have lanes for.
    #[error(
        "{cards} network cards and {drives} NVMe drives need {} PCIe lanes of each socket, which has {}",
        used_lanes(*.sockets, *.cards, *.drives),
        LANES[*.sockets as usize - 1]
    )]
    Lanes {
        /// The sockets: 1 or 2.
        sockets: u32,
        /// The cards.
        cards: u32,
        /// The drives.
        drives: u32,
    },
    /// A number out of range.
    #[error("a server to start with has {least} to {most} {what}, not {asked}")]
    Count {
        /// The component.
        what: &'static str,
        /// The minimum.
        least: u32,
        /// The maximum.
        most: u32,
        /// The requested number.
        asked: u32,
    },
}

/// The servers that can be started from.
pub fn start_names() -> Vec<&'static str> {
    LIKE.iter().map(|(name, ..)| *name).collect()
}

impl StartError {
    /// A suggestion, if there is one.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownServer(_) => Some(format!("there is {}", start_names().join(", "))),
            Self::NoUnit(nics) => Some(format!("write Gbit/s as `{nics}g`")),
            Self::Lanes {
                sockets,
                cards,
                drives,
            } => Some(fitting(*sockets, *cards, *drives)),
            Self::NoNic(_) => Some("`bandgraph parts list --kind nic` lists what there is".to_owned()),
            _ => None,
        }
    }
}

/// What fits instead of these: fewer drives beside the cards, or fewer cards.
fn fitting(sockets: u32, cards: u32, drives: u32) -> String {
    let fits = |cards, drives| used_lanes(sockets, cards, drives) <= LANES[sockets as usize - 1];
    if let Some(most) = (0..drives).rev().find(|drives| fits(cards, *drives)) {
        return format!("{most} drives fit beside the cards: `--nvme {most}`");
    }
    let most = (1..cards).rev().find(|cards| fits(*cards, 0)).unwrap_or(1);
    format!("{most} cards fit, without drives")
}

/// The starter files.
///
/// # Errors
///
/// [`StartError`], for choices that do not make a server.
pub fn started(start: &Start) -> Result<Started, StartError> {
    match start {
        Start::Like(name) => {
            let known = LIKE.iter().find(|(known, ..)| known == name);
            let (_, profile, topology) = known.ok_or_else(|| StartError::UnknownServer(name.clone()))?;
            let ports = port_rates(topology);
            let rate = client_rate(ports.iter().copied().fold(0.0, f64::max));
            let clients = clients(ports.iter().sum(), rate);
            Ok(Started {
                server: (*topology).to_owned(),
                scenario: scenario(clients, &format!("{rate} Gbit/s"), None, "4 GiB", profile),
            })
        }
        Start::Of {
            sockets,
            nics,
            drives,
        } => {
            let within = |what, asked, least, most| {
                let fits = (least..=most).contains(&asked);
                fits.then_some(()).ok_or(StartError::Count {
                    what,
                    least,
                    most,
                    asked,
                })
            };
            within("sockets", *sockets, 1, SOCKETS)?;
            within("NVMe drives", *drives, 0, DRIVES)?;
            let (cards, rate) = cards(nics)?;
            within("network cards", cards, 1, CARDS)?;
            if used_lanes(*sockets, cards, *drives) > LANES[*sockets as usize - 1] {
                return Err(StartError::Lanes {
                    sockets: *sockets,
                    cards,
                    drives: *drives,
                });
            }
            let nic = nic(rate).ok_or_else(|| StartError::NoNic(rate.to_string()))?;
            let client = client_rate(rate);
            let clients = clients(rate * f64::from(cards) * nic.ports as f64, client);
            // Mirrors are pairs.
            let pool = match drives {
                0 => None,
                odd if odd % 2 == 1 => Some("stripe"),
                _ => Some("mirror"),
            };
            let set = if pool.is_some() { "2 TiB" } else { "64 GiB" };
            Ok(Started {
                server: server(*sockets, cards, nic, *drives),
                scenario: scenario(clients, &format!("{client} Gbit/s"), pool, set, LINUX),
            })
        }
    }
}

/// The rates of the ports of a shipped server in Gbit/s.
fn port_rates(topology: &str) -> Vec<f64> {
    let files = MemoryFiles::new().with("server.toml", topology);
    let loaded = load_topology_with(&files, Path::new("server.toml"), &[], &mut Sources::new());
    let loaded = loaded.expect("shipped servers are valid");
    let ports = loaded.topology.ports().iter();
    ports.map(|port| port.kind.rate.get() * 8.0 / 1e9).collect()
}

/// The rate of a client's port in Gbit/s, where the fastest port of the server has this rate.
fn client_rate(fastest: f64) -> f64 {
    fastest.min(25.0)
}

/// The number of clients with ports of `rate` that carry twice what the ports of the server do, so that it is
/// the server that limits.
fn clients(ports: f64, rate: f64) -> u32 {
    (2.0 * ports / rate).ceil().clamp(1.0, 256.0) as u32
}

/// A number of cards and the rate of their ports in Gbit/s.
fn cards(text: &str) -> Result<(u32, f64), StartError> {
    let wrong = || StartError::Nics(text.to_owned());
    let (count, rate) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
    let rate = rate.trim().to_ascii_lowercase();
    let digits = rate.trim_end_matches("be").trim_end_matches('g');
    let has_unit = digits.len() < rate.len();
    let rate: f64 = digits.trim().parse().map_err(|_| wrong())?;
    let count: u32 = count.trim().parse().map_err(|_| wrong())?;
    match rate.is_finite() && rate > 0.0 {
        true if has_unit => Ok((count, rate)),
        true => Err(StartError::NoUnit(text.trim().to_owned())),
        false => Err(wrong()),
    }
}

/// The first Ethernet card of the catalogue with ports of a rate, of the latest PCIe generation that a gen5
/// slot takes.
fn nic(rate: f64) -> Option<&'static NicPart> {
    let cards = catalogue().iter().filter_map(|part| match part {
        AnyPart::Nic(nic) => Some(nic),
        _ => None,
    });
    let fits = |nic: &&NicPart| {
        nic.link_layer == LinkLayer::Ethernet
            && !nic.integrated
            && nic.pcie_generation <= PcieGeneration::Gen5
            && (nic.port_rate.get() * 8.0 / 1e9 / rate - 1.0).abs() < 0.01
    };
    let fitting: Vec<&NicPart> = cards.filter(fits).collect();
    let latest = fitting.iter().map(|nic| nic.pcie_generation).max()?;
    fitting.into_iter().find(|nic| nic.pcie_generation == latest)
}

fn server(sockets: u32, cards: u32, nic: &NicPart, drives: u32) -> String {
    let mut text = String::from(
        "# A server. `bandgraph topology show server.toml` lists it,\n\
         # `bandgraph topology draw server.toml -o server.svg` draws it.\n\
         # `bandgraph parts list --kind socket` (memory, nic, ...) lists what a `part` can name.\n\
         # Identical parts are one entry with a `count`; a range, such as rc[0-1], spreads them\n\
         # over several others.\n\
         schema = 1\n\
         name = \"My server\"\n",
    );
    let mut add = |piece: std::fmt::Arguments<'_>| text.write_fmt(piece).expect("a text takes all");
    add(format_args!(
        "\n# Processors, each with the memory on its own channels.\n\
         [[socket]]\nid = \"cpu\"\ncount = {sockets}\npart = \"epyc-9354\"\n\
         memory = {{ part = \"ddr5-4800\", channels = 12, size = \"384 GiB\" }}\n"
    ));
    if sockets > 1 {
        add(format_args!(
            "\n# Links between the sockets; they share the traffic.\n\
             [[link]]\nends = [\"cpu0\", \"cpu1\"]\ncount = 3\npart = \"xgmi3-x16\"\n"
        ));
    }
    add(format_args!(
        "\n# The root complex of each socket; slots attach to it.\n\
         [[bridge]]\nid = \"rc\"\ncount = {sockets}\npart = \"root-complex-gen5\"\nsocket = \"{}\"\n",
        all("cpu", sockets)
    ));
    let rate = nic.port_rate.get() * 8.0 / 1e9;
    let ports = |cards: u32| {
        let each = match nic.ports {
            1 => "1 port".to_owned(),
            several => format!("{several} ports (`ports = 1` for one)"),
        };
        let all = f64::from(cards) * nic.ports as f64 * rate;
        format!("Network cards with {each} of {rate} Gbit/s each, {all} Gbit/s together")
    };
    // Wider than some cards, as slots of servers are: the ladder tries faster cards in them.
    let wide = "gen5 x16";
    for (what, count, slot, pcie, card, part) in [
        (Some(&ports), cards, "s", wide, "nic", &*nic.name),
        (None, drives, "bay", "gen4 x4", "nvme", "nvme-gen4"),
    ] {
        for (number, count, complexes) in spread(count, sockets) {
            let (counted, slots) = match &*number {
                "" => (format!("count = {count}\n"), all(slot, count)),
                number => (String::new(), format!("{slot}{number}")),
            };
            add(format_args!(
                "\n# {}, and their slots on {complexes}.\n\
                 [[slot]]\nid = \"{slot}{number}\"\n{counted}bridge = \"{complexes}\"\n\
                 pcie = \"{pcie}\"\n\n\
                 [[card]]\nid = \"{card}{number}\"\n{counted}part = \"{part}\"\nslot = \"{slots}\"\n",
                what.map_or_else(|| "NVMe drives".to_owned(), |words| words(count)),
            ));
        }
    }
    if has_free_slots(sockets, cards, drives) {
        let complexes = all("rc", sockets);
        add(format_args!(
            "\n# A free slot on each: `bandgraph place` tries cards in them.\n\
             [[slot]]\nid = \"free\"\ncount = {sockets}\nbridge = \"{complexes}\"\npcie = \"{wide}\"\n"
        ));
    }
    text
}

/// Whether each socket has lanes for a free slot, beside its cards and drives.
fn has_free_slots(sockets: u32, cards: u32, drives: u32) -> bool {
    used_lanes(sockets, cards, drives) + CARD_LANES <= LANES[sockets as usize - 1]
}

/// The PCIe lanes that a socket needs for its part of the cards and drives.
fn used_lanes(sockets: u32, cards: u32, drives: u32) -> u32 {
    CARD_LANES * cards.div_ceil(sockets) + DRIVE_LANES * drives.div_ceil(sockets)
}

/// The names of equal elements, as a range.
fn all(name: &str, count: u32) -> String {
    match count {
        1 => format!("{name}0"),
        _ => format!("{name}[0-{}]", count - 1),
    }
}

/// Equal elements on the root complexes of all sockets: one entry for those that can be spread evenly, and an
/// entry for each of the rest. The number in the name of a single one, how many there are, and the root
/// complexes.
fn spread(count: u32, sockets: u32) -> Vec<(String, u32, String)> {
    let rest = count % sockets;
    let even = count - rest;
    let spread = (even > 0).then(|| (String::new(), even, all("rc", sockets)));
    let rest = (0..rest).map(|socket| ((even + socket).to_string(), 1, format!("rc{socket}")));
    spread.into_iter().chain(rest).collect()
}

fn scenario(clients: u32, rate: &str, pool: Option<&str>, set: &str, profile: &str) -> String {
    let pool = pool.map_or_else(String::new, |kind| {
        format!(
            "\n# All drives as one pool: `stripe`, `mirror`, `raid6`, `raidz2`, ...; see docs/files.md.\n\
             [[pool]]\nid = \"data\"\nkind = \"{kind}\"\n"
        )
    });
    format!(
        "# The load on the server. `bandgraph run scenario.toml` predicts and simulates the answer,\n\
         # `bandgraph ladder scenario.toml` shows what to buy next.\n\
         schema = 1\n\
         name = \"My first scenario\"\n\
         topology = \"server.toml\"\n\
         \n\
         # The software decides much of the answer. `bandgraph stacks list` lists the profiles.\n\
         [stack]\n\
         profile = \"{profile}\"\n\
         {pool}\
         \n\
         # Client machines, with one network port each.\n\
         [[clients]]\n\
         id = \"clients\"\n\
         count = {clients}\n\
         nics = {{ rate = \"{rate}\" }}\n\
         \n\
         # The load: 16 threads per client, each reading 1 MiB at a time over NFS. A `mix` can also be `write`.\n\
         [[workload]]\n\
         id = \"read\"\n\
         clients = \"clients\"\n\
         mix = \"read\"\n\
         io_size = \"1 MiB\"\n\
         working_set = \"{set}\"\n\
         threads_per_client = 16\n"
    )
}

#[cfg(test)]
mod tests {
    use bandgraph_diagnostics::render;
    use proptest::prelude::*;

    use super::*;

    /// What is wrong with the files of a start; nothing if both can be used.
    fn problems(start: &Start) -> String {
        let Started { server, scenario } = started(start).expect("a start");
        let files = MemoryFiles::new()
            .with("server.toml", &*server)
            .with("scenario.toml", &*scenario);
        let mut sources = Sources::new();
        match crate::load_with(&files, Path::new("scenario.toml"), &[], &mut sources) {
            Ok(_) => String::new(),
            Err(diagnostics) => format!("{}\n{server}", render::full(&diagnostics, &sources, false)),
        }
    }

    #[test]
    fn every_server_to_start_from_can_be_run() {
        for name in start_names() {
            assert_eq!(problems(&Start::Like(name.to_owned())), "", "{name}");
        }
    }

    /// The first answer of a new user is about the server, and not about clients of another time.
    #[test]
    fn clients_do_not_limit() {
        for name in start_names() {
            let Started { server, scenario } = started(&Start::Like(name.to_owned())).expect("a start");
            let files = MemoryFiles::new()
                .with("server.toml", server)
                .with("scenario.toml", scenario);
            let loaded = crate::load_with(&files, Path::new("scenario.toml"), &[], &mut Sources::new());
            let scenario = loaded.expect("a scenario").scenario;
            let ports: f64 = scenario
                .topology
                .ports()
                .iter()
                .map(|port| port.kind.rate.get())
                .sum();
            let group = &scenario.clients[0];
            let nics = f64::from(group.count * group.nics.count);
            let clients = nics * group.nics.rate.get();
            assert!(
                clients >= 1.5 * ports,
                "{name}: {clients} of clients, {ports} of ports"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn every_start_can_be_run(
            sockets in 1..=SOCKETS,
            cards in 1..=4_u32,
            rate in prop::sample::select(vec!["1g", "10g", "25G", "100g", "100gbe", "200g", "400g"]),
            drives in 0..=40_u32,
        ) {
            let nics = format!("{cards}x{rate}");
            // What does not fit is refused before anything is written.
            let free = LANES[sockets as usize - 1] - CARD_LANES * cards.div_ceil(sockets);
            let drives = drives.min(free / DRIVE_LANES * sockets);
            prop_assert_eq!(problems(&Start::Of { sockets, nics, drives }), "");
        }
    }

    /// What cannot be spread over the sockets is numbered as the rest is.
    #[test]
    fn a_card_of_its_own_has_a_plain_name() {
        let server = |nics: &str| {
            let start = Start::Of {
                sockets: 2,
                nics: nics.to_owned(),
                drives: 0,
            };
            started(&start).expect("a start").server
        };
        let one = server("1x100g");
        assert!(one.contains("id = \"nic0\"\npart"), "{one}");
        assert!(one.contains("slot = \"s0\"\n"), "{one}");
        let three = server("3x100g");
        assert!(three.contains("id = \"nic\"\ncount = 2\n"), "{three}");
        assert!(three.contains("id = \"nic2\"\npart"), "{three}");
    }

    /// A server of today is short to describe: what is equal is one entry.
    #[test]
    fn two_sockets_with_24_drives_are_a_page() {
        let start = Start::Of {
            sockets: 2,
            nics: "2x100g".to_owned(),
            drives: 24,
        };
        let server = started(&start).expect("a start").server;
        assert!(server.lines().count() < 66, "{server}");
        assert!(server.contains("id = \"nvme\"\ncount = 24\n"), "{server}");
    }

    /// Two cards and 24 drives of four lanes on two sockets use 64 of the 80 lanes of each.
    #[test]
    fn boards_have_free_slots_while_there_are_lanes() {
        assert_eq!(
            [8, 24, 25, 40].map(|drives| has_free_slots(2, 2, drives)),
            [true, true, false, false]
        );
        assert_eq!([20, 21].map(|drives| has_free_slots(1, 2, drives)), [true, false]);
        let start = |drives| Start::Of {
            sockets: 2,
            nics: "2x100g".to_owned(),
            drives,
        };
        let server = started(&start(24)).expect("a start").server;
        assert!(
            server.contains("id = \"free\"\ncount = 2\nbridge = \"rc[0-1]\"\n"),
            "{server}"
        );
        let full = started(&start(32)).expect("a start").server;
        assert!(!full.contains("free"), "{full}");
        let refused = started(&start(33)).expect_err("a drive has no lanes");
        assert_eq!(
            refused.to_string(),
            "2 network cards and 33 NVMe drives need 84 PCIe lanes of each socket, which has 80"
        );
        assert_eq!(
            refused.help().as_deref(),
            Some("32 drives fit beside the cards: `--nvme 32`")
        );
        assert_eq!(fitting(1, 9, 0), "8 cards fit, without drives");
    }

    #[test]
    fn what_makes_no_server_is_refused() {
        let of = |sockets, nics: &str, drives| {
            started(&Start::Of {
                sockets,
                nics: nics.to_owned(),
                drives,
            })
        };
        assert!(matches!(
            of(3, "1x10g", 0),
            Err(StartError::Count { what: "sockets", .. })
        ));
        assert!(matches!(of(1, "ten", 0), Err(StartError::Nics(_))));
        let no_unit = of(1, "2x100", 0).err().and_then(|error| error.help());
        assert_eq!(no_unit.as_deref(), Some("write Gbit/s as `2x100g`"));
        assert!(matches!(of(1, "1x7g", 0), Err(StartError::NoNic(_))));
        assert!(matches!(of(1, "0x10g", 0), Err(StartError::Count { .. })));
        assert!(matches!(
            started(&Start::Like("pdp-11".to_owned())),
            Err(StartError::UnknownServer(_))
        ));
    }
}
