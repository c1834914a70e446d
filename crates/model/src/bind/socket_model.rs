//! Costs of work on a socket, in cycles.

use bandgraph_hardware::cpu::{Core, Pace};
use bandgraph_hardware::{Clocks, memory};
use bandgraph_topology::Socket;

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
    /// Cycles/s of one core while all are busy.
    pub clock: f64,
    core: Core,
    clocks: Clocks,
    /// The cost of a written byte for its memory controller, in read bytes.
    write_weight: f64,
}

impl SocketModel {
    /// The model of a socket of a topology.
    pub(super) fn new(socket: &Socket) -> Self {
        let core = Core::of(&socket.part);
        Self {
            id: socket.id.clone(),
            cpu: socket.cpu_resource.index(),
            memory: socket.memory_resource.index(),
            clock: core.clock(),
            core,
            clocks: socket.part.clocks(),
            write_weight: memory::write_weight(&socket.memory.part, &socket.part),
        }
    }

    /// Cycles of work at this pace.
    pub fn cycles(&self, work: &SocketWork, pace: Pace) -> f64 {
        self.core.cycles(*work, pace).total()
    }

    /// The clock with this number of cycles/s in use, relative to [`clock`](Self::clock).
    pub fn speed(&self, cycles_per_second: f64) -> f64 {
        self.clocks.of(cycles_per_second / self.clock).get() / self.clock
    }

    /// Units of its memory controller for these bytes.
    pub(super) fn memory_units(&self, bytes: MemoryBytes) -> f64 {
        bytes.reads + bytes.writes * self.write_weight
    }

    /// Cycles of a core for a number of instructions, without misses, at a clock of this speed.
    pub fn executing(&self, instructions: f64, speed: f64) -> f64 {
        self.core.executing(instructions, speed)
    }
}
