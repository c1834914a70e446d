//! Software costs of packets, connections and interrupts, in addition to operations and bytes.
//!
//! Every received packet has a cost in instructions and misses, including acknowledgements: the smaller the
//! MTU, the higher the cost. Outgoing data are segmented by the card (large segment offload), so that their
//! cost is part of the cost of bytes; if the software makes every packet, as with IP over InfiniBand, these
//! cost as much.
//!
//! **Transmit rings**: processors fill them independently, but the more of them are in use, the more often
//! data, connection and ring are processed on a processor without their lines in its cache: threads that
//! serve rings are switched to and migrated, and the lines move after them. Published for one card
//! (network-2008-2009): with 2 rings 9.0 and 10.8 cycles per byte for 12 and 40 connections, with all rings
//! 11.1 and 15.7, more context switches, and `HyperTransport` above 60 %. The model therefore adds a number
//! of misses per send and ring in use beyond the first. Solaris sends up to 64 KiB at once.
//!
//! **Connections**: each keeps buffers in the caches. If the buffers of all connections exceed the last-level
//! caches, a part of outgoing data has been evicted: a copy misses its source and its destination. The part
//! is that of a loop over a set larger than a cache: one minus the cache size over the set size.
//!
//! **Interrupts**: an isolated operation has one, and a long one more during the arrival of its data. A port
//! with moderation raises fewer at higher rates: see [`Moderation`]. Their number follows from the rate of
//! the steady state, so that demands contain those of isolated operations, as [`InterruptWork`], and the
//! solver subtracts the savings.
//!
//! **Bound work**: the packets of a connection arrive on one core (`connections`), which handles their
//! interrupts and the protocol. The software determines the part of the other work done there: all of it if
//! the sending thread runs on the core of its connection.

use bandgraph_config::{AssumedRange, settings};
use bandgraph_workload::Exchange;

/// Bytes per send of the software (network-2008-2009: up to 64 KiB in Solaris; `NXGE_LSO_MAXLEN`).
const SEND_SIZE: f64 = 65_536.0;

settings! {
    /// What packets cost in software.
    pub struct PacketCosts as "packets" {
        /// Instructions for every packet received.
        instructions_per_packet: f64 = 0, at_most(1e9),
            measured("`perf stat -e instructions` over the packets of `sar -n DEV`"),
            because("part of the cost of bytes"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: versions differ by what the card takes over"));
        /// Cache lines missed for every packet received.
        misses_per_packet: f64 = 0, at_most(1e6), because("part of the cost of bytes"),
            assumed(AssumedRange::USUAL);
        /// Whether cards that can merge received packets of a connection (`merged_bytes`) do so, so that
        /// software has fewer of them. Drivers of Linux leave it off by default.
        hardware_merging: bool = false, because("drivers leave it off");
        /// The cost of a packet that is sent, as a share of one that is received; 0 where the card or its
        /// driver cuts large segments into packets.
        sent_packet_work: f64 = 0, at_most(16), because("the card or its driver cuts segments into packets"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: to send a packet costs about as much as to receive it"));
        /// Copies of every byte received that are made where its packet is received.
        receive_copies: f64 = 0, at_most(16),
            measured("the share of copies in `perf record` while clients write"),
            because("none where packets are received"), assumed(AssumedRange::USUAL);
        /// Cache lines missed whenever up to 64 KiB are handed down to be sent, for every transmit ring
        /// in use beyond the first.
        misses_per_send_and_ring: f64 = 0, at_most(1e6), because("no count is known");
        /// Bytes that every connection keeps warm in the last-level caches; 0 where it does not matter.
        connection_bytes: f64 = 0, at_most(1e12), because("no count is known");
        /// Instructions for every interrupt of a port: entry, poll of its ring, wake-up and return. 0 where
        /// none comes, or where they are part of other costs.
        instructions_per_interrupt: f64 = 0, at_most(1e9), because("part of its other costs"),
            assumed(AssumedRange::USUAL);
        /// Bytes of a `tcp-stream` that a connection has on their way at most, as its buffers limit them; 0
        /// where a thread waits for each operation.
        stream_window: f64 = 0, at_most(1e12),
            measured("the bytes in flight of a connection: `ss -ti`, or `netstat -an` and its send queue"),
            because("a thread waits for each operation");
        /// Cores that do the bound work of one port: every connection is bound to one of them. A server with
        /// fewer cores uses all of them. 0 where all cores do everything.
        cores_per_port: f64 = 0, at_most(4096), whole, exact, because("all cores serve all ports");
        /// Share of the work of operations and bytes that is done on the core of the connection, in addition
        /// to received packets and interrupts; matters only with cores_per_port.
        bound_work: f64 = 0, at_most(1),
            measured("`perf stat -e instructions` with threads bound and not"), because("all cores do it"),
            assumed(AssumedRange(0.7, 1.0, "70 to 100 %: some of a bound thread's work is elsewhere"));
    }
}

/// Work on cores, independent of the socket and the miss latency.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    pub(crate) instructions: f64,
    /// Lines missed by pointer chasing.
    pub(crate) misses: f64,
    /// Lines missed by streaming through bytes.
    pub(crate) streamed_misses: f64,
}

/// The packet costs of an operation: received packets on the core of their connection, sent ones anywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PacketWork {
    pub(crate) anywhere: Work,
    pub(crate) bound: Work,
    /// Interrupts that announce it if it is isolated, which are part of the bound work.
    pub(crate) interrupts: f64,
}

