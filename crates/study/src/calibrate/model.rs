//! The model as a function of the parameters: scenarios with given values, solved in parallel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bandgraph_config::FieldValue;
use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_model::{Scenario, Stack};
use bandgraph_scenario::{CalibrationData, CalibrationFile, Files, Loaded, Metric, Parameter, load_with};
use bandgraph_solve::{Outcome, bind_merged, predict};
use rayon::prelude::*;

use crate::metric_value::figure;

/// One measured figure that parameters may be fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationPoint {
    /// The name of the server in tables of measurements.
    pub system: String,
    /// The scenario.
    pub scenario: String,
    /// The id of the measurement; for a link, its run and its id.
    pub id: String,
    /// The measured value, in base units.
    pub measured: f64,
    /// The measured value as the file writes it.
    pub text: String,
    /// What was measured.
    pub metric: Metric,
    /// Whether it is a ratio to the same figure of another scenario.
    pub is_ratio: bool,
    /// The kind of quantity; `None` for plain numbers and ratios.
    pub kind: Option<bandgraph_units::QuantityKind>,
    /// Its uncertainty, as a share of the value.
    pub uncertainty: f64,
    /// Whether it is only a bound: any value on the right side agrees with it.
    pub is_bound: bool,
}

/// The scenarios of a calibration, and the scenarios that their measurements are relative to.
pub(crate) struct Model<'f> {
    files: &'f (dyn Files + Sync),
    parameters: &'f [Parameter],
    data: &'f [CalibrationData],
    /// Scenarios that measurements are relative to.
    bases: Vec<Loaded>,
    pub(crate) points: Vec<CalibrationPoint>,
}

