//! Rotating disks: zones, seeks, and the effect of command queues.
//!
//! * **Zones.** Tracks are equally spaced and hold bytes in proportion to their length, so that the rate
//!   falls linearly from the outermost track to the innermost. At the share `p` of the bytes, counted from
//!   the outside, `rate² = outer² − (outer² − inner²)·p`; the mean rate of the whole disk is the mean of the
//!   two rates.
//! * **Seeks.** The time grows with the square root of the distance while the arm accelerates (Ruemmler &
//!   Wilkes, *An Introduction to Disk Drive Modeling*, IEEE Computer 27(3), 1994). Between two random places
//!   the mean of √distance is 8/15, which relates the curve to the average seek in data sheets.
//! * **Queue.** With `q` commands to choose from, the disk sweeps through them: the next one is at a distance
//!   of a `(q + 1)`th of the span. The wait for the sector remains half a revolution; rotational ordering is
//!   not modelled.

use bandgraph_units::{Bandwidth, Bytes, Time};

use crate::parts::DiskPart;

/// Mean square root of the distance between two random places in 0 to 1: ∫ 2(1 − d)·√d = 8/15.
const MEAN_ROOT: f64 = 8.0 / 15.0;

impl DiskPart {
    /// Half a revolution: the average wait for a sector after a seek.
    pub fn rotational_latency(&self) -> Time {
        Time::new(60.0 / self.rpm / 2.0)
    }

    /// Sequential rate at a place, given as the share of the disk's bytes outside of it, 0 to 1.
    pub fn rate_at(&self, place: f64) -> Bandwidth {
        let (outer, inner) = (self.outer_rate.get(), self.inner_rate.get());
        let square = outer * outer - (outer * outer - inner * inner) * place.clamp(0.0, 1.0);
        Bandwidth::new(square.sqrt())
    }

