//! Work of one operation on the cores of every socket: in total, and the part bound to the core of its
//! connection.

use bandgraph_hardware::cpu;
use bandgraph_topology::{Socket, Topology};

use crate::Stack;
use crate::demand::SocketWork;
use crate::packets::{PacketWork, Work};
use crate::placement::Placement;
use crate::storage::Case;
use crate::work_parts::WorkParts;

/// By socket: the work of these instructions and streamed misses, if all of it ran there.
pub(crate) fn streamed(
    stack: &Stack,
    topology: &Topology,
    instructions: f64,
    misses: f64,
) -> Vec<SocketWork> {
    let sockets = topology.sockets().iter();
    sockets
        .map(|socket| SocketWork {
            instructions,
            serial_misses: stack.streamed_misses(misses, &socket.part),
        })
        .collect()
}

/// The payload of an operation that cores touch, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payload {
    pub(crate) bytes: f64,
    /// Bytes between servers of a cluster whose work is that of an equal number of bytes of payload.
    pub(crate) between: f64,
    /// Whether a client writes it.
    pub(crate) written: bool,
}

/// The calls of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Work relative to the stack's operation.
    pub(crate) relative: f64,
    /// Instructions of further steps of a compound call.
    pub(crate) dispatch: f64,
}

/// The work of one operation.
pub(crate) struct OperationWork<'a> {
    stack: &'a Stack,
    line: f64,
    payload: Payload,
    call: Call,
    /// Misses on a machine with this number of sockets, relative to the stack's reference.
    relative_misses: f64,
    /// Additional work for bytes from and to the disks.
    instructions: f64,
    streamed_misses: f64,
    /// The part of it that other threads do ahead.
    ahead: [f64; 2],
    /// Additional work after the reply.
    deferred: [f64; 2],
    packets: PacketWork,
}

impl<'a> OperationWork<'a> {
    /// The work of an operation with this payload and these calls, on a machine with this number of sockets
    /// and line size.
    pub(crate) fn new(
        stack: &'a Stack,
        sockets: usize,
        line: f64,
        payload: Payload,
        call: Call,
        case: &Case,
        packets: PacketWork,
    ) -> Self {
        Self {
            stack,
            line,
            payload,
            call,
            relative_misses: stack.misses_on(sockets).relative,
            instructions: case.instructions,
            streamed_misses: case.misses,
            ahead: case.ahead,
            deferred: [case.background.instructions, case.background.misses],
            packets,
        }
    }

    /// By socket: lines missed by an operation, if all of it ran there.
    pub(crate) fn misses(&self, topology: &Topology) -> Vec<f64> {
        let all = topology.sockets().iter().map(|socket| self.all(socket));
        all.map(|work| work.misses + work.streamed_misses).collect()
    }

    /// The work on every socket.
    pub(crate) fn on_sockets(&self, topology: &Topology, placement: &Placement) -> Vec<SocketWork> {
        self.spread(topology, placement, |socket| self.all(socket))
    }

    /// The part of it bound to the core of the connection, on the possible sockets.
    pub(crate) fn bound(&self, topology: &Topology, placement: &Placement) -> Vec<SocketWork> {
        self.spread(topology, placement, |socket| {
            let free = self.all_of(self.packets.anywhere, socket);
            add(
                self.missed(self.packets.bound),
                times(free, self.stack.packets.bound_work),
            )
        })
    }

    /// Share of the work that is for bytes and packets of the payload, on idle sockets: the rest is the same
    /// for any size.
    pub(crate) fn share_for_bytes(&self, topology: &Topology, placement: &Placement) -> f64 {
        self.share_of(topology, placement, |socket| {
            let packets = add(self.packets.anywhere, self.packets.bound);
            add(self.for_bytes(socket), packets)
        })
    }

    /// Share of the work that others do beside it, on idle sockets: threads that work ahead, and further
    /// servers of a cluster, with the work of this many operations and bytes.
    pub(crate) fn share_beside(
        &self,
        topology: &Topology,
        placement: &Placement,
        [operations, bytes]: [f64; 2],
    ) -> f64 {
        let [instructions, streamed_misses] = self.ahead;
        if instructions + streamed_misses + operations + bytes <= 0.0 {
            return 0.0;
        }
        self.share_of(topology, placement, |socket| {
            let ahead = Work {
                instructions,
                misses: 0.0,
                streamed_misses,
            };
            add(
                add(ahead, self.calls(operations, socket)),
                self.moved(bytes, socket),
            )
        })
    }

    /// What the work is for.
    pub(crate) fn parts(&self, topology: &Topology, placement: &Placement) -> WorkParts {
        let seconds = |part: &dyn Fn(&Socket) -> Work| {
            self.seconds(topology, placement, |socket| self.missed(part(socket)))
        };
        let streamed = |instructions, streamed_misses| Work {
            instructions,
            misses: 0.0,
            streamed_misses,
        };
        let [instructions, misses] = self.deferred;
        WorkParts {
            call: seconds(&|socket| self.for_calls(socket)),
            bytes: seconds(&|socket| self.for_bytes(socket)),
            packets: seconds(&|_| add(self.packets.anywhere, self.packets.bound)),
            drives: seconds(&|_| streamed(self.instructions, self.streamed_misses)),
            deferred: seconds(&|_| streamed(instructions, misses)),
            compute: 0.0,
        }
    }

