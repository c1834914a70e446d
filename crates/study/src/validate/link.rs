//! Link counters beside their predictions.

use bandgraph_scenario::{Loaded, MeasuredLink};
use bandgraph_topology::ResourceKind;

use crate::Answer;

/// The measured traffic of one link beside its prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidatedLink {
    /// The name of the server in tables of measurements.
    pub system: String,
    /// The scenario.
    pub scenario: String,
    /// The measurement.
    pub measured: MeasuredLink,
    /// The prediction, in bytes per second; `None` if the scenario has no such resource.
    pub predicted: Option<f64>,
    /// Whether it joins two sockets; other links lead to I/O bridges.
    pub between_sockets: bool,
}

impl ValidatedLink {
    /// (predicted − measured) / measured; `None` without a prediction, or if zero was measured.
    pub fn relative_error(&self) -> Option<f64> {
        let error = self.predicted? / self.measured.value - 1.0;
        error.is_finite().then_some(error)
    }
}

/// The links of one measurement run.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRun {
    /// The name of the run in the table of measurements.
    pub run: String,
    /// The number of compared links between sockets.
    pub links: usize,
    /// The number of those that a fit used.
    pub calibrated: usize,
    /// Their mean absolute error.
    pub mean: f64,
    /// Their maximum absolute error.
    pub max: f64,
    /// The link between sockets with the most measured traffic.
    pub hottest_measured: String,
    /// The link between sockets with the most predicted traffic. If several are equal, the measured one if it
    /// is among them, otherwise the first.
    pub hottest_predicted: String,
}

impl LinkRun {
    /// The runs of some links, in the order of their first appearance.
    pub fn all(links: &[ValidatedLink]) -> Vec<Self> {
        let mut runs: Vec<&str> = Vec::new();
        for link in links {
            if !runs.contains(&link.measured.run.as_str()) {
                runs.push(&link.measured.run);
            }
        }
        runs.into_iter().filter_map(|run| Self::of(run, links)).collect()
    }

    fn of(run: &str, links: &[ValidatedLink]) -> Option<Self> {
        let links: Vec<&ValidatedLink> = links
            .iter()
            .filter(|link| link.measured.run == run && link.between_sockets)
            .collect();
        let errors: Vec<f64> = links
            .iter()
            .filter_map(|link| link.relative_error())
            .map(f64::abs)
            .collect();
        let measured = links
            .iter()
            .max_by(|a, b| a.measured.value.total_cmp(&b.measured.value))?;
        let most = links.iter().filter_map(|link| link.predicted).fold(0.0, f64::max);
        // Links with equal traffic by symmetry may differ in the last bit.
        let hottest = |link: &&&ValidatedLink| link.predicted.is_some_and(|rate| rate >= most * (1.0 - 1e-9));
        let predicted = Some(measured)
            .filter(hottest)
            .or_else(|| links.iter().find(hottest))?;
        Some(Self {
            run: run.to_owned(),
            links: errors.len(),
            calibrated: links.iter().filter(|link| link.measured.calibrated).count(),
            mean: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
            max: errors.iter().copied().fold(0.0, f64::max),
            hottest_measured: measured.measured.link.clone(),
            hottest_predicted: predicted.measured.link.clone(),
        })
    }
}

/// The link counters of a scenario beside its answer.
pub(super) fn links(loaded: &Loaded, answer: &Answer) -> Vec<ValidatedLink> {
    let rows = loaded.measured_links.iter();
    rows.map(|row| {
        let resource = answer
            .outcome
            .resources
            .iter()
            .find(|resource| resource.id == row.link);
        ValidatedLink {
            system: loaded.system.clone(),
            scenario: loaded.name.clone(),
            measured: row.clone(),
            predicted: resource.map(|resource| resource.rate + resource.spare_words),
            between_sockets: resource.is_some_and(|resource| resource.kind == ResourceKind::SocketLink),
        }
    })
    .collect()
}