/// Properties of a port and its users.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PortUse {
    /// Number of transmit rings.
    pub(crate) rings: u64,
    /// Number of connections.
    pub(crate) connections: f64,
    /// Bytes of received packets of a connection that the card can merge into one; zero for none.
    pub(crate) merged_bytes: f64,
    /// Whether it does so by default.
    pub(crate) merges_by_default: bool,
    /// Minimum time between two interrupts, seconds.
    pub(crate) interrupt_interval: f64,
    /// Number of frames that raises an interrupt; zero for none.
    pub(crate) interrupt_frames: f64,
    /// Number of interrupt vectors, each with its own interval.
    pub(crate) interrupt_vectors: f64,
    /// Seconds of the frames of an operation on the wire, in the slower direction.
    pub(crate) wire_seconds: f64,
}

/// Properties of the whole machine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MachineUse {
    /// Connections of all ports.
    pub(crate) connections: f64,
    /// Bytes of all last-level caches; zero if unknown.
    pub(crate) caches: f64,
    /// Bytes per line.
    pub(crate) line: f64,
    /// Instructions per byte copied.
    pub(crate) copy_instructions: f64,
    /// Lines missed per line copied.
    pub(crate) copy_misses: f64,
}

impl PacketWork {
    /// Adds `count` times that of another operation.
    pub(crate) fn add(&mut self, other: &Self, count: f64) {
        for (sum, work) in [
            (&mut self.anywhere, &other.anywhere),
            (&mut self.bound, &other.bound),
        ] {
            sum.instructions += work.instructions * count;
            sum.misses += work.misses * count;
            sum.streamed_misses += work.streamed_misses * count;
        }
        self.interrupts += other.interrupts * count;
    }
}

impl PacketCosts {
    /// The packet costs of one operation.
    pub(crate) fn of_operation(
        &self,
        exchange: &Exchange,
        port: &PortUse,
        machine: &MachineUse,
    ) -> PacketWork {
        let received = self.received(exchange, port);
        let sent = self.sent_packet_work * exchange.to_client.frames;
        let rings = (port.rings as f64).min(port.connections).max(1.0);
        let sends = (exchange.payload_read / SEND_SIZE).ceil();
        // Local processes receive no packets.
        let copied = if received > 0.0 {
            self.receive_copies * exchange.payload_written
        } else {
            0.0
        };
        let interrupts = interrupts(exchange.to_server.frames, port);
        PacketWork {
            interrupts,
            anywhere: Work {
                instructions: self.instructions_per_packet * sent,
                misses: self.misses_per_packet * sent + self.misses_per_send_and_ring * (rings - 1.0) * sends,
                // Outgoing data have been evicted: both the source and its copy.
                streamed_misses: self.cold_share(machine) * exchange.payload_read * 2.0 / machine.line,
            },
            bound: Work {
                instructions: self.instructions_per_packet * received
                    + self.instructions_per_interrupt * interrupts
                    + machine.copy_instructions * copied,
                misses: self.misses_per_packet * received,
                streamed_misses: copied * machine.copy_misses / machine.line,
            },
        }
    }

