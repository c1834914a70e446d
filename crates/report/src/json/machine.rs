//! The JSON of an imported machine and of what `inspect` found.

use bandgraph_diagnostics::{Severity, Sources};
use bandgraph_import::{
    Card, Disk, Enclosure, Finding, HostLink, Interface, Known, Machine, Origin, PcieLink, Slot, Socket,
    SocketLink, Vdev,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the format; goes up when a field changes its meaning or leaves.
pub const MACHINE_SCHEMA_VERSION: u32 = 1;

/// A machine as its files describe it. What no file says is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineDocument {
    /// Version of this format.
    pub schema: u32,
    /// Maker and product.
    pub name: Option<String>,
    /// Populated sockets.
    pub sockets: Vec<MachineSocketDocument>,
    /// NUMA nodes.
    pub numa_nodes: Option<u32>,
    /// Memory of the machine, in bytes: the sum of its modules, or else what the system sees.
    pub memory_bytes: Option<u64>,
    /// Distances between NUMA nodes by firmware (ACPI SLIT), row by row; null where they say nothing.
    pub distances: Option<Vec<Vec<u32>>>,
    /// HyperTransport links between sockets; null where no file has the registers that say it.
    pub socket_links: Option<Vec<MachineSocketLinkDocument>>,
    /// Ways between sockets that no link joins, each with the numbers of its sockets in order.
    pub routes: Vec<Vec<u32>>,
    /// Network cards, host adapters, NVMe drives and accelerators, by address.
    pub cards: Vec<MachineCardDocument>,
    /// Slots as firmware lists them.
    pub slots: Vec<MachineSlotDocument>,
    /// Network and fabric interfaces of the operating system.
    pub interfaces: Vec<MachineInterfaceDocument>,
    /// Disks as the operating system or a controller sees them.
    pub disks: Vec<MachineDiskDocument>,
    /// Enclosures of disks.
    pub enclosures: Vec<MachineEnclosureDocument>,
    /// Virtual devices of ZFS pools.
    pub vdevs: Vec<MachineVdevDocument>,
    /// What is wrong or wasted, the costliest first.
    pub findings: Vec<FindingDocument>,
}

/// A populated socket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineSocketDocument {
    /// Maker's name of the processor.
    pub name: Option<String>,
    /// Cores.
    pub cores: Option<u32>,
    /// Name of the part in the catalogue.
    pub part: Option<String>,
    /// Its memory.
    pub memory: MachineMemoryDocument,
}

/// The memory of a socket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineMemoryDocument {
    /// Channels with a module.
    pub channels_used: Option<u32>,
    /// Channels of the socket.
    pub channels: Option<u32>,
    /// Bytes.
    pub size_bytes: Option<u64>,
    /// Transfers a second in force: 2133000000.0 for 2133 MT/s.
    pub rate: Option<f64>,
    /// Transfers a second that the modules are rated for.
    pub rate_capable: Option<f64>,
}

/// A link between two sockets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineSocketLinkDocument {
    /// Numbers of the two sockets, from 0.
    pub ends: [u32; 2],
    /// Bits in use in each direction.
    pub width_bits: Option<u8>,
    /// Clock in Hz; two transfers per cycle.
    pub clock_hz: Option<f64>,
}

/// A card: all functions of one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineCardDocument {
    /// PCI address of its first function, such as `81:00.0`; service processors do not say it.
    pub address: Option<String>,
    /// `nic`, `hba`, `nvme` or `gpu`.
    pub kind: String,
    /// Name of the device.
    pub name: Option<String>,
    /// Name of the part in the catalogue.
    pub part: Option<String>,
    /// Ports of the card.
    pub ports: Option<u32>,
    /// Rate of a port in bit/s: 10000000000.0 for 10 Gbit/s. In force where a system says so of all
    /// ports, else the highest.
    pub port_rate: Option<f64>,
    /// Highest rate of a port in bit/s.
    pub port_rate_capable: Option<f64>,
    /// Whether it is inside a chipset: the link that it shows is not a real one, and left out.
    pub internal: bool,
    /// Its link.
    pub pcie: MachinePcieDocument,
    /// Number of its socket, from 0.
    pub socket: Option<u32>,
    /// Name of its slot.
    pub slot: Option<String>,
    /// Its link to a second host; null of cards with one link.
    pub second: Option<MachineHostLinkDocument>,
}

