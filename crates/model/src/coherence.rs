//! What lines and packets cost on links, memory, bridges and slots, collected in a ledger.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use bandgraph_hardware::Probing;
use bandgraph_hardware::hypertransport::{
    Cause, Channel, Message, PacketMix, ReleaseWords, Route, Sizes, Transaction, bridge_line, messages,
};
use bandgraph_topology::{ResourceId, Topology, Uplink};
use bandgraph_units::Bytes;

use crate::demand::{DeviceUse, LineUse, MemoryBytes};
use crate::line_balance;

/// Units of every resource used, and what the bytes on socket links were for.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    /// Units by resource.
    pub(crate) units: Vec<f64>,
    /// Bytes by resource and cause, of links between sockets and of bridges: their resources come first.
    pub(crate) causes: Vec<[f64; Cause::ALL.len()]>,
    /// Packets by resource, of the same, for the residual service time of links.
    pub(crate) packets: Vec<PacketMix>,
    /// What disks and SSDs do.
    pub(crate) devices: Vec<DeviceUse>,
    /// Bytes that the memory of each socket reads and writes. Its units count a write for more than a read.
    pub(crate) memory: Vec<MemoryBytes>,
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
            memory: vec![MemoryBytes::default(); topology.sockets().len()],
        }
    }
}

impl Ledger {
    /// Adds what another ledger has.
    pub(crate) fn add_all(&mut self, other: Self) {
        self.devices.extend_from_slice(&other.devices);
        self.add_lines(1.0, &LineUse::of(other));
    }

    /// Adds what so many lines use that a socket misses.
    pub(crate) fn add_lines(&mut self, lines: f64, line: &LineUse) {
        for &(resource, units) in &line.demand {
            self.units[resource] += lines * units;
        }
        for traffic in &line.traffic {
            for (sum, bytes) in self.causes[traffic.resource].iter_mut().zip(traffic.by_cause) {
                *sum += lines * bytes;
            }
        }
        for (sum, packets) in self.packets.iter_mut().zip(&line.packets) {
            sum.add_all(packets, lines);
        }
        for (sum, bytes) in self.memory.iter_mut().zip(&line.memory) {
            sum.add(*bytes, lines);
        }
    }

    /// The units of all resources that are used, in ascending order of resource.
    pub(crate) fn demand(&self) -> Vec<(usize, f64)> {
        let units = self.units.iter().copied().enumerate();
        units.filter(|&(_, units)| units > 0.0).collect()
    }

    /// Books a packet of so many bytes that crosses its link so many times.
    fn add(&mut self, crossing: &Crossing, packet: f64, times: f64) {
        self.add_bytes(crossing.resource, crossing.cause, times * packet);
        // Words that return buffers wait for gaps, and nothing waits for them.
        if crossing.cause != Cause::Release {
            self.packets[crossing.resource].add(Bytes::new(packet), times);
        }
    }

    fn add_bytes(&mut self, resource: usize, cause: Cause, bytes: f64) {
        self.units[resource] += bytes;
        self.causes[resource][cause as usize] += bytes;
    }
}

/// How many resources there are up to the last that is a link between sockets or of a bridge.
pub(crate) fn link_resources(topology: &Topology) -> usize {
    let links = topology.links().iter().flat_map(|link| link.resources);
    let uplinks = topology
        .bridges()
        .iter()
        .filter_map(|bridge| bridge.uplink.as_ref());
    let bridges = uplinks.flat_map(|uplink| [uplink.inbound, uplink.outbound]);
    let resources = links.chain(bridges);
    resources.map(|resource| resource.index() + 1).max().unwrap_or(0)
}

/// How each link between sockets and each bridge's own link returns buffers, by resource.
pub(crate) fn release_words(topology: &Topology) -> Vec<(usize, ReleaseWords)> {
    let links = topology.links().iter().map(|link| (link.resources, &link.part));
    let uplinks = topology
        .bridges()
        .iter()
        .filter_map(|bridge| bridge.uplink.as_ref());
    let bridges = uplinks.map(|uplink| ([uplink.inbound, uplink.outbound], &uplink.part));
    let words = links
        .chain(bridges)
        .filter(|(_, part)| part.release_words > 0.0)
        .flat_map(|(resources, part)| resources.map(|resource| (resource.index(), ReleaseWords::of(part))));
    words.collect()
}

