//! What lines and packets cost on links, memory, bridges and slots, collected in a ledger.

use bandgraph_hardware::SocketLinkPart;
use bandgraph_hardware::hypertransport::{
    Cause, Message, PacketMix, Route, Sizes, Transaction, bridge_bytes, messages,
};
use bandgraph_topology::Topology;
use bandgraph_units::Bytes;

/// Units of every resource used, and what the bytes on socket links were for.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    /// Units by resource.
    pub(crate) units: Vec<f64>,
    /// Bytes by resource and cause, of links between sockets: their resources come first.
    pub(crate) causes: Vec<[f64; Cause::ALL.len()]>,
    /// Packets by resource, of the same, for the residual service time of links.
    pub(crate) packets: Vec<PacketMix>,
}

impl Ledger {
    /// An empty ledger for so many resources of this topology and what was added to it.
    pub(crate) fn new(topology: &Topology, resources: usize) -> Self {
        let links = link_resources(topology);
        Self {
            units: vec![0.0; resources],
            causes: vec![[0.0; Cause::ALL.len()]; links],
            packets: vec![PacketMix::default(); links],
        }
    }
}

impl Ledger {
    /// Adds what another ledger has.
    pub(crate) fn add_all(&mut self, other: &Self) {
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

    /// Books a message that crosses a link so many times, as a packet of so many bytes there.
    fn add(&mut self, resource: usize, message: &Message, packet: f64, times: f64) {
        let bytes = times * packet;
        self.units[resource] += bytes;
        self.causes[resource][message.cause as usize] += bytes;
        self.packets[resource].add(Bytes::new(packet), times);
    }
}

/// How many resources there are up to the last that is a link between sockets.
pub(crate) fn link_resources(topology: &Topology) -> usize {
    let resources = topology.links().iter().flat_map(|link| link.resources);
    resources.map(|resource| resource.index() + 1).max().unwrap_or(0)
}

/// Books transactions of lines in a ledger.
pub(crate) struct Coherence<'a> {
    topology: &'a Topology,
    sizes: Sizes,
    /// The links between sockets, by resource.
    links: Vec<Option<&'a SocketLinkPart>>,
    scratch: Vec<Message>,
}

impl<'a> Coherence<'a> {
    pub(crate) fn new(topology: &'a Topology) -> Self {
        // All sockets of a machine have lines of one size; the first one's stands for all.
        let line = topology.sockets()[0].part.line_size.get();
        let mut links = vec![None; topology.resources().len()];
        for link in topology.links() {
            for resource in link.resources {
                links[resource.index()] = Some(&link.part);
            }
        }
        Self {
            topology,
            links,
            sizes: Sizes {
                line,
                ..Sizes::default()
            },
            scratch: Vec::new(),
        }
    }

    /// Bytes of a line.
    pub(crate) fn line(&self) -> f64 {
        self.sizes.line
    }

    /// Bytes that a message takes on a link.
    fn packet(&self, resource: usize, message: &Message) -> f64 {
        self.links[resource].map_or(message.bytes, |link| link.packet_bytes(message.bytes))
    }

    /// Books `lines` transactions of one kind between sockets, and their line in the home's memory.
    pub(crate) fn book(&mut self, ledger: &mut Ledger, transaction: Transaction, lines: f64) {
        let home = match transaction {
            Transaction::LineRead { home, .. }
            | Transaction::WriteBack { home, .. }
            | Transaction::DmaRead { home, .. }
            | Transaction::DmaWrite { home, .. } => home,
        };
        let sockets = self.topology.sockets();
        ledger.units[sockets[home].memory_resource.index()] += lines * self.sizes.line;
        self.scratch.clear();
        let filter = sockets[home].part.probe_filter;
        messages(transaction, sockets.len(), filter, &self.sizes, &mut self.scratch);
        for message in &self.scratch {
            match message.route {
                Route::Unicast { from, to } => {
                    for &(resource, share) in self.topology.route(from, to) {
                        let resource = resource.index();
                        ledger.add(resource, message, self.packet(resource, message), lines * share);
                    }
                }
                // Probes are not spread over parallel links: they take the first. The counters of the 7410 show it:
                // of the two links between cpu2 and cpu3, the first carries more, by what the probes come to.
                Route::Broadcast { from } => {
                    for &[near, far] in self.topology.broadcast_hops(from) {
                        if let Some(&(resource, _)) = self.topology.hop_links(near, far).first() {
                            let resource = resource.index();
                            ledger.add(resource, message, self.packet(resource, message), lines);
                        }
                    }
                }
            }
        }
    }

    /// Books `lines` of DMA by a card behind a bridge, with homes in the given shares: the bridge's own link, and the
    /// transactions of its socket.
    pub(crate) fn book_dma(
        &mut self,
        ledger: &mut Ledger,
        bridge: usize,
        write: bool,
        lines: f64,
        homes: &[f64],
    ) {
        let bridge = &self.topology.bridges()[bridge];
        let traffic = bridge_bytes(write, &self.sizes);
        ledger.units[bridge.outbound.index()] += lines * traffic.toward_card;
        ledger.units[bridge.inbound.index()] += lines * traffic.toward_host;
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
