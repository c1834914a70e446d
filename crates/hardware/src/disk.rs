//! Rotating disks: zones, seeks, and the effect of command queues.
//!
//! * **Zones.** Tracks are equally spaced and hold bytes in proportion to their length, so that the rate
//!   falls linearly from the outermost track to the innermost. At the share `p` of the bytes, counted from
//!   the outside, `rate² = outer² − (outer² − inner²)·p`; the mean rate of the whole disk is the mean of the
//!   two rates.
//! * **Seeks.** The time grows with the square root of the distance while the arm accelerates (Ruemmler &
//!   Wilkes, *An Introduction to Disk Drive Modeling*, IEEE Computer 27(3), 1994). Between two random places
//!   the mean of √distance is 8/15, which relates the curve to the average seek in data sheets. Few places
//!   are on the next track of the same head: no seek between two of them is shorter than a switch of heads.
//! * **Queue.** A drive serves the command that its arm and its platter reach first: the one with the least
//!   sum of seek and wait for the sector (Jacobson & Wilkes, *Disk Scheduling Algorithms Based on Rotational
//!   Position*, HPL-CSP-91-7, 1991; "rotational position ordering" in papers of makers). Commands that
//!   software sorts before that reach the drive by place, so that those in its queue lie close
//!   together.

use bandgraph_units::{Bandwidth, Bytes, Time};

use crate::parts::DiskPart;

