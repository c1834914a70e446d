//! Socket links against the published HyperTransport counters of three runs.
//!
//! What is given: the machine with its routes, what the cards moved (known for the runs with Ethernet from
//! the bridges' own counters, and published for InfiniBand), and that 30 % of missed lines go back to memory.
//!
//! What is fitted, for each run: how many lines the cores miss, and the shares of the sockets in threads and
//! in memory: seven figures, to eight or ten links. So these tests show that the mechanism *can* carry those
//! loads with plausible placements; how far it goes with the miss rate alone is in the last test.

use bandgraph_model::{CardTraffic, LineLoad, LinkTraffic, Stack, line_traffic};
use bandgraph_testkit::{Generation, seven_four_ten_topology};
use bandgraph_topology::Topology;
use bandgraph_units::Bandwidth;

const MIB: f64 = 1_048_576.0;

/// Mean over the samples of each link of a run, in bytes per second; links by the names of the table.
fn counters(run: &str) -> Vec<(String, f64)> {
    let mut links: Vec<(String, f64, f64)> = Vec::new();
    for row in include_str!("data/ht_counters.csv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
    {
        let fields: Vec<&str> = row.split(',').collect();
        let [of_run, _, _, link, rate] = fields[..] else {
            panic!("five fields in {row}")
        };
        let rate: f64 = rate.parse().expect("a number");
        if of_run != run || rate == 0.0 {
            continue;
        }
        match links.iter_mut().find(|(name, _, _)| name == link) {
            Some((_, sum, count)) => {
                *sum += rate;
                *count += 1.0;
            }
            None => links.push((link.to_owned(), rate, 1.0)),
        }
    }
    links
        .into_iter()
        .map(|(link, sum, count)| (link, sum / count * MIB))
        .collect()
}

/// The id of a resource by the name of the table: `cpu2>cpu3.a` is the first of two links.
fn id(link: &str) -> String {
    let (from, to) = link.split_once('>').expect("a direction");
    match to.split_once('.') {
        Some((to, "a")) => format!("link.{from}-{to}"),
        Some((to, parallel)) => format!("link.{from}-{to}.{parallel}"),
        None if to.starts_with("cpu") => format!("link.{from}-{to}"),
        None => format!("bridge.{to}.out"),
    }
}

fn total(traffic: &[LinkTraffic], id: &str) -> f64 {
    let link = traffic
        .iter()
        .find(|link| link.id == id)
        .unwrap_or_else(|| panic!("no {id}"));
    link.by_cause.iter().map(|(_, rate)| rate.get()).sum()
}

/// What a comparison found.
struct Comparison {
    /// Mean relative error over the socket links, without sign.
    sockets: f64,
    /// The largest of them.
    worst: f64,
    /// Mean relative error over the links to the bridges.
    bridges: f64,
    hottest_measured: String,
    hottest_modelled: String,
}

fn compare(run: &str, topology: &Topology, stack: &Stack, load: &LineLoad) -> Comparison {
    let modelled = line_traffic(topology, stack, load).expect("sound shares");
    let error = |(link, measured): &(String, f64)| (total(&modelled, &id(link)) / measured - 1.0).abs();
    let (sockets, bridges): (Vec<_>, Vec<_>) = counters(run)
        .into_iter()
        .partition(|(link, _)| id(link).starts_with("link"));
    let mean = |links: &[(String, f64)]| links.iter().map(error).sum::<f64>() / links.len() as f64;
    let hottest = |rate: &dyn Fn(&(String, f64)) -> f64| {
        let link = sockets.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)));
        link.expect("there are links").0.clone()
    };
    Comparison {
        sockets: mean(&sockets),
        worst: sockets.iter().map(error).fold(0.0, f64::max),
        bridges: mean(&bridges),
        hottest_measured: hottest(&|(_, measured)| *measured),
        hottest_modelled: hottest(&|(link, _)| total(&modelled, &id(link))),
    }
}

fn load(misses: f64, cards: [(f64, f64); 2]) -> LineLoad {
    let cards = cards
        .into_iter()
        .enumerate()
        .map(|(bridge, (reads, writes))| CardTraffic {
            bridge,
            reads: Bandwidth::new(reads),
            writes: Bandwidth::new(writes),
        });
    LineLoad {
        misses_per_second: misses,
        cards: cards.collect(),
    }
}

fn placed(threads: [f64; 4], homes: [f64; 4]) -> Stack {
    Stack {
        thread_shares: threads.into(),
        home_shares: homes.into(),
        ..Stack::fishworks_2009()
    }
}

