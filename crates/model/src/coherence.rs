//! What lines and packets cost on links, memory, bridges and slots, collected in a ledger.

use std::sync::{Arc, OnceLock};

use bandgraph_hardware::hypertransport::{
    Cause, Message, PacketMix, Route, Sizes, Transaction, bridge_bytes, messages,
};
use bandgraph_topology::{ResourceId, Topology};
use bandgraph_units::Bytes;

use crate::demand::DeviceUse;

/// Units of every resource used, and what the bytes on socket links were for.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    /// Units by resource.
    pub(crate) units: Vec<f64>,
    /// Bytes by resource and cause, of links between sockets: their resources come first.
    pub(crate) causes: Vec<[f64; Cause::ALL.len()]>,
    /// Packets by resource, of the same, for the residual service time of links.
    pub(crate) packets: Vec<PacketMix>,
    /// What disks and SSDs do.
    pub(crate) devices: Vec<DeviceUse>,
}

impl Ledger {
    /// An empty ledger for so many resources of this topology and what was added to it.
    pub(crate) fn new(topology: &Topology, resources: usize) -> Self {
        let links = link_resources(topology);
        Self {
            units: vec![0.0; resources],
            causes: vec![[0.0; Cause::ALL.len()]; links],
            packets: vec![PacketMix::default(); links],
            devices: Vec::new(),
        }
    }
}

impl Ledger {
    /// Adds what another ledger has.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.devices.extend_from_slice(&other.devices);
        for (sum, units) in self.units.iter_mut().zip(&other.units) {
            *sum += units;
        }
        for (sum, causes) in self.causes.iter_mut().zip(&other.causes) {
            for (sum, bytes) in sum.iter_mut().zip(causes) {
                *sum += bytes;
            }
        }
        for (sum, packets) in self.packets.iter_mut().zip(&other.packets) {
            sum.add_all(packets, 1.0);
        }
    }

    /// The units of all resources that are used, in ascending order of resource.
    pub(crate) fn demand(&self) -> Vec<(usize, f64)> {
        let units = self.units.iter().copied().enumerate();
        units.filter(|&(_, units)| units > 0.0).collect()
    }

    /// Books a packet that crosses its link so many times.
    fn add(&mut self, crossing: &Crossing, times: f64) {
        let bytes = times * crossing.packet;
        self.units[crossing.resource] += bytes;
        self.causes[crossing.resource][crossing.cause as usize] += bytes;
        self.packets[crossing.resource].add(Bytes::new(crossing.packet), times);
    }
}

/// How many resources there are up to the last that is a link between sockets.
pub(crate) fn link_resources(topology: &Topology) -> usize {
    let resources = topology.links().iter().flat_map(|link| link.resources);
    resources.map(|resource| resource.index() + 1).max().unwrap_or(0)
}

/// One packet of a transaction on one link.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    resource: usize,
    cause: Cause,
    /// Bytes that it takes there.
    packet: f64,
    /// How often it crosses this link, for a line.
    share: f64,
}

/// What the transaction of one line puts on which link, for every kind of transaction between every two
/// sockets: worked out when it is first asked for. It depends on the topology alone.
#[derive(Debug)]
pub(crate) struct LineTable {
    sizes: Sizes,
    sockets: usize,
    /// What it depends on besides the routes.
    of: LineFigures,
    crossings: Vec<OnceLock<Box<[Crossing]>>>,
}

/// The figures of a server that say what a line puts on its links.
#[derive(Debug, PartialEq)]
struct LineFigures {
    line: Bytes,
    /// Whether memory filters probes, by socket.
    filters: Vec<bool>,
    /// By link: what packets are filled up to, and their checksum.
    packets: Vec<[Bytes; 2]>,
}

impl LineFigures {
    fn of(topology: &Topology) -> Self {
        let sockets = topology.sockets();
        let links = topology.links().iter();
        Self {
            line: sockets[0].part.line_size,
            filters: sockets.iter().map(|socket| socket.part.probe_filter).collect(),
            packets: links
                .map(|link| [link.part.packet_multiple, link.part.packet_checksum])
                .collect(),
        }
    }
}

impl LineTable {
    /// Whether it holds for a server that has the routes of the one that it was made for.
    pub(crate) fn is_of(&self, topology: &Topology) -> bool {
        self.of == LineFigures::of(topology)
    }

