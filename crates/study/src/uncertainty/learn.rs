//! Parameters learned from a few measurements of one machine.
//!
//! The prior of each figure is a normal distribution whose 5 % and 95 % points are the ends of its range,
//! narrowed by the known excess width of ranges. So is that of the model error of each kind of limit, as far
//! as all loads of a machine have it in common ([`ModelErrors::common`]); a measurement has the rest of it,
//! of a size that the measurements tell, and 2 % of its own. The Gauss-Newton method on logarithms of
//! predictions finds the most probable figures given all of them; the remaining ranges and the correlations
//! follow from the slopes there (Tarantola, *Inverse Problem Theory*, 2005, chapter 3; `posterior.rs`).
//! Figures stay within their ranges.
//!
//! If the scenarios include the profile of an earlier calibration, the priors are what it learned, with its
//! correlations: measurements that are learned from one after another say the same as all of them at once,
//! except for what the predictions are not linear in.

use std::collections::BTreeMap;

use bandgraph_model::{Correlations, LimitGroup, ModelError, Scenario, Stack};
use bandgraph_scenario::Measured;
use nalgebra::{DMatrix, DVector};

use super::drawing::{Drawing, Drawn};
use super::draws::{range_end, value_at};
use super::figures::UncertainFigure;
use super::interval::RANGE_END;
use super::learned::{Earlier, Learned, LearnedError, LearnedFigure, listed};
use super::model_error::{GROUPS, ModelErrors};
use super::posterior::{Linear, Posterior, Prior};
use super::room::{NOTHING, exponent};

/// The maximum deviation of the model error of a machine, in standard deviations.
const FURTHEST: f64 = 3.0;
/// The maximum number of steps of the search.
const ROUNDS: u32 = 12;
/// The search ends when no figure moves by more than this, in standard deviations.
const SETTLED: f64 = 1e-4;
/// A figure is not reported if it shrinks and moves by less than this together, in standard deviations.
const SHRUNK: f64 = 0.03;
/// Correlations in files are rounded: this much less of each is one that figures have.
const ROUNDED: f64 = 1e-3;

/// Scenarios of one machine with their measurements.
#[derive(Clone, Debug)]
pub struct OwnMachine {
    loads: Vec<Load>,
    /// All figures; equal ones of several scenarios once.
    pub(super) figures: Vec<UncertainFigure>,
    /// The names of their draws.
    pub(super) names: Vec<String>,
    /// The software of the first scenario, with what an earlier calibration learned.
    stack: Stack,
    /// The model error by kind of limit, before these measurements.
    errors: [ModelError; GROUPS],
    /// The distribution of the figures and of the model errors, before these measurements.
    pub(super) prior: Prior,
}

#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) name: String,
    pub(super) scenario: Scenario,
    rows: Vec<Measured>,
    /// The prediction with the figures that it starts from.
    pub(super) base: Drawn,
    /// The index of each of its figures among all.
    pub(super) places: Vec<usize>,
}

