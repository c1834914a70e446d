//! Cards: the traffic of one operation through a port, its card, slot and bridge.
//!
//! A card fetches outgoing data from memory (DMA reads) and stores incoming data there (DMA writes), frame by
//! frame, with a descriptor for each. On the link of its slot this costs the packets counted by
//! `hardware::pcie`; behind a PCIe switch, the link above the switch carries the same packets again.
//!
//! In addition to bytes, a slot limits the outstanding reads of its card: the capacity of `slot.<id>.reads`,
//! in reads/s, is their maximum number over the round trip of a read. It is an ordinary resource, so that a
//! card with few tags and a long round trip is limited by it, and an explanation can name it.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use bandgraph_hardware::LinkLayer;
use bandgraph_hardware::hypertransport::lines;
use bandgraph_topology::{
    Direction, Port, PortResource, Resource, ResourceId, ResourceTable, Role, Topology, Unit,
};
use bandgraph_units::{Bytes, Time};
use bandgraph_workload::Exchange;

use crate::coherence::{Coherence, Ledger};
use crate::framing::Framing;
use crate::packets::{PacketCosts, PortUse};
use crate::placement::Placement;
use crate::seat::{Seat, seat};

/// The cards of a topology with their links.
pub(crate) struct Cards<'a> {
    topology: &'a Topology,
    table: Arc<CardTable>,
}

/// The slots of the cards of a topology, and their resources beyond those of the topology.
#[derive(Debug)]
pub(crate) struct CardTable {
    /// By card: none for a card on its bridge, two for one with links to two hosts.
    seats: Vec<Vec<Seat>>,
    /// By port: the resource of both directions together; `None` if they are independent.
    both: Vec<Option<usize>>,
    /// By port: the resources of all ports of its card together, to and from clients; `None` if the ports are
    /// independent.
    card: Vec<Option<[usize; 2]>>,
    /// By port: the resources of the cores that serve it; empty if all cores do.
    cores: Vec<Range<usize>>,
    /// Per pair of sockets (from × sockets + to): the time of a request and of its data over the links
    /// between them.
    way: Vec<Time>,
}

impl CardTable {
    /// Builds the links, and adds the resources of cards beyond those of the topology.
    pub(crate) fn new(topology: &Topology, resources: &mut ResourceTable) -> Self {
        let cards = topology.cards().iter();
        let seats = cards.map(|card| {
            let seats = card.seats().map(|seated| seat(topology, card, seated, resources));
            seats.collect::<Option<Vec<Seat>>>().unwrap_or_default()
        });
        let seats = seats.collect();
        let both = (0..topology.ports().len()).map(|port| both_directions(topology, port, resources));
        let both = both.collect();
        Self {
            seats,
            both,
            card: whole_cards(topology, resources),
            way: ways(topology),
            cores: vec![0..0; topology.ports().len()],
        }
    }

    /// Adds the cores that serve each port, if the software binds connections to them; no more than the
    /// server has. Their sockets are unknown: each has the mean clock.
    pub(crate) fn bind_cores(
        &mut self,
        topology: &Topology,
        costs: &PacketCosts,
        placement: &Placement,
        resources: &mut ResourceTable,
    ) {
        let sockets = topology.sockets();
        let all: u64 = sockets.iter().map(|socket| socket.part.cores).sum();
        let count = (costs.cores_per_port as u64).min(all);
        let clock = placement.mean_clock(topology);
        for (port, cores) in self.cores.iter_mut().enumerate() {
            let id = &topology.ports()[port].id;
            let first = resources.len();
            for core in 0..count as u32 {
                resources.add(Resource::new(
                    format!("port.{id}.core{core}"),
                    Role::Port {
                        port,
                        resource: PortResource::Core(core),
                    },
                    [id; 2],
                    clock,
                    Unit::CyclesPerSecond,
                    "a core that serves connections of the port",
                ));
            }
            *cores = first..resources.len();
        }
    }
}

