//! Solid-state devices on lanes of PCI Express: each an adapter in its own slot, with one bay behind it.

use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use crate::parts::{HbaPart, JbodPart, SsdPart};
use crate::pcie::{PcieGeneration, PcieSlotSpec};

pub(super) fn hbas() -> Vec<HbaPart> {
    let connector = PcieSlotSpec {
        generation: PcieGeneration::Gen5,
        lanes: 4,
    };
    vec![HbaPart {
        name: "nvme-gen5-x4".to_owned(),
        source: "NVM Express Base Specification (64 bytes of command and 16 of completion); PCI Express Base Specification \
                 (connector; the port behind it is as fast); assumption: 512-byte payload and read request, 256 reads under \
                 way"
            .to_owned(),
        ports: 1,
        lanes_per_port: 1,
        lane_rate: connector.raw_bandwidth(),
        pcie_generation: connector.generation,
        pcie_lanes: u64::from(connector.lanes),
        maximum_payload: Bytes::new(512.0),
        maximum_read_request: Bytes::new(512.0),
        outstanding_reads: 256,
        command_bytes: Bytes::new(80.0),
        ..HbaPart::default()
    }]
}

pub(super) fn jbods() -> Vec<JbodPart> {
    vec![JbodPart {
        name: "nvme-bay".to_owned(),
        source: "one device behind its own lanes, fed by the server".to_owned(),
        disks: 1,
        disk: "pm1743-15tb".to_owned(),
        ports: 1,
        ..JbodPart::default()
    }]
}

pub(super) fn ssds() -> Vec<SsdPart> {
    vec![SsdPart {
        name: "pm1743-15tb".to_owned(),
        source: "Samsung, PM1743 announcement, 23 December 2021 (13,000 MB/s and 2.5 million reads/s, 6,600 MB/s and 250,000 \
                 writes/s, 4 KiB each); derived: read_time and write_time, so that both hold. They are the time between \
                 commands, not that of a lone one, which waits for flash some 70 us more; assumption: 5 W idle, 23 W in use"
            .to_owned(),
        capacity: Bytes::new(15.36e12),
        read_rate: Bandwidth::new(13e9),
        write_rate: Bandwidth::new(6.6e9),
        read_time: Time::new(85e-9),
        write_time: Time::new(3.38e-6),
        idle_power: Power::new(5.0),
        active_power: Power::new(23.0),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published: 2.5 million reads and a quarter of a million writes of 4 KiB a second.
    #[test]
    fn small_commands_come_at_the_published_rates() {
        let ssd = &ssds()[0];
        for (time, published) in [
            (ssd.read(Bytes::new(4096.0)), 2.5e6),
            (ssd.write(Bytes::new(4096.0)), 250e3),
        ] {
            assert!((1.0 / time.get() / published - 1.0).abs() < 0.01, "{time}");
        }
    }
}
