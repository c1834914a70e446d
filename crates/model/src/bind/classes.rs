//! The classes of operations at a port: demand vectors from network, software and storage.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use bandgraph_hardware::LinkLayer;
use bandgraph_hardware::hypertransport::PacketMix;
use bandgraph_workload::{Exchange, NetworkSettings, OperationKind, Workload, exchange};

use super::Binding;
use super::between::Between;
use crate::cards::Buffers;
use crate::coherence::{Ledger, MissedShares};
use crate::demand::{Class, Traffic};
use crate::framing::Framing;
use crate::interrupts::{InterruptWork, Moderation};
use crate::network::Moved;
use crate::packets::PortUse;
use crate::serial::Serial;
use crate::storage::{CacheShares, Case};
use crate::work::{Call, OperationWork, Payload};
use crate::{BindError, network};

/// The operations of a workload with their shares, each with a workload in which all operations have its
/// size.
fn sized(workload: &Workload) -> Vec<(OperationKind, f64, Cow<'_, Workload>)> {
    let mut sized = Vec::new();
    for &(operation, share) in workload.mix.shares() {
        let Some(sizes) = workload.sizes_of(operation) else {
            sized.push((operation, share.get(), Cow::Borrowed(workload)));
            continue;
        };
        for &(io_size, part) in sizes.shares() {
            let alone = Workload {
                io_size,
                ..workload.clone()
            };
            sized.push((operation, share.get() * part, Cow::Owned(alone)));
        }
    }
    sized
}

/// A class of operations at a port, without its client.
pub(super) struct Template {
    pub(super) share: f64,
    pub(super) moved: Moved,
    /// Seconds that it waits for other servers of the cluster, outside all resources.
    pub(super) delay: f64,
    pub(super) class: Class,
    /// Its packets on links, by resource.
    packets: Vec<PacketMix>,
    /// The moderation of the port, if its interrupts make it save any.
    moderation: Option<Moderation>,
}

impl Template {
    /// The same class at another port of the card: only the wires and the core of its interrupts differ.
    /// `wires` are pairs of resources, at this port and at the other one.
    fn at_other_port(&self, wires: &[[usize; 2]], port: usize) -> Self {
        let mut class = self.class.clone();
        // The work of classes with this one in common changes with the interrupts of their port.
        class.work = class.work.to_vec().into();
        for demand in [&mut class.demand, &mut class.waited.demand] {
            for (resource, _) in demand.iter_mut() {
                if let Some([_, other]) = wires.iter().find(|[own, _]| own == resource) {
                    *resource = *other;
                }
            }
            demand.sort_unstable_by_key(|&(resource, _)| resource);
        }
        class.interrupts = class.interrupts.map(|interrupts| {
            Arc::new(InterruptWork {
                port,
                ..InterruptWork::clone(&interrupts)
            })
        });
        Self {
            class,
            packets: self.packets.clone(),
            ..*self
        }
    }
}

