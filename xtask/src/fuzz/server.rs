//! Targets of the model: servers of random figures, whose predictions hold to what is known without knowing
//! the answer.

use std::fmt::Write as _;
use std::path::Path;

use bandgraph_config::MemoryFiles;
use bandgraph_diagnostics::Sources;
use bandgraph_scenario::{Loaded, load_with};
use bandgraph_simulate::simulate;
use bandgraph_solve::{Outcome, SteadyState, bind, predict};
use bandgraph_testkit::Mutator;
use bandgraph_topology::ResourceKind;

use super::{Corpus, Target};

pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "server",
        samples: &[],
        texts: &[],
        share: 20,
        check: server,
    },
    Target {
        name: "simulation",
        samples: &[],
        texts: &[],
        share: 20,
        check: simulation,
    },
];

/// How much more than all of a resource may be used, by rounding.
const ROUNDING: f64 = 1e-4;
/// The same of disks, whose queues are approximations.
pub(super) const DISK_ROUNDING: f64 = 1e-2;

/// A scenario that was loaded has a prediction of numbers, in which no resource is used more than fully.
pub(super) fn predicts(loaded: &Loaded) -> Result<(), String> {
    outcome(loaded).map(|_| ())
}

fn outcome(loaded: &Loaded) -> Result<Outcome, String> {
    let outcome = predict(&loaded.bound).map_err(|error| format!("no prediction: {error}"))?;
    is_sound(&outcome).map(|()| outcome)
}

/// Figures are numbers, no resource is used more than fully, and operations add up.
fn is_sound(outcome: &Outcome) -> Result<(), String> {
    let figures = [
        outcome.throughput.operations.get(),
        outcome.throughput.payload.get(),
        outcome.throughput.network.get(),
        outcome.throughput.disk.get(),
        outcome.latency.mean.get(),
    ];
    if figures.iter().any(|figure| !figure.is_finite() || *figure < 0.0) {
        return Err(format!("figures that are no numbers: {figures:?}"));
    }
    for resource in &outcome.resources {
        let used = resource.utilisation();
        let rounding = if resource.kind == ResourceKind::Disk {
            DISK_ROUNDING
        } else {
            ROUNDING
        };
        if !(0.0..=1.0 + rounding).contains(&used) {
            return Err(format!("`{}` is used to {used}", resource.id));
        }
    }
    for workload in &outcome.workloads {
        let parts: f64 = workload.operations.iter().map(|one| one.rate.get()).sum();
        let all = workload.throughput.operations.get();
        if (parts - all).abs() > 1e-6 * all.max(1.0) {
            return Err(format!("`{}`: {parts} operations of {all}", workload.id));
        }
    }
    Ok(())
}

/// The figures of a random server with two or more sockets and one network card.
#[derive(Clone, Debug)]
struct Figures {
    sockets: usize,
    cores: usize,
    /// Clock of cores and links in GHz, rate of a memory channel in GB/s.
    clock: f64,
    link: f64,
    memory: f64,
    channels: usize,
    /// Latencies in ns: of memory, of probes, of a hop, of a bridge.
    latencies: [f64; 4],
    lanes: usize,
    /// Of a port, and of the NIC of a client, in Gbit/s.
    port: f64,
    client: f64,
    clients: usize,
    threads: usize,
    /// In KiB.
    io_size: usize,
    /// In us.
    network_latency: f64,
    mix: &'static str,
}

impl Figures {
    /// Figures that a seed gives. The input is only the seed: what counts is the numbers.
    fn of(input: &[u8]) -> Self {
        let mut random = Mutator::new(&String::from_utf8_lossy(input), 0);
        let mut of =
            |from: f64, to: f64| from * (to / from).powf(random.below(1 << 20) as f64 / f64::from(1 << 20));
        Self {
            clock: of(1.0, 4.0),
            link: of(0.4, 3.0),
            memory: of(2.0, 40.0),
            latencies: [of(40.0, 200.0), of(40.0, 200.0), of(5.0, 60.0), of(5.0, 200.0)],
            port: of(0.5, 50.0),
            client: of(0.5, 25.0),
            network_latency: of(1.0, 500.0),
            sockets: 2 + random.below(3),
            cores: 1 + random.below(16),
            channels: 1 + random.below(8),
            lanes: *random.pick(&[4, 8, 16]),
            clients: 1 + random.below(64),
            threads: 1 + random.below(32),
            io_size: 1 << random.below(11),
            mix: *random.pick(&[
                "\"read\"",
                "{ getattr = 50, lookup = 30, access = 20 }",
                "{ read = 60, getattr = 40 }",
            ]),
        }
    }

