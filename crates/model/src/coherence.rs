//! Costs of cache lines and packets on links, memory, bridges and slots, collected in a ledger.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use bandgraph_hardware::hypertransport::{
    Cause, Channel, Message, PacketMix, ReleaseWords, Route, Sizes, Transaction, bridge_line, messages,
};
use bandgraph_hardware::{Probing, memory};
use bandgraph_topology::{ResourceId, Topology, Uplink};
use bandgraph_units::Bytes;

use crate::Stack;
use crate::demand::{DeviceUse, LineUse, MemoryBytes};
use crate::line_balance;

/// Units of every resource used, and the bytes on socket links by cause.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    /// Units by resource.
    pub(crate) units: Vec<f64>,
    /// Bytes by resource and cause, on socket links and bridge links: their resources come first.
    pub(crate) causes: Vec<[f64; Cause::ALL.len()]>,
    /// Packets by resource on the same links, for their residual service time.
    pub(crate) packets: Vec<PacketMix>,
    /// Use of disks and SSDs.
    pub(crate) devices: Vec<DeviceUse>,
    /// Bytes read and written by the memory of each socket. Its units weight a write more than a read.
    pub(crate) memory: Vec<MemoryBytes>,
}

impl Ledger {
    /// An empty ledger for `resources` resources: those of this topology and those added to it.
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
    /// Adds the contents of another ledger.
    pub(crate) fn add_all(&mut self, other: Self) {
        self.devices.extend_from_slice(&other.devices);
        self.add_lines(1.0, &LineUse::of(other));
    }

    /// Adds the use of a number of lines missed by a socket.
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

    /// The units of all used resources, in ascending order of resource.
    pub(crate) fn demand(&self) -> Vec<(usize, f64)> {
        let mut demand = Vec::with_capacity(self.units.iter().filter(|units| **units > 0.0).count());
        let units = self.units.iter().copied().enumerate();
        demand.extend(units.filter(|&(_, units)| units > 0.0));
        demand
    }

    fn add_bytes(&mut self, resource: usize, cause: Cause, bytes: f64) {
        self.units[resource] += bytes;
        self.causes[resource][cause as usize] += bytes;
    }
}

/// Number of resources up to the last socket link or bridge link.
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

/// The buffer returns of each socket link and each bridge link, by resource.
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
    /// Bytes on the link; for buffer returns, the number of buffers.
    pub(crate) size: f64,
    /// Crossings of this link per line.
    pub(crate) share: f64,
}

/// The traffic of one line's transaction on the links, for every kind of transaction between any two sockets,
/// computed on demand. It depends only on the topology.
#[derive(Debug)]
pub(crate) struct LineTable {
    sizes: Sizes,
    sockets: usize,
    /// The figures that it depends on, in addition to the routes.
    of: LineFigures,
    /// By bridge: the traffic of a line read and a line written on its link: resource, cause and size, as in
    /// a crossing.
    bridges: Vec<[Vec<(usize, Cause, f64)>; 2]>,
    crossings: Vec<OnceLock<Box<[Crossing]>>>,
    /// A transaction whose packets do not balance, if one was found.
    fault: OnceLock<String>,
}

/// The figures of a server that determine the traffic of a line on its links.
#[derive(Debug, PartialEq)]
struct LineFigures {
    line: Bytes,
    /// The probing of the home of a line, by socket.
    probes: Vec<Probing>,
    /// Packets of socket links, then of bridge links.
    packets: Vec<PacketFigures>,
}

/// The figures of a link that determine the bytes of a packet.
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

/// Number of kinds of transactions with memory.
const KINDS: usize = 6;

impl LineTable {
    /// Whether the table is valid for a server with the same routes.
    pub(crate) fn is_of(&self, topology: &Topology) -> bool {
        self.of == LineFigures::of(topology)
    }

    pub(crate) fn new(topology: &Topology) -> Self {
        // All sockets of a machine have the same line size; the first represents all. So does the technology
        // of the first link.
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

    /// The traffic of a line on links.
    pub(crate) fn of(&self, topology: &Topology, transaction: Transaction) -> Cow<'_, [Crossing]> {
        let computed = || {
            let crossings = crossings(topology, transaction, &self.sizes);
            if let Some(fault) = line_balance::fault(topology, transaction, &self.sizes, &crossings) {
                // The first fault is sufficient.
                let _ = self.fault.set(fault);
            }
            crossings
        };
        let kind = match transaction {
            Transaction::LineRead { .. } => 0,
            Transaction::WriteBack { .. } => 1,
            Transaction::DmaRead { .. } => 2,
            Transaction::DmaWrite { .. } => 3,
            Transaction::Store { .. } => 4,
            Transaction::SharedRead { .. } => 5,
            // Few, and different for each link.
            Transaction::PeerRead { .. } | Transaction::PeerWrite { .. } => return computed().into(),
        };
        let (from, home) = transaction.ends();
        let cell = &self.crossings[(kind * self.sockets + from) * self.sockets + home];
        cell.get_or_init(|| computed().into()).as_ref().into()
    }
}

