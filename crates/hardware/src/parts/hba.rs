//! A SAS host bus adapter.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Bytes, OperationRate, Power};

use super::CardHeight;
use crate::card::{AdapterProcessor, Card, WidePorts, sides_of_fields};
use crate::part::part;
use crate::pcie::PcieGeneration;

part! {
    /// A SAS host bus adapter with wide ports to shelves of disks.
    HbaPart, Hba = "hba" {
        /// The technology of its ports, as named in reports.
        technology: String = "SAS", because("most adapters are for SAS");
        /// Wide ports on the card.
        ports: u64 = 2, required, positive, at_most(64.0);
        /// Whether the adapter is part of the chipset or of the board, without a slot.
        integrated: bool = false, because("a card in a slot");
        /// Whether its ports are on its bracket, for enclosures beside the server; the ports of others are
        /// for bays in the server.
        external: bool = false, because("for bays of the server, unless its name says otherwise");
        /// SAS lanes of a wide port.
        lanes_per_port: u64 = 4, listed, positive, at_most(64.0), because("a wide port has four lanes");
        /// Data rate of one SAS lane in each direction, line coding taken off.
        lane_rate: Bandwidth = "300 MB/s", exact, required, positive, at_least(1e3), at_most(1e12);
        /// What its processor moves, both directions together; 0 where its links are the limit.
        data_rate: Bandwidth = "0 B/s", at_most(1e12),
            measured("`fio --rw=read --bs=1m` on all disks of the adapter, with `iostat -x`"),
            because("no limit of its processor is known");
        /// Random commands of 4 KiB that its processor handles with full queues; 0 where they are not the
        /// limit.
        operations: OperationRate = "0 ops/s", at_most(1e9), because("no limit of its processor is known");
        /// What it writes to the disks of RAID 5 and 6, parity included; 0 where other limits are lower. Only
        /// of a card that makes the parity itself.
        parity_rate: Bandwidth = "0 B/s", at_most(1e12),
            measured("`fio --rw=write --bs=1m` on a RAID 5 of many fast drives, times disks over data disks"),
            because("no limit of its parity is known");
        /// Whether it makes copies and parity itself, so that data goes to it once. Adapters that pass
        /// commands on leave that to the software.
        raid: bool = false, because("it passes commands on to its disks");
        /// Its memory for data on the way to the disks that outlasts a power failure, by a battery or
        /// flash: a write in place waits for this memory alone. 0 where it has none, or none in use.
        write_cache: Bytes = "0 B", exact, at_most(1e12), because("batteries are options of most cards");
        /// PCIe generation of the card.
        pcie_generation: PcieGeneration = "gen1", listed, because("that of the oldest cards");
        /// PCIe lanes of the card.
        pcie_lanes: u64 = 8, listed, positive, at_most(32.0), because("eight, as most cards have");
        /// Largest payload of a PCIe packet it takes or sends.
        maximum_payload: Bytes = "128 B", exact, at_least(128.0), at_most(4096.0), stated_by("pcie-base"),
            because("the least that every device takes");
        /// Largest read from memory it requests at once.
        maximum_read_request: Bytes = "512 B", exact, at_least(128.0), at_most(4096.0),
            stated_by("bsdhw-pciconf");
        /// Bits of the addresses it uses: above 32, the headers of its requests are 4 bytes longer.
        address_bits: u64 = 64, at_least(32.0), at_most(64.0), stated_by("pcie-base");
        /// Reads from memory that it keeps in flight.
        outstanding_reads: u64 = 16, positive, at_most(65536.0),
            because("half of what tags of 5 bits number"),
            assumed(AssumedRange(0.5, 2.0, "half to twice: adapters use some of the tags, or all"));
        /// Bytes of commands and status that it moves over the bus for an I/O, in addition to the data.
        command_bytes: Bytes = "128 B", at_most(65536.0),
            because("a request frame with its list of buffers, and a reply"), assumed(AssumedRange(0.5, 2.0,
                "half to twice: lists grow with the pieces of a buffer, and most replies are one word"));
        /// Height of the bracket.
        height: CardHeight = "low", because("most have a low bracket, or are delivered with one");
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5,
                "±40 to 50 %: cards of one controller differ by cache, battery and ports"));
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5,
                "±40 to 50 %: cards of one controller differ by cache, battery and ports"));
    }
}

impl HbaPart {
    /// Data rate of a wide port in each direction.
    pub fn port_rate(&self) -> Bandwidth {
        self.lane_rate * self.lanes_per_port as f64
    }
}

impl Card for HbaPart {
    sides_of_fields!(integrated);

    fn rate(&self) -> Bandwidth {
        self.port_rate()
    }

    fn command_bytes(&self) -> Bytes {
        self.command_bytes
    }

    fn processor(&self) -> Option<AdapterProcessor> {
        AdapterProcessor::of(
            self.data_rate,
            self.operations,
            self.parity_rate,
            self.port_rate() * self.ports as f64,
        )
    }

    fn makes_copies(&self) -> bool {
        self.raid
    }

    fn write_cache(&self) -> Bytes {
        self.write_cache
    }

    fn is_external(&self) -> bool {
        self.external
    }

    fn wide_ports(&self) -> Option<WidePorts> {
        Some(WidePorts {
            count: self.ports,
            rate: self.port_rate(),
            lane_rate: self.lane_rate,
            technology: self.technology.clone(),
        })
    }
}