/// Mean square root of the distance between two random places in 0 to 1: ∫ 2(1 − d)·√d = 8/15.
const MEAN_ROOT: f64 = 8.0 / 15.0;
/// Commands that were passed over are those far away, so that a queue of `n` is worth fewer new draws: `n` to
/// this power. From a simulated arm, with 2 to 256 commands.
const NEWLY_DRAWN: f64 = 0.9;
/// A drive has the next commands of a sweep, but serves them out of order: new ones come at its edge, and
/// some stay behind. So a sorted command that waits outside narrows the span of those in the drive by only
/// this part of a command. From a simulated arm, with up to 4,096 sorted commands.
const FROM_OUTSIDE: f64 = 0.4;
/// Steps of the integral over positioning times: within 0.4 % for up to 256 commands.
const STEPS: i32 = 16;

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
        self.track_seek + (self.slope() * distance.min(1.0).sqrt()).max(self.switch())
    }

    /// What the shortest seek between random places takes longer than one to the next track.
    fn switch(&self) -> Time {
        (self.head_switch - self.track_seek).max(Time::ZERO)
    }

    /// The longest seek in a `span` beyond one to the next track, and the seek up to which a switch of heads
    /// takes longer than the way, as a share of it.
    fn ways(&self, span: f64) -> (Time, f64) {
        let root = self.slope() * span.clamp(0.0, 1.0).sqrt();
        let part = self.switch().get() / root.get().max(f64::MIN_POSITIVE);
        (root.max(self.switch()), part.min(1.0))
    }

    /// The part of a seek that grows with the root of the distance, for the whole stroke.
    fn slope(&self) -> Time {
        (self.seek - self.track_seek).max(Time::ZERO) / MEAN_ROOT
    }

    /// Mean seek between random places in a `span` of the disk if the nearest of `queue` commands, at least
    /// 1, is next.
    pub fn mean_seek(&self, span: f64, queue: f64) -> Time {
        let (longest, near) = self.ways(span);
        let alone = self.track_seek + longest * mean_way(near);
        if queue <= 1.0 {
            return alone;
        }
        self.seek_time(span.clamp(0.0, 1.0) / (queue + 1.0)).min(alone)
    }

    /// Mean time from the end of one command to the sector of the next, seek and wait, if the drive chooses
    /// the first that it can reach of `queue` commands at random places of a `span`; at most its queue depth.
    /// Of more, those in the drive are next to each other if as many as `sorted` are ordered by place.
    ///
    /// A time `t` is enough to reach the share `F(t)` of the commands, and the mean of the shortest of `n`
    /// times is the integral of `(1 − F)ⁿ`.
    pub fn positioning(&self, span: f64, queue: f64, sorted: f64) -> Time {
        let here = queue.clamp(1.0, self.queue_depth.max(1) as f64);
        let behind = queue.min(sorted) - here;
        let window = if behind > 0.0 {
            here / (here + FROM_OUTSIDE * behind)
        } else {
            1.0
        };
        let span = span.clamp(0.0, 1.0) * window;
        if here <= 1.0 {
            return self.mean_seek(span, 1.0) + self.rotational_latency();
        }
        let turn = 2.0 * self.rotational_latency().get();
        let (root, switch) = (self.slope().get() * span.sqrt(), self.switch().get());
        // No place is reached before the heads are switched.
        let at_switch = reached_sum(switch, root);
        let sum = |time: f64| (reached_sum(time, root) - at_switch).max(0.0);
        let (drawn, longest) = (libm::pow(here, NEWLY_DRAWN), (root - switch).max(0.0) + turn);
        let steps = (0..STEPS).map(|step| {
            // Most of the integral is at short times, where squares are dense.
            let part = (f64::from(step) + 0.5) / f64::from(STEPS);
            let time = switch + longest * part * part;
            let reached = (sum(time) - sum(time - turn)) / turn;
            2.0 * part * libm::pow((1.0 - reached).max(0.0), drawn)
        });
        let first = self.track_seek + Time::new(switch + longest * steps.sum::<f64>() / f64::from(STEPS));
        first + self.missed_turns(here)
    }

    /// What sectors that have passed when the arm is ready cost a command on average, if it is chosen from
    /// `queue` of them: the choice relies on the time of a seek, and one too many is a revolution. A lone
    /// command takes what its seek takes.
    pub fn missed_turns(&self, queue: f64) -> Time {
        self.rotational_latency() * (2.0 * self.missed.get() * (queue - 1.0).clamp(0.0, 1.0))
    }

    /// Additional time of a command in the middle of a `span` if the arm comes from a random place and not
    /// from the middle; the distance is at most half the span. At most the way to the `nearest` command of
    /// its queue, whose positioning time this is.
    pub fn detour(&self, span: f64, nearest: Time) -> Time {
        let (longest, near) = self.ways(span / 2.0);
        let beyond = nearest - self.track_seek - self.rotational_latency();
        (longest * ((2.0 + near * near * near) / 3.0)).min(beyond.max(Time::ZERO))
    }

    /// Time until the sector at an `angle`, 0 to 1, of a track is under the arm, if that is at another place
    /// at a moment, in seconds: the seek, and the rest of a revolution. Between blocks at the same place it
    /// moves to the next track.
    pub fn approach(&self, moment: f64, from: f64, to: f64, angle: f64) -> Time {
        let seek = self.seek_time((to - from).abs()).max(self.track_seek);
        let turn = 2.0 * self.rotational_latency().get();
        let ahead = angle - (moment + seek.get()) / turn;
        seek + Time::new(turn * (ahead - ahead.floor()))
    }

    /// Time to transfer bytes at a place.
    pub fn transfer(&self, bytes: Bytes, place: f64) -> Time {
        Time::new(bytes.get() / self.rate_at(place).get())
    }

    /// Mean time of one of several commands in the next track that come `together`: the first is served at
    /// once, after half a revolution, and of the others the one whose sector comes first.
    pub fn next_tracks(&self, bytes: Bytes, together: f64) -> Time {
        let (together, chosen) = self.choices(together, |waiting| 1.0 / (waiting + 1.0));
        let turns = self.rotational_latency() * (2.0 * (0.5 + chosen) / together);
        let missed = self.missed_turns(2.0) * (1.0 - 2.0 / together).max(0.0);
        self.track_seek + turns + missed + self.transfer(bytes, 0.0)
    }

    /// Variance of the sum of the waits of [`next_tracks`](Self::next_tracks), over that of one: the least of
    /// k random angles has the variance k / ((k + 1)² (k + 2)) of a revolution.
    pub fn spread_together(&self, together: f64) -> f64 {
        let of_choice = |waiting: f64| 12.0 * waiting / ((waiting + 1.0).powi(2) * (waiting + 2.0));
        1.0 + self.choices(together, of_choice).1
    }

    /// The commands of which it chooses the next, of some that come together, and the sum of a figure of each
    /// choice after the first: of one less than there are, down to the last.
    fn choices(&self, together: f64, of_choice: impl Fn(f64) -> f64) -> (f64, f64) {
        let together = together.clamp(1.0, self.queue_depth.max(1) as f64);
        let fewer = together.floor();
        let chosen: f64 = (1..fewer as u64).map(|waiting| of_choice(waiting as f64)).sum();
        (together, chosen + (together - fewer) * of_choice(fewer))
    }

    /// Variance of the time of one command at a random place of a `span` after another random one, in s²:
    /// that of the seek (mean distance 1/3, mean square root 8/15) plus that of the wait for the sector.
    pub fn access_variance(&self, span: f64) -> f64 {
        let (longest, near) = self.ways(span);
        let (square, turn) = (near * near, 2.0 * self.rotational_latency().get());
        let mean_square = (1.0 - square * square * square) / 3.0 + square * square;
        let seek = mean_square - mean_way(near) * mean_way(near);
        longest.get() * longest.get() * seek + turn * turn / 12.0
    }

    /// Time of one command for `bytes` at a random place of a `span`, the nearest of `queue`: seek, half a
    /// revolution, transfer.
    pub fn random_access(&self, bytes: Bytes, span: f64, queue: f64) -> Time {
        self.mean_seek(span, queue)
            + self.rotational_latency()
            + Time::new(bytes.get() / self.average_rate(span).get())
    }
}

