//! Cards: the interface of every kind of card.
//!
//! A kind of card is one file in `parts/`, which implements [`Card`]: the properties that matter for slots,
//! the network, disks, power and upgrades. The graph, the demands, the ladder and the reports use this trait
//! and never the kind of a card.

use bandgraph_units::{Bandwidth, Bytes, OperationRate, Power, Time};

use crate::drive::DrivePart;
use crate::part::Part;
use crate::parts::{CardHeight, DriveInterface, LinkLayer, PcieEndpoint};
use crate::sas;

/// The properties of a card. A property that a kind of card does not have is `None`.
pub trait Card: Part {
    /// The PCIe side of the card; `None` if it is integrated on the board, directly on its bridge.
    fn endpoint(&self) -> Option<PcieEndpoint>;

    /// The height of the card.
    fn height(&self) -> CardHeight;

    /// Power when idle, and when fully used; unknown if both are zero.
    fn power(&self) -> [Power; 2];

    /// The maximum rate of one port, or of the drive; it orders cards of one kind by speed.
    fn rate(&self) -> Bandwidth;

    /// Bytes of commands and status on the bus per disk command, in addition to the data.
    fn command_bytes(&self) -> Bytes {
        Bytes::ZERO
    }

    /// Its network ports.
    fn network(&self) -> Option<NetworkPorts> {
        None
    }

    /// Its SAS ports.
    fn wide_ports(&self) -> Option<WidePorts> {
        None
    }

    /// Whether its SAS ports are for enclosures beside the server.
    fn is_external(&self) -> bool {
        false
    }

    /// The processor of a disk adapter; `None` if it is never the limit.
    fn processor(&self) -> Option<AdapterProcessor> {
        None
    }

    /// Whether it makes the copies and the parity of what it writes.
    fn makes_copies(&self) -> bool {
        false
    }

    /// Its memory for data on the way to its disks that outlasts a power failure.
    fn write_cache(&self) -> Bytes {
        Bytes::ZERO
    }

    /// The drive, if the card is one.
    fn drive(&self) -> Option<DrivePart> {
        None
    }

    /// The largest packet or read request of its own copies; `None` for as large as its link allows.
    fn copy_packet(&self) -> Option<Bytes> {
        None
    }

    /// Whether it has memory that can hold the data of other cards.
    fn has_memory(&self) -> bool {
        false
    }

    /// The number of network or SAS ports.
    fn ports(&self) -> u64 {
        let network = self.network().map(|ports| ports.count);
        network
            .or(self.wide_ports().map(|ports| ports.count))
            .unwrap_or(0)
    }
}

/// Implements the properties of a card that are fields with the same names in all kinds of cards. For a kind
/// that can be integrated on the board, the argument is the field for that.
macro_rules! sides_of_fields {
    ($($integrated:ident)?) => {
        fn endpoint(&self) -> Option<$crate::parts::PcieEndpoint> {
            let on_board: &[bool] = &[$(self.$integrated)?];
            (!on_board.contains(&true)).then_some($crate::parts::PcieEndpoint {
                connector: $crate::pcie::PcieSlotSpec {
                    generation: self.pcie_generation,
                    lanes: self.pcie_lanes as u32,
                },
                maximum_payload: self.maximum_payload,
                maximum_read_request: self.maximum_read_request,
                address_bits: self.address_bits,
                outstanding_reads: self.outstanding_reads,
            })
        }

        fn height(&self) -> $crate::parts::CardHeight {
            self.height
        }

        fn power(&self) -> [bandgraph_units::Power; 2] {
            [self.idle_power, self.active_power]
        }
    };
}
pub(crate) use sides_of_fields;

/// The network ports of a card; all of them are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkPorts {
    /// The number of ports.
    pub count: u64,
    /// Rate of one port in each direction, on the wire.
    pub rate: Bandwidth,
    /// Rate of both directions of a port together; zero if they share nothing.
    pub duplex_rate: Bandwidth,
    /// Rate of all ports together in each direction; zero if there is no common limit.
    pub card_rate: Bandwidth,
    /// The network type.
    pub link_layer: LinkLayer,
    /// Whether they support RDMA.
    pub rdma: bool,
    /// Bytes of descriptors and status per frame or work request, in addition to its data.
    pub descriptor_bytes: Bytes,
    /// Bytes of received packets of one connection that they can merge into one; zero for none.
    pub merged_bytes: Bytes,
    /// Whether they do so by default.
    pub merges_by_default: bool,
    /// Minimum time between two interrupts of one vector of a port.
    pub interrupt_interval: Time,
    /// Number of received frames after which a port interrupts earlier; zero: never.
    pub interrupt_frames: u64,
    /// Interrupt vectors of a port, which different cores serve.
    pub interrupt_vectors: u64,
    /// Transmit rings of a port.
    pub transmit_rings: u64,
}

