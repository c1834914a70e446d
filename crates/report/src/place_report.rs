//! Everything that reports of placements say, whatever their format.

use bandgraph_study::{Placements, RankedPlacement};

use crate::NotFinite;

/// A ranking of placements, gathered for reporting. See to it that its numbers pass [`PlaceReport::check`].
#[derive(Clone, Debug)]
pub struct PlaceReport {
    /// The ranking.
    pub placements: Placements,
}

impl PlaceReport {
    /// Checks that every number can be reported.
    ///
    /// # Errors
    ///
    /// The first number that is not finite.
    pub fn check(&self) -> Result<(), NotFinite> {
        finite("placements", "gap", self.placements.gap)?;
        self.placements.placements.iter().try_for_each(check_placement)
    }
}

fn check_placement(placement: &RankedPlacement) -> Result<(), NotFinite> {
    let subject = placement
        .rank
        .map_or_else(|| "today".to_owned(), |rank| format!("rank {rank}"));
    finite(&subject, "score", placement.score)?;
    finite(&subject, "saturation_score", placement.saturation_score)?;
    for placed in &placement.scenarios {
        for outcome in std::iter::once(&placed.answer.outcome).chain(&placed.simulated) {
            let throughput = &outcome.throughput;
            finite(&subject, "ops_per_s", throughput.operations.get())?;
            finite(&subject, "payload_bytes_per_s", throughput.payload.get())?;
            finite(&subject, "network_bytes_per_s", throughput.network.get())?;
            finite(&subject, "disk_bytes_per_s", throughput.disk.get())?;
            finite(&subject, "latency_mean_s", outcome.latency.mean.get())?;
        }
    }
    Ok(())
}

fn finite(subject: &str, metric: &str, value: f64) -> Result<(), NotFinite> {
    if value.is_finite() {
        return Ok(());
    }
    Err(NotFinite {
        subject: subject.to_owned(),
        metric: metric.to_owned(),
        value,
    })
}
