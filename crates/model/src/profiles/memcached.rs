//! memcached 1.3.2 on two systems of 2009, on the X2270.

use crate::packets::PacketCosts;
use crate::{ProcedureCosts, Stack};

/// Worker threads of memcached, which its authors said not to scale beyond four to six (bestperf-2009); four
/// is its default.
const WORKERS: f64 = 4.0;

/// memcached on Linux 2.6.29, with two transmit and two receive rings.
///
/// The cores that do the work of the port are those of the workers, and one for every pair of rings. One
/// figure is fitted: lines missed for an operation, to 281,000 operations a second.
pub(crate) fn memcached_linux_2009() -> Stack {
    Stack {
        name: "memcached-linux-2009".to_owned(),
        source: "misses of an operation: fitted to memcached-linux; bestperf-2009 (rings, threads that memcached scales \
                 to); assumption: four workers and a core for every pair of rings; instructions and costs of bytes: as \
                 fishworks-2009"
            .to_owned(),
        misses_per_operation: 221.0,
        reference_cache_mib: 8.0,
        packets: PacketCosts {
            cores_per_port: WORKERS + 2.0,
            bound_work: 1.0,
            ..PacketCosts::default()
        },
        procedures: ProcedureCosts::ALIKE,
        ..Stack::fishworks_2009()
    }
}

/// memcached on `OpenSolaris` 2009.06, with four transmit and four receive rings: the same work, on more
/// cores.
pub(crate) fn memcached_opensolaris_2009() -> Stack {
    let linux = memcached_linux_2009();
    Stack {
        name: "memcached-opensolaris-2009".to_owned(),
        source: "as memcached-linux-2009, with a core for every of four pairs of rings (bestperf-2009)"
            .to_owned(),
        packets: PacketCosts {
            cores_per_port: WORKERS + 4.0,
            ..linux.packets
        },
        ..linux
    }
}