    pub(crate) fn new(topology: &Topology) -> Self {
        // All sockets of a machine have lines of one size; the first one's stands for all.
        let line = topology.sockets()[0].part.line_size.get();
        let sockets = topology.sockets().len();
        Self {
            sizes: Sizes {
                line,
                ..Sizes::default()
            },
            sockets,
            of: LineFigures::of(topology),
            crossings: vec![OnceLock::new(); 4 * sockets * sockets],
        }
    }

    fn of(&self, topology: &Topology, transaction: Transaction) -> &[Crossing] {
        let (kind, from, home) = match transaction {
            Transaction::LineRead { requester, home } => (0, requester, home),
            Transaction::WriteBack { requester, home } => (1, requester, home),
            Transaction::DmaRead { bridge_socket, home } => (2, bridge_socket, home),
            Transaction::DmaWrite { bridge_socket, home } => (3, bridge_socket, home),
        };
        let cell = &self.crossings[(kind * self.sockets + from) * self.sockets + home];
        cell.get_or_init(|| crossings(topology, transaction, home, &self.sizes))
    }
}

fn crossings(topology: &Topology, transaction: Transaction, home: usize, sizes: &Sizes) -> Box<[Crossing]> {
    let sockets = topology.sockets();
    let mut sent = Vec::new();
    messages(
        transaction,
        sockets.len(),
        sockets[home].part.probe_filter,
        sizes,
        &mut sent,
    );
    let mut crossings = Vec::new();
    let mut cross = |message: &Message, resource: ResourceId, share: f64| {
        let resource = resource.index();
        let links = topology.links().iter();
        let mut of_resource =
            links.filter(|link| link.resources.iter().any(|other| other.index() == resource));
        crossings.push(Crossing {
            resource,
            cause: message.cause,
            packet: of_resource
                .next()
                .map_or(message.bytes, |link| link.part.packet_bytes(message.bytes)),
            share,
        });
    };
    for message in &sent {
        match message.route {
            Route::Unicast { from, to } => {
                for &(resource, share) in topology.route(from, to) {
                    cross(message, resource, share);
                }
            }
            // Probes are not spread over parallel links: they take the first. The counters of the 7410 show
            // it: of the two links between cpu2 and cpu3, the first carries more, by what the probes come to.
            Route::Broadcast { from } => {
                for &[near, far] in topology.broadcast_hops(from) {
                    if let Some(&(resource, _)) = topology.hop_links(near, far).first() {
                        cross(message, resource, 1.0);
                    }
                }
            }
        }
    }
    crossings.into()
}

/// Books transactions of lines in a ledger.
pub(crate) struct Coherence<'a> {
    topology: &'a Topology,
    table: Arc<LineTable>,
}

impl<'a> Coherence<'a> {
    pub(crate) fn new(topology: &'a Topology, table: Arc<LineTable>) -> Self {
        Self { topology, table }
    }

    /// Bytes of a line.
    pub(crate) fn line(&self) -> f64 {
        self.table.sizes.line
    }

    /// Books `lines` transactions of one kind between sockets, and their line in the home's memory.
    pub(crate) fn book(&self, ledger: &mut Ledger, transaction: Transaction, lines: f64) {
        let home = match transaction {
            Transaction::LineRead { home, .. }
            | Transaction::WriteBack { home, .. }
            | Transaction::DmaRead { home, .. }
            | Transaction::DmaWrite { home, .. } => home,
        };
        let memory = self.topology.sockets()[home].memory_resource;
        ledger.units[memory.index()] += lines * self.line();
        for crossing in self.table.of(self.topology, transaction) {
            ledger.add(crossing, lines * crossing.share);
        }
    }

    /// Books `lines` of DMA by a card behind a bridge, with homes in the given shares: the bridge's own link,
    /// and the transactions of its socket.
    pub(crate) fn book_dma(
        &self,
        ledger: &mut Ledger,
        bridge: usize,
        write: bool,
        lines: f64,
        homes: &[f64],
    ) {
        let bridge = &self.topology.bridges()[bridge];
        let traffic = bridge_bytes(write, &self.table.sizes);
        if let Some(uplink) = &bridge.uplink {
            ledger.units[uplink.outbound.index()] += lines * traffic.toward_card;
            ledger.units[uplink.inbound.index()] += lines * traffic.toward_host;
        }
        let bridge_socket = bridge.socket;
        for (home, &share) in homes.iter().enumerate() {
            let transaction = if write {
                Transaction::DmaWrite { bridge_socket, home }
            } else {
                Transaction::DmaRead { bridge_socket, home }
            };
            if share > 0.0 {
                self.book(ledger, transaction, lines * share);
            }
        }
    }
}