/// Mean of a seek from one random place to another beyond one to the next track, as a share of the longest,
/// if none is shorter than the share `near`: the density of a distance d is 2(1 − d), and its seek is √d.
fn mean_way(near: f64) -> f64 {
    let square = near * near;
    MEAN_ROOT + square * near * (2.0 / 3.0 - square / 5.0)
}

/// Integral up to a time of the share of random places whose seek from another random one takes no longer
/// than that, beyond the seek to the next track; `root` is the seek over all of the span.
fn reached_sum(time: f64, root: f64) -> f64 {
    if time <= 0.0 {
        return 0.0;
    }
    // The density of a distance d of the span is 2(1 − d), and its seek is √d of the longest.
    let part = if time < root { time / root } else { 1.0 };
    let square = part * part;
    4.0 * square * (time * (0.5 - square / 4.0) - root * part * (1.0 / 3.0 - square / 5.0))
}

#[cfg(test)]
mod tests {
    use bandgraph_units::Fraction;

    use super::*;
    use crate::catalogue;

    fn disk() -> DiskPart {
        catalogue()
            .disk("sata-1tb-7200")
            .expect("in the catalogue")
            .clone()
    }

    /// One that misses no sector.
    fn exact() -> DiskPart {
        DiskPart {
            missed: Fraction::ZERO,
            ..disk()
        }
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
        assert_close(disk.mean_seek(1.0, 1.0).get(), 8.5e-3, 1e-3);
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
    /// speed.
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
        for span in [0.0002, 0.004, 0.2, 1.0] {
            let steps = 120;
            let at = |step: i32| (f64::from(step) + 0.5) / f64::from(steps);
            let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
            for from in 0..steps {
                for to in 0..steps {
                    for turn in 0..steps {
                        let (from, to) = (span * at(from), span * at(to));
                        let transfer = disk.transfer(Bytes::new(8192.0), to);
                        let time = (disk.approach(0.0, from, to, at(turn)) + transfer).get();
                        sum += time;
                        squares += time * time;
                        count += 1.0;
                    }
                }
            }
            let mean: f64 = sum / count;
            let expected = disk.random_access(Bytes::new(8192.0), span, 1.0).get();
            // A pair of 120 is one place, from which no heads are switched.
            assert_close(mean, expected, 4e-3);
            assert_close(squares / count - mean * mean, disk.access_variance(span), 1e-2);
        }
    }

