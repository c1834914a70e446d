//! The duration of a lone operation that is served through a port: work on a core, and the transfer of its
//! data.
//!
//! One call does these in turn: nothing is sent before the work for it is done, and nothing that comes is
//! worked on before it is there. Only the pieces of a large transfer overlap, because software hands data
//! to a card in pieces: while one is transferred, a core works on the next. With *n* pieces, work that is
//! the same for any size (*f*) and work for the bytes (*b*), a transfer that takes *w* ends at
//!
//! ```text
//! max(f + b / n + w, f + b + w / n)
//! ```
//!
//! as in any pipeline of two stages: either the transfer never stops after the first piece, or the work never
//! does. With one piece that is the sum of all. A lone call also waits for the card: its DMA crosses the
//! bridge, and links between sockets if buffers are behind another one.
//!
//! An operation that waits for a device also waits for threads to wake up: those of the file system that
//! complete it, and its own.
//!
//! A stream is read ahead a window of bytes at a time, the next when the last one is asked for: two of them
//! are in flight while a thread waits. With work for a window *c* and a time of idle drives for it *l*, two
//! windows take *c + l*, or twice the work if that is longer.
//!
//! What other threads do for it beside its own, on other cores, takes it no time: a stream that is read ahead
//! finds its data in memory, and all but one of the servers of a cluster with copies or parts work while that
//! one does. It stays part of the work of the cores.

use bandgraph_topology::{ClientResource, PortResource, Resource, Role};
use bandgraph_units::Time;

use crate::demand::Class;

/// Bytes that software hands to a card at once (network-2008-2009: up to 64 KiB in Solaris; segments of Linux
/// have the same limit).
const PIECE: f64 = 65_536.0;

/// The parts of an operation that overlap with nothing. The default is an operation whose work and transfer
/// overlap entirely.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Serial {
    /// Share of its work before its first piece is transferred.
    pub first_work: f64,
    /// Share of its transfer after its last work: the last piece.
    pub last_piece: f64,
    /// Seconds that it waits for DMA of the card, and for threads that it is handed to.
    pub waits: f64,
    /// Share of its work that other threads do beside its own.
    pub beside: f64,
    /// Seconds of idle drives for its bytes if they are read ahead, one window of a stream after another.
    pub read_ahead: f64,
}

impl Serial {
    /// For an operation with this payload, of whose work this share is for bytes, and with this wait for the
    /// card.
    pub(crate) fn new(payload: f64, for_bytes: f64, card: Time) -> Self {
        let pieces = (payload / PIECE).ceil().max(1.0);
        Self {
            first_work: 1.0 - for_bytes * (1.0 - 1.0 / pieces),
            last_piece: 1.0 / pieces,
            waits: card.get(),
            ..Self::default()
        }
    }

    /// Seconds of its own thread, of these seconds of work.
    pub fn own_work(&self, work: f64) -> f64 {
        (1.0 - self.beside) * work
    }

    /// Seconds of a lone operation with these seconds of work and of transfer.
    pub fn seconds(&self, work: f64, transfer: f64) -> f64 {
        let work = self.own_work(work);
        let both = (self.first_work * work + transfer).max(work + self.last_piece * transfer);
        both.max(f64::midpoint(both, self.read_ahead)) + self.waits
    }
}

/// Whether the data of an operation between a client and a port cross a resource after its work, or before.
/// What devices move overlaps with their waits, so that of an operation `with_devices` no slot counts.
fn is_wire(role: Role, with_devices: bool) -> bool {
    match role {
        Role::Port { resource, .. } => !matches!(resource, PortResource::Core(_)),
        Role::Client { resource, .. } => matches!(resource, ClientResource::Wire(_) | ClientResource::Both),
        Role::Network { .. } => true,
        Role::Slot { .. } => !with_devices,
        _ => false,
    }
}

