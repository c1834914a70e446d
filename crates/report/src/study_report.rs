//! Everything that reports of studies say, whatever their format.

use bandgraph_solve::{Outcome, Throughput};
use bandgraph_study::{Ladder, MarginalGains, Rung, Step, WhatIfAnswers};

use crate::NotFinite;

/// A what-if with its answers, gathered for reporting. See to it that its numbers pass
/// [`WhatIfReport::check`].
#[derive(Clone, Debug)]
pub struct WhatIfReport {
    /// The base, the variants, and where they part.
    pub answers: WhatIfAnswers,
}

/// A ladder of limits with the marginal gains at its foot, gathered for reporting. See to it that its numbers
/// pass
/// [`LadderReport::check`].
#[derive(Clone, Debug)]
pub struct LadderReport {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the topology.
    pub topology: String,
    /// Hash of everything that went in.
    pub input_hash: String,
    /// The ladder.
    pub ladder: Ladder,
    /// What a little more of each resource would bring, before anything is relieved.
    pub gains: MarginalGains,
}

impl WhatIfReport {
    /// Name of the scenario that is the base.
    pub fn scenario(&self) -> &str {
        &self.answers.base.question.scenario.name
    }

    /// Checks that every number can be reported.
    ///
    /// # Errors
    ///
    /// The first number that is not finite.
    pub fn check(&self) -> Result<(), NotFinite> {
        std::iter::once(&self.answers.base)
            .chain(&self.answers.variants)
            .try_for_each(|case| check_outcome(&case.question.name, &case.answer.outcome))
    }
}

impl LadderReport {
    /// Checks that every number can be reported.
    ///
    /// # Errors
    ///
    /// The first number that is not finite.
    pub fn check(&self) -> Result<(), NotFinite> {
        for (index, rung) in self.ladder.rungs.iter().enumerate() {
            check_rung(&format!("rung {}", index + 1), rung)?;
        }
        for gain in &self.gains.resources {
            finite(&gain.id, "elasticity", gain.elasticity)?;
            finite(&gain.id, "saturation", gain.saturation)?;
        }
        self.gains
            .groups
            .iter()
            .try_for_each(|group| finite(&group.ids.join(", "), "elasticity", group.elasticity))
    }
}

fn check_rung(subject: &str, rung: &Rung) -> Result<(), NotFinite> {
    check_throughput(subject, &rung.throughput)?;
    finite(subject, "latency_mean_s", rung.latency_mean.get())?;
    finite(subject, "gain", rung.gain)?;
    finite(subject, "total_gain", rung.total_gain)?;
    if let Some(Step::Unlimited(needs)) = &rung.step {
        for need in needs {
            finite(&need.id, "needed", need.needed)?;
        }
    }
    Ok(())
}

fn check_outcome(subject: &str, outcome: &Outcome) -> Result<(), NotFinite> {
    check_throughput(subject, &outcome.throughput)?;
    finite(subject, "latency_mean_s", outcome.latency.mean.get())?;
    for resource in &outcome.resources {
        finite(&resource.id, "rate", resource.rate)?;
        finite(&resource.id, "saturation", resource.saturation())?;
    }
    for link in &outcome.link_traffic {
        for (cause, rate) in &link.by_cause {
            finite(&link.id, cause.as_str(), rate.get())?;
        }
    }
    outcome
        .sockets
        .iter()
        .try_for_each(|socket| finite(&socket.id, "cpi", socket.cycles_per_instruction))
}

fn check_throughput(subject: &str, throughput: &Throughput) -> Result<(), NotFinite> {
    finite(subject, "ops_per_s", throughput.operations.get())?;
    finite(subject, "payload_bytes_per_s", throughput.payload.get())?;
    finite(subject, "network_bytes_per_s", throughput.network.get())?;
    finite(subject, "disk_bytes_per_s", throughput.disk.get())
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
