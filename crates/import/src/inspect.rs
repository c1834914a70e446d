//! What is wrong with a machine, or wasted, without any workload.

use bandgraph_diagnostics::{Diagnostic, Severity};

use crate::origin::Origin;
use crate::resolve::Machine;

/// One thing that is wrong or wasted.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The kind of finding, stable over versions: `"inspect::link_below_card"`.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, and where.
    pub message: String,
    /// What said so.
    pub at: Vec<Origin>,
    /// What to do about it.
    pub help: Option<String>,
    /// What it costs, in bytes/s; `None` where no rate follows from it.
    pub costs_bytes_per_s: Option<f64>,
}

impl Finding {
    /// The finding as a diagnostic with its places.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::new(self.id, self.severity, self.message.as_str()).help_if(self.help.clone());
        let mut places = self.at.iter().map(|at| at.place());
        if let Some(first) = places.next() {
            diagnostic = diagnostic.at(first);
        }
        places.fold(diagnostic, Diagnostic::also)
    }
}

/// All findings, the costliest first.
pub fn inspect(_machine: &Machine) -> Vec<Finding> {
    Vec::new()
}
