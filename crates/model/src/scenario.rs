//! A scenario in checked values, the input of `bind`.

use bandgraph_config::settings;
use bandgraph_topology::Topology;
use bandgraph_units::{Fraction, Time};
use bandgraph_workload::{ClientGroup, Cluster, Medium, NetworkSettings, Workload};

use crate::{Network, Stack, Storage};

settings! {
    /// How the run is carried out, and the settings of the network between clients and server.
    pub struct RunSettings as "run" {
        /// Seeds every random choice. The same seed gives the same result, bit for bit.
        seed: u64 = 1, at_most(i64::MAX);
        /// Simulated time before measuring begins. Where it is not given, a simulation takes as much more as
        /// its slowest threads need for 2 operations, and the disks for 3 transaction groups; and at most a
        /// quarter of the time for enough operations.
        warm_up: Time = "500 ms";
        /// Simulated time that is measured. Where it is not given, a simulation ends with two million
        /// operations, 100,000 of each workload, and takes as much more as its slowest threads need for 3
        /// operations, and the disks for 3 whole transaction groups. What is given is kept, and the report
        /// warns if it is less than that.
        duration: Time = "2 s", positive;
        /// Half of the 90 % interval of the throughput that a simulation may have, relative to it. While the
        /// interval is wider and no `duration` is given, a simulation measures twice as long, up to 16 times
        /// and a million events.
        precision: Fraction = "1 %", positive, at_least(0.0001), at_most(1.0);
        /// One-way time between a client and the server, switches included, without the time that the bytes
        /// take. What the client's software takes is not in it: that is `stack.client_seconds`. If left out,
        /// exchanges over RDMA take 2 us.
        network_latency: Time = "10 us";
        flatten {
            /// Frames, segments and headers between clients and server.
            network: NetworkSettings;
        }
        own {
            /// Whether the warm-up is `warm_up` even where operations or transaction groups take too long for
            /// it. Otherwise it is made longer then.
            keep_warm_up: bool = false;
            /// The same for `duration`.
            keep_duration: bool = false;
            /// Whether `network_latency` is not what a file gives, so that RDMA has its own.
            latency_is_default: bool = false;
        }
    }
}

impl RunSettings {
    /// One-way time over a medium: [`Self::network_latency`], or the default of RDMA. That is an assumption:
    /// cables of some metres, and a switch or two that pass a packet on while it comes.
    pub fn latency(&self, medium: Medium) -> Time {
        if self.latency_is_default && medium == Medium::Rdma {
            Time::new(2e-6)
        } else {
            self.network_latency
        }
    }
}

/// A complete scenario: hardware, software, clients and workloads.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name in reports.
    pub name: String,
    /// The server.
    pub topology: Topology,
    /// Its software.
    pub stack: Stack,
    /// Pools, their devices and the cache.
    pub storage: Storage,
    /// The switches between clients and the server that may limit.
    pub networks: Vec<Network>,
    /// Client groups.
    pub clients: Vec<ClientGroup>,
    /// Workloads.
    pub workloads: Vec<Workload>,
    /// The servers that keep the data together.
    pub cluster: Cluster,
    /// Settings of the run.
    pub run: RunSettings,
}

impl Scenario {
    /// Whether demands depend on the slots of several cards together: where work is placed near drives, and
    /// where data go from card to card.
    pub fn couples_cards(&self) -> bool {
        self.workloads.iter().any(|workload| {
            let stack = self.stack.of_workload(workload);
            stack.is_near_drives(workload.is_local()) || !workload.gpus.is_empty()
        })
    }
}
