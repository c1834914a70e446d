//! The closed-loop workload by which engines are compared: clients read from four sockets through links,
//! bridges, slots and ports; every thread has one read in flight at all times. Included by the example, the
//! engine's tests and the benches.

use bandgraph_engine::{BuildError, ClassIndex, ClassSpec, Engine, EngineError, Event, ResourceIndex};

/// Sizes are whole numbers of this many parts of a byte.
const PARTS_OF_A_BYTE: u64 = 1_024;

/// One case of the workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Case {
    /// Clients, each with a link of its own.
    pub(crate) clients: usize,
    /// Threads of each client.
    pub(crate) threads: usize,
    /// Mean size of a read, bytes.
    pub(crate) bytes: u64,
    /// Reads after which the run stops.
    pub(crate) completions: u64,
    /// Slow socket links and client links of five speeds: several bottleneck levels at once.
    pub(crate) hard: bool,
    /// Every thread keeps to one socket, so that no class ever gains or loses a flow.
    pub(crate) same_socket: bool,
}

impl Case {
    /// A case by its letter, with the number of completions of the published check values.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (clients, threads, bytes, completions) = match name {
            "a" => (20, 10, 1 << 20, 100_000),
            "b" => (20, 100, 4_096, 200_000),
            "c" => (400, 10, 1 << 20, 200_000),
            "d" => (1_000, 10, 1 << 20, 200_000),
            "hard" => (20, 10, 1 << 20, 5_000),
            "hard-400" => (400, 10, 1 << 20, 50_000),
            _ => return None,
        };
        Some(Self {
            clients,
            threads,
            bytes,
            completions,
            hard: name.starts_with("hard"),
            same_socket: false,
        })
    }
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Reads completed.
    pub(crate) completions: u64,
    /// Time of the last completion, seconds.
    pub(crate) t_k: f64,
    /// Bytes of all completed reads.
    pub(crate) bytes: f64,
    /// Mean duration of a read, seconds.
    pub(crate) mean_duration: f64,
}

/// How exact the engine's books are after a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exactness {
    /// The largest share of the work that a class took in which is neither done nor in flight.
    pub(crate) lost: f64,
    /// Use of the fullest resource over what it offered since the start. Something is full all the time in
    /// all cases but the hard ones, so that this is 1, unless a clock drifts.
    pub(crate) fullest: f64,
}

/// One thread of a client.
#[derive(Clone, Copy, Debug)]
struct Thread {
    random: u64,
    issued: usize,
    /// Size of the read in flight, in parts of a byte.
    parts: u64,
}

/// A run of a case.
pub(crate) struct ClosedLoop {
    case: Case,
    /// The engine, for those who want to look into it.
    pub(crate) engine: Engine,
    /// By client, then by socket.
    classes: Vec<[ClassIndex; 4]>,
    /// Slots and clients' links: what can be full.
    narrow: Vec<ResourceIndex>,
    threads: Vec<Thread>,
}