    /// Packets that software receives for an operation: those that carry its data may be merged by the card,
    /// in a stream with those of other operations.
    fn received(&self, exchange: &Exchange, port: &PortUse) -> f64 {
        let frames = exchange.to_server.frames;
        let merges = self.hardware_merging || port.merges_by_default;
        if !merges || port.merged_bytes <= 0.0 || exchange.payload_written <= 0.0 {
            return frames;
        }
        let merged = exchange.payload_written / port.merged_bytes;
        let least = if self.stream_window > 0.0 { 0.0 } else { 1.0 };
        frames.min(merged.max(least))
    }

    /// Share of the lines of connections that are not in the caches when needed.
    fn cold_share(&self, machine: &MachineUse) -> f64 {
        let warm = machine.connections * self.connection_bytes;
        if machine.caches > 0.0 && warm > machine.caches {
            1.0 - machine.caches / warm
        } else {
            0.0
        }
    }
}

/// Interrupts that announce the frames of one operation: one for the first, at once or at the end of the
/// interval; and for the others, which arrive over the wire time of the operation, one per interval or per
/// limit of frames. Their number is at most that of frames, and lower if frames of several operations
/// coincide: [`Moderation`].
pub(crate) fn interrupts(frames: f64, port: &PortUse) -> f64 {
    let by_time = if port.interrupt_interval > 0.0 {
        1.0 + port.wire_seconds / port.interrupt_interval
    } else {
        f64::INFINITY
    };
    frames.min(by_time.max(port.interrupts_by_count(frames)))
}

