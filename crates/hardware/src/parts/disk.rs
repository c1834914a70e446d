//! A rotating disk.

use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use super::DriveInterface;
use crate::part::part;

part! {
    /// A rotating disk.
    DiskPart, Disk = "disk" {
        /// Capacity.
        capacity: Bytes = "1 TB", exact, required, positive, at_most(1e18);
        /// What it speaks, which decides the adapters that take it.
        interface: DriveInterface = "sata";
        /// Revolutions per minute.
        rpm: f64 = 7200.0, listed, exact, positive, at_least(1.0), at_most(1e6);
        /// Average seek, between places drawn at random from the whole disk.
        seek: Time = "8.5 ms", at_most(10.0),
            measured("`fio --rw=randread --bs=4k --iodepth=1` on one disk, less half a turn");
        /// Seek to the next track, settling included; no longer than the average seek.
        track_seek: Time = "0.8 ms", at_most(10.0);
        /// Commands that the disk takes at once and serves in the order of its choice.
        queue_depth: u64 = 32, positive, at_most(65536.0);
        /// Sequential rate on the outermost tracks.
        outer_rate: Bandwidth = "100 MB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=read --bs=1m --offset=0` on one disk");
        /// Sequential rate on the innermost tracks.
        inner_rate: Bandwidth = "50 MB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=read --bs=1m --offset=99%` on one disk");
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6);
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6);
    }
}