impl OwnMachine {
    /// Prepares scenarios with their measurements, except those relative to another scenario. `None` if a
    /// scenario has no steady state or a measurement no prediction.
    pub fn new<'s>(loads: impl IntoIterator<Item = (&'s Scenario, &'s [Measured])>) -> Option<Self> {
        let (mut figures, mut names) = (Vec::new(), Vec::new());
        let mut place_of: BTreeMap<(String, u64), usize> = BTreeMap::new();
        let mut found = Vec::new();
        for (scenario, rows) in loads {
            let drawing = Drawing::new(scenario).ok()?;
            let places = drawing.figures.iter().zip(&drawing.names).map(|(figure, name)| {
                let key = (figure.id(), figure.value.to_bits());
                *place_of.entry(key).or_insert_with(|| {
                    figures.push(figure.clone());
                    names.push(name.clone());
                    figures.len() - 1
                })
            });
            let places = places.collect();
            let rows = rows.iter().filter(|row| row.relative_to.is_none());
            found.push(Load {
                name: scenario.name.clone(),
                scenario: scenario.clone(),
                rows: rows.cloned().collect(),
                base: drawing.base,
                places,
            });
        }
        // All scenarios of a machine include the same profile.
        let stack = found.first().map(|load| load.scenario.stack.clone());
        let stack = stack.unwrap_or_default();
        let errors = ModelErrors::KNOWN.on_machine(&stack);
        let machine = Self {
            prior: prior(&figures, &errors, &stack.correlations)?,
            loads: found,
            figures,
            names,
            stack,
            errors,
        };
        machine.logarithms(&machine.nominal())?;
        Some(machine)
    }

    /// The number of measurements.
    pub fn points(&self) -> usize {
        self.loads.iter().map(|load| load.rows.len()).sum()
    }

    /// The measurements.
    pub fn measured(&self) -> Vec<Measured> {
        self.rows().map(|(_, row)| row.clone()).collect()
    }

    /// No deviation of a figure or of the model.
    fn nominal(&self) -> Vec<f64> {
        vec![0.0; self.figures.len() + GROUPS]
    }

    /// The unknown that is the model error of a measurement, with the logarithm that one standard deviation
    /// adds to its prediction.
    fn model_error(&self, load: &Load, row: &Measured) -> (usize, f64) {
        let limit = load.base.group_of(row.metric);
        let [of_machine, _] = self.errors[limit as usize].parts();
        (
            self.figures.len() + limit as usize,
            exponent(row.metric) * of_machine,
        )
    }

    /// The logarithm of what rates with a kind of limit are to be multiplied with, on the machine with these
    /// unknowns.
    pub(super) fn missed(&self, limit: LimitGroup, unknowns: &[f64]) -> f64 {
        let error = &self.errors[limit as usize];
        let [of_machine, _] = error.parts();
        libm::log(error.factor) + of_machine * unknowns[self.figures.len() + limit as usize]
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = (&Load, &Measured)> {
        let loads = self.loads.iter();
        loads.flat_map(|load| load.rows.iter().map(move |row| (load, row)))
    }

    /// The logarithms of the predictions of all measurements.
    fn logarithms(&self, normals: &[f64]) -> Option<Vec<f64>> {
        let mut all = Vec::new();
        for load in &self.loads {
            let drawing = Drawing::new(&load.scenario).ok()?;
            let own: Vec<f64> = load.places.iter().map(|&place| normals[place]).collect();
            let predicted = drawing.logarithms_at(&load.rows, &own)?;
            all.extend(load.rows.iter().zip(predicted).map(|(row, predicted)| {
                let limit = load.base.group_of(row.metric);
                predicted + exponent(row.metric) * self.missed(limit, normals)
            }));
        }
        Some(all)
    }

    /// The Jacobian of the logarithms of all predictions, per standard deviation of each unknown.
    fn slopes(&self, at: &[f64]) -> Option<DMatrix<f64>> {
        const STEP: f64 = 0.5;
        let mut slopes = DMatrix::zeros(self.points(), at.len());
        let mut first = 0;
        for load in &self.loads {
            let drawing = Drawing::new(&load.scenario).ok()?;
            let own: Vec<f64> = load.places.iter().map(|&place| at[place]).collect();
            let columns = drawing.each_figure(|which| {
                let ends = [-STEP, STEP].map(|step| {
                    let mut moved = own.clone();
                    moved[which] += step;
                    drawing.logarithms_at(&load.rows, &moved)
                });
                let [low, high] = ends;
                let (low, high) = low.zip(high)?;
                Some(
                    low.iter()
                        .zip(&high)
                        .map(|(low, high)| (high - low) / (2.0 * STEP))
                        .collect::<Vec<_>>(),
                )
            });
            for (column, &place) in columns.iter().zip(&load.places) {
                for (row, slope) in column.iter().flatten().enumerate() {
                    slopes[(first + row, place)] = *slope;
                }
            }
            for (row, measured) in load.rows.iter().enumerate() {
                let (place, slope) = self.model_error(load, measured);
                slopes[(first + row, place)] = slope;
            }
            first += load.rows.len();
        }
        Some(slopes)
    }

    /// The posterior given the measurements that `counts` selects: of the figures, and then of the model
    /// error of each kind of limit.
    pub(super) fn posterior(&self, counts: &[bool]) -> Option<Posterior> {
        let rows: Vec<usize> = (0..counts.len()).filter(|&row| counts[row]).collect();
        let all: Vec<(&Load, &Measured)> = self.rows().collect();
        let limit = |row: &usize| all[*row].0.base.group_of(all[*row].1.metric);
        let limits: Vec<LimitGroup> = rows.iter().map(limit).collect();
        let off = |at: &[f64]| -> Option<DVector<f64>> {
            let predicted = self.logarithms(at)?;
            let off = rows
                .iter()
                .map(|&row| libm::log(all[row].1.value) - predicted[row]);
            Some(DVector::from_iterator(rows.len(), off))
        };
        let ends = self.figures.iter().map(range_end);
        let ends: Vec<f64> = ends.chain([FURTHEST; GROUPS]).collect();
        let mut found = Posterior::before(&self.prior);
        let mut residual = off(&found.mean)?;
        for _ in 0..ROUNDS {
            let slopes = self.slopes(&found.mean)?.select_rows(&rows);
            let target = found.given(&Linear {
                slopes: &slopes,
                off: &residual,
                limits: &limits,
            })?;
            let from = std::mem::replace(&mut found, target);
            let mut share = 1.0;
            let moved = loop {
                let steps = from.mean.iter().zip(&found.mean).zip(&ends);
                let next: Vec<f64> = steps
                    .map(|((from, to), end)| (from + share * (to - from)).clamp(-end, *end))
                    .collect();
                let better = |off: &DVector<f64>| {
                    found.cost(&next, off, &limits) <= found.cost(&from.mean, &residual, &limits)
                };
                if let Some(off) = off(&next).filter(better) {
                    let steps = next.iter().zip(&from.mean).map(|(a, b)| (a - b).abs());
                    let step = steps.fold(0.0, f64::max);
                    (found.mean, residual) = (next, off);
                    break step;
                }
                share /= 2.0;
                if share < 1e-3 {
                    found.mean = from.mean;
                    break 0.0;
                }
            };
            if moved < SETTLED {
                break;
            }
        }
        Some(found)
    }

    /// Learns from all measurements; `None` if the search reaches a machine without a steady state.
    pub fn learn(&self) -> Option<Learned> {
        let count = self.points();
        let posterior = self.posterior(&vec![true; count])?;
        let rms = |at: &[f64]| {
            let predicted = self.logarithms(at)?;
            let squares = self.rows().zip(predicted).map(|((_, row), predicted)| {
                let off = predicted - libm::log(row.value);
                off * off
            });
            Some(libm::sqrt(squares.sum::<f64>() / count.max(1) as f64))
        };
        let errors = [rms(&self.nominal())?, rms(&posterior.mean)?];
        let before = &self.stack.correlations;
        let (mut figures, mut known) = (Vec::new(), Vec::new());
        for (place, (figure, mean)) in self.figures.iter().zip(&posterior.mean).enumerate() {
            let deviation = posterior.deviation(place);
            let in_profile = !figure.is_of_load() && self.is_one(figure);
            let one = (deviation, place, learned(figure, *mean, deviation, in_profile));
            if deviation - mean.abs() < 1.0 - SHRUNK {
                figures.push(one);
            } else if in_profile && before.rows().iter().any(|row| row.figure == figure.path()) {
                known.push(one);
            }
        }
        figures.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = LimitGroup::ALL
            .iter()
            .map(|&limit| self.error_now(limit, &posterior));
        let (model, others): (Vec<LearnedError>, Vec<LearnedError>) =
            all.partition(|one| one.now[1] < (1.0 - NOTHING) * one.before);
        let is_known = |one: &LearnedError| self.stack.model_errors.iter().any(|own| own.limit == one.limit);
        let others: Vec<LearnedError> = others.into_iter().filter(is_known).collect();

        let of_profile = figures.iter().chain(&known).filter(|(.., one)| one.in_profile);
        let of_figures = of_profile.map(|(_, place, one)| (one.figure.path(), *place, 1.0));
        let of_model = model.iter().chain(&others).map(|one| {
            let place = self.figures.len() + one.limit as usize;
            (one.limit.figure(), place, libm::sqrt(one.common))
        });
        let correlations = posterior.correlations(of_figures.chain(of_model))?;
        let is_missing = |figure: &&String| correlations.rows().iter().all(|row| row.figure != **figure);
        let missing = before.rows().iter().map(|row| &row.figure).filter(is_missing);
        let source = self.stack.origin.source.clone();
        let only_figures =
            |all: Vec<(f64, usize, LearnedFigure)>| all.into_iter().map(|(.., one)| one).collect();
        Some(Learned {
            earlier: Earlier {
                figures: only_figures(known),
                model: others,
                measurements: self.stack.learned_from.clone(),
                source: source.filter(|_| !self.stack.learned_from.is_empty()),
                missing: missing.cloned().collect(),
            },
            correlations,
            model,
            figures: only_figures(figures),
            measurements: self.rows().map(|(_, row)| listed(row)).collect(),
            errors,
        })
    }

    /// Whether a figure has the same value in every scenario.
    fn is_one(&self, figure: &UncertainFigure) -> bool {
        self.figures
            .iter()
            .filter(|other| other.path() == figure.path())
            .count()
            == 1
    }

    /// The model error of a kind of limit, given the measurements.
    fn error_now(&self, limit: LimitGroup, posterior: &Posterior) -> LearnedError {
        let before = &self.errors[limit as usize];
        let [of_machine, _] = before.parts();
        let common = of_machine * posterior.deviation(self.figures.len() + limit as usize);
        let deviation = libm::hypot(common, posterior.of_loads[limit as usize]);
        let has_limit = |(load, row): &(&Load, &Measured)| load.base.group_of(row.metric) == limit;
        let here = u32::try_from(self.rows().filter(has_limit).count()).unwrap_or(u32::MAX);
        LearnedError {
            limit,
            before: before.deviation,
            now: [self.missed(limit, &posterior.mean), deviation],
            common: if deviation > 0.0 {
                (common / deviation) * (common / deviation)
            } else {
                0.0
            },
            measurements: before.measurements.saturating_add(here),
        }
    }
}

