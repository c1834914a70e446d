//! The latency of a line read over a known path.
//!
//! The home reads memory and sends probes at the same time, and the requester continues when it has the data
//! *and* every response. So the latency is the longer of two paths (measured by McCalpin, "AMD Opteron Local
//! Memory Latency Chart", 2010, note 3):
//!
//! ```text
//! memory path = request hops + local latency + waiting for memory + data hops
//! probe path  = request hops + probe latency + the slowest socket's (probe hops + response hops)
//! ```
//!
//! Each sum over hops includes the hop latencies of the links and the waits for them
//! ([`queue_wait`](super::queue_wait)); the caller walks the graph.

use bandgraph_units::Time;

/// The hops of one probe and its response.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProbePath {
    /// From the home to the probed socket.
    pub probe: Time,
    /// From the probed socket to the requester.
    pub response: Time,
}

/// The times that make up a line read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinePath {
    /// Hops from the requester to the home; zero for local memory.
    pub request: Time,
    /// Latency of an idle local read without probes, plus any wait for the memory controller.
    pub memory: Time,
    /// Hops of the data from the home to the requester; zero for local memory.
    pub data: Time,
    /// Latency of a probed read except hops
    /// ([`SocketPart::probe_latency`](crate::SocketPart::probe_latency)).
    pub probe_latency: Time,
}

impl LinePath {
    /// Time from the request to the data on the memory path.
    pub fn memory_path(&self) -> Time {
        self.request + self.memory + self.data
    }

    /// Time from the request to the last response; zero if nothing is probed.
    pub fn probe_path(&self, probes: impl IntoIterator<Item = ProbePath>) -> Time {
        probes
            .into_iter()
            .map(|path| self.request + self.probe_latency + path.probe + path.response)
            .fold(Time::ZERO, Time::max)
    }

    /// Latency of the read: the longer of the memory path and the slowest probe.
    pub fn latency(&self, probes: impl IntoIterator<Item = ProbePath>) -> Time {
        self.memory_path().max(self.probe_path(probes))
    }
}