impl<'f> Model<'f> {
    /// Loads the base scenarios, and tries the starts of the parameters on every scenario.
    ///
    /// # Errors
    ///
    /// Every problem of the scenarios, and parameters that one of them does not have.
    pub(crate) fn new(
        files: &'f (dyn Files + Sync),
        file: &'f CalibrationFile,
        sources: &mut Sources,
    ) -> Result<Self, Vec<Diagnostic>> {
        let rows = file.data.iter().flat_map(|data| &data.loaded.measured);
        let mut wanted: Vec<&PathBuf> = rows.filter_map(|row| row.relative_to.as_ref()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut bases = Vec::new();
        for path in wanted {
            bases.push(load_with(files, path, &[], sources)?);
        }
        let model = Self {
            files,
            parameters: &file.parameters,
            data: &file.data,
            bases,
            points: file.data.iter().flat_map(points).collect(),
        };
        let starts: Vec<f64> = file.parameters.iter().map(|parameter| parameter.start).collect();
        for loaded in model.all() {
            model.scenario(loaded, &starts, sources)?;
        }
        Ok(model)
    }

    fn all(&self) -> impl Iterator<Item = &Loaded> {
        self.data.iter().map(|data| &data.loaded).chain(&self.bases)
    }

    /// The prediction for every point with these values; `None` if a scenario has no answer with them.
    pub(crate) fn predicted(&self, values: &[f64]) -> Option<Vec<f64>> {
        let all: Vec<&Loaded> = self.all().collect();
        let outcomes: Vec<Option<Outcome>> = all
            .par_iter()
            .map(|loaded| {
                let scenario = self.scenario(loaded, values, &mut Sources::new()).ok()?;
                predict(&bind_merged(&scenario).ok()?).ok()
            })
            .collect();
        let outcomes = outcomes.into_iter().collect::<Option<Vec<Outcome>>>()?;
        let (of_data, of_bases) = outcomes.split_at(self.data.len());
        let bases: BTreeMap<&Path, &Outcome> = self
            .bases
            .iter()
            .map(|loaded| loaded.path.as_path())
            .zip(of_bases)
            .collect();
        let mut predicted = Vec::with_capacity(self.points.len());
        for (data, outcome) in self.data.iter().zip(of_data) {
            for row in &data.loaded.measured {
                let here = figure(row, outcome)?;
                predicted.push(match &row.relative_to {
                    Some(base) => here / figure(row, bases.get(base.as_path())?)?,
                    None => here,
                });
            }
            for link in &data.loaded.measured_links {
                let resource = outcome
                    .resources
                    .iter()
                    .find(|resource| resource.id == link.link)?;
                predicted.push(resource.rate + resource.spare_words);
            }
        }
        Some(predicted)
    }

    /// The deviations of the predictions, each over its uncertainty.
    pub(crate) fn residuals(&self, predicted: &[f64]) -> Vec<f64> {
        let deviations = self.deviations(predicted);
        self.points
            .iter()
            .zip(deviations)
            .map(|(point, deviation)| deviation / point.uncertainty)
            .collect()
    }

    /// The relative deviations of the predictions; 0 for bounds that are kept.
    pub(crate) fn deviations(&self, predicted: &[f64]) -> Vec<f64> {
        let mut predicted = predicted.iter().copied();
        let mut next = || predicted.next().unwrap_or(f64::NAN);
        let mut deviations = Vec::with_capacity(self.points.len());
        for data in self.data {
            deviations.extend(data.loaded.measured.iter().map(|row| row.deviation(next())));
            deviations.extend(
                data.loaded
                    .measured_links
                    .iter()
                    .map(|link| next() / link.value - 1.0),
            );
        }
        deviations
    }

    /// A scenario with its parameters set to these values.
    fn scenario(
        &self,
        loaded: &Loaded,
        values: &[f64],
        sources: &mut Sources,
    ) -> Result<Scenario, Vec<Diagnostic>> {
        let profile = loaded.scenario.stack.name.as_str();
        let of_it = || {
            self.parameters
                .iter()
                .zip(values)
                .filter(|(parameter, _)| parameter.is_of(profile))
        };
        let sets: Vec<String> = of_it()
            .filter(|(parameter, _)| parameter.stack_field().is_none())
            .map(|(parameter, value)| parameter.set(*value))
            .collect();
        let mut scenario = if sets.is_empty() {
            loaded.scenario.clone()
        } else {
            load_with(self.files, &loaded.path, &sets, sources)?.scenario
        };
        let sockets = scenario.topology.sockets().len();
        for (parameter, value) in of_it() {
            if let Some(field) = parameter.stack_field() {
                set_stack(&mut scenario.stack, field, *value, sockets).map_err(|message| {
                    vec![Diagnostic::error(
                        "value::out_of_range",
                        format!("`{}`: {message}", parameter.path),
                    )]
                })?;
            }
        }
        Ok(scenario)
    }
}

/// Sets a number of the stack, or one of its per-socket shares; the other shares stay equal until they are
/// set too.
fn set_stack(stack: &mut Stack, field: &str, value: f64, sockets: usize) -> Result<(), String> {
    let Some((shares, number)) = field.split_once('.') else {
        return stack
            .set(field, FieldValue::Number(value))
            .map_err(|error| error.to_string());
    };
    let list = match shares {
        "thread_shares" => &mut stack.thread_shares,
        "home_shares" => &mut stack.home_shares,
        "interrupt_shares" => &mut stack.interrupt_shares,
        "buffer_shares" => &mut stack.buffer_shares,
        _ => return Err("there are no such shares".to_owned()),
    };
    if list.is_empty() {
        *list = vec![1.0; sockets].into();
    }
    let number: usize = number.parse().map_err(|_| "shares have numbers".to_owned())?;
    let slot = list
        .get_mut(number)
        .ok_or_else(|| format!("there are {sockets} sockets"))?;
    *slot = value;
    Ok(())
}

fn points(data: &CalibrationData) -> Vec<CalibrationPoint> {
    let loaded = &data.loaded;
    let point = |id: String, measured: f64, text: String, (metric, is_ratio): (Metric, bool), is_bound| {
        CalibrationPoint {
            system: loaded.system.clone(),
            scenario: loaded.name.clone(),
            id,
            measured,
            text,
            metric,
            is_ratio,
            kind: metric.kind().filter(|_| !is_ratio),
            uncertainty: data.uncertainty,
            is_bound,
        }
    };
    let rows = loaded.measured.iter().map(|row| {
        let what = (row.metric, row.relative_to.is_some());
        point(row.id.clone(), row.value, row.text.clone(), what, row.is_bound())
    });
    let links = loaded.measured_links.iter().map(|link| {
        let text = bandgraph_units::QuantityKind::Bandwidth.format(link.value);
        let id = format!("{} {}", link.run, link.link);
        point(id, link.value, text, (Metric::BytesPerSecond, false), false)
    });
    rows.chain(links).collect()
}
