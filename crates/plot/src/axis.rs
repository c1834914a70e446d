//! Axes, logarithmic and linear.

use bandgraph_units::{QuantityKind, significant};

/// The mapping of values to positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances for equal differences, from zero up.
    Linear,
    /// Equal distances for equal ratios; only for values above zero.
    Logarithmic,
    /// The same, with ticks at powers of two.
    PowersOfTwo,
}

/// The title of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisTitle {
    /// The name of the values, such as `I/O size`.
    pub name: String,
    /// Their kind; `None` for plain numbers.
    pub kind: Option<QuantityKind>,
    /// The mapping of values to positions.
    pub scale: Scale,
}

/// A range of values on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Axis {
    /// From zero, or from the least value if it is negative.
    Linear(LinearAxis),
    /// Logarithmic.
    Logarithmic(LogAxis),
    /// Logarithmic, with ticks at powers of two.
    PowersOfTwo(LogAxis),
}

impl Axis {
    /// An axis that includes all given values, which are finite, and above zero for a logarithmic one.
    pub(crate) fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        match scale {
            Scale::Linear => Self::Linear(LinearAxis::around(values)),
            Scale::Logarithmic => Self::Logarithmic(LogAxis::around(values)),
            Scale::PowersOfTwo => Self::PowersOfTwo(LogAxis::around(values)),
        }
    }

    /// The position of a value along the axis: 0 at the low end, 1 at the high end; outside 0 to 1 beyond the
    /// ends.
    pub(crate) fn place(&self, value: f64) -> f64 {
        match self {
            Self::Linear(axis) => axis.place(value),
            Self::Logarithmic(axis) | Self::PowersOfTwo(axis) => axis.place(value),
        }
    }

    /// Round values on the axis, in ascending order.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        match self {
            Self::Linear(axis) => axis.ticks(),
            Self::Logarithmic(axis) => axis.ticks(),
            Self::PowersOfTwo(axis) => axis.powers_of_two(),
        }
    }

    /// The value at a position.
    pub(crate) fn value(&self, place: f64) -> f64 {
        match self {
            Self::Linear(LinearAxis { low, high }) => low + place * (high - low),
            Self::Logarithmic(LogAxis { low, high }) | Self::PowersOfTwo(LogAxis { low, high }) => {
                low * libm::pow(high / low, place)
            }
        }
    }
}

/// A range of values on a linear axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinearAxis {
    low: f64,
    high: f64,
}

impl LinearAxis {
    /// An axis from `low` to `high`, which is greater.
    pub(crate) const fn between(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    fn around(values: impl Iterator<Item = f64>) -> Self {
        /// Free space beyond the last value, as a share of the axis.
        const MARGIN: f64 = 0.06;
        let (low, high) = values.fold((0.0_f64, 0.0_f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if low == high {
            return Self { low, high: low + 1.0 };
        }
        let margin = MARGIN * (high - low);
        Self {
            low: if low < 0.0 { low - margin } else { low },
            high: if high > 0.0 { high + margin } else { high },
        }
    }

    pub(crate) fn place(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Multiples of 1, 2 or 5 times a power of ten.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let coarse = (self.high - self.low) / (TICKS_MAX as f64 - 1.0);
        let power = libm::pow(10.0, libm::log10(coarse).floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = step.into_iter().find(|step| *step >= coarse).unwrap_or(coarse);
        // An end that is a multiple has a tick, even if rounding moves either of them.
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|multiple| multiple as f64 * step).collect()
    }
}

/// A range of values above zero on a logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LogAxis {
    low: f64,
    high: f64,
}

/// The minimum number of ticks on an axis, and the maximum.
const TICKS_MIN: usize = 3;
const TICKS_MAX: usize = 8;

/// Ticks per decade, from sparse to dense.
const STEPS: [&[f64]; 4] = [
    &[1.0],
    &[1.0, 2.0, 5.0],
    &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
    &[
        1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0,
        7.0, 8.0, 9.0,
    ],
];

impl LogAxis {
    /// An axis for values, which are finite and above zero, with a margin on both sides. Its length is at
    /// least a factor of two.
    pub(crate) fn around(values: impl Iterator<Item = f64>) -> Self {
        const MARGIN: f64 = 1.25;
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (1.0, 1.0);
        }
        Self {
            low: low / MARGIN,
            high: high * MARGIN,
        }
        .at_least(2.0)
    }

    fn at_least(self, factor: f64) -> Self {
        let missing = (factor * self.low / self.high).max(1.0).sqrt();
        Self {
            low: self.low / missing,
            high: self.high * missing,
        }
    }

    /// The position of a value along the axis: 0 at the low end, 1 at the high end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        libm::log(value / self.low) / libm::log(self.high / self.low)
    }

