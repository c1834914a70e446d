//! Binding of workloads whose operations come over the network, from the NICs of its clients.

use std::collections::BTreeMap;

use bandgraph_hardware::cpu;
use bandgraph_topology::{Resource, Topology};
use bandgraph_workload::{ClientGroup, Workload};

use super::Binding;
use super::classes::Template;
use super::threads::{ThreadsByCore, supply, threads_of};
use crate::BindError;
use crate::delays::{self, Stream};
use crate::demand::{Class, OPEN_HORIZON, SocketWork, ThreadGroup};
use crate::network::{ClientNic, ClientWork, EqualNics};
use crate::serial::wire_seconds;

/// Assumed presence of an operation of an open loop at a port, seconds, where the number of threads matters
/// (batches of interrupts): about the time of a cached operation. An assumption.
pub(super) const PRESENCE: f64 = 1e-3;

impl Binding<'_> {
    /// Builds classes for every port that the workload uses, and threads for every NIC of its clients; equal
    /// NICs share one group of threads. `ports` is the port of each NIC, `dealt` assigns their threads to
    /// cores.
    pub(super) fn bind_remote(
        &mut self,
        index: usize,
        workload: &Workload,
        group: &ClientGroup,
        ports: &[usize],
        nics: &[(&EqualNics, &ClientNic)],
        dealt: &[ThreadsByCore],
    ) -> Result<(), BindError> {
        let threads = |at: usize| threads_of(workload, group, at);
        let per_client = group.nics.count as usize;
        let rate = workload
            .arrivals
            .rate()
            .map(|rate| rate.get() / ports.len() as f64);
        // Number of concurrent operations at a port.
        let present = |at: usize| rate.map_or(f64::from(threads(at)), |rate| rate * PRESENCE);
        let mut threads_at_port: BTreeMap<usize, f64> = BTreeMap::new();
        for (at, &port) in ports.iter().enumerate() {
            *threads_at_port.entry(port).or_default() += present(at);
        }
        // A process uses one core of its client, or a part of one if there are more processes than cores.
        let cores = f64::from(group.processors.cores);
        let processes = f64::from(workload.threads_of(0, group));
        let crowding = if cores > 0.0 {
            (processes / cores).max(1.0)
        } else {
            1.0
        };
        let computing = self.compute_seconds(workload)? * crowding;
        // Demands depend on the card and the port, not on the client: equal ones are computed once.
        let mut at_port: BTreeMap<usize, Vec<Template>> = BTreeMap::new();
        for (&port, &count) in threads_at_port.iter().filter(|&(_, &count)| count > 0.0) {
            let templates = self.templates_at(index, workload, (port, count), &at_port)?;
            at_port.insert(port, templates);
        }
        let window = self.places[index].stack.packets.stream_window;
        let window = (!workload.protocol.has_calls() && window > 0.0).then_some(window);
        // The limit of a client applies to all its threads, on any NIC.
        let slots = |at: usize, on_core: u32| {
            let client = at - at % per_client;
            let all: u32 = (client..client + per_client).map(threads).sum();
            workload.outstanding_per_client.map_or(f64::INFINITY, |slots| {
                f64::from(slots) * f64::from(on_core) / f64::from(all)
            })
        };
        for &(&EqualNics { first: at, count }, nic) in nics {
            let here = threads(at);
            if here == 0 {
                continue;
            }
            for &(core, threads) in &dealt[at] {
                let rate = rate.map(|rate| rate * f64::from(threads) / f64::from(here));
                let (mut visits, mut delay) = (Vec::new(), 0.0);
                for template in &at_port[&nic.port] {
                    let work = ClientWork::of(self.scenario, workload, group, &template.moved);
                    let mut class = template.class.extended(ClientNic::RESOURCES, |demand| {
                        nic.add_demand(&template.moved, &work, demand);
                    });
                    class.port_core = core.or(class.port_core);
                    let beside = at_client(self.topology, &self.clients.resources, &work, &mut class);
                    let outside = template.delay
                        + delays::delay(
                            self.scenario,
                            group,
                            (workload.protocol, nic.port),
                            &template.moved,
                            beside,
                            threads_at_port[&nic.port],
                            window.map(|window| Stream {
                                window,
                                work: idle_seconds(self.topology, &class.work),
                            }),
                        );
                    delay += template.share * outside;
                    visits.push((self.classes.len(), template.share));
                    self.classes.push(class);
                }
                self.threads.push(ThreadGroup {
                    workload: index,
                    client_nic: nic.inbound,
                    client: at / per_client,
                    port: Some(nic.port),
                    port_core: core,
                    kind: 0,
                    threads: if rate.is_some() { 0 } else { threads },
                    supply: supply(workload, rate),
                    population: rate.map_or(f64::from(threads), |rate| rate * OPEN_HORIZON),
                    slots: slots(at, threads),
                    members: f64::from(count),
                    delay,
                    think: rate.map_or(workload.think_time.get() + computing, |_| OPEN_HORIZON),
                    barrier: workload.barrier,
                    visits,
                });
            }
        }
        Ok(())
    }
}

/// Sets what a class waits for at its client; returns the seconds of that outside all resources.
pub(super) fn at_client(
    topology: &Topology,
    resources: &[Resource],
    work: &ClientWork,
    class: &mut Class,
) -> f64 {
    class.client_seconds = work.while_moving;
    work.beside(|least| {
        let wires = wire_seconds(class, resources, |resource| resources[resource].usable());
        let on_cores = idle_seconds(topology, class.waited_work());
        class.serial.seconds(on_cores, wires.max(least))
    })
}

/// Seconds of this work on idle sockets.
fn idle_seconds(topology: &Topology, work: &[SocketWork]) -> f64 {
    let sockets = topology.sockets().iter().zip(work);
    let seconds = sockets.map(|(socket, &work)| cpu::seconds(work, &socket.part));
    seconds.sum()
}
