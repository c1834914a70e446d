//! The servers of eight sockets: their firmware and drawing, and scenarios of the 7410 on them.

use bandgraph_solve::predict;
use bandgraph_topology::Topology;

use crate::{scenario, topology};

fn hops(topology: &Topology) -> Vec<Vec<usize>> {
    let to = |from: usize| (0..8).map(|to| topology.path(from, to).len() - 1).collect();
    (0..8).map(to).collect()
}

/// Distances of a Sun Fire X4600 M2 in its firmware's table: 10 for a socket itself, and 2 more per hop
/// (linux-kernel list, 21 January 2021).
const FIRMWARE: [[usize; 8]; 8] = [
    [10, 12, 12, 14, 14, 14, 14, 16],
    [12, 10, 14, 12, 14, 14, 12, 14],
    [12, 14, 10, 14, 12, 12, 14, 14],
    [14, 12, 14, 10, 12, 12, 14, 14],
    [14, 14, 12, 12, 10, 14, 12, 14],
    [14, 14, 12, 12, 14, 10, 14, 12],
    [14, 12, 14, 14, 12, 14, 10, 12],
    [16, 14, 14, 14, 14, 12, 12, 10],
];

#[test]
fn the_twisted_ladder_has_the_distances_of_a_real_one() {
    let hops = hops(&topology("8-socket-twisted-ladder"));
    let told = FIRMWARE.map(|row| row.map(|distance| (distance - 10) / 2).to_vec());
    assert_eq!(hops, told);
}

/// Two rows of four: the distance is the difference of columns plus that of rows.
#[test]
fn the_ladder_has_the_distances_of_its_drawing() {
    let hops = hops(&topology("8-socket-ladder"));
    for (from, row) in hops.iter().enumerate() {
        for (to, &found) in row.iter().enumerate() {
            assert_eq!(
                found,
                (from / 2).abs_diff(to / 2) + (from % 2).abs_diff(to % 2),
                "{from} to {to}"
            );
        }
    }
}

#[test]
fn scenarios_of_the_7410_run_on_them() {
    let network = |name: &str| {
        // Tests run in the folder of this crate.
        let set = format!("topology=../../topologies/{name}.toml");
        let loaded = scenario("7410-barcelona/cached-read", &[&set]);
        let outcome = predict(&loaded.bound);
        outcome
            .expect("the steady state is found")
            .throughput
            .network
            .get()
    };
    // The same cards, twice the cores, twice the memory: shorter routes and one link more carry more.
    assert!(network("8-socket-twisted-ladder") > 1.2 * network("8-socket-ladder"));
}