    /// Round values on the axis, in ascending order.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let mut best: Vec<f64> = Vec::new();
        for steps in STEPS {
            let ticks = self.multiples(steps);
            if ticks.len() > TICKS_MAX && !best.is_empty() {
                break;
            }
            let enough = ticks.len() > TICKS_MIN;
            best = ticks;
            if enough {
                break;
            }
        }
        // Over many decades even one tick per decade is too many.
        let every = best.len().div_ceil(TICKS_MAX);
        best.into_iter().step_by(every.max(1)).collect()
    }

    /// Powers of two on the axis, in ascending order, at equal ratios.
    fn powers_of_two(&self) -> Vec<f64> {
        let (first, last) = (
            libm::log2(self.low).ceil() as i32,
            libm::log2(self.high).floor() as i32,
        );
        let count = (last - first + 1).max(0) as usize;
        let every = count.div_ceil(TICKS_MAX).max(1);
        (first..=last)
            .step_by(every)
            .map(|power| 2_f64.powi(power))
            .collect()
    }

    fn multiples(&self, steps: &[f64]) -> Vec<f64> {
        let first = libm::log10(self.low).floor() as i32;
        let last = libm::log10(self.high).ceil() as i32;
        let all = (first..=last).flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
        all.filter(|value| (self.low..=self.high).contains(value))
            .collect()
    }
}

/// A value as text, with its unit if it has one. Sizes are in binary units, rates in decimal ones.
pub(crate) fn words(kind: Option<QuantityKind>, value: f64) -> String {
    match kind {
        None => significant(value, 3),
        Some(QuantityKind::Bytes) => QuantityKind::Bytes.format_binary(value),
        Some(kind) => kind.format(value),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_narrow_axis_and_a_wide_one_have_a_few_round_ticks() {
        let narrow = LogAxis::around([2.0e9, 3.0e9].into_iter());
        assert_eq!(narrow.ticks(), [2e9, 3e9]);
        let wide = LogAxis::around([1e-6, 1e6].into_iter());
        assert!(
            wide.ticks()
                .iter()
                .all(|tick| (libm::log10(*tick) - libm::log10(*tick).round()).abs() < 1e-9)
        );
    }

    #[test]
    fn the_ends_of_an_axis_are_its_ends() {
        let axis = LogAxis {
            low: 10.0,
            high: 1000.0,
        };
        for (value, place) in [(10.0, 0.0), (100.0, 0.5), (1000.0, 1.0)] {
            assert!((axis.place(value) - place).abs() < 1e-12);
        }
    }

    #[test]
    fn sizes_are_round_where_they_are_powers_of_two() {
        let axis = Axis::around(Scale::PowersOfTwo, [4096.0, 1_048_576.0].into_iter());
        let ticks = axis.ticks();
        assert_eq!(ticks.first(), Some(&4096.0));
        assert!(ticks.iter().all(|tick| libm::log2(*tick).fract() == 0.0));
        assert_eq!(words(Some(QuantityKind::Bytes), ticks[0]), "4 KiB");
    }

    #[test]
    fn a_linear_axis_begins_at_zero() {
        let axis = Axis::around(Scale::Linear, [3.0, 97.0].into_iter());
        assert_eq!(axis.place(0.0), 0.0);
        assert_eq!(axis.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert!((axis.value(axis.place(42.0)) - 42.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn linear_ticks_are_on_the_axis(values in prop::collection::vec(-1e12..1e12_f64, 1..20)) {
            let axis = Axis::around(Scale::Linear, values.iter().copied());
            let ticks = axis.ticks();
            prop_assert!((2..=2 * TICKS_MAX).contains(&ticks.len()), "{:?}: {:?}", axis, ticks);
            prop_assert!(ticks.iter().all(|tick| (-1e-9..=1.0 + 1e-9).contains(&axis.place(*tick))));
            prop_assert!(values.iter().all(|value| (0.0..=1.0).contains(&axis.place(*value))));
        }

        #[test]
        fn any_values_have_ticks_within(values in prop::collection::vec(1e-12..1e15_f64, 1..20)) {
            let axis = LogAxis::around(values.iter().copied());
            for value in values {
                prop_assert!((0.0..=1.0).contains(&axis.place(value)));
            }
            let ticks = axis.ticks();
            prop_assert!((2..=TICKS_MAX).contains(&ticks.len()), "{:?}: {:?}", axis, ticks);
            prop_assert!(ticks.is_sorted());
            prop_assert!(ticks.iter().all(|tick| (0.0..=1.0).contains(&axis.place(*tick))));
        }
    }
}
