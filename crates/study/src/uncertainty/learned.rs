//! What measurements of a machine say of it, and the profile that says it to other scenarios.

use bandgraph_model::{Correlations, LimitGroup, ModelError};
use bandgraph_scenario::{Measured, ProfileValue, profile_file};

use super::figures::UncertainFigure;

/// A figure, updated by the measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedFigure {
    /// The figure before.
    pub figure: UncertainFigure,
    /// The 90 % range that draws started from, in base units: of a figure of the program, a part of its
    /// range.
    pub drawn: [f64; 2],
    /// Its value now, in base units.
    pub value: f64,
    /// Its new 90 % range, in base units, within the old one.
    pub range: [f64; 2],
    /// Whether a profile has it: a figure of the software or of a part with one value in every scenario.
    pub in_profile: bool,
}

/// The model error of a machine for a kind of limit, updated by the measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedError {
    /// The kind of limit.
    pub limit: LimitGroup,
    /// The standard deviation before, of the logarithm of a rate.
    pub before: f64,
    /// The mean and the standard deviation now: what rates of this machine are to be multiplied with, as a
    /// logarithm.
    pub now: [f64; 2],
    /// The share of its variance that all loads have in common.
    pub common: f64,
    /// How many measurements have this limit, with those of earlier calibrations.
    pub measurements: u32,
}

impl LearnedError {
    /// What rates of this machine are to be multiplied with.
    pub fn factor(&self) -> f64 {
        libm::exp(self.now[0])
    }

    /// What a profile of the machine has, to six decimals.
    pub(super) fn of_profile(&self) -> ModelError {
        let rounded = |value: f64| (value * 1e6).round() / 1e6;
        ModelError {
            limit: self.limit,
            factor: rounded(self.factor()),
            deviation: rounded(self.now[1]),
            common: rounded(self.common),
            measurements: self.measurements,
        }
    }
}

/// What an earlier calibration of a machine learned and wrote to the profile that its scenarios include.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Earlier {
    /// Its figures that are hardly better known now.
    pub figures: Vec<LearnedFigure>,
    /// Its model errors that are hardly better known now.
    pub model: Vec<LearnedError>,
    /// Its measurements.
    pub measurements: Vec<String>,
    /// The source of the profile.
    pub source: Option<String>,
    /// Its figures that no scenario has, or that have several values.
    pub missing: Vec<String>,
}

/// The result of learning.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The figures with a narrower range than before, the largest change first.
    pub figures: Vec<LearnedFigure>,
    /// The model errors that the measurements say something about.
    pub model: Vec<LearnedError>,
    /// The correlations of these figures of the software and of parts, and of these model errors.
    pub correlations: Correlations,
    /// What was known before.
    pub earlier: Earlier,
    /// The measurements, as a profile lists them.
    pub measurements: Vec<String>,
    /// The root mean square error before and after, of logarithms.
    pub errors: [f64; 2],
}

impl Learned {
    /// What was learned of the stack, of parts and of the errors of the model on this machine, as a file that
    /// scenarios can include: based on the profile `stack`, learned from measurements of `machine`.
    pub fn profile(&self, stack: &str, machine: &str) -> String {
        let measurements = match self.measurements.len() {
            1 => "1 measurement".to_owned(),
            several => format!("{several} measurements"),
        };
        let earlier = &self.earlier;
        let value = |one: &LearnedFigure, note: String| ProfileValue {
            part: one.figure.part(),
            field: one.figure.field.to_owned(),
            unit: one.figure.unit(),
            value: one.value,
            range: Some(one.range),
            note,
        };
        let after = match earlier.measurements.len() {
            0 => String::new(),
            several => format!(" after {several} earlier"),
        };
        let learned = self.figures.iter().filter(|one| one.in_profile).map(|one| {
            let before = &one.figure.texts[0];
            value(
                one,
                format!("learned from {measurements}{after}; it was {before}"),
            )
        });
        let known = earlier.figures.iter();
        let known = known.map(|one| value(one, one.figure.note.clone().unwrap_or_default()));
        let values: Vec<ProfileValue> = learned.chain(known).collect();
        let mut provenance: Vec<String> = earlier.source.iter().cloned().collect();
        provenance.push(format!(
            "Learned by bandgraph {} from {measurements} of {machine}.",
            env!("CARGO_PKG_VERSION"),
        ));
        let errors = self.model.iter().chain(&earlier.model);
        let errors: Vec<ModelError> = errors.map(LearnedError::of_profile).collect();
        let all = [&*earlier.measurements, &*self.measurements].concat();
        if values.is_empty() && errors.is_empty() {
            provenance.push("Nothing is better known, so that this file changes nothing.".to_owned());
        }
        profile_file(stack, &values, &errors, &self.correlations, &all, &provenance)
    }
}

/// A measurement, as a profile lists it.
pub(crate) fn listed(row: &Measured) -> String {
    format!("{} {} {}", row.id, row.metric, row.text)
}