/// The traffic of one DMA line on a bridge's link.
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

fn crossings(topology: &Topology, transaction: Transaction, sizes: &Sizes) -> Vec<Crossing> {
    let (sockets, (_, home)) = (topology.sockets(), transaction.ends());
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
    let in_order = match transaction {
        Transaction::PeerRead { link, .. } | Transaction::PeerWrite { link, .. } => Some(link),
        _ => None,
    };
    for message in &sent {
        match (message.route, in_order) {
            (Route::Unicast { from, to }, Some(link)) => {
                for hop in topology.path(from, to).windows(2) {
                    let links = topology.hop_links(hop[0], hop[1]);
                    if let Some(&(resource, _)) = links.get(link % links.len().max(1)) {
                        cross(message, resource, 1.0);
                    }
                }
            }
            (Route::Unicast { from, to }, None) => {
                let route = match message.channel {
                    Channel::Request | Channel::Probe => topology.route(from, to),
                    Channel::Response => topology.response_route(from, to),
                };
                for &(resource, share) in route {
                    cross(message, resource, share);
                }
            }
            // On HyperTransport, probes are not spread over parallel links: they take the first. The counters
            // of the 7410 confirm it: of the two links between cpu2 and cpu3, the first carries more, by the
            // traffic of the probes.
            (Route::Broadcast { from }, _) => {
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
    crossings
}

/// What the software says of the lines that cores miss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MissedShares {
    /// Share of them that another socket's cache answers.
    pub(crate) shared: f64,
    /// Lines written to memory for each of them: its own, and those of stores that bypass the caches.
    pub(crate) written: f64,
    /// Share of those read from another socket that a directory in memory writes; the socket's own if none.
    pub(crate) directory: Option<f64>,
}

impl MissedShares {
    /// Those of the software on the sockets of a topology.
    pub(crate) fn of(stack: &Stack, topology: &Topology) -> Self {
        Self {
            shared: stack.misses_on(topology.spec().sockets.len()).shared_share,
            written: stack.written_share + stack.streaming_stores,
            directory: Some(stack.directory_writes).filter(|&share| share > 0.0),
        }
    }
}

/// The traffic of lines missed by cores, on links and memories.
#[derive(Debug)]
pub(crate) struct MissedLines {
    /// Homes of the lines, by requester and home.
    pub(crate) homes: Vec<f64>,
    /// What happens to them.
    pub(crate) shares: MissedShares,
    /// The use of one line missed by each socket.
    pub(crate) by_requester: Vec<Arc<LineUse>>,
}

/// Books transactions of lines in a ledger.
pub(crate) struct Coherence<'a> {
    pub(crate) topology: &'a Topology,
    table: Arc<LineTable>,
    /// Bytes of a buffer return on a saturated link, by resource.
    release: Vec<f64>,
    /// The last result for missed lines.
    pub(crate) missed: RefCell<Option<Arc<MissedLines>>>,
}

impl<'a> Coherence<'a> {
    /// `missed` is what an earlier one for the same topology and table had last.
    pub(crate) fn new(
        topology: &'a Topology,
        table: Arc<LineTable>,
        missed: Option<Arc<MissedLines>>,
    ) -> Self {
        let mut release = vec![0.0; link_resources(topology)];
        for (resource, words) in release_words(topology) {
            release[resource] = words.full_bytes();
        }
        Self {
            topology,
            table,
            release,
            missed: RefCell::new(missed),
        }
    }

    /// Bytes of a packet of this size on a link.
    fn packet(&self, resource: usize, cause: Cause, size: f64) -> f64 {
        let released = self.release[resource] * size;
        if cause == Cause::Release { released } else { size }
    }

    /// A booked transaction whose packets do not balance, if there is one.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.table.fault.get().map(String::as_str)
    }

    /// Bytes per line.
    pub(crate) fn line(&self) -> f64 {
        self.table.sizes.line
    }

    /// Books `lines` transactions of one kind between sockets, and their lines in the home's memory.
    pub(crate) fn book(&self, ledger: &mut Ledger, transaction: Transaction, lines: f64) {
        self.book_noted(ledger, transaction, lines, None);
    }

    /// The same, where the software knows which share of reads from another socket the home's directory
    /// notes with a write, if it is in memory.
    pub(crate) fn book_noted(
        &self,
        ledger: &mut Ledger,
        transaction: Transaction,
        lines: f64,
        directory: Option<f64>,
    ) {
        let (from, home) = transaction.ends();
        let socket = &self.topology.sockets()[home];
        let bytes = lines * self.line();
        let (reads, writes) = match transaction {
            // A home with a directory in memory writes the whole line to update it. The directory knows
            // sockets, not the nodes within them.
            Transaction::LineRead { .. } if self.topology.sockets()[from].of != socket.of => {
                let of_part = socket.part.directory_writes.get();
                let noted = directory.filter(|_| of_part > 0.0).unwrap_or(of_part);
                (bytes, bytes * noted)
            }
            Transaction::LineRead { .. } | Transaction::DmaRead { .. } => (bytes, 0.0),
            Transaction::SharedRead { .. } | Transaction::PeerRead { .. } | Transaction::PeerWrite { .. } => {
                (0.0, 0.0)
            }
            Transaction::Store { .. } | Transaction::WriteBack { .. } | Transaction::DmaWrite { .. } => {
                (0.0, bytes)
            }
        };
        // In to the cores, or out of them.
        let direction = match transaction {
            Transaction::LineRead { .. } | Transaction::SharedRead { .. } => Some(0),
            Transaction::Store { .. } | Transaction::WriteBack { .. } => Some(1),
            Transaction::DmaRead { .. }
            | Transaction::DmaWrite { .. }
            | Transaction::PeerRead { .. }
            | Transaction::PeerWrite { .. } => None,
        };
        if let Some(direction) = direction {
            let requester = &self.topology.sockets()[from];
            let dies = requester.die_resources.map(|both| both[direction]);
            for resource in [dies, requester.bus_resource].into_iter().flatten() {
                ledger.units[resource.index()] += bytes;
            }
        }
        // Transactions between cards do not occupy a home.
        let entries = match transaction {
            Transaction::PeerRead { .. } | Transaction::PeerWrite { .. } => None,
            _ => self.topology.remote(from, home),
        };
        if let Some([cores, cards]) = entries {
            let by_card = matches!(
                transaction,
                Transaction::DmaRead { .. } | Transaction::DmaWrite { .. }
            );
            ledger.units[if by_card { cards } else { cores }.index()] += bytes;
        }
        let weight = memory::write_weight(&socket.memory.part, &socket.part);
        ledger.units[socket.memory_resource.index()] += reads + writes * weight;
        ledger.memory[home].reads += reads;
        ledger.memory[home].writes += writes;
        // Of one length, so that each crossing has one check of bounds.
        let links = self.release.len();
        let units = &mut ledger.units[..links];
        let (causes, packets) = (&mut ledger.causes[..links], &mut ledger.packets[..links]);
        for crossing in &*self.table.of(self.topology, transaction) {
            let Crossing { resource, cause, .. } = *crossing;
            let packet = self.packet(resource, cause, crossing.size);
            let times = lines * crossing.share;
            units[resource] += times * packet;
            causes[resource][cause as usize] += times * packet;
            // Buffer returns wait for gaps, and nothing waits for them.
            if cause != Cause::Release {
                packets[resource].add(Bytes::new(packet), times);
            }
        }
    }

    /// Books `lines` of DMA by a card behind a bridge, with homes in the given shares: the bridge's link, and
    /// the transactions of its socket.
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

    /// Books `lines` of a card behind one bridge that reads or writes a card behind another: the links of
    /// both bridges, and the links between their sockets. Nothing if both are behind the same bridge. Of
    /// parallel links one carries all: writes between two cards stay in order. Which one is not known: the
    /// bridges of a socket take turns, so that their cards use all links.
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
            // Upstream traffic of one link is downstream on the other.
            let [inbound, outbound] = [uplink.inbound.index(), uplink.outbound.index()];
            for &(resource, cause, size) in &self.table.bridges[bridges[1]][usize::from(write)] {
                let resource = if resource == inbound { outbound } else { inbound };
                ledger.add_bytes(resource, cause, lines * self.packet(resource, cause, size));
            }
        }
        let (bridge_socket, home) = (near.socket, far.socket);
        let before = self.topology.bridges()[..bridges[0]].iter();
        let link = before.filter(|other| other.socket == bridge_socket).count();
        let transaction = if write {
            Transaction::PeerWrite {
                bridge_socket,
                home,
                link,
            }
        } else {
            Transaction::PeerRead {
                bridge_socket,
                home,
                link,
            }
        };
        self.book(ledger, transaction, lines);
    }
}