/// One packet of a transaction on one link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) resource: usize,
    pub(crate) cause: Cause,
    /// Bytes that it takes there; of words that return buffers, how many buffers.
    pub(crate) size: f64,
    /// How often it crosses this link, for a line.
    pub(crate) share: f64,
}

/// What the transaction of one line puts on which link, for every kind of transaction between every two
/// sockets: worked out when it is first asked for. It depends on the topology alone.
#[derive(Debug)]
pub(crate) struct LineTable {
    sizes: Sizes,
    sockets: usize,
    /// What it depends on besides the routes.
    of: LineFigures,
    /// By bridge: what a line read and a line written put on its own link: resource, cause and size, as of a
    /// crossing.
    bridges: Vec<[Vec<(usize, Cause, f64)>; 2]>,
    crossings: Vec<OnceLock<Box<[Crossing]>>>,
    /// A transaction whose packets do not balance, if one was found.
    fault: OnceLock<String>,
}

/// The figures of a server that say what a line puts on its links.
#[derive(Debug, PartialEq)]
struct LineFigures {
    line: Bytes,
    /// Whom the home of a line asks, by socket.
    probes: Vec<Probing>,
    /// Packets of links between sockets, then of those of bridges.
    packets: Vec<PacketFigures>,
}

/// The figures of a link that say what a packet puts on it.
#[derive(Debug, PartialEq)]
struct PacketFigures {
    sizes: Sizes,
    multiple: Bytes,
    checksum: Bytes,
    spread_probes: bool,
}

impl LineFigures {
    fn of(topology: &Topology) -> Self {
        let sockets = topology.sockets();
        let links = topology.links().iter().map(|link| &link.part);
        let uplinks = topology
            .bridges()
            .iter()
            .filter_map(|bridge| bridge.uplink.as_ref());
        Self {
            line: sockets[0].part.line_size,
            probes: sockets.iter().map(|socket| socket.part.probes).collect(),
            packets: links
                .chain(uplinks.map(|uplink| &uplink.part))
                .map(|part| PacketFigures {
                    sizes: part.sizes(sockets[0].part.line_size),
                    multiple: part.packet_multiple,
                    checksum: part.packet_checksum,
                    spread_probes: part.spread_probes,
                })
                .collect(),
        }
    }
}

/// Kinds of transactions.
const KINDS: usize = 8;

impl LineTable {
    /// Whether it holds for a server that has the routes of the one that it was made for.
    pub(crate) fn is_of(&self, topology: &Topology) -> bool {
        self.of == LineFigures::of(topology)
    }

    pub(crate) fn new(topology: &Topology) -> Self {
        // All sockets of a machine have lines of one size; the first one's stands for all. So does the first
        // link's technology.
        let line = topology.sockets()[0].part.line_size;
        let sockets = topology.sockets().len();
        let link = topology.links().first();
        Self {
            sizes: link.map_or_else(|| Sizes::with_line(line), |link| link.part.sizes(line)),
            sockets,
            of: LineFigures::of(topology),
            bridges: topology
                .bridges()
                .iter()
                .map(|bridge| {
                    let of = |write| {
                        bridge
                            .uplink
                            .as_ref()
                            .map(|uplink| bridge_crossings(uplink, line, write))
                    };
                    [false, true].map(|write| of(write).unwrap_or_default())
                })
                .collect(),
            crossings: vec![OnceLock::new(); KINDS * sockets * sockets],
            fault: OnceLock::new(),
        }
    }

    /// What a line puts on links.
    pub(crate) fn of(&self, topology: &Topology, transaction: Transaction) -> &[Crossing] {
        let (kind, from, home) = match transaction {
            Transaction::LineRead { requester, home } => (0, requester, home),
            Transaction::WriteBack { requester, home } => (1, requester, home),
            Transaction::DmaRead { bridge_socket, home } => (2, bridge_socket, home),
            Transaction::DmaWrite { bridge_socket, home } => (3, bridge_socket, home),
            Transaction::Store { requester, home } => (4, requester, home),
            Transaction::SharedRead { requester, home } => (5, requester, home),
            Transaction::PeerRead { bridge_socket, home } => (6, bridge_socket, home),
            Transaction::PeerWrite { bridge_socket, home } => (7, bridge_socket, home),
        };
        let cell = &self.crossings[(kind * self.sockets + from) * self.sockets + home];
        cell.get_or_init(|| {
            let crossings = crossings(topology, transaction, home, &self.sizes);
            if let Some(fault) = line_balance::fault(topology, transaction, &self.sizes, &crossings) {
                // One is enough.
                let _ = self.fault.set(fault);
            }
            crossings
        })
    }
}

