//! Validation: every measurement of a set of scenarios beside its prediction.
//!
//! Scenarios are answered in parallel. Results are in the order of the scenarios and of their files, on any
//! number of threads.

mod checked;
mod coverage;
mod error_summary;
mod link;
mod point;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_scenario::{DiskFiles, Files, Loaded, NamedBottleneck, load_folder_with, load_with};
use bandgraph_solve::{Limit, LimitKind};
use rayon::prelude::*;

use crate::answer::{answer, answer_bound};
use crate::metric_value::figure;
use crate::{Answer, Method, StudyError};

pub use checked::is_checked;
pub use coverage::{Coverage, PointInterval, add_intervals, deviations};
pub use error_summary::ErrorSummary;
pub use link::{LinkRun, ValidatedLink};
pub use point::ValidatedPoint;

/// Scenarios with measurements, and the base scenarios of relative measurements.
#[derive(Clone, Debug)]
pub struct ValidationSet {
    /// Scenarios with measurements, in the given order.
    scenarios: Vec<Loaded>,
    /// Base scenarios without measurements of their own.
    bases: Vec<Loaded>,
    /// Warnings: probable mistakes that do not prevent a run; and a note of files that were skipped.
    pub warnings: Vec<Diagnostic>,
}

/// The bottleneck that a source names, beside the predicted one.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidatedBottleneck {
    /// The name of the server in tables of measurements.
    pub system: String,
    /// The scenario.
    pub scenario: String,
    /// The bottleneck that the source names.
    pub named: NamedBottleneck,
    /// The technology of the server's resources of the kind that the source names; `None` without one.
    pub named_technology: Option<String>,
    /// The predicted bottleneck.
    pub predicted: Limit,
}

impl ValidatedBottleneck {
    /// Whether the two agree.
    pub fn holds(&self) -> bool {
        self.named.is(&self.predicted)
    }
}

/// Measurements beside predictions.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// Metrics of runs and of resources.
    pub points: Vec<ValidatedPoint>,
    /// Counters of links.
    pub links: Vec<ValidatedLink>,
    /// Named bottlenecks.
    pub bottlenecks: Vec<ValidatedBottleneck>,
}

impl Validation {
    /// Whether every point is within its tolerance, and every predicted bottleneck is the named one.
    pub fn holds(&self) -> bool {
        self.points.iter().all(ValidatedPoint::is_within)
            && self.bottlenecks.iter().all(ValidatedBottleneck::holds)
    }
}

impl ValidationSet {
    /// Loads scenarios, from files and folders, with overrides given as `PATH=VALUE`.
    ///
    /// # Errors
    ///
    /// Every problem of all files; at least one is an error.
    pub fn load(paths: &[PathBuf], sets: &[String], sources: &mut Sources) -> Result<Self, Vec<Diagnostic>> {
        Self::load_with(&DiskFiles, paths, sets, sources)
    }

    /// [`load`](Self::load), with a given reader of files.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn load_with(
        files: &dyn Files,
        paths: &[PathBuf],
        sets: &[String],
        sources: &mut Sources,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (mut scenarios, mut warnings) = (Vec::new(), Vec::new());
        for path in paths {
            let (found, note) = load_folder_with(files, path, sets, sources)?;
            scenarios.extend(found);
            warnings.extend(note);
        }
        scenarios.retain(|loaded| {
            !loaded.measured.is_empty() || !loaded.measured_links.is_empty() || loaded.bottleneck.is_some()
        });
        let wanted = scenarios.iter().flat_map(|loaded| &loaded.measured);
        let mut wanted: Vec<&PathBuf> = wanted.filter_map(|row| row.relative_to.as_ref()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut bases = Vec::new();
        let mut problems = Vec::new();
        for path in wanted {
            match load_with(files, path, sets, sources) {
                Ok(loaded) => bases.push(loaded),
                Err(diagnostics) => problems.extend(diagnostics),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        warnings.extend(scenarios.iter().flat_map(|loaded| loaded.warnings.clone()));
        Ok(Self {
            scenarios,
            bases,
            warnings,
        })
    }

    /// The scenarios with measurements.
    pub fn scenarios(&self) -> &[Loaded] {
        &self.scenarios
    }

    /// Answers all scenarios and compares the measurements with the answers. A scenario with a metric that no
    /// steady state has, such as a percentile, is always simulated. `progress` gets the number of finished
    /// scenarios and the total.
    ///
    /// # Errors
    ///
    /// As [`answer`](fn@crate::answer): of the first scenario that fails.
    pub fn validate(
        &self,
        method: Method,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Validation, StudyError> {
        let done = AtomicUsize::new(0);
        let total = self.scenarios.len() + self.bases.len();
        let all: Vec<&Loaded> = self.scenarios.iter().chain(&self.bases).collect();
        let answers: Vec<Result<Answer, StudyError>> = all
            .par_iter()
            .map(|loaded| {
                let answer = answer_all(loaded, method);
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                answer
            })
            .collect();
        let mut answers = answers.into_iter().collect::<Result<Vec<Answer>, StudyError>>()?;
        let of_bases = answers.split_off(self.scenarios.len());
        let bases: BTreeMap<&Path, &Answer> = self
            .bases
            .iter()
            .map(|loaded| loaded.path.as_path())
            .zip(&of_bases)
            .collect();
        let mut validation = Validation {
            points: Vec::new(),
            links: Vec::new(),
            bottlenecks: Vec::new(),
        };
        for (loaded, answer) in self.scenarios.iter().zip(&answers) {
            validation.points.extend(point::points(loaded, answer, &bases));
            validation.links.extend(link::links(loaded, answer));
            validation
                .bottlenecks
                .extend(loaded.bottleneck.iter().map(|named| ValidatedBottleneck {
                    system: loaded.system.clone(),
                    scenario: loaded.name.clone(),
                    named: named.clone(),
                    named_technology: technology(loaded, named),
                    predicted: answer.explained.bottleneck.clone(),
                }));
        }
        Ok(validation)
    }
}

/// The technology of the resources that a source names as the bottleneck; `None` without one.
fn technology(loaded: &Loaded, named: &NamedBottleneck) -> Option<String> {
    let resources = loaded.scenario.topology.resources().iter();
    // A source that names memory does not mean the links of dies.
    let usual = resources.filter(|resource| resource.role.technology().is_none());
    let mut links = usual.filter(|resource| LimitKind::Resource(resource.kind) == named.kind);
    links.find_map(|link| link.technology.clone())
}

/// The answer by `method`, or by simulation if that leaves a measured metric open.
fn answer_all(loaded: &Loaded, method: Method) -> Result<Answer, StudyError> {
    let simulated = || answer(&loaded.name, &loaded.scenario, Method::Simulate);
    let found = match method {
        Method::Predict => answer_bound(&loaded.name, &loaded.bound, method)?,
        Method::Simulate => return simulated(),
    };
    let told = loaded
        .measured
        .iter()
        .all(|row| figure(row, &found.outcome).is_some());
    if told { Ok(found) } else { simulated() }
}
