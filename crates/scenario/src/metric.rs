//! The metrics of measurements and expectations, by name.

use bandgraph_units::QuantityKind;

/// Declares the metrics with their names in files, JSON and tables.
macro_rules! metrics {
    ($($(#[doc = $doc:literal])+ $metric:ident = $name:literal, $kind:expr;)+) => {
        /// A figure of a run that a measurement can be held against.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric {
            $($(#[doc = $doc])+ $metric,)+
        }

        impl Metric {
            /// Every metric, in documented order.
            pub const ALL: &'static [Self] = &[$(Self::$metric),+];

            /// The name in files and output: `"network_bytes_per_s"`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$metric => $name,)+
                }
            }

            /// The kind of quantity that its values are; `None` for a plain number.
            pub const fn kind(self) -> Option<QuantityKind> {
                match self {
                    $(Self::$metric => $kind,)+
                }
            }

            /// What it is, in a sentence.
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Self::$metric => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

metrics! {
    /// Bytes at the server's network ports, received and sent, with frame headers and checksums, without
    /// preamble and gap: what port counters show.
    NetworkBytesPerSecond = "network_bytes_per_s", Some(QuantityKind::Bandwidth);
    /// File data moved for clients, without any header.
    PayloadBytesPerSecond = "payload_bytes_per_s", Some(QuantityKind::Bandwidth);
    /// Bytes at the disks.
    DiskBytesPerSecond = "disk_bytes_per_s", Some(QuantityKind::Bandwidth);
    /// Completed operations.
    OperationsPerSecond = "ops_per_s", Some(QuantityKind::OperationRate);
    /// Mean time from the issue of an operation to the last byte of its reply.
    LatencyMean = "latency_mean_s", Some(QuantityKind::Time);
    /// The time within which half of the operations complete.
    LatencyP50 = "latency_p50_s", Some(QuantityKind::Time);
    /// The time within which 95 % of the operations complete.
    LatencyP95 = "latency_p95_s", Some(QuantityKind::Time);
    /// The time within which 99 % of the operations complete.
    LatencyP99 = "latency_p99_s", Some(QuantityKind::Time);
    /// The time of the slowest operation.
    LatencyMax = "latency_max_s", Some(QuantityKind::Time);
    /// Share of all cycles of all sockets not idle, those that wait for memory included: what an operating
    /// system calls busy.
    CpuBusy = "cpu_busy", Some(QuantityKind::Fraction);
    /// Share of all cycles of all sockets spent waiting for memory.
    CpuStalled = "cpu_stalled", Some(QuantityKind::Fraction);
    /// How long all jobs take, of workloads that have jobs.
    Elapsed = "elapsed_s", Some(QuantityKind::Time);
    /// Cycles per instruction over all sockets.
    CyclesPerInstruction = "cpi", None;
    /// Rate of one resource over its raw capacity. Of a measurement with a `resource` only.
    Utilisation = "utilisation", Some(QuantityKind::Fraction);
    /// Bytes that cross one resource. Only for a measurement with a `resource`.
    BytesPerSecond = "bytes_per_s", Some(QuantityKind::Bandwidth);
    /// Mean time that a core of one socket waits for a line of memory, under the load of the run. For
    /// a measurement whose `resource` is the cores of a socket (`cpu.cpu0`) only.
    MissLatency = "miss_latency_s", Some(QuantityKind::Time);
    /// Power that the server draws at the wall under this load, as far as the power of its parts is known.
    Watts = "watts", Some(QuantityKind::Power);
    /// Power that the server draws at the wall when idle, as far as the power of its parts is known.
    IdleWatts = "idle_watts", Some(QuantityKind::Power);
    /// Operations a second for every watt drawn.
    OperationsPerWatt = "ops_per_watt", None;
}

impl Metric {
    /// The metric of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|metric| metric.as_str() == name)
    }

    /// The unit of its values in results: `1` for shares, ratios and plain numbers.
    pub const fn unit(self) -> &'static str {
        match (self, self.kind()) {
            (Self::CyclesPerInstruction, _) => "cycles",
            (_, Some(kind)) => kind.base_unit(),
            (_, None) => "1",
        }
    }

    /// Whether it is a metric of one resource instead of a whole run.
    pub const fn is_of_resource(self) -> bool {
        matches!(self, Self::Utilisation | Self::BytesPerSecond | Self::MissLatency)
    }

    /// Whether only simulations have a value of it.
    pub const fn is_of_simulations(self) -> bool {
        matches!(
            self,
            Self::LatencyP50 | Self::LatencyP95 | Self::LatencyP99 | Self::LatencyMax
        )
    }

    /// Why a result has no value of it; `None` if all results have one.
    pub const fn why_missing(self) -> Option<&'static str> {
        match self {
            _ if self.is_of_simulations() => Some("only a simulation has it"),
            Self::Watts | Self::IdleWatts | Self::OperationsPerWatt => {
                Some("the topology has no `[chassis]`")
            }
            Self::Elapsed => Some("no workload has jobs"),
            _ => None,
        }
    }

    /// Whether predictions have an interval for it.
    pub const fn has_interval(self) -> bool {
        matches!(
            self,
            Self::OperationsPerSecond
                | Self::PayloadBytesPerSecond
                | Self::NetworkBytesPerSecond
                | Self::LatencyMean
        )
    }

    /// The metrics with intervals in predictions, in the order of [`ALL`](Self::ALL).
    pub fn with_interval() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|metric| metric.has_interval())
    }

    /// A value as text: `"3.08 GB/s"`, `"6"`.
    pub fn format(self, value: f64) -> String {
        match self.kind() {
            Some(kind) => kind.format(value),
            None => bandgraph_units::significant(value, 3),
        }
    }
}

impl std::fmt::Display for Metric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_differ() {
        for metric in Metric::ALL {
            assert_eq!(Metric::from_name(metric.as_str()), Some(*metric));
            assert!(metric.doc().ends_with('.'), "{metric}");
        }
        assert_eq!(Metric::from_name("throughput"), None);
    }

    #[test]
    fn values_print_with_their_unit() {
        assert_eq!(Metric::NetworkBytesPerSecond.format(3.08e9), "3.08 GB/s");
        assert_eq!(Metric::CyclesPerInstruction.format(11.73), "11.7");
        assert_eq!(Metric::CpuBusy.format(0.67), "67 %");
    }
}