/// The distribution before the measurements: the correlations are those of an earlier calibration, and all
/// other unknowns are independent.
fn prior(
    figures: &[UncertainFigure],
    errors: &[ModelError; GROUPS],
    correlations: &Correlations,
) -> Option<Prior> {
    let row_of = |path: &str| correlations.rows().iter().position(|row| row.figure == path);
    let paths: Vec<String> = figures.iter().map(UncertainFigure::path).collect();
    let of_figures = paths.iter().map(|path| {
        let is_one = paths.iter().filter(|other| *other == path).count() == 1;
        (row_of(path).filter(|_| is_one), 1.0)
    });
    // Profiles have the correlations of the whole error, a share of which is the unknown.
    let of_model = errors.iter().map(|error| {
        let row = row_of(&error.limit.figure());
        (row.filter(|_| error.common > 0.0), libm::sqrt(error.common))
    });
    let of = |unknowns: Vec<(Option<usize>, f64)>| {
        let covariance = DMatrix::from_fn(unknowns.len(), unknowns.len(), |row, column| {
            if row == column {
                return 1.0;
            }
            let ((Some(one), share), (Some(other), of_other)) = (unknowns[row], unknowns[column]) else {
                return 0.0;
            };
            correlations.between(one, other) / (share * of_other * (1.0 + ROUNDED))
        });
        Prior::new(covariance, errors)
    };
    // A file that was written by hand can have errors whose correlations their shares do not permit.
    let of_figures_only = || of(of_figures.clone().chain([(None, 1.0); GROUPS]).collect());
    of(of_figures.clone().chain(of_model).collect()).or_else(of_figures_only)
}

