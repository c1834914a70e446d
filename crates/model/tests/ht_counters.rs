//! Socket links against the published HyperTransport counters of three runs.
//!
//! Given: the machine with its routes, the transfers of the cards (known for the Ethernet runs from the
//! counters of the bridges, and published for InfiniBand), and that 30 % of missed lines are written back to
//! memory.
//!
//! Fitted: the number of lines missed in each run, and one share of memory for all three: four parameters for
//! 28 links. The second test shows the result with the miss rates only.

use bandgraph_model::{CardTraffic, LineLoad, LinkTraffic, Stack, line_traffic};
use bandgraph_testkit::{Generation, seven_four_ten_topology};
use bandgraph_topology::Topology;
use bandgraph_units::Bandwidth;

const MIB: f64 = 1_048_576.0;

/// Mean over the samples of each link of a run, bytes/s; links by the names of the table.
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

/// The id of a resource by its name in the table: `cpu2>cpu3.a` is the first of two links.
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

/// The result of a comparison.
struct Comparison {
    /// Mean absolute relative error over the socket links.
    sockets: f64,
    /// The maximum.
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
        stores_per_second: 0.0,
        cards: cards.collect(),
    }
}

/// Disk reads served to the network: data from disks goes to clients, at the rates of the bridges' counters
/// minus buffer returns. Three of eight enclosures are on the first bridge.
const HT1_CARDS: [(f64, f64); 2] = [(0.520e9, 0.374e9), (0.476e9, 0.623e9)];
const HT3_CARDS: [(f64, f64); 2] = [(0.855e9, 0.692e9), (0.991e9, 1.154e9)];
/// Lines missed per second, and the lines with home cpu3 relative to any other socket: fitted.
const HT1_LINES: f64 = 107e6;
const HT3_LINES: f64 = 198e6;
const INFINIBAND_LINES: f64 = 236e6;
const HOMES_OF_CPU3: f64 = 0.3766;
/// The two ports of the same run, by their own counters.
const INFINIBAND_CARDS: [(f64, f64); 2] = [(1_500_731_797.0, 0.0), (1_580_370_155.0, 0.0)];

/// A run: its name, the machine, lines missed per second, and the reads and writes of the cards of each
/// bridge.
type Run = (&'static str, Generation, f64, [(f64, f64); 2]);

/// The three runs, with lines missed per second by all cores together: one parameter each.
const RUNS: [Run; 3] = [
    ("ht1-nfs", Generation::Barcelona, HT1_LINES, HT1_CARDS),
    ("ht3-nfs", Generation::Istanbul, HT3_LINES, HT3_CARDS),
    (
        "ib-rdma",
        Generation::Istanbul,
        INFINIBAND_LINES,
        INFINIBAND_CARDS,
    ),
];

/// Threads evenly, card buffers on cpu1, and fewer lines on cpu3 than on the others: for all three runs.
#[test]
fn one_rule_of_placement_explains_all_runs() {
    let stack = Stack {
        home_shares: vec![1.0, 1.0, 1.0, HOMES_OF_CPU3].into(),
        buffer_shares: vec![0.0, 1.0, 0.0, 0.0].into(),
        ..Stack::fishworks_2009()
    };
    for (run, generation, lines, cards) in RUNS {
        let found = compare(
            run,
            &seven_four_ten_topology(generation),
            &stack,
            &load(lines, cards),
        );
        assert!(found.sockets < 0.12, "{run}: {}", found.sockets);
        assert!(found.worst < 0.25, "{run}: {}", found.worst);
        assert!(found.bridges < 0.10, "{run}: {}", found.bridges);
        assert_eq!(found.hottest_modelled, found.hottest_measured, "{run}");
    }
}

#[test]
fn with_even_shares_one_miss_rate_already_explains_most() {
    let even = Stack::fishworks_2009();
    for (run, generation, lines, cards) in RUNS {
        let found = compare(
            run,
            &seven_four_ten_topology(generation),
            &even,
            &load(lines * 0.92, cards),
        );
        assert!(found.sockets < 0.15, "{run}: {}", found.sockets);
    }
}

#[test]
fn the_published_routes_are_those_that_fit_best() {
    // All other routes around the square fit the counters of the first machine worse.
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
                responses_via: None,
            })
            .collect();
        assert!(fits(other) >= as_published - 1e-9, "{choice:04b}");
    }
}