impl ClosedLoop {
    /// Builds the graph and issues the first read of every thread.
    pub(crate) fn new(case: Case) -> Result<Self, BuildError> {
        let mut engine = Engine::new();
        let (classes, narrow) = build(&mut engine, case)?;
        let thread = |t: u64| Thread {
            random: (t + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            issued: 0,
            parts: 0,
        };
        let threads = (0..(case.clients * case.threads) as u64).map(thread).collect();
        let mut this = Self {
            case,
            engine,
            classes,
            narrow,
            threads,
        };
        for thread in 0..this.threads.len() {
            this.issue(thread);
        }
        Ok(this)
    }

    fn issue(&mut self, index: usize) {
        let thread = &mut self.threads[index];
        thread.random = thread
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mean = self.case.bytes * PARTS_OF_A_BYTE;
        let spread = mean / 10;
        thread.parts = mean - spread + (thread.random >> 32) % (2 * spread + 1);
        let socket = if self.case.same_socket {
            index % 4
        } else {
            (index + thread.issued) % 4
        };
        thread.issued += 1;
        let class = self.classes[index / self.case.threads][socket];
        self.engine
            .start_flow(class, thread.parts as f64 / PARTS_OF_A_BYTE as f64, index as u64);
    }

    /// Runs until the case's number of reads has completed.
    pub(crate) fn run(&mut self) -> Result<Outcome, EngineError> {
        let mut completions = 0;
        let mut parts = 0_u128;
        let mut picoseconds = 0_u128;
        while completions < self.case.completions {
            let Some(Event::FlowDone { tag, started, .. }) = self.engine.next()? else {
                break;
            };
            completions += 1;
            parts += u128::from(self.threads[tag as usize].parts);
            picoseconds += u128::from((self.engine.now() - started).as_picoseconds());
            self.issue(tag as usize);
        }
        Ok(Outcome {
            completions,
            t_k: self.engine.now().as_seconds(),
            bytes: parts as f64 / PARTS_OF_A_BYTE as f64,
            mean_duration: picoseconds as f64 / 1e12 / completions as f64,
        })
    }
}

impl ClosedLoop {
    /// How exact the books are now.
    pub(crate) fn exactness(&self) -> Exactness {
        let seconds = self.engine.now().as_seconds();
        let lost = self.classes.iter().flatten().map(|&class| {
            let (taken_in, done) = self.engine.class_work(class);
            let left: f64 = self.engine.flows(class).map(|(_, left)| left).sum();
            (taken_in - done - left).abs() / taken_in.max(f64::MIN_POSITIVE)
        });
        let full = self.narrow.iter().map(|&resource| {
            self.engine.resource_usage(resource) / (self.engine.resource_capacity(resource) * seconds)
        });
        Exactness {
            lost: lost.fold(0.0, f64::max),
            fullest: full.fold(0.0, f64::max),
        }
    }
}

/// Classes by client and socket, and the resources that can be full.
type Built = (Vec<[ClassIndex; 4]>, Vec<ResourceIndex>);

/// Four sockets in a square, a bridge with a slot at each end of a diagonal, two ports on each slot, clients
/// on the ports.
fn build(engine: &mut Engine, case: Case) -> Result<Built, BuildError> {
    let link_speed = if case.hard { 0.4e9 } else { 4e9 };
    // Socket links by (from, to): neighbours differ in one bit.
    let mut links = [[None; 4]; 4];
    for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 3), (3, 1), (2, 3), (3, 2)] {
        links[from][to] = Some(engine.add_resource(link_speed)?);
    }
    let mut several = |count: usize, capacity: f64| -> Result<Vec<ResourceIndex>, BuildError> {
        (0..count).map(|_| engine.add_resource(capacity)).collect()
    };
    let memory = several(4, 10.6e9)?;
    let bridges = several(2, 4e9)?;
    let slots = several(2, 1.45e9)?;
    let ports = several(4, 1.25e9)?;
    let mut classes = Vec::new();
    let mut narrow = slots.clone();
    for client in 0..case.clients {
        let speed = 0.125e9 * if case.hard { (1 + client % 5) as f64 } else { 1.0 };
        let down = engine.add_resource(speed)?;
        narrow.push(down);
        let port = client % 4;
        let bridge = port / 2;
        let mut of_client = Vec::with_capacity(4);
        for (socket, &memory) in memory.iter().enumerate() {
            let mut route = vec![memory];
            let mut at = socket;
            let end = 3 * bridge;
            for bit in [1, 2] {
                if (at ^ end) & bit != 0 {
                    route.extend(links[at][at ^ bit]);
                    at ^= bit;
                }
            }
            route.extend([bridges[bridge], slots[bridge], ports[port], down]);
            let costs = route.into_iter().map(|resource| (resource, 1.0)).collect();
            of_client.push(engine.add_class(ClassSpec {
                costs,
                weight: 1.0,
                rate_cap: None,
            })?);
        }
        classes.push([of_client[0], of_client[1], of_client[2], of_client[3]]);
    }
    Ok((classes, narrow))
}
