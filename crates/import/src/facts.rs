//! The intermediate record: what files say of a machine, each value with its origin.
//!
//! A field is one line in `facts!`. From it follow the struct, and how two records of one thing are laid over
//! each other.

use crate::origin::{Fact, Known, Origin};
use crate::pci::PciAddress;

/// Two files that contradict each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The field: `"numa_node"`.
    pub field: &'static str,
    /// The function that it is of, where that is known.
    pub of: Option<PciAddress>,
    /// The value that is kept, as text, and who said it.
    pub kept: (String, Origin),
    /// The value that is dropped, as text, and who said it.
    pub dropped: (String, Origin),
}

/// A number that no part can have. Its fact is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfRange {
    /// What is out of which range, as a sentence without a full stop.
    pub message: String,
    /// What said it.
    pub at: Origin,
}

/// A record that a second record of the same thing can complete.
pub(crate) trait Complete {
    /// Takes what is unknown here from `other`, and notes where both know and differ.
    fn complete(&mut self, other: Self, conflicts: &mut Vec<Conflict>);
}

/// A record that one of its fields identifies.
pub(crate) trait Keyed: Complete {
    /// Type of that field.
    type Key: Ord + Clone;

    /// The field.
    fn key(&self) -> Option<&Self::Key>;
}

/// Declares records whose fields are all facts. `by` names the field that identifies a thing.
macro_rules! facts {
    ($(
        $(#[$about:meta])* $record:ident $(by $key:ident: $key_type:ty,)? {
            $($(#[$doc:meta])* $field:ident: $type:ty,)+
        }
    )+) => {
        $(
            $(#[$about])*
            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct $record { $($(#[$doc])* pub $field: Fact<$type>,)+ }

            impl Complete for $record {
                fn complete(&mut self, other: Self, conflicts: &mut Vec<Conflict>) {
                    $(match (&self.$field, other.$field) {
                        (Some(kept), Some(dropped)) if kept.value != dropped.value => {
                            conflicts.push(Conflict {
                                field: stringify!($field),
                                of: None,
                                kept: (format!("{:?}", kept.value), kept.at),
                                dropped: (format!("{:?}", dropped.value), dropped.at),
                            });
                        }
                        (None, Some(said)) => self.$field = Some(said),
                        _ => {}
                    })+
                }
            }

            $(impl Keyed for $record {
                type Key = $key_type;

                fn key(&self) -> Option<&$key_type> {
                    self.$key.value()
                }
            })?
        )+
    };
}

facts! {
    /// What is said of the machine as a whole.
    System {
        /// Maker.
        maker: String,
        /// Product name.
        product: String,
        /// Whether it is a virtual machine.
        is_virtual: bool,
        /// Populated sockets.
        sockets: u32,
        /// Cores of the machine.
        cores: u32,
        /// NUMA nodes.
        numa_nodes: u32,
        /// Memory of the machine in bytes.
        memory_bytes: u64,
        /// Links of a socket to other sockets.
        socket_links: u32,
        /// Distances between NUMA nodes as ACPI's SLIT gives them, row by row, in the order of the nodes.
        distances: Vec<Vec<u32>>,
    }

    /// A populated socket.
    Processor {
        /// What the board calls it.
        designation: String,
        /// Maker's name of the processor.
        name: String,
        /// Family as CPUID gives it.
        family: u32,
        /// Model as CPUID gives it.
        model: u32,
        /// Cores.
        cores: u32,
        /// Threads of all cores.
        threads: u32,
        /// Clock in MHz.
        clock_mhz: f64,
        /// What firmware calls the external clock, in MHz. What is meant differs by maker.
        external_clock_mhz: f64,
    }

    /// A place for a memory module, empty ones included.
    Dimm {
        /// What the board calls the place.
        locator: String,
        /// What firmware calls the bank.
        bank: String,
        /// Handle of the memory array that it belongs to.
        array: String,
        /// Socket, from 0, where the program says it.
        socket: u32,
        /// Channel of the socket, from 0, where the program says it.
        channel: u32,
        /// Bytes; 0 where the place is empty.
        size_bytes: u64,
        /// Technology: `DDR4`.
        technology: String,
        /// Rated transfers per second, in MT/s.
        rate: f64,
        /// Transfers per second that it runs at, in MT/s.
        configured_rate: f64,
    }

    /// A NUMA node.
    Node by number: u32, {
        /// Number; numbers may have gaps.
        number: u32,
        /// Memory in bytes.
        memory_bytes: u64,
        /// Socket, from 0.
        socket: u32,
    }

    /// A PCI function.
    Device by address: PciAddress, {
        /// Address.
        address: PciAddress,
        /// Class, subclass and programming interface in 24 bits.
        class: u32,
        /// Id of the vendor.
        vendor: u16,
        /// Id of the device.
        device: u16,
        /// Id of the maker of the board.
        subsystem_vendor: u16,
        /// Id of the board.
        subsystem: u16,
        /// Name of the device.
        name: String,
        /// Driver in use.
        driver: String,
        /// What all functions of its board have in common: a serial number, or the id of a fabric's adapter.
        board: String,
        /// What it is in the tree of PCI Express.
        kind: PortKind,
        /// Lanes in use.
        lanes: u8,
        /// Lanes that it can use.
        lanes_capable: u8,
        /// Generation in use.
        generation: u8,
        /// Highest generation that it can use.
        generation_capable: u8,
        /// What the link carries per direction in bytes/s, where a program says only that.
        link_bytes_per_s: f64,
        /// Largest payload in use, in bytes.
        payload: u32,
        /// Largest payload that it can use, in bytes.
        payload_capable: u32,
        /// Largest read request in use, in bytes.
        read_request: u32,
        /// NUMA node.
        numa_node: u32,
        /// Name of the slot that it is in.
        slot: String,
        /// Bridge above it.
        parent: PciAddress,
        /// Bus below it, of bridges.
        secondary_bus: u8,
        /// Highest bus below it, of bridges.
        subordinate_bus: u8,
        /// Whether it is a virtual function of another device.
        is_virtual: bool,
        /// Whether a program that computes on GPUs calls it one.
        is_gpu: bool,
        /// Virtual functions in use: their number, the offset of the first and the stride, in routing ids.
        virtual_functions: (u16, u16, u16),
        /// Whether a PCI-X or PCI link joins it, instead of PCI Express.
        is_conventional: bool,
    }

    /// A slot, as firmware lists it.
    Slot by name: String, {
        /// What is printed at it.
        name: String,
        /// Lanes that are wired.
        lanes: u8,
        /// Lanes of the connector.
        connector_lanes: u8,
        /// Generation.
        generation: u8,
        /// Whether firmware says that a card is in it.
        in_use: bool,
        /// Address of the first function of the card in it.
        address: PciAddress,
        /// Socket, from 0, where the program says it.
        socket: u32,
    }

    /// A network or fabric interface.
    Interface by name: String, {
        /// Name of the operating system.
        name: String,
        /// Address of its function.
        address: PciAddress,
        /// Negotiated rate in bit/s.
        rate: f64,
        /// Highest rate in bit/s.
        rate_capable: f64,
    }

    /// A disk as the operating system sees it.
    Disk by name: String, {
        /// Name of the operating system.
        name: String,
        /// Model.
        model: String,
        /// Bytes.
        size_bytes: u64,
        /// Whether it rotates.
        rotates: bool,
        /// How it is attached: `sata`, `sas`, `nvme`.
        transport: String,
        /// Address of its controller.
        controller: PciAddress,
    }

    /// A virtual device of a ZFS pool: disks that hold one another's data.
    Vdev {
        /// The pool.
        pool: String,
        /// What it is for: `data`, `log`, `cache`, `spare`, `special`, `dedup`.
        role: String,
        /// How it keeps data: `disk` (one of its own), `mirror`, `raidz1`, `raidz2`, `raidz3`, `draid...`.
        kind: String,
        /// Names of its disks.
        disks: Vec<String>,
    }

    /// An enclosure of disks as a RAID controller sees it.
    Enclosure {
        /// Number at the controller.
        number: u32,
        /// Slots for disks.
        slots: u32,
        /// Disks in it.
        drives: u32,
        /// Product name of its expander.
        product: String,
        /// How it is managed: `SES`, `SGPIO`.
        kind: String,
    }

    /// A link of an InfiniBand fabric, as one end prints it.
    FabricLink {
        /// Id of the switch or adapter.
        node: String,
        /// Its port.
        port: u32,
        /// Id of the other end.
        peer: String,
        /// The port there.
        peer_port: u32,
        /// Rate in bit/s.
        rate: f64,
    }

    /// A HyperTransport link as one end sees it.
    HyperTransportLink {
        /// Function whose capability it is.
        address: PciAddress,
        /// Offset of the capability in the configuration space, and the link of a capability with two.
        capability: (u16, u8),
        /// Whether it is the host's end.
        is_host: bool,
        /// Whether it is initialised and has a partner.
        is_up: bool,
        /// Bits in use.
        width: u8,
        /// Clock in Hz; two transfers per cycle.
        clock_hz: f64,
        /// Whether it joins two nodes, instead of a node and I/O.
        is_coherent: bool,
    }

    /// A node of a HyperTransport fabric, by the registers of its northbridge. Entries of its routing table
    /// are by destination, and have a bit for each way: bit 0 is the node itself, bit 1 its link 0.
    Northbridge by address: PciAddress, {
        /// Address of function 0.
        address: PciAddress,
        /// Number of the node.
        node: u32,
        /// Nodes of the fabric.
        nodes: u32,
        /// Where requests to each node leave.
        requests: Vec<u16>,
        /// Where broadcasts of each node leave.
        broadcasts: Vec<u16>,
    }

    /// Buses that hang on a node, by the address map of a northbridge.
    BusRange by first: u8, {
        /// First bus.
        first: u8,
        /// Last bus.
        last: u8,
        /// Number of the node.
        node: u32,
        /// Number of the link of the node that leads to them; those of function 4 count from 4.
        link: u16,
    }
}

/// What a function is in the tree of PCI Express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortKind {
    /// A device at the end of a link.
    Endpoint,
    /// A device inside a root complex: its link is not a real one.
    Integrated,
    /// A port of the root complex.
    RootPort,
    /// The port of a switch toward the root complex.
    Upstream,
    /// A port of a switch away from the root complex.
    Downstream,
    /// A bridge to PCI or PCI-X, or back.
    Bridge,
}

/// All that one file says, or all files of a machine after [`merge`](crate::merge).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The machine as a whole.
    pub system: System,
    /// Sockets, in the order in which the program prints them.
    pub processors: Vec<Processor>,
    /// Places for memory modules.
    pub dimms: Vec<Dimm>,
    /// NUMA nodes.
    pub nodes: Vec<Node>,
    /// PCI functions.
    pub devices: Vec<Device>,
    /// Slots.
    pub slots: Vec<Slot>,
    /// Network and fabric interfaces.
    pub interfaces: Vec<Interface>,
    /// Disks.
    pub disks: Vec<Disk>,
    /// Virtual devices of ZFS pools.
    pub vdevs: Vec<Vdev>,
    /// Enclosures of disks.
    pub enclosures: Vec<Enclosure>,
    /// Links of an InfiniBand fabric.
    pub fabric: Vec<FabricLink>,
    /// HyperTransport links.
    pub hypertransport: Vec<HyperTransportLink>,
    /// Nodes of a HyperTransport fabric.
    pub northbridges: Vec<Northbridge>,
    /// Buses and the nodes that they hang on.
    pub bus_ranges: Vec<BusRange>,
    /// Contradictions.
    pub conflicts: Vec<Conflict>,
    /// Numbers that no part can have.
    pub out_of_range: Vec<OutOfRange>,
}

impl Facts {
    /// Numbers out of range in words, with their places: the first few, and then how many more there are.
    pub(crate) fn out_of_range_in_words(&self) -> impl Iterator<Item = (String, Origin)> {
        /// The most that are listed.
        const LISTED: usize = 8;
        let more = self.out_of_range.get(LISTED).map(|next| {
            let words = match self.out_of_range.len() - LISTED {
                1 => "1 more number is out of range; it is taken as unknown".to_owned(),
                count => format!("{count} more numbers are out of range; they are taken as unknown"),
            };
            (words, next.at)
        });
        let listed = self.out_of_range.iter().take(LISTED);
        listed.map(|one| (one.message.clone(), one.at)).chain(more)
    }

    /// Memory of the machine in bytes: the sum of its modules, or else what a system sees of it, or of all
    /// its nodes.
    pub fn memory_bytes(&self) -> Option<u64> {
        let sum = |sizes: Option<Vec<u64>>| {
            let sum = sizes?.into_iter().fold(0, u64::saturating_add);
            Some(sum).filter(|&sum| sum > 0)
        };
        let bytes = |fact: &Fact<u64>| fact.known();
        sum(self.dimms.iter().map(|dimm| bytes(&dimm.size_bytes)).collect())
            .or_else(|| bytes(&self.system.memory_bytes))
            .or_else(|| sum(self.nodes.iter().map(|node| bytes(&node.memory_bytes)).collect()))
    }
}
