//! SAS adapters, shelves and disks.

use bandgraph_units::{Bandwidth, Bytes, Time};

use crate::parts::{DiskPart, HbaPart, JbodPart};

pub(super) fn hbas() -> Vec<HbaPart> {
    vec![HbaPart {
        name: "sas-hba-x8-gen1".to_owned(),
        source: "facts.md, Storage (PCIe gen1 x8, two x4 wide ports of 3 Gbit/s lanes, 8b/10b); assumption: 128-byte \
                 payload, 512-byte read request, 16 reads under way, 128 bytes of commands an I/O"
            .to_owned(),
        ..HbaPart::default()
    }]
}

pub(super) fn jbods() -> Vec<JbodPart> {
    vec![JbodPart {
        name: "j4400".to_owned(),
        source: "facts.md, Storage (24 disks of 1 TB, one wide port in use per path)".to_owned(),
        disks: 24,
        disk: "sata-1tb-7200".to_owned(),
        ports: 1,
    }]
}

pub(super) fn disks() -> Vec<DiskPart> {
    vec![DiskPart {
        name: "sata-1tb-7200".to_owned(),
        source: "facts.md, Storage (85 MB/s on average); assumption: 105 MB/s outer, 55 inner, 8.5 ms seek"
            .to_owned(),
        capacity: Bytes::new(1e12),
        rpm: 7200.0,
        seek: Time::new(8.5e-3),
        outer_rate: Bandwidth::new(105e6),
        inner_rate: Bandwidth::new(55e6),
    }]
}
