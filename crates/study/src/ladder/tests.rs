//! What the ladder offers, compared with what makers say that boards take.

use std::path::Path;

use bandgraph_diagnostics::Sources;
use bandgraph_hardware::SocketPart;
use bandgraph_model::Scenario;
use bandgraph_scenario::{load, load_folder};
use bandgraph_solve::bind_merged;
use bandgraph_topology::TopologySpec;

use super::cards::faster_cards;
use super::options::{Options, faster_links, faster_memory, faster_sockets};
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
    for link in &then.links {
        for end in &link.ends {
            let part = then.sockets.iter().find(|socket| socket.id == *end);
            let part: &SocketPart = &part.expect("links join sockets").part;
            // Istanbul is the first Opteron of Socket F with HyperTransport 3.
            let first = ["opteron-8435", "opteron-2435"].contains(&part.name.as_str());
            if link.part.name.starts_with("ht3") && part.package == "Socket F" && !first {
                found.push(format!("{} on {}", link.part.name, part.name));
            }
        }
    }
    found
}

fn offered(scenario: &Scenario) -> Options {
    let mut options = Options::default();
    faster_sockets(scenario, &mut options, |part| part.cycles_per_second().get());
    faster_sockets(scenario, &mut options, |part| part.clock.get());
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

/// EPYC Milan on two sockets: faster Milans, but neither Romes with more cores nor processors for one socket.
#[test]
fn a_board_keeps_its_generation() {
    let path = folder().join("server-2023/cached-read.toml");
    let sets = [
        "socket.*.part=epyc-7543",
        "link.*.part=xgmi2-x16",
        "socket.*.memory.part=ddr4-2933",
        "socket.*.memory.channels=8",
    ];
    let sets = sets.map(str::to_owned);
    let scenario = load(&path, &sets, &mut Sources::new())
        .expect("it is sound")
        .scenario;
    let offers = offered(&scenario);
    let sockets = offers
        .upgrades
        .iter()
        .filter_map(|one| one.change.split("socket that is slower becomes ").nth(1));
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
    assert_eq!(memories, ["the memory of every socket becomes ddr4-3200"]);
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
