//! Logarithmic axes.

use bandgraph_units::{QuantityKind, significant};

/// A range of values above zero on a logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LogAxis {
    low: f64,
    high: f64,
}

/// Ticks that an axis should have at least, and those that it may have at most.
const TICKS_MIN: usize = 3;
const TICKS_MAX: usize = 8;

/// Ticks in a decade, from sparse to dense.
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
    /// An axis for values, which are finite and above zero, with a margin on both sides. At least a factor of two long.
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

    /// Where a value is along the axis: 0 at its low end, 1 at its high one.
    pub(crate) fn place(&self, value: f64) -> f64 {
        (value / self.low).ln() / (self.high / self.low).ln()
    }

    /// Round values on the axis, from low to high.
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
        // Over many decades even one a decade is too many.
        let every = best.len().div_ceil(TICKS_MAX);
        best.into_iter().step_by(every.max(1)).collect()
    }

    fn multiples(&self, steps: &[f64]) -> Vec<f64> {
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let all = (first..=last).flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
        all.filter(|value| (self.low..=self.high).contains(value))
            .collect()
    }
}

/// A value in words, with its unit if it has one.
pub(crate) fn words(kind: Option<QuantityKind>, value: f64) -> String {
    kind.map_or_else(|| significant(value, 3), |kind| kind.format(value))
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
                .all(|tick| (tick.log10() - tick.log10().round()).abs() < 1e-9)
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

    proptest! {
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
