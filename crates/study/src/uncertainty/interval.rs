//! 90 % intervals.

/// The 95 % point of the standard normal distribution: the end of a 90 % range.
pub(super) const RANGE_END: f64 = 1.644_853_626_951_472_2;

/// The 90 % interval of an answer: the 5 % and the 95 % point of the draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The 5 % point.
    pub low: f64,
    /// The 95 % point.
    pub high: f64,
}

impl Interval {
    /// The interval of some values, with interpolation between the two nearest in order. `None` without
    /// values.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let point = |share: f64| {
            let place = share * last as f64;
            let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        Some(Self {
            low: point(0.05),
            high: point(0.95),
        })
    }

    /// Whether a value is in the interval.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The smallest interval with this one and a value in it.
    #[must_use]
    pub fn including(self, value: f64) -> Self {
        Self {
            low: self.low.min(value),
            high: self.high.max(value),
        }
    }

    /// The interval multiplied by `factor`.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            low: self.low * factor,
            high: self.high * factor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_known_values() {
        let values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(Interval::of(values), Some(Interval { low: 5.0, high: 95.0 }));
        assert_eq!(Interval::of(vec![2.0]), Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(Interval::of(Vec::new()), None);
    }
}
