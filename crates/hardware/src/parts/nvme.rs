//! An NVMe drive: a solid-state drive that is itself a PCI Express card.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Bytes, OperationRate, Power, Time};

use super::{CardHeight, Flash, SsdPart};
use crate::card::{Card, SMALL_COMMAND, sides_of_fields};
use crate::drive::DrivePart;
use crate::part::part;
use crate::pcie::PcieGeneration;

part! {
    /// An NVMe drive, as a card in a slot of its own.
    NvmePart, Nvme = "nvme" {
        /// Capacity.
        capacity: Bytes = "3.84 TB", required, positive, at_most(1e18), exact;
        /// Rate of long reads.
        read_rate: Bandwidth = "7 GB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=read --bs=128k --iodepth=64` on one drive");
        /// Rate of long writes.
        write_rate: Bandwidth = "4 GB/s", required, positive, at_least(1e3), at_most(1e12),
            measured("`fio --rw=write --bs=128k --iodepth=64` on one drive, filled before");
        /// Random reads of 4 KiB with a full queue.
        read_operations: OperationRate = "1000 k ops/s", required, positive, at_most(1e9);
        /// Random writes of 4 KiB with a full queue, over the whole drive for a long time.
        write_operations: OperationRate = "200 k ops/s", required, positive, at_most(1e9);
        /// Time of a lone random read of 4 KiB.
        read_latency: Time = "80 us", at_most(10.0),
            measured("`fio --rw=randread --bs=4k --iodepth=1` on one drive"), because("a read of TLC flash"),
            assumed(AssumedRange(0.75, 1.25,
                "±25 %: data sheets of drives with such flash give 60 to 100 us"));
        /// Time of a lone write of 4 KiB, until it is on stable storage: in a buffer that outlasts a power
        /// failure.
        write_latency: Time = "15 us", at_most(10.0), because("into a protected buffer"),
            assumed(AssumedRange(0.6, 1.6, "60 to 160 %: data sheets of such drives give 7 to 25 us"));
        /// PCIe generation of the drive.
        pcie_generation: PcieGeneration = "gen4", listed, because("that of most drives in use");
        /// PCIe lanes of the drive.
        pcie_lanes: u64 = 4, positive, at_most(32.0), stated_by("sff-8639"),
            because("the connector of a bay (U.2) has four");
        /// Largest payload of a PCIe packet it takes or sends.
        maximum_payload: Bytes = "256 B", at_least(128.0), at_most(4096.0),
            measured("`lspci -vv`: MaxPayload in DevCtl"),
            because("as drives of generations 3 and 4 say in lists of PCI devices"),
            assumed(AssumedRange(0.5, 2.0,
                "half to twice: 128 to 512 bytes in lists of PCI devices, by root and drive"));
        /// Largest read from memory it requests at once.
        maximum_read_request: Bytes = "512 B", at_least(128.0), at_most(4096.0), stated_by("bsdhw-pciconf");
        /// Bits of the addresses it uses: above 32, the headers of its requests are 4 bytes longer.
        address_bits: u64 = 64, at_least(32.0), at_most(64.0), stated_by("pcie-base");
        /// Reads from memory that it keeps in flight.
        outstanding_reads: u64 = 256, positive, at_most(65536.0),
            because("tags of 8 bits, of which its link needs some"),
            assumed(AssumedRange(0.125, 3.0, "32 to 768: tags of 5, 8 or 10 bits, or some of them"));
        /// Bytes of commands and completions that it moves over the bus for an I/O, in addition to the data:
        /// entries
        /// of 64 and 16 bytes.
        command_bytes: Bytes = "80 B", at_most(65536.0), stated_by("nvme-base"),
            because("64 bytes of command and 16 of completion");
        /// Height of the card; drives in bays fit slots of any height.
        height: CardHeight = "low", because("most have a low bracket, or are delivered with one");
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.7, 1.2,
                "70 to 120 %: data sheets give the most of a drive, by its power state"));
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.7, 1.2,
                "70 to 120 %: data sheets give the most of a drive, by its power state"));
        flatten {
            /// Its flash.
            flash: Flash;
        }
    }
}