/// The second of two links of a card, each to a socket of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineHostLinkDocument {
    /// PCI address of its first function.
    pub address: Option<String>,
    /// The link.
    pub pcie: MachinePcieDocument,
    /// Number of the socket, from 0.
    pub socket: Option<u32>,
    /// Name of the slot.
    pub slot: Option<String>,
}

/// The PCI Express link of a card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachinePcieDocument {
    /// Lanes in force.
    pub lanes: Option<u8>,
    /// Generation in force.
    pub generation: Option<u8>,
    /// Lanes that the card has.
    pub lanes_capable: Option<u8>,
    /// Highest generation that the card has.
    pub generation_capable: Option<u8>,
    /// Largest payload of a packet in force, in bytes.
    pub payload_bytes: Option<u32>,
    /// Largest payload of a packet that the card has, in bytes.
    pub payload_capable_bytes: Option<u32>,
    /// Largest read request in force, in bytes.
    pub read_request_bytes: Option<u32>,
}

/// A slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineSlotDocument {
    /// What is printed at it.
    pub name: Option<String>,
    /// Lanes that are wired.
    pub lanes: Option<u8>,
    /// Generation.
    pub generation: Option<u8>,
    /// Whether firmware says that a card is in it.
    pub in_use: Option<bool>,
    /// PCI address of the card in it.
    pub address: Option<String>,
    /// Number of its socket, from 0, where its name tells.
    pub socket: Option<u32>,
}

/// A network or fabric interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineInterfaceDocument {
    /// Name of the operating system.
    pub name: Option<String>,
    /// PCI address of its function.
    pub address: Option<String>,
    /// Negotiated rate in bit/s.
    pub rate: Option<f64>,
    /// Highest rate in bit/s.
    pub rate_capable: Option<f64>,
}

/// A disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineDiskDocument {
    /// Name of the operating system, or place at a controller.
    pub name: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Bytes.
    pub size_bytes: Option<u64>,
    /// Whether it rotates.
    pub rotates: Option<bool>,
    /// How it is attached: `sata`, `sas`, `nvme`.
    pub transport: Option<String>,
    /// PCI address of its controller.
    pub controller: Option<String>,
}

/// An enclosure of disks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineEnclosureDocument {
    /// Number at the controller.
    pub number: Option<u32>,
    /// Slots for disks.
    pub slots: Option<u32>,
    /// Disks in it.
    pub drives: Option<u32>,
    /// Product name of its expander.
    pub product: Option<String>,
}

/// A virtual device of a ZFS pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineVdevDocument {
    /// The pool.
    pub pool: Option<String>,
    /// What it is for: `data`, `log`, `cache`, `spare`, `special`, `dedup`.
    pub role: Option<String>,
    /// How it keeps data: `disk`, `mirror`, `raidz1`, `raidz2`, `raidz3`, `draid...`.
    pub kind: Option<String>,
    /// Names of its disks.
    pub disks: Option<Vec<String>>,
}

