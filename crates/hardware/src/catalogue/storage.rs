//! SAS adapters, shelves and disks.

use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use crate::parts::{DiskPart, HbaPart, JbodPart, SsdPart};

pub(super) fn hbas() -> Vec<HbaPart> {
    vec![
        HbaPart {
            name: "ich10-sata".to_owned(),
            source: "Intel 82801JI (ICH10) datasheet: six SATA ports of 3 Gbit/s, 8b/10b, on the board; assumption: the link \
                     to the hub above it is never the limit"
                .to_owned(),
            ports: 1,
            integrated: true,
            lanes_per_port: 6,
            ..HbaPart::default()
        },
        HbaPart {
            name: "sas-hba-x8-gen1".to_owned(),
            source: "facts.md, Storage (PCIe gen1 x8, two x4 wide ports of 3 Gbit/s lanes, 8b/10b); assumption: 128-byte \
                     payload, 512-byte read request, 16 reads under way, 128 bytes of commands an I/O, 8 W idle and \
                     10 W in use"
                .to_owned(),
            idle_power: Power::new(8.0),
            active_power: Power::new(10.0),
            ..HbaPart::default()
        },
    ]
}

pub(super) fn jbods() -> Vec<JbodPart> {
    vec![
        JbodPart {
            name: "two-bays".to_owned(),
            source: "bestperf-2009 (two 7200 rpm SATA disks, or two SSDs, inside the X2270)".to_owned(),
            disks: 2,
            disk: "sata-500gb-7200".to_owned(),
            ports: 1,
            ..JbodPart::default()
        },
        JbodPart {
            name: "j4400".to_owned(),
            source: "facts.md, Storage (24 disks of 1 TB, one wide port in use per path; two paths)"
                .to_owned(),
            disks: 24,
            disk: "sata-1tb-7200".to_owned(),
            ports: 2,
            ..JbodPart::default()
        },
        internal_bay(),
    ]
}

/// Disks inside of a server.
fn internal_bay() -> JbodPart {
    JbodPart {
        name: "internal-sas-bay".to_owned(),
        source: "assumption: disks in a server's own case, on one wide port of an adapter".to_owned(),
        disks: 4,
        disk: "sas-146gb-10k".to_owned(),
        ports: 1,
        ..JbodPart::default()
    }
}

pub(super) fn disks() -> Vec<DiskPart> {
    vec![
        // The same drive but for what is named.
        DiskPart {
            name: "sata-500gb-7200".to_owned(),
            source: "bestperf-2009 (500 GB, 7200 rpm SATA); assumption: rates and seeks as of the 1 TB disks of its year"
                .to_owned(),
            capacity: Bytes::new(500e9),
            idle_power: Power::ZERO,
            active_power: Power::ZERO,
            ..sata_1tb()
        },
        sata_1tb(),
        sas_10k(),
    ]
}

/// The disk of the J4400.
fn sata_1tb() -> DiskPart {
    DiskPart {
        name: "sata-1tb-7200".to_owned(),
        source: "facts.md, Storage (85 MB/s on average); assumption: 105 MB/s outer, 55 inner, 8.5 ms seek, 0.8 ms to \
                 the next track, 32 commands queued, 8 W idle and 11.6 W in use"
            .to_owned(),
        capacity: Bytes::new(1e12),
        rpm: 7200.0,
        seek: Time::new(8.5e-3),
        track_seek: Time::new(0.8e-3),
        queue_depth: 32,
        outer_rate: Bandwidth::new(105e6),
        inner_rate: Bandwidth::new(55e6),
        idle_power: Power::new(8.0),
        active_power: Power::new(11.6),
    }
}

/// The disk of the 7110 and of the Netra X4250.
fn sas_10k() -> DiskPart {
    DiskPart {
        name: "sas-146gb-10k".to_owned(),
        source: "bestperf-2009 (146 GB, 10,000 rpm, SAS); Seagate Savvio 10K.2 product manual, 100384760 (2.5 inch); \
                 assumption: 89 MB/s outer, 55 inner, 4 ms seek, 0.4 ms to the next track, 32 commands queued, 4.5 W idle \
                 and 7.5 W in use"
            .to_owned(),
        capacity: Bytes::new(146e9),
        rpm: 10_000.0,
        seek: Time::new(4e-3),
        track_seek: Time::new(0.4e-3),
        queue_depth: 32,
        outer_rate: Bandwidth::new(89e6),
        inner_rate: Bandwidth::new(55e6),
        idle_power: Power::new(4.5),
        active_power: Power::new(7.5),
    }
}

pub(super) fn ssds() -> Vec<SsdPart> {
    vec![
        SsdPart {
            name: "zeusiops-18gb".to_owned(),
            source: "facts.md, Storage (18 GB, about 110 MB/s, 3,300 synchronous 8 KiB writes/s, unsourced); derived: \
                     write_time, so that both hold; assumption: reads as writes, 5 W idle and 8 W in use"
                .to_owned(),
            capacity: Bytes::new(18e9),
            read_rate: Bandwidth::new(110e6),
            write_rate: Bandwidth::new(110e6),
            // 1 / 3300 s for 8 KiB, less what 8 KiB take at the full rate.
            read_time: Time::new(228.56e-6),
            write_time: Time::new(228.56e-6),
            idle_power: Power::new(5.0),
            active_power: Power::new(8.0),
        },
        SsdPart {
            name: "x25-e-32gb".to_owned(),
            source: "techreport.com, Intel X25-E Extreme, 2008 (32 GB, 250 MB/s reads, 170 MB/s writes); assumption: 75 us a \
                     read and 85 us a write besides, 0.1 W idle and 2.5 W in use"
                .to_owned(),
            capacity: Bytes::new(32e9),
            read_rate: Bandwidth::new(250e6),
            write_rate: Bandwidth::new(170e6),
            read_time: Time::new(75e-6),
            write_time: Time::new(85e-6),
            idle_power: Power::new(0.1),
            active_power: Power::new(2.5),
        },
        SsdPart {
            name: "read-cache-100gb".to_owned(),
            source: "facts.md, Storage (100 GB); assumption: 200 MB/s reads, 70 MB/s writes, 0.2 ms a command, 1 W \
                     idle and 4 W in use"
                .to_owned(),
            capacity: Bytes::new(100e9),
            read_rate: Bandwidth::new(200e6),
            write_rate: Bandwidth::new(70e6),
            read_time: Time::new(0.2e-3),
            write_time: Time::new(0.2e-3),
            idle_power: Power::new(1.0),
            active_power: Power::new(4.0),
        },
    ]
}
