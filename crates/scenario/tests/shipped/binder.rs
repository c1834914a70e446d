//! What a binder keeps of one scenario never shows in the next, for every field that can be overridden.

use std::path::Path;

use bandgraph_diagnostics::Sources;
use bandgraph_model::{Binder, Bound, Scenario};
use bandgraph_scenario::{DiskFiles, load, set_paths};
use bandgraph_solve::bind_with;

use crate::{root, scenario};

/// Values of all kinds of fields; a field takes at least one of them, or has no other value than its own.
const VALUES: &str = "3|0.4|true|false|2 GB/s|200 MB/s|30 us|16 KiB|900 GiB|3 GHz|40 W|500 ops/s|\
                      nfs3-tcp|tcp-stream|random|write";

/// The scenario with one override; `None` if it is not valid.
fn changed(path: &Path, set: String, base: &Scenario, is_of_topology: bool) -> Option<Scenario> {
    let mut found = load(path, &[set], &mut Sources::new()).ok()?.scenario;
    if !is_of_topology {
        found.topology = base.topology.clone();
    }
    Some(found)
}

fn shows_nothing_of_what_was_before(name: &str) {
    let path = root().join("scenarios").join(format!("{name}.toml"));
    let base = scenario(name, &[]).scenario;
    let tables = "socket|link|bridge|slot|card|nvme|ssd|jbod|memory|chassis";
    let (mut tried, mut shown) = (0, Vec::new());
    for (field, _) in set_paths(&DiskFiles, Some(&path)) {
        if field.contains('*') {
            continue;
        }
        let is_of_topology = tables
            .split('|')
            .any(|table| field.split('.').next() == Some(table));
        for value in VALUES.split('|') {
            let set = format!("{field}={value}");
            let Some(scenario) = changed(&path, set.clone(), &base, is_of_topology) else {
                continue;
            };
            tried += 1;
            let mut binder = Binder::merging();
            drop(bind_with(&base, &mut binder));
            let after = format!("{:?}", bind_with(&scenario, &mut binder));
            if after != format!("{:?}", bind_with(&scenario, &mut Binder::merging())) {
                shown.push(set);
            }
            let back = format!("{:?}", bind_with(&base, &mut binder));
            if back != format!("{:?}", bind_with(&base, &mut Binder::merging())) {
                shown.push(format!("back from {field}={value}"));
            }
        }
    }
    assert!(tried > 100, "{name}: {tried}");
    assert!(shown.is_empty(), "{name}: {shown:?}");
}

#[test]
fn no_field_is_forgotten_by_a_binder() {
    for name in ["7410-istanbul/disk-write", "x2270/memcached-linux"] {
        shows_nothing_of_what_was_before(name);
    }
}

/// The classes at the second port of a card are made from those at the first. They equal those of that port
/// with the same load and no other port, except for the resources of clients.
#[test]
fn a_port_beside_others_of_its_card_has_the_demands_of_one_alone() {
    for (name, mix) in [
        ("7410-istanbul/cached-read", "read"),
        ("7410-barcelona/cached-read", "read"),
        ("7410-istanbul/disk-write", "write"),
    ] {
        let [all, alone] = [
            ("20", "[\"nic0.0\", \"nic0.1\", \"nic1.0\", \"nic1.1\"]"),
            ("5", "[\"nic0.1\"]"),
        ]
        .map(|(count, ports)| {
            let sets = [
                format!("clients.blades.count={count}"),
                format!("clients.blades.ports={ports}"),
                format!("workload.*.mix={mix}"),
            ];
            let sets = sets.each_ref().map(String::as_str);
            let bound = bind_with(&scenario(name, &sets).scenario, &mut Binder::merging());
            bound.expect("it can be bound")
        });
        let at_port = |bound: &Bound| {
            let port = bound.threads.iter().find(|group| group.port == Some(1));
            let group = port.expect("the port is used");
            let classes = group.visits.iter().map(|&(class, share)| {
                let class = &bound.classes[class];
                let ids = |demand: &[(usize, f64)]| -> Vec<(String, f64)> {
                    let units = demand.iter().filter(|&&(resource, _)| !bound.is_client(resource));
                    units
                        .map(|&(resource, units)| (bound.resources[resource].id.clone(), units))
                        .collect()
                };
                let demands = (ids(&class.demand), ids(&class.waited.demand));
                let work = (&class.work, &class.bound_work, &class.free, &class.interrupts);
                let rest = (&class.traffic, &class.memory, class.serial, class.network);
                format!("{share} {demands:?} {work:?} {rest:?}")
            });
            (classes.collect::<Vec<_>>(), bound.moderation.last().copied())
        };
        assert_eq!(at_port(&all).0, at_port(&alone).0, "{name}");
        assert_eq!(
            at_port(&all).1.map(|(_, moderation)| moderation),
            at_port(&alone).1.map(|(_, moderation)| moderation),
            "{name}"
        );
    }
}
