//! Exchanges between the servers of a cluster for an operation of a client.
//!
//! All servers have the same load, so that the server receives and sends what others ask of it, and as much
//! for what it asks of them.

use bandgraph_workload::{Exchange, Medium, NetworkSettings, OperationKind, Parts, Workload};

use super::Binding;
use crate::framing::Framing;
use crate::{BindError, delays, network};

/// What an operation of a client adds to a server for exchanges with others.
pub(super) struct Between {
    /// Share of the operations that are also done by the server itself as those of a client. A process of the
    /// server is a client on it: what it asks others for is their operation alone.
    pub(super) own: f64,
    pub(super) at_ports: Vec<AtPort>,
    /// Operations between servers, relative to one of the stack.
    pub(super) operations: f64,
    /// Payload that goes from server to server.
    pub(super) bytes: f64,
    /// The part of both that several servers do at once: all but one of equal exchanges.
    pub(super) at_once: [f64; 2],
    /// Bytes at the ports in both directions, as in port counters.
    pub(super) counted: f64,
    /// Seconds outside all resources.
    pub(super) delay: f64,
}

/// One side of exchanges at a port.
pub(super) struct AtPort {
    pub(super) port: usize,
    /// Times per operation of a client.
    pub(super) count: f64,
    pub(super) exchange: Exchange,
}

impl Binding<'_> {
    /// The exchanges with other servers for one operation at a port, which `threads` share.
    pub(super) fn between(
        &self,
        workload: &Workload,
        operation: OperationKind,
        (port, threads): (Option<usize>, f64),
        parts: &Parts,
        settings: &NetworkSettings,
    ) -> Result<Between, BindError> {
        let cluster = &self.scenario.cluster;
        let asked = (workload.protocol, operation);
        let exchanges = cluster.exchanges(asked, workload.io_size, parts, settings);
        let mut between = Between {
            own: port.map_or(1.0 - parts.forwarded, |_| 1.0),
            at_ports: Vec::new(),
            operations: 0.0,
            bytes: 0.0,
            at_once: [0.0; 2],
            counted: 0.0,
            delay: 0.0,
        };
        if exchanges.is_empty() {
            return Ok(between);
        }
        let protocol = cluster.protocol.unwrap_or(workload.protocol);
        if protocol.medium() == Medium::None {
            return Err(BindError::NoProtocolBetween {
                workload: workload.id.clone(),
            });
        }
        let ports = match port {
            _ if !self.ports_between.is_empty() => self.ports_between.clone(),
            Some(port) => vec![port],
            None => (0..self.topology.ports().len()).collect(),
        };
        if ports.is_empty() {
            return Err(BindError::NoPorts);
        }
        let share = 1.0 / ports.len() as f64;
        let entries = f64::from(workload.metadata.directory_entries);
        for (count, operation, exchange) in exchanges {
            let work = self.scenario.stack.procedures.work(operation, entries);
            let one = [work * exchange.calls.max(1.0), exchange.payload()];
            between.operations += count * one[0];
            between.bytes += count * one[1];
            for (sum, one) in between.at_once.iter_mut().zip(one) {
                *sum += (count - 1.0).max(0.0) * one;
            }
            for &port in &ports {
                network::check_medium(self.topology, (workload, protocol), port)?;
                let framing = Framing::of(self.topology, port);
                for exchange in [exchange, exchange.reversed()] {
                    let counted =
                        [&exchange.to_server, &exchange.to_client].map(|way| framing.counted_bytes(way));
                    between.counted += count * share * counted.iter().sum::<f64>();
                    between.at_ports.push(AtPort {
                        port,
                        count: count * share,
                        exchange,
                    });
                }
            }
        }
        let frames = |at: &AtPort| at.exchange.to_server.frames;
        let (first, most) = (&between.at_ports[0], between.at_ports.iter().map(frames));
        let most = most.fold(0.0, f64::max);
        between.delay =
            parts.hops() * delays::delay_between(self.scenario, (protocol, first.port), most, threads);
        Ok(between)
    }
}
