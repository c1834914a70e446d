//! What the ladder offers, compared with what makers say that boards take.

use std::path::Path;

use bandgraph_diagnostics::Sources;
use bandgraph_hardware::SocketPart;
use bandgraph_model::Scenario;
use bandgraph_scenario::{load, load_folder};
use bandgraph_solve::bind_merged;
use bandgraph_topology::{SlotSpec, Topology, TopologySpec};

use super::cards::faster_cards;
use super::memory::faster_memory;
use super::options::{Options, faster_links, faster_sockets, more_links};
use super::storage::other_disks;

/// The generation of a processor and the fastest memory of its generation in MT/s, by the numbering of its
/// maker; `None` if a name follows none of these numberings.
fn generation(name: &str) -> Option<(&'static str, u32, u32)> {
    let words: Vec<&str> = name.split('-').collect();
    let number = words.get(1)?;
    let digit = |at: usize| number.as_bytes().get(at).copied();
    Some(match words[0] {
        "epyc" => match (digit(0)?, digit(3)?) {
            (b'7', b'1') => ("SP3", 1, 2666),
            (b'7', b'2') => ("SP3", 2, 3200),
            (b'7', b'3') => ("SP3", 3, 3200),
            (b'9', b'4') => ("SP5", 4, 4800),
            (b'9', b'5') => ("SP5", 5, 6400),
            _ => return None,
        },
        "xeon" if *number == "e5" => match words.get(3) {
            None => ("LGA2011", 1, 1600),
            Some(&"v2") => ("LGA2011", 2, 1866),
            Some(&"v3") => ("LGA2011-3", 3, 2133),
            _ => ("LGA2011-3", 4, 2400),
        },
        "xeon" if number.len() >= 4 && digit(0)?.is_ascii_digit() => match digit(1)? {
            b'1' => ("LGA3647", 1, 2666),
            b'2' => ("LGA3647", 2, 2933),
            b'3' => ("LGA4189", 3, 3200),
            b'4' => ("LGA4677", 4, 4800),
            b'5' => ("LGA4677", 5, 5600),
            _ => return None,
        },
        _ => return None,
    })
}

/// Why makers would not support a changed server.
fn objections(now: &TopologySpec, then: &TopologySpec) -> Vec<String> {
    let mut found = Vec::new();
    for (old, new) in now.sockets.iter().zip(&then.sockets) {
        let (was, is) = (old.part.name.as_str(), new.part.name.as_str());
        if let (Some(before), Some(after)) = (generation(was), generation(is)) {
            if before.0 != after.0 || before.1 > after.1 {
                found.push(format!("{is} on a board of {was}"));
            }
            let rate = new
                .memory
                .part
                .name
                .split('-')
                .nth(1)
                .and_then(|rate| rate.parse().ok());
            if rate.is_some_and(|rate: u32| rate > after.2) {
                found.push(format!("{} with {is}", new.memory.part.name));
            }
        }
        let of_epyc = is.starts_with("epyc-");
        if was != is && now.sockets.len() > 1 && of_epyc && is.ends_with('p') {
            found.push(format!("{is} beside another"));
        }
        if was != is && now.sockets.len() > 2 && is.starts_with("opteron-2") {
            found.push(format!("{is} on a board of four sockets"));
        }
    }
    for link in then.links.iter().filter(|link| !now.links.contains(link)) {
        for end in &link.ends {
            let part = then.sockets.iter().find(|socket| socket.id == *end);
            let part: &SocketPart = &part.expect("links join sockets").part;
            // Istanbul is the first Opteron of Socket F with HyperTransport 3.
            let first = ["opteron-8435", "opteron-2435"].contains(&part.name.as_str());
            if link.part.name.starts_with("ht3") && part.package == "Socket F" && !first {
                found.push(format!("{} on {}", link.part.name, part.name));
            }
            // UPI runs at 10.4 to 24 GT/s from one generation to the next, xGMI at 10.7, 16 and 32.
            let fastest = match generation(&part.name) {
                Some(("SP3", 1, _)) => 10_667,
                Some(("SP3", ..) | ("LGA4677", 4, _)) => 16_000,
                Some(("SP5", ..)) => 32_000,
                Some((_, 1 | 2, 0..2133)) => 8_000,
                Some(("LGA2011-3", ..)) => 9_600,
                Some(("LGA3647", ..)) => 10_400,
                Some(("LGA4189", ..)) => 11_200,
                Some(("LGA4677", ..)) => 20_000,
                _ => u64::MAX,
            };
            if (link.part.clock.get() * 2e-6) as u64 > fastest {
                found.push(format!("{} on {}", link.part.name, part.name));
            }
        }
    }
    found
}

