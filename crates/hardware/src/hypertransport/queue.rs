//! The wait of a packet for a link.
//!
//! A link is a single server with packets of several sizes: an M/G/1 queue. The Pollaczek–Khinchine formula
//! (Kleinrock, *Queueing Systems*, volume 1, chapter 5) gives the mean wait before service,
//!
//! ```text
//! W = ρ / (1 − ρ) · E[S²] / (2·E[S])
//! ```
//!
//! where ρ is the utilisation of the raw link, and the last factor is the mean residual service time of the
//! packet in transmission.

use bandgraph_units::{Bandwidth, Bytes, Time};

/// The moments of packet sizes on a link that determine the residual service time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PacketMix {
    /// Sum of rates × bytes.
    bytes: f64,
    /// Sum of rates × bytes².
    squares: f64,
}

impl PacketMix {
    /// Adds packets of one size. `rate` may be in any unit that is the same for all packets of the mix.
    pub fn add(&mut self, bytes: Bytes, rate: f64) {
        self.bytes += rate * bytes.get();
        self.squares += rate * bytes.get() * bytes.get();
    }

    /// Adds another mix, multiplied by `factor`.
    pub fn add_all(&mut self, other: &Self, factor: f64) {
        self.bytes += factor * other.bytes;
        self.squares += factor * other.squares;
    }

    /// Mean residual service time, E\[S²\] / (2·E\[S\]), on a link of this raw bandwidth. Zero for an empty
    /// mix or a link without bandwidth.
    pub fn residual(&self, raw: Bandwidth) -> Time {
        if self.bytes > 0.0 && raw.get() > 0.0 {
            Time::new(self.squares / self.bytes / 2.0 / raw.get())
        } else {
            Time::ZERO
        }
    }
}

/// Mean wait of a packet before a link whose raw bandwidth is utilised to `utilisation`.
///
/// The formula diverges as the utilisation approaches 1, which a link never reaches: the buffers at its far
/// end limit senders to `ceiling`, its practical share of the raw bandwidth. A higher utilisation is
/// therefore clamped to `ceiling`, which gives the maximum wait. Both are shares from 0 to 1; a ceiling is
/// clamped to 0.99.
pub fn queue_wait(utilisation: f64, ceiling: f64, residual: Time) -> Time {
    const HIGHEST: f64 = 0.99;
    let utilisation = utilisation.min(ceiling).clamp(0.0, HIGHEST);
    residual * (utilisation / (1.0 - utilisation))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: Time, expected: f64) {
        assert!(
            (found.get() - expected).abs() <= 1e-9 * expected.abs().max(1e-12),
            "{found:?} is not {expected}"
        );
    }

    /// M/D/1: W = ρ·s / (2·(1 − ρ)) for a constant service time s.
    #[test]
    fn packets_of_one_size_wait_as_in_m_d_1() {
        let raw = Bandwidth::new(4e9);
        let mut mix = PacketMix::default();
        mix.add(Bytes::new(68.0), 1e7);
        let service = 68.0 / 4e9;
        assert_close(mix.residual(raw), service / 2.0);
        for load in [0.0, 0.3, 0.5, 0.8] {
            assert_close(
                queue_wait(load, 0.87, mix.residual(raw)),
                load * service / (2.0 * (1.0 - load)),
            );
        }
    }

    /// M/M/1: an exponential service time has E[S²] = 2·E[S]², so W = ρ·s / (1 − ρ).
    #[test]
    fn a_residual_of_one_service_time_waits_as_in_m_m_1() {
        let service = Time::new(17e-9);
        assert_close(queue_wait(0.6, 0.87, service), 0.6 / 0.4 * 17e-9);
    }

    /// By hand: equal numbers of 8- and 72-byte packets. E[S²] / (2·E[S]) = (64 + 5184) / 2 / (2 · 40) = 32.8
    /// bytes.
    #[test]
    fn long_packets_weigh_more_than_their_number() {
        let mut mix = PacketMix::default();
        mix.add(Bytes::new(8.0), 5.0);
        mix.add(Bytes::new(72.0), 5.0);
        assert_close(mix.residual(Bandwidth::new(1.0)), 32.8);
        assert_eq!(PacketMix::default().residual(Bandwidth::new(1.0)), Time::ZERO);
        assert_eq!(mix.residual(Bandwidth::ZERO), Time::ZERO);
    }

    #[test]
    fn the_wait_is_bounded_at_the_ceiling() {
        let residual = Time::new(8.5e-9);
        let longest = queue_wait(0.87, 0.87, residual);
        assert_close(longest, 8.5e-9 * 0.87 / 0.13);
        for load in [0.9, 1.0, 2.0, f64::INFINITY] {
            assert_eq!(queue_wait(load, 0.87, residual), longest);
        }
        assert_eq!(queue_wait(-1.0, 0.87, residual), Time::ZERO);
        assert!(queue_wait(1.0, 1.0, residual).get().is_finite());
    }
}
