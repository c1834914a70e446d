//! Leave-one-out cross-validation: each measurement of a machine, predicted from the others.

use bandgraph_model::{Correlations, LimitGroup};
use bandgraph_scenario::Measured;

use super::drawing::{Drawing, Given};
use super::interval::Interval;
use super::learn::{Load, OwnMachine};
use super::model_error::{GROUPS, LogFactor, factors};
use super::points::PointDraws;
use super::posterior::Posterior;
use super::room::exponent;

/// A measurement this many times outside its interval is of something else.
const FAR: f64 = 2.0;

/// A measurement that was left out and predicted from the others.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOutPoint {
    /// The scenario.
    pub scenario: String,
    /// The measurement.
    pub measured: Measured,
    /// The prediction and its interval before learning.
    pub before: (f64, Interval),
    /// The prediction and its interval after learning from the other measurements.
    pub after: (f64, Interval),
}

impl LeftOutPoint {
    /// Whether the measurement is so far outside the interval before learning that it is of another load, or
    /// in another unit.
    pub fn is_far_off(&self) -> bool {
        let (_, interval) = &self.before;
        self.measured.value > FAR * interval.high || self.measured.value * FAR < interval.low
    }

    /// The ratio of the widths of the two intervals, old over new, in logarithms, so that the value of the
    /// prediction has no influence.
    pub fn factor(&self) -> f64 {
        let width = |interval: &Interval| libm::log(interval.high / interval.low);
        width(&self.before.1) / width(&self.after.1)
    }
}

impl OwnMachine {
    /// Leave-one-out cross-validation: predicts each measurement from the others, with `draws` draws.
    pub fn leave_one_out(&self, draws: u32) -> Option<Vec<LeftOutPoint>> {
        let rows: Vec<(&Load, &Measured)> = self.rows().collect();
        let points = rows.iter().enumerate().map(|(left_out, (load, row))| {
            let mut counts = vec![true; rows.len()];
            counts[left_out] = false;
            let before = Posterior::before(&self.prior);
            let [before, after] = [before, self.posterior(&counts)?]
                .map(|posterior| self.predicted(load, row, &posterior, draws));
            Some(LeftOutPoint {
                scenario: load.name.clone(),
                measured: (*row).clone(),
                before: before?,
                after: after?,
            })
        });
        points.collect()
    }

    /// The interval of the last measurement, given those that `counts` selects.
    #[cfg(test)]
    pub(super) fn interval_of_last(&self, counts: &[bool], draws: u32) -> Interval {
        let (load, row) = self.rows().last().expect("there are measurements");
        let posterior = self.posterior(counts).expect("it has a steady state");
        let predicted = self.predicted(load, row, &posterior, draws);
        predicted.expect("it has an interval").1
    }

    /// The prediction of a measurement and its interval, with figures and errors of the model drawn together.
    fn predicted(
        &self,
        load: &Load,
        row: &Measured,
        posterior: &Posterior,
        draws: u32,
    ) -> Option<(f64, Interval)> {
        let limits = LimitGroup::ALL
            .iter()
            .map(|limit| format!("machine {}", limit.as_str()));
        let names: Vec<String> = self.names.iter().cloned().chain(limits).collect();
        let drawn = posterior.draws(&names, draws)?;
        let of_figures = |unknowns: &[f64]| load.places.iter().map(|&place| unknowns[place]).collect();
        let mut drawing = Drawing::new(&load.scenario).ok()?;
        drawing.given = Some(Given {
            base: of_figures(&posterior.mean),
            draws: drawn.iter().map(|unknowns| of_figures(unknowns)).collect(),
        });
        let found = drawing.measured(std::slice::from_ref(row), draws);
        let found = found.first()?;
        let (base, held) = found.base?;
        let of_machine = |unknowns: &[f64]| -> [f64; GROUPS] {
            std::array::from_fn(|group| libm::exp(self.missed(LimitGroup::ALL[group], unknowns)))
        };
        let of_load = posterior
            .of_loads
            .map(|deviation| LogFactor::normal(0.0, deviation));
        let of_load = factors(of_load, &Correlations::default(), draws);
        let errors = |draw: u32| {
            let (machine, load) = (of_machine(&drawn[draw as usize]), of_load(draw));
            std::array::from_fn(|group| machine[group] * load[group])
        };
        let interval = PointDraws::new(load.base.group_of(row.metric), base, &found.draws)?;
        let interval = interval.interval_with(base, 1.0, errors)?;
        // Every limit holds it, as it holds the draws.
        let value = match exponent(row.metric) {
            0.0 => base,
            _ => base * held.factor(&of_machine(&posterior.mean)),
        };
        Some((value, interval.including(value)))
    }
}