impl PortUse {
    /// Interrupts raised by the limit of frames, for any arrival times.
    pub(crate) fn interrupts_by_count(&self, frames: f64) -> f64 {
        if self.interrupt_frames > 0.0 {
            frames / self.interrupt_frames
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_units::Bytes;
    use bandgraph_workload::{NetworkSettings, OperationKind, ProtocolKind, exchange};

    use super::*;

    const MACHINE: MachineUse = MachineUse {
        connections: 40.0,
        caches: 8e6,
        line: 64.0,
        copy_instructions: 0.25,
        copy_misses: 2.0,
    };

    fn stream(kind: OperationKind, bytes: f64) -> Exchange {
        exchange(
            ProtocolKind::TcpStream,
            kind,
            Bytes::new(bytes),
            &NetworkSettings::default(),
        )
    }

    fn port(rings: u64, connections: f64) -> PortUse {
        PortUse {
            rings,
            connections,
            ..PortUse::default()
        }
    }

    /// By hand: 14,480 bytes are 10 segments at an MTU of 1500, and 5 acknowledgements.
    #[test]
    fn packets_are_charged_by_hand() {
        let costs = PacketCosts {
            instructions_per_packet: 1000.0,
            misses_per_packet: 2.0,
            sent_packet_work: 1.0,
            receive_copies: 1.0,
            ..PacketCosts::default()
        };
        let sent = costs.of_operation(&stream(OperationKind::Read, 14_480.0), &port(1, 40.0), &MACHINE);
        assert_eq!(
            (sent.anywhere.instructions, sent.anywhere.misses),
            (10_000.0, 20.0)
        );
        assert_eq!((sent.bound.instructions, sent.bound.misses), (5000.0, 10.0));
        let received = costs.of_operation(&stream(OperationKind::Write, 14_480.0), &port(1, 40.0), &MACHINE);
        // 14,480 bytes copied at a quarter of an instruction each, and two lines per 64 of them.
        assert_eq!(received.bound.instructions, 10_000.0 + 3620.0);
        assert_eq!(received.bound.streamed_misses, 452.5);
        assert_eq!(received.anywhere.instructions, 5000.0);
    }

    /// By hand: 128 KiB are sent in two parts.
    #[test]
    fn rings_in_use_cost_misses_whenever_data_are_handed_down() {
        let costs = PacketCosts {
            misses_per_send_and_ring: 3.0,
            ..PacketCosts::default()
        };
        let read = stream(OperationKind::Read, 131_072.0);
        let misses = |rings, connections| {
            costs
                .of_operation(&read, &port(rings, connections), &MACHINE)
                .anywhere
                .misses
        };
        assert_eq!(misses(1, 40.0), 0.0);
        assert_eq!(misses(24, 40.0), 3.0 * 23.0 * 2.0);
        // At most as many rings are in use as there are connections, and received data use none.
        assert_eq!(misses(24, 12.0), misses(12, 40.0));
        let write = stream(OperationKind::Write, 131_072.0);
        assert_eq!(
            costs
                .of_operation(&write, &port(24, 40.0), &MACHINE)
                .anywhere
                .misses,
            0.0
        );
    }

    /// By hand: 40 connections of 400,000 bytes are 16 MB, twice the caches; half of the lines miss.
    #[test]
    fn connections_that_the_caches_do_not_hold_miss_what_they_copy() {
        let costs = PacketCosts {
            connection_bytes: 400_000.0,
            ..PacketCosts::default()
        };
        let read = stream(OperationKind::Read, 64_000.0);
        let misses = |connections| {
            let machine = MachineUse {
                connections,
                ..MACHINE
            };
            costs
                .of_operation(&read, &port(1, connections), &machine)
                .anywhere
                .streamed_misses
        };
        assert_eq!(misses(40.0), 1000.0);
        assert_eq!(misses(20.0), 0.0);
        assert!(misses(1e6) < 2000.0);
    }

    /// By hand: 14,480 bytes in 10 segments are one packet of a call, and 14,480 / 65,536 of one in a stream,
    /// if the card merges up to 64 KiB; acknowledgements are not merged, and interrupts come as before.
    #[test]
    fn merged_packets_are_charged_once() {
        let with = |stream_window, hardware_merging| PacketCosts {
            instructions_per_packet: 1000.0,
            instructions_per_interrupt: 100.0,
            stream_window,
            hardware_merging,
            ..PacketCosts::default()
        };
        let port = PortUse {
            merged_bytes: 65_536.0,
            ..port(1, 40.0)
        };
        let of = |costs: PacketCosts, operation| {
            let work = costs.of_operation(&stream(operation, 14_480.0), &port, &MACHINE);
            (work.bound.instructions, work.interrupts)
        };
        assert_eq!(of(with(0.0, false), OperationKind::Write), (11_000.0, 10.0));
        assert_eq!(of(with(0.0, true), OperationKind::Write), (2000.0, 10.0));
        let (instructions, _) = of(with(4e6, true), OperationKind::Write);
        assert!((instructions - 1000.0 - 1000.0 * 14_480.0 / 65_536.0).abs() < 1e-9);
        assert_eq!(of(with(0.0, true), OperationKind::Read), (5500.0, 5.0));
        let by_default = PortUse {
            merges_by_default: true,
            ..port
        };
        let written = stream(OperationKind::Write, 14_480.0);
        let work = with(0.0, false).of_operation(&written, &by_default, &MACHINE);
        assert_eq!(work.bound.instructions, 2000.0);
    }

    /// By hand: 8 frames over 50 us. At 25 us: three interrupts. At 200 us: one and a quarter. Without an
    /// interval: one per frame.
    #[test]
    fn interrupts_are_as_many_as_intervals_in_which_frames_come() {
        let at = |interrupt_interval, interrupt_frames| {
            interrupts(
                8.0,
                &PortUse {
                    interrupt_interval,
                    interrupt_frames,
                    wire_seconds: 50e-6,
                    ..PortUse::default()
                },
            )
        };
        assert_eq!(at(25e-6, 0.0), 3.0);
        assert_eq!(at(200e-6, 0.0), 1.25);
        assert_eq!(at(0.0, 0.0), 8.0);
        assert_eq!(at(200e-6, 2.0), 4.0);
    }
}
