//! What is wrong with a machine, or wasted, without any workload.

mod agreement;
mod links;
mod memory;
mod rates;
mod sockets;
mod unknown_cards;
mod uplinks;

use bandgraph_diagnostics::{Diagnostic, Severity};

use crate::origin::Origin;
use crate::resolve::Machine;
pub(crate) use rates::slot_rate;
pub(crate) use uplinks::{Uplink, uplinks};

/// Lines that a finding names at most.
const MOST_ORIGINS: usize = 32;

/// One thing that is wrong or wasted.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The kind of finding, stable over versions: `"inspect::slot_limits_card"`.
    pub id: &'static str,
    /// How bad it is: a warning costs bandwidth, a note is worth knowing.
    pub severity: Severity,
    /// What is wrong, and where.
    pub message: String,
    /// What said so.
    pub at: Vec<Origin>,
    /// What to do about it.
    pub help: Option<String>,
    /// What it costs, in bytes/s of payload; `None` where no rate follows from it.
    pub costs_bytes_per_s: Option<f64>,
}

impl Finding {
    /// A finding that costs `costs` bytes/s.
    fn warning(id: &'static str, message: String, costs: f64) -> Self {
        Self {
            id,
            severity: Severity::Warning,
            message,
            at: Vec::new(),
            help: None,
            costs_bytes_per_s: Some(costs),
        }
    }

    /// A finding that no rate follows from.
    fn note(id: &'static str, message: String) -> Self {
        Self {
            severity: Severity::Note,
            costs_bytes_per_s: None,
            ..Self::warning(id, message, 0.0)
        }
    }

    fn at(mut self, origins: impl IntoIterator<Item = Option<Origin>>) -> Self {
        for origin in origins.into_iter().flatten() {
            if self.at.len() < MOST_ORIGINS && !self.at.contains(&origin) {
                self.at.push(origin);
            }
        }
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The finding as a diagnostic with its places.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = match self.costs_bytes_per_s {
            Some(costs) => format!("{}; costs {}", self.message, rates::gigabytes(costs)),
            None => self.message.clone(),
        };
        let diagnostic = Diagnostic::new(self.id, self.severity, message).help_if(self.help.clone());
        let mut places = self.at.iter().map(|at| at.place());
        let diagnostic = match places.next() {
            Some(first) => diagnostic.at(first),
            None => diagnostic,
        };
        places.fold(diagnostic, Diagnostic::also)
    }
}

/// All findings, the costliest first; those without a cost come last.
pub fn inspect(machine: &Machine) -> Vec<Finding> {
    let mut findings = Vec::new();
    links::find(machine, &mut findings);
    memory::find(machine, &mut findings);
    sockets::find(machine, &mut findings);
    uplinks::find(machine, &mut findings);
    agreement::find(machine, &mut findings);
    unknown_cards::find(machine, &mut findings);
    let costs = |finding: &Finding| finding.costs_bytes_per_s.unwrap_or(-1.0);
    findings.sort_by(|a, b| costs(b).total_cmp(&costs(a)).then(a.message.cmp(&b.message)));
    findings
}
