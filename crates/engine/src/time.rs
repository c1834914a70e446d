//! Simulated time: integer picoseconds outside, picoseconds with 32 binary fraction digits inside.
//!
//! Picoseconds in 64 bits span 213 days, and the shortest interval in the model (a bit at 400 Gbit/s, 2.5 ps)
//! is longer than one. Fluid completions, however, fall between picoseconds, and each read of a closed loop
//! starts when another ends. With rounding to whole picoseconds, case b of the closed-loop benchmark is off
//! by 7 ps after 100 reads per thread, in the tenth digit; and if several bottleneck levels meet, such
//! systems are chaotic. The calendar therefore uses [`Instant`], whose step of 2⁻³² ps is finer than the
//! rounding of 64-bit floats, the type of rates.

use std::ops::{Add, Sub};

/// Picoseconds in a second.
const PICOSECONDS: f64 = 1e12;
/// Steps of an [`Instant`] in a picosecond, as a shift.
const FRACTION_BITS: u32 = 32;
/// Steps of an [`Instant`] in a picosecond.
const STEPS: f64 = 4_294_967_296.0;

/// A point in simulated time, or a duration: an integer number of picoseconds, 0 to 2⁶⁴ − 1 (213 days).
///
/// Sums and differences saturate at both ends. The later end means "never": an engine reports an error before
/// it reaches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The start of every run; as a duration, zero.
    pub const ZERO: Self = Self(0);
    /// The end of time, 213 days after the start. Nothing can happen then.
    pub const MAX: Self = Self(u64::MAX);

    /// A number of picoseconds.
    pub const fn from_picoseconds(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// A number of seconds, rounded to the nearest picosecond.
    ///
    /// Saturates: negative numbers and NaN give [`Time::ZERO`], more than 213 days gives [`Time::MAX`].
    pub fn from_seconds(seconds: f64) -> Self {
        // A cast from float to integer saturates in the same way.
        Self((seconds * PICOSECONDS).round() as u64)
    }

    /// Seconds, correct to the precision of a 64-bit float (about 16 digits).
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PICOSECONDS
    }

    /// Picoseconds, exact.
    pub const fn as_picoseconds(self) -> u64 {
        self.0
    }
}

impl Add for Time {
    type Output = Self;

    /// The time later by `other`, at most [`Time::MAX`].
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Time {
    type Output = Self;

    /// The duration from `other` to `self`; [`Time::ZERO`] if `other` is later.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// A point in time in the calendar: picoseconds with 32 binary fraction digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant(u128);

impl Instant {
    pub(crate) const START: Self = Self(0);
    /// "Never": no event is scheduled here.
    pub(crate) const NEVER: Self = Self(u128::MAX);

    /// The picosecond that contains this instant.
    pub(crate) fn floor(self) -> Time {
        Time((self.0 >> FRACTION_BITS).min(u128::from(u64::MAX)) as u64)
    }

    /// Seconds since `earlier`, which must not be later than `self`.
    pub(crate) fn seconds_since(self, earlier: Self) -> f64 {
        debug_assert!(self >= earlier, "time never goes back");
        let steps = self.0 - earlier.0;
        let whole = (steps >> FRACTION_BITS) as u64;
        let fraction = steps as u32;
        (whole as f64 + f64::from(fraction) * (1.0 / STEPS)) / PICOSECONDS
    }

    /// The instant `seconds` later, rounded to the nearest step; [`Instant::NEVER`] unless that is before
    /// [`Time::MAX`].
    pub(crate) fn after_seconds(self, seconds: f64) -> Self {
        let picoseconds = seconds * PICOSECONDS;
        // 2⁶³ as a float: a larger value is at the end of time. The comparison also rejects NaN.
        if !(0.0..9_223_372_036_854_775_808.0).contains(&picoseconds) {
            return Self::NEVER;
        }
        let whole = picoseconds as i64;
        let fraction = (picoseconds - whole as f64) * STEPS + 0.5;
        self.after_steps(((whole as u128) << FRACTION_BITS) + fraction as i64 as u128)
    }

    /// The instant `delay` later; [`Instant::NEVER`] unless that is before [`Time::MAX`].
    pub(crate) fn after(self, delay: Time) -> Self {
        self.after_steps(u128::from(delay.0) << FRACTION_BITS)
    }

    fn after_steps(self, steps: u128) -> Self {
        let sum = self.0 + steps;
        if sum < u128::from(u64::MAX) << FRACTION_BITS {
            Self(sum)
        } else {
            Self::NEVER
        }
    }

    /// Steps since `earlier`: an exact duration, for sums that must balance exactly.
    pub(crate) fn steps_since(self, earlier: Self) -> u128 {
        self.0 - earlier.0
    }
}

impl From<Time> for Instant {
    fn from(time: Time) -> Self {
        Self(u128::from(time.0) << FRACTION_BITS)
    }
}

/// Converts steps of the calendar to seconds (for sums of durations).
pub(crate) fn seconds_of_steps(steps: u128) -> f64 {
    steps as f64 / (PICOSECONDS * STEPS)
}

#[cfg(test)]
mod tests {
    use super::{Instant, Time};

    #[test]
    fn seconds_round_to_the_nearest_picosecond_and_saturate() {
        for (seconds, picoseconds) in [
            (0.0, 0),
            (1.0, 1_000_000_000_000),
            (1.4e-12, 1),
            (1.6e-12, 2),
            (-1.0, 0),
            (f64::NAN, 0),
            (f64::INFINITY, u64::MAX),
            (1e30, u64::MAX),
        ] {
            assert_eq!(
                Time::from_seconds(seconds).as_picoseconds(),
                picoseconds,
                "{seconds}"
            );
        }
        assert_eq!(Time::from_seconds(0.1).as_seconds(), 0.1);
    }

    #[test]
    fn arithmetic_saturates_at_both_ends() {
        let (one, two) = (Time::from_picoseconds(1), Time::from_picoseconds(2));
        assert_eq!(one + one, two);
        assert_eq!(two - one, one);
        assert_eq!(one - two, Time::ZERO);
        assert_eq!(Time::MAX + one, Time::MAX);
    }

    #[test]
    fn instants_keep_fractions_of_a_picosecond() {
        let third = Instant::START.after_seconds(1e-12 / 3.0);
        assert_eq!(third.floor(), Time::ZERO);
        let mut at = Instant::START;
        for _ in 0..3_000 {
            at = at.after_seconds(1e-12 / 3.0);
        }
        // 3000 roundings of at most half a step: the sum is within 1500 steps, 3.5e-7 ps.
        let error = at.seconds_since(Instant::START) - 1e-9;
        assert!(error.abs() < 1e-18, "{error}");
        assert!((third.seconds_since(Instant::START) - 1e-12 / 3.0).abs() < 1e-22);
    }

    #[test]
    fn what_lies_beyond_the_end_of_time_is_never() {
        let late = Instant::from(Time::from_picoseconds(u64::MAX - 1));
        assert_eq!(late.after(Time::from_picoseconds(1)), Instant::NEVER);
        assert_eq!(Instant::START.after_seconds(1e300), Instant::NEVER);
        assert_eq!(Instant::START.after_seconds(f64::NAN), Instant::NEVER);
        assert_eq!(Instant::START.after_seconds(f64::INFINITY), Instant::NEVER);
        assert_eq!(Instant::START.after(Time::ZERO), Instant::START);
    }
}