/// Disk reads served to the network: what comes in from disks goes out to clients.
const HT1_CARDS: [(f64, f64); 2] = [(0.54e9, 0.53e9), (0.54e9, 0.53e9)];
const HT3_CARDS: [(f64, f64); 2] = [(0.9e9, 1.0e9), (1.09e9, 1.0e9)];
/// The two ports of the same run, as its own counters show them.
const INFINIBAND_CARDS: [(f64, f64); 2] = [(1_500_731_797.0, 0.0), (1_580_370_155.0, 0.0)];

#[test]
fn the_first_model_under_nfs_load() {
    let topology = seven_four_ten_topology(Generation::Barcelona);
    let stack = placed([0.284, 0.260, 0.263, 0.192], [0.329, 0.240, 0.259, 0.173]);
    let found = compare("ht1-nfs", &topology, &stack, &load(116.5e6, HT1_CARDS));
    assert!(found.sockets < 0.02, "{}", found.sockets);
    assert!(found.worst < 0.03, "{}", found.worst);
    assert!(found.bridges < 0.08, "{}", found.bridges);
    assert_eq!(found.hottest_measured, "cpu0>cpu1");
    assert_eq!(found.hottest_modelled, found.hottest_measured);
}

#[test]
fn the_second_model_under_nfs_load() {
    let topology = seven_four_ten_topology(Generation::Istanbul);
    let stack = placed([0.274, 0.033, 0.251, 0.442], [0.063, 0.248, 0.422, 0.267]);
    let found = compare("ht3-nfs", &topology, &stack, &load(241.1e6, HT3_CARDS));
    assert!(found.sockets < 0.09, "{}", found.sockets);
    assert!(found.worst < 0.20, "{}", found.worst);
    assert!(found.bridges < 0.08, "{}", found.bridges);
    assert_eq!(found.hottest_measured, "cpu1>cpu0");
    assert_eq!(found.hottest_modelled, found.hottest_measured);
}

#[test]
fn the_second_model_with_infiniband() {
    let topology = seven_four_ten_topology(Generation::Istanbul);
    let stack = placed([0.176, 0.047, 0.363, 0.415], [0.084, 0.199, 0.377, 0.340]);
    let found = compare("ib-rdma", &topology, &stack, &load(280.3e6, INFINIBAND_CARDS));
    assert!(found.sockets < 0.09, "{}", found.sockets);
    assert!(found.worst < 0.15, "{}", found.worst);
    assert!(found.bridges < 0.08, "{}", found.bridges);
    assert_eq!(found.hottest_measured, "cpu1>cpu0");
    assert_eq!(found.hottest_modelled, found.hottest_measured);
}

#[test]
fn with_even_shares_one_miss_rate_already_explains_most() {
    let even = Stack::fishworks_2009();
    let barcelona = seven_four_ten_topology(Generation::Barcelona);
    let found = compare("ht1-nfs", &barcelona, &even, &load(109e6, HT1_CARDS));
    assert!(found.sockets < 0.12, "{}", found.sockets);
    let istanbul = seven_four_ten_topology(Generation::Istanbul);
    for (run, misses, cards) in [
        ("ht3-nfs", 226e6, HT3_CARDS),
        ("ib-rdma", 225e6, INFINIBAND_CARDS),
    ] {
        let found = compare(run, &istanbul, &even, &load(misses, cards));
        assert!(found.sockets < 0.25, "{run}: {}", found.sockets);
    }
}

#[test]
fn the_published_routes_are_those_that_fit_best() {
    // All other ways round the square fit the counters of the first model worse.
    let stack = Stack::fishworks_2009();
    let fits = |spec| {
        let topology = Topology::build(spec).expect("a sound topology");
        compare("ht1-nfs", &topology, &stack, &load(109e6, HT1_CARDS)).sockets
    };
    let spec = bandgraph_testkit::seven_four_ten(Generation::Barcelona);
    let as_published = fits(spec.clone());
    for choice in 0..16_u32 {
        let mut other = spec.clone();
        let diagonals = [(0, 3, [1, 2]), (3, 0, [1, 2]), (1, 2, [0, 3]), (2, 1, [0, 3])];
        other.routes = diagonals
            .iter()
            .enumerate()
            .map(|(bit, (from, to, via))| bandgraph_topology::RouteSpec {
                from: format!("cpu{from}"),
                to: format!("cpu{to}"),
                via: vec![format!("cpu{}", via[(choice >> bit & 1) as usize])],
            })
            .collect();
        assert!(fits(other) >= as_published - 1e-9, "{choice:04b}");
    }
}
