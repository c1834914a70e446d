//! Connections: their number and their cores.
//!
//! A TCP connection is served by one core at a time: its addresses hash to a ring, the interrupt of that ring
//! goes to one core, and the protocol work of a connection is serialised there. So few connections load the
//! cores of a port unevenly, and a single one uses at most one core.
//!
//! The addresses of a test are not published, so the hash is unknown. If `n` connections are distributed at
//! random over `m` cores, the number on one core is binomial; here `m` equally likely values of it are taken
//! in order: the middle core gets the median, the others the quantiles around it. This is one typical hash,
//! the same for every seed. Twelve connections on five cores are 1, 2, 2, 3 and 4.

use std::collections::BTreeMap;

use bandgraph_workload::{ClientGroup, Medium, Workload};

/// Connections of a workload through one client NIC with `threads` of its threads. Unless the client group
/// specifies it, an NFS client has one connection to a server for all its threads; a raw TCP benchmark has
/// one for each.
pub(crate) fn through_nic(workload: &Workload, group: &ClientGroup, threads: u32) -> u32 {
    if workload.protocol.medium() == Medium::None {
        return 0;
    }
    let each = workload.protocol.has_connection_per_thread();
    match (group.nics.connections, each) {
        (0, true) => threads,
        (0, false) => threads.min(1),
        (given, _) => threads.min(given),
    }
}

/// The assignment of the connections of every port to the cores that serve it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionAssignment {
    ports: BTreeMap<usize, PortConnections>,
}

#[derive(Clone, Debug)]
struct PortConnections {
    /// The core of every connection.
    cores: Vec<usize>,
    taken: usize,
}

impl ConnectionAssignment {
    /// Assigns the connections of each port to its cores, of which `cores` gives the number.
    pub(crate) fn new(connections: &BTreeMap<usize, u32>, cores: impl Fn(usize) -> usize) -> Self {
        let assign = |(&port, &count): (&usize, &u32)| {
            let cores = assigned(&spread(count, cores(port)));
            (port, PortConnections { cores, taken: 0 })
        };
        Self {
            ports: connections.iter().map(assign).collect(),
        }
    }

    /// The cores of the next connections of a port: pairs of a core and its number of connections, in order
    /// of the cores.
    pub(crate) fn take(&mut self, port: usize, connections: u32) -> Vec<(usize, u32)> {
        let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
        if let Some(connected) = self.ports.get_mut(&port) {
            let end = (connected.taken + connections as usize).min(connected.cores.len());
            for &core in &connected.cores[connected.taken..end] {
                *counts.entry(core).or_default() += 1;
            }
            connected.taken = end;
        }
        counts.into_iter().collect()
    }
}

/// Number of connections on each core: quantiles of the binomial distribution in ascending order. If their
/// sum is too low, the difference goes to the emptiest cores; if too high, it is removed from the fullest.
fn spread(connections: u32, cores: usize) -> Vec<u32> {
    if cores <= 1 {
        return vec![connections; cores];
    }
    let others = cores as f64 - 1.0;
    let n = f64::from(connections);
    let mut counts = Vec::with_capacity(cores);
    // Logarithms, because the probability of a core without any of many connections is below the range of a
    // float.
    let mut logarithm = n * libm::log(others / cores as f64);
    let (mut below, mut count) = (libm::exp(logarithm), 0_u32);
    for core in 0..cores {
        let quantile = (core as f64 + 0.5) / cores as f64;
        while below < quantile && count < connections {
            logarithm += libm::log((n - f64::from(count)) / (f64::from(count) + 1.0) / others);
            count += 1;
            below += libm::exp(logarithm);
        }
        counts.push(count);
    }
    let sum = |counts: &[u32]| counts.iter().map(|&count| u64::from(count)).sum::<u64>();
    // Quantiles are whole numbers, so their sum deviates by less than one per core.
    for core in 0..cores {
        if sum(&counts) < u64::from(connections) {
            counts[core] += 1;
        }
    }
    for core in (0..cores).rev().cycle() {
        if sum(&counts) <= u64::from(connections) {
            break;
        }
        counts[core] = counts[core].saturating_sub(1);
    }
    counts
}

/// One connection after another to each core with remaining capacity: those of one client are spread.
fn assigned(counts: &[u32]) -> Vec<usize> {
    let most = counts.iter().copied().max().unwrap_or(0);
    (0..most)
        .flat_map(|round| (0..counts.len()).filter(move |&core| counts[core] > round))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tabulated distribution of 12 draws at one fifth: at most 0, 1, 2, 3, 4 with 0.069, 0.275, 0.558, 0.795
    /// and 0.927. So the quantiles 0.1, 0.3, 0.5, 0.7, 0.9 are 1, 2, 2, 3 and 4.
    #[test]
    fn twelve_on_five_by_hand() {
        assert_eq!(spread(12, 5), [1, 2, 2, 3, 4]);
        assert_eq!(assigned(&[1, 2, 2, 3, 4]), [0, 1, 2, 3, 4, 1, 2, 3, 4, 3, 4, 4]);
        assert_eq!(spread(1, 5), [0, 0, 0, 0, 1]);
        assert_eq!(spread(2, 2), [1, 1]);
        assert_eq!(spread(7, 1), [7]);
        assert!(spread(7, 0).is_empty());
    }

    /// A binomial of n draws at 1/m has the standard deviation √(n (m − 1)) / m; normal deciles are ±1.28 of
    /// it.
    #[test]
    fn many_connections_fall_as_the_normal_distribution() {
        let counts = spread(1_000_000, 5);
        let deviation = (1_000_000.0_f64 * 4.0).sqrt() / 5.0;
        assert!(
            (f64::from(counts[4]) - 200_000.0 - 1.2816 * deviation).abs() < 3.0,
            "{counts:?}"
        );
        assert!(
            (f64::from(counts[0]) - 200_000.0 + 1.2816 * deviation).abs() < 3.0,
            "{counts:?}"
        );
    }

    proptest! {
        #[test]
        fn every_connection_has_one_core(connections in 0_u32..3000, cores in 1_usize..40) {
            let counts = spread(connections, cores);
            prop_assert_eq!(counts.len(), cores);
            prop_assert_eq!(counts.iter().sum::<u32>(), connections);
            let mut assigned = ConnectionAssignment::new(&BTreeMap::from([(3, connections)]), |_| cores);
            let mut taken = vec![0; cores];
            for share in [connections / 3, connections - connections / 3] {
                for (core, count) in assigned.take(3, share) {
                    taken[core] += count;
                }
            }
            prop_assert_eq!(taken, counts);
        }
    }
}