    /// Knuth's linear congruential generator.
    fn draws() -> impl FnMut() -> f64 {
        let mut drawn = 1_u64;
        move || {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (drawn >> 11) as f64 / 9_007_199_254_740_992.0
        }
    }

    /// Mean positioning time of a simulated arm, always with `queue` commands in the drive. The next of as
    /// many as `sorted` comes to the drive in a sweep, or the next that arrives.
    fn moved_arm(disk: &DiskPart, span: f64, queue: usize, sorted: usize) -> f64 {
        let mut draw = draws();
        let mut drive: Vec<(f64, f64)> = (0..queue).map(|_| (span * draw(), draw())).collect();
        let mut outside: Vec<f64> = (queue..sorted.max(queue)).map(|_| span * draw()).collect();
        let (mut at, mut now, mut sum) = (0.0, 0.0, 0.0);
        let (mut swept, mut inwards) = (0.0, true);
        let (warm_up, steps) = (3 * sorted.max(queue), 10_000);
        for step in 0..warm_up + steps {
            let times = drive
                .iter()
                .map(|&(place, angle)| disk.approach(now, at, place, angle).get());
            let (next, time) = times
                .enumerate()
                .min_by(|(_, one), (_, other)| one.total_cmp(other))
                .expect("there are commands");
            if step >= warm_up {
                sum += time;
            }
            at = drive[next].0;
            now += time + 1e-4;
            let mut place = span * draw();
            if !outside.is_empty() {
                let way = |place: f64| if inwards { place - swept } else { swept - place };
                if outside.iter().all(|&place| way(place) < 0.0) {
                    inwards = !inwards;
                }
                let way = |place: f64| if inwards { place - swept } else { swept - place };
                let ahead = (0..outside.len()).filter(|&index| way(outside[index]) >= 0.0);
                let nearest = ahead.min_by(|&one, &other| way(outside[one]).total_cmp(&way(outside[other])));
                std::mem::swap(&mut outside[nearest.expect("one is ahead")], &mut place);
                swept = place;
            }
            drive[next] = (place, draw());
        }
        sum / f64::from(steps as u32)
    }

    /// Compared with a simulated arm: within 6 % on half of a disk or more. On a narrow span, commands come
    /// as the platter turns, so that those passed over are not far away: at most 7 % too short, and 23 % too
    /// long for two to eight of them on the slowest disk.
    #[test]
    fn the_first_that_is_reached_is_as_near_as_for_an_arm_that_is_moved() {
        let mut disk = exact();
        for (rpm, track, switch) in [(5400.0, 1e-3, 1.5e-3), (15_000.0, 0.3e-3, 0.6e-3)] {
            disk.rpm = rpm;
            (disk.track_seek, disk.head_switch) = (Time::new(track), Time::new(switch));
            disk.queue_depth = 128;
            for (span, most) in [(1.0, 0.06), (0.5, 0.06), (0.05, 0.08), (1e-4, 0.23)] {
                for queue in [1_u32, 2, 4, 8, 16, 32, 128] {
                    let moved = moved_arm(&disk, span, queue as usize, 0);
                    let found = disk.positioning(span, f64::from(queue), 0.0).get() / moved;
                    assert!(
                        found > 0.93 && found < 1.0 + most,
                        "{rpm}, {span}, {queue}: {found}"
                    );
                    assert!(found > 1.0 - most, "{rpm}, {span}, {queue}: {found}");
                }
            }
        }
    }

