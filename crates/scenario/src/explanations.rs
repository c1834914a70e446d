//! The long explanation of each id of diagnostics.

use bandgraph_diagnostics::Explanation;

/// An explanation of every kind of diagnostic raised by this crate. [`explanations`] also includes those of
/// the crates below.
const EXPLANATIONS: &str = include_str!("explanations.txt");

/// All explanations of diagnostics of [`check`](crate::check) and [`load`](crate::load): those of this crate,
/// of topologies, of workloads, and of binding.
pub fn explanations() -> Vec<Explanation> {
    let texts = [
        EXPLANATIONS,
        bandgraph_topology::EXPLANATIONS,
        bandgraph_workload::EXPLANATIONS,
        bandgraph_import::job_file::EXPLANATIONS,
        bandgraph_import::trace::EXPLANATIONS,
        bandgraph_model::EXPLANATIONS,
    ];
    texts.into_iter().flat_map(Explanation::all_of).collect()
}

/// The explanation of a kind of diagnostic.
pub fn explain(id: &str) -> Option<Explanation> {
    explanations()
        .into_iter()
        .find(|explanation| explanation.id == id)
}

#[cfg(test)]
mod tests;
