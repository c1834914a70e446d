//! A rotating disk.

use bandgraph_units::{Bandwidth, Bytes, Time};

use crate::part::part;

part! {
    /// A rotating disk.
    DiskPart, Disk {
        /// Capacity.
        capacity: Bytes = Bytes::new(1e12), required, positive, at_most(1e18);
        /// Revolutions per minute.
        rpm: f64 = 7200.0, positive, at_least(1.0), at_most(1e6);
        /// Average seek.
        seek: Time = Time::new(8.5e-3), at_most(10.0);
        /// Sequential rate on the outermost tracks.
        outer_rate: Bandwidth = Bandwidth::new(100e6), required, positive, at_least(1e3), at_most(1e12);
        /// Sequential rate on the innermost tracks.
        inner_rate: Bandwidth = Bandwidth::new(50e6), required, positive, at_least(1e3), at_most(1e12);
    }
}

impl DiskPart {
    /// Half a revolution: the average wait for a sector after a seek.
    pub fn rotational_latency(&self) -> Time {
        Time::new(60.0 / self.rpm / 2.0)
    }
}