/// The wide ports of a card, to disks; all of them are equal.
#[derive(Clone, Debug, PartialEq)]
pub struct WidePorts {
    /// The number of wide ports.
    pub count: u64,
    /// Data rate of a port in each direction.
    pub rate: Bandwidth,
    /// Data rate of one of its lanes.
    pub lane_rate: Bandwidth,
    /// The technology: SAS, SATA, `NVMe`.
    pub technology: String,
}

impl WidePorts {
    /// What a drive gets by a path: a lane of SAS or SATA with full frames, or all lanes of an `NVMe` port.
    pub fn rate_of_a_drive(&self) -> Bandwidth {
        if self.technology == "NVMe" {
            self.rate
        } else {
            sas::payload_rate(self.lane_rate)
        }
    }

    /// Whether drives of this interface work on them.
    pub fn take(&self, interface: DriveInterface) -> bool {
        match interface {
            DriveInterface::Sata => true,
            DriveInterface::Sas => !["SATA", "NVMe"].contains(&self.technology.as_str()),
            DriveInterface::Nvme => self.technology == "NVMe",
        }
    }
}

/// The size of commands in published rates of small commands.
pub(crate) const SMALL_COMMAND: Bytes = Bytes::new(4096.0);

/// The processor of a disk adapter: the time of a command is a fixed time plus the time of its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdapterProcessor {
    /// Bytes per second of large commands.
    pub rate: Bandwidth,
    /// The fixed time of a command, in bytes at `rate`.
    pub command: Bytes,
    /// The time of each byte of data and parity that it writes to RAID 5 and 6, in bytes at `rate`.
    pub with_parity: f64,
}

impl AdapterProcessor {
    /// From the published rates of large and of small commands and of writes with parity, and the rate of the
    /// ports; zero if unknown.
    pub(crate) fn of(
        data_rate: Bandwidth,
        operations: OperationRate,
        parity_rate: Bandwidth,
        ports: Bandwidth,
    ) -> Option<Self> {
        let [rate, operations, parity] = [data_rate.get(), operations.get(), parity_rate.get()];
        if rate <= 0.0 && operations <= 0.0 && parity <= 0.0 {
            return None;
        }
        let rate = if rate > 0.0 { data_rate } else { ports };
        let of_small = if operations > 0.0 {
            rate.get() / operations
        } else {
            0.0
        };
        Some(Self {
            rate,
            command: Bytes::new((of_small - SMALL_COMMAND.get()).max(0.0)),
            with_parity: if parity > 0.0 {
                (rate / parity_rate).max(1.0)
            } else {
                1.0
            },
        })
    }
}

/// Declares the kinds of cards by their kinds of parts.
macro_rules! cards {
    ($($(#[doc = $doc:literal])+ $kind:ident($part:ident);)+) => {
        /// A card of any kind; its properties are those of [`Card`](crate::Card).
        #[derive(Clone, Debug, PartialEq)]
        pub enum CardPart {
            $($(#[doc = $doc])+ $kind($part),)+
        }

        impl CardPart {
            /// The kinds of parts that are cards.
            pub const KINDS: &'static [PartKind] = &[$(PartKind::$kind),+];

            /// The card, if the part is one.
            pub fn of(part: &AnyPart) -> Option<Self> {
                match part {
                    $(AnyPart::$kind(part) => Some(Self::$kind(part.clone())),)+
                    _ => None,
                }
            }
        }

        impl std::ops::Deref for CardPart {
            type Target = dyn $crate::card::Card;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Self::$kind(part) => part,)+
                }
            }
        }

        impl std::ops::DerefMut for CardPart {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $(Self::$kind(part) => part,)+
                }
            }
        }

        $(
            impl From<$part> for CardPart {
                fn from(part: $part) -> Self {
                    Self::$kind(part)
                }
            }
        )+
    };
}

pub(crate) use cards;

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: at 2.5 GB/s and 350,000 commands/s a small command takes as long as 7,143 bytes.
    #[test]
    fn an_adapter_has_both_published_rates() {
        let [data, ports] = [2.5e9, 4.8e9].map(Bandwidth::new);
        let operations = OperationRate::new(350e3);
        let both = AdapterProcessor::of(data, operations, Bandwidth::ZERO, ports).expect("it is known");
        let seconds = |bytes: f64| (bytes + both.command.get()) / both.rate.get();
        assert!((seconds(4096.0) * 350e3 - 1.0).abs() < 1e-12);
        assert!((seconds(1e9) * 2.5 - 1.0).abs() < 1e-5);
        let zero = OperationRate::new(0.0);
        let no_parity = Bandwidth::ZERO;
        let streams = AdapterProcessor::of(data, zero, no_parity, ports).expect("it is known");
        assert_eq!((streams.command, streams.with_parity), (Bytes::ZERO, 1.0));
        assert_eq!(AdapterProcessor::of(no_parity, zero, no_parity, ports), None);
        // 1.25 of 2.5 GB/s: a byte with parity takes twice as long; a faster engine is no limit.
        for (parity, each) in [(1.25e9, 2.0), (5e9, 1.0)] {
            let found = AdapterProcessor::of(data, zero, Bandwidth::new(parity), ports).expect("it is known");
            assert_eq!(found.with_parity, each);
        }
    }
}