fn offered(scenario: &Scenario) -> Options {
    let mut options = Options::default();
    faster_sockets(scenario, &mut options, |part| part.cycles_per_second().get());
    faster_sockets(scenario, &mut options, |part| part.clock_of(1.0).get());
    faster_memory(scenario, &mut options);
    faster_links(scenario, &mut options);
    faster_cards(scenario, &mut options, |card| card.network().is_some());
    options
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

#[test]
fn every_offer_is_one_that_the_board_takes() {
    let mut offers = 0;
    for folder in bandgraph_scenario::scenario_folders(&folder()) {
        let loaded = load_folder(&folder, &[], &mut Sources::new()).expect("they are sound");
        for scenario in loaded.iter().map(|loaded| &loaded.scenario) {
            for upgrade in offered(scenario).upgrades {
                offers += 1;
                let spec = scenario.topology.spec();
                let objections = objections(spec, upgrade.scenario.topology.spec());
                assert!(
                    objections.is_empty(),
                    "{}: {}: {objections:?}",
                    scenario.name,
                    upgrade.change
                );
            }
        }
    }
    assert!(offers > 300, "{offers}");
}

/// A server of two sockets with other processors, memory and links.
fn server_with(processor: &str, memory: &str, channels: u32, link: &str) -> Scenario {
    let path = folder().join("server-2023/cached-read.toml");
    let sets = [
        format!("socket.*.part={processor}"),
        format!("link.*.part={link}"),
        format!("socket.*.memory.part={memory}"),
        format!("socket.*.memory.channels={channels}"),
    ];
    let loaded = load(&path, &sets, &mut Sources::new());
    loaded.expect("it is sound").scenario
}

/// The changes of the upgrades that a function offers.
fn changes(scenario: &Scenario, offer: impl Fn(&Scenario, &mut Options)) -> Vec<String> {
    let mut options = Options::default();
    offer(scenario, &mut options);
    options
        .upgrades
        .into_iter()
        .map(|upgrade| upgrade.change)
        .collect()
}

/// Xeons of 2019 have links of up to 10.4 GT/s, and no processor for their board has faster ones.
#[test]
fn links_are_no_faster_than_the_processors_have_them() {
    let scenario = server_with("xeon-6248", "ddr4-2933", 6, "upi-9600");
    let changes = changes(&scenario, faster_links);
    assert_eq!(
        changes,
        ["all links between sockets become upi-10400 (with a board that supports it)"]
    );
}

/// An EPYC 9354 has four links, an Opteron three with those to bridges: both sides of the limit. The new link
/// is called after those that are there.
#[test]
fn a_further_link_takes_a_port_of_each_processor() {
    let offered = |name: &str, sets: &[String]| {
        let loaded = load(&folder().join(name), sets, &mut Sources::new()).expect("it is sound");
        let mut options = Options::default();
        more_links(&loaded.scenario, &mut options);
        let upgrade = options.upgrades.pop();
        let joined = upgrade.map(|upgrade| {
            let topology = upgrade.scenario.topology;
            let ids = topology.links().iter().map(|link| link.id.clone());
            (
                upgrade.sets,
                ids.take(topology.spec().links.len()).collect::<Vec<_>>(),
            )
        });
        (joined, options.ruled_out)
    };
    let first = "nvme-2-socket/fio.toml";
    let with = |count: u32| [format!("link.*.count={count}")];
    let (joined, _) = offered(first, &with(1));
    let ids = |count: usize| {
        let all = ["cpu0-cpu1", "cpu0-cpu1.b", "cpu0-cpu1.c", "cpu0-cpu1.d"];
        all[..count].iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(joined, Some((vec!["link.*.count=2".to_owned()], ids(2))));
    let (joined, _) = offered(first, &with(3));
    assert_eq!(joined, Some((Vec::new(), ids(4))));
    let none = "The processors have no port for a further link between sockets.";
    for (name, sets) in [(first, &with(4)[..]), ("7410-barcelona/cached-read.toml", &[])] {
        let (joined, ruled_out) = offered(name, sets);
        assert_eq!((joined, ruled_out), (None, vec![none.to_owned()]), "{name}");
    }
}

/// By makers: E5 v4 takes DDR4-2400 on boards of v3, Turin DDR5-6400 on boards of Genoa, and Milan reaches
/// more of the same memory as Rome on its boards. Boards of Naples take neither. Unused channels are filled.
#[test]
fn memory_becomes_faster_with_the_processors_of_the_board() {
    let with = |processor: &str, memory: &str, channels: u32, link: &str| {
        changes(&server_with(processor, memory, channels, link), faster_memory).join("\n")
    };
    let mut cases = load_folder(&folder().join("modern"), &[], &mut Sources::new())
        .expect("they are sound")
        .into_iter()
        .map(|case| case.scenario);
    let of_haswell = |case: &Scenario| case.topology.spec().sockets[0].part.name == "xeon-e5-2699-v3";
    let haswell = cases.find(of_haswell).expect("it is there");
    let haswell = changes(&haswell, faster_memory).join("\n");
    assert!(haswell.contains("-v4 with ddr4-2400"), "{haswell}");
    assert!(!haswell.contains("channels"), "{haswell}");
    let genoa = with("epyc-9354", "ddr5-4800", 12, "xgmi3-x16");
    assert!(genoa.contains("become epyc-9355 with ddr5-6400"), "{genoa}");
    let rome = with("epyc-7542", "ddr4-3200", 8, "xgmi2-x16");
    assert!(rome.contains("become epyc-7573x with ddr4-3200"), "{rome}");
    let naples = with("epyc-7601", "ddr4-2666", 4, "xgmi1-x16");
    assert_eq!(
        naples,
        "every socket has modules on all its channels (8 instead of 4 on cpu0), of the same total size"
    );
}

/// EPYC Milan on two sockets: faster Milans, but neither Romes with more cores nor processors for one socket.
#[test]
fn a_board_keeps_its_generation() {
    let scenario = server_with("epyc-7543", "ddr4-2933", 8, "xgmi2-x16");
    let offers = offered(&scenario);
    let sockets = offers
        .upgrades
        .iter()
        .filter_map(|one| one.change.split("sockets become ").nth(1));
    let sockets: Vec<&str> = sockets.collect();
    assert!(sockets.contains(&"epyc-7763"), "{sockets:?}");
    assert!(
        sockets
            .iter()
            .all(|name| !name.ends_with('p') && name.as_bytes()[8] == b'3'),
        "{sockets:?}"
    );
    let memories = offers.upgrades.iter().filter(|one| one.change.contains("memory"));
    let memories: Vec<&str> = memories.map(|one| one.change.as_str()).collect();
    assert_eq!(memories, ["all memory modules become ddr4-3200"]);
}

/// 48 disks in mirrored pairs: those of 500 GB hold 12 TB, those of 146 GB 3.5 TB. Where the
/// data has no room to begin with, any disk may be offered.
#[test]
fn disks_on_which_the_data_has_no_room_are_not_offered() {
    let offered = |set: &str| {
        let path = folder().join("7410-istanbul/disk-read-2-jbods.toml");
        let loaded = load(&path, &[set.to_owned()], &mut Sources::new());
        let scenario = loaded.expect("it is sound").scenario;
        let answer = super::solve(&bind_merged(&scenario).expect("it binds")).expect("a steady state");
        let mut options = Options::default();
        other_disks(&scenario, &answer.explained.bottleneck, &mut options);
        let changes = options.upgrades.iter().map(|upgrade| upgrade.change.as_str());
        let changes = changes.collect::<Vec<_>>().join("\n");
        (changes, options.ruled_out.len())
    };
    let (changes, reasons) = offered("workload.*.working_set=9 TB");
    assert!(
        changes.contains("sata-500gb") && !changes.contains("sas-146gb"),
        "{changes}"
    );
    assert_eq!(reasons, 1, "one sentence for all");
    let (changes, reasons) = offered("workload.*.working_set=60 TB");
    assert!(changes.contains("sas-146gb"), "{changes}");
    assert_eq!(reasons, 0);
}

/// SATA ports take no SAS drives: a SATA adapter in place of the SAS adapters of the 7410 leaves only SATA
/// disks to offer.
#[test]
fn disks_speak_what_their_adapter_speaks() {
    let sas_disks = |technology: &str| {
        let path = folder().join("7410-istanbul/disk-read-2-jbods.toml");
        let sets = [format!("card.hba*.technology={technology}")];
        let loaded = load(&path, &sets, &mut Sources::new());
        let scenario = loaded.expect("it is sound").scenario;
        let answer = super::solve(&bind_merged(&scenario).expect("it binds")).expect("a steady state");
        let changes = changes(&scenario, |scenario, options| {
            other_disks(scenario, &answer.explained.bottleneck, options);
        });
        assert!(!changes.is_empty());
        changes
            .iter()
            .filter(|change| change.contains("becomes sas-"))
            .count()
    };
    assert_eq!(sas_disks("SATA"), 0);
    assert!(sas_disks("SAS") > 0);
}

/// Two ports of 10 GbE in a slot of gen3 x8, which feeds 63 Gbit/s: cards of 25 and of 40 GbE, of those that
/// the slot starves one for each number of ports, and none that is wider than the slot.
#[test]
fn network_cards_are_those_that_the_slot_feeds() {
    let path = folder().join("server-2023/cached-read.toml");
    let sets = [
        "slot.s*.pcie=gen3 x8",
        "slot.s*.connector_lanes=8",
        "card.nic*.part=intel-x710-dual-10gbe",
    ];
    let loaded = load(&path, &sets.map(str::to_owned), &mut Sources::new());
    let scenario = loaded.expect("it is sound").scenario;
    let changes = changes(&scenario, |scenario, options| {
        faster_cards(scenario, options, |card| card.network().is_some());
    });
    let cards: Vec<_> = changes
        .iter()
        .filter_map(|change| change.split("becomes ").nth(1))
        .collect();
    assert!(cards.contains(&"intel-xxv710-dual-25gbe"), "{cards:?}");
    let with_forty = cards.iter().filter(|card| card.contains("dual-40gbe"));
    assert_eq!(
        with_forty.count(),
        2,
        "one with a total of 40 Gbit/s, one that the slot limits: {cards:?}"
    );
    assert!(
        cards
            .iter()
            .all(|card| !card.contains("100g") && !card.contains("00gbe")),
        "{cards:?}"
    );
    assert!(cards.len() < 12, "{cards:?}");
}

/// The chipset's SATA ports limit six SSDs, by the measured row. Its board has no slot; with one, an adapter
/// in it takes the drives.
#[test]
fn an_adapter_in_a_slot_relieves_the_chipset() {
    let cases = load_folder(&folder().join("modern"), &[], &mut Sources::new()).expect("they are sound");
    let case = (cases.into_iter()).find(|case| case.scenario.name.contains("chipset: reads"));
    let mut scenario = case.expect("it is there").scenario;
    let ladder = super::climb(&scenario, super::Climb::Catalogue, 0, &|_| ()).expect("it can be climbed");
    let super::LadderEnd::NothingToBuy(reasons) = &ladder.end else {
        panic!("there is no slot: {:?}", ladder.end);
    };
    assert!(
        reasons.iter().any(|reason| reason.contains("no free slot")),
        "{reasons:?}"
    );
    let mut spec = scenario.topology.spec().clone();
    spec.slots.push(SlotSpec {
        id: "s1".to_owned(),
        bridge: spec.bridges[0].id.clone(),
        pcie: "gen3 x8".parse().expect("a generation and lanes"),
        ..SlotSpec::default()
    });
    scenario.topology = Topology::build(spec).expect("a sound topology");
    let ladder = super::climb(&scenario, super::Climb::Catalogue, 0, &|_| ()).expect("it can be climbed");
    let Some(super::Step::Upgrade { change, .. }) = &ladder.rungs[0].step else {
        panic!("an adapter can be added: {:?}", ladder.rungs[0].step);
    };
    assert!(change.starts_with("the drives of ahci move to a "), "{change}");
    assert!(!change.contains("e (hba0)"), "ports beside the server: {change}");
    assert!(ladder.rungs[1].gain > 0.1, "{}", ladder.rungs[1].gain);
}

/// A full port of a card with two, of which the file uses one: the free second port first, and no card for an
/// earlier PCIe generation before those of the present one.
#[test]
fn a_free_port_comes_before_another_card() {
    let path = folder().join("../examples/first/scenario.toml");
    for part in ["neptune-dual-10gbe", "intel-82599-dual-10gbe"] {
        let sets = [format!("card.nic0.part={part}"), "card.nic0.ports=1".to_owned()];
        let loaded = load(&path, &sets, &mut Sources::new());
        let mut options = Options::default();
        faster_cards(&loaded.expect("it is sound").scenario, &mut options, |card| {
            card.network().is_some()
        });
        let dual = &options.upgrades[0];
        assert_eq!(
            dual.change,
            format!("every {part} uses all its 2 ports instead of 1")
        );
        assert_eq!(dual.sets.first().map(String::as_str), Some("card.nic0.ports=2"));
        // Cards of gen2 and gen3 with two ports of 10 GbE come before the one of gen1.
        if part.starts_with("intel") {
            let mut all = options.upgrades.iter();
            let old = all.position(|other| other.change.ends_with("becomes neptune-dual-10gbe"));
            assert!(old.is_some_and(|old| old > 2), "{old:?}");
        }
    }
}