    /// These figures after a change.
    fn with(&self, change: Change) -> Self {
        let mut changed = self.clone();
        change(&mut changed);
        changed
    }

    /// The scenario and its topology. `speed` is 2 for what has no figure of its own here; `run` are more
    /// fields of the run.
    fn files(&self, speed: f64, run: &str) -> MemoryFiles {
        let mut server = String::from("schema = 1\nname = \"Random\"\n");
        let [memory, probe, hop, bridge] = self.latencies;
        for socket in 0..self.sockets {
            let _ = write!(
                server,
                "\n[[socket]]\nid = \"cpu{socket}\"\npart = \"opteron-8356\"\ncores = {}\nclock = \"{} \
                 GHz\"\n\
                 local_latency = \"{memory} ns\"\nprobe_latency = \"{probe} ns\"\nlink_ports = 12\n\
                 memory = {{ part = \"ddr2-667\", transfer_rate = \"{} GB/s\", channels = {}, size = \"64 \
                 GiB\" }}\n",
                self.cores, self.clock, self.memory, self.channels
            );
        }
        let link = |part| {
            format!(
                "part = \"{part}\", clock = \"{} GHz\", hop_latency = \"{hop} ns\"",
                self.link
            )
        };
        for second in 1..self.sockets {
            for first in 0..second {
                let inner = link("ht1-x16").replace(", ", "\n");
                let _ = write!(
                    server,
                    "\n[[link]]\nends = [\"cpu{first}\", \"cpu{second}\"]\n{inner}\n"
                );
            }
        }
        // A lane of gen2 is twice one of gen1, with the same packets.
        let generation = if speed > 1.0 { 2 } else { 1 };
        let _ = write!(
            server,
            "\n[[bridge]]\nid = \"io\"\npart = \"mcp55\"\ngeneration = \"gen{generation}\"\nlatency = \
             \"{bridge} ns\"\n\
             uplink = {{ to = \"cpu0\", {} }}\n\n[[slot]]\nid = \"s0\"\nbridge = \"io\"\npcie = \
             \"gen{generation} x{}\"\n\
             \n[[card]]\nid = \"nic0\"\npart = \"neptune-dual-10gbe\"\nslot = \"s0\"\nport_rate = \"{} \
             Gbit/s\"\n\
             pcie_generation = \"gen{generation}\"\npcie_lanes = {}\ninterrupt_interval = \"{} us\"\n",
            link("ht1-x16"),
            self.lanes,
            self.port,
            self.lanes,
            40.0 / speed
        );
        let scenario = format!(
            "schema = 1\nname = \"Random\"\ntopology = \"server.toml\"\n\n[[clients]]\nid = \"c\"\ncount = \
             {}\n\
             nics = {{ count = 1, rate = \"{} Gbit/s\", interrupt_delay = \"{} us\" }}\n\
             \n\
             [[workload]]\nid = \"w\"\nclients = \"c\"\nmix = {}\nio_size = \"{} KiB\"\nworking_set = \"1 \
             GiB\"\n\
             threads_per_client = {}\n\n[run]\nseed = 1\nnetwork_latency = \"{} us\"\n{run}",
            self.clients,
            self.client,
            20.0 / speed,
            self.mix,
            self.io_size,
            self.threads,
            self.network_latency
        );
        MemoryFiles::new()
            .with("server.toml", server)
            .with("scenario.toml", scenario)
    }

    fn load(&self, speed: f64, run: &str) -> Result<Loaded, String> {
        let files = self.files(speed, run);
        let loaded = load_with(&files, Path::new("scenario.toml"), &[], &mut Sources::new());
        loaded.map_err(|diagnostics| format!("{self:?}: {diagnostics:?}"))
    }

    fn outcome(&self, speed: f64) -> Result<Outcome, String> {
        outcome(&self.load(speed, "")?).map_err(|message| format!("{self:?}: {message}"))
    }
}

type Change = fn(&mut Figures);