impl Binding<'_> {
    /// The classes of a workload at a port and for its number of threads: those at another one in `known`, of
    /// the same card with as many connections, moved to its wires; or else [computed](Self::templates).
    pub(super) fn templates_at(
        &mut self,
        index: usize,
        workload: &Workload,
        (port, threads): (usize, f64),
        known: &BTreeMap<usize, Vec<Template>>,
    ) -> Result<Vec<Template>, BindError> {
        let ports = self.topology.ports();
        let like = known.iter().find(|&(other, _)| {
            ports[*other].card == ports[port].card
                && self.connections.get(other) == self.connections.get(&port)
        });
        // Other servers of a cluster use ports of their own choice.
        let Some((&like, templates)) = like.filter(|_| self.scenario.cluster.servers == 1) else {
            return self.templates(index, workload, Some(port), threads, None);
        };
        let wires = self.cards.wires(like).zip(self.cards.wires(port));
        let wires: Vec<[usize; 2]> = wires.map(|(own, other)| [own, other]).collect();
        let templates = templates.iter();
        let templates: Vec<Template> = templates
            .map(|template| template.at_other_port(&wires, port))
            .collect();
        for template in &templates {
            self.count(template, Some(port), threads);
        }
        Ok(templates)
    }

    /// Adds the packets of a class that `threads` issue, and notes the moderation of its port.
    fn count(&mut self, template: &Template, port: Option<usize>, threads: f64) {
        for (sum, packets) in self.packets.iter_mut().zip(&template.packets) {
            sum.add_all(packets, threads * template.share);
        }
        if let (Some(port), Some(moderation)) = (port, template.moderation) {
            self.moderation.insert(port, moderation);
        }
    }

    /// The classes of one workload at one port, without the client's side. `threads` is the number that
    /// shares its packets; `cache` is given for operations with a known cache result.
    pub(super) fn templates(
        &mut self,
        index: usize,
        workload: &Workload,
        port: Option<usize>,
        threads: f64,
        cache: Option<&CacheShares>,
    ) -> Result<Vec<Template>, BindError> {
        if let Some(port) = port {
            network::check_medium(self.topology, (workload, workload.protocol), port)?;
        }
        let mut templates = Vec::new();
        for (operation, share, workload) in sized(workload) {
            let workload = workload.as_ref();
            let settings = NetworkSettings {
                directory_entries: workload.metadata.directory_entries,
                roce: port
                    .is_some_and(|port| self.topology.ports()[port].kind.link_layer == LinkLayer::Ethernet),
                ..self.scenario.run.network
            };
            let exchange = exchange(workload.protocol, operation, workload.io_size, &settings);
            let entries = f64::from(workload.metadata.directory_entries);
            // Each request of an operation that is split into several costs as much as a whole operation.
            let calls = exchange.calls.max(1.0);
            let relative = calls * self.scenario.stack.procedures.work(operation, entries);
            let framing = port.map(|port| Framing::of(self.topology, port));
            let wire = |direction| {
                framing
                    .as_ref()
                    .map_or(0.0, |framing| framing.wire_bytes(direction))
            };
            let steps = workload.protocol.steps(operation);
            let dispatch = (steps - 1.0) * self.scenario.stack.instructions_per_compound_step;
            let asked = (workload.protocol, operation);
            let parts = self.scenario.cluster.parts(asked, workload.io_size);
            let between = self.between(workload, operation, (port, threads), &parts, &settings)?;
            let stored = if parts.bytes == workload.io_size {
                Cow::Borrowed(workload)
            } else {
                Cow::Owned(Workload {
                    io_size: parts.bytes,
                    ..workload.clone()
                })
            };
            let cases = |operation| match cache {
                None => self.storage.cases(index, &stored, operation),
                Some(cache) => self.storage.cases_with(index, &stored, operation, cache),
            };
            let mut done: Vec<Case> = cases(operation)?
                .into_iter()
                .map(|case| case.times(parts.count))
                .collect();
            if parts.read_first > 0.0 {
                let read = cases(OperationKind::Read)?;
                let reads = read.into_iter().map(|case| case.times(parts.read_first));
                done = reads
                    .flat_map(|read| done.iter().map(move |write| read.clone().then(write)))
                    .collect();
            }
            for case in done {
                let share = share * case.share;
                let (mut class, packets, moderation) = self.class(
                    index,
                    (operation, Call { relative, dispatch }),
                    port,
                    &exchange,
                    &between,
                    &case,
                );
                if let Some(processes) = self.processes {
                    class.bind_to_server_processes(processes);
                }
                let cores = self.clients.processes[index];
                if let Some((cores, cycles)) = cores.and_then(|cores| Some((cores, cores.library?))) {
                    class = class.extended(1, |demand| demand.push((cores.resource, cycles)));
                }
                let template = Template {
                    share,
                    moved: Moved {
                        payload: exchange.payload(),
                        written: exchange.payload_written,
                        to_client: wire(&exchange.to_client),
                        to_server: wire(&exchange.to_server),
                        frames_to_client: exchange.to_client.frames,
                        frames_to_server: exchange.to_server.frames,
                    },
                    delay: between.delay,
                    class,
                    packets,
                    moderation,
                };
                self.count(&template, port, threads);
                templates.push(template);
            }
        }
        Ok(templates)
    }

    /// The use of a port by an exchange and by all its connections.
    fn port_use(&self, port: usize, exchange: &Exchange) -> PortUse {
        let framing = Framing::of(self.topology, port);
        let wire = framing
            .wire_bytes(&exchange.to_client)
            .max(framing.wire_bytes(&exchange.to_server));
        let rate = self.topology[self.topology.ports()[port].outbound].capacity;
        PortUse {
            connections: f64::from(self.connections.get(&port).copied().unwrap_or(0)),
            wire_seconds: wire / rate,
            ..self.cards.port_use(port)
        }
    }

    /// Builds the class of one operation with its calls at a port, in one of its storage cases and with these
    /// exchanges between servers; also its packets on links, by resource, and the moderation of the port.
    fn class(
        &mut self,
        workload: usize,
        (operation, call): (OperationKind, Call),
        port: Option<usize>,
        exchange: &Exchange,
        between: &Between,
        case: &Case,
    ) -> (Class, Vec<PacketMix>, Option<Moderation>) {
        let mut ledger = Ledger::new(self.topology, self.clients.resources.len());
        let place = &self.places[workload];
        let (stack, homes) = (&*place.stack, place.homes);
        let placement = self.placement(workload, port);
        let port_use = port.map(|port| self.port_use(port, exchange)).unwrap_or_default();
        let mut packets = stack.packets.of_operation(exchange, &port_use, &self.machine);
        for at in &between.at_ports {
            let use_between = self.port_use(at.port, &at.exchange);
            let one = stack
                .packets
                .of_operation(&at.exchange, &use_between, &self.machine);
            packets.add(&one, at.count);
        }
        let frames = exchange.to_server.frames;
        let interrupts = port.and_then(|port| {
            InterruptWork::new(&stack.packets, &packets, (port, &port_use), frames, &placement)
        });
        let moderation = interrupts.as_ref().and_then(|work| {
            let sockets = self.topology.sockets().iter();
            let cores = sockets.map(|socket| socket.part.cores as f64);
            port_use.moderation(work.announced, cores.sum())
        });
        let line = self.coherence.line();
        let sockets = self.topology.spec().sockets.len();
        let gpus = &self.gpus[workload];
        // Cores only touch data in main memory.
        let touched = Payload {
            bytes: if gpus.is_empty() {
                between.own * exchange.payload()
            } else {
                0.0
            },
            between: between.bytes * stack.peer_byte_work,
            written: operation == OperationKind::Write,
        };
        let relative = between.own * call.relative + between.operations * stack.peer_operation_work;
        let call = Call { relative, ..call };
        let work = OperationWork::new(stack, sockets, line, touched, call, case, packets);
        let misses = work.misses(self.topology);
        let shares = MissedShares::of(stack, self.topology);
        self.coherence
            .book_misses(&mut ledger, &placement, &misses, shares);
        let buffers = Buffers {
            homes: &placement.buffers,
            at_drives: placement.at_drives,
            cards: gpus,
        };
        if let Some(port) = port {
            self.cards
                .book_port(&mut ledger, &self.coherence, port, exchange, buffers);
        }
        for at in &between.at_ports {
            let exchange = at.exchange.times(at.count);
            self.cards
                .book_port(&mut ledger, &self.coherence, at.port, &exchange, buffers);
        }
        self.storage
            .book(case, false, &mut ledger, &self.coherence, &self.cards, buffers);
        // GPUs copy data in main memory, or in each other's, themselves.
        let are_copied = port.is_none() && case.is_in_memory();
        for &gpu in gpus.iter().filter(|_| are_copied) {
            let (from_gpu, bytes) = (operation == OperationKind::Write, exchange.payload());
            let there = Buffers {
                homes: buffers.homes,
                at_drives: false,
                cards: &self.peers[workload],
            };
            let count = 1.0 / gpus.len() as f64;
            self.cards
                .book_data(&mut ledger, &self.coherence, gpu, from_gpu, bytes, count, there);
        }
        let all_work = work.on_sockets(self.topology, &placement);
        let bound_work = work.bound(self.topology, &placement);
        // A stream has no calls: the next bytes are worked on while the last ones are on the wire.
        let has_calls = self.scenario.workloads[workload].protocol.has_calls();
        let [operations, bytes] = between.at_once;
        let at_once = [
            operations * stack.peer_operation_work,
            bytes * stack.peer_byte_work,
        ];
        let beside = work.share_beside(self.topology, &placement, at_once);
        let serial = match port.filter(|_| has_calls) {
            Some(port) => Serial::new(
                exchange.payload(),
                work.share_for_bytes(self.topology, &placement),
                self.cards.port_wait(port, &placement.buffers),
            ),
            None => Serial::default(),
        };
        let handed = if case.waits.is_empty() {
            0.0
        } else {
            stack.storage.device_handovers * stack.storage.handover_seconds
        };
        let serial = Serial {
            beside,
            waits: serial.waits + handed,
            read_ahead: case.read_ahead,
            ..serial
        };
        let free = self.free_work(workload, &placement, &work.free(self.topology, &placement));
        let for_what = work.parts(self.topology, &placement);
        let (background, waited, all_work) =
            self.background(case, workload, &placement, &mut ledger, all_work);
        let framing = port.map(|port| Framing::of(self.topology, port));
        let counted = |direction| {
            framing
                .as_ref()
                .map_or(0.0, |framing| framing.counted_bytes(direction))
        };
        let class = Class {
            workload,
            operation,
            demand: ledger.demand(),
            traffic: Traffic::of(&ledger).into(),
            memory: ledger.memory.as_slice().into(),
            payload: exchange.payload(),
            network: counted(&exchange.to_client) + counted(&exchange.to_server) + between.counted,
            disk: case.disk_bytes(),
            device_wait: case.wait,
            device_waits: case.waits.clone().into(),
            devices: ledger.devices.into(),
            port_core: None,
            client_seconds: 0.0,
            serial,
            background,
            waited,
            parts: for_what,
            work: all_work.into(),
            free: Arc::new(free),
            bound_work: bound_work.into(),
            interrupts: interrupts.map(Arc::new),
            homes,
        };
        (class, ledger.packets, moderation)
    }
}
