//! A rotating disk.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Bytes, Fraction, Power, Time};

use super::DriveInterface;
use crate::part::part;

part! {
    /// A rotating disk.
    DiskPart, Disk = "disk" {
        /// Capacity.
        capacity: Bytes = "1 TB", exact, required, positive, at_most(1e18);
        /// What it speaks, which decides the adapters that take it.
        interface: DriveInterface = "sata", because("most such disks are for it");
        /// Physical sector: what it reads and writes at least on its platters, whatever it takes.
        sector: Bytes = "4 KiB", exact, at_least(512.0), at_most(65536.0), stated_by("dqweek-4k-sectors"),
            because("new SATA disks have such sectors since 2011"),
            measured("`lsblk -o NAME,PHY-SEC`: PHY-SEC");
        /// Revolutions per minute.
        rpm: f64 = 7200.0, listed, exact, positive, at_least(1.0), at_most(1e6),
            because("as most disks for servers");
        /// Average seek, between places drawn at random from the whole disk.
        seek: Time = "8.5 ms", at_most(10.0),
            measured("`fio --rw=randread --bs=4k --iodepth=1` on one disk, less half a turn"),
            because("as data sheets of disks with 7,200 revolutions give it"), assumed(AssumedRange(0.88, 1.1,
                "−12 to +10 %: data sheets give 7.9 to 9.4 ms, with the seek of writes"));
        /// Seek to the next track, settling included; no longer than the average seek.
        track_seek: Time = "0.8 ms", at_most(10.0),
            because("as data sheets of disks with 7,200 revolutions give it"), assumed(AssumedRange(0.5, 1.5,
                "half to 1.5 times: data sheets give 0.4 to 1.2 ms, by arm and by reads or writes"));
        /// Shortest seek between places that are not on neighbouring tracks of one head, settling included:
        /// the switch to another head, which no way shorter than this matters beside.
        head_switch: Time = "1.4 ms", at_most(10.0),
            because("the middle one of three disks of IBM with 7,200 revolutions: 1.2, 1.4 and 1.6 ms"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: 1.2 to 1.6 ms, and to 1.8 ms to another cylinder"));
        /// Commands that the disk takes at once and serves in the order of its choice.
        queue_depth: u64 = 32, positive, at_most(65536.0), because("a queue of SATA has 32 tags"),
            assumed(AssumedRange(1.0, 4.0,
                "32 to 128: disks for SAS take more, and adapters send each of them 32 or more"));
        /// Of the commands that it chooses from several, the share whose sector has passed before the arm is
        /// ready, so that they take a revolution more.
        missed: Fraction = "1 %", at_most(1.0),
            because("seven disks with 11 to 32 commands took none (five), 12 and 19 %"),
            assumed(AssumedRange(0.0, 20.0, "0 to 20 %: disks differ, by their firmware"));
        /// Sequential rate on the outermost tracks.
        outer_rate: Bandwidth = "100 MB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=read --bs=1m --offset=0` on one disk"),
            assumed(AssumedRange(0.85, 1.15, "±15 %: disks of one year and size"));
        /// Sequential rate on the innermost tracks.
        inner_rate: Bandwidth = "50 MB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=read --bs=1m --offset=99%` on one disk"), assumed(AssumedRange(0.75, 1.25,
                "±25 %: few data sheets give it; it is 45 to 60 % of the outer rate"));
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.8, 1.2, "±20 %: data sheets of one size differ by heads and interface"));
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.8, 1.2, "±20 %: data sheets of one size differ by heads and interface"));
    }
}