/// Changes that make a server faster or busier, and the share of its operations that each may cost. Full
/// cores give work to other sockets, which may take load off a full link: faster cores keep their work, and
/// what makes cores wait less moves some of it. How often few threads meet is an approximation.
const BETTER: [(&str, f64, Change); 6] = [
    ("cores", 3e-2, |figures| figures.cores += 1),
    ("clock", 3e-2, |figures| figures.clock *= 1.5),
    ("memory", 3e-2, |figures| figures.memory *= 1.5),
    ("link", 1e-3, |figures| figures.link *= 1.5),
    ("port", 5e-3, |figures| figures.port *= 1.5),
    ("threads", 2e-2, |figures| figures.threads *= 2),
];

/// Everything twice as fast.
fn double(figures: &mut Figures) {
    for rate in [
        &mut figures.clock,
        &mut figures.link,
        &mut figures.memory,
        &mut figures.port,
        &mut figures.client,
    ] {
        *rate *= 2.0;
    }
    for time in figures.latencies.iter_mut().chain([&mut figures.network_latency]) {
        *time /= 2.0;
    }
}

fn rate(outcome: &Outcome) -> f64 {
    outcome.throughput.operations.get()
}

/// Twice as fast answers twice as much; more of one thing never answers less; nothing is more than the bounds
/// that its ports and its round trips set.
fn server(_: &Corpus, input: &[u8]) -> Result<(), String> {
    let figures = Figures::of(input);
    let base = figures.outcome(1.0)?;
    let twice = figures.with(double).outcome(2.0)?;
    let ratio = rate(&twice) / rate(&base);
    if (ratio - 2.0).abs() > 1e-4 {
        return Err(format!("{figures:?}: twice as fast answers {ratio} as much"));
    }
    for (what, loss, change) in BETTER {
        let better = figures.with(change).outcome(1.0)?;
        if rate(&better) < rate(&base) * (1.0 - loss) {
            return Err(format!(
                "{figures:?}: more {what} brings {} instead of {}",
                rate(&better),
                rate(&base)
            ));
        }
    }
    let ports = 2.0 * 2.0 * figures.port * 1e9 / 8.0;
    let network = base.throughput.network.get();
    let out = (figures.clients * figures.threads) as f64;
    let least = figures.network_latency * 1e-6;
    if network > ports * (1.0 + ROUNDING) || rate(&base) * least > out * (1.0 + ROUNDING) {
        return Err(format!(
            "{figures:?}: {network} of {ports} bytes/s, {} ops/s of {out} threads",
            rate(&base)
        ));
    }
    Ok(())
}

/// Operations that a simulation answers, at the least and for each of its threads.
const ANSWERED: f64 = 2000.0;
const ANSWERED_EACH: f64 = 5.0;
/// How far a simulation may be from its prediction: what a prediction leaves out, which is that few threads
/// meet by chance, and chance in the number of operations.
const APART: f64 = 0.1;
const DEVIATIONS: f64 = 5.0;

/// A simulation passes its own checks, and comes to the figures of the prediction.
fn simulation(_: &Corpus, input: &[u8]) -> Result<(), String> {
    let figures = Figures::of(input);
    let predicted = rate(&figures.outcome(1.0)?);
    let threads = (figures.clients * figures.threads) as f64;
    let operations = (ANSWERED_EACH * threads).max(ANSWERED);
    let run = format!(
        "warm_up = \"{} us\"\nduration = \"{} us\"\n",
        1e6 * operations / predicted,
        1e6 * operations / predicted
    );
    let loaded = figures.load(1.0, &run)?;
    let said = |message: String| format!("{figures:?}: {message}");
    let bound = bind(&loaded.scenario).map_err(|error| said(error.to_string()))?;
    let simulated = SteadyState::solve(&bound)
        .and_then(|steady| simulate(&bound, &steady))
        .map_err(|error| said(error.to_string()))?;
    is_sound(&simulated).map_err(said)?;
    let found = rate(&simulated);
    let apart = (found / predicted - 1.0).abs();
    // Written so that NaN fails.
    let agree = apart <= APART + DEVIATIONS / operations.sqrt();
    if agree {
        Ok(())
    } else {
        Err(said(format!("{found} ops/s simulated, {predicted} predicted")))
    }
}
