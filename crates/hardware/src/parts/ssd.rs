//! A solid-state device.

use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use crate::part::part;

part! {
    /// A solid-state device: a pool's log, its second-level read cache, or what fills a shelf in place of disks.
    SsdPart, Ssd {
        /// Capacity.
        capacity: Bytes = Bytes::new(100e9), required, positive, at_most(1e18);
        /// Rate of long reads.
        read_rate: Bandwidth = Bandwidth::new(200e6), required, positive, at_least(1e3), at_most(1e12);
        /// Rate of long writes.
        write_rate: Bandwidth = Bandwidth::new(100e6), required, positive, at_least(1e3), at_most(1e12);
        /// Time that a read takes besides that of its bytes.
        read_time: Time = Time::new(0.1e-3), at_most(10.0);
        /// Time that a write takes besides that of its bytes, until it is on stable storage.
        write_time: Time = Time::new(0.2e-3), at_most(10.0);
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = Power::ZERO, at_most(1e6);
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = Power::ZERO, at_most(1e6);
    }
}