    /// Share of a part in the work, on idle sockets.
    fn share_of(&self, topology: &Topology, placement: &Placement, part: impl Fn(&Socket) -> Work) -> f64 {
        let all = self.seconds(topology, placement, |socket| self.all(socket));
        if all > 0.0 {
            self.seconds(topology, placement, |socket| self.missed(part(socket))) / all
        } else {
            0.0
        }
    }

    /// Seconds of some work on idle sockets.
    fn seconds(&self, topology: &Topology, placement: &Placement, of: impl Fn(&Socket) -> Work) -> f64 {
        let sockets = topology.sockets().iter().zip(&placement.cores);
        let seconds = sockets.map(|(socket, share)| {
            let (part, work) = (&socket.part, self.serial(of(socket), socket));
            share * cpu::seconds(work, part)
        });
        seconds.sum()
    }

    /// With overlapping misses counted once.
    fn serial(&self, work: Work, socket: &Socket) -> SocketWork {
        let (stack, part) = (self.stack, &socket.part);
        SocketWork {
            instructions: work.instructions,
            serial_misses: cpu::serial_misses(work.misses, stack.overlap_per_operation, part)
                + stack.streamed_misses(work.streamed_misses, part),
        }
    }

    /// By socket: the free part of the work if all of it ran there, and its missed lines. It includes the
    /// work bound to a core of a port, because the socket of that core is unknown.
    pub(crate) fn free(&self, topology: &Topology, placement: &Placement) -> Vec<(SocketWork, f64)> {
        let on_socket = |socket: &Socket| {
            let work = times(self.all(socket), placement.free);
            (self.serial(work, socket), work.misses + work.streamed_misses)
        };
        topology.sockets().iter().map(on_socket).collect()
    }

    fn all(&self, socket: &Socket) -> Work {
        self.all_of(add(self.packets.anywhere, self.packets.bound), socket)
    }

    /// The work of the operation and its bytes plus that of its packets, with the misses of this number of
    /// sockets.
    fn all_of(&self, packets: Work, socket: &Socket) -> Work {
        self.missed(add(self.own(socket), packets))
    }

    fn missed(&self, work: Work) -> Work {
        Work {
            instructions: work.instructions,
            misses: work.misses * self.relative_misses,
            streamed_misses: work.streamed_misses * self.relative_misses,
        }
    }

    /// The work of the operation and its bytes, without that of packets.
    fn own(&self, socket: &Socket) -> Work {
        let for_drives = Work {
            instructions: self.instructions,
            misses: 0.0,
            streamed_misses: self.streamed_misses,
        };
        add(add(self.for_calls(socket), for_drives), self.for_bytes(socket))
    }

    /// The work for the calls, whatever their size.
    fn for_calls(&self, socket: &Socket) -> Work {
        let mut work = self.calls(self.call.relative, socket);
        work.instructions += self.call.dispatch;
        work
    }

    /// The work for this many operations of the stack.
    fn calls(&self, count: f64, socket: &Socket) -> Work {
        Work {
            instructions: self.stack.instructions_per_operation * count,
            misses: self.stack.misses_for_each_operation(socket.part.l3) * count,
            streamed_misses: 0.0,
        }
    }

    /// The work for bytes of payload, without that for devices.
    fn moved(&self, bytes: f64, socket: &Socket) -> Work {
        Work {
            instructions: self.stack.instructions_for_each_byte(&socket.part) * bytes,
            misses: 0.0,
            streamed_misses: self.stack.misses_for_each_byte(self.line) * bytes,
        }
    }

    /// The work for the bytes of its payload, without that for devices.
    fn for_bytes(&self, socket: &Socket) -> Work {
        let stack = self.stack;
        let of_written = if self.payload.written {
            stack.instructions_for_each_written_byte(&socket.part)
        } else {
            0.0
        };
        let mut work = self.moved(self.payload.bytes + self.payload.between, socket);
        work.instructions += of_written * self.payload.bytes;
        work
    }

    /// Work divided by the shares of the sockets.
    fn spread(
        &self,
        topology: &Topology,
        placement: &Placement,
        work: impl Fn(&Socket) -> Work,
    ) -> Vec<SocketWork> {
        let sockets = topology.sockets().iter().zip(&placement.cores);
        sockets
            .map(|(socket, share)| {
                let work = self.serial(work(socket), socket);
                SocketWork {
                    instructions: share * work.instructions,
                    serial_misses: share * work.serial_misses,
                }
            })
            .collect()
    }
}

fn add(a: Work, b: Work) -> Work {
    Work {
        instructions: a.instructions + b.instructions,
        misses: a.misses + b.misses,
        streamed_misses: a.streamed_misses + b.streamed_misses,
    }
}

fn times(work: Work, factor: f64) -> Work {
    Work {
        instructions: work.instructions * factor,
        misses: work.misses * factor,
        streamed_misses: work.streamed_misses * factor,
    }
}
