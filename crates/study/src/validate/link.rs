//! Counters of links beside predictions.

use bandgraph_scenario::{Loaded, MeasuredLink};
use bandgraph_topology::ResourceKind;

use crate::Answer;

/// What a counter showed on one link, beside its prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidatedLink {
    /// What tables of measurements call the server.
    pub system: String,
    /// The scenario.
    pub scenario: String,
    /// What was measured.
    pub measured: MeasuredLink,
    /// What is predicted, in bytes per second; `None` where the scenario has no such resource any more.
    pub predicted: Option<f64>,
    /// Whether it joins two sockets; the others lead to I/O bridges.
    pub between_sockets: bool,
}

impl ValidatedLink {
    /// (predicted − measured) / measured; `None` where there is no prediction, or nothing but zero was
    /// measured.
    pub fn relative_error(&self) -> Option<f64> {
        let error = self.predicted? / self.measured.value - 1.0;
        error.is_finite().then_some(error)
    }
}

/// The links of one run of the counters together.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRun {
    /// The name of the run in the table of measurements.
    pub run: String,
    /// How many links between sockets were compared.
    pub links: usize,
    /// How many of them something was fitted to.
    pub calibrated: usize,
    /// Mean error over them, without sign.
    pub mean: f64,
    /// The largest of them.
    pub max: f64,
    /// The link between sockets that carried most.
    pub hottest_measured: String,
    /// The link between sockets that is predicted to carry most. Where several are predicted to carry the
    /// same, the one measured if it is among them, or else the first.
    pub hottest_predicted: String,
}

impl LinkRun {
    /// The runs that links are of, in the order in which they first come.
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
        // Links that carry the same by symmetry may differ in the last bit.
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

/// The counters of a scenario beside its answer.
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
