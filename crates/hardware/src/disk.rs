//! Rotating disks: zones, seeks, and how a queue of commands shortens them.
//!
//! * **Zones.** Tracks are equally far apart and hold bytes in proportion to their length, so the rate falls linearly
//!   from the outermost track to the innermost. Tracks further in hold less, so that over the share `p` of the bytes,
//!   counted from the outside, `rate² = outer² − (outer² − inner²)·p`; the whole disk reads at the mean of the two rates.
//! * **Seeks** take a time that grows with the root of the distance while the arm accelerates (Ruemmler & Wilkes, *An
//!   Introduction to Disk Drive Modeling*, IEEE Computer 27(3), 1994). Two places drawn at random are on average
//!   √distance = 8/15 apart, which ties the curve to the average seek that data sheets give.
//! * **Queue.** With `q` commands to choose from, the disk sweeps through them: the next one is a `(q + 1)`th of the span
//!   away. The wait for the sector stays half a revolution; rotational ordering is not modelled.

use bandgraph_units::{Bandwidth, Bytes, Time};

use crate::parts::DiskPart;

/// Mean of the root of the distance between two places drawn at random from 0 to 1: ∫ 2(1 − d)·√d = 8/15.
const MEAN_ROOT: f64 = 8.0 / 15.0;

impl DiskPart {
    /// Half a revolution: the average wait for a sector after a seek.
    pub fn rotational_latency(&self) -> Time {
        Time::new(60.0 / self.rpm / 2.0)
    }

    /// Sequential rate at a place, given as the share of the disk's bytes that lie further out, 0 to 1.
    pub fn rate_at(&self, place: f64) -> Bandwidth {
        let (outer, inner) = (self.outer_rate.get(), self.inner_rate.get());
        let square = outer * outer - (outer * outer - inner * inner) * place.clamp(0.0, 1.0);
        Bandwidth::new(square.sqrt())
    }

    /// Sequential rate over the outermost `span` of the disk's bytes, 0 to 1: bytes over the time to read them all.
    pub fn average_rate(&self, span: f64) -> Bandwidth {
        // The rate is linear in the track, so its mean over tracks is the mean of the first and the last.
        (self.outer_rate + self.rate_at(span)) / 2.0
    }

    /// Time to move the arm over a distance, as a share of the whole stroke, 0 to 1. Zero for no distance.
    pub fn seek_time(&self, distance: f64) -> Time {
        if distance <= 0.0 {
            return Time::ZERO;
        }
        let slope = (self.seek - self.track_seek).max(Time::ZERO) / MEAN_ROOT;
        self.track_seek + slope * distance.min(1.0).sqrt()
    }

    /// Mean seek between places drawn at random from a `span` of the disk, with `queue` commands to choose the next
    /// from; at least 1, and no more than the disk takes.
    pub fn mean_seek(&self, span: f64, queue: f64) -> Time {
        let queue = queue.clamp(1.0, self.queue_depth as f64);
        let span = span.clamp(0.0, 1.0);
        if queue <= 1.0 {
            let slope = (self.seek - self.track_seek).max(Time::ZERO);
            return self.track_seek + slope * span.sqrt();
        }
        self.seek_time(span / (queue + 1.0))
            .min(self.mean_seek(span, 1.0))
    }

    /// Time of one command for `bytes` at a random place of a `span` of the disk: seek, half a revolution, transfer.
    pub fn random_access(&self, bytes: Bytes, span: f64, queue: f64) -> Time {
        self.mean_seek(span, queue)
            + self.rotational_latency()
            + Time::new(bytes.get() / self.average_rate(span).get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    fn disk() -> DiskPart {
        catalogue()
            .disk("sata-1tb-7200")
            .expect("in the catalogue")
            .clone()
    }

    fn assert_close(found: f64, expected: f64, relative: f64) {
        assert!(
            (found / expected - 1.0).abs() <= relative,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn zones_run_from_the_outer_rate_to_the_inner() {
        let disk = disk();
        assert_eq!(disk.rate_at(0.0), disk.outer_rate);
        assert_close(disk.rate_at(1.0).get(), 55e6, 1e-12);
        assert_close(disk.average_rate(1.0).get(), 80e6, 1e-12);
        assert_close(disk.average_rate(0.0).get(), 105e6, 1e-12);
    }

    /// The closed form against the sum over many thin slices of bytes.
    #[test]
    fn the_average_is_bytes_over_time() {
        let disk = disk();
        for span in [0.1, 0.5, 1.0] {
            let slices = 10_000;
            let time: f64 = (0..slices)
                .map(|slice| {
                    let place = span * (f64::from(slice) + 0.5) / f64::from(slices);
                    span / f64::from(slices) / disk.rate_at(place).get()
                })
                .sum();
            assert_close(disk.average_rate(span).get(), span / time, 1e-6);
        }
    }

    /// The average seek of the data sheet comes out of the curve, by quadrature over pairs of places.
    #[test]
    fn the_curve_has_the_average_seek() {
        let disk = disk();
        let steps = 2000;
        let mean: f64 = (0..steps)
            .map(|step| {
                let distance = (f64::from(step) + 0.5) / f64::from(steps);
                2.0 * (1.0 - distance) * disk.seek_time(distance).get() / f64::from(steps)
            })
            .sum();
        assert_close(mean, 8.5e-3, 1e-3);
        assert_close(disk.mean_seek(1.0, 1.0).get(), 8.5e-3, 1e-12);
    }

    /// By hand: 8.5 ms + 4.1667 ms + 8192 / 80e6 s = 12.769 ms, so 78 reads a second.
    #[test]
    fn a_random_read_takes_seek_rotation_and_transfer() {
        let time = disk().random_access(Bytes::new(8192.0), 1.0, 1.0).get();
        assert_close(time, 12.769e-3, 1e-3);
    }

    #[test]
    fn a_queue_and_a_short_span_shorten_seeks_and_never_lengthen_them() {
        let disk = disk();
        let mut last = f64::INFINITY;
        for queue in [1.0, 1.5, 2.0, 4.0, 8.0, 32.0] {
            let seek = disk.mean_seek(1.0, queue).get();
            assert!(seek <= last, "{queue}");
            last = seek;
        }
        assert_eq!(disk.mean_seek(1.0, 32.0), disk.mean_seek(1.0, 1000.0));
        assert!(disk.mean_seek(0.1, 1.0) < disk.mean_seek(1.0, 1.0));
        assert_eq!(disk.mean_seek(0.0, 1.0), disk.track_seek);
    }
}
