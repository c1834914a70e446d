//! Costs of work on a socket, in cycles.

use bandgraph_hardware::{SocketPart, cpu, memory};
use bandgraph_topology::Socket;
use bandgraph_units::Time;

use crate::demand::{MemoryBytes, SocketWork};

/// The cost model of a socket.
#[derive(Clone, Debug)]
pub struct SocketModel {
    /// The id of the socket.
    pub id: String,
    /// The resource of its cores.
    pub cpu: usize,
    /// The resource of its memory controller.
    pub memory: usize,
    /// Cycles/s of one core.
    pub clock: f64,
    /// The cost of a written byte for its memory controller, in read bytes.
    write_weight: f64,
    part: SocketPart,
}

impl SocketModel {
    /// The model of a socket of a topology.
    pub(super) fn new(socket: &Socket) -> Self {
        Self {
            id: socket.id.clone(),
            cpu: socket.cpu_resource.index(),
            memory: socket.memory_resource.index(),
            clock: socket.part.clock.get(),
            write_weight: memory::write_weight(&socket.memory.part, &socket.part),
            part: socket.part.clone(),
        }
    }

    /// Cycles of work with a miss latency of `latency` seconds.
    pub fn cycles(&self, work: &SocketWork, latency: f64) -> f64 {
        cpu::cycles(*work, Time::new(latency), &self.part).total()
    }

    /// Units of its memory controller for these bytes.
    pub(super) fn memory_units(&self, bytes: MemoryBytes) -> f64 {
        bytes.reads + bytes.writes * self.write_weight
    }

    /// Cycles of a core for a number of instructions, without misses.
    pub fn executing(&self, instructions: f64) -> f64 {
        let work = SocketWork {
            instructions,
            serial_misses: 0.0,
        };
        cpu::cycles(work, Time::ZERO, &self.part).executing
    }
}