/// Seconds of the transfer of the data of a lone operation between its client and its port, with these
/// capacities.
pub(crate) fn wire_seconds(class: &Class, resources: &[Resource], capacity: impl Fn(usize) -> f64) -> f64 {
    let with_devices = class.device_wait > 0.0 || !class.devices.is_empty();
    let crossed = class.moving_demand();
    let wires = crossed.filter(|&(resource, _)| is_wire(resources[resource].role, with_devices));
    let seconds = wires.map(|(resource, units)| units / capacity(resource));
    seconds.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_is_the_sum_of_its_steps() {
        let small = Serial::new(4096.0, 0.3, Time::ZERO);
        assert!((small.seconds(10e-6, 4e-6) - 14e-6).abs() < 1e-18);
        assert_eq!(Serial::new(0.0, 0.0, Time::ZERO).seconds(10e-6, 0.0), 10e-6);
    }

    /// By hand, of 1 MiB in 16 pieces. 16 us of work for bytes and a transfer of 160 us: the first piece
    /// waits for 1 us. 160 us of work and a transfer of 16 us: the last piece takes 1 us.
    #[test]
    fn pieces_of_a_large_transfer_overlap() {
        let large = Serial::new(1_048_576.0, 1.0, Time::ZERO);
        assert!((large.seconds(16e-6, 160e-6) - 161e-6).abs() < 1e-12);
        assert!((large.seconds(160e-6, 16e-6) - 161e-6).abs() < 1e-12);
        // No transfer can begin before work that is not for bytes.
        let fixed = Serial::new(1_048_576.0, 0.0, Time::ZERO);
        assert!((fixed.seconds(16e-6, 160e-6) - 176e-6).abs() < 1e-12);
    }

    /// A pipeline of two stages, step by step: each piece is worked on when the piece before it is done, and
    /// transferred when it is ready and the one before it has gone.
    #[test]
    fn the_closed_form_is_that_of_a_pipeline() {
        for pieces in [1_u32, 2, 7, 16] {
            for (fixed, bytes, transfer) in [(5.0, 20.0, 30.0), (0.0, 30.0, 20.0), (9.0, 0.0, 4.0)] {
                let n = f64::from(pieces);
                let (mut ready, mut gone) = (fixed, 0.0_f64);
                for _ in 0..pieces {
                    ready += bytes / n;
                    gone = gone.max(ready) + transfer / n;
                }
                let serial = Serial::new(n * PIECE, bytes / (fixed + bytes), Time::ZERO);
                let seconds = serial.seconds(fixed + bytes, transfer);
                assert!(
                    (seconds - gone).abs() < 1e-9,
                    "{pieces} {fixed} {bytes} {transfer}"
                );
            }
        }
    }

    #[test]
    fn local_operations_overlap() {
        assert_eq!(Serial::default().seconds(3.0, 5.0), 5.0);
        assert_eq!(Serial::default().seconds(5.0, 3.0), 5.0);
    }

    /// By hand: of 5 us of work 3 are done beside it, so that a transfer of 4 us takes longer than its own 2.
    #[test]
    fn work_beside_an_operation_takes_it_no_time() {
        let ahead = Serial {
            beside: 0.6,
            ..Serial::default()
        };
        assert!((ahead.own_work(5.0) - 2.0).abs() < 1e-12);
        assert!((ahead.seconds(5.0, 4.0) - 4.0).abs() < 1e-12);
        assert!((ahead.seconds(5.0, 1.0) - 2.0).abs() < 1e-12);
    }

    /// Window after window: a thread asks for the next when it comes to one, waits until that is there, and
    /// then works on it.
    #[test]
    fn two_windows_are_in_flight() {
        for (work, drives) in [(2.0, 10.0), (5.0, 7.0), (8.0, 3.0)] {
            let (mut now, mut there) = (0.0_f64, drives);
            for _ in 0..1000 {
                let next = now + drives;
                now = now.max(there) + work;
                there = next;
            }
            let serial = Serial {
                read_ahead: drives,
                ..Serial::default()
            };
            let seconds = serial.seconds(work, 0.0);
            assert!((now / 1000.0 - seconds).abs() < 0.02, "{work} {drives}");
        }
    }
}