/// What one line of DMA puts on a bridge's own link.
fn bridge_crossings(uplink: &Uplink, line: Bytes, write: bool) -> Vec<(usize, Cause, f64)> {
    let part = &uplink.part;
    let line = bridge_line(write, &part.sizes(line));
    let [inbound, outbound] = [uplink.inbound.index(), uplink.outbound.index()];
    let toward_host = if write { Cause::DmaData } else { Cause::DmaRequest };
    let (bytes, buffers) = line.toward_host;
    let mut crossings = vec![
        (inbound, toward_host, part.packet_bytes(bytes)),
        (outbound, Cause::Release, buffers),
    ];
    if let Some((bytes, buffers)) = line.toward_card {
        crossings.push((outbound, Cause::DmaData, part.packet_bytes(bytes)));
        crossings.push((inbound, Cause::Release, buffers));
    }
    crossings
}

fn crossings(topology: &Topology, transaction: Transaction, home: usize, sizes: &Sizes) -> Box<[Crossing]> {
    let sockets = topology.sockets();
    let mut sent = Vec::new();
    messages(
        transaction,
        sockets.len(),
        sockets[home].part.probes,
        sizes,
        &mut sent,
    );
    let mut crossings = Vec::new();
    let mut cross = |message: &Message, resource: ResourceId, share: f64| {
        let mut links = topology.links().iter();
        let Some(link) = links.find(|link| link.resources.contains(&resource)) else {
            return;
        };
        let [forth, back] = link.resources;
        let opposite = if resource == forth { back } else { forth };
        crossings.push(Crossing {
            resource: resource.index(),
            cause: message.cause,
            size: link.part.packet_bytes(message.bytes),
            share: share * message.share,
        });
        if message.buffers > 0.0 {
            crossings.push(Crossing {
                resource: opposite.index(),
                cause: Cause::Release,
                size: message.buffers,
                share: share * message.share,
            });
        }
    };
    for message in &sent {
        match message.route {
            Route::Unicast { from, to } => {
                let route = match message.channel {
                    Channel::Request | Channel::Probe => topology.route(from, to),
                    Channel::Response => topology.response_route(from, to),
                };
                for &(resource, share) in route {
                    cross(message, resource, share);
                }
            }
            // On HyperTransport, probes are not spread over parallel links: they take the first. The
            // counters of the 7410 show it: of the two links between cpu2 and cpu3, the first carries more,
            // by what the probes come to.
            Route::Broadcast { from } => {
                for &[near, far] in topology.broadcast_hops(from) {
                    let links = topology.hop_links(near, far);
                    let spread = topology
                        .links()
                        .first()
                        .is_some_and(|link| link.part.spread_probes);
                    match links.first() {
                        Some(&(resource, _)) if !spread => cross(message, resource, 1.0),
                        _ => links
                            .iter()
                            .for_each(|&(resource, share)| cross(message, resource, share)),
                    }
                }
            }
        }
    }
    crossings.into()
}

/// What lines that cores miss put on links and memories.
pub(crate) struct MissedLines {
    /// Where they live, by requester and home.
    pub(crate) homes: Vec<f64>,
    /// The share of them that another socket's cache answers.
    pub(crate) shared: f64,
    /// The share of them that goes back to memory.
    pub(crate) written: f64,
    /// One line missed by each socket.
    pub(crate) by_requester: Vec<Arc<LineUse>>,
}

/// Books transactions of lines in a ledger.
pub(crate) struct Coherence<'a> {
    pub(crate) topology: &'a Topology,
    table: Arc<LineTable>,
    /// Bytes of the words that return a buffer on a full link, by the resource that they cross.
    release: Vec<f64>,
    /// What was last asked for of lines that cores miss.
    pub(crate) missed: RefCell<Option<MissedLines>>,
}