/// The figure with a posterior of `mean` ± `deviation`, in standard deviations from its value.
fn learned(figure: &UncertainFigure, mean: f64, deviation: f64, in_profile: bool) -> LearnedFigure {
    let end = range_end(figure);
    let at = |normal: f64| value_at(figure, normal.clamp(-end, end));
    let around = |mean: f64, deviation: f64| [-RANGE_END, RANGE_END].map(|end| at(mean + end * deviation));
    LearnedFigure {
        figure: figure.clone(),
        value: at(mean),
        drawn: around(0.0, 1.0),
        range: around(mean, deviation),
        in_profile,
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_scenario::Metric;

    use super::*;
    use crate::metric_value::metric_value;
    use crate::uncertainty::LeftOutPoint;
    use crate::uncertainty::drawing::tests::shipped;
    use crate::uncertainty::interval::Interval;
    use crate::uncertainty::posterior::MEASURED;
    use crate::uncertainty::uncertainty;

    /// Cached reads, limited by links, with more and fewer clients, and their measurements on a machine whose
    /// figures are `normal` deviations from their values.
    fn machine(normal: f64) -> Vec<(Scenario, Vec<Measured>)> {
        let base = shipped("7410-barcelona/oss-8k.toml");
        let row = load_row();
        let loads = [8.0, 64.0, 1024.0].map(|kibibytes| {
            let mut scenario = base.clone();
            for workload in &mut scenario.workloads {
                workload.io_size = bandgraph_units::Bytes::new(kibibytes * 1024.0);
            }
            let drawing = Drawing::new(&scenario).expect("it has an answer");
            let normals: Vec<f64> = drawing
                .figures
                .iter()
                .map(|figure| if figure.kind == "stack" { normal } else { 0.0 })
                .collect();
            let truth = drawing
                .logarithms_at(std::slice::from_ref(&row), &normals)
                .expect("an answer");
            let measured = Measured {
                value: libm::exp(truth[0]),
                ..row.clone()
            };
            (scenario, vec![measured])
        });
        loads.into()
    }

    fn load_row() -> Measured {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let loaded = bandgraph_scenario::load(
            &folder.join("7410-barcelona/cached-read.toml"),
            &[],
            &mut bandgraph_diagnostics::Sources::new(),
        );
        let rows = loaded.expect("it is sound").measured;
        let mut rows = rows.into_iter();
        rows.find(|row| metric_value(row.metric, &bandgraph_solve::Outcome::clone(&outcome())).is_some())
            .expect("a rate is measured")
    }

    fn outcome() -> bandgraph_solve::Outcome {
        let scenario = shipped("7410-barcelona/cached-read.toml");
        let bound = bandgraph_solve::bind(&scenario).expect("it can be bound");
        bandgraph_solve::predict(&bound).expect("it has an answer")
    }

    /// A machine whose software is slower than assumed: figures move toward the truth and stay in their
    /// ranges, and the prediction of a load that was left out becomes more accurate, with a narrower
    /// interval.
    #[test]
    fn a_machine_is_learned_from_two_loads_and_predicts_the_third() {
        let loads = machine(0.8);
        let own = OwnMachine::new(loads.iter().map(|(scenario, rows)| (scenario, rows.as_slice())))
            .expect("all have answers");
        let learned = own.learn().expect("a machine");
        assert!(
            learned.errors[1] < 0.75 * learned.errors[0],
            "{:?}",
            learned.errors
        );
        for one in &learned.figures {
            let [low, high] = one.figure.range;
            assert!(low <= one.range[0] && one.range[1] <= high, "{one:?}");
            assert!(one.range[0] <= one.value && one.value <= one.range[1], "{one:?}");
        }
        // The model is too fast as well, as far as it is known.
        assert!(!learned.model.is_empty());
        for one in &learned.model {
            assert!(one.now[1] < one.before && one.factor() < 1.0, "{one:?}");
        }
        let left_out = own.leave_one_out(60).expect("a machine");
        let off = |(value, _): &(f64, Interval), row: &Measured| libm::log(value / row.value).abs();
        let better = left_out
            .iter()
            .filter(|point| off(&point.after, &point.measured) < off(&point.before, &point.measured));
        assert!(better.count() >= 2, "{left_out:?}");
        assert!(
            left_out
                .iter()
                .all(|point| point.after.1.contains(point.measured.value)),
            "{left_out:?}"
        );
        let factors = left_out.iter().map(LeftOutPoint::factor).sum::<f64>() / left_out.len() as f64;
        assert!(factors > 1.0, "{factors}");
    }

    /// Clients that pause for a known time set the rate, whatever the figures are: n measurements that are
    /// all off by `e` leave the closed form of a random effect.
    #[test]
    fn the_error_of_the_machine_is_that_of_the_closed_form() {
        let mut base = shipped("7410-istanbul/cached-read.toml");
        for workload in &mut base.workloads {
            workload.think_time = bandgraph_units::Time::new(200.0);
        }
        let row = load_row();
        let drawing = Drawing::new(&base).expect("it has an answer");
        let zeros = vec![0.0; drawing.figures.len()];
        let predicted = drawing.logarithms_at(std::slice::from_ref(&row), &zeros);
        let predicted = predicted.expect("an answer")[0];
        let off = -0.1;
        let measured = Measured {
            value: libm::exp(predicted + off),
            ..row
        };
        let known = ModelErrors::KNOWN.on_machine(&Stack::default());
        let [of_machine, _] = known[LimitGroup::Pace as usize].parts();
        for count in [1.0, 3.0] {
            let rows = vec![measured.clone(); count as usize];
            let own = OwnMachine::new([(&base, rows.as_slice())]).expect("it has an answer");
            let learned = own.learn().expect("a machine");
            assert_eq!(learned.model.len(), 1, "{learned:?}");
            let of_load = own
                .posterior(&vec![true; rows.len()])
                .expect("a machine")
                .of_loads;
            let of_load = of_load[LimitGroup::Pace as usize];
            let noise = of_load * of_load + MEASURED * MEASURED;
            let weight = of_machine * of_machine / (of_machine * of_machine + noise / count);
            let rest = libm::sqrt(of_machine * of_machine * (1.0 - weight) + of_load * of_load);
            let [mean, deviation] = learned.model[0].now;
            assert!((mean / (weight * off) - 1.0).abs() < 0.01, "{mean}");
            assert!((deviation / rest - 1.0).abs() < 0.01, "{deviation}");

            // The upper end is what the clients ask for.
            let low = |scenario: &Scenario| {
                let found = uncertainty(scenario, 400).expect("it has an interval");
                libm::log(
                    found.operations.low / drawing.base.value(Metric::OperationsPerSecond).expect("a rate"),
                )
            };
            let mut calibrated = base.clone();
            calibrated.stack.model_errors = learned.model.iter().map(LearnedError::of_profile).collect();
            let before = ModelErrors::KNOWN.by_group()[LimitGroup::Pace as usize].at(-RANGE_END);
            assert!((low(&base) / before - 1.0).abs() < 0.02, "{}", low(&base));
            let now = mean - RANGE_END * deviation;
            assert!(
                (low(&calibrated) / now - 1.0).abs() < 0.02,
                "{}",
                low(&calibrated)
            );
        }
    }
}