/// One thing that is wrong or wasted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingDocument {
    /// The kind of finding, stable over versions.
    pub id: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// What is wrong, and where.
    pub message: String,
    /// What it costs, in bytes/s; null where no rate follows.
    pub costs_bytes_per_s: Option<f64>,
    /// What to do about it.
    pub help: Option<String>,
    /// The lines that say so.
    pub places: Vec<FindingPlaceDocument>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingPlaceDocument {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// The machine and its findings as JSON.
pub fn machine_json(machine: &Machine, findings: &[Finding], sources: &Sources) -> String {
    super::pretty(&MachineDocument::new(machine, findings, sources))
}

/// The JSON Schema of [`machine_json`].
pub fn machine_schema() -> serde_json::Value {
    super::schema_of::<MachineDocument>()
}

impl MachineDocument {
    /// The document of a machine.
    pub fn new(machine: &Machine, findings: &[Finding], sources: &Sources) -> Self {
        Self {
            schema: MACHINE_SCHEMA_VERSION,
            name: machine.name.known(),
            sockets: machine.sockets.iter().map(socket).collect(),
            numa_nodes: machine.numa_nodes.known(),
            memory_bytes: machine.facts.memory_bytes(),
            distances: machine.facts.system.distances.known(),
            socket_links: (machine.fabric.links.as_ref())
                .map(|links| links.iter().map(socket_link).collect()),
            routes: machine.fabric.routes.iter().map(|(way, _)| way.clone()).collect(),
            cards: machine.cards.iter().map(card).collect(),
            slots: machine.slots.iter().map(slot).collect(),
            interfaces: machine.facts.interfaces.iter().map(interface).collect(),
            disks: machine.facts.disks.iter().map(disk).collect(),
            enclosures: machine.facts.enclosures.iter().map(enclosure).collect(),
            vdevs: machine.facts.vdevs.iter().map(vdev).collect(),
            findings: findings.iter().map(|one| finding(one, sources)).collect(),
        }
    }
}

fn socket(socket: &Socket) -> MachineSocketDocument {
    let memory = &socket.memory;
    MachineSocketDocument {
        name: socket.name.known(),
        cores: socket.cores.known(),
        part: socket.part.map(str::to_owned),
        memory: MachineMemoryDocument {
            channels_used: memory.channels_used.known(),
            channels: memory.channels.known(),
            size_bytes: memory.size_bytes.known(),
            rate: memory.rate.known(),
            rate_capable: memory.rate_capable.known(),
        },
    }
}

fn socket_link(link: &SocketLink) -> MachineSocketLinkDocument {
    MachineSocketLinkDocument {
        ends: link.ends.0,
        width_bits: link.width.known(),
        clock_hz: link.clock_hz.known(),
    }
}

fn card(card: &Card) -> MachineCardDocument {
    MachineCardDocument {
        address: card.address.map(|address| address.to_string()),
        kind: card.kind.as_str().to_owned(),
        name: card.name.known(),
        part: card.part.map(str::to_owned),
        ports: card.ports.known(),
        port_rate: card.port_rate.known(),
        port_rate_capable: card.port_rate_capable.known(),
        internal: card.internal,
        pcie: pcie(&card.pcie),
        socket: card.socket.known(),
        slot: card.slot.known(),
        second: card.second.as_ref().map(host_link),
    }
}

fn host_link(link: &HostLink) -> MachineHostLinkDocument {
    MachineHostLinkDocument {
        address: link.address.map(|address| address.to_string()),
        pcie: pcie(&link.pcie),
        socket: link.socket.known(),
        slot: link.slot.known(),
    }
}

fn pcie(link: &PcieLink) -> MachinePcieDocument {
    MachinePcieDocument {
        lanes: link.lanes.known(),
        generation: link.generation.known(),
        lanes_capable: link.lanes_capable.known(),
        generation_capable: link.generation_capable.known(),
        payload_bytes: link.payload.known(),
        payload_capable_bytes: link.payload_capable.known(),
        read_request_bytes: link.read_request.known(),
    }
}

fn slot(slot: &Slot) -> MachineSlotDocument {
    MachineSlotDocument {
        name: slot.name.known(),
        lanes: slot.lanes.known(),
        generation: slot.generation.known(),
        in_use: slot.in_use.known(),
        address: slot.address.known().map(|address| address.to_string()),
        socket: slot.socket.known(),
    }
}

fn interface(interface: &Interface) -> MachineInterfaceDocument {
    MachineInterfaceDocument {
        name: interface.name.known(),
        address: interface.address.known().map(|address| address.to_string()),
        rate: interface.rate.known(),
        rate_capable: interface.rate_capable.known(),
    }
}

fn disk(disk: &Disk) -> MachineDiskDocument {
    MachineDiskDocument {
        name: disk.name.known(),
        model: disk.model.known(),
        size_bytes: disk.size_bytes.known(),
        rotates: disk.rotates.known(),
        transport: disk.transport.known(),
        controller: disk.controller.known().map(|address| address.to_string()),
    }
}

fn enclosure(enclosure: &Enclosure) -> MachineEnclosureDocument {
    MachineEnclosureDocument {
        number: enclosure.number.known(),
        slots: enclosure.slots.known(),
        drives: enclosure.drives.known(),
        product: enclosure.product.known(),
    }
}

fn vdev(vdev: &Vdev) -> MachineVdevDocument {
    MachineVdevDocument {
        pool: vdev.pool.known(),
        role: vdev.role.known(),
        kind: vdev.kind.known(),
        disks: vdev.disks.known(),
    }
}

fn finding(finding: &Finding, sources: &Sources) -> FindingDocument {
    let place = |at: &Origin| FindingPlaceDocument {
        file: sources.name(at.source).to_owned(),
        line: sources.line_column(at.source, at.start).line,
    };
    FindingDocument {
        id: finding.id.to_owned(),
        severity: Severity::name(finding.severity).to_owned(),
        message: finding.message.clone(),
        costs_bytes_per_s: finding.costs_bytes_per_s,
        help: finding.help.clone(),
        places: finding.at.iter().map(place).collect(),
    }
}
