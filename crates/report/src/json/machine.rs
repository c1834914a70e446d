//! The JSON of an imported machine and of what `inspect` found.

use bandgraph_diagnostics::{Severity, Sources};
use bandgraph_import::{
    Card, Disk, Enclosure, Finding, HostLink, Interface, Known, Machine, Memory, Origin, PcieLink, Slot,
    Socket, SocketLink, Vdev,
};

/// Version of the format; goes up when a field changes its meaning or leaves.
pub const MACHINE_SCHEMA_VERSION: u32 = 1;

documents! {
    /// A machine as its files describe it. What no file says is null.
    pub struct MachineDocument(machine: &Machine, findings: &[Finding], sources: &Sources) {
        /// Version of this format.
        pub schema: u32 = MACHINE_SCHEMA_VERSION,
        /// Maker and product.
        pub name: Option<String> = machine.name.known(),
        /// Populated sockets.
        pub sockets: Vec<MachineSocketDocument> =
            machine.sockets.iter().map(MachineSocketDocument::new).collect(),
        /// NUMA nodes.
        pub numa_nodes: Option<u32> = machine.numa_nodes.known(),
        /// Memory of the machine, in bytes: the sum of its modules, or else what the system sees.
        pub memory_bytes: Option<u64> = machine.facts.memory_bytes(),
        /// Distances between NUMA nodes by firmware (ACPI SLIT), row by row; null where they say nothing.
        pub distances: Option<Vec<Vec<u32>>> = machine.facts.system.distances.known(),
        /// HyperTransport links between sockets; null where no file has the registers that say it.
        pub socket_links: Option<Vec<MachineSocketLinkDocument>> =
            (machine.fabric.links.as_ref())
                .map(|links| links.iter().map(MachineSocketLinkDocument::new).collect()),
        /// Ways between sockets that no link joins, each with the numbers of its sockets in order.
        pub routes: Vec<Vec<u32>> = machine.fabric.routes.iter().map(|(way, _)| way.clone()).collect(),
        /// Network cards, host adapters, NVMe drives and accelerators, by address.
        pub cards: Vec<MachineCardDocument> = machine.cards.iter().map(MachineCardDocument::new).collect(),
        /// Slots as firmware lists them.
        pub slots: Vec<MachineSlotDocument> = machine.slots.iter().map(MachineSlotDocument::new).collect(),
        /// Network and fabric interfaces of the operating system.
        pub interfaces: Vec<MachineInterfaceDocument> =
            machine.facts.interfaces.iter().map(MachineInterfaceDocument::new).collect(),
        /// Disks as the operating system or a controller sees them.
        pub disks: Vec<MachineDiskDocument> =
            machine.facts.disks.iter().map(MachineDiskDocument::new).collect(),
        /// Enclosures of disks.
        pub enclosures: Vec<MachineEnclosureDocument> =
            machine.facts.enclosures.iter().map(MachineEnclosureDocument::new).collect(),
        /// Virtual devices of ZFS pools.
        pub vdevs: Vec<MachineVdevDocument> =
            machine.facts.vdevs.iter().map(MachineVdevDocument::new).collect(),
        /// What is wrong or wasted, the costliest first.
        pub findings: Vec<FindingDocument> =
            findings.iter().map(|one| FindingDocument::new(one, sources)).collect(),
    }

    /// A populated socket.
    pub struct MachineSocketDocument(socket: &Socket) {
        /// Maker's name of the processor.
        pub name: Option<String> = socket.name.known(),
        /// Cores.
        pub cores: Option<u32> = socket.cores.known(),
        /// Name of the part in the catalogue.
        pub part: Option<String> = socket.part.map(str::to_owned),
        /// Its memory.
        pub memory: MachineMemoryDocument = MachineMemoryDocument::new(&socket.memory),
    }

    /// The memory of a socket.
    pub struct MachineMemoryDocument(memory: &Memory) {
        /// Channels with a module.
        pub channels_used: Option<u32> = memory.channels_used.known(),
        /// Channels of the socket.
        pub channels: Option<u32> = memory.channels.known(),
        /// Bytes.
        pub size_bytes: Option<u64> = memory.size_bytes.known(),
        /// Transfers a second in force: 2133000000.0 for 2133 MT/s.
        pub rate: Option<f64> = memory.rate.known(),
        /// Transfers a second that the modules are rated for.
        pub rate_capable: Option<f64> = memory.rate_capable.known(),
    }

    /// A link between two sockets.
    pub struct MachineSocketLinkDocument(link: &SocketLink) {
        /// Numbers of the two sockets, from 0.
        pub ends: [u32; 2] = link.ends.0,
        /// Bits in use in each direction.
        pub width_bits: Option<u8> = link.width.known(),
        /// Clock in Hz; two transfers per cycle.
        pub clock_hz: Option<f64> = link.clock_hz.known(),
    }

    /// A card: all functions of one device.
    pub struct MachineCardDocument(card: &Card) {
        /// PCI address of its first function, such as `81:00.0`; service processors do not say it.
        pub address: Option<String> = card.address.map(|address| address.to_string()),
        /// `nic`, `hba`, `nvme` or `gpu`.
        pub kind: String = card.kind.as_str().to_owned(),
        /// Name of the device.
        pub name: Option<String> = card.name.known(),
        /// Name of the part in the catalogue.
        pub part: Option<String> = card.part.map(str::to_owned),
        /// Ports of the card.
        pub ports: Option<u32> = card.ports.known(),
        /// Rate of a port in bit/s: 10000000000.0 for 10 Gbit/s. In force where a system says so of all
        /// ports, else the highest.
        pub port_rate: Option<f64> = card.port_rate.known(),
        /// Highest rate of a port in bit/s.
        pub port_rate_capable: Option<f64> = card.port_rate_capable.known(),
        /// Whether it is inside a chipset: the link that it shows is not a real one, and left out.
        pub internal: bool = card.internal,
        /// Its link.
        pub pcie: MachinePcieDocument = MachinePcieDocument::new(&card.pcie),
        /// Number of its socket, from 0.
        pub socket: Option<u32> = card.socket.known(),
        /// Name of its slot.
        pub slot: Option<String> = card.slot.known(),
        /// Its link to a second host; null of cards with one link.
        pub second: Option<MachineHostLinkDocument> = card.second.as_ref().map(MachineHostLinkDocument::new),
    }

    /// The second of two links of a card, each to a socket of its own.
    pub struct MachineHostLinkDocument(link: &HostLink) {
        /// PCI address of its first function.
        pub address: Option<String> = link.address.map(|address| address.to_string()),
        /// The link.
        pub pcie: MachinePcieDocument = MachinePcieDocument::new(&link.pcie),
        /// Number of the socket, from 0.
        pub socket: Option<u32> = link.socket.known(),
        /// Name of the slot.
        pub slot: Option<String> = link.slot.known(),
    }

    /// The PCI Express link of a card.
    pub struct MachinePcieDocument(link: &PcieLink) {
        /// Lanes in force.
        pub lanes: Option<u8> = link.lanes.known(),
        /// Generation in force.
        pub generation: Option<u8> = link.generation.known(),
        /// Lanes that the card has.
        pub lanes_capable: Option<u8> = link.lanes_capable.known(),
        /// Highest generation that the card has.
        pub generation_capable: Option<u8> = link.generation_capable.known(),
        /// Largest payload of a packet in force, in bytes.
        pub payload_bytes: Option<u32> = link.payload.known(),
        /// Largest payload of a packet that the card has, in bytes.
        pub payload_capable_bytes: Option<u32> = link.payload_capable.known(),
        /// Largest read request in force, in bytes.
        pub read_request_bytes: Option<u32> = link.read_request.known(),
    }

    /// A slot.
    pub struct MachineSlotDocument(slot: &Slot) {
        /// What is printed at it.
        pub name: Option<String> = slot.name.known(),
        /// Lanes that are wired.
        pub lanes: Option<u8> = slot.lanes.known(),
        /// Generation.
        pub generation: Option<u8> = slot.generation.known(),
        /// Whether firmware says that a card is in it.
        pub in_use: Option<bool> = slot.in_use.known(),
        /// PCI address of the card in it.
        pub address: Option<String> = slot.address.known().map(|address| address.to_string()),
        /// Number of its socket, from 0, where its name tells.
        pub socket: Option<u32> = slot.socket.known(),
    }

    /// A network or fabric interface.
    pub struct MachineInterfaceDocument(interface: &Interface) {
        /// Name of the operating system.
        pub name: Option<String> = interface.name.known(),
        /// PCI address of its function.
        pub address: Option<String> = interface.address.known().map(|address| address.to_string()),
        /// Negotiated rate in bit/s.
        pub rate: Option<f64> = interface.rate.known(),
        /// Highest rate in bit/s.
        pub rate_capable: Option<f64> = interface.rate_capable.known(),
    }

    /// A disk.
    pub struct MachineDiskDocument(disk: &Disk) {
        /// Name of the operating system, or place at a controller.
        pub name: Option<String> = disk.name.known(),
        /// Model.
        pub model: Option<String> = disk.model.known(),
        /// Bytes.
        pub size_bytes: Option<u64> = disk.size_bytes.known(),
        /// Whether it rotates.
        pub rotates: Option<bool> = disk.rotates.known(),
        /// How it is attached: `sata`, `sas`, `nvme`.
        pub transport: Option<String> = disk.transport.known(),
        /// PCI address of its controller.
        pub controller: Option<String> = disk.controller.known().map(|address| address.to_string()),
    }

    /// An enclosure of disks.
    pub struct MachineEnclosureDocument(enclosure: &Enclosure) {
        /// Number at the controller.
        pub number: Option<u32> = enclosure.number.known(),
        /// Slots for disks.
        pub slots: Option<u32> = enclosure.slots.known(),
        /// Disks in it.
        pub drives: Option<u32> = enclosure.drives.known(),
        /// Product name of its expander.
        pub product: Option<String> = enclosure.product.known(),
    }

    /// A virtual device of a ZFS pool.
    pub struct MachineVdevDocument(vdev: &Vdev) {
        /// The pool.
        pub pool: Option<String> = vdev.pool.known(),
        /// What it is for: `data`, `log`, `cache`, `spare`, `special`, `dedup`.
        pub role: Option<String> = vdev.role.known(),
        /// How it keeps data: `disk`, `mirror`, `raidz1`, `raidz2`, `raidz3`, `draid...`.
        pub kind: Option<String> = vdev.kind.known(),
        /// Names of its disks.
        pub disks: Option<Vec<String>> = vdev.disks.known(),
    }

    /// One thing that is wrong or wasted.
    pub struct FindingDocument(finding: &Finding, sources: &Sources) {
        let place = |at| FindingPlaceDocument::new(at, sources);

        /// The kind of finding, stable over versions.
        pub id: String = finding.id.to_owned(),
        /// `error`, `warning` or `note`.
        pub severity: String = Severity::name(finding.severity).to_owned(),
        /// What is wrong, and where.
        pub message: String = finding.message.clone(),
        /// What it costs, in bytes/s; null where no rate follows.
        pub costs_bytes_per_s: Option<f64> = finding.costs_bytes_per_s,
        /// What to do about it.
        pub help: Option<String> = finding.help.clone(),
        /// The lines that say so.
        pub places: Vec<FindingPlaceDocument> = finding.at.iter().map(place).collect(),
    }

    /// A line of a file.
    pub struct FindingPlaceDocument(at: &Origin, sources: &Sources) {
        /// The file.
        pub file: String = sources.name(at.source).to_owned(),
        /// The line, from 1.
        pub line: usize = sources.line_column(at.source, at.start).line,
    }
}

/// The machine and its findings as JSON.
pub fn machine_json(machine: &Machine, findings: &[Finding], sources: &Sources) -> String {
    super::json(&MachineDocument::new(machine, findings, sources))
}