    /// Sequential rate over the outermost `span` of the disk's bytes, 0 to 1: the bytes over the time to read
    /// them.
    pub fn average_rate(&self, span: f64) -> Bandwidth {
        // The rate is linear in the track, so that its mean over tracks is the mean of the first and the
        // last.
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

    /// Mean seek between random places in a `span` of the disk, with `queue` commands to choose from; at
    /// least 1, and at most the queue depth of the disk.
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

    /// Mean seek of an arm that sweeps in one direction while one of `queue` commands at random places of a
    /// `span` is ahead. It also serves commands that arrive during the sweep: by Little's law with the mean
    /// wait of 2/3 of a sweep (Coffman & Hofri, 1982), 3/2 of the queue, so that the next one is at a
    /// distance of a (3/2 `queue` + 1)th of the span. Distances are approximately exponential: the mean of
    /// their square root is √π/2 times the square root of their mean.
    pub fn swept_seek(&self, span: f64, queue: f64) -> Time {
        let queue = queue.clamp(1.0, self.queue_depth as f64);
        let slope = (self.seek - self.track_seek).max(Time::ZERO) / MEAN_ROOT;
        let root = (span.clamp(0.0, 1.0) / (1.5 * queue + 1.0)).sqrt();
        let swept = self.track_seek + slope * (std::f64::consts::PI.sqrt() / 2.0 * root);
        swept.min(self.mean_seek(span, 1.0))
    }

    /// Mean time to move the arm from a random place of a `span` to its middle, for uniform places (the
    /// distance is at most half the span). At most the mean seek of a disk that sweeps over a `queue`.
    pub fn seek_to_middle(&self, span: f64, queue: f64) -> Time {
        let slope = (self.seek - self.track_seek).max(Time::ZERO) / MEAN_ROOT;
        let root = (span.clamp(0.0, 1.0) / 2.0).sqrt() * (2.0 / 3.0);
        (self.track_seek + slope * root).min(self.swept_seek(span, queue))
    }

    /// Time of one command: the arm moves between two places, each given as the share of the disk's bytes
    /// outside of it, waits for `turn` of a revolution, 0 to 1, and transfers. Between blocks at the same
    /// place it moves to the next track.
    pub fn access(&self, bytes: Bytes, from: f64, to: f64, turn: f64) -> Time {
        self.seek_time((to - from).abs()).max(self.track_seek)
            + self.rotational_latency() * (2.0 * turn)
            + Time::new(bytes.get() / self.rate_at(to).get())
    }

    /// Variance of the time of one command at a random place of a `span` after another random one, in s²:
    /// that of the seek (mean distance 1/3, mean square root 8/15) plus that of the wait for the sector.
    pub fn access_variance(&self, span: f64) -> f64 {
        let slope = (self.seek - self.track_seek).max(Time::ZERO).get() / MEAN_ROOT;
        let turn = 2.0 * self.rotational_latency().get();
        slope * slope * span.clamp(0.0, 1.0) * (1.0 / 3.0 - MEAN_ROOT * MEAN_ROOT) + turn * turn / 12.0
    }

    /// Time of one command for `bytes` at a random place of a `span`: seek, half a revolution, transfer.
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

    /// The closed form equals the sum over many thin slices of bytes.
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

    /// The curve reproduces the average seek of the data sheet, by quadrature over pairs of places.
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

    /// The curve measured on an HP 97560 (Ruemmler & Wilkes, 1994): square roots up to 383 cylinders of 1962,
    /// linear beyond.
    fn measured_ms(cylinders: f64) -> f64 {
        if cylinders <= 383.0 {
            3.24 + 0.4 * cylinders.sqrt()
        } else {
            8.0 + 0.008 * cylinders
        }
    }

    /// With the average and the shortest seek of a measured curve, this curve is within 5 % of it from a 20th
    /// to seven tenths of the stroke, and 12 % below it at the longest seek, where an arm moves at constant
    /// speed. Seeks of a sweep are up to 7 % too long, with a full queue.
    #[test]
    fn the_curve_is_close_to_a_measured_one() {
        const CYLINDERS: i32 = 1962;
        let all = f64::from(CYLINDERS);
        let between =
            (1..CYLINDERS).map(|cylinders| (f64::from(CYLINDERS - cylinders), f64::from(cylinders)));
        let (mut sum, mut weights) = (0.0, 0.0);
        for (weight, cylinders) in between {
            sum += weight * measured_ms(cylinders);
            weights += weight;
        }
        let disk = DiskPart {
            seek: Time::new(1e-3 * sum / weights),
            track_seek: Time::new(1e-3 * measured_ms(1.0)),
            ..disk()
        };
        for (share, tolerance) in [
            (0.01, 0.08),
            (0.05, 0.05),
            (0.1, 0.05),
            (0.3, 0.05),
            (0.7, 0.05),
            (1.0, 0.12),
        ] {
            let found = disk.seek_time(share).get() * 1e3;
            assert_close(found, measured_ms(share * all), tolerance);
        }
        for queue in [2.0, 8.0, 32.0] {
            let mean = all / (1.5 * queue + 1.0);
            let (mut sum, mut weights, mut weight) = (0.0, 0.0, 1.0);
            for cylinders in (1..CYLINDERS).map(f64::from) {
                weight *= 1.0 - 1.0 / mean;
                sum += weight * measured_ms(cylinders);
                weights += weight;
            }
            assert_close(disk.swept_seek(1.0, queue).get() * 1e3, sum / weights, 0.07);
        }
    }

    /// The longest seek that follows from the seek to the next track and the average one is within 9 % of
    /// that in data sheets of Hitachi (reads, typical; ms): Travelstar 7K320 and 5K320, Travelstar 5K160.
    #[test]
    fn the_longest_seek_is_that_of_data_sheets() {
        for (track, average, longest) in [(1.0, 12.0, 20.0), (1.0, 11.0, 20.0)] {
            let disk = DiskPart {
                seek: Time::new(1e-3 * average),
                track_seek: Time::new(1e-3 * track),
                ..disk()
            };
            assert_close(disk.seek_time(1.0).get() * 1e3, longest, 0.09);
        }
    }

    /// Mean and variance of random commands, by quadrature over both places and the wait for the sector.
    #[test]
    fn drawn_commands_have_the_mean_and_the_variance_that_are_said() {
        let disk = disk();
        for span in [0.2, 1.0] {
            let steps = 120;
            let at = |step: i32| (f64::from(step) + 0.5) / f64::from(steps);
            let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
            for from in 0..steps {
                for to in 0..steps {
                    for turn in 0..steps {
                        let bytes = Bytes::new(8192.0);
                        let time = disk.access(bytes, span * at(from), span * at(to), at(turn)).get();
                        sum += time;
                        squares += time * time;
                        count += 1.0;
                    }
                }
            }
            let mean: f64 = sum / count;
            let expected = disk.random_access(Bytes::new(8192.0), span, 1.0).get();
            assert_close(mean, expected, 2e-3);
            assert_close(squares / count - mean * mean, disk.access_variance(span), 1e-2);
        }
    }

    /// Compared with a simulated arm over random places.
    #[test]
    fn sweeps_are_as_short_as_those_of_an_arm_that_is_moved() {
        let disk = disk();
        for queue in [1_usize, 2, 4, 8, 16, 32] {
            // Knuth's linear congruential generator.
            let mut drawn = 1_u64;
            let mut draw = || {
                drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (drawn >> 11) as f64 / 9_007_199_254_740_992.0
            };
            let mut places: Vec<f64> = (0..queue).map(|_| draw()).collect();
            let (mut at, mut inwards, mut sum) = (0.5, true, 0.0);
            let steps = 20_000;
            for _ in 0..steps {
                let ahead = |place: &f64| if inwards { place - at } else { at - place };
                if places.iter().all(|place| ahead(place) < 0.0) {
                    inwards = !inwards;
                }
                let ahead = |place: &f64| if inwards { place - at } else { at - place };
                let next = (0..queue)
                    .filter(|&index| ahead(&places[index]) >= 0.0)
                    .min_by(|&a, &b| ahead(&places[a]).total_cmp(&ahead(&places[b])))
                    .expect("one is ahead");
                sum += disk.seek_time(ahead(&places[next])).get();
                at = places[next];
                places[next] = draw();
            }
            assert_close(
                disk.swept_seek(1.0, queue as f64).get(),
                sum / f64::from(steps),
                0.06,
            );
        }
    }

    /// By hand: 8.5 ms + 4.1667 ms + 8192 / 80e6 s = 12.769 ms, which is 78 reads/s.
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