/// The location of the data of transfers.
#[derive(Clone, Copy)]
pub(crate) struct Buffers<'a> {
    /// Shares of the sockets whose memory contains them.
    pub(crate) homes: &'a [f64],
    /// Whether the data of a drive are in the memory of its own node instead.
    pub(crate) at_drives: bool,
    /// The cards with the data in their own memory instead, in equal shares; empty for main memory.
    pub(crate) cards: &'a [usize],
}

impl<'a> Cards<'a> {
    /// The cards of a topology, with the table built for it.
    pub(crate) fn new(topology: &'a Topology, table: Arc<CardTable>) -> Self {
        Self { topology, table }
    }

    /// Books `count` transfers of `size` bytes between a card and the location of the data.
    #[expect(
        clippy::too_many_arguments,
        reason = "a transfer has that many sides, and each is told once"
    )]
    pub(crate) fn book_data(
        &self,
        ledger: &mut Ledger,
        coherence: &Coherence<'_>,
        card: usize,
        write: bool,
        size: f64,
        count: f64,
        buffers: Buffers<'_>,
    ) {
        if buffers.cards.is_empty() {
            let own = buffers.at_drives.then(|| self.topology.host_shares(card));
            let homes = own.as_deref().unwrap_or(buffers.homes);
            self.book_transfers(ledger, coherence, card, write, size, count, homes);
        }
        let size = size.ceil();
        for &peer in buffers.cards {
            let count = count / buffers.cards.len() as f64;
            let lines = count * lines(Bytes::new(size), Bytes::new(coherence.line()));
            // Only cards in slots have memory, and every transfer uses one link of each card.
            let [target, ..] = &self.table.seats[peer][..] else {
                continue;
            };
            let seats = &self.table.seats[card];
            if seats.is_empty() {
                let bridge = self.topology.cards()[card].bridge;
                coherence.book_peer(ledger, [bridge, target.bridge], write, lines);
                target.book_as_target(ledger, &target.below.link, false, write, size as u64, count);
            }
            let home = self.topology.bridges()[target.bridge].socket;
            let nearest = seats.iter().min_by_key(|seat| {
                let socket = self.topology.bridges()[seat.bridge].socket;
                self.topology.hops(socket, home)
            });
            if let Some(seat) = nearest {
                let way = self.ways(seat)[home];
                seat.book_peer(ledger, target, write, (size as u64, count), way);
                if !seat.is_beside(target) {
                    coherence.book_peer(ledger, [seat.bridge, target.bridge], write, lines);
                }
            }
        }
    }

    /// Books `count` transfers of `size` bytes between a card and memory: its slot, its bridge, and lines.
    /// `write` is toward memory. A card with two hosts moves each byte over the link that is nearer to the
    /// memory.
    #[expect(
        clippy::too_many_arguments,
        reason = "a transfer has that many sides, and each is told once"
    )]
    fn book_transfers(
        &self,
        ledger: &mut Ledger,
        coherence: &Coherence<'_>,
        card: usize,
        write: bool,
        size: f64,
        count: f64,
        homes: &[f64],
    ) {
        let lines = count * lines(Bytes::new(size), Bytes::new(coherence.line()));
        let seats = &self.table.seats[card];
        if let [] | [_] = seats[..] {
            coherence.book_dma(ledger, self.topology.cards()[card].bridge, write, lines, homes);
        }
        if let [seat] = &seats[..] {
            seat.book(ledger, write, size.ceil() as u64, count, self.way(seat, homes));
        }
        for (seat, mut homes) in seats.iter().zip(self.nearest(seats, homes)) {
            let share: f64 = homes.iter().sum();
            if share > 0.0 {
                for home in &mut homes {
                    *home /= share;
                }
                coherence.book_dma(ledger, seat.bridge, write, lines * share, &homes);
                let way = self.way(seat, &homes);
                seat.book(ledger, write, size.ceil() as u64, count * share, way);
            }
        }
    }

    /// The mean time of a request and of its data over the links between a seat and these homes.
    fn way(&self, seat: &Seat, homes: &[f64]) -> Time {
        let homes = homes.iter().zip(self.ways(seat));
        homes.map(|(&share, &way)| way * share).sum()
    }

    /// The same by socket.
    fn ways(&self, seat: &Seat) -> &[Time] {
        let sockets = self.topology.sockets().len();
        let from = self.topology.bridges()[seat.bridge].socket * sockets;
        &self.table.way[from..][..sockets]
    }

    /// The time that a lone call waits for the card of its port, with buffers in these homes: its message
    /// crosses to memory, a doorbell to the card, and the card reads a descriptor and the first data of the
    /// reply, one after the other. The doorbell of an RDMA adapter brings the descriptor.
    pub(crate) fn port_wait(&self, port: usize, homes: &[f64]) -> Time {
        let port = &self.topology.ports()[port];
        let seats = self.table.seats[port.card].iter();
        let round_trips = seats.map(|seat| {
            let link = &seat.below.link;
            link.round_trip - link.data_time() + self.way(seat, homes)
        });
        let round_trip = round_trips.fold(Time::new(f64::INFINITY), Time::min);
        let reads = match port.kind.link_layer {
            LinkLayer::Ethernet => 2.0,
            LinkLayer::Infiniband => 1.0,
        };
        if round_trip.get().is_finite() {
            // Two ways of half a round trip each, and the reads.
            round_trip * (1.0 + reads)
        } else {
            Time::ZERO
        }
    }

    /// Shares of homes by the nearer of two seats; equally near homes are divided evenly. Empty for a card
    /// with fewer than two seats.
    fn nearest(&self, seats: &[Seat], homes: &[f64]) -> Vec<Vec<f64>> {
        let [one, other] = seats else { return Vec::new() };
        let hops = |seat: &Seat, home| {
            self.topology
                .hops(self.topology.bridges()[seat.bridge].socket, home)
        };
        let first = (0..homes.len()).map(|home| match hops(one, home).cmp(&hops(other, home)) {
            Ordering::Less => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Greater => 0.0,
        });
        let first: Vec<f64> = first.zip(homes).map(|(share, home)| share * home).collect();
        let second = homes
            .iter()
            .zip(&first)
            .map(|(home, first)| home - first)
            .collect();
        vec![first, second]
    }

    /// Bytes of commands and status that a card moves per disk command; `None` if there are none.
    pub(crate) fn command_bytes(&self, card: usize) -> Option<f64> {
        let bytes = self.topology.cards()[card].part.command_bytes().get();
        (bytes > 0.0).then_some(bytes)
    }

    /// Books the traffic of one operation through a port, its card, slot and bridge. Descriptors, calls and
    /// replies are always in main memory.
    pub(crate) fn book_port(
        &self,
        ledger: &mut Ledger,
        coherence: &Coherence<'_>,
        port_index: usize,
        exchange: &Exchange,
        buffers: Buffers<'_>,
    ) {
        let port = &self.topology.ports()[port_index];
        let framing = Framing::of(self.topology, port_index);
        let to_client = framing.wire_bytes(&exchange.to_client);
        let to_server = framing.wire_bytes(&exchange.to_server);
        ledger.units[port.outbound.index()] += to_client;
        ledger.units[port.inbound.index()] += to_server;
        if let Some(both) = self.table.both[port_index] {
            ledger.units[both] += to_client + to_server;
        }
        if let Some([outbound, inbound]) = self.table.card[port_index] {
            ledger.units[outbound] += to_client;
            ledger.units[inbound] += to_server;
        }
        let descriptor = port.kind.descriptor_bytes.get();
        for (direction, write) in [(&exchange.to_client, false), (&exchange.to_server, true)] {
            for packets in direction.packets.iter().filter(|packets| packets.count > 0.0) {
                let placed = Buffers {
                    at_drives: false,
                    ..buffers
                };
                let memory = Buffers { cards: &[], ..placed };
                let place = if packets.is_placed { placed } else { memory };
                let transfers = [
                    (framing.stored_bytes(packets), packets.count, place),
                    (descriptor, packets.count * packets.requests_each, memory),
                ];
                for (size, count, buffers) in transfers
                    .into_iter()
                    .filter(|&(size, count, _)| size * count > 0.0)
                {
                    self.book_data(ledger, coherence, port.card, write, size, count, buffers);
                }
            }
        }
    }

    /// The resources of a port that no other port uses, without cores, in the same order for all ports of a
    /// card.
    pub(crate) fn wires(&self, port: usize) -> impl Iterator<Item = usize> + use<> {
        let Port {
            inbound, outbound, ..
        } = self.topology.ports()[port];
        let wires = [inbound.index(), outbound.index()];
        wires.into_iter().chain(self.table.both[port])
    }

    /// The resources of the cores that serve a port; empty if all cores do.
    pub(crate) fn port_cores(&self, port: usize) -> Range<usize> {
        self.table.cores[port].clone()
    }

    /// The properties of a port's card that affect its use.
    pub(crate) fn port_use(&self, port: usize) -> PortUse {
        let kind = &self.topology.ports()[port].kind;
        PortUse {
            rings: kind.transmit_rings,
            merged_bytes: kind.merged_bytes.get(),
            merges_by_default: kind.merges_by_default,
            interrupt_interval: kind.interrupt_interval.get(),
            interrupt_frames: kind.interrupt_frames as f64,
            interrupt_vectors: kind.interrupt_vectors as f64,
            ..PortUse::default()
        }
    }
}