    /// Software, or a card, that sorts more commands than a drive takes brings those in it together.
    #[test]
    fn commands_that_are_sorted_before_are_near_each_other_in_the_drive() {
        let disk = exact();
        for (span, sorted) in [(1.0, 48_u32), (1.0, 128), (1.0, 1024), (0.01, 128), (0.01, 1024)] {
            let moved = moved_arm(&disk, span, 32, sorted as usize);
            let found = disk.positioning(span, f64::from(sorted), f64::from(sorted));
            assert_close(found.get(), moved, 0.08);
        }
    }

    /// By hand: 8.5 ms + 4.1667 ms + 8192 / 80e6 s = 12.769 ms, which is 78 reads/s.
    #[test]
    fn a_random_read_takes_seek_rotation_and_transfer() {
        let time = disk().random_access(Bytes::new(8192.0), 1.0, 1.0).get();
        assert_close(time, 12.769e-3, 1e-3);
    }

    /// By hand: 1.4 ms and half a revolution for a lone command in a small file; with as many commands as
    /// nine new draws, a tenth of a revolution, which is the mean of the shortest of nine.
    #[test]
    fn commands_in_a_small_file_take_a_switch_of_heads() {
        let mut disk = exact();
        let turn = 2.0 * disk.rotational_latency().get();
        let queue = libm::pow(9.0, 1.0 / NEWLY_DRAWN);
        for (queue, wait) in [(1.0, turn / 2.0), (queue, turn / 10.0)] {
            let found = disk.positioning(1e-5, queue, 0.0);
            assert_close(found.get(), disk.head_switch.get() + wait, 5e-3);
        }
        disk.missed = Fraction::new(0.06);
        let late = disk.positioning(1e-5, 9.0, 0.0) - exact().positioning(1e-5, 9.0, 0.0);
        assert_close(late.get(), 0.06 * turn, 1e-9);
        assert_eq!(
            disk.positioning(1e-5, 1.0, 0.0),
            exact().positioning(1e-5, 1.0, 0.0)
        );
        // Blocks of a log are on the same track or the next one.
        assert_close(
            disk.next_tracks(Bytes::ZERO, 1.0).get(),
            0.8e-3 + turn / 2.0,
            1e-12,
        );
        // Of three, the first comes after a half, the next after a third, the last after half a revolution.
        let of_three = turn * (1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 2.0) / 3.0;
        let missed = disk.missed_turns(2.0).get() / 3.0;
        let found = disk.next_tracks(Bytes::ZERO, 3.0).get();
        assert_close(found, 0.8e-3 + of_three + missed, 1e-12);
        // The first, the lesser of two, and the last: 1/12, 1/18 and 1/12 of a revolution squared.
        assert_close(disk.spread_together(3.0), 1.0 + 12.0 / 18.0 + 1.0, 1e-12);
    }

    #[test]
    fn a_queue_and_a_short_span_shorten_ways_and_never_lengthen_them() {
        let disk = disk();
        let mut last = (f64::INFINITY, f64::INFINITY);
        for queue in [1.0, 1.01, 1.5, 2.0, 4.0, 8.0, 32.0] {
            let seek = disk.mean_seek(1.0, queue).get();
            let positioning = disk.positioning(1.0, queue, 0.0).get();
            assert!(seek <= last.0 && positioning < last.1, "{queue}");
            last = (seek, positioning);
        }
        let full = disk.positioning(1.0, 32.0, 0.0);
        assert_eq!(disk.positioning(1.0, 1000.0, 0.0), full);
        assert!(disk.positioning(1.0, 1000.0, 1000.0) < full);
        assert!(disk.mean_seek(0.1, 1.0) < disk.mean_seek(1.0, 1.0));
        assert_eq!(disk.mean_seek(0.0, 1.0), disk.head_switch);
    }
}