impl<'a> Coherence<'a> {
    pub(crate) fn new(topology: &'a Topology, table: Arc<LineTable>) -> Self {
        let mut release = vec![0.0; link_resources(topology)];
        for (resource, words) in release_words(topology) {
            release[resource] = words.full_bytes();
        }
        Self {
            topology,
            table,
            release,
            missed: RefCell::default(),
        }
    }

    /// Bytes that a packet of such a size takes on a link.
    fn packet(&self, resource: usize, cause: Cause, size: f64) -> f64 {
        if cause == Cause::Release {
            self.release[resource] * size
        } else {
            size
        }
    }

    /// A transaction that was booked and whose packets do not balance, if there is one.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.table.fault.get().map(String::as_str)
    }

    /// Bytes of a line.
    pub(crate) fn line(&self) -> f64 {
        self.table.sizes.line
    }

    /// Books `lines` transactions of one kind between sockets, and their line in the home's memory.
    pub(crate) fn book(&self, ledger: &mut Ledger, transaction: Transaction, lines: f64) {
        let (from, home) = match transaction {
            Transaction::LineRead { requester, home }
            | Transaction::SharedRead { requester, home }
            | Transaction::Store { requester, home }
            | Transaction::WriteBack { requester, home } => (requester, home),
            Transaction::DmaRead { bridge_socket, home }
            | Transaction::DmaWrite { bridge_socket, home }
            | Transaction::PeerRead { bridge_socket, home }
            | Transaction::PeerWrite { bridge_socket, home } => (bridge_socket, home),
        };
        let socket = &self.topology.sockets()[home];
        let bytes = lines * self.line();
        let (reads, writes) = match transaction {
            // A home that notes in memory who has a line writes the whole line for it.
            Transaction::LineRead { .. } if from != home => {
                (bytes, bytes * socket.part.directory_writes.get())
            }
            Transaction::LineRead { .. } | Transaction::DmaRead { .. } => (bytes, 0.0),
            Transaction::SharedRead { .. } | Transaction::PeerRead { .. } | Transaction::PeerWrite { .. } => {
                (0.0, 0.0)
            }
            Transaction::Store { .. } | Transaction::WriteBack { .. } | Transaction::DmaWrite { .. } => {
                (0.0, bytes)
            }
        };
        ledger.units[socket.memory_resource.index()] += reads + writes * socket.part.write_weight();
        ledger.memory[home].reads += reads;
        ledger.memory[home].writes += writes;
        for crossing in self.table.of(self.topology, transaction) {
            let packet = self.packet(crossing.resource, crossing.cause, crossing.size);
            ledger.add(crossing, packet, lines * crossing.share);
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
        for &(resource, cause, size) in &self.table.bridges[bridge][usize::from(write)] {
            ledger.add_bytes(resource, cause, lines * self.packet(resource, cause, size));
        }
        let bridge_socket = self.topology.bridges()[bridge].socket;
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

    /// Books `lines` of a card behind one bridge that reads or writes another card behind the other: the
    /// links of both bridges, and what is between their sockets. Nothing where both hang on one bridge.
    pub(crate) fn book_peer(&self, ledger: &mut Ledger, bridges: [usize; 2], write: bool, lines: f64) {
        let [near, far] = bridges;
        if near == far {
            return;
        }
        for &(resource, cause, size) in &self.table.bridges[near][usize::from(write)] {
            ledger.add_bytes(resource, cause, lines * self.packet(resource, cause, size));
        }
        let [near, far] = bridges.map(|bridge| &self.topology.bridges()[bridge]);
        if let Some(uplink) = &far.uplink {
            // What comes up one link goes down the other.
            let [inbound, outbound] = [uplink.inbound.index(), uplink.outbound.index()];
            for &(resource, cause, size) in &self.table.bridges[bridges[1]][usize::from(write)] {
                let resource = if resource == inbound { outbound } else { inbound };
                ledger.add_bytes(resource, cause, lines * self.packet(resource, cause, size));
            }
        }
        let (bridge_socket, home) = (near.socket, far.socket);
        let transaction = if write {
            Transaction::PeerWrite { bridge_socket, home }
        } else {
            Transaction::PeerRead { bridge_socket, home }
        };
        self.book(ledger, transaction, lines);
    }
}