/// Per pair of sockets: the time of a request and of its data over the links between them, without load.
fn ways(topology: &Topology) -> Vec<Time> {
    let sockets = topology.sockets().len();
    let mut hops = vec![Time::ZERO; topology.resources().len()];
    for link in topology.links() {
        for resource in link.resources {
            hops[resource.index()] = link.part.hop_latency;
        }
    }
    let time = |route: &[(ResourceId, f64)]| -> Time {
        let crossed = route.iter();
        crossed
            .map(|&(resource, share)| hops[resource.index()] * share)
            .sum()
    };
    let pairs = (0..sockets).flat_map(|from| (0..sockets).map(move |to| (from, to)));
    pairs
        .map(|(from, to)| time(topology.route(from, to)) + time(topology.response_route(to, from)))
        .collect()
}

/// Adds the resource shared by both directions of a port, if there is one.
fn both_directions(topology: &Topology, index: usize, resources: &mut ResourceTable) -> Option<usize> {
    let port = &topology.ports()[index];
    let together = port.kind.duplex_rate.get();
    if !(together > 0.0 && together < 2.0 * port.kind.rate.get()) {
        return None;
    }
    let mut both = topology[port.outbound].clone().described(|of| {
        of.id = format!("port.{}.both", port.id);
        of.role = Role::Port {
            port: index,
            resource: PortResource::Both,
        };
    });
    both.capacity = together;
    Some(resources.add(both))
}

/// Adds the resources shared by all ports of a card, for cards that carry less than the sum of their ports:
/// `port.<card>.out` and `.in`.
fn whole_cards(topology: &Topology, resources: &mut ResourceTable) -> Vec<Option<[usize; 2]>> {
    let mut by_port = vec![None; topology.ports().len()];
    for card in topology.cards() {
        let Some(port) = topology.ports().get(card.ports.start) else {
            continue;
        };
        let rate = port.kind.card_rate.get();
        if card.ports.is_empty() || !(rate > 0.0 && rate < card.ports.len() as f64 * port.kind.rate.get()) {
            continue;
        }
        let shared =
            [(Direction::Out, port.outbound), (Direction::In, port.inbound)].map(|(direction, wire)| {
                let mut shared = topology[wire].clone().described(|of| {
                    of.id = format!("port.{}.{}", card.id, direction.as_str());
                    of.role = Role::Port {
                        port: card.ports.start,
                        resource: PortResource::Card(direction),
                    };
                });
                shared.capacity = rate;
                resources.add(shared)
            });
        by_port[card.ports.clone()].fill(Some(shared));
    }
    by_port
}