/// The service time of a small command in addition to that of its bytes, which reproduces the published rate
/// of small commands.
fn time(operations: OperationRate, rate: Bandwidth) -> Time {
    let small = Time::new(1.0 / operations.get());
    (small - Time::new(SMALL_COMMAND.get() / rate.get())).max(Time::ZERO)
}

/// How many times the published rate of small reads the dies of a drive serve at least: all drives of the
/// catalogue whose dies are known do.
const DIES_SPARE: f64 = 1.2;

impl Card for NvmePart {
    sides_of_fields!();

    fn rate(&self) -> Bandwidth {
        self.read_rate
    }

    fn command_bytes(&self) -> Bytes {
        self.command_bytes
    }

    fn drive(&self) -> Option<DrivePart> {
        let mut ssd = SsdPart {
            name: self.name.clone(),
            origin: self.origin.clone(),
            capacity: self.capacity,
            read_rate: self.read_rate,
            write_rate: self.write_rate,
            read_time: time(self.read_operations, self.read_rate),
            write_time: time(self.write_operations, self.write_rate),
            flash: self.flash.clone(),
            ..SsdPart::default()
        };
        ssd.read_latency = (self.read_latency - ssd.read(SMALL_COMMAND)).max(Time::ZERO);
        ssd.write_latency = (self.write_latency - ssd.write(SMALL_COMMAND)).max(Time::ZERO);
        let units = &mut ssd.flash.read_units;
        if *units > 0 {
            let needed = DIES_SPARE * ssd.read_latency.get() * self.read_operations.get();
            *units = (*units).max(needed.ceil() as u64);
        }
        Some(DrivePart::Ssd(ssd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    /// The drive reproduces the four rates and two latencies of data sheets, except latencies below its
    /// service time.
    #[test]
    fn a_drive_has_the_rates_and_latencies_of_its_data_sheet() {
        for part in catalogue().iter() {
            let Some(card) = crate::CardPart::of(part) else {
                continue;
            };
            let crate::AnyPart::Nvme(nvme) = part else {
                continue;
            };
            let drive = card.drive().expect("it is a drive");
            for (write, operations, rate, lone) in [
                (false, nvme.read_operations, nvme.read_rate, nvme.read_latency),
                (true, nvme.write_operations, nvme.write_rate, nvme.write_latency),
            ] {
                let small = drive.queued_access((write, true), SMALL_COMMAND, 1.0, (1.0, 0.0));
                assert!(
                    (small.get() * operations.get() - 1.0).abs() < 1e-9,
                    "{}",
                    nvme.name
                );
                // A buffer accepts a single write faster than flash sustains many random ones.
                let delay = match &drive {
                    DrivePart::Ssd(ssd) if write => ssd.write_delay(SMALL_COMMAND, small),
                    _ => drive.read_delay(),
                };
                let latency = small + delay;
                let expected = lone.max(small).get();
                assert!((latency.get() / expected - 1.0).abs() < 1e-9, "{}", nvme.name);
                let long = drive.random_access(write, Bytes::new(1e9), 1.0, 1.0);
                assert!(
                    (1e9 / long.get() / rate.get() - 1.0).abs() < 1e-3,
                    "{}",
                    nvme.name
                );
            }
        }
    }

    /// By hand: 85 us each for 2 million reads a second are 170 dies, and 204 with a fifth to spare.
    #[test]
    fn a_drive_has_the_dies_that_its_rate_needs() {
        let part = catalogue().nvme("nvme-gen3").expect("in the catalogue");
        let drive = |rate: f64| {
            let mut part = part.clone();
            part.read_operations = OperationRate::new(rate);
            part.read_latency = Time::new(85e-6);
            part.read_rate = Bandwidth::new(14e9);
            let drive = part.drive().expect("it is a drive");
            drive.read_units()
        };
        assert_eq!(drive(100e3), part.flash.read_units as usize);
        assert!(drive(2e6).abs_diff(204) <= 1, "{}", drive(2e6));
    }
}
