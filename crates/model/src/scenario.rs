//! A scenario in checked values: what `bind` turns into demands.

use bandgraph_topology::Topology;
use bandgraph_units::Time;
use bandgraph_workload::{ClientGroup, NetworkSettings, Workload};

use crate::{Network, Stack, Storage};

/// How a run is carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// Seeds every random stream. The same seed gives the same bytes out.
    pub seed: u64,
    /// Simulated time before measuring starts, so that the start does not colour the result.
    pub warm_up: Time,
    /// Simulated time that is measured.
    pub duration: Time,
    /// Whether the warm-up is `warm_up` even where operations or transaction groups take too long for it. Otherwise it is
    /// made longer then.
    pub keep_warm_up: bool,
    /// The same for `duration`.
    pub keep_duration: bool,
    /// Frames, segments and headers between clients and server.
    pub network: NetworkSettings,
    /// One-way time from a client's NIC to the server's port, switches included, besides the time the bytes
    /// themselves take. An assumption unless measured: data-centre switches of 2009 took 5 to 20 us.
    pub network_latency: Time,
}

/// A whole question: hardware, software, clients and what they ask for.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What to call it in reports.
    pub name: String,
    /// The server.
    pub topology: Topology,
    /// Its software.
    pub stack: Stack,
    /// Pools, their devices and the cache.
    pub storage: Storage,
    /// The switches between clients and the server that can be a limit.
    pub networks: Vec<Network>,
    /// Who asks.
    pub clients: Vec<ClientGroup>,
    /// What for.
    pub workloads: Vec<Workload>,
    /// How to run it.
    pub run: RunSettings,
}
